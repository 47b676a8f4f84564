"""IndexedDB keeps the rules of a store, the same scripts as the store in memory."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support.store_rules import SCRIPTS

RUN = """async (steps) => {
  const db = await import(new URL("static/js/indexeddb.js", document.baseURI));
  const value = async (promise) => {
    const answer = JSON.parse(await promise);
    if ("error" in answer) throw new Error(answer.detail);
    return answer.ok;
  };
  const doors = {
    apply: ([change]) => db.apply(JSON.stringify(change)),
    purge: ([ids]) => db.purge(JSON.stringify(ids)),
    forget: ([ids]) => db.forget(JSON.stringify(ids)),
    set_aside: ([store, record, at]) => db.setAside(store, JSON.stringify(record), at),
    get: ([store, id]) => db.get(store, id),
    of: ([store, id]) => db.of(store, id),
    all: ([store]) => db.all(store),
  };
  const given = [];
  for (const [name, values] of steps) given.push(await value(doors[name](values)));
  return given;
}"""


@pytest.mark.parametrize("promise", SCRIPTS)
def test_indexeddb_keeps_the_rule(page: Page, promise: str) -> None:
    steps, held = SCRIPTS[promise]
    ends = [("all", [name], records) for name, records in held.items()]
    given = page.evaluate(RUN, [[name, values] for name, values, _ in [*steps, *ends]])
    for (name, values, wanted), got in zip([*steps, *ends], given, strict=True):
        if wanted is not None:
            assert got == wanted, (name, values)
