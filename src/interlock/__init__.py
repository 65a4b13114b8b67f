"""Interlock decides, before it fires, whether a tool call that an AI agent proposes may run.

The names below are the public ones. They are loaded when first used, so that
`import interlock` costs next to nothing. The decision itself is `interlock.decide.decide`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .action import Action, Opaque, Reading
    from .approve.grant import Grant, covers
    from .call import Call
    from .decision import Decision, Finding
    from .effects import Effect, most_restrictive
    from .errors import (
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
    from .facts import Facts
    from .gate import Checked, Gate
    from .policy.model import Policy
    from .posture import Posture, move
    from .reading.read import read_call
    from .session import Session, advance
    from .verdict import Risk, Verdict, join

    PACKAGE: str

__version__ = "0.4.0"

_HOMES = {
    "Action": "action",
    "ApprovalError": "errors",
    "Call": "call",
    "Checked": "gate",
    "Decision": "decision",
    "Denied": "errors",
    "Effect": "effects",
    "Facts": "facts",
    "Finding": "decision",
    "Gate": "gate",
    "Grant": "approve.grant",
    "HostError": "errors",
    "InputError": "errors",
    "InterlockError": "errors",
    "NeedsApproval": "errors",
    "Opaque": "action",
    "Policy": "policy.model",
    "PolicyError": "errors",
    "Posture": "posture",
    "PostureError": "errors",
    "Reading": "action",
    "Risk": "verdict",
    "ServiceError": "errors",
    "Session": "session",
    "StoreError": "errors",
    "Verdict": "verdict",
    "advance": "session",
    "covers": "approve.grant",
    "join": "verdict",
    "most_restrictive": "effects",
    "move": "posture",
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
