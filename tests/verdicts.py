"""What is decided about one command of a session that has just begun, by the policy that comes with the package."""

from __future__ import annotations

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

__all__ = ["allowed", "verdict"]

POLICY = bench_for().policy
HOME, ROOT = "/home/someone", "/home/someone/project"


def verdict(command: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=ROOT, session="s")
    return decide(call, read_with_facts(call, Facts(root=ROOT, home=HOME)), POLICY, Session(), ()).verdict.name


def allowed(lines: str) -> list[str]:
    """Those among the commands, one to a line, that nobody would be asked about."""
    return [line for line in lines.strip().splitlines() if verdict(line) == "allow"]
