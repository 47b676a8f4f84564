// Whether a message would be answered now, and if not, what is missing or on its way.

import { newest } from "./bus.js";

const CHOOSE = "Choose a model first.";
const STEP = 10; // per cent: a screen reader that follows the status is not told each one

/** What to say in place of "Ready", and whether a person has to do something; null: all is there. */
export function missing() {
  const settings = newest("settings");
  if (!settings?.endpoints) return null;
  const endpoint = settings.endpoints.find((one) => one.id === settings.chat_endpoint);
  if (endpoint && endpoint.kind !== "in-page") return settings.chat_model ? null : { text: CHOOSE, choose: true };
  return inPage(settings.chat_model, newest("local_model"));
}

function inPage(chosen, model) {
  if (!model || model.state === "ready") return null;
  if (model.state === "loading") return { text: loadingText(model), choose: false };
  // The page's own, chosen before a reload: a question loads it again by itself.
  if (!chosen || chosen !== model.bundled) return { text: CHOOSE, choose: true };
  if (model.state === "failed") return { text: "The model could not be loaded; a message tries again.", choose: true };
  return { text: "The model loads with your next message.", choose: false };
}

function loadingText({ loaded, total, bytes }) {
  const share = loaded / (total || bytes || Infinity);
  return `Loading the model${loaded ? `: ${Math.min(100, STEP * Math.floor((100 * share) / STEP))} %` : ""}`;
}
