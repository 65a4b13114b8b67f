"""Approvals at a real terminal of 80 columns and 24 lines: what is approved was on the screen, and was confirmed."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, DENY, Machine, new_machine
from live.client import Terminal
from ssh_keys import PASSPHRASE, ask_pass, new_key

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None and "CI" not in os.environ, reason="tmux is not here; scripts/clients.sh installs it"
)
END = "this is the end of it"
PUSH = "git push --force origin main"
_numbers = iter(range(1000))


@pytest.fixture
def alone(tmp_path: Path) -> Machine:
    machine = new_machine(tmp_path)
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    return machine


def tries(machine: Machine, command: str, **changes: Any) -> str:
    event = machine.event("Bash", {"command": command}, **changes)
    return machine.run(event, environment={"CLAUDE_CODE_SESSION_ATTENDED": "0"}).taken


def statuses(machine: Machine) -> list[str]:
    return [row["body"]["answer"] for row in machine.rows("answer")]


@contextmanager
def at_the_desk(machine: Machine, *arguments: str, size: tuple[int, int] = (80, 24)) -> Iterator[Terminal]:
    """`interlock approvals …` in a tmux of a person's own."""
    terminal = Terminal(f"interlock-desk-{os.getpid()}-{next(_numbers)}")
    command = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "approvals", *arguments]
    given = ["env", "-i", f"PATH={os.environ['PATH']}", "TERM=xterm-256color", "LANG=C.UTF-8"]
    shell = " ".join([*given, *command, ";", "echo", "ended", ";", "sleep", "60"])
    try:
        terminal.run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), shell)
        yield terminal
    finally:
        terminal.run("kill-server")


def read_on(at: Terminal) -> list[str]:
    """Turns pages to the end; every screen on the way."""
    at.wait_for("d: deny")
    screens = [still(at)]
    while END not in screens[-1]:
        at.press("Space")
        at.until(lambda: at.screen() != screens[-1], "another page")
        screens.append(still(at))
        assert len(screens) < 200
    return screens


def still(at: Terminal) -> str:
    """The screen, once nothing moves on it."""
    before, now = "", at.screen()
    while before != now:
        time.sleep(0.15)
        before, now = now, at.screen()
    return now


def test_a_command_of_ten_thousand_characters_is_approved_only_at_its_end(alone: Machine) -> None:
    words = [f"w{number:04}" for number in range(1600)]
    command = f"git push --force origin main; echo {' '.join(words)} FINAL"
    assert len(command) > 9_000
    assert tries(alone, command) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("enter: read it")
        at.press("a")
        screen = at.wait_for("more lines below")
        assert "a: approve" not in screen
        at.press("a")
        at.wait_for("lines have not been shown")
        at.press("y")
        screens = read_on(at)
        text = "".join(line[line.find("┆") + 2 :] if "┆" in line else "" for one in screens for line in one.split("\n"))
        assert all(word in text for word in (*words[40:1590], "FINAL"))
        assert all(len(line) <= 80 for one in screens for line in one.split("\n"))
        assert "a: approve" in screens[-1]
        assert statuses(alone) == []
        at.press("a")
        screen = at.wait_for("y: yes")
        assert "approve ap_" in screen
        assert "git push --force" in screen
        at.press("n")
        at.wait_for("not answered")
        assert statuses(alone) == []
        at.press("a")
        at.wait_for("y: yes")
        at.press("y")
        at.wait_for("nothing waits")
    assert statuses(alone) == ["approved"]
    assert tries(alone, command) == ALLOW


def test_a_window_that_changes_is_read_anew(alone: Machine) -> None:
    assert tries(alone, f"{PUSH}; echo " + "x " * 900) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("enter: read it")
        at.press("Enter")
        read_on(at)
        at.run("resize-window", "-x", "60", "-y", "20")
        at.wait_for("more lines below")
        at.press("a")
        at.wait_for("lines have not been shown")
    assert statuses(alone) == []


def test_three_hundred_lines_and_text_that_runs_to_the_left(alone: Machine) -> None:
    lines = [f"# line {number}" for number in range(300)]
    command = "\n".join([*lines, "git push --force origin \u202emain\u202c\u200b" + " " * 400 + "x"])
    assert tries(alone, command) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("enter: read it")
        at.press("Enter")
        shown = "\n".join(read_on(at))
    seen = {line.strip() for line in shown.split("\n")}
    assert {f"{number + 1} │ # line {number}" for number in range(300)} <= seen
    assert r"git push --force origin \u202emain\u202c\u200b⟨400 blanks⟩x" in shown.replace("\n    ┆ ", "")
    assert "\u202e" not in shown


def test_a_question_that_comes_meanwhile_takes_no_key(alone: Machine) -> None:
    assert tries(alone, PUSH) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("enter: read it")
        at.press("a")
        at.wait_for("y: yes") if END in at.wait_for("d: deny") else read_on(at)
        for number in range(3):
            assert tries(alone, f"git push --force origin other{number}") == DENY
        time.sleep(0.6)
        assert "other0" not in at.screen()
        if "y: yes" not in at.screen():
            at.press("a")
            at.wait_for("y: yes")
        at.press("y")
        at.wait_for("other2")
    answered = [row["key"] for row in alone.rows("answer")]
    asked = {row["key"]: row["body"]["subject"] for row in alone.rows("prompt")}
    assert [asked[key] for key in answered] == [PUSH]


def test_keys_that_were_typed_ahead_answer_nothing(alone: Machine) -> None:
    assert tries(alone, PUSH) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("enter: read it")
        at.press("a", "y", "a", "y")
        at.wait_for("d: deny", 10) if "y: yes" not in at.screen() else None
        time.sleep(1)
    assert statuses(alone) == []


def test_help_and_the_newest_question_stay_on_the_screen(alone: Machine) -> None:
    for number in range(12):
        assert tries(alone, f"git push --force origin b{number:02}") == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        for _ in range(12):
            screen = at.wait_for("enter: read it")
            assert "origin b11" in screen
            assert "not on this screen" in screen
            assert len(screen.split("\n")) <= 24
            (chosen,) = [at for at, line in enumerate(screen.split("\n")) if line.startswith("> ")]
            assert "git push --force origin" in screen.split("\n")[chosen + 2]
            at.press("Down")
            time.sleep(0.3)
        assert "> " in at.screen()


def test_the_command_pages_and_names_what_it_approves(alone: Machine) -> None:
    assert tries(alone, "\n".join([*[f"# {number}" for number in range(60)], PUSH])) == DENY
    (asked,) = alone.rows("prompt")
    with at_the_desk(alone, "approve", asked["key"][:9]) as at:
        for _ in range(50):
            screen = at.wait_for("space goes on") if "approve ap_" not in at.screen() else at.screen()
            if f"approve {asked['key']}" in screen.replace("\n", ""):
                break
            at.press("Space")
            time.sleep(0.3)
            if "approve ap_" in at.screen():
                break
        at.wait_for("[y/N]")
        assert statuses(alone) == []
        at.press("y", "Enter")
        at.wait_for("fires once")
    assert statuses(alone) == ["approved"]


def test_who_gives_up_reading_answers_nothing(alone: Machine) -> None:
    assert tries(alone, "\n".join([*[f"# {number}" for number in range(60)], PUSH])) == DENY
    (asked,) = alone.rows("prompt")
    with at_the_desk(alone, "approve", asked["key"]) as at:
        at.wait_for("space goes on")
        at.press("q")
        at.wait_for("ended")
    assert statuses(alone) == []


@pytest.mark.smoke
def test_with_yes_the_whole_id_is_needed(alone: Machine) -> None:
    assert tries(alone, PUSH) == DENY
    (asked,) = alone.rows("prompt")
    with at_the_desk(alone, "approve", asked["key"][:12], "--yes") as at:
        assert "write the whole id" in at.wait_for("ended")
    assert statuses(alone) == []
    with at_the_desk(alone, "approve", asked["key"], "--yes") as at:
        at.wait_for("fires once")


def test_a_passphrase_is_typed_while_watching(alone: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in ask_pass(tmp_path).items():
        monkeypatch.setenv(name, value)
    enrolled(alone, new_key(alone.home / ".ssh/locked", passphrase=PASSPHRASE))
    later(alone)
    assert tries(alone, PUSH) == DENY
    with at_the_desk(alone, "watch", "--every", "0.2") as at:
        at.wait_for("git push")
        at.press("Enter")
        read_on(at)
        for typed, told in (("wrong", "nothing was signed"), (PASSPHRASE, "approved until")):
            at.press("a")
            at.wait_for("y: sign it")
            at.press("y")
            # At the end: what was asked in the round before may still be on the screen.
            at.until(lambda: any("Enter passphrase" in line for line in at.screen().split("\n")[-3:]), "a passphrase")
            assert "sign to approve ap_" in at.screen()
            at.run("send-keys", "-l", typed)  # nothing of it is shown
            at.press("Enter")
            at.wait_for(told)
            assert PASSPHRASE not in at.screen()
        at.press("q")
        at.wait_for("ended")
    (answer,) = alone.rows("answer")
    assert (answer["body"]["strength"], answer["body"]["signer"]) == ("medium", "locked@test")
    assert tries(alone, PUSH) == ALLOW
