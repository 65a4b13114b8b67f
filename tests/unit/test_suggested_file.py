"""What is suggested is one piece of a policy file, however many suggestions there are."""

from __future__ import annotations

import tomllib

from interlock.history.candidates import Candidate, toml_of, toml_of_all
from interlock.policy.parse import parse_policy
from interlock.value import FrozenMap

TIERS = (Candidate(form="tier", action="git:fetch"), Candidate(form="tier", action='odd:"name"'))
GRANT = Candidate(
    form="grant", action="git:push", scope=FrozenMap({"branch": "feature/*", "destination": "git.example/app"})
)


def test_two_entries_of_one_table_make_one_table() -> None:
    text = toml_of_all((TIERS[0], GRANT, TIERS[1]))
    found = tomllib.loads(text)
    assert found["tiers"] == {"actions": {"git:fetch": 1, 'odd:"name"': 1}}
    assert [grant["action"] for grant in found["grants"]] == ["git:push"]
    assert text.count("[tiers.actions]") == 1


def test_the_piece_is_a_policy_file_with_a_version_before_it() -> None:
    text = "version = 1\n\n" + toml_of_all((TIERS[0], Candidate(form="tier", action="npm:audit"), GRANT))
    parse_policy(text.encode(), name="user", file="policy.toml")


def test_nothing_suggested_is_nothing_and_one_is_what_it_is() -> None:
    assert toml_of_all(()) == ""
    assert toml_of_all((GRANT,)) == toml_of(GRANT)
    assert toml_of_all(TIERS[:1]) == toml_of(TIERS[0])
