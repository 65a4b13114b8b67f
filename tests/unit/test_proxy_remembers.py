"""What the proxy remembers between two requests is bounded, in number and in size, and is what came last."""

from __future__ import annotations

from interlock.gate import Checked
from interlock.model.call import Call
from interlock.proxy.newest import Newest
from interlock.proxy.outcomes import Outcome, Released
from interlock.value import FrozenMap


def checked(text: str) -> Checked:
    return Checked(verdict="allow", call=Call(tool="Write", input=FrozenMap({"content": text})))


def came(released: Released, *ids: str) -> list[str]:
    told = [Outcome(id=id, failed=False, result=None) for id in ids]
    return [outcome.id for _, outcome in released.settled("s", told)]


def test_a_client_that_never_tells_what_became_of_its_calls_fills_no_memory() -> None:
    released = Released()
    for number in range(5000):
        released.keep("s", f"c{number}", checked("x"))
    assert came(released, "c0", "c2999", "c3000", "c4999") == ["c3000", "c4999"]
    assert came(released, "c4999") == []


def test_a_few_long_calls_push_out_as_many_short_ones() -> None:
    released = Released()
    released.keep("s", "first", checked("x"))
    for number in range(5):
        released.keep("s", f"long{number}", checked("x" * 8_000_000))
    assert came(released, "first", "long0", "long1", "long4") == ["long1", "long4"]


def test_what_is_put_again_or_taken_counts_once() -> None:
    newest = Newest[str](9, chars=20)
    for _ in range(9):
        newest.put("a", "a", 5)
    for name in "bcd":
        newest.put(name, name, 5)
    assert (newest.get("a"), newest.take("b"), newest.take("b")) == ("a", "b", None)
    newest.put("e", "e", 5)
    assert (newest.get("a"), newest.get("e"), len(newest)) == ("a", "e", 4)
    newest.put("f", "f", 5)
    assert (newest.get("a"), newest.get("f"), len(newest)) == (None, "f", 4)
    newest.put("long", "g", 6)
    assert (newest.get("long"), newest.get("f"), len(newest)) == (None, "f", 4)
