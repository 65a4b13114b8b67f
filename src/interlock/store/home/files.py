"""Reading and writing our own small files, carefully.

Reads are bounded and follow no surprises: a folder, a device or a pipe in place of a file
is an error. Writes go to a new file beside the old one, reach the disk, and take its place in
one step, so nobody ever sees half a file.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident

from ...bytes.canon import digest_of_bytes
from ...limits import LOCK_WAIT_SECONDS
from ...model.errors import StoreError
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Disk(Protocol):
        """What is asked of the disk by those who make something of several small files."""

        def read(self, path: str, *, limit: int) -> bytes | None: ...
        def real(self, path: str) -> str: ...
        def is_folder(self, path: str) -> bool: ...


__all__ = [
    "DISK",
    "Descriptor",
    "append_line",
    "locked",
    "make_file",
    "read_derived",
    "read_file",
    "update_file",
    "write_derived",
    "write_file",
]

_REGULAR = 0o100000
_KIND = 0o170000


class Descriptor:
    """The number of an open file or folder, which is closed afterwards."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> int:
        return self.number

    def __exit__(self, *_error: object) -> None:
        os.close(self.number)


def read_file(path: str, *, limit: int) -> bytes | None:
    """The bytes of a regular file; None if there is none. StoreError for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"`{path}` could not be read: {_why(error)}") from None
    try:
        at = os.fstat(fd)
        if at.st_mode & _KIND != _REGULAR:
            raise StoreError(f"`{path}` is not a file")
        chunks = []
        size = 0
        piece = min(at.st_size or 1 << 16, 1 << 20) + 1  # room that is not needed costs more than the reading
        while chunk := os.read(fd, piece):
            size += len(chunk)
            if size > limit:
                raise StoreError(f"`{path}` is larger than {limit} bytes")
            chunks.append(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise StoreError(f"`{path}` could not be read: {_why(error)}") from None
    finally:
        os.close(fd)


def read_derived(path: str, *, limit: int) -> bytes | None:
    """What `write_derived` has put there; None where nothing is, or it is not whole."""
    checksum, _, body = (read_file(path, limit=limit) or b"").partition(b"\n")
    return body if checksum and digest_of_bytes(body).encode() == checksum else None


def write_derived(path: str, body: bytes) -> None:
    """What can be worked out anew: where it cannot be kept that is slower next time, and nothing else."""
    try:
        write_file(path, digest_of_bytes(body).encode() + b"\n" + body, durable=False)
    except StoreError:
        pass


class _AsItIs:
    """Looked at anew each time. `remembered.py` has one that takes down what it was asked."""

    def read(self, path: str, *, limit: int) -> bytes | None:
        return read_file(path, limit=limit)

    def real(self, path: str) -> str:
        return os.path.realpath(path)

    def is_folder(self, path: str) -> bool:
        return os.path.isdir(path)


DISK: Disk = _AsItIs()


def write_file(path: str, raw: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Puts `raw` in the place of the file in one step; its folder is made if need be. `mode`: its permissions."""
    _put(path, raw, durable, os.replace, mode)


def make_file(path: str, raw: bytes) -> None:
    """Makes the file in one step, unless there is one: of several who try at once, the first makes it."""

    def place(beside: str, path: str) -> None:
        try:
            os.link(beside, path)
        except FileExistsError:
            pass
        os.unlink(beside)

    _put(path, raw, True, place)


def _put(path: str, raw: bytes, durable: bool, place: Callable[[str, str], None], mode: int | None = None) -> None:
    beside = f"{path}.{os.getpid()}-{get_ident()}.new"  # nobody else writes it: no process, and no thread of this one
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            _write_all(fd, raw)
            if mode is not None:
                os.fchmod(fd, mode)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        place(beside, path)
    except OSError as error:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise StoreError(f"`{path}` could not be written: {_why(error)}") from None


def append_line(path: str, raw: bytes, *, durable: bool = False) -> None:
    """Adds one line, or several, under a lock. Either all of it is there afterwards, or none of it."""
    import fcntl

    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(path, flags, 0o600)
        try:
            if os.fstat(fd).st_mode & _KIND != _REGULAR:  # a pipe would take the line and lose it
                raise StoreError(f"`{path}` is not a file")
            _lock(fcntl, fd)
            size = os.fstat(fd).st_size
            # A line that a killed writer left unfinished is closed off; replay names it.
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            try:
                _write_all(fd, (b"\n" if torn else b"") + raw + b"\n")
                if durable:
                    os.fsync(fd)
            except OSError:
                os.ftruncate(fd, size)
                raise
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {_why(error)}") from None


def update_file(path: str, change: Callable[[bytes], bytes | None]) -> None:
    """Puts what `change` makes of a small file in its place, under a lock; None leaves it as it is."""
    import fcntl

    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(path, flags, 0o600)
        try:
            if os.fstat(fd).st_mode & _KIND != _REGULAR:
                raise StoreError(f"`{path}` is not a file")
            _lock(fcntl, fd)
            before = os.pread(fd, 1 << 16, 0)
            after = change(before)
            if after is not None and after != before:
                # Shorter first: what a killed writer leaves is empty or whole, for one write of a few bytes.
                os.ftruncate(fd, 0)
                if os.pwrite(fd, after, 0) != len(after):
                    raise OSError(None, "the disk is full")
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {_why(error)}") from None


def locked(path: str) -> Callable[[], None]:
    """Waits for its turn at this file, which is made if need be; what ends the turn is given back."""
    import fcntl

    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {_why(error)}") from None
    try:
        _lock(fcntl, fd)
    except OSError as error:
        os.close(fd)
        raise StoreError(f"`{path}` could not be locked: {_why(error)}") from None
    return lambda: os.close(fd)


def _lock(fcntl: object, fd: int) -> None:
    end = time.monotonic() + LOCK_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[attr-defined]
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise OSError(None, f"locked by another process for {LOCK_WAIT_SECONDS:g} s") from None
            time.sleep(0.005)


def _write_all(fd: int, raw: bytes) -> None:
    view = memoryview(raw)
    while view:
        view = view[os.write(fd, view) :]


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
