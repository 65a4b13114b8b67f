"""Whatever becomes of the service, the hook answers as it would without one, or blocks."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, Ran, heed_permissions
from interlock.hook.client import NOTE, PATIENCE, SOCKET
from interlock.limits import HOOK_DEADLINE_SECONDS
from residing import Impostor, Residence

WHOLE = b"1 2 0\n0{}"  # an answer of the right form
PUSH = "git push --force origin main"


def push(machine: Machine, name: str) -> Ran:
    return machine.run(machine.event("Bash", {"command": PUSH}, tool_use_id=name))


def test_a_call_is_answered_by_the_service_and_recorded_once(resident: Residence) -> None:
    machine = resident.machine
    assert machine.call("Write").taken == ALLOW
    assert push(machine, "toolu_x").taken == ASK
    assert resident.counts == (2, 0)
    assert [row["body"]["front"] for row in machine.rows()] == ["hook:claude-code"] * 2


def test_the_host_is_the_hooks_parent_and_not_the_services(resident: Residence) -> None:
    assert resident.machine.call("Write").taken == ALLOW
    (row,) = resident.machine.rows("session")
    assert row["body"]["parent"][0] == os.getpid()


def test_a_service_that_was_killed_is_not_missed(resident: Residence) -> None:
    os.kill(resident.pid, signal.SIGKILL)
    assert [resident.machine.call("Write").taken for _ in range(2)] == [ALLOW, ALLOW]
    assert resident.ready().runs  # the hook has started another one


@pytest.mark.slow
def test_a_service_that_hangs_costs_some_time(resident: Residence) -> None:
    os.kill(resident.pid, signal.SIGSTOP)
    before = time.monotonic()
    assert resident.machine.call("Write").taken == ALLOW
    assert PATIENCE <= time.monotonic() - before < HOOK_DEADLINE_SECONDS


@pytest.mark.slow
def test_an_attempt_that_was_given_up_and_goes_on_is_decided_once(resident: Residence) -> None:
    """The service commits after the client has left: it finds what the hook recorded meanwhile."""
    machine = resident.machine
    assert machine.call("Read").taken == ALLOW
    with sqlite3.connect(machine.ledger, isolation_level=None) as held:
        held.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(push, machine, "toolu_once")
            time.sleep(1)
            os.kill(resident.pid, signal.SIGSTOP)  # it waits for the ledger
            held.execute("COMMIT")
            assert answer.result().taken == ASK
    os.kill(resident.pid, signal.SIGCONT)
    time.sleep(0.5)
    assert push(machine, "toolu_once").taken == ASK
    assert len([row for row in machine.rows() if row["body"]["attempt"] == "toolu_once"]) == 1


@pytest.mark.slow
def test_a_service_that_dies_in_the_middle_is_not_missed(resident: Residence) -> None:
    machine = resident.machine
    assert machine.call("Read").taken == ALLOW
    with sqlite3.connect(machine.ledger, isolation_level=None) as held:
        held.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(push, machine, "toolu_once")
            time.sleep(1)
            os.kill(resident.pid, signal.SIGKILL)
            held.execute("COMMIT")
            assert answer.result().taken == ASK
    assert len([row for row in machine.rows() if row["body"]["attempt"] == "toolu_once"]) == 1


@pytest.mark.slow
def test_every_crash_is_a_deny(resident: Residence) -> None:
    """The service hangs, and so does what the hook needs to decide by itself."""
    machine = resident.machine
    assert machine.call("Read").taken == ALLOW
    os.kill(resident.pid, signal.SIGSTOP)
    with sqlite3.connect(machine.ledger, isolation_level=None) as held:
        held.execute("BEGIN IMMEDIATE")
        before = time.monotonic()
        assert machine.call("Write").taken == DENY
        assert time.monotonic() - before < HOOK_DEADLINE_SECONDS + 2


def test_a_ledger_in_trouble_is_the_hooks_own_matter(resident: Residence) -> None:
    machine = resident.machine
    assert machine.call("Write").taken == ALLOW
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (machine.state / name).unlink(missing_ok=True)
    assert machine.call("Write").taken == DENY  # its head is there, and it is not
    assert machine.call("Read").taken == ALLOW
    assert resident.counts == (1, 2)


GARBAGE = {
    "nothing": b"",
    "no line": b"x" * 1000,
    "cut short": WHOLE[:-1],
    "more than it says": WHOLE + b"{}",
    "too few parts": b"1 2\n0{}",
    "too many parts": b"1 2 0 0\n0{}",
    "a length below zero": b"1 2 -1\n0{}",
    "a length that is no number": b"1 2 x\n0{}",
    "larger than any answer": b"1 99999999 0\n0{}",
    "an exit code that means go on": b"1 2 0\n1{}",
    "an exit code that is none": b"1 2 0\nx{}",
    "no bytes of ours": os.urandom(5000),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("said", GARBAGE)
def test_garbage_is_no_answer(said: str, residence: Residence) -> None:
    with Impostor(residence, lambda _: GARBAGE[said]) as impostor:
        ran = residence.machine.run(residence.machine.event("Bash", {"command": PUSH}))
    assert (ran.taken, ran.code, impostor.connections) == (ASK, 0, 1)
    assert len(residence.machine.rows()) == 1


def test_a_service_of_other_files_is_not_asked(residence: Residence) -> None:
    with Impostor(residence, lambda _: WHOLE) as impostor:
        impostor.note(residence.path / NOTE, stamp=b"another version")
        assert residence.machine.call("Bash", command=PUSH).taken == ASK
    assert impostor.connections == 0


def test_a_socket_that_is_not_of_the_noted_process_is_told_nothing(resident: Residence) -> None:
    machine = resident.machine
    with Impostor(resident, lambda _: WHOLE, named=False) as impostor:
        assert machine.call("Bash", command=PUSH).taken == ASK
        assert (impostor.connections, impostor.heard) == (1, [])
        (resident.path / NOTE).unlink()
    assert resident.ends()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_may_look_into_is_not_used(mode: int, residence: Residence) -> None:
    with Impostor(residence, lambda _: WHOLE) as impostor:
        residence.path.chmod(mode)
        assert residence.machine.call("Bash", command=PUSH).taken == ASK
        residence.path.chmod(0o700)
    assert impostor.connections == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["", NOTE])
def test_what_is_somebody_elses_is_not_used(name: str, residence: Residence) -> None:
    with Impostor(residence, lambda _: WHOLE) as impostor:
        os.chown(residence.path / name, 4711, 4711)
        assert residence.machine.call("Bash", command=PUSH).taken == ASK
        os.chown(residence.path / name, 0, 0)
    assert impostor.connections == 0


def test_a_folder_that_is_a_link_is_not_used(residence: Residence, tmp_path: Path) -> None:
    with Impostor(residence, lambda _: WHOLE) as impostor:
        residence.path.rename(tmp_path / "elsewhere")
        residence.path.symlink_to(tmp_path / "elsewhere")
        assert residence.machine.call("Bash", command=PUSH).taken == ASK
        residence.path.unlink()
        (tmp_path / "elsewhere").rename(residence.path)
    assert impostor.connections == 0


@pytest.mark.slow
def test_nobody_waits_long_for_a_service_that_accepts_nobody(residence: Residence) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"/proc/self/fd/{residence.folder}/{SOCKET}")
    listener.listen(0)
    Impostor.note(residence.path / NOTE)
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    try:
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(f"/proc/self/fd/{residence.folder}/{SOCKET}")
        before = time.monotonic()
        assert residence.machine.call("Bash", command=PUSH).taken == ASK
        assert time.monotonic() - before < HOOK_DEADLINE_SECONDS
    finally:
        for one in (listener, *waiting):
            one.close()


@pytest.mark.slow
def test_who_asks_nothing_holds_nobody_up(resident: Residence) -> None:
    """Connections that are opened and say nothing, or never end their question."""
    idle = [socket.socket(socket.AF_UNIX) for _ in range(12)]
    try:
        for one in idle:
            one.connect(f"/proc/self/fd/{resident.folder}/{SOCKET}")
            one.send(b"10 1 1 1 1\nabc")
        assert resident.machine.call("Write").taken == ALLOW
    finally:
        for one in idle:
            one.close()
    time.sleep(1)
    assert resident.machine.call("Write").taken == ALLOW
    assert resident.counts[0] >= 1


@pytest.mark.slow
def test_fifty_at_once_are_answered_and_recorded(resident: Residence) -> None:
    machine = resident.machine
    gate = threading.Barrier(50)

    def one(number: int) -> str:
        event = machine.event("Write", tool_use_id=f"toolu_{number}", session_id=f"s{number}")
        gate.wait()
        return machine.run(event, patience=60).taken

    with ThreadPoolExecutor(50) as pool:
        said = list(pool.map(one, range(50)))
    allowed = said.count(ALLOW)
    assert {*said} <= {ALLOW, DENY}  # on a machine that is busy enough, a hook's deadline passes
    assert allowed >= 40
    assert len(machine.rows()) >= allowed


def test_a_hook_with_other_rights_decides_by_itself(resident: Residence) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give rights up here")
    ran = resident.machine.run(resident.machine.event("Write"), before=heed_permissions)
    assert ran.taken == ALLOW
    assert resident.counts[0] == 0


def test_an_event_that_is_too_large_is_refused_as_ever(resident: Residence) -> None:
    ran = resident.machine.run(b'{"hook_event_name": "PreToolUse", "x": "' + b"y" * (9 << 20) + b'"}')
    assert ran.taken == DENY
    assert "larger than" in ran.reason
    assert resident.counts == (0, 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("raw", [b"", b"{}", b"[1]", b"\xff", b'{"hook_event_name": "PreToolUse"}'])
def test_what_is_no_call_is_refused_as_ever(raw: bytes, resident: Residence) -> None:
    machine = resident.machine
    warm = machine.run(raw)
    assert warm.taken == DENY
    os.kill(resident.pid, signal.SIGKILL)
    assert machine.run(raw) == warm
