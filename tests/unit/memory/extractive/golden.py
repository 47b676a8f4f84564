"""Short conversations whose summaries and passages are known: ``golden_expected.py`` has them.

    python -m tests.unit.memory.extractive.golden

writes that file anew. Read what changed in it, as somebody who has only the summary, before it
is committed: a fact that went, or a line that says something else, is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pprint import pformat

from app.memory.extractive import Line, Source, drop_least, restore_details, summarise
from app.memory.recall import RecallIndex, passages
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()
MAY_8 = 1_683_547_200_000  # a Monday
HOUR = 3_600_000

CHATS: dict[str, Sequence[str]] = {
    "greenhouse": (
        "Hi! We want to build a greenhouse. The budget is 3400 euros.",
        "That sounds lovely! Which size do you have in mind?",
        "About 12 square metres. My wife Ines is allergic to tomatoes, so never suggest them.",
        "Understood. You will need:\n- a base of concrete\n- 8 panels of glass\n- a vent",
        "Thanks! I ordered the glass from Nordglas in Kiel yesterday, order 48213.",
        "Great, when does it arrive?",
        "In three weeks, they said. Small change: the budget is 5100 euros now.",
        "Noted. With 5100 euros you could also add a heater, which keeps the frost out.",
    ),
    "code": (
        "My script fails. Here it is:\n```python\nimport csv\nrows = list(csv.reader(open(path)))\n"
        "total = sum(int(row[3]) for row in rows)\n```",
        "The header row is read as a number. Skip it with `next(reader)` before the sum.",
        "It works! But we decided to use PostgreSQL instead of files, on db.example.org:5433.",
        "Then read with psycopg. Is the password in the environment?",
        "Yes, it is in PG_PASSWORD. The table is called night_shifts and has 90,000 rows.",
        "I would index night_shifts on worker_id; without an index each query reads every row.",
    ),
    "česky": (
        "Ahoj, jmenuji se Bořek a pěstuji šedesát švestek u Jihlavy.",
        "To zní krásně! Co s nimi děláš?",
        "Včera jsme se dohodli, že z nich bude povidla vařit moje sestra Alena z Telče.",
        "Kolik cukru do nich dáváte?",
        "Žádný cukr, nikdy. Alena potřebuje 14 sklenic do pátku 12.5.",
        "Dobře, 14 sklenic do pátku.",
    ),
    "日本語": (
        "会議の場所は図書館の22号室です。",
        "わかりました。何時に始まりますか？",
        "15時からです。田中さんは来られません。",
        "では資料を送ります。",
        "会議の場所は本館の7号室に変更しました。",
        "7号室ですね。ありがとう！",
    ),
}
QUESTIONS = {
    "greenhouse": ("How large is the budget?", "What about Ines?", "When was the glass ordered?"),
    "code": ("Where does the database run?", "How many rows has night_shifts?"),
    "česky": ("Kolik sklenic potřebuje Alena?", "Kde pěstuje švestky?"),
    "日本語": ("会議の場所はどこですか？", "何時に始まりますか？"),
}  # fmt: skip
LIMITS = {"greenhouse": 90, "code": 90, "česky": 60, "日本語": 30}


def sources(name: str) -> list[Source]:
    """The messages, a quarter of an hour apart, the user's first."""
    return [
        Source(f"m{i}", ("user", "assistant")[i % 2], "", text, MAY_8 + i * HOUR // 4)
        for i, text in enumerate(CHATS[name])
    ]


def made(name: str) -> dict[str, list[str]]:
    """What the memory makes of a conversation: folded in two steps, shortened, recalled."""
    items, limit = sources(name), LIMITS[name]
    first = summarise([], items[:4], limit, WORDS)
    second = summarise(first, items[4:], limit, WORDS)
    found = {"first fold": shown(first), "second fold": shown(second)}
    found["cut to a third"] = shown(drop_least(second, limit // 3, WORDS))
    found["put back"] = shown(restore_details(second[:1], items, 40, WORDS))
    index, texts = RecallIndex(), dict[str, tuple[str, str, str]]()
    for item in items:
        index.add(item.id, item.text, item.role.title(), "2023-05-08")
        texts[item.id] = ("", item.text, "")
    for question in QUESTIONS[name]:
        recalled = passages(index, texts, question, (), 36, WORDS)
        found[question] = [f"{each.id}: {each.text}" for each in recalled]
    return found


def shown(lines: list[Line]) -> list[str]:
    """Each line behind the id of its message."""
    return [f"{line.source}: {line.text}" for line in lines]


def main() -> None:
    """Write the expected results anew."""
    text = pformat({name: made(name) for name in CHATS}, width=98, sort_dicts=False)
    path = Path(__file__).with_name("golden_expected.py")
    path.write_text(
        '"""Written by ``python -m tests.unit.memory.extractive.golden``; see there."""\n\n'
        f"# fmt: off\n# ruff: noqa: E501\nEXPECTED: dict[str, dict[str, list[str]]] = {text}\n"
    )


if __name__ == "__main__":
    main()
