"""Answers what rules ask of a call's own words: its arguments, and the commands that it would run.

A receipt keeps no input, so such a question is answered while the call is read, and what holds becomes part of the
reading. A question is a text (policy/looks.py writes it). A rule asks whether something holds of any part, an exception
from a rule whether it holds of every part: what cannot be told counts for the rule and against the exception.
"""

from __future__ import annotations

from ..approve.glob import matches, text_of
from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .tools.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..model.call import Call
    from ..model.facts import Facts
    from .runs.programs import Program, noted_in
else:
    noted_in = lazy(globals(), ".runs.programs", "noted_in")

__all__ = ["ABSENT", "OPERATORS", "PRESENT", "held_of", "number_in"]

PRESENT, ABSENT = "present", "absent"
OPERATORS = ("<=", ">=", "!=", "<", ">", "=")  # the longer ones first
_JOINS = frozenset(";&|<>()$`")
_NOTHING = object()  # an argument that is not given
_MOST_VALUES = 10_000  # of one argument; where there are more, the question cannot be answered


def held_of(looks: tuple[str, ...], call: Call, facts: Facts) -> tuple[str, ...]:
    """Those of the questions whose answer is yes."""
    run: _Run | None = None
    found = []
    for look in looks:
        asked: Any = parse_object(look.encode(), limit=len(look) * 4 + 1)
        every = asked.get("every") is True
        holds = all(_argument(call.input, key, texts, every) for key, texts in asked.get("input", {}).items())
        if holds and "command" in asked:
            run = run or _Run(call, facts)
            holds = run.is_among(asked["command"], every)
        if holds:
            found.append(look)
    return tuple(found)


def _argument(given: Mapping[str, Any], key: str, texts: tuple[str, ...], every: bool) -> bool:
    values: list[Any] = []
    _collect(given, key, values)
    there = [value for value in values if value is not _NOTHING]
    if not there:
        return ABSENT in texts
    if PRESENT in texts:
        return not every or len(there) == len(values)
    if len(there) > _MOST_VALUES:
        return not every
    parts = [part for value in there for part in (value if type(value) is tuple else (value,))]
    held = [any(_fits(text, part, every) for text in texts) for part in parts]
    return bool(held) and all(held) and len(there) == len(values) if every else any(held)


def _collect(given: Any, key: str, values: list[Any]) -> None:
    """Adds what stands under `a.b`, of each item where there is a list on the way; _NOTHING where it is not there."""
    if type(given) is tuple:
        for item in given:
            _collect(item, key, values)
        return
    head, dot, rest = key.partition(".")
    if type(given) is FrozenMap and key in given:
        values.append(given[key])
    elif type(given) is FrozenMap and dot and head in given:
        _collect(given[head], rest, values)
    else:
        values.append(_NOTHING)


def _fits(text: str, value: Any, every: bool) -> bool:
    if text == ABSENT:
        return False
    operator = next((sign for sign in OPERATORS if text.startswith(sign)), "")
    if not operator:
        return matches(text, _text(value))
    wanted = text[len(operator) :].strip()
    if operator in ("=", "!="):
        a, b = number_in(value), number_in(wanted)
        same = a == b if a is not None and b is not None else _text(value) == wanted
        return same is (operator == "=")
    number, bound = number_in(value), number_in(wanted)
    if number is None or bound is None:
        return not every  # what cannot be compared may be anything
    if number == bound:
        return operator in ("<=", ">=")
    return (number < bound) is (operator[0] == "<")


def number_in(value: object) -> int | float | None:
    """The number that a value is or spells; None for anything else, the infinite among it."""
    if type(value) is int or type(value) is float:
        return value
    if type(value) is not str or len(value) > 400:
        return None
    try:
        number = float(value)
        return int(value) if value.strip().lstrip("+-").isdigit() else number if abs(number) < float("inf") else None
    except ValueError:
        return None


def _text(value: Any) -> str:
    if value is None:
        return "null"
    return canonical(value).decode() if type(value) is FrozenMap or type(value) is tuple else text_of(value)


class _Run:
    """The commands of a call, read once for all questions."""

    def __init__(self, call: Call, facts: Facts) -> None:
        self.whole: list[str] = []  # the lines themselves, for patterns that are no single command
        self.all: tuple[tuple[str, ...], ...] = ()
        self.counted: tuple[Program, ...] = ()
        for command in _commands(call, facts):
            if type(command) is str:
                self.whole.append(_plainly(command))
            every, counted = noted_in(command, cwd=call.cwd, facts=facts)
            self.all += every
            self.counted += counted

    def is_among(self, patterns: tuple[str, ...], every: bool) -> bool:
        plain = [_plainly(pattern) for pattern in patterns]
        if every:
            if not self.counted or any(None in program.words or not program.name for program in self.counted):
                return False
            return all(_is_one_of(plain, (_line(program.words),)) for program in self.counted)
        lines = [line for words in self.all for line in _spellings(words)]
        if _is_one_of(plain, lines):
            return True
        return _is_one_of([p for p in plain if not lines or not _JOINS.isdisjoint(p)], self.whole)


def _commands(call: Call, facts: Facts) -> list[str | tuple[str, ...]]:
    """The command lines of a call, or its words where it comes as a list."""
    tool = TOOLS.get(call.tool)
    if tool is not None and tool.shell is not None:
        given = [call.input.get(tool.shell), call.input.get("cmd")]
    else:
        roles = {} if facts.declared is None else facts.declared.args
        given = [call.input.get(field) for field, role in roles.items() if role == "command"]
    found: list[Any] = []
    for value in given:
        if type(value) is str or (type(value) is tuple and value and all(type(word) is str for word in value)):
            found.append(value)
    return found


def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """As it is written, and by the program's name alone: `/bin/rm x` is `rm x` too."""
    return (_line(words), _line((words[0].rpartition("/")[2], *words[1:])))


def _line(words: tuple[str | None, ...]) -> str:
    return _plainly(" ".join([word for word in words if word is not None]))


_QUOTES = str.maketrans("", "", "\"'\\")


def _plainly(text: str) -> str:
    """Without what only quotes, so that the same words are the same text however they are written."""
    return " ".join(text.translate(_QUOTES).split())


def _is_one_of(patterns: list[str], lines: Iterable[str]) -> bool:
    return any(_is(pattern, line) for line in lines for pattern in patterns)


def _is(pattern: str, line: str) -> bool:
    """`git push *` and `git push:*` are those words and whatever follows; any other `*` is any run of characters."""
    if pattern.endswith(":*"):
        pattern = pattern[:-2] + " *"
    if pattern.endswith(" *") and _glob(pattern[:-2], line):
        return True
    return _glob(pattern, line)


def _glob(pattern: str, line: str) -> bool:
    first, *rest = pattern.split("*")
    if not rest:
        return line == first
    if not line.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = line.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(line) - len(rest[-1]) >= at and line.endswith(rest[-1])
