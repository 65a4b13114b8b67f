"""Runs of code that a session wrote: what is decided, and whether a yes to one run covers the next."""

from __future__ import annotations

from interlock.approve.answers import approved
from interlock.decide import decide
from interlock.evals.disk import Disk
from interlock.evals.lexical import bench_for, read_lexically
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.model import ApprovalMode
from interlock.value import FrozenMap

__all__ = ["BENCH", "ROOT", "again", "decided", "verdict"]

ROOT = "/home/user/app"
BENCH = bench_for()


def decided(
    files: dict[str, str], command: str, *, session: Session | None = None, mode: str | None = None
) -> tuple[Decision, Reading]:
    texts = {f"{ROOT}/{name}": text for name, text in files.items()}
    session = (session or Session(id="s")).replace(written=frozenset(texts))
    facts = Facts(root=ROOT, home="/home/user", written=session.written)
    call = Call(tool="Bash", input={"command": command}, cwd=ROOT, session="s")
    reading, _ = read_lexically(call, facts, Disk(texts=FrozenMap(texts), named=frozenset(texts)))
    policy = BENCH.policy if mode is None else BENCH.policy.replace(approval_mode=ApprovalMode.of(mode))
    return decide(call, reading, policy, session, session.grants), reading


def verdict(files: dict[str, str], command: str) -> str:
    return decided(files, command)[0].verdict.name


def again(first: dict[str, str], then: dict[str, str], command: str, later: str | None = None) -> str:
    decision, reading = decided(first, command)
    assert decision.verdict is Verdict.ASK
    session = approved(Session(id="s"), reading, decision, by="a person")
    return decided(then, later or command, session=session)[0].verdict.name
