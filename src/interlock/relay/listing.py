"""What the server says of its tools, and whether that is what was pinned.

Every answer to `tools/list` is looked at, whoever asked. A call whose tool was not listed yet, or since the server said
that its tools have changed, makes the relay list by itself, over all pages. What is seen for the first time is pinned;
what differs from its pin has a `trouble`, about which the Engine asks.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..limits import MAX_PINNED_TOOLS, MCP_LIST_SECONDS
from ..model.errors import InterlockError
from ..model.facts import Definition
from ..store.home.pins import file_of, keep_seen, read_pins
from .definitions import change_between, pinned_tool, pointed_out, tool_of
from .messages import list_request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..store.home.folders import Folders
    from ..store.home.pins import Pin
    from .definitions import Tool

__all__ = ["Listing"]

_MOST_PAGES = 1000
_TRIES = 3  # lists that a server may call outdated before they are whole
_UNTOLD = "the server did not say what its tools are"
_UNLISTED = "the server does not list this tool"


class _Walk:
    """One walk over the pages, of the client's or of our own."""

    def __init__(self, changes: int) -> None:
        self.changes = changes  # how often the tools had changed when it began
        self.found: dict[str, Tool] = {}


class _Pins:
    """The pins as a file held them, and what came of comparing definitions with them."""

    def __init__(self, stamp: object, pins: Mapping[str, Pin]) -> None:
        self.stamp, self.pins = stamp, pins
        self.trouble: dict[tuple[str, str], str] = {}  # name and digest of a definition -> what is wrong with it


class Listing:
    def __init__(
        self, folders: Folders, server: str, send: Callable[[bytes], None], note: Callable[[str], None]
    ) -> None:
        self._folders, self._server, self._send, self._note = folders, server, send, note
        self._lock = threading.Lock()
        self._own = threading.Lock()  # one list of our own at a time
        self._known: dict[str, Tool] = {}
        self._whole = -1  # `_changes` when the last whole list began; older: what is known may be outdated
        self._changes = 0
        self._asked: dict[str, tuple[bool, _Walk]] = {}  # the client's requests for a page
        self._walk: _Walk | None = None  # the client's walk
        self._waiting: dict[str, _Answer] = {}  # our own requests
        self._accepted: set[str] = set()  # definitions that a person has let a call through with, in this process
        self._pins: _Pins | None = None

    # --- what passes by ---

    def changed(self) -> None:
        """The server says that its tools have changed."""
        with self._lock:
            self._changes += 1

    def asked(self, id: str | int, params: Any) -> None:
        """The client wants a page."""
        cursor = params.get("cursor") if hasattr(params, "get") else None
        with self._lock:
            if cursor is None or self._walk is None:
                self._walk = _Walk(self._changes)
            self._asked[str(id)] = (cursor is None, self._walk)
            while len(self._asked) > _MOST_PAGES:  # the server does not answer
                self._asked.pop(next(iter(self._asked)))

    def answered(self, id: object, data: Mapping[str, Any]) -> bool:
        """An answer of the server. True where it is to a question of our own, and nobody else's business."""
        with self._lock:
            ours = self._waiting.pop(str(id), None)
            asked = self._asked.pop(str(id), None) if ours is None else None
        if ours is not None:
            ours.set(data)
            return True
        if asked is not None:
            self._page(asked[1], data.get("result"))
        return False

    def _page(self, walk: _Walk, result: object) -> str | None:
        """Takes a page in; the cursor of the next one."""
        if type(result) is not dict or type(result.get("tools")) is not list:
            return None
        tools = [tool for data in result["tools"] if type(data) is dict and (tool := tool_of(data)) is not None]
        cursor = result.get("nextCursor")
        self._pin(tools)  # before anybody can be held against it
        with self._lock:
            for tool in tools:
                if len(walk.found) < MAX_PINNED_TOOLS:
                    walk.found[tool.name] = tool
                    self._known[tool.name] = tool
            if cursor is None:
                self._known = dict(walk.found)
                self._whole = walk.changes
        return cursor if type(cursor) is str else None

    def _pin(self, tools: list[Tool]) -> None:
        try:
            pins = self._read().pins
            news = any(
                (pin := pins.get(tool.name)) is None
                or (pin.changed if tool.parts == pin.parts else pin.changed != tool.parts)
                for tool in tools
            )
            seen = {tool.name: tool.parts for tool in tools}
            added = keep_seen(self._folders, self._server, seen) if news else ()
        except InterlockError as error:
            self._note(f"what the server says of its tools could not be kept: {error}")
            return
        if added:
            many = f"{len(added)} tools as they are" if len(added) > 1 else f"the tool `{added[0][:60]}` as it is"
            self._note(f"pinned {many} now; look at them with: interlock mcp pins show {self._server}")
        for tool in tools:
            if tool.name in added:
                for said in pointed_out(tool):
                    self._note(f"`{tool.name[:60]}`: {said}")

    # --- what a call is held against ---

    def definition(self, tool: str, envelope: Mapping[str, Any]) -> Definition:
        """How the tool is defined now. `envelope`: what a request of our own has to carry."""
        found, told = self._current(tool)
        for _ in range(_TRIES):
            if told:
                break
            if not self._list(envelope):
                return Definition(digest="", trouble=_UNTOLD)
            found, told = self._current(tool)
        if found is None:
            return Definition(digest="", trouble=_UNLISTED)
        trouble = "" if found.digest in self._accepted else self._trouble(found)
        return Definition(digest=found.digest, trouble=trouble, hints=found.hints)

    def accept(self, definition: Definition) -> None:
        """A person let a call through that was shown with this definition: it is not asked about again."""
        if definition.digest:
            self._accepted.add(definition.digest)

    def _current(self, tool: str) -> tuple[Tool | None, bool]:
        """The definition, and whether it can be relied on."""
        with self._lock:
            return self._known.get(tool), self._whole == self._changes

    def _trouble(self, tool: Tool) -> str:
        try:
            kept = self._read()
        except InterlockError as error:
            return f"what was pinned cannot be read: {error}"
        pin = kept.pins.get(tool.name)
        if pin is None:  # too many, or it could not be written
            return "it could not be pinned"
        known = kept.trouble.get((tool.name, tool.digest))
        if known is None:
            known = kept.trouble[tool.name, tool.digest] = self._compared(tool, pin)
        return known

    def _compared(self, tool: Tool, pin: Pin) -> str:
        change = change_between(pinned_tool(tool.name, pin.parts), tool)
        if change is not None:
            return f"{change.text}. If that is right: interlock mcp pins accept {self._server}"
        said = () if pin.accepted else pointed_out(tool)
        return "; ".join(said)

    def _read(self) -> _Pins:
        """The pins as they are on disk, read again when the file was touched: a person may accept meanwhile."""
        try:
            at = os.stat(file_of(self._folders, self._server))
            stamp: object = (at.st_mtime_ns, at.st_size, at.st_ino)
        except FileNotFoundError:
            stamp = None
        kept = self._pins
        if kept is None or kept.stamp != stamp or stamp is None:
            kept = self._pins = _Pins(stamp, read_pins(self._folders, self._server))
        return kept

    # --- our own list ---

    def _list(self, envelope: Mapping[str, Any]) -> bool:
        """Walks over all pages. False where the server does not answer so."""
        with self._own:
            with self._lock:
                if self._whole == self._changes:  # somebody else's walk has ended meanwhile
                    return True
                walk = _Walk(self._changes)
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                id = f"interlock-list-{uuid4().hex}"
                answer = _Answer()
                with self._lock:
                    self._waiting[id] = answer
                self._send(list_request(id, cursor, envelope))
                data = answer.get(MCP_LIST_SECONDS)
                with self._lock:
                    self._waiting.pop(id, None)
                if data is None or type(data.get("result")) is not dict:
                    return False
                before, cursor = cursor, self._page(walk, data["result"])
                if cursor is None:
                    return self._whole >= walk.changes
                if cursor == before:
                    return False
            return False


class _Answer:
    def __init__(self) -> None:
        self._there = threading.Event()
        self._data: Mapping[str, Any] | None = None

    def set(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._there.set()

    def get(self, seconds: float) -> Mapping[str, Any] | None:
        return self._data if self._there.wait(seconds) else None
