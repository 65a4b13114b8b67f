"""A registry of tools in Python, and a check that decides each call: the same rules, without a policy file.

`ToolCallInspectorCheck` turns its registry into a policy and asks the same layers as every other door of Interlock;
nothing is decided here. The arguments of a call are read, and can raise what the registry declares, never lower it.
Tools that the registry does not know are blocked unless `allow_unregistered` says otherwise.

    check = ToolCallInspectorCheck(registry={"send_email": ToolSpec(risk_tier=RiskTier.HIGH, irreversible=True)})
    check.inspect("send_email", {"to": "a@example.com"}).decision      # "escalate"
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from .action import Reading
from .approve.grant import Grant
from .call import Call
from .decide import decide
from .decision import Decision
from .effects import Effect
from .errors import InputError
from .layers.floor import floor
from .layers.manifest import manifest
from .layers.risk import risk
from .layers.unread import unread
from .policy.facts import facts_under
from .policy.model import Policy
from .policy.model import ToolSpec as Declared
from .policy.wire import policy_to_wire
from .posture import Posture
from .record.canon import canonical, digest
from .record.receipt import receipt_body, receipt_of
from .session import Session
from .store.facts import read_with_facts
from .store.folders import folders_for
from .toolnames import declared_tool
from .value import FrozenMap, Value, freeze
from .verdict import Risk, Verdict

__all__ = ["CheckResult", "RiskTier", "ToolCallInspectorCheck", "ToolSpec"]

_WORDS = {"allow": "allow", "ask": "escalate", "deny": "block"}
_LAYERS = (floor, unread, manifest, risk)


class RiskTier(IntEnum):
    """As in the policy, with numbers, so that tiers compare."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3


class ToolSpec(Value):
    """What a registry says of one tool."""

    risk_tier: RiskTier = RiskTier.LOW
    irreversible: bool = False
    dryrun_supported: bool = False


class CheckResult(Value):
    """
    decision  `allow`, `block` or `escalate`
    reason    every ground that applies, the strictest first
    metadata  of the audit row
    receipt   the id of the decision's receipt, also `audit_entry_id` of an escalation
    decided   the whole decision
    """

    decision: str
    reason: str
    metadata: Mapping[str, Any]
    receipt: str
    decided: Decision

    def audit_row(self) -> dict[str, Any]:
        """As it is written down: name of the check, decision, reason, metadata."""
        return {
            "check_name": ToolCallInspectorCheck.name,
            "decision": self.decision,
            "reason": self.reason,
            "metadata": dict(self.metadata),
        }


class ToolCallInspectorCheck:
    """Decides each call by the registry.

    registry              tool -> ToolSpec
    max_allowed_tier      above it, a call is blocked
    allow_critical        True lets critical tools pass; they escalate like high ones
    escalation_threshold  irreversible and at least this: escalate; `escalate_at_tier` is the same
    allow_unregistered    True lets tools pass that the registry does not know
    root                  the folder in which the agent works; paths in arguments are read from there
    """

    name = "tool_call_inspector"

    def __init__(
        self,
        registry: Mapping[str, ToolSpec],
        *,
        max_allowed_tier: RiskTier = RiskTier.HIGH,
        allow_critical: bool = False,
        escalation_threshold: RiskTier | None = None,
        escalate_at_tier: RiskTier | None = None,
        allow_unregistered: bool = False,
        root: str | None = None,
    ) -> None:
        given = [tier for tier in (escalation_threshold, escalate_at_tier) if tier is not None]
        if len(set(given)) > 1:
            raise InputError("`escalation_threshold` and `escalate_at_tier` are the same setting, and differ")
        self.root = os.path.abspath(root or os.getcwd())
        self._folders = folders_for(None)
        policy = Policy(
            risk_max=_risk(max_allowed_tier),
            allow_critical=allow_critical,
            ask_at=_risk(given[0] if given else RiskTier.HIGH),
            unregistered=Verdict.ALLOW if allow_unregistered else Verdict.DENY,
            tools=FrozenMap({name: _declared(name, spec) for name, spec in sorted(registry.items())}),
        )
        self.policy = policy.replace(digest=digest(policy_to_wire(policy)))

    async def inspect_tool_call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        approval_chain: Sequence[str] = (),
        approved: str | None = None,
    ) -> CheckResult:
        """As `inspect`, for pipelines that await their checks."""
        return self.inspect(tool, arguments, approval_chain=approval_chain, approved=approved)

    def inspect(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        approval_chain: Sequence[str] = (),
        approved: str | None = None,
    ) -> CheckResult:
        """Decides one call. `approved` is the approval id of an escalation that a person has answered with yes."""
        plain = _plain(arguments)
        call = Call(tool=tool, input=plain, cwd=self.root)
        at, home = self._folders, self._folders.home
        facts = facts_under(self.policy, call, root=self.root, home=home, own=at.own, keeps=at.keeps)
        reading = read_with_facts(call, facts)
        if not plain:  # no argument, and so none that would raise what the registry says of the tool
            reading = reading.replace(opaque=())
        session = Session(posture=Posture.INTERACTIVE)
        grants = () if approved is None else (Grant(id=approved, kind="once", binds=approved),)
        decision = decide(call, reading, self.policy, session, grants, _LAYERS)
        receipt, _ = receipt_of(receipt_body(call, reading, self.policy.digest, session, decision))
        return CheckResult(
            decision=_WORDS[decision.verdict.name],
            reason=_reason(tool, decision),
            metadata=FrozenMap(self._metadata(tool, reading, decision, receipt, approval_chain)),
            receipt=receipt,
            decided=decision,
        )

    def _metadata(
        self, tool: str, reading: Reading, decision: Decision, receipt: str, chain: Sequence[str]
    ) -> dict[str, Any]:
        spec = declared_tool(self.policy, tool)
        if spec is None:
            return {"tool": tool}
        tier = max([spec.risk, *(action.risk for action in reading.actions)]).name.upper()
        if decision.verdict is not Verdict.ASK:
            return {"tool": tool, "tier": tier}
        return {
            "tool": tool,
            "tier": tier,
            "audit_entry_id": receipt,
            "approval_id": decision.approval,
            "tool_name": tool,
            "risk_tier": tier,
            "irreversible": spec.irreversible or any(action.irreversible for action in reading.actions),
            "dryrun_supported": spec.dryrun,
            "requires_approval_from": list(chain),
            "current_approver": chain[0] if chain else None,
        }


def _risk(tier: RiskTier) -> Risk:
    return Risk.of(RiskTier(tier).name.lower())


def _declared(name: str, spec: ToolSpec) -> Declared:
    # A registry says nothing of effects, so none is beyond what it declares.
    return Declared(
        name=name,
        effects=Effect.members[::-1],
        risk=_risk(spec.risk_tier),
        irreversible=spec.irreversible,
        dryrun=spec.dryrun_supported,
    )


def _plain(arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
    plain = freeze(dict(arguments or {}))
    canonical(plain)  # what is not JSON data cannot be bound by a receipt: InputError
    if not isinstance(plain, Mapping):
        raise InputError("the arguments must be an object")
    return plain


def _reason(tool: str, decision: Decision) -> str:
    if not decision.reasons:
        return f"nothing stands against `{tool}`"
    return " ".join(dict.fromkeys(finding.text for finding in decision.reasons))
