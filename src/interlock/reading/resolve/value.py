"""What a field of a target denotes: one thing, all of several, one of several, or something that is not known.

`HEAD` is a way to write a branch. Rules, grants and prompts are about the branch, so a field is resolved first. How
sure that is decides what follows: a rule matches what may be meant, a grant covers only what must be inside it, and
where it is not known at all the call asks. `written` is the form in a target and in a receipt: one thing is the plain
text that it always was. approve/glob.py has the marks of the other forms, for those who compare.
"""

from __future__ import annotations

from ...approve.glob import ONE_OF, OPEN, is_open
from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "NOTHING",
    "AllOf",
    "Exactly",
    "OneOf",
    "Resolved",
    "Unknown",
    "all_of",
    "both",
    "either",
    "may_be",
    "read",
    "written",
]


class Exactly(Value):
    text: str


class AllOf(Value):
    """All of these, in the order in which they are named; none at all is nothing."""

    texts: tuple[str, ...]


class OneOf(Value):
    """At least one of these, and nothing else; in order."""

    texts: tuple[str, ...]


class Unknown(Value):
    """Something that is not known, because of `why`, and perhaps some of `beside`, which is."""

    why: str
    beside: tuple[str, ...] = ()


Resolved = Exactly | AllOf | OneOf | Unknown
NOTHING = AllOf(texts=())


def all_of(texts: Iterable[str]) -> Resolved:
    found = tuple(dict.fromkeys(texts))
    return Exactly(text=found[0]) if len(found) == 1 else AllOf(texts=found)


def _one_of(texts: Iterable[str]) -> Resolved:
    found = tuple(sorted(set(texts)))
    return Exactly(text=found[0]) if len(found) == 1 else OneOf(texts=found) if found else AllOf(texts=())


def may_be(value: Resolved) -> tuple[str, ...]:
    """All that is known to be possible."""
    return (value.text,) if type(value) is Exactly else value.beside if type(value) is Unknown else value.texts  # type: ignore[union-attr]


def either(one: Resolved, other: Resolved) -> Resolved:
    """It is the one or the other, and nobody knows which."""
    if one == other:
        return one
    texts = (*may_be(one), *may_be(other))
    whys = [value.why for value in (one, other) if type(value) is Unknown]
    return Unknown(why=min(whys), beside=tuple(sorted(set(texts)))) if whys else _one_of(texts)


def both(one: Resolved, other: Resolved) -> Resolved:
    """The one happens and the other as well."""
    if type(one) in (Exactly, AllOf) and type(other) in (Exactly, AllOf):
        return all_of((*may_be(one), *may_be(other)))
    if not may_be(one) and type(one) is AllOf:
        return other
    if not may_be(other) and type(other) is AllOf:
        return one
    return either(one, other)


def written(value: Resolved) -> str | tuple[str, ...] | None:
    """As it stands in a target; None where there is nothing."""
    if type(value) is Exactly:
        return value.text
    if type(value) is Unknown:
        text = f"{OPEN} {' '.join(value.why.split())}" if value.why else OPEN
        return (*value.beside, text) if value.beside else text
    if type(value) is OneOf:
        return (ONE_OF, *value.texts)
    return may_be(value) or None


def read(field: object) -> Resolved:
    """The value of a field. What is written like one that is not known is one: nothing is lost by asking."""
    parts = field if type(field) is tuple else () if field is None else (str(field),)
    texts = [part for part in parts if not is_open(part) and part != ONE_OF]
    whys = [part[2:] for part in parts if is_open(part)]
    if whys:
        return Unknown(why=min(whys), beside=tuple(sorted(set(texts))))
    return _one_of(texts) if ONE_OF in parts else all_of(texts)
