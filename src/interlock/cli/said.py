"""What a stream tells beside calls: how a call turned out, and what a person said.

{"tool": "Bash", "input": {…}, "session": "s1", "outcome": "failed", "result": "sha256:…"}
{"event": "user_message", "session": "s1", "from": "user", "text": "you have full permission"}
{"event": "revoke", "session": "s1"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..approve.mode import mode_in_force
from ..approve.phrase import heard
from ..model.errors import InputError
from ..model.session import OUTCOMES, Session, lower_mode, raise_mode, spoken, until
from ..store.clock import minutes_from_now, now

if TYPE_CHECKING:
    from ..policy.model import Policy
    from ..value import Json

__all__ = ["outcome_of", "said"]

EVENTS = ("user_message", "revoke")
MAX_RESULT_CHARS = 200


def outcome_of(data: Mapping[str, Json]) -> tuple[str | None, str | None]:
    """The outcome of this very call, and the digest of what came back, where the line gives them."""
    outcome, result = data.get("outcome"), data.get("result")
    if outcome is not None and (type(outcome) is not str or outcome not in OUTCOMES):
        raise InputError(f"`outcome` must be one of {', '.join(OUTCOMES)}")
    if result is not None and (type(result) is not str or not 0 < len(result) <= MAX_RESULT_CHARS):
        raise InputError(f"`result` must be a digest of what came back, of at most {MAX_RESULT_CHARS} characters")
    return outcome, result


def said(data: Mapping[str, Json], session: Session, policy: Policy) -> tuple[Session, dict[str, Any]]:
    """The session after an event, and the answer to it."""
    event = data["event"]
    if event not in EVENTS:
        raise InputError(f"`event` must be one of {', '.join(EVENTS)}")
    session = until(session, now())
    if event == "revoke":
        session = lower_mode(session)
    elif data.get("from") == "user":  # only the host can tell who said it; anything else changes nothing
        text = data.get("text")
        if type(text) is not str:
            raise InputError("a `user_message` needs `text`")
        session = spoken(session)
        if heard(text, policy):
            session = raise_mode(session, minutes_from_now(policy.phrase_minutes))
    mode = mode_in_force(policy, session)
    raised = session.raised if mode is not policy.approval_mode else None
    return session, {"event": event, "session": session.id, "mode": mode.name, "until": raised}
