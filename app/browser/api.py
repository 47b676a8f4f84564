"""``window.pleat.memory``: what scripts of the page may ask of the memory (see memory_api.js)."""

from __future__ import annotations

import json
from typing import Any

from pyodide.ffi import create_proxy

from app.session import Session

_proxies: list[Any] = []


def offer(script: Any, session: Session) -> None:
    """Install ``window.pleat.memory``; ``script`` is the module ``memory_api.js``."""

    async def call(name: str, arguments: str) -> str:
        try:
            values = json.loads(arguments)
            if name == "update":
                return json.dumps({"ok": await session.edit_summary(*values[:2])})
            return json.dumps({"ok": await session.summarize_and_continue()})
        except Exception as error:
            return json.dumps({"error": str(error) or type(error).__name__})

    door = create_proxy(call)
    _proxies.append(door)
    publish = script.install(door)
    last = ""

    def changed(*_: Any) -> None:
        nonlocal last
        text = json.dumps(session.memory_record())
        if text != last:
            last = text
            publish(text)

    changed()
    session.state.memory.subscribe(changed)
