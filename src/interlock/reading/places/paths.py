"""Paths as text: one spelling for each, and which folder holds which. Never touches the disk.

What links do to a path arrives as a fact. A path that cannot be settled by its text alone
is not guessed at: `settle` says why, and the reading marks it opaque.
"""

from __future__ import annotations

from ...limits import MAX_PATH_CHARS
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ...model.facts import Facts

__all__ = ["Unsettled", "folded", "holds", "in_project", "is_own_tree", "parent", "settle", "within"]

# The operating system's own folders. An agent that is started in one of them, or in the root, has no project there.
_SYSTEM = (
    "/bin/", "/boot/", "/dev/", "/etc/", "/lib/", "/lib32/", "/lib64/", "/proc/", "/run/", "/sbin/", "/sys/", "/usr/",
    "/var/", "/nix/", "/Library/", "/System/", "/Applications/", "/private/etc/", "/private/var/",
)  # fmt: skip
_NO_PROJECT = frozenset(("/", "/private", *[folder[:-1] for folder in _SYSTEM])).union(
    f"{above}/{name}"
    for above in ("/usr", "/usr/local")
    for name in ("bin", "include", "lib", "lib64", "sbin", "share")
)

# Characters that some file systems leave out when they compare names (HFS+), so that
# `.cla<U+200C>ude` is `.claude` there.
_IGNORED = dict.fromkeys(
    [0x00AD, 0x034F, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)


class Unsettled(Exception):
    """The path cannot be known from its text; the message says why."""


def settle(path: str, *, cwd: str, home: str) -> str:
    """An absolute path without `.`, `..`, doubled slashes or a tilde."""
    if not path:
        raise Unsettled("the path is empty")
    if len(path) > MAX_PATH_CHARS:
        raise Unsettled(f"the path is longer than {MAX_PATH_CHARS} characters")
    if not path.isprintable() and any(ord(char) < 32 or ord(char) == 127 for char in path):
        raise Unsettled("the path holds control characters")
    if "$(" in path or "`" in path:
        raise Unsettled("the path looks like code")
    if path[0] == "~":
        user, _, rest = path[1:].partition("/")
        if user:
            raise Unsettled(f"the home folder of `{user[:40]}` is unknown")
        path = home + "/" + rest
    elif path[0] != "/":
        path = cwd + "/" + path
    if ("proc" in path or "/fd" in path) and _leads_elsewhere(path):
        raise Unsettled("the path leads through a process and not through folders")
    # INVARIANT: `..` is taken out of the text only; where a link stands before it, the fact
    # about the whole path tells (store/facts/facts.py resolves the path as it was given).
    if "/." not in path and "//" not in path and path[0] == "/" != path[-1]:
        return path  # nothing to take out
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def _leads_elsewhere(path: str) -> bool:
    parts = [part for part in path.split("/") if part and part != "."]
    if parts[:2] == ["dev", "fd"]:
        return True
    inside = ("root", "cwd", "fd", "task", "exe", "map_files")
    return parts[:1] == ["proc"] and any(part in inside for part in parts[2:4])


def folded(path: str) -> str:
    """The path as a forgiving file system compares it: case and invisible characters gone."""
    if path.isascii():
        return path.lower()
    return path.translate(_IGNORED).casefold()


def holds(folder: str, path: str) -> bool:
    """True if `path` is `folder` or lies below it. Both settled."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def in_project(root: str, path: str) -> bool:
    """True if the path lies in the project. A project may lie below `/usr/src` or `/var/www`; `/etc` is none."""
    if path != root and not path.startswith(root if root.endswith("/") else root + "/"):
        return False
    return root not in _NO_PROJECT or not (path + "/").startswith(_SYSTEM)


def parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def is_own_tree(facts: Facts, path: str) -> bool:
    """True if the path lies in the project, or in another work tree of it."""
    return in_project(facts.root, path) or (bool(facts.beside) and within(facts.beside, path))


def within(folders: tuple[str, ...], path: str) -> bool:
    """True if `path` is one of the folders or lies below one. Each folder ends with a slash."""
    return (path + "/").startswith(folders)
