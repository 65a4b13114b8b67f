"""The tables, as migrations that only ever grow. `{integer}` and `{bytes}` are each engine's own words.

`ledger` is the truth and only gets rows. Everything else can be told from it again: `tip` is
its end (and, in an engine with many writers, the row they queue for), `sessions` the last state of
each session, `grants` which grants are live, `approvals` which prompts are open.
"""

from __future__ import annotations

__all__ = ["MIGRATIONS"]

_FIRST = (
    """CREATE TABLE ledger (
  seq {integer} PRIMARY KEY,
  kind TEXT NOT NULL,
  at {integer} NOT NULL,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  attempt TEXT,
  state TEXT,
  proof TEXT,
  body {bytes} NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
)""",
    "CREATE UNIQUE INDEX ledger_attempt ON ledger (attempt)",
    "CREATE INDEX ledger_key ON ledger (key)",
    "CREATE INDEX ledger_session ON ledger (session, seq)",
    """CREATE TABLE tip (
  one {integer} PRIMARY KEY,
  seq {integer} NOT NULL,
  hash TEXT NOT NULL,
  at {integer} NOT NULL,
  version {integer} NOT NULL
)""",
    """CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  seq {integer} NOT NULL,
  state {bytes} NOT NULL
)""",
    """CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  seq {integer} NOT NULL,
  key TEXT NOT NULL,
  holder TEXT NOT NULL,
  expires {integer} NOT NULL,
  uses {integer} NOT NULL,
  used {integer} NOT NULL,
  ended {integer} NOT NULL
)""",
    "CREATE INDEX grants_key ON grants (key, holder)",
    """CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  seq {integer} NOT NULL,
  holder TEXT NOT NULL,
  status TEXT NOT NULL,
  proof TEXT,
  asked {integer} NOT NULL,
  expires {integer} NOT NULL
)""",
    "CREATE INDEX approvals_open ON approvals (holder, status)",
    "INSERT INTO tip (one, seq, hash, at, version) VALUES (1, 0, '" + "0" * 64 + "', 0, 0)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
