// Compile Python to .pyc at set-up, by Pyodide itself so that the magic number is right.
//   node tools/precompile.mjs stdlib OUT.zip   the standard library, without what a page never uses
//   node tools/precompile.mjs app OUT.zip      the folder app/
// Stock Pyodide ships sources and compiles them at every boot; that is most of its boot time.
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";
import fs from "node:fs";
import path from "node:path";

const [what, out] = process.argv.slice(2);
const root = path.dirname(import.meta.dirname);

const python = await loadPyodide();

function copyIn(folder, into) {
  python.FS.mkdirTree(into);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const [from, to] = [path.join(folder, entry.name), `${into}/${entry.name}`];
    if (entry.isDirectory() && entry.name !== "__pycache__") copyIn(from, to);
    else if (entry.isFile() && entry.name.endsWith(".py")) {
      python.FS.writeFile(to, fs.readFileSync(from));
    }
  }
}

if (what === "stdlib") {
  // PyScript's own package rides along: boot.js lets it be imported from here
  copyIn(path.join(root, "node_modules/@pyscript/core/src/stdlib/pyscript"), "/in/pyscript");
  python.FS.writeFile("/in.zip", fs.readFileSync(path.join(root, "node_modules/pyodide/python_stdlib.zip")));
} else if (what === "app") {
  copyIn(path.join(root, "app"), "/in/app");
} else {
  console.error("usage: node tools/precompile.mjs stdlib|app OUT.zip");
  process.exit(2);
}

const count = python.runPython(`
import importlib._bootstrap_external as external
import importlib.util
import os
import zipfile

WHAT = ${JSON.stringify(what)}
# Whole modules and packages that a page has no use for: tests, terminals, processes, servers,
# databases, packaging. Everything else stays; a test imports what app/ imports from the result.
UNUSED = set("""
_aix_support _apple_support _android_support _ios_support _osx_support _pydecimal _pyio _pyrepl
antigravity cProfile compileall ctypes curses dbm distutils doctest ensurepip
ftplib idlelib imaplib lib2to3 mailbox multiprocessing nturl2path optparse pdb pickletools
poplib profile profiling pstats pty pydoc pydoc_data rlcompleter smtplib socketserver sqlite3
tabnanny tarfile test this tkinter turtle turtledemo unittest venv webbrowser wsgiref xmlrpc zipapp
""".split())
UNUSED_PARTS = ("http/server.py", "http/cookiejar.py", "compression/zstd", "site-packages/")
ENCODINGS = set("""
__init__ aliases ascii base64_codec cp1252 cp437 hex_codec idna iso8859_1 latin_1 punycode
raw_unicode_escape unicode_escape utf_16 utf_16_be utf_16_le utf_8 utf_8_sig
""".split())

def wanted(name):
    top, _, rest = name.partition("/")
    if top.removesuffix(".py") in UNUSED or name.startswith(UNUSED_PARTS):
        return False
    return top != "encodings" or not rest or rest.removesuffix(".py") in ENCODINGS

def sources():
    if WHAT == "stdlib":
        with zipfile.ZipFile("/in.zip") as archive:
            for name in archive.namelist():
                if not name.endswith("/") and wanted(name):
                    yield name, archive.read(name)
    for folder, _, names in sorted(os.walk("/in")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, "/in"), file.read()

def compiled(name, data):
    """An unchecked hash-based .pyc: no source lies beside it. Docstrings go from the library only."""
    where = "/lib/python314.zip/" + name if WHAT == "stdlib" else name
    code = compile(data, where, "exec", dont_inherit=True, optimize=2 if WHAT == "stdlib" else 0)
    return external._code_to_hash_pyc(code, importlib.util.source_hash(data), False)

count = 0
with zipfile.ZipFile("/out.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for name, data in sources():
        python_file = name.endswith(".py")
        entry = zipfile.ZipInfo(name + "c" if python_file else name, (2000, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        out.writestr(entry, compiled(name, data) if python_file else data)
        count += python_file
count
`);
fs.mkdirSync(path.dirname(path.resolve(out)), { recursive: true });
fs.writeFileSync(out, python.FS.readFile("/out.zip"));
console.log(`${out}: ${count} modules, ${fs.statSync(out).size} bytes`);
