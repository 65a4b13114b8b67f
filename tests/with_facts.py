"""What the built-in policy says of a command line, from facts that a test gives."""

from __future__ import annotations

from pathlib import Path

from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.reading.bash import follow_bash
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

__all__ = ["FACTS", "verdict"]

_POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))
FACTS = Facts(root="/p", home="/home/a")


class _Straight(dict[str, str]):
    """Every path leads where its text says."""

    def get(self, path: str, default: object = None) -> str:
        return path


def verdict(command: str, facts: Facts = FACTS, cwd: str = "/p") -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=cwd)
    found = follow_bash(command, cwd=cwd, facts=facts, real=_Straight())
    reading = Reading(call="sha256:c", projection="sha256:p", actions=tuple(found.actions), opaque=tuple(found.opaque))
    return decide(call, reading, _POLICY, Session(), ()).verdict.name
