"""The types of JSON, and the everyday case of a contract: a call that keeps it plainly is not looked at further.

Most calls give what is required, in the types that are asked for, and nothing else is asked for. That is told
here, so that the hook reads the rest of this package only for the others.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["TYPES", "is_number", "plainly_kept"]


def is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "number": is_number,
    "boolean": lambda value: type(value) is bool,
    "array": lambda value: type(value) is tuple,
    "object": lambda value: type(value) is FrozenMap,
    "null": lambda value: value is None,
}


def plainly_kept(schema: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """The everyday case, without a walk: nothing but types and required keys is asked for, and all is as it must be."""
    for keyword in schema:
        if keyword != "properties" and keyword != "required" and keyword != "type":
            return False
    properties, required = schema.get("properties"), schema.get("required", ())
    if schema.get("type") != "object" or type(properties) is not FrozenMap or type(required) is not tuple:
        return False
    for key in required:
        if key not in value:
            return False
    for key, item in value.items():
        inner = properties.get(key)
        if inner is not None:
            if type(inner) is not FrozenMap or len(inner) != 1:
                return False
            kind = inner.get("type")
            if type(kind) is not str or kind not in TYPES or not TYPES[kind](item):
                return False
    return True
