"""The outcome of a call, joined to its decision: what ran, what failed, and what a person must have said yes to.

The decision is found by the host's id of the attempt, else as the newest one about the same call that has no outcome
yet. An ask that ran was approved by the person in front of the host, where the host's mode puts asks before one; what
may be remembered of it is found by deciding again from the receipt, which holds all that the decision was made from.
A no is never concluded: the host does not tell it, and a call that did not come may be still to come.
"""

from __future__ import annotations

import os

from ..approve.approval import digest_of_call, projection_of
from ..errors import StoreError
from ..limits import HOOK_QUEUE_SECONDS, MAX_FOLLOWED_ROWS, MAX_STATE_BYTES
from ..record.canon import canonical
from ..record.chain import row_hash
from ..record.receipt import replay_inputs
from ..record.resume import changed
from ..record.strict import parse_object
from ..session import HAPPENED, learn
from ..store.ledger import Ledger
from ..store.proofs import keyed
from ..store.rows import attempt_mark, open_decision, open_policy
from ..value import TYPE_CHECKING, Value
from ..verdict import Strength, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..action import Reading
    from ..approve.grant import Grant
    from ..hosts.claude_events import Told
    from ..record.chain import Row
    from ..session import Session
    from ..store.folders import Folders
    from ..store.ledger import Turn
    from .noticing import Notice

__all__ = ["Decided", "take_in"]

_SEQ, _KIND, _BODY, _HASH = 0, 1, 8, 10


class Decided(Value):
    """The recorded decision that an outcome belongs to."""

    seq: int
    receipt: str
    body: Mapping[str, Any]
    verdict: Verdict


def take_in(told: Told, folders: Folders, notice: Notice, *, attended: bool) -> str | None:
    """Keeps the outcome, and what follows from it for the session. What is returned is for the person.

    What else the event notices is looked at with the session as it is after the call.
    """
    call = told.call
    ledger = Ledger(folders.ledger, front=f"hook:{call.host}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    with ledger.deciding(call.kept_session) as turn:
        decided, again = _decision(turn, told)
        if again:
            return None
        result = None if told.outcome == "unknown" else keyed(_compared(told), folders)
        row: dict[str, Any] = {
            "agent": call.agent,
            "approved": [],
            "decision": None,
            "outcome": told.outcome,
            "result": result,
            "tool": call.tool,
        }
        if decided is None:
            turn.append("outcome", canonical(row), session=call.kept_session)
            return None
        row["decision"] = decided.seq
        _, reading, _, _ = replay_inputs(decided.body)
        # Another hook may have rewritten the call: then what ran is not what was decided.
        same = projection_of(call) == reading.projection
        grants: tuple[Grant, ...] = ()
        if same and attended and told.by_person and told.outcome in HAPPENED and decided.verdict is Verdict.ASK:
            grants = _approved(turn, decided)
        row["approved"] = [grant.id for grant in grants]
        if grants:
            row |= {"strength": Strength.WEAK.name, "surface": "host"}
        if not same:
            row["rewritten"] = True
        asked = decided.body["decision"]["approval"]
        if same and told.outcome in HAPPENED and decided.verdict is Verdict.ASK and asked is not None:
            from ..store.approvals import settled_in_host

            settled_in_host(turn, str(asked))
        state = turn.state
        if state is not None:
            seen = same and attended and told.shown and told.outcome in HAPPENED

            def after(session: Session) -> Session:
                if same:
                    session = _learnt(session, reading, told.outcome, result, decided, grants)
                return notice(turn, _accepted(turn, session, decided) if seen else session)

            state = changed(state, after)
        turn.append("outcome", canonical(row), key=decided.receipt, state=state, session=call.kept_session)
    if decided.verdict is Verdict.DENY:
        return f"`{call.tool[:60]}` ran although it was denied (row {decided.seq}): the host does not heed the hook"
    return None


def _learnt(
    session: Session,
    reading: Reading,
    outcome: str,
    result: str | None,
    decided: Decided,
    grants: tuple[Grant, ...],
) -> Session:
    made = [action.target.get("path") for action in reading.actions if "new" in action.tags]
    absent = frozenset([path for path in made if type(path) is str and not os.path.lexists(path)])
    session = learn(session, reading, outcome, result, verdict=decided.verdict, absent=absent)
    fresh = tuple([grant for grant in grants if grant not in session.grants])
    return session.replace(grants=session.grants + fresh) if fresh else session


def _accepted(turn: Turn, session: Session, decided: Decided) -> Session:
    """A question that showed changed files was answered with a yes: those contents are accepted."""
    shown = decided.body["session"].get("changed", ())
    if decided.verdict is not Verdict.ASK or not shown:
        return session
    from ..session import accept
    from ..store.watch import keep_accepted

    after = accept(session, {change["path"]: change["digest"] for change in shown})
    keep_accepted(turn, session, after, "a yes in the host")
    return after


def _compared(told: Told) -> bytes:
    """What is compared with the outcome of the same call another time."""
    if told.outcome == "failed" and type(told.result) is str:
        from ..record.steady import steady

        return canonical(steady(told.result))
    return canonical(told.result)


def _approved(turn: Turn, decided: Decided) -> tuple[Grant, ...]:
    """What the person's yes is remembered as. Nothing, where this engine would not ask the same any more."""
    from ..approve.answers import approved
    from ..decide import decide
    from ..session import Session

    row = turn.find(str(decided.body["policy"]), "policy")
    if row is None:
        return ()
    call, reading, seen, used = replay_inputs(decided.body)
    decision = decide(call, reading, open_policy(row), seen, used)
    if decision.verdict is not Verdict.ASK or decision.approval != decided.body["decision"]["approval"]:
        return ()
    return approved(Session(), reading, decision, by="claude-code").grants


def _decision(turn: Turn, told: Told) -> tuple[Decided | None, bool]:
    """The decision about the call, if one is known, and whether its outcome has been told already."""
    call = told.call
    mark = None if call.attempt is None else attempt_mark(call.attempt)
    wanted = "" if mark is not None else digest_of_call(call, projection_of(call))
    settled = set()
    for row in turn.newest(call.kept_session, MAX_FOLLOWED_ROWS):
        if row[_KIND] == "outcome":
            settled.add(parse_object(row[_BODY], limit=MAX_STATE_BYTES).get("decision"))
        elif row[_KIND] == "decision" and (mark is None or row[_BODY].startswith(mark)):
            found = _opened(row)
            head = found.body["call"]
            if mark is not None and head["agent"] == call.agent and head["tool"] == call.tool:
                return found, found.seq in settled
            if mark is None and head["digest"] == wanted and found.seq not in settled:
                if found.verdict is not Verdict.DENY:
                    return found, False
    return None, False


def _opened(row: Row) -> Decided:
    if row[_HASH] != row_hash(row):
        raise StoreError(f"row {row[_SEQ]} of the ledger was changed; look at it with: interlock audit verify")
    receipt, body = open_decision(row)
    verdict = Verdict.of(body["decision"]["verdict"])
    return Decided(seq=row[_SEQ], receipt=receipt, body=body, verdict=verdict)
