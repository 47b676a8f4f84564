// The card of an empty thread: the two ways to a model, and what to expect of each.
// Shows the state of the in-page model while it loads, in place.

import { ask, follow, publish, topic } from "./bus.js";
import { button, el, megabytes } from "./dom.js";
import { isKept } from "./kept_model.js";
import { pick } from "./picked_file.js";

export const MODEL_BYTES = 98_362_432; // SmolLM2-135M-Instruct Q4_1, as served from this site
export const MODEL_PATH = "static/models/SmolLM2-135M-Instruct.Q4_1.gguf";

/** Buttons and progress for the in-page model; used by the card, the model bar and the settings. */
export function localModel() {
  const label = (where) => `Run SmolLM2 135M in this page (${megabytes(MODEL_BYTES)}, ${where})`;
  let where = "from this site";
  const start = button(label(where), { kind: "primary" });
  const bar = el("progress", { max: "1", "aria-label": "Loading the model", hidden: true });
  const text = el("p", { class: "note", "aria-live": "polite" });
  const picker = el("input", { type: "file", hidden: true, "aria-label": "GGUF file", accept: ".gguf" });
  const open = button("Open another GGUF file…", { kind: "open-file" });
  start.addEventListener("click", async () => {
    start.disabled = true;
    await ask("load_local_model");
    start.disabled = topic("local_model")?.state === "loading";
  });
  open.addEventListener("click", () => picker.click());
  picker.addEventListener("change", async () => {
    const [file] = picker.files;
    if (!file) return;
    pick(file);
    picker.value = "";
    await ask("open_model_file");
  });
  const look = () => {
    const model = topic("local_model");
    if (!model) return;
    const { state, from_file: fromFile } = model;
    const missing = state === "failed" && !model.name;
    const loading = state === "loading";
    start.hidden = (state === "ready" && !fromFile) || loading || missing;
    start.disabled = false;
    start.textContent = state === "failed" && !fromFile ? "Try to load the model again" : label(where);
    start.className = `button ${fromFile && state === "ready" ? "" : "primary"}`.trim();
    open.hidden = loading;
    bar.hidden = !loading;
    const total = model.total || model.bytes || MODEL_BYTES;
    if (model.loaded) bar.value = Math.min(1, model.loaded / total);
    else bar.removeAttribute("value");
    text.classList.toggle("bad", state === "failed");
    text.textContent = modelText(model, missing, total);
    text.hidden = !text.textContent;
  };
  follow("local_model", look);
  follow("settings", look);
  isKept(MODEL_PATH, MODEL_BYTES).then((kept) => {
    if (!kept) return;
    where = "on this device";
    look();
  });
  return el("div", { class: "local-model" }, start, bar, text, open, picker);
}

function modelText(model, missing, total) {
  const { state, from_file: fromFile } = model;
  const name = model.name || "The model";
  if (state === "loading") return model.loaded ? `Loading ${fromFile ? name : ""} ${megabytes(model.loaded)} of ${megabytes(total)}`.replace("  ", " ") : "Loading the model";
  if (state === "ready") return `${name}${fromFile ? ` (${megabytes(model.bytes)}, from a file)` : ""} is loaded and answers in this page.`;
  if (missing) return "This copy of Pleat comes without the model.";
  if (state === "failed") return model.error || "The model could not be loaded.";
  const gone = goneFile(model);
  return gone ? `“${gone}” was opened from a file, and a reload forgets files: open it again, or run SmolLM2.` : "";
}

/** The name of the model that answered before the reload, when it came from a file. */
function goneFile(model) {
  const settings = topic("settings");
  const chosen = settings?.endpoints && inPage(settings) ? settings.chat_model : "";
  return chosen && model.bundled && chosen !== model.bundled ? chosen : "";
}

const inPage = (settings) => {
  const endpoint = settings?.endpoints?.find((one) => one.id === settings.chat_endpoint);
  return !endpoint || endpoint.kind === "in-page";
};

/** Above the message box, in a chat that has begun: the in-page model is chosen but not loaded. */
export function modelBar(bar) {
  const widget = localModel();
  const look = () => {
    const begun = (topic("thread")?.messages ?? []).length > 0;
    const settings = topic("settings");
    bar.hidden = !begun || !settings?.endpoints || !inPage(settings) || topic("local_model")?.state === "ready";
    if (bar.hidden) widget.remove();
    else if (!widget.isConnected) bar.append(widget);
  };
  for (const name of ["thread", "settings", "local_model"]) follow(name, look);
}

/** The first-run card. Once a model is chosen it is a short greeting. */
export function welcome() {
  const connect = button("Connect an endpoint", { kind: "" });
  connect.addEventListener("click", () => publish("open_settings", { part: "endpoints" }));
  const setUp = el(
    "div",
    { class: "ways" },
    el(
      "section",
      { class: "way" },
      el("h3", { text: "In this page" }),
      el("p", { text: "No key, no server, nothing leaves this device. A very small model: good to try folding, not for hard questions." }),
      localModel(),
    ),
    el(
      "section",
      { class: "way" },
      el("h3", { text: "Your own endpoint" }),
      el("p", { text: "Ollama, LM Studio, llama.cpp, OpenRouter, OpenAI, or any server that speaks the same API." }),
      connect,
      el("p", { class: "note", text: "For a model on this computer or in your network, the browser may ask whether this page may reach local devices: allow it." }),
    ),
  );
  const chosen = el("p", { class: "note" });
  const card = el(
    "div",
    { class: "welcome" },
    el("h2", { text: "Talk as long as you like." }),
    el("p", {
      class: "lead",
      text: "When a chat outgrows the model’s context, Pleat folds the oldest turns into a short summary and keeps the newest word for word. Nothing is deleted: the whole transcript stays here, in your browser.",
    }),
    setUp,
    chosen,
  );
  const look = () => {
    const settings = topic("settings");
    const endpoint = settings?.endpoints?.find((one) => one.id === settings.chat_endpoint);
    const local = inPage(settings);
    const ready = Boolean(settings?.endpoints) && (local ? topic("local_model")?.state === "ready" : Boolean(settings.chat_model));
    setUp.hidden = ready;
    chosen.hidden = !ready;
    chosen.textContent = local
      ? `${topic("local_model")?.name || "SmolLM2 135M"} answers, in this page.`
      : `${settings?.chat_model} answers, at ${endpoint?.name}.`;
  };
  follow("settings", look);
  follow("local_model", look);
  look();
  return card;
}
