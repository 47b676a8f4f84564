"""ChatGPT exports: what was said is there, what was hidden is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.conversation.formats import Imported, ImportedConversation
from app.conversation.formats.chatgpt import strip_citations
from app.conversation.message import Message
from app.conversation.tree import Tree

ImportFile = Callable[[object], Imported]
OpenPath = Callable[[ImportedConversation], list[Message]]


def node(
    parent: str | None,
    text: str | dict[str, Any] | None = None,
    role: str = "user",
    **fields: Any,
) -> dict[str, Any]:
    """A node of a mapping; without text one that has no message."""
    if text is None:
        return {"message": None, "parent": parent}
    content = {"content_type": "text", "parts": [text]} if isinstance(text, str) else text
    return {"parent": parent, "message": {"author": {"role": role}, "content": content, **fields}}


def chat(mapping: dict[str, Any], current: str | None, **fields: Any) -> dict[str, Any]:
    return {"id": "g1", "title": "A chat", "mapping": mapping, "current_node": current, **fields}


def texts(path: list[Message]) -> list[str]:
    return [message.text for message in path]


FORKED = {
    "root": node(None),
    "q": node("root", "Name a bird.", create_time=100.5),
    "a": node("q", "Wren.", "assistant", create_time=101.0, metadata={"model_slug": "m-1"}),
    "b": node("q", "Rook.", "assistant", create_time=102.0),
    "q2": node("a", "Another?", create_time=103.0),
    "a2": node("q2", "Tit.", "assistant", create_time=104.0),
}


def test_the_open_path_is_the_one_of_the_current_node(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    one = import_file([chat(FORKED, "a2")]).conversations[0]
    assert texts(open_path(one)) == ["Name a bird.", "Wren.", "Another?", "Tit."]
    other = import_file([chat(FORKED, "b")]).conversations[0]
    assert texts(open_path(other)) == ["Name a bird.", "Rook."]
    assert one.conversation.title == "A chat"


def test_branches_stay_as_siblings_in_time_order(import_file: ImportFile) -> None:
    shuffled = {key: FORKED[key] for key in ("b", "a2", "root", "a", "q2", "q")}
    found = import_file([chat(shuffled, "a2")]).conversations[0]
    tree = Tree(found.messages)
    assert [m.text for m in tree.siblings(found.id_map["b"])] == ["Wren.", "Rook."]
    assert tree.get(found.id_map["a"]).model == "m-1"  # type: ignore[union-attr]
    assert tree.get(found.id_map["q"]).created_at == 100_500  # type: ignore[union-attr]


def test_a_single_chat_a_list_and_a_wrapped_list_are_the_same(import_file: ImportFile) -> None:
    one = chat(FORKED, "a2")
    for content in (one, [one], {"conversations": [one]}):
        found = import_file(content)
        assert found.report.format == "chatgpt"
        assert found.report.messages.imported == 5


def test_ids_are_new_and_every_message_is_of_the_new_conversation(import_file: ImportFile) -> None:
    found = import_file([chat(FORKED, "a2")]).conversations[0]
    assert all(m.id.startswith("new") for m in found.messages)
    assert {m.conversation_id for m in found.messages} == {found.conversation.id}
    assert found.id_map["g1"] == found.conversation.id


def test_hidden_nodes_are_left_out_and_their_children_linked_through(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    mapping = {
        "root": node(None),
        "profile": node(
            "root", {"content_type": "user_editable_context", "user_profile": "SECRET"}
        ),
        "memory": node(
            "profile", {"content_type": "model_editable_context", "model_set_context": "SECRET"}
        ),
        "system": node("memory", "SECRET", "system"),
        "hidden": node("system", "SECRET", metadata=hidden),
        "q": node("hidden", "How many?"),
        "thoughts": node(
            "q", {"content_type": "thoughts", "thoughts": [{"content": "SECRET"}]}, "assistant"
        ),
        "recap": node(
            "thoughts", {"content_type": "reasoning_recap", "content": "SECRET"}, "assistant"
        ),
        "call": node(
            "recap", {"content_type": "code", "text": "SECRET"}, "assistant", recipient="x"
        ),
        "result": node("call", {"content_type": "execution_output", "text": "SECRET"}, "tool"),
        "a": node("result", "Three.", "assistant", recipient="all"),
    }
    found = import_file([chat(mapping, "a")])
    assert texts(open_path(found.conversations[0])) == ["How many?", "Three."]
    assert "SECRET" not in repr(found.conversations)
    assert found.report.messages.skipped == 8
    assert sum(r.count for r in found.report.reasons if r.outcome == "skipped") == 8


@pytest.mark.parametrize("current", [None, "gone", 7, ""])
def test_without_a_current_node_the_newest_leaf_is_open(
    current: Any, import_file: ImportFile, open_path: OpenPath
) -> None:
    mapping = {**FORKED, "lost": node("nowhere", "Lost", create_time=1.0)}
    found = import_file([chat(mapping, current)]).conversations[0]
    assert texts(open_path(found)) == ["Name a bird.", "Wren.", "Another?", "Tit."]
    assert len(found.messages) == 6


def test_a_current_node_in_the_middle_or_left_out_opens_what_is_above(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    middle = import_file([chat(FORKED, "a")]).conversations[0]
    assert texts(open_path(middle)) == ["Name a bird.", "Wren."]
    mapping = {**FORKED, "tail": node("b", "", "assistant")}
    left_out = import_file([chat(mapping, "tail")]).conversations[0]
    assert texts(open_path(left_out)) == ["Name a bird.", "Rook."]


def test_a_cycle_is_cut_so_that_the_open_path_is_whole(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    mapping = {"q": node("a", "Loop?"), "a": node("q", "Loop!", "assistant")}
    found = import_file([chat(mapping, "a")]).conversations[0]
    assert texts(open_path(found)) == ["Loop?", "Loop!"]
    own = import_file([chat({"q": node("q", "Me")}, "q")]).conversations[0]
    assert texts(open_path(own)) == ["Me"]


def test_parents_may_be_known_from_the_lists_of_children_alone(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    mapping = {"q": node(None, "Up?"), "a": node(None, "Down.", "assistant")}
    del mapping["q"]["parent"], mapping["a"]["parent"]
    mapping["q"]["children"] = ["a", 7, "unknown"]
    found = import_file([chat(mapping, "a")]).conversations[0]
    assert texts(open_path(found)) == ["Up?", "Down."]


def test_twelve_hundred_nodes_in_a_row_are_imported(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    mapping = {f"n{i}": node(f"n{i - 1}" if i else None, f"turn {i}") for i in range(1200)}
    found = import_file([chat(mapping, "n1199")])
    assert found.report.messages.imported == 1200
    assert texts(open_path(found.conversations[0])) == [f"turn {i}" for i in range(1200)]


def test_a_long_row_of_hidden_nodes_is_no_recursion(import_file: ImportFile) -> None:
    mapping = {f"n{i}": node(f"n{i - 1}" if i else None) for i in range(5000)}
    mapping["q"] = node("n4999", "Deep")
    found = import_file([chat(mapping, "q")]).conversations[0]
    assert found.messages[0].parent_id is None


@pytest.mark.parametrize("mapping", [{}, None, [], "x", {"root": node(None)}])
def test_an_empty_chat_is_counted_with_its_reason(mapping: Any, import_file: ImportFile) -> None:
    found = import_file([chat(mapping, None), chat(FORKED, "a2")])
    assert found.report.conversations.empty == 1
    assert found.report.conversations.imported == 1
    assert [r.text for r in found.report.reasons if r.what == "conversation"] == ["no messages"]
    assert "1 of 2 conversations left out" in found.report.text()


def test_broken_nodes_are_counted_and_the_rest_is_there(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    mapping = {
        "q": node(None, "Hi"),
        "a": {
            "parent": "q",
            "message": {
                "author": {"role": "assistant"},
                "metadata": None,
                "content": {"content_type": "text", "parts": ["Hello"]},
            },
        },
        "none": {"parent": "a", "message": {"author": {"role": "user"}, "content": None}},
        "who": {"parent": "none", "message": {"content": {"content_type": "text", "parts": ["?"]}}},
        "odd": node("who", "x", "robot"),
        "text": {"parent": "odd", "message": "not an object"},
        "new": node("text", {"content_type": "hologram", "beams": 3}, "assistant"),
        "nodeless": 7,
    }
    found = import_file([chat(mapping, "new")])
    assert texts(open_path(found.conversations[0])) == ["Hi", "Hello"]
    assert found.report.messages.failed == 4
    assert found.report.messages.empty == 1
    assert "4 messages could not be read" in found.report.text()
    reasons = {reason.text for reason in found.report.reasons}
    assert "no author" in reasons
    assert "unknown content 'hologram'" in reasons


def test_images_files_and_speech_become_parts(import_file: ImportFile, open_path: OpenPath) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}
    spoken = {"content_type": "audio_transcription", "text": "And now?"}
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://s"}
    files = [
        {"id": "f1", "name": "bird.png", "mime_type": "image/png"},
        {"id": "f2", "name": "list.pdf", "mime_type": "application/pdf"},
    ]
    mapping = {
        "q": node(
            None,
            {"content_type": "multimodal_text", "parts": [picture, "What is it?"]},
            metadata={"attachments": files},
        ),
        "a": node("q", {"content_type": "text", "parts": [None, "", "A rook."]}, "assistant"),
        "v": node("a", {"content_type": "multimodal_text", "parts": [spoken, sound]}),
        "w": node("v", {"content_type": "multimodal_text", "parts": [sound]}),
        "c": node("w", {"content_type": "code", "text": "x = 1"}, "assistant"),
    }
    path = open_path(import_file([chat(mapping, "c")]).conversations[0])
    assert [(p.kind, p.name, p.text) for p in path[0].parts] == [
        ("image", "bird.png", ""),
        ("text", "", "What is it?"),
        ("file", "list.pdf", ""),
    ]
    assert [message.text for message in path[1:]] == ["A rook.", "And now?", "", "```\nx = 1\n```"]
    assert path[3].parts[0].kind == "file"


def test_an_answer_that_was_cut_is_stopped(import_file: ImportFile) -> None:
    mapping = {
        "q": node(None, "Tell", create_time=1700000040250),
        "a": node("q", "Once", "assistant", metadata={"is_complete": False}),
        "b": node("q", "Twice", "assistant", metadata={"finish_details": {"type": "max_tokens"}}),
    }
    messages = import_file([chat(mapping, "a")]).conversations[0].messages
    assert [m.status for m in messages] == ["complete", "stopped", "complete"]
    assert messages[2].finish == "length"
    assert messages[0].created_at == 1700000040250


def test_marks_of_sources_are_stripped() -> None:
    text = "It is.\ue200cite\ue202turn0search0\ue201 See 【0†source】 and 【12:3†a b】, 【note】."
    assert strip_citations(text) == "It is. See  and , 【note】."
    assert strip_citations("open \ue200cite") == "open cite"
    assert strip_citations("plain ") == "plain "


def test_what_the_person_typed_is_not_stripped(import_file: ImportFile) -> None:
    mapping = {"q": node(None, "what does 【0†source】 mean?")}
    assert import_file([chat(mapping, "q")]).conversations[0].messages[0].text == (
        "what does 【0†source】 mean?"
    )


def test_a_chat_without_a_title_gets_one(import_file: ImportFile) -> None:
    found = import_file([chat(FORKED, "a2", title=None)]).conversations[0]
    assert found.conversation.title == "Name a bird."


def test_siblings_without_times_keep_the_order_of_the_file(import_file: ImportFile) -> None:
    mapping = {
        "q": node(None, "Pick"),
        **{f"a{i}": node("q", f"{i}", "assistant") for i in range(5)},
    }
    found = import_file([chat(mapping, "a2")]).conversations[0]
    # As storage gives them back: in no order.
    tree = Tree(sorted(found.messages, key=lambda message: message.id, reverse=True))
    assert [m.text for m in tree.siblings(found.id_map["a0"])] == ["0", "1", "2", "3", "4"]


def test_the_times_of_a_chat_are_its_own_or_those_of_its_messages(import_file: ImportFile) -> None:
    told = chat(FORKED, "a2", create_time=90.0, update_time=200.0)
    found = import_file([told, chat(FORKED, "a2"), chat({"q": node(None, "When?")}, "q")])
    times = [(c.conversation.created_at, c.conversation.updated_at) for c in found.conversations]
    assert times == [(90_000, 200_000), (100_500, 104_000), (0, 0)]


def test_an_empty_chat_is_named_by_its_title_or_its_id(import_file: ImportFile) -> None:
    found = import_file([chat({}, None), {"id": "g2", "mapping": {}}])
    reason = next(r for r in found.report.reasons if r.what == "conversation")
    assert reason.where == ("A chat", "g2")
