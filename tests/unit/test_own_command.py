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
    "interlock store machines --json": "allow",
    "interlock store machines --to postgresql://log.example/x": "ask",
    "interlock store status --to=postgresql://log.example/x": "ask",
    "interlock telemetry status --json": "allow",
    "interlock telemetry run": "deny",
    "interlock telemetry run --once --config /tmp/mine.toml": "deny",
    "interlock eval run packs --quiet": "allow",
    "interlock eval show packs/a.json 3": "allow",
    "interlock eval diff a.json b.json --most 3": "allow",
    "interlock eval packs --json": "allow",
    "interlock eval run --pack git --baseline off --by tool --gate 'pass_rate>=1'": "allow",
    "interlock eval run --trend runs.sqlite --note 'after the change'": "allow",
    "interlock eval run --trend ~/.claude/settings.json": "deny",
    "interlock eval trend runs.sqlite --html trend.html": "allow",
    "interlock eval trend runs.sqlite --html .claude/settings.json": "deny",
    "interlock eval run packs --results out.json": "allow",
    "interlock eval run packs --results ~/.claude/settings.json": "deny",
    "interlock eval run packs --results=.claude/settings.json": "deny",
    "interlock eval scoreboard packs --failures ~/.claude/settings.json": "deny",
}


@pytest.mark.parametrize(("line", "verdict"), VERDICTS.items())
def test_what_an_agent_may_do_with_it(line: str, verdict: str) -> None:
    assert decide_call(line).verdict.name == verdict
