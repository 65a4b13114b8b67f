"""Where the system's user table and `HOME` disagree, or the table has no entry: as in many containers.

A mount namespace shows a user table of its own. The home folder in it is a temporary one, so nothing of whoever runs
the tests is touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hook_process import GUARD
from namespaces import needs_namespaces
from wire import sent

pytestmark = needs_namespaces
CLI = [sys.executable, "-m", "interlock.cli"]
HOOK = [sys.executable, "-I", "-S", str(GUARD), "claude-code"]


def with_table(
    table: Path, line: str, words: list[str], stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the words where the user table holds that one line."""
    table.write_text(line + "\n")
    apart = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "--propagation", "private"]
    (switch := table.parent / "nsswitch").write_text("passwd: files\n")  # others would make up an entry for root
    script = 'mount --bind "$0" /etc/passwd && mount --bind "$1" /etc/nsswitch.conf && shift && exec "$@"'
    done = subprocess.run(
        [*apart, "sh", "-c", script, str(table), str(switch), *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=table.parent,
        env={"PATH": os.environ["PATH"], **environment},
    )
    assert "Traceback" not in done.stderr
    return done


def test_a_user_without_an_entry_is_told_to_name_a_home(tmp_path: Path) -> None:
    nobody = "somebody:x:4242:4242::/nowhere:/bin/sh"
    told = f"the system's user table names no home folder for this user (id {os.getuid()}); "
    for words in ([*CLI, "policy", "show"], [*CLI, "explain", "ls"], [*CLI, "audit", "tail"]):
        done = with_table(tmp_path / "passwd", nobody, words)
        assert (done.returncode, done.stdout) == (74, "")
        assert done.stderr.startswith(f"interlock: {told}say where Interlock keeps its files: interlock --home DIR")
    call = {"hook_event_name": "PreToolUse", "cwd": str(tmp_path), "tool_name": "Bash", "tool_input": {"command": "ls"}}
    event = json.dumps(sent(call))
    answer = json.loads(with_table(tmp_path / "passwd", nobody, HOOK, event).stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert told in answer["permissionDecisionReason"]
    (tmp_path / "home").mkdir()
    named = [*CLI, "--home", str(tmp_path / "home"), "explain", "ls"]
    assert with_table(tmp_path / "passwd", nobody, named).stdout.startswith("allow")


@pytest.mark.slow
def test_a_home_that_differs_from_the_user_table_is_pointed_out(tmp_path: Path) -> None:
    table, other = tmp_path / "table", tmp_path / "other"
    table.mkdir()
    other.mkdir()
    line = f"root:x:{os.getuid()}:{os.getgid()}::{table}:/bin/sh"

    def began(*arguments: str) -> str:
        event = json.dumps(
            sent({"hook_event_name": "SessionStart", "cwd": str(tmp_path), "session_id": "s1", "source": "startup"})
        )
        return with_table(tmp_path / "passwd", line, [*HOOK, "--no-gate", *arguments], event, HOME=str(other)).stdout

    assert f"HOME is {other}, but Interlock keeps its files and looks after settings in {table}" in began()
    assert "HOME is" not in began("--home", str(other))

    printed = [*CLI, "hook", "claude-code", "--print-settings"]
    done = with_table(tmp_path / "passwd", line, printed, HOME=str(other), CLAUDE_CONFIG_DIR=str(other / "c"))
    handler = json.loads(done.stdout)["hooks"]["PreToolUse"][0]["hooks"][0]
    assert handler["args"][-4:] == ["--home", str(other), "--wait", "540"]
    assert done.stderr.startswith(f"interlock: HOME is {other}, and the system's user table names another folder.")
    assert done.stderr.endswith(
        f"interlock: CLAUDE_CONFIG_DIR is set; the fragment goes into {other}/c/settings.json\n"
    )
    installed = other / ".local/state/interlock/installed.json"
    looked = [*CLI, "audit", "tail"]
    assert "INTERLOCK_HOME" not in with_table(tmp_path / "passwd", line, looked, HOME=str(other)).stderr
    installed.parent.mkdir(parents=True, exist_ok=True)
    installed.write_text("{}")
    done = with_table(tmp_path / "passwd", line, looked, HOME=str(other))
    assert done.stderr.startswith(
        f"interlock: Interlock is installed in {other} (HOME), and this command looks in {table}"
    )
    assert done.stderr.splitlines()[0].endswith(f"export INTERLOCK_HOME={other}")
    named = with_table(tmp_path / "passwd", line, looked, HOME=str(other), INTERLOCK_HOME=str(other))
    assert "export" not in named.stderr
    same = with_table(tmp_path / "passwd", line, printed, HOME=str(table))
    assert (same.stderr, "--home" in same.stdout) == ("", False)
