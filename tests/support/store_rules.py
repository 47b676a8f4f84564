"""The rules of a store of records, as scripts: they are written twice in the app, in
``app/state/memory_store.py`` and ``static/js/indexeddb.js``, and these run over both.

A step is (operation, its arguments, what it must give); None: whatever it gives. A script begins
with an empty store and ends with what the store must hold.
"""

from __future__ import annotations

from typing import Any

Step = tuple[str, list[Any], Any]
Script = tuple[list[Step], dict[str, list[Any]]]


def change(**fields: Any) -> list[Any]:
    """A change of the conversation "c", with all its fields."""
    empty: dict[str, Any] = {
        "conversation_id": "c",
        "create": None,
        "expect": {},
        "patch": {},
        "bump": [],
        "put": {},
        "revive": False,
    }
    return [{**empty, **fields}]


def message(id: str, **fields: Any) -> dict[str, Any]:
    """A message of the conversation "c"."""
    return {"id": id, "conversation_id": "c", **fields}


RECORD = {"id": "c", "title": "T", "structure": 0, "commit": 0, "deleted_at": None}
STUB = {"id": "c", "deleted_at": 5, "purged": True}
CREATE: Step = (
    "apply",
    change(create=RECORD, put={"messages": [message("m")]}),
    {"outcome": "ok", "record": RECORD},
)
DELETE: Step = ("apply", change(patch={"deleted_at": 5}), None)
GONE = {"outcome": "gone", "record": None}

SCRIPTS: dict[str, Script] = {
    "a conversation that was never made takes nothing": (
        [("apply", change(put={"messages": [message("m")]}), GONE)],
        {"conversations": [], "messages": []},
    ),
    "what is expected is compared before anything is written": (
        [
            CREATE,
            (
                "apply",
                change(expect={"commit": 1}, put={"folds": [message("f")]}),
                {"outcome": "conflict", "record": RECORD},
            ),
            (
                "apply",
                change(expect={"commit": 0}, bump=["commit"], put={"folds": [message("f")]}),
                {"outcome": "ok", "record": {**RECORD, "commit": 1}},
            ),
        ],
        {"conversations": [{**RECORD, "commit": 1}], "folds": [message("f")]},
    ),
    "what streams never replaces what is finished": (
        [
            CREATE,
            (
                "apply",
                change(put={"messages": [message("m", status="complete", text="all")]}),
                None,
            ),
            ("apply", change(put={"messages": [message("m", status="streaming")]}), None),
            ("apply", change(put={"messages": [message("n", status="streaming", text="a")]}), None),
            ("apply", change(put={"messages": [message("n", status="streaming", text="b")]}), None),
        ],
        {
            "messages": [
                message("m", status="complete", text="all"),
                message("n", status="streaming", text="b"),
            ]
        },
    ),
    "a tombstone takes nothing until it is taken away": (
        [
            CREATE,
            DELETE,
            (
                "apply",
                change(put={"messages": [message("n")]}),
                {"outcome": "gone", "record": {**RECORD, "deleted_at": 5}},
            ),
            (
                "apply",
                change(patch={"deleted_at": None}, revive=True),
                {"outcome": "ok", "record": RECORD},
            ),
        ],
        {"conversations": [RECORD], "messages": [message("m")]},
    ),
    "only a tombstone is purged": (
        [CREATE, ("purge", [["c", "x"]], None)],
        {"conversations": [RECORD], "messages": [message("m")]},
    ),
    "a purge leaves a stub that nothing revives": (
        [
            CREATE,
            DELETE,
            ("purge", [["c"]], None),
            ("of", ["messages", "c"], []),
            ("get", ["conversations", "c"], STUB),
            (
                "apply",
                change(create=RECORD, patch={"deleted_at": None}, revive=True),
                {"outcome": "gone", "record": STUB},
            ),
            ("purge", [["c"]], None),
        ],
        {"conversations": [STUB], "messages": []},
    ),
    "only a stub is forgotten": (
        [
            CREATE,
            ("forget", [["c"]], None),
            ("get", ["conversations", "c"], RECORD),
            DELETE,
            ("forget", [["c"]], None),
            ("get", ["conversations", "c"], {**RECORD, "deleted_at": 5}),
            ("purge", [["c"]], None),
            ("forget", [["c", "x"]], None),
        ],
        {"conversations": [], "messages": []},
    ),
    "a record that is set aside is moved whole": (
        [CREATE, ("set_aside", ["messages", message("m"), 7], None)],
        {
            "messages": [],
            "aside": [{"id": "messages/m/7", "store": "messages", "record": message("m")}],
        },
    ),
}
