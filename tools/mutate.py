"""Mutation testing of the memory engine: change one thing in the code, and a test must fail.

    python tools/mutate.py [--module plan] [--sample N] [--seconds S]

Nothing is written: each mutant is compiled from a changed syntax tree in a forked child, which
then runs the module's tests. Prints what survived, with line and change, and the share killed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[1]
MEMORY = ROOT / "app" / "memory"
# First what is fast; only what survives it meets the properties.
FAST = ["tests/unit/memory/**/test_*.py", "tests/unit/memory_mutation/test_*.py"]
SLOW = ["tests/property/test_memory_rules.py", "tests/property/test_memory_machine.py"]
RAN = {0, 1, 2}  # pytest's exit codes: passed, failed, a module could not be imported
SKIPPED = {"ports", "__init__"}  # protocols: nothing runs there
ORDER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: where it is, how the statement read and reads now, and the module's code."""

    module: str
    line: int
    old: str
    new: str
    code: CodeType


CHANGED = (
    ast.Compare,
    ast.Slice,
    ast.Constant,
    ast.BinOp,
    ast.AugAssign,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Call,
    ast.Return,
    ast.Continue,
    ast.Break,
    ast.Raise,
    ast.Expr,
)


def places(module: str) -> list[tuple[str, int, int]]:
    """(module, node, variant) of all that may be changed in ``app/memory/<module>.py``."""
    nodes = ast.walk(ast.parse((MEMORY / f"{module}.py").read_text()))
    return [
        (module, number, variant)
        for number, node in enumerate(nodes)
        if isinstance(node, CHANGED)
        for variant in range(_variants(node))
    ]


def mutant(module: str, number: int, variant: int) -> Mutant | None:
    """The mutant of a place; None where there is nothing to change."""
    path = MEMORY / f"{module}.py"
    tree = ast.parse(path.read_text())
    changed = _changed(tree, number, variant)
    if changed is None:
        return None
    changed_tree, line, old, new = changed
    return Mutant(module, line, old, new, compile(changed_tree, str(path), "exec"))


def _variants(node: ast.AST) -> int:
    """How many ways there are to change this node (an upper bound)."""
    return 2 if isinstance(node, ast.Compare | ast.Constant | ast.Slice) else 1


def _changed(
    tree: ast.Module, number: int, variant: int
) -> tuple[ast.Module, int, str, str] | None:
    """The tree with its ``number``-th node changed, the line, and how it read and reads."""
    nodes = list(ast.walk(tree))
    parents = {id(child): each for each in nodes for child in ast.iter_child_nodes(each)}
    node = nodes[number]
    if any(_untouched(each, parents) for each in _up(node, parents)):
        return None
    statement = next(each for each in _up(node, parents) if isinstance(each, ast.stmt))
    old, line = _head(statement), getattr(node, "lineno", 0)
    new = _mutate(node, variant)
    if new is None:
        return None
    if new is not node:
        _put(parents[id(node)], node, new)
    ast.fix_missing_locations(tree)
    shown = new if node is statement else statement
    return tree, line, old, _head(shown)


def _up(node: ast.AST, parents: dict[int, ast.AST]) -> Iterator[ast.AST]:
    at: ast.AST | None = node
    while at is not None:
        yield at
        at = parents.get(id(at))


def _untouched(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Annotations, ``__all__``, docstrings and protocols say nothing that runs."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.AnnAssign) and node is parent.annotation:
        return True
    if isinstance(parent, ast.arg | ast.FunctionDef | ast.AsyncFunctionDef) and node is getattr(
        parent, "annotation", getattr(parent, "returns", None)
    ):
        return True
    if isinstance(node, ast.ClassDef):
        return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    if isinstance(node, ast.Assign):
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        return "__all__" in names or "Literal[" in ast.unparse(node.value)
    return (
        (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in {"list", "dict", "set", "tuple", "Callable", "Sequence"}
        )
        or (isinstance(node, ast.keyword) and node.arg in {"frozen", "slots"})
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile")
        or isinstance(node, ast.JoinedStr)
    )


def _mutate(node: ast.AST, variant: int) -> ast.AST | None:
    """The changed node (itself where it was changed in place), None where it stays."""
    if isinstance(node, ast.Compare):
        ways = ORDER[type(node.ops[0])]
        if variant >= len(ways):
            return None
        node.ops[0] = ways[variant]()
        return node
    if isinstance(node, ast.Slice):
        side = "lower" if variant == 0 else "upper"
        if getattr(node, side) is None:
            return None
        setattr(node, side, None)
        return node
    if isinstance(node, ast.Constant):
        return _constant(node, variant)
    if isinstance(node, ast.BinOp | ast.AugAssign):
        kind = SUMS.get(type(node.op))
        if kind is None or _textual(node):
            return None
        node.op = kind()
        return node
    if isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        swapped = {"min": "max", "max": "min", "any": "all", "all": "any"}.get(node.func.id)
        if swapped is None:
            return None
        node.func.id = swapped
        return node
    if isinstance(node, ast.Return):
        if node.value is None or ast.unparse(node.value) == "None":
            return None
        node.value = ast.Constant(None)
        return node
    if isinstance(node, ast.Continue | ast.Break | ast.Raise):
        return ast.Pass()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        return ast.Pass()
    return None


def _constant(node: ast.Constant, variant: int) -> ast.Constant | None:
    value = node.value
    if isinstance(value, bool):
        return ast.Constant(not value) if variant == 0 else None
    if isinstance(value, int):
        return ast.Constant(value + (1 if variant == 0 else -1))
    if isinstance(value, float) and variant == 0:
        return ast.Constant(value * 1.1)
    return None


def _textual(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether the sum is of texts, lists or types, which have no difference."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
    kinds = (ast.JoinedStr, ast.List, ast.ListComp)
    return any(
        isinstance(each, kinds) or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in sides
    )


def _put(parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for name, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, name, new)
        elif isinstance(value, list):
            value[:] = [new if each is old else each for each in value]


def _head(statement: ast.AST) -> str:
    """A statement on one line, without its body."""
    if hasattr(statement, "body") and isinstance(statement, ast.stmt):
        statement = copy.copy(statement)
        statement.body = [ast.Pass()]  # type: ignore[attr-defined]
        if hasattr(statement, "orelse"):
            statement.orelse = []
    lines = [line.strip() for line in ast.unparse(statement).splitlines()]
    return " ".join(line for line in lines if line != "pass")[:180]


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant's code where its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = f"app.memory.{mutant.module.replace('/', '.')}"
        self.code = mutant.code

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def _run_tests(paths: Sequence[str], deselected: Sequence[str], brief: bool = True) -> int:
    """pytest's exit code for the tests, in this process."""
    import pytest

    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:playwright", *(["-x"] if brief else [])]
    for each in deselected:
        arguments += ["--deselect", each]
    files = [str(found) for path in paths for found in sorted(ROOT.glob(path))]
    return int(pytest.main([*arguments, *files]))


def _child(mutant: Mutant | None, deselected: Sequence[str], log: Path) -> int:
    """Start a child that runs the tests on a mutant (None: on the code as it is); its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 3
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        if mutant is not None:
            sys.meta_path.insert(0, _Loader(mutant))
        code = _run_tests(FAST, deselected, mutant is not None)
        if code == 0 or mutant is None:
            code = _run_tests(SLOW, deselected, mutant is not None) or code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _failing(log: Path) -> list[str]:
    lines = log.read_text().splitlines()
    return sorted({x.split()[1] for x in lines if x.startswith(("FAILED ", "ERROR "))})


def hunt(chosen: Sequence[Mutant], jobs: int, limit: float, until: float) -> dict[int, str]:
    """Run the mutants; by their index "killed", "timed out" or "survived"."""
    outcome: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        baseline = Path(folder) / "baseline"
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(Path(folder) / "hypothesis")
        _, status = os.waitpid(_child(None, (), baseline), 0)
        if os.waitstatus_to_exitcode(status) not in RAN:
            raise SystemExit(f"the tests do not run:\n{baseline.read_text()[-3000:]}")
        deselected = _failing(baseline)
        for each in deselected:
            print(f"left out, fails without a mutation: {each}", flush=True)
        running: dict[int, tuple[int, float]] = {}
        waiting = list(range(len(chosen)))
        while waiting or running:
            while waiting and len(running) < jobs and time.monotonic() < until:
                index = waiting.pop(0)
                pid = _child(chosen[index], deselected, Path(folder) / str(index))
                running[pid] = (index, time.monotonic() + limit)
            if not running:
                break
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid in running:
                index, _ = running.pop(pid)
                code = os.waitstatus_to_exitcode(status)
                if code > 0 and code not in RAN:
                    raise SystemExit((Path(folder) / str(index)).read_text()[-3000:])
                outcome.setdefault(index, "survived" if code == 0 else "killed")
                if code == 0:
                    each = chosen[index]
                    print(f"survived {each.module}.py:{each.line}\n  - {each.old}\n  + {each.new}")
                    sys.stdout.flush()
                continue
            for pid, (index, deadline) in running.items():
                if time.monotonic() > deadline and index not in outcome:
                    outcome[index] = "timed out"
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
    return outcome


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--module", action="append", help="of app/memory, without .py")
    parser.add_argument("--sample", type=int, help="so many mutants, spread over the modules")
    parser.add_argument("--seconds", type=float, default=3600, help="stop after so long")
    parser.add_argument("--limit", type=float, default=90, help="seconds for one mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.85, help="share that must be killed")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.dont_write_bytecode = True
    os.environ.update(CI="1", PLEAT_MACHINE="brief")
    import pytest  # noqa: F401  (once, before the children fork)

    until = time.monotonic() + options.seconds
    names = options.module or sorted(p.stem for p in MEMORY.glob("*.py") if p.stem not in SKIPPED)
    everything = [place for name in names for place in places(name)]
    random.Random(options.seed).shuffle(everything)
    chosen: list[Mutant] = []
    for place in everything:
        if len(chosen) == (options.sample or len(everything)):
            break
        made = mutant(*place)
        if made is not None:
            chosen.append(made)
    print(f"{len(chosen)} mutants of {len(names)} modules are tried", flush=True)
    outcome = hunt(chosen, options.jobs, options.limit, until)
    rows: dict[str, list[str]] = {}
    for index, result in outcome.items():
        rows.setdefault(chosen[index].module, []).append(result)
    for name, results in sorted(rows.items()):
        survived = results.count("survived")
        print(f"{name:24}{len(results) - survived:5} of {len(results):4} killed")
    killed = sum(result != "survived" for result in outcome.values())
    share = killed / len(outcome) if outcome else 0.0
    print(f"killed {killed} of {len(outcome)} tried: {share:.1%}")
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    raise SystemExit(main())
