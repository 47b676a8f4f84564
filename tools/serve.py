"""Serve the page on loopback: the right types, only the site's own files, any sub-path.

Sends no header that a plain static host would not send. `make serve` adds `no-cache` (ask again,
use the copy when it is still the same), so that an edited file shows on reload.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import sys
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.common import ROOT

SITE = ("index.html", "pyscript.toml", "sw.js", "manifest.webmanifest", "app", "static")
"""What of the repository's root is the site; nothing else is served."""

TYPES = {
    ".css": "text/css",
    ".gguf": "application/octet-stream",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".toml": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".zip": "application/zip",
}

Mounts = Mapping[str, tuple[Path, tuple[str, ...] | None]]
"""URL prefix -> (folder, names at its top that are served; None is all of them)."""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the mounted folders; everything else is 404, and no folder is listed."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: 40 ms a file without this
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | TYPES

    def __init__(self, *args: Any, mounts: Mounts, revalidate: bool, **more: Any) -> None:
        self.mounts = mounts
        self.revalidate = revalidate
        super().__init__(*args, **more)

    def translate_path(self, path: str) -> str:
        """The file that a URL path names; a name that does not exist for all others."""
        plain = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
        for prefix, (folder, names) in self.mounts.items():
            if not plain.startswith(prefix):
                continue
            parts = [part for part in plain[len(prefix) :].split("/") if part not in ("", ".")]
            if ".." in parts or any(part.startswith(".") for part in parts):
                break
            if names is None or not parts or parts[0] in names:
                target = folder.joinpath(*parts)
                return str(target / "index.html" if target.is_dir() else target)
        return str(ROOT / "no such file")

    def end_headers(self) -> None:
        if self.revalidate:
            self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the address is what a person wants to see."""


class Server(http.server.ThreadingHTTPServer):
    """A browser that goes away in the middle of a file is no error worth a traceback."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def make_server(mounts: Mounts, port: int = 0, revalidate: bool = False) -> Server:
    """A server on 127.0.0.1; port 0 takes a free one. Raises OSError when the port is taken."""
    handler = functools.partial(Handler, mounts=mounts, revalidate=revalidate)
    return Server(("127.0.0.1", port), handler)


@contextmanager
def serving(mounts: Mounts) -> Iterator[str]:
    """Serve in the background for a `with` block; gives the origin (http://127.0.0.1:PORT)."""
    with make_server(mounts) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def main() -> None:
    """Serve the repository (or --folder) until Ctrl-C, on the first free port from --port on."""
    parser = argparse.ArgumentParser(prog="python -m tools.serve")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--folder", type=Path, default=ROOT)
    options = parser.parse_args()
    names = SITE if options.folder.resolve() == ROOT else None
    for port in range(options.port, options.port + 50):
        try:
            server = make_server({"/": (options.folder.resolve(), names)}, port, True)
            break
        except OSError:
            continue
    else:
        sys.exit(f"error: no free port from {options.port} on; choose another: make serve PORT=…")
    if server.server_port != options.port:
        print(
            f"\nPort {options.port} is taken. Another port is another site to the browser: chats"
            f" and settings of port {options.port} are not seen here. Stop what uses it, or go on.",
            flush=True,
        )
    print(f"\nPleat: http://127.0.0.1:{server.server_port}/   (Ctrl-C stops)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
