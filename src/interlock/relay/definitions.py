"""What a server says of a tool: the parts that a person relies on, how two versions differ, and what hides in them.

A change is graded by the gravest part that it touches: `effects` (the hints on what the tool does), `schema` (what it
takes and gives), `wording` (what the model reads). Nothing here decides: the Engine asks where there is a difference.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import unicodedata
from typing import TYPE_CHECKING, Any

from ..bytes.canon import digest
from ..bytes.strict import parse_json
from ..limits import MAX_SERVER_LINE_BYTES
from ..model.errors import InputError
from ..reading.tools.hinted import hints_in
from ..value import FrozenMap, Value
from ..words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GRADES", "Change", "Tool", "change_between", "pinned_tool", "pointed_out", "tool_of"]

# part of a definition -> how grave a change of it is; the order is that of the grades, gravest first
_PARTS = {
    "annotations": "effects",
    "execution": "effects",
    "inputSchema": "schema",
    "outputSchema": "schema",
    "title": "wording",
    "description": "wording",
}
GRADES = ("effects", "schema", "wording")
_UNREADABLE = "unreadable"
_MOST_LINES = 12  # of a difference that a question shows
_MOST_CHARS = 200  # of one line of it
_MOST_SHOWN = 4  # places in a text that are pointed out


class Tool(Value):
    """One definition. `parts` holds what counts of it, as plain data; `hints` is what its annotations warn of."""

    name: str
    parts: Any
    digest: str
    hints: tuple[str, ...] = ()


def tool_of(data: Mapping[str, Any]) -> Tool | None:
    """None where it has no name, so that nobody can call it."""
    name = data.get("name")
    if type(name) is not str or not name:
        return None
    parts = {part: data[part] for part in _PARTS if data.get(part) not in (None, "", {})}
    raw = json.dumps(parts, sort_keys=True).encode()
    try:
        return pinned_tool(name, parse_json(raw, limit=MAX_SERVER_LINE_BYTES))
    except InputError:  # such as half a character: it is bound, and nobody is shown it
        return pinned_tool(name, FrozenMap({_UNREADABLE: hashlib.sha256(raw).hexdigest()}))


def pinned_tool(name: str, parts: Any) -> Tool:
    """A definition as it was kept."""
    annotations = parts.get("annotations")
    hints = hints_in(annotations) if type(annotations) is FrozenMap else ()
    return Tool(name=name, parts=parts, digest=digest(parts), hints=hints)


def _plain(value: object) -> object:
    return dict(value.items()) if isinstance(value, FrozenMap) else list(value)  # type: ignore[call-overload]


class Change(Value):
    grade: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.grade} changed: {'; '.join(self.lines)}"


def change_between(before: Tool, now: Tool) -> Change | None:
    """None where a person would see the same."""
    if before.digest == now.digest:
        return None
    changed = [part for part in _PARTS if before.parts.get(part) != now.parts.get(part)]
    grades = {_PARTS[part] for part in changed}
    grade = next((grade for grade in GRADES if grade in grades), GRADES[-1])
    lines = [line for part in changed for line in _difference(part, before.parts.get(part), now.parts.get(part))]
    more = len(lines) - _MOST_LINES
    return Change(grade=grade, lines=(*lines[:_MOST_LINES], *([f"and {more} lines more"] if more > 0 else [])))


def _difference(part: str, before: object, now: object) -> list[str]:
    old, new = _lines(before), _lines(now)
    found = [line for line in difflib.ndiff(old, new) if line[:1] in "+-"]
    return [f"{part} {line[0]} `{_short(visible(line[2:].strip()).replace('`', chr(39)))}`" for line in found]


def _lines(value: object) -> list[str]:
    if value is None:
        return []
    if type(value) is str:
        return value.splitlines() or [value]
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1, default=_plain).splitlines()


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"


# --- what hides in a text -----------------------------------------------------------------------------------------

# Words by which a description speaks to the model about other things than the tool. Lower case, blanks as one.
_ADDRESSING = (
    "ignore previous",
    "ignore all previous",
    "ignore the above",
    "disregard previous",
    "do not tell the user",
    "don't tell the user",
    "without telling the user",
    "hide this from",
    "keep this secret",
    "before using any other tool",
    "before calling any other tool",
    "before using this tool, read",
    "always call this tool first",
    "~/.ssh",
    "id_rsa",
)
_MARKUP = ("<important", "<system", "<instruction", "<secret", "<hidden", "<assistant", "<!--", "[inst]", "<|im_start")


def pointed_out(tool: Tool) -> tuple[str, ...]:
    """What a person should see of this definition: characters that do not show, markup, words to the model."""
    found: list[str] = ["it is not JSON that can be kept"] if _UNREADABLE in tool.parts else []
    for where, text in _texts("", tool.parts):
        hidden = sorted({char for char in text if _is_hidden(char)})
        if hidden:
            names = ", ".join(f"U+{ord(char):04X}" for char in hidden[:_MOST_SHOWN])
            found.append(f"hidden characters in {where}: {names}")
        folded = " ".join(text.casefold().split())
        for kind, words in (("markup for the model", _MARKUP), ("words to the model", _ADDRESSING)):
            told = [word for word in words if word in folded]
            if told:
                at = folded.index(told[0])
                found.append(f"{kind} in {where}: `{_short(visible(folded[at : at + 80]).replace('`', chr(39)))}`")
    return tuple(found[:_MOST_SHOWN])


def _texts(where: str, value: object) -> list[tuple[str, str]]:
    """Every text of a definition, keys among them: a model reads those as well."""
    if type(value) is str:
        return [(where, value)]
    if isinstance(value, FrozenMap | dict):
        inside = [text for key, item in value.items() for text in _texts(f"{where}.{key}".lstrip("."), item)]
        return [*inside, *[(f"a name in {where or 'the definition'}", key) for key in value if not key.isascii()]]
    if isinstance(value, tuple | list):
        return [text for item in value for text in _texts(where, item)]
    return []


def _is_hidden(char: str) -> bool:
    if char.isascii():
        return char < " " and char not in "\t\n\r"
    kind = unicodedata.category(char)
    # Joiners and variation selectors are writing where they stand in an emoji or a script that needs them.
    if char in "\u200d\u200c\ufe0f\ufe0e":
        return False
    return kind in ("Cf", "Co", "Cn", "Cs") or "\U000e0000" <= char <= "\U000e0fff"
