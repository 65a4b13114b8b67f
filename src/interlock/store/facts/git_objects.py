"""Objects and names of a git repository, read from its files.

Never by running git, which obeys the repository (its settings name programs). Loose objects, packs of version 2 with
their deltas, alternates, linked work trees, loose and packed references, reflogs. A repository of another format
(SHA-256, reftable) has no answers here: `None`, and what depends on it is not listed.
"""

from __future__ import annotations

import os
import zlib

from ...limits import MAX_GIT_OBJECT_BYTES, MAX_GIT_PACKS, MAX_GIT_TREES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..home.files import Descriptor, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Repository", "repository_of"]

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET, _BY_NAME = 6, 7  # deltas, and what they are made of
_DEEPEST = 100  # deltas of deltas
_SMALL = 64 * 1024  # HEAD, commondir and their like
_REFS = 4 * 1024 * 1024  # packed references, and the end of a reflog
_HEX = frozenset("0123456789abcdef")
_RULES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")


def repository_of(folder: str, gitdir: str = "") -> Repository | None:
    """The repository whose work tree holds the folder; `gitdir` names another one."""
    at = folder
    while not gitdir:
        inside = f"{at.rstrip('/')}/.git"
        if os.path.isdir(inside):
            gitdir = inside
        elif os.path.isfile(inside):
            gitdir = _named(inside, "gitdir: ", at)
            if not gitdir:
                return None
        elif at in ("/", ""):
            return None
        else:
            at = at.rpartition("/")[0] or "/"
    if not os.path.isfile(gitdir + "/HEAD"):
        return None
    return Repository(gitdir, at)


def _named(path: str, start: str, folder: str) -> str:
    """The path that a small file holds, from the folder."""
    text = _line(path)
    if not text.startswith(start):
        return ""
    return os.path.normpath(os.path.join(folder, text[len(start) :].strip()))


def _line(path: str) -> str:
    try:
        raw = read_file(path, limit=_SMALL)
    except StoreError:
        return ""
    return "" if raw is None else raw.decode("utf-8", "replace").strip()


class Repository:
    """
    gitdir   what this work tree has of its own: HEAD, the index
    common   what it shares with others: objects, branches
    top      the folder that holds the work tree
    """

    __slots__ = ("_packs", "_stores", "_trees", "common", "gitdir", "top")

    def __init__(self, gitdir: str, top: str) -> None:
        self.gitdir, self.top = gitdir, top
        self.common = _named(gitdir + "/commondir", "", gitdir) if os.path.isfile(gitdir + "/commondir") else gitdir
        self._stores: list[str] | None = None
        self._packs: list[str] | None = None
        self._trees = 0

    # --- objects -----------------------------------------------------------------------------------------------------

    def commit(self, name: str) -> tuple[str, list[str]] | None:
        """The tree of a commit, and its parents; a tag leads to what it tags."""
        for _ in range(5):
            found = self.read(name)
            if found is None:
                return None
            kind, raw = found
            if kind == "tree":
                return name, []
            head = [line.partition(" ") for line in raw.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")]
            fields = [(key, value) for key, _, value in head]
            if kind == "commit":
                tree = next((value for key, value in fields if key == "tree"), "")
                return tree, [value for key, value in fields if key == "parent"]
            if kind != "tag":
                return None
            name = next((value for key, value in fields if key == "object"), "")
        return None

    def dated(self, name: str) -> tuple[list[str], int]:
        """The parents of a commit, and when it was committed. Raises where it cannot be read."""
        found = self.read(name)
        if found is None or found[0] != "commit":
            raise StoreError(f"`{name}` is no commit that can be read")
        parents, date = [], 0
        for line in found[1].partition(b"\n\n")[0].split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"parent":
                parents.append(value.decode("ascii", "replace"))
            elif key == b"committer":
                date = int(value.rsplit(b" ", 2)[-2])
        return parents, date

    def tree(self, name: str) -> dict[str, tuple[str, str]]:
        """What is in a folder of a commit: name -> (mode, object). Raises once too many were asked for."""
        if not name:
            return {}
        self._trees += 1
        if self._trees > MAX_GIT_TREES:
            raise StoreError("too many folders")
        found = self.read(name)
        if found is None or found[0] != "tree":
            raise StoreError(f"`{name}` is no tree that can be read")
        raw, at, entries = found[1], 0, {}
        while at < len(raw):
            end = raw.index(b"\0", at)
            mode, _, text = raw[at:end].partition(b" ")
            entries[text.decode("utf-8", "replace")] = (mode.decode(), raw[end + 1 : end + 21].hex())
            at = end + 21
        return entries

    def read(self, name: str, depth: int = 0) -> tuple[str, bytes] | None:
        """The kind and contents of an object; None if it is not here, damaged or too large."""
        if len(name) != 40 or not _HEX.issuperset(name) or depth > _DEEPEST:
            return None
        for store in self._all_stores():
            try:
                raw = read_file(f"{store}/{name[:2]}/{name[2:]}", limit=MAX_GIT_OBJECT_BYTES)
            except StoreError:
                return None
            if raw is not None:
                return _loose(raw)
        for pack in self._all_packs():
            offset = _find(pack + ".idx", bytes.fromhex(name))
            if offset is not None:
                return self._packed(pack + ".pack", offset, depth)
        return None

    def _all_stores(self) -> list[str]:
        if self._stores is None:
            self._stores = [self.common + "/objects"]
            for store in self._stores:  # grows while it is walked
                for line in _line(store + "/info/alternates").split("\n"):
                    other = os.path.normpath(os.path.join(store, line)) if line and line[0] != "#" else ""
                    if other and other not in self._stores and len(self._stores) < 8:
                        self._stores.append(other)
        return self._stores

    def _all_packs(self) -> list[str]:
        if self._packs is None:
            found = []
            for store in self._all_stores():
                try:
                    names = os.listdir(store + "/pack")
                except OSError:
                    continue
                found += [f"{store}/pack/{name[:-4]}" for name in sorted(names) if name.endswith(".idx")]
            self._packs = found[:MAX_GIT_PACKS]
        return self._packs

    def _packed(self, pack: str, offset: int, depth: int) -> tuple[str, bytes] | None:
        fd = os.open(pack, os.O_RDONLY | os.O_CLOEXEC)
        try:
            deltas: list[bytes] = []
            while len(deltas) <= _DEEPEST:
                head = os.pread(fd, 64, offset)
                kind, size, at = (head[0] >> 4) & 7, head[0] & 15, 1
                shift = 4
                while head[at - 1] & 0x80:
                    size |= (head[at] & 0x7F) << shift
                    shift += 7
                    at += 1
                if size > MAX_GIT_OBJECT_BYTES:
                    return None
                if kind in _KINDS:
                    return _made(_KINDS[kind], _inflated(fd, offset + at, size), deltas)
                if kind == _OFFSET:
                    back, at = _back(head, at)
                    deltas.append(_inflated(fd, offset + at, size))
                    offset -= back
                elif kind == _BY_NAME:
                    deltas.append(_inflated(fd, offset + at + 20, size))
                    base = self.read(head[at : at + 20].hex(), depth + 1)
                    return None if base is None else _made(*base, deltas)
                else:
                    return None
            return None
        except (IndexError, zlib.error):
            return None
        finally:
            os.close(fd)

    # --- names -------------------------------------------------------------------------------------------------------

    def resolve(self, text: str) -> list[str]:
        """The commits that a revision may mean: a name can be a branch, a tag and a remote branch at once."""
        base, steps = _split(text)
        found = self._base(base)
        for mark, count in steps:
            found = [other for name in found for other in self._step(name, mark, count)]
        return list(dict.fromkeys(found))

    def _base(self, text: str) -> list[str]:
        if text == "-":
            text = "@{-1}"
        if text.startswith("@{-") and text.endswith("}"):
            return [name for branch in self._left(text[3:-1]) for name in self._base(branch)]
        stem, mark, number = text.partition("@{")
        if mark:
            return self._in_log(stem or "HEAD", number.removesuffix("}"))
        text = "HEAD" if text == "@" else text
        if not text or ".." in text or text[0] == "/":
            return []
        found = [name for rule in _RULES if (name := self.ref(rule.format(text)))]
        if not found:
            found = [name for remote in self._remotes() if (name := self.ref(f"refs/remotes/{remote}/{text}"))]
        if 4 <= len(text) <= 40 and _HEX.issuperset(text.lower()):
            found += [text.lower()] if len(text) == 40 else self._short(text.lower())
        return list(dict.fromkeys(found))

    def ref(self, name: str, depth: int = 0) -> str:
        """The object that a reference leads to; empty if there is none."""
        for folder in dict.fromkeys((self.gitdir, self.common)):
            if name.startswith("refs/") or "/" not in name:
                text = _line(f"{folder}/{name}").split("\n")[0]
                if text.startswith("ref: ") and depth < 5:
                    return self.ref(text[5:].strip(), depth + 1)
                text = text.split("\t")[0].strip()
                if len(text) == 40 and _HEX.issuperset(text):
                    return text
        try:
            packed = read_file(self.common + "/packed-refs", limit=_REFS) if name.startswith("refs/") else None
        except StoreError:
            return ""
        at = (packed or b"").find(b" " + name.encode() + b"\n")
        return "" if packed is None or at < 40 else packed[at - 40 : at].decode("ascii", "replace")

    def _remotes(self) -> list[str]:
        try:
            return sorted(os.listdir(self.common + "/refs/remotes"))[:16]
        except OSError:
            return []

    def _left(self, number: str) -> list[str]:
        """The branch that was left so many times ago."""
        if not number.isdecimal() or len(number) > 4:
            return []
        mark = "checkout: moving from "
        moves = [line.partition(mark)[2].partition(" to ")[0] for line in self._log("HEAD") if mark in line]
        return moves[-int(number) :][:1] if 0 < int(number) <= len(moves) else []

    def _in_log(self, name: str, number: str) -> list[str]:
        if not number.isdecimal() or len(number) > 5:
            return []
        lines = self._log("HEAD" if name == "@" else name)
        if int(number) == 0 or int(number) >= len(lines):
            return self._base(name) if int(number) == 0 else []
        return [lines[-1 - int(number)].split(" ")[1]]

    def _log(self, name: str) -> list[str]:
        for rule in _RULES:
            for folder in dict.fromkeys((self.gitdir, self.common)):
                try:
                    raw = read_file(f"{folder}/logs/{rule.format(name)}", limit=_REFS)
                except StoreError:
                    continue
                if raw is not None and ".." not in name:
                    return [line for line in raw.decode("utf-8", "replace").split("\n") if line.count(" ") > 1]
        return []

    def _short(self, start: str) -> list[str]:
        found = []
        for store in self._all_stores():
            try:
                names = os.listdir(f"{store}/{start[:2]}")
            except OSError:
                continue
            found += [start[:2] + name for name in names if name.startswith(start[2:])]
        for pack in self._all_packs():
            found += [name.hex() for name in _bucket(pack + ".idx", int(start[:2], 16)) if name.hex().startswith(start)]
        return [name for name in found if (known := self.read(name)) is not None and known[0] in ("commit", "tag")][:4]

    def _step(self, name: str, mark: str, count: int) -> list[str]:
        for _ in range(min(count, 1000) if mark == "~" else 1):
            known = self.commit(name)
            at = 0 if mark == "~" else count - 1
            if known is None or not 0 <= at < len(known[1]):
                return [name] if mark == "^" and count == 0 else []
            name = known[1][at]
        return [name]


def _split(text: str) -> tuple[str, list[tuple[str, int]]]:
    """`HEAD~2^` is HEAD, two steps back and one more."""
    steps: list[tuple[str, int]] = []
    for kind in ("^{commit}", "^{tree}", "^{}", "^0"):
        text = text.removesuffix(kind)
    end = len(text)
    while end:
        digits = end
        while digits and text[digits - 1].isdecimal():
            digits -= 1
        if not digits or text[digits - 1] not in "~^" or end - digits > 5:
            break
        steps.append((text[digits - 1], int(text[digits:end] or 1)))
        end = digits - 1
    return text[:end], steps[::-1]


def _loose(raw: bytes) -> tuple[str, bytes] | None:
    try:
        text = zlib.decompressobj().decompress(raw, MAX_GIT_OBJECT_BYTES)
    except zlib.error:
        return None
    head, _, body = text.partition(b"\0")
    kind, _, size = head.decode("ascii", "replace").partition(" ")
    return (kind, body) if size == str(len(body)) else None


def _find(index: str, name: bytes) -> int | None:
    """Where in the pack an object begins."""
    with Descriptor(os.open(index, os.O_RDONLY | os.O_CLOEXEC)) as fd:
        low, high, count = _bounds(fd, name[0])
        if not count:
            return None
        names = os.pread(fd, (high - low) * 20, 1032 + low * 20)
        at = names.find(name)
        while at % 20 and at >= 0:
            at = names.find(name, at + 1)
        if at < 0:
            return None
        place = low + at // 20
        raw = int.from_bytes(os.pread(fd, 4, 1032 + count * 24 + place * 4), "big")
        if raw < 1 << 31:
            return raw
        return int.from_bytes(os.pread(fd, 8, 1032 + count * 28 + (raw & 0x7FFFFFFF) * 8), "big")


def _bucket(index: str, first: int) -> Iterator[bytes]:
    with Descriptor(os.open(index, os.O_RDONLY | os.O_CLOEXEC)) as fd:
        low, high, _ = _bounds(fd, first)
        names = os.pread(fd, (high - low) * 20, 1032 + low * 20)
        for at in range(0, len(names), 20):
            yield names[at : at + 20]


def _bounds(fd: int, first: int) -> tuple[int, int, int]:
    """Which names begin with this byte, and how many there are in all; an index of another version has none."""
    head = os.pread(fd, 1032, 0)
    if head[:8] != b"\xfftOc\0\0\0\2" or len(head) < 1032:
        return 0, 0, 0
    fan = [int.from_bytes(head[8 + at * 4 : 12 + at * 4], "big") for at in (max(first - 1, 0), first, 255)]
    return (fan[0] if first else 0), fan[1], fan[2]


def _inflated(fd: int, at: int, size: int) -> bytes:
    unpack = zlib.decompressobj()
    out = b""
    while len(out) < size and not unpack.eof:
        piece = os.pread(fd, 1 << 16, at)
        if not piece:
            break
        at += len(piece)
        out += unpack.decompress(piece, size - len(out) + 1)
    return out[:size]


def _back(head: bytes, at: int) -> tuple[int, int]:
    """How far back the base of a delta lies, and where the delta begins."""
    back = head[at] & 0x7F
    while head[at] & 0x80:
        at += 1
        back = ((back + 1) << 7) | (head[at] & 0x7F)
    return back, at + 1


def _made(kind: str, base: bytes, deltas: list[bytes]) -> tuple[str, bytes] | None:
    for delta in reversed(deltas):
        made = _applied(base, delta)
        if made is None:
            return None
        base = made
    return kind, base


def _applied(base: bytes, delta: bytes) -> bytes | None:
    at, sizes = 0, []
    for _ in range(2):
        size = shift = 0
        while True:
            byte = delta[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        sizes.append(size)
    if sizes[0] != len(base) or sizes[1] > MAX_GIT_OBJECT_BYTES:
        return None
    out: list[bytes] = []
    while at < len(delta):
        op = delta[at]
        at += 1
        if not op:
            return None
        if not op & 0x80:
            out.append(delta[at : at + op])
            at += op
            continue
        start = length = 0
        for bit in range(7):
            if op & (1 << bit):
                if bit < 4:
                    start |= delta[at] << (8 * bit)
                else:
                    length |= delta[at] << (8 * (bit - 4))
                at += 1
        out.append(base[start : start + (length or 0x10000)])
    made = b"".join(out)
    return made if len(made) == sizes[1] else None
