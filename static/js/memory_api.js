// window.pleat.memory: the memory of the shown chat for scripts, as plain objects.
//
//   get()                {conversation_id, fold_id, summary, last_summarized_message_id, revision}
//                        of the shown chat, or null when nothing is folded
//   subscribe(handler)   handler(new, previous) at each change; returns what ends it
//   update(text, foldId) the summary, written by hand; resolves to {status, fold_id, reason}.
//                        With the fold that it was written over it is refused when another one
//                        is there by then; without it the newest is written over
//   fold()               "Summarize & continue"; resolves to the same
//
// `call(name, json)` is Python's door. Returns publish(json), which Python calls at each change.
export function install(call) {
  let current = null;
  const handlers = new Map();
  let next = 0;
  const copy = (value) => (value === null ? null : { ...value });
  const ask = async (name, ...args) => {
    const answer = JSON.parse(await call(name, JSON.stringify(args)));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.ok;
  };
  const memory = Object.freeze({
    get: () => copy(current),
    subscribe(handler) {
      const key = next++;
      handlers.set(key, handler);
      return () => void handlers.delete(key);
    },
    update: (text, foldId = null) => ask("update", String(text), foldId),
    fold: () => ask("fold"),
  });
  globalThis.pleat = Object.freeze({ ...globalThis.pleat, memory });
  return (json) => {
    const previous = current;
    current = JSON.parse(json);
    for (const handler of [...handlers.values()]) {
      try {
        handler(copy(current), copy(previous));
      } catch (error) {
        reportError(error); // a script's own fault stops neither the others nor the page
      }
    }
  };
}
