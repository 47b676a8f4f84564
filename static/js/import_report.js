// What an import brought: the sentence, the numbers by kind (they add up), and every reason.

import { el, number, plural } from "./dom.js";

const KINDS = [["conversations", "Chats"], ["messages", "Messages"], ["folds", "Folds"]];
const OUTCOMES = [["found", "Found"], ["imported", "Imported"], ["empty", "Empty"], ["skipped", "Left out"], ["failed", "Failed"]];
const NOUNS = { conversation: "chat", message: "message", fold: "fold" };
const WORDS = { imported: "imported", empty: "empty", skipped: "left out", failed: "failed" };

function table(report) {
  const shown = OUTCOMES.filter(([id]) => id === "found" || id === "imported" || KINDS.some(([kind]) => report[kind]?.[id]));
  const head = el("tr", {}, el("td", {}), ...shown.map(([, name]) => el("th", { scope: "col", text: name })));
  const rows = KINDS.filter(([kind]) => report[kind]?.found).map(([kind, name]) =>
    el("tr", {}, el("th", { scope: "row", text: name }), ...shown.map(([id]) => el("td", { text: number(report[kind][id]) }))));
  return el("table", { class: "report-table" }, el("thead", {}, head), el("tbody", {}, ...rows));
}

function reason({ what, outcome, text, count, where = [] }) {
  if (what === "file") return el("li", { text });
  const places = where.length ? ` (${where.join(", ")}${count > where.length ? ", …" : ""})` : "";
  return el("li", { text: `${plural(count, NOUNS[what] ?? what)} ${WORDS[outcome] ?? outcome}: ${text}${places}` });
}

/** The body of the dialog "Import". */
export function importReport(report) {
  const reasons = report?.reasons ?? [];
  return el("div", { class: "import-report" },
    report?.text && el("p", { text: report.text }),
    KINDS.some(([kind]) => report?.[kind]?.found) && table(report),
    reasons.length > 0 && el("ul", { class: "reasons" }, ...reasons.slice(0, 50).map(reason)));
}
