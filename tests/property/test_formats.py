"""Imports of anything: the report adds up, nothing crashes; our own export loses nothing."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.conversation.formats import FormatError, Imported, pleat_json, read
from app.conversation.formats.decode import MAX_DEPTH, depth, safe_json
from app.conversation.formats.times import to_ms
from app.conversation.message import Message, Part
from app.conversation.records import (
    conversation_from_record,
    conversation_to_record,
    message_from_record,
    message_to_record,
)
from app.conversation.title import LIMIT, title_from_text
from app.conversation.tree import Conversation, Tree

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5) | st.sampled_from([1700000000, 1700000000000]),
    st.floats(),
    st.text(max_size=5),
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = [f"n{i}" for i in range(6)]
KEY = st.sampled_from([*KEYS, None, "gone"])
WORDS = st.sampled_from(["Hi", "more", "", " ", "\u200b", "two words", "a\ud800"])


MISSING = "\x00missing"


def mostly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The good value, and now and then anything at all."""
    return st.integers(0, 15).flatmap(lambda n: JUNK | st.just(MISSING) if n == 15 else good)


def fields(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with these fields, of which now and then one is missing or junk."""
    return st.fixed_dictionaries({key: mostly(value) for key, value in values.items()}).map(
        lambda found: {key: value for key, value in found.items() if value != MISSING}
    )


BLOCK = fields(
    type=st.sampled_from(
        ["text", "thinking", "tool_use", "tool_result", "image_url", "image", "file", "input_audio"]
    ),
    text=WORDS,
    thinking=WORDS,
    name=WORDS,
    input=JUNK,
    content=WORDS,
    image_url=fields(url=WORDS),
)
CHATGPT = fields(
    mapping=st.dictionaries(
        st.sampled_from(KEYS),
        mostly(
            fields(
                parent=KEY,
                children=st.lists(KEY, max_size=3),
                message=fields(
                    author=fields(
                        role=st.sampled_from(["user", "assistant", "user", "tool", "system"])
                    ),
                    content=fields(
                        content_type=st.sampled_from(
                            ["text", "code", "thoughts", "multimodal_text"]
                        ),
                        parts=st.lists(mostly(WORDS), min_size=1, max_size=3),
                        text=WORDS,
                    ),
                    metadata=fields(
                        is_visually_hidden_from_conversation=st.booleans(),
                        attachments=st.lists(fields(name=WORDS, id=WORDS), max_size=2),
                    ),
                    recipient=st.sampled_from(["all", None, "python"]),
                    create_time=SCALARS,
                ),
            )
        ),
    ),
    current_node=KEY,
    title=WORDS,
    create_time=SCALARS,
).map(lambda one: {"mapping": {}, **one})
CLAUDE = fields(
    uuid=WORDS,
    name=WORDS,
    chat_messages=st.lists(
        mostly(
            fields(
                uuid=KEY,
                sender=st.sampled_from(["human", "assistant"]),
                text=WORDS,
                content=st.lists(mostly(BLOCK), max_size=3),
                attachments=st.lists(mostly(fields(file_name=WORDS, extracted_content=WORDS))),
                files=st.lists(mostly(fields(file_name=WORDS)), max_size=2),
                parent_message_uuid=KEY,
                created_at=WORDS,
            )
        ),
        max_size=5,
    ),
    current_leaf_message_uuid=KEY,
).map(lambda one: {"chat_messages": [], **one})
OPENAI = st.lists(
    mostly(
        fields(
            role=st.sampled_from(["user", "assistant", "system", "developer", "tool", "USER"]),
            content=WORDS | st.lists(mostly(BLOCK), max_size=3),
            tool_calls=st.lists(mostly(fields(id=KEY, function=fields(name=WORDS))), max_size=2),
            tool_call_id=KEY,
            name=WORDS,
        )
    ),
    max_size=6,
)
TAVERN_LINE = fields(
    name=WORDS,
    is_user=st.booleans(),
    is_system=st.booleans(),
    mes=WORDS,
    swipes=st.lists(mostly(WORDS), max_size=3),
    swipe_id=st.integers(-1, 4),
    swipe_info=st.lists(JUNK, max_size=2),
    extra=fields(reasoning=WORDS, image=WORDS, memory=WORDS, media=st.lists(JUNK, max_size=2)),
    send_date=SCALARS,
)
BROKEN_LINE = st.sampled_from(['{"mes":', "", "7", "}{", '{"mes": "x",}'])
TAVERN = st.lists(mostly(TAVERN_LINE).map(json.dumps) | BROKEN_LINE, max_size=6).map("\n".join)
FILES = st.one_of(
    st.lists(mostly(CHATGPT | CLAUDE | OPENAI | fields(messages=OPENAI)), max_size=3).map(
        json.dumps
    ),
    st.one_of(CHATGPT, CLAUDE, OPENAI).map(json.dumps),
    TAVERN,
    JUNK.map(json.dumps),
    st.text(alphabet='[]{}",:\\ 1aN\n'),
)


def ids() -> Any:
    counter = itertools.count()
    return lambda: f"new{next(counter)}"


def check(found: Imported) -> None:
    """What holds for every import."""
    report = found.report
    for counts, what in (
        (report.conversations, "conversation"),
        (report.messages, "message"),
        (report.folds, "fold"),
    ):
        not_imported = counts.empty + counts.skipped + counts.failed
        assert counts.found == counts.imported + not_imported
        assert not_imported == sum(r.count for r in report.reasons if r.what == what)
        assert all(r.text and len(r.where) <= r.count for r in report.reasons)
    assert report.conversations.imported == len(found.conversations)
    assert report.messages.imported == sum(len(c.messages) for c in found.conversations)
    assert report.folds.imported == sum(len(c.folds) for c in found.conversations)
    json.dumps(report.to_dict(), allow_nan=False)
    seen: set[str] = set()
    for each in found.conversations:
        conversation = each.conversation
        own = {message.id for message in each.messages}
        assert len(own) == len(each.messages)
        assert not own & seen
        seen |= own | {conversation.id}
        assert conversation.title
        assert conversation.leaf_id in own or not own
        for message in each.messages:
            assert message.conversation_id == conversation.id
            assert message.parent_id is None or message.parent_id in own
            assert message.status != "streaming"
            assert message_from_record(message_to_record(message)) == message
        tree = Tree(each.messages)
        # No cycle is left: every message is reached from a root.
        assert all(tree.path(id)[0].parent_id is None for id in own)


@given(FILES)
def test_any_file_is_imported_with_a_report_that_adds_up_or_refused(text: str) -> None:
    try:
        found = read("file", text, ids())
    except FormatError as error:
        assert str(error)
        return
    check(found)
    for each in found.conversations:
        json.dumps([message_to_record(m) for m in each.messages], ensure_ascii=False).encode()


@given(st.binary(max_size=60))
def test_any_bytes_are_imported_or_refused(data: bytes) -> None:
    try:
        found = read("file", data, ids())
    except FormatError as error:
        assert str(error)
        return
    check(found)


@given(FILES, st.data())
def test_a_file_cut_anywhere_is_imported_or_refused(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    try:
        found = read("file", text[:cut], ids())
    except FormatError as error:
        assert str(error)
        return
    check(found)


@given(st.text(alphabet='[]{}"\\a,:\n', max_size=60))
def test_depth_is_never_underestimated_before_an_error(text: str) -> None:
    level = deepest = 0
    quoted = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "[{":
            level += 1
            deepest = max(deepest, level)
        elif character in "]}":
            level -= 1
    assert depth(text) >= deepest
    assert depth(text, 3) > 3 or deepest <= 3
    assert depth(text) <= MAX_DEPTH


@given(JUNK)
def test_safe_json_reads_what_json_reads(value: Any) -> None:
    text = json.dumps(value)
    plain = json.loads(text, parse_constant=lambda _: None)
    assert safe_json(text) == plain


TEXT = st.text(max_size=8)
PARTS = st.lists(
    st.builds(
        Part,
        st.sampled_from(["text", "reasoning", "image", "file", "tool_call", "tool_result"]),
        TEXT,
        TEXT,
        TEXT,
        TEXT,
    ),
    max_size=3,
).map(tuple)


@st.composite
def stored(draw: st.DrawFn) -> tuple[Conversation, list[Message], list[dict[str, Any]]]:
    """A conversation as the store may hold it: any tree, any ledger over it."""
    count = draw(st.integers(0, 8))
    names = [f"m{i}" for i in range(count)]
    messages = [
        Message(
            name,
            "c",
            draw(st.sampled_from([None, *names[:i]])),
            draw(st.sampled_from(["user", "assistant", "tool", "system"])),
            draw(PARTS),
            draw(st.sampled_from(["streaming", "complete", "stopped", "failed"])),
            draw(st.integers(0, 10)),
            draw(TEXT),
            draw(TEXT),
            draw(TEXT),
            draw(st.booleans()),
            draw(TEXT),
        )
        for i, name in enumerate(names)
    ]
    some = st.frozensets(st.sampled_from(names)) if names else st.just(frozenset[str]())
    conversation = Conversation(
        "c",
        draw(TEXT),
        draw(st.integers(0, 10)),
        draw(st.integers(0, 10)),
        draw(st.none() | TEXT),
        draw(st.none() | TEXT),
        draw(st.sampled_from([None, *names])),
        draw(some),
        draw(some),
        draw(st.integers(0, 5)),
        draw(st.integers(0, 5)),
    )
    folds: list[dict[str, Any]] = []
    for i in range(draw(st.integers(0, 4)) if names else 0):
        earlier = [None, *(f"f{j}" for j in range(i))]
        folds.append(
            {
                "schema": 1,
                "id": f"f{i}",
                "conversation_id": "c",
                "parent_id": draw(st.sampled_from(earlier)),
                "replaces": draw(st.sampled_from(earlier)),
                "covered": draw(st.lists(st.sampled_from(names), max_size=4)),
                "boundary": draw(st.sampled_from(names)),
                "sources": draw(st.lists(st.sampled_from([None, *names]), max_size=3)),
                "text": draw(TEXT),
                "extra": draw(st.none() | st.integers() | st.lists(TEXT, max_size=2)),
            }
        )
    return conversation, draw(st.permutations(messages)), folds


@given(st.lists(stored(), max_size=3))
def test_export_and_import_lose_nothing(
    store: list[tuple[Conversation, list[Message], list[dict[str, Any]]]],
) -> None:
    text = pleat_json.write(store, 7)
    text.encode()
    found = read("pleat.json", text, ids())
    report = found.report
    assert report.conversations.imported == len(store)
    assert [r for r in report.reasons if r.outcome != "imported"] == []
    for (conversation, messages, folds), copy in zip(store, found.conversations, strict=True):
        new = copy.id_map
        assert copy.conversation == replace(
            conversation,
            id=new["c"],
            leaf_id=None if conversation.leaf_id is None else new[conversation.leaf_id],
            pinned=frozenset(new[id] for id in conversation.pinned),
            excluded=frozenset(new[id] for id in conversation.excluded),
        )
        assert list(copy.messages) == [
            replace(
                message,
                id=new[message.id],
                conversation_id=new["c"],
                parent_id=None if message.parent_id is None else new[message.parent_id],
                status="stopped" if message.status == "streaming" else message.status,
            )
            for message in messages
        ]
        assert json.loads(json.dumps(list(copy.folds))) == json.loads(
            json.dumps(
                [
                    {
                        **fold,
                        "id": new[fold["id"]],
                        "conversation_id": new["c"],
                        "parent_id": fold["parent_id"] and new[fold["parent_id"]],
                        "replaces": fold["replaces"] and new[fold["replaces"]],
                        "covered": [new[id] for id in fold["covered"]],
                        "boundary": new[fold["boundary"]],
                        "sources": [id and new[id] for id in fold["sources"]],
                    }
                    for fold in folds
                ]
            )
        )
    # A second import of the same file is as independent of the first as of the original.
    taken = ids()
    first, second = read("a", text, taken), read("a", text, taken)
    assert not {m.id for c in first.conversations for m in c.messages} & {
        m.id for c in second.conversations for m in c.messages
    }


@given(st.lists(stored(), min_size=1, max_size=2), st.data())
def test_a_damaged_export_is_imported_as_far_as_it_goes(
    store: list[tuple[Conversation, list[Message], list[dict[str, Any]]]], data: st.DataObject
) -> None:
    document = json.loads(pleat_json.write(store, 7))
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = document["conversations"]
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
                place = place[key]
                continue
            place[key] = data.draw(JUNK)
            break
    try:
        found = read("pleat.json", json.dumps(document), ids())
    except FormatError as error:
        assert str(error)
        return
    own_ids = {"c", *(f"m{i}" for i in range(8)), *(f"f{i}" for i in range(4))}
    for each in found.conversations:
        assert each.conversation.leaf_id is None or each.conversation.leaf_id in {
            m.id for m in each.messages
        }
        for message in each.messages:
            assert message.id not in own_ids
            assert message.parent_id not in own_ids
        for fold in each.folds:
            assert fold["id"] not in own_ids
            assert fold["conversation_id"] == each.conversation.id
            assert not own_ids & {fold["boundary"], *fold["covered"], *fold["sources"]}
            assert fold.get("parent_id") not in own_ids
            assert fold.get("replaces") not in own_ids


@given(stored())
def test_records_lose_nothing(
    one: tuple[Conversation, list[Message], list[dict[str, Any]]],
) -> None:
    conversation, messages, _ = one
    record = json.loads(json.dumps(conversation_to_record(conversation)))
    assert conversation_from_record(record) == conversation
    for message in messages:
        assert message_from_record(json.loads(json.dumps(message_to_record(message)))) == message


@given(st.text() | st.text(alphabet="#*_`[]()<>!-> \n\u200b\u0301a"))
def test_a_title_is_one_short_line_and_never_empty(text: str) -> None:
    title = title_from_text(text)
    assert title.strip()
    assert len(title) <= LIMIT
    assert len(title.splitlines()) == 1
    assert title == title.strip()
    title.encode()


@given(SCALARS | st.text(alphabet="0123456789-T:. @hmsZ+APMapril,"))
def test_a_time_is_a_whole_number_of_this_era_or_unknown(value: Any) -> None:
    assert 0 <= to_ms(value) < 4_102_444_800_000
