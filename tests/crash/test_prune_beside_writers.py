"""Pruning beside writers, with both killed at any moment: no row is lost, and nobody sees damage that is none."""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.model.errors import StoreError
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import prune
from interlock.store.ledger.verify import verify
from sizes import how_many

ROUNDS = how_many("INTERLOCK_PRUNES", 30, quick=8)
SLOTS = ("a", "b")


class Child:
    """A forked process, and the lines that it has said so far."""

    def __init__(self, work: object, *given: object) -> None:
        self.pipe, theirs = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                os.close(self.pipe)
                work(*given, theirs)  # type: ignore[operator]
                os._exit(0)
            except BaseException as error:
                os.write(theirs, f"! {type(error).__name__}: {error}\n".encode())
            finally:
                os._exit(1)
        os.close(theirs)
        os.set_blocking(self.pipe, False)
        self.torn = b""

    def heard(self) -> list[str]:
        """The whole lines since the last time. What a killed process has written of a line is not said."""
        while True:
            try:
                chunk = os.read(self.pipe, 1 << 16)
            except BlockingIOError:
                break
            if not chunk:
                break
            self.torn += chunk
        *lines, self.torn = self.torn.split(b"\n")
        return [line.decode() for line in lines]

    def end(self, *, kill: bool) -> list[str]:
        if kill:
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        lines = self.heard()
        os.close(self.pipe)
        return lines


def write_for_ever(folders: Folders, slot: str, acknowledge: int) -> None:
    """Goes on where this session's state says it was, and says each row's number and key after it is kept."""
    ledger = Ledger(folders.ledger)
    while True:
        try:
            with ledger.deciding(slot) as turn:
                n = 0 if turn.state is None else int(str(parse_object(turn.state, limit=1000)["n"])) + 1
                state = canonical({"n": n})
                seq = turn.append("decision", state, key=f"{slot}-{n}", state=state, durable=n % 16 == 0)
        except StoreError as error:
            if "locked by another process" not in str(error):
                raise
            continue
        os.write(acknowledge, f"{seq} {slot}-{n}\n".encode())


def prune_once(folders: Folders, keep: int, acknowledge: int) -> None:
    stub = prune(folders, keep=keep)
    os.write(acknowledge, f"pruned {0 if stub is None else stub['count']}\n".encode())


def kept(folders: Folders) -> tuple[int, dict[int, str]]:
    """Up to which row all were pruned, and the keys of those that are there."""
    with closing(sqlite3.connect(folders.ledger)) as database:
        rows = dict(database.execute("SELECT seq, key FROM ledger"))
    return min(rows, default=1) - 1, rows


def test_no_row_is_lost_and_no_damage_is_seen_where_none_is(tmp_path: Path) -> None:
    folders = folders_for(str(tmp_path))
    dice = random.Random(12)
    acknowledged: dict[int, str] = {}
    newest = dict.fromkeys(SLOTS, -1)
    said = pruned = killed = 0

    def take(lines: list[str]) -> None:
        nonlocal said
        assert [line for line in lines if line.startswith("!")] == []
        for line in lines:
            seq, key = line.split()
            slot, _, n = key.partition("-")
            assert int(seq) not in acknowledged
            assert int(n) > newest[slot], "the session's state went back"
            acknowledged[int(seq)] = key
            newest[slot] = int(n)
            said += 1

    writers = {slot: Child(write_for_ever, folders, slot) for slot in SLOTS}
    try:
        select.select([writer.pipe for writer in writers.values()], [], [], 10)
        for number in range(ROUNDS):
            pruner = Child(prune_once, folders, dice.randint(1, 40))
            kills_pruner, kills_writer = dice.random() < 0.4, dice.random() < 0.3
            if kills_writer:
                time.sleep(dice.random() * 0.01)
                slot = dice.choice(SLOTS)
                take(writers[slot].end(kill=True))
                writers[slot] = Child(write_for_ever, folders, slot)
                killed += 1
            if kills_pruner:
                time.sleep(dice.random() * 0.04)
                killed += 1
            lines = pruner.end(kill=kills_pruner)
            assert [line for line in lines if line.startswith("!")] == [], number
            pruned += sum(int(line.split()[1]) for line in lines)
            for writer in writers.values():
                take(writer.heard())
            gone, rows = kept(folders)
            assert {seq: rows.get(seq) for seq in acknowledged if seq > gone} == {
                seq: key for seq, key in acknowledged.items() if seq > gone
            }, number
            acknowledged = {seq: key for seq, key in acknowledged.items() if seq > gone}
    finally:
        last = [line for writer in writers.values() for line in writer.end(kill=True)]
    take(last)
    walked = verify(folders)
    assert walked.damage is None
    gone, rows = kept(folders)
    assert all(rows.get(seq) == key for seq, key in acknowledged.items() if seq > gone)
    assert len(rows) == walked.count
    assert min(said, pruned) > ROUNDS, "too little went on for this to show anything"
    print(f"{ROUNDS} rounds, {killed} kills, {said} rows acknowledged, {pruned} pruned, whole")


def filled(folders: Folders, rows: int) -> Ledger:
    ledger = Ledger(folders.ledger)
    for n in range(rows):
        with ledger.deciding() as turn:
            turn.append("override", canonical({"why": str(n)}), key=f"k{n}")
    return ledger


def test_a_head_that_names_a_pruned_row_is_one_that_lags(tmp_path: Path) -> None:
    """Its writer had kept the row and not yet written the head when all up to there was pruned."""
    folders = folders_for(str(tmp_path))
    ledger = filled(folders, 5)
    head = Path(folders.ledger + ".head")
    lagging = head.read_text()
    filled(folders, 5).close()
    prune(folders, keep=2)
    head.write_text(lagging)
    with ledger.deciding() as turn:
        turn.append("override", b'{"why":""}', key="goes on")
    ledger.close()
    assert verify(folders).damage is None


def test_a_row_that_no_stub_covers_is_still_damage(tmp_path: Path) -> None:
    folders = folders_for(str(tmp_path))
    ledger = filled(folders, 5)
    with closing(sqlite3.connect(folders.ledger)) as database:
        database.execute("DELETE FROM ledger WHERE seq = 3")
        database.commit()
    Path(folders.ledger + ".head").write_text(f"{3:020d} {'a' * 64}\n")
    with pytest.raises(StoreError, match="is not the ledger that its head describes"), ledger.deciding():
        pass
    ledger.close()


def test_a_head_that_is_read_while_it_is_written_is_read_again(tmp_path: Path) -> None:
    """The number of one line and the hash of another: what a read can see of two writes."""
    folders = folders_for(str(tmp_path))
    ledger = filled(folders, 3)
    head = Path(folders.ledger + ".head")
    whole = head.read_text()
    head.write_text(whole[:21] + "a" * 64 + "\n")

    def finish(_: object) -> None:
        time.sleep(0.02)
        head.write_text(whole)

    writer = Child(finish)
    with ledger.deciding() as turn:
        turn.append("override", b'{"why":""}', key="goes on")
    writer.end(kill=False)
    ledger.close()
