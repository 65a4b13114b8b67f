"""Who a person is, as the policy says it: one identity is one person's, and where two are needed, two can sign."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import PolicyError
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.policy.people import Role, person_from, person_of, who_can_sign
from interlock.policy.wire import compiled_lines, policy_from_lines, policy_from_wire, policy_to_wire
from interlock.store.home.policies import default_file

ANN = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
BOB = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4e"
PEOPLE = """
[people.ann]
logins = ["ann", "ann2"]
signers = ["ann@laptop"]
oidc = ["ann@acme.example"]
slack = ["U1"]
role = "admin"
[people.bob]
signers = ["bob@laptop"]
"""
KEYS = f'keys = ["{ANN} ann@laptop", "{BOB} bob@laptop"]'
TWO = 'two_for = ["npm:publish"]'


def policy_of(**files: str) -> Policy:
    default = Path(default_file())
    given = [(name, f"{name}.toml", f"version = 1\n{text}\n".encode()) for name, text in files.items()]
    return compile_policy((("default", default.name, default.read_bytes()), *given))


def problems(**files: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        policy_of(**files)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("surface", "identity", "name"),
    [
        ("login", "ann", "ann"),
        ("login", "ann2", "ann"),
        ("signer", "ann@laptop", "ann"),
        ("oidc", "ann@acme.example", "ann"),
        ("slack", "U1", "ann"),
        ("signer", "bob@laptop", "bob"),
        ("login", "bob", "login:bob"),
        ("login", "U1", "login:U1"),
        ("token", "ann", "token:ann"),
    ],
)
def test_an_identity_is_its_person_or_itself_with_its_kind(surface: str, identity: str, name: str) -> None:
    policy = policy_of(user=PEOPLE)
    assert person_of(policy, surface, identity) == person_from(policy, f"{surface}:{identity}") == name
    assert policy.people["ann"].role is Role.ADMIN
    assert policy.people["bob"].role is Role.APPROVER


def test_an_identity_is_one_persons_and_the_place_of_the_second_is_told() -> None:
    assert problems(user='[people.ann]\nlogins = ["ann"]\n[people.eve]\nslack = ["U2"]\nlogins = ["ann"]') == [
        "user.toml:6:1: `ann` is in the `logins` of `ann` already; one person has it"
    ]


@pytest.mark.parametrize("name", ['"login:ann"', '" "', f'"{"x" * 61}"'])
def test_a_name_cannot_be_taken_for_an_identity(name: str) -> None:
    assert "is no name of a person" in problems(user=f"[people.{name}]\nlogins = ['x']")[0]


def test_a_project_does_not_say_who_is_who() -> None:
    assert problems(project=PEOPLE) == ["project.toml:3:1: `people` is for your own or managed policy only"]


def test_where_managed_policy_names_people_only_those_count() -> None:
    policy = policy_of(managed=PEOPLE, user='[people.eve]\nlogins = ["ann"]')
    assert [*policy.people] == ["ann", "bob"]
    assert policy.notices == ("user.toml: managed policy holds back people",)


def test_people_alone_leave_the_digest_as_it_is_and_are_kept_in_the_compiled_file() -> None:
    plain, named = policy_of(user=""), policy_of(user=PEOPLE)
    assert (named.digest, "people" in policy_to_wire(named)) == (plain.digest, False)
    assert policy_from_lines(compiled_lines(named)) == named


def test_where_two_are_needed_people_are_part_of_the_digest() -> None:
    policy = policy_of(managed=f"[approvals]\n{KEYS}\n{TWO}\n{PEOPLE}")
    other = policy_of(managed=f"[approvals]\n{KEYS}\n{TWO}\n{PEOPLE.replace('U1', 'U2')}")
    assert policy.digest != other.digest
    assert policy_from_wire(policy_to_wire(policy), digest=policy.digest) == policy
    assert policy_from_lines(compiled_lines(policy)) == policy


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"user": f"[approvals]\n{TWO}"}, "so far: nobody"),
        ({"managed": f"[approvals]\n{KEYS}\n{TWO}"}, "so far: nobody"),
        ({"managed": f'[approvals]\n{KEYS}\n{TWO}\n[people.ann]\nsigners = ["ann@laptop", "bob@laptop"]'}, "far: ann"),
        ({"managed": f'[approvals]\nkeys = ["{ANN} ann@laptop", "{ANN} bob@laptop"]\n{TWO}\n{PEOPLE}'}, "far: ann"),
        ({"managed": f'[approvals]\nkeys = ["{ANN} ann@laptop"]\n{TWO}\n{PEOPLE}'}, "far: ann"),
        ({"managed": f"[approvals]\n{KEYS}\n{TWO}", "user": PEOPLE}, "`[people.NAME]` has to stand there too"),
        ({"user": PEOPLE, "project": f"[approvals]\n{TWO}"}, "so far: nobody"),
    ],
)
def test_two_are_not_asked_for_where_two_cannot_show_who_they_are(files: dict[str, str], told: str) -> None:
    (found,) = problems(**files)
    assert told in found


def test_a_project_may_ask_for_two_where_they_can_be_had_and_takes_none_away() -> None:
    managed = f"[approvals]\n{KEYS}\n{TWO}\n{PEOPLE}"
    assert policy_of(managed=managed, project='[approvals]\ntwo_for = ["git:push"]').two_for == (
        "git:push",
        "npm:publish",
    )
    assert policy_of(managed=managed, user="[approvals]\ntwo_for = []").two_for == ("npm:publish",)


def test_who_can_sign_has_a_pinned_key() -> None:
    policy = policy_of(managed=PEOPLE)
    assert who_can_sign(policy.people, (f"{BOB} bob@laptop", f"{ANN} somebody")) == ("bob",)
