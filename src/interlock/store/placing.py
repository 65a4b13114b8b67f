"""Lists what a program would place, and which of it lands where somebody obeys it (reading/placing.py).

The contents are hostile: an archive may hold anything under any name, and links that lead its later members elsewhere.
Every listing is bounded by counts and bytes, never by the clock; what lies beyond is not told. A member that is, byte
for byte, what is there already changes nothing and is left out.
"""

from __future__ import annotations

import os

from ..errors import StoreError
from ..limits import MAX_ARCHIVES, MAX_LANDINGS, MAX_PLACED, MAX_PLACED_BYTES
from ..reading.paths import folded, within
from ..reading.placing import ARCHIVE, FOLDER, Naming, Placement, bases_of, names_of, tells
from ..value import TYPE_CHECKING
from .files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..facts import Facts

    Read = Callable[[], bytes | None]

__all__ = ["FILE", "HARD", "LINK", "OTHER", "Member", "landings", "may_tell", "same_file"]

FILE, LINK, HARD, OTHER = "file", "link", "hard", "other"  # other: folders, devices
_MOST_LINKS = 8  # links of an archive that a name may lead through


class Member:
    """One file that would be placed: its name, what it is, where it leads if it is a link, and what is in it."""

    __slots__ = ("kind", "name", "read", "target")

    def __init__(self, name: str, kind: str = FILE, target: str = "", read: Read | None = None) -> None:
        self.name = name
        self.kind = kind
        self.target = target
        self.read = read


def landings(text: str, facts: Facts) -> tuple[tuple[str, str], ...]:
    """What lands where it tells, each with the role of its action. Empty where nothing can be listed."""
    found: dict[tuple[str, str], None] = {}
    try:
        for landing in _found(Placement.parse(text), facts):
            found[landing] = None
            if len(found) >= MAX_LANDINGS:
                break
    except (OSError, ValueError, LookupError, StoreError):
        pass  # what was found before the damage counts
    return tuple(found)


def _found(placement: Placement, facts: Facts) -> Iterator[tuple[str, str]]:
    if placement.kind == ARCHIVE:
        from .archives import members_of

        for path in _sources(placement):
            members = members_of(path, placement.given("as"))
            yield from _landed(members, Naming.of(placement), placement.into, placement, facts)
        return
    if placement.kind == FOLDER:
        yield from _of_folder(placement, facts)
        return
    from .git_trees import changes

    yield from changes(placement, facts)


def _sources(placement: Placement) -> list[str]:
    """The archive, or those in a folder that a pattern names."""
    pattern = placement.given("match")
    if not pattern:
        return [placement.source]
    from ..approve.glob import matches

    names = [name for name in sorted(os.listdir(placement.source)) if matches(pattern, name)]
    return [f"{placement.source.rstrip('/')}/{name}" for name in names[:MAX_ARCHIVES]]


def _landed(
    members: Iterator[Member], naming: Naming, into: str, placement: Placement, facts: Facts
) -> Iterator[tuple[str, str]]:
    bases = bases_of(facts, placement.every("base"))
    levels = ("denied", "asked") if placement.given("asked") else ("denied",)
    disk = _Folders()
    links: dict[str, str] = {}
    for count, member in enumerate(members):
        if count >= MAX_PLACED:
            return
        for name in names_of(member.name, naming):
            for path in _through(name, into, links):
                if member.kind == OTHER:
                    continue
                real = disk.leads(path)
                link = member.kind == LINK
                if any(tells(at, facts, bases, link=link, levels=levels) for at in dict.fromkeys((path, real))):
                    if not same_file(real, member):
                        yield "write", path
            if member.kind in (LINK, HARD):
                _note(links, name, member, naming, into)


def _through(name: str, into: str, links: dict[str, str]) -> list[str]:
    """The path of a member, and where links that came before it in the same archive would take it."""
    paths = [_settled(name, into)]
    for _ in range(_MOST_LINKS if links else 0):
        path = paths[-1]
        at = path
        while at not in links and at != "/":
            at = at.rpartition("/")[0] or "/"
        if at not in links or (other := links[at] + path[len(at) :]) in paths:
            break
        paths.append(other)
    return paths


def _note(links: dict[str, str], name: str, member: Member, naming: Naming, into: str) -> None:
    path = _settled(name, into)
    if member.kind == LINK:
        links[path] = _settled(member.target, path.rpartition("/")[0] or "/")
    else:
        for target in names_of(member.target, naming.replace(only=(), skip=())):
            links[path] = _settled(target, into)


def _settled(name: str, folder: str) -> str:
    """The path without `.` and `..`, as text."""
    parts: list[str] = []
    for part in (name if name[:1] == "/" else f"{folder}/{name}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


class _Folders:
    """Where folders on the disk lead; each is looked at once, and none below one that is not there."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, bool]] = {"/": ("/", True), "": ("/", True)}

    def leads(self, path: str) -> str:
        """The path, with links on the way to its last name followed: that one is replaced or written through."""
        folder, _, name = path.rpartition("/")
        real, _ = self._folder(folder)
        return f"{real.rstrip('/')}/{name}"

    def _folder(self, path: str) -> tuple[str, bool]:
        names: list[str] = []
        while path not in self.known:
            path, _, name = path.rpartition("/")
            names.append(name)
        real, there = self.known[path]
        while names:
            name = names.pop()
            path = f"{path.rstrip('/')}/{name}"
            real = f"{real.rstrip('/')}/{name}"
            if there:
                try:
                    link = os.readlink(real)
                except FileNotFoundError:
                    there = False
                except OSError:
                    pass  # not a link
                else:
                    real = _settled(link, real.rpartition("/")[0] or "/")
            self.known[path] = (real, there)
        return real, there


def same_file(path: str, member: Member) -> bool:
    """True if the file that is there is already what the member would make of it."""
    if member.kind == LINK:
        try:
            return os.readlink(path) == member.target
        except OSError:
            return False
    try:
        new = None if member.read is None else member.read()
        return new is not None and not os.path.islink(path) and read_file(path, limit=MAX_PLACED_BYTES) == new
    except (OSError, ValueError, StoreError):
        return False


# --- folders ---------------------------------------------------------------------------------------------------------


def _of_folder(placement: Placement, facts: Facts) -> Iterator[tuple[str, str]]:
    naming = Naming.of(placement)
    source, pattern = placement.source, placement.given("match")
    name = source.rstrip("/").rpartition("/")[2]
    real = os.path.realpath(placement.into)
    if pattern:
        goals = [""]
    elif placement.given("within") == "maybe":
        goals = [name] if os.path.isdir(real) else [""]
    else:
        goals = [name] if placement.given("within") == "always" else [""]
    for into in dict.fromkeys((placement.into, real)):
        for goal in goals:
            start = _settled(goal, into)
            listed = _listed(source, start, placement, facts)
            yield from _landed(listed, naming, start, placement, facts)


def _listed(source: str, start: str, placement: Placement, facts: Facts) -> Iterator[Member]:
    """What is in the folder, but for folders that would lie where nobody obeys anything."""
    from ..approve.glob import matches

    bases, pattern = bases_of(facts, placement.every("base")), placement.given("match")
    follow, deep = bool(placement.given("follow")), bool(placement.given("deep"))
    if not os.path.isdir(source):
        if not pattern:
            yield _on_disk("", source, os.path.islink(source) and not follow)
        return
    pending = [("", source)]
    count = 0
    while pending:
        below, folder = pending.pop()
        try:
            entries = os.scandir(folder)
        except OSError:
            continue
        with entries:
            for entry in entries:
                count += 1
                if count > MAX_PLACED:
                    return
                if not below and pattern and not (matches(pattern, entry.name) and _is_shown(pattern, entry.name)):
                    continue
                name = below + entry.name
                if entry.is_dir(follow_symlinks=follow):
                    if deep and may_tell(_settled(name, start), bases, facts) and name.count("/") < 40:
                        pending.append((name + "/", entry.path))
                else:
                    yield _on_disk(name, entry.path, entry.is_symlink() and not follow)


def _is_shown(pattern: str, name: str) -> bool:
    return name[:1] != "." or pattern[:1] in (".", "[")


def may_tell(folder: str, bases: tuple[str, ...], facts: Facts) -> bool:
    """Rows begin right in a base, with a hidden folder: what is beside that is never listed."""
    for base in bases:
        above = base.rstrip("/") + "/"
        if base == folder or base.startswith(folder.rstrip("/") + "/"):
            return True
        if folder.startswith(above) and (folder[len(above)] == "." or base in facts.moved):
            return True
    plain = folded(folder)
    return (
        folder.startswith(("/etc", "/Library"))
        or within(facts.own, plain)
        or any(own.startswith(plain + "/") for own in facts.own)
    )


def _on_disk(name: str, path: str, link: bool) -> Member:
    if link:
        return Member(name, LINK, os.readlink(path))
    return Member(name, read=lambda: read_file(path, limit=MAX_PLACED_BYTES))
