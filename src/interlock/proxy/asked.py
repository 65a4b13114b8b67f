"""A request to a model: what conversation it belongs to, and the tools in it that the provider would run by itself.

A session is what stays the same in a conversation. The client may name it; otherwise it is told by the conversation's
own id where the API has one, or else by its first message, together with whose key asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..bytes.canon import digest_of_text
from ..model.call import short_id
from ..value import Value
from .apis import ANTHROPIC, CHAT, GEMINI, RESPONSES

__all__ = ["Asked", "read_request", "session_of", "without_provider_tools"]

# Kinds of tools that the client runs itself, by how their names begin; every other kind is the provider's.
_CLIENT_ANTHROPIC = ("custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_")
_CLIENT_RESPONSES = ("function", "custom", "local_shell", "apply_patch", "computer", "namespace", "tool_search")
_CLIENT_GEMINI = ("functiondeclarations", "computeruse")


class Asked(Value):
    """
    body      the request as it goes on; the same object where nothing was changed
    streams   the client reads events
    stripped  tools of the provider that were taken out
    held      tools of the provider that it must ask about before it calls them
    """

    body: Mapping[str, Any]
    streams: bool = False
    stripped: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def read_request(api: str, body: Mapping[str, Any], streams: bool | None, permitted: frozenset[str]) -> Asked:
    """What goes on. `permitted` are kinds of provider tools that whoever runs the proxy lets through."""
    changed, stripped, held = without_provider_tools(api, body, permitted)
    if api == GEMINI:
        changed = _with_whole_calls(changed)
    wants = bool(body.get("stream")) if streams is None else streams
    return Asked(body=changed, streams=wants, stripped=stripped, held=held)


def without_provider_tools(
    api: str, body: Mapping[str, Any], permitted: frozenset[str]
) -> tuple[Mapping[str, Any], tuple[str, ...], tuple[str, ...]]:
    stripped: list[str] = []
    held: list[str] = []
    change: dict[str, Any] = {}
    tools = body.get("tools")
    if isinstance(tools, list):
        kept: list[Any] = []
        for tool in tools:
            left, name = _GOES[api](tool, permitted)
            if left is not None:
                kept.append(left)
            if name:
                (held if name.startswith("mcp:") else stripped).append(name)
        if stripped or held:
            change["tools"] = kept
    if api == RESPONSES:
        change |= _additional(body.get("input"), permitted, stripped, held)
    gone = {}
    if api == ANTHROPIC and body.get("mcp_servers") and "mcp_servers" not in permitted:
        gone["mcp_servers"] = "mcp_servers"
    if api == CHAT and body.get("web_search_options") is not None and "web_search" not in permitted:
        gone["web_search_options"] = "web_search"
    stripped += gone.values()
    if not change and not gone:
        return body, (), ()
    after = {key: value for key, value in {**body, **change}.items() if key not in gone}
    if stripped and not after.get("tools"):
        after = {
            key: value
            for key, value in after.items()
            if key not in ("tools", "tool_choice", "toolConfig", "tool_config")
        }
    elif stripped and _names_one(after.get("tool_choice"), stripped):
        after.pop("tool_choice")
    return after, tuple(stripped), tuple(held)


def _additional(given: Any, permitted: frozenset[str], stripped: list[str], held: list[str]) -> dict[str, Any]:
    """Tools that a conversation brings along later."""
    if not isinstance(given, list):
        return {}
    turned: list[Any] = []
    before = len(stripped) + len(held)
    for item in given:
        tools = item.get("tools") if isinstance(item, dict) and item.get("type") == "additional_tools" else None
        if isinstance(tools, list):
            kept = []
            for tool in tools:
                left, name = _openai_tool(tool, permitted)
                kept += [] if left is None else [left]
                if name:
                    (held if name.startswith("mcp:") else stripped).append(name)
            item = {**item, "tools": kept}
        turned.append(item)
    return {"input": turned} if len(stripped) + len(held) > before else {}


def _names_one(choice: Any, names: list[str]) -> bool:
    """Whether the model is told to use a tool that is gone."""
    return isinstance(choice, dict) and any(
        isinstance(value, str) and value and any(name.startswith(value) for name in names) for value in choice.values()
    )


def _permits(kind: str, permitted: frozenset[str]) -> bool:
    return any(kind == name or kind.startswith(f"{name}_") for name in permitted)


def _anthropic_tool(tool: Any, permitted: frozenset[str]) -> tuple[Any, str]:
    kind = tool.get("type", "custom") if isinstance(tool, dict) else "unknown"
    kind = kind if isinstance(kind, str) else "unknown"
    return (tool, "") if kind.startswith(_CLIENT_ANTHROPIC) or _permits(kind, permitted) else (None, kind)


def _openai_tool(tool: Any, permitted: frozenset[str]) -> tuple[Any, str]:
    kind = tool.get("type", "function") if isinstance(tool, dict) else "unknown"
    kind = kind if isinstance(kind, str) else "unknown"
    if kind == "mcp" and not _permits(kind, permitted):
        # The provider then asks first, and its question is judged as a call.
        asks = {**tool, "require_approval": "always"}
        return (tool, "") if tool.get("require_approval") == "always" else (asks, f"mcp:{tool.get('server_label')}")
    if kind == "shell":
        place = tool.get("environment")
        local = place is None or (isinstance(place, dict) and place.get("type") == "local")
        return (tool, "") if local or _permits(kind, permitted) else (None, kind)
    return (tool, "") if kind.startswith(_CLIENT_RESPONSES) or _permits(kind, permitted) else (None, kind)


def _gemini_tool(tool: Any, permitted: frozenset[str]) -> tuple[Any, str]:
    if not isinstance(tool, dict):
        return None, "unknown"
    flat = {key: key.replace("_", "").lower() for key in tool}
    wanted = frozenset(name.replace("_", "").lower() for name in permitted)
    gone = [key for key in tool if flat[key] not in _CLIENT_GEMINI and flat[key] not in wanted]
    if not gone:
        return tool, ""
    left = {key: value for key, value in tool.items() if key not in gone}
    return left or None, ", ".join(gone)


_GOES = {ANTHROPIC: _anthropic_tool, CHAT: _openai_tool, RESPONSES: _openai_tool, GEMINI: _gemini_tool}


def _with_whole_calls(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of a call must not come in parts: only a whole call can be judged."""
    for key in ("toolConfig", "tool_config"):
        config = body.get(key)
        if not isinstance(config, dict):
            continue
        for inner in ("functionCallingConfig", "function_calling_config"):
            calling = config.get(inner)
            if isinstance(calling, dict):
                left = {k: v for k, v in calling.items() if k.replace("_", "").lower() != "streamfunctioncallarguments"}
                if len(left) != len(calling):
                    body = {**body, key: {**config, inner: left}}
    return body


# --- session ---------------------------------------------------------------------------------------------------------


def session_of(api: str, body: Mapping[str, Any], key: str) -> str:
    """The conversation that a request belongs to. `key`: what the client signs in with; nothing of it is kept."""
    own = _own_id(api, body)
    if own:
        return own
    first = _first_message(api, body)
    told = json.dumps([api, key, first], sort_keys=True, default=str)
    return "conversation-" + digest_of_text(told).removeprefix("sha256:")[:32]


def _own_id(api: str, body: Mapping[str, Any]) -> str:
    """The id that the client gave the conversation."""
    if api == ANTHROPIC:
        about = body.get("metadata")
        user = about.get("user_id") if isinstance(about, dict) else None
        return _claude_session(user) if isinstance(user, str) else ""
    if api == RESPONSES:
        of = body.get("conversation")
        named = of.get("id") if isinstance(of, dict) else of
        found = named or body.get("prompt_cache_key")
        return short_id(found) if isinstance(found, str) else ""
    return ""


def _claude_session(user: str) -> str:
    """Claude Code names its session there, as JSON or behind a word."""
    try:
        data = json.loads(user)
    except ValueError:
        return short_id(user.rpartition("_session_")[2]) if "_session_" in user else ""
    found = data.get("session_id") if isinstance(data, dict) else None
    return short_id(found) if isinstance(found, str) else ""


def _first_message(api: str, body: Mapping[str, Any]) -> Any:
    """The first thing that the person said. Later requests repeat it; what comes before it may change."""
    if api == GEMINI:
        listed = body.get("contents")
    else:
        listed = body.get("input" if api == RESPONSES else "messages")
    if isinstance(listed, str):
        return [listed]
    if not isinstance(listed, list):
        return listed
    said = [one for one in listed if isinstance(one, dict) and one.get("role", "user") == "user"]
    first = said[0] if said else None
    if first is None:
        return None
    content = first.get("parts") if api == GEMINI else first.get("content")
    return _text(content)


def _text(content: Any) -> Any:
    """A text is the same whether it stands alone or in a list, and marks for a cache come and go."""
    if isinstance(content, list):
        return [part.get("text") if isinstance(part, dict) and "text" in part else part for part in content]
    return [content]
