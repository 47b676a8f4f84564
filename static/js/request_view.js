// "What the model sees": the exact next request, and for each message of the thread whether it goes
// out, and why (not). Asked for when the dialog is opened.

import { ask } from "./bus.js";
import { openDialog, section } from "./dialogs.js";
import { el, number, plural } from "./dom.js";
import { messageLinks } from "./folds.js";

const STATES = {
  window: "Word for word",
  question: "The question",
  folded: "In the summary",
  pinned: "Pinned",
  excluded: "Left out",
  unsendable: "Not sendable",
};

export async function openRequestView(show) {
  const view = await ask("request_view");
  if (!view) return;
  const go = (id) => {
    dialog.close();
    show(id);
  };
  const total = view.messages.reduce((sum, message) => sum + (message.tokens ?? 0), 0);
  const request = el("ol", { class: "request" });
  for (const message of view.messages) {
    request.append(
      el("li", { class: `request-part kind-${message.kind}` },
        el("p", { class: "request-head" }, el("span", { class: "who", text: message.role }),
          el("span", { class: "badge", text: String(message.kind ?? "").replaceAll("_", " ") }),
          el("span", { class: "tokens", text: plural(message.tokens ?? 0, "token") })),
        el("pre", { class: "request-text", tabindex: "0", text: message.content })),
    );
  }
  const reason = new Map((view.states ?? []).map((state) => [state.id, state]));
  const states = messageLinks([...reason.keys()], go, (id) => {
    const { state, reason: why } = reason.get(id);
    return el("p", { class: "state-reason" }, el("span", { class: `badge badge-${state}`, text: STATES[state] ?? state }), ` ${why ?? ""}`);
  });
  const dialog = openDialog("What the model sees", {
    kind: "wide",
    subtitle: `The next request as it would be sent now: ${plural(view.messages.length, "message")}, ${number(total)} tokens.`,
    body: el("div", {},
      view.messages.length ? request : el("p", { class: "note", text: "Nothing yet: write a message first." }),
      reason.size > 0 && section("Each message of this chat", states)),
  });
}
