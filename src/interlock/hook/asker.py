"""Interlock's own MCP server: it has the client put a question before its person, and hands the answer to the hook.

It offers no tools. A hook that has to ask connects to its socket and says what is asked, the server sends an
`elicitation/create` that nobody called for, and the client shows a dialog of its own with our words and our choices.

It believes the client and nobody else. INVARIANT: it listens only if both of its streams lead to the process that
started it, so that a program of the agent cannot start one and answer for the person; the hook checks in turn that the
server stands right below its own host. Each question has a name that cannot be guessed.
"""

from __future__ import annotations

import json
import os
import select
from secrets import token_hex
from socket import AF_UNIX, SOCK_STREAM, socket

from .. import __version__
from ..model.errors import InputError
from ..store.people.surface import is_below, parent_of, process_of
from ..value import TYPE_CHECKING
from .client import Parts, packed, peer_of, trusted
from .desk import FOLDER, name_of

if TYPE_CHECKING:
    from typing import Any

__all__ = ["ARGUMENTS", "FIELD", "QUESTION_PARTS", "serve"]

ARGUMENTS = ("-m", "interlock.cli", "mcp", "ask")  # with which it is started
FIELD = "answer"
QUESTION_PARTS = 3  # the text, the title of the choices, and the choices
_MOST_QUESTION = 1 << 16
_MOST_LINE = 1 << 20
_MOST_OPEN = 16  # hooks that wait at once
_HOOK = b"/hook/guard.py"
_EMPTY: dict[str, dict[str, Any]] = {"ping": {}, "tools/list": {"tools": []}}
_UNKNOWN = {"code": -32601, "message": "this server only asks the person; it offers nothing"}


def serve(state: str) -> int:
    """Until the client closes its stream. `state`: the folder of our state."""
    host = process_of(os.getppid())
    desk = _Desk(state, host) if host is not None and _leads_to(host[0]) else None
    server = _Server(desk)
    try:
        server.run()
    finally:
        if desk is not None:
            desk.close()
    return 0


def _leads_to(host: int) -> bool:
    """Whether whatever is at the other end of both streams was made by the host, or is held by it."""
    try:
        return all(_made_by(host, stream) or _held_by(host, stream) for stream in (0, 1))
    except OSError:
        return False


def _made_by(host: int, stream: int) -> bool:
    """A pair of sockets: the kernel keeps who made it."""
    if not os.readlink(f"/proc/self/fd/{stream}").startswith("socket:"):
        return False
    end = socket(fileno=os.dup(stream))
    try:
        return peer_of(end) == (host, os.getuid())
    finally:
        end.close()


def _held_by(host: int, stream: int) -> bool:
    """A pipe that the host holds as well."""
    pipe = os.readlink(f"/proc/self/fd/{stream}")
    if not pipe.startswith("pipe:"):
        return False
    for name in os.listdir(f"/proc/{host}/fd"):
        try:
            if os.readlink(f"/proc/{host}/fd/{name}") == pipe:
                return True
        except OSError:
            continue
    return False


class _Desk:
    """The socket at which hooks of this host ask."""

    def __init__(self, state: str, host: tuple[int, int]) -> None:
        self.host = host
        folder = f"{state}/{FOLDER}"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        if not trusted(os.fstat(self.folder)):
            raise InputError(f"`{folder}` is somebody else's, or others may look into it")
        self.name = name_of(host[0], os.getpid())
        self.listener: socket | None = None

    def open(self) -> socket:
        """From now on hooks find it. What servers left that were killed goes."""
        for name in os.listdir(self.folder):
            pid = name.partition("-")[2]
            if not pid.isdecimal() or parent_of(int(pid)) is None or name == self.name:
                os.unlink(name, dir_fd=self.folder)
        self.listener = socket(AF_UNIX, SOCK_STREAM)
        before = os.umask(0o077)
        try:
            self.listener.bind(f"/proc/self/fd/{self.folder}/{self.name}")
        finally:
            os.umask(before)
        self.listener.listen(_MOST_OPEN)
        return self.listener

    def admits(self, peer: socket) -> bool:
        """Whether a hook of this host is at the other end."""
        pid, user = peer_of(peer)
        if user != os.getuid() or not is_below(pid, self.host):
            return False
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return any(word.endswith(_HOOK) for word in file.read(1 << 16).split(b"\0"))
        except OSError:
            return False

    def close(self) -> None:
        if self.listener is not None:
            self.listener.close()
            try:
                os.unlink(self.name, dir_fd=self.folder)
            except OSError:
                pass


class _Asking:
    """A hook that asks. `id`: of the question, once the client has it."""

    def __init__(self, peer: socket) -> None:
        self.peer = peer
        self.message = Parts(QUESTION_PARTS, _MOST_QUESTION)
        self.id = ""


class _Server:
    def __init__(self, desk: _Desk | None) -> None:
        self.desk = desk
        self.asks = False  # the client has said that it puts questions before its person
        self.open: dict[int, _Asking] = {}  # by the number of its connection
        self.look = select.poll()
        self.rest = b""

    def run(self) -> None:
        self.look.register(0, select.POLLIN)
        while True:
            for number, _ in self.look.poll():
                if number == 0:
                    raw = os.read(0, 1 << 16)
                    if not raw:
                        return
                    self._read(raw)
                elif number in self.open:
                    self._hear(number)
                else:
                    self._accept()

    # --- the client -----------------------------------------------------------------------------------

    def _read(self, raw: bytes) -> None:
        *lines, self.rest = (self.rest + raw).split(b"\n")
        if len(self.rest) > _MOST_LINE:
            raise InputError("the client sends a line without an end")
        for line in lines:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        method, id = message.get("method"), message.get("id")
        if method is None:
            self._answered(id, message.get("result"))
        elif method == "initialize":
            told = message.get("params")
            about = told if isinstance(told, dict) else {}
            can = about.get("capabilities")
            self.asks = isinstance(can, dict) and isinstance(can.get("elicitation"), dict)
            server = {"name": "interlock", "version": __version__}
            version = about.get("protocolVersion")
            self._send(id=id, result={"capabilities": {}, "protocolVersion": version, "serverInfo": server})
        elif method == "notifications/initialized":
            if self.asks and self.desk is not None and self.desk.listener is None:
                self.look.register(self.desk.open(), select.POLLIN)
        elif id is not None:
            known = _EMPTY.get(str(method))
            self._send(id=id, **({"error": _UNKNOWN} if known is None else {"result": known}))

    def _answered(self, id: Any, result: Any) -> None:
        """A result that is none, or an error, is the answer of nobody."""
        number = next((number for number, one in self.open.items() if one.id and one.id == id), None)
        if number is None:
            return
        said = result if isinstance(result, dict) else {}
        content = said.get("content")
        answer = content.get(FIELD) if isinstance(content, dict) else None
        one = self.open[number]
        one.id = ""
        try:
            told = [str(word or "").encode("utf-8", "replace") for word in (said.get("action"), answer)]
            one.peer.sendall(packed(*told))
        except OSError:
            pass
        self._drop(number)

    def _send(self, **message: Any) -> None:
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        while raw:
            raw = raw[os.write(1, raw) :]

    # --- the hooks ------------------------------------------------------------------------------------

    def _accept(self) -> None:
        desk = self.desk
        if desk is None or desk.listener is None:
            return
        peer = desk.listener.accept()[0]
        if len(self.open) >= _MOST_OPEN or not desk.admits(peer):
            peer.close()
            return
        self.open[peer.fileno()] = _Asking(peer)
        self.look.register(peer, select.POLLIN)

    def _hear(self, number: int) -> None:
        one = self.open[number]
        try:
            piece = one.peer.recv(1 << 16)
            parts = one.message.take(piece) if piece and not one.id else None
        except (OSError, ValueError):
            piece, parts = b"", None
        if parts is not None:
            text, title, choices = [part.decode("utf-8", "replace") for part in parts]
            field = {"type": "string", "title": title, "enum": choices.split("\0")}
            schema = {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}
            one.id = token_hex(16)
            params = {"message": text, "requestedSchema": schema}
            self._send(id=one.id, method="elicitation/create", params=params)
        elif not piece or one.id:  # it has gone, or waits no longer: the dialog goes too
            self._drop(number)

    def _drop(self, number: int) -> None:
        one = self.open.pop(number)
        self.look.unregister(number)
        one.peer.close()
        if one.id:
            gone = {"requestId": one.id, "reason": "nobody waits for the answer any more"}
            self._send(method="notifications/cancelled", params=gone)
