"""What of a session the layers see when they judge one call, and nothing else of it.

The receipt holds this slice, so that a replay decides from the same. It is made before the decision: what is not in
the slice cannot have played a part. It is small, and has no moment in it.
"""

from __future__ import annotations

from ..approve.approval import approval_of
from ..approve.keys import refused_keys
from ..model.session import DENIED, repeated, spends
from ..value import TYPE_CHECKING, FrozenMap
from .loop import counts_for

if TYPE_CHECKING:
    from typing import Any

    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Pending, Session
    from ..policy.model import Policy

__all__ = ["IN_FORCE", "seen"]

IN_FORCE = "in force"  # instead of the moment: that it has not passed is all that is looked at


def seen(call: Call, reading: Reading, policy: Policy, session: Session, at: int = 0) -> Session:
    """The session, with only what bears on this call. The same decision follows from it as from the whole. `at` is the
    moment, in seconds, from which follows whether a call comes long enough after the last time; 0: not known.
    """
    return session.replace(
        recent=(),
        repeated=repeated(session, reading, call.agent, at, policy.loop_pace),
        polls=0,
        spent=FrozenMap(_spent(reading, policy, session)),
        raised=None if session.raised is None else IN_FORCE,
        **_flow(session, reading),
        **_answers(call, reading, policy, session),
    )


def _answers(call: Call, reading: Reading, policy: Policy, session: Session) -> dict[str, Any]:
    """Of what was asked and refused, what is about this call."""
    if not session.refused and not session.pending:
        return {}
    bound = approval_of(call, reading, policy, session)
    id = bound.id
    refused = session.refused
    if refused:
        known = {bound.first, *[key for action in reading.actions for key in refused_keys(action)]}
        refused = tuple([no for no in refused if all(key in known for key in no)])
    return {
        "refused": refused,
        "pending": tuple([p for p in session.pending if p.approval == id or _was_denied(p, reading)]),
    }


def _was_denied(asked: Pending, reading: Reading) -> bool:
    return asked.approval == DENIED and asked.projection == reading.projection


def _flow(session: Session, reading: Reading) -> dict[str, Any]:
    """That a secret was read counts only where a machine is talked to, and of those that are known only that one."""
    if not session.secret and not session.hosts:
        return {}
    later = [action for write in reading.actions for newly in write.newly or () for action in newly.actions]
    named = {host for action in (*reading.actions, *later) if type(host := action.target.get("host")) is str}
    if not session.secret or not named:
        return {"secret": False, "hosts": frozenset()}
    return {"hosts": session.hosts & named}


def _spent(reading: Reading, policy: Policy, session: Session) -> dict[str, int]:
    if not policy.budgets:
        return {}
    wants = spends(reading)
    asked = [budget for budget in policy.budgets if counts_for(budget, wants)]
    return {
        name: session.spent[name]
        for name in sorted(session.spent)
        if any(counts_for(budget, {name: 1}) for budget in asked)
    }
