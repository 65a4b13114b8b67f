"""`interlock install --managed`: settings that an administrator gives every user, in an `/etc` of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.hosts import part_of
from machine import Machine
from managed import python_with_managed
from person import at_a_terminal

FILES = {
    "claude-code": "claude-code/managed-settings.json",
    "gemini-cli": "gemini-cli/settings.json",
    "qwen-code": "qwen-code/settings.json",
    "codex": "codex/hooks.json",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", FILES)
def test_it_is_put_in_for_every_user_and_taken_out_again(machine: Machine, host: str, tmp_path: Path) -> None:
    """The settings of every user name no file of one of them, such as the launcher."""
    python = python_with_managed(tmp_path, "version = 1\n[approvals]\nallow_off = true\n")
    file = tmp_path / "etc" / FILES[host]
    assert part_of(host, "install").settings_file("managed", "", "", {}) == f"/etc/{FILES[host]}"
    done = at_a_terminal(machine.home, "install", host, "--managed", "--yes", python=python)
    assert done.code == 0, done.out
    written = json.dumps(json.loads(file.read_text())["hooks"])
    assert ("interlock/hook/guard.py" in written, str(machine.home) in written) == (True, False)
    before = file.read_bytes()
    assert at_a_terminal(machine.home, "install", host, "--managed", "--yes", python=python).code == 0
    assert file.read_bytes() == before
    gone = at_a_terminal(machine.home, "uninstall", host, "--managed", "--yes", python=python)
    assert (gone.code, file.exists()) == (0, False), gone.out
