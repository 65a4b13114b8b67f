"""Interlock decides, before it fires, whether a tool call that an AI agent proposes may run.

The names below are the public ones. They are loaded when first used, so that
`import interlock` costs next to nothing. The decision itself is `interlock.decide.decide`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .approve.grant import Grant, covers
    from .gate import Checked, Gate
    from .model.action import Action, Opaque, Reading
    from .model.call import Call
    from .model.decision import Decision, Finding
    from .model.effects import Effect, most_restrictive
    from .model.errors import (
        ApprovalError,
        Denied,
        HostError,
        InputError,
        InterlockError,
        NeedsApproval,
        PolicyError,
        PostureError,
        ServiceError,
        StoreError,
    )
    from .model.facts import Facts
    from .model.posture import Posture, move
    from .model.session import Session, advance
    from .model.verdict import Risk, Verdict, join
    from .policy.model import Policy
    from .reading.read import read_call

    PACKAGE: str

__version__ = "0.4.0"

_HOMES = {
    "Action": "model.action",
    "ApprovalError": "model.errors",
    "Call": "model.call",
    "Checked": "gate",
    "Decision": "model.decision",
    "Denied": "model.errors",
    "Effect": "model.effects",
    "Facts": "model.facts",
    "Finding": "model.decision",
    "Gate": "gate",
    "Grant": "approve.grant",
    "HostError": "model.errors",
    "InputError": "model.errors",
    "InterlockError": "model.errors",
    "NeedsApproval": "model.errors",
    "Opaque": "model.action",
    "Policy": "policy.model",
    "PolicyError": "model.errors",
    "Posture": "model.posture",
    "PostureError": "model.errors",
    "Reading": "model.action",
    "Risk": "model.verdict",
    "ServiceError": "model.errors",
    "Session": "model.session",
    "StoreError": "model.errors",
    "Verdict": "model.verdict",
    "advance": "model.session",
    "covers": "approve.grant",
    "join": "model.verdict",
    "most_restrictive": "model.effects",
    "move": "model.posture",
    "read_call": "reading.read",
}

__all__ = [
    "Action",
    "ApprovalError",
    "Call",
    "Checked",
    "Decision",
    "Denied",
    "Effect",
    "Facts",
    "Finding",
    "Gate",
    "Grant",
    "HostError",
    "InputError",
    "InterlockError",
    "NeedsApproval",
    "Opaque",
    "Policy",
    "PolicyError",
    "Posture",
    "PostureError",
    "Reading",
    "Risk",
    "ServiceError",
    "Session",
    "StoreError",
    "Verdict",
    "advance",
    "covers",
    "join",
    "most_restrictive",
    "move",
    "read_call",
]


def __getattr__(name: str) -> object:
    # INVARIANT: the folder of the package, which the floor guards, is worked out here and in no other module: one that
    # moved would name another folder. Only the files that an interpreter is started on find it by themselves.
    if name == "PACKAGE":
        from os.path import abspath, dirname

        found = globals()[name] = dirname(abspath(__file__))
        return found
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module `interlock` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module("." + home, __name__), name)
