"""An agent changes nothing of the shield, through whichever door."""

from __future__ import annotations

import pytest

from interlock.testing import decide_call

FOLDER = "/home/user/.claude/skills/interlock-0123456789abcdef"
CALLS = (
    ("Write", {"file_path": f"{FOLDER}/hooks/shield.js", "content": ""}),
    ("Write", {"file_path": f"{FOLDER}/new.txt", "content": ""}),
    ("Edit", {"file_path": f"{FOLDER}/.claude-plugin/plugin.json", "old_string": "a", "new_string": "b"}),
    ("Bash", {"command": f"rm -rf {FOLDER}"}),
    ("Bash", {"command": f"mv {FOLDER} /tmp/x"}),
    ("Bash", {"command": "rm -rf ~/.claude/skills/interlock-*"}),
    ("Bash", {"command": f"cp x.js {FOLDER}/hooks/shield.js"}),
    ("Bash", {"command": f"ln -sf /tmp/x {FOLDER}/hooks"}),
    ("Bash", {"command": f"python3 -c \"open('{FOLDER}/hooks/shield.js','w')\""}),
    ("Bash", {"command": "echo {} > ~/.local/state/interlock/shield.json"}),
    ("Bash", {"command": "interlock mods admit evil --yes"}),
)


@pytest.mark.parametrize(("tool", "given"), CALLS, ids=[str(next(iter(given.values())))[:60] for _, given in CALLS])
def test_the_shield_is_not_an_agent_s_to_change(tool: str, given: dict[str, str]) -> None:
    decided = decide_call({"tool": tool, "input": given, "cwd": "/repo"})
    assert (decided.verdict.name, decided.reasons[0].layer) == ("deny", "floor"), decided.reasons


def test_a_skill_beside_it_stays_an_ordinary_one() -> None:
    path = "/home/user/.claude/skills/interlocking/SKILL.md"
    assert decide_call({"tool": "Read", "input": {"file_path": path}, "cwd": "/repo"}).verdict.name == "allow"
    decided = decide_call({"tool": "Write", "input": {"file_path": path, "content": ""}, "cwd": "/repo"})
    assert decided.verdict.name == "ask"
