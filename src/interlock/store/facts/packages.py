"""Gathers the texts of a project's package files, as HEAD has them and as they lie there: reading/reach/declared.py."""

from __future__ import annotations

import os

from ...limits import MAX_LIST_BYTES, MAX_LISTS
from ...model.errors import StoreError
from ...reading.reach.declared import Declared, declared
from ...reading.reach.package_lists import FILES, is_manifest
from ...value import TYPE_CHECKING
from ..home.files import read_file
from .git_objects import repository_of

if TYPE_CHECKING:
    from ...model.more_wants import Packages
    from ...reading.reach.package_lists import Files
    from .git_objects import Repository

__all__ = ["declared_in"]

_PLAIN = ("100644", "100755")
_FOLDER = "40000"


def declared_in(want: Packages, home: str) -> Declared:
    """What cannot be looked at declares nothing."""
    collection, root = want.collection, want.root
    kinds = FILES[collection]
    folders = _up_to(want.folder, root)
    today: dict[str, str] = {}
    for at in folders:
        for name in _names_in(at, collection, kinds):
            _read_into(f"{at}/{name}", today)
    project: dict[str, str] = {}
    for at in folders:
        for name in kinds.settings:
            _read_into(f"{at}/{name}", project)
    person: dict[str, str] = {}
    for path in kinds.person:
        _read_into(home + path[1:] if path[:1] == "~" else path, person)
    try:
        head = _committed(folders, root, want.commit or "HEAD", collection, kinds)
    except (StoreError, OSError, ValueError):
        head = {}
    return declared(collection, head, today, project, person)


def _up_to(folder: str, root: str) -> list[str]:
    """The folder and those above it, up to the project."""
    found = [folder]
    while found[-1] != root and found[-1].startswith(root + "/"):
        found.append(found[-1].rpartition("/")[0])
    return found if found[-1] == root else []


def _names_in(folder: str, collection: str, kinds: Files) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [name for name in names if name in kinds.locks or is_manifest(collection, name)][:MAX_LISTS]


def _read_into(path: str, texts: dict[str, str]) -> None:
    try:
        raw = read_file(path, limit=MAX_LIST_BYTES)
    except StoreError:
        texts[path] = "\0"  # it is there, and nobody can follow it
        return
    if raw is not None:
        texts[path] = raw.decode("utf-8", "replace")


def _committed(folders: list[str], root: str, commit: str, collection: str, kinds: Files) -> dict[str, str]:
    """The texts that the commit has, of the repository that the project lies in."""
    repository = repository_of(folders[0]) if folders else None
    if repository is None or not f"{root}/".startswith(repository.top.rstrip("/") + "/"):
        return {}  # another repository, which this project only holds
    named = repository.resolve(commit)
    known = repository.commit(named[0]) if len(named) == 1 else None
    found: dict[str, str] = {}
    for folder in folders if known is not None else ():
        tree = _tree_at(repository, known[0], folder[len(repository.top.rstrip("/")) + 1 :]) if known else {}
        names = [name for name in tree if name in kinds.locks or is_manifest(collection, name)]
        for name in sorted(names)[:MAX_LISTS]:
            mode, blob = tree[name]
            held = repository.read(blob) if mode in _PLAIN else None
            if held is not None and held[0] == "blob":
                found[f"{folder}/{name}"] = held[1].decode("utf-8", "replace")
    return found


def _tree_at(repository: Repository, tree: str, below: str) -> dict[str, tuple[str, str]]:
    for part in below.split("/") if below else ():
        mode, name = repository.tree(tree).get(part, ("", ""))
        if mode != _FOLDER:
            return {}
        tree = name
    return repository.tree(tree)
