"""The packs that come with Interlock: files of cases in packs/, each about one kind of work, danger beside benign.

A pack is called by the name of its file, and its first line is a comment that says what it is about. They are ordinary
packs: what reads and runs them is what reads and runs those of a user.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

from .. import PACKAGE
from ..model.errors import InputError
from ..value import Value

__all__ = ["FOLDER", "Shipped", "name_of", "names", "path_of", "shipped"]

FOLDER = os.path.join(PACKAGE, "evals", "packs")
_END = ".yaml"


class Shipped(Value):
    name: str
    path: str
    about: str


def names() -> tuple[str, ...]:
    """INVARIANT: an installation without its packs is broken, and is told so: it never measures nothing."""
    try:
        found = sorted(file.removesuffix(_END) for file in os.listdir(FOLDER) if file.endswith(_END))
    except OSError as error:
        raise InputError(f"the packs of this installation cannot be read: {FOLDER}: {error.strerror}") from None
    if not found:
        raise InputError(f"this installation has no packs: {FOLDER} is empty")
    return tuple(found)


def path_of(name: str) -> str:
    known = names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"packs: {', '.join(known)}"
        raise InputError(f"there is no pack `{name}`; {hint}")
    return os.path.join(FOLDER, name + _END)


def name_of(path: str) -> str | None:
    """What a pack of ours is called; None: it is somebody else's file."""
    folder, file = os.path.split(os.path.abspath(path))
    return file.removesuffix(_END) if folder == FOLDER and file.endswith(_END) else None


def shipped(wanted: Iterable[str] = ()) -> tuple[Shipped, ...]:
    """The packs of these names, or all of them."""
    return tuple([Shipped(name=name, path=path_of(name), about=_about(path_of(name))) for name in wanted or names()])


def _about(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().lstrip("# ").rstrip()
    except (OSError, ValueError) as error:
        raise InputError(f"`{path}` could not be read: {error}") from None
