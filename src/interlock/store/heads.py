"""The ledger's head, kept in a small file beside the database: how far it went, and with which hash.

It is written after each commit, in one write, and without waiting for the disk: a head that lags
behind is normal, a head that is ahead means that rows were lost or an older database was put back.
"""

from __future__ import annotations

import os

from ..errors import StoreError
from .files import read_file

__all__ = ["head_file", "keys_file", "read_head", "write_head"]


def head_file(ledger: str) -> str:
    return ledger + ".head"


def keys_file(ledger: str) -> str:
    """Where the enrolled keys are kept once more (`keys_beside.py`)."""
    return ledger + ".keys"


def read_head(ledger: str) -> tuple[int, str] | None:
    """Number and hash of the last row that is known to have been kept; None if no head is kept."""
    path = head_file(ledger)
    raw = read_file(path, limit=1000)
    if not raw:  # an empty one is what a full disk leaves of the first write
        return None
    number, _, name = raw.rstrip(b"\n").partition(b" ")
    if not number.isdigit() or len(name) != 64 or not name.isalnum():
        raise StoreError(f"`{path}` is not the head of a ledger; look at it with: interlock audit verify")
    return int(number), name.decode()


def write_head(ledger: str, seq: int, name: str) -> None:
    """One write of one line that always has the same length, and so is there whole or not at all.

    A new file in the place of the old one would do as well, but many file systems wait for the disk then.
    """
    path = head_file(ledger)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, b"%020d %s\n" % (seq, name.encode()))
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None
