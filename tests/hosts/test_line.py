"""The line that denies where no whole answer came in time, as bash runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interlock.hosts.copilot_cli import NAME, TRAITS
from interlock.hosts.lines import LATE_SECONDS, STREAMS, line_of
from interlock.limits import HOOK_DEADLINE_SECONDS, HOST_TIMEOUT_SECONDS

DENIED = '{"verdict":"deny","why":"%s"}\n'


def ran(line: str) -> tuple[int, str]:
    """`SECONDS` as somebody may have set it who wants the line to wait longer than the host does."""
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        input=b"{}",
        capture_output=True,
        timeout=30,
        check=False,
        env={**os.environ, "SECONDS": "-1000"},
    )
    return done.returncode, done.stdout.decode()


def line(folder: Path, code: str, *, python: str = sys.executable, gated: bool = True) -> str:
    guard = folder / "guard.py"
    guard.write_text(code)
    return line_of(NAME, TRAITS, (python, str(guard), ()), STREAMS, gated=gated, denied=DENIED)


def test_it_waits_longer_than_the_guard_works_and_gives_up_before_the_host_does() -> None:
    assert HOOK_DEADLINE_SECONDS + 1 < LATE_SECONDS < HOST_TIMEOUT_SECONDS - 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('print(\'{"verdict":"allow"}\')', (0, '{"verdict":"allow"}\n')),
        ("import sys; sys.stderr.write('no prefix\\n'); print('{}')", (0, "{}\n")),
        ("print('{}'); raise SystemExit(1)", (2, '{"verdict":"deny","why":""}\n')),
        ("import os; print('{}', flush=True); os.abort()", (2, '{"verdict":"deny","why":""}\n')),
        ("print('{}', end='')", (2, '{"verdict":"deny","why":""}\n')),
        ("pass", (2, '{"verdict":"deny","why":" ."}\n')),
        ("print('allow')", (2, '{"verdict":"deny","why":" allow ."}\n')),
        ("raise SystemExit('it\"s \\\\ gone')", (2, '{"verdict":"deny","why":" it s   gone"}\n')),
        ("print('a\\n' * 9 + '{}')", (2, '{"verdict":"deny","why":" a a a a a"}\n')),
    ],
    ids=str,
)
def test_only_a_whole_answer_of_a_guard_that_left_with_0_is_given(
    code: str, expected: tuple[int, str], tmp_path: Path
) -> None:
    assert ran(line(tmp_path, code)) == expected


def test_a_program_that_is_gone_denies_and_says_so(tmp_path: Path) -> None:
    code, told = ran(line(tmp_path, "", python="/nowhere/python3"))
    assert (code, "/nowhere/python3: No such file" in told) == (2, True)


@pytest.mark.slow
def test_a_guard_that_hangs_denies_in_time_and_keeps_no_stream_open(tmp_path: Path) -> None:
    begun = time.monotonic()
    hangs = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(20)"
    code, told = ran(line(tmp_path, hangs))
    assert (code, told) == (2, '{"verdict":"deny","why":""}\n')
    assert LATE_SECONDS - 1 <= time.monotonic() - begun < HOST_TIMEOUT_SECONDS


def test_an_event_that_decides_nothing_never_blocks(tmp_path: Path) -> None:
    assert ran(line(tmp_path, "", python="/nowhere/python3", gated=False)) == (0, "")
