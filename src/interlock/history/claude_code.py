"""Claude Code's transcripts: `~/.claude/projects/**/*.jsonl`, one message a line.

An assistant's message holds `tool_use` blocks, a user's `tool_result` blocks with the same id. A session that is
taken up again is copied into a new file, so ids say which calls were told already.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .told import SPOKE, Told, Transcript, moment_of, objects, result_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["NAME", "read_transcript"]

NAME = "claude-code"
# How a result begins that the host writes when nothing ran because a person said no.
_REFUSED = ("The user doesn't want to proceed", "The user doesn't want to take this action", "[Request interrupted")
_NOT_RUN = ("<tool_use_error>", "Permission to use", "Hook PreToolUse")


def read_transcript(lines: Iterable[bytes | None], session: str = "") -> Transcript:
    """The calls in their order. `session` is used where the lines name none."""
    count = 0
    skipped: dict[str, int] = {}
    told: list[Told] = []
    place: dict[str, int] = {}

    def counted() -> Iterable[bytes | None]:
        nonlocal count
        for line in lines:
            count += 1
            yield line

    def skip(why: str) -> None:
        skipped[why] = skipped.get(why, 0) + 1

    for data in objects(counted(), skip):
        message = data.get("message")
        if data.get("type") not in ("assistant", "user") or type(message) is not FrozenMap:
            if type(data.get("type")) is not str:
                skip("of no known kind")
            continue
        content = message.get("content")
        if data["type"] == "user" and _spoke(data, content):
            told.append(_head(data, session).replace(tool=SPOKE))
            continue
        if type(content) is not tuple:
            if type(content) is not str:
                skip("a message without content")
            continue
        for block in content:
            kind = block.get("type") if type(block) is FrozenMap else None
            if kind == "tool_use":
                call = _call(data, block, session)
                if call is None:
                    skip("a call without a name or an input")
                elif call.attempt not in place:
                    if call.attempt:
                        place[call.attempt] = len(told)
                    told.append(call)
            elif kind == "tool_result":
                at = place.get(str(block.get("tool_use_id")))
                if at is not None:
                    told[at] = _with_result(told[at], block)
    return Transcript(told=tuple(told), lines=count, skipped=FrozenMap(skipped))


def _head(data: Mapping[str, Any], session: str) -> Told:
    cwd = data.get("cwd")
    return Told(
        tool=SPOKE,
        host=NAME,
        session=str(data.get("sessionId") or session),
        agent=str(data.get("agentId") or ""),
        cwd=cwd if type(cwd) is str and cwd.startswith("/") else "/",
        at=moment_of(data.get("timestamp")),
    )


def _call(data: Mapping[str, Any], block: Mapping[str, Any], session: str) -> Told | None:
    name, given = block.get("name"), block.get("input")
    if type(name) is not str or not name.strip() or type(given) is not FrozenMap:
        return None
    return _head(data, session).replace(tool=name, input=given, attempt=str(block.get("id") or ""))


def _with_result(call: Told, block: Mapping[str, Any]) -> Told:
    text = _text(block.get("content"))
    if block.get("is_error") is not True:
        return call.replace(outcome="ran", result=result_of(text))
    if text.startswith(_REFUSED):
        return call.replace(outcome="not_run", refused=True)
    if text.startswith(_NOT_RUN):
        return call.replace(outcome="not_run")
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
