"""A text of a call, line by line, with the parts marked that the decision is about.

Marks are made on the characters that were read, before anything is made visible, so that no character can shift one.
Where two overlap, the graver one is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ...follow.recalled import spans_hold
from ...model.action import Action, Reading
from ...model.decision import Decision
from ...model.verdict import Risk, Verdict
from ...value import Value
from ...words.visible import EMPTY

__all__ = ["Line", "Mark", "Part", "is_grave", "lines_of", "marks_of"]

# kind of a mark -> how grave it is
_GRAVITY = {"": 0, "asked": 1, "grave": 2, "unread": 3}


class Mark(Value):
    """`number` is that of the action in the list beside the text; 0 where it has none there."""

    field: str
    start: int
    end: int
    kind: str
    number: int = 0


class Part(Value):
    text: str
    kind: str = ""
    number: int = 0  # where the mark ends


class Line(Value):
    """`empty` counts the empty lines that this one stands for."""

    number: int
    parts: tuple[Part, ...] = ()
    empty: int = 0


def marks_of(reading: Reading, decision: Decision) -> list[Mark]:
    """What the reasons are about, and what could not be read. Of a call that passes: what it was let through with."""
    about = {at for finding in (*decision.reasons, *decision.satisfied) for at in finding.actions}
    if decision.verdict is not Verdict.ALLOW and not about:
        about = {at for at, action in enumerate(reading.actions) if is_grave(action)}
    found = [
        Mark(field=action.field, start=action.span[0], end=action.span[1], kind=_kind(action), number=at + 1)
        for at, action in enumerate(reading.actions)
        if at in about and action.field
    ]
    return found + [
        Mark(field=part.field, start=part.span[0], end=part.span[1], kind="unread")
        for part in reading.opaque
        if part.field
    ]


def _kind(action: Action) -> str:
    return "grave" if is_grave(action) else "asked"


def is_grave(action: Action) -> bool:
    return action.irreversible or action.risk >= Risk.HIGH


def lines_of(text: str, marks: Iterable[Mark] = ()) -> tuple[Line, ...]:
    """All of the text. Where something was taken out of it, characters are no longer where they were: then unmarked."""
    cuts = _cuts(text, [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)] if spans_hold(text) else [])
    found: list[Line] = []
    at = empty = 0
    rows = text.split("\n")
    for number, row in enumerate(rows, start=1):
        if not row.strip(" ") and len(rows) > 1:
            empty += 1
        else:
            found += _blank(number - empty, empty)
            empty = 0
            found.append(Line(number=number, parts=_parts(row, at, cuts)))
        at += len(row) + 1
    return (*found, *_blank(len(rows) + 1 - empty, empty))


def _blank(first: int, count: int) -> list[Line]:
    if count >= EMPTY:
        return [Line(number=first, empty=count)]
    return [Line(number=first + at) for at in range(count)]


_Cut = tuple[int, int, str, int]


def _cuts(text: str, marks: Sequence[Mark]) -> list[_Cut]:
    """The marked stretches, in order and apart from each other."""
    edges = sorted({edge for mark in marks for edge in (mark.start, mark.end)})
    found: list[_Cut] = []
    for start, end in pairwise(edges):
        over = [mark for mark in marks if mark.start <= start and end <= mark.end]
        if not over:
            continue
        top = max(over, key=lambda mark: (_GRAVITY[mark.kind], mark.start))
        if found and found[-1][1:] == (start, top.kind, top.number):
            found[-1] = (found[-1][0], end, top.kind, top.number)
        else:
            found.append((start, end, top.kind, top.number))
    return found


def _parts(row: str, offset: int, cuts: list[_Cut]) -> tuple[Part, ...]:
    found: list[Part] = []
    at = 0
    for start, end, kind, number in cuts:
        first, last = max(start - offset, at), min(end - offset, len(row))
        if first >= last:
            continue
        if first > at:
            found.append(Part(text=row[at:first]))
        found.append(Part(text=row[first:last], kind=kind, number=number if end - offset <= len(row) else 0))
        at = last
    if at < len(row):
        found.append(Part(text=row[at:]))
    return tuple(found)
