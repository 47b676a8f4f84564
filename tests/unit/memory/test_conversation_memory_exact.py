"""What one open conversation knows: its newest question, its fold, what it has told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.conversation_memory import Activity, ConversationMemory, open_memory
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings
from app.memory.tokens import Counter
from tests.support.chats import apples, chat
from tests.support.words import WordTokenizer


def memory_of(
    messages: Sequence[Message],
    folds: Sequence[Fold] = (),
    activity: Activity | None = None,
    **fields: object,
) -> ConversationMemory:
    conversation = Conversation(id="c", **fields)  # type: ignore[arg-type]
    settings = MemorySettings(context_size=512)
    counter = Counter(WordTokenizer())
    return open_memory(conversation, list(messages), list(folds), settings, counter, activity)


def covering(messages: Sequence[Message], end: int, id: str = "f") -> Fold:
    """An entry that covers the first ``end`` messages."""
    path = memory_of(messages).path
    covered = tuple(message.id for message in messages[:end])
    return Fold(id, "c", None, covered, covered[-1], path.chain(end - 1), "Notes.")


def test_a_conversation_begins_with_nothing_done() -> None:
    activity = memory_of(chat("Hello")).activity
    assert activity == Activity(
        hold_auto=False,
        attempted="",
        sent=0,
        retried="",
        ineffective=0,
        crowded="",
        folded_at=0,
        notices=[],
        told=set(),
    )


def test_what_was_done_outlives_the_path() -> None:
    activity = Activity(attempted="m1")
    assert memory_of(chat("Hello"), activity=activity).activity is activity


def test_two_folds_in_a_row_that_make_no_room_are_said_once() -> None:
    activity = Activity()
    activity.judged(False)
    assert activity.ineffective == 1 and activity.notices == []
    activity.judged(False)
    assert activity.ineffective == 2 and len(activity.notices) == 1
    assert activity.notices[0].startswith("Folding frees too little in this chat")
    activity.judged(False)
    assert activity.ineffective == 3 and len(activity.notices) == 1


def test_one_fold_that_makes_room_begins_the_count_anew() -> None:
    activity = Activity()
    for made_room in (False, True, False):
        activity.judged(made_room)
    assert activity.ineffective == 1 and activity.notices == []
    activity.judged(True)
    assert activity.ineffective == 0


def test_a_notice_is_said_once_unless_it_is_news_each_time() -> None:
    activity = Activity()
    for text in ("One", "Two", "One"):
        activity.tell(text)
    assert activity.notices == ["One", "Two"]
    activity.tell("One", once=False)
    assert activity.notices == ["One", "Two", "One"]
    activity.notices.clear()  # it was shown
    activity.tell("One")
    assert activity.notices == []


def test_a_finished_answer_takes_the_place_of_the_one_that_was_coming() -> None:
    messages = chat("Hello", "Hi there", "How are you?")
    memory = memory_of([])
    for message in (*messages[:1], replace(messages[1], status="streaming"), *messages[1:]):
        memory.append(message)
    assert memory.path.messages == messages
    # an id that is not the newest's is a new message
    memory.append(replace(messages[2], id="m4"))
    assert [message.id for message in memory.path.messages] == ["m1", "m2", "m3", "m4"]


def test_an_open_question_is_not_answered_with_a_memory_that_covers_it() -> None:
    messages = chat("One", "Two", "Three", "Four")
    before, all_of_it = covering(messages, 2, "f2"), covering(messages, 4, "f4")
    asked_again = [*messages[:3], replace(messages[3], status="failed")]
    covers = replace(all_of_it, boundary="m3", path_digest=memory_of(messages).path.chain(2))
    memory = memory_of(asked_again, [before, covers])
    assert memory.current == covers and memory.current_for_answer() == before
    memory = memory_of(messages, [before, all_of_it])
    assert memory.current_for_answer() == memory.current == all_of_it  # it is answered


@pytest.mark.parametrize(
    ("question", "found"), [(None, "f4"), (4, "f4"), (3, "f2"), (2, "f2"), (1, None), (0, None)]
)
def test_the_memory_before_a_message_ends_before_it(
    question: int | None, found: str | None
) -> None:
    messages = chat("One", "Two", "Three", "Four")
    memory = memory_of(messages, [covering(messages, 2, "f2"), covering(messages, 4, "f4")])
    fold = memory.before(question)
    assert (fold.id if fold else None) == found


@pytest.mark.parametrize(("texts", "id"), [(0, ""), (1, "m1"), (2, "m1"), (3, "m3")])
def test_the_newest_question_has_the_id_of_its_message(texts: int, id: str) -> None:
    assert memory_of(chat("One", "Two", "Three")[:texts]).question_id() == id
    assert memory_of(chat("A greeting", first="assistant")).question_id() == ""


@pytest.mark.parametrize(
    ("asked", "retired", "held"),
    [
        (1000, None, False),
        (1000, 999, False),  # undone, then asked
        (1000, 1000, False),
        (1000, 1001, True),  # undone since, in whichever tab
        (1, 2, True),
        (0, 2, False),  # nobody knows when it was asked
    ],
)
def test_an_undo_holds_folds_back_until_the_next_question(
    asked: int, retired: int | None, held: bool
) -> None:
    messages = [replace(message, created_at=asked) for message in chat("One", "Two")]
    undone = replace(covering(messages, 2), retired_at=retired)
    kept = covering(messages, 2, "kept")
    assert memory_of(messages, [undone, kept]).held == held
    assert memory_of(messages, [undone], Activity(hold_auto=True)).held


def test_without_a_question_no_undo_of_another_tab_holds_anything_back() -> None:
    messages = chat("A greeting", first="assistant")
    undone = replace(covering(messages, 1), retired_at=5)
    assert not memory_of(messages, [undone]).held
    assert not memory_of(chat("One")).held


def test_what_the_store_accepted_is_the_memory_and_its_commit_is_known() -> None:
    messages = chat("One", "Two")
    memory = memory_of(messages, commit=4)
    assert memory.known_commit < 0  # the ledger that it was opened with may lack folds
    fold = replace(covering(messages, 2), commit=5)
    memory.committed(fold)
    assert memory.current == fold
    assert memory.known_commit == memory.conversation.commit == 5
    memory.at_commit(7)
    assert memory.known_commit == memory.conversation.commit == 7
    assert memory.id == "c"


def test_a_path_is_opened_with_its_marks_and_its_quarter_for_pins() -> None:
    messages = chat(*(apples(60) for _ in range(8)))  # turns of 128 tokens; a quarter is 128
    memory = memory_of(messages, pinned=frozenset({"m1", "m3"}), excluded=frozenset({"m5"}))
    assert memory.path.states[::2] == ["eligible", "pinned", "excluded", "eligible"]
    assert memory.path.suspended == {"m1"}
