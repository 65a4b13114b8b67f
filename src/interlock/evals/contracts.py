"""Corpora of calls with the contracts of their tools, and calls that are spoilt on purpose.

A spoilt call is a right one with one thing changed that its schema decides: a required key left out, a value
of another type, a value that the enumeration does not have. Every place of every call is spoilt once in
each way that applies; which wrong value is taken follows from a seed, so that every run has the same calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..contracts.model import Contract
from ..contracts.parse import contract_from
from ..contracts.plain import TYPES
from ..model.call import Call
from ..value import FrozenMap, freeze
from .case import ROOT, Case

__all__ = ["MUTANTS", "bfcl", "mutants", "role_os"]

MUTANTS = "bfcl_calls.jsonl, spoilt"
_WRONG = ("seven", 7, 7.5, True, ("seven",), FrozenMap({"seven": 7}))


def bfcl(row: dict[str, Any]) -> dict[str, Any]:
    tool = row["function"]
    return {
        "call": Call(tool=tool, input=_object(row["args"]), cwd=ROOT),
        "contracts": (Contract(tool=tool, source="bfcl", schema=_object(row["schema"])),),
        "group": "valid" if row["valid_draft2020"] else "invalid",
    }


def role_os(row: dict[str, Any]) -> dict[str, Any]:
    """The row's own contract, read as the file of role-os is. Its state is prose, unless it is an object."""
    tool, state = row["tool"], row["state"]
    contract, _ = contract_from(tool, _object(row["contract"]), source="role-os", loose=True)
    if contract is None:
        raise ValueError("the contract cannot be read")
    return {
        "call": Call(
            tool=tool, input=_object(row["call"]), cwd=ROOT, state=_object(state) if isinstance(state, dict) else None
        ),
        "contracts": (contract,),
        "group": {"conformant": "conformant", "violation": "violation"}[row["expected"]],
        "why": row["klass"],
    }


def _object(fields: Any) -> Mapping[str, Any]:
    frozen = freeze(fields)
    if not isinstance(frozen, Mapping):
        raise TypeError("not an object")
    return frozen


def mutants(cases: Iterable[Case]) -> list[Case]:
    """The spoilt calls of all valid cases."""
    found = []
    for case in cases:
        if case.group != "valid":
            continue
        chance = random.Random(case.id)  # noqa: S311 - a seed, not a secret
        spoilt = _spoilt(case.contracts[0].schema, case.call.input, chance)
        for number, (how, given) in enumerate(spoilt, start=1):
            call = case.call.replace(input=given)
            found.append(case.replace(id=f"{case.id}/{number}", call=call, group=how.partition(" ")[0], why=how))
    return found


def _spoilt(schema: Any, value: Any, chance: random.Random, place: str = "") -> Iterator[tuple[str, Any]]:
    """Each way of spoiling the value: what was done, and the whole value with it done."""
    if type(schema) is not FrozenMap:
        return
    kinds = schema.get("type")
    if type(kinds) is str and kinds in TYPES and place:
        yield f"type of {place}", chance.choice([wrong for wrong in _WRONG if not TYPES[kinds](wrong)])
    if type(schema.get("enum")) is tuple and type(value) is str:
        yield f"enum of {place}", f"{chance.choice(schema['enum'])}?"
    if type(value) is FrozenMap:
        for key in schema.get("required", ()):
            if key in value:
                yield f"required {place}.{key}", FrozenMap({k: v for k, v in value.items() if k != key})
        for key, inner in schema.get("properties", FrozenMap({})).items():
            if key in value:
                for how, changed in _spoilt(inner, value[key], chance, f"{place}.{key}"):
                    yield how, FrozenMap({**value, key: changed})
    if type(value) is tuple and value:
        at = chance.randrange(len(value))
        for how, changed in _spoilt(schema.get("items"), value[at], chance, f"{place}[{at}]"):
            yield how, (*value[:at], changed, *value[at + 1 :])
