"""The ledger's statements, in SQL that SQLite and PostgreSQL both take.

They differ only by what stands for a parameter: `?` here, which another engine's file replaces.
What only one engine knows (pragmas, locks, listening) is in that engine's own file.
"""

from __future__ import annotations

__all__ = [
    "ADD_APPROVAL",
    "ADD_GRANT",
    "ADD_SESSION",
    "AFTER",
    "ALL_BY_KEY",
    "APPEND",
    "APPROVAL",
    "APPROVALS",
    "APPROVALS_AFTER",
    "BEFORE",
    "BEGINNING",
    "BY_ATTEMPT",
    "BY_KEY",
    "BY_SEQ",
    "COUNTS",
    "COUNT_BEGINNING",
    "COUNT_WAITING",
    "DENIED_APPROVALS",
    "END_GRANT",
    "FORGET_DEAD",
    "GRANT",
    "GRANTS",
    "HELD_APPROVALS",
    "KEPT_SESSIONS",
    "KEYS_BETWEEN",
    "LAST_APPROVALS",
    "LAST_SESSIONS",
    "LAST_STUB",
    "LAST_USES",
    "MOVE_APPROVAL",
    "MOVE_TIP",
    "NEWEST",
    "NEWEST_BY_KEY",
    "OF_SESSION",
    "OF_SESSION_BEFORE",
    "OPEN_APPROVALS",
    "PICTURE",
    "REDEEM",
    "REDEEM_UP_TO",
    "SAVE_SESSION",
    "SESSION",
    "SESSION_STATES",
    "STATES_SAVED_AFTER",
    "TIP",
    "TOKENS",
    "TOKEN_NOW",
    "VERSION",
    "WAITING",
    "WAITING_AFTER",
    "approvals_of",
    "ended_grants",
    "live_grants",
    "near_grants",
]

VERSION = 1  # of the tables: how many migrations there are

_ROW = "seq, kind, at, session, key, attempt, state, proof, body, prev, hash"

TIP = "SELECT seq, hash, at, version FROM tip WHERE one = 1"
# All that most turns look at, in one statement. Its parameters: a key of a policy, a session.
PICTURE = """SELECT tip.seq, tip.hash, tip.at, tip.version,
    (SELECT 1 FROM ledger WHERE key = 'off' AND kind = 'override' LIMIT 1),
    (SELECT 1 FROM ledger WHERE key = ? AND kind = 'policy' LIMIT 1),
    sessions.state, ledger.state
    FROM tip LEFT JOIN sessions ON sessions.id = ? LEFT JOIN ledger ON ledger.seq = sessions.seq WHERE tip.one = 1"""
MOVE_TIP = "UPDATE tip SET seq = ?, hash = ?, at = ? WHERE one = 1"
APPEND = f"INSERT INTO ledger ({_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no text from outside
BY_SEQ = f"SELECT {_ROW} FROM ledger WHERE seq = ?"  # noqa: S608
BY_ATTEMPT = f"SELECT {_ROW} FROM ledger WHERE attempt = ?"  # noqa: S608
BY_KEY = f"SELECT {_ROW} FROM ledger WHERE key = ? AND kind = ? ORDER BY seq DESC LIMIT 1"  # noqa: S608
LAST_STUB = "SELECT body FROM ledger WHERE kind = 'pruned' ORDER BY seq DESC LIMIT 1"
ALL_BY_KEY = f"SELECT {_ROW} FROM ledger WHERE key = ? AND kind = ? ORDER BY seq"  # noqa: S608
NEWEST = f"SELECT {_ROW} FROM ledger ORDER BY seq DESC LIMIT ?"  # noqa: S608
NEWEST_BY_KEY = f"SELECT {_ROW} FROM ledger WHERE key = ? AND kind = ? ORDER BY seq DESC LIMIT ?"  # noqa: S608
AFTER = f"SELECT {_ROW} FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?"  # noqa: S608
# What rows are about, for those who wait for news of one thing: a decision is news to nobody but its caller.
KEYS_BETWEEN = "SELECT key FROM ledger WHERE seq > ? AND seq <= ? AND kind <> 'decision'"
BEFORE = f"SELECT {_ROW} FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT ?"  # noqa: S608
# Which row says what a token is, and the moment that counts. Its parameter: the token's id.
TOKEN_NOW = """SELECT tip.at, ledger.hash FROM tip LEFT JOIN ledger ON ledger.seq =
    (SELECT MAX(seq) FROM ledger WHERE key = ? AND kind = 'token') WHERE tip.one = 1"""  # noqa: S105 - no password
TOKENS = f"SELECT {_ROW} FROM ledger WHERE kind = 'token' ORDER BY seq"  # noqa: S608
OF_SESSION = f"SELECT {_ROW} FROM ledger WHERE session = ? ORDER BY seq DESC LIMIT ?"  # noqa: S608
OF_SESSION_BEFORE = f"SELECT {_ROW} FROM ledger WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT ?"  # noqa: S608

SESSION = """SELECT sessions.state, ledger.state FROM sessions LEFT JOIN ledger ON ledger.seq = sessions.seq
    WHERE sessions.id = ?"""
KEPT_SESSIONS = """SELECT sessions.id, sessions.state, ledger.state, ledger.at FROM sessions
    JOIN ledger ON ledger.seq = sessions.seq ORDER BY sessions.seq DESC LIMIT ?"""
SESSION_STATES = "SELECT state FROM sessions"
STATES_SAVED_AFTER = """SELECT sessions.state FROM ledger JOIN sessions
    ON sessions.id = ledger.session AND sessions.seq = ledger.seq WHERE ledger.seq > ?"""
ADD_SESSION = "INSERT INTO sessions (seq, state, id) VALUES (?, ?, ?)"
SAVE_SESSION = "UPDATE sessions SET seq = ?, state = ? WHERE id = ?"

ADD_GRANT = "INSERT INTO grants (id, seq, key, holder, expires, uses, used, ended) VALUES (?, ?, ?, ?, ?, ?, 0, 0)"
GRANT = "SELECT id, seq, key, holder, expires, uses, used, ended FROM grants WHERE id = ?"
_GIVEN = f"SELECT {', '.join('ledger.' + name for name in _ROW.split(', '))} FROM"
_LIVE = """grants.ended = 0 AND (grants.expires = 0 OR grants.expires > ?)
    AND (grants.uses = 0 OR grants.used < grants.uses)"""
GRANTS = f"""{_GIVEN} grants JOIN ledger ON ledger.seq = grants.seq ORDER BY grants.seq"""
COUNTS = "SELECT id, used, ended FROM grants"
LAST_USES = "SELECT key, MAX(at) FROM ledger WHERE kind = 'redemption' GROUP BY key"
FORGET_DEAD = """DELETE FROM grants WHERE key <> ? AND (ended <> 0 OR (expires <> 0 AND expires <= ?)
    OR (uses <> 0 AND used >= uses))"""
REDEEM_UP_TO = "UPDATE grants SET used = used + 1 WHERE id = ? AND ended = 0 AND used < ?"
LAST_SESSIONS = """SELECT sessions.id, ledger.at FROM sessions JOIN ledger ON ledger.seq = sessions.seq
    ORDER BY sessions.seq DESC LIMIT ?"""
REDEEM = """UPDATE grants SET used = used + 1 WHERE id = ? AND ended = 0
    AND (expires = 0 OR expires > ?) AND (uses = 0 OR used < uses)"""
END_GRANT = "UPDATE grants SET ended = ? WHERE id = ? AND ended = 0"


def live_grants(keys: int, holders: int) -> str:
    """The newest live grants under any of so many keys and holders, no more than so many: one statement, one walk
    through the index. Its parameters: the keys, the holders, the moment, the most.
    """
    return f"""{_GIVEN} grants JOIN ledger ON ledger.seq = grants.seq
    WHERE grants.key IN ({_marks(keys)}) AND grants.holder IN ({_marks(holders)}) AND {_LIVE}
    ORDER BY grants.seq DESC LIMIT ?"""


def ended_grants(keys: int, holders: int) -> str:
    """The same for grants that are over: expired, used up or taken back."""
    return f"""{_GIVEN} grants JOIN ledger ON ledger.seq = grants.seq
    WHERE grants.key IN ({_marks(keys)}) AND grants.holder IN ({_marks(holders)}) AND NOT ({_LIVE})
    ORDER BY grants.seq DESC LIMIT ?"""


def near_grants(holders: int) -> str:
    """A few live grants on one shelf, whatever their scope: the first of a bounded walk. Its parameters: the shelf,
    its first and last mark, how far to walk, the holders, the moment, the most.
    """
    return f"""{_GIVEN} (SELECT * FROM grants WHERE key = ? OR (key > ? AND key < ?) LIMIT ?) AS grants
    JOIN ledger ON ledger.seq = grants.seq WHERE grants.holder IN ({_marks(holders)}) AND {_LIVE} LIMIT ?"""  # noqa: S608


def _marks(count: int) -> str:
    return ", ".join(["?"] * count)


_APPROVAL = "id, seq, holder, status, proof, asked, expires"
APPROVAL = f"SELECT {_APPROVAL} FROM approvals WHERE id = ?"  # noqa: S608
APPROVALS = f"SELECT {_APPROVAL} FROM approvals ORDER BY asked, seq"  # noqa: S608
WAITING = f"SELECT {_APPROVAL} FROM approvals WHERE status IN ('pending', 'halfway', 'approved') ORDER BY asked, seq"  # noqa: S608
BEGINNING = f"SELECT {_APPROVAL} FROM approvals WHERE id >= ? AND id < ? ORDER BY asked, seq LIMIT ?"  # noqa: S608
COUNT_BEGINNING = "SELECT COUNT(*) FROM approvals WHERE id >= ? AND id < ?"
APPROVALS_AFTER = f"""SELECT {_APPROVAL} FROM approvals
    WHERE asked > ? OR (asked = ? AND seq > ?) ORDER BY asked, seq LIMIT ?"""  # noqa: S608
WAITING_AFTER = f"""SELECT {_APPROVAL} FROM approvals WHERE status IN ('pending', 'halfway', 'approved')
    AND (asked > ? OR (asked = ? AND seq > ?)) ORDER BY asked, seq LIMIT ?"""  # noqa: S608
LAST_APPROVALS = f"SELECT {_APPROVAL} FROM approvals ORDER BY seq DESC LIMIT ?"  # noqa: S608
ADD_APPROVAL = f"INSERT INTO approvals ({_APPROVAL}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
MOVE_APPROVAL = "UPDATE approvals SET status = ?, expires = ? WHERE id = ? AND seq = ? AND status = ?"
HELD_APPROVALS = f"SELECT {_APPROVAL} FROM approvals WHERE holder = ? AND status IN ('pending', 'halfway', 'approved')"  # noqa: S608
DENIED_APPROVALS = f"SELECT {_APPROVAL} FROM approvals WHERE holder = ? AND status = 'denied' ORDER BY seq DESC LIMIT ?"  # noqa: S608
OPEN_APPROVALS = """SELECT COUNT(*) FROM approvals WHERE holder = ? AND status IN ('pending', 'halfway')
    AND (expires = 0 OR expires > ?)"""
COUNT_WAITING = """SELECT COUNT(*) FROM approvals WHERE status IN ('pending', 'halfway')
    AND (expires = 0 OR expires > ?)"""


def approvals_of(ids: int) -> str:
    """So many approvals by their ids, those that are there."""
    return f"SELECT {_APPROVAL} FROM approvals WHERE id IN ({_marks(ids)})"  # noqa: S608 - only marks
