"""Several policy files in force together: a lower one can only tighten what a higher one left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import interlock.policy
from chance import FEWER
from interlock.bytes.canon import canonical, digest
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.merge import merge
from interlock.policy.model import Policy, ToolSpec
from interlock.policy.parse import Source, parse_policy
from interlock.policy.wire import policy_from_wire, policy_to_wire
from interlock.reading.read import read_call
from interlock.store.clock import live_grants
from interlock.value import FrozenMap
from strategies import Case, cases_without_an_approval, policy_tables, policy_texts, to_toml

DEFAULT_TEXT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()
DEFAULT = parse_policy(DEFAULT_TEXT, name="default", file="default.toml")
PINS = ("tools", "grants", "risk", "posture", "approval_mode", "tiers", "loop", "budget", "approvals")

CALLS = (
    Call(tool="Read", input=FrozenMap({"file_path": "/p/a"}), cwd="/p"),
    Call(tool="Read", input=FrozenMap({"file_path": "/p/.env"}), cwd="/p"),
    Call(tool="Write", input=FrozenMap({"file_path": "/q/a"}), cwd="/p"),
    Call(tool="WebFetch", input=FrozenMap({"url": "https://mail.test/"}), cwd="/p"),
    Call(tool="Bash", input=FrozenMap({"command": "ls"}), cwd="/p"),
    Call(tool="send_email", input=FrozenMap({}), cwd="/p"),
    Call(tool="new.tool", input=FrozenMap({}), cwd="/p"),
)


def source(raw: bytes, name: str) -> Source:
    return parse_policy(raw, name=name, file=f"{name}.toml")


def verdict_of(call: Call, policy: Policy, posture: Posture) -> Verdict:
    """The whole way: the policy's own declarations bear on the reading, its own grants on the verdict."""
    facts = Facts(
        root="/p",
        home="/home/u",
        declared=declared_tool(policy, call.tool),
        real=FrozenMap({path: path for path in ("/p/a", "/p/.env", "/q/a")}),
    )
    grants = live_grants(policy, "2026-01-01T00:00:00Z")
    return decide(call, read_call(call, facts), policy, Session(posture=posture), grants).verdict


def assert_only_tighter(loose: Policy, tight: Policy, case: Case) -> None:
    posture = case.session.posture
    for call in CALLS:
        assert verdict_of(call, tight, posture) >= verdict_of(call, loose, posture), (call, posture)
    before = decide(case.call, case.reading, loose, case.session, case.grants)
    after = decide(case.call, case.reading, tight, case.session, case.grants)
    assert after.verdict >= before.verdict


@given(policy_texts, policy_texts, cases_without_an_approval)
def test_lower_sources_only_tighten(user: bytes, project: bytes, case: Case) -> None:
    without = merge(DEFAULT, user=source(user, "user"))
    with_project = merge(DEFAULT, user=source(user, "user"), project=source(project, "project"))
    assert_only_tighter(without, with_project, case)
    assert with_project.posture >= without.posture
    assert with_project.grants == without.grants


@given(policy_tables(), policy_texts, policy_texts, cases_without_an_approval)
def test_nobody_loosens_what_managed_policy_pinned(
    managed: dict[str, Any], user: bytes, project: bytes, case: Case
) -> None:
    over = source(to_toml({**managed, "pin": list(PINS)}), "managed")
    alone = merge(DEFAULT, managed=over)
    below = merge(
        DEFAULT,
        managed=over,
        user=source(user, "user"),
        project=source(project, "project"),
        project_trusted=True,
    )
    assert_only_tighter(alone, below, case)
    assert below.grants == alone.grants


TIGHTER: dict[str, Callable[[Policy], int]] = {
    "posture": lambda policy: policy.posture.rank,
    "approval_mode": lambda policy: policy.approval_mode.rank,
    "risk.max": lambda policy: -policy.risk_max.rank,
    "risk.allow_critical": lambda policy: not policy.allow_critical,
    "risk.ask_at": lambda policy: -policy.ask_at.rank,
    "risk.unregistered": lambda policy: policy.unregistered.rank,
    "loop.enforce": lambda policy: policy.loop_enforce,
    "loop.repeat": lambda policy: -policy.loop_repeat,
    "loop.lock": lambda policy: -policy.loop_lock,
    "loop.pace": lambda policy: policy.loop_pace,
    "loop.polls": lambda policy: -policy.loop_polls,
    "loop.pending": lambda policy: -policy.loop_pending,
    "budget.over": lambda policy: policy.budget_over.rank,
    "budget.network": lambda policy: -policy.budgets.get("network", 10**9),
    "approvals.allow_phrases": lambda policy: not policy.allow_phrases,
    "approvals.phrases": lambda policy: -len(policy.phrases),
    "approvals.phrase_minutes": lambda policy: -policy.phrase_minutes,
}


def permitted(spec: ToolSpec) -> set[Posture]:
    return set(Posture.members if spec.postures is None else spec.postures)


@given(policy_tables(), policy_texts, st.sampled_from(["risk.max", "tools.Bash.risk", "tools.Read", "approval_mode"]))
def test_what_managed_policy_sets_is_pinned_one_by_one(managed: dict[str, Any], user: bytes, pin: str) -> None:
    over = source(to_toml({**managed, "pin": [pin]}), "managed")
    alone, below = merge(DEFAULT, managed=over), merge(DEFAULT, managed=over, user=source(user, "user"))
    for setting, tightness in TIGHTER.items():
        if setting in over.settings or setting == pin:
            assert tightness(below) >= tightness(alone), setting
    pinned = [*over.tools, "Read"] if pin == "tools.Read" else list(over.tools)
    for tool in pinned:
        was, now = alone.tools[tool], below.tools[tool]
        assert now.risk >= was.risk
        assert now.irreversible >= was.irreversible
        assert set(now.confirm) >= set(was.confirm)
        assert set(now.effects) == set(was.effects)
        assert permitted(now) <= permitted(was)
    if pin == "tools.Bash.risk":
        assert below.tools["Bash"].risk >= alone.tools["Bash"].risk


@settings(max_examples=FEWER)
@given(policy_texts)
def test_an_unset_key_is_left_as_it_was(user: bytes) -> None:
    given = source(user, "user")
    policy, default = merge(DEFAULT, user=given), merge(DEFAULT)
    for setting, tightness in TIGHTER.items():
        if setting not in given.settings:
            assert tightness(policy) == tightness(default), setting
    assert {name: spec for name, spec in policy.tools.items() if name not in given.tools} == {
        name: spec for name, spec in default.tools.items() if name not in given.tools
    }


@settings(max_examples=FEWER)
@given(policy_texts, policy_texts, st.booleans())
def test_a_policy_survives_the_way_through_its_cache(user: bytes, project: bytes, trusted: bool) -> None:
    policy = merge(DEFAULT, user=source(user, "user"), project=source(project, "project"), project_trusted=trusted)
    wire = canonical(policy_to_wire(policy))
    assert policy.digest == digest(policy_to_wire(policy))
    again = policy_from_wire(parse_object(wire), digest=policy.digest, notices=policy.notices)
    assert again == policy
    assert canonical(policy_to_wire(again)) == wire


@settings(max_examples=FEWER)
@given(policy_texts, policy_texts, st.booleans())
def test_the_same_files_compile_to_the_same_policy(user: bytes, project: bytes, trusted: bool) -> None:
    files = (
        ("default", "default.toml", b"version = 1\n[tools.Read]\neffects = ['read']\n"),
        ("user", "u.toml", user),
        ("project", "p.toml", project),
    )
    first = compile_policy(files, project_trusted=trusted)
    assert first == compile_policy(files, project_trusted=trusted)
    assert first == compile_policy((files[0], files[2], files[1]), project_trusted=trusted)
