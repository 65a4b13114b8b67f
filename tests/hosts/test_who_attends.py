"""Who attends a host that does not tell its hooks: the process that started the hook is looked at."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from interlock.hosts import host_named
from interlock.value import freeze

BEGUN: Any = freeze({"session_id": "s1", "cwd": "/work/shop", "hook_event_name": "SessionStart", "source": "startup"})
HOSTS = ("gemini-cli", "qwen-code")

# arguments, at a terminal, variables -> the hosts whose person sees a question
SEEN: list[tuple[list[str], bool, dict[str, str], tuple[str, ...]]] = [
    ([], True, {}, HOSTS),
    (["-m", "gemini-2.5-pro"], True, {}, HOSTS),
    (["-p", "go on"], True, {}, ()),
    (["--prompt=go on"], True, {}, ()),
    (["-i", "go on"], True, {}, HOSTS),
    ([], False, {}, ()),
    (["--acp"], False, {}, ("gemini-cli",)),
    (["--yolo"], False, {}, ()),
    (["--input-file", "answers.jsonl"], True, {}, ("gemini-cli",)),
    ([], True, {"CI": "true"}, ("qwen-code",)),
    ([], True, {"GITHUB_ACTIONS": "true"}, ("qwen-code",)),
    ([], True, {"CI": "false"}, HOSTS),
]


def attended(host: str, environment: dict[str, str], pid: int) -> bool:
    return host_named(host).event_from(BEGUN, environment, pid).place.attended


@pytest.mark.parametrize(("words", "terminal", "environment", "seen"), SEEN, ids=str)
def test_who_attends_is_seen_at_the_hosts_process(
    words: list[str], terminal: bool, environment: dict[str, str], seen: tuple[str, ...]
) -> None:
    ours, theirs = pty.openpty()
    stream = theirs if terminal else subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(60)", *words], stdin=stream, stdout=stream
    )
    try:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():  # it is only just becoming that program
            time.sleep(0.01)
        assert tuple([host for host in HOSTS if attended(host, environment, process.pid)]) == seen
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("settings", "seen"),
    [({"dualOutput": {"inputFile": "answers.jsonl"}}, False), ({"dualOutput": {"jsonFile": "out.jsonl"}}, True)],
)
@pytest.mark.parametrize("whose", ["project", "home", "moved"])
def test_nobody_attends_where_a_program_may_answer(
    settings: dict[str, Any], seen: bool, whose: str, tmp_path: Path
) -> None:
    folder = tmp_path / ("moved" if whose == "moved" else f"{whose}/.qwen")
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(settings))
    environment = {"HOME": str(tmp_path / "home"), "QWEN_PROJECT_DIR": str(tmp_path / "project")}
    if whose == "moved":
        environment["QWEN_HOME"] = str(folder)
    assert attended("qwen-code", environment, 0) is seen


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("pid", [0, 2**31 - 1])
def test_where_processes_cannot_be_looked_at_somebody_is_taken_to_attend(host: str, pid: int) -> None:
    assert attended(host, {}, pid)
