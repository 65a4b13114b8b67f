"""Claude Code's transcripts: `~/.claude/projects/**/*.jsonl`, one message a line.

An assistant's message holds `tool_use` blocks, a user's `tool_result` blocks with the same id. A session that is
taken up again is copied into a new file, so ids say which calls were told already.
"""

from __future__ import annotations

import re
from functools import partial

from ..record.unseen import was_refused
from ..value import TYPE_CHECKING, FrozenMap
from .told import SPOKE, PastCall, Taking, moment_of, result_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .told import Transcript

__all__ = ["NAME", "read_transcript"]

NAME = "claude-code"
# How a result begins that the host writes when nothing ran because a person said no.
_REFUSED = ("The user doesn't want to proceed", "The user doesn't want to take this action", "[Request interrupted")
_NOT_RUN = ("<tool_use_error>", "Permission to use", "Hook PreToolUse")
_BY_A_HOOK = re.compile(r"PreToolUse:\S+ hook (error|stopped)")


def read_transcript(lines: Iterable[bytes | None], session: str = "") -> Transcript:
    """The calls in their order. `session` is used where the lines name none."""
    taking = Taking(lines)
    for data in taking.objects():
        message = data.get("message")
        if data.get("type") not in ("assistant", "user") or type(message) is not FrozenMap:
            if type(data.get("type")) is not str:
                taking.skip("of no known kind")
            continue
        content = message.get("content")
        if data["type"] == "user" and _spoke(data, content):
            taking.spoke(_head(data, session))
            continue
        if type(content) is not tuple:
            if type(content) is not str:
                taking.skip("a message without content")
            continue
        for block in content:
            kind = block.get("type") if type(block) is FrozenMap else None
            if kind == "tool_use":
                taking.call(_call(data, block, session), otherwise="a call without a name or an input")
            elif kind == "tool_result":
                taking.outcome(block.get("tool_use_id"), partial(_with_result, row=data, block=block))
    return taking.whole()


def _head(data: Mapping[str, Any], session: str) -> PastCall:
    cwd = data.get("cwd")
    return PastCall(
        tool=SPOKE,
        host=NAME,
        session=str(data.get("sessionId") or session),
        agent=str(data.get("agentId") or ""),
        cwd=cwd if type(cwd) is str and cwd.startswith("/") else "/",
        at=moment_of(data.get("timestamp")),
    )


def _call(data: Mapping[str, Any], block: Mapping[str, Any], session: str) -> PastCall | None:
    name, given = block.get("name"), block.get("input")
    if type(name) is not str or not name.strip() or type(given) is not FrozenMap:
        return None
    return _head(data, session).replace(tool=name, input=given, attempt=str(block.get("id") or ""))


def _with_result(call: PastCall, row: Mapping[str, Any], block: Mapping[str, Any]) -> PastCall:
    text = _text(block.get("content"))
    wrong = block.get("is_error") is True
    if wrong and text.startswith(_REFUSED):
        return call.replace(outcome="not_run", refused=True)
    if was_refused(row, block) or (wrong and (text.startswith(_NOT_RUN) or _BY_A_HOOK.match(text))):
        return call.replace(outcome="not_run")
    if not wrong:
        return call.replace(outcome="ran", result=result_of(text))
    return call.replace(outcome="failed", result=result_of(text))


def _text(content: Any) -> str:
    if type(content) is tuple:
        return "\n".join([str(part.get("text", "")) for part in content if type(part) is FrozenMap])
    return "" if content is None else str(content)


def _spoke(data: Mapping[str, Any], content: Any) -> bool:
    """A message that a person typed: a text, and not one that the host put there."""
    if data.get("isMeta") is True or data.get("isSidechain") is True:
        return False
    if type(content) is str:
        return True
    return type(content) is tuple and all(type(b) is FrozenMap and b.get("type") == "text" for b in content)
