"""What each MCP server said of its tools when they were first seen, or when a person last looked: one file a server.

They lie among the guard's own files, so that the floor keeps the agent's hands off them. Whoever adds a tool that is
not there yet changes nothing for those that are; only a person's command replaces one, with what was seen since.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_PINNED_TOOLS, MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..clock import now
from .files import locked, read_file, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .folders import Folders

__all__ = ["Pin", "change_pins", "file_of", "keep_seen", "pinned_servers", "read_pins"]

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Pin(Value):
    """
    parts     what counts of the definition, as plain data
    seen      when it was pinned, as the ledger tells time
    accepted  a person has looked at it
    changed   what the server says now, where that is something else
    """

    parts: Any
    seen: str = ""
    accepted: bool = False
    changed: Any = None


def file_of(folders: Folders, server: str) -> str:
    if not server or not _NAME.issuperset(server) or len(server) > 100:
        raise InputError("the name of a server is made of letters, digits, `-` and `_`")
    return f"{folders.pins}/{server}.json"


def pinned_servers(folders: Folders) -> list[str]:
    try:
        names = os.listdir(folders.pins)
    except OSError:
        return []
    return sorted([name.removesuffix(".json") for name in names if name.endswith(".json")])


def read_pins(folders: Folders, server: str) -> Mapping[str, Pin]:
    """Tool -> its pin. StoreError where the file cannot be read: then nothing may pass for new."""
    path = file_of(folders, server)
    raw = read_file(path, limit=MAX_STATE_BYTES)
    if raw is None:
        return FrozenMap({})
    try:
        kept: Any = parse_object(raw, limit=MAX_STATE_BYTES)["tools"]
        return FrozenMap(
            {
                name: Pin(
                    parts=pin["parts"],
                    seen=str(pin["seen"]),
                    accepted=pin.get("accepted") is True,
                    changed=pin.get("changed"),
                )
                for name, pin in kept.items()
            }
        )
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"`{path}` could not be read: {error}") from None


def keep_seen(folders: Folders, server: str, tools: Mapping[str, Any]) -> tuple[str, ...]:
    """Pins the tools that are not pinned yet, and keeps beside the others what is said of them now. Those pinned."""
    added: list[str] = []

    def keep(pins: dict[str, Pin]) -> dict[str, Pin]:
        for name, parts in tools.items():
            pin = pins.get(name)
            if pin is not None:
                pins[name] = pin.replace(changed=None if parts == pin.parts else parts)
            elif len(pins) < MAX_PINNED_TOOLS:
                pins[name] = Pin(parts=parts, seen=now())
                added.append(name)
        return pins

    change_pins(folders, server, keep)
    return tuple(added)


def change_pins(folders: Folders, server: str, change: Callable[[dict[str, Pin]], dict[str, Pin]]) -> None:
    """Reads, changes and writes under one lock. An empty outcome removes the file."""
    path = file_of(folders, server)
    os.makedirs(folders.pins, mode=0o700, exist_ok=True)
    unlock = locked(path + ".lock")
    try:
        before = dict(read_pins(folders, server))
        after = change(dict(before))
        if after == before:
            return
        if not after:
            os.unlink(path)
            return
        tools = {
            name: {
                "parts": pin.parts,
                "seen": pin.seen,
                **({"accepted": True} if pin.accepted else {}),
                **({} if pin.changed is None else {"changed": pin.changed}),
            }
            for name, pin in after.items()
        }
        write_file(path, canonical({"server": server, "tools": tools, "version": 1}) + b"\n")
    finally:
        unlock()
