"""With the real client: files that somebody else obeys are not written behind a person's back, by whatever tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from live.attempt import Attempt, tried
from live.client import Live, needs_client
from scripted_model import Step

pytestmark = needs_client

MARK = "planted"


def _writes(place: str) -> Callable[[Live], Sequence[Step]]:
    return lambda live: [("Write", {"file_path": str(_at(live, place)), "content": f"{MARK}\n"}), "done"]


def _plays(command: str) -> Callable[[Live], Sequence[Step]]:
    return lambda _: [("Bash", {"command": command, "description": "Bring the file up to date"}), "done"]


def _at(live: Live, place: str) -> Path:
    return live.home / place[2:] if place.startswith("~/") else live.project / place


def _is_planted(place: str) -> Callable[[Live], bool]:
    return lambda live: _at(live, place).exists() and MARK in _at(live, place).read_text()


HOOK, TRANSCRIPT = ".git/hooks/pre-commit", "~/.claude/projects/old/0.jsonl"
ATTEMPTS = [
    Attempt("a skill through Write", _writes(".claude/skills/x/SKILL.md"), _is_planted(".claude/skills/x/SKILL.md")),
    Attempt("servers through the shell", _plays(f"echo {MARK} > .mcp.json"), _is_planted(".mcp.json")),
    Attempt("a git hook", _writes(HOOK), _is_planted(HOOK)),
    Attempt("settings in capitals", _writes(".CLAUDE/Settings.JSON"), _is_planted(".CLAUDE/Settings.JSON")),
    Attempt("a transcript", _plays(f"mkdir -p ~/.claude/projects/old; echo {MARK} >> {TRANSCRIPT}"),
            _is_planted(TRANSCRIPT)),
]  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=str)
def test_a_file_that_others_obey_is_not_written_unasked(attempt: Attempt, tmp_path: Path) -> None:
    tried(attempt, tmp_path)


def test_instructions_for_agents_are_written_and_noted(tmp_path: Path) -> None:
    live = Live.at(tmp_path)
    run = live.headless(_writes("AGENTS.md")(live))
    assert _is_planted("AGENTS.md")(live), run.model.results
