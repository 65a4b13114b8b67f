"""The outcome of a call, joined to its decision: what ran, what failed, and what a person must have said yes to.

The decision is found by the host's id of the attempt, else as the newest one about the same call that has no outcome
yet. An ask that the host put up and that then ran was approved by the person in front of it, until the transcript says
that somebody else did (`hearing.py`); what may be remembered of it is found by deciding again from the receipt, which
holds all that the decision was made from. A no is told by the transcript alone. A call that another hook rewrote is
judged as what ran (`rewritten.py`).
"""

from __future__ import annotations

import os

from ..approve.approval import digest_of_call, projection_of
from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..limits import MAX_FOLLOWED_ROWS, MAX_STATE_BYTES
from ..model.errors import StoreError
from ..model.heard import moved, question
from ..model.session import HAPPENED, accept, learn
from ..model.touched import observed
from ..model.verdict import Strength, Verdict
from ..record.chain import row_hash
from ..record.receipt import replay_inputs
from ..record.resume import changed
from ..store.ledger.proofs import keyed
from ..store.ledger.rows import attempt_mark, open_decision, open_policy, was_enforced
from ..value import TYPE_CHECKING, Value, lazy, preload
from .turns import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..approve.answers import approved
    from ..model.action import Reading
    from ..model.decision import Decision
    from ..model.events import Ended
    from ..model.session import Session
    from ..record.chain import Row
    from ..record.steady import steady
    from ..store.facts.watch import keep_accepted
    from ..store.ledger.approvals import settled_in_host
    from ..store.ledger.ledger import Ledger, Turn
    from .noticing import Notice
    from .rewritten import Judged
    from .values import Learner
else:
    approved = lazy(globals(), "..approve.answers", "approved")
    steady = lazy(globals(), "..record.steady", "steady")
    keep_accepted = lazy(globals(), "..store.facts.watch", "keep_accepted")
    settled_in_host = lazy(globals(), "..store.ledger.approvals", "settled_in_host")

__all__ = [
    "Decided",
    "asked_again",
    "compared",
    "decision_about",
    "decision_of",
    "given_by",
    "learnt",
    "load_answering",
    "made_by",
    "observed_so",
    "take_in",
    "what_stands",
]


_MOST_ENTRIES = 500  # of a new folder that are looked at
_INFERRED = {"inferred": True, "strength": Strength.WEAK.name, "surface": "host"}


class Decided(Value):
    """The recorded decision that an outcome belongs to."""

    seq: int
    receipt: str
    body: Mapping[str, Any]
    verdict: Verdict
    enforced: bool = True  # otherwise it was only observed: nothing follows from what came of the call


def take_in(
    told: Ended, ledger: Ledger, notice: Notice, judged: Judged | None, learns: Learner | None = None
) -> str | None:
    """Keeps the outcome, and what follows from it for the session. What is returned is for the person.

    What else the event notices is looked at with the session as it is after the call. `judged` is what would have been
    decided about the call that ran, where that is another than the one that was decided about. `learns` is what the
    session keeps of the result.
    """
    call = told.call
    result = None if told.outcome == "unknown" else keyed(compared(told), notice.folders)

    def keep(turn: Turn, there: Mapping[str, str]) -> Decided | None:
        return _kept(turn, told, notice, judged, result, there, learns)

    decided = in_turn(ledger, call.kept_session, notice, lambda: _there(told, ledger, judged), keep)
    if decided is None:
        return None
    if judged is not None:
        return judged.told(decided.verdict)
    if decided.verdict is Verdict.DENY and decided.enforced:
        return f"`{call.tool[:60]}` ran although it was denied (row {decided.seq}): the host does not heed the hook"
    unasked = decided.verdict is Verdict.ASK and decided.enforced and not told.place.attended
    if unasked and told.outcome in HAPPENED:
        return f"`{call.tool[:60]}` ran although nobody had approved it (row {decided.seq})"
    return None


def load_answering() -> None:
    """What an answer needs in the turn that takes it in: a turn loads nothing, which takes time too."""
    preload(globals(), "..decide", "..approve.answers", "..approve.well_known")
    preload(globals(), "..store.facts.watch", "..store.ledger.approvals")
    preload(globals(), "..words.acts", "..words.marks", "..words.phrases", "..words.standing")


def _there(told: Ended, ledger: Ledger, judged: Judged | None) -> Mapping[str, str]:
    """What is there of what the call would have made. What the turn needs is loaded with it."""
    load_answering()
    owner = told.call.kept_session
    with ledger.looking(owner) as view:
        decided, _ = decision_about(told, view.newest(owner, MAX_FOLLOWED_ROWS))
    readings = [] if decided is None else [replay_inputs(decided.body)[1]]
    readings += [] if judged is None else [judged.reading]
    return {path: kind for reading in readings for path, kind in what_stands(reading).items()}


def made_by(reading: Reading) -> list[str]:
    made = [action.target.get("path") for action in reading.actions if "new" in action.tags]
    return [path for path in made if type(path) is str]


def what_stands(reading: Reading) -> dict[str, str]:
    """What the call made, as it is now: `folder` of one with nothing in it but what the call named, or nothing at all;
    `file` of anything else; empty where there is nothing.
    """
    named = {str(action.target.get("path")) for action in reading.actions if action.name == "fs:write"}
    found = {}
    for path in made_by(reading):
        found[path] = "file" if os.path.lexists(path) else ""
        if found[path] and os.path.isdir(path) and not os.path.islink(path) and _holds_only(path, named):
            found[path] = "folder"
    return found


def _holds_only(folder: str, named: set[str]) -> bool:
    waiting, seen = [folder], 0
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.path not in named:
                        return False
                    if seen > _MOST_ENTRIES:
                        return False
    except OSError:
        return False
    return True


def _kept(
    turn: Turn,
    told: Ended,
    notice: Notice,
    judged: Judged | None,
    result: str | None,
    there: Mapping[str, str],
    learns: Learner | None,
) -> Decided | None:
    """The decision that the outcome was kept for; None where there is none, or where it was told already."""
    call = told.call
    decided, again = decision_about(told, turn.newest(call.kept_session, MAX_FOLLOWED_ROWS))
    if again:
        return None
    row: dict[str, Any] = {
        "agent": call.agent,
        "approved": [],
        "decision": None,
        "outcome": told.outcome,
        "result": result,
        "tool": call.tool,
        **({"bytes": told.size} if told.size else {}),
    }
    if decided is None:
        turn.append("outcome", canonical(row), session=call.kept_session)
        return None
    row["decision"] = decided.seq
    _, reading, _, _ = replay_inputs(decided.body)
    same = projection_of(call) == reading.projection
    if not same:
        row["rewritten"] = True if judged is None else judged.row
    happened = told.outcome in HAPPENED
    asked = decided.body["decision"]["approval"]
    # INVARIANT: only where somebody sits in front of the host has a call that ran been approved there.
    answered = same and happened and decided.verdict is Verdict.ASK and decided.enforced and told.place.attended
    if answered and asked is not None:
        settled_in_host(turn, str(asked))
    before = turn.state
    state = None
    if before is not None:

        def after(session: Session) -> Session:
            if judged is not None:
                session = learnt(session, judged.reading, told.outcome, result, Verdict.DENY, there, call.agent)
                session = judged.learnt(session)
            elif same and not decided.enforced:
                session = observed_so(session, reading, told.outcome, there)
            elif same:
                session = learnt(session, reading, told.outcome, result, decided.verdict, there, call.agent)
            if answered:
                session = _answered(turn, session, told, decided, row)
            if learns is not None:
                session = learns(session, decided.verdict if same else Verdict.DENY)
            return notice(turn, session)

        state = changed(before, after, call.session)
    turn.append("outcome", canonical(row), key=decided.receipt, state=state, session=call.kept_session)
    if judged is not None and before is not None and state is not None:
        judged.keep_lock(turn, before, state)
    return decided


def learnt(
    session: Session,
    reading: Reading,
    outcome: str,
    result: str | None,
    verdict: Verdict,
    there: Mapping[str, str],
    agent: str,
) -> Session:
    session = learn(session, reading, outcome, result, verdict=verdict, absent=_absent(reading, there), agent=agent)
    folders = _folders(reading, there) & session.written
    return session.replace(written=session.written - folders) if folders else session


def _folders(reading: Reading, there: Mapping[str, str]) -> frozenset[str]:
    """A folder is no code that the session wrote; the files in it are known by their own names. In a temporary place a
    folder that was not written is taken for what a build of the project filled.
    """
    apart = {action.target.get("path") for action in reading.actions if "temp" in action.tags}
    return frozenset([path for path in made_by(reading) if there.get(path) == "folder" and path not in apart])


def _absent(reading: Reading, there: Mapping[str, str]) -> frozenset[str]:
    """A path that nobody has looked at is not taken for one that was made."""
    return frozenset([path for path in made_by(reading) if not there.get(path)])


def observed_so(session: Session, reading: Reading, outcome: str, there: Mapping[str, str]) -> Session:
    """The session after a call that was only observed has happened."""
    if outcome not in HAPPENED:
        return session
    session = observed(session, reading, outcome)
    return session.replace(created=session.created - _absent(reading, there))


def _answered(turn: Turn, session: Session, told: Ended, decided: Decided, row: dict[str, Any]) -> Session:
    """The session after a question of ours was answered with a yes, as far as the events tell it."""
    if not told.place.attended or session.parent:
        return session
    if told.call.attempt is None:  # a host that names no calls has nothing more to tell of this one
        if not told.asked or told.outcome != "ran":
            return session
        session, given = given_by(turn, session, decided, told.place.host)
        row["approved"] = list(given)
        if given:
            row |= {"evidence": ["asks", told.event], **_INFERRED}
        return session
    asked = question(session, told.call.attempt)
    if asked is None:
        return session
    if not asked.shown and not told.asked:  # whether it was put before anybody is for the transcript to say
        return moved(session, asked.replace(ran=True))
    session, given = given_by(turn, session, decided, told.place.host)
    row["approved"] = list(given)
    if given:
        evidence = ["PermissionRequest" if asked.shown else "permission_mode", str(told.event)]
        row |= {"evidence": evidence, **_INFERRED}
    return moved(session, asked.replace(ran=True, given=given))


def given_by(turn: Turn, session: Session, decided: Decided, host: str) -> tuple[Session, tuple[str, ...]]:
    """The session after a person's yes to this question, and the ids of what is remembered of it."""
    found = asked_again(turn, decided)
    if found is not None:
        before = session.grants
        session = approved(session, *found, by=f"a yes in {host}")
        given = tuple([grant.id for grant in session.grants if grant not in before])
    else:
        given = ()
    shown = decided.body["session"].get("changed", ())
    if shown:  # a question that showed changed files was answered with a yes: those contents are accepted
        after = accept(session, {change["path"]: change["digest"] for change in shown})
        keep_accepted(turn, session, after, "a yes in the host")
        session = after
    return session, given


def compared(told: Ended) -> bytes:
    """What is compared with the outcome of the same call another time."""
    if told.outcome == "failed" and type(told.result) is str:
        return canonical(steady(told.result))
    return canonical(told.result)


def asked_again(turn: Turn, decided: Decided) -> tuple[Reading, Decision] | None:
    """The question as it was put, from the receipt; None where this engine would not ask the same any more."""
    from ..decide import decide

    row = turn.find(str(decided.body["policy"]), "policy")
    if row is None:
        return None
    call, reading, seen, used = replay_inputs(decided.body)
    decision = decide(call, reading, open_policy(row), seen, used)
    if decision.verdict is not Verdict.ASK or decision.approval != decided.body["decision"]["approval"]:
        return None
    return reading, decision


def decision_of(turn: Turn, attempt: str) -> Decided | None:
    """The decision about the call that the host names so."""
    mark = attempt_mark(attempt)
    rows = turn.newest(turn.id, MAX_FOLLOWED_ROWS)
    return next((_opened(row) for row in rows if row.kind == "decision" and row.body.startswith(mark)), None)


def decision_about(told: Ended, rows: Iterable[Row]) -> tuple[Decided | None, bool]:
    """The decision about the call among the session's newest rows, and whether its outcome has been told already."""
    call = told.call
    mark = None if call.attempt is None else attempt_mark(call.attempt)
    wanted = "" if mark is not None else digest_of_call(call, projection_of(call))
    settled = set()
    denied = None  # it should not have run, so any other decision about the same call comes first
    for row in rows:
        if row.kind == "outcome":
            settled.add(parse_object(row.body, limit=MAX_STATE_BYTES).get("decision"))
        elif row.kind == "decision" and (mark is None or row.body.startswith(mark)):
            found = _opened(row)
            head = found.body["call"]
            if mark is not None and head["agent"] == call.agent and head["tool"] == call.tool:
                return found, found.seq in settled
            if mark is None and head["digest"] == wanted and found.seq not in settled:
                if found.verdict is not Verdict.DENY:
                    return found, False
                denied = denied or found
    return denied, False


def _opened(row: Row) -> Decided:
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of the ledger was changed; look at it with: interlock audit verify")
    receipt, body = open_decision(row)
    verdict = Verdict.of(body["decision"]["verdict"])
    return Decided(seq=row.seq, receipt=receipt, body=body, verdict=verdict, enforced=was_enforced(row))
