"use strict";
// Asks a person the pages of a sheet, one after the other, and keeps the answers.
//
//   root   the element that the form fills
//   sheet  what `publish.form.sheets.sheet_content` made: texts, settings, pages
//   link   null for a file that nobody listens to; else { rater, send(lines, first) -> Promise }
//          whose answer says how many lines arrived and how many of them are stored for good
//
// The state (number, place, answers) is kept in localStorage after every page, so that closing the
// browser loses the open page at most.

function askPerson(root, sheet, link) {
  const memory = openMemory(["garden-path", sheet.form, sheet.version, sheet.seed, sheet.sheet].join("/"));
  const state = memory.read() || { rater: link ? link.rater : randomNumber(), place: -2, answers: [] };
  const sender = link ? makeSender(link, state, showState) : null;
  const steps = [...sheet.pages, { role: "comment" }, { role: "end" }];
  let shownAt = 0;

  function save() {
    memory.write(state);
    if (sender) sender.wake();
  }

  // Texts: a string is the suite's language; a map has that language first, English below it.

  function both(value, filled) {
    if (typeof value === "string") return [make("span", { lang: sheet.language }, value)];
    const fill = (text) => text.replace(/\{(\w+)\}/g, (all, name) => (filled || {})[name] ?? all);
    const own = sheet.language.slice(0, 2);
    const first = value[own] ? [make("span", { lang: sheet.language }, fill(value[own]))] : [];
    const english = own === "en" ? [] : [make("span", { lang: "en", class: "en" }, fill(value.en))];
    return [...first, ...english];
  }

  function say(name, filled) {
    return both(sheet.texts[name], filled);
  }

  // Pages

  function show() {
    const step = state.place === -2 ? { role: "about" } : state.place === -1 ? { role: "instructions" } : steps[state.place];
    root.replaceChildren(make("header", {}, make("h1", {}, ...both(sheet.settings.title)), progress()));
    root.append(...(special[step.role] || askPage)(step));
    const heading = root.querySelector("h2");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    shownAt = performance.now();
  }

  function progress() {
    if (state.place < 0) return make("div");
    const n = Math.min(state.place + 1, sheet.pages.length), m = sheet.pages.length;
    const bar = make("progress", { max: m, value: n, "aria-label": `${n} / ${m}` });
    return make("div", { class: "progress" }, bar, make("span", {}, `${n} / ${m}`));
  }

  const special = {
    about: () => [
      make("h2", {}, ...say("about")),
      ...sheet.texts.stored.map((text) => make("p", {}, ...both(text))),
      make("p", {}, ...say(link ? "online" : "offline")),
      make("p", {}, ...say("minutes", { n: sheet.minutes })),
      ...(memory.works ? [] : [make("p", { class: "said" }, ...say("no_memory"))]),
      make("p", { class: "number" }, ...say("number", { id: state.rater })),
      asking([option("checkbox", "agreed", "yes", say("adult"))], "begin", () => go()),
    ],
    instructions: () => [
      make("h2", {}, ...say("instructions")),
      make("ul", {}, ...sheet.settings.instructions.map((text) => make("li", {}, ...both(text)))),
      asking([], "next", () => go()),
    ],
    comment: () => {
      const field = make("textarea", { id: "comment", rows: 4, maxlength: 2000 });
      return [
        make("h2", {}, make("label", { for: "comment" }, ...say("comment"))),
        asking([field], "finish", () => {
          record({ id: "comment", role: "comment" }, { text: field.value.trim() });
          go();
        }),
      ];
    },
    end: () => {
      const url = URL.createObjectURL(new Blob([lines()], { type: "application/jsonl" }));
      const name = `${sheet.form}-${sheet.sheet}-${state.rater}.jsonl`;
      return [
        make("h2", {}, ...say("thanks")),
        ...(link ? [] : [make("p", {}, ...say("send"))]),
        make("p", {}, make("a", { class: "button", id: "download", href: url, download: name }, ...say("download"))),
        make("p", { class: "number" }, ...say("number", { id: state.rater })),
        make("p", { class: "state", role: "status" }),
      ];
    },
  };

  function askPage(page) {
    const heading = { practice: () => say("practice", { n: state.place + 1 }), comprehension: () => say("comprehension") }[page.role];
    const parts = kinds[page.kind](page.content);
    const asked = page.role === "comprehension" ? page.content.question : sheet.settings.asks;
    return [
      ...(heading ? [make("p", { class: "kicker" }, ...heading())] : []),
      make("h2", {}, ...both(asked)),
      ...parts.shown,
      asking(parts.fields, parts.button || "next", () => (parts.first ? parts.first() : answered(page, parts.read())), parts.buttonText),
      make("p", { class: "state", role: "status" }),
    ];
  }

  // Kinds of pages: what they show, their fields, and how their answer is read.

  const kinds = {
    rank: (content) => ({
      shown: [],
      fields: content.sentences.map((sentence) =>
        group(both(sentence.text), "row", sheet.settings.ranks.map((text, i) => option("radio", sentence.id, i + 1, both(text))))),
      read: () => Object.fromEntries(content.sentences.map(({ id }) => [id, Number(chosen(id))])),
    }),
    rate: (content) => ({
      shown: [make("p", { class: "shown", lang: sheet.language }, content.text)],
      fields: [group(null, "row", [1, 2, 3, 4, 5, 6, 7].map((i) => option("radio", "value", i, [String(i)])),
        make("div", { class: "ends" }, make("span", {}, ...both(sheet.settings.low)), make("span", {}, ...both(sheet.settings.high))))],
      read: () => ({ value: Number(chosen("value")) }),
    }),
    choose: (content) => {
      const options = content.options === "shared" ? sheet.settings.options : content.options;
      const facts = (content.facts || []).flatMap((text, i) => [make("dt", {}, ...both(sheet.settings.facts[i])), make("dd", { lang: sheet.language }, text)]);
      const sure = content.asks_sureness
        ? [group(both(sheet.settings.sureness), "row", sheet.settings.sureness_steps.map((text, i) => option("radio", "sureness", i + 1, both(text))))]
        : [];
      return {
        shown: [...(content.text ? [make("p", { class: "shown", lang: sheet.language }, content.text)] : []), ...(facts.length ? [make("dl", {}, ...facts)] : [])],
        fields: [group(content.text && content.question ? both(content.question) : null, "column", options.map((one) => option("radio", "choice", one.id, both(one.text)))), ...sure],
        read: () => ({ choice: chosen("choice"), ...(content.asks_sureness ? { sureness: Number(chosen("sureness")) } : {}) }),
      };
    },
    read: (content) => ({
      shown: [make("p", { class: "shown", lang: sheet.language }, content.sentence)],
      fields: [],
      buttonText: sheet.settings.read,
      first: () => showQuestions(content, Math.round(performance.now() - shownAt)),
    }),
  };

  function showQuestions(content, reading) {
    const page = steps[state.place];
    const fields = content.questions.map(({ id, text }) => make("label", { class: "answer" }, ...both(text),
      make("input", { type: "text", name: id, required: "", maxlength: 500, autocomplete: "off", spellcheck: "false" })));
    const read = () => Object.fromEntries(content.questions.map(({ id }) => [id, root.querySelector(`[name="${CSS.escape(id)}"]`).value.trim()]));
    if (content.is_hidden) root.querySelector(".shown").remove();
    root.querySelector("h2").replaceChildren(...say("questions"));
    root.querySelector("form").replaceWith(asking(fields, "next", () => answered(page, read(), { reading_milliseconds: reading })));
    root.querySelector("input").focus();
  }

  // Answers

  function answered(page, answer, more) {
    record(page, answer, more);
    if (page.role !== "practice" && page.role !== "comprehension") return go();
    const fits = page.expected.some((right) => agrees(right, answer));
    const mustRepeat = page.role === "comprehension" && !fits;
    const said = make("div", { class: fits ? "said fits" : "said" }, make("p", {}, ...say(fits ? "fits" : "not_yet")), make("p", {}, ...both(page.content.why)),
      ...(mustRepeat ? [make("p", {}, ...say("again"))] : []));
    save();
    root.querySelector(".said")?.remove();
    root.querySelector("[role=status]").replaceChildren(said);
    if (mustRepeat) return (shownAt = performance.now());
    root.querySelectorAll("form input").forEach((field) => (field.disabled = true));
    root.querySelector("form button").remove();
    root.append(asking([], "next", () => go()));
    root.querySelector("form:last-of-type button").focus();
  }

  function record(page, answer, more) {
    const { form, version, seed, sheet: number } = sheet;
    state.answers.push({ form, version, seed, sheet: number, rater: state.rater, place: state.answers.length, item: page.id, role: page.role, answer,
      milliseconds: Math.round(performance.now() - shownAt), ...more });
  }

  function go() {
    state.place += 1;
    save();
    show();
  }

  function lines() {
    return state.answers.map((answer) => JSON.stringify(answer) + "\n").join("");
  }

  function showState(sent) {
    const place = root.querySelector(".state");
    if (!place || root.querySelector(".state .said")) return;
    const m = state.answers.length, isEnd = steps[state.place]?.role === "end";
    if (sent.isLost) return place.replaceChildren(...say(sent.isGone ? "gone" : "waiting"));
    place.replaceChildren(...(isEnd && sent.stored >= m ? say("closing") : say("kept", { n: sent.stored, m })));
  }

  // Elements

  function asking(fields, button, then, text) {
    const form = make("form", {}, ...fields, make("button", { type: "submit" }, ...(text ? both(text) : say(button))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      then();
    });
    return form;
  }

  function group(legend, layout, options, below) {
    const name = legend ? make("legend", {}, ...legend) : make("legend", { class: "quiet" }, ...both(steps[state.place].content.question || sheet.settings.asks));
    return make("fieldset", {}, name, make("div", { class: layout }, ...options), ...(below ? [below] : []));
  }

  function option(type, name, value, text) {
    const field = make("input", { type, name, value, required: "" });
    return make("label", { class: "option" }, field, make("span", {}, ...text));
  }

  function chosen(name) {
    return root.querySelector(`input[name="${CSS.escape(name)}"]:checked`).value;
  }

  root.addEventListener("keydown", (event) => {
    const digit = root.querySelector(`input[name="value"][value="${CSS.escape(event.key)}"]:enabled`);
    if (digit && !event.ctrlKey && !event.metaKey && !event.altKey) {
      digit.checked = true;
      digit.focus();
    }
  });
  show();
  save();
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function randomNumber() {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Whether an answer is an accepted one: a step or an option's id, ranks, or texts of which any will do.
function agrees(right, answer) {
  if (typeof right !== "object") return right === (answer.value ?? answer.choice);
  return Object.entries(right).every(([id, value]) =>
    Array.isArray(value) ? value.includes(answer[id].toLowerCase().replace(/[.!]$/, "")) : value === answer[id]);
}

// What a browser keeps under a name; where it keeps nothing, `works` is false and all is held here.
function openMemory(name) {
  try {
    localStorage.setItem(`${name}?`, "1");
    localStorage.removeItem(`${name}?`);
  } catch {
    return { works: false, read: () => null, write: () => {} };
  }
  return { works: true, read: () => JSON.parse(localStorage.getItem(name)), write: (state) => localStorage.setItem(name, JSON.stringify(state)) };
}

// Sends answers in order, again and again until they are stored; after a failure it waits and goes on.
function makeSender(link, state, show) {
  let isSending = false, sent = { arrived: 0, stored: 0, isLost: false };
  async function send() {
    if (isSending || sent.isGone) return;
    isSending = true;
    try {
      sent = { ...(await link.send(state.rater, state.answers.slice(sent.arrived), sent.arrived)), isLost: false };
      sent.isLost = sent.isGone;
    } catch {
      sent = { ...sent, isLost: true };
    }
    isSending = false;
    show(sent);
    if (!sent.isLost && sent.arrived < state.answers.length) send();
  }
  setInterval(() => (sent.isLost || sent.stored < state.answers.length) && send(), 3000);
  return { wake: send };
}
