"""Patterns, grants, what may be remembered, and the ids of approvals."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import Approval, approval_for, projection_of
from interlock.approve.glob import is_plain, matches
from interlock.approve.grant import Grant, concerns, covers, why_not
from interlock.approve.keys import key_of_action, remembered
from interlock.bytes.canon import digest
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.verdict import Risk, Verdict
from interlock.policy.model import Policy
from interlock.value import FrozenMap

GLOBS = [
    ("", "", True),
    ("", "a", False),
    ("*", "", True),
    ("*", "a/b", True),
    ("?", "", False),
    ("?", "é", True),
    ("a*", "a", True),
    ("a*c", "abcbc", True),
    ("a*c", "abcb", False),
    ("*a*b*", "xaxbx", True),
    ("**", "x", True),
    ("a?c", "abc", True),
    ("a?c", "ac", False),
    ("[ab]", "a", False),
    ("[ab]", "[ab]", True),
    ("feature/*", "feature/", True),
    ("feature/*", "features", False),
    ("A", "a", False),
    ("a\\*", "a\\b", True),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), GLOBS)
def test_a_glob_knows_two_wildcards_and_no_more(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern, text) is expected
    assert is_plain(pattern) is ("*" not in pattern and "?" not in pattern)


def test_a_hostile_glob_takes_no_more_than_its_lengths_multiplied() -> None:
    assert not matches("*a" * 200 + "b", "a" * 2000)


# --- covers ----------------------------------------------------------------------------------------

PUSH = Action(
    name="git:push",
    target=FrozenMap(
        {"destination": "git.example/team/app", "remote": "origin", "branch": "feature/x", "force": False}
    ),
    effects=(Effect.NETWORK,),
    tags=("external",),
    risk=Risk.MEDIUM,
)
FEATURE_PUSHES = Grant(
    id="feature-pushes",
    kind="capability",
    action="git:push",
    scope=FrozenMap({"destination": "git.example/team/*", "remote": "origin", "branch": "feature/*", "force": "false"}),
    effects=(Effect.NETWORK,),
    tags=("external",),
    risk=Risk.MEDIUM,
    irreversible=False,
)


def push(**changes: Any) -> Action:
    fields = {
        name: changes.pop(name) for name in ("effects", "tags", "risk", "irreversible", "name") if name in changes
    }
    return PUSH.replace(target=FrozenMap({**PUSH.target, **changes}), **fields)


NOT_COVERED: list[tuple[Action, str]] = [
    (push(name="git:pull"), "it is for git:push"),
    (push(branch="main"), "its scope is branch = feature/*, the call's is main"),
    (push(branch=("feature/x", "main")), "its scope is branch = feature/*, the call's is main"),
    (push(force=True), "its scope is force = false, the call's is true"),
    (push(remote="fork"), "its scope is remote = origin, the call's is fork"),
    (
        PUSH.replace(target=FrozenMap({k: v for k, v in PUSH.target.items() if k != "branch"})),
        "the call names no branch",
    ),
    (
        push(destination="evil.example/x"),
        "its scope is destination = git.example/team/*, the call's is evil.example/x",
    ),
    (
        push(destination=("git.example/team/app", "evil.example/x")),
        "its scope is destination = git.example/team/*, the call's is evil.example/x",
    ),
    (
        PUSH.replace(target=FrozenMap({k: v for k, v in PUSH.target.items() if k != "destination"})),
        "where the call goes is not known; only a scope with destination = * covers that",
    ),
    (push(effects=(Effect.NETWORK, Effect.DESTRUCTIVE)), "it was given without the effect destructive"),
    (push(tags=("external", "secret", "new")), "it was given without the mark new, secret"),
    (push(risk=Risk.HIGH), "it was given for risk up to medium, the call's is high"),
    (push(irreversible=True), "it was given for something that can be taken back"),
]


@pytest.mark.parametrize(("action", "why"), NOT_COVERED, ids=[why for _, why in NOT_COVERED])
def test_push_grant_for_feature_branches_does_not_cover(action: Action, why: str) -> None:
    assert why_not(FEATURE_PUSHES, action) == why
    assert not covers(FEATURE_PUSHES, action)


@pytest.mark.parametrize(
    "action",
    [PUSH, push(branch="feature/y"), push(branch=("feature/x", "feature/y")), push(tags=()), push(risk=Risk.LOW)],
)
def test_push_grant_for_feature_branches_covers(action: Action) -> None:
    assert why_not(FEATURE_PUSHES, action) is None


def test_a_once_grant_is_for_one_exact_call_and_covers_no_pattern() -> None:
    once = Grant(id="a", kind="once", binds="ap_1")
    assert why_not(once, PUSH) == "it is for one exact call"
    unbound = Grant(id="a", kind="once", action="*")
    assert not concerns(unbound, PUSH)
    assert not covers(unbound, PUSH)


def test_a_grant_for_a_folder_does_not_follow_a_link_out_of_it() -> None:
    grant = Grant(id="g", kind="capability", action="fs:write", scope=FrozenMap({"path": "/srv/team/data/*"}))
    inside = Action(name="fs:write", target=FrozenMap({"path": "/srv/team/data/a"}))
    linked = Action(name="fs:write", target=FrozenMap({"path": "/srv/team/data/a", "real": "/srv/team/data/b"}))
    out = Action(name="fs:write", target=FrozenMap({"path": "/srv/team/data/a", "real": "/etc/passwd"}))
    assert covers(grant, inside)
    assert covers(grant, linked)
    assert why_not(grant, out) == "its scope is path = /srv/team/data/*, the call's leads to /etc/passwd"
    both = grant.replace(scope=FrozenMap({"path": "/srv/team/data/*", "real": "/etc/*"}))
    assert covers(both, out)


# --- keys and what is remembered -------------------------------------------------------------------


def write(path: str, **more: Any) -> Action:
    return Action(name="fs:write", target=FrozenMap({"path": path, **more}), effects=(Effect.WRITE,), tags=("outside",))


KEYS: list[tuple[Action, str]] = [
    (write("/srv/team/data/a.txt"), "fs:write path=/srv/team/data/a.txt"),
    (write("/repo/src/app/a.py").replace(tags=()), "fs:write path=/repo/src/app/*"),
    (write("/srv/team/data/a.txt").replace(tags=("outside", "own-folder")), "fs:write path=/srv/team/data/*"),
    (write("/srv/team/data/a.txt").replace(effects=(Effect.READ,)), "fs:write path=/srv/team/data/*"),
    (write("/srv/a.txt"), "fs:write path=/srv/a.txt"),
    (write("/a.txt"), "fs:write path=/a.txt"),
    (write("/"), "fs:write path=/"),
    (write("/srv/team/data/a", real="/mnt/a"), "fs:write path=/srv/team/data/a real=/mnt/a"),
    (write("/srv/team/data/*"), "fs:write, this one"),
    (write("/srv/d?ta/a"), "fs:write, this one"),
    (write("/srv/team/data/a", real="/mnt/*"), "fs:write, this one"),
    (Action(name="net:fetch", target=FrozenMap({"host": "a.test", "url": "x"})), "net:fetch host=a.test"),
    (Action(name="net:fetch", target=FrozenMap({"host": "*.test"})), "net:fetch, this one"),
    (Action(name="systemctl:start", target=FrozenMap({"unit": "nginx"})), "systemctl:start unit=nginx"),
    (Action(name="systemctl:start", target=FrozenMap({"unit": ("a", "b")})), "systemctl:start unit=a, b"),
    (Action(name="service:start", target=FrozenMap({"service": "ngin*"})), "service:start, this one"),
    (Action(name="tool:send"), "tool:send"),
    (Action(name="tool:*"), "tool:*, this one"),
    (Action(name="mcp:a?:b"), "mcp:a?:b, this one"),
]


@pytest.mark.parametrize(("action", "key"), KEYS, ids=[key for _, key in KEYS])
def test_the_key_says_what_would_be_granted(action: Action, key: str) -> None:
    assert key_of_action(action) == key


ASK = Finding(
    layer="manifest", rule="confirm", verdict=Verdict.ASK, text="why", actions=(0,), lifted_by=("once", "remembered")
)


def test_what_is_remembered_is_bound_to_what_was_shown() -> None:
    action = write("/srv/team/data/a.txt").replace(risk=Risk.MEDIUM, irreversible=True)
    assert remembered(ASK, (action,), by="ann", reach="folder") == (
        Grant(
            id="remembered:fs:write path=/srv/team/data/a.txt",
            kind="remembered",
            action="fs:write",
            scope=FrozenMap({"path": "/srv/team/data/a.txt"}),
            effects=(Effect.WRITE,),
            tags=("outside",),
            risk=Risk.MEDIUM,
            irreversible=True,
            reach="folder",
            by="ann",
            why="why",
            whole=True,
        ),
    )


def test_a_folder_near_the_root_is_not_granted_whole() -> None:
    (grant,) = remembered(ASK, (write("/srv/a.txt"),), by="ann")
    assert covers(grant, write("/srv/a.txt"))
    assert not covers(grant, write("/srv/b.txt"))
    assert not covers(grant, write("/srv/team/data/a.txt"))


@pytest.mark.parametrize("action", [action for action, key in KEYS if key.endswith("this one")], ids=key_of_action)
def test_wildcards_in_a_name_never_widen_a_grant(action: Action) -> None:
    assert remembered(ASK, (action,), by="ann") == ()


def test_an_ask_that_must_be_asked_each_time_is_not_remembered() -> None:
    assert remembered(ASK.replace(lifted_by=("once", "capability")), (write("/srv/team/data/a"),), by="ann") == ()


def test_all_or_nothing_of_a_finding_is_remembered() -> None:
    finding = ASK.replace(actions=(0, 1))
    assert len(remembered(finding, (write("/srv/team/data/a"), write("/srv/team/more/b")), by="ann")) == 2
    assert remembered(finding, (write("/srv/team/data/a"), write("/srv/more/*")), by="ann") == ()


# --- approvals -------------------------------------------------------------------------------------

ASKED = Call(tool="Write", input=FrozenMap({}), cwd="/p", session="s")


def test_an_approval_id_is_derived_from_everything_it_binds() -> None:
    read = Reading(call="sha256:c", projection="sha256:p", actions=(write("/p/a"),))
    approval = approval_for(ASKED, read, Policy())
    assert approval == Approval(
        projection="sha256:p",
        happens=digest([["fs:write", {"path": "/p/a"}]]),
        folder="/p",
        session="s",
    )
    assert approval.id == approval.replace().id
    assert len(approval.id) == len("ap_") + 32
    changes: list[dict[str, Any]] = [
        {"projection": "sha256:q"},
        {"happens": "sha256:h"},
        {"folder": "/q"},
        {"tool": "sha256:e"},
        {"session": "t"},
        {"scripts": ("sha256:s",)},
        {"run": "nightly"},
    ]
    assert len({approval.id, *(approval.replace(**change).id for change in changes)}) == 1 + len(changes)


def test_an_approval_is_void_once_a_link_leads_elsewhere_but_not_once_a_file_is_there() -> None:
    def signed(action: Action) -> str:
        read = Reading(call="sha256:c", projection="sha256:p", actions=(action,))
        return approval_for(ASKED, read, Policy()).id

    asked = write("/p/a")
    assert signed(asked.replace(target=FrozenMap({"path": "/p/a", "real": "/etc/x"}))) != signed(asked)
    assert signed(asked.replace(tags=("new",))) == signed(asked)


def test_a_bash_call_is_the_same_whatever_its_description_and_timeout_say() -> None:
    call = Call(tool="Bash", input=FrozenMap({"command": "make"}))
    told = call.replace(input=FrozenMap({"command": "make", "description": "Builds", "timeout": 5}))
    assert projection_of(told) == projection_of(call)
    behind = call.replace(input=FrozenMap({"command": "make", "run_in_background": True}))
    assert projection_of(behind) != projection_of(call)
    other = call.replace(tool="Shell")
    assert projection_of(other.replace(input=told.input)) != projection_of(other)
