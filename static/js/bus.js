// The page's half of the two bridges to Python: topics come in, intents go out.
// Topics are drawn at most once a frame, the newest value only; intents wait until Python is there.

const topics = new Map(); // name -> newest value
const listeners = new Map(); // name -> [handler]
const arrived = new Map(); // name -> JSON text not yet drawn
const waiting = []; // intents asked before Python was ready
let door = null;
let atOnce = null;
let scheduled = false;

/** The newest value of a topic, or undefined before the first. */
export const topic = (name) => topics.get(name);

/** The same with what has come and is drawn in the next frame: what an intent just changed. */
export const newest = (name) => (arrived.has(name) ? JSON.parse(arrived.get(name)) : topics.get(name));

/** Calls handler(value) at each change of a topic, and at once when there is a value. */
export function follow(name, handler) {
  if (!listeners.has(name)) listeners.set(name, []);
  listeners.get(name).push(handler);
  if (topics.has(name)) handler(topics.get(name));
}

/** Python's entry: the value of a topic as JSON text. */
export function render(name, text) {
  arrived.delete(name); // keeps the order of the newest arrivals
  arrived.set(name, text);
  if (scheduled) return;
  scheduled = true;
  // A hidden tab gets no frames, but must still say that the answer is complete.
  if (document.hidden) setTimeout(draw, 30);
  else requestAnimationFrame(draw);
}

// A frame that was asked for just before the tab was hidden never comes.
document.addEventListener("visibilitychange", () => document.hidden && scheduled && draw());

function draw() {
  scheduled = false;
  const batch = [...arrived];
  arrived.clear();
  for (const [name, text] of batch) publish(name, JSON.parse(text));
}

/** Sets a topic from JavaScript: the page's own state (for example "boot"). */
export function publish(name, value) {
  topics.set(name, value);
  for (const handler of listeners.get(name) ?? []) {
    try {
      handler(value);
    } catch (error) {
      console.error(`drawing ${name} failed`, error);
    }
  }
}

/** Python's entry: hands over the dispatcher's doors, which take and give JSON text. */
export function connect(dispatcher, now) {
  door = dispatcher;
  atOnce = now;
  publish("boot", { state: "ready" });
  for (const ask of waiting.splice(0)) ask();
}

/** Asks for an intent. Resolves to its result; rejects with an Error in plain words. */
export async function dispatch(intent, ...args) {
  if (!door) await new Promise((resolve) => waiting.push(resolve));
  const text = await door(JSON.stringify({ intent, args }));
  const answer = JSON.parse(text);
  if (!answer.ok) throw new Error(answer.error);
  return answer.result;
}

/** Asks for an intent that waits for nothing, before this returns: for a page that is being left. */
export function dispatchNow(intent, ...args) {
  atOnce?.(JSON.stringify({ intent, args }));
}

/** For buttons: asks, and tells a refusal where notices stand. */
export async function ask(intent, ...args) {
  try {
    return await dispatch(intent, ...args);
  } catch (error) {
    publish("page_notice", { level: "error", text: error.message });
    return undefined;
  }
}
