"""The ledger: append-only rows, each chained to the one before. The database is the only truth.

`with ledger.deciding(session) as turn:` is one transaction: what the turn reads stays as it is
until what it appends is kept, or nothing is. A turn that ends with an exception leaves no trace.
Rows hold redacted text only; redacting is the caller's part, before anything comes here.
"""

from __future__ import annotations

import time

from ...bytes.canon import Known, canonical, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import LOCK_QUEUE_SECONDS, MAX_GRANTS_OF_A_CALL, MAX_STATE_BYTES
from ...model.errors import StoreError
from ...record.chain import ANNOUNCED, DURABLE, FRONTS, GENESIS, KINDS, row_hash
from ...value import TYPE_CHECKING, Value, lazy
from .. import sql
from ..home.files import read_file
from .heads import Head, keys_file, read_head
from .sqlite import Database

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import Any, Self

    from ...record.chain import Row
    from .postgres import Database as PostgresDatabase
    from .together import Together
    from .written import may_be_written

    AnyDatabase = Database | PostgresDatabase
else:
    may_be_written = lazy(globals(), ".written", "may_be_written")

__all__ = ["Ledger", "LeftError", "Picture", "Turn", "Uses", "View", "live_grants", "uses_of"]

_NEAR, _WALKED = 3, 64  # near misses: how many of a shelf, and how many rows are looked at for them
_READ_AGAIN = (0.001, 0.004, 0.016, 0.064)  # seconds: a head that is read while it is written may be half of each


# A decision is long and made with its front in it; what is signed cannot be added to.
_SAY_THEIR_FRONT = frozenset(("checkpoint", "decision", "pruned"))


def _with_front(body: bytes | Mapping[str, Any], front: str) -> bytes:
    """INVARIANT: whatever a body says of its front, the row says where it really came from."""
    if isinstance(body, bytes):
        body = parse_object(body, limit=MAX_STATE_BYTES)
    return canonical({**body, "front": front} if front else body)


def _moment() -> int:
    return time.time_ns() // 1_000_000


class LeftError(Exception):
    """A turn is left before it has written anything: something has to be looked up first."""


class Uses(Value):
    """How a grant stands in the table beside the chain. `expires` and `ended` are moments, 0 for none; `uses` is 0 for
    any number.
    """

    id: str
    seq: int
    key: str
    holder: str
    expires: int
    uses: int
    used: int
    ended: int

    def is_over(self, at: int) -> bool:
        return bool(self.ended) or 0 < self.expires <= at


def uses_of(database: AnyDatabase, grant: str) -> Uses | None:
    row = database.row(sql.GRANT, (grant,))
    return None if row is None else Uses.in_order(*row)


class Ledger:
    """Opened when it is first used, so that not being able to is an error of the call that needed it."""

    def __init__(
        self,
        path: str,
        *,
        front: str = "",
        clock: Callable[[], int] = _moment,
        database: AnyDatabase | None = None,
        anew: bool = False,
        patience: float = LOCK_QUEUE_SECONDS,
        stays: bool = False,
    ) -> None:
        """`front` is put into every row that is appended through it; rows of a team store have an origin instead.
        `anew`: a person begins it in place of one that had enrolled keys, and takes them along. `patience`: for how
        many seconds a turn waits for others, where no database is given. `stays`: many turns will follow.
        """
        if front and front not in FRONTS:
            raise ValueError(f"`{front}` is not a front")
        self.front = front
        self.path = path
        self.database: AnyDatabase = Database(path, patience=patience) if database is None else database
        self.head = Head(self.database.head, stays=stays)
        self.clock = clock
        self.anew = anew
        self.group: Together | None = None  # turns that are kept together, while there are such

    @classmethod
    def open(cls, path: str) -> Ledger:
        ledger = cls(path)
        ledger.connect()
        return ledger

    @classmethod
    def on(
        cls, database: AnyDatabase, *, front: str = "", clock: Callable[[], int] = _moment, stays: bool = False
    ) -> Ledger:
        """A ledger in any engine's database."""
        return cls(database.path, front=front, clock=clock, database=database, stays=stays)

    def connect(self) -> AnyDatabase:
        database = self.database
        if database.connection is None:
            database.open()
        if database.fresh:
            if (read_head(database.head) or (0,))[0] > 0:
                database.close()
                raise StoreError(
                    f"`{self.path}` is empty although its head is kept; look at it with: interlock audit verify"
                )
            if not self.anew and not database.shares and read_file(keys_file(self.path), limit=MAX_STATE_BYTES):
                database.close()
                raise StoreError(
                    f"`{self.path}` is empty although keys were enrolled in it; look at it with: interlock audit verify"
                )
            from ..sql import schema  # noqa: F401 - loaded before the lock is taken

            database.begin()
            try:
                database.migrate()
                database.commit(durable=True)
            finally:
                database.rollback()
        return database

    def close(self) -> None:
        self.database.close()
        self.head.close()

    def session(self, session: str) -> bytes | None:
        """The state of a session as it is now. Only a turn can rely on it."""
        return self.glimpse(session).state

    def glimpse(self, session: str) -> Picture:
        """How the ledger stands now, without a transaction. Only a turn can rely on it."""
        return _picture(self, session, self.connect().look(sql.PICTURE, ("", session)))

    def last_known(self, session: str = "", *, anew: bool = False) -> tuple[bytes | None, bool]:
        """What this process last knew of the session's state, else, or `anew`, as it is now; and whether anybody is
        known to be switched off. For whoever looks again in a turn: there it may be another.
        """
        known = None if anew else _KNOWN.get((self.path, session))
        if known is not None:
            return known[1], False
        found = self.glimpse(session)
        return found.state, found.off

    def wrote(self, path: str) -> bool:
        """Whether a session that is kept here has written the file, or fetched a folder above it, as far as it knows by
        name: one that wrote more is judged strictly by itself. A process that does not stay looks through every
        state.
        """
        meant = [path, *[path[:at] + "/" for at, char in enumerate(path) if char == "/"][1:]]
        marks = [canonical(name) for name in meant]
        if self.head.stays:
            if not may_be_written(self, marks):
                return False
        end = canonical("/" + path.rpartition("/")[2])[1:]
        states = self.connect().states_that_hold(end, b'/"')
        return any(mark in state for state in states for mark in marks)

    def looking(self, session: str = "") -> View:
        return View(self, session)

    def deciding(self, session: str = "", policy: str = "") -> Turn:
        """`policy`: the digest of one, of which the turn knows whether a row holds it."""
        return Turn(self, session, policy) if self.group is None else self.group.turn(session, policy)


class Picture(Value):
    """How a ledger stands at one moment.

    seq, hash  the last row
    at         the moment that counts
    version    of the tables
    off        whether anybody has ever been switched off
    policy     whether a row holds the policy that was asked about
    state      what the session's last turn saved; None for a new session
    """

    seq: int
    hash: str
    at: int
    version: int
    off: bool
    policy: bool
    state: bytes | None


def _picture(ledger: Ledger, session: str, row: tuple[Any, ...] | None, *, is_kept: bool = True) -> Picture:
    if row is None:
        raise StoreError(f"`{ledger.path}` has lost its end; look at it with: interlock audit verify")
    seq, hash, last, version, off, policy, state, recorded = row
    if version > sql.VERSION:
        raise StoreError(
            f"`{ledger.path}` was made by a newer Interlock (tables {version}, this one knows {sql.VERSION}); if an "
            "update waits, confirm it in a terminal of your own: interlock update"
        )
    # A clock that is set back must not bring an expired grant back to life.
    at = max(ledger.clock(), last)
    if state is not None and session:
        state = _checked(ledger, session, state, recorded, is_kept=is_kept)
    else:
        state = None
        _KNOWN.drop((ledger.path, session))
    return Picture.in_order(seq, hash, at, version, off is not None, policy is not None, state)


class View:
    """One picture of the ledger, while others go on writing. `at` is the moment that counts in it; `state` is what the
    session's last turn saved, None for a new session.
    """

    is_kept = True  # all that it sees at first is committed

    def __init__(self, ledger: Ledger, session: str, policy: str = "") -> None:
        self.ledger = ledger
        self.id = session
        self.policy = policy
        self.state: bytes | None = None
        self.at = 0
        self.has_off = self.has_policy = False  # whether there are such rows, when it began

    def __enter__(self) -> Self:
        self.database = self.ledger.connect()
        self._begin()
        try:
            self._start()
        except BaseException:
            self.database.rollback()
            raise
        return self

    def __exit__(self, _kind: object, _error: object, _trace: object) -> None:
        self.database.rollback()

    def _begin(self) -> None:
        self.database.snapshot()

    def _start(self) -> None:
        self._picture()

    def _picture(self) -> Picture:
        """Takes the moment and the session's state."""
        row = self.database.row(sql.PICTURE, (self.policy, self.id))
        found = _picture(self.ledger, self.id, row, is_kept=self.is_kept)
        self.at, self.state, self.has_off, self.has_policy = found.at, found.state, found.off, found.policy
        return found

    def decided(self, attempt: str) -> Row | None:
        """The row of this attempt, if another process was first."""
        return self.database.entry(sql.BY_ATTEMPT, (attempt,))

    def find(self, key: str, kind: str) -> Row | None:
        """The newest row of this kind about this key."""
        return self.database.entry(sql.BY_KEY, (key, kind))

    def newest(self, session: str, count: int) -> Iterator[Row]:
        """The rows of a session, the newest first."""
        return self.database.entries(sql.OF_SESSION, (session, count))


class Turn(View):
    """One transaction: what it sees stays as it is until what it appends is kept. Nobody else writes meanwhile, so
    nothing slow happens in it.
    """

    def __init__(self, ledger: Ledger, session: str, policy: str = "") -> None:
        super().__init__(ledger, session, policy)
        self.seq = 0
        self.hash = ""
        self.durable = False
        self.appended = False
        self.states: dict[str, tuple[str, bytes]] = {}  # that it saved, with their digests

    def _begin(self) -> None:
        self.database.begin()

    def _start(self) -> None:
        found = self._picture()
        self.seq, self.hash = found.seq, found.hash
        if found.version < sql.VERSION:
            self.database.migrate()
        self._check_head(self.ledger.path)

    def _check_head(self, path: str) -> None:
        """INVARIANT: the head is there before the first row is, so rows without a head are damage, and not healed here.

        The head of a shared database lies on each machine that uses it, and a new machine has none.
        """
        head = self.ledger.head.read()
        if head is None:
            if self.database.shares:
                return
            if self.seq > 0:
                raise StoreError(f"`{path}` has rows, but its head is gone; look at it with: interlock audit verify")
            self.ledger.head.write(0, GENESIS)
            return
        for pause in _READ_AGAIN:
            if self._holds(*head):
                return
            time.sleep(pause)
            head = self.ledger.head.read() or head
        if not self._holds(*head):
            raise StoreError(f"`{path}` is not the ledger that its head describes; look with: interlock audit verify")

    def _holds(self, seq: int, name: str) -> bool:
        """Whether the head names a row of this chain: the last, an older one, or one that was pruned since.

        Who commits a row writes the head a moment later. By then the row may be pruned, and who pruned it may have been
        killed before writing the head. Whether the stub that says so is signed is for `audit verify` to look at.
        """
        if seq >= self.seq:
            return (seq, name) == (self.seq, self.hash)
        if seq == 0:
            return name == GENESIS
        row = self.database.entry(sql.BY_SEQ, (seq,))
        return row.hash == name if row is not None else seq <= self._pruned_to()

    def _pruned_to(self) -> int:
        stub = self.database.row(sql.LAST_STUB)
        to = parse_object(stub[0]).get("to") if stub is not None else 0
        return to if type(to) is int else 0

    def __exit__(self, kind: object, _error: object, _trace: object) -> None:
        if kind is not None:
            self.database.rollback()
            return
        try:
            if self.appended:
                self.database.run(sql.MOVE_TIP, (self.seq, self.hash, self.at))
            self.database.commit(durable=self.durable)
        finally:
            self.database.rollback()
        for owner, saved in self.states.items():
            _KNOWN.keep((self.ledger.path, owner), len(saved[1]), saved)
        if self.appended:
            self.ledger.head.write(self.seq, self.hash)

    def rewrite(self) -> None:
        """Writes what every turn with rows does besides them: whether it can be kept shows at the end of the turn."""
        self.appended = True

    def append(
        self,
        kind: str,
        body: bytes | Mapping[str, Any],
        *,
        key: str = "",
        attempt: str | None = None,
        proof: str | None = None,
        state: bytes | None = None,
        session: str | None = None,
        durable: bool = False,
    ) -> int:
        """Adds a row, and with it the session's new `state`; its number. Nothing is kept before the turn ends."""
        if kind not in KINDS:
            raise ValueError(f"`{kind}` is not a kind of row")
        front = self.ledger.front
        if not isinstance(body, bytes) or (front and kind not in _SAY_THEIR_FRONT):
            body = _with_front(body, front)
        seq = self.seq + 1
        owner = self.id if session is None else session
        kept = None
        if state is not None:
            kept = digest_of_bytes(state)
            self.states[owner] = kept, state
            _KNOWN.drop((self.ledger.path, owner))
        fields = (seq, kind, self.ledger.clock(), owner, key, attempt, kept, proof, body, self.hash)
        name = row_hash(fields)
        self.database.run(sql.APPEND, (*fields, name))
        if state is not None:
            self._save(seq, state, owner)
        self.seq, self.hash, self.appended = seq, name, True
        self.durable = self.durable or durable or kind in DURABLE
        if kind in ANNOUNCED:
            self.database.announce(kind, key)
        return seq

    def _save(self, seq: int, state: bytes, owner: str) -> None:
        if not self.database.run(sql.SAVE_SESSION, (seq, state, owner)):
            self.database.run(sql.ADD_SESSION, (seq, state, owner))
        if owner == self.id:
            self.state = state

    def grant(self, grant: str, body: bytes, *, key: str, holder: str = "", expires: int = 0, uses: int = 0) -> int:
        """Keeps a grant, to be found under `key`. `holder` is a session or a run label, or nobody in particular."""
        seq = self.append("grant", body, key=grant)
        self.database.run(sql.ADD_GRANT, (grant, seq, key, holder, expires, uses))
        return seq

    def live_grants(self, keys: Sequence[str], holders: Sequence[str] = ("",)) -> list[Row]:
        """The rows of all grants under these keys that are live now. A row that was changed is an error."""
        return live_grants(self.database, self.at, keys, holders)

    def redeem(self, grant: str, body: bytes, *, up_to: int | None = None, won: Container[str] = ()) -> bool:
        """Uses the grant once, if it is still live. Of many who try for the last use, one is told True.

        `up_to` is how many uses it has where the grant's own row does not say: those of a policy file. `won` are the
        shared grants of which the team store let one use go, which was asked while nothing was locked here.
        """
        # INVARIANT: a use that is won there and not kept here is lost, never doubled.
        if grant.startswith("team:") and not self.database.shares and grant not in won and self._is_counted(grant):
            return False
        if up_to is None:
            count = self.database.run(sql.REDEEM, (grant, self.at))
        else:
            count = self.database.run(sql.REDEEM_UP_TO, (grant, up_to))
        if count != 1:
            return False
        self.append("redemption", body, key=grant)
        return True

    def _is_counted(self, grant: str) -> bool:
        kept = uses_of(self.database, grant)
        return kept is not None and kept.uses > 0

    def revoke(self, grant: str, body: bytes) -> bool:
        if self.database.run(sql.END_GRANT, (self.at, grant)) != 1:
            return False
        self.append("revocation", body, key=grant)
        return True


def live_grants(
    database: AnyDatabase, at: int, keys: Sequence[str], holders: Sequence[str], near: Sequence[str] = ()
) -> list[Row]:
    """The rows of all grants under these keys that are live then, oldest first; a few of the shelves `near` as well.

    The newest count where there are more than anyone gives. A row that was changed is an error.
    """
    if not keys or not holders:
        return []
    most = MAX_GRANTS_OF_A_CALL
    found = {
        row.seq: row for row in database.entries(sql.live_grants(len(keys), len(holders)), (*keys, *holders, at, most))
    }
    for head in near:
        marked = (head, f"{head} ", f"{head}!", _WALKED, *holders, at, _NEAR)
        for row in database.entries(sql.near_grants(len(holders)), marked):
            found.setdefault(row.seq, row)
    for row in found.values():
        if row.hash != row_hash(row):
            raise StoreError(f"row {row.seq} of `{database.path}` was changed")
    return [found[seq] for seq in sorted(found)]


# The last state of each session that this process has seen kept, by ledger, and its digest: the same bytes need not be
# digested again. INVARIANT: what a turn wrote is here once it is committed, and what it may have replaced is not.
_KNOWN = Known(names=2048, size=1 << 24)


def _checked(ledger: Ledger, session: str, state: Any, recorded: Any, *, is_kept: bool) -> bytes:
    """The state of a session, if it is the one that its row names. `is_kept`: no open transaction may take it back."""
    name = (ledger.path, session)
    known = _KNOWN.get(name)
    if known is not None and type(state) is bytes and known == (recorded, state):
        return state
    if type(state) is not bytes or recorded != digest_of_bytes(state):
        raise StoreError(f"the session's state in `{ledger.path}` does not follow from its rows")
    if is_kept:
        _KNOWN.keep(name, len(state), (recorded, state))
    found: Any = state
    return bytes(found)
