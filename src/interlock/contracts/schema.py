"""The floor: what JSON Schema can prove wrong with an input, and nothing that it cannot.

Every keyword that is understood is a row of the table at the end; a keyword without a row, a row with
an argument of another shape, a reference that leads elsewhere: all of that is left open. Where drafts
differ, only what all of them refuse is told. So whatever is told, a full validator rejects too; the
reverse does not hold. Whatever grows with the schema or the value is paid for first (work.py), never by the clock.
"""

from __future__ import annotations

from ..model.action import Broken
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .identity import Among, identity, same
from .plain import TYPES, is_number
from .shown import listed, shown
from .work import EACH, ROOM, OutOfWork, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .patterns import search
    from .sound import contradicting
else:
    search = lazy(globals(), ".patterns", "search")
    contradicting = lazy(globals(), ".sound", "contradicting")

__all__ = ["LEVELS", "Walk"]

_MAX_REFERENCES = 16  # one behind the other
_MAX_REFERENCE = 1000  # characters of one
_MAX_FOUND = 1000  # parts of one contract that a call is told to break

LEVELS = {"type": "L1", "required": "L2", "additionalProperties": "L2", "dependentRequired": "L4"}  # all others: L3


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


class Walk:
    """One descent through a schema and a value together."""

    def __init__(self, tool: str, root: Any, *, loose: bool = False) -> None:
        self.tool = tool
        self.root = root
        self.loose = loose
        self.found: dict[str, Broken] = {}  # by name: what many items break is told of the first
        self.work = Work()
        self.spare = ROOM
        self.enums: dict[int, Among] = {}  # by the address of the list, which lives as long as we do
        self.voids: dict[int, frozenset[str]] = {}  # in the same way
        self.references = _MAX_REFERENCES
        given = root.get("$schema") if type(root) is FrozenMap else None
        self.older = type(given) is str and "2020-12" not in given

    def into(self, schema: Any, value: Any, place: str, name: str) -> None:
        """`place` is where the value stands, for the note; `name` the same without positions, for the id."""
        self.work.take(1 if type(schema) is not FrozenMap else 1 + len(schema))
        if schema is False:
            self.tell("false", place, name, f"{_called(place)} may not be given")
        if type(schema) is not FrozenMap:
            return
        if "$ref" in schema:  # what stands beside it counts in some drafts only
            self._refer(schema["$ref"], value, place, name)
            return
        if value is None and (schema.get("nullable") is True or self.loose):
            return
        inner = schema is not self.root and ("$id" in schema or "id" in schema)
        if inner and type(schema.get("$id", schema.get("id"))) is str:
            outer, self.root = self.root, None  # references below start from another place
            self._keywords(schema, value, place, name)
            self.root = outer
        else:
            self._keywords(schema, value, place, name)

    def _keywords(self, schema: Mapping[str, Any], value: Any, place: str, name: str) -> None:
        void = self._void(schema)
        for keyword in schema:
            row = _KEYWORDS.get(keyword)
            if row is not None and keyword not in void:
                try:
                    row(self, schema[keyword], schema, value, place, name)
                except OutOfWork:
                    continue  # this one is left open; what is cheaper may still be looked at

    def _void(self, schema: Mapping[str, Any]) -> frozenset[str]:
        """Keywords that nothing can fulfil together: they prove nothing."""
        found = self.voids.get(id(schema))
        if found is None:
            enum = schema.get("enum")
            self.work.take(len(enum) if type(enum) is tuple else 0)
            try:
                found = contradicting(schema)
            except OutOfWork:
                found = frozenset()
            self.voids[id(schema)] = found
        return found

    def tell(self, keyword: str, place: str, name: str, text: str) -> None:
        contract = ".".join([part for part in (self.tool, name, keyword) if part])
        if contract not in self.found and len(self.found) < _MAX_FOUND:
            self.found[contract] = Broken(contract=contract, level=LEVELS.get(keyword, "L3"), text=text)

    def breaks(self, schema: Any, value: Any) -> bool:
        """True if the value is proved not to fit, on the side and without telling."""
        kept, self.found = self.found, {}
        try:
            self.into(schema, value, "", "")
            return bool(self.found)
        finally:
            self.found = kept

    def _refer(self, reference: Any, value: Any, place: str, name: str) -> None:
        target = _local(self.root, reference)
        if target is None or self.references == 0:
            return
        self.references -= 1
        self.into(target, value, place, name)
        self.references += 1


def _local(root: Any, reference: Any) -> Any:
    """What `#/…` points at; None for anything else."""
    if type(reference) is not str or not reference.startswith("#/") or len(reference) > _MAX_REFERENCE:
        return None
    if "%" in reference:
        return None
    found = root
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if type(found) is not FrozenMap or key not in found:
            return None
        found = found[key]
        if type(found) is FrozenMap and type(found.get("$id", found.get("id"))) is str:
            return None  # what is below counts from there
    return found


def _called(place: str) -> str:
    return f"`{place}`" if place else "the input"


def _type(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    names = (wanted,) if type(wanted) is str else wanted
    if (
        type(names) is not tuple
        or not names
        or len(names) > len(TYPES)
        or any(type(kind) is not str or kind not in TYPES for kind in names)
    ):
        return
    if not any(TYPES[kind](value) for kind in names):
        walk.tell("type", place, name, f"{_called(place)} must be {' or '.join(names)}, it is {_kind(value, place)}")


def _kind(value: Any, place: str) -> str:
    if type(value) is tuple or type(value) is FrozenMap:
        return "an array" if type(value) is tuple else "an object"
    kind = "null" if value is None else {str: "the text", bool: "the boolean"}.get(type(value), "the number")
    return "null" if value is None else f"{kind} {shown(value, place)}"


def _required(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is not tuple or type(value) is not FrozenMap:
        return
    walk.work.take(len(wanted))
    for key in wanted:
        if type(key) is str and (key not in value or (walk.loose and value[key] is None)):
            inner, inner_name = _below(place, key), _below(name, key)
            walk.tell("required", inner, inner_name, f"`{inner}` is required, it is missing")


def _below(place: str, key: str) -> str:
    """A key below a place, bounded: both are someone else's text."""
    key = key if key.isprintable() and len(key) <= 60 else ascii(key[:60])[1:-1]
    return f"{place}.{key}"[-120:] if place else key


def _properties(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is not FrozenMap or type(value) is not FrozenMap:
        return
    walk.work.take(len(wanted))
    there = [key for key in wanted if key in value]
    # What holds much comes last: a long array must not use up the steps before the rest was looked at.
    for key in sorted(there, key=lambda key: type(value[key]) is tuple or type(value[key]) is FrozenMap):
        with_more = 0 if place else min(EACH, walk.spare)  # and of two long ones the second is looked at, too
        shared = walk.work.left
        walk.spare -= with_more
        walk.work.left += with_more
        try:
            walk.into(wanted[key], value[key], _below(place, key), _below(name, key))
        finally:
            walk.work.left = min(walk.work.left, shared)


def _additional(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    known = schema.get("properties", FrozenMap({}))
    if type(value) is not FrozenMap or type(known) is not FrozenMap or "patternProperties" in schema:
        return
    if wanted is False:
        # Of the first few that are given one is not known, or all are: however long the call is.
        walk.work.take(min(len(value), len(known) + 1))
        other = next((key for key in value if key not in known), None)
        if other is not None:
            inner = _below(place, other)
            text = f"`{inner}` is not an argument of it; it takes {listed(known) or 'none'}"
            walk.tell("additionalProperties", inner, name, text)
        return
    for key in value:
        if key not in known:
            walk.into(wanted, value[key], _below(place, key), _below(name, "*"))


def _dependent(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is not FrozenMap or type(value) is not FrozenMap:
        return
    walk.work.take(len(wanted))
    for key, needs in wanted.items():
        if key in value and type(needs) is tuple:
            walk.work.take(len(needs))
            for need in needs:
                if type(need) is str and need not in value:
                    inner = _below(place, need)
                    text = f"`{inner}` is required beside `{_below(place, key)}`, it is missing"
                    walk.tell("dependentRequired", inner, _below(name, need), text)


def _items(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(value) is not tuple:
        return
    ahead = schema.get("prefixItems")
    if ahead is not None and (type(ahead) is not tuple or walk.older):
        return
    for at in range(0 if ahead is None else len(ahead), len(value)):
        walk.into(wanted, value[at], f"{place}[{at}]", f"{name}[]")


def _prefix_items(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(value) is tuple and type(wanted) is tuple and not walk.older:
        for at, (inner, item) in enumerate(zip(wanted, value, strict=False)):
            walk.into(inner, item, f"{place}[{at}]", f"{name}[]")


def _enum(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is not tuple:
        return
    allowed = walk.enums.get(id(wanted))
    if allowed is None:
        allowed = walk.enums[id(wanted)] = Among(wanted, walk.work)
    if not allowed.holds(value, walk.work):
        walk.tell("enum", place, name, f"{_called(place)} must be one of {listed(wanted)}, it is {shown(value, place)}")


def _const(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if not same(value, wanted, walk.work):
        walk.tell("const", place, name, f"{_called(place)} must be {shown(wanted)}, it is {shown(value, place)}")


def _unique(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if wanted is not True or type(value) is not tuple:
        return
    seen: dict[object, int] = {}
    for at, item in enumerate(value):
        walk.work.take(1)
        first = seen.setdefault(identity(item, walk.work), at)
        if first != at:
            text = f"the items of {_called(place)} must differ, {first} and {at} are the same: {shown(item, place)}"
            walk.tell("uniqueItems", place, name, text)
            return


def _multiple(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is int and wanted > 0 and type(value) is int and value % wanted:
        walk.tell(
            "multipleOf", place, name, f"{_called(place)} must be a multiple of {shown(wanted)}, it is {shown(value)}"
        )


def _bound(keyword: str, words: str, fits: Callable[[Any, Any], bool]) -> Callable[..., None]:
    def check(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
        if is_number(wanted) and is_number(value) and not fits(value, wanted):
            walk.tell(
                keyword, place, name, f"{_called(place)} must be {words} {shown(wanted)}, it is {shown(value, place)}"
            )

    return check


def _size(keyword: str, kind: Any, words: str, fits: Callable[[int, int], bool]) -> Callable[..., None]:
    def check(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
        if _is_count(wanted) and type(value) is kind and not fits(len(value), wanted):
            noun, _, unit = words.partition("|")
            text = f"{_called(place)} must have {noun} `{wanted}` {unit}, it has `{len(value)}`"
            walk.tell(keyword, place, name, text)

    return check


def _pattern(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    if type(wanted) is str and type(value) is str:
        if search(wanted, value, walk.work) is False:
            text = f"{_called(place)} must match {shown(wanted)}, it is {shown(value, place)}"
            walk.tell("pattern", place, name, text)


def _any_of(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    """Also for oneOf: that two alternatives fit at once would have to be proved, that none does can be."""
    if type(wanted) is tuple and wanted and all(walk.breaks(inner, value) for inner in wanted):
        text = f"{_called(place)} fits none of its {len(wanted)} alternatives, it is {_kind(value, place)}"
        walk.tell("anyOf", place, name, text)


def _all_of(walk: Walk, wanted: Any, schema: Any, value: Any, place: str, name: str) -> None:
    for inner in wanted if type(wanted) is tuple else ():
        walk.into(inner, value, place, name)


_KEYWORDS: dict[str, Callable[..., None]] = {
    "type": _type,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "dependentRequired": _dependent,
    "items": _items,
    "prefixItems": _prefix_items,
    "enum": _enum,
    "const": _const,
    "uniqueItems": _unique,
    "multipleOf": _multiple,
    "minimum": _bound("minimum", "at least", lambda value, limit: value >= limit),
    "maximum": _bound("maximum", "at most", lambda value, limit: value <= limit),
    "exclusiveMinimum": _bound("exclusiveMinimum", "more than", lambda value, limit: value > limit),
    "exclusiveMaximum": _bound("exclusiveMaximum", "less than", lambda value, limit: value < limit),
    "minLength": _size("minLength", str, "at least|characters", lambda size, limit: size >= limit),
    "maxLength": _size("maxLength", str, "at most|characters", lambda size, limit: size <= limit),
    "minItems": _size("minItems", tuple, "at least|items", lambda size, limit: size >= limit),
    "maxItems": _size("maxItems", tuple, "at most|items", lambda size, limit: size <= limit),
    "minProperties": _size("minProperties", FrozenMap, "at least|entries", lambda size, limit: size >= limit),
    "maxProperties": _size("maxProperties", FrozenMap, "at most|entries", lambda size, limit: size <= limit),
    "pattern": _pattern,
    "anyOf": _any_of,
    "oneOf": _any_of,
    "allOf": _all_of,
}
