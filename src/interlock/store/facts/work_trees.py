"""Linked work trees of the project's own repository: folders beside it that count as the project.

A tree counts where both sides say so: the repository lists it (`.git/worktrees/NAME/gitdir`), and the `.git` file in it
names that very entry. A folder that only claims to belong is none, and so is one that a link stands for. It lies beside
the project, below the person's home, or in a temporary folder of its own, and never holds any of these.
"""

from __future__ import annotations

import os

from ...model.errors import StoreError
from ..home.files import read_file

__all__ = ["work_trees"]

_MOST = 64
_MAX_BYTES = 4096
_TEMPORARY = "/tmp/"  # noqa: S108 - where git is asked to put a tree, as people do


def work_trees(root: str, home: str, names: list[str]) -> tuple[str, ...]:
    """Each with a slash at the end. `names`: the entries of the repository's list."""
    found = []
    for name in sorted(names)[:_MOST]:
        entry = f"{root}/.git/worktrees/{name}"
        tree = _text(f"{entry}/gitdir").removesuffix("/.git")
        if _may_be(tree, root, home) and _text(f"{tree}/.git") == f"gitdir: {entry}":
            found.append(tree + "/")
    return tuple(found)


def _may_be(tree: str, root: str, home: str) -> bool:
    if not tree.startswith("/") or os.path.realpath(tree) != tree or (root + "/").startswith(tree + "/"):
        return False
    if (home + "/").startswith(tree + "/"):
        return False
    beside = os.path.dirname(tree) == os.path.dirname(root) != "/"
    below = tree.startswith(home + "/") and "/." not in tree[len(home) :]
    return beside or below or (tree.startswith(_TEMPORARY) and not home.startswith(_TEMPORARY))


def _text(path: str) -> str:
    """The one line of a file that git keeps; empty where it is a link or anything else."""
    try:
        if os.path.islink(path):
            return ""
        raw = read_file(path, limit=_MAX_BYTES) or b""
        return raw.decode().strip()
    except (OSError, ValueError, StoreError):
        return ""
