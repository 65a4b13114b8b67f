"""A server that goes away between two statements is one error, and leaves nothing open on our side."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import psycopg
import pytest

from interlock.model.errors import StoreError
from interlock.store.ledger.postgres import Database
from postgres_server import started_server


def _cut(tmp_path: Path, taken: int) -> tuple[Database, Any]:
    """A database whose connection was cut while so many of three rows were taken, and those that are left."""
    url = started_server().new_database()
    database = Database(url, head=str(tmp_path / "head"))
    database.open()
    database.snapshot()
    rows = database.rows("SELECT one FROM pg_catalog.generate_series(1, 3) AS one")
    assert [next(rows)[0] for _ in range(taken)] == list(range(1, taken + 1))
    process = database.connection.info.backend_pid
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (process,))
    return database, rows


@pytest.mark.slow
@pytest.mark.parametrize("taken", [0, 1, 3])
def test_rows_of_a_connection_that_was_cut_leave_no_cursor_open(tmp_path: Path, taken: int) -> None:
    database, rows = _cut(tmp_path, taken)
    with pytest.raises(StoreError, match="went away"):
        list(rows)
    del rows
    gc.collect()  # a cursor that was left open warns as it goes, and a warning fails the test
    assert database.connection is None


def test_a_cut_while_the_cursor_is_closed_leaves_none_open(tmp_path: Path) -> None:
    database, rows = _cut(tmp_path, 1)
    with pytest.raises(StoreError, match="went away"):
        rows.close()
    del rows
    gc.collect()
    assert database.connection is None
