"""A ledger held against heads that were sent off the machine before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

from ...bytes.strict import parse_json, parse_object
from ...limits import MAX_STATE_BYTES, SAFE_INTEGER
from ...model.errors import InputError, StoreError
from ...policy.evidence_address import evidence_trouble
from ...value import Value
from .. import sql
from ..home.files import read_file
from ..home.folders import Folders
from ..ledger.audit import open_for_reading
from ..ledger.identity import ledger_names
from .evidence import machine_name
from .head import Head
from .http import fetch
from .senders import run_git

__all__ = ["Compared", "compared", "heads_from"]

_SECONDS = 60.0


class Compared(Value):
    """
    agree    how many heads of this ledger its rows bear out
    pruned   how many are about rows that were pruned on purpose
    others   how many are of other machines
    troubles what does not fit, in words
    """

    agree: int = 0
    pruned: int = 0
    others: int = 0
    troubles: tuple[str, ...] = ()


def heads_from(source: str, folders: Folders) -> list[Head]:
    """Every head in a file, at an address, or in a repository (`git:URL`): one a line, whatever stands before it."""
    if source.startswith("git:"):
        trouble = evidence_trouble(source)
        if trouble is not None:
            raise InputError(f"`{source[:200]}` must be {trouble}")
        text = _from_git(source.removeprefix("git:"), folders)
    elif source.startswith(("http:", "https:")):
        text = fetch(source, limit=MAX_STATE_BYTES, seconds=_SECONDS).decode("utf-8", "replace")
    else:
        raw = read_file(source, limit=MAX_STATE_BYTES)
        if raw is None:
            raise StoreError(f"`{source}` is not there")
        text = raw.decode("utf-8", "replace")
    return list(_heads_in(text))


def _from_git(url: str, folders: Folders) -> str:
    with tempfile.TemporaryDirectory(prefix="interlock-heads-") as folder:
        run_git(folder, "init", "-q", "--bare", seconds=_SECONDS, home=folders.home)
        refs = "refs/interlock/heads/*"
        run_git(folder, "fetch", "-q", "--no-tags", url, f"{refs}:{refs}", seconds=_SECONDS, home=folders.home)
        if not run_git(folder, "for-each-ref", seconds=_SECONDS, home=folders.home):
            return ""
        return run_git(folder, "log", "--all", "--format=%B", seconds=_SECONDS, home=folders.home)


def _heads_in(text: str) -> Iterator[Head]:
    if text.lstrip().startswith("["):  # what many collectors give back
        found: Any = parse_json(text.encode(), limit=MAX_STATE_BYTES)
        yield from filter(None, [_head(one) for one in found])
        return
    for line in text.splitlines():
        _, brace, rest = line.partition("{")
        try:
            head = _head(parse_object(f"{brace}{rest}".strip().encode())) if brace else None
        except InputError:
            continue
        if head is not None:
            yield head


def _head(said: Any) -> Head | None:
    try:
        if said["interlock"] != "head":
            return None
        head = Head(**{name: said[name] for name in Head._fields})
    except (KeyError, TypeError, AttributeError):
        return None
    sound = type(head.seq) is int and 0 < head.seq <= SAFE_INTEGER and type(head.at) is int
    return head if sound and all(type(text) is str for text in (head.machine, head.ledger, head.hash)) else None


def compared(folders: Folders, heads: list[Head], name: str = "") -> Compared:
    """The rows of this ledger against the heads. A head that nobody here knows of is as bad as one that differs."""
    machine = machine_name(name)
    if not os.path.exists(folders.ledger):
        raise StoreError(f"`{folders.ledger}` is not there")
    database = open_for_reading(folders.ledger)
    try:
        names = ledger_names(database)
        tip = database.row(sql.TIP) or (0, "", 0, 0)
        first = (database.row("SELECT MIN(seq) FROM ledger") or (0,))[0] or 0
        agree, pruned, others, troubles = 0, 0, 0, list[str]()
        for head in sorted(heads, key=lambda head: (head.ledger, head.seq)):
            row = database.entry(sql.BY_SEQ, (head.seq,)) if head.ledger == names[0] else None
            if head.ledger != names[0]:
                gone = head.machine == machine and head.ledger not in names
                others += not gone
                if gone:
                    troubles.append(f"this machine sent row {head.seq} of the ledger {head.ledger[:16]}, which is gone")
            elif head.seq > tip[0]:
                troubles.append(f"row {head.seq} was sent, and the ledger ends at row {tip[0]}")
            elif row is not None and row.hash == head.hash:
                agree += 1
            elif row is None and head.seq < first:
                pruned += 1
            else:
                troubles.append(f"row {head.seq} is not the one that was sent")
    finally:
        database.close()
    if not agree and not pruned and not troubles:
        troubles.append("none of the heads is of this ledger, so nothing is proved")
    return Compared(agree=agree, pruned=pruned, others=others, troubles=tuple(troubles))
