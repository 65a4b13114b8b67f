"""Which files a run of packs is about. A folder stands for all packs in it, and nothing is passed over in silence.

A file that may hold cases, and is none that is read, is a mistake that is told: a pack under a wrong name would
otherwise never be run, and nobody would know. So is a folder that cannot be looked into.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from ..model.errors import InputError, Problem
from .case import PackError
from .pack import SUFFIXES

__all__ = ["pack_files"]

# Ends of names that people keep beside their packs, and that hold no cases.
_NO_CASES = (".md", ".rst", ".txt", ".toml", ".html", ".svg", ".py", ".sh", ".sqlite", ".sqlite-journal", ".db", ".log")
_ENDS = ", ".join(SUFFIXES)


def pack_files(paths: Iterable[str]) -> list[str]:
    """Each file once, in order. InputError where a path is no pack, PackError where a folder holds what is not read."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for path in paths:
        if os.path.isdir(path):
            inside = [*_inside(path, problems)]
            if not inside and not problems:
                raise InputError(f"`{path}` holds no packs ({_ENDS})")
        elif not os.path.lexists(path):
            raise InputError(f"`{path}` is not there")
        elif _end(path) not in SUFFIXES:
            raise InputError(f"`{path}` is not a pack; packs end with {_ENDS}")
        else:
            inside = [path]
        for file in inside:
            found.setdefault(os.path.realpath(file), file)
    problems += [_problem(file, "it is not a file") for file in found.values() if not _is_file(file)]
    if problems:
        raise PackError(problems)
    return list(found.values())


def _inside(top: str, problems: list[Problem]) -> Iterator[str]:
    def cannot(error: OSError) -> None:
        problems.append(_problem(str(error.filename), f"the folder cannot be read: {error.strerror}"))

    for folder, folders, names in os.walk(top, onerror=cannot):
        folders.sort()
        for name in folders:
            if os.path.islink(os.path.join(folder, name)):
                text = "a link to a folder is not followed; name the folder itself"
                problems.append(_problem(os.path.join(folder, name), text))
        for name in sorted(names):
            if _end(name) in SUFFIXES:
                yield os.path.join(folder, name)
            elif _end(name) not in ("", *_NO_CASES) and not name.startswith("."):
                problems.append(_problem(os.path.join(folder, name), f"it would not be run: packs end with {_ENDS}"))


def _end(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def _is_file(path: str) -> bool:
    """A link that leads nowhere is left to whoever reads it, who says why."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _problem(path: str, text: str) -> Problem:
    return Problem(file=path, line=1, column=1, text=text)
