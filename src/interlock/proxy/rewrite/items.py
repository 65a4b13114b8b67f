"""The items of a Responses answer: what each kind asks the client to do, and when two of them are one call."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

__all__ = ["INERT_ITEMS", "given_of", "message_item", "same_call", "trouble_of"]

INERT_ITEMS = ("message", "reasoning", "compaction")
# kind of item -> how a call is read off it; every other kind is not understood
_NAMED = ("function_call", "custom_tool_call", "mcp_approval_request")
_SHELLS = ("local_shell_call", "shell_call")
_OWN = {"apply_patch_call": ("apply_patch", "operation"), "computer_call": ("computer", "action")}
_SAME = ("type", "call_id", "name", "namespace", "arguments", "input", "action", "actions", "operation", "server_label")


def given_of(item: Mapping[str, Any]) -> tuple[Any, Any]:
    """The tool's name, and its arguments."""
    kind, name = str(item.get("type")), item.get("name")
    if kind == "mcp_approval_request":  # the provider asks before it calls a tool of an MCP server
        return f"mcp__{item.get('server_label')}__{name}", item.get("arguments")
    if kind in _NAMED:
        space = item.get("namespace")
        named = f"{space}.{name}" if isinstance(space, str) and space else name
        return named, item.get("arguments") if kind == "function_call" else {"input": item.get("input")}
    if kind in _SHELLS:
        command = _command(item.get("action"))
        return "Bash", {"command": command}
    tool, field = _OWN.get(kind, (kind, ""))
    found = item.get(field) if field else None
    return tool, found if isinstance(found, dict) else {}


def _command(action: Any) -> str:
    if not isinstance(action, Mapping):
        return ""
    words, lines = action.get("command"), action.get("commands")
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return shlex.join(words)
    if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
        return "\n".join(lines)
    return ""


def trouble_of(item: Mapping[str, Any], provider: tuple[str, ...]) -> str:
    kind = str(item.get("type"))
    if kind in provider:
        return "it is run by the provider, where nobody can judge it"
    if kind in _SHELLS:
        return "" if _command(item.get("action")).strip() else "its command cannot be read"
    if kind == "custom_tool_call":
        return "" if isinstance(item.get("input"), str) else "its input is no text"
    if kind in _OWN:
        field = _OWN[kind][1]
        return "" if isinstance(item.get(field), dict) and not item.get("actions") else "it cannot be read"
    return "" if kind in _NAMED else "it is a kind of call that Interlock does not know"


def same_call(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both would make the client do the same."""
    return all(one.get(key) == other.get(key) for key in _SAME)


def message_item(id: str, text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"id": id, "type": "message", "status": "completed", "role": "assistant", "content": [part]}
