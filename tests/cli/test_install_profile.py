"""`interlock install --profile`: a line in the person's own policy."""

from __future__ import annotations

import pytest

from machine import Machine
from person import at_a_terminal

POLICIES = {
    "": 'version = 1\nprofile = "careful"\n',
    "version = 1  # mine\n": 'version = 1  # mine\nprofile = "careful"\n',
    'version = 1\nprofile = "ci"\n\n[risk]\nmax = "high"\n': (
        'version = 1\nprofile = "careful"\n\n[risk]\nmax = "high"\n'
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("before", POLICIES, ids=["none", "a version", "another profile"])
def test_a_profile_is_a_line_in_the_persons_policy(machine: Machine, before: str) -> None:
    policy = machine.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    if before:
        policy.write_text(before)
    done = at_a_terminal(machine.home, "install", "claude-code", "--profile", "careful", "--yes")
    assert done.code == 0, done.out
    assert policy.read_text() == POLICIES[before]
    assert '+profile = "careful"' in done.out
    again = at_a_terminal(machine.home, "install", "claude-code", "--profile", "careful", "--yes")
    assert (again.code, policy.read_text()) == (0, POLICIES[before])


def test_a_profile_is_chosen_by_a_person_for_themselves(machine: Machine) -> None:
    policy = machine.home / ".config/interlock/policy.toml"
    done = machine.run("install", "claude-code", "--managed", "--profile", "careful", "--yes")
    assert (done.code, "`--profile` is about your own policy" in done.err) == (64, True)
    assert machine.run("install", "claude-code", "--profile", "unheard", "--yes").code == 64
    assert not policy.exists()
