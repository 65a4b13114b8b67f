"""Lines of bytes over pipes: read whole and as they came, written whole and one at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

__all__ = ["Writer", "lines_of"]

_PIECE = 1 << 16


def lines_of(fd: int, limit: int) -> Iterator[bytes | None]:
    """Each line with its end. None stands for one that was longer than the limit, and is gone.

    What stands behind the last line end is no line: a message that was cut off is none.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            piece = os.read(fd, _PIECE)
        except OSError:
            return
        if not piece:
            return
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            if size + end - start > limit:
                yield None
            else:
                parts.append(piece[start : end + 1])
                yield b"".join(parts) if len(parts) > 1 else parts[0]
            parts, size, start = [], 0, end + 1
        if start < len(piece):
            size += len(piece) - start
            if size > limit:
                parts = []
            else:
                parts.append(piece[start:] if start else piece)


class Writer:
    """One direction. INVARIANT: a line is written whole before the next one begins, whoever writes."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()
        self._closed = False

    def write(self, line: bytes) -> None:
        """What nobody reads any more is lost; that the other side is gone shows where it is read from."""
        if not line.endswith(b"\n"):
            line += b"\n"
        with self._lock:
            if self._closed:
                return
            view = memoryview(line)
            try:
                while view:
                    view = view[os.write(self._fd, view) :]
            except OSError:
                self._closed = True

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
            try:
                os.close(self._fd)
            except OSError:
                pass
