"""Which variables count: one list, whoever takes them from where."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import interlock
from interlock.hook.client import sifted
from interlock.model.environment import SIEVE, looked_at, says_where

SOURCE = Path(interlock.__file__).parent
KNOWN = [name for names in SIEVE for name in names]
NAMES = st.one_of(
    st.sampled_from(KNOWN),
    st.sampled_from(KNOWN).map(str.upper),
    st.builds(str.__add__, st.sampled_from(KNOWN), st.sampled_from(["X", "_URL", "__auth"])),
    st.from_regex(r"[A-Za-z_]{1,12}", fullmatch=True),
)


@given(
    st.dictionaries(NAMES, st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=8))
)
def test_what_a_client_sends_says_all_that_its_environment_says(environment: dict[str, str]) -> None:
    lines = [" ".join(names).encode() for names in SIEVE]
    raw = sifted({os.fsencode(name): os.fsencode(value) for name, value in environment.items()}, lines)
    sent = dict([os.fsdecode(one).split("=", 1) for one in raw.split(b"\0") if one])
    assert looked_at(sent) == looked_at(environment)
    assert says_where(sent) == says_where(environment)


def test_every_variable_that_says_where_something_arrives_is_in_the_list() -> None:
    text = "".join([(SOURCE / f"reading/reach/{name}.py").read_text() for name in ("registries", "accounts")])
    called = re.findall(r"look\.(?:env\.get|variable)\(([^)]*)\)", text) + re.findall(
        r"self\.env\.get\(([^)]*)\)", text
    )
    named = {name for words in called for name in re.findall(r'"([a-z_]+)"', words)}
    table = text[text.index("_PYPI: ") :]
    named |= set(re.findall(r'"([a-z]+_[a-z_]+)"', table[: table.index("})")]))
    assert len(named) > 25
    assert named == {*says_where(dict.fromkeys(named, "x"))}
    assert says_where(
        {"CARGO_REGISTRIES_OURS_INDEX": "x", "poetry_repositories_ours_url": "y", "GIT_CONFIG_COUNT": "1"}
    ) == {
        "CARGO_REGISTRIES_OURS_INDEX": "x",
        "poetry_repositories_ours_url": "y",
        "GIT_CONFIG_COUNT": "set",
    }


def test_of_what_may_hold_a_password_it_only_counts_that_it_is_set() -> None:
    given = {
        "npm_config_//registry.example/:_authToken": "s3cret",
        "AWS_ACCESS_KEY_ID": "s3cret",
        "GITHUB_TOKEN": "s3cret",
    }
    assert "s3cret" not in str(says_where(given)) + str(looked_at(given))
