"""What a program says of its own tools, as entries of the policy.

A declaration stands where the policy has no entry for the tool. Where it has one, that counts, and a declaration can
only raise it: more risk, no way back, more marks. Hints of others (MCP annotations) only ever raise: a server that
calls its tool harmless is not believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model.effects import Effect
from ..model.errors import InputError
from ..model.verdict import Risk
from ..reading.tools.arguments import ARGUMENT_ROLES, is_role
from ..reading.tools.hinted import hints_in
from ..value import FrozenMap
from .model import Policy, ToolSpec

__all__ = ["declared", "with_declared"]

_FIELDS = ("effects", "risk", "irreversible", "tags", "args", "compensator", "dryrun")
_KEY = "x-interlock"  # of a JSON schema: what the tool does, and what its arguments are
_ROLE = "x-interlock-role"  # of one property


def declared(
    name: str,
    *,
    effects: Iterable[str] | None = None,
    risk: str | None = None,
    irreversible: bool | None = None,
    tags: Iterable[str] = (),
    args: Mapping[str, str] | None = None,
    compensator: str | None = None,
    dryrun: bool = False,
    schema: Mapping[str, Any] | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> ToolSpec:
    """A tool's entry. InputError where a word in it is none of ours."""
    said = _in_schema(name, schema or {})
    wanted = tuple(effects if effects is not None else said.get("effects", ()))
    spec = ToolSpec(
        name=name,
        effects=tuple([_effect(name, word) for word in wanted]) or Effect.members,
        risk=_risk(name, risk or said.get("risk") or "low"),
        irreversible=bool(said.get("irreversible", False) if irreversible is None else irreversible),
        dryrun=dryrun,
        args=FrozenMap({**said.get("args", {}), **(args or {})}),
        tags=tuple(sorted({*tags, *said.get("tags", ())})),
        compensator=compensator,
    )
    for field, role in spec.args.items():
        if not is_role(role):
            known = ", ".join(ARGUMENT_ROLES)
            raise InputError(f"`{name}`: `{role}` is no role of the argument `{field}`; known are {known}")
    if not wanted:  # nothing was said of what it may do: no effect is beyond that, and the risk is not low
        spec = spec.replace(risk=max(spec.risk, Risk.MEDIUM))
    return _raised_by(spec, annotations or {})


def _in_schema(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    said = dict(schema.get(_KEY) or {})
    unknown = sorted(set(said) - set(_FIELDS))
    if unknown:
        raise InputError(f"`{name}`: `{unknown[0]}` in `{_KEY}` is not known; known are {', '.join(_FIELDS)}")
    roles = {
        field: str(about[_ROLE])
        for field, about in (schema.get("properties") or {}).items()
        if isinstance(about, Mapping) and _ROLE in about
    }
    return {**said, "args": {**dict(said.get("args") or {}), **roles}}


def _raised_by(spec: ToolSpec, annotations: Mapping[str, Any]) -> ToolSpec:
    hints = hints_in(annotations)
    if "destructive" in hints:
        effects = tuple(sorted({*spec.effects, Effect.DESTRUCTIVE}, reverse=True))
        spec = spec.replace(irreversible=True, effects=effects, risk=max(spec.risk, Risk.HIGH))
    if "external" in hints:
        spec = spec.replace(tags=tuple(sorted({*spec.tags, "external"})))
    return spec


def with_declared(policy: Policy, tools: Mapping[str, ToolSpec]) -> Policy:
    """The policy with these tools in it. Its digest is made anew by whoever asked."""
    merged = dict(policy.tools)
    for name, spec in tools.items():
        given = merged.get(name)
        if given is None or not given.registered:
            merged[name] = spec if given is None else _raised(spec, given)
        else:
            merged[name] = _raised(given, spec)
    traces = any(spec.traces for spec in merged.values())
    return policy.replace(tools=FrozenMap(dict(sorted(merged.items()))), traces=traces)


def _raised(spec: ToolSpec, by: ToolSpec) -> ToolSpec:
    """INVARIANT: nothing of `spec` becomes looser."""
    return spec.replace(
        risk=max(spec.risk, by.risk),
        irreversible=spec.irreversible or by.irreversible,
        tags=tuple(sorted({*spec.tags, *by.tags})),
        secret_result=spec.secret_result or by.secret_result,
        args=FrozenMap({**by.args, **spec.args}),
        confirm=tuple(sorted({*spec.confirm, *by.confirm})),
        compensator=spec.compensator or by.compensator,
    )


def _effect(name: str, word: str) -> Effect:
    if word not in Effect.names():
        raise InputError(f"`{name}`: `{word}` is no effect; {', '.join(Effect.names())} are")
    return Effect.of(word)


def _risk(name: str, word: str) -> Risk:
    if word not in Risk.names():
        raise InputError(f"`{name}`: `{word}` is no risk; {', '.join(Risk.names())} are")
    return Risk.of(word)
