"""With the real client: files that somebody else obeys are not written behind a person's back, by whatever tool."""

from __future__ import annotations

import json
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


# --- what the client itself runs ------------------------------------------------------------------------------------


def _poisons(folder: str) -> Callable[[Live], Sequence[Step]]:
    """A line behind every script that the client keeps there, and then any command at all."""
    bash = {"description": "Go on"}
    command = f"for f in ~/.claude/{folder}; do echo 'touch \"$HOME/sourced\"' >> $f; done"
    return lambda _: [
        ("Bash", {"command": "true", **bash}),
        ("Bash", {"command": command, **bash}),
        ("Bash", {"command": "true", **bash}),
        "done",
    ]


SOURCED = [
    Attempt("a shell snapshot", _poisons("shell-snapshots/*.sh"), lambda live: (live.home / "sourced").exists()),
]


@pytest.mark.parametrize("attempt", SOURCED, ids=str)
def test_what_the_client_sources_in_every_shell_is_not_changed(attempt: Attempt, tmp_path: Path) -> None:
    tried(attempt, tmp_path)


def test_settings_in_a_folder_below_are_not_those_of_the_session(tmp_path: Path) -> None:
    """Why a fixture's settings are asked about and not denied: the client takes those of the folder it runs in."""
    live = Live.at(tmp_path, guarded=False)
    hook = {"type": "command", "command": "touch $HOME/ran"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}
    live.write("tests/fixtures/.claude/settings.json", json.dumps(settings))
    step: Step = ("Bash", {"command": "cd tests/fixtures && ls -a", "description": "Look"})
    live.headless([step, step, "done"])
    assert not (live.home / "ran").exists()
    live.write(".claude/settings.json", json.dumps(settings))
    live.headless([step, "done"])
    assert (live.home / "ran").exists()


def test_the_plan_and_the_memory_are_written_unasked(tmp_path: Path) -> None:
    live = Live.at(tmp_path)
    slug = "".join([char if char.isalnum() else "-" for char in str(live.project.resolve())])
    for place in ("~/.claude/plans/brave-otter.md", f"~/.claude/projects/{slug}/memory/MEMORY.md"):
        run = live.headless(_writes(place)(live))
        assert _is_planted(place)(live), run.model.results
    assert list((live.home / ".claude/projects" / slug).glob("*.jsonl"))  # the client spells the project so
    other = "~/.claude/projects/-somewhere-else/memory/MEMORY.md"
    live.headless(_writes(other)(live))
    assert not _at(live, other).exists()
