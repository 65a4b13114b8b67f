"""What we say that a `git push` updates, held against git itself: each way to write one, in each state of a repository.

Rules and grants are held against the same answer: a rule for main stops whatever updates main, and a grant for feature
branches covers nothing else.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.glob import matches
from interlock.approve.grant import Grant, covers
from interlock.model.verdict import Verdict
from interlock.policy.model import Rule, When
from interlock.policy.rules import rule_matches, unsettled
from interlock.reading.resolve.value import AllOf, Exactly, may_be, read
from interlock.value import FrozenMap
from pushes import SPELLINGS, STATES, agrees, by_git, made, pushed

_PARTS = 5
MAIN = Rule(
    id="main",
    when=When(action="git:push*", target=FrozenMap({"branch": "main"})),
    verdict=Verdict.DENY,
    reason="Main is pushed by the pipeline.",
)
FEATURES = Grant(
    id="g", kind="capability", action="git:push", scope=FrozenMap({"branch": "feature/*", "destination": "*"})
)
# Made so that more is updated than a grant may cover, whichever branch it is.
_WIDE = ("all", "mirror", "force", "delete", "prune", "tags")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("state", STATES)
def test_a_push_updates_what_git_says(state: str, part: int, tmp_path: Path) -> None:
    project = made(tmp_path, state)
    wrong = []
    for command in SPELLINGS[part::_PARTS]:
        action, gits = pushed(project, command), by_git(project, command)
        ours = read(action.target.get("branch"))
        if not agrees(ours, gits):
            wrong.append(f"{command}: git updates {sorted(gits)}, we say {ours}")
        if "main" in gits and not rule_matches(MAIN, action, str(project)):
            wrong.append(f"{command}: the rule for main misses it")
        if "main" in may_be(ours) and unsettled(MAIN, action, str(project)) is not None:
            wrong.append(f"{command}: the rule for main only asks")
        inside = bool(gits) and all(matches("feature/*", ref) for ref in gits)
        if gits and not inside and covers(FEATURES, action):
            wrong.append(f"{command}: a grant for feature branches covers it")
        plain = type(ours) in (Exactly, AllOf) and not any(action.target.get(field) for field in _WIDE)
        if inside and plain and not covers(FEATURES, action):
            wrong.append(f"{command}: a grant for feature branches does not cover it")
    assert not wrong, "\n".join(wrong)


def test_the_branch_that_is_meant_is_the_same_in_every_spelling(tmp_path: Path) -> None:
    project = made(tmp_path, "on main")
    ways = [
        "HEAD", "@", "main", "heads/main", "refs/heads/main", "+main", "main:main", '"$(git branch --show-current)"',
        "$(git rev-parse --abbrev-ref HEAD)", "HEAD:main", "feature/x:refs/heads/main",
    ]  # fmt: skip
    said = {way: pushed(project, f"git push origin {way}").target["branch"] for way in ways}
    assert said == dict.fromkeys(ways, "main")
