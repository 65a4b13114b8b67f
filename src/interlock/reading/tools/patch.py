"""`apply_patch`: one text that adds, changes, moves and removes files. Read file by file.

Two forms are known: the one with `*** Update File:` headers, and unified diffs. Anything else is opaque. Of the first
form only what its grammar has is read: clients forgive blanks around a header, also where the grammar has none, and a
header that is overlooked is a file that nobody was asked about.
"""

from __future__ import annotations

__all__ = ["Files", "files_of_patch"]

Files = list[tuple[str, str, tuple[int, int]]]  # role, path, span

_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
_ROLES = {_ADD: "write", _UPDATE: "edit", _DELETE: "delete"}
_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_LINES = {"": "", _ADD: "+", _UPDATE: "+- @", _DELETE: ""}  # header -> how the lines below it may begin


_OF_DIFFS = ("", " ", "+", "-", "@", "\\")  # how lines of a unified diff begin
_ABOVE = ("diff --git ", "index ", "new file mode 100", "deleted file mode 100")  # and those above a file's header


def files_of_patch(text: str) -> Files | None:
    """Every file that the patch touches; None if it is not a patch that can be read."""
    return _by_headers(text) if _BEGIN in text else _of_diff(text)


def _by_headers(text: str) -> Files | None:
    found: Files = []
    begun = ended = movable = False
    below, at = "", 0
    for raw in text.split("\n"):
        line, start = raw.removesuffix("\r"), at
        at += len(raw) + 1
        if not begun or ended:
            if line.strip() and (begun or line != _BEGIN):
                return None
            begun = begun or line == _BEGIN
            continue
        header = next((header for header in (*_ROLES, _MOVE) if line.startswith(header)), "")
        if header:
            path = line[len(header) :]
            if not path or path != _trimmed(path) or (header == _MOVE and not movable):
                return None
            span = (start + len(header), start + len(line))
            if header == _MOVE:
                found[-1] = ("move", *found[-1][1:])
            found.append(("write" if header == _MOVE else _ROLES[header], path, span))
            below, movable = below if header == _MOVE else header, header == _UPDATE
        elif line == _END:
            ended = True
        elif _trimmed(line)[:3] == "***":
            if line != _END_OF_FILE or below != _UPDATE:
                return None
        elif line[:1] not in _LINES[below] or (not line and below != _UPDATE):
            return None
        else:
            movable = False
    return found if ended and found else None


def _trimmed(text: str) -> str:
    """Without the blanks that some client takes off. For JavaScript a byte order mark is one."""
    return text.replace("\ufeff", " ").strip()


def _of_diff(text: str) -> Files | None:
    """A program may go by either name in a header, so both count. What has no such header is not read."""
    found: Files = []
    at, headless = 0, False
    old: tuple[str, tuple[int, int]] | None = None
    for raw in text.split("\n"):
        line, end = raw.removesuffix("\r"), at + len(raw)
        span = (at + 4, at + len(line))
        at = end + 1
        if line[:1] not in _OF_DIFFS and not line.startswith(_ABOVE):
            return None
        if line.startswith("diff "):
            if headless:
                return None
            headless = True
        if line.startswith("+++ ") and old is not None:
            new, was = _diff_path(line[4:]), old[0]
            headless = False
            if new == "/dev/null":
                found.append(("delete", was, old[1]))
            else:
                found += [("edit", was, old[1])] if was not in (new, "/dev/null") else []
                found.append(("edit", new, span))
        old = (_diff_path(line[4:]), span) if line.startswith("--- ") else None
    return found if found and not headless else None


def _diff_path(text: str) -> str:
    path = text.partition("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
