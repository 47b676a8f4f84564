// The dialog "Settings": models, memory, look, data. Every field saves itself; there is no Save to
// forget, and closing loses nothing.

import { follow, newest, publish, topic } from "./bus.js";
import { openDialog, section } from "./dialogs.js";
import { button, el } from "./dom.js";
import { EndpointForm } from "./endpoint_form.js";
import { Field, input, saveSettings, select, setOptions } from "./fields.js";
import { dataSection } from "./files.js";
import { PRESETS } from "./memory_panel.js";
import { allowed, resumeAfterReload, takeResume } from "./resume.js";
import { localModel } from "./welcome.js";

const NEW = "+new";
const IN_PAGE_TEMPERATURE = 0.2; // as in app/browser/in_page_model.py
const IN_PAGE_ANSWER = 384; // tokens; the same

export class SettingsDialog {
  constructor() {
    this.adding = false;
    this.resume = takeResume();
    follow("open_settings", (how) => how && this.open(how));
    follow("settings", ({ endpoints }) => {
      if (this.resume && endpoints) this.#takeUp();
      this.draw();
    });
  }

  async #takeUp() {
    const { settings: wasOpen, then } = this.resume;
    this.resume = null;
    if (!wasOpen) return;
    this.open({});
    const { testButton, load } = this.endpoint;
    (then === "models" ? load : testButton).focus({ preventScroll: true });
    if (then === "test") await this.endpoint.test();
    else if (then === "models") await this.endpoint.loadModels();
  }

  open({ part = "" } = {}) {
    if (this.dialog?.open) return;
    if (!this.body) this.#build();
    const settings = topic("settings");
    if (part === "endpoints" && settings?.endpoints && settings.endpoints.every((one) => one.kind === "in-page")) this.adding = true;
    this.draw();
    this.dialog = openDialog("Settings", {
      kind: "wide settings",
      subtitle: "Changes are kept at once.",
      body: this.body,
      foot: [button("Done", { act: "dialog-close", kind: "" })],
      onClose: () => this.#closed(),
    });
  }

  /** A chat endpoint that this page may not reach yet: one reload lets it in. */
  async #closed() {
    const settings = topic("settings");
    const endpoint = settings?.endpoints?.find((one) => one.id === settings.chat_endpoint);
    if (!endpoint?.base_url || allowed(endpoint.base_url)) return;
    const problem = await resumeAfterReload({ settings: false }, endpoint.base_url);
    if (problem) publish("page_notice", { level: "warning", text: problem });
  }

  #build() {
    const number = (props) => input({ inputmode: "numeric", ...props });
    this.fields = {
      context_size: new Field(number(), { label: "Context size", name: "context_size", help: "Tokens that the model can hold. Less is allowed: a cap on what a request costs." }),
      max_answer_tokens: new Field(number(), { label: "Longest answer", name: "max_answer_tokens" }),
      temperature: new Field(input({ inputmode: "decimal" }), { label: "Temperature", name: "temperature" }),
      system_prompt: new Field(el("textarea", { rows: "3" }), { label: "System prompt", name: "system_prompt" }),
      utility: new Field(select([]), { label: "Who summarises", name: "utility" }),
      utility_endpoint: new Field(select([]), { label: "Endpoint of that model", name: "utility_endpoint" }),
      utility_model: new Field(input(), { label: "Name of that model", name: "utility_model" }),
      preset: new Field(select(PRESETS.map(([id, name]) => [id, name])), { label: "Way of folding", name: "preset" }),
      theme: new Field(select([["system", "As the system"], ["light", "Light"], ["dark", "Dark"]]), { label: "Theme", name: "theme" }),
      send_key: new Field(select([["enter", "Enter"], ["ctrl-enter", "Ctrl Enter"]]), { label: "A message goes out with", name: "send_key" }),
    };
    const f = this.fields;
    this.chosen = new Field(select([]), { label: "Who answers", name: "chat_endpoint", save: () => this.#choose() });
    this.endpoint = new EndpointForm();
    this.endpoint.onSaved = (id) => {
      this.adding = false;
      this.expected = id;
      this.draw();
    };
    this.local = localModel();
    this.memoryFields = el("div", { class: "columns" });
    this.memory = new Map();
    this.other = el("div", { class: "columns" }, f.utility_endpoint.node, f.utility_model.node);
    this.body = el("div", { class: "settings-body" },
      section("Model", this.chosen.node, this.local, this.endpoint.node),
      section("Answers", el("div", { class: "columns three" }, f.context_size.node, f.max_answer_tokens.node, f.temperature.node), f.system_prompt.node),
      section("Memory", el("div", { class: "columns" }, f.preset.node, f.utility.node), this.other, this.memoryFields),
      section("Look", el("div", { class: "columns" }, f.theme.node, f.send_key.node)),
      dataSection());
    this.body.addEventListener("taken", () => this.draw());
  }

  async #choose() {
    const id = this.chosen.value;
    this.adding = id === NEW;
    if (this.adding) {
      this.draw();
      this.endpoint.url.control.focus();
      return;
    }
    const settings = topic("settings");
    const local = topic("local_model");
    const inPage = settings.endpoints.find((one) => one.id === id)?.kind === "in-page";
    const model = inPage && local?.state === "ready" ? local.name : ""; // loaded: there is nothing to choose
    const same = settings.chat_endpoint === id;
    this.chosen.tell(same ? "" : await saveSettings({ chat_endpoint: id, chat_model: model }));
    this.draw();
  }

  draw() {
    const settings = newest("settings"); // with what a field has just saved
    if (!settings?.endpoints || !this.body) return;
    // What was just saved comes back with the next frame; until then the form stays as it is.
    if (this.expected && !settings.endpoints.some((one) => one.id === this.expected)) return;
    this.expected = null;
    const endpoints = settings.endpoints.map((one) => [one.id, one.kind === "in-page" ? "A model in this page" : one.name]);
    setOptions(this.chosen.control, [...endpoints, [NEW, "Add an endpoint…"]]);
    this.chosen.control.value = this.adding ? NEW : settings.chat_endpoint;
    const chosen = settings.endpoints.find((one) => one.id === settings.chat_endpoint);
    const inPage = !this.adding && (!chosen || chosen.kind === "in-page");
    this.local.hidden = !inPage;
    this.endpoint.node.hidden = inPage;
    if (!inPage) this.endpoint.draw(settings, this.adding ? null : settings.chat_endpoint);
    setOptions(this.fields.utility_endpoint.control, [["", "Choose"], ...endpoints]);
    this.#ofTheModel(settings, !chosen || chosen.kind === "in-page");
    for (const [name, field] of Object.entries(this.fields)) field.show(settings[name]);
    this.other.hidden = settings.utility !== "other";
    this.#memory(settings.memory_fields ?? []);
  }

  /** What is otherwise where a model in this page answers: its sampling, its bounds, who summarises. */
  #ofTheModel(settings, inPage) {
    const { temperature, max_answer_tokens: longest, utility } = this.fields;
    temperature.control.placeholder = inPage ? String(IN_PAGE_TEMPERATURE) : "The server’s own";
    temperature.tellHelp(inPage
      ? `0 to 2; empty for ${IN_PAGE_TEMPERATURE}, which suits the small model in this page.`
      : "0 to 2; empty for the server’s own.");
    longest.tellHelp(inPage ? `Tokens. A model in this page stops at ${IN_PAGE_ANSWER} at most.` : "Tokens.");
    setOptions(utility.control, [
      ["same", inPage ? "No model (it runs in this page)" : "The chat model"],
      ["other", "Another model"],
      ["none", "No model (extractive, instant)"],
    ]);
    const other = settings.utility === "other" && settings.endpoints.find((one) => one.id === settings.utility_endpoint);
    const weak = settings.utility === "same" ? inPage : other && other.kind === "in-page";
    utility.tellHelp(weak ? "A model in this page is too small to summarise: Pleat’s extractive summariser does it, at once and at no cost." : "");
  }

  /** The numbers of the chosen preset; built anew when the preset changes. */
  #memory(list) {
    const names = list.map((one) => one.name).join();
    if (names !== this.memoryNames) {
      this.memoryNames = names;
      this.memory = new Map(list.map(({ name, label, least, most }) => [
        name,
        new Field(input({ inputmode: "numeric" }), { label: label.replace(/^The (.)/, (_, first) => first.toUpperCase()), name, help: `${least} to ${most}` }),
      ]));
      this.memoryFields.replaceChildren(...[...this.memory.values()].map((field) => field.node));
    }
    for (const { name, value } of list) this.memory.get(name).show(value);
  }
}
