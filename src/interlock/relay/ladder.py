"""How an ask is put to somebody through MCP, and the words for it.

    1  `input_required`       the client's own dialog, since 2026-07-28, where policy trusts that client
    2  `elicitation/create`   the same before that
    3  hold                   a few seconds, for clients that are known to wait that long
    4  "approval pending"     the agent makes the same call again, which redeems the approval

An answer in a client's dialog is weak: a hook or a program of the client can give it without a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..limits import MAX_REASON_CHARS
from ..value import FrozenMap

if TYPE_CHECKING:
    from .judge import Judged

__all__ = ["HOLDS", "pending_text", "question_text", "refused_text", "said_in"]

# Clients, by the name that they give, whose limit for a call is known to be longer than our hold.
HOLDS = frozenset(("claude-code",))
_NOT_SCHEMA = "(Decided by Interlock; the arguments are not malformed.)"
_PENDING = (
    "Interlock: approval pending, {id}. A person has been asked about this call, and it has not run. "
    "Make exactly the same call again later; once it is approved, it runs."
)
_ANSWERS = {"no": "no", "this call": "once", "this session": "session"}


def refused_text(judged: Judged) -> str:
    return f"{judged.agent or judged.person or 'Refused.'} {_NOT_SCHEMA}"[:MAX_REASON_CHARS]


def pending_text(judged: Judged | None, approval: str = "") -> str:
    id = approval or (judged.approval if judged is not None else "")
    return f"{_PENDING.format(id=id)} {judged.agent if judged is not None else ''} {_NOT_SCHEMA}"[:MAX_REASON_CHARS]


def question_text(judged: Judged) -> str:
    return f"Interlock: {judged.person}"[:MAX_REASON_CHARS]


def said_in(result: object) -> str | None:
    """`no`, `once` or `session`; None where nobody answered. Whatever is not a plain yes is none."""
    if type(result) is not FrozenMap:
        return None
    action, content = result.get("action"), result.get("content")
    if action == "decline":
        return "no"
    if action != "accept" or type(content) is not FrozenMap:
        return None
    answer = content.get("answer")
    return _ANSWERS.get(answer) if type(answer) is str else None
