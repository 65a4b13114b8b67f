"""A policy in force, written as TOML again, so that it can be read, kept and compared.

Kept as somebody's own policy, it makes the policy that it was written from. What no file can say of itself stands in
comments: lower bounds of tiers, and tools that only a project without trust declares. Such a project chose the words,
so nothing that is not seen is written as it is.
"""

from __future__ import annotations

from ..model.errors import printable
from ..value import TYPE_CHECKING
from .model import ALWAYS, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .model import ToolSpec

__all__ = ["policy_to_toml"]


def policy_to_toml(policy: Policy) -> str:
    import tomli_w

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
        "posture": policy.posture.name,
        "approval_mode": policy.approval_mode.name,
        "risk": {
            "max": policy.risk_max.name,
            "allow_critical": policy.allow_critical,
            "ask_at": policy.ask_at.name,
            "unregistered": policy.unregistered.name,
            "built_in_tools": policy.built_in_tools,
        },
        "tiers": {
            "permissive": policy.tiers.permissive,
            "effects": dict(policy.tiers.effects),
            "marks": dict(policy.tiers.marks),
            "actions": dict(policy.tiers.actions),
        },
        "capability": {"enforce": policy.enforce, "actions": list(policy.gated)},
        "loop": {
            "enforce": policy.loop_enforce,
            "repeat": policy.loop_repeat,
            "lock": policy.loop_lock,
            "pace": policy.loop_pace,
            "polls": policy.loop_polls,
            "pending": policy.loop_pending,
        },
        "undo": {
            "lowers": policy.undo_lowers,
            "days": policy.undo_days,
            "bytes": policy.undo_bytes,
            **({"owners": dict(policy.undo_owners)} if policy.undo_owners else {}),
        },
        "budget": {"over": policy.budget_over.name, **policy.budgets},
        "approvals": {
            "phrases": list(policy.phrases),
            "phrase_minutes": policy.phrase_minutes,
            "allow_phrases": policy.allow_phrases,
            "believe_transcript": policy.believe_transcript,
            "by": list(policy.approvers),
            **({"elicit": list(policy.elicit)} if policy.elicit else {}),
            "timeout": policy.timeout,
            "on_timeout": policy.on_timeout.name,
            "headless": policy.headless.name,
            "max_pending": policy.max_pending,
            "wait": f"{policy.wait}s",
            "strength": policy.strength.name,
            "allow_off": policy.allow_off,
            **({"keys": list(policy.keys)} if policy.keys else {}),
            **({"two_for": list(policy.two_for)} if policy.two_for else {}),
            **({"actions": {name: of.name for name, of in policy.strengths.items()}} if policy.strengths else {}),
        },
        "hook": _hook(policy),
    }
    if policy.preview_page:
        tables["preview"] = {"page": True}
    tables["tools"] = {name: _tool(spec) for name, spec in policy.tools.items()}
    if policy.obeyed:
        tables["obeyed"] = dict(policy.obeyed)
    if policy.plan is not None:
        from .plan import settings_to_wire

        tables["plan"] = _given(settings_to_wire(policy.plan))
    if policy.consult is not None:
        tables["consult"] = {name: value for name, value in policy.consult.as_dict().items() if value}
    if policy.judge is not None:
        from .judging import judging_to_wire

        tables["judge"] = _without_blanks(judging_to_wire(policy.judge))
    if policy.store:
        tables["store"] = {"url": policy.store}
    if policy.evidence.send:
        tables["evidence"] = {key: value for key, value in policy.evidence.as_dict().items() if value}
    if policy.people:
        from .wire import people_to_wire

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


def _hook(policy: Policy) -> dict[str, Any]:
    table: dict[str, Any] = {"on_allow": {mode: word.name for mode, word in policy.on_allow.items()}}
    if policy.observe:
        import datetime

        table["observe"] = {"until": datetime.datetime.fromisoformat(policy.observe)}
    return table


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
    import datetime

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
