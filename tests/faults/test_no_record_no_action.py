"""no_record_no_action: if the receipt cannot be kept, only calls that read go through."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, ended, heed_permissions, made
from interlock.limits import LOCK_WAIT_SECONDS


def told(journal: str, why: str) -> tuple[Any, Any]:
    """The whole answers to a read and to a write."""
    trouble = f"`{journal}` {why}"
    text = f"Interlock: not recorded: {trouble}"
    passed = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    denied = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"Interlock: the decision could not be recorded: {trouble} [record/unrecorded]. "
        "Only reads pass until the record can be written again; tell the person.",
    }
    return (
        {"hookSpecificOutput": passed, "systemMessage": text},
        {"hookSpecificOutput": denied, "systemMessage": text},
    )


def _folder(journal: Path) -> None:
    journal.mkdir()


def _pipe(journal: Path) -> None:
    os.mkfifo(journal)


def _link(journal: Path) -> None:
    (journal.parent / "elsewhere").write_text("")
    journal.symlink_to("elsewhere")


def _link_to_nothing(journal: Path) -> None:
    journal.symlink_to("/dev/null")


def _unwritable(journal: Path) -> None:
    journal.write_text("")
    journal.chmod(0o400)


def _unwritable_folder(journal: Path) -> None:
    made(journal.parent / "policies")
    journal.parent.chmod(0o500)


JOURNALS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a folder": (_folder, "could not be written: Is a directory"),
    "a pipe": (_pipe, "is not a file"),
    "a link": (_link, "could not be written: Too many levels of symbolic links"),
    "a link to nowhere": (_link_to_nothing, "could not be written: Too many levels of symbolic links"),
    "unwritable": (_unwritable, "could not be written: Permission denied"),
    "in an unwritable folder": (_unwritable_folder, "could not be written: Permission denied"),
}


@pytest.mark.parametrize("case", JOURNALS)
def test_no_record_no_action(case: str, machine: Machine) -> None:
    spoil, why = JOURNALS[case]
    spoil(machine.journal)
    read, write = told(str(machine.journal), why)
    assert machine.run(machine.event("Read"), before=heed_permissions).answer == read
    assert machine.run(machine.event("Write"), before=heed_permissions).answer == write
    assert machine.run(machine.event("Bash"), before=heed_permissions).taken == DENY
    machine.state.chmod(0o700)


def _is_a_file(home: Path) -> None:
    home.rmdir()
    home.write_text("")


def _is_read_only(home: Path) -> None:
    home.chmod(0o500)


def _leads_nowhere(home: Path) -> None:
    home.rmdir()
    home.symlink_to("home")


def _state_is_a_file(home: Path) -> None:
    (made(home / ".local/state") / "interlock").write_text("")


def _policies_is_a_file(home: Path) -> None:
    (made(home / ".local/state/interlock") / "policies").write_text("")


HOMES = {
    "a file": _is_a_file,
    "read-only": _is_read_only,
    "state is a file": _state_is_a_file,
    "kept policies are a file": _policies_is_a_file,
}


@pytest.mark.parametrize("case", HOMES)
def test_a_home_that_keeps_nothing_lets_only_reads_pass(case: str, machine: Machine) -> None:
    HOMES[case](machine.home)
    taken = {t: machine.run(machine.event(t), before=heed_permissions).taken for t in ("Read", "Write", "Bash")}
    assert taken == {"Read": ALLOW, "Write": DENY, "Bash": DENY}


@pytest.mark.parametrize("spoil", [_leads_nowhere, lambda home: home.chmod(0)], ids=["a ring of links", "unreadable"])
def test_a_home_that_cannot_be_read_may_hold_a_policy_so_only_reads_pass(
    spoil: Callable[[Path], None], machine: Machine
) -> None:
    spoil(machine.home)
    denied = machine.run(machine.event("Write"), before=heed_permissions)
    assert machine.run(machine.event("Read"), before=heed_permissions).taken == ALLOW
    assert denied.taken == DENY
    assert f"the policy could not be used: `{machine.home}/.config/interlock/policy.toml`" in denied.reason


def test_a_journal_that_stays_locked_lets_only_reads_pass(machine: Machine) -> None:
    machine.call("Write")
    before = machine.journal.read_bytes()
    read, write = told(str(machine.journal), "could not be written: locked by another process for 2 s")
    with machine.journal.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        with machine.start() as reading, machine.start() as writing:
            for process, tool in ((reading, "Read"), (writing, "Write")):
                assert process.stdin is not None
                process.stdin.write(json.dumps(machine.event(tool)).encode())
                process.stdin.close()
                process.stdin = None
            answers = ended(reading).answer, ended(writing).answer
        took = time.monotonic() - begun
    assert answers == (read, write)
    assert LOCK_WAIT_SECONDS <= took < LOCK_WAIT_SECONDS + 2
    assert machine.journal.read_bytes() == before


def test_a_journal_that_is_locked_for_a_moment_is_waited_for(machine: Machine) -> None:
    machine.call("Write")
    with machine.start() as process:
        with machine.journal.open("ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            assert process.stdin is not None
            process.stdin.write(json.dumps(machine.event("Write")).encode())
            process.stdin.close()
            process.stdin = None
            time.sleep(0.3)
            assert process.poll() is None
        assert ended(process).taken == ALLOW
    assert len(machine.journal.read_bytes().splitlines()) == 2


def test_a_line_that_a_killed_writer_left_unfinished_is_closed_off(machine: Machine) -> None:
    machine.journal.write_bytes(b'{"body":{"call"')
    assert machine.call("Write").taken == ALLOW
    torn, whole = machine.journal.read_bytes().splitlines()
    assert torn == b'{"body":{"call"'
    assert json.loads(whole)["body"]["decision"]["verdict"] == "allow"


def test_many_hooks_at_once_each_keep_a_whole_receipt(machine: Machine) -> None:
    machine.call("Read")
    event = json.dumps(machine.event("Write")).encode()
    running = [machine.start() for _ in range(8)]
    try:
        assert [ended(process, event).taken for process in running] == [ALLOW] * 8
    finally:
        for process in running:
            process.kill()
            process.wait()
    lines = machine.journal.read_bytes().splitlines()
    assert len(lines) == 9
    assert {json.loads(line)["body"]["decision"]["verdict"] for line in lines} == {"allow"}


def test_an_ask_that_is_not_recorded_is_a_deny(machine: Machine) -> None:
    machine.journal.mkdir()
    assert machine.call("Bash").taken == DENY
    machine.journal.rmdir()
    assert machine.call("Bash").taken == ASK
