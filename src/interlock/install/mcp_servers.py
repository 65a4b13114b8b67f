"""The MCP servers that a client's file names, put behind the relay and taken out again, in the file's own text.

A server that is started as a program gets the relay's command in front of its own. One that is reached by an address
stays as it is: the relay is not on its way, and whoever asks is told so.

    json      `mcpServers`, at the top and for single projects: a command and its arguments
    opencode  `mcp`, and `servers` in it: the command and its arguments as one list
    toml      `[mcp_servers.NAME]`: as in json
"""

from __future__ import annotations

from ..limits import MAX_MCP_CONFIG_BYTES
from ..value import TYPE_CHECKING, Value
from .json_text import Node, added, located, removed, replaced, whole
from .toml_text import parsed, with_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__all__ = ["Server", "is_own_server", "put_behind", "servers_in", "taken_back"]

_MARK = ("-m", "interlock.cli")  # how a command of ours goes on, whatever Python runs it
_VERBS, _ASKS = ("mcp", "run"), ("mcp", "ask")


class Server(Value):
    """
    name     what the client calls it
    path     the keys that lead to it
    command  what starts it, without the relay; empty for one that is reached by an address
    relayed  the relay stands in front of it
    program  what is started first, as the file says it
    url      the address, where it is reached by one
    """

    name: str
    path: tuple[str, ...]
    command: tuple[str, ...] = ()
    relayed: bool = False
    program: str = ""
    url: str = ""


def servers_in(text: str, form: str = "json") -> list[Server]:
    """Those at the top of the file, and those that it keeps for single projects. Our own is none of them."""
    if not text.strip():
        return []
    named: list[tuple[tuple[str, ...], Any]]
    if form == "toml":
        tables = parsed(text).get("mcp_servers")
        entries = tables.items() if isinstance(tables, dict) else ()
        named = [(("mcp_servers", name), given) for name, given in entries if isinstance(given, dict)]
    else:
        root = located(text, MAX_MCP_CONFIG_BYTES)
        named = [(path, whole(text, node)) for path, node in _entries(root, form)]
    return [_server(path, given) for path, given in named if not is_own_server(given)]


def is_own_server(given: Mapping[str, Any]) -> bool:
    """Whether an entry starts the server with which Interlock asks (`interlock mcp ask`): it has no tools to judge."""
    args = given.get("args")
    words = tuple(args) if type(args) is list else ()
    return words[-2:] == _ASKS and any(words[at : at + 2] == _MARK for at in range(len(words)))


def _entries(root: Node, form: str) -> list[tuple[tuple[str, ...], Node]]:
    found: list[tuple[tuple[str, ...], Node]] = []
    for path, table in _tables(root, form):
        if table is not None and table.kind == "{":
            found += [((*path, str(entry.key)), entry) for entry in table.children if entry.kind == "{"]
    return found


def _tables(root: Node, form: str) -> list[tuple[tuple[str, ...], Node | None]]:
    if form == "opencode":
        table = root.child("mcp")
        return [(("mcp",), table), (("mcp", "servers"), table.child("servers") if table is not None else None)]
    places: list[tuple[tuple[str, ...], Node | None]] = [(("mcpServers",), root.child("mcpServers"))]
    projects = root.child("projects")
    for project in projects.children if projects is not None and projects.kind == "{" else ():
        if project.kind == "{":
            at = ("projects", str(project.key), "mcpServers")
            places.append((at, project.child("mcpServers")))
    return places


def _server(path: tuple[str, ...], given: Mapping[str, Any]) -> Server:
    command, args, url = given.get("command"), given.get("args", []), given.get("url") or given.get("httpUrl")
    words = command if type(command) is list else [command, *args] if type(args) is list else []
    if not words or any(type(word) is not str for word in words):
        return Server(name=path[-1], path=path, url=url if type(url) is str else "")
    own = _own(words)
    return Server(name=path[-1], path=path, command=tuple(own or words), relayed=own is not None, program=str(words[0]))


def _own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The server's own command behind that of the relay; None where there is no relay."""
    words = tuple(words[1:])
    if "--" not in words:
        return None
    head, own = words[: words.index("--")], words[words.index("--") + 1 :]
    ours = any(head[at : at + 2] == _MARK for at in range(len(head)))
    verbs = any(head[at : at + 2] == _VERBS for at in range(len(head)))
    return own if ours and verbs and own else None


def put_behind(text: str, relay: Callable[[str], tuple[str, ...]], form: str = "json") -> str:
    """The text with `relay(name)` in front of every server that is started as a program."""

    def changed(server: Server) -> tuple[str, ...]:
        command = relay(server.name)
        return (*command, "--", *server.command)

    return _each(text, form, lambda server: changed(server) if server.command else None)


def taken_back(text: str, form: str = "json") -> str:
    """The text with every server as it is without the relay."""
    return _each(text, form, lambda server: server.command if server.relayed else None)


def _each(text: str, form: str, command_of: Callable[[Server], tuple[str, ...] | None]) -> str:
    for server in servers_in(text, form):
        wanted = command_of(server)
        if wanted is None:
            continue
        if form == "toml":
            text = with_value(text, (*server.path, "command"), wanted[0])
            text = with_value(text, (*server.path, "args"), list(wanted[1:]))
        else:
            text = _in_json(text, server.path, _members(wanted, form))
    return text


def _members(wanted: tuple[str, ...], form: str) -> list[tuple[str, Any]]:
    return [("command", list(wanted))] if form == "opencode" else [("command", wanted[0]), ("args", list(wanted[1:]))]


def _in_json(text: str, path: tuple[str, ...], members: list[tuple[str, Any]]) -> str:
    for key, value in members:
        entry = _at(located(text, MAX_MCP_CONFIG_BYTES), path)
        member = entry.child(key)
        if member is None:
            text = added(text, entry, value, key)
        elif whole(text, member) != value:
            text = replaced(text, member, value) if value else removed(text, entry, member)
    return text


def _at(node: Node, path: Sequence[str]) -> Node:
    for key in path:
        child = node.child(key)
        if child is None:  # the path was read from the same text
            raise KeyError(key)
        node = child
    return node
