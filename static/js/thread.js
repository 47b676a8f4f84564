// The thread: which messages stand in the document, in which order, and where the fold mark is.
// Only the newest messages are drawn at first; older ones come in portions when one scrolls up.

import { ask, dispatch, follow, publish, topic } from "./bus.js";
import { $, button, copyText, el, flashCopied, plural } from "./dom.js";
import { confirm } from "./dialogs.js";
import { MessageView } from "./message.js";
import { Stick } from "./stick.js";
import { welcome } from "./welcome.js";

const FIRST = 40; // messages drawn when a conversation is opened
const PORTION = 30; // messages drawn at each step upwards

export class Thread {
  constructor() {
    this.log = $("log");
    this.column = $("thread");
    this.views = new Map(); // message id -> MessageView
    this.value = null;
    this.start = 0; // index of the oldest message drawn
    this.stick = new Stick(this.log, $("jump"));
    this.earlier = button("Show earlier messages", { act: "earlier", kind: "quiet earlier" });
    this.mark = foldMark();
    this.welcome = welcome();
    this.log.addEventListener("click", (event) => this.#click(event));
    this.log.addEventListener("keydown", (event) => this.#key(event));
    new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#showEarlier(), {
      root: this.log,
      rootMargin: "600px 0px 0px 0px",
    }).observe(this.earlier);
    window.addEventListener("beforeprint", () => this.#drawAll());
    follow("thread", (value) => this.draw(value));
    follow("stream", (value) => this.#stream(value));
    follow("sent", (value) => value && this.stick.toBottom());
    follow("queued", () => this.#place(this.value ? this.value.messages.slice(this.start) : []));
  }

  draw(value) {
    const opened = this.value?.conversation_id !== value.conversation_id;
    const { messages } = value;
    this.value = value;
    if (opened) {
      this.views.clear();
      this.column.replaceChildren();
      this.start = Math.max(0, messages.length - FIRST);
    } else if (this.views.size === 0 || this.start > messages.length) {
      this.start = Math.max(0, messages.length - FIRST);
    }
    this.#place(messages.slice(this.start));
    this.log.setAttribute("aria-busy", String(messages.some((m) => m.status === "streaming")));
    if (opened) this.stick.toBottom();
    const pending = topic("stream");
    if (pending) this.#stream(pending);
  }

  /** Brings the document in line with `shown`, moving and rebuilding as little as can be. */
  #place(shown) {
    const wanted = [];
    if (this.start > 0) wanted.push(this.earlier);
    const boundary = this.value?.boundary_id;
    for (const message of shown) {
      let view = this.views.get(message.id);
      if (view) view.update(message);
      else this.views.set(message.id, (view = new MessageView(message)));
      wanted.push(view.node);
      if (message.id === boundary) wanted.push(this.#markFor());
    }
    const ids = new Set(shown.map((m) => m.id));
    for (const id of [...this.views.keys()]) if (!ids.has(id)) this.views.delete(id);
    const queued = topic("queued");
    if (queued) wanted.push(queuedBubble(queued.text));
    else if (this.value && shown.length === 0) wanted.push(this.welcome);
    this.stick.still = shown.length === 0 && !queued;
    const keep = new Set(wanted);
    for (const node of [...this.column.children]) if (!keep.has(node)) node.remove();
    let at = this.column.firstElementChild;
    for (const node of wanted) {
      if (node === at) at = at.nextElementSibling;
      else this.column.insertBefore(node, at);
    }
  }

  #markFor() {
    const count = this.value.folded_count;
    this.mark.querySelector(".fold-count").textContent = `${plural(count, "message")} folded into the summary`;
    return this.mark;
  }

  #stream(value) {
    if (!value?.message_id) return;
    const view = this.views.get(value.message_id);
    if (!view || view.message.status !== "streaming") return;
    view.stream(value.text, value.reasoning);
  }

  #showEarlier(count = PORTION) {
    if (this.start === 0 || !this.value) return;
    const above = this.log.scrollHeight - this.log.scrollTop;
    this.start = Math.max(0, this.start - count);
    this.#place(this.value.messages.slice(this.start));
    this.log.scrollTop = this.log.scrollHeight - above;
  }

  /** Paper has no buttons: what they would show is drawn before. */
  #drawAll() {
    this.#showEarlier(this.start);
    for (const more of this.column.querySelectorAll(".show-all")) more.click();
  }

  /** Draws up to a message, scrolls to it and marks it for a moment. */
  show(id) {
    const index = this.value?.messages.findIndex((m) => m.id === id) ?? -1;
    if (index < 0) return false;
    if (index < this.start) {
      this.start = Math.max(0, index - 5);
      this.#place(this.value.messages.slice(this.start));
    }
    const { node } = this.views.get(id);
    this.stick.release();
    node.scrollIntoView({ block: "center" });
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
    node.classList.add("found");
    setTimeout(() => node.classList.remove("found"), 1600);
    return true;
  }

  #key(event) {
    const view = this.#viewOf(event.target);
    if (!view?.editing) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      view.endEdit();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      this.#saveEdit(view);
    }
  }

  /** On a screen without a mouse a tap on a message brings its tools out, and the next one in. */
  #tapped(target) {
    if (target.closest("a, button, summary, textarea") || !getSelection().isCollapsed) return;
    const node = target.closest(".msg");
    const on = node && !node.hasAttribute("data-tapped");
    for (const other of this.column.querySelectorAll("[data-tapped]")) other.removeAttribute("data-tapped");
    if (on) node.setAttribute("data-tapped", "");
  }

  #viewOf(target) {
    return this.views.get(target.closest(".msg")?.dataset.id);
  }

  /** An edit ends when it is accepted; refused, it stays with its reason. */
  async #saveEdit(view) {
    const text = view.edited;
    if (!text.trim() || view.saving) return;
    if (text !== view.message.text) {
      view.saving = true;
      try {
        await dispatch("edit", view.id, text);
      } catch (error) {
        view.refuse(error.message);
        return;
      } finally {
        view.saving = false;
      }
    }
    view.endEdit();
    $("message").focus();
  }

  async #click(event) {
    const target = event.target.closest("[data-act]");
    if (!target || !this.log.contains(target)) {
      this.#tapped(event.target);
      return;
    }
    const view = this.#viewOf(target);
    const message = view?.message;
    switch (target.dataset.act) {
      case "earlier":
        return this.#showEarlier();
      case "fold-mark":
        return publish("open_memory", { at: Date.now() });
      case "copy-code":
        return flashCopied(target, await copyText(target.closest(".code").querySelector("code").textContent));
      case "copy":
        return flashCopied(target, await copyText(message.text));
      case "edit":
        return view.edit();
      case "edit-save":
        return this.#saveEdit(view);
      case "edit-cancel":
        return view.endEdit();
      case "branch":
        return ask("switch_branch", target.dataset.to);
      case "retry":
        return ask("retry", view.id);
      case "regenerate":
        return ask("regenerate", view.id);
      case "continue":
        return ask("continue_answer", view.id);
      case "pin":
        return ask("pin", message.turn_id, !message.pinned);
      case "exclude":
        return ask("exclude", message.turn_id, !message.excluded);
      case "delete":
        if (await confirm("Delete this message?", "It goes for good, from the transcript and from later requests. What follows it stays.", "Delete")) {
          await ask("delete_message", view.id);
          $("message").focus();
        }
        return undefined;
      default:
        return undefined;
    }
  }
}

function foldMark() {
  const text = el("span", { class: "fold-text" }, el("span", { class: "fold-title", text: "Conversation summarised" }), " ", el("span", { class: "fold-count" }));
  return el(
    "button",
    { type: "button", class: "fold-mark", data: { act: "fold-mark" }, title: "Show the memory" },
    text,
  );
}

function queuedBubble(text) {
  return el(
    "article",
    { class: "msg user queued", "aria-label": "You, waiting" },
    el("header", { class: "msg-head" }, el("span", { class: "who", text: "You" }),
      el("span", { class: "badge", text: "Waiting for Python: goes out by itself" })),
    el("div", { class: "msg-body" }, el("div", { class: "plain", text })),
  );
}
