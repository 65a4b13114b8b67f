"""What the command tried to reach and to run, as its system calls and its questions for names tell.

Runs inside the view, as the parent of the command. `Listener` answers the calls that the filter hands over: those that
are forbidden fail, the others go on as they are. `Names` answers every question for a host's name with an address of
its own that leads nowhere, so that what was to be reached can be told by its name. Nothing here lets anything through.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import struct

from ..store.home.files import Descriptor
from .calls import name_of

__all__ = ["Listener", "Names"]

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_MOST = 200  # different things of one kind that are kept
_FAKE = "198.18."  # a network for tests of benchmarks: nobody's
_USUAL = ("/var/run/nscd/socket", "/run/nscd/socket")  # every program that looks up a name tries it
_LOOPBACK = ("127.", "::1", "0.0.0.0")  # noqa: S104 - nothing listens there


class Names:
    """The view's only name server."""

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}  # name -> the address that it was given
        self._by_address: dict[str, str] = {}
        self.socket: socket.socket | None = None

    def listen(self) -> None:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            made.bind(("127.0.0.1", 53))
        except OSError:  # names are not told then; that something was to be reached still is
            made.close()
            return
        made.setblocking(False)
        self.socket = made

    def name_at(self, address: str) -> str:
        return self._by_address.get(address, address)

    def answer(self) -> None:
        if self.socket is None:
            return
        try:
            raw, peer = self.socket.recvfrom(4096)
        except OSError:
            return
        replied = self._reply(raw)
        if replied:
            try:
                self.socket.sendto(replied, peer)
            except OSError:
                return

    def _reply(self, raw: bytes) -> bytes:
        if len(raw) < 17 or raw[2] & 0x80 or struct.unpack_from(">H", raw, 4)[0] != 1:
            return b""
        labels, at = [], 12
        while at < len(raw) and 0 < raw[at] < 64:
            labels.append(raw[at + 1 : at + 1 + raw[at]].decode("ascii", "replace"))
            at += 1 + raw[at]
        if at + 5 > len(raw) or raw[at] != 0:
            return b""
        kind = struct.unpack_from(">H", raw, at + 1)[0]
        question = raw[12 : at + 5]
        address = self._given(".".join(labels).lower())
        if kind != 1 or not address:  # only IPv4 is answered
            return raw[:2] + b"\x81\x80\0\1\0\0\0\0\0\0" + question
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(address)
        return raw[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question + record

    def _given(self, name: str) -> str:
        if name not in self.asked:
            if len(self.asked) >= _MOST:
                return ""
            count = len(self.asked) + 1
            self.asked[name] = f"{_FAKE}{count // 250}.{count % 250 + 1}"
            self._by_address[self.asked[name]] = name
        return self.asked[name]


class Listener:
    def __init__(self, descriptor: int, names: Names) -> None:
        self.descriptor = descriptor
        self._names = names
        self.refused: dict[str, int] = {}  # forbidden calls, and how often
        self.reached: dict[str, int] = {}
        self.ran: dict[str, int] = {}
        self.not_run: dict[str, int] = {}

    def answer(self) -> bool:
        """One call, if one waits. False where nobody is left who could make one."""
        got = bytearray(80)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, got)
        except OSError as error:
            return error.errno in (errno.ENOENT, errno.EINTR)  # whoever made it is gone
        id, pid, _, number = struct.unpack_from("=QIIi", got)
        arguments = struct.unpack_from("=6Q", got, 32)
        name = name_of(number)
        goes_on = name in ("connect", "sendto", "execve", "execveat")
        if goes_on:
            self._note(name, pid, arguments)
        else:
            _count(self.refused, name)
        # INVARIANT: what is forbidden never goes on, whatever was read of it.
        answer, flags = (0, _CONTINUE) if goes_on else (-errno.EPERM, 0)
        try:
            fcntl.ioctl(self.descriptor, _SEND, struct.pack("=QqiI", id, 0, answer, flags))
        except OSError:
            return True
        return True

    def _note(self, name: str, pid: int, arguments: tuple[int, ...]) -> None:
        try:
            if name == "connect":
                self._note_address(_memory(pid, arguments[1], min(arguments[2], 128)))
            elif name == "sendto":
                self._note_address(_memory(pid, arguments[4], min(arguments[5], 128)))
            else:
                where = arguments[0] if name == "execve" else arguments[1]
                self._note_program(pid, _text(pid, where))
        except (OSError, ValueError):
            return

    def _note_address(self, raw: bytes) -> None:
        family = struct.unpack_from("=H", raw)[0] if len(raw) >= 2 else 0
        if family == socket.AF_UNIX:
            path = raw[2:].split(b"\0", 1)[0] if raw[2:3] != b"\0" else b"@" + raw[3:].rstrip(b"\0")
            where = os.fsdecode(path)
            if where in _USUAL or (where and not where.startswith("@") and os.path.exists(where)):
                return  # one of the command's own
            _count(self.reached, f"unix:{where}")
            return
        if family == socket.AF_INET and len(raw) >= 8:
            port, address = struct.unpack_from(">H", raw, 2)[0], socket.inet_ntoa(raw[4:8])
        elif family == socket.AF_INET6 and len(raw) >= 24:
            port, address = struct.unpack_from(">H", raw, 2)[0], socket.inet_ntop(socket.AF_INET6, raw[8:24])
            address = address.removeprefix("::ffff:")
        else:
            return
        if port == 0 or address.startswith(_LOOPBACK):  # a socket that is asked which way it would go; this machine
            return
        _count(self.reached, f"{self._names.name_at(address)}:{port}")

    def _note_program(self, pid: int, path: str) -> None:
        if not path:
            return
        there = path if path.startswith("/") else os.path.join(f"/proc/{pid}/cwd", path)
        _count(self.ran if os.access(there, os.X_OK) else self.not_run, path)

    def told(self) -> dict[str, list[str]]:
        """A program that was looked for in several folders counts as run if one of them has it."""
        found = {os.path.basename(path) for path in self.ran}
        missing = [path for path in self.not_run if os.path.basename(path) not in found]
        named = {reached.rpartition(":")[0] for reached in self.reached}
        reached = [*self.reached, *(name for name in self._names.asked if name not in named)]
        return {"reached": reached, "ran": list(self.ran), "not_run": missing, "refused": list(self.refused)}


def _count(kept: dict[str, int], name: str) -> None:
    if name in kept or len(kept) < _MOST:
        kept[name] = kept.get(name, 0) + 1


def _memory(pid: int, address: int, length: int) -> bytes:
    with Descriptor(os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
        return os.pread(descriptor, length, address)


def _text(pid: int, address: int) -> str:
    """A path, which may end just before memory that cannot be read."""
    raw = b""
    while len(raw) < 4096 and b"\0" not in raw:
        step = 256 - (address + len(raw)) % 256
        raw += _memory(pid, address + len(raw), step)
    return os.fsdecode(raw.split(b"\0", 1)[0])
