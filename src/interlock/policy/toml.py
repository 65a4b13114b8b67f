"""A policy in force, written as TOML again, so that it can be read, kept and compared.

Kept as somebody's own policy, it makes the policy that it was written from. What no file can say of itself stands in
comments: lower bounds of tiers, and tools that only a project without trust declares. Such a project chose the words,
so nothing that is not seen is written as it is.
"""

from __future__ import annotations

import datetime

import tomli_w

from ..model.errors import printable
from ..value import TYPE_CHECKING, lazy
from .model import ALWAYS, Policy
from .settings import shown_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .judging import judging_to_wire
    from .model import ToolSpec
    from .plan import plan_to_wire
    from .wire import people_to_wire
else:
    judging_to_wire = lazy(globals(), ".judging", "judging_to_wire")
    plan_to_wire = lazy(globals(), ".plan", "plan_to_wire")
    people_to_wire = lazy(globals(), ".wire", "people_to_wire")

__all__ = ["policy_to_toml"]


def policy_to_toml(policy: Policy) -> str:
    bounds = [f"# at least tier {tier}: `{printable(pattern)}`" for pattern, tier in policy.tiers.at_least.items()]
    bounds += [f"# at least {level}: `{printable(pattern)}`" for pattern, level in policy.obeyed_at_least.items()]
    known = policy.replace(tools={name: spec for name, spec in policy.tools.items() if spec.registered})
    undeclared = {name: _tool(spec) for name, spec in policy.tools.items() if not spec.registered}
    if undeclared:
        bounds.append("# declared only by the built-in policy or by a project that is not trusted, so not known here:")
        bounds += [f"# {line}" for line in _seen(tomli_w.dumps({"tools": undeclared})).splitlines() if line]
    return "".join(f"{line}\n" for line in bounds) + _seen(tomli_w.dumps(_tables(known)))


def _seen(toml: str) -> str:
    """TOML in which every character is seen. What is not stands in texts and quoted keys alone, and is escaped."""
    if toml.replace("\n", " ").isprintable():
        return toml
    return "".join([c if c == "\n" or c.isprintable() else f"\\U{ord(c):08X}" for c in toml])


def _tables(policy: Policy) -> dict[str, Any]:
    tables: dict[str, Any] = {
        "version": 1,
        "risk": {},
        "tiers": {
            "permissive": policy.tiers.permissive,
            "effects": dict(policy.tiers.effects),
            "marks": dict(policy.tiers.marks),
            "actions": dict(policy.tiers.actions),
        },
    }
    for table, key, value in shown_settings(policy):
        (tables.setdefault(table, {}) if table else tables)[key] = _WRITTEN.get((table, key), lambda value: value)(
            value
        )
    tables["budget"].update(policy.budgets)
    tables["tools"] = {name: _tool(spec) for name, spec in policy.tools.items()}
    if policy.obeyed:
        tables["obeyed"] = dict(policy.obeyed)
    if policy.plan is not None:
        tables["plan"] = _given(plan_to_wire(policy.plan))
    if policy.consult is not None:
        tables["consult"] = {name: value for name, value in policy.consult.as_dict().items() if value}
    if policy.judge is not None:
        tables["judge"] = _without_blanks(judging_to_wire(policy.judge))
    if policy.store:
        tables["store"] = {"url": policy.store}
    if policy.evidence.send:
        tables["evidence"] = {key: value for key, value in policy.evidence.as_dict().items() if value}
    if policy.people:
        tables["people"] = {
            name: {key: value if type(value) is str else list(value) for key, value in given.items()}
            for name, given in people_to_wire(policy.people).items()
        }
    if policy.commands:
        tables["commands"] = {name: _plain(command) for name, command in policy.commands.items()}
    if policy.rules:
        tables["rules"] = [_rule(rule) for rule in policy.rules]
    if policy.grants:
        tables["grants"] = [_grant(grant) for grant in policy.grants]
    return tables


def _without_blanks(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_blanks(value) if isinstance(value, dict) else list(value) if type(value) is tuple else value
        for key, value in table.items()
        if value
    }


def _until(moment: str) -> dict[str, Any]:
    return {"until": datetime.datetime.fromisoformat(moment)}


_WRITTEN: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("approvals", "wait"): lambda seconds: f"{seconds}s",
    ("hook", "observe"): _until,
}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    tool: dict[str, Any] = {
        "effects": [effect.name for effect in spec.effects],
        "risk": spec.risk.name,
        "confirm": True if ALWAYS in spec.confirm else list(spec.confirm) or False,
    }
    if spec.irreversible:
        tool["irreversible"] = True
    if spec.dryrun:
        tool["dryrun"] = True
    if spec.postures is not None:
        tool["postures"] = [posture.name for posture in spec.postures]
    if spec.args:
        tool["args"] = dict(spec.args)
    if spec.tags:
        tool["tags"] = list(spec.tags)
    if spec.compensator is not None:
        tool["compensator"] = spec.compensator
    if spec.trusted_result:
        tool["trusted_result"] = "*" in spec.trusted_result or list(spec.trusted_result)
    if spec.secret_result:
        tool["secret_result"] = True
    if spec.known:
        tool["known"] = list(spec.known)
    return tool


def _given(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _plain(command: Any) -> dict[str, Any]:
    nested = ("switches", "commands")
    return {
        key: {name: _plain(below) for name, below in value.items()}
        if key in nested
        else list(value)
        if type(value) is tuple
        else value
        for key, value in command.items()
    }


def _rule(rule: Any) -> dict[str, Any]:
    table = {"id": rule.id, "when": _when(rule.when), "verdict": rule.verdict.name, "reason": rule.reason}
    if rule.unless is not None:
        table["unless"] = _when(rule.unless)
    return {**table, "instead": rule.instead} if rule.instead else table


def _when(given: Any) -> dict[str, Any]:
    when: dict[str, Any] = {}
    for field, value in given.as_dict().items():
        if value is None or not value:
            continue
        if field in ("effects", "postures"):
            when[field] = [member.name for member in value]
        elif field == "risk":
            when[field] = value.name
        elif field == "target":
            when[field] = dict(value)
        elif field == "input":
            when[field] = {key: list(texts) for key, texts in value.items()}
        elif field == "window":
            when["time"] = value
        else:
            when[field] = list(value) if type(value) is tuple else value
    return when


def _grant(grant: Any) -> dict[str, Any]:
    table: dict[str, Any] = {"id": grant.id, "action": grant.action}
    if grant.scope:
        table["scope"] = dict(grant.scope)
    if grant.expires is not None:
        table["expires"] = datetime.datetime.fromisoformat(grant.expires)
    if grant.uses is not None:
        table["uses"] = grant.uses
    if grant.why:
        table["why"] = grant.why
    return table
