"""`interlock mcp run -- SERVER…`: the server as a child process, its lines and the client's through the relay.

The relay ends when the server does, with its exit code; when the client closes the line, the server's input is closed
and it is given a moment to end. The server's stderr is the client's; stdout carries nothing but messages.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ..limits import MAX_INPUT_BYTES, MAX_SERVER_LINE_BYTES
from ..model.errors import InputError
from ..value import lazy
from ..words.visible import visible
from .lines import Writer, lines_of
from .names import server_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..store.home.folders import Folders
    from .listing import Listing
    from .relay import Relay, Shared
else:
    Listing = lazy(globals(), ".listing", "Listing")
    Relay = lazy(globals(), ".relay", "Relay")
    Shared = lazy(globals(), ".relay", "Shared")

__all__ = ["Workers", "name_of", "note", "run"]

_THREADS = 16
_GRACE = 5.0  # seconds that a server has to end once its input is closed, and again once it was told to
_RUNNERS = frozenset("npx uvx bunx pnpx pnpm npm yarn bun deno node python python3 uv env".split())
_WORDS = ("-y", "--yes", "dlx", "exec", "run", "x", "tool", "-m", "-u", "-I", "-S")


def name_of(command: Sequence[str]) -> str:
    """What to call a server of which only the command is known: its package or program, never what it says itself."""
    for word in command:
        base = os.path.basename(word.rstrip("/"))
        if base in _RUNNERS or word in _WORDS or word.startswith("-"):
            continue
        name = base.partition("@")[0] or base
        for ending in (".py", ".js", ".mjs", ".cjs", ".ts"):
            name = name.removesuffix(ending)
        return server_name(name) or "server"
    return "server"


class Workers:
    """A few threads, made when they are needed. Who waits for a person holds one."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._all = 0

    def start(self, job: Callable[[], None]) -> None:
        with self._lock:
            grows = self._idle <= self._jobs.qsize() and self._all < _THREADS
            self._all += grows
        self._jobs.put(job)
        if grows:
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            job = self._jobs.get()
            with self._lock:
                self._idle -= 1
            job()


def note(text: str) -> None:
    """To whoever reads the log of the client. Words of a server come in quotes and made visible."""
    try:
        os.write(2, f"interlock: {visible(text)}\n".encode("utf-8", "replace"))
    except OSError:
        pass


def run(folders: Folders, command: Sequence[str], *, name: str = "") -> int:
    """Runs the server behind the relay until one of the two sides ends; the exit code."""
    server = server_name(name) if name else name_of(command)
    if not server:
        raise InputError("a server needs a name: --name NAME")
    try:
        child = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # noqa: S603
    except OSError as error:
        raise InputError(f"the server `{command[0]}` could not be started: {error.strerror}") from None
    from .judge import Judge  # while the server starts

    judge = Judge(folders, server)
    to_child, from_child = child.stdin, child.stdout
    if to_child is None or from_child is None:  # for the type checker
        raise InputError("the server has no pipes")
    out, into = Writer(1), Writer(to_child.fileno())
    shared = Shared(Listing(folders, server, into.write, note))
    relay = Relay(judge, shared, to_client=out.write, to_server=into.write, start=Workers().start, note=note)
    _pass_signals_on(child)
    gc.freeze()  # what was made to begin with stays; looking through it again and again would make calls wait
    reader = threading.Thread(target=_from_client, args=(relay, child, into), daemon=True)
    reader.start()
    for line in lines_of(from_child.fileno(), MAX_SERVER_LINE_BYTES):
        if line is None:
            note(f"a message of the server was longer than {MAX_SERVER_LINE_BYTES} bytes, and is lost")
        else:
            relay.from_server(line)
    code = _ended(child)
    relay.gone()
    judge.close()
    sys.stdout.flush()
    return code


def _from_client(relay: Relay, child: subprocess.Popen[bytes], into: Writer) -> None:
    for line in lines_of(0, MAX_INPUT_BYTES):
        if line is None:
            note(f"a message of the client was longer than {MAX_INPUT_BYTES} bytes, and was not passed on")
        else:
            relay.from_client(line)
    relay.gone()  # nobody waits any more: what is still asked about never goes to the server
    into.close()
    if not _waits(child):
        child.terminate()
        if not _waits(child):
            child.kill()


def _waits(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _ended(child: subprocess.Popen[bytes]) -> int:
    if not _waits(child):  # it closed its output and lives on: nobody can talk to it any more
        child.terminate()
        if not _waits(child):
            child.kill()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _pass_signals_on(child: subprocess.Popen[bytes]) -> None:
    def passed(number: int, _frame: object) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, passed)
