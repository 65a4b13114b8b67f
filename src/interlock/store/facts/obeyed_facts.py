"""What the disk tells of files that others obey: links, variables, and where git takes its hooks from.

`core.hooksPath` is read from files, never by running git, which obeys the repository. A file that
cannot be read, or a value that is not a plain path, names no folder: `.git/hooks`, `.husky` and the like are known by
their names (model/obeyed.py).
"""

from __future__ import annotations

import os

from ...model.errors import StoreError
from ...reading.places.paths import folded, holds
from ...value import TYPE_CHECKING, lazy
from ..home.files import DISK

if TYPE_CHECKING:
    from typing import Any

    from ..home.files import Disk
    from ..home.folders import Folders
    from .remembered import AtOnce, Remembered
    from .work_trees import work_trees
else:
    work_trees = lazy(globals(), ".work_trees", "work_trees")

__all__ = ["hook_folders", "obeyed_facts"]

_MAX_BYTES = 1 << 18


def obeyed_facts(
    folders: Folders, root: str, remembered: Remembered | AtOnce | None = None, scratch: str = ""
) -> dict[str, Any]:
    """The fields of `Facts` that say it. `scratch`: the folder that the host gives the session."""
    home = folders.home
    if remembered is None:
        hooks = hook_folders(root, home)
    else:
        hooks = remembered.of(("hooks", root, home), lambda disk: hook_folders(root, home, disk))
    return {
        "beside": (*_beside(root, home), *_scratch(scratch)),
        "keeps": folders.keeps,
        "linked": folders.linked,
        "moved": folders.moved,
        "hooks": hooks,
    }


def _beside(root: str, home: str) -> tuple[str, ...]:
    """Most projects have no list of linked work trees."""
    try:
        names = os.listdir(root + "/.git/worktrees")
    except (OSError, ValueError):
        return ()
    return work_trees(root, home, names) if names else ()


def _scratch(folder: str) -> tuple[str, ...]:
    """It counts where it is a folder of this very user, and no link is on the way."""
    folder = folder.replace("{uid}", str(os.getuid()))
    try:
        mine = folder and os.path.isdir(folder) and os.stat(folder).st_uid == os.getuid()
        return (folder + "/",) if mine and os.path.realpath(folder) == folder else ()
    except (OSError, ValueError):
        return ()


def hook_folders(root: str, home: str, disk: Disk = DISK) -> tuple[str, ...]:
    """Spelt as `paths.folded` does, with a slash at the end. The project itself, or a folder above it, is none."""
    found = []
    for config in (_of_repository(root, disk), home + "/.gitconfig", home + "/.config/git/config"):
        for path in _hooks_paths(config, disk):
            path = home + path[1:] if path.startswith("~/") else path
            folder = os.path.normpath(os.path.join(root, path))
            if not holds(folder, root) and folder != home:
                found.append(folded(folder) + "/")
    return tuple(dict.fromkeys(found))


def _of_repository(root: str, disk: Disk) -> str:
    """The settings that all work trees of the repository share."""
    git = root + "/.git"
    if disk.is_folder(git):
        return git + "/config"
    folder = _text(git, disk).partition("gitdir:")[2].strip()
    if not folder:
        return git + "/config"
    folder = os.path.normpath(os.path.join(root, folder))
    common = _text(folder + "/commondir", disk).strip()
    return os.path.normpath(os.path.join(folder, common)) + "/config" if common else folder + "/config"


def _hooks_paths(config: str, disk: Disk) -> list[str]:
    text = _text(config, disk)
    if "hookspath" not in text.lower():
        return []
    found = []
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and name.strip().lower() == "hookspath":
            value = value.strip().strip('"')
            if value:
                found.append(value)
    return found


def _text(path: str, disk: Disk) -> str:
    try:
        raw = disk.read(path, limit=_MAX_BYTES)
    except (StoreError, ValueError):
        return ""
    return "" if raw is None else raw.decode("utf-8", "replace")
