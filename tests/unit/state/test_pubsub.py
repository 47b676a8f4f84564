"""Topics: who is told what, in which order, whatever the handlers do."""

from __future__ import annotations

from app.state.pubsub import Topic


def test_a_handler_gets_the_new_and_the_previous_value() -> None:
    topic = Topic(1)
    heard: list[tuple[int, int]] = []
    topic.subscribe(lambda new, previous: heard.append((new, previous)))
    topic.publish(2)
    topic.publish(3)
    assert heard == [(2, 1), (3, 2)]
    assert topic.get() == 3


def test_unsubscribing_twice_is_harmless_and_ends_only_one_subscription() -> None:
    topic = Topic(0)
    heard: list[int] = []

    def handler(new: int, _previous: int) -> None:
        heard.append(new)

    first = topic.subscribe(handler)
    topic.subscribe(handler)
    first()
    first()
    topic.publish(1)
    assert heard == [1]


def test_a_handler_that_raises_stops_no_other_and_is_reported() -> None:
    faults: list[Exception] = []
    topic = Topic(0, faults.append)
    heard: list[int] = []

    def broken(_new: int, _previous: int) -> None:
        raise ValueError("broken")

    topic.subscribe(broken)
    topic.subscribe(lambda new, _: heard.append(new))
    topic.publish(1)
    assert heard == [1]
    assert [str(fault) for fault in faults] == ["broken"]


def test_without_a_hook_a_fault_is_dropped() -> None:
    topic = Topic(0)
    topic.subscribe(lambda new, _: 1 // (new - 1))
    topic.publish(1)
    topic.publish(2)
    assert topic.get() == 2


def test_a_publish_from_inside_a_handler_comes_after_the_current_value_for_all() -> None:
    topic = Topic(0)
    first: list[tuple[int, int]] = []
    second: list[tuple[int, int]] = []

    def again(new: int, previous: int) -> None:
        first.append((new, previous))
        if new == 1:
            topic.publish(2)
            assert topic.get() == 2

    topic.subscribe(again)
    topic.subscribe(lambda new, previous: second.append((new, previous)))
    topic.publish(1)
    assert first == [(1, 0), (2, 1)]
    assert second == [(1, 0), (2, 1)]


def test_who_is_unsubscribed_during_a_delivery_hears_nothing_more() -> None:
    topic = Topic(0)
    heard: list[int] = []
    ends: list[object] = []

    def stops(_new: int, _previous: int) -> None:
        for end in ends:
            end()  # type: ignore[operator]

    topic.subscribe(stops)
    ends.append(topic.subscribe(lambda new, _: heard.append(new)))
    topic.publish(1)
    assert heard == []


def test_who_subscribes_during_a_delivery_hears_the_next_value_only() -> None:
    topic = Topic(0)
    heard: list[int] = []
    topic.subscribe(
        lambda new, _: topic.subscribe(lambda n, __: heard.append(n)) if new == 1 else 0
    )
    topic.publish(1)
    assert heard == []
    topic.publish(2)
    assert heard == [2]
