"""How much the memory keeps, for every preset and method, in one table and one plot.

    python -m tests.bench.retention [--locomo FILE] [--hold-out ID …] [--seeds 1 2 3]
        [--context 4096 …] [--long] [--quick] [--plot OUT.svg]

Without ``--locomo`` it runs on generated chats. ``--hold-out`` shows those conversations apart;
``--long`` takes chats with long answers; ``--quick`` only the default preset and the tail.
*static*: what system, summary and window hold at six points in the last 30 % of the turns, of
questions whose evidence has passed; *probe*: what each question's own request holds at the end,
recall included. Each in percent, loose and anchored (see ``metrics.py``). *chance*: as many
tokens of random sentences; *ceiling*: the whole history.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.chats import Chat, read_locomo
from tests.bench.generator import generate
from tests.bench.metrics import common_prefix, judge, percent, split_lines
from tests.bench.plot import bars
from tests.bench.running import Remembered, remember
from tests.support.cpython_tokenizer import CPythonTokenizer

STATIC = ("summary", "recall", "window", "question")
PROBED = ("summary", "recall", "window")


@dataclass(frozen=True)
class Row:
    """One preset with one method. Sizes in tokens."""

    title: str
    settings: dict[str, Any]


ROWS = (
    Row("pleat, summary 500 + recall 300", {"summary": 500, "recall": 300}),
    Row("pleat as it comes, 800 + 300", {"summary": 800, "recall": 300}),
    Row("pleat, summary 800", {"summary": 800}),
    Row("pleat, tail 800", {"summary": 800, "method": "tail"}),
    Row("minisearch (tail 800)", {"preset": "minisearch", "summary": 800}),
    Row("dost, summary 800", {"preset": "dost", "summary": 800}),
    Row("switchboard, summary 800", {"preset": "switchboard", "summary": 800}),
)
QUICK = (ROWS[0], ROWS[2], ROWS[3])


@dataclass
class Scores:
    """What one row came to."""

    title: str
    static: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    probe: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    stale: list[float] = field(default_factory=list[float])
    turns: int = 0
    folds: int = 0
    summarised: int = 0
    prompt: int = 0
    cached: float = 0.0
    violations: int = 0

    def figures(self) -> dict[str, float]:
        """The table's numbers by name."""
        turns, prompt = max(1, self.turns), max(1, self.prompt)
        return {
            "static loose": percent([v[0] for v in self.static]),
            "static anchored": percent([v[1] for v in self.static]),
            "probe loose": percent([v[0] for v in self.probe]),
            "probe anchored": percent([v[1] for v in self.probe]),
            "stale": percent(self.stale),
            "folds / 100": 100.0 * self.folds / turns,
            "summarised / turn": self.summarised / turns,
            "cacheable %": 100.0 * self.cached / prompt,
            "uncached / turn": (self.prompt - self.cached + self.summarised) / turns,
            "violations": float(self.violations),
        }


def lines_of(line: dict[str, Any], kinds: Sequence[str]) -> list[str]:
    """The lines of a request's parts of the given kinds."""
    return split_lines(part["content"] for part in line["payload"] if part["kind"] in kinds)


def checkpoints(turns: int) -> set[int]:
    """Six places in the last 30 % of the turns."""
    return {int(turns * (0.7 + 0.05 * (k + 1))) - 1 for k in range(6)}


def measure(scores: Scores, kept: Remembered) -> None:
    """Adds one chat's replay to ``scores``."""
    chat = kept.chat
    at = {turn.id: place for place, turn in enumerate(chat.messages)}
    marked = checkpoints(len(kept.lines))
    before = ""
    covered: set[str] = set()
    for number, line in enumerate(kept.lines):
        scores.turns += 1
        scores.prompt += line["tokens"]
        for fold in line["folds"]:
            scores.folds += 1
            scores.summarised += fold["tokens_in"]
            scores.violations += bool(covered & set(fold["covered"]))
            covered |= set(fold["covered"])
        shown = {
            i for p in line["payload"] if p["kind"] in ("window", "question") for i in p["ids"]
        }
        upto = at[line["upto"]]
        scores.violations += line["tokens"] > line["budget"]
        scores.violations += line["payload"][-1]["kind"] != "question"
        scores.violations += bool(shown & covered)
        scores.violations += {t.id for t in chat.messages[: upto + 1]} != shown | covered
        text = "\x00".join(part["role"] + part["content"] for part in line["payload"])
        if before:
            scores.cached += line["tokens"] * common_prefix(before, text) / max(1, len(text))
        before = text
        if number in marked:
            held = lines_of(line, STATIC)
            scores.static += [
                judge(held, p.question, p.answer, chat.names)
                for p in chat.probes
                if not p.evidence or max(p.evidence) <= upto
            ]
    for probe in chat.probes:
        line = asyncio.run(kept.replay.probe(probe.id, probe.question))
        held = lines_of(line, PROBED)
        scores.violations += line["tokens"] > line["budget"]
        scores.probe.append(judge(held, probe.question, probe.answer, chat.names))
        if probe.superseded:
            summary = lines_of(line, ("summary",))
            old = judge(summary, probe.question, probe.superseded, chat.names)[1]
            new = judge(held, probe.question, probe.answer, chat.names)[0]
            scores.stale.append(float(old and not new))


def chance(chats: Sequence[Chat], tokens: int = 800, seed: int = 3) -> Scores:
    """Random messages' lines of ``tokens`` tokens, out of the whole history."""
    tokenizer, rng = CPythonTokenizer(), random.Random(seed)
    out = Scores("chance: random lines, 800 tokens")
    for chat in chats:
        lines = split_lines(turn.content for turn in chat.messages)
        rng.shuffle(lines)
        kept: list[str] = []
        spent = 0
        for line, count in zip(lines, tokenizer.count_many(lines), strict=True):
            if spent + count <= tokens:
                kept.append(line)
                spent += count
        out.probe += [judge(kept, p.question, p.answer, chat.names) for p in chat.probes]
    return out


def ceiling(chats: Sequence[Chat]) -> Scores:
    """The whole history, word for word."""
    out = Scores("ceiling: the whole history")
    for chat in chats:
        lines = split_lines(turn.content for turn in chat.messages)
        out.probe += [judge(lines, p.question, p.answer, chat.names) for p in chat.probes]
    return out


def run(chats: Sequence[Chat], rows: Sequence[Row], context: int) -> list[Scores]:
    """All rows over all chats, then chance and ceiling."""
    out: list[Scores] = []
    for row in rows:
        scores = Scores(row.title)
        for chat in chats:
            measure(scores, asyncio.run(remember(chat, context=context, **row.settings)))
        out.append(scores)
    return [*out, chance(chats), ceiling(chats)]


def table(results: Sequence[Scores]) -> str:
    """The results as a Markdown table."""
    names = list(results[0].figures())
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for scores in results:
        figures = scores.figures()
        cells = [
            "" if not scores.turns and not name.startswith("probe") else f"{figures[name]:.1f}"
            for name in names
        ]
        lines.append(f"| {scores.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bench.retention",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--locomo", type=Path)
    options.add_argument("--hold-out", nargs="*", default=[])
    options.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    options.add_argument("--context", nargs="*", type=int, default=[4096])
    options.add_argument("--long", action="store_true")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--plot", type=Path)
    return options


def main() -> None:
    """The command."""
    options = parser().parse_args()
    groups: dict[str, list[Chat]] = {}
    if options.locomo:
        chats = read_locomo(options.locomo)
        groups["LoCoMo"] = [c for c in chats if c.id not in options.hold_out]
        held = [c for c in chats if c.id in options.hold_out]
        if held:
            groups["LoCoMo, held out: " + ", ".join(c.id for c in held)] = held
    else:
        kind = "generated, long answers" if options.long else "generated"
        groups[kind] = [generate(seed, long_answers=options.long) for seed in options.seeds]
    plotted: dict[str, list[Scores]] = {}
    for context in options.context:
        for name, chats in groups.items():
            started = time.perf_counter()
            results = run(chats, QUICK if options.quick else ROWS, context)
            title = f"{name}, context {context}"
            plotted[title] = results
            print(f"\n### {title} ({len(chats)} chats, {time.perf_counter() - started:.0f} s)\n")
            print(table(results), flush=True)
    if options.plot:
        groups_of_bars = {
            title: [
                (s.title, s.figures()["probe loose"], s.figures()["probe anchored"])
                for s in results
            ]
            for title, results in plotted.items()
        }
        options.plot.write_text(bars(groups_of_bars), encoding="utf-8")


if __name__ == "__main__":
    main()
