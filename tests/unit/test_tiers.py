"""Which tier an action is in, and how far a file may move it."""

from __future__ import annotations

import pytest

from interlock.evals.lexical import bench_for
from interlock.layers.tiers import tier_of, tiers
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.policy.model import ApprovalMode, Policy, Tiers, ToolSpec
from interlock.store.home.files import read_file
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")


def action(name: str, *marks: str, effects: str = "read") -> Action:
    kinds = tuple(Effect.of(effect) for effect in effects.split())
    return Action(name=name, tags=marks, effects=kinds, field="command")


def policy(*, user: str = "", project: str = "", trusted: bool = False) -> Policy:
    raw = read_file(default_file(), limit=1 << 20)
    assert raw is not None
    files = [("default", "default.toml", raw)]
    for name, text in (("user", user), ("project", project)):
        if text:
            files.append((name, f"{name}.toml", b"version = 1\n[tiers]\n" + text.encode()))
    return compile_policy(tuple(files), project_trusted=trusted)


def tier(act: Action, **files: str) -> int:
    return tier_of(act, policy(**files).tiers)[0]  # type: ignore[arg-type]


PUSH = action("git:push", "external", "sends", effects="network")
FORCED = action("git:push", "external", "history", "sends", effects="network destructive")
DELETE = action("fs:delete", effects="destructive")
OUTSIDE = action("fs:write", "outside", effects="write")


@pytest.mark.parametrize(
    ("act", "expected", "why"),
    [
        (action("fs:read"), 1, ""),
        (action("fs:read", "outside"), 1, ""),
        (action("fs:read", "secret"), 3, "secret"),
        (action("fs:write", effects="write"), 1, ""),
        (OUTSIDE, 3, "outside"),
        (DELETE, 3, "destructive"),
        (action("fs:delete", "created", effects="destructive"), 1, ""),
        (action("fs:delete", "created", "guard", effects="destructive"), 3, "destructive"),
        (action("fs:delete", "outside", "temp", effects="destructive"), 3, "outside"),
        (
            action("fs:delete", "uncommitted", effects="destructive"),
            3,
            "uncommitted",
        ),
        (action("proc:spawn", effects="spawn"), 2, "spawn"),
        (action("pkg:install", "install", effects="network execute"), 2, "install"),
        (action("exec:frob", "unknown", effects="execute"), 2, "unknown"),
        (PUSH, 2, "external"),
        (FORCED, 3, "destructive"),
        (action("net:send", "secret", "sends", effects="network"), 3, "secret"),
        (action("gh:release", "external", effects="network"), 3, "external"),
    ],
    ids=lambda value: value.name if isinstance(value, Action) else None,
)
def test_the_built_in_tiers(act: Action, expected: int, why: str) -> None:
    assert tier_of(act, bench_for().policy.tiers) == (expected, why)


@pytest.mark.parametrize(
    ("text", "act", "expected"),
    [
        ('actions = { "git:push" = 1 }', PUSH, 1),
        ('actions = { "git:push" = 1 }', FORCED, 3),  # forcing is lowered by its own entries only
        ('actions = { "git:*" = 1 }', PUSH, 2),  # the name itself is closer than the pattern
        ('actions = { "gh:*" = 1 }', action("gh:release", "external", effects="network"), 1),
        ('actions = { "gh:*" = 3, "gh:re*" = 2 }', action("gh:release", "external", effects="network"), 2),
        ("effects = { destructive = 2 }", DELETE, 2),
        ("marks = { outside = 2 }", OUTSIDE, 2),
        ("marks = { regenerable = 3 }", action("fs:read", "regenerable"), 3),
    ],
)
def test_a_person_moves_things_between_tiers(text: str, act: Action, expected: int) -> None:
    assert tier(act, user=text) == expected


@pytest.mark.parametrize(
    ("text", "act", "expected"),
    [
        ('actions = { "git:push" = 1 }', PUSH, 2),
        ('actions = { "git:*" = 3 }', PUSH, 3),
        ('actions = { "gh:*" = 1 }', action("gh:release", "external", effects="network"), 3),
        ("effects = { destructive = 1, write = 2 }", DELETE, 3),
        ("effects = { destructive = 1, write = 2 }", action("fs:write", effects="write"), 2),
        ("marks = { outside = 1, sends = 3 }", OUTSIDE, 3),
        ("marks = { outside = 1, sends = 3 }", action("net:post", "sends", effects="network"), 3),
    ],
)
def test_a_project_only_moves_them_up(text: str, act: Action, expected: int) -> None:
    assert tier(act, project=text) == expected


def test_a_trusted_project_moves_them_as_a_person_does() -> None:
    moved = policy(project='actions = { "git:push" = 1 }', trusted=True)
    assert tier_of(PUSH, moved.tiers)[0] == 1


def test_a_project_cannot_widen_the_permissive_mode() -> None:
    assert policy(project="permissive = 3").tiers.permissive == 2
    assert policy(user="permissive = 3").tiers.permissive == 3


@pytest.mark.parametrize(
    ("mode", "permissive", "expected"),
    [
        ("default", 2, ["tier-2 ask", "tier-3 ask"]),
        ("permissive", 2, ["tier-3 ask"]),
        ("permissive", 3, []),
        ("strict", 2, ["tier-2 ask", "tier-3 deny"]),
        ("strict", 3, ["tier-2 ask", "tier-3 deny"]),
    ],
)
def test_what_each_mode_makes_of_the_tiers(mode: str, permissive: int, expected: list[str]) -> None:
    table = Tiers(marks=FrozenMap({"two": 2, "three": 3}), permissive=permissive)
    read = Reading(
        call="c", projection="p", actions=(action("a:one"), action("a:two", "two"), action("a:three", "three"))
    )
    found = tiers(CALL, read, Policy(approval_mode=ApprovalMode.of(mode), tiers=table), Session(), ())
    assert [f"{finding.rule} {finding.verdict}" for finding in found] == expected


def test_the_finding_names_the_action_and_what_would_satisfy_it() -> None:
    read = Reading(call="c", projection="p", actions=(PUSH,))
    assert tiers(CALL, read, bench_for().policy, Session(), ()) == [
        Finding(
            layer="tiers",
            rule="tier-2",
            verdict=bench_for().policy.unregistered,  # ask
            text="Push commits: other people will see it.",
            instead="Prepare it and tell the person what is ready; they can send it. `git log --oneline --branches "
            "--not --remotes` shows what would happen, and is allowed.",
            why="other people will see it",
            actions=(0,),
            grant="git:push",
            lifted_by=("once", "capability", "remembered"),
        )
    ]


def test_what_the_manifest_declares_is_not_tiered() -> None:
    read = Reading(call="c", projection="p", actions=(OUTSIDE.replace(field="file_path"),))
    assert tiers(CALL, read, bench_for().policy, Session(), ()) == []


@pytest.mark.parametrize("mark", ["", "created"])
def test_a_file_is_removed_under_the_same_tier_whatever_tool_removes_it(mark: str) -> None:
    removed = DELETE.replace(field="input", tags=(mark,) if mark else ())
    read = Reading(call="c", projection="p", actions=(removed,))
    found = tiers(CALL.replace(tool="apply_patch"), read, bench_for().policy, Session(), ())
    assert [finding.rule for finding in found] == ([] if mark else ["tier-3"])


def test_what_an_argument_is_told_to_mean_is_tiered_as_if_it_were_typed() -> None:
    spec = ToolSpec(name="mcp__box__run", effects=Effect.members, args=FrozenMap({"script": "command"}))
    known = policy().replace(tools=FrozenMap({spec.name: spec}))
    acts = tuple(PUSH.replace(field=field) for field in ("script", "", "elsewhere"))
    found = tiers(CALL.replace(tool=spec.name), Reading(call="c", projection="p", actions=acts), known, Session(), ())
    assert [finding.actions for finding in found] == [(0,)]
