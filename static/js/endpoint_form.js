// The endpoint part of the settings: address, key, model list, and a test that says what is wrong.
// A new address is reached after one reload (the page's security policy is fixed when it loads).

import { ask, follow, newest, topic } from "./bus.js";
import { confirm } from "./dialogs.js";
import { button, el, number, plural } from "./dom.js";
import { KINDS, isLocal, kindOf } from "./endpoint_kinds.js";
import { Field, input, saveSettings, select } from "./fields.js";
import { allowed, resumeAfterReload } from "./resume.js";

const LONG = 12; // models of a list that is shown open, and narrowed by typing
const hostOf = (url) => URL.parse?.(url)?.host ?? url;
const newId = () => [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");

export class EndpointForm {
  constructor() {
    this.id = null; // the endpoint that is shown; null: a new one, not saved yet
    this.coming = null; // the id that the new one will have, however often its saving is tried
    this.#build();
    follow("models", () => this.#models());
  }

  #build() {
    this.kind = new Field(select(KINDS.map(({ id, name }) => [id, name])), {
      label: "Kind of server", name: "kind", save: () => this.#kindChosen(),
    });
    this.url = new Field(input({ type: "url", inputmode: "url", placeholder: "http://localhost:11434/v1" }), {
      label: "Base URL", name: "base_url", save: () => this.saveUrl(),
    });
    this.label = new Field(input({ maxlength: "100" }), { label: "Name", name: "name", save: () => this.saveUrl() });
    this.key = new Field(input({ type: "password", placeholder: "" }), {
      label: "API key", name: "key", help: "Stays in this browser, is sent to this endpoint only, and is never exported.",
      save: () => this.saveKey(),
    });
    this.lost = el("p", { class: "note warn", role: "status", "aria-label": "About the key", hidden: true });
    const reveal = button("Show", { kind: "quiet reveal", "aria-pressed": "false", "aria-label": "Show the key" });
    reveal.addEventListener("click", () => {
      const hide = this.key.control.type === "text";
      this.key.control.type = hide ? "password" : "text";
      reveal.textContent = hide ? "Show" : "Hide";
      reveal.setAttribute("aria-pressed", String(!hide));
    });
    const keyRow = el("div", { class: "with-button" });
    this.key.control.replaceWith(keyRow);
    keyRow.append(this.key.control, reveal);
    keyRow.after(this.lost);

    this.list = el("datalist", { id: "model-names" });
    this.model = new Field(input({ list: "model-names", placeholder: "Load the list, or type a name" }), {
      label: "Chat model", name: "chat_model", after: () => this.#tell(),
    });
    this.load = button("Load list");
    this.load.addEventListener("click", () => this.loadModels());
    const modelRow = el("div", { class: "with-button" });
    this.model.control.replaceWith(modelRow);
    modelRow.append(this.model.control, this.load);
    this.modelPick = el("select", { "aria-label": "Models of this endpoint", hidden: true });
    this.found = el("p", { class: "note", "aria-live": "polite", hidden: true });
    this.filter = el("input", { type: "search", class: "filter", "aria-label": "Narrow the list of models", placeholder: "Narrow the list", autocomplete: "off", spellcheck: "false", hidden: true });
    this.filter.addEventListener("input", () => this.#list());
    this.modelPick.addEventListener("change", () => {
      if (!this.modelPick.value) return;
      this.model.put(this.modelPick.value);
      this.model.save();
    });
    modelRow.after(this.filter, this.modelPick, this.found, this.list);

    this.testButton = button("Test connection", { kind: "primary" });
    this.testButton.addEventListener("click", () => this.test());
    this.remove = button("Remove this endpoint", { kind: "quiet danger" });
    this.remove.addEventListener("click", () => this.#remove());
    this.result = el("p", { class: "result", role: "status", "aria-label": "Result of the test", hidden: true });
    this.hint = el("p", { class: "note" });
    this.local = el("p", { class: "note", hidden: true,
      text: "A model on this computer or in your network: the browser may ask whether this page may reach local devices. Allow it, or nothing gets through." });
    this.node = el("div", { class: "endpoint-form" },
      el("div", { class: "columns" }, this.kind.node, this.label.node), this.url.node, this.hint, this.local, this.key.node, this.model.node,
      el("div", { class: "row" }, this.testButton, this.remove), this.result);
  }

  /** Shows a saved endpoint, or (null) the form for a new one, with what was typed before. */
  draw(settings, id) {
    const changed = this.id !== id || !this.drawn;
    this.drawn = true;
    this.id = id;
    const endpoint = settings.endpoints.find((one) => one.id === id);
    if (changed) {
      const kind = endpoint ? kindOf(endpoint) : KINDS[0];
      this.kind.control.value = kind.id;
      this.url.begin(endpoint ? endpoint.base_url : kind.url);
      this.label.begin(endpoint ? endpoint.name : kind.name);
      this.key.tell("");
      this.key.control.value = "";
      this.model.begin("");
      this.#say("");
    } else if (endpoint) {
      this.url.show(endpoint.base_url);
      this.label.show(endpoint.name);
    }
    if (endpoint && settings.chat_endpoint === id) this.model.show(settings.chat_model);
    const has = Boolean(settings.has_key?.[id]);
    this.#keyLost(changed, endpoint, has);
    this.key.control.placeholder = has ? "A key is kept. Type to replace it, or a space to remove it" : "None";
    this.remove.hidden = !endpoint;
    this.#hints();
    this.#models();
  }

  /** A key goes with the server that it was typed for: a new address has none, and that is said. */
  #keyLost(changed, endpoint, has) {
    const before = this.before;
    this.before = { url: endpoint?.base_url, has };
    if (changed || has) this.lost.hidden = true;
    else if (before?.has && before.url !== endpoint?.base_url) {
      this.lost.textContent = `The key was for ${hostOf(before.url)}, and was forgotten with that address. Type the key of ${hostOf(endpoint.base_url)}, if it wants one.`;
      this.lost.hidden = false;
    }
  }

  #hints() {
    const kind = KINDS.find((one) => one.id === this.kind.value) ?? KINDS.at(-1);
    this.hint.textContent = kind.hint();
    this.local.hidden = !isLocal(this.url.value);
  }

  #kindChosen() {
    const kind = KINDS.find((one) => one.id === this.kind.value);
    const usual = KINDS.some((one) => one.url === this.url.value) || !this.url.value;
    if (usual) this.url.put(kind.url);
    // The usual name is also what the kind is known by when its address is another one.
    const named = !this.label.value || KINDS.some((one) => one.name === this.label.value);
    if (named) this.label.put(kind.id === "other" ? "" : kind.name);
    this.#hints();
    if (this.id && this.url.value && (usual || named)) this.saveUrl();
  }

  /** Saves the address (and name), as a new endpoint if it is one. True when it is saved. */
  async saveUrl() {
    const settings = newest("settings");
    const entry = { id: this.id ?? (this.coming ??= newId()), name: this.label.value, base_url: this.url.value, kind: "openai" };
    const others = settings.endpoints.filter((one) => one.kind !== "in-page");
    const known = others.some((one) => one.id === entry.id);
    const endpoints = known ? others.map((one) => (one.id === entry.id ? entry : one)) : [...others, entry];
    const patch = known ? { endpoints } : { endpoints, chat_endpoint: entry.id, chat_model: "" };
    let problem = await saveSettings(patch);
    // The address was taken and its key forgotten: that is said under the key, and is no refusal.
    if (settings.has_key?.[entry.id] && !newest("settings").has_key?.[entry.id]) problem = "";
    this.url.tell(problem);
    this.#hints();
    if (problem) return false;
    this.url.taken(entry.base_url);
    this.label.taken(entry.name);
    this.id = entry.id;
    this.coming = null;
    this.onSaved?.(entry.id);
    if (this.key.value) await this.saveKey();
    return true;
  }

  async saveKey() {
    if (!this.id || this.key.value === "") return true;
    const answer = await ask("set_key", this.id, this.key.value.trim());
    const problem = typeof answer === "string" ? answer : "";
    this.key.tell(problem);
    // Taken: it leaves the field, so that it never goes along to another address.
    if (answer !== undefined && !problem) this.key.control.value = "";
    return !problem;
  }

  /** Everything typed is saved before the network is asked; false when something was refused. */
  async #ready(what) {
    if (!(await this.saveUrl()) || !(await this.saveKey())) return false;
    const url = this.url.value; // what was just taken; the topic comes with the next frame
    if (allowed(url)) return true;
    const { state, from_file: fromFile } = topic("local_model") ?? {};
    const again = state === "ready" && !fromFile ? " The model in this page is loaded again." : "";
    this.#say(`Pleat reloads once, so that its security policy lets this address in.${again}`);
    const problem = await resumeAfterReload({ settings: true, then: what }, url);
    if (problem) this.#say(problem, "bad");
    return false;
  }

  async loadModels() {
    if (!(await this.#ready("models"))) return;
    await ask("load_models", this.id);
  }

  async test() {
    if (this.testing) return;
    this.testing = true;
    this.testButton.setAttribute("aria-disabled", "true"); // and keeps the focus
    try {
      if (!(await this.#ready("test"))) return;
      this.#say("Testing");
      const answer = await ask("test_connection", this.id);
      this.#tell(answer ?? { ok: false, text: "No result." });
      if (answer?.ok && topic("models")?.endpoint_id !== this.id) await ask("load_models", this.id);
    } finally {
      this.testing = false;
      this.testButton.removeAttribute("aria-disabled");
      this.#reveal();
    }
  }

  /** The result of a test, without the request to choose a model once one is chosen. */
  #tell(answer = this.answer) {
    if (!answer) return;
    const text = this.model.value ? answer.text.replace(/ Choose one\.$/, "") : answer.text;
    this.#say(text, answer.ok ? "good" : "bad");
    this.answer = answer;
  }

  #say(text, kind = "") {
    this.answer = null;
    this.result.textContent = text;
    this.result.className = `result ${kind}`.trim();
    this.result.hidden = !text;
    if (text) this.#reveal();
  }

  /** Scrolls the result into view, after what is drawn in this frame (a list above it grows). */
  #reveal() {
    requestAnimationFrame(() => this.result.hidden || this.result.scrollIntoView({ block: "nearest" }));
  }

  #models() {
    const models = topic("models");
    const mine = models && models.endpoint_id === this.id && this.id !== null;
    this.load.disabled = Boolean(mine && models.state === "loading");
    this.load.textContent = mine && models.state === "loading" ? "Loading" : "Load list";
    const items = mine ? models.items ?? [] : [];
    this.modelPick.hidden = items.length === 0;
    const signature = JSON.stringify(items);
    if (signature !== this.listed) {
      this.listed = signature;
      this.items = items;
      const short = items.length <= LONG;
      this.list.replaceChildren(...(short ? items.map(({ id }) => el("option", { value: id })) : []));
      this.modelPick.size = short ? 1 : 8;
      this.filter.value = "";
      this.#list();
    }
    this.modelPick.value = items.some((item) => item.id === this.model.value) ? this.model.value : "";
    this.#onlyOne(mine ? models : null);
    if (mine && models.state === "failed") this.model.tell(models.error || "The list could not be loaded.");
    else if (mine && models.state === "ready") this.model.tell("");
  }

  /** The models of the list whose names hold every word; a long list can be narrowed. */
  #list() {
    const items = this.items ?? [];
    const long = items.length > LONG;
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fit = items.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
    const text = ({ id, context_size: size }) => (size ? `${id} (${number(size)} tokens)` : id);
    this.modelPick.replaceChildren(
      ...(long ? [] : [el("option", { value: "", text: items.length === 1 ? "Choose the model" : `Choose one of ${items.length}` })]),
      ...fit.map((item) => el("option", { value: item.id, text: text(item) })));
    this.modelPick.value = fit.some(({ id }) => id === this.model.value) ? this.model.value : "";
    this.filter.hidden = !long;
    this.found.hidden = !long;
    this.found.textContent = words.length ? `${number(fit.length)} of ${plural(items.length, "model")}` : plural(items.length, "model");
  }

  /** A server that offers one model leaves nothing to choose. */
  #onlyOne(models) {
    const settings = topic("settings");
    if (models?.state !== "ready" || models.items.length !== 1 || this.taken === models) return;
    this.taken = models; // once for each list: a name that was taken out by hand stays out
    if (settings.chat_endpoint !== this.id || settings.chat_model || this.model.value) return;
    this.model.put(models.items[0].id);
    this.#tell();
    this.model.save();
  }

  async #remove() {
    const settings = topic("settings");
    const endpoint = settings.endpoints.find((one) => one.id === this.id);
    if (!(await confirm("Remove this endpoint?", `${endpoint?.name ?? ""}: its address and key are forgotten. Chats stay.`, "Remove"))) return;
    await ask("set_key", this.id, "");
    const endpoints = settings.endpoints.filter((one) => one.id !== this.id && one.kind !== "in-page");
    const problem = await saveSettings({ endpoints });
    if (problem) this.url.tell(problem);
    else this.onSaved?.(topic("settings").chat_endpoint);
  }
}
