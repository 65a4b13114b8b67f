"""What is decided about a command after a session has written some files."""

from __future__ import annotations

from interlock.decide import decide
from interlock.evals.disk import Disk
from interlock.evals.lexical import bench_for, read_lexically
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.value import FrozenMap

__all__ = ["ROOT", "Steps", "verdict"]

Steps = tuple[dict[str, str], str]  # what the session wrote, and what it runs then

ROOT = "/home/user/app"
_BENCH = bench_for()


def verdict(written: dict[str, str], command: str, others: dict[str, str] | None = None) -> str:
    """`others`: what was there before."""
    texts = {f"{ROOT}/{name}": text for name, text in {**written, **(others or {})}.items()}
    session = Session(id="s", written=frozenset([f"{ROOT}/{name}" for name in written]))
    facts = Facts(root=ROOT, home="/home/user", written=session.written)
    call = Call(tool="Bash", input={"command": command}, cwd=ROOT, session="s")
    reading, _ = read_lexically(call, facts, Disk(texts=FrozenMap(texts), named=frozenset(texts)))
    return decide(call, reading, _BENCH.policy, session, session.grants).verdict.name.lower()
