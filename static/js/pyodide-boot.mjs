// pyscript.toml's `interpreter` points here: Pyodide's own exports, with our options added.
//
// The interpreter is started by boot.js before PyScript has been read, so that both load at once;
// PyScript then gets the interpreter that is already on its way. The standard library is the
// precompiled one, and the lock file stands inline: Pleat uses no package.
import { loadPyodide as load, version } from "../vendor/pyodide/pyodide.mjs";
import { lock, sizes } from "../vendor/pyodide/facts.mjs";

export { version };

const at = (name) => new URL(`../vendor/pyodide/${name}`, import.meta.url).href;
const output = { stdout: (text) => console.log(text), stderr: (text) => console.error(text) };
let starting = null;

// Watch the two big downloads. Their bytes are counted on a clone of the response: the browser's
// compiled copy of the WebAssembly is kept with its own response, and would be lost with one of
// ours. A failed download is raised from here, since Pyodide waits for ever without its
// WebAssembly.
function watchDownloads(report, raise) {
  const native = globalThis.fetch;
  const names = new Map(Object.keys(sizes).map((name) => [at(name), name]));
  globalThis.fetch = async (...args) => {
    const name = names.get(String(args[0]?.url ?? args[0]));
    try {
      const response = await native(...args);
      if (name && !response.ok) throw new Error(`HTTP ${response.status} for ${response.url}`);
      if (name && report) count(name, response.clone(), report);
      return response;
    } catch (error) {
      if (name) raise(new Error(`${name} could not be loaded: ${error.message}`));
      throw error;
    }
  };
  return () => { globalThis.fetch = native; };
}

async function count(name, response, report) {
  try {
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      report(name, part.value.byteLength);
    }
  } catch {
    // the download's own reader meets the same failure, and reports it
  }
}

// Start the interpreter (once). `report(name, bytes)` is called while the files in `sizes` come.
export function start(report = null) {
  starting ??= new Promise((resolve, reject) => {
    const restore = watchDownloads(report, reject);
    load({
      indexURL: at(""),
      packageBaseUrl: at(""),
      stdLibURL: at("python_stdlib_pyc.zip"),
      lockFileContents: lock,
      stdout: (text) => output.stdout(text),
      stderr: (text) => output.stderr(text),
    }).finally(restore).then(resolve, reject);
  });
  return starting;
}

// What PyScript calls; of its options only where the output goes is ours to take.
export function loadPyodide({ stdout, stderr } = {}) {
  Object.assign(output, stdout && { stdout }, stderr && { stderr });
  return start();
}

export { sizes };
