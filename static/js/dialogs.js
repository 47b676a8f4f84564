// Native <dialog>s: one frame for all of them, the question "are you sure", and the shortcut help.

import { $, el, iconButton } from "./dom.js";

/** A modal dialog named by its title. It leaves the document when it is closed. */
export function openDialog(title, { body, foot = null, kind = "", onClose = null, subtitle = "" }) {
  const dialog = el(
    "dialog",
    { class: `dialog ${kind}`.trim(), "aria-label": title },
    el(
      "header",
      { class: "dialog-head" },
      el("div", {}, el("h2", { text: title }), subtitle && el("p", { class: "dialog-sub", text: subtitle })),
      iconButton("close", "Close", "dialog-close"),
    ),
    el("div", { class: "dialog-body" }, body),
    foot && el("footer", { class: "dialog-foot" }, foot),
  );
  dialog.addEventListener("click", (event) => {
    const outside = event.target === dialog && event.detail > 0; // the backdrop belongs to the dialog
    if (outside || event.target.closest('[data-act="dialog-close"]')) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose?.();
    // The browser gives the focus back by itself, unless its owner has gone meanwhile.
    if (document.activeElement === document.body) $("message").focus();
  });
  $("dialogs").append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be undone. Resolves to true or false. */
export function confirm(title, text, yes, kind = "danger") {
  return new Promise((resolve) => {
    let answer = false;
    const no = el("button", { type: "button", class: "button", data: { act: "dialog-close" } }, "Cancel");
    const ok = el(
      "button",
      { type: "button", class: `button ${kind}`, on: { click: () => ((answer = true), dialog.close()) } },
      yes,
    );
    const dialog = openDialog(title, {
      kind: "small",
      body: el("p", { text }),
      foot: [no, ok],
      onClose: () => resolve(answer),
    });
    no.focus();
  });
}

const KEYS = [
  ["Enter", "Put the message on its way"],
  ["Shift Enter", "Break the line"],
  ["Esc", "Stop the answer; close a panel or dialog"],
  ["/", "Go to the message box"],
  ["Ctrl K", "Search chats"],
  ["Ctrl Shift O", "Start a new chat"],
  ["Ctrl ,", "Settings"],
  ["Ctrl Enter", "Save an edited message"],
  ["?", "This help"],
];

export function openShortcuts() {
  const list = el("dl", { class: "keys" });
  for (const [keys, what] of KEYS) {
    const term = el("dt", {});
    keys.split(" ").forEach((key) => term.append(el("kbd", { text: key })));
    list.append(term, el("dd", { text: what }));
  }
  openDialog("Keyboard shortcuts", { kind: "small", body: list });
}

/** Opens a help text about something that a browser does and that Pleat cannot. */
export function section(title, ...children) {
  return el("section", { class: "part-section" }, el("h3", { text: title }), ...children);
}
