// Form fields that save themselves: each change goes to update_settings, and a refusal stands under
// the field, with what was typed still in it.

import { dispatch } from "./bus.js";
import { el } from "./dom.js";

let serial = 0;
const textOf = (value) => (value === null || value === undefined ? "" : String(value));

/** A label, a control, help and a place for the error. `patch(value)` gives what to save. */
export class Field {
  constructor(control, { label, name, help = "", patch = (value) => ({ [name]: value }), after = null, save = null }) {
    this.control = control;
    this.name = name;
    this.patch = patch;
    this.after = after;
    this.save = save ?? (() => this.#update());
    const id = `field-${(serial += 1)}`;
    control.id = id;
    this.help = el("p", { class: "note", id: `${id}-help`, text: help, hidden: !help });
    this.error = el("p", { class: "field-error", id: `${id}-error`, role: "alert", hidden: true });
    control.setAttribute("aria-describedby", `${id}-help ${id}-error`);
    this.node = el("div", { class: "field" }, el("label", { for: id, text: label }), control, this.error, this.help);
    control.addEventListener("input", () => (this.typed = true));
    control.addEventListener("change", () => {
      this.typed = true;
      this.save();
    });
    control.addEventListener("blur", () => this.#settle());
    if (control.tagName === "INPUT") {
      control.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.isComposing && event.keyCode !== 229) this.save();
      });
    }
  }

  get value() {
    return this.control.value;
  }

  /** Shows a saved value, unless the person is at this field or it holds one that is not saved. */
  show(value) {
    this.saved = textOf(value);
    if (this.refused || this.typed || document.activeElement === this.control || this.value === this.saved) return;
    this.control.value = this.saved;
  }

  /** Begins anew with the value of another thing: nothing of the one before is kept. */
  begin(value) {
    this.tell("");
    this.typed = false;
    this.saved = textOf(value);
    this.control.value = this.saved;
  }

  /** Fills in a value as if it had been typed: it stays until it is saved. */
  put(value) {
    this.control.value = value;
    this.typed = true;
  }

  /** This value was saved. How it was taken (rounded, bounded) comes with the next `show`. */
  taken(value) {
    if (this.value !== value) return; // typed on meanwhile: that is still to be saved
    this.typed = false;
    this.saved = undefined;
  }

  /** On leaving: a value that was taken otherwise is shown as it was taken; a typed one stays. */
  #settle() {
    if (this.value === this.saved) this.typed = false;
    if (this.typed || this.refused || this.saved === undefined) return;
    this.control.value = this.saved;
  }

  /** What stands under the field; nothing hides it. */
  tellHelp(text) {
    if (this.help.textContent !== text) this.help.textContent = text;
    this.help.hidden = !text;
  }

  tell(problem) {
    this.refused = Boolean(problem);
    this.error.textContent = problem || "";
    this.error.hidden = !problem;
    this.control.setAttribute("aria-invalid", String(Boolean(problem)));
  }

  async #update() {
    const { value } = this;
    const patch = this.patch(value);
    const problem = patch ? await saveSettings(patch) : "";
    if (patch) this.tell(problem);
    if (problem) return false;
    this.taken(value);
    if (!patch) return true;
    this.after?.();
    this.node.dispatchEvent(new Event("taken", { bubbles: true }));
    return true;
  }
}

/** Saves a patch; the first refusal in plain words, or "". */
export async function saveSettings(patch) {
  try {
    const refused = (await dispatch("update_settings", patch)) ?? {};
    return Object.values(refused)[0] ?? "";
  } catch (error) {
    return error.message;
  }
}

export const input = (props = {}) => el("input", { type: "text", autocomplete: "off", spellcheck: "false", ...props });

export const select = (options, props = {}) =>
  el("select", props, ...options.map(([value, text]) => el("option", { value, text })));

/** Replaces a select's options, keeping the chosen one where it is still there. */
export function setOptions(control, options) {
  const signature = JSON.stringify(options);
  if (control.signature === signature) return;
  control.signature = signature;
  const { value } = control;
  control.replaceChildren(...options.map(([id, text]) => el("option", { value: id, text })));
  control.value = value;
}
