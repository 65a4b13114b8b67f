"""One decision: every layer's word, what came close to lifting it, what was read, and whether it replays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ... import __version__
from ...approve.held import wanted_heads, wanted_keys
from ...bytes.canon import canonical, digest_of_bytes
from ...calls.world import Outcome
from ...decide import decide
from ...engine import Engine
from ...follow.recalled import input_kept, outcome_from
from ...layers import LAYERS
from ...model.decision import NearMiss
from ...model.errors import InterlockError, StoreError
from ...model.events import Place
from ...record.receipt import replay_inputs
from ...record.replay import rederive, replayed
from ...store import sql
from ...store.clock import live_grants as policy_grants
from ...store.clock import now
from ...store.facts.reach import places_of
from ...store.ledger.approvals import find
from ...store.ledger.grants import open_grant
from ...store.ledger.ledger import View, live_grants
from ...store.ledger.rows import open_decision, open_policy, was_enforced
from ...value import Value
from .told import CallView, told_of

__all__ = ["Decided", "Replay", "decided_of", "replay_of"]

_OTHER_NAMES = {"faults": "policy", "unread": "reading"}  # layers that say another word of themselves
_SAME = 50  # rows under one receipt that are counted


class Decided(Value):
    """
    silent  layers that had nothing to say
    near    grants that are live now and would nearly have lifted an ask
    covers  grants that are live now and would lift all of it
    same    how many rows have this very receipt: the same inputs give the same one
    """

    receipt: str
    seq: int
    at: int
    session: str
    enforced: bool
    outcome: Outcome
    told: CallView
    silent: tuple[str, ...]
    near: tuple[NearMiss, ...]
    covers: tuple[str, ...]
    approval: str
    asked: bool
    became: str
    same: int
    body: Mapping[str, Any]


class Replay(Value):
    """
    holds    it came out as the same bytes, or for another version: it follows from what was recorded
    derived  the digest of what was derived now
    """

    holds: bool
    engine: str
    derived: str
    size: int
    problems: tuple[str, ...]
    changes: tuple[str, ...]


def decided_of(view: View, engine: Engine, receipt: str) -> Decided | None:
    row = view.find(receipt, "decision")
    if row is None:
        return None
    given = input_kept(row)
    outcome = outcome_from(view, row, given)
    if outcome is None:
        raise StoreError("the policy that this was decided under is no longer in the ledger")
    decision = outcome.decision
    spoke = {finding.layer for finding in (*decision.reasons, *decision.satisfied)}
    names = [_OTHER_NAMES.get(layer.__name__, layer.__name__) for layer in LAYERS]
    near, covers = _near(view, engine, outcome)
    approval = decision.approval or ""
    last = view.find(receipt, "outcome")
    return Decided(
        receipt=receipt,
        seq=row.seq,
        at=row.at,
        session=row.session,
        enforced=was_enforced(row),
        outcome=outcome,
        told=told_of(outcome, given),
        silent=tuple([name for name in names if name not in spoke]),
        near=near,
        covers=covers,
        approval=approval,
        asked=bool(approval) and find(view, approval) is not None,
        became="" if last is None else str(json.loads(last.body).get("outcome", "")),
        same=len(list(view.database.entries(sql.NEWEST_BY_KEY, (receipt, "decision", _SAME)))),
        body=outcome.body,
    )


def _near(view: View, engine: Engine, outcome: Outcome) -> tuple[tuple[NearMiss, ...], tuple[str, ...]]:
    """A receipt leaves out grants that were not used, so what is near is told as of now: decided with all of them."""
    if not outcome.decision.reasons:
        return (), ()
    call, reading, session, used = replay_inputs(outcome.body)
    root = engine.worlds.root_at(Place(host=call.host, session=call.session, cwd=call.cwd or "/", attended=False))
    places = places_of(call, root, reading)
    rows = live_grants(view.database, view.at, wanted_keys(reading), places.holders, wanted_heads(reading))
    held = [open_grant(row).grant for row in rows]
    every = (*used, *[grant for grant in (*policy_grants(outcome.policy, now()), *held) if grant not in used])
    again = decide(call, reading, outcome.policy, session, every)
    before = {grant.id for grant in used}
    return again.near_misses, tuple([grant.id for grant in again.used if grant.id not in before])


def replay_of(view: View, receipt: str) -> Replay | None:
    """The decision derived again from its receipt alone."""
    row = view.find(receipt, "decision")
    if row is None:
        return None
    _, body = open_decision(row)
    policy = view.find(str(body["policy"]), "policy")
    if policy is None:
        return _failed(body, "the policy that this was decided under is no longer in the ledger")
    try:
        told = replayed(body, open_policy(policy))
        derived = canonical(rederive(body, open_policy(policy)))
    except InterlockError as error:
        return _failed(body, str(error))
    return Replay(
        holds=not told.problems,
        engine="" if told.engine == __version__ else told.engine,
        derived=digest_of_bytes(derived),
        size=len(derived),
        problems=told.problems,
        changes=told.changes,
    )


def _failed(body: Mapping[str, Any], problem: str) -> Replay:
    return Replay(holds=False, engine=str(body.get("engine")), derived="", size=0, problems=(problem,), changes=())
