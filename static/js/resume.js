// The page's security policy admits only the endpoints that were saved when it loaded. A new one
// needs one reload: what was being done is remembered for this tab and taken up again.

import { ask, dispatch, follow, topic } from "./bus.js";
import { confirm } from "./dialogs.js";

const FORGETS = "This browser keeps no data for the page, so a new address cannot be let in.";
const FROM_FILE = [
  "Reload the page once?",
  "A new address is reached after a reload only. The model that you opened from a file must then be opened again.",
  "Reload",
  "primary",
];
const NOT_RELOADED = "Not tried: this address is reached after the page was loaded again.";
const name = (part) => `${window.pleatStoragePrefix ?? "pleat."}${part}`;
const key = () => name("resume");

/** Whether the policy of this page lets a request to that address through. */
export const allowed = (url) => window.pleatMayConnect?.(url) ?? true;

const originOf = (url) => {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
};

/** Whether the settings as they are stored, which the next page reads, hold that address. */
function isStored(url) {
  const { endpoints } = JSON.parse(localStorage.getItem(name("settings")) ?? "{}");
  return (endpoints ?? []).some((one) => originOf(one.base_url) === originOf(url));
}

/** The model in this page is loaded, or on its way: a reload takes it from memory. */
function inMemory() {
  const { state, from_file: fromFile } = topic("local_model") ?? {};
  return { loaded: state === "ready" || state === "loading", fromFile: Boolean(fromFile) };
}

/** Saves the draft, remembers `what`, and loads the page again. Why it did not, in plain words:
    an answer is never cut off, and a reload that would forget the address is none. The model in
    this page is loaded again afterwards; one from a file cannot be, so that is asked before. */
export async function resumeAfterReload(what, url) {
  const answers = (topic("busy")?.state ?? "idle") !== "idle";
  if (answers) return "The page must reload once to reach this address, which would cut off the answer. Try again when it is there.";
  try {
    if (!isStored(url)) return FORGETS;
    const { loaded, fromFile } = inMemory();
    if (loaded && fromFile && !(await confirm(...FROM_FILE))) return NOT_RELOADED;
    await dispatch("set_draft", document.getElementById("message").value);
    sessionStorage.setItem(key(), JSON.stringify({ ...what, model: loaded && !fromFile }));
  } catch {
    return FORGETS;
  }
  location.reload();
  return "";
}

/** What the last page of this tab was doing, once. */
export function takeResume() {
  try {
    const text = sessionStorage.getItem(key());
    sessionStorage.removeItem(key());
    const what = text ? JSON.parse(text) : null;
    if (what?.model) bringBack();
    return what;
  } catch {
    return null;
  }
}

/** Loads the page's own model again, once Python can; which model answers is not touched. */
function bringBack() {
  let asked = false;
  follow("boot", ({ state }) => {
    if (asked || state !== "ready") return;
    asked = true;
    ask("load_local_model", false);
  });
}
