// Small helpers to build elements without markup strings, and to word numbers and times.
// No style attributes anywhere: the page's CSP forbids them; sizes are set through the CSSOM.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `props` may hold class, text, on (events), data, and any attribute. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") node.className = value;
    else if (key === "text") node.textContent = value;
    else if (key === "on") {
      for (const [type, handler] of Object.entries(value)) node.addEventListener(type, handler);
    } else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A square button with an icon and a name for screen readers. */
export function iconButton(name, label, act, more = {}) {
  return el(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, data: { act }, ...more },
    icon(name),
  );
}

export function button(label, { act, kind = "", ...more } = {}) {
  return el("button", { type: "button", class: `button ${kind}`.trim(), data: act ? { act } : {}, ...more }, label);
}

export const $ = (id) => document.getElementById(id);

const NUMBER = new Intl.NumberFormat("en");

/** 12345 -> "12,345"; nothing sensible -> "0". */
export const number = (value) => NUMBER.format(Number.isFinite(value) ? value : 0);

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Milliseconds or seconds since 1970, or an ISO text -> "14:05", with the date if not today. */
export function when(value) {
  if (!value) return "";
  const date = new Date(typeof value === "number" && value < 1e11 ? value * 1000 : value);
  if (Number.isNaN(date.getTime())) return "";
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }).replace(/\s/g, "\u00a0"); // "02:05 PM" stays on one line
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

export const megabytes = (bytes) => `${Math.round((bytes ?? 0) / 1e6)} MB`;

/** Copies text; works on plain http too, where navigator.clipboard is missing. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "sr-only", "aria-hidden": "true", value: text });
    const focused = document.activeElement;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}

/** Shows for a moment, on the button itself, that something was copied. */
export function flashCopied(target, done) {
  const use = target.querySelector("use");
  if (!use) return;
  const before = target.dataset.icon ?? use.getAttribute("href");
  target.dataset.icon = before;
  use.setAttribute("href", done ? "#i-check" : "#i-close");
  announce(done ? "Copied" : "Copying is not allowed here");
  setTimeout(() => use.setAttribute("href", before), 1500);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTER = /\p{L}/u;

/** "rtl" or "ltr", by the first letter. Not dir="auto": that is quadratic in the lines of a text. */
export function directionOf(text) {
  const letter = LETTER.exec(text.slice(0, 300))?.[0] ?? "";
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}

/** Says something politely to screen readers, once. */
export function announce(text) {
  const region = $("announcer");
  region.textContent = "";
  region.textContent = text;
}
