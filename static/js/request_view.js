// "What the model sees": the exact next request, and for each message of the thread whether it goes
// out, and why (not). Asked for when the dialog is opened.

import { ask } from "./bus.js";
import { openDialog, section } from "./dialogs.js";
import { el, plural } from "./dom.js";
import { messageLinks } from "./folds.js";

const KINDS = {
  system: "System prompt",
  summary: "Summary",
  recall: "Recalled passages",
  pin: "Pinned turns",
  window: "Word for word",
  question: "The question",
};

/** Where a message of the chat is in the request, in one phrase: the reason says it all. */
function phrase({ state, reason }) {
  const text = state === "excluded" || state === "unsendable" ? `not sent: ${reason}` : reason || state;
  return text[0].toUpperCase() + text.slice(1);
}

/** What the request is made of: each kind of part with its tokens, and what the frame takes. */
function legend(parts, total) {
  const sums = new Map();
  for (const { kind, tokens } of parts) sums.set(kind, (sums.get(kind) ?? 0) + (tokens ?? 0));
  const rest = total - [...sums.values()].reduce((sum, tokens) => sum + tokens, 0);
  const rows = [...sums].map(([kind, tokens]) => [KINDS[kind] ?? kind, tokens]);
  if (rest > 0) rows.push(["Message overhead", rest]);
  return el("ul", { class: "request-legend", "aria-label": "Parts of the request" },
    ...rows.map(([name, tokens]) => el("li", {}, el("span", { text: `${name} ` }), el("span", { class: "tokens", text: plural(tokens, "token") }))));
}

export async function openRequestView(show) {
  const view = await ask("request_view");
  if (!view) return;
  const go = (id) => {
    dialog.close();
    show(id);
  };
  const wire = view.wire ?? view.messages;
  const total = view.tokens ?? view.messages.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
  const typed = document.getElementById("message")?.value.trim();
  const request = el("ol", { class: "request" },
    ...wire.map(({ role, content }) =>
      el("li", { class: "request-part" },
        el("p", { class: "request-head" }, el("span", { class: "who", text: role })),
        el("pre", { class: "request-text", tabindex: "0", text: content }))));
  const reason = new Map((view.states ?? []).map((state) => [state.id, state]));
  const states = messageLinks([...reason.keys()], go, (id) => {
    return el("p", { class: "state-reason", text: phrase(reason.get(id)) });
  });
  const dialog = openDialog("What the model sees", {
    kind: "wide",
    subtitle: `The next request, exactly as it would be sent: ${plural(wire.length, "message")}, ${plural(total, "token")}.`,
    body: el("div", {},
      typed && el("p", { class: "note", text: "What stands in the message box is not in it yet." }),
      wire.length ? legend(view.messages, total) : el("p", { class: "note", text: "Nothing yet: write a message first." }),
      wire.length > 0 && request,
      reason.size > 0 && section("Each message of this chat", states)),
  });
}
