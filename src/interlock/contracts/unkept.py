"""Constraints that no call can keep: by themselves, together, or beside the schema.

What no call can keep says nothing about any, so such constraints are left out when a catalogue is loaded, and are told
then. Comparisons are a graph: each says that one operand lies below another, and the constants lie in their own order.
Operands that lie on one circle are equal; a circle that says otherwise cannot be kept. Where a field has few values,
each of them is tried.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .constraints import violation
from .dates import moment_of
from .identity import identity
from .operands import Scene, number_of
from .plain import is_number
from .work import OutOfWork, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Node = tuple[Any, ...]

__all__ = ["impossible"]

_SCHEMA = "the schema"
_NOTHING: Mapping[str, Any] = FrozenMap({})
# What is wrong with what was made from untrusted data only leaves a constraint in force.
_OPEN = (ArithmeticError, AttributeError, LookupError, OutOfWork, RecursionError, TypeError, ValueError)
_OF_ONE_FIELD = ("cmp", "member", "not_member", "length", "format", "pattern")
_MOST_VALUES = 200  # of one field that are tried


def impossible(
    constraints: tuple[Mapping[str, Any], ...], schema: Mapping[str, Any], *, loose: bool = False
) -> dict[str, str]:
    """Constraints that no call can fulfil, by id, and why."""
    schemas: list[Mapping[str, Any]] = [part for part in schema.get("allOf", (schema,)) if type(part) is FrozenMap]
    found: dict[str, str] = {}
    for look in (_alone, _given, _ordered, _tried):
        try:
            found |= look(constraints, schemas, loose)
        except _OPEN:
            continue
    return found


# --- one by itself, and which fields are given


def _alone(constraints: tuple[Mapping[str, Any], ...], schemas: object, loose: bool) -> dict[str, str]:
    return {one["id"]: why for one in constraints if (why := _by_itself(one))}


def _by_itself(one: Mapping[str, Any]) -> str:
    kind, names = one.get("kind"), _names(one, "fields")
    if kind in ("distinct", "exclusive", "present") and len(set(names)) < len(names):
        return "it names a field twice"
    if kind == "present":
        least, most = _counts(one)
        if type(least) is int and type(most) is int and (least > most or least > len(names) or most < 0):
            return "so many of its fields cannot be given"
    if kind == "cmp" and one.get("op") in ("lt", "gt", "ne") and one.get("left") == one.get("right"):
        return "it compares something with itself"
    if kind == "length" and is_number(one.get("min")) and is_number(one.get("max")) and one["min"] > one["max"]:
        return "`min` is more than `max`"
    if kind == "member" and one.get("in") in ((), FrozenMap({"enum": ()}), FrozenMap({"value": ()})):
        return "there is nothing that it could be one of"
    if kind == "forbids" and _when_field(one) in _names(one, "forbid"):
        return "it forbids the field that it is about"
    return ""


def _counts(one: Mapping[str, Any]) -> tuple[Any, Any]:
    exact = one.get("count", None if "min" in one or "max" in one else 1)
    return one.get("min", exact or 0), one.get("max", len(_names(one, "fields")) if exact is None else exact)


def _names(one: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = one.get(key)
    return tuple([name for name in given if type(name) is str]) if type(given) is tuple else ()


def _when_field(one: Mapping[str, Any]) -> Any:
    when = one.get("when")
    return when.get("field") if type(when) is FrozenMap else None


def _given(constraints: tuple[Mapping[str, Any], ...], schemas: list[Mapping[str, Any]], loose: bool) -> dict[str, str]:
    """What is required, or follows from what is given, against what excludes it."""
    found: dict[str, str] = {}
    required = {name for schema in schemas for name in _names(schema, "required")}
    kinds: dict[Any, list[Mapping[str, Any]]] = {}
    for one in constraints:
        kinds.setdefault(one.get("kind"), []).append(one)
    for one in (*kinds.get("exclusive", ()), *kinds.get("present", ())):
        both = [name for name in _names(one, "fields") if name in required]
        most = 1 if one["kind"] == "exclusive" else _counts(one)[1]
        if type(most) is int and len(both) > most:
            found[one["id"]] = f"{', '.join(both)} are required, and it excludes that all of them are given"
    for one in kinds.get("forbids", ()):
        if {"equals", "in"}.isdisjoint(one["when"]) and _when_field(one) in required:
            both = [name for name in _names(one, "forbid") if name in required]
            if both:
                found[one["id"]] = f"{_when_field(one)} and {', '.join(both)} are required"
    against = [
        *_pairs(kinds.get("requires", ()), kinds.get("forbids", ()), _demands_what_is_forbidden),
        *_pairs(kinds.get("requires", ()), kinds.get("exclusive", ()), _demands_both),
        *_pairs(kinds.get("present", ()), kinds.get("exclusive", ()), _counts_both),
    ]
    for one, other in against:
        found[one["id"]] = f"it contradicts {other['id']}"
        found[other["id"]] = f"it contradicts {one['id']}"
    return found


def _pairs(ones: Iterable[Any], others: Iterable[Any], clash: Any) -> Iterator[tuple[Any, Any]]:
    others = tuple(others)
    work = Work(10_000)
    for one in ones:
        work.take(len(others))
        yield from [(one, other) for other in others if clash(one, other)]


def _demands_what_is_forbidden(requires: Mapping[str, Any], forbids: Mapping[str, Any]) -> bool:
    both = set(_names(requires, "require")) & set(_names(forbids, "forbid"))
    return bool(both) and requires.get("when") == forbids.get("when")


def _demands_both(requires: Mapping[str, Any], exclusive: Mapping[str, Any]) -> bool:
    given = {_when_field(requires), *_names(requires, "require")}
    return len(given & set(_names(exclusive, "fields"))) > 1


def _counts_both(present: Mapping[str, Any], exclusive: Mapping[str, Any]) -> bool:
    least = _counts(present)[0]
    return type(least) is int and least > 1 and set(_names(present, "fields")) <= set(_names(exclusive, "fields"))


# --- comparisons, as a graph


class _Order:
    """Who lies below whom. `differ` are pairs that are not equal."""

    def __init__(self, loose: bool) -> None:
        self.below: dict[Node, list[tuple[Node, bool, str]]] = {}
        self.differ: list[tuple[Node, Node, str]] = []
        self.constants: dict[Node, Any] = {}
        self.scene = Scene(input=_NOTHING, state=_NOTHING, work=Work(), loose=loose)

    def node(self, given: Any) -> Node | None:
        """An operand as something hashable, the same for each way to write it; None where it is none."""
        if type(given) is str:
            return ("field", given)
        if type(given) is not FrozenMap:
            return None if given is None else self.constant(given)
        for key in ("value", "enum"):
            if given.get(key) is not None:
                return self.constant(given[key])
        for key, inner in given.items():
            parts = inner if type(inner) is tuple else (inner,)
            nodes = tuple([self.node(part) for part in parts])
            return None if None in nodes else nodes[0] if key == "field" else (key, *nodes)
        return None

    def constant(self, value: Any) -> Node:
        node = ("is", identity(value, self.scene.work))
        self.constants.setdefault(node, value)
        return node

    def compare(self, left: Node | None, op: Any, right: Node | None, by: str) -> None:
        if left is None or right is None:
            return
        if op == "ne":
            self.differ.append((left, right, by))
        if op in ("lt", "le", "eq"):
            self.below.setdefault(left, []).append((right, op == "lt", by))
        if op in ("gt", "ge", "eq"):
            self.below.setdefault(right, []).append((left, op == "gt", by))

    def rank(self, value: Any) -> tuple[str, Any] | None:
        """The scale that a constant is on, and its place there."""
        number = number_of(value, self.scene)
        if number is not None:
            return ("number", number)
        return moment_of(value) if type(value) is str else None

    def line_up(self) -> None:
        """The constants of each scale lie in their own order."""
        ranked = [(rank, node) for node, value in self.constants.items() if (rank := self.rank(value)) is not None]
        ranked.sort(key=lambda pair: pair[0])
        for at in range(1, len(ranked)):
            ((scale, place), node), ((same_scale, above), other) = ranked[at - 1 : at + 1]
            if scale == same_scale:
                self.compare(node, "lt" if place < above else "eq", other, "")


def _ordered(
    constraints: tuple[Mapping[str, Any], ...], schemas: list[Mapping[str, Any]], loose: bool
) -> dict[str, str]:
    order = _Order(loose)
    for one in constraints:
        _compared(one, order)
    if not order.below and not order.differ:
        return {}
    for schema in schemas:
        _bounds(schema, order)
    for node in tuple(order.below):
        if node[0] == "len":
            order.compare(order.constant(0), "le", node, "")
    order.line_up()
    found: dict[str, str] = {}
    circle = _circles(order.below)
    wrong: dict[int, list[str]] = {}
    for number in _unkept(order, circle):
        wrong[number] = []
    for node, edges in order.below.items():
        for other, _, by in edges:
            if circle[node] in wrong and circle[node] == circle[other]:
                wrong[circle[node]].append(by)
    for left, right, by in order.differ:
        if circle.get(left, -1) in wrong and circle[left] == circle.get(right, -2):
            wrong[circle[left]].append(by)
    for ids in wrong.values():
        named = [*dict.fromkeys([by for by in ids if by and by != _SCHEMA])]
        for by in named:
            others = [other for other in named if other != by] + ([_SCHEMA] if _SCHEMA in ids else [])
            found[by] = f"it contradicts {', '.join(others[:4])}" if others else "nothing can be so"
    return found


def _compared(one: Mapping[str, Any], order: _Order) -> None:
    kind, by = one.get("kind"), one["id"]
    if kind == "cmp":
        order.compare(order.node(one.get("left")), one.get("op"), order.node(one.get("right")), by)
    elif kind == "sum":
        of = one.get("of")
        node = ("sum", *[order.node(part) for part in of]) if type(of) is tuple else ("total", of)
        order.compare(node, one.get("op", "eq"), order.node(one.get("vs")), by)
    elif kind == "length":
        size = order.node(FrozenMap({"len": one.get("field")}))
        order.compare(size, "ge", order.node(one.get("min")), by)
        order.compare(size, "le", order.node(one.get("max")), by)
    elif kind == "distinct":
        names = _names(one, "fields")
        order.scene.work.take(len(names) ** 2)
        order.differ += [(("field", a), ("field", b), by) for at, a in enumerate(names) for b in names[:at]]


_BOUNDS = (
    ("minimum", "ge", "field"),
    ("maximum", "le", "field"),
    ("exclusiveMinimum", "gt", "field"),
    ("exclusiveMaximum", "lt", "field"),
    *[(f"min{what}", "ge", "len") for what in ("Length", "Items", "Properties")],
    *[(f"max{what}", "le", "len") for what in ("Length", "Items", "Properties")],
)


def _bounds(schema: Mapping[str, Any], order: _Order) -> None:
    for name, inner in _properties(schema):
        for keyword, op, what in _BOUNDS:
            if is_number(inner.get(keyword)):
                field: Node = ("field", name)
                node = field if what == "field" else (what, field)
                order.compare(node, op, order.constant(inner[keyword]), _SCHEMA)
        if inner.get("const") is not None:
            order.compare(("field", name), "eq", order.constant(inner["const"]), _SCHEMA)


def _properties(schema: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    known = schema.get("properties")
    if type(known) is not FrozenMap:
        return []
    return [(name, inner) for name, inner in known.items() if type(inner) is FrozenMap]


def _unkept(order: _Order, circle: Mapping[Node, int]) -> set[int]:
    """The circles that say of something that it is not equal to itself."""
    found = {
        circle[node]
        for node, edges in order.below.items()
        for other, strictly, _ in edges
        if strictly and circle[node] == circle[other]
    }
    found |= {circle[a] for a, b, _ in order.differ if a in circle and circle[a] == circle.get(b)}
    first: dict[int, Node] = {}
    for node in order.constants:
        if node in circle:
            other = first.setdefault(circle[node], node)
            rank = order.rank(order.constants[node])
            if other != node and (rank is None or rank != order.rank(order.constants[other])):
                found.add(circle[node])
    return found


def _circles(below: Mapping[Node, list[tuple[Node, bool, str]]]) -> dict[Node, int]:
    """Each node's circle: two nodes have the same number if each can be reached from the other (Tarjan)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    number: dict[Node, int] = {}
    open_: list[Node] = []
    for root in below:
        if root in index:
            continue
        way: list[tuple[Node, Iterator[tuple[Node, bool, str]]]] = [(root, iter(below[root]))]
        index[root] = low[root] = len(index)
        open_.append(root)
        while way:
            node, edges = way[-1]
            for other, _, _ in edges:
                if other not in index:
                    index[other] = low[other] = len(index)
                    open_.append(other)
                    way.append((other, iter(below.get(other, ()))))
                    break
                if other not in number:
                    low[node] = min(low[node], index[other])
            else:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == index[node]:
                    while number.get(node) is None:
                        number[open_.pop()] = index[node]
    return number


# --- fields that have few values


def _tried(constraints: tuple[Mapping[str, Any], ...], schemas: list[Mapping[str, Any]], loose: bool) -> dict[str, str]:
    about: dict[str, list[Mapping[str, Any]]] = {}
    for one in constraints:
        fields = _mentioned(one)
        if fields is not None and len(fields) < 2:
            about.setdefault(next(iter(fields), ""), []).append(one)
    found: dict[str, str] = {}
    work = Work()
    for field, ones in about.items():
        if field == "":
            found |= {one["id"]: "it is never so" for one in ones if _breaks(one, _NOTHING, loose, work)}
            continue
        values, by = _values(field, ones, schemas)
        if not values or len(values) > _MOST_VALUES:
            continue
        against = {one["id"]: [value for value in values if _breaks(one, {field: value}, loose, work)] for one in ones}
        broken = [value for value in values if any(value in breaking for breaking in against.values())]
        if len(broken) < len(values):
            continue
        never = [name for name, breaking in against.items() if len(breaking) == len(values)]
        for name in never or [name for name, breaking in against.items() if breaking]:
            found[name] = f"it leaves `{field}` none of the values that {by} allows"
        if never and by in against:
            found[by] = f"it contradicts {', '.join(never[:4])}"
    return found


def _values(field: str, ones: list[Mapping[str, Any]], schemas: list[Mapping[str, Any]]) -> tuple[tuple[Any, ...], str]:
    """The few values that a field may have, and who says so."""
    for schema in schemas:
        for name, inner in _properties(schema):
            if name == field and type(inner.get("enum")) is tuple:
                return tuple([value for value in inner["enum"] if value is not None]), _SCHEMA
            if name == field and inner.get("const") is not None:
                return (inner["const"],), _SCHEMA
    for one in ones:
        among = one.get("in") if one.get("kind") == "member" else None
        if type(among) is FrozenMap:
            among = among.get("enum", among.get("value"))
        if type(among) is tuple:
            return among, one["id"]
    return (), ""


def _breaks(one: Mapping[str, Any], given: Mapping[str, Any], loose: bool, work: Work) -> bool:
    return violation(one, Scene(input=given, state=_NOTHING, work=work, loose=loose)) is not None


def _mentioned(one: Mapping[str, Any]) -> set[str] | None:
    """The fields that a constraint compares; None where it looks at more than fields and constants."""
    if one.get("kind") not in _OF_ONE_FIELD:
        return None
    found: set[str] = set()
    for key in ("left", "right", "field", "in", "min", "max"):
        if key in one and not _add_mentioned(one[key], found):
            return None
    return found


def _add_mentioned(given: Any, found: set[str]) -> bool:
    if type(given) is str:
        found.add(given)
        return True
    if type(given) is not FrozenMap or "value" in given or "enum" in given:
        return True
    inner = [part for value in given.values() for part in (value if type(value) is tuple else (value,))]
    return "state" not in given and all(_add_mentioned(part, found) for part in inner)
