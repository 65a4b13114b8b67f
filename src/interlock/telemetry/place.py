"""How far one receiver has got, on disk: the last row that arrived there, and what is wrong since when.

The place is moved after a row has arrived, never before: after a crash a row may be told twice, and none is left out.
One process at a time sends to a receiver; whoever comes second is told so.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..model.errors import InterlockError, StoreError
from ..store.home.files import read_file, write_file
from ..store.home.folders import Folders
from ..value import Value

__all__ = ["BusyError", "Got", "Place", "place_for"]

_LIMIT = 64 * 1024


class BusyError(StoreError):
    """Another process sends to this receiver."""


class Got(Value):
    """
    ledger   the name of the ledger that `row` and `hash` are of
    trouble  why nothing arrives, and since when
    """

    to: str
    ledger: str = ""
    row: int = 0
    hash: str = ""
    at: int = 0
    trouble: str = ""
    since: int = 0


class Place:
    """`dry`: it is only looked at, whoever else has it, and stays where it is."""

    def __init__(self, path: str, to: str, *, dry: bool = False) -> None:
        self.path = path
        self.to = to
        self.dry = dry

    def read(self) -> Got | None:
        """None where nothing was ever sent. A file that cannot be read is an error: guessing would leave rows out."""
        raw = read_file(self.path, limit=_LIMIT)
        if raw is None:
            return None
        try:
            got = Got(**dict(parse_object(raw, limit=_LIMIT)))  # type: ignore[arg-type]
            if type(got.row) is not int or type(got.hash) is not str or type(got.ledger) is not str:
                raise TypeError
            return got
        except (InterlockError, TypeError):
            raise StoreError(f"`{self.path}` does not say how far {self.to} has got; remove it to begin anew") from None

    def write(self, got: Got) -> None:
        if not self.dry:
            write_file(self.path, canonical(got.as_dict()) + b"\n")

    @contextmanager
    def held(self) -> Iterator[None]:
        """BusyError where somebody else has it."""
        if self.dry:
            yield
            return
        release = _hold(f"{self.path}.lock", self.to)
        try:
            yield
        finally:
            release()


def place_for(folders: Folders, to: str) -> Place:
    name = hashlib.sha256(to.encode()).hexdigest()[:16]
    return Place(f"{folders.state}/telemetry/{name}.json", to)


def _hold(path: str, to: str) -> Callable[[], None]:
    import fcntl

    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise BusyError(f"another process sends to {to} already") from None
    except OSError as error:
        os.close(fd)
        raise StoreError(f"`{path}` could not be locked: {error.strerror}") from None
    return lambda: os.close(fd)
