"""A command without what changes nothing of it: more blanks, a comment, a last `;`, quotes that keep nothing together.

Only the loop guard compares commands in this form: who tries the same again writes it a little differently, and means
the same. What a person approves stays the exact text. Where a here-document may begin nothing is left out.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from ..model.call import Call

__all__ = ["essence", "without_cosmetics"]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-:=,@%+")
_ENDS = " \t\n;"
_STOPS = bytes([0 if chr(code) in "'\"\\#" else max(code, 1) for code in range(256)])


def essence(text: str) -> str:
    """The command in its plainest form; the text itself where it already is that, or cannot be told."""
    marked = "'" in text or '"' in text or "\\" in text or "#" in text
    if not marked and "  " not in text and text.isprintable() and text[-1:] not in _ENDS and text[:1] != " ":
        return text
    if not marked:
        if "<<" in text:
            return text
        # A line break ends a command as `;` does; blanks part words, however many.
        lines = text.split("\n") if "\n" in text else (text,)
        return "\n".join([line for line in [" ".join(line.split()) for line in lines] if line]).rstrip(_ENDS)
    return text if "<<" in text or "$'" in text else _quoted(text)


def _quoted(text: str) -> str:
    out: list[str] = []
    at, size = 0, len(text)
    stops = text.encode("latin-1", "replace").translate(_STOPS)  # zero where a quote or a comment may begin
    while at < size:
        char = text[at]
        if char == "\\":
            if text[at + 1 : at + 2] == "\n":
                out.append(" ")
            else:
                out.append("\0" + text[at : at + 2])  # kept, whatever it is
            at += 2
        elif char in "'\"":
            end = _closing(text, at)
            if end < 0:
                return text
            inside = text[at + 1 : end]
            out.append(inside if inside and _PLAIN.issuperset(inside) else "\0" + text[at : end + 1])
            at = end + 1
        elif char == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
            end = text.find("\n", at)
            at = size if end < 0 else end
        else:
            end = stops.find(0, at + 1)
            end = size if end < 0 else end
            out.append(text[at:end])
            at = end
    return _squeezed(out)


def _closing(text: str, at: int) -> int:
    if text[at] == "'":
        return text.find("'", at + 1)
    at += 1
    while True:
        end = text.find('"', at)
        kept = text.find("\\", at, end if end >= 0 else len(text))
        if end < 0 or "$(" in text[at : end if kept < 0 else kept]:
            return -1  # it goes on; or a command in there has quotes of its own
        if kept < 0:
            return end
        at = kept + 2


def _squeezed(parts: list[str]) -> str:
    """The parts put together; blanks of those that are not kept as they are count once."""
    out = ""
    for part in parts:
        if part[:1] == "\0":
            out += part[1:]
            continue
        lines = [" ".join(line.split()) for line in part.split("\n")]
        joined = "\n".join([line for at, line in enumerate(lines) if line or at in (0, len(lines) - 1)])
        if part[:1] in (" ", "\t") and joined and out and not out.endswith((" ", "\n")):
            joined = " " + joined
        if part[-1:] in (" ", "\t") and not joined.endswith((" ", "\n")):
            joined += " "
        out += joined.lstrip(" ") if out.endswith((" ", "\n")) else joined
    return out.strip(" \t\n").rstrip(_ENDS)


def without_cosmetics(call: Call) -> Call | None:
    """The same call with its command in that form; None where it is in it already."""
    command = call.input.get("command")
    if type(command) is not str:
        return None
    plain = essence(command)
    return None if plain == command else call.replace(input=FrozenMap({**call.input, "command": plain}))
