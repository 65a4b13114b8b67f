"""Schemas that cannot be kept, and words in them that mean nothing.

Keywords that no value can fulfil together say nothing about values, so they prove nothing. The same for constraints is
in unkept.py. The rest is for `contracts check`.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, lazy
from .identity import same
from .plain import TYPES, is_number
from .work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from difflib import get_close_matches
    from typing import Any
else:
    get_close_matches = lazy(globals(), "difflib", "get_close_matches")

__all__ = ["contradicting", "schema_troubles"]

_PAIRS = (
    *(("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")),
    ("minProperties", "maxProperties"),
)


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
