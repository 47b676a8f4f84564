// The page's security policy admits only the endpoints that were saved when it loaded. A new one
// needs one reload: what was being done is remembered for this tab and taken up again.

import { dispatch, topic } from "./bus.js";

const FORGETS = "This browser keeps no data for the page, so a new address cannot be let in.";
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

/** Saves the draft, remembers `what`, and loads the page again. Why it did not, in plain words:
    an answer is never cut off, and a reload that would forget the address is none. */
export async function resumeAfterReload(what, url) {
  const answers = (topic("busy")?.state ?? "idle") !== "idle";
  if (answers) return "The page must reload once to reach this address, which would cut off the answer. Try again when it is there.";
  try {
    if (!isStored(url)) return FORGETS;
    await dispatch("set_draft", document.getElementById("message").value);
    sessionStorage.setItem(key(), JSON.stringify(what));
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
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
