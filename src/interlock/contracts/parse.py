"""An entry of a catalogue becomes a contract, or a list of what is wrong with it.

One format serves for ours, for the file of role-os, which is read as it is, and for the `inputSchema`
of an MCP tool. Ours is read strictly, so that a typing error is told; theirs as they read it: what is
not understood is left out.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, lazy
from .constraints import KINDS
from .formats import FORMATS
from .model import Contract
from .operands import is_operand
from .plain import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .unkept import impossible
else:
    impossible = lazy(globals(), ".unkept", "impossible")

__all__ = ["ENTRY", "PARAM", "contract_from"]

_MAX_CONSTRAINTS = 1000  # of one tool: each that is broken has its place in the receipt

# what an entry may say -> what it means
ENTRY = {
    "contract": "the contract in prose",
    "description": "the same, as MCP calls it",
    "params": "the arguments, one object each",
    "inputSchema": "the JSON Schema of the input",
    "constraints": "relations between arguments",
    "state": "what `state` operands refer to",
    "state_struct": "the same, as role-os calls it",
    "examples": "inputs that keep the contract",
    "breaks": "inputs that break it, by the name of what they break",
}

# what a param may say -> the keyword of JSON Schema that means it; None: looked at apart
PARAM: dict[str, str | None] = {
    "name": None,
    "required": None,
    "format": None,
    "items": None,
    "description": None,
    "default": None,
    "type": "type",
    "enum": "enum",
    "const": "const",
    "min": "minimum",
    "max": "maximum",
    "pattern": "pattern",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "minItems": "minItems",
    "maxItems": "maxItems",
    "uniqueItems": "uniqueItems",
}


def contract_from(tool: str, entry: Any, *, source: str, loose: bool) -> tuple[Contract | None, list[str]]:
    """The contract, and what is wrong with the entry. Where something is wrong there is no contract, unless `loose`."""
    reader = _Reader(loose)
    if type(entry) is not FrozenMap:
        return None, ["an entry must be an object"]
    reader.known("", entry, ENTRY)
    schema, formats = reader.params(entry.get("params", ()))
    given = entry.get("inputSchema", FrozenMap({}))
    if type(given) is not FrozenMap:
        reader.wrong("inputSchema", "must be an object")
        given = FrozenMap({})
    if schema and given:
        schema = {"allOf": (FrozenMap(schema), given)}
    constraints = (*formats, *reader.constraints(entry.get("constraints", ()), len(formats)))
    shape = given if not schema else FrozenMap(schema)
    void: dict[str, str] = {}
    if constraints:
        void = impossible(constraints, shape, loose=loose)
    contract = Contract(
        tool=tool,
        source=source,
        says=reader.text(entry, "contract") or reader.text(entry, "description"),
        schema=shape,
        # INVARIANT: what no call can fulfil proves nothing about any.
        constraints=tuple([one for one in constraints if one["id"] not in void]),
        void=FrozenMap(void),
        state=reader.mapping(entry, "state") or reader.mapping(entry, "state_struct"),
        examples=reader.inputs(entry.get("examples", ())),
        breaks=reader.breaks(entry.get("breaks", FrozenMap({}))),
        loose=loose,
    )
    return (contract if loose or not reader.problems else None), reader.problems


class _Reader:
    def __init__(self, loose: bool) -> None:
        self.loose = loose
        self.problems: list[str] = []
        self.ids: dict[str, int] = {}  # each with the number that the next of its name gets

    def wrong(self, place: str, what: str) -> None:
        if not self.loose:
            self.problems.append(f"`{place}` {what}")

    def known(self, place: str, given: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
        for key in given:
            if key not in keys:
                shown = ascii(key[:60])[1:-1]
                self.wrong(f"{place}.{shown}" if place else shown, f"is not known; known here: {', '.join(keys)}")

    def text(self, entry: Mapping[str, Any], key: str) -> str:
        value = entry.get(key)
        if value is not None and type(value) is not str:
            self.wrong(key, "must be a text")
        return value if type(value) is str else ""

    def mapping(self, entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = entry.get(key)
        if value is not None and type(value) is not FrozenMap:
            self.wrong(key, "must be an object")
        return value if type(value) is FrozenMap else FrozenMap({})

    def params(self, given: Any) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
        """A schema, and the shapes that it cannot state, as constraints."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        formats: list[Mapping[str, Any]] = []
        if type(given) is not tuple:
            self.wrong("params", "must be an array")
            given = ()
        for at, param in enumerate(given):
            place = f"params[{at}]"
            name = param.get("name") if type(param) is FrozenMap else None
            if type(name) is not str:
                self.wrong(place, "must be an object with a `name`")
                continue
            self.known(place, param, PARAM)
            properties[name] = FrozenMap(self._param(place, param))
            if param.get("required") is True:
                required.append(name)
            elif type(param.get("required", False)) is not bool:
                self.wrong(f"{place}.required", "must be true or false")
            if "format" in param:
                if _is_format(param["format"]):
                    made = {"kind": "format", "field": name, "is": param["format"]}
                    formats.append(FrozenMap({**made, "id": self._own_id(f"{name}.format")}))
                else:
                    self.wrong(f"{place}.format", f"must be one of {', '.join(FORMATS)}")
        if not properties:
            return {}, formats
        return {"type": "object", "properties": FrozenMap(properties), "required": tuple(required)}, formats

    def _param(self, place: str, param: Mapping[str, Any]) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        for key, keyword in PARAM.items():
            if keyword is not None and key in param:
                if not _FITS.get(key, lambda value: True)(param[key]):
                    self.wrong(f"{place}.{key}", f"must be {_MUST[key]}")
                else:
                    schema[keyword] = param[key]
        items = param.get("items")
        if type(items) is str and items in TYPES:
            schema["items"] = FrozenMap({"type": items})
        elif type(items) is FrozenMap:
            schema["items"] = items
        elif items is not None:
            self.wrong(f"{place}.items", "must be a type or a schema")
        return schema

    def constraints(self, given: Any, so_far: int) -> list[Mapping[str, Any]]:
        if type(given) is not tuple:
            self.wrong("constraints", "must be an array")
            given = ()
        if len(given) > _MAX_CONSTRAINTS:
            self.wrong("constraints", f"are more than {_MAX_CONSTRAINTS}")
        found = []
        for at, constraint in enumerate(given[:_MAX_CONSTRAINTS]):
            place = f"constraints[{at}]"
            if type(constraint) is not FrozenMap:
                self.wrong(place, "must be an object")
                continue
            kind = constraint.get("kind")
            if type(kind) is not str or kind not in KINDS:
                self.wrong(f"{place}.kind", f"must be one of {', '.join(KINDS)}")
                continue
            self._keys(place, constraint, kind)
            found.append(FrozenMap({**constraint, "id": self._id(place, constraint, kind)}))
        return found

    def _keys(self, place: str, constraint: Mapping[str, Any], kind: str) -> None:
        row = KINDS[kind]
        self.known(place, constraint, {"kind": "", "id": "", "says": "", **row.keys})
        for key, what in row.keys.items():
            if key not in constraint:
                if key not in row.optional:
                    self.wrong(place, f"needs `{key}`")
            elif not _HOLDS[what](constraint[key]):
                self.wrong(f"{place}.{key}", f"must be {_WORDS[what]}")

    def _id(self, place: str, constraint: Mapping[str, Any], kind: str) -> str:
        given = constraint.get("id")
        if type(given) is str and 0 < len(given) <= 60 and all(char.isalnum() or char in "._-" for char in given):
            if given in self.ids:
                self.wrong(f"{place}.id", "is used twice")
            return self._own_id(given)
        if given is not None:
            self.wrong(f"{place}.id", "must be a short text of letters, digits, `.`, `_` and `-`")
        keys = ("field", "left", "right", "of", "fields", "string")
        names = [name for key in keys for name in _fields(constraint.get(key))]
        return self._own_id("-".join([kind, *dict.fromkeys(names)])[:60])

    def _own_id(self, wanted: str) -> str:
        name, count = wanted, self.ids.get(wanted, 0)
        while name in self.ids:
            count += 1
            name = f"{wanted}-{count}"
        self.ids[wanted] = max(count, 1)
        self.ids[name] = 1
        return name

    def inputs(self, given: Any) -> tuple[Mapping[str, Any], ...]:
        if type(given) is not tuple or any(type(item) is not FrozenMap for item in given):
            self.wrong("examples", "must be an array of objects")
            return ()
        return given

    def breaks(self, given: Any) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        if type(given) is not FrozenMap or any(type(item) is not FrozenMap for item in given.values()):
            self.wrong("breaks", "must be an object of inputs")
            return ()
        return tuple(given.items())


def _fields(given: Any) -> list[str]:
    """The names that an operand or a list of fields mentions."""
    if type(given) is str:
        return [given]
    if type(given) is tuple:
        return [name for name in given if type(name) is str]
    if type(given) is FrozenMap:
        return [name for kind in ("field", "len", "size", "state") for name in _fields(given.get(kind))]
    return []


def _is_type(value: Any) -> bool:
    return type(value) is str and value in TYPES


def _is_format(value: Any) -> bool:
    return type(value) is str and value in FORMATS


def _is_fields(value: Any) -> bool:
    return type(value) is tuple and bool(value) and all(type(name) is str for name in value)


def _is_when(value: Any) -> bool:
    if type(value) is not FrozenMap or type(value.get("field")) is not str:
        return False
    return set(value) <= {"field", "equals", "in"} and type(value.get("in", ())) is tuple


_HOLDS: dict[str, Callable[[Any], bool]] = {
    "operand": is_operand,
    "op": lambda value: value in ("lt", "le", "gt", "ge", "eq", "ne"),
    "fields": _is_fields,
    "operand or fields": lambda value: type(value) is str or (type(value) is tuple and bool(value)),
    "when": _is_when,
    "text": lambda value: type(value) is str,
    "number": lambda value: type(value) is int,
    "format": _is_format,
    "pattern": lambda value: type(value) is str,
}

_WORDS = {
    "operand": "a field, a value, or one of {field, value, state, len, enum, sum, size, seconds, minutes, hours, days}",
    "op": "one of lt, le, gt, ge, eq, ne",
    "fields": "an array of names",
    "operand or fields": "a field that holds numbers, or an array of fields",
    "when": "an object with `field`, and `equals` or `in`",
    "text": "a text",
    "number": "a whole number",
    "format": f"one of {', '.join(FORMATS)}",
    "pattern": "a text",
}


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


_FITS: dict[str, Callable[[Any], bool]] = {
    "type": lambda value: _is_type(value) or (type(value) is tuple and bool(value) and all(map(_is_type, value))),
    "enum": lambda value: type(value) is tuple and bool(value),
    "min": _is_number,
    "max": _is_number,
    "pattern": lambda value: type(value) is str,
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
    "uniqueItems": lambda value: type(value) is bool,
}

_MUST = {
    "type": f"one of {', '.join(TYPES)}, or an array of them",
    "enum": "an array with at least one value",
    "min": "a number",
    "max": "a number",
    "pattern": "a text",
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), "a whole number, 0 or more"),
    "uniqueItems": "true or false",
}
