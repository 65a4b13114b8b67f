"""The ledger's head, kept in a small file beside the database: how far it went, and with which hash.

It is written after each commit, in one write, and without waiting for the disk: a head that lags
behind is normal, a head that is ahead means that rows were lost or an older database was put back.
"""

from __future__ import annotations

import os

from ...model.errors import StoreError
from ..home.files import read_file

__all__ = ["Head", "head_file", "keys_file", "read_head", "write_head"]


_LONGEST = 1000
_REGULAR, _KIND = 0o100000, 0o170000


def head_file(ledger: str) -> str:
    return ledger + ".head"


def keys_file(ledger: str) -> str:
    """Where the enrolled keys are kept once more (`keys_beside.py`)."""
    return ledger + ".keys"


def read_head(ledger: str) -> tuple[int, str] | None:
    """Number and hash of the last row that is known to have been kept; None if no head is kept."""
    path = head_file(ledger)
    return _parsed(path, read_file(path, limit=_LONGEST))


def _parsed(path: str, raw: bytes | None) -> tuple[int, str] | None:
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
            os.write(fd, _line(seq, name))
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None


def _line(seq: int, name: str) -> bytes:
    return b"%020d %s\n" % (seq, name.encode())


class Head:
    """The head of one ledger. For one that `stays` the file is kept open, and is the head while it is the one at its
    path: to look that up and to read is a third of opening it each time.
    """

    def __init__(self, ledger: str, *, stays: bool = False) -> None:
        self.ledger = ledger
        self.path = head_file(ledger)
        self.stays = stays
        self._fd = -1
        self._file: tuple[int, int] | None = None

    def read(self) -> tuple[int, str] | None:
        """As `read_head`."""
        if not self.stays or not self._is_open():
            return read_head(self.ledger)
        try:
            raw = os.pread(self._fd, _LONGEST, 0)
        except OSError as error:
            raise StoreError(f"`{self.path}` could not be read: {error.strerror}") from None
        return _parsed(self.path, raw)

    def write(self, seq: int, name: str) -> None:
        """As `write_head`; whoever writes has read it a moment ago, which looked whether the file is still there."""
        if self._fd < 0:
            write_head(self.ledger, seq, name)
            return
        try:
            os.pwrite(self._fd, _line(seq, name), 0)
        except OSError as error:
            raise StoreError(f"`{self.path}` could not be written: {error.strerror}") from None

    def _is_open(self) -> bool:
        """Whether the file at the path is open. One that is no plain file, or may not be written, never is."""
        try:
            at = os.lstat(self.path)
            if (at.st_dev, at.st_ino) == self._file:
                return True
            self.close()
            if at.st_mode & _KIND != _REGULAR:
                return False
            fd = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            at = os.fstat(fd)
        except OSError:
            self.close()
            return False
        if at.st_mode & _KIND != _REGULAR:
            os.close(fd)
            return False
        self._fd, self._file = fd, (at.st_dev, at.st_ino)
        return True

    def close(self) -> None:
        fd, self._fd, self._file = self._fd, -1, None
        if fd >= 0:
            os.close(fd)
