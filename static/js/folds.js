// The timeline of folds and what one fold did: which messages, which text, line by line.
// A line of an extractive summary leads to the message that it came from.

import { ask, topic } from "./bus.js";
import { openDialog, section } from "./dialogs.js";
import { el, number, plural, when } from "./dom.js";

const TRIGGERS = { auto: "In the background", overflow: "Before an answer", manual: "By hand" };
const METHODS = {
  model: "by the model",
  "model+details": "by the model, details added",
  extractive: "extractive, no model",
  tail: "the newest lines, no model",
  verbatim: "word for word, too little to summarise",
  edited: "edited by hand",
};
const STATES = {
  current: "Current",
  lineage: "Part of it",
  stale: "Stale",
  retired: "Undone",
  other: "Other branch",
};

const methodOf = (fold) => {
  const words = METHODS[fold.method] ?? fold.method;
  return fold.model && fold.method?.startsWith("model") ? words.replace("the model", fold.model) : words;
};

/** Whether a way of writing without a model took the place of a model's text: its note says why. */
const fellBack = (fold) => fold.used_fallback && Boolean(fold.note) && fold.method !== "edited" && fold.method !== "verbatim";

export class Folds {
  constructor(show) {
    this.show = show;
    this.list = el("ol", { class: "folds", "aria-label": "Folds" });
    this.list.addEventListener("click", (event) => {
      const id = event.target.closest(".fold")?.dataset.id;
      const fold = this.value?.find((one) => one.id === id);
      if (fold) openFold(fold, this.show);
    });
    this.empty = el("p", { class: "note", text: "Nothing is folded yet: every message goes out word for word." });
    this.node = el("div", {}, this.list, this.empty);
  }

  draw(folds) {
    const signature = JSON.stringify(folds.map((f) => [f.id, f.state, f.tokens_out, f.method]));
    if (signature === this.signature) return;
    this.signature = signature;
    this.value = folds;
    const focused = document.activeElement?.closest?.(".fold")?.dataset.id;
    this.list.replaceChildren(...[...folds].sort((a, b) => b.commit - a.commit).map(row));
    this.list.hidden = folds.length === 0;
    this.empty.hidden = folds.length > 0;
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }
}

function row(fold) {
  const facts = [TRIGGERS[fold.trigger] ?? fold.trigger, plural(fold.count ?? fold.covered?.length ?? 0, "message")];
  if (fellBack(fold)) facts.push("fallback");
  return el(
    "li",
    { class: `fold-row fold-${fold.state}` },
    el(
      "button",
      { type: "button", class: "fold", data: { id: fold.id } },
      el("span", { class: "fold-top" },
        el("span", { class: "fold-tokens", text: `${number(fold.tokens_in)} → ${number(fold.tokens_out)} tokens` }),
        el("span", { class: `badge badge-${fold.state}`, text: STATES[fold.state] ?? fold.state })),
      el("span", { class: "fold-facts", text: methodOf(fold) }),
      el("span", { class: "fold-facts", text: [...facts, when(fold.created_at)].filter(Boolean).join(" · ") }),
    ),
  );
}

const SNIPPET = 160;
const snippet = (text) => {
  const line = (text ?? "").replace(/\s+/g, " ").trim();
  return line.length > SNIPPET ? `${line.slice(0, SNIPPET)}…` : line || "(no text)";
};

/** A list of messages, each leading to its place in the thread. */
export function messageLinks(ids, show, extra = () => null) {
  const known = new Map((topic("thread")?.messages ?? []).map((m) => [m.id, m]));
  const list = el("ul", { class: "message-links" });
  for (const id of ids) {
    const message = known.get(id);
    const who = message?.role === "user" ? "You" : message ? "Assistant" : "Deleted, or on another branch";
    list.append(
      el("li", {},
        el("button", { type: "button", class: "message-link", disabled: !message, on: { click: () => show(id) } },
          el("span", { class: "who", text: who }), el("span", { class: "snippet", text: message ? snippet(message.text) : id })),
        extra(id)),
    );
  }
  return list;
}

export function openFold(fold, show) {
  let dialog = null;
  const go = (id) => {
    dialog.close();
    show(id);
  };
  const lines = fold.text.split("\n");
  const sources = fold.sources ?? [];
  const body = el("div", { class: "fold-text-lines" });
  lines.forEach((line, index) => {
    const source = sources[index];
    body.append(
      source
        ? el("button", { type: "button", class: "line", title: "Show the message that this line came from", on: { click: () => go(source) } }, line)
        : el("p", { class: "line", text: line || "\u00a0" }),
    );
  });
  const facts = el("dl", { class: "facts" });
  const fact = (name, value) => value && facts.append(el("dt", { text: name }), el("dd", { text: value }));
  fact("Why", TRIGGERS[fold.trigger] ?? fold.trigger);
  fact("Written", methodOf(fold) + (fellBack(fold) ? " (fallback)" : ""));
  fact("Tokens", `${number(fold.tokens_in)} in, ${number(fold.tokens_out)} out`);
  fact("State", STATES[fold.state] ?? fold.state);
  fact("When", when(fold.created_at));
  if (fold.duration_ms !== undefined) fact("Took", `${number(Math.round(fold.duration_ms))} ms`);
  if (fold.note) fact("Note", fold.note);
  const changes = el("div", { class: "changes" });
  drawChanges(fold, changes);
  dialog = openDialog("One fold", {
    kind: "wide",
    body: el("div", {}, facts,
      section(sources.some(Boolean) ? "Text (a line leads to its message)" : "Text", body),
      fold.parent_id && section("What changed against the fold before", changes),
      section(plural(fold.covered?.length ?? 0, "message") + " went in", messageLinks(fold.covered ?? [], go))),
  });
}

const SIGNS = { new: "+", gone: "\u2212", same: "" };
const SPOKEN = { new: "New: ", gone: "Gone: ", same: "" };

/** The summary against the one before it, line by line; what stayed is only counted. */
async function drawChanges(fold, box) {
  const lines = (await ask("fold_history", fold.id)) ?? [];
  const changed = lines.filter((line) => line.change !== "same");
  const same = lines.length - changed.length;
  box.append(
    ...changed.map(({ change, text }) =>
      el("p", { class: `change ${change}` }, el("span", { class: "sign", "aria-hidden": "true", text: SIGNS[change] }),
        el("span", { class: "sr-only", text: SPOKEN[change] }), el("span", { text: text || "\u00a0" }))),
    el("p", { class: "note", text: changed.length ? `${plural(same, "line")} stayed as ${same === 1 ? "it was" : "they were"}.` : "Nothing: the text is the same." }),
  );
}
