"""Which processes count as an agent's host: programs by their name, and never a word among somebody's arguments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interlock.store.people.surface import HOSTS, ancestors


@contextmanager
def running(*command: str, executable: str | None = None) -> Iterator[int]:
    process = subprocess.Popen(command, executable=executable, stdin=subprocess.DEVNULL)
    try:
        time.sleep(0.1)
        yield process.pid
    finally:
        process.kill()
        process.wait()


def is_host(pid: int) -> bool:
    return any(name in HOSTS for name in ancestors(pid)[0].names)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_person_in_a_tmux_that_is_called_claude_is_no_agent(tmp_path: Path) -> None:
    socket = ["tmux", "-S", str(tmp_path / "claude"), "-f", "/dev/null"]
    named = ["tmux", "-L", "claude", "-S", str(tmp_path / "claude"), "-f", "/dev/null"]
    subprocess.run([*named, "new-session", "-d", "-s", "codex", "sleep 60"], check=True)
    try:
        told = subprocess.run([*socket, "display", "-p", "#{pid}"], capture_output=True, text=True, check=True).stdout
        assert b"claude" in Path(f"/proc/{int(told)}/cmdline").read_bytes()
        assert not is_host(int(told))
    finally:
        subprocess.run([*socket, "kill-server"], check=False)


def test_words_in_the_arguments_of_other_programs_are_no_hosts(tmp_path: Path) -> None:
    with running("tail", "-f", "claude", "/dev/null") as pid:
        assert not is_host(pid)


def test_a_host_is_known_by_its_program_and_by_what_an_interpreter_runs(tmp_path: Path) -> None:
    for name in ("claude", "codex.js", "aider.py"):
        script = tmp_path / name
        script.write_text("import time\ntime.sleep(60)\n")
        with running(sys.executable, str(script)) as pid:
            assert is_host(pid), name
    program = tmp_path / "opencode"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    os.chmod(program, 0o755)
    with running(str(program), "60") as pid:
        assert is_host(pid)
    with running("gemini", "60", executable=shutil.which("sleep")) as pid:
        assert is_host(pid)
