// The list of conversations: open, rename in place, delete with a way back, search.
// One listener for the whole list, however often it is drawn.

import { ask, follow, publish, topic } from "./bus.js";
import { $, el, iconButton } from "./dom.js";

const SEARCH_MS = 180;
const SHOWN = 200; // rows drawn at once; the rest on demand

export class Conversations {
  constructor(composer) {
    this.composer = composer;
    this.list = $("conversations");
    this.empty = $("conversations-empty");
    this.search = $("search");
    this.limit = SHOWN;
    this.renaming = null;
    this.list.addEventListener("click", (event) => this.#click(event));
    this.list.addEventListener("dblclick", (event) => {
      const id = event.target.closest(".conversation-open")?.dataset.id;
      if (id) this.#rename(id);
    });
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => ask("search", this.search.value), SEARCH_MS);
    });
    $("new-chat").addEventListener("click", () => this.create());
    follow("conversations", (value) => this.draw(value));
    follow("undo_dismissed", (at) => at && this.#dismissUndo());
  }

  async create() {
    await this.composer.saveDraft();
    publish("close_drawers", {});
    await ask("new_conversation");
    this.composer.box.focus();
  }

  draw(value) {
    this.value = value;
    if (this.renaming) return; // drawn again when the name is settled
    const focused = document.activeElement?.closest?.(".conversation")?.dataset.id;
    const items = value.items.slice(0, this.limit);
    this.list.replaceChildren(...items.map((item) => this.#row(item)));
    if (value.items.length > items.length) {
      this.list.append(
        el("li", {}, el("button", { type: "button", class: "conversation-open", data: { act: "more" } }, "Show more")),
      );
    }
    this.empty.hidden = value.items.length > 0;
    this.list.hidden = value.items.length === 0;
    this.empty.textContent = value.query ? "No chat holds these words." : "Your chats will be listed here.";
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"] .conversation-open`)?.focus();
    const { undo } = value;
    if (undo?.id !== this.dismissed) this.dismissed = null;
    publish("undo_notice", undo && undo.id !== this.dismissed ? { id: "undo", level: "info", text: `“${undo.title || "New chat"}” was deleted.`,
      action: { label: "Undo", intent: "undo_delete" } } : null);
  }

  /** The offer goes from the page; that the chat was deleted stays as it is. */
  #dismissUndo() {
    this.dismissed = this.value?.undo?.id ?? null;
    publish("undo_notice", null);
  }

  #row(item) {
    const title = item.title || "New chat";
    const open = el(
      "button",
      { type: "button", class: "conversation-open", data: { act: "open", id: item.id }, title, "aria-current": item.open ? "true" : null },
      title,
    );
    return el(
      "li",
      { class: `conversation${item.open ? " current" : ""}`, data: { id: item.id } },
      open,
      el(
        "span",
        { class: "conversation-tools" },
        iconButton("edit", `Rename ${title}`, "rename"),
        iconButton("trash", `Delete ${title}`, "delete"),
      ),
    );
  }

  async #click(event) {
    const target = event.target.closest("[data-act]");
    if (!target) return;
    const id = target.closest(".conversation")?.dataset.id;
    switch (target.dataset.act) {
      case "open":
        await this.composer.saveDraft();
        publish("close_drawers", {});
        if (!this.value.items.find((item) => item.id === id)?.open) await ask("open_conversation", id);
        break;
      case "rename":
        this.#rename(id);
        break;
      case "delete":
        await this.composer.saveDraft(); // it comes back with the chat
        await ask("delete_conversation", id);
        this.composer.box.focus();
        break;
      case "more":
        this.limit += SHOWN;
        this.draw(this.value);
        break;
    }
  }

  #key(event) {
    if (event.key === "F2") {
      const id = event.target.closest(".conversation")?.dataset.id;
      if (id) this.#rename(id);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.tagName === "INPUT") return;
    const buttons = [...this.list.querySelectorAll(".conversation-open")];
    const at = buttons.indexOf(event.target.closest(".conversation")?.querySelector(".conversation-open"));
    buttons[at + step]?.focus();
    event.preventDefault();
  }

  #rename(id) {
    const row = this.list.querySelector(`.conversation[data-id="${CSS.escape(id)}"]`);
    const item = this.value.items.find((one) => one.id === id);
    if (!row || !item || this.renaming) return;
    this.renaming = id;
    const input = el("input", { class: "conversation-rename", "aria-label": "Name of the chat", value: item.title, maxlength: "200" });
    let settled = false;
    const settle = async (keep) => {
      if (settled) return;
      settled = true;
      const title = input.value.trim();
      this.renaming = null;
      if (keep && title && title !== item.title) await ask("rename_conversation", id, title);
      this.draw(topic("conversations"));
      this.list.querySelector(`.conversation-open[data-id="${CSS.escape(id)}"]`)?.focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing && event.keyCode !== 229) settle(true);
      else if (event.key === "Escape") {
        event.stopPropagation();
        settle(false);
      }
    });
    input.addEventListener("blur", () => settle(true));
    row.replaceChildren(input);
    input.select();
  }
}
