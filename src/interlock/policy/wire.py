"""A policy as plain JSON data and back: for its digest, the compiled cache and replay."""

from __future__ import annotations

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..model.effects import Effect
from ..model.posture import Posture
from ..model.toolnames import FLOW_ROLES, globs_of
from ..model.verdict import Risk, Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .book import Book, leaves_of
from .model import (
    Consult,
    Evidence,
    Policy,
    PolicyGrant,
    Rule,
    Tiers,
    ToolSpec,
    When,
    rule_to_wire,
    tool_to_wire,
)
from .rules import looked_at, place_of_grant, place_of_rule, windows_of
from .settings import settings_from_wire, settings_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .judging import Judging, judging_from_wire, judging_to_wire
    from .people import Person
    from .plan import plan_from_wire, plan_to_wire, planned_from_wire, planned_to_wire
else:
    judging_from_wire = lazy(globals(), ".judging", "judging_from_wire")
    judging_to_wire = lazy(globals(), ".judging", "judging_to_wire")
    planned_from_wire = lazy(globals(), ".plan", "planned_from_wire")
    planned_to_wire = lazy(globals(), ".plan", "planned_to_wire")
    plan_from_wire = lazy(globals(), ".plan", "plan_from_wire")
    plan_to_wire = lazy(globals(), ".plan", "plan_to_wire")

__all__ = [
    "compiled_lines",
    "grant_book",
    "people_to_wire",
    "policy_from_lines",
    "policy_from_wire",
    "policy_to_wire",
    "rule_book",
]


def policy_to_wire(policy: Policy) -> dict[str, Any]:
    """Everything that bears on a decision; notices do not. Without a plan nothing is said about plans."""
    plans: dict[str, Any] = {}
    if policy.plan is not None or policy.planned is not None:
        plans = {
            "plan": None if policy.plan is None else plan_to_wire(policy.plan),
            "planned": None if policy.planned is None else planned_to_wire(policy.planned),
        }
    wire = settings_to_wire(policy)
    wire["budget"]["limits"] = dict(policy.budgets)
    return {
        **wire,
        **plans,
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
        "grants": tuple([_grant_to_wire(grant) for grant in policy.grants]),
        "posture_floor": policy.posture_floor.name,
        "rules": tuple([rule_to_wire(rule) for rule in policy.rules]),
        "tiers": {key: value for key, value in policy.tiers.as_dict().items() if value != ()},
        "tools": {name: tool_to_wire(spec) for name, spec in policy.tools.items()},
        "version": 1,
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
        plan = None if plan is None else plan_from_wire(plan)
        planned = None if planned is None else planned_from_wire(planned)
    return Policy(
        **settings_from_wire(wire),
        plan=plan,
        planned=planned,
        commands=wire["commands"],
        consult=Consult(**wire["consult"]) if "consult" in wire else None,
        judge=_judge_from_wire(wire),
        store=wire.get("store", ""),
        evidence=Evidence(**wire["evidence"]) if "evidence" in wire else Evidence(),
        people=_people_from_wire(wire.get("people", {})),
        obeyed=wire.get("obeyed", FrozenMap({})),
        obeyed_at_least=wire.get("obeyed_at_least", FrozenMap({})),
        faults=wire["faults"],
        grants=grants,
        posture_floor=Posture.of(wire["posture_floor"]),
        budgets=FrozenMap(dict(wire["budget"]["limits"])),
        rules=rules,
        windows=windows,
        looked=looked,
        tiers=Tiers(**wire["tiers"]),
        tools=FrozenMap({name: _tool_from_wire(name, spec) for name, spec in wire["tools"].items()}),
        tool_globs=globs_of(wire["tools"]),
        traces=any(_traces(spec) for spec in wire["tools"].values()),
        notices=notices,
        digest=digest,
    )


def _judge_to_wire(policy: Policy) -> dict[str, Any]:
    if policy.judge is None:
        return {}

    return {"judge": judging_to_wire(policy.judge)}


def _judge_from_wire(wire: Mapping[str, Any]) -> Judging | None:
    if "judge" not in wire:
        return None

    return judging_from_wire(wire["judge"])


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


def _traces(wire: Mapping[str, Any]) -> bool:
    """As `ToolSpec.traces`, of most tools told at once."""
    if "trusted_result" in wire or "secret_result" in wire:
        return True
    return any(role.partition(":")[0] in FLOW_ROLES for role in wire["args"].values())


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


def _postures(names: tuple[str, ...]) -> tuple[Posture, ...]:
    return tuple([Posture.of(name) for name in names])
