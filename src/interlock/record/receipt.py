"""The receipt: what was decided and from what, content-addressed, without time or chance.

It binds the engine's version, the digest of the call, the reading, the digest of the policy,
the grants that were used and the slice of the session that the layers read. Its id is the
digest of its canonical bytes, so the same inputs give the same receipt anywhere. Near misses
come from grants that were not used and are left out on purpose.
"""

from __future__ import annotations

from .. import __version__
from ..approve.grant import Grant
from ..bytes.canon import canonical_own, digest_of_bytes
from ..model.action import Action, Broken, Judgement, Line, Newly, Opaque, Reading
from ..model.call import Call
from ..model.decision import Decision, Finding
from ..model.effects import Effect
from ..model.posture import Posture
from ..model.session import Session
from ..model.verdict import Risk, Strength, Verdict
from ..value import TYPE_CHECKING, FrozenMap, freeze, lazy
from .slice import slice_from_wire, slice_to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.origins import Origin
else:
    Origin = lazy(globals(), "..model.origins", "Origin")

__all__ = [
    "action_from_wire",
    "actions_to_wire",
    "decision_from_wire",
    "finding_to_wire",
    "grant_from_wire",
    "grant_to_wire",
    "opaque_to_wire",
    "receipt_body",
    "receipt_of",
    "replay_inputs",
]

# What contracts, plans and files say of a reading, written as it is or part by part.
_PLAIN = ("doubts", "scripts", "same_as", "sends", "holds", "undo", "server")
_PARTS = ("broken", "origins", "judged")


def receipt_body(
    call: Call, reading: Reading, policy_digest: str, session: Session, decision: Decision
) -> dict[str, Any]:
    return {
        "call": {
            "agent": call.agent,
            "cwd": call.cwd,
            "digest": reading.call,
            "host": call.host,
            "session": call.session,
            "tool": call.tool,
            **({"agent_type": call.agent_type} if call.agent_type else {}),
            **({"named": call.named} if call.named else {}),
            **({"preview": call.preview} if call.preview else {}),
        },
        "decision": {
            "approval": decision.approval,
            "effect": None if decision.effect is None else decision.effect.name,
            "effects": [effect.name for effect in decision.effects],
            "notes": decision.notes,
            "posture": decision.posture.name,
            "reasons": [finding_to_wire(finding) for finding in decision.reasons],
            "satisfied": [finding_to_wire(finding) for finding in decision.satisfied],
            "verdict": decision.verdict.name,
        },
        "engine": __version__,
        "grants": [grant_to_wire(grant) for grant in decision.used],
        "policy": policy_digest,
        "reading": _reading_to_wire(reading),
        "session": slice_to_wire(session, reading, call.agent),
        "version": 1,
    }


def _reading_to_wire(reading: Reading) -> dict[str, Any]:
    """What contracts and plans say is there only where they say something: most receipts need not grow by it."""
    wire: dict[str, Any] = {
        "actions": actions_to_wire(reading),
        "opaque": opaque_to_wire(reading),
        "projection": reading.projection,
    }
    if reading.line is not None:
        wire["line"] = _line_to_wire(reading.line)
    for name in _PLAIN:
        if value := getattr(reading, name):
            wire[name] = value
    for name in _PARTS:
        if parts := getattr(reading, name):
            wire[name] = [part.as_dict() for part in parts]
    return wire


def _line_to_wire(line: Line) -> dict[str, Any]:
    return {name: value for name, value in line.as_dict().items() if value or name in ("arm", "marker", "unplanned")}


def decision_from_wire(body: Mapping[str, Any]) -> Decision:
    """The decision in a receipt's body. Near misses are not part of it."""
    wire = body["decision"]
    return Decision(
        verdict=Verdict.of(wire["verdict"]),
        effect=None if wire["effect"] is None else Effect.of(wire["effect"]),
        effects=tuple([Effect.of(name) for name in wire["effects"]]),
        reasons=tuple([_finding_from_wire(finding) for finding in wire["reasons"]]),
        satisfied=tuple([_finding_from_wire(finding) for finding in wire["satisfied"]]),
        used=tuple([grant_from_wire(grant) for grant in body["grants"]]),
        near_misses=(),
        notes=tuple(wire["notes"]),
        posture=Posture.of(wire["posture"]),
        approval=wire["approval"],
    )


def _finding_from_wire(wire: Mapping[str, Any]) -> Finding:
    return Finding(**{**wire, "verdict": Verdict.of(wire["verdict"])})


def receipt_of(body: Mapping[str, Any]) -> tuple[str, bytes]:
    """The receipt's id and the bytes that it is the digest of."""
    raw = canonical_own(body)
    return digest_of_bytes(raw), raw


def actions_to_wire(reading: Reading | Newly) -> list[dict[str, Any]]:
    return [
        {
            "compensator": action.compensator,
            "effects": [effect.name for effect in action.effects],
            "field": action.field,
            "irreversible": action.irreversible,
            "name": action.name,
            "risk": action.risk.name,
            "span": action.span,
            "tags": action.tags,
            "target": action.target,
            **({} if action.newly is None else {"newly": [_newly_to_wire(part) for part in action.newly]}),
        }
        for action in reading.actions
    ]


def _newly_to_wire(newly: Newly) -> dict[str, Any]:
    return {"runs": newly.runs, "actions": actions_to_wire(newly), "opaque": opaque_to_wire(newly)}


def _newly_from_wire(wire: Mapping[str, Any]) -> Newly:
    return Newly(
        runs=wire["runs"],
        actions=tuple([action_from_wire(action) for action in wire["actions"]]),
        opaque=tuple([Opaque(**part) for part in wire["opaque"]]),
    )


def opaque_to_wire(reading: Reading | Newly) -> list[dict[str, Any]]:
    return [{"field": part.field, "reason": part.reason, "span": part.span} for part in reading.opaque]


def finding_to_wire(finding: Finding) -> dict[str, Any]:
    remedy = {"remedy": finding.remedy} if finding.remedy else {}
    return {
        "grant": finding.grant,
        "instead": finding.instead,
        "layer": finding.layer,
        "rule": finding.rule,
        "text": finding.text,
        "verdict": finding.verdict.name,
        **remedy,
    }


def grant_to_wire(grant: Grant) -> dict[str, Any]:
    wire = {
        **grant.as_dict(),
        "effects": [effect.name for effect in grant.effects],
        "risk": grant.risk.name,
        "strength": grant.strength.name,
    }
    if grant.strength is Strength.WEAK:  # as all were before there were others
        del wire["strength"]
    if not grant.whole:
        del wire["whole"]
    if not grant.persons:
        del wire["persons"]
    if grant.asks is None:
        del wire["asks"]
    return wire


def grant_from_wire(wire: Mapping[str, Any]) -> Grant:
    fields = dict(wire)
    fields["effects"] = tuple([Effect.of(name) for name in wire["effects"]])
    fields["risk"] = Risk.of(wire["risk"])
    fields["strength"] = Strength.of(wire.get("strength", "weak"))
    return Grant(**fields)


def replay_inputs(body: Mapping[str, Any]) -> tuple[Call, Reading, Session, tuple[Grant, ...]]:
    """What `decide` was given, rebuilt from a receipt. The call's input is not kept, only its digest."""
    head = body["call"]
    call = Call(
        tool=head["tool"],
        input=FrozenMap({}),
        agent=head["agent"],
        agent_type=head.get("agent_type", ""),
        cwd=head["cwd"],
        host=head["host"],
        session=head["session"],
        named=head.get("named", ""),
        preview=head.get("preview", ""),
    )
    wire = body["reading"]
    line = wire.get("line")
    plain: dict[str, Any] = {name: freeze(wire[name]) for name in _PLAIN if name in wire}
    reading = Reading(
        line=None if line is None else Line(**line),
        call=head["digest"],
        projection=wire["projection"],
        actions=tuple([action_from_wire(action) for action in wire["actions"]]),
        opaque=tuple([Opaque(**part) for part in wire["opaque"]]),
        broken=tuple([Broken(**part) for part in wire.get("broken", ())]),
        origins=_origins(wire.get("origins", ())),
        judged=tuple([Judgement(**part) for part in wire.get("judged", ())]),
        **plain,
    )
    session = slice_from_wire(body["session"], id=head["session"], projection=reading.projection)
    return call, reading, session, tuple([grant_from_wire(grant) for grant in body["grants"]])


def _origins(wire: Sequence[Mapping[str, Any]]) -> tuple[Origin, ...]:
    if not wire:
        return ()

    return tuple([Origin(**part) for part in wire])


def action_from_wire(wire: Mapping[str, Any]) -> Action:
    fields = dict(wire)
    fields["effects"] = tuple([Effect.of(name) for name in wire["effects"]])
    fields["risk"] = Risk.of(wire["risk"])
    if "newly" in wire:
        fields["newly"] = tuple([_newly_from_wire(part) for part in wire["newly"]])
    return Action(**fields)
