"""Does a summary decay when it is rewritten again and again? One text against frozen segments.

    python -m tests.bench.drift [--seeds 1 2 3] [--limit 800] [--fold 1500]

*rewritten*: each fold lets the old lines and the new sentences compete (what the engine does).
*frozen*: each fold adds a block that later folds leave byte for byte alone; only when the limit is
reached the two oldest blocks are merged. After 2, 5, 10 and 20 folds: how many of the planted facts
told so far stand in the summary (anchored), and how much of its text the fold before had as prefix.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.memory.extractive import Line, Source, drop_least, summarise
from tests.bench.chats import Chat
from tests.bench.generator import generate
from tests.bench.metrics import common_prefix, judge, percent, split_lines
from tests.support.cpython_tokenizer import CPythonTokenizer

AFTER = (2, 5, 10, 20)


def joined(lines: Sequence[Line]) -> str:
    """The text of a summary."""
    return "\n".join(line.text for line in lines)


class Rewritten:
    """One text, written anew at each fold."""

    def __init__(self, limit: int, lexicon: CPythonTokenizer) -> None:
        self.limit, self.lexicon = limit, lexicon
        self.lines: list[Line] = []

    def fold(self, items: Sequence[Source]) -> str:
        """Takes ``items`` in and gives the summary's text."""
        self.lines = summarise(self.lines, items, self.limit, self.lexicon)
        return joined(self.lines)


class Frozen:
    """Blocks that stay as they are; the two oldest merge when the limit is reached."""

    def __init__(self, limit: int, lexicon: CPythonTokenizer) -> None:
        self.limit, self.lexicon = limit, lexicon
        self.blocks: list[list[Line]] = []

    def fold(self, items: Sequence[Source]) -> str:
        """Takes ``items`` in and gives the summary's text."""
        self.blocks.append(summarise([], items, self.limit // 5, self.lexicon))
        while self._tokens(joined(self._all())) > self.limit and len(self.blocks) > 1:
            both = self.blocks[0] + self.blocks[1]
            over = self._tokens(joined(self._all())) - self.limit
            room = max(self.limit // 5, self._tokens(joined(both)) - over - self.limit // 10)
            merged = drop_least(both, room, self.lexicon)
            if merged == both:
                merged = drop_least(both, self._tokens(joined(both)) * 3 // 4, self.lexicon)
            self.blocks[:2] = [merged]
        return joined(self._all())

    def _all(self) -> list[Line]:
        return [line for block in self.blocks for line in block]

    def _tokens(self, text: str) -> int:
        return self.lexicon.count_many([text])[0]


def folds_of(chat: Chat, size: int, lexicon: CPythonTokenizer) -> list[list[int]]:
    """Places of the messages of each fold, of about ``size`` tokens."""
    out: list[list[int]] = [[]]
    spent = 0
    for place, turn in enumerate(chat.messages):
        out[-1].append(place)
        spent += lexicon.count_many([turn.content])[0]
        if spent >= size and turn.role == "assistant":
            out.append([])
            spent = 0
    return [fold for fold in out if fold]


def measure(
    chats: Sequence[Chat], limit: int, size: int
) -> dict[str, dict[int, tuple[float, float]]]:
    """Method -> folds -> (share of planted facts held, share of the text that stayed), percent."""
    lexicon = CPythonTokenizer()
    held: dict[str, dict[int, list[float]]] = {}
    stayed: dict[str, list[float]] = {}
    for chat in chats:
        for method in (Rewritten(limit, lexicon), Frozen(limit, lexicon)):
            name = type(method).__name__.lower()
            before, last = "", -1
            for number, fold in enumerate(folds_of(chat, size, lexicon), 1):
                items = [
                    Source(t.id, t.role, t.name, t.content, t.created_at)
                    for t in (chat.messages[place] for place in fold)
                ]
                text = method.fold(items)
                last = fold[-1]
                if before:
                    stayed.setdefault(name, []).append(common_prefix(before, text) / len(before))
                before = text
                if number in AFTER:
                    lines = split_lines([text])
                    found = [
                        float(judge(lines, p.question, p.answer, chat.names)[1])
                        for p in chat.probes
                        if max(p.evidence) <= last
                    ]
                    held.setdefault(name, {}).setdefault(number, []).extend(found)
    return {
        name: {n: (percent(values), percent(stayed[name])) for n, values in by_fold.items()}
        for name, by_fold in held.items()
    }


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bench.drift",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    options.add_argument("--limit", type=int, default=800)
    options.add_argument("--fold", type=int, default=1500)
    given = options.parse_args()
    chats = [generate(seed, long_answers=True) for seed in given.seeds]
    print("| method | " + " | ".join(f"after {n} folds" for n in AFTER) + " | text that stayed |")
    print("|---|" + "---|" * (len(AFTER) + 1))
    for name, row in measure(chats, given.limit, given.fold).items():
        cells = " | ".join(f"{row[n][0]:.0f} %" if n in row else "" for n in AFTER)
        kept = next(iter(row.values()))[1]
        print(f"| {name} | {cells} | {kept:.0f} % |")


if __name__ == "__main__":
    main()
