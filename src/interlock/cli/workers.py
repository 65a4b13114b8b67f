"""Several cores for one stream: calls that share nothing are decided side by side, and answered in order.

A worker is a copy of this process, made when the first large batch comes. It gets lines and gives answers,
through one socket; it keeps nothing. A worker that is gone costs time and nothing else: its share is
decided here.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

__all__ = ["MIN_LINES", "Workers"]

MIN_LINES = 48  # below this a batch is not worth sharing
MAX_WORKERS = 7

Answer = Callable[[list[bytes], int], bytes]  # lines and the number of the first; the answers, joined


class Workers:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.sockets: list[socket.socket] | None = None

    def share(self, lines: list[bytes], first: int) -> bytes:
        """The answers to a batch, in its order."""
        if self.sockets is None:
            count = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MAX_WORKERS + 1)
            self.sockets = [self._start() for _ in range(count - 1)]
        size = -(-len(lines) // (len(self.sockets) + 1))
        parts = [lines[at : at + size] for at in range(0, len(lines), size)]
        given = [
            (worker, part, first + size * (index + 1), _send(worker, part, first + size * (index + 1)))
            for index, (worker, part) in enumerate(zip(self.sockets, parts[1:], strict=False))
        ]
        answers = [self.answer(parts[0], first)]
        for worker, part, number, sent in given:
            reply = _receive(worker) if sent else None
            answers.append(self.answer(part, number) if reply is None else reply)
        return b"\n".join(answers)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            try:
                ours.close()
                while request := _receive(theirs):
                    number, _, text = request.partition(b"\n")
                    _put(theirs, self.answer(text.split(b"\n"), int(number)))
            finally:
                os._exit(0)
        theirs.close()
        return ours


def _send(worker: socket.socket, lines: list[bytes], first: int) -> bool:
    try:
        _put(worker, b"%d\n" % first + b"\n".join(lines))
    except OSError:
        return False
    return True


def _put(worker: socket.socket, raw: bytes) -> None:
    worker.sendall(len(raw).to_bytes(8, "big") + raw)


def _receive(worker: socket.socket) -> bytes | None:
    """One message; None if the other end is gone."""
    try:
        head = worker.recv(8, socket.MSG_WAITALL)
        if len(head) < 8:
            return None
        size = int.from_bytes(head, "big")
        raw = worker.recv(size, socket.MSG_WAITALL) if size else b""
    except OSError:
        return None
    return raw if len(raw) == size else None
