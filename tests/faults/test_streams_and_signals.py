"""every_crash_is_a_deny, for the process: closed and broken streams, signals, the deadline."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import (
    ALLOW,
    DENY,
    GUARD,
    Machine,
    Ran,
    copy_of_the_package,
    ended,
    made,
    new_machine,
    wait_until_guarded,
    words,
)
from interlock.limits import HOOK_DEADLINE_SECONDS, HOST_TIMEOUT_SECONDS, LOCK_WAIT_SECONDS

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc or needs /dev/full")


def blocked(why: str) -> bytes:
    return f"Interlock: blocked, because the check could not be completed ({why}).\n".encode()


CLOSED = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


@pytest.mark.parametrize("streams", CLOSED, ids=str)
def test_a_closed_stream_is_a_deny_unless_the_answer_can_still_be_given(
    streams: tuple[int, ...], machine: Machine
) -> None:
    def close() -> None:
        for stream in streams:
            os.close(stream)

    ran = machine.run(machine.event(), before=close)
    assert ran.taken == (ALLOW if streams == (2,) else DENY), ran


def test_a_file_that_is_opened_never_takes_the_place_of_a_closed_stream(machine: Machine) -> None:
    """With stdin closed, the next file would get its number, and be read as the event."""
    machine.user_policy.write_text("version = 1\n")
    ran = machine.run(machine.event(), before=lambda: os.close(0))
    assert ran.taken == DENY
    assert ran.reason == "Interlock: the input is empty."


@linux_only
def test_an_answer_that_finds_no_room_is_a_deny(machine: Machine) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        ran = machine.run(machine.event(), stdout=full)
    finally:
        os.close(full)
    assert ran == Ran(2, b"", blocked("OSError"))


def test_an_answer_that_nobody_reads_any_more_is_a_deny(machine: Machine) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ran = machine.run(machine.event(), stdout=writer)
    finally:
        os.close(writer)
    assert ran == Ran(2, b"", blocked("BrokenPipeError"))


def test_an_answer_to_a_stream_that_can_only_be_read_is_a_deny(machine: Machine) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        ran = machine.run(machine.event(), stdout=null)
    finally:
        os.close(null)
    assert ran == Ran(2, b"", blocked("OSError"))


def test_a_full_pipe_that_does_not_wait_is_a_deny(machine: Machine) -> None:
    reader, writer = _full_pipe()
    os.set_blocking(writer, False)
    try:
        ran = machine.run(machine.event(), stdout=writer)
    finally:
        os.close(reader)
        os.close(writer)
    assert ran == Ran(2, b"", blocked("BlockingIOError"))


ENDING = words("TERM INT HUP QUIT ALRM XCPU USR1 USR2 VTALRM PROF IO PWR")


@linux_only
@pytest.mark.parametrize("name", ENDING)
def test_a_signal_that_would_end_the_process_is_a_deny(name: str, machine: Machine) -> None:
    number = signal.Signals["SIG" + name]
    with machine.start() as process:
        wait_until_guarded(process)
        process.send_signal(number)
        ran = ended(process)
    assert ran == Ran(2, b"", blocked("deadline" if name == "ALRM" else f"signal {number.value}"))


@linux_only
@pytest.mark.parametrize("name", ["CHLD", "WINCH", "URG", "CONT"])
def test_a_signal_that_means_nothing_changes_nothing(name: str, machine: Machine) -> None:
    with machine.start() as process:
        wait_until_guarded(process)
        process.send_signal(signal.Signals["SIG" + name])
        ran = ended(process, json.dumps(machine.event()).encode())
    assert ran.taken == ALLOW


def test_the_deadline_is_the_one_in_limits_and_ends_before_the_host_gives_up() -> None:
    armed = [
        [ast.unparse(argument) for argument in node.args]
        for node in ast.walk(ast.parse(GUARD.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_signal.setitimer"
    ]
    assert armed == [["_signal.ITIMER_REAL", f"{HOOK_DEADLINE_SECONDS} + seconds", "0.5"]]
    assert LOCK_WAIT_SECONDS < HOOK_DEADLINE_SECONDS < HOST_TIMEOUT_SECONDS


@pytest.mark.slow
@linux_only
def test_the_deadline_answers_whatever_the_hook_waits_for(tmp_path: Path) -> None:
    """All of them at once, because each takes the whole deadline."""
    machine = new_machine(tmp_path)
    event = json.dumps(machine.event()).encode()
    looping = copy_of_the_package(made(tmp_path / "looping"))
    (looping.parents[1] / "decide.py").write_text("while True:\n    pass\n")
    reader, writer = _full_pipe()
    everything = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    deaf = lambda: signal.pthread_sigmask(signal.SIG_BLOCK, everything)
    started: dict[str, tuple[subprocess.Popen[bytes], bytes]] = {}

    def start(case: str, given: bytes, hook: Machine = machine, **how: object) -> None:
        process = hook.start(**how)  # type: ignore[arg-type]
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.flush()
        if given == event:
            process.stdin.close()
            process.stdin = None
        started[case] = (process, given)

    start("stdin never says anything", b"")
    start("stdin never ends", event[:-1] + b" ")
    start("stdin goes on after the event", event + b" ")
    start("the parent had all signals blocked", b"", before=deaf)
    start("stdout is full and nobody reads it", event, stdout=writer)
    start("stdout and stderr are full and nobody reads them", event, stdout=writer, stderr=writer)
    start("a module never ends", event, Machine(home=machine.home, project=machine.project, guard=looping))
    try:
        # Each says itself that the deadline ended it; how long a busy machine takes to get there is nobody's promise.
        codes = {case: process.wait(timeout=12 * HOST_TIMEOUT_SECONDS) for case, (process, _) in started.items()}
        said = {case: process.stderr.read() for case, (process, _) in started.items() if process.stderr}
    finally:
        for process, _ in started.values():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        os.close(reader)
        os.close(writer)
    assert codes == dict.fromkeys(started, 2)
    assert said == dict.fromkeys(said, blocked("deadline"))


def _full_pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    try:
        while True:
            os.write(writer, b"x")
    except BlockingIOError:
        os.set_blocking(writer, True)
    return reader, writer


def _ignoring(*numbers: signal.Signals) -> Callable[[], None]:
    def apply() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    return apply


@linux_only
def test_signals_that_the_parent_ignored_still_end_in_a_deny(machine: Machine) -> None:
    with machine.start(before=_ignoring(signal.SIGALRM, signal.SIGTERM, signal.SIGINT)) as process:
        wait_until_guarded(process)
        process.send_signal(signal.SIGALRM)
        assert ended(process) == Ran(2, b"", blocked("deadline"))
