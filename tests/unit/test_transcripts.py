"""Transcripts become calls; what came of them, and what a person said no to, is told with them."""

from __future__ import annotations

import json

import pytest

from interlock.evals.past import home_of
from interlock.history import claude_code, codex
from interlock.history.told import SPOKE, moment_of
from transcripts import CWD, Claude, Codex


def _claude(session: Claude) -> list[tuple[str, str, bool]]:
    told = claude_code.read_transcript(line.encode() for line in session.lines).told
    return [(one.tool, one.outcome, one.refused) for one in told]


def test_a_call_that_a_hook_blocked_did_not_run_and_nobody_approved_it() -> None:
    session = Claude().bash("rm -rf build", "PreToolUse:Bash hook error: not here", error=True)
    session.bash("git push", "Push to main? Other people will see it.", error=True)
    row = json.loads(session.lines[-1])
    session.lines[-1] = json.dumps({**row, "permissionDecision": {"decision": "reject", "source": "hook"}})
    session.bash("make", "make: *** PreToolUse: no rule", error=True)
    assert _claude(session)[1:] == [
        ("Bash", "not_run", False),
        ("Bash", "not_run", False),
        ("Bash", "failed", False),
    ]


def test_a_result_says_what_became_of_the_call() -> None:
    session = Claude().bash("ls").bash("false", "exit 1", error=True).bash("ls", None)
    session.bash("x", "The user doesn't want to proceed with this tool use. The tool use was rejected", error=True)
    session.bash("y", "<tool_use_error>no such tool</tool_use_error>", error=True)
    assert _claude(session) == [
        (SPOKE, "unknown", False),
        ("Bash", "ran", False),
        ("Bash", "failed", False),
        ("Bash", "unknown", False),
        ("Bash", "not_run", True),
        ("Bash", "not_run", False),
    ]


def test_a_call_that_is_told_twice_is_one() -> None:
    session = Claude().bash("ls")
    session.lines += session.lines[1:]
    assert [tool for tool, _, _ in _claude(session)] == [SPOKE, "Bash"]


@pytest.mark.parametrize(
    ("given", "command", "cwd"),
    [
        ({"command": ["bash", "-lc", "ls | wc"]}, "ls | wc", CWD),
        ({"command": ["git", "commit", "-m", "a b"]}, "git commit -m 'a b'", CWD),
        ({"cmd": "ls", "workdir": "/srv/x"}, "ls", "/srv/x"),
        ({"command": "ls", "workdir": "sub"}, "ls", f"{CWD}/sub"),
    ],
)
def test_a_shell_call_of_codex_is_a_command_line(given: dict[str, object], command: str, cwd: str) -> None:
    lines = Codex().function("shell", **given).lines
    (told,) = codex.read_transcript(line.encode() for line in lines).told
    assert (told.tool, dict(told.input), told.cwd, told.session) == ("Bash", {"command": command}, cwd, "x1")


@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        ('{"output": "a", "metadata": {"exit_code": 0}}', "ran"),
        ('{"output": "a", "metadata": {"exit_code": 2}}', "failed"),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nhi\n", "ran"),
        ("Chunk ID: 1\nProcess exited with code 3\nOutput:\nhi\n", "failed"),
        ({"content": "no", "success": False}, "failed"),
        ("exec command rejected by user", "not_run"),
        ("Command blocked by PreToolUse hook: no. Command: ls", "not_run"),
        ("{torn", "ran"),
    ],
)
def test_an_output_of_codex_says_what_became_of_the_call(output: object, outcome: str) -> None:
    lines = Codex().function("shell", output, command="ls").lines
    (told,) = codex.read_transcript(line.encode() for line in lines).told
    assert told.outcome == outcome


def test_times_in_the_head_of_an_output_do_not_make_it_another_result() -> None:
    results = set()
    for chunk in ("1", "2"):
        output = f"Chunk ID: {chunk}\nProcess exited with code 1\nOutput:\nno\n"
        lines = Codex().function("shell", output, command="ls").lines
        results.add(codex.read_transcript(line.encode() for line in lines).told[0].result)
    assert len(results) == 1


@pytest.mark.parametrize(
    ("text", "moment"),
    [("1970-01-01T00:00:01.500Z", 1500), ("1970-01-01T01:00:00+01:00", 0), ("soon", None), (5, None), (None, None)],
)
def test_a_moment_is_understood_or_not_known(text: object, moment: int | None) -> None:
    assert moment_of(text) == moment


def test_a_home_folder_is_told_from_a_path() -> None:
    assert [home_of(path) for path in ("/home/ada/app", "/Users/ada/app", "/root/x", "/srv/x")] == [
        "/home/ada",
        "/Users/ada",
        "/root",
        "/home/user",
    ]
