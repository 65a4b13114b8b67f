"""What rows are about, for those who wait for news of one thing, on each engine."""

from __future__ import annotations

from engines import Engine
from interlock.store.ledger.tail import Tail


def test_keys_are_those_of_new_rows_up_to_the_end_and_of_no_decision(engine: Engine) -> None:
    ledger = engine.ledger()
    with ledger.deciding("s") as turn:
        turn.append("message", b"{}", key="before")
    tail = Tail(engine.ledger())
    with ledger.deciding("s") as turn:
        for kind, key in (("decision", "receipt"), ("prompt", "ap_1"), ("answer", "ap_1")):
            turn.append(kind, b"{}", key=key)
    end = tail.end()
    with ledger.deciding("s") as turn:
        turn.append("answer", b"{}", key="later")
    assert tail.keys(end) == ["ap_1", "ap_1"]
    assert tail.end() == end + 1
    tail.close()
    ledger.close()
