"""every_crash_is_a_deny, where the machine is short of memory, files or room.

An interpreter that cannot start is the host's switch to close, so any exit code but 0 will do
there. An exit code of 0 must come with the verdict that the call deserves, and these deserve an
ask at the very least.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, Ran, limits, new_machine, pythons

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits on address space are Linux's")

MEGABYTE = 1 << 20


def never_to_be_allowed(machine: Machine) -> list[dict[str, Any]]:
    settings = str(machine.home / ".claude/settings.json")
    return [machine.event("Bash"), machine.event("Write", {"file_path": settings, "content": "{}"})]


@pytest.mark.parametrize("megabytes", [4, 8])
def test_an_interpreter_that_cannot_start_says_so(megabytes: int, machine: Machine) -> None:
    for event in never_to_be_allowed(machine):
        assert machine.run(event, before=limits((resource.RLIMIT_AS, megabytes * MEGABYTE))).code != 0


@pytest.mark.sampled(5)
@pytest.mark.parametrize("megabytes", [16, 18, 20, 24, 32, 48, 64, 72, 76, 80, 84, 96, 128])
def test_little_memory_never_lets_a_call_through(megabytes: int, machine: Machine) -> None:
    """The interpreter starts, so from here on only a deny will do, or the right verdict."""
    for event in never_to_be_allowed(machine):
        ran = machine.run(event, before=limits((resource.RLIMIT_AS, megabytes * MEGABYTE)))
        assert ran.taken in (ASK, DENY), ran


@pytest.mark.parametrize("megabytes", [24, 40, 64])
def test_a_lack_of_memory_is_met_at_the_door(megabytes: int, machine: Machine) -> None:
    """And not in the middle of an import, where the interpreter itself may not survive it."""
    ran = machine.run(machine.event("Read"), before=limits((resource.RLIMIT_AS, megabytes * MEGABYTE)))
    assert ran == Ran(2, b"", b"Interlock: blocked, because the check could not be completed (MemoryError).\n")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("megabytes", [80, 96, 112, 128, 160])
def test_an_event_that_uses_up_the_memory_is_a_deny_or_is_judged(megabytes: int, machine: Machine) -> None:
    event = machine.event("Bash", {"command": "$TOOL " + "x" * 4 * MEGABYTE, "more": [[{}] * 8] * 50_000})
    ran = machine.run(event, before=limits((resource.RLIMIT_AS, megabytes * MEGABYTE)))
    assert ran.taken in (ASK, DENY), (ran.code, ran.err[:300])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("files", [0, 1, 2, 3, 4, 5, 6, 8])
def test_few_open_files_never_let_a_call_through(files: int, machine: Machine) -> None:
    ran = machine.run(machine.event("Bash"), before=limits((resource.RLIMIT_NOFILE, files)))
    assert ran.code != 0 or ran.taken in (ASK, DENY), ran


def test_no_room_for_files_lets_only_reads_pass(machine: Machine) -> None:
    no_room = limits((resource.RLIMIT_FSIZE, 0))
    assert machine.run(machine.event("Read"), before=no_room).taken == ALLOW
    denied = machine.run(machine.event("Write"), before=no_room)
    assert denied.taken == DENY
    assert "the disk gave an error" in denied.reason


def test_no_further_process_is_needed(machine: Machine) -> None:
    assert machine.run(machine.event("Write"), before=limits((resource.RLIMIT_NPROC, 0))).taken == ALLOW


@pytest.mark.sampled(3)
@pytest.mark.parametrize("python", pythons().values(), ids=pythons())
def test_a_small_stack_survives_the_deepest_event(python: str, tmp_path: Path) -> None:
    """From 3.12 on, the interpreter's own limit on C frames is too high for this stack."""
    machine = new_machine(tmp_path, python=python)
    small = limits((resource.RLIMIT_STACK, MEGABYTE))
    for raw in (b"[" * 10**5, b'{"":' * 10**5, b'["\\"]",' * 10**5, b"[" * 999 + b"]" * 999):
        ran = machine.run(raw, before=small)
        assert (ran.taken, ran.reason) == (DENY, "Interlock: the input is nested deeper than 100 levels."), raw[:20]
    assert machine.run(machine.event("Bash"), before=small).taken == ASK
