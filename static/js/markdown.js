// Markdown of strangers, made safe: marked writes it, DOMPurify lets a short list of tags through.
// Raw HTML is shown as text; a remote image becomes a link and is never fetched.

import { marked } from "../vendor/marked/marked.esm.js";
import DOMPurify from "../vendor/dompurify/purify.es.mjs";
import { el, icon } from "./dom.js";

const TAGS = (
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img li ol p pre strong table tbody td th thead tr ul"
).split(" ");
const ATTRIBUTES = ["href", "src", "alt", "title", "start", "align", "class"];
const WEB = /^(?:https?:|mailto:)/i;
const OWN_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;
const PLAIN_OVER = 120_000; // characters: past this, Markdown is not worth a blocked page

const escape = (text) =>
  text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);

/** The host of a web address, or "" when there is none. */
function hostOf(href) {
  try {
    const url = new URL(href.startsWith("//") ? `https:${href}` : href);
    return WEB.test(url.protocol) ? url.host : "";
  } catch {
    return "";
  }
}

marked.use({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escape(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    code({ text, lang }) {
      const name = (lang ?? "").match(/^[\w+#.-]{1,24}/)?.[0] ?? "";
      return `<pre><code class="language-${name}">${escape(text)}</code></pre>\n`;
    },
    image({ href, text }) {
      if (OWN_IMAGE.test(href)) return `<img src="${escape(href)}" alt="${escape(text)}">`;
      const host = hostOf(href);
      const label = escape(`image: ${text ? `${text}, ` : ""}${host || "no address"}`);
      const target = href.startsWith("//") ? `https:${href}` : href;
      return host ? `<a href="${escape(target)}">${label}</a>` : label;
    },
  },
});

const purifier = DOMPurify(window);
purifier.addHook("uponSanitizeAttribute", (node, data) => {
  const { attrName: name, attrValue: value } = data;
  if (name === "class") data.keepAttr = node.nodeName === "CODE" && /^language-[\w+#.-]*$/.test(value);
  if (name === "href") data.keepAttr = WEB.test(value.trim());
  if (name === "src") data.keepAttr = OWN_IMAGE.test(value);
});
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A") return;
  if (!node.hasAttribute("href")) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

const clean = (html) =>
  purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });

/** Gives code blocks their label and copy button, and tables a box that scrolls. */
function decorate(fragment) {
  for (const pre of fragment.querySelectorAll("pre")) {
    const code = pre.querySelector("code");
    const language = (code?.className ?? "").replace("language-", "");
    code?.removeAttribute("class");
    const copy = el(
      "button",
      { type: "button", class: "code-copy", data: { act: "copy-code" }, "aria-label": "Copy code" },
      icon("copy"),
      "Copy",
    );
    const box = el("div", { class: "code" }, el("div", { class: "code-head" }, el("span", { text: language || "text" }), copy));
    pre.replaceWith(box);
    pre.tabIndex = 0;
    box.append(pre);
  }
  for (const table of fragment.querySelectorAll("table")) {
    const box = el("div", { class: "table", tabindex: "0", role: "group", "aria-label": "Table" });
    table.replaceWith(box);
    box.append(table);
  }
  return fragment;
}

const tidy = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

const plain = (text) => el("div", { class: "plain", text });

/** A fragment for a whole text. Never throws: what cannot be drawn is shown as it is. */
export function renderMarkdown(text) {
  if (text.length > PLAIN_OVER) return plain(text);
  try {
    return decorate(clean(marked.parse(tidy(text))));
  } catch {
    return plain(text);
  }
}

/** A paragraph that breaks off within bold or code, closed for the moment: no stray asterisks. */
function mend(block) {
  if (block.type !== "paragraph") return block;
  const text = block.raw.trimEnd();
  const ticks = text.split("`").length % 2 === 0 ? "`" : "";
  const stars = !ticks && text.split("**").length % 2 === 0 ? (text.endsWith("**") ? null : "**") : "";
  if (stars === null) return marked.lexer(text.slice(0, -2))[0] ?? block;
  return ticks || stars ? marked.lexer(text + ticks + stars)[0] ?? block : block;
}

function nodesOf(block) {
  const fragment = decorate(clean(marked.parser([block])));
  return [...fragment.childNodes].filter((node) => node.nodeType === 1 || node.textContent.trim());
}

/** Draws the items of a list that are not drawn as they are now; false where it is another list.
    A list is one block, however long: to draw it all for each new word would be most of the work. */
function growList(old, block) {
  const before = old.block;
  if (block.type !== "list" || before.type !== "list" || old.nodes.length !== 1) return false;
  if (["ordered", "start", "loose"].some((key) => before[key] !== block[key])) return false;
  const list = old.nodes[0];
  const count = before.items.length;
  if (list.children.length !== count || block.items.length < count) return false;
  let same = 0;
  while (same < count && before.items[same].raw === block.items[same].raw) same += 1;
  const [drawn] = nodesOf({ ...block, items: block.items.slice(same) });
  while (list.children.length > same) list.lastElementChild.remove();
  list.append(...(drawn?.childNodes ?? []));
  return true;
}

/** Draws a text that grows: finished blocks stay, only the last ones are drawn again. */
export class GrowingMarkdown {
  constructor(host) {
    this.host = host;
    this.reset();
  }

  reset() {
    this.host.replaceChildren();
    this.settled = ""; // text whose blocks will not be touched again
    this.raws = []; // of these blocks
    this.live = []; // [{raw, type, nodes}] the last blocks
    this.text = "";
  }

  update(whole) {
    const text = tidy(whole);
    if (text === this.text) return;
    if (!text.startsWith(this.settled)) this.reset();
    this.text = text;
    if (text.length > PLAIN_OVER) {
      this.reset();
      this.host.append(plain(text));
      return;
    }
    let blocks;
    try {
      blocks = marked.lexer(text.slice(this.settled.length));
    } catch {
      this.host.replaceChildren(plain(text));
      this.live = [];
      return;
    }
    this.#drawLive(blocks);
    this.#settle();
  }

  /** The whole text is there: nothing is mended any more. What is read otherwise now than bit by bit
      (links that are defined below their use, a list that a later line made of a paragraph) needs one
      full drawing. */
  finish(whole) {
    this.ended = true;
    this.update(whole);
    if (this.#isWhole()) this.#drawLive(this.live.map(({ block }) => block));
    else this.host.replaceChildren(renderMarkdown(whole));
  }

  #isWhole() {
    const { text, raws, live } = this;
    if (/^ {0,3}\[[^\]]+\]:/m.test(text)) return false;
    if (text.length > PLAIN_OVER) return true;
    try {
      const found = marked.lexer(text).map((block) => block.raw);
      const drawn = [...raws, ...live.map((block) => block.raw)];
      return found.length === drawn.length && found.every((raw, index) => raw === drawn[index]);
    } catch {
      return false;
    }
  }

  #drawLive(blocks) {
    blocks.forEach((block, index) => {
      const old = this.live[index];
      const mended = !this.ended && index === blocks.length - 1 ? mend(block) : block;
      if (old && old.mended === (mended !== block) && old.raw === block.raw && old.type === block.type) return;
      const code = old?.type === "code" && block.type === "code" && old.lang === block.lang;
      const target = code && old.nodes[0]?.querySelector?.("code");
      if (target) {
        target.textContent = block.text;
        this.live[index] = { ...old, block, raw: block.raw };
        return;
      }
      if (old && growList(old, block)) {
        this.live[index] = { ...old, block, raw: block.raw };
        return;
      }
      const nodes = this.#nodes(mended);
      if (old) for (const node of old.nodes) node.remove();
      const after = this.live.slice(index + 1).flatMap((one) => one.nodes)[0] ?? null;
      for (const node of nodes) this.host.insertBefore(node, after);
      this.live[index] = { block, raw: block.raw, type: block.type, lang: block.lang, mended: mended !== block, nodes };
    });
    for (const gone of this.live.splice(blocks.length)) for (const node of gone.nodes) node.remove();
  }

  #nodes(block) {
    return block.type === "space" || block.type === "def" ? [] : nodesOf(block);
  }

  /** All but the last two real blocks are finished (a list may go on after a blank line). */
  #settle() {
    let real = 0;
    let keep = this.live.length;
    while (keep > 0 && real < 2) {
      keep -= 1;
      if (this.live[keep].type !== "space") real += 1;
    }
    for (const block of this.live.splice(0, keep)) {
      this.settled += block.raw;
      this.raws.push(block.raw);
    }
  }
}
