"""Ten summaries beside what the seeds' rule keeps of the same chats, as a Markdown page.

    python -m tests.bench.side_by_side > docs/summaries.md

The chats are generated, so that the page may be published; 200 tokens each, to be read at a glance.
"""

from __future__ import annotations

from app.memory.extractive import Line, Source, summarise
from tests.bench.generator import generate
from tests.bench.metrics import judge, split_lines
from tests.support.cpython_tokenizer import CPythonTokenizer

LIMIT = 200
CHUNK = 40  # messages a fold


def seeds_tail(blocks: list[str], lexicon: CPythonTokenizer) -> str:
    """The newest whole blocks within the limit; nothing of what was before."""
    kept: list[str] = []
    for block in reversed(blocks):
        if lexicon.count_many(["\n\n".join([block, *kept])])[0] > LIMIT:
            break
        kept.insert(0, block)
    return "\n\n".join(kept)


def main() -> None:
    """The command."""
    lexicon = CPythonTokenizer()
    print("# Ten summaries, side by side\n")
    print(f"Generated chats, {LIMIT} tokens of memory, no model call. Left to itself, the seeds'")
    print("rule keeps the end of the conversation, whatever stands there. Made by")
    print("`.venv/bin/python -m tests.bench.side_by_side`.\n")
    for seed in range(21, 31):
        chat = generate(seed)
        lines: list[Line] = []
        for at in range(0, len(chat.messages), CHUNK):
            turns = chat.messages[at : at + CHUNK]
            items = [Source(t.id, t.role, t.name, t.content, t.created_at) for t in turns]
            lines = summarise(lines, items, LIMIT, lexicon)
        ours = "\n".join(line.text for line in lines)
        theirs = seeds_tail([f"{t.role}: {t.content}" for t in chat.messages], lexicon)
        print(f"## Chat {seed}\n")
        for title, text in (("Pleat", ours), ("The seeds' tail", theirs)):
            held = sum(judge(split_lines([text]), p.question, p.answer, ())[1] for p in chat.probes)
            print(f"**{title}**, {held} of {len(chat.probes)} planted facts:\n")
            print("```text\n" + text.replace("```", "'''") + "\n```\n")


if __name__ == "__main__":
    main()
