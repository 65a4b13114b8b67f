"""The resident service of one machine, the real one and such as stand in its place."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hook_process import PACKAGE, Machine
from interlock.hook import residence as places
from interlock.hook.client import NOTE, SOCKET, noted, received, stamp_of
from interlock.model.environment import SIEVE

__all__ = ["Impostor", "Residence", "processes_of"]


class Residence:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.path = machine.home / ".local/state/interlock/resident"
        self.folder = places.folder_at(str(machine.home), make=True)

    def __enter__(self) -> Residence:
        return self

    def __exit__(self, *_: object) -> None:
        places.switch(self.folder, idle=None)
        found = places.running(self.folder)
        if found is not None:
            with suppress(ProcessLookupError):
                os.kill(found.pid, signal.SIGCONT)
        ended = places.end(self.folder)
        os.close(self.folder)
        assert ended, "a service is left behind"

    def on(self, idle: int = 30) -> Residence:
        places.switch(self.folder, idle=idle)
        assert places.begin(self.folder, str(self.machine.home))
        return self.ready()

    def ready(self) -> Residence:
        assert places.waited_for(self.folder, 20) is not None
        return self

    @property
    def pid(self) -> int:
        found = places.running(self.folder)
        assert found is not None
        return found.pid

    @property
    def runs(self) -> bool:
        return places.running(self.folder) is not None

    def ends(self, seconds: float = 10) -> bool:
        """Whether it ends by itself."""
        end = time.monotonic() + seconds
        while self.runs and time.monotonic() < end:
            time.sleep(0.02)
        return not self.runs

    @property
    def counts(self) -> tuple[int, int]:
        """Calls that it answered, and that it left to their hooks."""
        found = places.counts(self.folder)
        assert found is not None
        return found


class Impostor:
    """Something of the same user that answers at the socket in place of the service.

    `named`: it also wrote the note, so that nothing tells it from the service. It runs in this process, which runs the
    same Python. `says` makes the bytes of the answer from the parts of the question; None: it never answers.
    """

    def __init__(
        self, residence: Residence, says: Callable[[list[bytes]], bytes | None], *, named: bool = True
    ) -> None:
        self.residence = residence
        self.says = says
        self.heard: list[list[bytes]] = []
        self.connections = 0
        path = residence.path
        (path / SOCKET).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"/proc/self/fd/{residence.folder}/{SOCKET}")
        self.listener.listen(8)
        os.chmod(path / SOCKET, 0o700)
        if named:
            self.note(path / NOTE)
        self.open: list[Any] = []
        threading.Thread(target=self._serve, daemon=True).start()

    @staticmethod
    def note(file: Path, *, pid: int = 0, stamp: bytes = b"") -> None:
        file.write_bytes(noted(pid or os.getpid(), stamp or stamp_of(str(PACKAGE)), SIEVE))
        file.chmod(0o600)

    def __enter__(self) -> Impostor:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self.listener, *self.open):
            one.close()
        for name in (SOCKET, NOTE):
            (self.residence.path / name).unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            self.open.append(peer)
            with suppress(OSError, ValueError, EOFError):
                self.heard.append(received(peer, 5, 1 << 24, time.monotonic() + 2))
                answer = self.says(self.heard[-1])
                if answer is not None:
                    peer.sendall(answer)
                    peer.close()


def processes_of(home: Path) -> list[int]:
    """Every resident service of this home, noted or not."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                if any(word.endswith(b"/hook/resident_entry.py") for word in words) and os.fsencode(home) in words:
                    found.append(int(name))
    return found


assert sys.platform.startswith("linux")
