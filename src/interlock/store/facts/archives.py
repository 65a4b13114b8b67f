"""The names in an archive: tar in every dialect, zip, and either packed with gzip, bzip2 or xz.

Written by hand, for two reasons. The modules of the standard library cost the hook more than the rest of the listing.
And programs disagree about odd archives: which of two names counts, whether a folder has contents, what follows two
empty blocks. Here every name counts that any of them could take, and where they would go on at different places, both
are followed. A name too many is a question; a name too few is a way past the guard.
"""

from __future__ import annotations

import os

from ...limits import MAX_ARCHIVE_BLOCKS, MAX_PLACED, MAX_PLACED_BYTES, MAX_UNPACKED_BYTES
from ...value import TYPE_CHECKING
from ..home.files import Descriptor
from .members import FILE, HARD, LINK, OTHER, Member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    ReadAt = Callable[[int, int], bytes]  # offset and size

__all__ = ["members_of"]

_BLOCK = 512
_REGULAR, _KIND = 0o100000, 0o170000
_LONGEST = 64 * 1024  # of a name, or of the extra headers that hold it
_KINDS = {b"1": HARD, b"2": LINK, b"3": OTHER, b"4": OTHER, b"5": OTHER, b"6": OTHER, b"D": OTHER, b"V": OTHER}
_PACKED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"]\0\0", "xz"))
_SLOW = {"bzip2": 4}  # unpacks that many times slower


def members_of(path: str, kinds: str) -> Iterator[Member]:
    """The members; none if this is no archive that can be listed. OSError if it cannot be read.

    `kinds`: `zip`, `tar` (packed or not), `plain` (tar or zip as it is), or `any`.
    """
    with Descriptor(_opened(path, kinds)) as fd:
        size = os.fstat(fd).st_size

        def read(at: int, count: int) -> bytes:
            return os.pread(fd, count, at)

        start = read(0, 8)
        packed = next((name for magic, name in _PACKED if start.startswith(magic)), "")
        if packed and kinds in ("tar", "any"):
            whole = _unpacked(read, packed)
            yield from _tar(lambda at, count: whole[at : at + count], len(whole))
        elif not packed and kinds != "tar" and _ends_of_zip(read, size):
            yield from _zip(read, size)
        elif not packed and kinds != "zip":
            yield from _tar(read, size)


def _opened(path: str, kinds: str) -> int:
    """The file; `unzip a` looks for `a.zip` too."""
    tries = (path, path + ".zip", path + ".ZIP") if kinds == "zip" else (path,)
    for name in tries:
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        if os.fstat(fd).st_mode & _KIND == _REGULAR:
            return fd
        os.close(fd)
    raise FileNotFoundError(path)


def _unpacked(read: ReadAt, packed: str) -> bytes:
    """As much of the contents as the limits allow; what is damaged ends where the damage begins."""
    limit = MAX_UNPACKED_BYTES // _SLOW.get(packed, 1)
    out: list[bytes] = []
    left, at = limit, 0
    rest = b""
    while left > 0:
        unpack = _unpacker(packed)
        while left > 0 and not unpack.eof:
            if not rest:
                rest = read(at, 1 << 18)
                at += len(rest)
                if not rest:
                    return b"".join(out)
            try:
                piece = unpack.decompress(rest, min(left, 1 << 20))
            except Exception:  # each of the three has errors of its own
                return b"".join(out)
            rest = getattr(unpack, "unconsumed_tail", b"")
            out.append(piece)
            left -= len(piece)
            if packed != "gzip" and not unpack.eof:
                while left > 0 and not unpack.needs_input and not unpack.eof:
                    piece = unpack.decompress(b"", left)
                    out.append(piece)
                    left -= len(piece)
        rest = (unpack.unused_data if unpack.eof else rest).lstrip(b"\0")  # padding between two streams
        if not rest:
            rest = read(at, 1 << 18).lstrip(b"\0")
            at += 1 << 18
        if not rest:
            break
    return b"".join(out)


def _unpacker(packed: str):  # type: ignore[no-untyped-def]
    if packed == "gzip":
        import zlib

        return zlib.decompressobj(31)
    if packed == "bzip2":
        import _bz2

        return _bz2.BZ2Decompressor()
    import _lzma

    return _lzma.LZMADecompressor()


# --- tar -------------------------------------------------------------------------------------------------------------


class _Extra:
    """What the headers before a member say about it."""

    __slots__ = ("links", "names", "sizes")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.links: list[str] = []
        self.sizes: list[int] = []


def _tar(read: ReadAt, size: int) -> Iterator[Member]:
    """Every member from the start, and from each place at which some program would go on."""
    pending, seen = [0], set[int]()
    everywhere = _Extra()  # what a global header says
    while pending:
        at = pending.pop()
        extra = _Extra()
        while at not in seen and at + _BLOCK <= size and len(seen) < MAX_ARCHIVE_BLOCKS:
            seen.add(at)
            block = read(at, _BLOCK)
            if not _is_header(block):
                at += _BLOCK  # an empty block, or damage that programs skip
                continue
            kind, length = block[156:157], _number(block[124:136])
            data = at + _BLOCK
            if kind in b"LKxXg" and kind:
                text = read(data, min(length, _LONGEST))
                _more(kind, text, everywhere if kind == b"g" else extra)
                at = data + _blocks(length)
                continue
            lengths = [length, *extra.sizes, *everywhere.sizes]
            yield from _tar_member(block, kind, extra, everywhere, read, data, max(lengths))
            if kind == b"S":
                data = _after_sparse(block, data, read)
            steps = [data + _blocks(known) for known in dict.fromkeys(lengths)]
            if kind in _KINDS and length:
                steps.append(data)  # some take it that a link or a folder has no contents
            at, others = steps[0], steps[1:]
            pending += others
            extra = _Extra()


def _is_header(block: bytes) -> bool:
    field = block[148:156].strip(b" \0")
    if not field or len(field) > 7 or not field.isdigit() or b"8" in field or b"9" in field:
        return False
    rest = block[:148] + block[156:]
    stated = int(field, 8)
    plain = sum(rest) + 256
    return stated == plain or stated == plain - 256 * sum([byte > 127 for byte in rest])


def _number(field: bytes) -> int:
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big") if field[0] != 0xFF else 0
    digits = field.replace(b"\0", b" ").split()
    try:
        return int(digits[0], 8) if digits else 0
    except ValueError:
        return 0


def _blocks(size: int) -> int:
    return (size + _BLOCK - 1) // _BLOCK * _BLOCK


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("utf-8", "replace")


def _more(kind: bytes, text: bytes, extra: _Extra) -> None:
    if kind == b"L":
        extra.names.append(_text(text))
    elif kind == b"K":
        extra.links.append(_text(text))
    else:
        for key, value in _records(text):
            if key in (b"path", b"GNU.sparse.name"):
                extra.names.append(_text(value))
            elif key == b"linkpath":
                extra.links.append(_text(value))
            elif key == b"size" and value.isdigit() and len(value) < 20:
                extra.sizes.append(int(value))


def _records(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """`LENGTH KEY=VALUE\\n`, as pax writes them."""
    while text:
        length, blank, _ = text.partition(b" ")
        if not blank or not length.isdigit() or len(length) > 6 or int(length) <= len(length):
            return
        key, _, value = text[len(length) + 1 : int(length) - 1].partition(b"=")
        yield key, value
        text = text[int(length) :]


def _after_sparse(block: bytes, data: int, read: ReadAt) -> int:
    """Behind the maps of an old sparse member."""
    more = block[482:483]
    while more not in (b"", b"\0"):
        more = read(data, _BLOCK)[504:505]
        data += _BLOCK
    return data


def _tar_member(
    block: bytes, kind: bytes, extra: _Extra, everywhere: _Extra, read: ReadAt, data: int, length: int
) -> Iterator[Member]:
    short, prefix = _text(block[:100]), _text(block[345:500])
    names = [*extra.names, *everywhere.names, short]
    if prefix and block[257:262] == b"ustar":
        names.append(f"{prefix}/{short}")
    targets = [*extra.links, *everywhere.links, _text(block[157:257])]
    sort = _KINDS.get(kind, FILE)

    def contents() -> bytes | None:
        return read(data, length) if sort == FILE and kind != b"S" and length <= MAX_PLACED_BYTES else None

    for name in dict.fromkeys(names):
        for target in dict.fromkeys(targets) if sort in (LINK, HARD) else ("",):
            folder = sort == FILE and name.endswith("/")  # as old programs spell one
            yield Member(name, OTHER if folder else sort, target, contents)


# --- zip -------------------------------------------------------------------------------------------------------------

_END, _END64, _ENTRY, _LOCAL = b"PK\5\6", b"PK\6\7", b"PK\1\2", b"PK\3\4"
_UNICODE_PATH = 0x7075


def _ends_of_zip(read: ReadAt, size: int) -> list[int]:
    """Where a directory may end: programs look for the last such mark, and do not agree which that is."""
    start = max(0, size - 66_000)
    tail = read(start, size - start)
    found: list[int] = []
    at = tail.rfind(_END)
    while at >= 0 and len(found) < 16:
        found.append(start + at)
        at = tail.rfind(_END, 0, at)
    return found


def _little(raw: bytes, at: int, size: int) -> int:
    return int.from_bytes(raw[at : at + size], "little")


def _zip(read: ReadAt, size: int) -> Iterator[Member]:
    seen: set[int] = set()
    for end in _ends_of_zip(read, size):
        head = read(end, 22)
        length, start = _little(head, 12, 4), _little(head, 16, 4)
        starts = [(end - length, start), (start, start)]
        locator = read(max(0, end - 20), 20)
        if locator[:4] == _END64:
            wide = read(_little(locator, 8, 8), 56)
            length, start = _little(wide, 40, 8), _little(wide, 48, 8)
            starts += [(start, start), (end - 20 - 56 - length, start)]
        for at, stated in starts:
            while 0 <= at < size and at not in seen and len(seen) < MAX_PLACED:
                entry = read(at, 46)
                if entry[:4] != _ENTRY:
                    break
                seen.add(at)
                name, extra, comment = (_little(entry, offset, 2) for offset in (28, 30, 32))
                rest = read(at + 46, name + extra)
                shift = (end - length - stated) if at >= end - length else 0
                yield from _zip_members(entry, rest[:name], rest[name:], read, max(0, shift))
                at += 46 + name + extra + comment


def _zip_members(entry: bytes, raw: bytes, extra: bytes, read: ReadAt, shift: int) -> Iterator[Member]:
    method, packed, length = _little(entry, 10, 2), _little(entry, 20, 4), _little(entry, 24, 4)
    local = _little(entry, 42, 4) + shift
    head = read(local, 30)
    names = [raw]
    data = -1
    if head[:4] == _LOCAL:
        size, more = _little(head, 26, 2), _little(head, 28, 2)
        names.append(read(local + 30, size))
        data = local + 30 + size + more
    names += [extra[at + 9 : at + 4 + size] for at, kind, size in _fields(extra) if kind == _UNICODE_PATH]
    mode = _little(entry, 40, 2)

    def contents() -> bytes | None:
        if data < 0 or length > MAX_PLACED_BYTES or _little(entry, 8, 2) & 1:
            return None
        if method == 0:
            return read(data, length)
        if method != 8:
            return None
        import zlib

        try:
            return zlib.decompressobj(-15).decompress(read(data, min(packed, 2 * MAX_PLACED_BYTES)), MAX_PLACED_BYTES)
        except zlib.error:
            return None

    target = (contents() or b"").decode("utf-8", "replace") if mode & _KIND == 0o120000 else ""
    for name in dict.fromkeys(names):
        for text in dict.fromkeys((name.decode("utf-8", "replace"), _text(name).replace("\\", "/"))):
            if text.endswith("/"):
                yield Member(text, OTHER)
                continue
            if target:
                yield Member(text, LINK, target)
            yield Member(text, FILE, "", contents)


def _fields(extra: bytes) -> Iterator[tuple[int, int, int]]:
    at = 0
    while at + 4 <= len(extra):
        kind, size = _little(extra, at, 2), _little(extra, at + 2, 2)
        yield at, kind, size
        at += 4 + size
