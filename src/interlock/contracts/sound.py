"""Contracts that cannot be kept, and words in them that mean nothing.

A constraint that no call can fulfil says nothing about calls, so it proves nothing: `impossible` finds those that show
by themselves or against one other, and they are left out before a call is looked at. The rest is for `contracts check`.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .identity import same
from .plain import TYPES, is_number
from .work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

__all__ = ["contradicting", "impossible", "schema_troubles"]

_PAIRS = (
    *(("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")),
    ("minProperties", "maxProperties"),
)
# Two comparisons of the same operands of which at most one can hold.
_AGAINST = {"lt": ("gt", "ge", "eq"), "le": ("gt",), "gt": ("lt", "le", "eq"), "ge": ("lt",)}
_AGAINST |= {"eq": ("lt", "gt", "ne"), "ne": ("eq",)}
_MOST_RELATED = 64  # constraints of one tool that are held against each other
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def contradicting(schema: Mapping[str, Any]) -> frozenset[str]:
    """The keywords of one schema that no value can fulfil together. Mostly none."""
    found: set[str] = set()
    for low, high in _PAIRS:
        if low in schema and high in schema and is_number(schema[low]) and is_number(schema[high]):
            if schema[low] > schema[high]:
                found.update((low, high))
    if "enum" in schema and type(schema["enum"]) is tuple:
        values = schema["enum"]
        if not values:
            found.add("enum")
        if "const" in schema and not any(same(schema["const"], value, Work()) for value in values):
            found.update(("enum", "const"))
        if "type" in schema and not any(_is_of(schema["type"], value) for value in values):
            found.update(("enum", "type"))
    if "const" in schema and "type" in schema and not _is_of(schema["type"], schema["const"]):
        found.update(("const", "type"))
    if schema.get("additionalProperties") is False and type(schema.get("required")) is tuple:
        known = schema.get("properties", FrozenMap({}))
        if "patternProperties" not in schema and type(known) is FrozenMap:
            if any(type(name) is str and name not in known for name in schema["required"]):
                found.update(("required", "additionalProperties"))
    return frozenset(found)


def _is_of(types: Any, value: Any) -> bool:
    named = types if type(types) is tuple else (types,)
    return any(type(name) is not str or name not in _SHAPES or _SHAPES[name](value) for name in named)


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "number": lambda value: type(value) is int or type(value) is float,
    "boolean": lambda value: type(value) is bool,
    "array": lambda value: type(value) is tuple,
    "object": lambda value: type(value) is FrozenMap,
    "null": lambda value: value is None,
}


def impossible(constraints: tuple[Mapping[str, Any], ...], schema: Mapping[str, Any]) -> dict[str, str]:
    """Constraints that no call can fulfil, by id, and why."""
    found: dict[str, str] = {}
    required = schema.get("required", ())
    for one in constraints:
        why = _by_itself(one)
        if why:
            found[one["id"]] = why
        if one.get("kind") == "exclusive" and type(required) is tuple:
            both = [name for name in _names(one) if name in required]
            if len(both) > 1:
                found[one["id"]] = f"{', '.join(both)} are required, and exclude each other"
    related = [one for one in constraints if one.get("kind") in ("cmp", "present", "exclusive")][:_MOST_RELATED]
    for at, one in enumerate(related):
        for other in related[:at]:
            if _against(one, other):
                found[one["id"]] = f"it contradicts {other['id']}"
                found[other["id"]] = f"it contradicts {one['id']}"
    return found


def _by_itself(one: Mapping[str, Any]) -> str:
    kind, names = one.get("kind"), _names(one)
    if kind in ("distinct", "exclusive", "present") and len(set(names)) < len(names):
        return "it names a field twice"
    if kind == "present":
        exact = one.get("count", None if "min" in one or "max" in one else 1)
        least, most = one.get("min", exact or 0), one.get("max", len(names) if exact is None else exact)
        if type(least) is int and type(most) is int and (least > most or least > len(names) or most < 0):
            return "so many of its fields cannot be given"
    if kind == "cmp" and one.get("op") in ("lt", "gt", "ne") and one.get("left") == one.get("right"):
        return "it compares something with itself"
    if kind == "length" and is_number(one.get("min")) and is_number(one.get("max")) and one["min"] > one["max"]:
        return "`min` is more than `max`"
    if kind == "member" and one.get("in") in ((), FrozenMap({"enum": ()}), FrozenMap({"value": ()})):
        return "there is nothing that it could be one of"
    return ""


def _names(one: Mapping[str, Any]) -> tuple[Any, ...]:
    given = one.get("fields")
    return given if type(given) is tuple else ()


def _against(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    kinds = (one.get("kind"), other.get("kind"))
    if kinds == ("cmp", "cmp"):
        op = other.get("op")
        if (other.get("left"), other.get("right")) == (one.get("right"), one.get("left")):
            op = _MIRRORED.get(str(op))
        elif (other.get("left"), other.get("right")) != (one.get("left"), one.get("right")):
            return False
        return op in _AGAINST.get(str(one.get("op")), ())
    if kinds in (("present", "exclusive"), ("exclusive", "present")):
        present, exclusive = (one, other) if kinds[0] == "present" else (other, one)
        least = present.get("min", present.get("count", 0 if "max" in present else 1))
        return type(least) is int and least > 1 and set(_names(present)) <= set(_names(exclusive))
    return False


# --- for `contracts check`

# Words of JSON Schema, also those that are left open.
_WORDS = frozenset(
    "$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalItems "
    "additionalProperties allOf anyOf const contains contentEncoding contentMediaType contentSchema "
    "default definitions dependencies dependentRequired dependentSchemas deprecated description else enum "
    "example examples exclusiveMaximum exclusiveMinimum format id if items maxContains maxItems maxLength "
    "maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not nullable "
    "oneOf pattern patternProperties prefixItems properties propertyNames readOnly required then title "
    "type unevaluatedItems unevaluatedProperties uniqueItems writeOnly".split()
)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_schema(value: Any) -> bool:
    return type(value) is bool or type(value) is FrozenMap


def _is_names(value: Any) -> bool:
    return type(value) is tuple and all(type(name) is str for name in value)


def _is_type(value: Any) -> bool:
    return (type(value) is str and value in TYPES) or (
        type(value) is tuple and bool(value) and all(type(name) is str and name in TYPES for name in value)
    )


_FITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_is_type, f"one of {', '.join(TYPES)}, or an array of them"),
    "enum": (lambda value: type(value) is tuple and bool(value), "an array with at least one value"),
    "required": (_is_names, "an array of names"),
    "pattern": (lambda value: type(value) is str, "a regular expression"),
    "properties": (lambda value: type(value) is FrozenMap, "an object of schemas"),
    "uniqueItems": (lambda value: type(value) is bool, "true or false"),
    "additionalProperties": (_is_schema, "a schema, true or false"),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), (is_number, "a number")),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        (_is_count, "a whole number, 0 or more"),
    ),
    **dict.fromkeys(
        ("allOf", "anyOf", "oneOf"), (lambda value: type(value) is tuple and bool(value), "an array of schemas")
    ),
}
_INSIDE = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_DEEPEST = 40


def schema_troubles(schema: Any, place: str = "inputSchema", depth: int = 0) -> Iterator[str]:
    """Words that no schema has and look like one that it has, arguments of another shape, and contradictions."""
    if type(schema) is not FrozenMap or depth > _DEEPEST:
        return
    import re
    from difflib import get_close_matches

    for keyword, value in schema.items():
        shown = ascii(str(keyword)[:60])[1:-1]
        if keyword not in _WORDS:
            near = get_close_matches(keyword, _WORDS, n=1, cutoff=0.8)
            if near:
                yield f"`{place}.{shown}` is no word of JSON Schema; did you mean `{near[0]}`?"
        elif keyword in _FITS and not _FITS[keyword][0](value):
            yield f"`{place}.{shown}` must be {_FITS[keyword][1]}"
        elif keyword == "pattern":
            try:
                re.compile(value)
            except (re.error, RecursionError, OverflowError) as error:
                yield f"`{place}.{shown}` is no regular expression: {error}"
    against = sorted(contradicting(schema))
    if against:
        yield f"`{place}`: nothing can fulfil {' and '.join(against)} together, so they prove nothing"
    for keyword in _INSIDE:
        yield from schema_troubles(schema.get(keyword), f"{place}.{keyword}", depth + 1)
    for keyword in _NAMED:
        below: Any = schema.get(keyword)
        if type(below) is FrozenMap:
            for name, one in below.items():
                yield from schema_troubles(one, f"{place}.{keyword}.{ascii(name[:60])[1:-1]}", depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        listed = schema.get(keyword)
        for at, one in enumerate(listed if type(listed) is tuple else ()):
            yield from schema_troubles(one, f"{place}.{keyword}[{at}]", depth + 1)
