"""The hook's way to the resident service: the same answer, without loading what it takes to decide.

The service only makes it faster. Where there is none, or it is not the one that our own folder names, or of other
files than these, or does not answer in time and whole, the hook decides by itself, as it does where nobody ever
started one. Only calls are asked about. What follows a call, and a change of settings, is always taken in by a process
of its own: whoever put something else in the service's place is seen there (docs/resident.md).

It is loaded by every hook of a person who has switched the service on, so it imports next to nothing. A message is a
line of lengths, and the parts.
"""

from __future__ import annotations

import os
import sys

from .. import PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "COUNTS",
    "FOLDER",
    "NOTE",
    "PATIENCE",
    "SOCKET",
    "WANTED",
    "Asked",
    "Parts",
    "ask",
    "exchanged",
    "home_in",
    "note_in",
    "noted",
    "packed",
    "peer_of",
    "received",
    "sifted",
    "stamp_of",
    "trusted",
]

FOLDER = ".local/state/interlock/resident"  # below the home folder: guarded as our own files are
SOCKET, NOTE, WANTED = "socket", "note", "wanted"
COUNTS = "--counts"  # in place of a host: how many calls were answered, and how many left to their hooks
PATIENCE = 3.0  # seconds for all of it: less than the hook's own deadline, so that it can still decide by itself
_FORM = b"interlock-resident-1"
_MOST_NOTE = 1 << 16
_MOST_ANSWER = 1 << 20
_MOST_LINE = 128
_ALWAYS_APART = (b"ConfigChange",)  # an event with this word in it, wherever it stands
_LOOKED_AT = ("", "/__init__.py", "/hook", "/hook/client.py", "/hook/run.py", "/engine.py", "/runtime.py", "/decide.py")


class Asked:
    """What came of asking.

    event    what stood on stdin, if it was read
    missing  the person wants a service, and there is none for these files
    """

    code = 2
    stdout = stderr = b""

    def __init__(self) -> None:
        self.event: bytes | None = None
        self.answered = self.missing = False


def ask(arguments: list[str]) -> Asked:
    """INVARIANT: nothing but an error on stdin gets out of here. Whatever else goes wrong, nobody has answered."""
    asked = Asked()
    try:
        folder = os.open(f"{home_in(arguments)}/{FOLDER}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError, LookupError):
        return asked
    try:
        note = note_in(folder)
        if note is None:
            asked.missing = _is_wanted(folder)
            return asked
        if "--no-gate" in arguments:
            return asked
        from ..limits import MAX_INPUT_BYTES
        from .stdin import stdin

        asked.event = stdin()
        if len(asked.event) <= MAX_INPUT_BYTES and not any(word in asked.event for word in _ALWAYS_APART):
            _answer(asked, folder, note, arguments)
    finally:
        os.close(folder)
    return asked


def _answer(asked: Asked, folder: int, note: list[bytes], arguments: list[str]) -> None:
    try:
        code, out, err = exchanged(folder, note, arguments, asked.event or b"")
        if code in (b"0", b"2"):
            asked.code, asked.stdout, asked.stderr = int(code), out, err
            asked.answered = True
    except (ConnectionRefusedError, FileNotFoundError):  # it was killed
        asked.missing = _is_wanted(folder)
    except Exception:
        pass


def exchanged(folder: int, note: list[bytes], arguments: list[str], event: bytes) -> list[bytes]:
    """The three parts of an answer: exit code, stdout, stderr. An error where none comes."""
    from _socket import AF_UNIX, SOCK_STREAM, socket
    from time import monotonic

    end = monotonic() + PATIENCE
    peer = socket(AF_UNIX, SOCK_STREAM)
    try:
        peer.settimeout(PATIENCE)
        peer.connect(f"/proc/self/fd/{folder}/{SOCKET}")
        # INVARIANT: nothing is sent before the other end is known.
        if peer_of(peer) != (int(note[1]), os.getuid()) or not _is_our_python(note[1]):
            raise ValueError
        words = b"\0".join([os.fsencode(word) for word in arguments])
        variables = sifted(os.environb, note[3:7])
        peer.sendall(packed(words, b"%d" % os.getppid(), b"\n".join(note), variables, event))
        return received(peer, 3, _MOST_ANSWER, end)
    finally:
        peer.close()


def home_in(arguments: list[str]) -> str:
    if "--home" in arguments:
        home = arguments[arguments.index("--home") + 1]
        if not home.startswith("/"):
            raise ValueError
        return home
    from pwd import getpwuid

    return getpwuid(os.getuid()).pw_dir


def note_in(folder: int, package: str = "") -> list[bytes] | None:
    """What the service wrote down of itself: None where there is none, or it is not of these files."""
    try:
        if not trusted(os.fstat(folder)):
            return None
        file = os.open(NOTE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            raw = os.read(file, _MOST_NOTE) if trusted(os.fstat(file)) else b""
        finally:
            os.close(file)
        lines = raw.split(b"\n")
        return lines if len(lines) == 8 and lines[0] == _FORM and lines[2] == stamp_of(package or PACKAGE) else None
    except (OSError, ValueError):
        return None


def noted(pid: int, stamp: bytes, sieve: tuple[tuple[str, ...], ...]) -> bytes:
    """The text of such a note."""
    return b"\n".join([_FORM, b"%d" % pid, stamp, *[" ".join(names).encode() for names in sieve], b""])


def trusted(found: os.stat_result) -> bool:
    """Ours, and nobody else may look inside or change it."""
    return found.st_uid == os.getuid() and not found.st_mode & 0o077


def stamp_of(package: str) -> bytes:
    """These files, run by this Python. What else has changed, the service itself notices within a moment."""
    seen = [os.stat(package + name) for name in _LOOKED_AT]
    places = " ".join([f"{at.st_ino}.{at.st_size}.{at.st_mtime_ns}.{at.st_ctime_ns}" for at in seen])
    return f"{sys.hexversion} {sys.getfilesystemencoding()} {package} {places}".encode("utf-8", "surrogateescape")


def _is_wanted(folder: int) -> bool:
    try:
        return trusted(os.fstat(folder)) and trusted(os.stat(WANTED, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return False


def _is_our_python(pid: bytes) -> bool:
    return os.readlink(b"/proc/%s/exe" % pid) == os.readlink(b"/proc/self/exe")


def peer_of(peer: Any) -> tuple[int, int]:
    """The process at the other end, and its user, as the kernel knows them."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    raw = peer.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    return int.from_bytes(raw[:4], sys.byteorder), int.from_bytes(raw[4:8], sys.byteorder)


def sifted(environment: Any, sieve: list[bytes]) -> bytes:
    """The variables that count, and of those that may hold a secret only whether they are set (environment.SIEVE)."""
    names, starts, set_names, set_starts = [tuple(line.split()) for line in sieve]
    values, found = frozenset(names), []
    only_set = frozenset(set_names)
    for name, value in environment.items():
        lower = name.lower()
        if name in values or lower in values or lower.startswith(starts):
            found.append(name + b"=" + value)
        elif name in only_set or lower in only_set or name.startswith(set_starts) or lower.startswith(set_starts):
            found.append(name + (b"=set" if value else b"="))
    return b"\0".join(found)


def packed(*parts: bytes) -> bytes:
    return b" ".join([b"%d" % len(part) for part in parts]) + b"\n" + b"".join(parts)


class Parts:
    """A message on its way: so many parts, whole and with nothing after them. A ValueError is anything else."""

    def __init__(self, count: int, most: int) -> None:
        self.count = count
        self.most = most
        self.size = 0
        self._pieces: list[bytes] = []
        self._lengths: list[int] = []
        self._whole = -1

    def take(self, piece: bytes) -> list[bytes] | None:
        """All parts, once the last piece has come."""
        self._pieces.append(piece)
        self.size += len(piece)
        if self._whole < 0:
            line, newline, _ = b"".join(self._pieces).partition(b"\n")
            if len(line) > _MOST_LINE:
                raise ValueError
            if not newline:
                return None
            self._lengths = [int(word) for word in line.split(b" ")]
            self._whole = len(line) + 1 + sum(self._lengths)
            if len(self._lengths) != self.count or min(self._lengths) < 0 or self._whole > self.most:
                raise ValueError
        if self.size > self._whole:
            raise ValueError
        if self.size < self._whole:
            return None
        raw, at, parts = b"".join(self._pieces), self._whole - sum(self._lengths), []
        for length in self._lengths:
            parts.append(raw[at : at + length])
            at += length
        return parts


def received(peer: Any, count: int, most: int, end: float) -> list[bytes]:
    """The parts of one message, by that moment. An error in every other case."""
    from time import monotonic

    message = Parts(count, most)
    while (left := end - monotonic()) > 0:
        peer.settimeout(left)
        piece = peer.recv(1 << 18)
        if not piece:
            raise EOFError
        parts = message.take(piece)
        if parts is not None:
            return parts
    raise TimeoutError
