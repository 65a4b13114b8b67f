"""`apply_patch`: one text that adds, changes, moves and removes files. Read file by file.

Two forms are known: the one with `*** Update File:` headers, and unified diffs. Anything else is opaque.
"""

from __future__ import annotations

__all__ = ["files_of_patch"]

_HEADERS = {
    "*** Add File: ": "write",
    "*** Update File: ": "edit",
    "*** Delete File: ": "delete",
    "*** Move to: ": "write",
}


def files_of_patch(text: str) -> list[tuple[str, str, tuple[int, int]]] | None:
    """(role, path, span) for every file that the patch touches; None if it is not a patch."""
    found: list[tuple[str, str, tuple[int, int]]] = []
    marked = "*** Begin Patch" in text
    at = 0
    old = ""
    for line in text.split("\n"):
        end = at + len(line)
        if marked:
            for header, role in _HEADERS.items():
                if line.startswith(header):
                    found.append((role, line[len(header) :].strip(), (at + len(header), end)))
        elif line.startswith("--- "):
            old = _diff_path(line[4:])
        elif line.startswith("+++ "):
            new = _diff_path(line[4:])
            role = "delete" if new == "/dev/null" else "edit"
            found.append((role, old if new == "/dev/null" else new, (at + 4, end)))
        at = end + 1
    return found or None


def _diff_path(text: str) -> str:
    path = text.partition("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
