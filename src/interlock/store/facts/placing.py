"""Lists what a program would place, and which of it lands where somebody obeys it (reading/lands/placing.py).

The contents are hostile: an archive may hold anything under any name, and links that lead its later members elsewhere.
Every listing is bounded by counts and bytes, never by the clock; what lies beyond is not told. A member that is, byte
for byte, what is there already changes nothing and is left out.
"""

from __future__ import annotations

import os

from ...approve.glob import matches
from ...limits import MAX_ARCHIVES, MAX_LANDINGS, MAX_PLACED, MAX_PLACED_BYTES
from ...model.errors import StoreError
from ...reading.lands.placing import (
    ARCHIVE,
    FOLDER,
    MADE,
    TREE,
    UNLISTED,
    Naming,
    Placement,
    bases_of,
    may_tell,
    names_of,
    tells,
    unspelt,
)
from ...value import TYPE_CHECKING, lazy
from ..home.files import read_file
from .members import HARD, LINK, OTHER, Member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.facts import Facts
    from .archives import members_of
    from .git_trees import changes, files_of
else:
    members_of = lazy(globals(), ".archives", "members_of")
    changes = lazy(globals(), ".git_trees", "changes")
    files_of = lazy(globals(), ".git_trees", "files_of")

__all__ = ["landings", "same_file"]

_MOST_LINKS = 8  # links of an archive that a name may lead through


def landings(placement: Placement, facts: Facts) -> tuple[tuple[str, str], ...]:
    """What lands where it tells, each with the role of its action. Empty where nothing can be listed."""
    found: dict[tuple[str, str], None] = {}
    try:
        for landing in _found(placement, facts):
            found[landing] = None
            if len(found) >= MAX_LANDINGS:
                break
    except (OSError, ValueError, LookupError, StoreError):
        pass  # what was found before the damage counts
    return tuple(found)


def _found(placement: Placement, facts: Facts) -> Iterator[tuple[str, str]]:
    if placement.kind == ARCHIVE:
        yield from _landed(_unpacked(placement, facts), Naming.of(placement), placement.into, placement, facts)
    elif placement.kind == FOLDER:
        yield from _of_folder(placement, facts)
    else:
        yield from changes(placement, facts)


def _unpacked(placement: Placement, facts: Facts) -> Iterator[Member]:
    """The members of the archive, or of those in a folder that a pattern names."""
    kinds, pattern = placement.given("as"), placement.given("match")
    for path in _sources(placement):
        yield from _readable(members_of(path, kinds))
    for name, member in _earlier(placement, facts):
        archive = placement.source
        if pattern:
            first, _, name = name.partition("/")
            if not matches(pattern, first):
                continue
            archive = f"{archive}/{first}"
        if name:
            yield member.called(name)  # of an archive that the call packs
        elif member.path:
            yield from _readable(members_of(member.path, kinds))  # a copy of one
        elif not same_file(archive, member):
            yield Member("", UNLISTED, archive)


def _sources(placement: Placement) -> list[str]:
    pattern = placement.given("match")
    if not pattern:
        return [placement.source]
    try:
        names = [name for name in sorted(os.listdir(placement.source)) if matches(pattern, name)]
    except OSError:
        return []
    return [f"{placement.source.rstrip('/')}/{name}" for name in names[:MAX_ARCHIVES]]


def _readable(members: Iterator[Member]) -> Iterator[Member]:
    """As far as they can be read: what was found before the damage counts."""
    try:
        yield from members
    except (OSError, ValueError, LookupError, StoreError):
        return


# --- what earlier parts of the same call place -----------------------------------------------------------------------


def _earlier(placement: Placement, facts: Facts) -> Iterator[tuple[str, Member]]:
    """What earlier placements put at the source or below it, each with its name from there."""
    source = placement.source.rstrip("/") or "/"
    below = source.rstrip("/") + "/"
    for text in placement.every("via"):
        via = unspelt(text)
        for path, member in _readable_pairs(_laid(via, facts)):
            if path == source:
                yield "", member
            elif path.startswith(below):
                yield path[len(below) :], member
            elif member.kind == UNLISTED and below.startswith(path.rstrip("/") + "/"):
                yield "", member


def _laid(via: Placement, facts: Facts) -> Iterator[tuple[str, Member]]:
    """Every file that the placement puts somewhere, with its path then."""
    if via.kind == MADE:
        yield via.into, Member("", MADE)
        return
    if via.kind == ARCHIVE:
        starts, members = [via.into], _unpacked(via, facts)
    elif via.kind == FOLDER:
        starts, members = _starts(via), _all_below(via, facts)
    else:
        starts, members = [via.into], files_of(via)
    naming = Naming.of(via) if via.kind != TREE else Naming()
    for count, member in enumerate(members):
        if count >= MAX_PLACED:
            return
        for start in starts:
            if member.kind == UNLISTED:
                yield start, member
            for name in names_of(member.name, naming) if member.name else ("",):
                yield _settled(name, start), member


def _readable_pairs(pairs: Iterator[tuple[str, Member]]) -> Iterator[tuple[str, Member]]:
    try:
        yield from pairs
    except (OSError, ValueError, LookupError, StoreError):
        return


def _starts(via: Placement) -> list[str]:
    """Where the files of a copied folder lie: below the place, or in a folder of its name there."""
    inside = _settled(via.source.rstrip("/").rpartition("/")[2], via.into)
    if via.given("match") or via.given("within") == "never":
        return [via.into]
    return [inside] if via.given("within") == "always" else [inside, via.into]


def _all_below(placement: Placement, facts: Facts) -> Iterator[Member]:
    """What is in a folder, on the disk or by an earlier part of the call; a file is the one member without a name."""
    yield from _readable(_listed(placement.source, None, placement, facts))
    yield from _all_earlier(placement, facts)


# --- where members land ----------------------------------------------------------------------------------------------


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
        if member.kind == UNLISTED:
            if may_tell(into, bases, facts):
                yield UNLISTED, member.target
            continue
        for name in names_of(member.name, naming):
            for path in _through(name, into, links):
                if member.kind == OTHER:
                    continue
                real = disk.leads(path)
                link = member.kind in (LINK, MADE)
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
            listed = _readable(_listed(source, start, placement, facts))
            yield from _landed(listed, naming, start, placement, facts)
            if placement.given("via"):
                yield from _landed(_all_earlier(placement, facts), naming, start, placement, facts)


def _all_earlier(placement: Placement, facts: Facts) -> Iterator[Member]:
    pattern = placement.given("match")
    for name, member in _earlier(placement, facts):
        first = name.partition("/")[0]
        if not pattern or (matches(pattern, first) and _is_shown(pattern, first, placement)):
            yield member.called(name)


def _listed(source: str, start: str | None, placement: Placement, facts: Facts) -> Iterator[Member]:
    """What is in the folder, but for folders that would lie where nobody obeys anything; None: all of them."""
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
                named = not pattern or (matches(pattern, entry.name) and _is_shown(pattern, entry.name, placement))
                if not below and not named:
                    continue
                name = below + entry.name
                if entry.is_dir(follow_symlinks=follow):
                    wanted = start is None or may_tell(_settled(name, start), bases, facts)
                    if deep and wanted and name.count("/") < 40:
                        pending.append((name + "/", entry.path))
                else:
                    yield _on_disk(name, entry.path, entry.is_symlink() and not follow)


def _is_shown(pattern: str, name: str, placement: Placement) -> bool:
    return name[:1] != "." or pattern[:1] in (".", "[") or bool(placement.given("hidden"))


def _on_disk(name: str, path: str, link: bool) -> Member:
    if link:
        return Member(name, LINK, os.readlink(path))
    return Member(name, read=lambda: read_file(path, limit=MAX_PLACED_BYTES), path=path)
