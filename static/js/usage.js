// The totals of the calls in words: what answers used, what folding cost, and what it saved.

import { el, number } from "./dom.js";

const sum = (totals) => (totals?.tokens_in ?? 0) + (totals?.tokens_out ?? 0);

/** Rows for a <dl>: answers, folding, and the balance. Takes {chat, utility, folding_cost, folding_saved}. */
export function usageRows(usage) {
  const { chat, utility } = usage;
  const rows = [];
  const row = (name, value) => rows.push(el("dt", { text: name }), el("dd", { text: value }));
  if (chat) row("Answers", `${number(chat.tokens_in)} in, ${number(chat.tokens_out)} out`);
  const cost = usage.folding_cost ?? sum(utility);
  const saved = usage.folding_saved ?? 0;
  row("Folding cost", `${number(cost)} tokens`);
  row("Folding saved", `${number(saved)} tokens`);
  const cached = chat?.cached ?? 0;
  if (cached) row("From the cache", `${number(cached)} tokens`);
  const failed = (chat?.failed ?? 0) + (utility?.failed ?? 0);
  if (failed) row("Failed calls", number(failed));
  return rows;
}
