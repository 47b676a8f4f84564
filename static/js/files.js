// Files: export to a download, import from a file, and what the browser may do with the data.

import { ask, dispatch, follow, publish } from "./bus.js";
import { confirm, openDialog, section } from "./dialogs.js";
import { button, el, number } from "./dom.js";
import { importReport } from "./import_report.js";
import { wipe } from "./wipe.js";

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
  const name = `pleat-${new Date().toISOString().slice(0, 10)}.json`;
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return name;
}

export function dataSection() {
  const result = el("p", { class: "result", role: "alert", hidden: true });
  const say = (text, kind = "") => {
    result.textContent = text;
    result.className = `result ${kind}`.trim();
    result.hidden = !text;
    if (text) result.scrollIntoView({ block: "nearest" });
  };
  const picker = el("input", { type: "file", hidden: true, "aria-label": "File to import", accept: ".json,.jsonl,.txt,application/json" });
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
      openDialog("Import", { kind: "small", subtitle: file.name, body: importReport(report) });
    } catch (error) {
      say(`${file.name}: ${error.message}`, "bad");
    } finally {
      importing.disabled = false;
      picker.value = "";
    }
  });
  follow("importing", ({ state, done, total }) => {
    if (state === "idle" || !importing.disabled || !total) return;
    say(`${state === "reading" ? "Reading" : "Storing"} chat ${number(Math.min(done + 1, total))} of ${number(total)}`);
  });
  const exporting = button("Export all chats");
  exporting.addEventListener("click", async () => {
    const name = await exportAll();
    if (name) say(`All chats are in ${name}, where the browser puts downloads.`, "good");
  });
  const deleting = button("Delete all chats", { kind: "danger" });
  deleting.addEventListener("click", async () => {
    const sure = await confirm("Delete all chats?", "All chats and their summaries in this browser, for good. Export first if you may want them. Settings and keys stay; an endpoint’s key goes when you remove it.", "Delete all");
    if (!sure) return;
    try {
      await dispatch("delete_all");
      say("All chats are deleted.", "good");
    } catch (error) {
      say(error.message, "bad");
    }
  });
  const wiping = button("Delete everything on this device", { kind: "danger" });
  wiping.addEventListener("click", async () => {
    const sure = await confirm("Delete everything?", "All chats, summaries, settings, keys, and the model that this browser has kept, for good. The page then starts as on the first visit. Export first if you may want the chats.", "Delete everything");
    if (!sure) return;
    say("Deleting");
    try {
      await wipe();
    } catch (error) {
      say(error.message, "bad");
    }
  });
  return section(
    "Data",
    el("p", { class: "note", text: "Everything lies in this browser. Exports hold all chats and folds, never a key. ChatGPT, Claude and SillyTavern files can be imported." }),
    el("div", { class: "row" }, exporting, importing, picker, persistButton()),
    el("div", { class: "row" }, deleting, wiping),
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
