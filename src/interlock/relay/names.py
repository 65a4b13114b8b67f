"""How servers and tools are named: as clients do it, so that a policy has one name for a tool."""

from __future__ import annotations

__all__ = ["server_name", "tool_name"]


def server_name(text: str) -> str:
    """A name as clients use it in the names of tools: everything else is an underscore."""
    return "".join([char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in text])[:100]


def tool_name(server: str, tool: str) -> str:
    """`mcp__SERVER__TOOL`, as policies and hooks name it."""
    plain = tool if tool.isascii() and tool.isprintable() and " " not in tool else server_name(tool)
    return f"mcp__{server}__{plain}"
