"""Relations between the fields of a call: one function a kind, in a table. Each proves a violation or says nothing.

A function gets the constraint and the scene and gives the counter-example as a text, or None. Kinds that
nobody knows are left open, so that a catalogue for a later version still serves.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .dates import moment_of
from .identity import Among, identity, same
from .operands import Operand, Scene, beyond_one_unit, number_of, operand
from .shown import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .patterns import search
else:
    search = lazy(globals(), ".patterns", "search")

__all__ = ["KINDS", "Kind", "violation"]

_EPSILON = 1e-9

_WORDS = {
    "lt": "less than",
    "le": "at most",
    "gt": "more than",
    "ge": "at least",
    "eq": "equal to",
    "ne": "different from",
}


class Kind(Value):
    """`keys` names what a constraint of this kind says: key -> what it is; `optional` those it may leave out."""

    proves: Callable[[Mapping[str, Any], Scene], str | None]
    keys: Mapping[str, str]
    optional: tuple[str, ...] = ()


def violation(constraint: Mapping[str, Any], scene: Scene) -> str | None:
    """The counter-example, if the constraint is proved to be broken."""
    kind = KINDS.get(constraint.get("kind"))  # type: ignore[arg-type]
    return None if kind is None else kind.proves(constraint, scene)


def _cmp(given: Mapping[str, Any], scene: Scene) -> str | None:
    return _compared(operand(given.get("left"), scene), given.get("op"), operand(given.get("right"), scene), scene)


def _sum(given: Mapping[str, Any], scene: Scene) -> str | None:
    """`of` is a field that holds numbers, or a list of fields to add."""
    of, cap = given.get("of"), operand(given.get("vs"), scene)
    if cap is None:
        return None
    if type(of) is str:
        held = scene.input.get(of)
        scene.work.take(len(held) if type(held) is FrozenMap else 0)
        items = tuple(held.values()) if type(held) is FrozenMap else held
        name = f"the sum of `{of}`"
    elif type(of) is tuple:
        found = [operand(part, scene) for part in of]
        items = tuple([None if part is None else part.value for part in found])
        name = " + ".join([part.name or str(part) for part in found if part is not None])
    else:
        return None
    if type(items) is not tuple:
        return None
    scene.work.take(len(items))
    numbers = [number_of(item, scene) for item in items]
    if any(number is None for number in numbers):
        return None
    total = Operand(name=name, value=sum(numbers))
    return _compared(total, given.get("op", "eq"), cap, scene)


def _compared(left: Operand | None, op: Any, right: Operand | None, scene: Scene) -> str | None:
    if left is None or right is None or op not in _WORDS:
        return None
    if op in ("eq", "ne"):
        equal = _equal(left.value, right.value, scene)
        kept = (equal or _one_moment(left.value, right.value)) if op == "eq" else not equal
    else:
        pair = _ordered(left.value, right.value, scene)
        if pair is None:
            return None
        a, b = pair
        near = (type(a) is float or type(b) is float) and abs(a - b) <= _EPSILON * max(1, abs(a), abs(b))
        kept = {"lt": a < b, "le": a <= b or near, "gt": a > b, "ge": a >= b or near}[op]
    if kept:
        return None
    return f"{left.name or str(left)} must be {_WORDS[op]} {right}, it is {shown(left.value, left.field)}"


def _one_moment(one: Any, other: Any) -> bool:
    """`09:00Z` and `10:00+01:00`: two texts for the same."""
    if type(one) is not str or type(other) is not str:
        return False
    moment = moment_of(one)
    return moment is not None and moment == moment_of(other)


def _equal(one: Any, other: Any, scene: Scene) -> bool:
    numbers = all(type(value) in (int, float) for value in (one, other))
    if numbers and float in (type(one), type(other)):
        return bool(abs(one - other) <= _EPSILON * max(1, abs(one), abs(other)))
    return same(one, other, scene.work)


def _ordered(one: Any, other: Any, scene: Scene) -> tuple[Any, Any] | None:
    """Two numbers that have the same order as the values: numbers, or moments of the same kind."""
    numbers = number_of(one, scene), number_of(other, scene)
    if None not in numbers:
        return numbers
    if type(one) is str and type(other) is str:
        first, last = moment_of(one), moment_of(other)
        if first is not None and last is not None and first[0] == last[0]:
            return first[1], last[1]
    return None


def _names(given: Any, scene: Scene) -> tuple[str, ...]:
    if type(given) is not tuple:
        return ()
    scene.work.take(len(given))
    return given if all(type(name) is str for name in given) else ()


def _there(fields: tuple[str, ...], scene: Scene) -> tuple[list[str], list[str]]:
    """Those that hold something, and those that may be taken to: an empty text is given, and holds nothing."""
    may = [name for name in fields if name in scene.input]
    return [name for name in may if scene.input[name] not in (None, "", ())], may


def _present(given: Mapping[str, Any], scene: Scene) -> str | None:
    """Exactly `count` of the fields, or at least `min` and at most `max`."""
    fields = _names(given.get("fields"), scene)
    exact = given.get("count", None if "min" in given or "max" in given else 1)
    least, most = given.get("min", exact or 0), given.get("max", len(fields) if exact is None else exact)
    if not fields or type(least) is not int or type(most) is not int:
        return None
    surely, maybe = _there(fields, scene)
    if len(surely) <= most and len(maybe) >= least:
        return None
    wanted = f"exactly {least}" if least == most else f"{least} to {most}"
    return f"{wanted} of {_ticked(fields)} must be given, here {_given(maybe)}"


def _exclusive(given: Mapping[str, Any], scene: Scene) -> str | None:
    surely, _ = _there(_names(given.get("fields"), scene), scene)
    return f"{_ticked(tuple(surely))} exclude each other, here all of them are given" if len(surely) > 1 else None


def _ticked(names: tuple[str, ...]) -> str:
    return ", ".join([f"`{name}`" for name in names])


def _given(names: list[str]) -> str:
    if not names:
        return "none is"
    return f"{_ticked(tuple(names))} {'is' if len(names) == 1 else 'are'}"


def _holds(when: Any, scene: Scene) -> str | None:
    """In words, what the condition found; None where it does not hold or cannot be told."""
    field = when.get("field") if type(when) is FrozenMap else None
    if type(field) is not str or scene.input.get(field) is None:
        return None
    value = scene.input[field]
    if "equals" in when:
        return f"`{field}` is {shown(value, field)}" if same(value, when["equals"], scene.work) else None
    if "in" in when:
        among = when["in"]
        found = type(among) is tuple and Among(among, scene.work).holds(value, scene.work)
        return f"`{field}` is {shown(value, field)}" if found else None
    return f"`{field}` is given"


def _requires(given: Mapping[str, Any], scene: Scene) -> str | None:
    condition = _holds(given.get("when"), scene)
    if condition is None:
        return None
    missing = [name for name in _names(given.get("require"), scene) if name not in scene.input]
    return f"{_ticked(tuple(missing))} must be given when {condition}, here not" if missing else None


def _forbids(given: Mapping[str, Any], scene: Scene) -> str | None:
    condition = _holds(given.get("when"), scene)
    surely, _ = _there(_names(given.get("forbid"), scene), scene)
    return f"{_ticked(tuple(surely))} must not be given when {condition}" if condition and surely else None


def _distinct(given: Mapping[str, Any], scene: Scene) -> str | None:
    fields = _names(given.get("fields"), scene)
    seen: dict[object, str] = {}
    for name in fields:
        value = scene.input.get(name)
        if value is None:
            return None
        first = seen.setdefault(identity(value, scene.work), name)
        if first != name:
            return f"`{first}` and `{name}` must differ, both are {shown(value, name)}"
    return None


def _member(given: Mapping[str, Any], scene: Scene) -> str | None:
    value, among = operand(given.get("field"), scene), operand(given.get("in"), scene)
    if value is None or among is None or type(among.value) is not tuple:
        return None
    if Among(among.value, scene.work).holds(value.value, scene.work):
        return None
    where = among.name or listed(among.value)
    return f"{value.name} must be one of {where}, it is {shown(value.value, value.field)}"


def _not_member(given: Mapping[str, Any], scene: Scene) -> str | None:
    value, among = operand(given.get("field"), scene), operand(given.get("in"), scene)
    if value is None or among is None or type(among.value) is not tuple:
        return None
    if not Among(among.value, scene.work).holds(value.value, scene.work):
        return None
    where = among.name or listed(among.value)
    return f"{value.name} must be none of {where}, it is {shown(value.value, value.field)}"


def _subset(given: Mapping[str, Any], scene: Scene) -> str | None:
    items, among = operand(given.get("field"), scene), operand(given.get("of"), scene)
    if items is None or among is None or type(items.value) is not tuple or type(among.value) is not tuple:
        return None
    known = Among(among.value, scene.work)
    for at, item in enumerate(items.value):
        scene.work.take(1)
        if not known.holds(item, scene.work):
            where = among.name or listed(among.value)
            return f"every item of {items.name} must be one of {where}, item {at} is {shown(item, items.field)}"
    return None


def _unique(given: Mapping[str, Any], scene: Scene) -> str | None:
    """The items of an array differ; `by` compares one field of each item."""
    items, by = operand(given.get("field"), scene), given.get("by")
    if items is None or type(items.value) is not tuple:
        return None
    seen: dict[object, int] = {}
    for at, item in enumerate(items.value):
        scene.work.take(1)
        value = item.get(by) if by is not None and type(item) is FrozenMap else item if by is None else None
        if value is None:
            continue
        first = seen.setdefault(identity(value, scene.work), at)
        if first != at:
            what = items.name if by is None else f"`{by}` in {items.name}"
            return f"{what} must differ from item to item, {first} and {at} have {shown(value, items.field)}"
    return None


def _char_at(given: Mapping[str, Any], scene: Scene) -> str | None:
    text = scene.input.get(given.get("string"))  # type: ignore[arg-type]
    index, wanted = operand(given.get("index"), scene), operand(given.get("equals"), scene)
    offset = given.get("offset", 0)
    if type(text) is not str or index is None or wanted is None or type(wanted.value) is not str:
        return None
    number = number_of(index.value, scene)
    if type(offset) is not int or type(number) is not int or beyond_one_unit(text, scene):
        return None
    at = number + offset
    if at < 0:
        return None
    got, name = text[at : at + len(wanted.value)], str(given.get("string"))
    if got == wanted.value:
        return None
    return f"`{name}` must have {wanted} at position `{at}`, it has {shown(got, name)}"


def _length(given: Mapping[str, Any], scene: Scene) -> str | None:
    size = operand(FrozenMap({"len": given.get("field")}), scene)
    for key, op in (("min", "ge"), ("max", "le")):
        if size is not None and key in given:
            found = _compared(size, op, operand(given[key], scene), scene)
            if found is not None:
                return found
    return None


def _format(given: Mapping[str, Any], scene: Scene) -> str | None:
    from .formats import FORMATS, LONGEST, lacks_format

    found, name = operand(given.get("field"), scene), given.get("is")
    if found is None or type(name) is not str:
        return None
    texts = found.value if type(found.value) is tuple else (found.value,)
    scene.work.take(2 * len(texts))
    for text in texts:
        scene.work.take(min(len(text), LONGEST) >> 2 if type(text) is str else 0)
        if type(text) is str and lacks_format(name, text):
            return f"{found.name} must be {FORMATS[name][0]}, it is {shown(text, found.field)}"
    return None


def _pattern(given: Mapping[str, Any], scene: Scene) -> str | None:
    found, pattern = operand(given.get("field"), scene), given.get("matches")
    if found is None or type(found.value) is not str or type(pattern) is not str:
        return None
    if search(pattern, found.value, scene.work) is not False:
        return None
    return f"{found.name} must match {shown(pattern)}, it is {shown(found.value, found.field)}"


def _kind(proves: Callable[[Mapping[str, Any], Scene], str | None], *optional: str, **keys: str) -> Kind:
    return Kind(proves=proves, keys=FrozenMap(keys), optional=optional)


# kind -> its proof, and what its keys hold: operand, op, field, fields, when, text, number, operand or fields
KINDS: dict[str, Kind] = {
    "cmp": _kind(_cmp, op="op", left="operand", right="operand"),
    "sum": _kind(_sum, "op", of="operand or fields", op="op", vs="operand"),
    "present": _kind(_present, "count", "min", "max", fields="fields", count="number", min="number", max="number"),
    "requires": _kind(_requires, when="when", require="fields"),
    "distinct": _kind(_distinct, fields="fields"),
    "member": _kind(_member, field="operand", **{"in": "operand"}),
    "char_at": _kind(_char_at, "offset", string="text", index="operand", equals="operand", offset="number"),
    "exclusive": _kind(_exclusive, fields="fields"),
    "forbids": _kind(_forbids, when="when", forbid="fields"),
    "not_member": _kind(_not_member, field="operand", **{"in": "operand"}),
    "subset": _kind(_subset, field="operand", of="operand"),
    "unique": _kind(_unique, "by", field="operand", by="text"),
    "length": _kind(_length, "min", "max", field="operand", min="operand", max="operand"),
    "format": _kind(_format, field="operand", **{"is": "format"}),
    "pattern": _kind(_pattern, field="operand", matches="pattern"),
}
