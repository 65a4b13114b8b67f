"""A policy for a newer version: a key that is not known is told, and what its table governs asks at least."""

from __future__ import annotations

from pathlib import Path

import pytest

import interlock.policy
from interlock import __version__
from interlock.model.errors import PolicyError
from interlock.policy.compile import compile_policy
from interlock.policy.meaning import doubts_of
from interlock.policy.model import Policy
from interlock.policy.parse import parse_policy
from interlock.testing import AnyCall, decide_call

DEFAULT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()
WRITE, READ, TESTS, ECHO, PLANT = "write", "read", "pytest -q", "echo hi", "planter --now"
CALLS: dict[str, AnyCall] = {
    WRITE: {"tool": "Write", "input": {"file_path": "a", "content": "x"}},
    READ: {"tool": "Read", "input": {"file_path": "a"}},
    **{line: line for line in (TESTS, ECHO, PLANT)},
}

_PLANTER = '[commands.planter]\neffects = ["write"]\n'
_RULE = '[[rules]]\nid = "r"\nreason = "No."\nverdict = "deny"\n'


def policy_of(text: str, name: str = "user") -> Policy:
    return compile_policy((("default", "default.toml", DEFAULT), (name, "p.toml", f"version = 1\n{text}".encode())))


def verdict(policy: Policy, name: str) -> str:
    return decide_call(CALLS[name], policy=policy).verdict.name


# what the policy says -> calls, each with what it comes to
MEANT = {
    'future = "x"': {WRITE: "ask", TESTS: "ask", READ: "allow", ECHO: "allow"},
    "[futures]\nx = 1": {WRITE: "ask", READ: "allow"},
    "[risk]\ncooling = true": {WRITE: "ask", READ: "allow"},
    "[approvals]\nquorum = 2": {WRITE: "ask", READ: "allow"},
    "[tools.Write]\nsealed = true": {WRITE: "ask", TESTS: "allow", READ: "allow"},
    _PLANTER: {PLANT: "allow"},
    _PLANTER + "depth = 3": {PLANT: "ask", WRITE: "allow"},
    _RULE + 'severity = "x"\nwhen = { tool = "Write" }': {WRITE: "deny", TESTS: "allow"},
    _RULE + 'when = { tool = "Write", moon = "full" }': {WRITE: "deny", TESTS: "allow"},
    _RULE + 'when = { moon = "full" }': {WRITE: "ask", TESTS: "ask", READ: "allow"},
    _RULE + 'when = { tool = "Write" }\nunless = { moon = "full", place = ["project"] }': {WRITE: "deny"},
    _RULE + 'when = { tool = "Write", moon = "full" }\nignores = [{ tool = "Write", input = { file_path = "a" } }]': {
        WRITE: "deny"
    },
    '[consult]\nendpoint = "http://127.0.0.1:1/v1"\nmodel = "m"\nfamily = "f"\nagent_family = "g"\nmood = 1': {
        WRITE: "allow"
    },
}


@pytest.mark.parametrize("source", ["managed", "user"])
@pytest.mark.parametrize("text", MEANT, ids=[text.replace("\n", "; ")[:60] for text in MEANT])
def test_what_a_key_that_is_not_known_is_about_asks_at_least(text: str, source: str) -> None:
    policy = policy_of(text, source)
    assert {name: verdict(policy, name) for name in MEANT[text]} == MEANT[text]


def test_a_grant_with_such_a_key_does_not_count_and_a_store_is_not_used() -> None:
    grant = '[[grants]]\nid = "g"\naction = "fs:write"\n'
    assert [len(policy_of(text).grants) for text in (grant, grant + "quorum = 2\n")] == [1, 0]
    store = '[store]\nurl = "postgresql://a@db.example/x"\n'
    assert [policy_of(text).store for text in (store, store + "shards = 2\n")] == ["postgresql://a@db.example/x", ""]


@pytest.mark.parametrize("name", ["managed", "user"])
def test_it_is_told_with_its_place_and_is_an_error_for_policy_check(name: str) -> None:
    raw = b"version = 1\n[risk]\nmaks = 1\n"
    source = parse_policy(raw, name=name, file="p.toml")
    told = [str(problem) for problem in doubts_of(source, policy_of("[risk]\nmaks = 1\n", name), "").mistakes]
    assert told == ["p.toml:3:1: unknown key `maks`; did you mean `max`?"]


def test_in_a_project_it_is_an_error() -> None:
    with pytest.raises(PolicyError, match=r"p\.toml:2:1: unknown key `future`"):
        policy_of("future = 1\n", "project")


def test_nobody_below_takes_the_asking_away() -> None:
    files = (
        ("default", "default.toml", DEFAULT),
        ("managed", "m.toml", b"version = 1\nfuture = 1\n"),
        ("user", "u.toml", b'version = 1\napproval_mode = "permissive"\n'),
    )
    assert verdict(compile_policy(files), WRITE) == "ask"


# min_engine -> whether this version may use the file; this is 0.4.0
ENGINES = {"0.2": True, "0.4": True, "0.4.0": True, "0": True, "0.4.1": False, "0.10": False, "1": False}


@pytest.mark.parametrize(("wanted", "usable"), ENGINES.items())
def test_a_file_says_from_which_version_on_it_is_meant(wanted: str, usable: bool) -> None:
    text = f'min_engine = "{wanted}"\nfuture = {{ x = 1 }}\n'
    if usable:
        assert policy_of(text).faults == ()
        return
    with pytest.raises(PolicyError) as error:
        policy_of(text + 'posture = "asleep"\n')
    said = f"this policy needs Interlock {wanted} or newer (`min_engine`); this is {__version__}"
    assert [str(problem) for problem in error.value.problems] == [f"p.toml:2:1: {said}"]


def test_a_version_that_is_none_is_told() -> None:
    with pytest.raises(PolicyError, match="`min_engine` must be a version of Interlock"):
        policy_of('min_engine = "soon"\n')
