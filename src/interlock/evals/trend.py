"""The figures of earlier runs, in one SQLite file that people keep with their project or in CI.

A run is a row: when, which engine, policy and packs, on which machine, how asks were answered. Runs that differ in
packs or answers are not comparable, and are told apart by `series`. The file holds figures alone: no call, no path.
"""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

from ..bytes.canon import digest
from ..model.errors import InputError, StoreError
from ..store.clock import now
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .lexical import Bench
from .results import source_of
from .runner import Result

if TYPE_CHECKING:
    from urllib.parse import quote
else:
    quote = lazy(globals(), "urllib.parse", "quote")

__all__ = ["Run", "add_run", "machine", "packs_digest", "run_of", "runs_in"]

_VERSION = 1
_SCHEMA = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, engine TEXT NOT NULL, policy TEXT NOT NULL, packs TEXT NOT NULL,
    machine TEXT NOT NULL, mode TEXT NOT NULL, posture TEXT NOT NULL, answer TEXT NOT NULL, cases INTEGER NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TABLE figure (
    run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, value REAL, PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
"""


class Run(Value):
    at: str
    engine: str
    policy: str
    packs: str
    machine: str
    mode: str
    posture: str
    answer: str
    cases: int
    note: str = ""
    figures: Mapping[str, float | None] = FrozenMap({})

    @property
    def series(self) -> tuple[str, ...]:
        """What two runs must share to be compared."""
        return self.packs, self.mode, self.posture, self.answer


def machine() -> str:
    """Enough to tell why times differ; no name of the host or its user."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def packs_digest(results: Iterable[Result]) -> str:
    """Of what the cases were read from; where the files lie and how they are called does not matter."""
    files = dict.fromkeys(result.case.file for result in results)
    return digest(sorted(source_of(file) for file in files))


def run_of(
    results: Sequence[Result], bench: Bench, figures: Mapping[str, float | None], *, engine: str, answer: str, note: str
) -> Run:
    return Run(
        at=now(),
        engine=engine,
        policy=bench.policy.digest,
        packs=packs_digest(results),
        machine=machine(),
        mode=bench.policy.approval_mode.name,
        posture=bench.posture.name,
        answer=answer,
        cases=len(results),
        note=note,
        figures=FrozenMap(figures),
    )


_COLUMNS = ("at", "engine", "policy", "packs", "machine", "mode", "posture", "answer", "cases", "note")


def add_run(path: str, run: Run) -> None:
    """INVARIANT: one transaction, so that a run is there with all of its figures or not at all."""
    try:
        with closing(_opened(path, create=True)) as database, database:
            marks = ", ".join("?" * len(_COLUMNS))
            row = database.execute(
                f"INSERT INTO run ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 - names of our own
                [getattr(run, name) for name in _COLUMNS],
            )
            database.executemany(
                "INSERT INTO figure (run, name, value) VALUES (?, ?, ?)",
                [(row.lastrowid, name, value) for name, value in run.figures.items()],
            )
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"`{path}` could not be written: {error}") from None


def runs_in(path: str) -> tuple[Run, ...]:
    """Every run, the oldest first."""
    if not os.path.exists(path):
        raise InputError(f"`{path}` is not there; `interlock eval run --trend {path}` begins one")
    try:
        with closing(_opened(path, create=False)) as database:
            figures: dict[int, dict[str, float | None]] = {}
            for run, name, value in database.execute("SELECT run, name, value FROM figure ORDER BY run, name"):
                figures.setdefault(run, {})[name] = value
            rows = database.execute(f"SELECT id, {', '.join(_COLUMNS)} FROM run ORDER BY id").fetchall()  # noqa: S608
    except sqlite3.Error as error:
        raise InputError(f"`{path}` is not a file of runs: {error}") from None
    return tuple([_run(values, figures.get(at, {})) for at, *values in rows])


def _run(values: list[Any], figures: Mapping[str, float | None]) -> Run:
    return Run(**dict(zip(_COLUMNS, values, strict=True)), figures=FrozenMap(figures))


def _opened(path: str, *, create: bool) -> sqlite3.Connection:
    database = sqlite3.connect(path if create else f"file:{_quoted(path)}?mode=ro", uri=not create, timeout=10)
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found == 0 and create and not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
    elif found != _VERSION:
        database.close()
        raise InputError(f"`{path}` is not a file of runs that this version writes")
    return database


def _quoted(path: str) -> str:
    return quote(os.path.abspath(path))
