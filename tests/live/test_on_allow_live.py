"""What an allow, and silence, mean to the real clients: an allow lifts the client's own prompt, silence leaves it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from live.client import Live, needs_client
from live.gemini import Gemini, needs_gemini
from live.qwen import Qwen, needs_qwen
from scripted_model import Step

FULL: Step = ("Bash", {"command": "touch full.txt", "description": "Make a file"})
UNREAD: Step = ("Bash", {"command": "make unread.txt", "description": "Build"})


def settled(place: Path, policy: str, rules: tuple[str, ...] = ()) -> Live:
    """A project whose build runs a program that is not read, and that was there before."""
    live = Live.at(place)
    build = live.project / "build"
    build.write_bytes(Path("/usr/bin/touch").read_bytes())
    build.chmod(0o755)
    live.write("Makefile", "unread.txt:\n\t./build unread.txt\n")
    live.git("add", ".")
    live.git("commit", "-qm", "as it was")
    live.machine.user_policy.write_text(f"version = 1\n[hook]\n{policy}\n")
    settings = json.loads(live.settings.read_text())
    live.settings.write_text(json.dumps({**settings, "permissions": {"allow": list(rules)}}))
    return live


def made(live: Live) -> set[str]:
    return {path.name for path in live.project.glob("*.txt")}


@needs_client
@pytest.mark.parametrize(
    ("policy", "rules", "runs"),
    [
        ('on_allow = "approve"', (), {"full.txt"}),
        ('on_allow = "approve"', ("Bash(make:*)",), {"full.txt", "unread.txt"}),
        ('on_allow = "always"', (), {"full.txt", "unread.txt"}),
        ('on_allow = "silent"', (), set()),
        ('on_allow = { default = "silent", acceptEdits = "always" }', (), set()),
    ],
)
def test_claude_code_runs_by_itself_what_it_was_told_to_allow(
    place: Path, policy: str, rules: tuple[str, ...], runs: set[str]
) -> None:
    """Headless, in the mode that asks: what the client would ask about does not run."""
    live = settled(place, policy, rules)
    live.headless([FULL, UNREAD, "done"], mode="default")
    assert live.verdicts() == ["allow", "allow"]
    assert made(live) == runs


@needs_client
def test_without_the_guard_claude_code_asks_about_both(place: Path) -> None:
    live = settled(place, "")
    live.settings.write_text("{}")
    live.headless([FULL, UNREAD, "done"], mode="default")
    assert made(live) == set()


@needs_qwen
def test_qwen_goes_by_its_own_rules_where_the_answer_says_nothing(place: Path) -> None:
    """As Gemini CLI, and for a call that is only observed too."""
    qwen = Qwen(place)
    policy = qwen.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    policy.write_text(f'version = 1\n[hook]\non_allow = "silent"\nobserve = {{ until = {day} }}\n')
    (qwen.project / "tool").write_text("touch\n")
    lines = ("touch silent.txt", "read TOOL < tool; $TOOL asked.txt", f"rm -f {qwen.settings}")
    qwen.headless([*[("run_shell_command", {"command": line, "description": "Do it"}) for line in lines], "done"])
    assert [row["body"].get("enforced", True) for row in qwen.rows()] == [False, False, True]
    assert {path.name for path in qwen.project.glob("*.txt")} == {"silent.txt", "asked.txt"}
    assert qwen.settings.exists()


@needs_gemini
def test_gemini_goes_by_its_own_rules_where_the_answer_says_nothing(place: Path) -> None:
    """`--yolo` lets everything run. An empty answer does not block, although the settings' line blocks at none."""
    gemini = Gemini(place)
    policy = gemini.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('version = 1\n[hook]\non_allow = "silent"\n')
    step: Step = ("run_shell_command", {"command": "touch silent.txt", "description": "Make a file"})
    gemini.headless([step, "done"])
    assert gemini.verdicts() == ["allow"]
    assert (gemini.project / "silent.txt").exists()


ASKED: Step = ("Bash", {"command": "read TOOL < tool; $TOOL asked.txt", "description": "Run it"})


@needs_client
@pytest.mark.parametrize(
    ("observes", "mode", "runs"),
    [
        (False, "bypassPermissions", set()),
        (True, "bypassPermissions", {"asked.txt"}),
        (True, "default", set()),
    ],
)
def test_what_is_only_observed_is_left_to_claude_code(place: Path, observes: bool, mode: str, runs: set[str]) -> None:
    """The client lets everything run in one mode, and refuses in the other what it would ask about. The floor holds."""
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    live = settled(place, f"observe = {{ until = {day} }}" if observes else "")
    live.write("tool", "touch\n")
    remove: Step = ("Bash", {"command": f"rm -f {live.settings}", "description": "Remove"})
    live.headless([ASKED, remove, "done"], mode=mode)
    assert made(live) == runs
    assert live.settings.exists()
    assert [row["body"].get("enforced", True) for row in live.rows()] == [not observes, True]
