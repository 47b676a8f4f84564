// The message box. Works before Python is there: a message that is sent early waits and is shown.
// Enter sends, Shift+Enter breaks the line, an Enter that belongs to an input method does neither.

import { ask, dispatch, dispatchNow, follow, publish, topic } from "./bus.js";
import { $, announce, directionOf, el, number } from "./dom.js";
import { missing } from "./readiness.js";

const DRAFT_MS = 400;
const BIG_PASTE = 50_000; // characters
const WORDS = { preparing: "Preparing", folding: "Folding earlier messages", answering: "Generating", loading: "Loading the model" };

/** What is going on, with how far it is where that is known. */
function progressText({ state, done, total }) {
  const words = WORDS[state] ?? "Working";
  if (!total) return words;
  if (state === "loading") return `${words}: ${Math.round((100 * done) / total)} %`;
  return `${words}: ${number(done)} of ${number(total)}`;
}
const SEND = "Send (Enter)";
const SUMMARISED = "Conversation summarised";
const CUT = "The answer was cut off at its limit";
const ENDS = { complete: "Answer complete", stopped: "Stopped", failed: "The answer failed" };

/** Texts one below the other, empty ones left out. */
const joined = (...texts) => texts.filter(Boolean).join("\n\n");

export class Composer {
  constructor() {
    this.form = $("composer");
    this.box = $("message");
    this.status = $("status");
    this.choose = el("button", { type: "button", class: "choose", hidden: true, "aria-label": "Choose a model", text: "Choose" });
    this.choose.addEventListener("click", () => publish("open_settings", {}));
    this.status.after(this.choose);
    this.lacks = ""; // what the status says is missing
    this.busy = false;
    this.state = "idle";
    this.conversation = null;
    this.loading = null; // the draft that is on its way into the box
    this.pending = null; // what is being asked and is not stored yet: {text, conversation, since}
    this.draftTimer = 0;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("input", () => this.#changed());
    this.box.addEventListener("paste", (event) => this.#paste(event));
    $("stop").addEventListener("click", () => this.stop());
    $("skip").addEventListener("click", () => ask("skip"));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      // In another field Esc is that field's own (it empties the search).
      if (event.target !== this.box && event.target.closest?.("input, select, textarea")) return;
      if (this.busy && !document.querySelector("dialog[open]")) this.stop();
    });
    window.addEventListener("pagehide", () => (this.draftTimer || this.pending) && dispatchNow("set_draft", this.#typed, this.conversation ?? ""));
    follow("boot", ({ state }) => this.#boot(state));
    follow("busy", (value) => this.#busy(value));
    follow("stream", (value) => this.status.classList.toggle("flowing", Boolean(value?.text)));
    follow("thread", (value) => this.#opened(value));
    follow("summarised", (value) => value && this.#summarised());
    for (const name of ["settings", "local_model"]) follow(name, () => this.#readiness());
    this.#look();
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    // Safari tells compositionend first, then a keydown that is known by 229 only.
    if (event.isComposing || event.keyCode === 229) return;
    const wantsModifier = topic("settings")?.send_key === "ctrl-enter";
    if (wantsModifier && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (!event.repeat) this.send();
  }

  /** A huge paste goes in at one stroke: the browser's own way takes seconds for 1 MB of lines. */
  #paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length < BIG_PASTE) return;
    event.preventDefault();
    this.box.setRangeText(text, this.box.selectionStart, this.box.selectionEnd, "end");
    this.#changed();
  }

  send() {
    const text = this.box.value;
    this.box.focus();
    if (!text.trim() || this.busy || this.pending) return;
    if (topic("boot")?.state !== "ready") {
      this.#queue(text);
      return;
    }
    this.#clear();
    publish("sent", { at: Date.now() }); // whoever asks wants to see the answer
    this.#ask(text);
  }

  /** Asks. What is refused comes back before what was typed since, into the box of its own chat. */
  async #ask(text) {
    const pending = { text, conversation: this.conversation, since: "" };
    this.pending = pending;
    let refused = "";
    try {
      await dispatch("send", text);
    } catch (error) {
      refused = error.message;
    }
    await this.loading; // it knows what is pending, and must not fill the box after this
    this.pending = null;
    const here = pending.conversation === this.conversation;
    const box = joined(refused && text, (here && this.box.value) || pending.since);
    if (!here) {
      if (box) await ask("set_draft", box, pending.conversation);
    } else if (refused || box !== this.box.value) this.#fill(box);
    else if (box) this.#changed(); // the session has cleared the draft: what was typed since is one
    if (!refused) return;
    const where = here ? "" : " The message waits in the box of its chat.";
    publish("page_notice", { level: "error", text: `${refused}${where}` });
  }

  /** What is typed in the shown chat, with what is on its way. */
  get #typed() {
    const { pending } = this;
    return joined(pending?.conversation === this.conversation && pending?.text, this.box.value);
  }

  #fill(text) {
    this.box.value = text;
    this.#changed();
  }

  #queue(text) {
    if (topic("boot")?.state === "failed") return;
    if (topic("queued")) {
      this.status.textContent = "One message is waiting already; this one stays in the box";
      return;
    }
    publish("queued", { text });
    this.#clear();
    this.status.textContent = "Your message waits until Python is ready";
    announce("Your message goes out as soon as Python is ready");
  }

  #boot(state) {
    const queued = topic("queued");
    if (state === "ready") {
      this.#readiness();
      this.status.textContent = this.#restText;
      if (queued) {
        publish("queued", null);
        this.#ask(queued.text);
      }
    } else if (state === "failed") {
      this.status.textContent = "Could not start";
      if (queued) {
        publish("queued", null);
        this.#fill(joined(queued.text, this.box.value));
      }
    }
  }

  async stop() {
    this.status.textContent = "Stopping";
    await ask("stop");
    this.#refocus();
  }

  #busy(value) {
    const { state, can_skip: canSkip } = value;
    const was = this.state;
    this.state = state;
    this.busy = state !== "idle";
    if (state !== was) this.status.classList.remove("flowing");
    $("stop").hidden = !this.busy;
    $("send").hidden = this.busy;
    $("skip").hidden = !canSkip;
    this.status.classList.toggle("busy", this.busy);
    if (this.busy) this.status.textContent = progressText(value);
    else if (was !== "idle") {
      // The thread of the same moment says how it ended; it may be drawn after this topic.
      queueMicrotask(() => this.#ended(was));
      this.#refocus();
    }
  }

  #ended(was) {
    const last = topic("thread")?.messages?.at(-1);
    const answered = was === "answering" || was === "preparing";
    const cut = last?.status === "complete" && last.finish === "length";
    this.status.textContent = (answered && last?.role === "assistant" && (cut ? CUT : ENDS[last.status])) || this.#restText;
  }

  get #restText() {
    return this.lacks || "Ready";
  }

  /** Who cannot be answered yet is told what is missing; Send says the same to a screen reader. */
  #readiness() {
    if (topic("boot")?.state !== "ready") return;
    const lacks = missing();
    const before = this.#restText;
    this.lacks = lacks?.text ?? "";
    this.choose.hidden = !lacks?.choose;
    $("send").title = this.lacks || SEND;
    if (before === this.#restText || this.busy) return;
    if (this.lacks || this.status.textContent === before) this.status.textContent = this.#restText;
  }

  /** A fold is there: said in the status until something else is going on. */
  #summarised() {
    announce(SUMMARISED);
    if (!this.busy) this.status.textContent = SUMMARISED;
  }

  /** After an answer the box has the focus again, unless the reader has gone elsewhere. */
  #refocus() {
    const at = document.activeElement;
    const free = !at || at === document.body || this.form.contains(at) || at.closest?.(".msg-error");
    if (free && !document.querySelector("dialog[open]")) this.box.focus({ preventScroll: true });
  }

  #opened(value) {
    const id = value.conversation_id;
    if (id === this.conversation) return;
    const first = this.conversation === null;
    const gone = !first && value.instead_of === this.conversation; // deleted in another tab
    const { pending } = this;
    if (pending && (first || gone)) pending.conversation = id;
    else if (pending?.conversation === this.conversation) pending.since = this.box.value;
    this.conversation = id;
    if (!first && !this.busy) this.status.textContent = this.#restText; // what it said was of the other chat
    const typed = gone ? this.box.value : "";
    // What was typed while Python started belongs to the conversation that opens first.
    if (first && this.box.value) this.#changed();
    else this.loading = this.#loadDraft(id, typed);
    if (typed) publish("page_notice", { level: "info", text: "What you were writing in it is in the message box." });
    if (matchMedia("(pointer: fine)").matches) this.#refocus();
  }

  /** Fills the box with the draft of the chat that opens, before what was typed in a chat that is gone. */
  async #loadDraft(id, typed) {
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
    this.box.value = typed;
    this.#look();
    const { pending } = this; // saved with the draft when the chat was left; it comes back if it is refused
    let text = (await ask("draft")) ?? "";
    if (this.conversation !== id) return;
    if (pending?.conversation === id && text.startsWith(pending.text)) {
      text = text.slice(pending.text.length).replace(/^\n\n/, "");
      pending.since = ""; // it goes into the box
    }
    // The draft may be an earlier state of the same text, saved while the chats were changing.
    if (typed) this.#fill(this.box.value.startsWith(text) ? this.box.value : joined(text, this.box.value));
    else if (text && !this.box.value) {
      this.box.value = text;
      this.#look();
    }
  }

  /** Keeps what is in the box; to be awaited before another conversation is opened. */
  async saveDraft() {
    if (!this.draftTimer && !this.pending) return;
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
    await ask("set_draft", this.#typed, this.conversation ?? "");
  }

  /** Empties the box. The stored draft goes when the question is stored, not before. */
  #clear() {
    this.box.value = "";
    this.#look();
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
  }

  #changed() {
    this.#look();
    clearTimeout(this.draftTimer);
    if (topic("boot")?.state !== "ready") return;
    this.draftTimer = setTimeout(() => this.saveDraft(), DRAFT_MS);
  }

  #look() {
    const empty = this.box.value.length === 0;
    this.form.classList.toggle("empty", empty);
    this.box.dir = directionOf(this.box.value);
    if (CSS.supports("field-sizing", "content")) return;
    this.box.style.height = "auto";
    if (!empty) this.box.style.height = `${Math.min(this.box.scrollHeight, 320)}px`;
  }
}
