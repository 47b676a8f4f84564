// The body of an answer, read in batches: a call into Python costs more than the few letters that a
// quick model sends at a time, a hundred times a second.

const PERIOD = 80; // milliseconds from one batch to the next; the first is given at once
const FULL = 32_768; // bytes of a batch, more or less: what Python reads without the page standing still

const joined = (pieces) => {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
};

/** A function that gives the next bytes of `body` (null: no more), or throws what reading it throws:
    what came before a fault is given first. */
export function batches(body) {
  const reader = body.getReader();
  let coming = null; // a read that is under way, or was over when its batch was full
  let last = -PERIOD;
  let size = 0;
  const next = async () => {
    if (size >= FULL) await new Promise((done) => setTimeout(done)); // a flood: others have their turn
    size = 0;
    const first = await (coming ?? reader.read());
    coming = null;
    if (first.done) return null;
    const pieces = [first.value];
    size = first.value.length;
    const left = last + PERIOD - performance.now();
    const over = left > 0 && new Promise((done) => setTimeout(done, left));
    while (size < FULL && performance.now() < last + PERIOD) {
      coming = reader.read();
      const more = await Promise.race([coming.catch(() => null), over]);
      if (!more || more.done) break;
      coming = null;
      pieces.push(more.value);
      size += more.value.length;
    }
    last = performance.now();
    return size ? joined(pieces) : next(); // an empty piece is no end
  };
  return next;
}
