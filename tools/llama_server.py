"""Run llama.cpp's own HTTP server (by xllamacpp) on loopback: a real OpenAI-compatible endpoint.

    python -m tools.llama_server [--model FILE.gguf] [--port 8080] [--context 2048]

Prints its base URL when it answers. Ends when its standard input ends, so that it never outlives
the test or the terminal that started it.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tools.common import MODELS
from tools.fetch_model import NAME

START_LIMIT_S = 120.0


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(port: int) -> None:
    """Return when the server says that its model is loaded. Raises TimeoutError."""
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)
    raise TimeoutError(f"llama.cpp's server did not start within {START_LIMIT_S:.0f} s")


def main() -> None:
    """Serve until standard input ends."""
    import xllamacpp

    parser = argparse.ArgumentParser(prog="python -m tools.llama_server")
    parser.add_argument("--model", type=Path, default=MODELS / NAME)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--context", type=int, default=2048, help="tokens")
    options = parser.parse_args()
    port = options.port or free_port()

    params = xllamacpp.CommonParams()
    params.model.path = str(options.model)
    params.port = port
    params.n_ctx = options.context
    params.n_parallel = 1
    # threads that wait for one another spin: on busy cores two are several times slower than one
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)
    params.cpuparams.poll = 0  # a thread that waits sleeps: others need the cores
    server = xllamacpp.Server(params)
    wait_until_healthy(port)
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
