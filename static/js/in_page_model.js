// The model inside the page: @wllama/wllama behind feeds that Python pulls as JSON text.
// A feed's next() resolves to a JSON array of items, the last of which is {"end": …} or
// {"error": {name, type, message}}; it never rejects. One completion runs at a time.

const WLLAMA = new URL("../vendor/wllama/index.min.js", import.meta.url);
const WASM = new URL("../vendor/wllama/wllama.wasm", import.meta.url);

// Tokens of a prompt that are read in one go: an abort is noticed between two batches only.
const BATCH = 64;

// What goes wrong is told by the feed's error, not on the console.
const QUIET = { debug() {}, log() {}, warn() {}, error() {} };

let engine = null; // the loaded Wllama
let running = Promise.resolve(); // the end of the completion (or loading) that runs

class Feed {
  #items = [];
  #wake = null;
  #over = false;
  #controller = new AbortController();

  /** @param {(feed: Feed, signal: AbortSignal) => Promise<object>} work gives the end's value */
  constructor(work) {
    const before = running;
    running = (async () => {
      await before;
      try {
        this.#signalled();
        this.#finish({ end: await work(this, this.#controller.signal) });
      } catch (error) {
        this.#finish({ error: describe(error) });
      }
    })();
  }

  #signalled() {
    this.#controller.signal.throwIfAborted();
  }

  #finish(item) {
    this.push(item);
    this.#over = true;
  }

  push(item) {
    if (this.#over) return;
    this.#items.push(item);
    this.#wake?.();
    this.#wake = null;
  }

  /** All that has come since the last call; waits for at least one item. */
  async next() {
    while (!this.#items.length) {
      if (this.#over) return '[{"end": {}}]';
      await new Promise((wake) => { this.#wake = wake; });
    }
    return JSON.stringify(this.#items.splice(0));
  }

  abort() {
    this.#controller.abort();
  }
}

function describe(error) {
  return {
    name: String(error?.name ?? "Error"),
    type: String(error?.type ?? ""),
    message: String(error?.message ?? error),
  };
}

async function unloadNow() {
  const old = engine;
  engine = null;
  await old?.exit();
}

/** Load a model: `source` is a URL or a File. Items: {loaded, total} in bytes. */
export function load(source, optionsJson) {
  const { n_ctx, n_threads } = JSON.parse(optionsJson);
  return new Feed(async (feed, signal) => {
    await unloadNow();
    const { Wllama } = await import(WLLAMA.href);
    const fresh = new Wllama({ default: WASM.href }, { logger: QUIET, suppressNativeLog: true });
    const params = {
      n_ctx,
      n_threads: self.crossOriginIsolated ? n_threads : 1,
      n_gpu_layers: 0,
      n_parallel: 1,
      n_batch: BATCH,
      n_ubatch: BATCH,
      jinja: true,
    };
    try {
      if (typeof source === "string") {
        await fresh.loadModelFromUrl(new URL(source, document.baseURI).href, {
          ...params,
          signal,
          progressCallback: ({ loaded, total }) => feed.push({ loaded, total }),
        });
      } else {
        const magic = await source.slice(0, 4).text();
        if (magic !== "GGUF") throw new Error("this file is no GGUF model");
        feed.push({ loaded: source.size, total: source.size });
        await fresh.loadModel([source], params);
      }
      signal.throwIfAborted();
    } catch (error) {
      await fresh.exit().catch(() => {});
      throw error;
    }
    engine = fresh;
    const info = fresh.getLoadedContextInfo();
    return { n_ctx: info.n_ctx, n_ctx_train: info.n_ctx_train };
  });
}

/** Free the model's memory, after what runs has ended (abort it first). */
export function unload() {
  return new Feed(async () => {
    await unloadNow();
    return {};
  });
}

/** Answer messages. Items: {chunk} in OpenAI's shape. */
export function chat(messagesJson, optionsJson) {
  const messages = JSON.parse(messagesJson);
  const options = JSON.parse(optionsJson);
  return new Feed(async (feed, signal) => {
    if (!engine) throw Object.assign(new Error("no model is loaded"), { name: "NotLoaded" });
    const chunks = await engine.createChatCompletion({
      messages,
      ...options,
      stream: true,
      stream_options: { include_usage: true },
      abortSignal: signal,
    });
    for await (const chunk of chunks) feed.push({ chunk });
    return {};
  });
}
