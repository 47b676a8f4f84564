"""Mutation testing of the memory engine: change one thing in the code, and a test must fail.

    python -m tools.mutate [--module plan] [--sample N] [--seconds S] [--jobs 2]
        [--quick] [--again]

``--quick`` leaves out the properties and each test of more than 0.2 s: what it calls killed is.
``--again`` tries only what survived the last time.

Nothing is written. The tests are collected once and run once, to learn which functions each of
them reaches. For each mutant a forked child puts the changed code into the living function and
runs the tests that reach it, the quickest first, until one fails. What runs only at import
(constants, defaults) is imported anew in the child. Prints what survived, with line and change,
and the share killed per module.
"""

from __future__ import annotations

import argparse
import gc
import importlib.abc
import importlib.machinery
import json
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TextIO

import pytest
from hypothesis import Phase, settings

from tools.mutants import Mutant, find, mutants

ROOT = Path(__file__).resolve().parents[1]
MEMORY = ROOT / "app" / "memory"
QUICK = [
    "tests/unit/memory/**/test_*.py",
    "tests/unit/memory_mutation/test_*.py",
]
TESTS = [
    *QUICK,
    "tests/unit/session/test_*.py",
    "tests/property/test_e*.py",
    "tests/property/test_recall.py",
    "tests/property/test_memory_*.py",
]
CACHE = Path(os.environ.get("PLEAT_MUTANTS", ROOT / ".cache" / "mutants"))
LEARNED = CACHE / "learned.pickle"
SURVIVORS = CACHE / "survivors.json"
SKIPPED = {"ports", "__init__"}  # protocols: nothing runs there
QUICK_SECONDS = 0.2
MEMORY_LIMIT = 3 << 30  # bytes; a mutant may build a list without end
Place = tuple[str, str]  # file, and a function's qualified name


@dataclass(slots=True)
class Learned:
    """What one run without a mutation told: per test its seconds and the functions it reaches."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    reached: dict[str, set[Place]] = field(default_factory=dict[str, set[Place]])
    failed: set[str] = field(default_factory=set[str])

    def ordered(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """The tests that are to be run, the quickest first."""
        kept = [each for each in items if each.nodeid not in self.failed]
        return sorted(kept, key=lambda each: self.seconds.get(each.nodeid, 0.0))


class Recorder:
    """Runs all tests once, in a child, and notes what each of them reaches."""

    def __init__(self) -> None:
        self.learned = Learned()
        self._now: set[Place] = set()
        self._root = str(MEMORY) + os.sep

    def run(self, items: list[pytest.Item]) -> None:
        for item, following in _with_next(items):
            self._now = self.learned.reached[item.nodeid] = set()
            sys.settrace(self._trace)
            start = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.learned.seconds[item.nodeid] = time.perf_counter() - start
            sys.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.learned.failed.add(report.nodeid)

    def _trace(self, frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self._root):
            self._now.add((code.co_filename, code.co_qualname))


class Failing:
    """Whether a test has failed."""

    def __init__(self) -> None:
        self.seen = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seen = self.seen or report.failed


class Hunt:
    """A pytest plugin: in the place of running the collected tests, it hunts the mutants."""

    def __init__(
        self, chosen: Sequence[Mutant], jobs: int, until: float, quick: bool, out: TextIO
    ) -> None:
        self.chosen, self.jobs, self.until, self.out = chosen, jobs, until, out
        self.files = _files(QUICK if quick else TESTS)
        self.quick = quick
        self.outcome: dict[int, str] = {}
        self.learned = Learned()
        self.at_import: list[int] = []

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        settings.register_profile(
            "mutants",
            deadline=None,
            derandomize=True,
            database=None,
            max_examples=30,
            phases=[Phase.explicit, Phase.generate],  # that it fails is enough: no shrinking
        )
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        try:
            self.learned = _learn_again(items) if self.quick else _learn(items)
        except SystemExit as error:
            print(error, file=self.out)
            raise
        seconds = self.learned.seconds
        items = self.learned.ordered(items)
        total = sum(seconds[each.nodeid] for each in items)
        print(f"{len(items)} tests, {total:.0f} s in all", file=self.out)
        for each in sorted(self.learned.failed):
            print(f"left out, it fails or takes too long: {each}", file=self.out)
        living = _living_functions()
        work: list[tuple[int, Callable[[], int], float]] = []
        for index, mutant in enumerate(self.chosen):
            code = mutant.outer and find(mutant.code, mutant.outer)
            functions = living.get((str(mutant.path), *mutant.outer)) if mutant.outer else None
            if (
                not code
                or not functions
                or any(f.__code__.co_freevars != code.co_freevars for f in functions)
            ):
                self.at_import.append(index)
                continue
            assert mutant.inner is not None
            reaching = self._reaching(items, (str(mutant.path), mutant.inner[0]))
            limit = 5 + 4 * sum(seconds[each.nodeid] for each in reaching)
            work.append((index, _Swapped(functions, code, reaching), limit))
        self._fork(work)
        return True

    def _reaching(self, items: list[pytest.Item], place: Place) -> list[pytest.Item]:
        return [each for each in items if place in self.learned.reached[each.nodeid]]

    def import_anew(self) -> None:
        """The mutants of what runs at import, after pytest has ended."""
        limit = 20 + 4 * sum(self.learned.seconds.values())
        if not self.at_import:
            return
        _, status = os.waitpid(_child(_Imported(None, self.learned, self.files), limit), 0)
        if os.waitstatus_to_exitcode(status) != 0:
            print("without a mutation, but imported anew, the tests do not pass", file=self.out)
            raise SystemExit(2)
        self._fork(
            [
                (index, _Imported(self.chosen[index], self.learned, self.files), limit)
                for index in self.at_import
            ]
        )

    def _fork(self, work: list[tuple[int, Callable[[], int], float]]) -> None:
        running: dict[int, int] = {}
        work = work[::-1]
        while work or running:
            while work and len(running) < self.jobs and time.monotonic() < self.until:
                index, task, limit = work.pop()
                running[_child(task, limit)] = index
            if not running:
                return
            pid, status = os.wait()
            self._note(running.pop(pid), os.waitstatus_to_exitcode(status))

    def _note(self, index: int, code: int) -> None:
        mutant = self.chosen[index]
        if code == 0:
            name = mutant.path.relative_to(MEMORY)
            print(
                f"survived {name}:{mutant.line}\n  - {mutant.old}\n  + {mutant.new}", file=self.out
            )
        self.outcome[index] = {0: "survived", -signal.SIGALRM: "timed out"}.get(code, "killed")
        self.out.flush()


class _Swapped:
    """Puts the changed code into the living functions and runs the tests that reach it."""

    def __init__(
        self, functions: list[FunctionType], code: CodeType, items: list[pytest.Item]
    ) -> None:
        self.functions, self.code, self.items = functions, code, items

    def __call__(self) -> int:
        for each in self.functions:
            each.__code__ = self.code
        failing = Failing()
        for item, following in _with_next(self.items):
            item.config.pluginmanager.register(failing) if not failing.seen else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item.config.pluginmanager.unregister(failing)
            if failing.seen:
                return 1
        return 0


class _Imported:
    """Imports all of the program anew, the mutant among it, and runs all tests."""

    def __init__(self, mutant: Mutant | None, learned: Learned, files: list[str]) -> None:
        self.mutant, self.learned, self.files = mutant, learned, files

    def __call__(self) -> int:
        for name in list(sys.modules):
            if name.split(".")[0] in {"app", "tests"} or name == "conftest":
                del sys.modules[name]
        if self.mutant is not None:
            sys.meta_path.insert(0, _Loader(self.mutant))
        ended = pytest.main([*ARGUMENTS, "-x", *self.files], plugins=[_Order(self.learned)])
        return int(ended)


class _Order:
    """The quickest tests first, and none that fails without a mutation."""

    def __init__(self, learned: Learned) -> None:
        self.learned = learned

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = self.learned.ordered(items)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        settings.load_profile("mutants")


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant's code where its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts)
        self.code = mutant.code

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


ARGUMENTS = [
    *("-q", "-p", "no:cacheprovider", "-p", "no:playwright"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
]


def _files(patterns: list[str]) -> list[str]:
    return [str(found) for path in patterns for found in sorted(ROOT.glob(path))]


def _with_next(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=False)


def _living_functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    root = str(MEMORY) + os.sep
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(root):
            code = each.__code__
            place = (code.co_filename, code.co_qualname, code.co_firstlineno)
            found.setdefault(place, []).append(each)
    return found


def _learn(items: list[pytest.Item]) -> Learned:
    """Run the tests once, in a child, so that no cache of this process is filled by them."""
    with tempfile.NamedTemporaryFile() as file:

        def task() -> int:
            recorder = Recorder()
            items[0].config.pluginmanager.register(recorder)
            recorder.run(items)
            Path(file.name).write_bytes(pickle.dumps(recorder.learned))
            return 0

        _, status = os.waitpid(_child(task, 3600), 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit("the tests do not run")
        learned = pickle.loads(Path(file.name).read_bytes())
        assert isinstance(learned, Learned)
        return learned


def _learn_again(items: list[pytest.Item]) -> Learned:
    """As learned before for files of tests that are as they were; the slow tests left out."""
    written = {each.nodeid: (ROOT / each.nodeid.split("::")[0]).stat().st_mtime for each in items}
    known, then = Learned(), dict[str, float]()
    if LEARNED.exists():
        known, then = pickle.loads(LEARNED.read_bytes())
    new = [each for each in items if then.get(each.nodeid) != written[each.nodeid]]
    if new:
        learned = _learn(new)
        names = {each.nodeid for each in new}
        known.seconds |= learned.seconds
        known.reached |= learned.reached
        known.failed = (known.failed - names) | learned.failed
        LEARNED.write_bytes(pickle.dumps((known, then | written)))
    slow = {name for name, taken in known.seconds.items() if taken > QUICK_SECONDS}
    return Learned(known.seconds, known.reached, known.failed | slow)


def _child(task: Callable[[], int], limit: float) -> int:
    """Start a child that ends with the task's result, or by SIGALRM after ``limit`` s; its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 3
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        code = task()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _name(mutant: Mutant) -> str:
    return str(mutant.path.relative_to(MEMORY).with_suffix(""))


def _choose(options: argparse.Namespace) -> list[Mutant]:
    files = [MEMORY / f"{name}.py" for name in options.module or ()] or [
        each for each in sorted(MEMORY.rglob("*.py")) if each.stem not in SKIPPED
    ]
    chosen = [each for file in files for each in mutants(file)]
    if options.again:
        known = {tuple(each) for each in _survivors()}
        chosen = [each for each in chosen if (_name(each), each.old, each.new) in known]
    random.Random(options.seed).shuffle(chosen)
    return chosen[: options.sample]


def _survivors() -> list[list[str]]:
    """Module, old and new statement of what survived when it was last tried."""
    if not SURVIVORS.exists():
        return []
    found: list[list[str]] = json.loads(SURVIVORS.read_text())
    return found


def _remember(hunt: Hunt) -> None:
    tried = {(_name(m), m.old, m.new) for m in (hunt.chosen[i] for i in hunt.outcome)}
    kept = [each for each in _survivors() if tuple(each) not in tried]
    for index, result in sorted(hunt.outcome.items()):
        if result == "survived":
            mutant = hunt.chosen[index]
            kept.append([_name(mutant), mutant.old, mutant.new])
    SURVIVORS.write_text(json.dumps(kept, indent=0))


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--module", action="append", help="of app/memory, as extractive/split")
    parser.add_argument("--sample", type=int, help="so many mutants, spread over the modules")
    parser.add_argument("--seconds", type=float, default=7200, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.85, help="share that must be killed")
    parser.add_argument("--quick", action="store_true", help="without the tests that take long")
    parser.add_argument("--again", action="store_true", help="only what survived the last time")
    parser.add_argument("--verbose", action="store_true", help="let the tests print, too")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ.update(CI="1", PLEAT_MACHINE="brief")
    out = os.fdopen(os.dup(1), "w", buffering=1)
    said = os.open(os.devnull, os.O_WRONLY) if not options.verbose else 2
    os.dup2(said, 1)
    os.dup2(said, 2)
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = _choose(options)
    print(f"{len(chosen)} mutants are tried", file=out)
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix = compiled  # nothing is written beside the sources
        until = time.monotonic() + options.seconds
        hunt = Hunt(chosen, options.jobs, until, options.quick, out)
        pytest.main([*ARGUMENTS, *hunt.files], plugins=[hunt])
        hunt.import_anew()
    _remember(hunt)
    tried: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    for index, result in hunt.outcome.items():
        name = _name(chosen[index])
        tried[name] += 1
        survived[name] += result == "survived"
    for name, number in sorted(tried.items()):
        print(f"{name:28}{number - survived[name]:5} of {number:4} killed", file=out)
    killed = tried.total() - survived.total()
    share = killed / tried.total() if tried else 0.0
    print(f"killed {killed} of {tried.total()} tried: {share:.1%}", file=out)
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    raise SystemExit(main())
