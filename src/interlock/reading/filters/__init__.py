"""awk, sed and jq: programs whose argument is a small language of its own.

Each has a tokenizer and a table of what its words do. The result is a `Filter`: files that it reads and writes,
commands that it runs, what it takes from the environment. Where two versions of a program split the same text in two
ways, both are read and what either would do counts. What is outside the grammar is `unread`, never harmless.
"""

from __future__ import annotations

from ...value import Value

__all__ = ["Broken", "Filter", "Unread", "either"]


class Filter(Value):
    """
    reads        files besides its input, `writes` likewise, both by the names that the program gives them
    runs         command lines that it runs; `feeds` are those that it writes to
    environment  names of variables that it looks up; an empty name means all of them
    unread       why it cannot be read, or not all of it
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    unread: str | None = None


class Broken(Exception):
    """Every version of the program refuses this text before it runs any of it."""


class Unread(Exception):
    """This text is outside what is read; its message says why."""


def either(readings: list[Filter | None]) -> Filter:
    """What any of the readings would do. None is a reading under which the program refuses the text."""
    found = [reading for reading in readings if reading is not None]
    if not found:
        return Filter(unread="a program that does not end where it should")
    joined = found[0]
    for other in found[1:]:
        if other != joined:
            joined = Filter(
                reads=_all(joined.reads, other.reads),
                writes=_all(joined.writes, other.writes),
                runs=_all(joined.runs, other.runs),
                feeds=_all(joined.feeds, other.feeds),
                environment=_all(joined.environment, other.environment),
                unread=joined.unread or other.unread,
            )
    return joined


def _all(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
