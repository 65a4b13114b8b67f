"""Our own command from an agent: looking is free, talking to another machine asks, changing anything is refused."""

from __future__ import annotations

import pytest

from interlock.testing import decide_call

VERDICTS = {
    "interlock audit verify": "allow",
    "interlock audit verify --quick --json": "allow",
    "interlock audit verify --against https://log.example/?x=1": "ask",
    "interlock audit verify --against=git:/srv/heads.git": "ask",
    "interlock audit tail": "allow",
    "interlock audit heads send": "deny",
    "interlock bundle show": "allow",
    "interlock bundle verify a.bundle": "allow",
    "interlock bundle install a.bundle": "deny",
    "interlock bundle fetch https://policy.example/a": "deny",
    "interlock store machines": "allow",
}


@pytest.mark.parametrize(("line", "verdict"), VERDICTS.items())
def test_what_an_agent_may_do_with_it(line: str, verdict: str) -> None:
    assert decide_call(line).verdict.name == verdict
