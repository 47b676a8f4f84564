// The page's security policy admits only the endpoints that were saved when it loaded. A new one
// needs one reload: what was being done is remembered for this tab and taken up again.

import { dispatch, publish } from "./bus.js";

const key = () => `${window.pleatStoragePrefix ?? "pleat."}resume`;

/** Whether the policy of this page lets a request to that address through. */
export const allowed = (url) => window.pleatMayConnect?.(url) ?? true;

/** Saves the draft, remembers `what`, and loads the page again. */
export async function resumeAfterReload(what) {
  try {
    await dispatch("set_draft", document.getElementById("message").value);
    sessionStorage.setItem(key(), JSON.stringify(what));
  } catch {
    // Without storage the reload forgets the address too: say so and stay.
    publish("page_notice", { level: "error", text: "This browser keeps no data for the page, so a new address cannot be let in." });
    return;
  }
  location.reload();
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
