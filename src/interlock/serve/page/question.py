"""A question, with all that a person needs to answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...approve.lifecycle import APPROVED, DENIED
from ...follow.recalled import outcome_from
from ...store.ledger.ledger import Ledger, View
from ...store.people.answering import Asked
from ...store.people.tokens import every_token, owner_of
from ...value import FrozenMap, Value
from ...words.hidden import hidden_words
from ..callers import Caller
from .entries import Entry, just_before
from .reaches import GIVES, Yes, yes_to
from .told import CallView, fields_of, told_of

__all__ = ["Card", "agents", "card_of", "shown_lately"]

_LATELY = 6  # answered questions below those that wait


class Card(Value):
    """
    told    None: the decision that asked is no longer in the ledger, so what was read of the call cannot be shown
    fields  the call itself; None: it was too long to be kept whole
    binds   everything that has to be the same for a yes to fire
    hidden  that values are hidden, which a yes has to confirm; empty: none is
    reveals where what is hidden is shown, while the request that asked still waits
    revealed  `fields` are the call as it came
    """

    asked: Asked
    id: str
    tool: str
    standing: str
    agent: str
    told: CallView | None
    fields: Any
    before: tuple[Entry, ...]
    yes: Yes
    binds: tuple[tuple[str, str], ...]
    needs: str
    gives: str
    signed: bool
    hidden: str
    reveals: str = ""
    revealed: bool = False


def card_of(view: View, asked: Asked, caller: Caller, names: Mapping[str, str], *, short: bool) -> Card:
    body = asked.body
    given = asked.input
    row = view.find(str(body["receipt"]), "decision")
    outcome = None if row is None else outcome_from(view, row, FrozenMap({}))
    told = None if outcome is None else told_of(outcome, given or {}, short=short)
    fields, whole = (None, False) if given is None else fields_of(given, [], short=short)
    if told is not None and given is not None:
        fields, whole = told.fields, told.whole
    session = str(body["session"])
    return Card(
        asked=asked,
        id=asked.question.id,
        tool=str(body["tool"]),
        standing=asked.standing,
        agent=_agent(view, body, names),
        told=told,
        fields=fields,
        before=just_before(view, session, _first(asked, row)),
        yes=yes_to(asked, caller, whole=whole) if asked.is_open else Yes(),
        binds=_binds(body),
        needs=str(asked.needs),
        gives=str(GIVES),
        signed=asked.needs > GIVES,
        hidden=hidden_words(asked.hidden) if asked.hidden else "",
    )


def _first(asked: Asked, row: Any) -> int:
    """The row that the question began with: that of its decision, where it is there."""
    return asked.question.seq if row is None else min(row.seq, asked.question.seq)


def agents(ledger: Ledger) -> dict[str, str]:
    """Names of tokens, by id."""
    return {token.id: token.name for token in every_token(ledger)}


def _agent(view: View, body: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Who asks: the token's name, or the host."""
    owner = owner_of(view, str(body["session"])) if body["session"] else None
    found = names.get(owner or "", "") or str(body["host"]) or "an agent"
    kind = body.get("agent_type") or body.get("agent")
    return f"{found} ({kind})" if kind else found


def _binds(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = [
        ("call", "this one, with everything in it that changes what happens"),
        ("folder", str(body["folder"])),
        ("session", str(body["session"]) or "none"),
        ("run", str(body["run"])),
        ("host", str(body["host"])),
        *[("script", str(one)) for one in body["scripts"]],
        *[("sends", str(one)) for one in body.get("sends", ())],
        ("policy", str(body["policy"])),
    ]
    return tuple([(name, value) for name, value in found if value])


def shown_lately(every: list[Asked]) -> list[Asked]:
    """What was answered last, the newest first."""
    over = [asked for asked in every if asked.said is not None and asked.said.get("answer") in (APPROVED, DENIED)]
    return sorted(over, key=lambda asked: -asked.question.seq)[:_LATELY]
