"""Which images the files of a commit name: reading/reach/image_lists.py reads them."""

from __future__ import annotations

from ...limits import MAX_GIT_TREES, MAX_LIST_BYTES
from ...model.errors import StoreError
from ...reading.reach.image_lists import images_in, is_image_file
from ...value import TYPE_CHECKING
from .git_objects import repository_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.more_wants import Images
    from .git_objects import Repository

__all__ = ["images_of"]

_PLAIN = ("100644", "100755")
_FOLDER = "40000"
_DEEPEST = 4  # folders below the project
_MOST = 128  # files that are read
_OTHERS = frozenset(("node_modules", "vendor", "third_party", "testdata", "fixtures"))  # what lies there is not obeyed


def images_of(want: Images) -> tuple[str, ...]:
    """What cannot be looked at names nothing."""
    try:
        return _named(want.root, want.commit or "HEAD")
    except (StoreError, OSError, ValueError):
        return ()


def _named(root: str, commit: str) -> tuple[str, ...]:
    repository = repository_of(root)
    if repository is None or not f"{root}/".startswith(repository.top.rstrip("/") + "/"):
        return ()
    named = repository.resolve(commit)
    known = repository.commit(named[0]) if len(named) == 1 else None
    if known is None:
        return ()
    tree = known[0]
    for part in root[len(repository.top.rstrip("/")) + 1 :].split("/"):
        if part:
            mode, name = repository.tree(tree).get(part, ("", ""))
            if mode != _FOLDER:
                return ()
            tree = name
    found: dict[str, None] = {}
    for path, blob in list(_files(repository, tree))[:_MOST]:
        held = repository.read(blob)
        if held is not None and held[0] == "blob" and len(held[1]) <= MAX_LIST_BYTES:
            found.update(dict.fromkeys(images_in(path, held[1].decode("utf-8", "replace"))))
    return tuple(found)


def _files(repository: Repository, tree: str) -> Iterator[tuple[str, str]]:
    """Path below the project and object of each, the nearest first."""
    level, looked = [("", tree)], 0
    for _ in range(_DEEPEST + 1):
        below: list[tuple[str, str]] = []
        for folder, at in level:
            looked += 1
            if looked > MAX_GIT_TREES // 2:
                return
            for name, (mode, held) in sorted(repository.tree(at).items()):
                if mode == _FOLDER and name not in _OTHERS:
                    below.append((f"{folder}{name}/", held))
                elif mode in _PLAIN and is_image_file(folder + name):
                    yield folder + name, held
        level = below
