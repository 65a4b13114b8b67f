"""What the rewriters of all APIs share: a call that is wanted, what was ruled about it, and what looks like a call.

A rewriter is a generator: it gives pieces that leave, and where it has a whole call it gives a `Wanted` and is sent the
`Ruling`. So it needs no network, no clock and no gate, and a test can play all three.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from ...bytes.strict import parse_object
from ...limits import MAX_INPUT_BYTES
from ...model.errors import InputError
from ...value import FrozenMap, Value
from .pieces import FaultError, Piece

__all__ = ["Calls", "Ruling", "Steps", "Turned", "Wanted", "arguments", "hides_call", "is_like_call", "noted"]


class Wanted(Value):
    """A call in the answer, complete.

    tool     the name that the model used
    given    its arguments
    id       the model's id of it; empty where it has none
    trouble  why it cannot be let through whatever the policy says; empty: it can be judged
    """

    tool: str
    given: Mapping[str, Any] = FrozenMap({})
    id: str = ""
    trouble: str = ""


class Ruling(Value):
    """
    allowed  the call reaches the client as it is
    text     what stands in its place otherwise
    told     what the model is told in its place, where the proxy goes on by itself
    final    nothing but another call helps; otherwise a person may still say yes
    note     for whoever reads the stream: verdict and receipt
    """

    allowed: bool
    text: str = ""
    told: str = ""
    final: bool = False
    note: str = ""


Steps = Generator[Piece | Wanted, Ruling | None, None]
Turned = Generator[Wanted, Ruling, Any]  # a whole body: returns it, the same object where nothing was changed

# Words in the name of a kind or a key that stand for something to be done.
_DOING = ("call", "use", "tool", "function", "exec", "action", "command", "invoke")
_DONE = ("result", "output", "response", "list", "usage", "used")
# Keys that only a call has.
_KEYS = frozenset(("toolcalls", "toolcall", "tooluse", "functioncall", "functioncalls", "calltool", "tooluses"))


def arguments(text: Any) -> tuple[Mapping[str, Any], str]:
    """The arguments of a call, and why they cannot be read; they are delivered as the text that is read here."""
    if isinstance(text, Mapping):
        return text, ""
    if not isinstance(text, str):
        return FrozenMap({}), "its arguments are no JSON object"
    if not text.strip():
        return FrozenMap({}), ""
    try:
        return parse_object(text.encode()), ""
    except UnicodeEncodeError:
        return FrozenMap({}), "its arguments are not UTF-8 text"
    except InputError:
        too_long = len(text) > MAX_INPUT_BYTES
        return FrozenMap({}), "its arguments are too large" if too_long else "its arguments are not valid JSON"


def _flat(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def is_like_call(part: Any) -> bool:
    """Whether a part of an answer of a kind that nobody here knows may be something to do."""
    if not isinstance(part, Mapping):
        return False
    kind = str(part.get("type", "")).lower()
    if any(word in kind for word in _DOING) and not any(word in kind for word in _DONE):
        return True
    keys = {_flat(str(key)) for key in part}
    return bool(keys & {"input", "arguments", "args", "callid", "tooluseid", "function", "action"}) or hides_call(part)


def hides_call(value: Any) -> bool:
    """Whether there is a call somewhere inside, in any API's words."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _flat(str(key)) in _KEYS and inner:
                return True
            if key == "type" and isinstance(inner, str) and _flat(inner) in _KEYS:
                return True
            if isinstance(inner, Mapping | list) and hides_call(inner):
                return True
        return False
    return isinstance(value, list) and any(hides_call(inner) for inner in value)


def noted(ruling: Ruling) -> list[Piece]:
    """The note as a comment of the stream."""
    return [Piece(event="", data=None, raw=f": interlock {ruling.note}\n\n".encode())] if ruling.note else []


class Calls:
    """What the calls of one answer have in common: ids are used once, and what is held has a size."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.kept = 0
        self.withheld = 0
        self._size = 0

    def holds(self, size: int) -> None:
        self._size += size
        if self._size > 4 * MAX_INPUT_BYTES:
            raise FaultError("the tool calls of the answer are too large")

    def wanted(self, tool: Any, given: Any, id: Any, trouble: str = "") -> Wanted:
        read, unread = arguments(given)
        name = tool if isinstance(tool, str) else ""
        known = id if isinstance(id, str) else ""
        trouble = trouble or ("" if name.strip() else "it names no tool") or unread
        if not trouble and id is not None and not isinstance(id, str):
            trouble = "its id is no text"
        if known and known in self.ids:
            trouble = trouble or "another call of this answer has the same id"
        if known:
            self.ids.add(known)
        return Wanted(tool=name, given=read, id=known, trouble=trouble)

    def ruled(self, wanted: Wanted, ruling: Ruling | None) -> Ruling:
        # INVARIANT: nothing is let through without a ruling, nor what could not be read whatever the ruling says.
        if ruling is None or (ruling.allowed and wanted.trouble):
            ruling = Ruling(allowed=False, text=f"[Interlock withheld a tool call: {wanted.trouble or 'not judged'}]")
        if ruling.allowed:
            self.kept += 1
        else:
            self.withheld += 1
        return ruling
