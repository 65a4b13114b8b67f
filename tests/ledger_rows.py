"""Rows of a ledger, read with nothing of ours."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ["change", "ledger_rows"]


def ledger_rows(path: Path, kind: str | None = None) -> list[dict[str, Any]]:
    """Every row in its order, bodies parsed."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger'").fetchall():
            return []
        rows = [dict(row) for row in database.execute("SELECT * FROM ledger ORDER BY seq")]
    return [{**row, "body": json.loads(row["body"])} for row in rows if kind in (None, row["kind"])]


def change(path: Path, *statements: str) -> None:
    """Does to the database what somebody with SQLite at hand could do."""
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
