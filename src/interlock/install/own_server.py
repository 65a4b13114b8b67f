"""Our own MCP server among those that a client's file names: put in, found again, taken out, in the file's own text.

INVARIANT: everything else in the file means what it meant before; where that cannot be had, nothing is written.
"""

from __future__ import annotations

import json

from ..limits import MAX_MCP_CONFIG_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING
from .json_text import added, located, removed, whole
from .mcp_servers import is_own_server
from .toml_text import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["NAME", "named_in", "with_server", "without_server"]

NAME = "interlock"
_TABLE = {"json": "mcpServers", "toml": "mcp_servers"}


def named_in(text: str, form: str) -> dict[str, Any] | None:
    """Our own server, as the file names it. InputError where the name is somebody else's."""
    found = _tables(text, form).get(NAME)
    if found is None:
        return None
    if not isinstance(found, dict) or not is_own_server(found):
        raise InputError(f"a server of somebody else's is called `{NAME}` there")
    return found


def with_server(text: str, command: Sequence[str], form: str) -> str:
    """The text with our server, which is not there yet."""
    entry = {"command": command[0], "args": list(command[1:])}
    if form == "toml":
        return _checked(text, _with_table(text, entry), form, entry)
    text = text if text.strip() else "{}\n"
    root = located(text, MAX_MCP_CONFIG_BYTES)
    table = root.child(_TABLE[form])
    if table is None:
        return _checked(text, added(text, root, {NAME: entry}, _TABLE[form]), form, entry)
    return _checked(text, added(text, table, entry, NAME), form, entry)


def without_server(text: str, form: str) -> str:
    """The text without our server."""
    if named_in(text, form) is None:
        return text
    if form == "toml":
        return _checked(text, _without_table(text), form, None)
    table = located(text, MAX_MCP_CONFIG_BYTES).child(_TABLE[form])
    child = None if table is None else table.child(NAME)
    return text if table is None or child is None else _checked(text, removed(text, table, child), form, None)


def _checked(before: str, after: str, form: str, entry: dict[str, Any] | None) -> str:
    data, found = _parsed(before, form), _parsed(after, form)
    table = dict(data.get(_TABLE[form], {}))
    table.pop(NAME, None)
    data[_TABLE[form]] = {**table, **({} if entry is None else {NAME: entry})}
    if found.setdefault(_TABLE[form], {}) is not None and found == data:
        return after
    raise InputError("its servers are written in a way that cannot be edited here")


def _tables(text: str, form: str) -> dict[str, Any]:
    found = _parsed(text, form).get(_TABLE[form], {})
    if not isinstance(found, dict):
        raise InputError(f"`{_TABLE[form]}` is not a table there")
    return found


def _parsed(text: str, form: str) -> dict[str, Any]:
    if form == "toml":
        return parsed(text)
    if not text.strip():
        return {}
    found: dict[str, Any] = whole(text, located(text, MAX_MCP_CONFIG_BYTES))
    return found


def _with_table(text: str, entry: dict[str, Any]) -> str:
    line = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{_TABLE['toml']}.{NAME}]", *[f"{key} = {_written(value)}" for key, value in entry.items()], ""]
    gap = "" if not text else line if text.endswith("\n") else line * 2
    return text + gap + line.join(lines)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without_table(text: str) -> str:
    """The text without the lines from our table's head to the next head, and without the empty line before."""
    lines = text.splitlines(keepends=True)
    head = f"[{_TABLE['toml']}.{NAME}]"
    first = next((at for at, line in enumerate(lines) if line.strip() == head), -1)
    if first < 0:
        return text
    last = next((at for at in range(first + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    if first and not lines[first - 1].strip():
        first -= 1
    return "".join(lines[:first] + ([] if last == len(lines) else ["\n"] if first else []) + lines[last:])
