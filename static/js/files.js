// Files: export to a download, import from a file, and what the browser may do with the data.

import { ask, dispatch, follow, publish } from "./bus.js";
import { confirm, openDialog, section } from "./dialogs.js";
import { button, el } from "./dom.js";

const BIGGEST = 500e6; // bytes: more would not fit a browser's memory as text

/** Text of a file of any usual encoding (UTF-8 or UTF-16, with or without its mark). */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

async function exportAll() {
  const text = await ask("export_all");
  if (typeof text !== "string") return;
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: url, download: `pleat-${new Date().toISOString().slice(0, 10)}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const words = (name) => name.replaceAll("_", " ");

/** The report in rows; numbers and lists of texts are shown, the rest is left out. */
function reportRows(report) {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of Object.entries(report ?? {})) {
    if (typeof value === "number" || (typeof value === "string" && value)) {
      list.append(el("dt", { text: words(name) }), el("dd", { text: String(value) }));
    } else if (Array.isArray(value) && value.length) {
      list.append(el("dt", { text: words(name) }), el("dd", {}, el("ul", {}, ...value.slice(0, 50).map((one) =>
        el("li", { text: typeof one === "string" ? one : JSON.stringify(one) })))));
    } else if (value && typeof value === "object" && !Array.isArray(value)) {
      for (const [inner, count] of Object.entries(value)) {
        if (typeof count === "number" || typeof count === "string") {
          list.append(el("dt", { text: words(inner) }), el("dd", { text: String(count) }));
        }
      }
    }
  }
  return list;
}

export function dataSection() {
  const result = el("p", { class: "result", role: "alert", hidden: true });
  const say = (text, kind = "") => {
    result.textContent = text;
    result.className = `result ${kind}`.trim();
    result.hidden = !text;
  };
  const picker = el("input", { type: "file", class: "sr-only", tabindex: "-1", "aria-label": "File to import", accept: ".json,.jsonl,.txt,application/json" });
  const importing = button("Import a file");
  importing.addEventListener("click", () => picker.click());
  picker.addEventListener("change", async () => {
    const [file] = picker.files;
    if (!file) return;
    importing.disabled = true;
    say(`Reading ${file.name}`);
    try {
      if (file.size > BIGGEST) throw new Error("This file is over 500 MB: split it first.");
      const report = await dispatch("import_text", file.name, await textOf(file));
      if (report?.error) throw new Error(report.error);
      say("");
      openDialog("Import", { kind: "small", subtitle: file.name, body: reportRows(report) });
    } catch (error) {
      say(`${file.name}: ${error.message}`, "bad");
    } finally {
      importing.disabled = false;
      picker.value = "";
    }
  });
  const exporting = button("Export all chats");
  exporting.addEventListener("click", exportAll);
  const wipe = button("Delete all chats", { kind: "danger" });
  wipe.addEventListener("click", async () => {
    const sure = await confirm("Delete all chats?", "All chats and their summaries in this browser, for good. Export first if you may want them. Settings and keys stay; an endpoint’s key goes when you remove it.", "Delete all");
    if (!sure) return;
    try {
      await dispatch("delete_all");
      say("All chats are deleted.", "good");
    } catch (error) {
      say(error.message, "bad");
    }
  });
  return section(
    "Data",
    el("p", { class: "note", text: "Everything lies in this browser. Exports hold all chats and folds, never a key. ChatGPT, Claude and SillyTavern files can be imported." }),
    el("div", { class: "row" }, exporting, importing, picker, persistButton(), wipe),
    result,
  );
}

function persistButton() {
  const keep = button("Ask the browser to keep the data");
  keep.hidden = true;
  const note = el("span", { class: "note" });
  if (navigator.storage?.persisted) {
    navigator.storage.persisted().then((kept) => {
      keep.hidden = kept;
      note.textContent = kept ? "The browser keeps this data." : "";
    }, () => {});
  }
  keep.addEventListener("click", async () => {
    const kept = await navigator.storage.persist().catch(() => false);
    keep.hidden = kept;
    note.textContent = kept ? "The browser keeps this data." : "The browser did not promise it. Export now and then.";
  });
  return el("span", { class: "row" }, keep, note);
}

/** Export from a notice, and a file that is dropped on the page by mistake. */
export class Files {
  constructor() {
    follow("export", (value) => value && exportAll());
    for (const type of ["dragover", "drop"]) {
      window.addEventListener(type, (event) => {
        if (!event.dataTransfer?.types?.includes("Files")) return;
        event.preventDefault(); // or the browser would leave the page for the file
        if (type === "drop") publish("page_notice", { level: "info", text: "To import a file, use Settings, Data, Import a file." });
      });
    }
  }
}
