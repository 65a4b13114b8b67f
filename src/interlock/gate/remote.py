"""Asks a service (`interlock serve`): the policy, the ledger and the people are there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..model.call import Call
from ..value import FrozenMap
from .checked import Checked

if TYPE_CHECKING:
    from ..value import Json

__all__ = ["Remote"]


class Remote:
    """A call is sent under a key, its own id where it has one: if the answer is lost, it can be sent again."""

    def __init__(self, url: str, token: str, *, deadline: float) -> None:
        from ..client import Client

        self.client = Client(url, token, patience=deadline)

    def decide(self, call: Call) -> Checked:
        key = call.attempt or uuid4().hex
        told = _wire(call)
        found = self.client.decide(told.pop("tool"), told.pop("input"), idempotency_key=key, **told)
        return Checked(
            verdict=found.verdict,
            person=found.agent,
            agent=found.agent,
            approval=found.approval,
            expires=_moment(found.expires),
            receipt=found.receipt,
            notes=found.notes,
            enforced=found.raw.get("enforced", True),
            call=call.replace(attempt=key),
        )

    def refuse(self, call: Call, why: str) -> Checked:
        """A service is handed what can be read, so it has no row of this."""
        return Checked(verdict="deny", agent=f"Refused: {why}.", call=call)

    def asks(self, call: Call) -> bool | None:
        """Unknown: a service decides, and tells nothing before it has."""
        return None

    def wait(self, approval: str, seconds: float) -> bool:
        return self.client.approval(approval, wait=seconds).status not in ("pending", "halfway")

    def tell(self, call: Call, outcome: str, result: Json) -> tuple[str, ...]:
        from ..client import Decided

        decided = Decided(
            verdict="allow",
            agent="",
            approval="",
            expires="",
            receipt="",
            notes=(),
            call=json.dumps(_wire(call)),
            key=call.attempt or "",
            raw=FrozenMap({}),
        )
        return self.client.outcome(decided, outcome, _plain(result))

    def said(self, text: str, session: str, cwd: str, host: str) -> None:
        self.client.said(text, session=session, cwd=cwd, host=host)

    def close(self) -> None:
        self.client.close()


def _wire(call: Call) -> dict[str, Any]:
    told = {"tool": call.named or call.tool, "input": _plain(call.input), "cwd": call.cwd}
    more = {name: getattr(call, name) for name in ("session", "agent", "host") if getattr(call, name)}
    if call.state is not None:
        more["state"] = _plain(call.state)
    if call.report is not None:
        more["preview"] = _plain(call.report)
    return {**told, **more}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _moment(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000) if text else 0
