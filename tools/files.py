"""Keep the [files] list of pyscript.toml equal to app/: PyScript copies only what is listed.

`python -m tools.files` rewrites the list; a test fails while it is not complete.
"""

from __future__ import annotations

from pathlib import Path

from tools.common import ROOT

CONFIG = ROOT / "pyscript.toml"
HEAD = "[files]\n"


def modules(root: Path = ROOT) -> list[str]:
    """All Python files of app/, as paths from the root, except main.py, which the page names."""
    found = (path.relative_to(root).as_posix() for path in (root / "app").rglob("*.py"))
    return sorted(name for name in found if name != "app/main.py")


def with_files(text: str, lines: list[str]) -> str:
    """The configuration with the lines of its [files] table replaced. Raises ValueError."""
    before, head, rest = text.partition(HEAD)
    if not head:
        raise ValueError("pyscript.toml has no [files] table")
    next_table = rest.find("\n[")
    after = rest[next_table:] if next_table >= 0 else ""
    return before + head + "".join(f"{line}\n" for line in lines) + after


def main() -> None:
    """Rewrite pyscript.toml when app/ has other files than it lists."""
    old = CONFIG.read_text("utf-8")
    new = with_files(old, [f'"./{name}" = "./{name}"' for name in modules()])
    if new != old:
        CONFIG.write_text(new, "utf-8")
    print(f"pyscript.toml lists {len(modules())} files" + (", rewritten" if new != old else ""))


if __name__ == "__main__":
    main()
