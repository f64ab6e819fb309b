"use strict";
// Reads results, ranks systems and shows how sure the ranking is. No library, no network but the
// folder of the page.

const RESAMPLES = 2000, STEP = 0.0005, OPERATIONS = 4e7, LEVEL = 0.95, SHOWN = 100, FEW = 300;
const NOTES = /^([\d.]+) % interval (?:\[([\d.]+), ([\d.]+)\]|([^;]*)); null ([\d.]+)(, not above it)?; (\S.*)$/;

function normal(x) { // P(Z < x); Abramowitz and Stegun 7.1.26, to 1.5e-7
  const t = 1 / (1 + 0.3275911 * Math.abs(x) / Math.SQRT2);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const half = tail * Math.exp(-x * x / 2) / 2;
  return x < 0 ? half : 1 - half;
}

function quantile(p) { // inverse of normal, by halving
  let [low, high] = [-10, 10];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normal(middle) < p) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

function generator(seed) { // mulberry32: the same numbers on every machine
  return () => {
    seed = (seed + 0x6D2B79F5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Chance of each system to be the best, its score spread as its interval says: half a normal curve
// on either side. Systems are taken for independent.
function bestByIntervals(entries) {
  const curves = entries.map(entry => {
    const reach = quantile((1 + entry.confidence) / 2);
    return { value: entry.value, below: Math.max((entry.value - entry.low) / reach, 1e-4),
      above: Math.max((entry.high - entry.value) / reach, 1e-4), won: 0 };
  });
  const from = Math.max(...curves.map(c => c.value - 5 * c.below)); // the winner is not below it
  const to = Math.max(...curves.map(c => c.value + 5 * c.above));
  const shares = new Float64Array(curves.length);
  for (let x = from + STEP / 2; x < to; x += STEP) {
    let logs = 0;
    for (let i = 0; i < curves.length; i++) {
      const c = curves[i], z = x - c.value;
      shares[i] = z < 0 ? 2 * c.below * normal(z / c.below) / (c.below + c.above)
        : z > 6 * c.above ? 1 : (c.below + c.above * (2 * normal(z / c.above) - 1)) / (c.below + c.above);
      if (shares[i] < 1) logs += Math.log(Math.max(shares[i], 1e-300));
    }
    for (let i = 0; i < curves.length; i++) {
      const c = curves[i], z = (x - c.value) / (x < c.value ? c.below : c.above);
      if (Math.abs(z) < 8) c.won += Math.exp(logs - Math.log(Math.max(shares[i], 1e-300)) - z * z / 2) / (c.below + c.above);
    }
  }
  const total = curves.reduce((sum, c) => sum + c.won, 0);
  return curves.map(c => c.won / total);
}

// The same from what every system scored on the same clusters, which are resampled for all at once.
function bestByClusters(entries) {
  const names = Object.keys(entries[0].clusters), k = names.length, wins = new Float64Array(entries.length);
  const resamples = Math.max(200, Math.min(RESAMPLES, Math.floor(OPERATIONS / (entries.length * k))));
  const table = entries.map(entry => Float64Array.from(names, name => entry.clusters[name][0]));
  const sizes = names.map(name => entries[0].clusters[name][1]), random = generator(0), times = new Float64Array(k);
  const scores = new Float64Array(entries.length);
  for (let r = 0; r < resamples; r++) {
    times.fill(0);
    for (let i = 0; i < k; i++) times[Math.floor(random() * k)]++;
    let n = 0, top = -1, winners = 0;
    for (let c = 0; c < k; c++) n += times[c] * sizes[c];
    table.forEach((sums, i) => {
      let sum = 0;
      for (let c = 0; c < k; c++) sum += times[c] * sums[c];
      scores[i] = sum / n;
      if (scores[i] > top) top = scores[i];
    });
    for (const score of scores) if (top - score < 1e-12) winners++;
    scores.forEach((score, i) => { if (top - score < 1e-12) wins[i] += 1 / winners; });
  }
  return Array.from(wins, won => won / resamples);
}

// What a system's clusters are, so that systems with the same can be compared one by one; "" for none.
function clusterKey(entry) {
  const clusters = entry.clusters || {}, names = Object.keys(clusters).sort();
  return names.length > 1 ? names.map(name => `${name}=${clusters[name][1]}`).join("|") : "";
}

// What each cluster adds to the error of a score: differences of systems are differences of these.
function influences(entries) {
  const names = Object.keys(entries[0].clusters), sizes = names.map(name => entries[0].clusters[name][1]);
  const total = sizes.reduce((a, b) => a + b, 0), scale = Math.sqrt(names.length / (names.length - 1)) / total;
  return entries.map(entry => {
    const sums = names.map(name => entry.clusters[name][0]), mean = sums.reduce((a, b) => a + b, 0) / total;
    return { mean, parts: Float64Array.from(sums, (sum, c) => scale * (sum - mean * sizes[c])) };
  });
}

// Counts, for systems with the same clusters, how many are surely better and worse than each:
// the interval of the difference by clusters excludes 0 (t with one degree less than clusters).
function countPaired(entries, better, worse) {
  const z = quantile((1 + LEVEL) / 2), free = Object.keys(entries[0].clusters).length - 1;
  const reach = z + (z ** 3 + z) / (4 * free) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * free ** 2);
  const found = influences(entries), norms = found.map(({ parts }) => Math.sqrt(parts.reduce((sum, x) => sum + x * x, 0)));
  for (let i = 0; i < found.length; i++) for (let j = 0; j < i; j++) {
    const gap = Math.abs(found[i].mean - found[j].mean);
    if (gap <= reach * Math.abs(norms[i] - norms[j]) || gap < 1e-12) continue;
    if (gap <= reach * (norms[i] + norms[j])) {
      const a = found[i].parts, b = found[j].parts;
      let square = 0;
      for (let c = 0; c < a.length; c++) square += (a[c] - b[c]) ** 2;
      if (gap <= reach * Math.sqrt(square)) continue;
    }
    const [high, low] = found[i].mean > found[j].mean ? [i, j] : [j, i];
    worse[high]++;
    better[low]++;
  }
}

function countBelow(sorted, value) { // how many of a sorted list are less
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < value) from = middle + 1; else to = middle;
  }
  return from;
}

// The same by intervals that do not touch, against `others`; `sign` -1 takes them away again.
function countApart(entries, others, better, worse, sign = 1) {
  const lows = Float64Array.from(others, o => -o.low).sort(), highs = Float64Array.from(others, o => o.high).sort();
  entries.forEach((entry, i) => {
    better[i] += sign * countBelow(lows, -entry.high);
    worse[i] += sign * countBelow(highs, entry.low);
  });
}

// Entries by score with the ranks that their intervals allow, and the chance to be the best. One
// without an interval has no rank and widens no other's.
function ranked(entries) {
  const rows = entries.map(entry => ({ ...entry, best: null, first: null, last: null }))
    .sort((a, b) => b.value - a.value || (a.system < b.system ? -1 : 1));
  const sure = rows.filter(row => row.low !== null), groups = new Map();
  for (const row of sure) {
    const key = clusterKey(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  for (const [key, group] of groups) {
    const better = new Int32Array(group.length), worse = new Int32Array(group.length);
    countApart(group, sure, better, worse);
    if (key && group.length > 1) {
      countApart(group, group, better, worse, -1);
      countPaired(group, better, worse);
    }
    group.forEach((row, i) => { row.first = 1 + better[i]; row.last = sure.length - worse[i]; });
  }
  const isPaired = groups.size === 1 && !groups.has("");
  if (sure.length > 1) (isPaired ? bestByClusters(sure) : bestByIntervals(sure)).forEach((chance, i) => { sure[i].best = chance; });
  return { rows, isPaired };
}

// Ranks thousands of systems beside the page, which answers meanwhile; a few at once, and all of them
// where a browser starts no worker from a page. `done` is called for the last question only.
function ranker() {
  let worker = null, asked = 0, kept = null;
  const start = () => {
    const text = document.getElementById("script").textContent + "\nonmessage = ({ data }) => postMessage(ranked(data));";
    return new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  };
  return (key, entries, waiting, done) => {
    const mine = ++asked, here = () => done((kept = { key, found: ranked(entries) }).found);
    if (worker) worker.terminate();
    worker = null;
    if (kept && kept.key === key) return done(kept.found);
    if (entries.length <= FEW) return here();
    waiting();
    try { worker = start(); } catch { return here(); }
    worker.onerror = () => mine === asked && here();
    worker.onmessage = ({ data }) => mine === asked && done((kept = { key, found: data }).found);
    worker.postMessage(entries);
  };
}

// --- files: the rules are those of push.py result, and so are the lines about what breaks them

const wrong = (what, got, expected) => new Error(`${what}, got ${String(got).slice(0, 120)}; expected ${expected}`);

function readSignature(text, { run_fields: known }) {
  const run = {}, options = {};
  for (const part of String(text).split("|")) {
    const [, name, mark, value] = /^(\w*)([:=]?)([^]*)$/.exec(part);
    if (mark === "=") options[name] = value; else if (mark === ":") run[name] = decodeURIComponent(value);
  }
  if (!run.metric || !run.version || Object.keys(run).some(name => !known.includes(name)))
    throw wrong("signature", text, "the one that every result of `compute` has: score it again");
  return { run, options };
}

function comparable(text, data) {
  const { run, options } = readSignature(text, data), missing = data.needed.find(name => !(name in run));
  if (missing) throw wrong(`signature: ${missing}`, "none", "it of `compute(..., run=...)`");
  const suite = Object.hasOwn(data.suites, run.suite) ? data.suites[run.suite] : null;
  if (!suite) throw wrong("suite", run.suite, `one of ${Object.keys(data.suites).join(", ")}`);
  const got = { edition: "generated", ...run };
  if (!suite.configs.includes(run.config)) throw wrong("config", run.config, `one of ${suite.configs.join(", ")}`);
  for (const [name, value] of Object.entries({ ...suite.expected, suite_version: suite.since[run.config] }))
    if (got[name] !== value) throw wrong(name, got[name], `${value}, by which the suite's results are compared`);
  const changed = Object.keys(options).find(name => !data.harmless.includes(name));
  if (changed) throw wrong("option", `${changed}=${options[changed]}`, "the default, by which the suite's results are compared");
  return { suite: run.suite, task: run.split === "test" ? run.config : `${run.config}_${run.split}`, system: run.system, settings: suite,
    confidence: "confidence" in options ? Number(options.confidence) : LEVEL };
}

function checked(entry) {
  const isShare = value => typeof value === "number" && value >= 0 && value <= 1;
  const { value, low, high } = entry, slack = 1e-4; // files round
  if (!isShare(value)) throw wrong("score", value, "a share in [0, 1]");
  if (!isShare(entry.null)) throw wrong("null", entry.null, "a share in [0, 1]");
  if (!(entry.confidence > 0 && entry.confidence < 1)) throw wrong("confidence", entry.confidence, "a level between 0 and 1");
  if ((low === null) !== (high === null) || (low !== null && !(isShare(low) && isShare(high) && low <= value + slack && value <= high + slack)))
    throw wrong("interval", `${low} to ${high}`, `one in [0, 1] with the score ${value} in it`);
  if (typeof entry.system !== "string" || !entry.system) throw wrong("system", entry.system, "a name");
  for (const pair of Object.values(entry.clusters || {}))
    if (!Array.isArray(pair) || !pair.every(Number.isFinite) || !(pair[1] > 0)) throw wrong("clusters", JSON.stringify(pair), "sum and number");
  return { measures: {}, tables: {}, command: "", isOwn: true, ...entry };
}

function plainScalar(text) {
  text = text.trim();
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replace(/''/g, "'");
  if (/^".*"$/.test(text)) return JSON.parse(text);
  return text !== "" && !isNaN(text) ? Number(text) : text;
}

// The YAML that push.py writes: a list of mappings, which hold scalars or mappings of scalars.
function readYaml(text) {
  const found = [];
  let entry = null, inner = null;
  for (const line of text.split(/\r?\n/)) {
    if (!line.trim() || /^\s*#/.test(line)) continue;
    const match = /^(- |  )(  )?([A-Za-z_]+):(?: (.*))?$/.exec(line);
    if (!match || (match[1] === "- " && match[2]) || (match[1] !== "- " && !entry) || (match[2] && !inner))
      throw wrong("line", line.slice(0, 60), "what push.py result writes");
    if (match[1] === "- ") { found.push(entry = {}); inner = null; }
    if (match[4] === undefined) entry[match[3]] = inner = {};
    else (match[2] ? inner : entry)[match[3]] = plainScalar(match[4]);
  }
  if (!found.length) throw wrong("file", "no entry", "what push.py result writes");
  return found;
}

function sameTask(told, found) {
  if (told !== found) throw wrong("task", told, `${found}, as its signature says`);
}

function fromYaml(item, data) {
  const notes = NOTES.exec(item.notes || "");
  if (!notes) throw wrong("notes", "none with interval, null and signature", "what push.py result writes");
  const { suite, task, system } = comparable(notes[7], data);
  sameTask(item.dataset && item.dataset.task_id, task);
  return checked({ suite, task, system, value: item.value, low: notes[2] ? Number(notes[2]) : null, high: notes[3] ? Number(notes[3]) : null,
    confidence: Number(notes[1]) / 100, null: Number(notes[5]), is_above: !notes[6], source: notes[7], clusters: null });
}

function fromRecord(record, data) {
  return record.evaluation_results.map(result => {
    const { score, details, uncertainty } = result.score_details, interval = uncertainty && uncertainty.confidence_interval;
    const { suite, task, confidence } = comparable(details.signature, data);
    sameTask(result.evaluation_name.split(".").slice(1).join("."), task);
    return checked({ suite, task, system: record.model_info.id, value: score,
      low: interval ? interval.lower : null, high: interval ? interval.upper : null,
      confidence: interval ? interval.confidence_level : confidence,
      null: Number(result.metric_config.additional_details.null), is_above: details.is_above_null === "true",
      source: details.signature, clusters: details.clusters ? JSON.parse(details.clusters) : null });
  });
}

// A result as `compute` returned it.
function fromResult(result, data) {
  if (typeof result.signature !== "string") throw wrong("signature", result.signature, "the one that every result of `compute` has: score it again");
  const { suite, task, system, settings, confidence } = comparable(result.signature, data);
  const score = settings.score, place = settings.tasks[task] || {}, ends = [result[`${score}_low`], result[`${score}_high`]];
  if (typeof result[score] !== "number") throw wrong(score, result[score], "a share in [0, 1]");
  if (ends.includes(undefined)) throw wrong(`${score}_low`, "none", "an interval: score it with a `confidence`");
  const pattern = new RegExp(`^${settings.null.replaceAll("*", ".*")}$`);
  const nulls = Object.keys(result).filter(name => pattern.test(name)).map(name => result[name]);
  if (!nulls.length && settings.null_without === null) throw wrong(`null of ${score}`, "none", "one");
  if (!nulls.length) nulls.push(settings.null_without);
  const bad = nulls.find(value => typeof value !== "number" || value < 0 || value > 1);
  if (bad !== undefined) throw wrong("null", bad, "a share in [0, 1]");
  const measures = Object.fromEntries(settings.measures.filter(name => typeof result[name] === "number")
    .map(name => [name, ["", "_low", "_high"].map(end => result[name + end] ?? null)]));
  const tables = Object.fromEntries(Object.entries(settings.tables).filter(([name]) => Array.isArray(result[name]))
    .map(([name, column]) => [name, result[name].filter(row => typeof row[column] === "number").map(row => [String(Object.values(row)[0]), row[column]])]));
  const entry = checked({ suite, task, system, value: result[score], low: ends[0], high: ends[1], confidence,
    null: Math.max(...nulls, place.nothing ? place.nothing.value : 0), source: result.signature, clusters: clusterSums(result, settings), measures, tables });
  return [{ ...entry, is_above: isAbove(entry, place, result[`${score}_above_chance_low`]) }];
}

function clusterSums(result, { parts }) {
  if (!parts || !Array.isArray(result[parts.rows])) return null;
  const sums = {};
  for (const row of result[parts.rows]) {
    if (!Object.entries(parts.where || {}).every(([name, known]) => known.includes(row[name]))) continue;
    const pair = sums[String(row[parts.cluster])] ??= [0, 0];
    pair[0] += Number(row[parts.score]);
    pair[1]++;
  }
  return Object.keys(sums).length ? sums : null;
}

// builders.shallow: cluster by cluster where both have the same, else from the two intervals (MOVER).
function isAbove(entry, { bar, clusters }, aboveChance) {
  if (entry.low === null) return false;
  if (!bar) return (aboveChance ?? entry.low - entry.null) > 0;
  const shared = Object.keys(entry.clusters || {}).filter(name => Object.hasOwn(clusters, name));
  if (shared.length < 2) return entry.value - bar.value > Math.hypot(entry.value - entry.low, bar.high - bar.value);
  const random = generator(0), gaps = Array.from({ length: 1000 }, () => {
    const sum = [0, 0, 0, 0];
    for (let i = 0; i < shared.length; i++) {
      const name = shared[Math.floor(random() * shared.length)];
      [...entry.clusters[name], ...clusters[name]].forEach((x, c) => { sum[c] += x; });
    }
    return sum[0] / sum[1] - sum[2] / sum[3];
  }).sort((a, b) => a - b);
  return gaps[25] > 0;
}

function readResult(name, text, data) {
  if (!name.endsWith(".json")) return readYaml(text).map(item => fromYaml(item, data));
  const found = JSON.parse(text.replace(/([:,[]\s*)NaN(?=\s*[,}\]])/g, "$1null"));
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw wrong("JSON", Array.isArray(found) ? "a list" : typeof found, "the result of a metric, an object");
  return Array.isArray(found.evaluation_results) ? fromRecord(found, data) : fromResult(found, data);
}

// --- the page

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const percent = value => (100 * value).toFixed(1);
const words = name => name.length < 4 ? name.toUpperCase() : name.replaceAll("_", " ");
const ends = ([value, low, high]) => percent(value) + (low == null ? "" : ` [${percent(low)}, ${percent(high)}]`);
const family = system => system.includes(":") ? system.slice(0, system.indexOf(":")) : "by name";

function drawing(kind, lines) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ class: kind, viewBox: "0 0 200 20", preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(key, value);
  for (const [name, x1, x2, y1, y2] of lines) {
    const made = document.createElementNS(space, "line");
    for (const [key, value] of Object.entries({ class: name, x1: 200 * x1, x2: 200 * x2, y1, y2 })) made.setAttribute(key, value);
    svg.append(made);
  }
  return svg;
}

function plot(row, lines) {
  const drawn = lines.filter(line => !line.of).map(line => [line.kind, line.value, line.value, 0, 20]);
  const interval = row.low === null ? [] : [["interval", row.low, row.high, 10, 10]];
  return drawing("plot", [["axis", 0, 1, 10, 10], ["null", row.null, row.null, 0, 20], ...drawn, ...interval, ["score", row.value, row.value, 4, 16]]);
}

function breakdown(row) {
  const list = element("dl", {}), tell = (name, ...what) => list.append(element("dt", {}, name), element("dd", {}, ...what));
  tell("NULL", percent(row.null));
  for (const [name, numbers] of Object.entries(row.measures || {})) tell(words(name), ends(numbers));
  for (const [name, lines] of Object.entries(row.tables || {})) tell(words(name), lines.map(([label, value]) => `${label} ${percent(value)}`).join(" · "));
  if (row.clusters) tell("clusters", String(Object.keys(row.clusters).length));
  if (row.low !== null) tell("interval", `${100 * row.confidence} %`);
  if (row.source) tell("signature", element("code", {}, row.source));
  if (row.command) tell("command", element("code", {}, row.command));
  return element("div", { class: "more" }, list);
}

function boardRow(row, lines) {
  const rank = row.first === null ? "–" : row.first === row.last ? `${row.first}` : `${row.first} to ${row.last}`;
  const system = element("span", { class: "system" }, row.system);
  const marks = [row.isOwn ? "your file" : "", row.is_above ? "" : "not above"].filter(Boolean);
  if (marks.length) system.append(element("small", {}, marks.join(", ")));
  const score = row.low === null ? `${percent(row.value)} (no interval)` : ends([row.value, row.low, row.high]);
  const best = element("span", { class: "best" }, element("span", { class: "short" }, "P(best) "), row.best === null ? "–" : row.best.toFixed(2));
  const line = element("summary", {}, element("span", { class: "rank" }, rank), system,
    element("span", { class: "number" }, score), element("span", { class: "chart" }, plot(row, lines)), best);
  const details = element("details", {}, line);
  details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(breakdown(row)); });
  return element("li", row.isOwn ? { class: "own" } : {}, details);
}

// Every row has a NULL of its own: what it does not know may depend on what it does.
function nullLine(rows, { nothing, bar }, { null_is }) {
  const values = rows.map(row => row.null), [low, high] = [Math.min(...values), Math.max(...values)].map(percent);
  const isReader = nothing && percent(nothing.value) === high;
  return { kind: "null", said: low === high ? high : `${low} to ${high}, by system`, label: isReader ? nothing.label : null_is, isBar: !bar || bar.kind === "null" };
}

function legend(lines, { people, bar }) {
  const names = { null: "NULL", shortcut: "Shortcut", rule: "Rule of the construction, told", ceiling: "Ceiling", published: "Published" };
  const items = lines.map(line => {
    const isBar = line.isBar || (bar && line.label === bar.label && line.kind === bar.kind);
    const mark = drawing("", line.of ? [] : [[line.kind, 0.5, 0.5, 0, 20]]);
    const told = line.of ? `${names[line.kind]}, no line, since it is another measure, ${line.of}: ${line.label}`
      : `${names[line.kind]} ${line.said || percent(line.value)}: ${line.label}`;
    return element("li", {}, mark, told + (isBar ? ". Systems must be above it." : ""));
  });
  items.push(element("li", {}, drawing("", []), `People: ${people || "not measured"}`));
  return element("ul", { class: "lines" }, ...items);
}

function drawTask(board, chosen, { rows, isPaired }, data, showsAll) {
  const suite = data.suites[chosen.suite], task = suite.tasks[chosen.task] || { lines: [], asks: "", people: "", bar: null, nothing: null };
  const shown = rows.filter(row => !chosen.family || family(row.system) === chosen.family);
  const kept = showsAll ? shown : shown.filter((row, i) => i < SHOWN || row.isOwn);
  const head = element("div", { class: "head", "aria-hidden": "true" }, ...["Rank", "System", `${suite.headline}, %`].map(text => element("span", {}, text)),
    element("span", { class: "scale" }, ...["0", "50", "100"].map(text => element("span", {}, text))), element("span", {}, "P(best)"));
  const list = element("ol", { class: "rows", "aria-label": `Rank, system, ${suite.headline}, P(best)` }, ...kept.map(row => boardRow(row, task.lines)));
  const how = `${rows.length} ${rows.length === 1 ? "system" : "systems"}, ranked by ${suite.headline} in percent. `
    + (isPaired ? "Systems are compared cluster by cluster." : "Systems are compared by their intervals.") + " Open a row for its break-down and its signature.";
  board.replaceChildren(element("h2", {}, `${suite.title}: ${chosen.task}`), ...(task.asks ? [element("p", {}, task.asks)] : []),
    element("p", { class: "quiet" }, how), legend([nullLine(rows, task, suite), ...task.lines], task), head, list);
  if (kept.length < shown.length) {
    const all = element("button", { type: "button" }, `Show all ${shown.length.toLocaleString("en")} systems`);
    all.addEventListener("click", () => drawTask(board, chosen, { rows, isPaired }, data, true));
    board.append(all);
  }
}

function showBoard(data) {
  const [suite, task, kin, board, said, empty] = ["suite", "task", "family", "board", "said", "empty"].map(id => document.getElementById(id));
  const rank = ranker();
  let entries = data.entries, edition = 0; // another edition has other entries
  const fill = (select, values, label = value => value) => {
    const before = select.value;
    select.replaceChildren(...values.map(value => element("option", { value }, label(value))));
    select.value = values.includes(before) ? before : values[0] ?? "";
  };
  const draw = () => {
    const own = Object.keys(data.suites).filter(name => entries.some(entry => entry.suite === name));
    const none = Object.keys(data.suites).filter(name => !own.includes(name));
    empty.textContent = none.length ? `No result of the present version yet: ${none.join(", ")}.` : "";
    fill(suite, own);
    fill(task, [...new Set(entries.filter(entry => entry.suite === suite.value).map(entry => entry.task))].sort());
    const found = entries.filter(entry => entry.suite === suite.value && entry.task === task.value);
    fill(kin, ["", ...new Set(found.map(entry => family(entry.system)))].sort(), name => name || "all");
    const chosen = { suite: suite.value, task: task.value, family: kin.value };
    const waiting = () => board.replaceChildren(element("p", { class: "quiet", role: "status" }, `Ranking ${found.length.toLocaleString("en")} systems …`));
    if (found.length) rank(`${edition} ${chosen.suite} ${chosen.task}`, found, waiting, result => drawTask(board, chosen, result, data, false));
  };
  const show = (name, chosen) => {
    draw();
    suite.value = name;
    draw();
    if (chosen) task.value = chosen;
    kin.value = "";
    draw();
  };
  const add = (name, text, isListed) => {
    try {
      const found = readResult(name, text, data).map(entry => ({ ...entry, isOwn: !isListed }));
      const isNew = entry => !found.some(other => ["suite", "task", "system", "source"].every(key => other[key] === entry[key]));
      entries = entries.filter(isNew).concat(found);
      edition++;
      const last = found[found.length - 1], before = `${suite.value} ${task.value}`, now = `${last.suite} ${last.task}`;
      if (isListed) return draw();
      show(last.suite, last.task);
      said.append(element("p", { class: "taken" }, `${name}: ${last.system} has ${percent(last.value)} on ${now}${now === before ? "" : ", which is shown now"}.`));
    } catch (error) {
      said.append(element("p", { class: "wrong" }, `${name}: ${error.message}`));
    }
  };
  for (const select of [suite, task, kin]) select.addEventListener("change", draw);
  document.getElementById("filters").addEventListener("submit", event => event.preventDefault());
  document.getElementById("files").addEventListener("change", async event => {
    said.replaceChildren();
    for (const file of event.target.files) add(file.name, await file.text(), false);
    event.target.value = ""; // the same file may come again
  });
  const [, name, chosen] = /^#([^/]+)\/?(.*)$/.exec(decodeURI(location.hash)) || [];
  if (Object.hasOwn(data.suites, name)) show(name, chosen); else draw();
  if (location.protocol.startsWith("http")) listed(add);
}

async function listed(add) {
  const answer = await fetch("results/index.json").catch(() => null);
  if (!answer || !answer.ok) return;
  for (const name of await answer.json()) {
    const file = await fetch(`results/${name}`);
    if (file.ok) add(name, await file.text(), true);
  }
}
