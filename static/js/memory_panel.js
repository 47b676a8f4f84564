// The Memory panel: gauge, coverage, the summary (read, edit, undo, rebuild), folds, preset, usage.
// It is built once; each change of the topic fills it in, and never takes a half-typed edit away.

import { ask, dispatch, follow, publish, topic } from "./bus.js";
import { $, announce, button, directionOf, el, number } from "./dom.js";
import { Folds } from "./folds.js";
import { Gauge } from "./gauge.js";
import { openRequestView } from "./request_view.js";
import { usageRows } from "./usage.js";

export const PRESETS = [
  ["pleat", "Pleat", "Folds in the background, early and rarely; you never wait for it."],
  ["minisearch", "MiniSearch", "Folds what no longer fits before an answer, and waits for it."],
  ["dost", "DOST", "Keeps the last two turns; the rest is summarised past 1,000 tokens."],
  ["switchboard", "Switchboard", "A scanner watches for context pressure and folds when idle."],
];

const NOTHING = {
  context: 0, budget: 0, account: {}, exact: true, factor: 1, coverage: null, summary: {}, folds: [],
  can_fold: false, why_not: "There is nothing to fold yet.", preset: "", usage: {}, notice: "",
};

export class MemoryPanel {
  constructor({ thread, layout }) {
    this.show = (id) => {
      layout.close();
      if (!thread.show(id)) announce("This message is not on the open branch");
    };
    this.gauge = new Gauge();
    this.folds = new Folds(this.show);
    this.editing = false;
    this.#build();
    $("memory-body").addEventListener("click", (event) => this.#click(event));
    follow("memory", (value) => this.draw(value));
    follow("busy", () => this.#buttons());
    follow("settings", ({ preset }) => this.#preset(preset));
    follow("thread", () => this.value && this.#coverage(this.value.coverage));
  }

  #build() {
    this.coverage = el("p", { class: "coverage" });
    this.notice = el("p", { class: "panel-notice", hidden: true });
    this.fold = button("Summarize & continue", { act: "fold", kind: "fold-now", disabled: true, "aria-describedby": "fold-why" });
    this.why = el("p", { class: "note", id: "fold-why" });
    this.stopFold = button("Stop folding", { act: "stop-fold", hidden: true, title: "What is folded so far stays" });
    this.summary = el("textarea", {
      id: "memory-summary", class: "summary-text", "aria-label": "Summary", readonly: true, rows: "3",
      placeholder: "No summary yet.", "aria-describedby": "summary-size",
    });
    this.size = el("p", { class: "note", id: "summary-size" });
    this.problem = el("p", { class: "field-error", role: "alert", hidden: true });
    this.newerText = el("div", { class: "plain" });
    this.newer = el("div", { class: "newer", role: "status", "aria-label": "Newer summary", hidden: true },
      el("p", { class: "note", text: "The summary changed while you were writing. As it is now:" }), this.newerText);
    this.edit = button("Edit", { act: "edit", kind: "quiet" });
    this.undo = button("Undo fold", { act: "undo", kind: "quiet" });
    this.rebuild = button("Rebuild", { act: "rebuild", kind: "quiet", title: "Fold again from the original messages" });
    this.save = button("Save", { act: "save", kind: "primary", hidden: true });
    this.cancel = button("Cancel", { act: "cancel", hidden: true });
    this.preset = el("select", { "aria-label": "Way of folding", id: "preset" }, ...PRESETS.map(([id, name]) => el("option", { value: id, text: name })));
    this.presetText = el("p", { class: "note" });
    this.preset.addEventListener("change", () => ask("update_settings", { preset: this.preset.value }));
    this.usage = el("dl", { class: "facts usage" });
    const group = (title, ...children) => el("section", { class: "group" }, el("h3", { text: title }), ...children);
    $("memory-body").append(
      group("Context", this.gauge.node, this.coverage, button("What the model sees", { act: "request", kind: "wide" })),
      this.notice,
      group("Summary so far", this.summary, this.problem, this.size, this.newer,
        el("div", { class: "row" }, this.edit, this.undo, this.rebuild, this.save, this.cancel),
        this.fold, this.stopFold, this.why),
      group("Folds", this.folds.node),
      group("Way of folding", this.preset, this.presetText),
      group("Used so far", this.usage),
    );
    this.#buttons();
  }

  draw(given) {
    const value = given.context ? given : { ...NOTHING, ...given };
    const conversation = value.conversation_id ?? topic("thread")?.conversation_id;
    const foldId = value.summary?.fold_id ?? null;
    if (this.value && this.conversation === conversation && foldId && foldId !== this.foldId
      && value.folds.length > this.value.folds.length) this.#folded(value.folds);
    if (this.conversation !== conversation && this.editing) this.#endEdit();
    this.conversation = conversation;
    this.foldId = foldId;
    this.value = value;
    this.gauge.draw(value);
    this.#coverage(value.coverage);
    if (!this.editing) {
      this.summary.value = value.summary?.text ?? "";
      this.summary.dir = directionOf(this.summary.value);
    }
    this.#newer();
    const { tokens = 0, limit = 0, stale } = value.summary ?? {};
    this.size.hidden = !limit;
    const sent = value.account?.summary ?? 0; // with the lines around it, as the gauge counts it
    const framed = sent > tokens && tokens ? `; ${number(sent)} in the prompt, with its frame` : "";
    this.size.textContent = `${number(tokens)} of ${number(limit)} tokens${framed}${stale ? ". Stale: the messages under it changed" : ""}`;
    this.notice.textContent = value.notice ?? "";
    this.notice.hidden = !value.notice;
    this.folds.draw(value.folds);
    this.usage.replaceChildren(...usageRows(value.usage ?? {}, Boolean(foldId)));
    this.#preset(value.preset);
    this.#buttons();
  }

  /** Said once for each fold of turns: not for the better text that takes a provisional one's place. */
  #folded(folds) {
    const newest = folds.at(-1);
    if (newest.method !== "edited" && !folds.some((one) => one !== newest && one.provisional && one.parent_id === newest.parent_id && one.covered?.at(-1) === newest.covered?.at(-1)))
      publish("summarised", { id: newest.id });
  }

  #coverage(coverage) {
    if (!coverage || Object.values(coverage).every((count) => count === 0)) {
      this.coverage.textContent = "";
      return;
    }
    const parts = [`${number(coverage.word_for_word)} word for word`, `${number(coverage.summarised)} summarised`];
    if (coverage.excluded) parts.push(`${number(coverage.excluded)} left out`);
    if (coverage.unsendable) parts.push(`${number(coverage.unsendable)} not sendable`);
    parts.push(`${number(coverage.unaccounted)}\u00a0unaccounted`);
    this.coverage.textContent = parts.join(", ");
    this.coverage.classList.toggle("bad", coverage.unaccounted > 0);
  }

  #preset(preset) {
    if (!preset) return;
    if (document.activeElement !== this.preset) this.preset.value = preset;
    this.presetText.textContent = PRESETS.find(([id]) => id === preset)?.[2] ?? "";
  }

  #buttons() {
    const { state = "idle", done = 0, total = 0 } = topic("busy") ?? {};
    const idle = state === "idle";
    const has = Boolean(this.value?.summary?.fold_id || this.value?.summary?.text);
    const can = Boolean(this.value?.can_fold) && idle;
    // A button that has the focus keeps it: a disabled one would drop it.
    this.fold.disabled = !can;
    this.why.textContent = can || !this.value ? "" : state === "folding" ? (total ? `Folded ${number(done)} of ${number(total)} messages.` : "Folding now.") : idle ? this.value.why_not ?? "" : "Possible when the answer is there.";
    this.why.hidden = !this.why.textContent;
    this.stopFold.hidden = state !== "folding";
    this.fold.hidden = state === "folding";
    this.edit.disabled = !has || !idle;
    this.undo.disabled = !(this.value?.can_undo ?? has) || !idle;
    this.rebuild.disabled = !has || !idle;
    for (const one of [this.edit, this.undo, this.rebuild]) one.hidden = this.editing;
    for (const one of [this.save, this.cancel]) one.hidden = !this.editing;
  }

  async #click(event) {
    switch (event.target.closest("[data-act]")?.dataset.act) {
      case "fold":
        await ask("summarize_and_continue");
        break;
      case "stop-fold":
        await ask("stop");
        break;
      case "undo":
        await ask("undo_fold");
        break;
      case "rebuild":
        await ask("rebuild");
        break;
      case "request":
        await openRequestView(this.show);
        break;
      case "edit":
        this.editing = true;
        this.readFold = this.foldId; // what the new text is written over
        this.refused = false;
        this.summary.readOnly = false;
        this.#buttons();
        this.summary.focus();
        break;
      case "save":
        await this.#save();
        break;
      case "cancel":
        this.#endEdit();
        this.edit.focus();
        break;
    }
  }

  /** A fold that came while one writes is shown; once Save was refused for it, Save covers it. */
  #newer() {
    if (!this.editing || this.foldId === this.readFold) return;
    this.newerText.textContent = this.value?.summary?.text || "(no summary)";
    this.newer.hidden = false;
    if (this.refused) this.readFold = this.foldId;
    this.refused = false;
  }

  async #save() {
    const refused = (text) => {
      this.problem.textContent = text;
      this.problem.hidden = false;
      this.refused = true;
      this.#newer();
      this.summary.focus();
    };
    try {
      const answer = await dispatch("edit_summary", this.summary.value, this.readFold);
      if (answer && answer.status !== "folded") return refused(answer.reason || "The change was not taken.");
    } catch (error) {
      return refused(error.message);
    }
    this.#endEdit();
    return this.edit.focus();
  }

  #endEdit() {
    this.editing = false;
    this.summary.readOnly = true;
    this.problem.hidden = true;
    this.newer.hidden = true;
    this.summary.value = this.value?.summary?.text ?? "";
    this.#buttons();
  }
}

