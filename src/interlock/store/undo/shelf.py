"""The folder of checkpoints, and its budgets. It cannot be worn out: where it is full, nothing more is held, and what
is there stays for the days of the policy. Only a person removes a younger one, and only by `checkpoints prune`.

A file's name says whose it is and what is in it: SESSION-DIGEST.undo, the session as sixteen digits of its digest.
"""

from __future__ import annotations

import hashlib
import os
import time

from ...limits import (
    MAX_STATE_BYTES,
    MAX_UNDO_SESSION_BYTES,
    MAX_UNDO_SESSION_COUNT,
    MAX_UNDO_TOTAL_BYTES,
    UNDO_DAYS,
    UNDO_OWN_HOURS,
)
from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value
from ..home.files import Descriptor, locked
from .held import NotHeldError, from_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .held import Checkpoint

__all__ = ["Kept", "Opened", "Shelf", "session_mark", "sync_folder"]

_ENDS = ".undo"
_BEING_MADE = ".new"
_STALE = 3600.0  # seconds after which a file that was being made belongs to a process that is gone
_DAY = 86_400.0


class Kept(Value):
    """One checkpoint as the folder lists it. `made` is the moment in seconds."""

    id: str
    owner: str
    path: str
    size: int
    made: float


def session_mark(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Shelf:
    def __init__(self, folder: str, *, total: int = MAX_UNDO_TOTAL_BYTES, days: int = UNDO_DAYS) -> None:
        self.folder, self.total, self.days = folder, total, days

    def kept(self) -> list[Kept]:
        """All checkpoints, oldest first."""
        found = []
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    owner, _, name = entry.name.removesuffix(_ENDS).partition("-")
                    if not entry.name.endswith(_ENDS) or len(name) != 64:
                        continue
                    info = entry.stat(follow_symlinks=False)
                    found.append(
                        Kept(id=name, owner=owner, path=entry.path, size=info.st_blocks * 512, made=info.st_mtime)
                    )
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"`{self.folder}` cannot be read: {error.strerror}") from None
        return sorted(found, key=lambda kept: (kept.made, kept.id))

    def find(self, start: str) -> Kept | None:
        """The checkpoint whose name begins so; None where there is none. StoreError where there are several."""
        found = [kept for kept in self.kept() if kept.id.startswith(start)]
        if len({kept.id for kept in found}) > 1:
            raise StoreError(f"`{start}` is the beginning of {len(found)} checkpoints; give more of the name")
        return found[-1] if found else None

    def writing(self, session: str, *, person: bool = False) -> _Writing:
        """`with shelf.writing(session) as (fd, path, room):`, one at a time. `room`: how large the file may be."""
        return _Writing(self, session, person)

    def place(self, fd: int, beside: str, session: str, name: str) -> None:
        os.fsync(fd)
        os.rename(beside, f"{self.folder}/{session_mark(session)}-{name}{_ENDS}")
        sync_folder(self.folder)

    def room(self, session: str, *, person: bool) -> int:
        """How much more may be held. What is too old goes first, though not when a person takes something back."""
        if not person:
            self.prune(before=time.time() - self.days * _DAY)
        return self.left(session, person=person)

    def left(self, session: str, *, person: bool = False) -> int:
        kept, mark = self.kept(), session_mark(session)
        own = [one for one in kept if one.owner == mark]
        left = self.total - sum([one.size for one in kept])
        if not person:
            if len(own) >= MAX_UNDO_SESSION_COUNT:
                raise NotHeldError("this session has as many checkpoints as it may have")
            left = min(left, MAX_UNDO_SESSION_BYTES - sum([one.size for one in own]))
        if left <= 0:
            raise NotHeldError("the budget for checkpoints is used up")
        return left

    def is_roomy(self, session: str) -> bool:
        """Whether half of what the session may hold is left. What nobody is asked about uses up no more than that: the
        rest is for losses that would have to be asked about.
        """
        mark = session_mark(session)
        own = [one for one in self.kept() if one.owner == mark]
        return 2 * len(own) < MAX_UNDO_SESSION_COUNT and 2 * sum([one.size for one in own]) < MAX_UNDO_SESSION_BYTES

    def prune(self, *, before: float, person: bool = False, only: str = "") -> list[Kept]:
        """Removes what was made before the moment. INVARIANT: what is younger than a day only for a person."""
        if not person:
            before = min(before, time.time() - UNDO_OWN_HOURS * 3600.0)
        gone = []
        for kept in self.kept():
            if kept.made < before and kept.id.startswith(only):
                try:
                    os.unlink(kept.path)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    raise StoreError(f"`{kept.path}` cannot be removed: {error.strerror}") from None
                gone.append(kept)
        return gone

    def drop(self, name: str, session: str) -> None:
        """Removes one that was made for a call which does not need it."""
        try:
            os.unlink(f"{self.folder}/{session_mark(session)}-{name}{_ENDS}")
        except OSError:
            pass

    def open(self, kept: Kept) -> Opened:
        return Opened(kept)

    def _sweep(self) -> None:
        """What a killed process has left half made."""
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if (
                    entry.name.endswith(_BEING_MADE)
                    and entry.stat(follow_symlinks=False).st_mtime < time.time() - _STALE
                ):
                    os.unlink(entry.path)


class _Writing:
    def __init__(self, shelf: Shelf, session: str, person: bool) -> None:
        self.shelf, self.session, self.person = shelf, session, person
        self.fd, self.beside = -1, ""

    def __enter__(self) -> tuple[int, str, int]:
        folder = self.shelf.folder
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            info = os.stat(folder)
            if info.st_uid != os.geteuid() or info.st_mode & 0o077:
                raise NotHeldError(f"`{folder}` can be entered by other users")
        except OSError as error:
            raise StoreError(f"`{folder}` could not be made: {error.strerror}") from None
        self.unlock = locked(folder + "/lock")
        try:
            self.shelf._sweep()
            room = self.shelf.room(self.session, person=self.person)
            self.beside = f"{folder}/{os.getpid()}{_BEING_MADE}"
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            self.fd = os.open(self.beside, flags, 0o600)
            return self.fd, self.beside, room
        except OSError as error:
            self.__exit__()
            raise StoreError(f"the checkpoint could not be written: {error.strerror}") from None
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            try:
                os.unlink(self.beside)  # it has its own name by now, or is not needed
            except OSError:
                pass
        self.unlock()


class Opened:
    """A checkpoint that is read. StoreError where its bytes are not those that its name binds."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        try:
            self.fd = os.open(kept.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(f"checkpoint `{kept.id}` cannot be read: {error.strerror}") from None
        try:
            self.checkpoint = self._manifest()
        except BaseException:
            os.close(self.fd)
            raise

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def _manifest(self) -> Checkpoint:
        size = os.fstat(self.fd).st_size
        foot = os.pread(self.fd, 40, max(0, size - 40))
        length = int.from_bytes(foot[:8], "big")
        if len(foot) != 40 or length > min(size, MAX_STATE_BYTES) or foot[8:].hex() != self.kept.id:
            raise StoreError(f"checkpoint `{self.kept.id}` is damaged")
        raw = os.pread(self.fd, length, size - 40 - length)
        if hashlib.sha256(raw).digest() != foot[8:]:
            raise StoreError(f"checkpoint `{self.kept.id}` is damaged")
        return from_manifest(raw, self.kept.id)

    def pieces(self, at: int, length: int) -> Iterator[bytes]:
        while length > 0:
            piece = os.pread(self.fd, min(1 << 20, length), at)
            if not piece:
                raise StoreError(f"checkpoint `{self.kept.id}` is damaged")
            yield piece
            at += len(piece)
            length -= len(piece)


def sync_folder(path: str) -> None:
    with Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as fd:
        os.fsync(fd)
