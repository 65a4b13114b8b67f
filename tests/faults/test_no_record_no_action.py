"""no_record_no_action: if the receipt cannot be kept, only calls that read go through."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, Ran, ended, heed_permissions, made
from interlock.limits import LOCK_WAIT_SECONDS
from interlock.record.resume import opened
from ledger_rows import change


def told(ledger: str, why: str) -> tuple[Any, Any]:
    """The whole answers to a read and to a write."""
    trouble = f"`{ledger}` {why.format(ledger=ledger)}"
    text = f"Interlock: not recorded: {trouble}"
    passed = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    denied = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"Interlock: Refused. Tell the person that this decision could not be recorded: "
        f"{trouble}. Until it can be, only read-only calls are allowed.",
    }
    return (
        {"hookSpecificOutput": passed, "systemMessage": text},
        {"hookSpecificOutput": denied, "systemMessage": text},
    )


def _folder(ledger: Path) -> None:
    ledger.mkdir()


def _pipe(ledger: Path) -> None:
    os.mkfifo(ledger)


def _link(ledger: Path) -> None:
    (ledger.parent / "elsewhere").write_text("")
    ledger.symlink_to("elsewhere")


def _link_to_nothing(ledger: Path) -> None:
    ledger.symlink_to("/dev/null")


def _text(ledger: Path) -> None:
    ledger.write_text("this is not a database, whatever its name says\n" * 100)


def _gone(ledger: Path) -> None:
    Path(f"{ledger}.head").write_text(f"12 {'a' * 64}\n")


def _unwritable(ledger: Path) -> None:
    ledger.write_text("")
    ledger.chmod(0o400)


def _unwritable_folder(ledger: Path) -> None:
    ledger.parent.chmod(0o500)


LEDGERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a folder": (_folder, "is a folder, where a database is meant to be; move it away"),
    "a pipe": (_pipe, "is not a plain file, where a database is meant to be; move it away"),
    "a link": (_link, "is a link, where a database is meant to be; move it away"),
    "a link to nowhere": (_link_to_nothing, "is a link, where a database is meant to be; move it away"),
    "no database": (_text, "could not be written: it is not a database; look at it with: interlock audit verify"),
    "gone": (_gone, "is empty although its head is kept; look at it with: interlock audit verify"),
    "unwritable": (
        _unwritable,
        "could not be written: this user may not read and write `{ledger}`; allow it: chmod u+rw {ledger}",
    ),
    "in an unwritable folder": (_unwritable_folder, "could not be written: Permission denied"),
}


@pytest.mark.parametrize("case", LEDGERS)
def test_no_record_no_action(case: str, machine: Machine) -> None:
    spoil, why = LEDGERS[case]
    spoil(machine.ledger)
    read, write = told(str(machine.ledger), why)
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


HOMES = {
    "a file": _is_a_file,
    "read-only": _is_read_only,
    "state is a file": _state_is_a_file,
}


@pytest.mark.sampled(3)
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
    assert f"the policy file has an error: `{machine.home}/.config/interlock/policy.toml`" in denied.reason


@contextmanager
def held(ledger: Path) -> Iterator[None]:
    """Somebody else is writing, and does not come to an end."""
    with closing(sqlite3.connect(ledger, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def given(process: subprocess.Popen[bytes], event: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    process.stdin = None


@pytest.mark.slow
def test_a_ledger_that_stays_locked_lets_only_reads_pass(machine: Machine) -> None:
    machine.call("Write")
    before = machine.rows()
    read, write = told(str(machine.ledger), "could not be written: locked by another process for 2 s")
    with held(machine.ledger):
        begun = time.monotonic()
        with machine.start() as reading, machine.start() as writing:
            given(reading, machine.event("Read", tool_use_id="a"))
            given(writing, machine.event("Write", tool_use_id="b"))
            answers = ended(reading).answer, ended(writing).answer
        took = time.monotonic() - begun
    assert answers == (read, write)
    assert took >= LOCK_WAIT_SECONDS
    assert machine.rows() == before


def test_a_ledger_that_is_locked_for_a_moment_is_waited_for(machine: Machine) -> None:
    machine.call("Write")
    with machine.start() as process:
        with held(machine.ledger):
            given(process, machine.event("Write", tool_use_id="another"))
            time.sleep(0.3)
            assert process.poll() is None
        assert ended(process).taken == ALLOW
    assert len(machine.rows()) == 2


def all_at_once(machine: Machine, events: list[dict[str, Any]]) -> list[Ran]:
    running = [machine.start() for _ in events]
    try:
        return [ended(p, json.dumps(event).encode()) for p, event in zip(running, events, strict=True)]
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_many_hooks_at_once_each_keep_a_whole_receipt(machine: Machine) -> None:
    ran = all_at_once(machine, [machine.event("Write", tool_use_id=f"toolu_{n}") for n in range(8)])
    assert [one.taken for one in ran] == [ALLOW] * 8
    assert [row["body"]["receipt"]["decision"]["verdict"] for row in machine.rows()] == ["allow"] * 8
    assert len(machine.rows("policy")) == 1
    assert len(machine.rows("session")) == 1


@pytest.mark.slow
def test_of_many_hooks_for_one_attempt_one_decides_and_all_answer_alike(machine: Machine) -> None:
    ran = all_at_once(machine, [machine.event("Bash", {"command": "git push --force origin main"})] * 6)
    assert len({one.out for one in ran}) == 1
    assert len(machine.rows()) == 1


def test_an_attempt_that_comes_again_after_the_world_changed_is_decided_anew(machine: Machine) -> None:
    event = machine.event("Write")
    assert machine.run(event).taken == ALLOW
    (machine.project / "notes.txt").symlink_to(made(machine.project / ".claude") / "settings.json")
    assert machine.run(event).taken == DENY
    assert len(machine.rows()) == 2


def test_a_session_goes_on_from_one_process_to_the_next(machine: Machine) -> None:
    for n in range(2):
        machine.run(machine.event("Write", tool_use_id=f"toolu_{n}"))
    with closing(sqlite3.connect(machine.ledger)) as database:
        ((state,),) = database.execute("SELECT state FROM sessions").fetchall()
    kept = opened(state)[0]
    assert (kept.calls, kept.created) == (2, frozenset([str(machine.project / "notes.txt")]))


def test_a_session_whose_state_was_changed_lets_only_reads_pass(machine: Machine) -> None:
    assert machine.call("Write").taken == ALLOW
    change(machine.ledger, "UPDATE sessions SET state = CAST(replace(state, 'interactive', 'autonomous') AS BLOB)")
    assert machine.call("Read").taken == ALLOW
    denied = machine.call("Write")
    assert denied.taken == DENY
    assert "does not follow from its rows" in denied.reason


def test_an_ask_that_is_not_recorded_is_a_deny(machine: Machine) -> None:
    machine.ledger.mkdir()
    assert machine.call("Bash").taken == DENY
    machine.ledger.rmdir()
    assert machine.call("Bash").taken == ASK


def test_long_texts_are_cut_and_of_a_huge_call_only_the_reading_is_kept(machine: Machine) -> None:
    path = str(machine.project / "a.txt")
    machine.call("Write", file_path=path, content="x" * 5000)
    machine.call("MultiEdit", file_path=path, edits=[{"old_string": "a" * 900, "new_string": "b"}] * 200)
    long, huge = (row["body"]["input"] for row in machine.rows())
    assert long == {"content": f"{'x' * 200}… [cut, 5000 characters]", "file_path": path}
    assert list(huge) == ["[cut]"]
