"""A question in a dialog of ours in a host: as short as the host shows it, with what each answer means.

INVARIANT: what does not fit is not asked there. A yes is to what was shown.
"""

from __future__ import annotations

__all__ = ["DENY", "ONCE", "SESSION", "TITLE", "dialog"]

DENY, ONCE, SESSION = "Deny", "Allow once", "Allow for this session"
TITLE = "Run it (Interlock asks)"
_COVERS = f"{SESSION}: also {{}}."
_MARGIN = 6  # columns that a host leaves empty
_NARROW = 20


def dialog(person: str, covers: str, *, columns: int, lines: int) -> tuple[str, tuple[str, ...]] | None:
    """The text and the choices; None where the text does not fit. `person`: the question as a person is told it.
    `covers`: what a yes for the session covers besides; empty: there is none. It is offered only where that fits too.
    """
    width = max(columns - _MARGIN, _NARROW)
    what = _broken(person.partition("\n")[0], width)
    if not person or len(what) > lines:
        return None
    more = _broken(_COVERS.format(covers), width) if covers else []
    if more and len(what) + len(more) <= lines:
        return "\n".join([*what, *more]), (DENY, ONCE, SESSION)
    return "\n".join(what), (DENY, ONCE)


def _broken(text: str, width: int) -> list[str]:
    """The text in lines of our own: a client cuts a line that is too long, where there are several."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and _columns_of(lines[-1]) + 1 + _columns_of(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
        while _columns_of(lines[-1]) > width:
            cut = width if lines[-1].isascii() else width // 2
            lines[-1:] = [lines[-1][:cut], lines[-1][cut:]]
    return lines


def _columns_of(text: str) -> int:
    """At most: a character beyond ASCII may take two."""
    return sum([1 if char.isascii() else 2 for char in text])
