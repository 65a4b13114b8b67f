"""The catalogue of messages (unit/told.yaml): its rows, and the call that each of them is about, as it is decided.

A row is a call and what stands around it: the policy of the user, the session before it, how that was answered, and
what the session wrote.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from interlock.approve.answers import settled
from interlock.decide import decide
from interlock.evals.case import Case
from interlock.evals.disk import Disk
from interlock.evals.lexical import Bench, bench_for, judge, read_lexically
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.more_wants import Pushed
from interlock.model.posture import Posture
from interlock.model.session import Changed, Session, advance
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.reading.reach.pushed import sent
from interlock.reading.resolve.refs import Refs
from interlock.store.home.files import read_file
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap, freeze

__all__ = ["ROWS", "judged", "policy_of", "session_of"]

ROWS: dict[str, dict[str, Any]] = {
    row["name"]: row
    for row in yaml.safe_load(Path(__file__).with_name("unit").joinpath("told.yaml").read_text(encoding="utf-8"))
}
# The repository in which all of it happens.
REFS = Refs(
    head="refs/heads/main",
    refs=FrozenMap({f"refs/heads/{branch}": "1" * 40 for branch in ("main", "feature/login")}),
    settings=(("remote origin.url", "git@github.com:acme/app.git"),),
)


def policy_of(row: dict[str, Any]) -> Policy:
    if "policy" not in row:
        return bench_for().policy
    raw = read_file(default_file(), limit=1 << 20)
    assert raw is not None
    return compile_policy(
        (("default", "default.toml", raw), ("user", "policy.toml", f"version = 1\n{row['policy']}".encode()))
    )


def call_of(row: dict[str, Any]) -> Call:
    given = row.get("input", {"command": row.get("command", "")})
    return Call(
        tool=row.get("tool", "Bash"),
        input=FrozenMap({key: freeze(value) for key, value in given.items()}),
        cwd="/repo",
        session="s",
    )


def disk_of(row: dict[str, Any]) -> Disk | None:
    """What this session wrote before, by path."""
    wrote = row.get("wrote")
    return Disk(texts=FrozenMap(wrote), named=frozenset(wrote)) if wrote else None


def judged(row: dict[str, Any], policy: Policy, session: Session) -> tuple[Call, Reading, Decision]:
    call = call_of(row)
    bench = Bench(policy=policy, posture=session.posture)
    found = judge(Case(id="1", file="", line=1, call=call), bench, session, disk_of(row))
    pushes = [want for want in found.reading.missing if isinstance(want, Pushed)]
    if not pushes:
        return call, found.reading, found.decision
    facts = found.facts.knowing({want: sent(want.push, REFS) for want in pushes})
    reading, _ = read_lexically(call, facts)
    return call, reading, decide(call, reading, policy, session, session.grants)


def session_of(row: dict[str, Any], policy: Policy) -> Session:
    session = Session(
        id="s",
        posture=Posture.of(row.get("posture", "interactive")),
        secret=row.get("secret", False),
        written=frozenset(row.get("wrote", ())),
    )
    for command in row.get("ran", ()):
        _, reading, decision = judged({"command": command}, policy, session)
        session = advance(session, reading, decision, "ran", "r1")
    for command in row.get("refused", ()):
        _, reading, decision = judged({"command": command}, policy, session)
        session = settled(session, reading, decision, answer="refuse")
    for command in row.get("not_run", ()):
        _, reading, decision = judged({"command": command}, policy, session)
        session = advance(session, reading, decision, "not_run")
    if "changed" in row:
        session = session.replace(changed=(Changed(digest="d", **row["changed"]),))
    return session
