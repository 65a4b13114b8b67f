"""Folders that git surely ignores, so that `git clean` leaves them alone and a checkpoint need not hold them.

Only what is beyond doubt: a plain name of a folder in the project's own `.gitignore` or `info/exclude`, where no rule
there takes anything back. A folder that is ignored as a whole cannot be taken in again by a file inside it.
"""

from __future__ import annotations

import os

from ...value import TYPE_CHECKING
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..facts.git_objects import Repository

__all__ = ["is_surely_ignored"]

_LIMIT = 256 * 1024
_PATTERN = frozenset("*?[]\\ !#")


def is_surely_ignored(repository: Repository, home: str) -> Callable[[str], bool]:
    """Says of a path below the work tree whether git ignores it for certain."""
    anywhere: dict[str, bool] = {}  # a plain name -> whether it is one of folders alone
    at_top: dict[str, bool] = {}
    for path in (f"{repository.top}/.gitignore", f"{repository.gitdir}/info/exclude"):
        raw = read_file(path, limit=_LIMIT) or b""
        for line in raw.decode("utf-8", "surrogateescape").split("\n"):
            rule = line.strip()
            if rule.startswith("!"):
                return lambda _: False
            if not rule or rule.startswith("#") or not _PATTERN.isdisjoint(rule):
                continue
            plain = rule.strip("/")
            names = at_top if "/" in plain or rule.startswith("/") else anywhere
            names[plain] = rule.endswith("/") and names.get(plain, True)

    def ignores(path: str) -> bool:
        # Further down, a file of rules of its own may take a name back: only at the top it is certain.
        only_folders = at_top.get(path) if path in at_top else None if "/" in path else anywhere.get(path)
        if only_folders is None:
            return False
        at = f"{repository.top}/{path}"
        return not only_folders or (os.path.isdir(at) and not os.path.islink(at))

    return ignores
