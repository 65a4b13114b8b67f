"""What a decision is about, for a person: in words, as the exact call, and as what was read of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...bytes.canon import canonical
from ...calls.world import Outcome
from ...follow.recalled import spans_hold
from ...model.action import Action
from ...model.effects import effect_names
from ...model.verdict import Verdict
from ...value import FrozenMap, Value
from ...words.acts import does
from ...words.told import for_person, what_happens
from ...words.visible import fields_in_order
from ...words.yes import SAYS
from .marked import Line, Mark, is_grave, lines_of, marks_of

__all__ = ["Act", "CallView", "Field", "fields_of", "told_of"]

_ONCE = SAYS["once"]  # the button says so already
_COMMAND = re.compile(r"[a-z]+ [a-z-]")
_SHORT_LINES, _SHORT_CHARS = 24, 2400  # of a call, as much as a list shows
_LINE = 80  # characters of a value that stay on one line


class Field(Value):
    """`cut`: so many lines are not shown."""

    name: str
    lines: tuple[Line, ...]
    cut: int = 0


class Act(Value):
    """One thing the call would do."""

    number: int
    name: str
    says: str
    effects: tuple[str, ...]
    target: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    risk: str
    irreversible: bool
    grave: bool
    marked: bool


class CallView(Value):
    """
    head    the gravest thing that stands against the call, in a sentence
    rest    the other things, a sentence each
    more    what else the person is told: the undo, and what ends such questions, as words and what to run
    unread  why parts of it could not be read
    whole   all of the call is in `fields`
    plain   nothing in the call can be marked: a secret was taken out of it
    """

    head: str
    rest: tuple[str, ...]
    more: tuple[tuple[str, str], ...]
    fields: tuple[Field, ...]
    acts: tuple[Act, ...]
    unread: tuple[str, ...]
    effects: tuple[str, ...]
    whole: bool
    plain: bool


def told_of(outcome: Outcome, given: Mapping[str, Any], *, short: bool = False) -> CallView:
    """`given` is the input as it was kept. `short`: as much of it as a list shows."""
    reading, decision = outcome.reading, outcome.decision
    marks = marks_of(reading, decision)
    # Words are taken from where they were read; a text with holes in it has them elsewhere.
    holds = all(spans_hold(text) for text in given.values() if isinstance(text, str))
    call = outcome.call.replace(input=FrozenMap(dict(given)) if holds else FrozenMap({}))
    words = what_happens(call, reading, decision)
    if decision.verdict is Verdict.ALLOW:
        words = ["Permitted ahead by a grant." if decision.satisfied else "Nothing stands against it."]
    more = for_person(call, reading, decision, remembers=False).split("\n")[1:]
    fields, whole = fields_of(given, marks, short=short)
    shown = {mark.number for mark in marks}
    return CallView(
        head=words[0] if words else "Nothing stands against it.",
        rest=tuple(words[1:]),
        more=tuple([_apart(line) for line in more if line != _ONCE]),
        fields=fields,
        acts=tuple([_act(at + 1, action, shown, call.cwd) for at, action in enumerate(reading.actions)]),
        unread=tuple(dict.fromkeys([part.reason for part in reading.opaque])),
        effects=effect_names(decision.effects),
        whole=whole,
        plain=bool(marks) and not holds,
    )


def _apart(line: str) -> tuple[str, str]:
    """Words and the command behind them, where there is one."""
    words, colon, command = line.partition(": ")
    return (f"{words}:", command) if colon and _COMMAND.match(command) else (line, "")


def _act(number: int, action: Action, shown: set[int], cwd: str) -> Act:
    target = [(name, _value(value)) for name, value in action.target.items()]
    target = [(name, value) for name, value in target if name != "folder" or value != cwd]  # it stands above already
    return Act(
        number=number,
        name=action.name,
        says=does(action),
        effects=effect_names(action.effects),
        target=tuple(target),
        tags=action.tags,
        risk=action.risk.name,
        irreversible=action.irreversible,
        grave=is_grave(action),
        marked=number in shown,
    )


def _value(value: Any) -> str:
    if type(value) is bool:
        return "yes" if value else "no"
    return ", ".join(value) if type(value) is tuple else str(value)


def _written(value: Any) -> str:
    """A value that is no text, as JSON: on one line where it fits one."""
    plain = json.loads(canonical(value))
    line = json.dumps(plain, ensure_ascii=False)
    return line if len(line) <= _LINE else json.dumps(plain, ensure_ascii=False, indent=1)


def fields_of(given: Mapping[str, Any], marks: list[Mark], *, short: bool) -> tuple[tuple[Field, ...], bool]:
    """The fields of a call, the one that says most first, and whether that is all of it."""
    found: list[Field] = []
    lines_left, chars_left = (_SHORT_LINES, _SHORT_CHARS) if short else (1 << 30, 1 << 30)
    whole = True
    for name in fields_in_order(given):
        value = given[name]
        text = value if isinstance(value, str) else _written(value)
        about = [mark for mark in marks if mark.field == name] if isinstance(value, str) else []
        every = lines_of(text, about)
        shown: list[Line] = []
        for line in every:
            size = sum(len(part.text) for part in line.parts)
            if lines_left < 1 or size > chars_left:
                break
            lines_left, chars_left = lines_left - 1, chars_left - size
            shown.append(line)
        cut = len(every) - len(shown)
        whole = whole and not cut
        if shown or cut:
            found.append(Field(name=name, lines=tuple(shown), cut=cut))
    return tuple(found), whole
