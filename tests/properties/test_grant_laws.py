"""Laws of grants: none covers more than it showed, and one that shadows another covers all that the other does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.approve.grant import WIDENING, covers
from interlock.approve.pointed import Standing, pointed_out
from interlock.effects import Effect
from interlock.facts import Facts
from interlock.policy.ahead import permitted_ahead
from interlock.reading.bash import follow_bash

WORDS = ("git push", "npm publish", "docker push", "gh pr create", "cargo publish", "npm run build")
PARTS = (
    "--force",
    "--delete",
    "--mirror",
    "--all",
    "--tags",
    "-f",
    "+main",
    ":main",
    "origin",
    "main",
    "feature/x",
    "x",
)
SCOPES: tuple[dict[str, str], ...] = (
    {},
    {"branch": "feature/*"},
    {"branch": "*"},
    {"remote": "origin", "branch": "main", "force": "true"},
)
BEFORE = ("", "sudo ", "GIT_SSH_COMMAND=x ", "cd /tmp && ", "true; ")


@settings(max_examples=FEWER)
@given(
    st.sampled_from(WORDS),
    st.sampled_from(SCOPES),
    st.sampled_from(BEFORE),
    st.lists(st.sampled_from(PARTS), max_size=5),
)
def test_a_grant_covers_nothing_beyond_what_it_showed(
    words: str, scope: dict[str, str], before: str, parts: list[str]
) -> None:
    grant = permitted_ahead(words, scope if words == "git push" else {}, by="me")
    found = follow_bash(
        " ".join([before + words, *parts]), cwd="/project", facts=Facts(root="/project", home="/home/u")
    )
    for action in found.actions:
        if not covers(grant, action):
            continue
        assert action.name == grant.action
        assert set(action.effects) <= set(grant.effects)
        assert grant.tags is not None
        assert set(action.tags) <= set(grant.tags)
        assert action.risk <= grant.risk
        assert grant.irreversible or not (action.irreversible or Effect.DESTRUCTIVE in action.effects)
        for field in WIDENING:
            assert action.target.get(field) is not True or field in grant.scope


@settings(max_examples=FEWER)
@given(
    st.lists(st.tuples(st.sampled_from(WORDS[:2]), st.sampled_from(SCOPES)), min_size=2, max_size=2),
    st.lists(st.sampled_from(PARTS), max_size=4),
)
def test_what_shadows_a_grant_covers_all_that_it_covers(
    given_: list[tuple[str, dict[str, str]]], parts: list[str]
) -> None:
    grants = [
        permitted_ahead(words, scope if words == "git push" else {}, by="me").replace(id=f"g{at}")
        for at, (words, scope) in enumerate(given_)
    ]
    points = pointed_out([Standing(grant=grant, place="session s") for grant in grants], (), 1)
    shadowed = {point.grant for point in points if point.kind == "shadowed"}
    assert len(shadowed) < len(grants)
    for at, (words, _) in enumerate(given_):
        if grants[at].id in shadowed:
            line = " ".join([words, *parts])
            for action in follow_bash(line, cwd="/p", facts=Facts(root="/p", home="/home/u")).actions:
                assert not covers(grants[at], action) or covers(grants[1 - at], action)
