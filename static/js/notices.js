// Notices above the message box: what Python says, what the page itself must say, and Undo.
// Errors are alerts, the rest is polite; each stays until it is dismissed or withdrawn.

import { ask, follow, publish, topic } from "./bus.js";
import { $, button, el, iconButton } from "./dom.js";

const ACTIONS = {
  open_settings: () => publish("open_settings", {}),
  settings: () => publish("open_settings", {}),
  export_all: () => publish("export", {}),
};

export class Notices {
  constructor() {
    this.region = $("notices");
    this.drawn = new Map(); // id -> element, so that an alert is not announced twice
    this.own = [];
    this.count = 0;
    follow("notices", () => this.draw());
    follow("undo_notice", () => this.draw());
    follow("page_notice", (notice) => notice && this.say(notice));
    this.region.addEventListener("click", (event) => this.#click(event));
  }

  /** A notice of the page's own (an intent was refused, an export failed). */
  say(notice) {
    this.own = this.own.filter((one) => one.text !== notice.text);
    this.count += 1;
    this.own = [...this.own, { ...notice, id: `page${this.count}` }].slice(-4);
    this.draw();
  }

  get #all() {
    const undo = topic("undo_notice");
    return [...(topic("notices") ?? []), ...this.own, ...(undo ? [undo] : [])];
  }

  draw() {
    const all = this.#all;
    const ids = new Set(all.map((one) => one.id));
    for (const [id, node] of this.drawn) {
      if (ids.has(id) && node.textOf === all.find((one) => one.id === id).text) continue;
      node.remove();
      this.drawn.delete(id);
    }
    for (const notice of all) {
      if (this.drawn.has(notice.id)) continue;
      const node = this.#node(notice);
      this.drawn.set(notice.id, node);
      this.region.append(node);
    }
  }

  #node({ id, level = "info", text, action }) {
    const node = el(
      "div",
      { class: `notice ${level}`, data: { id }, role: level === "error" ? "alert" : null,
        "aria-live": level === "error" ? null : "polite" },
      el("p", { text }),
      action && button(action.label, { act: "notice-action", kind: "quiet" }),
      iconButton("close", "Dismiss", "notice-close"),
    );
    node.textOf = text;
    return node;
  }

  #click(event) {
    const act = event.target.closest("[data-act]")?.dataset.act;
    const id = event.target.closest(".notice")?.dataset.id;
    if (!act || !id) return;
    if (act === "notice-action") {
      const { intent } = this.#all.find((one) => one.id === id)?.action ?? {};
      if (!intent) return;
      (ACTIONS[intent] ?? (() => ask(intent)))();
    }
    if (id.startsWith("page")) {
      this.own = this.own.filter((one) => one.id !== id);
      this.draw();
    } else if (id !== "undo") ask("dismiss_notice", id);
    else if (act === "notice-close") publish("undo_dismissed", { at: Date.now() });
    $("message").focus({ preventScroll: true });
  }
}
