"""Settings that would switch the guard off in mid-session: the client is told not to take them, and hooks go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from live.client import Live, needs_client
from scripted_model import Step

pytestmark = needs_client

OFF = {"disableAllHooks": True}
LOADER = {"env": {"LD_PRELOAD": "/nowhere/x.so"}}
HARMLESS = {"permissions": {"allow": ["Bash(ls:*)"]}}


def bash(command: str) -> Step:
    return ("Bash", {"command": command, "description": "Go on"})


def changing(live: Live, *writes: tuple[str, object]) -> Step:
    """Code of the project that writes settings; nothing of it is in the command."""
    body = "".join([f"        open({path!r}, 'w').write({json.dumps(content)!r})\n" for path, content in writes])
    live.write(
        "tests/test_it.py",
        "import os, unittest\nclass It(unittest.TestCase):\n    def test_it(self):\n"
        f"        os.makedirs('.claude', exist_ok=True)\n{body}",
    )
    live.git("add", "-A")
    live.git("commit", "-qm", "one")
    return bash("python3 -m unittest discover -s tests")


def at_ease(live: Live) -> Live:
    """What the client would write into the person's settings at its first start is there: for some seconds after it
    has written a file, the client takes no notice of changes in it.
    """
    settings = json.loads(live.settings.read_text())
    live.settings.write_text(json.dumps({**settings, "skipDangerousModePermissionPrompt": True}))
    return live


def judged(live: Live) -> list[str]:
    return [row["body"]["says"] for row in live.rows("watch") if row["body"]["says"] in ("blocked", "passed")]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".claude/settings.json", OFF),
        (".claude/settings.local.json", OFF),
        ("HOME/.claude/settings.json", {}),
        ("HOME/.claude/settings.json", OFF),
        (".claude/settings.json", LOADER),
    ],
)
def test_what_switches_the_hooks_off_is_not_taken(place: Path, file: str, content: object) -> None:
    control = at_ease(Live.at(place / "control", guarded=False))
    live = at_ease(Live.at(place / "guarded"))
    for machine in (control, live):
        path = file.replace("HOME", str(machine.home))
        change = changing(machine, (path, content))
        # The client begins to watch its settings a moment after it has started.
        run = machine.headless([bash("sleep 2"), change, bash("sleep 6"), bash("touch late.txt"), "done"])
        assert json.loads((machine.project / path).read_text()) == content
        assert (machine.project / "late.txt").exists() is (machine is control), run.model.results
    # Of its own user settings the client does not always send the event; then it does not take the change either.
    assert set(judged(live)) == {"blocked"} or ("HOME" in file and judged(live) == [])
    assert live.verdicts() == ["allow", "allow", "allow", "deny"]  # the hooks were called to the end


def test_a_harmless_change_of_another_file_does_not_let_a_blocked_one_in(place: Path) -> None:
    """The client takes all files anew when it takes one."""
    live = Live.at(place)
    first = changing(live, (".claude/settings.json", OFF))
    later = live.project / ".claude/settings.local.json"
    with live.terminal([first, bash("sleep 3"), bash("sleep 4"), bash("touch late.txt"), "all done"]) as (at, _):
        at.type("please go on")
        at.until(lambda: "blocked" in judged(live), "the block")
        before = len(judged(live))
        later.write_text(json.dumps(HARMLESS))  # a person's "don't ask again"
        at.until(lambda: len(judged(live)) > before, "the second block")
        at.wait_for("Do you want to proceed")
        shown = at.screen(history=True)
    assert set(judged(live)) == {"blocked"}
    assert "disableAllHooks" in shown
    assert "the next session may start" in " ".join(shown.split())
    assert not (live.project / "late.txt").exists()


def test_everyday_changes_of_settings_pass(place: Path) -> None:
    live = Live.at(place)
    live.write(".claude/settings.json", "{}")
    run = live.headless([changing(live, (".claude/settings.json", HARMLESS)), bash("sleep 3"), bash("touch a"), "done"])
    assert set(judged(live)) == {"passed"}
    assert live.verdicts() == ["allow", "allow", "allow"], run.model.results
    assert (live.project / "a").exists()


def test_where_the_judge_cannot_run_the_change_is_not_taken(place: Path) -> None:
    live = Live.at(place)
    settings = json.loads(live.settings.read_text())
    settings["hooks"]["ConfigChange"][0]["hooks"][0]["command"] = str(place / "no-python-here")
    live.settings.write_text(json.dumps(settings))
    run = live.headless([changing(live, (".claude/settings.json", OFF)), bash("sleep 3"), bash("ls"), "done"])
    assert len(live.rows()) == 3, run.model.results


def test_a_repaired_file_lets_the_session_go_on(place: Path) -> None:
    live = Live.at(place)
    script = [
        changing(live, (".claude/settings.json", OFF)),
        bash("sleep 2"),
        "I wait",
        bash("touch b.txt"),
        "all done",
    ]
    with live.terminal(script) as (at, _):
        at.type("please go on")
        at.wait_for("I wait")
        at.until(lambda: "blocked" in judged(live), "the block")
        (live.project / ".claude/settings.json").unlink()
        at.until(lambda: judged(live)[-1:] == ["passed"], "the repair")
        at.type("it is repaired")
        at.wait_for("all done")
    assert live.verdicts()[-1] == "allow"
    assert (live.project / "b.txt").exists()
