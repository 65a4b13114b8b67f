"""For people who test their policies: a call, a policy, and what is decided.

    from interlock.testing import assert_denies, policy_from_file

    def test_nobody_pushes_to_main():
        assert_denies("git push origin main", policy=policy_from_file(".interlock/policy.toml"), rule="no-main")

The real reader and the real layers decide; nothing is recorded, and nothing of this machine is
looked at but the policy file: every path leads where it says, and every time window is open
unless a moment is given. `interlock policy test` does the same with files of cases.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..evals.case import EXPECTED, HOME, ROOT, Case, bash
from ..evals.lexical import Bench, bench_for, judge, start
from ..evals.pack import moment_of
from ..limits import MAX_POLICY_BYTES
from ..model.call import Call, call_from
from ..model.decision import Decision
from ..model.errors import InputError, PolicyError
from ..model.posture import Posture
from ..policy.model import Policy
from ..policy.parse import parse_policy
from ..store.home.contracts import Catalogues
from ..store.home.files import read_file
from ..store.home.policies import compile_sources, default_file
from ..value import freeze

__all__ = [
    "AnyCall",
    "AnyPolicy",
    "assert_allows",
    "assert_asks",
    "assert_denies",
    "decide_call",
    "policy_from_file",
    "policy_from_text",
]

AnyCall = str | Mapping[str, Any] | Call
AnyPolicy = Policy | str | os.PathLike[str] | None


def policy_from_text(text: str, *, file: str = "policy.toml") -> Policy:
    """The built-in policy with this TOML as the user's file over it. PolicyError with every problem.

    A key that is not known is one, as it is for `interlock policy check`.
    """
    source = parse_policy(text.encode(), name="user", file=file)
    if source.unknown:
        raise PolicyError([source.problem(path, told) for path, told in source.unknown])
    default = read_file(default_file(), limit=MAX_POLICY_BYTES) or b""
    return compile_sources((("default", default_file(), default), ("user", file, text.encode())))


def policy_from_file(path: str | os.PathLike[str]) -> Policy:
    """The built-in policy with this file over it."""
    return bench_for(os.fspath(path)).policy


def decide_call(
    call: AnyCall,
    *,
    policy: AnyPolicy = None,
    root: str = ROOT,
    home: str = HOME,
    posture: str | None = None,
    at: str | None = None,
    contracts: str | os.PathLike[str] | None = None,
) -> Decision:
    """What is decided about a call.

    call       a command line, a mapping with `tool` and `input`, or a Call
    policy     a Policy, the path of a policy file, or None for the built-in policy
    root       the project folder; it need not exist
    posture    in place of the policy's
    at         the moment for time windows and expiry, such as `2026-12-01T09:00:00Z`
    contracts  the path of a catalogue whose contracts count besides the built-in ones; InputError if it cannot be used
    """
    found = policy if isinstance(policy, Policy) else bench_for(None if policy is None else os.fspath(policy)).policy
    catalogues = Catalogues(None, None, *(() if contracts is None else (os.fspath(contracts),)))
    bench = Bench(policy=found, posture=found.posture if posture is None else Posture.of(posture), contracts=catalogues)
    moment = None if at is None else moment_of(at)
    case = Case(id="call", file="", line=1, call=_call(call, root), root=root, home=home, at=moment)
    decision = judge(case, bench, start(case, bench)).decision
    if catalogues.warnings:  # in a test, a contract that checks nothing is a mistake
        raise InputError("; ".join(catalogues.warnings))
    return decision


def assert_allows(call: AnyCall, *, policy: AnyPolicy = None, **more: Any) -> Decision:
    return _assert("allow", call, policy, None, more)


def assert_asks(call: AnyCall, *, policy: AnyPolicy = None, rule: str | None = None, **more: Any) -> Decision:
    """`rule` is the id of a rule that must be among the reasons."""
    return _assert("ask", call, policy, rule, more)


def assert_denies(call: AnyCall, *, policy: AnyPolicy = None, rule: str | None = None, **more: Any) -> Decision:
    """`rule` is the id of a rule that must be among the reasons."""
    return _assert("deny", call, policy, rule, more)


def _assert(expect: str, call: AnyCall, policy: AnyPolicy, rule: str | None, more: dict[str, Any]) -> Decision:
    decision = decide_call(call, policy=policy, **more)
    reasons = [f"{finding.layer}/{finding.rule}: {finding.text}" for finding in decision.reasons]
    told = "".join(f"\n  {reason}" for reason in reasons)
    if decision.verdict.name not in EXPECTED[expect]:
        raise AssertionError(f"expected {expect}, got {decision.verdict} for {call!r}{told}")
    if rule is not None and not any(f.layer == "rules" and f.rule == rule for f in decision.reasons):
        raise AssertionError(f"the rule `{rule}` is not among the reasons for {call!r}{told}")
    return decision


def _call(call: AnyCall, root: str) -> Call:
    if isinstance(call, Call):
        return call
    if isinstance(call, str):
        return bash(call, root)
    return call_from(freeze(dict(call)), cwd=root)  # type: ignore[arg-type]
