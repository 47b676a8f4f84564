// One message of the thread: built once, then changed in place (its text never is, once finished).

import { directionOf, el, icon, iconButton, when } from "./dom.js";
import { GrowingMarkdown, renderMarkdown } from "./markdown.js";

const STATES = {
  folded: ["Folded", "In the summary; not sent word for word"],
  pinned: ["Pinned", "Always sent word for word"],
  excluded: ["Left out", "You took this turn out: it is not sent"],
  unsendable: ["Not sent", "Failed or empty messages are never sent"],
};
const ENDINGS = { stopped: "Stopped", length: "Cut off: the answer reached its token limit" };
const CLIP = 1600; // characters of a question that are shown before "Show all"
const OWN_IMAGE = /^(?:data:image\/(?:png|jpeg|gif|webp);base64,|blob:)/i;

/** What of a message decides its frame; its text is compared on its own. */
const frameOf = (m) =>
  JSON.stringify([m.status, m.state, m.sibling, m.siblings, m.previous_sibling, m.next_sibling, m.pinned,
    m.excluded, m.error, m.finish, m.model, m.turn_id]);

export class MessageView {
  constructor(message) {
    this.id = message.id;
    this.head = el("header", { class: "msg-head" });
    this.body = el("div", { class: "msg-body" });
    this.foot = el("footer", { class: "msg-foot" });
    this.node = el("article", { class: "msg", data: { id: message.id } }, this.head, this.body, this.foot);
    this.update(message);
  }

  update(message) {
    const frame = frameOf(message);
    const shown = `${message.status === "streaming"}|${message.text.length}|${(message.reasoning ?? "").length}`;
    const first = this.message === undefined;
    this.message = message;
    if (frame !== this.frame) {
      this.frame = frame;
      this.#drawFrame();
    }
    if (shown === this.shown || this.editing) return;
    const finishing = this.growing && message.status !== "streaming";
    this.shown = shown;
    if (message.status === "streaming") this.stream(message.text, message.reasoning);
    else if (finishing && !first) this.#finish();
    else this.#drawBody();
  }

  /** The answer so far. Draws what changed and nothing else. */
  stream(text, reasoning) {
    if (!this.growing) {
      this.body.replaceChildren();
      this.reasoningBox = null;
      const host = el("div", { class: "md" });
      this.body.append(host);
      this.growing = new GrowingMarkdown(host);
      this.node.classList.add("streaming");
    }
    if (reasoning) this.#drawReasoning(reasoning);
    this.body.dir = directionOf(text ?? "");
    this.growing.update(text ?? "");
    this.node.classList.toggle("waiting", !text);
  }

  #finish() {
    this.growing.finish(this.message.text);
    this.growing = null;
    this.node.classList.remove("streaming", "waiting");
    if (this.message.reasoning) this.#drawReasoning(this.message.reasoning);
  }

  #drawReasoning(text) {
    if (!this.reasoningBox) {
      this.reasoningText = el("div", { class: "plain" });
      this.reasoningBox = el("details", { class: "reasoning" }, el("summary", { text: "Reasoning" }), this.reasoningText);
      this.body.prepend(this.reasoningBox);
    }
    this.reasoningText.textContent = text;
  }

  #drawBody() {
    const { message, body } = this;
    this.growing = null;
    this.reasoningBox = null;
    this.node.classList.remove("streaming", "waiting");
    body.replaceChildren();
    body.dir = directionOf(message.text);
    if (message.role === "user") body.append(...userText(message.text));
    else if (message.text) body.append(el("div", { class: "md" }, renderMarkdown(message.text)));
    if (message.reasoning) this.#drawReasoning(message.reasoning);
    for (const part of message.parts ?? []) body.append(...partNodes(part));
  }

  #drawFrame() {
    const { message: m, node } = this;
    const user = m.role === "user";
    const who = user ? "You" : m.role === "system" ? "System" : m.model || "Assistant";
    node.className = ["msg", m.role, `state-${m.state}`, `status-${m.status}`,
      this.growing ? "streaming" : ""].filter(Boolean).join(" ");
    node.dataset.turn = m.turn_id ?? "";
    node.setAttribute("aria-label", `${user ? "You" : who}${STATES[m.state] ? `, ${STATES[m.state][0]}` : ""}`);
    this.head.replaceChildren(el("span", { class: "who", text: who }));
    const time = when(m.created_at);
    if (time) this.head.append(el("time", { class: "time", text: time }));
    const badge = m.status !== "failed" && STATES[m.state]; // the error says it better
    if (badge) this.head.append(el("span", { class: `badge badge-${m.state}`, title: badge[1], text: badge[0] }));
    const ending = m.status === "stopped" ? ENDINGS.stopped : ENDINGS[m.finish];
    if (ending && !m.error) this.head.append(el("span", { class: "badge badge-ending", text: ending }));
    this.#drawError();
    this.foot.replaceChildren(...this.#branches(), this.#actions());
  }

  #drawError() {
    const { message: m } = this;
    this.errorBox?.remove();
    this.errorBox = null;
    if (m.status !== "failed" && !m.error) return;
    this.errorBox = el(
      "div",
      { class: "msg-error", role: "alert" },
      el("p", { text: m.error || "The answer failed." }),
      el("button", { type: "button", class: "button", data: { act: "retry" } }, icon("redo"), "Retry"),
    );
    this.node.insertBefore(this.errorBox, this.foot);
  }

  #branches() {
    const { message: m } = this;
    if (!(m.siblings > 1)) return [];
    const step = (name, label, to) =>
      iconButton(name, label, "branch", { data: { act: "branch", to: to ?? "" }, disabled: !to });
    return [
      el(
        "span",
        { class: "branches", role: "group", "aria-label": "Versions" },
        step("left", "Previous version", m.previous_sibling),
        el("span", { class: "branch-count", text: `${m.sibling}/${m.siblings}` }),
        step("right", "Next version", m.next_sibling),
      ),
    ];
  }

  #actions() {
    const { message: m } = this;
    const bar = el("span", { class: "msg-actions" });
    if (m.status === "streaming") return bar;
    if (m.text) bar.append(iconButton("copy", "Copy message", "copy"));
    if (m.role === "user") {
      bar.append(iconButton("edit", "Edit", "edit"));
      const pin = m.pinned ? "Unpin this turn" : "Pin this turn: always word for word";
      const out = m.excluded ? "Take this turn in again" : "Leave this turn out";
      bar.append(
        iconButton("pin", pin, "pin", { "aria-pressed": String(Boolean(m.pinned)) }),
        iconButton("exclude", out, "exclude", { "aria-pressed": String(Boolean(m.excluded)) }),
      );
    } else if (m.role === "assistant") {
      if (!this.errorBox) bar.append(iconButton("redo", "Regenerate", "regenerate")); // else Retry does it
      if (m.text) bar.append(iconButton("forward", "Continue this answer", "continue"));
    }
    bar.append(iconButton("trash", "Delete message", "delete"));
    return bar;
  }

  /** Lets the text be changed in place; the session makes a new branch of it. */
  edit() {
    if (this.editing) return;
    this.editing = true;
    const box = el("textarea", { class: "edit-box", "aria-label": "Edited text", dir: directionOf(this.message.text), value: this.message.text });
    const save = el("button", { type: "button", class: "button primary", data: { act: "edit-save" } }, "Save and answer");
    const cancel = el("button", { type: "button", class: "button", data: { act: "edit-cancel" } }, "Cancel");
    const problem = el("p", { class: "field-error", role: "alert", hidden: true });
    this.body.replaceChildren(el("div", { class: "edit" }, box, problem, el("div", { class: "edit-row" }, save, cancel)));
    this.foot.hidden = true;
    box.focus();
  }

  get edited() {
    return this.body.querySelector(".edit-box")?.value ?? "";
  }

  /** Says under the box why an edit was not taken. */
  refuse(reason) {
    const problem = this.body.querySelector(".field-error");
    if (!problem) return;
    problem.textContent = reason;
    problem.hidden = false;
    this.body.querySelector(".edit-box").focus();
  }

  endEdit() {
    if (!this.editing) return;
    this.editing = false;
    this.foot.hidden = false;
    this.#drawBody();
    this.foot.querySelector('[data-act="edit"]')?.focus();
  }
}

/** A question is shown as it was typed; a long one is clipped until it is wanted. */
function userText(text) {
  if (text.length <= CLIP) return [el("div", { class: "plain", text })];
  const shown = el("div", { class: "plain", text: `${sliceWhole(text, CLIP)}…` });
  const more = el("button", {
    type: "button",
    class: "show-all",
    text: `Show all ${Math.round(text.length / 100) / 10}k characters`,
    on: {
      click: () => {
        shown.textContent = text;
        more.remove();
      },
    },
  });
  return [shown, more];
}

/** The first n code units, not ending in half a character. */
function sliceWhole(text, n) {
  const code = text.charCodeAt(n - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? n - 1 : n);
}

function partNodes(part) {
  if (part.kind === "image" && OWN_IMAGE.test(part.data ?? "")) {
    return [el("img", { class: "own-image", src: part.data, alt: part.name || "Image", loading: "lazy" })];
  }
  if (part.kind === "image" || part.kind === "file") {
    return [el("p", { class: "part", text: `${part.kind === "image" ? "Image" : "File"}: ${part.name || "unnamed"}` })];
  }
  if (part.kind === "tool_call" || part.kind === "tool_result") {
    const title = part.kind === "tool_call" ? "Tool call" : "Tool result";
    return [
      el("details", { class: "reasoning" }, el("summary", { text: part.name ? `${title}: ${part.name}` : title }),
        el("div", { class: "plain", text: part.text ?? "" })),
    ];
  }
  return [];
}
