"""A registry of tools in Python, and a check that decides each call: a thin form of `interlock.Gate`.

`ToolCallInspectorCheck` writes its registry down as a policy file and puts a gate on it; nothing is decided here. So a
check has all layers, its calls are recorded, an audit id can be replayed, and a person's yes lets one call through,
once. The arguments of a call are read, and can raise what the registry declares, never lower it. Tools that the
registry does not know are blocked unless `allow_unregistered` says otherwise.

    check = ToolCallInspectorCheck(registry={"send_email": ToolSpec(risk_tier=RiskTier.HIGH, irreversible=True)})
    check.inspect("send_email", {"to": "a@example.com"}).decision      # "escalate"
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import tomli_w

from .approve.glob import is_plain
from .bytes.canon import digest_of_bytes
from .gate import Checked, Gate
from .limits import MAX_POLICY_BYTES
from .model.decision import Decision
from .model.effects import Effect
from .model.errors import InputError
from .model.toolnames import action_of_tool, declared_tool
from .store.home.files import read_file, write_file
from .store.home.folders import folders_for
from .value import FrozenMap, Value

__all__ = ["CheckResult", "RiskTier", "ToolCallInspectorCheck", "ToolSpec"]

_WORDS = {"allow": "allow", "ask": "escalate", "deny": "block"}
_NAME = "tool_call_inspector"
_NO_TOOLS: Mapping[str, ToolSpec] = FrozenMap({})


class RiskTier(IntEnum):
    """As in the policy, with numbers, so that tiers compare."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a registry says of one tool. A tier may also be a word or a number: `ToolSpec("high", True)`."""

    # No `Value`: those take their fields by name only.
    risk_tier: RiskTier = RiskTier.LOW
    irreversible: bool = False
    dryrun_supported: bool = False

    def __init__(
        self, risk_tier: RiskTier | str | int = "low", irreversible: bool = False, dryrun_supported: bool = False
    ) -> None:
        for name, value in (("irreversible", irreversible), ("dryrun_supported", dryrun_supported)):
            if not isinstance(value, bool):
                raise InputError(f"`{name}` is true or false, not {value!r:.60}")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "risk_tier", _tier(risk_tier))

    def as_metadata(self) -> dict[str, Any]:
        return {
            "risk_tier": _word(self.risk_tier),
            "irreversible": self.irreversible,
            "dryrun_supported": self.dryrun_supported,
        }


class CheckResult(Value):
    """
    decision  `allow`, `block` or `escalate`
    reason    every ground that applies, the strictest first
    metadata  of the audit row
    receipt   the id that the decision is replayed by, also `audit_entry_id` of an escalation
    checked   what the gate said; `check.gate.settled(result.checked, "ran")` tells what became of the call
    """

    decision: str
    reason: str
    metadata: Mapping[str, Any]
    receipt: str
    checked: Checked

    @property
    def decided(self) -> Decision | None:
        """The whole decision; None where the gate could not come to one."""
        return None if self.checked.outcome is None else self.checked.outcome.decision

    def audit_row(self) -> dict[str, Any]:
        """As it is written down: name of the check, decision, reason, metadata."""
        return {
            "check_name": _NAME,
            "decision": self.decision,
            "reason": self.reason,
            "metadata": dict(self.metadata),
        }


class ToolCallInspectorCheck:
    """Decides each call by the registry, which stands in the place of the user's policy; managed policy stays above it.

    registry              tool -> ToolSpec
    max_allowed_tier      above it, a call is blocked
    allow_critical        critical tools need this, and a ceiling of CRITICAL
    escalation_threshold  irreversible and at least this: escalate; `escalate_at_tier` is the same
    allow_unregistered    True lets tools pass that the registry does not know
    root                  the folder in which the agent works; paths in arguments are read from there
    home                  where Interlock keeps its files, in place of the home folder
    """

    name = _NAME

    def __init__(
        self,
        registry: Mapping[str, ToolSpec] = _NO_TOOLS,
        max_allowed_tier: RiskTier | str | int = RiskTier.HIGH,
        escalate_at_tier: RiskTier | str | int | None = None,
        allow_critical: bool = False,
        allow_unregistered: bool = False,
        *,
        escalation_threshold: RiskTier | str | int | None = None,
        root: str | os.PathLike[str] | None = None,
        home: str | os.PathLike[str] | None = None,
    ) -> None:
        given = [_tier(tier) for tier in (escalation_threshold, escalate_at_tier) if tier is not None]
        if len(set(given)) > 1:
            raise InputError("`escalation_threshold` and `escalate_at_tier` are the same setting, and differ")
        risk = {
            "max": _word(_tier(max_allowed_tier)),
            "ask_at": _word(given[0] if given else RiskTier.HIGH),
            "allow_critical": allow_critical,
            "unregistered": "allow" if allow_unregistered else "deny",
            "built_in_tools": False,
        }
        self.root = os.path.abspath(root or os.getcwd())
        self.gate = Gate(_written(_policy(registry, risk), home), home=home, root=self.root)

    def close(self) -> None:
        self.gate.close()

    def inspect(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        approval_chain: Sequence[str] = (),
        session: str | None = None,
    ) -> CheckResult:
        """Decides one call, and records it. After a person's yes to an escalation, the same call is allowed, once."""
        checked = self.gate.check(tool, arguments or {}, cwd=self.root, session=session)
        return _result(tool, checked, approval_chain)

    async def inspect_tool_call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        approval_chain: Sequence[str] = (),
        session: str | None = None,
    ) -> CheckResult:
        """As `inspect`, for pipelines that await their checks."""
        checked = await self.gate.acheck(tool, arguments or {}, cwd=self.root, session=session)
        return _result(tool, checked, approval_chain)


def _policy(registry: Mapping[str, ToolSpec], risk: Mapping[str, Any]) -> bytes:
    globs = [name for name in registry if not is_plain(name)]
    if globs:
        raise InputError(f"a registry names tools, and `{globs[0]}` is a pattern")
    tools = {
        name: {
            # A registry says nothing of effects, so none is beyond what it declares.
            "effects": list(Effect.names()),
            "risk": _word(spec.risk_tier),
            "irreversible": spec.irreversible,
            "dryrun": spec.dryrun_supported,
        }
        for name, spec in sorted(registry.items())
    }
    # A tool runs unless its risk speaks against it; the effects that it might have would give it a tier besides.
    free = {action_of_tool(name): 1 for name in tools}
    return tomli_w.dumps({"version": 1, "risk": risk, "tools": tools, "tiers": {"actions": free}}).encode()


def _written(policy: bytes, home: str | os.PathLike[str] | None) -> str:
    """The file of this registry, among Interlock's own: whoever answers a question finds its policy there."""
    folders = folders_for(None if home is None else os.fspath(home))
    path = f"{folders.state}/registries/{digest_of_bytes(policy)[len('sha256:') :]}.toml"
    if read_file(path, limit=MAX_POLICY_BYTES) != policy:
        write_file(path, policy)
    return path


def _result(tool: str, checked: Checked, chain: Sequence[str]) -> CheckResult:
    return CheckResult(
        decision=_WORDS[checked.verdict],
        reason=_reason(tool, checked),
        metadata=FrozenMap(_metadata(tool, checked, chain)),
        receipt=checked.receipt,
        checked=checked,
    )


def _metadata(tool: str, checked: Checked, chain: Sequence[str]) -> dict[str, Any]:
    outcome = checked.outcome
    spec = None if outcome is None else declared_tool(outcome.policy, outcome.call.tool)
    if outcome is None or spec is None:
        return {"tool": tool}
    tier = max([spec.risk, *(action.risk for action in outcome.reading.actions)]).name.upper()
    if checked.verdict != "ask":
        return {"tool": tool, "tier": tier}
    return {
        "tool": tool,
        "tier": tier,
        "audit_entry_id": checked.receipt,
        "approval_id": checked.approval,
        "tool_name": tool,
        "risk_tier": tier,
        "irreversible": spec.irreversible or any(action.irreversible for action in outcome.reading.actions),
        "dryrun_supported": spec.dryrun,
        "requires_approval_from": list(chain),
        "current_approver": chain[0] if chain else None,
    }


def _reason(tool: str, checked: Checked) -> str:
    outcome = checked.outcome
    if outcome is None:
        return checked.person or checked.agent
    if not outcome.decision.reasons:
        return f"nothing stands against `{tool}`"
    return " ".join(dict.fromkeys(finding.text for finding in outcome.decision.reasons))


def _tier(given: RiskTier | str | int) -> RiskTier:
    """A tier as a registry may write it: itself, its word in any case, or its number."""
    try:
        return RiskTier[given.strip().upper()] if isinstance(given, str) else RiskTier(given)
    except (KeyError, ValueError):
        raise InputError(f"no tier is called {given!r:.60}; the tiers are low, medium, high and critical") from None


def _word(tier: RiskTier) -> str:
    return tier.name.lower()
