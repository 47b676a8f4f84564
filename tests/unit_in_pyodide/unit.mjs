// Runs the test folders named after "#" by pytest inside stock Pyodide (its whole standard library: pytest needs
// unittest, doctest and pdb). /bundle/bundle.zip holds app/, tests/ and pytest's own packages.
import { loadPyodide } from "/stock/pyodide.mjs";
import { encode } from "/pleat/static/vendor/gpt-tokenizer/encoding/o200k_base.js";

const printed = [];
const show = () => { document.getElementById("printed").textContent = printed.join("\n"); };
const print = (line) => { printed.push(line); };

try {
  const python = await loadPyodide({ stdout: print, stderr: print });
  const bundle = await (await fetch("/bundle/bundle.zip")).arrayBuffer();
  python.unpackArchive(bundle, "zip", { extractDir: "/here" });
  const plain = { disallowedSpecial: new Set() };
  python.registerJsModule("_o200k", { encode: (text) => encode(text, plain) });
  python.globals.set("folders", decodeURIComponent(location.hash.slice(1)));
  const code = await python.runPythonAsync(`
import os, sys
os.chdir("/here")
os.environ["PLEAT_O200K"] = "/here/no_ranks"  # tiktoken.py beside this file needs none
sys.path[:0] = ["/here", "/here/packages"]
import pytest
int(pytest.main([*folders.split(), "-q", "-p", "no:cacheprovider", "--capture=sys"]))
`);
  show();
  document.getElementById("ended").textContent = `exit ${code}`;
} catch (error) {
  print(String(error.stack ?? error));
  show();
  document.getElementById("ended").textContent = "broke off";
}
