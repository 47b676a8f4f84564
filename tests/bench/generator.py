"""Makes chats with planted facts: seeded, of our own words, with questions and their answers.

Facts stand among chit-chat, long answers and pastes: names, numbers, dates, updates that
supersede, decisions, constraints, code, lists, answers to questions, Czech, German and Japanese.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.bench.chats import Chat, Probe, Turn
from tests.bench.phrases import (
    ADVICE,
    ASIDES,
    CZECH_ASIDES,
    FOODS,
    GREETINGS,
    IDENTIFIERS,
    JAPANESE_ASIDES,
    NAMES,
    PROJECTS,
    REPLIES,
    THINGS,
    TOOLS,
    TOWNS,
)

DAY = 86_400_000
START = 1_767_261_600_000  # 1 January 2026, 10:00 UTC
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """What the user says (and the assistant before it, if it asked), the question, the answer."""

    said: str
    question: str
    answer: str
    kind: str
    asked: str = ""
    later: str = ""  # an update said much later; ``answer`` is the update's
    was: str = ""


class _Words:
    """Draws words without repeating one."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._left: dict[int, list[str]] = {}

    def draw(self, pool: tuple[str, ...]) -> str:
        left = self._left.setdefault(id(pool), [])
        if not left:
            left.extend(self.rng.sample(pool, len(pool)))
        return left.pop()

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)


def facts(rng: random.Random) -> list[Fact]:
    """One set of facts: every kind at least once, about different things."""
    w = _Words(rng)
    out: list[Fact] = []
    for pet in ("dog", "cat", "parrot"):
        name, town = w.draw(NAMES), w.draw(TOWNS)
        out.append(
            Fact(
                f"Our {pet} {name} came from a shelter in {town}. She still hides when it rains.",
                f"Where does the {pet} come from?",
                f"a shelter in {town}",
                "name",
            )
        )
    for _ in range(3):
        project, old, new = w.draw(PROJECTS), w.number(11, 49) * 100, w.number(51, 99) * 100
        out.append(
            Fact(
                f"The budget for the {project} is {old} euros, my boss signed it off.",
                f"What is the budget for the {project}?",
                str(new),
                "update",
                later=f"Small change: the budget for the {project} is {new} euros now.",
                was=str(old),
            )
        )
    old, new = w.draw(TOWNS), w.draw(TOWNS)
    out.append(
        Fact(
            f"I live in {old}, close to the old harbour.",
            "Which town does the user live in now?",
            new,
            "update",
            later=f"We finally moved from {old} to {new} and the boxes are everywhere.",
            was=old,
        )
    )
    for _ in range(3):
        event, day, month = w.draw(THINGS), w.number(2, 28), rng.choice(MONTHS)
        out.append(
            Fact(
                f"Mark this down: the {event} inspection is on {day} {month}.",
                f"When is the {event} inspection?",
                f"{day} {month}",
                "date",
            )
        )
    for _ in range(2):
        food = w.draw(FOODS)
        person = w.draw(NAMES)
        out.append(
            Fact(
                f"{person} is allergic to {food}, so never suggest a dish with it.",
                f"What is {person} allergic to?",
                food,
                "constraint",
            )
        )
    for _ in range(3):
        chosen, other, project = w.draw(TOOLS), w.draw(TOOLS), w.draw(PROJECTS)
        out.append(
            Fact(
                f"We decided to use {chosen} instead of {other} for the {project}.",
                f"Which tool was chosen for the {project}?",
                chosen,
                "decision",
            )
        )
    for _ in range(3):
        name, file, line = w.draw(IDENTIFIERS), w.draw(THINGS), w.number(20, 900)
        code = f"```python\ndef {name}(rows):\n    return rows[0].total / len(rows)\n```"
        out.append(
            Fact(
                f"The crash is in {name}, line {line} of {file}.py, when the list is empty:\n"
                f"{code}",
                f"Which function crashes in {file}.py, and on which line?",
                f"{name} {line}",
                "code",
            )
        )
    for place in ("bike shed", "allotment gate", "studio"):
        digits = str(w.number(1000, 9899))
        out.append(
            Fact(
                f"By the way, the lock of the {place} opens with {digits}.",
                f"With which code does the lock of the {place} open?",
                digits,
                "number",
            )
        )
    for _ in range(2):
        things = [w.draw(FOODS) for _ in range(4)]
        event = w.draw(THINGS)
        listed = "\n".join(f"- {thing}" for thing in things)
        out.append(
            Fact(
                f"What I still have to buy for the {event} party:\n{listed}",
                f"What has to be bought for the {event} party?",
                " ".join(things),
                "list",
            )
        )
    for _ in range(2):
        person, town = w.draw(NAMES), w.draw(TOWNS)
        out.append(
            Fact(
                f"{person}, on the night train to {town}.",
                "Who travels on the night train to " + town + "?",
                person,
                "answer",
                asked="Who is travelling with you, and how?",
            )
        )
    person, town = w.draw(NAMES), w.draw(TOWNS)
    number = w.number(12, 98)
    out += [
        Fact(
            f"Moje sestra {person} pěstuje v obci {town} švestky, má jich {number} stromů.",
            "Kolik stromů švestek má sestra?",
            str(number),
            "czech",
        ),
        Fact(
            f"Rozhodli jsme se, že klíče necháme u souseda jménem {person}ek.",
            "U koho necháme klíče?",
            f"souseda {person}ek",
            "czech",
        ),
        Fact(
            f"Mein Zug nach {town} fährt um {w.number(5, 9)} Uhr {number}"
            f" von Gleis {number + 1} ab.",
            f"Von welchem Gleis fährt der Zug nach {town}?",
            str(number + 1),
            "german",
        ),
        Fact(
            f"会議の場所は図書館の{number}号室に変更しました。",
            "会議の場所はどこですか？",
            f"図書館の{number}号室",
            "japanese",
        ),
        Fact(
            "妹は京都で和菓子の店を開きました。",
            "妹は京都で何の店を開きましたか？",
            "和菓子",
            "japanese",
        ),
    ]
    rng.shuffle(out)
    return out


def _paste(rng: random.Random) -> str:
    """A wall of log lines, about 900 tokens, that nobody asks about."""
    lines = ["Here is the log, no need to comment:", "```"]
    lines += [
        f"2026-03-{rng.randint(1, 28):02} 12:{i:02}:07 WARN {rng.choice(THINGS)}"
        f".{rng.choice(THINGS)} retry={rng.randint(1, 9)} id={rng.getrandbits(40):010x}"
        for i in range(34)
    ]
    return "\n".join([*lines, "```"])


def _advice(rng: random.Random, sentences: int) -> str:
    """A long assistant-style answer."""
    return " ".join(
        rng.choice(ADVICE).format(thing=rng.choice(THINGS), tool=rng.choice(TOOLS))
        for _ in range(sentences)
    )


def generate(seed: int, *, turns: int = 130, long_answers: bool = False) -> Chat:
    """A chat of ``turns`` turns with some 35 facts. ``long_answers``: 300 tokens and more each."""
    rng = random.Random(seed)
    planted = facts(rng)
    said: dict[int, tuple[Fact, bool]] = {}  # turn -> (fact, whether it is the update)
    first = rng.sample(range(2, turns * 6 // 10), len(planted))
    free = list(range(turns * 6 // 10, turns * 9 // 10))
    rng.shuffle(free)
    for fact, turn in zip(planted, sorted(first), strict=True):
        said[turn] = (fact, False)
        if fact.later:
            said[free.pop()] = (fact, True)
    pastes = set(rng.sample(range(3, turns - 5), 3))
    out: list[Turn] = []
    places: dict[int, int] = {}
    now = START
    for turn in range(turns):
        now += DAY // 2 if turn % 10 == 0 else 60_000
        fact, update = said.get(turn, (None, False))
        if fact is not None:
            text = fact.later if update else fact.said
            if not update and fact.asked and out:
                last = out.pop()
                asked = f"{last.content} {fact.asked}"
                out.append(Turn(last.id, last.role, asked, last.created_at))
            elif rng.random() < 0.4 and fact.kind not in ("czech", "german", "japanese"):
                gap = "\n\n" if "\n" in text else " "
                text = f"{rng.choice(GREETINGS)} {text}{gap}{rng.choice(ASIDES)}"
            places[id(fact)] = len(out)
        elif turn in pastes:
            text = _paste(rng)
        else:
            pool = rng.choices((ASIDES, CZECH_ASIDES, JAPANESE_ASIDES), (8, 1, 1))[0]
            text = f"{rng.choice(GREETINGS)} {rng.choice(pool)} {rng.choice(pool)}"
        out.append(Turn(f"s{seed}u{turn}", "user", text, now))
        answer = rng.choice(REPLIES)
        if long_answers or rng.random() < 0.25:
            answer += " " + _advice(rng, rng.randint(14, 18) if long_answers else 4)
        out.append(Turn(f"s{seed}a{turn}", "assistant", answer, now + 20_000))
    probes = tuple(
        Probe(f"p{n}", f.question, f.answer, (places[id(f)],), f.kind, f.was)
        for n, f in enumerate(planted)
    )
    return Chat(f"made-{seed}", tuple(out), probes, ())
