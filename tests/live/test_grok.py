"""Grok calls the hooks that it finds in Claude Code's settings, and hands a shell only their program."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from hook_process import GUARD, made
from interlock.hosts import claude_events
from interlock.store.home.folders import folders_for
from interlock.store.home.foreign import keep_left_alone
from live.grok import Grok, needs_grok
from scripted_model import Step

pytestmark = needs_grok


def _command(line: str) -> Step:
    return ("run_terminal_command", {"command": line, "description": "Go on"})


def _settings(grok: Grok, *, by_hand: bool = False) -> None:
    """Claude Code's settings as they are printed, or with one line for a shell, as a person may have written it."""
    arguments = ("--home", str(grok.home))
    settings = claude_events.settings(sys.executable, str(GUARD), arguments)
    if by_hand:
        line = shlex.join([sys.executable, "-I", "-S", str(GUARD), "claude-code", *arguments])
        settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line, "timeout": 10}]}]}}
    (made(grok.home / ".claude") / "settings.json").write_text(json.dumps(settings))


def test_nothing_of_what_an_event_says_runs_through_claude_code_s_settings(place: Path) -> None:
    grok = Grok(place)
    _settings(grok)
    mark = grok.project / "ran"
    text = f"$(touch {mark}) `touch {mark}`"
    write = ("write", {"file_path": str(grok.project / "a.md"), "content": text})
    run = grok.headless([write, ("read_file", {"target_file": str(grok.project / "a.md")}), "done"])
    assert (grok.project / "a.md").read_text() == text, run
    assert not mark.exists()


def test_calls_are_refused_until_grok_is_left_alone_and_leave_rows(place: Path) -> None:
    grok = Grok(place)
    _settings(grok, by_hand=True)
    run = grok.headless([_command("touch made.txt"), "done"])
    assert not (grok.project / "made.txt").exists(), run
    assert "interlock foreign leave grok" in run.told(0)
    keep_left_alone(folders_for(str(grok.home)), ("grok",))
    run = grok.headless([_command("touch made.txt"), "done"])
    assert (grok.project / "made.txt").exists(), run
    told = [(row["body"]["says"], row["body"]["through"]) for row in grok.rows() if "caller" in row["body"]]
    assert told == [("foreign", "claude-code"), ("left alone", "claude-code")]
