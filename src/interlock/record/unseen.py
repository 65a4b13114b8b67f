"""Which tool calls of a transcript ran: a result that the client did not write for a call that it refused.

The client refuses unknown tools and wrong arguments before any hook sees the call, and writes no permission decision
for them; a call that a rule or a hook refused has one that says so. Lines are untrusted and bounded: what is not such a
line says nothing.
"""

from __future__ import annotations

from ..bytes.strict import parse_object
from ..limits import MAX_INPUT_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["calls_that_ran", "was_refused"]

_REFUSED = "<tool_use_error>"


def calls_that_ran(lines: Iterable[bytes], since: str) -> dict[str, str]:
    """Id of each call with a result from that moment on -> its tool, or nothing where that is not among the lines."""
    tools: dict[str, str] = {}
    ran: dict[str, str] = {}
    for line in lines:
        if b'"tool_use' not in line and b'"tool_result"' not in line:
            continue
        try:
            row = parse_object(line, limit=MAX_INPUT_BYTES)
        except InputError:
            continue
        for part in _parts(row):
            kind, name = part.get("type"), part.get("id")
            if kind == "tool_use" and type(name) is str:
                tools[name] = str(part.get("name"))
            name = part.get("tool_use_id")
            if kind == "tool_result" and type(name) is str and str(row.get("timestamp"))[:19] >= since[:19]:
                if not was_refused(row, part):
                    ran[name] = ""
    return {name: tools.get(name, "") for name in ran}


def _parts(row: Any) -> list[Any]:
    message = row.get("message")
    content = message.get("content") if type(message) is FrozenMap else None
    return [part for part in content if type(part) is FrozenMap] if type(content) is tuple else []


def was_refused(row: Any, part: Any) -> bool:
    """Whether the client wrote this result for a call that it, a rule, a hook or a person refused."""
    decided = row.get("permissionDecision")
    if type(decided) is FrozenMap:
        return bool(decided.get("decision") == "reject")
    if row.get("toolDenialKind") is not None:
        return True
    content = part.get("content")
    return part.get("is_error") is True and type(content) is str and content.startswith(_REFUSED)
