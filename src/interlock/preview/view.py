"""What the command gets to see: the system's programs to be read, the project to be changed, nothing else.

The home folder is empty, and so are the folders for temporary files; secret files of the project, and what only root
may read of the system, are there by name and cannot be opened. Variables are passed by a list of names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any

from ..limits import (
    MAX_PREVIEW_BYTES,
    MAX_PREVIEW_FILES,
    MAX_PREVIEW_MASKS,
    MAX_PREVIEW_OUTPUT,
    MAX_PREVIEW_PROCESSES,
    MAX_PREVIEW_SECONDS,
    PREVIEW_BYTES,
    PREVIEW_PROCESSES,
    PREVIEW_SECONDS,
)
from ..model.errors import InputError
from ..reading.places.places import is_secret
from ..store.home.folders import Folders
from ..value import Value
from .below import Mark

__all__ = ["Limits", "Order", "told_inside", "why_no_project"]

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store")
_PASSED = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "SHELL", "CI", "VIRTUAL_ENV", "NODE_ENV")
_GIT_KEYS = ("name", "email")


class Limits(Value):
    """
    seconds    that it may run, by the clock
    bytes      that it may write in all
    processes  that it may have at once
    """

    seconds: int = PREVIEW_SECONDS
    bytes: int = PREVIEW_BYTES
    processes: int = PREVIEW_PROCESSES

    def checked(self) -> Limits:
        most = {"seconds": MAX_PREVIEW_SECONDS, "bytes": MAX_PREVIEW_BYTES, "processes": MAX_PREVIEW_PROCESSES}
        for name, value in most.items():
            if not 0 < getattr(self, name) <= value:
                raise InputError(f"{name} must be between 1 and {value:,}")
        return self


class Order(Value):
    """
    command  the command line, for bash
    root     the project's folder, links followed
    cwd      where it runs: the project or a folder of it
    shows    further folders that it may read
    passes   further variables that it gets
    """

    command: str
    root: str
    cwd: str
    limits: Limits = Limits()
    shows: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()


def why_no_project(root: str, folders: Folders) -> str | None:
    """Why no command can be previewed in this folder; None where one can."""
    home = os.path.realpath(folders.home)
    for place, what in ((home, "your home folder"), (os.path.realpath(folders.state), "Interlock's own files")):
        if os.path.commonpath([root, place]) == root:
            return f"`{root}` holds {what}; go into a project's folder"
    if os.path.commonpath([root, os.path.realpath(folders.state)]) == os.path.realpath(folders.state):
        return f"`{root}` is a folder of Interlock's own files"
    if root in ("/", *_SYSTEM, "/dev", "/proc", "/sys", "/run", "/var", "/tmp", "/home"):  # noqa: S108 - a name
        return f"`{root}` is no project"
    if not os.path.isdir(root):
        return f"`{root}` is no folder"
    return None


def told_inside(
    order: Order, folders: Folders, below: Mapping[str, Mark], stage: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """What inside.py is told."""
    home = os.path.realpath(folders.home)
    shows = _shown(order.shows, home, folders)
    if home in ("/", *_SYSTEM):  # as for users without one: it cannot be emptied
        home = "/tmp"  # noqa: S108 - the view's own
    limits = order.limits.checked()
    passed = {name: environment[name] for name in (*_PASSED, *order.passes) if name in environment}
    passed |= {name: value for name, value in environment.items() if name.startswith("LC_")}
    own = {"HOME": home, "PWD": order.cwd, "TMPDIR": "/tmp", "INTERLOCK_PREVIEW": "1"}  # noqa: S108 - the view's own
    return {
        "command": order.command,
        "root": order.root,
        "cwd": order.cwd,
        "stage": stage,
        "home": home,
        "umask": _umask(),
        "system": [path for path in _SYSTEM if os.path.isdir(path)],
        "shows": shows,
        "masks": _masks(order.root, below, shows),
        "git": _git_identity(folders.home),
        "environment": {"PATH": "/usr/local/bin:/usr/bin:/bin", **passed, **own},
        "limits": {
            **limits.as_dict(),
            "files": MAX_PREVIEW_FILES,
            "output": MAX_PREVIEW_OUTPUT,
        },
    }


def _umask() -> int:
    found = os.umask(0o022)
    os.umask(found)
    return found


def _shown(named: Sequence[str], home: str, folders: Folders) -> list[str]:
    own = [os.path.realpath(place) for place in (folders.state, folders.config, folders.data)]
    found = []
    for name in named:
        path = os.path.realpath(name)
        if not os.path.isdir(path):
            raise InputError(f"`{name}` is no folder")
        ours = any(path in (place, os.path.commonpath([path, place])) or path.startswith(place + "/") for place in own)
        if os.path.commonpath([path, home]) == path or is_secret(path) or ours:
            raise InputError(f"`{name}` is not shown to a command: it holds secrets, or all of your home folder")
        if path in ("/dev", "/proc", "/sys", "/run") or path.startswith(("/dev/", "/proc/", "/sys/", "/run/")):
            raise InputError(f"`{name}` is not shown to a command: what lies there are no files")
        found.append(path)
    return found


def _masks(root: str, below: Mapping[str, Mark], shows: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name, mark in below.items():
        path = f"{root}/{name}"
        if name and not stat.S_ISLNK(mark[0]) and is_secret(path) and not _lies_in(path, found):
            found.append(path)
    for place in ("/etc", *shows):
        for above, folders, files in os.walk(place):
            for inner in (*folders, *files):
                path = f"{above}/{inner}"
                if not os.path.islink(path) and (_is_private(path) or is_secret(path)) and not _lies_in(path, found):
                    found.append(path)
                    if inner in folders:
                        folders.remove(inner)
    if len(found) > MAX_PREVIEW_MASKS:
        raise InputError(f"more than {MAX_PREVIEW_MASKS:,} secret files would have to be hidden from the command")
    return found


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(folder + "/") for folder in folders)


def _is_private(path: str) -> bool:
    """Root may read it and others may not. Whoever is not root cannot read it anyway."""
    try:
        return os.getuid() == 0 and not os.stat(path, follow_symlinks=False).st_mode & 0o004
    except OSError:
        return False


def _git_identity(home: str) -> str:
    """Who commits, from the person's own settings: a commit without it fails. Nothing else of them is passed on."""
    found: dict[str, str] = {}
    for path in (f"{home}/.config/git/config", f"{home}/.gitconfig"):
        section = ""
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read(1 << 16).splitlines()
        except OSError:
            continue
        for line in lines:
            text = line.strip()
            if text.startswith("["):
                section = text.lower()
            key, apart, value = text.partition("=")
            if section == "[user]" and apart and key.strip().lower() in _GIT_KEYS:
                found[key.strip().lower()] = value.strip()
    return "".join(["[user]\n", *(f"\t{key} = {value}\n" for key, value in found.items())]) if found else ""
