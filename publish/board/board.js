"use strict";
// Reads results, ranks them and shows how sure the ranking is. No library, no network but the
// folder of the page.

const RESAMPLES = 2000;
const STEP = 0.0005;
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
  const n = Math.round(2 / STEP);
  const curves = entries.map(entry => {
    const reach = quantile((1 + entry.confidence) / 2);
    const below = Math.max((entry.value - entry.low) / reach, 1e-4);
    const above = Math.max((entry.high - entry.value) / reach, 1e-4);
    const density = new Float64Array(n), share = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const x = -0.5 + (i + 0.5) * STEP - entry.value;
      const width = x < 0 ? below : above;
      density[i] = Math.exp(-x * x / (2 * width * width));
      share[i] = x < 0
        ? 2 * below * normal(x / below) / (below + above)
        : (below + above * (2 * normal(x / above) - 1)) / (below + above);
    }
    return { density, share, size: below + above };
  });
  const chances = curves.map((curve, i) => {
    let sum = 0;
    for (let k = 0; k < n; k++) {
      let product = curve.density[k] / curve.size;
      for (let j = 0; j < curves.length && product > 0; j++) if (j !== i) product *= curves[j].share[k];
      sum += product;
    }
    return sum;
  });
  const total = chances.reduce((a, b) => a + b, 0);
  return chances.map(chance => chance / total);
}

// The same from what every system scored on the same clusters, which are resampled for all at once.
function bestByClusters(entries, names) {
  const random = generator(0), wins = entries.map(() => 0);
  for (let r = 0; r < RESAMPLES; r++) {
    const drawn = names.map(() => names[Math.floor(random() * names.length)]);
    const scores = entries.map(entry => {
      let [sum, n] = [0, 0];
      for (const name of drawn) { sum += entry.clusters[name][0]; n += entry.clusters[name][1]; }
      return sum / n;
    });
    const top = Math.max(...scores), winners = scores.filter(score => top - score < 1e-12).length;
    scores.forEach((score, i) => { if (top - score < 1e-12) wins[i] += 1 / winners; });
  }
  return wins.map(won => won / RESAMPLES);
}

function sharedClusters(entries) { // names of the clusters if all systems have the same, else none
  const names = Object.keys(entries[0].clusters || {}).sort();
  const same = entries.every(entry => {
    const own = Object.keys(entry.clusters || {}).sort();
    return own.length === names.length && own.every((name, i) => name === names[i]
      && entry.clusters[name][1] === entries[0].clusters[name][1]);
  });
  return same && names.length > 1 ? names : [];
}

// Entries by score with the ranks that their intervals allow, and the chance to be the best.
function ranked(entries) {
  const rows = entries.slice().sort((a, b) => b.value - a.value || (a.system < b.system ? -1 : 1));
  const sure = rows.filter(row => row.low !== null);
  const names = rows.length > 1 && sure.length === rows.length ? sharedClusters(rows) : [];
  const chances = sure.length < 2 ? sure.map(() => null)
    : names.length ? bestByClusters(sure, names) : bestByIntervals(sure);
  for (const row of rows) {
    row.best = row.low === null ? null : chances[sure.indexOf(row)];
    row.first = 1 + rows.filter(other => row.high !== null && other.low !== null && other.low > row.high).length;
    row.last = rows.length - rows.filter(other => row.low !== null && other.high !== null && other.high < row.low).length;
  }
  return { rows, how: names.length
    ? `P(best) is the share of ${RESAMPLES.toLocaleString("en")} resamples of the ${names.length} clusters that all systems were scored on, drawn for all at once (paired).`
    : "P(best) is worked out from the intervals, as if the systems were scored on rows of their own: on the same rows a difference is surer than it says." };
}

// --- files

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
    if (!match || (match[1] === "- " && match[2])) throw new Error(`line, got ${line.slice(0, 60)}; expected what push.py result writes`);
    if (match[1] === "- ") found.push(entry = {});
    if (match[4] === undefined) entry[match[3]] = inner = {};
    else (match[2] ? inner : entry)[match[3]] = plainScalar(match[4]);
  }
  return found;
}

function fromYaml(item) {
  const notes = NOTES.exec(item.notes || "");
  if (!notes) throw new Error("notes, got none with interval, null and signature; expected what push.py result writes");
  const fields = Object.fromEntries(notes[7].split("|").filter(part => /^\w+:/.test(part)).map(part => [part.slice(0, part.indexOf(":")), decodeURIComponent(part.slice(part.indexOf(":") + 1))]));
  return checked({
    suite: fields.suite, task: item.dataset.task_id, system: fields.system, value: item.value,
    low: notes[2] ? Number(notes[2]) : null, high: notes[3] ? Number(notes[3]) : null,
    confidence: Number(notes[1]) / 100, null: Number(notes[5]), is_above: !notes[6],
    source: notes[7], clusters: null,
  });
}

function fromRecord(record) {
  return record.evaluation_results.map(result => {
    const { score, details, uncertainty } = result.score_details;
    const interval = uncertainty && uncertainty.confidence_interval;
    return checked({
      suite: result.source_data.dataset_name, task: result.evaluation_name.split(".").slice(1).join("."),
      system: record.model_info.id, value: score,
      low: interval ? interval.lower : null, high: interval ? interval.upper : null,
      confidence: interval ? interval.confidence_level : 0.95,
      null: Number(result.metric_config.additional_details.null), is_above: details.is_above_null === "true",
      source: details.signature, clusters: details.clusters ? JSON.parse(details.clusters) : null,
    });
  });
}

function checked(entry) {
  const isShare = value => typeof value === "number" && value >= 0 && value <= 1;
  if (!isShare(entry.value)) throw new Error(`score, got ${entry.value}; expected a share in [0, 1]`);
  if (!entry.system || !entry.task) throw new Error("system or task, got none; expected both");
  if ((entry.low === null) !== (entry.high === null) || (entry.low !== null && !(entry.low <= entry.value + 1e-4 && entry.value <= entry.high + 1e-4)))
    throw new Error(`interval, got ${entry.low} to ${entry.high}; expected one with the score ${entry.value} in it`);
  return entry;
}

function readResult(name, text, suite) {
  const entries = name.endsWith(".json") ? fromRecord(JSON.parse(text)) : readYaml(text).map(fromYaml);
  const other = entries.find(entry => entry.suite !== suite);
  if (other) throw new Error(`suite, got ${other.suite}; expected ${suite}`);
  return entries;
}

// --- the page

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const percent = value => (100 * value).toFixed(1);

function plot(row) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 200 20");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const line = (x1, x2, y1, y2, colour, width) => {
    const made = document.createElementNS(space, "line");
    for (const [key, value] of Object.entries({ x1: 200 * x1, x2: 200 * x2, y1, y2, stroke: colour, "stroke-width": width })) made.setAttribute(key, value);
    svg.append(made);
  };
  line(0, 1, 10, 10, "#cbd5e0", 1);
  line(row.null, row.null, 2, 18, "#8a4b08", 1);
  if (row.low !== null) line(row.low, row.high, 10, 10, "#1d4f7c", 3);
  line(row.value, row.value, 4, 16, "#1c2430", 2);
  return svg;
}

function tableRow(row) {
  const system = element("th", { scope: "row" }, row.system);
  if (!row.is_above) system.append(element("span", { class: "below" }, "not above NULL"));
  const ends = row.low === null ? " (no interval)" : ` [${percent(row.low)}, ${percent(row.high)}]`;
  const ranks = row.low === null ? "–" : row.first === row.last ? `${row.first}` : `${row.first} to ${row.last}`;
  return element("tr", {}, element("td", { class: "number" }, ranks), system,
    element("td", { class: "number" }, percent(row.value) + ends), element("td", { class: "plot" }, plot(row)),
    element("td", { class: "number" }, percent(row.null)),
    element("td", { class: "number" }, row.best === null ? "–" : row.best.toFixed(2)));
}

function drawTask(board, entries, headline) {
  const { rows, how } = ranked(entries);
  const heads = [["Rank", ""], ["System", ""], [`${headline}, %`, ""], ["0 to 100", "plot"], ["NULL", ""], ["P(best)", ""]];
  const table = element("table", {},
    element("caption", {}, `${rows.length} systems. A rank is what the intervals leave open. ${how}`),
    element("thead", {}, element("tr", {}, ...heads.map(([text, kind]) => element("th", kind ? { scope: "col", class: kind } : { scope: "col" }, text)))),
    element("tbody", {}, ...rows.map(tableRow)));
  const sources = element("details", {}, element("summary", {}, "Where each row comes from"),
    element("ul", {}, ...rows.map(row => element("li", {}, `${row.system}: `, element("code", {}, row.source)))));
  board.replaceChildren(table, sources);
}

function showBoard({ suite, headline, entries }) {
  const chosen = document.getElementById("task"), board = document.getElementById("board"), said = document.getElementById("said");
  const draw = () => {
    const tasks = [...new Set(entries.map(entry => entry.task))].sort();
    const task = tasks.includes(chosen.value) ? chosen.value : tasks[0];
    chosen.replaceChildren(...tasks.map(name => element("option", { value: name }, name)));
    if (!tasks.length) { board.replaceChildren(element("p", {}, "No result yet.")); return; }
    chosen.value = task;
    drawTask(board, entries.filter(entry => entry.task === task), headline);
  };
  const add = (name, text) => {
    try {
      const found = readResult(name, text, suite);
      const isNew = entry => !found.some(other => other.system === entry.system && other.task === entry.task && other.source === entry.source);
      entries = entries.filter(isNew).concat(found);
      draw();
    } catch (error) {
      said.append(element("p", { class: "wrong" }, `${name}: ${error.message}`));
    }
  };
  chosen.addEventListener("change", draw);
  document.getElementById("files").addEventListener("change", async event => {
    said.replaceChildren();
    for (const file of event.target.files) add(file.name, await file.text());
  });
  draw();
  if (location.protocol.startsWith("http")) listed(add);
}

async function listed(add) {
  const answer = await fetch("results/index.json").catch(() => null);
  if (!answer || !answer.ok) return;
  for (const name of await answer.json()) {
    const file = await fetch(`results/${name}`);
    if (file.ok) add(name, await file.text());
  }
}
