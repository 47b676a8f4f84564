"""What comes over the bridge, made Python: JavaScript's null is no None, and texts are JSON."""

from __future__ import annotations

from typing import Any


def text_or_none(value: Any) -> str | None:
    """A JavaScript string as it is; null, undefined and all else as None.

    Pyodide gives JavaScript's null as ``jsnull``, for which ``is None`` is False.
    """
    return value if isinstance(value, str) else None
