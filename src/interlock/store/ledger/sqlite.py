"""SQLite, and everything that only SQLite knows: the file, write-ahead logging, locks, its errors.

The extension module is used without the `sqlite3` package, whose import loads `datetime` and more.
A connection is left open on purpose when the hook's process ends: closing it would write the log
back into the database at every call, and what was committed is in the log already.
"""

from __future__ import annotations

import os
import sys
import time

from ...limits import LOCK_QUEUE_SECONDS, LOCK_WAIT_SECONDS
from ...model.errors import StoreError
from ...record.chain import Row
from ...value import TYPE_CHECKING
from ..sql import SESSION_STATES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

__all__ = [
    "LOG_PAGES",
    "LONGEST_LOG_PAGES",
    "LONG_LOG_PAGES",
    "DamagedError",
    "Database",
    "NothingYetError",
    "nothing_yet",
]

_TYPES = {"integer": "INTEGER", "bytes": "BLOB"}
LOG_PAGES = 200  # of 4 KiB: how far the log grows before it is written back, which waits for the disk
LONG_LOG_PAGES = 2000  # the same where one process writes row after row
LONGEST_LOG_PAGES = 16_000  # and where a thread besides writes it back (writing_back.py)
_PAGE = 4096
_SHORTEST_STEP, _LONGEST_STEP = 0.001, 0.02  # seconds between tries for the lock
_MADE = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
_REGULAR, _FOLDER, _LINK, _KIND = 0o100000, 0o040000, 0o120000, 0o170000

# what SQLite calls it -> what a person reads, where the file system does not say more (`_cause`)
_TROUBLES = {
    "SQLITE_BUSY": f"locked by another process for {LOCK_WAIT_SECONDS:g} s",
    "SQLITE_CANTOPEN": "it cannot be opened, or no file can be made beside it",
    "SQLITE_FULL": "No space left on device; free some and try again",
    "SQLITE_IOERR": "the disk gave an error",
    "SQLITE_READONLY": "it is read-only",
}
# The same, where the bytes of the database are wrong.
_DAMAGES = {
    "SQLITE_CORRUPT": "it is damaged; look at it with: interlock audit verify",
    "SQLITE_NOTADB": "it is not a database; look at it with: interlock audit verify",
}
_FROM_OUTSIDE = ("SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_READONLY")

_FIRST_ROWS, _MORE_ROWS = 8, 500  # fetched at once: who looks for something finds it among the first, as a rule


class DamagedError(StoreError):
    """The database could be opened, and its bytes are not those of a whole database."""


class Database:
    """One connection. Every failure is a StoreError that names the file."""

    shares = False  # what is shared is used up elsewhere

    def __init__(self, path: str, *, patience: float = LOCK_QUEUE_SECONDS, log_pages: int = LOG_PAGES) -> None:
        self.path = path
        self.log_pages = log_pages
        self.head = path
        self.wait = LOCK_WAIT_SECONDS  # for the lock while nobody gets on
        self.patience = patience  # in all
        self.identity: tuple[int, int] | None = None
        self.log: tuple[int, int] | None = None
        self.log_size = 0  # when the turn began
        self.connection: Any = None
        self.fresh = False
        self.waits = True  # SQLite itself waits for a lock; `_locked` does that in its own way

    def open(self, *, create: bool = True) -> None:
        """Connects. A file is made if there is none and `create` says so; nothing but a plain file is taken."""
        if self.connection is not None:
            return
        _sqlite3 = _extension()
        # A damaged file can also hand out names that are no text.
        self.errors = (_sqlite3.Error, UnicodeDecodeError)
        self._plain_file(create)
        try:
            connection = _sqlite3.connect(
                self.path, timeout=LOCK_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self.connection, self.waits = connection, True
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {self.log_pages}")
            self.fresh = not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tip'").fetchall()
            if self.fresh and create:
                self._with_log(connection)
        except self.errors as error:
            self.close()
            raise self._trouble(error, "written" if create else "read") from None
        self.identity = _identity(self.path)

    def _with_log(self, connection: Any) -> None:
        """Write-ahead logging, once for the file. Several first users at once get in each other's way for a moment."""
        end = time.monotonic() + LOCK_WAIT_SECONDS
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except self.errors as error:
                if not _is_busy(error) or time.monotonic() > end:
                    raise
                time.sleep(0.005)

    def is_there(self) -> bool:
        """Whether there is a database at all; none is made by asking."""
        return os.path.exists(self.path)

    def close(self) -> None:
        connection, self.connection, self.log = self.connection, None, None
        if connection is not None:
            try:
                connection.close()
            except self.errors:
                pass  # what was committed is in the log

    def begin(self) -> None:
        """A transaction that nobody else's writing can come between, on the file that is at the path now."""
        if _identity(self.path) != self.identity:
            self._moved(self.path)
        self._locked()
        log, self.log_size = _identity_and_size(self.path + "-wal")
        # A connection that stays open knows the log from its turns before; what it wrote to a lost one would be lost.
        if self.log is not None and log != self.log:
            self._moved(self.path + "-wal")
        self.log = log

    def _locked(self) -> None:
        """Waits for the lock as long as others get on: a queue that moves is not a lock that hangs.

        SQLite's own steps grow to a tenth of a second, so of fifty who wait at once one that came early could be
        passed by all others until its time is over. Much shorter steps than these would take the processor from
        the one who holds the lock.
        """
        execute = self.connection.execute
        began = moved = step = 0.0
        seen = None
        try:
            if self.waits:
                execute("PRAGMA busy_timeout = 0")
                self.waits = False
            while True:
                try:
                    execute("BEGIN IMMEDIATE")
                    break
                except self.errors as error:
                    now = time.monotonic()
                    began = began or now
                    version = execute("PRAGMA data_version").fetchone()
                    if version != seen:
                        seen, moved = version, now
                    if not _is_busy(error) or now - moved > self.wait or now - began > self.patience:
                        raise
                    step = min(2 * step, _LONGEST_STEP) or _SHORTEST_STEP
                    time.sleep(step * (0.5 + os.getpid() % 16 / 16))  # not all at the same moment
        except self.errors as error:
            raise self._trouble(error) from None

    def _execute(self, statement: str, values: tuple[Any, ...]) -> Any:
        try:
            return self.connection.execute(statement, values)
        except self.errors as error:
            if self.waits or not _is_busy(error) or self.connection.in_transaction:
                raise
        self._wait()
        return self.connection.execute(statement, values)

    def _wait(self) -> None:
        """From now on SQLite waits for a lock by itself: outside of a turn, somebody may be writing the log back."""
        if not self.waits:
            self.connection.execute(f"PRAGMA busy_timeout = {int(LOCK_WAIT_SECONDS * 1000)}")
            self.waits = True

    def snapshot(self) -> None:
        """One picture of everything, while others go on writing."""
        self._unmoved()
        self.run("BEGIN")

    def announce(self, kind: str, key: str) -> None:
        """Nobody listens to a file."""

    def commit(self, *, durable: bool) -> None:
        """What was appended is kept; with `durable`, also through a power cut."""
        self.run("COMMIT")
        size = self._unmoved()
        if durable:
            self._log_to_disk()
        if self._is_long(size):
            self._shorten()

    def _is_long(self, size: int) -> bool:
        """Whether the log has to be emptied now: it grew by as much again. So a reader who keeps it from being emptied
        costs one attempt each time. One that did not grow was left long by a process that was killed, and begun anew.
        """
        step = self.log_pages * _PAGE
        if size == self.log_size:
            return size >= step and self.log_pages <= LOG_PAGES
        return size // step > self.log_size // step

    def _shorten(self) -> None:
        """Writes the log back and empties it. SQLite itself begins it anew with the next turn of a process that still
        knows how far it was written back; a process that keeps one row and leaves takes that knowledge with it.
        """
        try:
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except self.errors:
            pass  # the row is kept; whoever comes next tries again

    def rollback(self) -> None:
        try:
            if self.connection is not None and self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except self.errors:
            self.close()

    def run(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        """How many rows the statement changed."""
        try:
            count: int = self._execute(statement, values).rowcount
        except self.errors as error:
            raise self._trouble(error) from None
        return count

    def row(self, statement: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        try:
            found: tuple[Any, ...] | None = self._execute(statement, values).fetchone()
        except self.errors as error:
            raise self._trouble(error, "read") from None
        return found

    look = row  # outside of a transaction: another engine may have to connect again for it

    def entry(self, statement: str, values: tuple[Any, ...] = ()) -> Row | None:
        """The row of the chain that a statement for all of its columns finds first."""
        found = self.row(statement, values)
        return None if found is None else Row(found)

    def entries(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[Row]:
        return map(Row, self.rows(statement, values))

    def rows(self, statement: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            cursor = self._execute(statement, values)
            piece = _FIRST_ROWS
            while some := cursor.fetchmany(piece):
                yield from some
                piece = _MORE_ROWS
        except self.errors as error:
            raise self._trouble(error, "read") from None

    def states_that_hold(self, *texts: bytes) -> Iterator[bytes]:
        """The states of sessions in which one of these stands. SQLite itself would take longer to look for them."""
        for (state,) in self.rows(SESSION_STATES):
            raw = bytes(state)
            if any(text in raw for text in texts):
                yield raw

    def migrate(self) -> None:
        """Brings the tables up to date, inside the transaction that is open."""
        from ..sql.schema import MIGRATIONS

        found = self.row("SELECT 1 FROM sqlite_master WHERE name = 'tip'")
        version = 0
        if found is not None:
            version = (self.row("SELECT version FROM tip WHERE one = 1") or (0,))[0]
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in statements:
                self.run(statement.format(**_TYPES))
            self.run("UPDATE tip SET version = ? WHERE one = 1", (number,))
        self.fresh = False

    def tables(self) -> list[str]:
        """Every table, index, view and trigger, as it was made."""
        return [str(text) for (text,) in self.rows(_MADE)]

    @staticmethod
    def wanted_tables(version: int) -> list[str]:
        """The same as this version of the tables has them: made in memory, by the steps that lead there."""
        from ..sql.schema import MIGRATIONS

        connection = _extension().connect(":memory:", isolation_level=None)
        try:
            for statement in [text for step in MIGRATIONS[:version] for text in step]:
                connection.execute(statement.format(**_TYPES))
            return [str(text) for (text,) in connection.execute(_MADE).fetchall()]
        finally:
            connection.close()

    def complaints(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        return [text for (text,) in self.rows("PRAGMA integrity_check(1)") if text != "ok"]

    def tolerate_bad_text(self) -> None:
        """Text that is not UTF-8 is handed out marked instead of stopping the walk."""
        self.connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")

    def write_back(self) -> None:
        """Puts what the log holds into the database, as far as nobody has to wait for it."""
        self._unmoved()
        self.row("PRAGMA wal_checkpoint(PASSIVE)")

    def forget_deleted(self) -> None:
        """Deleted rows leave no bytes behind."""
        self._wait()
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self.run("VACUUM")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _plain_file(self, create: bool) -> None:
        try:
            found = os.lstat(self.path)
            above = os.stat(os.path.dirname(self.path) or ".")
        except (FileNotFoundError, NotADirectoryError):
            if not create:
                raise nothing_yet(self.path) from None
            self._make()
            return
        except (OSError, ValueError) as error:
            raise StoreError(f"`{self.path}` could not be read: {getattr(error, 'strerror', None) or error}") from None
        mode = found.st_mode & _KIND
        if mode != _REGULAR:
            what = "a link" if mode == _LINK else "a folder" if mode == _FOLDER else "not a plain file"
            raise StoreError(f"`{self.path}` is {what}, where a database is meant to be; move it away")
        for path, info in ((self.path, found), (os.path.dirname(self.path), above)):
            _owned(path, info)

    def _make(self) -> None:
        """An empty file that only its owner reads; SQLite gives the files beside it the same mode."""
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except FileExistsError as error:
            if not os.path.lexists(self.path):  # a folder above it is a file
                raise StoreError(f"`{self.path}` could not be written: {error.strerror}") from None
        except OSError as error:
            raise StoreError(f"`{self.path}` could not be written: {error.strerror}") from None

    def _unmoved(self) -> int:
        """INVARIANT: what is written is written to the file at the path, not to one that was moved away. How long the
        log is.
        """
        if _identity(self.path) != self.identity:
            self._moved(self.path)
        log, size = _identity_and_size(self.path + "-wal")
        if self.log is not None and log != self.log:
            self._moved(self.path + "-wal")
        return size

    def _moved(self, file: str) -> NoReturn:
        self.close()
        raise StoreError(f"`{file}` was removed or replaced while it was in use")

    def _log_to_disk(self) -> None:
        """What `synchronous = FULL` would do; which it is to be is known only when the transaction is over."""
        try:
            fd = os.open(self.path + "-wal", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        except FileNotFoundError:
            pass  # it was written back, and so to the disk, already
        except OSError as error:
            raise StoreError(f"`{self.path}` could not be written: {error.strerror}") from None

    def _trouble(self, error: Any, doing: str = "written") -> StoreError:
        name = getattr(error, "sqlite_errorname", None) or ""
        if isinstance(error, UnicodeDecodeError):
            name = "SQLITE_CORRUPT"
        damage = next((text for code, text in _DAMAGES.items() if name.startswith(code)), None)
        if damage is not None:
            return DamagedError(f"`{self.path}` could not be {doing}: {damage}")
        why = next((text for code, text in _TROUBLES.items() if name.startswith(code)), str(error))
        if name.startswith(_FROM_OUTSIDE):
            why = _cause(self.path) or why
        return StoreError(f"`{self.path}` could not be {doing}: {why}")


def _cause(path: str) -> str | None:
    """What about the file, its folder or the files beside it keeps SQLite from using it, and the cure."""
    folder = os.path.dirname(path) or "."
    try:
        system = os.statvfs(folder)
        if system.f_flag & os.ST_RDONLY:
            return f"the file system that holds `{folder}` is mounted read-only"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"its folder is read-only for this user; make it writable: chmod u+rwx {folder}"
        for file in (path, path + "-wal", path + "-shm"):
            if not os.path.lexists(file):
                continue
            if os.lstat(file).st_mode & _KIND != _REGULAR:
                return f"`{file}` is not a plain file; move it away"
            if not os.access(file, os.R_OK | os.W_OK):
                return f"this user may not read and write `{file}`; allow it: chmod u+rw {file}"
        if system.f_bavail == 0:
            return _TROUBLES["SQLITE_FULL"]
    except OSError as error:
        return error.strerror
    return None


class NothingYetError(StoreError):
    """No ledger is there, or a database without our tables."""


def nothing_yet(path: str) -> StoreError:
    """Why there is nothing to read. A folder that may not be looked into can hold a ledger all the same."""
    folder = os.path.dirname(path)
    if os.path.isdir(folder) and not os.access(folder, os.X_OK):
        return StoreError(
            f"the ledger `{path}` cannot be looked at: this user may not enter `{folder}`; "
            f"allow it: chmod u+rwx {folder}"
        )
    return NothingYetError(
        f"nothing is recorded yet: there is no ledger at `{path}`; "
        "it begins with the first call that the hook or `interlock decide --record` decides"
    )


def _is_busy(error: Exception) -> bool:
    return (getattr(error, "sqlite_errorname", None) or "").startswith("SQLITE_BUSY")


def _extension() -> Any:
    """The extension module. It asks `functools` for a cache of statements, and that import costs the hook as much as
    all of SQLite; where nothing else has loaded it, statements go without a cache.
    """
    if "functools" in sys.modules:
        import _sqlite3  # type: ignore[import-not-found,unused-ignore]

        return _sqlite3
    stand_in = type(sys)("functools")
    stand_in.lru_cache = lambda _size: lambda made: made  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        import _sqlite3
    finally:
        del sys.modules["functools"]
    return _sqlite3


def _owned(path: str, info: os.stat_result) -> None:
    """INVARIANT: what others can write to is no record. Root stands above whoever owns a file."""
    if info.st_mode & 0o002:
        raise StoreError(f"`{path}` can be changed by everybody; make it yours alone: chmod o-w {path}")
    user = os.geteuid()
    if user != 0 and info.st_uid not in (user, 0):
        raise StoreError(f"`{path}` belongs to somebody else; make it yours: chown {user} {path}")


def _identity(path: str) -> tuple[int, int] | None:
    return _identity_and_size(path)[0]


def _identity_and_size(path: str) -> tuple[tuple[int, int] | None, int]:
    try:
        found = os.stat(path)
    except OSError:
        return None, 0
    return (found.st_dev, found.st_ino), found.st_size
