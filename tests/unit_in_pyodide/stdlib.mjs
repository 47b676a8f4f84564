// Imports the modules named after "#" with the page's own interpreter: its standard library is
// stripped, and an import inside a function would fail only when that function runs.
import { loadPyodide } from "/pleat/static/js/pyodide-boot.mjs";

const python = await loadPyodide();
python.globals.set("names", decodeURIComponent(location.hash.slice(1)));
document.getElementById("ended").textContent = python.runPython(`
import importlib
failed = []
for name in names.split():
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed.append(f"{name}: {error}")
f"failed: {failed}"
`);
