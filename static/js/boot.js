// Boot: starts Python, shows honest progress, and says so when it does not start.
//
// What index.html must contain, in this order:
//   <meta charset="utf-8">
//   <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'
//     'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; connect-src 'self' blob: http:
//     https:; img-src 'self' data: blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'">
//   <script src="./static/js/storage_names.js"></script>  classic, before anything else that loads
//   <script src="./static/js/csp.js"></script>
//   <script type="module" src="./static/js/boot.js"></script>
//   in <body>:
//   <div id="boot"><progress id="boot-progress" max="1"></progress><span id="boot-text"></span></div>
//   <div id="boot-error" role="alert" hidden><p id="boot-error-text"></p>
//     <details><summary>Details</summary><pre id="boot-error-details"></pre></details>
//     <button id="boot-reload" type="button">Reload</button></div>
//   <mpy-config type="json" hidden>{"plugins": […as in pyscript.toml…]}</mpy-config>
//   <script type="py" src="./app/main.py" config="./pyscript.toml"></script>
// Any of the boot elements may be missing.
//
// What Python calls:      window.pleatReady()            the page is drawn and works
//                         window.pleatFailed(text)       main caught an error (its traceback)
// What is told (window):  "pleat:ready"                  once, after pleatReady()
//                         "pleat:failed" {text, details} before the page was ready
//                         "pleat:error" {text}           an error that nobody caught, afterwards
// document.documentElement.dataset.boot is "starting", "ready" or "failed" (for styles and tests).

const STALL_MS = 60_000; // without any progress for so long, say that something is wrong

const root = document.documentElement;
const element = (id) => document.getElementById(id);
const tell = (name, detail) => window.dispatchEvent(new CustomEvent(name, { detail }));

// ---- progress: the bytes of the big downloads, then the stages that follow them ----

const STAGES = new Map([
  ["Loaded interpreter", [0.8, "Loading Pleat…"]],
  ["Loaded files", [0.9, "Starting Pleat…"]],
  ["Loaded JS modules", [0.93, "Starting Pleat…"]],
]);
let shown = 0;
let stall = 0;

function progress(share, text) {
  if (root.dataset.boot === "ready") return;
  clearTimeout(stall);
  stall = setTimeout(() => fail("Pleat is not starting.", `Nothing has come for ${STALL_MS / 1000} s.`), STALL_MS);
  if (share < shown) return;
  shown = share;
  const bar = element("boot-progress");
  if (bar) bar.value = share;
  const label = element("boot-text");
  if (label && label.textContent !== text) label.textContent = text;
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function downloadReport(sizes) {
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let done = 0;
  return (_name, bytes) => {
    done = Math.min(total, done + bytes);
    const text = done < total
      ? `Downloading Python: ${megabytes(done)} of ${megabytes(total)} MB`
      : "Starting Python…";
    progress(0.05 + 0.65 * (done / total), text);
  };
}

// Everything that came over the network has a size; what lay in the browser's cache has none.
const cameFromNetwork = () =>
  performance.getEntriesByType("resource").some((entry) => entry.name === import.meta.url && entry.transferSize > 300);

// ---- the two ends ----

function ready() {
  if (root.dataset.boot === "ready") return;
  clearTimeout(stall);
  root.dataset.boot = "ready";
  for (const id of ["boot", "boot-error"]) element(id)?.setAttribute("hidden", "");
  performance.mark("pleat:ready");
  tell("pleat:ready");
}

function fail(text, details = "") {
  if (root.dataset.boot === "ready") return;
  clearTimeout(stall);
  root.dataset.boot = "failed";
  element("boot")?.setAttribute("hidden", "");
  const box = element("boot-error") ?? document.body.appendChild(errorBox());
  (element("boot-error-text") ?? box).textContent = text;
  const pre = element("boot-error-details");
  if (pre) pre.textContent = `${details}\n\n${navigator.userAgent}`.trim();
  box.hidden = false;
  tell("pleat:failed", { text, details });
}

function errorBox() {
  const box = Object.assign(document.createElement("div"), { id: "boot-error", hidden: true });
  box.setAttribute("role", "alert");
  box.append(
    Object.assign(document.createElement("p"), { id: "boot-error-text" }),
    Object.assign(document.createElement("pre"), { id: "boot-error-details" }),
    Object.assign(document.createElement("button"), { id: "boot-reload", type: "button", textContent: "Reload" }),
  );
  return box;
}

const described = (error) => String(error?.stack && !error.stack.includes(error.message)
  ? `${error.message}\n${error.stack}` : error?.stack ?? error?.message ?? error);

// Extensions run their scripts in the page too: their faults are not ours. Nor is it one that a
// ResizeObserver has more to say in the next frame; browsers tell it as an error.
const FOREIGN = /^[a-z-]+-extension:/;
function foreign({ error, message = "", filename = "" }) {
  if (message.startsWith("ResizeObserver loop")) return true;
  if (FOREIGN.test(filename)) return true;
  if (/^https?:/.test(filename)) return new URL(filename).origin !== location.origin;
  return !error && !filename && message === "Script error."; // of another origin, told to nobody
}
const fromExtension = (reason) => /^[^\n]*\n[^\n]*[a-z]-extension:\/\//.test(reason?.stack ?? "");

function uncaught(error) {
  const text = described(error);
  if (root.dataset.boot === "ready") tell("pleat:error", { text });
  else fail("Pleat could not start.", text);
}

// A configuration that PyScript cannot read ends in a banner of its own: show ours instead.
new MutationObserver((records) => {
  for (const node of records.flatMap((record) => [...record.addedNodes])) {
    if (node instanceof Element && node.matches(".py-error")) {
      node.remove();
      uncaught(node.textContent);
    }
  }
}).observe(document.body, { childList: true });

// ---- the start ----

root.dataset.boot = "starting";
window.pleatReady = ready;
window.pleatFailed = (text) => fail("Pleat could not start.", String(text));
document.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest("#boot-reload")) location.reload();
});
window.addEventListener("error", (event) => foreign(event) || uncaught(event.error ?? event.message));
window.addEventListener("unhandledrejection", ({ reason }) => fromExtension(reason) || uncaught(reason));
window.addEventListener("py:progress", ({ detail }) => {
  const stage = STAGES.get(detail);
  if (stage) progress(...stage);
});

// PyScript writes its Python package as sources and compiles them at each boot. The same package
// lies compiled in our standard library: import that one.
function importCompiled(interpreter, sources) {
  const run = interpreter.runPythonAsync.bind(interpreter);
  const text = sources.trim();
  interpreter.runPythonAsync = (code, ...options) => {
    if (!code.includes(text)) return run(code, ...options);
    performance.mark("pleat:pyscript compiled");
    return run(code.replace(text, () => "import pyscript as _pyscript\ndel _pyscript"), ...options);
  };
}

// PyScript may say nothing of a configuration that it could not fetch, and then never starts.
async function checkConfiguration() {
  const name = document.querySelector('script[type="py"]').getAttribute("config");
  const response = await fetch(name);
  if (!response.ok) throw new Error(`HTTP ${response.status} for ${response.url}`);
}

async function boot() {
  progress(0.02, "Loading Python…");
  checkConfiguration().catch(uncaught);
  const { start, sizes } = await import("./pyodide-boot.mjs");
  const python = start(cameFromNetwork() ? downloadReport(sizes) : null);
  python.catch(() => {}); // PyScript awaits the same promise, and so does the line below
  const { hooks, stdlib } = await import("../vendor/pyscript/core.js");
  // core.js holds one default hook for workers, which it turns into text and back with Function()
  // for every <script type="py">. Pleat has no Python worker; without it no 'unsafe-eval' is needed.
  hooks.worker.onBeforeRunAsync.clear();
  // PyScript hands an exception of main.py to stderr and goes on: catch it there.
  hooks.main.onReady.add(({ io, interpreter }) => {
    importCompiled(interpreter, stdlib);
    const { stderr } = io;
    io.stderr = (problem, ...rest) => {
      if (problem instanceof Error) uncaught(problem);
      return stderr(problem, ...rest);
    };
  });
  await python;
}

boot().catch(uncaught);
