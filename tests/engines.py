"""The ledger on each of its engines, as one thing that a test can open, look into and tamper with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from interlock.record.chain import COLUMNS, Fields, Walked
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.postgres import Database as PostgresDatabase
from interlock.store.ledger.verify import verify
from interlock.store.team.team import verify_team_ledger
from postgres_server import started_server

__all__ = ["ENGINES", "Engine", "team_rows"]

ENGINES = ("sqlite", "postgres")
_ROW = ", ".join(COLUMNS)


class Engine:
    """`url` is None on SQLite. Bytes of a row are literals that both engines take: `{bytes:...}`."""

    def __init__(self, name: str, home: Path) -> None:
        self.name = name
        self.folders: Folders = folders_for(str(home))
        self.url = started_server().new_database() if name == "postgres" else None
        self.head = Path((self.folders.ledger if self.url is None else self.folders.state + "/team") + ".head")

    def ledger(self, clock: Callable[[], int] | None = None) -> Ledger:
        given: dict[str, Any] = {} if clock is None else {"clock": clock}
        if self.url is None:
            return Ledger(self.folders.ledger, **given)
        self.head.parent.mkdir(parents=True, exist_ok=True)
        return Ledger.on(PostgresDatabase(self.url, head=str(self.head).removesuffix(".head")), **given)

    def change(self, *statements: str, many: list[Fields] | None = None) -> None:
        """Does to the tables what somebody with a client at hand could do."""
        if self.url is None:
            with closing(sqlite3.connect(self.folders.ledger)) as database:
                for statement in statements:
                    database.execute(statement)
                if many is not None:
                    database.executemany(f"INSERT INTO ledger VALUES ({', '.join('?' * len(COLUMNS))})", many)
                database.commit()
            return
        import psycopg

        with psycopg.connect(self.url, options="-c search_path=interlock") as connection:
            for statement in statements:
                connection.execute(statement)
            if many is not None:
                with connection.cursor() as cursor:
                    cursor.executemany(f"INSERT INTO ledger VALUES ({', '.join(['%s'] * len(COLUMNS))})", many)

    def blob(self, text: str) -> str:
        """A literal of these bytes."""
        return f"CAST('{text}' AS BLOB)" if self.url is None else f"convert_to('{text}', 'UTF8')"

    def raw(self) -> list[Fields]:
        """Every row in its order, read with nothing of ours."""
        if self.url is None:
            with closing(sqlite3.connect(self.folders.ledger)) as database:
                return list(database.execute(f"SELECT {_ROW} FROM ledger ORDER BY seq"))
        import psycopg

        with psycopg.connect(self.url, options="-c search_path=interlock") as connection:
            return list(connection.execute(f"SELECT {_ROW} FROM ledger ORDER BY seq"))

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = [dict(zip(COLUMNS, row, strict=True)) for row in self.raw() if kind in (None, row[1])]
        return [{**row, "body": json.loads(row["body"])} for row in found]

    def verify(self) -> Walked:
        if self.url is None:
            return verify(self.folders)
        return verify_team_ledger(self.folders, PostgresDatabase(self.url, head=str(self.head).removesuffix(".head")))


def team_rows(url: str, table: str, kind: str | None = None) -> list[dict[str, Any]]:
    """Rows of the team store, read with nothing of ours."""
    import psycopg

    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        found = connection.execute(f"SELECT {_ROW} FROM {table} ORDER BY seq").fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in found if kind in (None, row[1])]
