"""Values made by plain functions of a source of chance, and properties that are tried on them.

Hypothesis supplies the chance as long as there are few examples: what it chooses shrinks when a property fails. A
hundred thousand of them it would take hours to choose; then a plain generator does, with a seed for each example that
a failure names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from sizes import how_many

__all__ = ["EXAMPLES", "FEWER", "Make", "flag", "made", "number", "one_from", "one_of_each", "several", "tried_on"]

T = TypeVar("T")
Make = Callable[[Random], T]

EXAMPLES = how_many("INTERLOCK_EXAMPLES", 300, quick=60)
FEWER = max(EXAMPLES // 5, 50)  # for properties whose inputs are costly and whose code has few branches
MANY = 20_000  # from here on seeds are quicker by so much that shrinking is forgone


def made(make: Make[T]) -> st.SearchStrategy[T]:
    return st.randoms(use_true_random=False).map(make)


def one_of_each(**choices: Sequence[Any]) -> Make[dict[str, Any]]:
    """One choice for each name, all from a single draw: cheap, even, and it shrinks to the first ones."""
    total = prod(map(len, choices.values()))
    assert total < 2**24, "beyond this, hypothesis prefers small numbers: split it up"

    def pick(chance: Random) -> dict[str, Any]:
        number = chance.randrange(total)
        picked = {}
        for name, members in choices.items():
            number, at = divmod(number, len(members))
            picked[name] = members[at]
        return picked

    return pick


def one_from(members: Sequence[T]) -> Make[T]:
    return lambda chance: members[chance.randrange(len(members))]


def number(least: int, most: int) -> Make[int]:
    return lambda chance: chance.randint(least, most)


def flag(chance: Random) -> bool:
    return chance.randrange(2) == 1


def several(make: Make[T], *, least: int = 0, most: int) -> Make[tuple[T, ...]]:
    return lambda chance: tuple(make(chance) for _ in range(chance.randint(least, most)))


def tried_on(*makes: Make[Any], examples: int = EXAMPLES) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The property is tried on so many examples; each of its arguments is made by one of these."""

    def trying(law: Callable[..., None]) -> Callable[..., None]:
        if EXAMPLES < MANY:
            return settings(max_examples=examples)(given(*map(made, makes))(law))
        return _seeded(law, makes, examples)

    return trying


def _seeded(law: Callable[..., None], makes: Sequence[Make[Any]], examples: int) -> Callable[..., None]:
    def many() -> None:
        for seed in range(examples):
            chance = Random(f"{law.__name__} {seed}")
            example = [make(chance) for make in makes]
            try:
                law(*example)
            except BaseException as error:
                error.add_note(f"example {seed}: {example!r}")
                raise

    many.__name__, many.__doc__ = law.__name__, law.__doc__
    return many
