"""`interlock launch`: what it would start, when it starts nothing, and that it becomes the client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hook_process import Machine, made, new_machine
from interlock.model.environment import PINNED
from person import at_a_terminal

CLIENT = """#!/bin/sh
if [ "$1" = --version ]; then echo "{version}"; exit 0; fi
echo "started with: $*"
env | grep -E '^(CLAUDE_CODE_SAFE_MODE|QWEN|OPENCODE|GEMINI)' | sort
exit 7
"""
VERSIONS = {
    "claude": "99.0.0", "codex": "99.0.0", "gemini": "99.0.0", "qwen": "99.0.0", "copilot": "99.0.0",
    "opencode": "99.0.0",
}  # fmt: skip
NAMES = {"claude": "claude-code", "opencode": "opencode", "qwen": "qwen-code", "copilot": "copilot-cli"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = new_machine(made(tmp_path / "machine"))
    for name, version in VERSIONS.items():
        program(machine, name, version)
    for host in NAMES.values():
        done = at_a_terminal(machine.home, "install", host, "--yes", folder=machine.project)
        assert done.code == 0, done.out
    return machine


def program(machine: Machine, name: str, version: str) -> None:
    file = made(machine.home / "bin") / name
    file.write_text(CLIENT.format(version=version))
    file.chmod(0o755)


def launch(machine: Machine, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    environment |= {"HOME": str(machine.home), "PATH": f"{machine.home}/bin:{os.environ['PATH']}", **more}
    return subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "launch", *words],
        cwd=machine.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def dry(machine: Machine, *words: str, **more: str) -> dict[str, Any]:
    done = launch(machine, "--dry-run", "--json", *words, **more)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def bring(machine: Machine, name: str, text: str) -> None:
    file = machine.project / name
    made(file.parent)
    file.write_text(text)


def test_it_becomes_the_client_and_leaves_with_its_exit_code(machine: Machine) -> None:
    done = launch(machine, "claude", "-p", "do it", CLAUDE_CODE_SAFE_MODE="1")
    settings = json.dumps({"disableAllHooks": False, "env": dict.fromkeys(PINNED, "")})
    assert (done.returncode, done.stdout) == (7, f"started with: --settings {settings} -p do it\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("interlock: launched Claude Code; a repository cannot use `disableAllHooks`")
    assert "; not handed on: CLAUDE_CODE_SAFE_MODE; still, a program that runs outside the check" in line


def test_a_dry_run_tells_the_command_and_starts_nothing(machine: Machine) -> None:
    bring(machine, "AGENTS.md", "x")
    told = dry(machine, "opencode", "run", "x", OPENCODE_CONFIG="/x")
    assert (told["arguments"], told["cleared"], told["refused"]) == (["run", "x"], ["OPENCODE_CONFIG"], [])
    assert told["variables"] == {
        "OPENCODE_CONFIG_CONTENT": json.dumps(
            {"instructions": [str(machine.project / "AGENTS.md")]}, separators=(",", ":")
        ),
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_PURE": "0",
    }
    assert not (machine.home / ".local/state/interlock/launched").exists()


def test_the_topmost_settings_file_is_written_and_named(machine: Machine) -> None:
    done = launch(machine, "qwen", "-p", "x")
    file = machine.home / ".local/state/interlock/launched/qwen-code.settings.json"
    assert f"QWEN_CODE_SYSTEM_SETTINGS_PATH={file}" in done.stdout
    assert json.loads(file.read_text()) == {"disableAllHooks": False}
    other = machine.home / "other.json"
    other.write_text('{"disableAllHooks": true}')
    done = launch(machine, "qwen", "-p", "x", QWEN_CODE_SYSTEM_SETTINGS_PATH=str(other))
    assert (done.returncode, "which outranks all other settings, switches hooks off" in done.stderr) == (64, True)


@pytest.mark.parametrize("word", ["--safe-mode", "--settings={}", "--plugin-dir=x"])
def test_words_that_switch_the_check_off_take_a_person(machine: Machine, word: str) -> None:
    done = launch(machine, "claude", "-p", "x", word)
    assert (done.returncode, done.stdout) == (64, "")
    assert f"`{word.partition('=')[0]}`: " in done.stderr
    assert "confirm them at a terminal of your own" in done.stderr


def test_a_person_may_confirm_them_and_nothing_is_claimed_then(machine: Machine) -> None:
    words = ("launch", "--client", str(machine.home / "bin/claude"), "claude", "--safe-mode")
    done = at_a_terminal(machine.home, *words, keys="n\r", folder=machine.project)
    assert (done.code, "started with" in done.out) == (130, False)
    done = at_a_terminal(machine.home, *words, keys="y\r", folder=machine.project)
    assert (done.code, "started with: --settings" in done.out, "launched Claude" in done.out) == (7, True, False)
    assert not (machine.home / ".local/state/interlock/launched").exists()


def test_where_nothing_outranks_the_repository_its_files_are_looked_at(machine: Machine) -> None:
    assert dry(machine, "copilot")["holds"] is None
    done = launch(machine, "copilot", "-p", "x")
    assert (done.returncode, "only its files as they are now were checked" in done.stderr) == (7, True)
    bring(machine, ".github/copilot/settings.json", '{"disableAllHooks": true}')
    done = launch(machine, "copilot", "-p", "x")
    assert (done.returncode, done.stdout) == (64, "")
    assert "`disableAllHooks`" in done.stderr


REFUSALS = {
    "hooks that are not installed": (("codex",), "Interlock's hooks are not installed for Codex"),
    "a client that is unknown": (("vim",), "`vim` cannot be launched"),
    "a client that is not there": (("--client", "nowhere", "claude"), "`nowhere` was not found"),
    "a client of the repository": (("--client", "./mine", "claude"), "lies in the repository"),
    "a client that is too old": (("--client", "old", "claude"), "version 1.0.0 is older than"),
    "no client": ((), "say which client"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_it_does_not_start(what: str, machine: Machine) -> None:
    words, told = REFUSALS[what]
    program(machine, "old", "1.0.0")
    bring(machine, "mine", CLIENT.format(version="99.0.0"))
    (machine.project / "mine").chmod(0o755)
    done = launch(machine, *words)
    assert (done.returncode, done.stdout, told in done.stderr) == (64, "", True), done.stderr


def test_settings_of_the_person_that_switch_hooks_off_are_not_overruled(machine: Machine) -> None:
    file = machine.home / ".claude/settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "disableAllHooks": True}))
    done = launch(machine, "claude")
    assert (done.returncode, "the check would not be called" in done.stderr) == (64, True)


def test_a_command_that_begins_no_session_is_handed_through(machine: Machine) -> None:
    done = launch(machine, "claude", "mcp", "list")
    assert (done.returncode, done.stdout, done.stderr) == (7, "started with: mcp list\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_an_alias_for_each_client_that_is_guarded(machine: Machine, shell: str) -> None:
    home = f"interlock --home {machine.home} "
    wanted = [f"alias {name}='{home}launch {name}'" for name in ("claude", "qwen", "copilot", "opencode")]
    assert launch(machine, "--alias", shell).stdout.splitlines() == wanted
