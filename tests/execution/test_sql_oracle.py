"""Real PostgreSQL and SQLite run SQL made by chance: what changed, read a file or ran a command was no mere look.

INTERLOCK_EXECUTIONS says how many in all, 2,000 by default; the same ones each time. A lock that ends with its
transaction counts as a look. sqlglot, a parser of the same languages, must not find a change in a look either.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlglot
from psycopg import pq
from sqlglot import expressions as trees

from execution.sql_statements import statements
from interlock.reading.sql.sql import only_looks
from postgres_server import started_server
from sizes import how_many

EXECUTIONS = how_many("INTERLOCK_EXECUTIONS", 2000, quick=400)
CANARY = "canary-of-a-file"
_CHANGES = (
    trees.Insert, trees.Update, trees.Delete, trees.Merge, trees.Create, trees.Drop, trees.Alter, trees.TruncateTable,
    trees.Into, trees.Attach,
)  # fmt: skip
_TABLES = """
create table t (a int); insert into t values (1), (2); create sequence q;
create function wipe() returns int language sql as 'delete from t returning 1';
create function lower(x int) returns int language sql as 'delete from t returning 1';
create function to_wipe() returns int language sql as 'delete from t returning 1';
create function json_wipe() returns int language sql as 'delete from t returning 1';
"""


def _shortest(wrong: list[tuple[str, str]], ran: int) -> str:
    wrong.sort(key=lambda case: len(case[0]))
    return f"{len(wrong)} of {ran}:\n" + "\n".join(map(repr, wrong[:25]))


def _postgres_did(server: pq.abc.PGconn, text: str, new: Path) -> str:
    """What a text did before it was rolled back; empty if it was refused or only looked."""
    server.exec_(b"begin")
    server.send_query(text.encode())
    shown = b""
    while (result := server.get_result()) is not None:
        if result.status == pq.ExecStatus.COPY_OUT:
            while (line := server.get_copy_data(0))[0] > 0:
                shown += bytes(line[1])
        elif result.status == pq.ExecStatus.COPY_IN:
            server.put_copy_end(b"no")
        for row in range(result.ntuples):
            shown += b" ".join(result.get_value(row, column) or b"" for column in range(result.nfields))
    asked = server.exec_(b"select pg_current_xact_id_if_assigned(), (select last_value from q) > 1")
    wrote = asked.ntuples == 1 and (asked.get_value(0, 0) is not None or asked.get_value(0, 1) == b"t")
    server.exec_(b"rollback")
    server.exec_(b"select setval('q', 1)")
    if CANARY.encode() in shown:
        return "read a file"
    return "changed the database" if wrote else "wrote a file" if new.exists() else ""


def test_what_postgresql_changes_is_no_look(tmp_path: Path) -> None:
    server = started_server()
    file, new = server.folder / "canary", server.folder / "new"
    file.write_text(CANARY)
    file.chmod(0o644)
    wrong, ran = [], 0
    with psycopg.connect(server.new_database()) as connection:
        connection.execute(_TABLES)
        connection.execute("set statement_timeout = 500")
        connection.commit()
        for made in statements("psql", EXECUTIONS // 2):
            text = made.format(file=file, new=new) if "{" in made else made
            did = _postgres_did(connection.pgconn, text, new)
            ran += bool(did)
            new.unlink(missing_ok=True)
            if did and only_looks(text, "psql"):
                wrong.append((text, did))
    assert not wrong, _shortest(wrong, ran)
    assert ran > 0.05 * EXECUTIONS


def test_what_psql_changes_or_runs_is_no_look(tmp_path: Path) -> None:
    """The client has a language of its own around the statements: backslashes, variables, what ends a line."""
    server = started_server()
    address = server.new_database()
    (tmp_path / "canary").write_text(CANARY)
    wrong, ran = [], 0
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(_TABLES)
        for made in statements("psql lines", EXECUTIONS // 40):
            text = made.replace("{file}", "canary").replace("{new}", "new")
            subprocess.run(
                ["psql", "-X", "-q", address], input=text.encode(), cwd=tmp_path, capture_output=True, check=False,
                timeout=20, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PAGER": "cat"},
            )  # fmt: skip
            left = connection.execute("select count(*), (select count(*) from pg_largeobject) from t").fetchone()
            files = [name for name in os.listdir(tmp_path) if name not in ("canary", ".psql_history")]
            did = f"made {files}" if files else "changed the database" if left != (2, 0) else ""
            for name in files:
                (tmp_path / name).unlink()
            if left != (2, 0):
                connection.execute(
                    "delete from t; insert into t values (1), (2); select lo_unlink(loid) from pg_largeobject"
                )
            ran += bool(did)
            if did and only_looks(text, "psql"):
                wrong.append((text, did))
    assert not wrong, _shortest(wrong, ran)
    assert ran > EXECUTIONS // 400


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is such: a database waits for the disk at every change."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def _sqlite_did(folder: Path, empty: bytes, text: str, piped: bool) -> str:
    database = folder / "a.db"
    database.write_bytes(empty)
    words = ["sqlite3", "-batch", "a.db", *([] if piped else [text])]
    try:
        done = subprocess.run(
            words, input=text.encode() if piped else b"", cwd=folder, capture_output=True, check=False, timeout=5,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        )  # fmt: skip
        shown = done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        shown = late.stdout or b""
    made = {name for name in os.listdir(folder) if name not in ("a.db", "canary")}
    for name in made:
        (folder / name).unlink()
    if made:
        return f"made {sorted(made)}"
    if CANARY.encode() in shown:
        return "read a file"
    return "changed the database" if database.read_bytes() != empty else ""


@pytest.mark.skipif(shutil.which("sqlite3") is None and not os.environ.get("CI"), reason="there is no sqlite3")
@pytest.mark.parametrize("piped", [False, True])
def test_what_sqlite_changes_is_no_look(memory: Path, piped: bool) -> None:
    subprocess.run(["sqlite3", "a.db", "create table t (a int); insert into t values (1), (2)"], cwd=memory, check=True)
    empty = (memory / "a.db").read_bytes()
    (memory / "canary").write_text(CANARY)
    wrong, ran = [], 0
    for made in statements("sqlite", EXECUTIONS // 4, seed=int(piped)):
        text = made.format(file="canary", new="new") if "{" in made else made
        did = _sqlite_did(memory, empty, text, piped)
        ran += bool(did)
        if did and only_looks(text, "sqlite"):
            wrong.append((text, did))
    assert not wrong, _shortest(wrong, ran)
    assert ran > 0.02 * EXECUTIONS


@pytest.mark.parametrize(("dialect", "name"), [("psql", "postgres"), ("sqlite", "sqlite")])
def test_what_counts_as_a_look_is_none_to_sqlglot_either(dialect: str, name: str) -> None:
    wrong, parsed = [], 0
    for text in statements(dialect, EXECUTIONS, seed=7):
        try:
            found = sqlglot.parse(text, dialect=name, error_level=sqlglot.ErrorLevel.RAISE)
        except sqlglot.errors.SqlglotError:
            continue
        parsed += 1
        changes = [type(part).__name__ for tree in found if tree for part in tree.find_all(*_CHANGES)]
        described = any(isinstance(tree, trees.Describe | trees.Command) for tree in found)
        if changes and not described and only_looks(text, dialect):
            wrong.append((text, ", ".join(changes)))
    assert not wrong, _shortest(wrong, parsed)
    assert parsed > 0.2 * EXECUTIONS
