// The gauge "Context used": what the next prompt holds, part by part, against the model's context.
// Ink is word for word, the accent is memory; the hatched end is the room for the answer.

import { $, el, number } from "./dom.js";

const PARTS = [
  ["system", "System prompt"],
  ["summary", "Summary, with its frame"],
  ["recall", "Recalled passages"],
  ["pins", "Pinned turns"],
  ["window", "Newest turns"],
  ["question", "Question"],
  ["overhead", "Message overhead"],
];

export class Gauge {
  constructor() {
    this.bar = el("div", { class: "gauge-bar" });
    this.meter = el("div", { class: "gauge", role: "meter", "aria-label": "Context used", "aria-valuemin": "0" }, this.bar);
    this.figures = el("p", { class: "gauge-figures" });
    this.legend = el("dl", { class: "legend" });
    this.note = el("p", { class: "note" });
    this.node = el("div", { hidden: true }, this.figures, this.meter, this.legend, this.note);
    this.segments = new Map();
    for (const name of [...PARTS.map(([part]) => part), "free", "answer"]) {
      const segment = el("span", { class: `segment ${name}`, hidden: true });
      this.segments.set(name, segment);
      this.bar.append(segment);
    }
  }

  draw({ context, budget, account, exact, factor }) {
    this.node.hidden = !context; // no conversation is open
    const total = account.total ?? 0;
    const room = Math.max(0, context - budget);
    const free = Math.max(0, budget - total);
    const share = (tokens) => `${Math.min(100, (100 * Math.max(0, tokens)) / Math.max(1, context)).toFixed(3)}%`;
    for (const [name] of PARTS) this.#width(name, share(account[name] ?? 0), account[name] > 0);
    this.#width("free", share(free), free > 0);
    this.#width("answer", share(room), room > 0);
    const about = exact ? "" : "about ";
    this.meter.setAttribute("aria-valuemax", String(context));
    this.meter.setAttribute("aria-valuenow", String(Math.min(total, context)));
    this.meter.setAttribute("aria-valuetext", `${about}${number(total)} of ${number(context)} tokens; a prompt may hold ${number(budget)}`);
    this.figures.replaceChildren(
      el("strong", { text: `${exact ? "" : "≈ "}${number(total)}` }),
      ` of ${number(context)} tokens`,
    );
    const percent = context ? Math.round((100 * total) / context) : 0;
    $("memory-percent").textContent = `${percent} %`;
    this.#legend(account, free, room);
    const notes = [];
    if (!exact) notes.push("Estimated while the tokenizer loads.");
    if (Math.abs((factor ?? 1) - 1) > 0.01) notes.push(`Corrected by ×${factor.toFixed(2)}, learned from what this model counts.`);
    this.note.textContent = notes.join(" ");
    this.note.hidden = notes.length === 0;
  }

  #width(name, width, shown) {
    const segment = this.segments.get(name);
    segment.style.width = width;
    segment.hidden = !shown;
  }

  #legend(account, free, room) {
    const rows = PARTS.filter(([name]) => account[name] > 0).map(([name, label]) => [name, label, account[name]]);
    rows.push(["free", "Free", free], ["answer", "Room for the answer", account.answer || room]);
    this.legend.replaceChildren(
      ...rows.flatMap(([name, label, tokens]) => [
        el("dt", {}, el("span", { class: `swatch ${name}`, "aria-hidden": "true" }), label),
        el("dd", { text: number(tokens) }),
      ]),
    );
  }
}
