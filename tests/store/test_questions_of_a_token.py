"""How many questions of a token wait is looked up in one statement, whatever their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from engines import Engine
from interlock.serve.pending import Pending
from interlock.store import sql
from interlock.store.ledger.ledger import Ledger

AT = 1_000_000


@contextmanager
def asked(engine: Engine, pending: int, over: int = 0, answered: int = 0) -> Iterator[tuple[Ledger, list[str]]]:
    """A ledger with so many questions in it: open, out of time, answered. With their ids."""
    kinds = [("pending", 0)] * pending + [("pending", AT - 1)] * over + [("approved", 0)] * answered
    ids = [f"q-{number:05}" for number in range(len(kinds))]
    with closing(engine.ledger(lambda: AT)) as ledger:
        with ledger.deciding("s") as turn:
            for number, (status, expires) in enumerate(kinds):
                values = (ids[number], number + 1, "s", status, "", AT - 2, expires)
                turn.database.run(sql.ADD_APPROVAL, values)
            turn.append("override", b"{}", key="some")
        yield ledger, ids


def opened(ids: list[str], most: int, ledger: Ledger) -> Pending:
    found = Pending(most)
    assert found.begins(ledger, "agent")  # what waits as the service starts is looked up here
    found.ended("agent")
    for id in ids:
        found.opened("agent", id)
    return found


def statements(monkeypatch: pytest.MonkeyPatch, ledger: Ledger) -> list[str]:
    """What is asked of the database from now on."""
    database: Any = type(ledger.connect())
    seen: list[str] = []

    def counted(was: Callable[..., Any]) -> Callable[..., Any]:
        def asks(self: Any, statement: str, values: tuple[Any, ...] = ()) -> Any:
            seen.append(statement)
            return was(self, statement, values)

        return asks

    for name in ("row", "rows"):
        monkeypatch.setattr(database, name, counted(getattr(database, name)))
    return seen


@pytest.mark.parametrize("count", [100, 300])
def test_a_call_beside_many_open_questions_costs_two_statements(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    with asked(engine, pending=count) as (ledger, ids):
        pending = opened(ids, count, ledger)
        seen = statements(monkeypatch, ledger)
        assert not pending.begins(ledger, "agent")
    assert len(seen) == 2, seen  # how the ledger stands, and the questions


def test_questions_that_are_over_or_gone_leave_room(engine: Engine) -> None:
    with asked(engine, pending=3, over=2, answered=2) as (ledger, ids):
        pending = opened([*ids, "pruned"], 4, ledger)
        assert pending.begins(ledger, "agent")
        assert not pending.begins(ledger, "agent")  # the call that is still decided takes the last place


def test_more_questions_than_a_statement_has_parameters_are_counted(engine: Engine) -> None:
    with asked(engine, pending=1201, over=400) as (ledger, ids):
        pending = opened(ids, 1202, ledger)
        assert pending.begins(ledger, "agent")
        pending.ended("agent")
        pending.most = 1201
        assert not pending.begins(ledger, "agent")
