// gpt-tokenizer for Python: loaded when first needed, many texts a call, and safe on any text.
//
// The library is quadratic on a run without a break ("a" × 100,000 takes 6 s), so long runs are
// cut into slices, and where there are very many slices a part of them is counted and the rest
// estimated, upwards. All of that depends on the text alone: the same text has the same count.

const PLAIN = Object.freeze({ disallowedSpecial: new Set() }); // "<|endoftext|>" is text like any
const LOADERS = {
  o200k_base: () => import("../vendor/gpt-tokenizer/encoding/o200k_base.js"),
  cl100k_base: () => import("../vendor/gpt-tokenizer/encoding/cl100k_base.js"),
};
const loaded = new Map();

const SLICE = 128; // characters of a run that are counted at once
const RUN = /[\p{L}\p{M}]{128,}|\s{256,}|[^\s\p{L}\p{N}]{256,}/gu;
const EXACT_SLICES = 48; // distinct slices of runs that are all counted
const SAMPLES = 48; // else so many of them
const LONG = 65_536; // characters of ordinary text, above which a look is taken first
const LOOK = 40; // samples of that look
const LOOK_SLICE = 512;
const EASY = 3.1; // characters a token, above which the library is fast: count it all
const RARE = 200_000; // as in app/memory/tokens.py

export async function load(name) {
  if (!LOADERS[name]) throw new Error(`unknown encoding ${name}`);
  if (!loaded.has(name)) loaded.set(name, await LOADERS[name]());
}

// The tokens of each text of a JSON array, as Int32Array.
export function countMany(name, json) {
  const api = loaded.get(name);
  const count = (text) => api.countTokens(text, PLAIN);
  return Int32Array.from(JSON.parse(json), (text) => countText(count, text));
}

// The id of " word" where it is one token (small = common), else RARE × pieces.
export function rankMany(name, json) {
  const api = loaded.get(name);
  return Int32Array.from(JSON.parse(json), (word) => {
    if (word.length > 64) return RARE * Math.ceil(word.length / 8);
    const ids = api.encode(` ${word}`, PLAIN);
    return ids.length === 1 ? ids[0] : RARE * ids.length;
  });
}

// A cheap look before the regular expression: 128 characters of one class in a row? What is not
// ASCII goes with any class, so that nothing is missed.
const CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /[a-z]/i.test(char) ? 1 : /\d/.test(char) ? 2 : /\s/.test(char) ? 3 : 4;
});

function mayHoldRun(text) {
  if (text.length <= SLICE) return false;
  let kind = 0;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const own = code < 128 ? CLASS[code] : kind;
    if (own === kind || kind === 0) {
      if (++length > SLICE) return true;
    } else length = 1;
    kind = own;
  }
  return false;
}

export function countText(count, text) {
  if (text.length <= LONG && !mayHoldRun(text)) return count(text);
  const runs = [];
  let rest = [];
  let from = 0;
  for (const match of text.matchAll(RUN)) {
    if (match[0].length <= SLICE) continue;
    if (match.index > from) rest.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    for (const slice of slices(match[0], SLICE, false)) runs.push(slice);
  }
  if (!runs.length) rest = [text];
  else if (from < text.length) rest.push(text.slice(from));
  return countRuns(count, runs) + countRest(count, rest, text.length);
}

function countRuns(count, runs) {
  if (!runs.length) return 0;
  const known = new Map();
  const cached = (slice) => {
    let tokens = known.get(slice);
    if (tokens === undefined) known.set(slice, (tokens = count(slice)));
    return tokens;
  };
  const distinct = new Set(runs);
  if (distinct.size <= EXACT_SLICES) return runs.reduce((sum, slice) => sum + cached(slice), 0);
  return estimated(runs, SAMPLES, cached);
}

function countRest(count, rest, length) {
  const size = rest.reduce((sum, piece) => sum + piece.length, 0);
  if (size <= LONG || length <= LONG) return rest.reduce((sum, piece) => sum + count(piece), 0);
  const parts = rest.flatMap((piece) => [...slices(piece, LOOK_SLICE, true)]);
  const looked = sampled(parts.length, LOOK).map((index) => [parts[index].length, count(parts[index])]);
  const characters = looked.reduce((sum, [each]) => sum + each, 0);
  const tokens = looked.reduce((sum, [, each]) => sum + each, 0);
  if (characters / tokens >= EASY) return rest.reduce((sum, piece) => sum + count(piece), 0);
  return upwards(looked, size);
}

function estimated(parts, samples, count) {
  const size = parts.reduce((sum, each) => sum + each.length, 0);
  return upwards(sampled(parts.length, samples).map((i) => [parts[i].length, count(parts[i])]), size);
}

// The tokens of `size` characters by samples of [characters, tokens]: mean + 3 errors + 0.5 %.
function upwards(samples, size) {
  const rates = samples.map(([characters, tokens]) => tokens / characters);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const spread = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / Math.max(1, rates.length - 1);
  return Math.ceil(size * (mean + 3 * Math.sqrt(spread / rates.length)) * 1.005);
}

// `wanted` of `total` indices: evenly spread, but in no step that a repeating text could share.
function sampled(total, wanted) {
  if (total <= wanted) return [...Array(total).keys()];
  const golden = 0.6180339887498949;
  return [...Array(wanted).keys()].map((i) =>
    Math.min(total - 1, Math.floor(((i + ((i * golden) % 1)) * total) / wanted)),
  );
}

// Cut at no half character; with `atSpaces` rather at one of the text's own spaces.
function* slices(text, size, atSpaces) {
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + size);
    if (to < text.length) {
      const space = atSpaces ? text.slice(from, to).lastIndexOf(" ") : 0;
      if (space > size / 2) to = from + space;
      else if (/[\uDC00-\uDFFF]/.test(text[to]) && /[\uD800-\uDBFF]/.test(text[to - 1])) to -= 1;
    }
    if (to <= from) to = Math.min(text.length, from + size);
    yield text.slice(from, to);
    from = to;
  }
}
