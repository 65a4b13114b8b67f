"""What stood in a temporary folder before a session began: by the time of the last change, and by repositories.

A file that this session, or a program that it ran, has put there changed since then; so did every file below a folder.
What cannot be looked at, or is too much to look at, counts as somebody else's.
"""

from __future__ import annotations

import os
import time

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...model.facts import Facts
    from ...model.more_wants import Stood

__all__ = ["standing"]

_MOST = 20_000  # files that are looked at
_OF_REPOSITORIES = ("HEAD", "config", "description", "hooks")  # they stay as they are while one works
_IS_FOLDER, _KIND = 0o040000, 0o170000


def standing(want: Stood, facts: Facts, wrote: Callable[[str], bool] | None = None) -> str:
    """`earlier` or `repository` for what is not the session's own; empty for what is, or is not there.

    A file that any session here has written may be written again: `wrote` knows.
    """
    began = _seconds(facts.since)
    try:
        for at in _meant(want.path):
            found = _one(at, want.whole, began, facts.temp)
            if found:
                return "" if found == "earlier" and not want.whole and wrote is not None and wrote(at) else found
    except (OSError, ValueError):
        return "earlier"
    return ""


def _seconds(moment: str) -> float:
    """The moment at which the session began; one that is not known has not been yet."""
    import calendar

    try:
        return calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return float("inf")


def _meant(path: str) -> Iterator[str]:
    """What a pattern matches now. Below a `**` all of it is meant."""
    if not any(char in path for char in "*?["):
        yield path
        return
    import glob

    if "**" in path:
        yield path.partition("**")[0].rpartition("/")[0] or "/"
        return
    for count, at in enumerate(glob.iglob(path, include_hidden=False)):
        if count == _MOST:
            raise ValueError("too many")
        yield at


def _one(path: str, whole: bool, began: float, temp: tuple[str, ...]) -> str:
    try:
        there = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    is_folder = there.st_mode & _KIND == _IS_FOLDER
    if is_folder and not whole:
        return ""  # what is put into it is looked at by its own name
    if _in_older_repository(path, began, temp):
        return "repository"
    if there.st_ctime < began or (is_folder and _holds_older(path, began)):
        return "earlier"
    return ""


def _holds_older(folder: str, began: float) -> bool:
    seen = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > _MOST or entry.stat(follow_symlinks=False).st_ctime < began:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return False


def _in_older_repository(path: str, began: float, temp: tuple[str, ...]) -> bool:
    folder = path
    while folder + "/" not in temp and folder not in ("", "/"):
        for name in (".git", *[f".git/{name}" for name in _OF_REPOSITORIES]):
            try:
                if os.lstat(f"{folder}/{name}").st_ctime < began:
                    return True
            except (FileNotFoundError, NotADirectoryError):
                continue
        folder = folder.rpartition("/")[0]
    return False
