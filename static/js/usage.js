// The totals of the calls in words: what answers used, what folding cost, and what it saved.

import { el, number } from "./dom.js";

const sum = (totals) => (totals?.tokens_in ?? 0) + (totals?.tokens_out ?? 0);

/** Rows for a <dl>: answers, folding, and the balance. Takes {chat, utility, folding_cost, folding_saved}.
    `folded`: whether anything is folded. What a fold saves is known when a request has gone out with it. */
export function usageRows(usage, folded = false) {
  const { chat, utility } = usage;
  const rows = [];
  const row = (name, value) => rows.push(el("dt", { text: name }), el("dd", { text: value }));
  if (chat) row("Answers", `${number(chat.tokens_in)} in, ${number(chat.tokens_out)} out`);
  const cost = usage.folding_cost ?? sum(utility);
  const saved = usage.folding_saved ?? 0;
  if (cost) row("Folding cost", `${number(cost)} tokens`);
  else if (folded) row("Folding cost", "Nothing so far");
  if (saved) row("Folding saved", `${number(saved)} tokens`);
  else if (folded) row("Folding saved", "Counted with the next answer");
  const cached = chat?.cached ?? 0;
  if (cached) row("From the cache", `${number(cached)} tokens`);
  const failed = (chat?.failed ?? 0) + (utility?.failed ?? 0);
  if (failed) row("Failed calls", number(failed));
  return rows;
}
