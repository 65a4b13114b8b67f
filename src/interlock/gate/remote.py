"""Asks a service (`interlock serve`): the policy, the ledger and the people are there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ..call import Call
from ..value import FrozenMap

__all__ = ["Remote"]


def _plain(value: Any) -> Any:
    if type(value) is FrozenMap:
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if type(value) is tuple else value


def _wire(call: Call) -> dict[str, Any]:
    told = {"tool": call.named or call.tool, "input": _plain(call.input), "cwd": call.cwd}
    more = {name: getattr(call, name) for name in ("session", "agent", "host", "attempt") if getattr(call, name)}
    return {**told, **more, **({} if call.state is None else {"state": _plain(call.state)})}


def _moment(text: str | None) -> int:
    return 0 if not text else int(datetime.fromisoformat(text).timestamp() * 1000)
