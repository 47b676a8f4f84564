"""The body of an answer is read in batches: nothing is lost, nothing waits for long."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

READ = """async ({ pieces, fault, hold }) => {
  const { batches } = await import(new URL("static/js/batches.js", document.baseURI));
  let source;
  const body = new ReadableStream({ start: (controller) => (source = controller) });
  const next = batches(body);
  const text = (bytes) => bytes && new TextDecoder().decode(bytes);
  const give = (piece) => source.enqueue(new TextEncoder().encode(piece));
  give(pieces[0]);
  const got = [text(await next())]; // the first does not wait for a second
  pieces.slice(1).forEach(give);
  if (fault) {
    // The pieces are read before the fault is there: a stream that fails drops what it still holds.
    const coming = next();
    await new Promise((done) => setTimeout(done, 0));
    source.error(new TypeError("network"));
    try {
      got.push(text(await coming));
      got.push(text(await next()));
    } catch (error) {
      got.push(error.message);
    }
    return got;
  }
  if (hold) return [...got, text(await next())];
  source.close();
  for (let bytes; (bytes = await next()) !== null; ) got.push(text(bytes));
  return got;
}"""


def read(page: Page, *pieces: str, **how: Any) -> list[str]:
    return page.evaluate(READ, {"pieces": list(pieces), **how})


def test_what_comes_at_once_is_one_batch_and_the_first_piece_waits_for_none(page: Page) -> None:
    assert read(page, "data: a", "b", "c", "d") == ["data: a", "bcd"]
    assert read(page, "alone") == ["alone"]


def test_a_batch_does_not_wait_for_a_piece_that_does_not_come(page: Page) -> None:
    assert read(page, "a", "b", hold=True) == ["a", "b"]


def test_what_came_before_a_fault_is_given_before_the_fault(page: Page) -> None:
    assert read(page, "a", "b", "c", fault=True) == ["a", "bc", "network"]


def test_an_empty_piece_is_no_end(page: Page) -> None:
    assert read(page, "a", "", "b") == ["a", "b"]
    assert "".join(read(page, "a", *[""] * 9, "b")) == "ab"


def test_a_flood_comes_in_bounded_batches(page: Page) -> None:
    pieces = [letter * 20_000 for letter in "abcdefgh"]
    got = read(page, *pieces)
    assert "".join(got) == "".join(pieces)
    assert max(map(len, got)) <= 40_000
