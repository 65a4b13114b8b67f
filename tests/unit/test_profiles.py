"""Profiles: a layer between the built-in policy and the file that names one."""

from __future__ import annotations

import pytest

from interlock.model.errors import PolicyError
from interlock.model.posture import Posture
from interlock.model.verdict import Risk, Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.model import ApprovalMode, Policy
from interlock.policy.schema import PROFILES
from interlock.store.home.files import read_file
from interlock.store.home.policies import compile_sources, default_file, profile_files
from interlock.testing import decide_call, policy_from_text

DEFAULT = ("default", default_file(), read_file(default_file(), limit=10**6) or b"")


def merged(*, trusted: bool = False, **files: str) -> Policy:
    given = tuple((name, f"{name}.toml", b"version = 1\n" + text.encode()) for name, text in files.items())
    return compile_sources((DEFAULT, *given), project_trusted=trusted)


def test_every_profile_is_a_policy_whose_examples_hold() -> None:
    found = profile_files()
    assert ["default", *(name.removeprefix("profile:") for name, _, _ in found)] == list(PROFILES)
    for _, file, raw in found:
        compile_policy((DEFAULT, ("user", file, raw)))  # as a source of its own, so that its examples are checked
        assert len(raw.splitlines()) <= 20
        assert raw.startswith(b"# ")


# call -> verdict under default, careful, autonomous, ci, readonly, serve
CALLS = [
    ("cat README.md", "allow allow allow allow allow allow"),
    ("echo done", "allow allow allow allow allow allow"),
    ("make test", "allow allow allow allow deny allow"),
    ("npm ci", "allow allow allow allow deny allow"),
    ("npm install left-pad", "ask ask deny deny deny ask"),
    ("git push --force origin main", "ask deny deny deny deny ask"),
    ("git push origin x", "ask ask deny deny deny ask"),
    ("rm -rf src", "ask deny deny deny deny ask"),
    ("cat .env", "ask deny deny deny deny ask"),
    ({"tool": "Write", "input": {"file_path": "/repo/a.py", "content": ""}}, "allow allow allow allow deny allow"),
    ({"tool": "mystery", "input": {}}, "ask ask deny deny deny deny"),
]


@pytest.mark.parametrize(("call", "verdicts"), CALLS, ids=[str(call)[:30] for call, _ in CALLS])
def test_what_a_profile_makes_of_a_call(call: str, verdicts: str) -> None:
    decided = [
        decide_call(call, policy=policy_from_text(f'version = 1\nprofile = "{profile}"\n')).verdict.name
        for profile in PROFILES
    ]
    assert " ".join(decided) == verdicts


def test_readonly_denies_changes_in_every_posture() -> None:
    policy = policy_from_text('version = 1\nprofile = "readonly"\n')
    write = {"tool": "Write", "input": {"file_path": "/repo/a.py", "content": ""}}
    decided = {posture: decide_call(write, policy=policy, posture=posture).verdict for posture in Posture.names()}
    assert set(decided.values()) == {Verdict.DENY}


def test_a_profile_counts_less_than_the_file_that_names_it() -> None:
    assert merged(user='profile = "careful"').approval_mode is ApprovalMode.STRICT
    assert merged(user='profile = "careful"\napproval_mode = "permissive"').approval_mode is ApprovalMode.PERMISSIVE
    assert merged(user='profile = "default"') == merged(user="")


def test_a_profile_has_the_rights_of_the_file_that_names_it() -> None:
    loose = 'approval_mode = "permissive"\n[risk]\nunregistered = "allow"'
    named_by_project = merged(user=loose, project='profile = "careful"')
    assert (named_by_project.approval_mode, named_by_project.ask_at) == (ApprovalMode.STRICT, Risk.MEDIUM)
    locked = merged(user='posture = "locked"', project='profile = "autonomous"')  # autonomous would be looser
    assert locked.posture is Posture.LOCKED
    assert merged(user='posture = "locked"', project='profile = "autonomous"', trusted=True).posture is (
        Posture.AUTONOMOUS
    )


def test_what_a_profile_of_managed_policy_sets_is_pinned() -> None:
    policy = merged(managed='profile = "ci"', user='posture = "interactive"\n[risk]\nunregistered = "allow"')
    assert (policy.posture, policy.posture_floor, policy.unregistered) == (
        Posture.AUTONOMOUS,
        Posture.AUTONOMOUS,
        Verdict.DENY,
    )
    assert policy.notices == ("user.toml: managed policy holds back posture, risk.unregistered",)


def test_a_profile_that_is_none_or_not_installed_is_told() -> None:
    with pytest.raises(PolicyError) as caught:
        merged(user='profile = "carefull"')
    assert [str(problem) for problem in caught.value.problems] == [
        "user.toml:2:1: `profile` must be one of default, careful, autonomous, ci, readonly, serve"
    ]
    with pytest.raises(PolicyError) as caught:
        compile_policy((DEFAULT, ("user", "user.toml", b'version = 1\nprofile = "careful"\n')))
    assert [str(problem) for problem in caught.value.problems] == [
        "user.toml:2:1: the profile `careful` is not installed"
    ]
