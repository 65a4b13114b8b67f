"""What the command changed, path by path: the project before, and what lies over it.

Overlayfs copies a file up when it is opened for writing, so an entry is a change only where something differs: content,
mode, target, kind. The digest of the whole list is what a receipt binds and what an approval is given for.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import stat
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from ..bytes.canon import digest
from ..limits import MAX_PREVIEW_SHOWN_LINES, MAX_PREVIEW_TEXT_BYTES
from ..value import Value
from .below import Mark
from .run import Ran

__all__ = ["Change", "Changes", "Side", "changes_of", "digest_of_changes", "digest_of_file", "text_difference"]

_PIECE = 1 << 20


class Side(Value):
    """What is at a path: `file`, `folder`, `link` or `special`. Size and digest are a file's, the target a link's."""

    kind: str
    mode: int
    size: int = 0
    digest: str = ""
    target: str = ""
    attributes: tuple[tuple[str, str], ...] = ()  # name, value as hex; the command's own only


class Change(Value):
    """`before` is None for what is new, `after` for what is gone. `bytes` names the file in the stage."""

    path: str
    before: Side | None
    after: Side | None
    bytes: str = ""
    time: int = 0  # of its last change, for the new file
    same: int = 0  # new names of one file share this number

    @property
    def kind(self) -> str:
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        plain = (self.before.kind, self.before.digest, self.before.target)
        return "mode" if plain == (self.after.kind, self.after.digest, self.after.target) else "changed"

    def told(self) -> dict[str, Any]:
        sides = {name: _side_told(side) for name, side in (("before", self.before), ("after", self.after))}
        return {"path": self.path, "kind": self.kind, **sides}


def _side_told(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    told: dict[str, Any] = {"kind": side.kind, "mode": f"{side.mode:04o}"}
    if side.kind == "file":
        told |= {"size": side.size, "digest": side.digest}
    if side.kind == "link":
        told["target"] = side.target
    if side.attributes:
        told["attributes"] = [list(pair) for pair in side.attributes]
    return told


class Changes(Value):
    """`hindrances`: why they cannot be applied, one sentence each."""

    changes: tuple[Change, ...]
    digest: str
    hindrances: tuple[str, ...] = ()


def changes_of(ran: Ran) -> Changes:
    root, below = ran.order.root, ran.below
    names = sorted(below)
    entries = {str(entry["path"]): entry for entry in ran.entries}
    found: dict[str, Change] = {}

    def gone(path: str, *, inside_only: bool) -> None:
        for name in _below(names, path):
            if name not in entries and (name != path or not inside_only):
                found[name] = Change(path=name, before=_lower(root, name, below[name]), after=None)

    for path, entry in entries.items():
        before = _lower(root, path, below[path]) if path in below else None
        if entry["kind"] == "gone":
            if before is not None:
                found[path] = Change(path=path, before=before, after=None)
                gone(path, inside_only=True)
            continue
        after = _upper(entry)
        if before is not None and before.kind == "folder" and (after.kind != "folder" or entry["hides"]):
            gone(path, inside_only=True)
        if before is None or _differs(before, after, root, path):
            same, at = int(entry.get("same", 0)), str(entry.get("bytes", ""))
            when = int(entry.get("time", 0))
            found[path] = Change(path=path, before=before, after=after, bytes=at, time=when, same=same)
    ordered = tuple([found[path] for path in sorted(found)])
    return Changes(
        changes=ordered,
        digest=digest_of_changes(ordered),
        hindrances=tuple(_hindrances(ordered, ran)),
    )


def digest_of_changes(changes: Sequence[Change]) -> str:
    # A name that is not UTF-8 cannot be written as JSON; it is not applied, and its bytes tell it apart.
    told = [{**change.told(), "path": os.fsencode(change.path).hex()} for change in changes]
    for row, change in zip(told, changes, strict=True):
        for name, side in (("before", change.before), ("after", change.after)):
            if side is not None and side.kind == "link":
                row[name] |= {"target": os.fsencode(side.target).hex()}
    return digest({"changes": told})


def _below(names: Sequence[str], path: str) -> Sequence[str]:
    """The path itself, if it is there, and everything below it."""
    first = bisect_left(names, path + "/")
    last = bisect_left(names, path + "0")  # the character after the slash
    return [*([path] if path in _around(names, path) else []), *names[first:last]]


def _around(names: Sequence[str], path: str) -> Sequence[str]:
    at = bisect_left(names, path)
    return names[at : at + 1]


def _lower(root: str, path: str, mark: Mark) -> Side:
    mode, whole = stat.S_IMODE(mark[0]), f"{root}/{path}"
    if stat.S_ISDIR(mark[0]):
        return Side(kind="folder", mode=mode)
    if stat.S_ISLNK(mark[0]):
        try:
            return Side(kind="link", mode=mode, target=os.readlink(whole))
        except OSError:  # it has changed meanwhile, which is seen before anything is applied
            return Side(kind="link", mode=mode)
    if stat.S_ISREG(mark[0]):
        return Side(kind="file", mode=mode, size=mark[2], digest=digest_of_file(whole))
    return Side(kind="special", mode=mode)


def digest_of_file(path: str) -> str:
    """Empty where it cannot be read."""
    found = hashlib.sha256()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        while piece := os.read(descriptor, _PIECE):
            found.update(piece)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return found.hexdigest()


def _upper(entry: Mapping[str, Any]) -> Side:
    return Side(
        kind=str(entry["kind"]),
        mode=int(entry["mode"]),
        size=int(entry.get("size", 0)),
        digest=str(entry.get("digest", "")),
        target=str(entry.get("target", "")),
        attributes=tuple(sorted((str(name), str(value)) for name, value in entry.get("attributes", {}).items())),
    )


def _differs(before: Side, after: Side, root: str, path: str) -> bool:
    if before.kind == after.kind == "link":
        return before.target != after.target  # a link's own mode means nothing
    if before.kind == after.kind == "file" and before.replace(attributes=()) == after.replace(attributes=()):
        return bool(after.attributes) and after.attributes != _attributes(f"{root}/{path}")
    return before != after


def _attributes(path: str) -> tuple[tuple[str, str], ...]:
    try:
        names = [name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user.")]
        return tuple(sorted((name, os.getxattr(path, name, follow_symlinks=False).hex()) for name in names))
    except OSError:
        return ()


def _hindrances(changes: Sequence[Change], ran: Ran) -> list[str]:
    found = []
    if ran.told.get("too_much"):
        found.append(str(ran.told["too_much"]))
    if ran.told.get("stopped"):
        found.append(f"the command was stopped before it had ended: its limit of {ran.told['stopped']}")
    for change in changes:
        side, shown = change.after, ascii(change.path)[1:-1]
        mark = ran.below.get(change.path)
        if not _is_plain(change.path):
            found.append(f"the name of `{shown}` cannot be judged: it has line breaks, control characters or no UTF-8")
        elif side is not None and side.kind == "special":
            found.append(f"`{shown}` is a pipe, a socket or a device")
        elif side is not None and side.kind == "file" and side.mode & 0o6000:
            found.append(f"`{shown}` would run as its owner or group (setuid)")
        elif (
            mark is not None
            and stat.S_ISREG(mark[0])
            and _other_names(ran.order.root, change.path)
            and side is not None
        ):
            found.append(f"`{shown}` has other names (hard links), and the view cannot change them together")
    return found


def _is_plain(path: str) -> bool:
    return path.isprintable() and path == path.strip() and all(part == part.strip() for part in path.split("/"))


def _other_names(root: str, path: str) -> bool:
    try:
        return os.stat(f"{root}/{path}", follow_symlinks=False).st_nlink > 1
    except OSError:
        return False


def text_difference(change: Change, root: str, stage: str) -> list[str] | None:
    """Line by line; None where one side is no text, or too long for a person."""
    before = _text(f"{root}/{change.path}", change.before)
    after = _text(f"{stage}/bytes/{change.bytes}", change.after)
    if before is None or after is None:
        return None
    names = (
        "/dev/null" if change.before is None else change.path,
        "/dev/null" if change.after is None else change.path,
    )
    lines = list(difflib.unified_diff(before, after, *names, lineterm=""))
    if len(lines) > MAX_PREVIEW_SHOWN_LINES:
        more = len(lines) - MAX_PREVIEW_SHOWN_LINES
        lines = [*lines[:MAX_PREVIEW_SHOWN_LINES], f"… {more} more lines"]
    return lines


def _text(path: str, side: Side | None) -> list[str] | None:
    if side is None or side.kind == "folder":
        return []
    if side.kind != "file" or side.size > MAX_PREVIEW_TEXT_BYTES:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            return file.read(MAX_PREVIEW_TEXT_BYTES + 1).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
