"""PostgreSQL, and everything that only PostgreSQL knows: connections, locks, its catalogue, LISTEN and NOTIFY.

The same methods as `sqlite.Database`, so that a ledger does not know on which of the two it stands.
Writers queue for the row of the tip, so that one ledger stays one chain however many write to it.
Every commit waits for the server's disk: a head kept outside must never be ahead of the rows
because the server fell over. psycopg is imported when a connection is made, never by a plain hook.

A pooler may stand in between, which lends a connection for one transaction at a time. What is set for a connection
would stay on one that others use, so there every transaction begins with its own settings, nothing is prepared, and
nobody listens.
"""

from __future__ import annotations

from ...bytes.redact import redact
from ...limits import LOCK_WAIT_SECONDS, TEAM_CONNECT_SECONDS, TEAM_WORK_SECONDS
from ...model.errors import StoreError
from ...record.chain import Row
from ...value import TYPE_CHECKING
from ..sql import SESSION_STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["CHANNEL", "Database", "shown"]

CHANNEL = "interlock"  # where prompts, answers, grants and revocations are announced
_SCHEMA = "interlock"
_TYPES = {"integer": "BIGINT", "bytes": "BYTEA"}
_MAKING = 0x1A7E210C  # the lock that those who make or change the tables queue for
_FIRST, _PAGE = 8, 2000  # rows that are fetched at once: what is looked for is among the first, as a rule
_MAX_REASON = 4000
_HEARS_ITSELF = 1.0  # seconds in which a connection is told of its own announcement
_ALONE = ("BEGIN", "VACUUM")  # statements that begin a transaction, or cannot be in one

# Of a connection: a server that cannot be reached any more is noticed in seconds, not in the quarter of an hour that
# the network itself would try. An address may say otherwise.
_ALIVE = {
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",  # milliseconds
}

# what PostgreSQL calls it -> what a person reads
_TROUBLES = {
    "55P03": "another writer holds its lock",
    "57014": "it took too long to answer",
    "42501": "this account may not do that there",
    "53100": "the server's disk is full",
    "25006": "it is read-only",
}


def shown(url: str) -> str:
    """The address without what nobody should read over a shoulder: account, password and options."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("?")[0]
    return f"{scheme}://{host.rpartition('@')[2]}"


class Database:
    """One connection. Every failure is a StoreError that names the server, without its password."""

    shares = True  # what is shared is used up here

    def __init__(
        self,
        url: str,
        *,
        head: str,
        passfile: str | None = None,
        wait: float = LOCK_WAIT_SECONDS,
        work: float = TEAM_WORK_SECONDS,
    ) -> None:
        """`wait` is for other writers' locks, `work` for any one statement: little where a hook waits."""
        self.url = url
        self.path = shown(url)
        self.head = head
        self.passfile = passfile
        self.wait = self.patience = wait
        self.work = work
        self.connection: Any = None
        self.pooled = False  # whether something between lends connections out
        self.fresh = False
        self.errors: tuple[type[Exception], ...] = ()

    def open(self, *, create: bool = True) -> None:
        """Connects. Tables are made by `migrate`; without `create`, a store that has none is an error."""
        if self.connection is not None:
            return
        psycopg = _driver()
        self.errors = (psycopg.Error, UnicodeError)
        extra = {name: value for name, value in _ALIVE.items() if name not in self.url}
        if self.passfile is not None:
            extra["passfile"] = self.passfile
        try:
            connection = psycopg.connect(
                self.url,
                autocommit=True,
                connect_timeout=TEAM_CONNECT_SECONDS,
                application_name="interlock",
                client_encoding="utf8",
                **extra,
            )
        except self.errors as error:
            raise StoreError(f"`{self.path}` cannot be reached: {_reason(error)}") from None
        self.connection = connection
        # A pooler makes up the number of the process that it tells its clients; the server's own is another.
        (process,) = self.row("SELECT pg_catalog.pg_backend_pid()") or (0,)
        self.pooled = process != connection.info.backend_pid
        if self.pooled:
            connection.prepare_threshold = None
        else:
            self.run("; ".join([f"SET {one}" for one in self._settings()]))
        self.fresh = not self._has("tip")
        if self.fresh and not create:
            self.close()
            raise StoreError(f"there is no ledger at `{self.path}`; make it with: interlock store init")

    def _settings(self) -> tuple[str, ...]:
        """Nothing in them comes from outside but two numbers."""
        return (
            f"search_path TO {_SCHEMA}, pg_catalog, pg_temp",
            f"lock_timeout TO {max(1, int(self.wait * 1000))}",
            f"statement_timeout TO {max(1, int(self.work * 1000))}",
            "idle_in_transaction_session_timeout TO '60s'",
        )

    def _beginning(self, kind: str) -> str:
        """The statements that begin a transaction, in one message to the server."""
        local = [f"SET LOCAL {one}" for one in self._settings()] if self.pooled else []
        return "; ".join([f"BEGIN {kind}".rstrip(), *local])

    def is_there(self) -> bool:
        """Whether there are tables; none are made by asking."""
        if self.connection is None or self.connection.closed:
            self.close()
            self.open()
        return not self.fresh

    def close(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            try:
                connection.close()
            except self.errors:
                pass  # the server ends what we left open

    def begin(self) -> None:
        """A transaction that no other writer can come between: they queue for the tip."""
        self._begun("ISOLATION LEVEL READ COMMITTED")
        try:
            if self.fresh:
                self.row("SELECT pg_advisory_xact_lock(?)", (_MAKING,))
            else:
                self.row("SELECT 1 FROM tip WHERE one = 1 FOR UPDATE")
        except BaseException:
            self.rollback()
            raise

    def snapshot(self) -> None:
        """One picture of everything, while others go on writing."""
        self._begun("ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _begun(self, kind: str) -> None:
        self._started(lambda: self._cursor(self._beginning(kind), ()))

    def _started(self, work: Callable[[], Any]) -> Any:
        """The first statement on a connection that may have been lost since it was last used: the server may have been
        started anew. Nothing hangs on what went before, so it is tried once more on a new one.
        """
        if self.connection is None or self.connection.closed:
            self.close()
            self.open()
        try:
            return work()
        except StoreError:
            if self.connection is not None:
                raise
        self.open()
        return work()

    def commit(self, *, durable: bool) -> None:
        """Every commit waits for the disk of the server."""
        self.run("COMMIT")

    def rollback(self) -> None:
        connection = self.connection
        try:
            if connection is not None and not connection.closed and connection.info.transaction_status != 0:
                connection.execute("ROLLBACK")
        except self.errors:
            self.close()

    def run(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        """How many rows the statement changed."""
        count: int = self._cursor(statement, values).rowcount
        return count

    def row(self, statement: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        found = self._cursor(statement, values).fetchone()
        return None if found is None else _read(found)

    def look(self, statement: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        """As `row`, outside of a transaction."""
        found = self._started(lambda: self._cursor(statement, values)).fetchone()
        return None if found is None else _read(found)

    def entry(self, statement: str, values: tuple[Any, ...] = ()) -> Row | None:
        """The row of the chain that a statement for all of its columns finds first."""
        found = self.row(statement, values)
        return None if found is None else Row(found)

    def entries(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[Row]:
        return map(Row, self.rows(statement, values))

    def rows(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Inside a transaction page by page, so that a long ledger needs no more memory than a short one."""
        if self.connection is None or self.connection.info.transaction_status != 2:
            yield from map(_read, self._cursor(statement, values).fetchall())
            return
        cursor = self.connection.cursor(name="interlock_rows")
        try:
            with cursor:
                cursor.execute(_translated(statement), tuple(map(_written, values)))
                piece = _FIRST
                while some := cursor.fetchmany(piece):
                    yield from map(_read, some)
                    piece = _PAGE
        except self.errors as error:
            cursor.close()  # a server that went away while it was told to close the cursor leaves it open here
            raise self._trouble(error) from None

    def run_many(self, statement: str, many: list[tuple[Any, ...]]) -> None:
        try:
            with self.connection.cursor() as cursor:
                cursor.executemany(_translated(statement), [tuple(map(_written, values)) for values in many])
        except self.errors as error:
            raise self._trouble(error) from None

    def announce(self, kind: str, key: str) -> None:
        """Tells those who listen, when the transaction is kept."""
        self.row("SELECT pg_notify(?, ?)", (CHANNEL, f"{kind} {key}"[:200]))

    def listen(self) -> None:
        self.run(f"LISTEN {CHANNEL}")

    def can_listen(self) -> bool:
        """Whether what is announced arrives here. Behind a pooler that lends connections out it does not."""
        if self.pooled:  # to listen there would leave a connection that listens to whoever is lent it next
            return False
        try:
            self.listen()
            self.announce("hello", "")
            return bool(self.heard(_HEARS_ITSELF))
        except StoreError:
            return False

    def heard(self, seconds: float) -> list[str]:
        """What was announced within so many seconds; it comes back as soon as there is something."""
        try:
            return [note.payload for note in self.connection.notifies(timeout=seconds, stop_after=1)]
        except self.errors as error:
            raise self._trouble(error) from None

    def states_that_hold(self, *texts: bytes) -> Iterator[bytes]:
        """The states of sessions in which one of these stands; none of the others leaves the server."""
        held = " OR ".join(["position(CAST(? AS bytea) IN state) > 0"] * len(texts))
        for (state,) in self.rows(f"{SESSION_STATES} WHERE {held}", texts):
            yield bytes(state)

    def migrate(self) -> None:
        """Brings the tables up to date, inside the transaction that is open."""
        from ..sql.schema import MIGRATIONS

        self.row("SELECT pg_advisory_xact_lock(?)", (_MAKING,))
        self.run(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
        version = 0
        if self._has("tip"):
            version = (self.row("SELECT version FROM tip WHERE one = 1 FOR UPDATE") or (0,))[0]
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in statements:
                self.run(_own_words(statement))
            self.run("UPDATE tip SET version = ? WHERE one = 1", (number,))
        self.fresh = False

    def has_team(self) -> bool:
        return self._has("origins")

    def has_machines(self) -> bool:
        return self._has("machines")

    def _has(self, table: str) -> bool:
        wanted = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = ?"
        return self.row(wanted, (_SCHEMA, table)) is not None

    def make(self, statements: tuple[str, ...]) -> None:
        for statement in statements:
            self.run(_own_words(statement))

    def make_functions(self, statements: tuple[str, ...]) -> None:
        """Statements that are PostgreSQL's own and are run as they stand."""
        for statement in statements:
            self.run(statement)

    def tables(self) -> list[str]:
        """Every column, index, constraint, trigger and rule of the ledger's tables, in PostgreSQL's own words."""
        return self._described(_SCHEMA)

    def wanted_tables(self, version: int) -> list[str]:
        """The same of tables that are made for the comparison, as this version has them, and forgotten again."""
        from ..sql.schema import MIGRATIONS

        self.run(self._beginning(""))
        try:
            self.run("SET LOCAL search_path TO pg_temp, pg_catalog")
            for step in MIGRATIONS[:version]:
                for statement in step:
                    self.run(_own_words(statement))
            (name,) = self.row("SELECT nspname FROM pg_catalog.pg_namespace WHERE oid = pg_my_temp_schema()") or ("",)
            return self._described(str(name))
        finally:
            self.rollback()

    def _described(self, schema: str) -> list[str]:
        found = []
        for statement in _CATALOGUE:
            for parts in self.rows(statement, (schema,)):
                text = " ".join(str(part) for part in parts)
                found.append(text.replace(f" {schema}.", " ").replace(" pg_temp.", " "))
        return sorted(found)

    def complaints(self) -> list[str]:
        return []

    def tolerate_bad_text(self) -> None:
        """The server keeps no text that is not UTF-8."""

    def forget_deleted(self) -> None:
        self.run(f"VACUUM {_SCHEMA}.ledger")

    def _cursor(self, statement: str, values: tuple[Any, ...]) -> Any:
        if self.connection is None:
            raise StoreError(f"`{self.path}` is not connected")
        connection = self.connection
        try:
            if self.pooled and connection.info.transaction_status == 0 and not statement.startswith(_ALONE):
                with _Once(connection, self._beginning("")):
                    return _executed(connection, statement, values)
            return _executed(connection, statement, values)
        except self.errors as error:
            raise self._trouble(error) from None

    def _trouble(self, error: Any) -> StoreError:
        connection = self.connection
        if connection is not None and connection.closed:
            self.close()
            return StoreError(f"`{self.path}` went away: {_reason(error)}")
        known = _TROUBLES.get(getattr(error, "sqlstate", None) or "")
        why = _reason(error) if known is None else f"{known} ({_reason(error)})"
        return StoreError(f"`{self.path}` could not be used: {why}")


class _Once:
    """A transaction for one statement, behind a pooler: what is set holds for nothing else."""

    def __init__(self, connection: Any, beginning: str) -> None:
        self.connection = connection
        self.beginning = beginning

    def __enter__(self) -> None:
        self.connection.execute(self.beginning)

    def __exit__(self, kind: object, _error: object, _trace: object) -> None:
        if not self.connection.closed:
            self.connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _executed(connection: Any, statement: str, values: tuple[Any, ...]) -> Any:
    if not values:
        return connection.execute(statement)
    return connection.execute(_translated(statement), tuple(map(_written, values)))


_OURS = "('ledger', 'tip', 'sessions', 'grants', 'approvals')"
_CATALOGUE = (
    f"""SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE n.nspname = ? AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND c.relname IN {_OURS}""",  # noqa: S608
    f"""SELECT 'index', i.indexdef FROM pg_indexes i
    WHERE i.schemaname = ? AND i.tablename IN {_OURS}""",  # noqa: S608
    f"""SELECT 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ? AND c.relname IN {_OURS}""",  # noqa: S608
    f"""SELECT 'trigger', c.relname, t.tgname
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ? AND NOT t.tgisinternal AND c.relname IN {_OURS}""",  # noqa: S608
    f"SELECT 'rule', r.tablename, r.rulename FROM pg_rules r WHERE r.schemaname = ? AND r.tablename IN {_OURS}",  # noqa: S608
    f"SELECT 'view', v.viewname FROM pg_views v WHERE v.schemaname = ? AND v.viewname IN {_OURS}",  # noqa: S608
)


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        import sys

        python = sys.executable
        raise StoreError(
            f"a team store needs the package psycopg, which `{python}` does not have; "
            f"install it with: {python} -m pip install 'interlock[postgres]'"
        ) from None
    return psycopg


def _own_words(statement: str) -> str:
    """Text is compared byte by byte, as SQLite does, whatever language the server was set up for."""
    return statement.format(**_TYPES).replace(" TEXT", ' TEXT COLLATE "C"')


def _translated(statement: str) -> str:
    return statement.replace("%", "%%").replace("?", "%s")


def _written(value: Any) -> Any:
    """PostgreSQL's text cannot hold the character 0, which a session's name can: it is written as `\\0`."""
    if type(value) is str and ("\\" in value or "\0" in value):
        return value.replace("\\", "\\\\").replace("\0", "\\0")
    return value


def _read(row: tuple[Any, ...]) -> tuple[Any, ...]:
    if any(type(value) is str and "\\" in value for value in row):
        return tuple([_unescaped(value) if type(value) is str else value for value in row])
    return row


def _unescaped(text: str) -> str:
    """What `_written` made of it. A lone backslash, which it never writes, stays one."""
    return "\\".join([part.replace("\\0", "\0") for part in text.split("\\\\")])


def _reason(error: Exception) -> str:
    """All that the server or the driver said, in one line, without the picture of the statement and without secrets."""
    diag = getattr(error, "diag", None)
    parts = [getattr(diag, name, None) for name in ("message_primary", "message_detail", "message_hint")]
    said = [part for part in parts if part] or str(error).splitlines()
    lines = dict.fromkeys([line.strip() for line in said if line.strip()])
    return redact("; ".join(lines) or type(error).__name__)[:_MAX_REASON]
