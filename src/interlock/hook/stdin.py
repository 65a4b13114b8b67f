"""What a host writes to its hook."""

from __future__ import annotations

import os

from ..limits import MAX_INPUT_BYTES

__all__ = ["stdin"]


def stdin() -> bytes:
    """All of stdin, or a little more than may be. Too much is read to its end all the same: a host whose pipe breaks
    may not wait for an answer.
    """
    chunks, size = [], 0
    while chunk := os.read(0, 1 << 20):
        if size <= MAX_INPUT_BYTES:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)
