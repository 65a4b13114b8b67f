"""The resident service: decides calls for hooks that ask, with everything loaded and a ledger that is open already.

It answers one thing: what the hook would have said about a proposed call, decided and recorded. Whatever else there
is (another event, an error, a ledger in trouble, a call that waits for a person, a policy that hangs on the asker's
process) it does not answer, and the hook does it by itself. So nothing is decided here in another way than there.

It keeps no log. It ends when nobody has asked for a while, when its files are changed, when it has grown, when one
call takes far too long, and when it is told to.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import threading
import time
from _queue import SimpleQueue
from _socket import AF_UNIX, SOCK_STREAM
from socket import socket

from ..bytes.strict import parse_object
from ..calls.replies import reply_to
from ..engine import Engine
from ..hosts import host_named
from ..limits import MAX_INPUT_BYTES
from ..model.answer import ASK, HELD
from ..model.environment import SIEVE
from ..model.events import Proposed, Spoken
from ..store.home.folders import Folders, folders_for
from ..store.people.surface import parent_of
from .client import COUNTS, NOTE, PATIENCE, SOCKET, Parts, noted, packed, peer_of, stamp_of
from .desk import is_asked_here
from .residence import clear, folder_at, package_here, wanted
from .run import arguments_of, event_of

__all__ = ["Deciding", "serve"]

_WORKERS = 4  # one interpreter computes one thing at a time: more of them only wait for the ledger
_MOST_ASKED = MAX_INPUT_BYTES + (1 << 20)  # an event, and the variables that count
_MOST_WAITING = 256  # clients
_MOST_COMING = 64 << 20  # bytes of questions that are not whole yet
_SECONDS_TO_ASK = 0.5  # a client has its whole question ready before it connects
_LEDGER_SECONDS = 2.0
_STUCK_SECONDS = 10.0
_STEP = 0.25  # seconds between two looks at who is late
_LOOKS_EACH = 1.0  # seconds: whether its files are as they were
_TICK = 10.0  # seconds between two looks at itself while nobody asks
_MOST_MEMORY = 384 << 20
_MOST_ENGINES = 16
_RIGHTS = (b"Umask:", b"Uid:", b"Gid:", b"Groups:", b"CapEff:", b"NoNewPrivs:", b"Seccomp:")
_DEEPEST = 16  # processes between a hook and its host


class Deciding:
    """Questions to answers. For any number of threads."""

    def __init__(self) -> None:
        self._engines: dict[tuple[str, Folders], Engine] = {}
        self._lock = threading.Lock()

    def answer(self, words: list[str], parent: int, environment: dict[str, str], raw: bytes) -> Spoken | None:
        """What the hook would have said; None: it has to be asked itself."""
        told = arguments_of(words)
        host = host_named(told.host)
        if not told.gating or host.TRAITS.here:
            return None
        data = parse_object(raw)
        event = event_of(host, data, environment, parent)
        if type(event) is not Proposed:
            return None
        engine = self._engine(told.host, told.home)
        if engine.worlds.policy_at(event.place).consult is not None:  # its key is a variable of the hook
            return None
        event = event.replace(here=is_asked_here(host.TRAITS, event, engine.folders.state, told.wait))
        outcome = engine.propose(event)
        if outcome.trouble is not None or (event.here and outcome.answer.kind in (ASK, HELD)):
            return None  # the hook finds what was recorded, and asks the person
        if told.wait and outcome.policy.wait and host.TRAITS.waits and outcome.answer.kind == HELD:
            return None  # the hook finds what was recorded, and waits
        return host.spoken(data, event, reply_to(event, outcome, has_rules=host.TRAITS.has_rules))

    def _engine(self, host: str, home: str | None) -> Engine:
        """Links in the home folder make files ours, so they are looked at for each call as a hook does."""
        folders = folders_for(home)
        key = (host, folders)
        found = self._engines.get(key)
        if found is None:
            with self._lock:
                if len(self._engines) >= _MOST_ENGINES:
                    self._engines.clear()
                found = self._engines[key] = Engine(
                    folders,
                    front=f"hook:{host}",
                    resident=True,
                    connections=_WORKERS,
                    patience=_LEDGER_SECONDS,
                    undo="holds",
                )
        return found


def serve(home: str, lock: int) -> None:
    """Until it ends. `lock` is held for as long as this process lives."""
    os.set_inheritable(lock, False)
    os.truncate(lock, 0)
    os.pwrite(lock, b"%d" % os.getpid(), 0)
    folder = folder_at(home)
    _own_streams()
    package = package_here()
    service = _Service(folder, package, 60.0 * (wanted(folder) or 0))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, service.told_to_end)
    gc.collect()
    gc.freeze()
    listener = _listening(folder)
    service.note = _note(folder, service.noted)
    try:
        service.run(listener)
    finally:
        try:
            clear(folder)
        finally:
            os._exit(0)


def _own_streams() -> None:
    """Pipes, as a hook has them: what `/dev/stdin` leads to is looked up in this process."""
    for stream in (0, 1, 2):
        ends = os.pipe()
        os.dup2(ends[stream > 0], stream)


def _listening(folder: int) -> socket:
    listener = socket(AF_UNIX, SOCK_STREAM)
    beside = f"{SOCKET}.{os.getpid()}"
    before = os.umask(0o077)
    listener.bind(f"/proc/self/fd/{folder}/{beside}")
    os.umask(before)
    listener.listen(_MOST_WAITING)
    listener.setblocking(False)
    os.rename(beside, SOCKET, src_dir_fd=folder, dst_dir_fd=folder)
    return listener


def _note(folder: int, text: bytes) -> tuple[int, int]:
    beside = f"{NOTE}.{os.getpid()}"
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        os.write(file, text)
        found = os.fstat(file)
    finally:
        os.close(file)
    os.rename(beside, NOTE, src_dir_fd=folder, dst_dir_fd=folder)
    return found.st_dev, found.st_ino


class _Question:
    """A client, and what has come from it."""

    def __init__(self, peer: socket, at: float) -> None:
        self.peer = peer
        self.at = at
        self.message = Parts(5, _MOST_ASKED)
        self.parts: list[bytes] | None = None


class _Service:
    def __init__(self, folder: int, package: str, idle: float) -> None:
        self.folder = folder
        self.package = package
        self.idle = idle
        self.deciding = Deciding()
        self.coming: dict[int, _Question] = {}  # by the number of its connection
        self.waiting: SimpleQueue[_Question | None] = SimpleQueue()
        self.since: dict[int, float] = {}  # worker -> when it began what it works on
        self.ends = False
        self.answered = self.left = 0  # calls; those that were left to their hooks
        self.wake, self.woken = os.pipe()
        self.files = _fingerprint(package)
        self.sees = _sees(os.getpid())
        self.noted = noted(os.getpid(), stamp_of(package), SIEVE)
        self.note = (0, 0)

    def told_to_end(self, _number: int, _frame: object) -> None:
        self.ends = True
        os.write(self.woken, b".")

    def run(self, listener: socket) -> None:
        """One thread takes questions in, whole, so that nobody who says nothing holds up another. Few answer them."""
        workers = [threading.Thread(target=self._work, args=(number,), daemon=True) for number in range(_WORKERS)]
        for worker in workers:
            worker.start()
        look = select.poll()
        look.register(listener, select.POLLIN)
        look.register(self.wake, select.POLLIN)
        asked_at = looked_at = time.monotonic()
        while not self.ends:
            busy = self.since or self.coming or not self.waiting.empty()
            ready = [number for number, _ in look.poll(1000 * (_STEP if busy else min(_TICK, self.idle)))]
            now = time.monotonic()
            if listener.fileno() in ready:
                asked_at = now
                self._accept(listener, look, now)
            for number in [number for number in ready if number in self.coming]:
                self._take(number, look)
            for number in [number for number, one in self.coming.items() if now - one.at > _SECONDS_TO_ASK]:
                self._drop(number, look)
            if now - looked_at >= _LOOKS_EACH:
                looked_at = now
                if self._has_changed():
                    break
            if now - asked_at >= self.idle and not busy:
                break
            if any(now - began > _STUCK_SECONDS for began in list(self.since.values())):
                return  # nothing ends a thread but the end of its process; every client has given up by now
        self._drain(listener, workers)

    def _accept(self, listener: socket, look: select.poll, now: float) -> None:
        while True:
            try:
                peer = listener.accept()[0]
            except OSError:
                return
            if len(self.coming) + self.waiting.qsize() >= _MOST_WAITING:
                peer.close()
                continue
            peer.setblocking(False)
            self.coming[peer.fileno()] = _Question(peer, now)
            look.register(peer, select.POLLIN)
            self._take(peer.fileno(), look)  # most have sent everything by now

    def _take(self, number: int, look: select.poll) -> None:
        one = self.coming[number]
        try:
            while one.parts is None:
                piece = one.peer.recv(1 << 18)
                if not piece or sum([other.message.size for other in self.coming.values()]) > _MOST_COMING:
                    raise ValueError
                one.parts = one.message.take(piece)
        except BlockingIOError:
            return
        except (OSError, ValueError):
            self._drop(number, look)
            return
        del self.coming[number]
        look.unregister(number)
        self.waiting.put(one)

    def _drop(self, number: int, look: select.poll) -> None:
        look.unregister(number)
        self.coming.pop(number).peer.close()

    def _has_changed(self) -> bool:
        """Whether its files or its place are not what they were, or it has grown."""
        try:
            here = os.stat(NOTE, dir_fd=self.folder, follow_symlinks=False)
            with open("/proc/self/statm", "rb") as file:
                memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            moved = (here.st_dev, here.st_ino) != self.note
            return moved or memory > _MOST_MEMORY or _fingerprint(self.package) != self.files
        except (OSError, ValueError):
            return True

    def _drain(self, listener: socket, workers: list[threading.Thread]) -> None:
        """The answers that are owed are given; who comes now finds nobody."""
        clear(self.folder)
        listener.close()
        for _ in workers:
            self.waiting.put(None)
        end = time.monotonic() + PATIENCE
        for worker in workers:
            worker.join(max(0.0, end - time.monotonic()))

    def _work(self, number: int) -> None:
        while (one := self.waiting.get()) is not None:
            self.since[number] = time.monotonic()
            try:
                self._answer(one.peer, one.parts or [], one.at)
            except BaseException:
                pass
            finally:
                self.since.pop(number, None)
                one.peer.close()

    def _answer(self, peer: socket, parts: list[bytes], at: float) -> None:
        pid, user = peer_of(peer)
        if user != os.getuid() or pid <= 0 or _sees(pid) != self.sees:
            return
        peer.settimeout(_SECONDS_TO_ASK)
        words = [os.fsdecode(word) for word in parts[0].split(b"\0")]
        if words == [COUNTS]:
            peer.sendall(packed(b"0", b"%d %d" % (self.answered, self.left), b""))
            return
        self.left += 1
        parent, given = int(parts[1]), arguments_of(words).parent
        if parent_of(pid) != parent or (given and not _is_above(given, pid)):
            return
        # INVARIANT: the client has sifted its variables by our note. One that was changed could hide some from us.
        if parts[2] != self.noted or time.monotonic() - at > PATIENCE - 1:
            return  # or it may give up in the middle: nothing is decided for nobody
        variables = dict([os.fsdecode(one).split("=", 1) for one in parts[3].split(b"\0") if one])
        said = self.deciding.answer(words, given or parent, variables, parts[4])
        if said is None:
            return
        self.left, self.answered = self.left - 1, self.answered + 1
        peer.sendall(packed(b"%d" % said.code, said.stdout, said.stderr))


def _sees(pid: int) -> list[bytes]:
    """What a process sees of the machine, and may do there: a hook that sees another disk decides by itself."""
    seen = [os.readlink(b"/proc/%d/%s" % (pid, name)) for name in (b"root", b"ns/mnt", b"ns/pid", b"ns/user")]
    with open(f"/proc/{pid}/status", "rb") as file:
        return seen + [line for line in file.read(1 << 14).split(b"\n") if line.startswith(_RIGHTS)]


def _is_above(parent: int, pid: int) -> bool:
    """Whether one process stands above the other, as the system knows it."""
    for _ in range(_DEEPEST):
        above = parent_of(pid)
        if above is None:
            return False
        if above == parent:
            return True
        pid = above
    return False


def _fingerprint(package: str) -> int:
    """Every file of ours as it is: path, time and size."""
    found = []
    folders = [package]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.name.endswith(".py"):
                at = entry.stat()
                found.append((entry.path, at.st_mtime_ns, at.st_size))
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
    return hash(tuple(sorted(found)))
