"""The tables that only a team store has: which ledgers are shipped to it, and their rows.

Rows of many machines lie side by side, each under its origin, with every field that their hashes bind,
so that each chain verifies there as it does at home. The team's own chain (shared grants, answers,
redemptions) is in the tables that every ledger has.

`origins.role` is the database account that ships the ledger, written by the server. It is null where the account may
write everything anyway, and in stores that were made before there were roles (`roles.py`).
"""

from __future__ import annotations

__all__ = [
    "ADD_ORIGIN",
    "MOVE_ORIGIN",
    "ORIGIN",
    "ORIGINS",
    "SHIP",
    "SHIPPED",
    "SHIPPED_HASH",
    "STUBS",
    "TABLES",
]

TABLES = (
    """CREATE TABLE origins (
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  account TEXT NOT NULL,
  seq {integer} NOT NULL,
  hash TEXT NOT NULL,
  at {integer} NOT NULL,
  keys TEXT NOT NULL,
  role TEXT
)""",
    """CREATE TABLE shipped (
  origin TEXT NOT NULL,
  seq {integer} NOT NULL,
  kind TEXT NOT NULL,
  at {integer} NOT NULL,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  attempt TEXT,
  state TEXT,
  proof TEXT,
  body {bytes} NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (origin, seq)
)""",
    "CREATE INDEX shipped_key ON shipped (key)",
    "CREATE INDEX shipped_at ON shipped (at)",
)

_ROW = "seq, kind, at, session, key, attempt, state, proof, body, prev, hash"

# A store that was not migrated has no column `role`, and the row as JSON has no such field either.
ORIGINS = "SELECT id, machine, account, seq, hash, at, keys, to_jsonb(origins) ->> 'role' FROM origins ORDER BY id"
ORIGIN = "SELECT seq, hash FROM origins WHERE id = ? FOR UPDATE"
ADD_ORIGIN = """INSERT INTO origins (id, machine, account, seq, hash, at, keys) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
MOVE_ORIGIN = "UPDATE origins SET seq = ?, hash = ?, at = ?, keys = ? WHERE id = ?"
SHIP = f"INSERT INTO shipped (origin, {_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own names
SHIPPED = f"SELECT {_ROW} FROM shipped WHERE origin = ? ORDER BY seq"  # noqa: S608
STUBS = f"SELECT {_ROW} FROM shipped WHERE origin = ? AND kind = 'pruned' ORDER BY seq"  # noqa: S608
SHIPPED_HASH = "SELECT hash FROM shipped WHERE origin = ? AND seq = ?"
