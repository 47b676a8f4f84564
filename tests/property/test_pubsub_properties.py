"""For any mix of publishing, subscribing, ending, raising and publishing from inside."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.state.pubsub import Topic

KINDS = ("plain", "raises", "publishes", "ends itself")
step = st.one_of(
    st.tuples(st.just("publish"), st.integers(0, 9)),
    st.tuples(st.just("subscribe"), st.sampled_from(KINDS)),
    st.tuples(st.just("end"), st.integers(0, 5)),
)


@given(st.lists(step, max_size=30))
def test_every_listener_hears_one_gapless_chain_of_values(steps: list[tuple[str, object]]) -> None:
    topic = Topic(0)
    chains: list[list[tuple[int, int]]] = []
    ends: list[Callable[[], None]] = []
    budget = 40  # publishes from inside, so that two of them do not go on for ever

    def listener(kind: object) -> None:
        chain: list[tuple[int, int]] = []
        chains.append(chain)

        def heard(new: int, previous: int) -> None:
            nonlocal budget
            chain.append((new, previous))
            if kind == "raises":
                raise RuntimeError
            if kind == "publishes" and budget > 0:
                budget -= 1
                topic.publish(new + 1)
            if kind == "ends itself":
                ends[mine]()

        mine = len(ends)
        ends.append(topic.subscribe(heard))

    newest = 0
    for what, value in steps:
        if what == "publish":
            topic.publish(int(str(value)))
            newest = topic.get()
        elif what == "subscribe":
            listener(value)
        elif ends:
            ends[int(str(value)) % len(ends)]()
    assert topic.get() == newest
    for chain in chains:
        for (earlier, _), (_, previous) in pairwise(chain):
            assert previous == earlier
