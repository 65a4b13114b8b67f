"""Ways in which another product's log is tampered with, done to a ledger of ours: is each one found?

A line of the file names a shape; the table here says what that is on our ledger, and what has to come of it. Where
nothing is damaged (a mark before an export, pruning twice, two writers at once), what has to come is that the ledger
stays whole. A shape that the table does not know counts as not found. Every trial has a ledger of its own.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

from ..model.call import Call
from ..model.errors import InterlockError, Problem
from ..record.chain import COLUMNS, Row, Walked
from ..store.home.folders import Folders, folders_for
from ..store.ledger.exports import verify_export
from ..store.ledger.ledger import Ledger
from ..store.ledger.upkeep import prune
from ..store.ledger.verify import verify
from ..value import FrozenMap
from .case import Case
from .corpora import Corpus
from .runner import Result

__all__ = ["SHAPES", "TAMPERING", "run_tampering"]

TAMPERING = "signet_tamper_shapes.txt"
_ROWS = 10
_BODY, _PREV = 8, 9


def run_tampering(path: str) -> tuple[Corpus, tuple[Result, ...]]:
    """The file's lines as cases, and what came of each."""
    cases, results, problems, count = [], [], [], 0
    with open(path, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        written = _Trial(folder + "/written")
        written.record(_ROWS)
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            count += 1
            name = line.partition("|")[0].strip().partition(".")[2].strip()
            if not name:
                problems.append(Problem(file=path, line=number, column=1, text=f"not a line of {TAMPERING}"))
                continue
            case = Case(id=name, file=path, line=number, call=Call(tool="", input=FrozenMap({})), group="shape")
            trial = _Trial(f"{folder}/{number}", written)
            wrong = _tried(name, trial)
            cases.append(case)
            results.append(Result(case=case, verdict="", failures=() if wrong is None else (wrong,)))
    corpus = Corpus(file=TAMPERING, rows=count, cases=tuple(cases), excluded=FrozenMap({}), problems=tuple(problems))
    return corpus, tuple(results)


def _tried(name: str, trial: _Trial) -> str | None:
    shape = SHAPES.get(name)
    if shape is None:
        return "this shape is not known, so nobody looked for it"
    try:
        return shape(trial)
    except (InterlockError, OSError, sqlite3.Error, KeyError, ValueError, IndexError) as error:
        return f"it could not be tried: {type(error).__name__} {error}"


class _Trial:
    """A ledger that may be damaged. All of them begin as copies of one."""

    def __init__(self, home: str, of: _Trial | None = None) -> None:
        self.home = home
        self.folders: Folders = folders_for(home)
        if of is not None:
            shutil.copytree(of.home, home)

    def record(self, calls: int) -> None:
        rows = [{"tool": "Read", "input": {"file_path": f"/repo/{n}"}, "cwd": "/repo"} for n in range(calls)]
        stream = "".join(json.dumps(row) + "\n" for row in rows)
        done = self.command("decide", "--jsonl", "--record", stdin=stream.encode())
        if done.returncode:
            raise OSError(done.stderr.decode())

    def command(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        program = [sys.executable, "-m", "interlock.cli", "--home", self.home, *arguments]
        return subprocess.run(program, input=stdin, capture_output=True, check=False, timeout=60)  # noqa: S603 - ours

    def rows(self) -> list[Row]:
        with closing(sqlite3.connect(self.folders.ledger)) as database:
            return list(map(Row, database.execute("SELECT * FROM ledger ORDER BY seq")))

    def put(self, rows: list[Row]) -> None:
        with closing(sqlite3.connect(self.folders.ledger)) as database:
            database.execute("DELETE FROM ledger")
            database.executemany(f"INSERT INTO ledger VALUES ({', '.join('?' * len(COLUMNS))})", rows)  # noqa: S608
            database.commit()

    def change(self, seq: int, column: int, how: Callable[[Any], Any]) -> None:
        self.put([Row((*r[:column], how(r[column]), *r[column + 1 :])) if r.seq == seq else r for r in self.rows()])

    def exported(self) -> bytes:
        return self.command("audit", "export").stdout

    def append(self, count: int) -> None:
        ledger = Ledger(self.folders.ledger, front="cli")
        for _ in range(count):
            with ledger.deciding() as turn:
                turn.append("override", b"{}", key="trial")
        ledger.close()


def _expect(walked: Walked, kind: str, seq: int) -> str | None:
    damage = walked.damage
    if damage is None:
        return "it was taken for whole"
    return None if (damage.kind, damage.seq) == (kind, seq) else f"found as {damage.kind} at row {damage.seq}"


def _whole(walked: Walked) -> str | None:
    return None if walked.damage is None else f"taken for {walked.damage.kind} at row {walked.damage.seq}"


def _found(kind: str, seq: int, damage: Callable[[_Trial], None]) -> Callable[[_Trial], str | None]:
    def tried(trial: _Trial) -> str | None:
        damage(trial)
        return _expect(verify(trial.folders), kind, seq)

    return tried


def _renumbered(rows: list[Row]) -> list[Row]:
    return [Row((number, *row[1:])) for number, row in enumerate(rows, start=1)]


def _swapped(trial: _Trial) -> None:
    rows = trial.rows()
    trial.put(_renumbered([*rows[:2], rows[3], rows[2], *rows[4:]]))


def _removed(trial: _Trial) -> None:
    trial.put([row for row in trial.rows() if row.seq != 4])


def _inserted(trial: _Trial) -> None:
    rows = trial.rows()
    trial.put(_renumbered([*rows[:3], Row((*rows[3][:_PREV], rows[2].hash, "0" * 64)), *rows[3:]]))


def _without_a_field(raw: bytes) -> bytes:
    body = json.loads(raw)
    del body["receipt"]["call"]
    return json.dumps(body).encode()


def _cut_short(trial: _Trial) -> str | None:
    """The last line of an export, and the last row of the ledger."""
    lines = trial.exported().splitlines(keepends=True)
    _, walked = verify_export([*lines[:-1], lines[-1][: len(lines[-1]) // 3]], {})
    last = len(lines)
    trial.change(last, _BODY, lambda raw: raw[: len(raw) // 3])
    return _expect(walked, "malformed", last) or _expect(verify(trial.folders), "edit", last)


def _marked(trial: _Trial) -> str | None:
    """A byte-order mark before an export."""
    raw = b"\xef\xbb\xbf" + trial.exported()
    replayed = trial.command("replay", "-", "--quiet", stdin=raw)
    if replayed.returncode:
        return f"replay says: {replayed.stdout.decode()[:200]}"
    return _whole(verify_export(raw.splitlines(keepends=True), {})[1])


def _flipped_archive(trial: _Trial) -> str | None:
    """Rows that were exported and then pruned: the export is what is left of them."""
    raw = bytearray(trial.exported())
    raw[64] ^= 0x55
    prune(trial.folders, keep=2)
    _, walked = verify_export(bytes(raw).splitlines(keepends=True), {})
    return "it was taken for whole" if walked.damage is None else _whole(verify(trial.folders))


def _pruned_twice(trial: _Trial) -> str | None:
    first = prune(trial.folders, keep=5)
    trial.append(5)
    second = prune(trial.folders, before=4_070_908_800_000)
    if first is None or second is None or second["from"] != first["to"] + 1:
        return "the second stub does not go on where the first ended"
    return _whole(verify(trial.folders))


def _two_writers(trial: _Trial) -> str | None:
    """The second waits while the first writes, and gets in after it."""
    entered, done = threading.Event(), threading.Event()

    def second() -> None:
        ledger = Ledger(trial.folders.ledger, front="cli")
        with ledger.deciding() as turn:
            entered.set()
            turn.append("override", b"{}", key="second")
        ledger.close()
        done.set()

    first = Ledger(trial.folders.ledger, front="cli")
    thread = threading.Thread(target=second)
    with first.deciding() as turn:
        thread.start()
        early = entered.wait(0.3)
        turn.append("override", b"{}", key="first")
    thread.join(5)
    first.close()
    if early or not done.is_set():
        return "two wrote at the same time" if early else "the second never got in"
    return _whole(verify(trial.folders))


def _pruned_beside_a_writer(trial: _Trial) -> str | None:
    thread = threading.Thread(target=lambda: trial.append(5))
    thread.start()
    stub = prune(trial.folders, keep=3)
    thread.join(5)
    return "nothing was pruned" if stub is None else _whole(verify(trial.folders))


def _no_text(trial: _Trial) -> str | None:
    lines = trial.exported().splitlines(keepends=True)
    lines[1] = b"\x80" + lines[1]
    _, walked = verify_export(lines, {})
    trial.change(2, _BODY, lambda raw: b"\x80" + raw)
    return _expect(walked, "malformed", 2) or _expect(verify(trial.folders), "edit", 2)


def _told(*command: str, words: str = "malformed") -> Callable[[_Trial], str | None]:
    """A command on a ledger with a row that lacks a field: told, with an exit code, and never as a traceback."""

    def tried(trial: _Trial) -> str | None:
        trial.change(3, _BODY, _without_a_field)
        done = trial.command(*command)
        shown = (done.stdout + done.stderr).decode("utf-8", "replace")
        if done.returncode == 0 or "Traceback" in shown:
            return f"exit code {done.returncode}{', a traceback' if 'Traceback' in shown else ''}"
        return None if words in shown else f"it does not say {words}"

    return tried


# What a shape is here. Commands that only the other product has are tried as those of ours that do the same work:
# counting rows as a search, a report as a table for spreadsheets.
SHAPES: dict[str, Callable[[_Trial], str | None]] = {
    "modify_payload_1char": _found("edit", 3, lambda trial: trial.change(3, _BODY, lambda raw: raw + b"x")),
    "reorder_swap": _found("swap", 3, _swapped),
    "delete_middle": _found("deletion", 4, _removed),
    "forged_insertion": _found("insertion", 4, _inserted),
    "prev_hmac_flip_1hex": _found(
        "edit", 3, lambda trial: trial.change(3, _PREV, lambda text: ("0" if text[0] != "0" else "1") + text[1:])
    ),
    "truncated_last_line": _cut_short,
    "leading_utf8_bom": _marked,
    "archive_gzip_bitflip": _flipped_archive,
    "stacked_compaction": _pruned_twice,
    "lock_contention": _two_writers,
    "compaction_under_lock": _pruned_beside_a_writer,
    "invalid_utf8_byte": _no_text,
    "missing_field": _found("edit", 3, lambda trial: trial.change(3, _BODY, _without_a_field)),
    "invalid_enum": _found("edit", 2, lambda trial: trial.change(2, 1, lambda kind: kind[:-1] + "S")),
    "cli_audit_verify_missing_field": _told("audit", "verify", words="broken: edit at row 3"),
    "cli_audit_count_missing_field": _told("audit", "search", "--kind", "decision"),
    "cli_audit_tail_missing_field": _told("audit", "tail"),
    "cli_audit_show_missing_field": _told("audit", "show", "3"),
    "cli_audit_report_missing_field": _told("audit", "export", "--format", "csv"),
    "cli_replay_missing_field": _told("replay"),
}
