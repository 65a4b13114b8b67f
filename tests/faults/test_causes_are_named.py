"""What keeps the ledger from being used is named as what it is, and the first cure gives up no row."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, DENY, Machine, heed_permissions

Spoil = Callable[[Path], None]


def read_only_folder(ledger: Path) -> None:
    for file in ledger.parent.glob("ledger.db-*"):
        file.unlink()
    ledger.parent.chmod(0o500)


def read_only_file(ledger: Path) -> None:
    ledger.chmod(0o400)


def unreadable_file(ledger: Path) -> None:
    ledger.chmod(0)


def unreadable_log(ledger: Path) -> None:
    Path(f"{ledger}-wal").chmod(0)


def a_folder(ledger: Path) -> None:
    ledger.rename(ledger.parent / "kept.db")
    ledger.mkdir()


def a_link(ledger: Path) -> None:
    ledger.rename(ledger.parent / "kept.db")
    ledger.symlink_to("kept.db")


CAUSES: dict[str, tuple[Spoil, str]] = {
    "read-only folder": (read_only_folder, "its folder is read-only for this user; make it writable: chmod u+rwx"),
    "read-only file": (read_only_file, "this user may not read and write"),
    "unreadable file": (unreadable_file, "this user may not read and write"),
    "unreadable log": (unreadable_log, "-wal`; allow it: chmod u+rw"),
    "a folder": (a_folder, "is a folder, where a database is meant to be; move it away"),
    "a link": (a_link, "is a link, where a database is meant to be; move it away"),
}


def audit(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As a person types it. Even root is bound by the permission bits."""
    command = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "audit", *arguments]
    apart = [sys.executable, str(Path(__file__).parents[1] / "apart.py")]
    return subprocess.run(
        [*apart, *command],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_permissions,
    )


def all_rows(machine: Machine) -> list[dict[str, Any]]:
    kinds = ("policy", "session", "decision", "override", "watch")
    return sorted((row for kind in kinds for row in machine.rows(kind)), key=lambda row: int(row["seq"]))


@pytest.fixture
def used(machine: Machine) -> Machine:
    assert machine.call("Write").taken == ALLOW
    return machine


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CAUSES)
def test_verify_and_the_hook_name_the_cause_and_never_call_it_damage(name: str, used: Machine) -> None:
    spoil, why = CAUSES[name]
    spoil(used.ledger)
    try:
        found = used.run(used.event("Write"), before=heed_permissions)
        assert found.taken == DENY
        assert why in str(found.answer)
        told = audit(used, "verify")
        pruned = audit(used, "prune", "--keep", "1", "--yes")
        again = audit(used, "restart", "--yes")
    finally:
        used.state.chmod(0o700)
    if name != "read-only file":  # which can be looked at
        assert told.returncode == 2
        assert told.stdout.startswith("not checked: ")
        assert why in told.stdout
        assert "nothing says that rows are lost" in told.stdout
        assert again.returncode == 74
        assert list(used.state.glob("ledger.db.2*")) == []
    for done in (told, pruned):
        assert "damaged" not in done.stdout + done.stderr
        assert "restart" not in done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_ledger_of_somebody_else_is_named_so(tmp_path: Path) -> None:
    from interlock.model.errors import StoreError
    from interlock.store.ledger.sqlite import Database

    folder = Path(tempfile.mkdtemp(prefix="interlock-owned-", dir="/var/tmp"))
    ledger = folder / "ledger.db"
    ledger.write_text("")
    for path in (folder, ledger):
        os.chown(path, 65533, 65533)
    folder.chmod(0o755)
    Database(str(tmp_path / "own.db")).open(create=True)  # loads what that user may not be able to read
    try:
        os.seteuid(65534)
        with pytest.raises(StoreError, match=f"`{ledger}` belongs to somebody else; make it yours: chown 65534"):
            Database(str(ledger)).open(create=False)
    finally:
        os.seteuid(0)
        shutil.rmtree(folder)


def test_a_file_system_that_is_mounted_read_only_is_named(used: Machine, tmp_path: Path) -> None:
    """In a mount namespace of its own; skipped where the system does not let this user make one."""
    script = (
        f"mount --bind {used.state} {used.state} && mount -o remount,ro,bind {used.state} && "
        f"exec {sys.executable} -m interlock.cli --home {used.home} audit verify"
    )
    command = ["unshare", "--mount", "sh", "-c", script]
    for file in used.state.glob("ledger.db-*"):
        file.unlink()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(done.stderr)
    assert f"the file system that holds `{used.state}` is mounted read-only" in done.stdout
    assert "nothing says that rows are lost" in done.stdout


# --- the head ---------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("spoil", ["gone", "empty", "no head"])
def test_rows_without_a_head_are_damage_that_no_hook_heals(spoil: str, used: Machine) -> None:
    head = Path(f"{used.ledger}.head")
    if spoil == "gone":
        head.unlink()
    else:
        head.write_text("" if spoil == "empty" else "12\n")
    before = all_rows(used)
    for _ in range(2):
        assert used.call("Write").taken == DENY
        assert used.call("Read").taken == ALLOW
    assert all_rows(used) == before
    assert not head.exists() or head.read_text() in ("", "12\n")
    told = audit(used, "verify").stdout
    assert told.startswith("broken: head at row ")
    assert f"interlock --home {used.home} audit restore-head" in told
    assert "restart" not in told


def test_a_person_restores_a_lost_head_and_every_row_stays(used: Machine) -> None:
    before = all_rows(used)
    Path(f"{used.ledger}.head").unlink()
    done = audit(used, "restore-head", "--yes", "--why", "copied without it")
    assert (done.returncode, done.stdout) == (
        0,
        f"the head was written anew for {len(before)} rows; a new row says so\n",
    )
    *rows, last = all_rows(used)
    assert rows == before
    assert (last["kind"], last["key"], last["body"]["says"], last["body"]["why"]) == (
        "override",
        "head",
        "head restored",
        "copied without it",
    )
    assert audit(used, "verify").returncode == 0
    assert used.call("Write").taken == ALLOW


def test_a_head_that_is_there_or_rows_that_are_not_whole_are_not_papered_over(used: Machine) -> None:
    import sqlite3

    refused = audit(used, "restore-head", "--yes")
    assert (refused.returncode, "is there" in refused.stderr) == (64, True)
    Path(f"{used.ledger}.head").unlink()
    database = sqlite3.connect(used.ledger)
    database.execute("UPDATE ledger SET body = CAST('{}' AS BLOB) WHERE seq = 1")
    database.commit()
    database.close()
    refused = audit(used, "restore-head", "--yes")
    assert (refused.returncode, "no head was written: the ledger is damaged at row 1" in refused.stderr) == (74, True)


def test_a_process_killed_before_its_first_head_leaves_no_damage(machine: Machine) -> None:
    """The head is there before the first row is."""
    from interlock.store.ledger.ledger import Ledger
    from interlock.store.ledger.verify import verify

    ledger = Ledger(str(machine.ledger))
    with ledger.deciding() as turn:
        assert Path(f"{machine.ledger}.head").read_text() == f"{0:020d} {'0' * 64}\n"
        turn.append("override", b'{"why":""}', key="x")
    Path(f"{machine.ledger}.head").write_text(f"{0:020d} {'0' * 64}\n")  # as if it had been killed here
    with ledger.deciding() as turn:
        turn.append("override", b'{"why":""}', key="y")
    ledger.close()
    from interlock.store.home.folders import folders_for

    assert verify(folders_for(str(machine.home))).damage is None


# --- exports ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_export_is_for_its_owner_only_also_where_a_file_was(used: Machine, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for _ in range(2):
        assert audit(used, "export", "--output", str(out)).returncode == 0
        assert out.stat().st_mode & 0o777 == 0o600
        assert len(out.read_text().splitlines()) == len(all_rows(used))
        out.write_text("x" * 100_000)
        out.chmod(0o644)
    assert audit(used, "export", "--output", "/dev/null").returncode == 0
    assert os.stat("/dev/null").st_mode & 0o777 == 0o666
