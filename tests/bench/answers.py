"""Put questions to a real model, with memory and without, and count the answers.

    python -m tests.bench.answers --endpoint http://127.0.0.1:8080/v1 --model NAME
        [--locomo FILE | --seeds 1 2 3] [--only ID …] [--questions 40] [--context 4096]
        [--summary 500] [--recall 300] [--arms nothing tail summary memory gold recall "by time"]

Each question is asked once an arm, at temperature 0, framed as the program frames it (a summary in
the system message, passages in front of the question): with nothing, with the seeds' tail for a
summary, with the summary, with summary and recalled passages (*memory*), and with the messages that
hold the answer for passages (*gold*). Only questions whose evidence has been folded are asked. An
answer counts when it holds 60 % of the gold answer's content words.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.memory.prompts import question_text, system_text
from tests.bench.chats import Chat, Probe, read_locomo
from tests.bench.generator import generate
from tests.bench.metrics import ENOUGH, answer_words, interval, percent, share, words
from tests.bench.running import Remembered, remember

ARMS = ("nothing", "tail", "summary", "memory", "gold")
MORE_ARMS = ("recall", "by time")  # the passages alone, as sent and in the order of time
SYSTEM = (
    "You answer questions about a conversation. Answer with the fact only, in a few words. If you"
    " are not told, answer: unknown."
)


@dataclass(frozen=True)
class Asked:
    """One question with what each arm is given: a summary ("" for none), and passages."""

    chat: Chat
    probe: Probe
    notes: dict[str, tuple[str, list[str]]]


def ask(
    endpoint: str, model: str, key: str, notes: tuple[str, list[str]], question: str, limit: int
) -> str:
    """The model's answer. Raises OSError when the server cannot be reached."""
    summary, passages = notes
    request = {
        "model": model,
        "messages": [
            {"role": "system", "content": system_text(SYSTEM, summary)},
            {"role": "user", "content": question_text(question, passages)},
        ],
        "temperature": 0,
        "max_tokens": limit,
    }
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    call = urllib.request.Request(
        endpoint.rstrip("/") + "/chat/completions", json.dumps(request).encode(), headers
    )
    with urllib.request.urlopen(call, timeout=300) as reply:
        answer = json.loads(reply.read())
    return str(answer["choices"][0]["message"]["content"] or "")


def right(answer: str, probe: Probe, names: Sequence[str]) -> bool:
    """Whether the answer holds enough of the gold answer's words."""
    return share(answer_words(probe.answer, names), words(answer)) >= ENOUGH


def prepare(chats: Sequence[Chat], options: argparse.Namespace) -> list[Asked]:
    """The questions to ask, drawn evenly from the chats, with the notes of each arm.

    They are drawn before it is known what was folded: another engine is asked the same ones.
    """
    rng = random.Random(options.seed)
    asked: list[Asked] = []
    for number, chat in enumerate(chats):
        kept: Remembered = asyncio.run(
            remember(chat, context=options.context, summary=options.summary, recall=options.recall)
        )
        places = {turn.id: place for place, turn in enumerate(chat.messages)}
        drawn = rng.sample(chat.probes, len(chat.probes))
        folded = [p for p in drawn if p.evidence and kept.folded.issuperset(p.evidence)]
        many = options.questions // len(chats) + (number < options.questions % len(chats))
        for probe in folded[:many]:
            found = asyncio.run(kept.recalled(probe))
            recalled = [text for _, text in found]
            by_time = sorted(found, key=lambda passage: places[passage[0]])
            asked.append(
                Asked(
                    chat,
                    probe,
                    {
                        "nothing": ("", []),
                        "tail": (kept.tail, []),
                        "summary": (kept.summary, []),
                        "memory": (kept.summary, recalled),
                        "recall": ("", recalled),
                        "by time": ("", [text for _, text in by_time]),
                        "gold": ("", [kept.dated(i) for i in probe.evidence]),
                    },
                )
            )
    return asked


def report(arms: Sequence[str], results: dict[str, list[float]]) -> str:
    """The table: share answered, its interval, as a part of gold, and memory against each."""
    gold = percent(results["gold"]) if "gold" in results else 0.0
    lines = [
        "| arm | answered % | 95 % interval | share of gold | memory only right | arm only right |",
        "|---|---|---|---|---|---|",
    ]
    ours = results.get("memory", [])
    for arm in arms:
        got = results[arm]
        low, high = interval(got)
        part = f"{percent(got) / gold:.2f}" if gold else "-"
        only_ours = sum(o > g for o, g in zip(ours, got, strict=False))
        only_arm = sum(o < g for o, g in zip(ours, got, strict=False))
        lines.append(
            f"| {arm} | {percent(got):.1f} | {low:.1f} to {high:.1f} | {part} | {only_ours} |"
            f" {only_arm} |"
        )
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bench.answers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--endpoint", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--key", default="")
    options.add_argument("--locomo", type=Path)
    options.add_argument("--only", nargs="*", default=[], help="ids of conversations")
    options.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    options.add_argument("--questions", type=int, default=40)
    options.add_argument("--context", type=int, default=4096)
    options.add_argument("--summary", type=int, default=500)
    options.add_argument("--recall", type=int, default=300)
    options.add_argument("--max-tokens", type=int, default=40)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--arms", nargs="*", default=list(ARMS), choices=[*ARMS, *MORE_ARMS])
    options.add_argument("--show", action="store_true", help="print every answer")
    return options


def main() -> None:
    """The command."""
    options = parser().parse_args()
    if options.locomo:
        chats = read_locomo(options.locomo)
    else:
        chats = [generate(seed) for seed in options.seeds]
    chats = [chat for chat in chats if not options.only or chat.id in options.only]
    asked = prepare(chats, options)
    results: dict[str, list[float]] = {arm: [] for arm in options.arms}
    said: dict[str, list[str]] = {arm: [] for arm in options.arms}
    for arm in options.arms:  # arm by arm: the server's prefix cache then holds a chat's notes
        for one in asked:
            answer = ask(
                options.endpoint,
                options.model,
                options.key,
                one.notes[arm],
                one.probe.question,
                options.max_tokens,
            )
            results[arm].append(float(right(answer, one.probe, one.chat.names)))
            said[arm].append(" ".join(answer.split()))
        print(f"{arm}: {percent(results[arm]):.1f} %", file=sys.stderr, flush=True)
    if options.show:
        for number, one in enumerate(asked):
            print(f"{number + 1}. {one.probe.question} => {one.probe.answer}")
            for arm in options.arms:
                print(f"  {'+' if results[arm][number] else '-'} {arm}: {said[arm][number]}")
    print(f"{len(asked)} questions of {len(chats)} chats, model {options.model}\n")
    print(report(options.arms, results))


if __name__ == "__main__":
    main()
