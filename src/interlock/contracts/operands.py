"""What an operand of a constraint stands for in one call: a value with its name, or nothing at all.

A bare text is a field of the call, any other bare value is itself; an object says which it is. What
cannot be had (a field that is not there, a state that nobody gave) leaves the constraint open.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value
from .dates import TICKS, moment_of, size_of
from .shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..value import Json
    from .work import Work

__all__ = ["OPERANDS", "Operand", "Scene", "beyond_one_unit", "is_operand", "number_of", "operand"]


class Scene(Value):
    """The call as constraints see it, and the work that all of them together are worth."""

    input: Mapping[str, Json]
    state: Mapping[str, Json]
    work: Work
    loose: bool = False


class Operand(Value):
    """`name` is how the note calls it, `field` whose value it is: names of fields tell secrets apart."""

    name: str
    value: Any
    field: str = ""

    def __str__(self) -> str:
        value = shown(self.value, self.field)
        return value if not self.name else f"{self.name} ({value})"


def operand(given: Any, scene: Scene) -> Operand | None:
    """What is meant; None where it cannot be had."""
    scene.work.take(1)
    if type(given) is str:
        return _field(given, scene)
    if type(given) is FrozenMap:
        for kind, find in OPERANDS.items():
            if kind in given:
                return find(given[kind], scene)
        return None
    return None if given is None else Operand(name="", value=given)


def is_operand(given: Any) -> bool:
    """Whether it has the shape of one, for those who check a catalogue."""
    if type(given) is FrozenMap:
        return len([kind for kind in OPERANDS if kind in given]) == 1 and len(given) <= 2
    return given is not None


def _field(name: Any, scene: Scene) -> Operand | None:
    value = scene.input.get(name) if type(name) is str else None
    return None if value is None else Operand(name=f"`{name}`", value=value, field=name)


def _state(name: Any, scene: Scene) -> Operand | None:
    value = scene.state.get(name) if type(name) is str else None
    return None if value is None else Operand(name=f"`{name}` of the state", value=value, field=name)


def _value(value: Any, scene: Scene) -> Operand | None:
    return None if value is None else Operand(name="", value=value)


def _length(given: Any, scene: Scene) -> Operand | None:
    found = operand(given, scene)
    if found is None:
        return None
    value = found.value
    if type(value) is str and beyond_one_unit(value, scene):
        return None
    counted = type(value) in (str, tuple, FrozenMap)
    return Operand(name=f"the length of {found.name or 'it'}", value=len(value)) if counted else None


def beyond_one_unit(text: str, scene: Scene) -> bool:
    """Whether it holds a character that is one or two, as one counts."""
    if text.isascii():
        return False
    scene.work.take(len(text) >> 4)
    return max(text) > "\uffff"


def _sum(given: Any, scene: Scene) -> Operand | None:
    if type(given) is not tuple or not given:
        return None
    parts = [operand(part, scene) for part in given]
    numbers = [None if part is None else number_of(part.value, scene) for part in parts]
    if any(number is None for number in numbers):
        return None
    return Operand(name=" + ".join([part.name or str(part) for part in parts if part]), value=sum(numbers))


_EITHER = frozenset("kmgtpe")  # `1G` is 1000 or 1024 to the third: programs disagree


def _size(given: Any, scene: Scene) -> Operand | None:
    found = operand(given, scene)
    if found is None or type(found.value) is not str:
        return found if found is not None and number_of(found.value, scene) is not None else None
    size = size_of(found.value)
    if found.value.rstrip()[-1:].lower() in _EITHER:
        return None
    return None if size is None else Operand(name=f"the size of {found.name or 'it'} in bytes", value=size)


_UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}


def _elapsed(unit: str) -> Callable[[Any, Scene], Operand | None]:
    def find(given: Any, scene: Scene) -> Operand | None:
        if type(given) is not tuple or len(given) != 2:
            return None
        ends = [operand(end, scene) for end in given]
        moments = [moment_of(end.value) if end is not None and type(end.value) is str else None for end in ends]
        first, last = moments
        if first is None or last is None or first[0] != last[0]:
            return None
        ticks = (last[1] - first[1]) * (86_400 * TICKS if first[0] == "day" else 1)
        name = f"the {unit} from {ends[0].name} to {ends[1].name}"  # type: ignore[union-attr]
        return Operand(name=name, value=ticks / (_UNITS[unit] * TICKS))

    return find


# what an object may say of itself -> how it is found; `field`, `value`, `state`, `len` and `enum` as in role-os
OPERANDS: dict[str, Callable[[Any, Scene], Operand | None]] = {
    "value": _value,
    "state": _state,
    "field": _field,
    "len": _length,
    "enum": _value,
    "sum": _sum,
    "size": _size,
    **{unit: _elapsed(unit) for unit in _UNITS},
}


def number_of(value: Any, scene: Scene) -> int | float | None:
    """The number that it is, or that its text is where the file is a loose one."""
    if type(value) is int or type(value) is float:
        return value
    if not scene.loose or type(value) is not str or len(value) > 30:
        return None
    text = value.strip()
    digits = text.removeprefix("-")
    whole, dot, fraction = digits.partition(".")
    if not digits.isascii() or not whole.isdigit() or (dot and not fraction.isdigit()):
        return None
    return float(text) if dot else int(text)
