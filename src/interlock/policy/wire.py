"""A policy as plain JSON data and back: for its digest, the compiled cache and replay."""

from __future__ import annotations

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..limits import LOOP_PACE, LOOP_POLLS, MAX_UNDO_TOTAL_BYTES, UNDO_DAYS
from ..model.effects import Effect
from ..model.posture import Posture
from ..model.toolnames import FLOW_ROLES, globs_of
from ..model.verdict import Risk, Strength, Verdict
from ..value import TYPE_CHECKING, FrozenMap
from .book import Book, leaves_of
from .model import (
    ApprovalMode,
    Consult,
    Evidence,
    Headless,
    OnAllow,
    OnTimeout,
    Policy,
    PolicyGrant,
    Rule,
    Tiers,
    ToolSpec,
    When,
)
from .rules import looked_at, place_of_grant, place_of_rule, windows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .judging import Judging
    from .people import Person

__all__ = [
    "compiled_lines",
    "grant_book",
    "people_to_wire",
    "policy_from_lines",
    "policy_from_wire",
    "policy_to_wire",
    "rule_book",
    "rule_to_wire",
    "tool_to_wire",
]


_ON_ALLOW = Policy().on_allow


def policy_to_wire(policy: Policy) -> dict[str, Any]:
    """Everything that bears on a decision; notices do not. Without a plan nothing is said about plans."""
    plans: dict[str, Any] = {}
    if policy.plan is not None or policy.planned is not None:
        from .plan import planned_to_wire, settings_to_wire

        plans = {
            "plan": None if policy.plan is None else settings_to_wire(policy.plan),
            "planned": None if policy.planned is None else planned_to_wire(policy.planned),
        }
    return {
        **plans,
        "approval_mode": policy.approval_mode.name,
        "capability": {"actions": policy.gated, "enforce": policy.enforce},
        "approvals": {
            "allow_phrases": policy.allow_phrases,
            "phrase_minutes": policy.phrase_minutes,
            "phrases": policy.phrases,
            "by": policy.approvers,
            **({"elicit": policy.elicit} if policy.elicit else {}),
            "timeout": policy.timeout,
            "on_timeout": policy.on_timeout.name,
            **({"believe_transcript": True} if policy.believe_transcript else {}),
            **({} if policy.headless is Headless.DENY else {"headless": policy.headless.name}),
            "max_pending": policy.max_pending,
            **({"wait": policy.wait} if policy.wait else {}),
            **_strengths_to_wire(policy),
        },
        "budget": {"limits": dict(policy.budgets), "over": policy.budget_over.name},
        "commands": dict(policy.commands),
        **({} if policy.consult is None else {"consult": policy.consult.as_dict()}),
        **_judge_to_wire(policy),
        **({"store": policy.store} if policy.store else {}),
        **({"evidence": policy.evidence.as_dict()} if policy.evidence.send else {}),
        # Who is who bears on a decision only where two are needed: elsewhere a change of it leaves what waits alone.
        **({"people": people_to_wire(policy.people)} if policy.people and policy.two_for else {}),
        **({"obeyed": dict(policy.obeyed)} if policy.obeyed else {}),
        **({"obeyed_at_least": dict(policy.obeyed_at_least)} if policy.obeyed_at_least else {}),
        "faults": policy.faults,
        **_hook_to_wire(policy),
        **({"preview": {"page": True}} if policy.preview_page else {}),
        "loop": {
            "enforce": policy.loop_enforce,
            "lock": policy.loop_lock,
            **({} if policy.loop_pace == LOOP_PACE else {"pace": policy.loop_pace}),
            **({} if policy.loop_polls == LOOP_POLLS else {"polls": policy.loop_polls}),
            "pending": policy.loop_pending,
            "repeat": policy.loop_repeat,
        },
        "grants": tuple([_grant_to_wire(grant) for grant in policy.grants]),
        "posture": policy.posture.name,
        "posture_floor": policy.posture_floor.name,
        "risk": {
            "allow_critical": policy.allow_critical,
            "ask_at": policy.ask_at.name,
            "max": policy.risk_max.name,
            "unregistered": policy.unregistered.name,
            **({} if policy.built_in_tools else {"built_in_tools": False}),
        },
        "rules": tuple([rule_to_wire(rule) for rule in policy.rules]),
        "tiers": {key: value for key, value in policy.tiers.as_dict().items() if value != ()},
        "tools": {name: tool_to_wire(spec) for name, spec in policy.tools.items()},
        **_undo_to_wire(policy),
        "version": 1,
    }


def _undo_to_wire(policy: Policy) -> dict[str, Any]:
    """What is not the default, so that other policies keep their digest."""
    told = {
        **({} if policy.undo_lowers else {"lowers": False}),
        **({} if policy.undo_days == UNDO_DAYS else {"days": policy.undo_days}),
        **({} if policy.undo_bytes == MAX_UNDO_TOTAL_BYTES else {"bytes": policy.undo_bytes}),
        **({"owners": dict(policy.undo_owners)} if policy.undo_owners else {}),
    }
    return {"undo": told} if told else {}


def _undo_from_wire(wire: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "undo_lowers": wire.get("lowers", True),
        "undo_days": wire.get("days", UNDO_DAYS),
        "undo_bytes": wire.get("bytes", MAX_UNDO_TOTAL_BYTES),
        "undo_owners": FrozenMap(wire.get("owners", {})),
    }


def policy_from_wire(wire: Mapping[str, Any], *, digest: str, notices: tuple[str, ...] = ()) -> Policy:
    rules = rule_book([_rule_from_wire(rule) for rule in wire["rules"]])
    grants = grant_book([_grant_from_wire(grant) for grant in wire["grants"]])
    return _policy(
        wire, rules, grants, windows=windows_of(rules), looked=looked_at(rules), digest=digest, notices=notices
    )


def compiled_lines(policy: Policy) -> list[bytes]:
    """A policy as lines for the compiled cache: one without rules and grants, then the leaves of both books."""
    rules = leaves_of(policy.rules, place_of_rule, rule_to_wire)
    grants = leaves_of(policy.grants, place_of_grant, _grant_to_wire, whole_shelves=True)
    head = {
        "digest": policy.digest,
        "grants": (len(policy.grants), len(grants)),
        "notices": policy.notices,
        "policy": policy_to_wire(policy.replace(rules=(), grants=())),
        "rules": (len(policy.rules), len(rules)),
        "windows": policy.windows,
        "looked": policy.looked,
        **({"people": people_to_wire(policy.people)} if policy.people and not policy.two_for else {}),
    }
    return [canonical(head), *rules, *grants]


def policy_from_lines(lines: list[bytes]) -> Policy:
    """The policy of `compiled_lines`. Its rules and grants are read when a call asks for them."""
    head: Any = parse_object(lines[0], limit=len(lines[0]))
    (rules, of_rules), (grants, of_grants) = head["rules"], head["grants"]
    if len(lines) != 1 + of_rules + of_grants:
        raise ValueError("the compiled policy is not whole")
    policy = _policy(
        head["policy"],
        Book.unread(lines[1 : 1 + of_rules], rules, place=place_of_rule, decode=_rule_from_wire),
        Book.unread(lines[1 + of_rules :], grants, place=place_of_grant, decode=_grant_from_wire, whole_shelves=True),
        windows=head["windows"],
        looked=head["looked"],
        digest=head["digest"],
        notices=head["notices"],
    )
    return policy.replace(people=_people_from_wire(head["people"])) if "people" in head else policy


def rule_book(rules: Iterable[Rule]) -> Book:
    return Book(rules, place=place_of_rule)


def grant_book(grants: Iterable[PolicyGrant]) -> Book:
    return Book(grants, place=place_of_grant)


def _policy(
    wire: Mapping[str, Any],
    rules: Book,
    grants: Book,
    *,
    windows: tuple[str, ...],
    looked: tuple[str, ...],
    digest: str,
    notices: tuple[str, ...],
) -> Policy:
    plan, planned = wire.get("plan"), wire.get("planned")
    if plan is not None or planned is not None:
        from .plan import planned_from_wire, settings_from_wire

        plan = None if plan is None else settings_from_wire(plan)
        planned = None if planned is None else planned_from_wire(planned)
    risk, loop, approvals, budget = wire["risk"], wire["loop"], wire["approvals"], wire["budget"]
    return Policy(
        plan=plan,
        planned=planned,
        approval_mode=ApprovalMode.of(wire["approval_mode"]),
        commands=wire["commands"],
        consult=Consult(**wire["consult"]) if "consult" in wire else None,
        judge=_judge_from_wire(wire),
        store=wire.get("store", ""),
        evidence=Evidence(**wire["evidence"]) if "evidence" in wire else Evidence(),
        people=_people_from_wire(wire.get("people", {})),
        obeyed=wire.get("obeyed", FrozenMap({})),
        obeyed_at_least=wire.get("obeyed_at_least", FrozenMap({})),
        enforce=wire["capability"]["enforce"],
        gated=wire["capability"]["actions"],
        faults=wire["faults"],
        **_of_hook(wire.get("hook", {})),
        preview_page=wire.get("preview", {}).get("page", False),
        grants=grants,
        posture=Posture.of(wire["posture"]),
        posture_floor=Posture.of(wire["posture_floor"]),
        risk_max=Risk.of(risk["max"]),
        allow_critical=risk["allow_critical"],
        ask_at=Risk.of(risk["ask_at"]),
        unregistered=Verdict.of(risk["unregistered"]),
        built_in_tools=risk.get("built_in_tools", True),
        loop_enforce=loop["enforce"],
        loop_lock=loop["lock"],
        loop_pace=loop.get("pace", LOOP_PACE),
        loop_polls=loop.get("polls", LOOP_POLLS),
        loop_pending=loop["pending"],
        loop_repeat=loop["repeat"],
        budgets=FrozenMap(dict(budget["limits"])),
        budget_over=Verdict.of(budget["over"]),
        allow_phrases=approvals["allow_phrases"],
        phrase_minutes=approvals["phrase_minutes"],
        phrases=approvals["phrases"],
        believe_transcript=approvals.get("believe_transcript", False),
        **_of_approvals(approvals),
        rules=rules,
        windows=windows,
        looked=looked,
        tiers=Tiers(**wire["tiers"]),
        tools=FrozenMap({name: _tool_from_wire(name, spec) for name, spec in wire["tools"].items()}),
        tool_globs=globs_of(wire["tools"]),
        traces=any(_traces(spec) for spec in wire["tools"].values()),
        **_undo_from_wire(wire.get("undo", {})),
        notices=notices,
        digest=digest,
    )


def _judge_to_wire(policy: Policy) -> dict[str, Any]:
    if policy.judge is None:
        return {}
    from .judging import judging_to_wire

    return {"judge": judging_to_wire(policy.judge)}


def _judge_from_wire(wire: Mapping[str, Any]) -> Judging | None:
    if "judge" not in wire:
        return None
    from .judging import judging_from_wire

    return judging_from_wire(wire["judge"])


def _of_approvals(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Ledgers keep policies from before there were approvals: nobody was there to answer then."""
    if "by" not in wire:
        return {}
    return {
        "approvers": wire["by"],
        "elicit": wire.get("elicit", ()),
        "timeout": wire["timeout"],
        "on_timeout": OnTimeout.of(wire["on_timeout"]),
        "headless": Headless.of(wire.get("headless", "deny")),
        "max_pending": wire["max_pending"],
        "wait": wire.get("wait", 0),
        "strength": Strength.of(wire.get("strength", "weak")),
        "strengths": FrozenMap({name: Strength.of(word) for name, word in wire.get("actions", {}).items()}),
        "keys": wire.get("keys", ()),
        "two_for": wire.get("two_for", ()),
        "allow_off": wire.get("allow_off", True),
    }


def _strengths_to_wire(policy: Policy) -> dict[str, Any]:
    """Said only where it is: a policy that says nothing of strengths keeps its digest."""
    wire: dict[str, Any] = {}
    if policy.strength is not Strength.WEAK:
        wire["strength"] = policy.strength.name
    if policy.strengths:
        wire["actions"] = {name: strength.name for name, strength in policy.strengths.items()}
    if policy.keys:
        wire["keys"] = policy.keys
    if policy.two_for:
        wire["two_for"] = policy.two_for
    if not policy.allow_off:
        wire["allow_off"] = False
    return wire


def people_to_wire(people: Mapping[str, Person]) -> dict[str, Any]:
    """Each person with what was given of them."""
    found = {}
    for name, person in people.items():
        given = {key: value for key, value in person.as_dict().items() if value and key not in ("name", "role")}
        found[name] = {**given, "role": person.role.name} if person.role.rank else given
    return found


def _people_from_wire(wire: Mapping[str, Any]) -> Mapping[str, Person]:
    if not wire:
        return FrozenMap({})
    from .people import Person, Role

    return FrozenMap(
        {
            name: Person(name=name, **{**given, "role": Role.of(given.get("role", "approver"))})
            for name, given in wire.items()
        }
    )


def _hook_to_wire(policy: Policy) -> dict[str, Any]:
    """Said only where it is: a policy that says nothing of hooks keeps its digest."""
    wire: dict[str, Any] = {}
    if policy.on_allow != _ON_ALLOW:
        wire["on_allow"] = {mode: word.name for mode, word in policy.on_allow.items()}
    if policy.observe:
        wire["observe"] = policy.observe
    return {"hook": wire} if wire else {}


def _of_hook(wire: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"observe": wire.get("observe", "")}
    if "on_allow" in wire:
        found["on_allow"] = FrozenMap({mode: OnAllow.of(word) for mode, word in wire["on_allow"].items()})
    return found


def _traces(wire: Mapping[str, Any]) -> bool:
    """As `ToolSpec.traces`, of most tools told at once."""
    if "trusted_result" in wire or "secret_result" in wire:
        return True
    return any(role.partition(":")[0] in FLOW_ROLES for role in wire["args"].values())


def tool_to_wire(spec: ToolSpec) -> dict[str, Any]:
    return {
        "args": dict(spec.args),
        "confirm": spec.confirm,
        "dryrun": spec.dryrun,
        "effects": _names(spec.effects),
        "irreversible": spec.irreversible,
        "postures": None if spec.postures is None else _names(spec.postures),
        "registered": spec.registered,
        "risk": spec.risk.name,
        # said only where there are any: a policy keeps its digest
        **({"tags": spec.tags} if spec.tags else {}),
        **({"compensator": spec.compensator} if spec.compensator is not None else {}),
        **({"trusted_result": spec.trusted_result} if spec.trusted_result else {}),
        **({"secret_result": True} if spec.secret_result else {}),
        **({"known": spec.known} if spec.known else {}),
    }


def _tool_from_wire(name: str, wire: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=name,
        args=wire["args"],
        confirm=wire["confirm"],
        dryrun=wire["dryrun"],
        effects=tuple([Effect.of(effect) for effect in wire["effects"]]),
        irreversible=wire["irreversible"],
        postures=None if wire["postures"] is None else _postures(wire["postures"]),
        registered=wire["registered"],
        risk=Risk.of(wire["risk"]),
        tags=wire.get("tags", ()),
        compensator=wire.get("compensator"),
        trusted_result=tuple(wire.get("trusted_result", ())),
        secret_result=wire.get("secret_result", False),
        known=tuple(wire.get("known", ())),
    )


def _grant_to_wire(grant: PolicyGrant) -> dict[str, Any]:
    wire = {**grant.as_dict(), "scope": dict(grant.scope)}
    if grant.uses is None:  # said only where it is: a policy keeps its digest
        del wire["uses"]
    return wire


def _grant_from_wire(wire: Mapping[str, Any]) -> PolicyGrant:
    return PolicyGrant(**wire)


def rule_to_wire(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "instead": rule.instead,
        "reason": rule.reason,
        **({} if rule.unless is None else {"unless": _when_to_wire(rule.unless)}),
        "verdict": rule.verdict.name,
        "when": _when_to_wire(rule.when),
    }


def _when_to_wire(when: When) -> dict[str, Any]:
    """What came later is said only where it is: a policy without it keeps its digest."""
    return {
        "action": when.action,
        "agent": when.agent,
        **({"command": when.command} if when.command else {}),
        **({} if when.contract is None else {"contract": when.contract}),
        "effects": _names(when.effects),
        "host": when.host,
        **({"input": dict(when.input)} if when.input else {}),
        "place": when.place,
        "postures": _names(when.postures),
        "risk": None if when.risk is None else when.risk.name,
        "tags": when.tags,
        "target": dict(when.target),
        "time": when.window,
        "tool": when.tool,
    }


def _rule_from_wire(wire: Mapping[str, Any]) -> Rule:
    return Rule(
        id=wire["id"],
        instead=wire["instead"],
        reason=wire["reason"],
        unless=_when_from_wire(wire["unless"]) if "unless" in wire else None,
        verdict=Verdict.of(wire["verdict"]),
        when=_when_from_wire(wire["when"]),
    )


def _when_from_wire(when: Mapping[str, Any]) -> When:
    return When(
        action=when["action"],
        agent=when["agent"],
        command=when.get("command", ()),
        contract=when.get("contract"),
        effects=tuple([Effect.of(effect) for effect in when["effects"]]),
        host=when["host"],
        input=when.get("input", FrozenMap({})),
        place=when["place"],
        postures=_postures(when["postures"]),
        risk=None if when["risk"] is None else Risk.of(when["risk"]),
        tags=when["tags"],
        target=when["target"],
        window=when["time"],
        tool=when["tool"],
    )


def _names(members: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple([member.name for member in members])


def _postures(names: tuple[str, ...]) -> tuple[Posture, ...]:
    return tuple([Posture.of(name) for name in names])
