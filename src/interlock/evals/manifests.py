"""Manifests of an effect runtime, imported as `interlock policy import` does, and its moves between postures.

Only the manifest layer and the posture decide, and a tool is what its manifest declares: its name gets a prefix, lest
`fetch` be read as the tool of that name whose arguments we know. Where that runtime raises an error, ours has an
answer: input that is no call is an InputError, and a tool that the manifest does not declare is denied by
`manifest/unregistered`.
"""

from __future__ import annotations

import json
from typing import Any

from ..bytes.strict import parse_object
from ..decide import decide
from ..layers.manifest import manifest
from ..limits import MAX_POLICY_BYTES
from ..model.call import Call, call_from
from ..model.decision import Decision
from ..model.errors import InputError, PostureError
from ..model.facts import Facts
from ..model.posture import Posture, move
from ..model.session import Session
from ..model.toolnames import declared_tool
from ..policy.compile import compile_policy
from ..policy.importers import import_policy
from ..policy.model import Policy
from ..reading.read import read_call
from ..store.home.files import read_file
from ..store.home.policies import default_file
from ..value import FrozenMap

__all__ = ["classified", "moved"]

_DISPOSITIONS = {"allow": "allow", "ask": "escalate", "deny": "deny"}
_PREFIX = "declared:"
_EXITS = {"allow": 0, "deny": 1, "escalate": 2}


def classified(row: dict[str, Any]) -> tuple[Any, Any]:
    """What the row asserts: effects, dominant effect, disposition, exit code, error."""
    expected = {key: _expected(row, key) for key in row["asserted"]}
    try:
        decision = _decided(row)
    except InputError:
        return expected, _only(expected, error="HookError", disposition="deny", exit=64)
    if any(finding.rule == "unregistered" for finding in decision.reasons):
        return expected, _only(expected, error="ManifestError", disposition="deny", exit=65)
    disposition = _DISPOSITIONS[decision.verdict.name]
    return expected, _only(
        expected,
        disposition=disposition,
        exit=_EXITS[disposition],
        dominant_effect=None if decision.effect is None else decision.effect.name,
        effects=[effect.name for effect in decision.effects],
    )


def moved(row: dict[str, Any]) -> tuple[Any, Any]:
    try:
        move(Posture.of(row["from"]), Posture.of(row["to"]))
    except PostureError:
        return row["expected"], "PostureError"
    return row["expected"], "allowed"


def _expected(row: dict[str, Any], key: str) -> Any:
    return row[{"disposition": "expected_disposition", "exit": "expected_exit"}.get(key, key)]


def _only(expected: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {key: given.get(key) for key in expected}


def _decided(row: dict[str, Any]) -> Decision:
    policy = _policy(row["manifest"])
    call = _call(row["call"])
    facts = Facts(root="/repo", home="/home/user", declared=declared_tool(policy, call.tool))
    reading = read_call(call, facts)
    posture = Posture.of(row["posture"]) if row["posture"] is not None else Posture.INTERACTIVE
    return decide(call, reading, policy, Session(posture=posture), (), (manifest,))


def _policy(tables: dict[str, Any]) -> Policy:
    tools = {_PREFIX + name: {**entry, "name": _PREFIX + name} for name, entry in tables["tools"].items()}
    text, _ = import_policy(json.dumps({"tools": tools}).encode(), kind="manifest")
    default = read_file(default_file(), limit=MAX_POLICY_BYTES) or b""
    return compile_policy((("default", default_file(), default), ("user", "manifest.json", text.encode())))


def _call(given: dict[str, Any]) -> Call:
    raw = given["raw_payload"] if "raw_payload" in given else json.dumps(given)
    data = dict(parse_object(raw.encode()))
    data["input"] = data.pop("arguments", FrozenMap({}))
    call = call_from(FrozenMap(data), cwd="/repo")
    return call.replace(tool=_PREFIX + call.tool)
