"""Judges the calls of a transcript as if Interlock had stood in front of them, and nothing runs.

The world is the one of the evaluations: every path leads where it says, and of the disk only what the session itself
wrote is known. A session begins in its project folder: the first folder that its transcript names.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..approve.answers import settled
from ..bytes.redact import redacted
from ..decide import decide
from ..history.told import SPOKE, PastCall
from ..model.call import Call
from ..model.decision import Decision
from ..model.facts import Facts
from ..model.session import Session, spoken
from ..model.toolnames import our_name
from ..model.verdict import Verdict
from ..policy.facts import facts_under
from ..policy.rules import windows_read
from ..record.receipt import receipt_body
from ..store.clock import closed_windows, live_grants, now
from ..value import Value
from .case import HOME
from .disk import Disk
from .lexical import Bench, read_lexically

__all__ = ["Judgement", "Past", "home_of", "moment"]

_HOMES = ("/home/", "/Users/")


class Judgement(Value):
    """`body` is the receipt's; `given` the redacted input."""

    told: PastCall
    decision: Decision
    body: Mapping[str, Any]
    given: Mapping[str, Any]


class _Life(Value):
    session: Session
    disk: Disk
    root: str


class Past:
    """Sessions go on from file to file. A call that was told before is not judged twice."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.lives: dict[tuple[str, str], _Life] = {}
        self.known: set[tuple[str, str]] = set()

    def judge(self, told: Iterable[PastCall]) -> Iterator[Judgement]:
        for one in told:
            owner = (one.host, one.session)
            life = self.lives.get(owner)
            if life is None:
                life = _Life(session=Session(id=one.session, posture=self.bench.posture), disk=Disk(), root=one.cwd)
                self.lives[owner] = life
            if one.tool == SPOKE:
                self.lives[owner] = life.replace(session=spoken(life.session))
                continue
            if one.attempt:
                if (one.host, one.attempt) in self.known:
                    continue
                self.known.add((one.host, one.attempt))
            judgement, self.lives[owner] = _judged(one, self.bench, life)
            yield judgement


def _judged(told: PastCall, bench: Bench, life: _Life) -> tuple[Judgement, _Life]:
    policy, session = bench.policy, life.session
    ours = our_name(told.host, told.tool)
    named = "" if ours == told.tool else told.tool
    call = Call(
        tool=ours,
        input=told.input,
        cwd=told.cwd,
        session=told.session,
        agent=told.agent,
        host=told.host,
        named=named,
    )
    reading, facts = read_lexically(call, _facts(call, bench, life), life.disk)
    when = moment(told.at)
    if policy.windows:
        session = session.replace(closed=closed_windows(windows_read(call, reading, policy, session.posture), when))
    grants = live_grants(policy, when, reading) + session.grants if policy.grants else session.grants
    decision = decide(call, reading, policy, session, grants)
    body = receipt_body(call, reading, policy.digest, session, decision)
    answer = "refuse" if told.refused else "approve" if told.outcome in ("ran", "failed") else None
    after = settled(
        life.session, reading, decision, answer=answer, outcome=told.outcome, result=told.result, agent=call.agent
    )
    ran = told.outcome == "ran" and decision.verdict is not Verdict.DENY
    disk = life.disk.after(call, reading, facts) if ran else life.disk
    judgement = Judgement(told=told, decision=decision, body=body, given=redacted(told.input))
    return judgement, life.replace(session=after, disk=disk)


def _facts(call: Call, bench: Bench, life: _Life) -> Facts:
    return facts_under(bench.policy, call, root=life.root, home=home_of(life.root), session=life.session)


def home_of(folder: str) -> str:
    """The home folder that a path tells of; a usual one where it tells of none."""
    for start in _HOMES:
        if folder.startswith(start):
            return start + folder[len(start) :].partition("/")[0]
    return "/root" if folder == "/root" or folder.startswith("/root/") else HOME


def moment(at: int | None) -> str:
    """As the clock would have said it then; now, where nobody knows."""
    try:
        return now() if at is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at / 1000))
    except (ValueError, OverflowError, OSError):
        return now()
