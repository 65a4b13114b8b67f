"""The index of a repository, read from its file: the one place that knows its format.

Versions 2, 3 and 4, which git writes. Who only looks for some files takes what can be read; who hangs a decision on all
of them says `whole`, and gets an error where the file does not tell the whole truth.
"""

from __future__ import annotations

from ...limits import MAX_GIT_INDEX_BYTES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["count_in", "names_below", "rows_in", "tracked_files"]


def tracked_files(path: str, *, whole: bool = False) -> Iterator[tuple[str, tuple[str, str]]]:
    """The files that git tracks, with mode and object."""
    raw = read_file(path, limit=MAX_GIT_INDEX_BYTES) or b""
    for name, head, _ in rows_in(raw, whole=whole):
        mode = int.from_bytes(head[24:28], "big")
        yield name.decode("utf-8", "replace"), (f"{mode:o}", head[40:60].hex())


def count_in(path: str) -> int:
    """How many files the index at `path` says it has. Its first bytes tell, so nobody walks a large one for that."""
    try:
        with open(path, "rb") as file:
            head = file.read(12)
    except OSError:
        return 0
    return int.from_bytes(head[8:12], "big")


def names_below(path: str, wanted: Callable[[bytes], bool]) -> Iterator[tuple[str, tuple[str, str]]]:
    """As `tracked_files`, of the folders that are `wanted`, each asked about once: most rows are not looked into."""
    known: dict[bytes, bool] = {}
    for name, head, _ in rows_in(read_file(path, limit=MAX_GIT_INDEX_BYTES) or b"", whole=False):
        folder = name.rpartition(b"/")[0]
        meant = known.get(folder)
        if meant is None:
            meant = known[folder] = wanted(folder)
        if meant:
            yield name.decode("utf-8", "replace"), (f"{int.from_bytes(head[24:28], 'big'):o}", head[40:60].hex())


def rows_in(raw: bytes, *, whole: bool) -> Iterator[tuple[bytes, bytes, int]]:
    """Each file's name, the 62 bytes that tell of it, and further flags. One of another version has none, and a split
    one only a part; with `whole` that is an error.
    """
    version, count = int.from_bytes(raw[4:8], "big"), int.from_bytes(raw[8:12], "big")
    if raw[:4] != b"DIRC" or version not in (2, 3, 4):
        if whole:
            raise StoreError("the index cannot be read")
        return
    at, before = 12, b""
    for _ in range(count):
        head, start, more = raw[at : at + 62], at + 62, 0
        if int.from_bytes(head[60:62], "big") & 0x4000:
            more = int.from_bytes(raw[start : start + 2], "big")
            start += 2
        if version == 4:
            drop = raw[start] & 0x7F
            while raw[start] & 0x80:
                start += 1
                drop = ((drop + 1) << 7) | (raw[start] & 0x7F)
            end = raw.index(b"\0", start + 1)
            name = before[: len(before) - drop] + raw[start + 1 : end]
            after = end + 1
        else:
            end = raw.index(b"\0", start)
            name = raw[start:end]
            after = at + (end - at + 8) // 8 * 8
        yield name, head, more
        at, before = after, name
    while whole and at + 8 <= len(raw) - 20:
        if raw[at : at + 4] in (b"link", b"sdir"):  # a part of it lies elsewhere, or stands for whole folders
            raise StoreError("the index is not whole")
        at += 8 + int.from_bytes(raw[at + 4 : at + 8], "big")
