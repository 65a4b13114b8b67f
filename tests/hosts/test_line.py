"""The line that denies where no whole answer came in time, as bash runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from shlex import join

import pytest

from interlock.hosts.line import LATE_SECONDS, gated_line, ungated_line
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


def python(code: str) -> str:
    return join([sys.executable, "-I", "-S", "-c", code])


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
def test_only_a_whole_answer_of_a_guard_that_left_with_0_is_given(code: str, expected: tuple[int, str]) -> None:
    assert ran(gated_line(python(code), DENIED)) == expected


def test_a_program_that_is_gone_denies_and_says_so() -> None:
    code, told = ran(gated_line("/nowhere/python3", DENIED))
    assert (code, "/nowhere/python3: No such file" in told) == (2, True)


def test_a_guard_that_hangs_denies_in_time_and_keeps_no_stream_open() -> None:
    begun = time.monotonic()
    hangs = python("import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(20)")
    code, told = ran(gated_line(hangs, DENIED))
    assert (code, told) == (2, '{"verdict":"deny","why":""}\n')
    assert LATE_SECONDS - 1 <= time.monotonic() - begun < HOST_TIMEOUT_SECONDS


def test_an_event_that_decides_nothing_never_blocks() -> None:
    assert ran(ungated_line("/nowhere/python3")) == (0, "")
