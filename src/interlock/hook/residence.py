"""Where the resident service lives, and how it is started, ended and found: by a person's command, and by the hook.

~/.local/state/interlock/resident/    mode 700, guarded as our own files are
    wanted    a person has switched it on: a hook that finds no service starts one, once its answer is out. It
              says after how many minutes without a call the service ends
    lock      held by the one service for as long as it lives; its process stands in it
    note      the same, the files that it runs, and the variables that clients send it: it answers
    socket    where it answers
"""

from __future__ import annotations

import os
import sys
import time

from .. import PACKAGE
from .client import COUNTS, FOLDER, NOTE, SOCKET, WANTED, exchanged, home_in, note_in, stamp_of, trusted

__all__ = [
    "IDLE_MINUTES",
    "LOCK",
    "Running",
    "begin",
    "clear",
    "counts",
    "end",
    "folder_at",
    "package_here",
    "running",
    "start",
    "switch",
    "waited_for",
    "wanted",
]

LOCK = "lock"
_ENTRY = "/hook/resident_entry.py"
_STEP = 0.02
IDLE_MINUTES = 30


class Running:
    """A service that lives. `current`: it runs the files that are here now."""

    def __init__(self, pid: int, current: bool) -> None:
        self.pid = pid
        self.current = current


def package_here() -> str:
    return PACKAGE


def folder_at(home: str, *, make: bool = False) -> int:
    """The folder, open. OSError where there is none, or where it is not ours alone."""
    path = f"{home}/{FOLDER}"
    if make:
        os.makedirs(path, mode=0o700, exist_ok=True)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not trusted(os.fstat(folder)):
        os.close(folder)
        raise PermissionError(1, "others may change it, or it is somebody else's", path)
    return folder


def wanted(folder: int) -> int | None:
    """After how many idle minutes the service is to end; None: a person has not switched it on."""
    text = _read(folder, WANTED)
    return (int(text) or None) if text.isdigit() else None


def switch(folder: int, *, idle: int | None) -> bool:
    """Has hooks start a service where there is none; with None, no more. Whether they did before."""
    before = wanted(folder) is not None
    try:
        os.unlink(WANTED, dir_fd=folder)
    except FileNotFoundError:
        pass
    if idle is not None:
        file = os.open(WANTED, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            os.write(file, b"%d" % idle)
        finally:
            os.close(file)
    return before


def start(arguments: list[str]) -> None:
    """For a hook whose answer is out: what goes wrong here changes nothing."""
    folder = folder_at(home_in(arguments))
    try:
        begin(folder, home_in(arguments))
    finally:
        os.close(folder)


def begin(folder: int, home: str, package: str = "") -> bool:
    """Starts a service, unless there is one, or one is about to be. It has none of our streams, and no environment.
    `package`: whose; empty: of these files. It keeps no bytecode, since a confirmed copy stays as it is.

    INVARIANT: one at a time. Whoever gets the lock hands it on to the service with the start.
    """
    lock = None if wanted(folder) is None else _locked(folder)
    if lock is None:
        return False
    try:
        os.set_inheritable(lock, True)
        python = os.path.abspath(sys.executable)
        nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0)
        os.posix_spawn(
            python,
            [python, "-I", "-S", "-B", (package or package_here()) + _ENTRY, home, str(lock)],
            {},
            file_actions=[nothing, (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)],
            setsid=True,
        )
    finally:
        os.close(lock)
    return True


def _locked(folder: int) -> int | None:
    from fcntl import LOCK_EX, LOCK_NB, flock

    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def running(folder: int, package: str = "") -> Running | None:
    """The service, if it lives and answers. One that is just starting does not yet."""
    pid = _holder(folder)
    lines = _read(folder, NOTE).split(b"\n")
    if pid is None or len(lines) < 3 or lines[1] != b"%d" % pid:
        return None
    return Running(pid, lines[2] == stamp_of(package or package_here()))


def _holder(folder: int) -> int | None:
    """The process that holds the lock, if it is a service."""
    lock = _locked(folder)
    if lock is not None:
        os.close(lock)
        return None
    try:
        pid = int(_read(folder, LOCK))
        with open(f"/proc/{pid}/cmdline", "rb") as words:
            ours = any(word.endswith(_ENTRY.encode()) for word in words.read(1 << 16).split(b"\0"))
        return pid if ours else None
    except (OSError, ValueError):
        return None


def _read(folder: int, name: str) -> bytes:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 16) if trusted(os.fstat(file)) else b""
    finally:
        os.close(file)


def counts(folder: int, package: str = "") -> tuple[int, int] | None:
    """How many calls the service has answered, and how many it left to their hooks; None where it does not say."""
    try:
        answered, left = exchanged(folder, note_in(folder, package) or [], [COUNTS], b"")[1].split()
        return int(answered), int(left)
    except Exception:
        return None


def waited_for(folder: int, seconds: float, package: str = "") -> Running | None:
    """The service, once it answers; None where none does in this time."""
    end_at = time.monotonic() + seconds
    while time.monotonic() < end_at:
        found = running(folder, package)
        if found is not None:
            return found
        time.sleep(_STEP)
    return None


def end(folder: int, seconds: float = 5.0) -> bool:
    """Ends the service. It gives the answers that it owes first. False: it is still there after this time."""
    pid = _holder(folder)
    if pid is not None:
        from signal import SIGTERM

        try:
            os.kill(pid, SIGTERM)
        except ProcessLookupError:
            pass
    end_at = time.monotonic() + seconds
    while True:
        lock = _locked(folder)
        if lock is not None:
            clear(folder)
            os.close(lock)
            return True
        if time.monotonic() >= end_at:
            return False
        time.sleep(_STEP)


def clear(folder: int) -> None:
    """Nobody finds a service here any more. Only for whoever holds the lock."""
    for name in (NOTE, SOCKET):
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            pass
