// The frame: drawers on small windows, the Memory column on large ones, title, theme, shortcuts.

import { follow, publish } from "./bus.js";
import { $, el } from "./dom.js";
import { openShortcuts } from "./dialogs.js";

const PHONE = matchMedia("(max-width: 52rem)");
const MEDIUM = matchMedia("(max-width: 72rem)");

export class Layout {
  constructor({ conversations, composer }) {
    this.app = $("app");
    this.opener = null;
    this.conversations = conversations;
    this.composer = composer;
    document.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    $("open-settings").addEventListener("click", () => publish("open_settings", {}));
    $("open-shortcuts").addEventListener("click", openShortcuts);
    for (const query of [PHONE, MEDIUM]) query.addEventListener("change", () => this.close());
    follow("close_drawers", () => this.close());
    follow("open_memory", (value) => value && this.openMemory());
    follow("thread", ({ title }) => this.#title(title));
    follow("settings", ({ theme }) => window.pleatTheme?.(theme));
    follow("storage", ({ saved, text }) => this.#storage(saved, text));
    this.#expanded();
  }

  #title(title) {
    const text = title || "New chat";
    $("title").textContent = text;
    document.title = title ? `${title} · Pleat` : "Pleat";
  }

  #storage(saved, text) {
    const node = $("saved-state");
    node.hidden = saved;
    node.textContent = "Not saved";
    node.title = text || "";
    if (text) node.append(el("span", { class: "sr-only", text: `: ${text}` }));
  }

  #click(event) {
    const act = event.target.closest("[data-act]")?.dataset.act;
    if (act === "open-sidebar") this.open("sidebar", event.target.closest("button"));
    else if (act === "toggle-memory") this.toggleMemory(event.target.closest("button"));
    else if (act === "close-drawers") this.close();
  }

  get drawer() {
    return this.app.classList.contains("drawer-sidebar")
      ? "sidebar"
      : this.app.classList.contains("drawer-memory") ? "memory" : null;
  }

  toggleMemory(opener) {
    if (MEDIUM.matches) this.open("memory", opener);
    else this.app.classList.toggle("memory-hidden");
    this.#expanded();
  }

  openMemory() {
    if (MEDIUM.matches) this.open("memory", document.activeElement);
    else this.app.classList.remove("memory-hidden");
    this.#expanded();
    $("memory-summary")?.scrollIntoView({ block: "nearest" });
  }

  /** Opens a drawer: the rest of the page is inert until it is closed. */
  open(name, opener) {
    this.close();
    this.opener = opener;
    this.app.classList.add(`drawer-${name}`);
    $("main").inert = true;
    if (name === "memory") $("sidebar").inert = true;
    else $("memory").inert = true;
    $(name).querySelector(".drawer-only").focus();
    this.#expanded();
  }

  close() {
    const was = this.drawer;
    this.app.classList.remove("drawer-sidebar", "drawer-memory");
    for (const id of ["main", "sidebar", "memory"]) $(id).inert = false;
    if (was && this.opener?.isConnected) this.opener.focus();
    this.opener = null;
    this.#expanded();
  }

  #expanded() {
    const shown = MEDIUM.matches ? this.drawer === "memory" : !this.app.classList.contains("memory-hidden");
    document.querySelector('[data-act="toggle-memory"]').setAttribute("aria-expanded", String(shown));
    document.querySelector('[data-act="open-sidebar"]').setAttribute("aria-expanded", String(this.drawer === "sidebar"));
  }

  #key(event) {
    if (event.isComposing || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const command = event.ctrlKey || event.metaKey;
    if (event.key === "Escape" && this.drawer) {
      event.preventDefault();
      this.close();
    } else if (event.key === "?" && !typing) openShortcuts();
    else if (event.key === "/" && !typing && !command) {
      event.preventDefault();
      this.composer.box.focus();
    } else if (command && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (PHONE.matches) this.open("sidebar", document.activeElement);
      $("search").focus();
    } else if (command && event.shiftKey && event.key.toLowerCase() === "o") {
      event.preventDefault();
      this.conversations.create();
    } else if (command && event.key === ",") {
      event.preventDefault();
      publish("open_settings", {});
    }
  }
}
