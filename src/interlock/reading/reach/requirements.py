"""Lists of packages that name other lists: `-r base.txt` in a requirements-dev.txt, `-c`, and `-e ./pkg`.

pip reads what a list includes as if it stood there. So a list of the project leads to one that this session wrote, and
that may say where every package comes from.
"""

from __future__ import annotations

import re

from ...limits import MAX_FACT_ROUNDS
from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.places import has_written
from ..places.paths import Unsettled, in_project, settle

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["LISTS", "follow_dynamic", "follow_lists", "look_at_list", "packages_in", "remove_listed"]

LISTS = (".txt", ".in", ".pip")
_ENDINGS = (*LISTS, ".yml", ".yaml")
_MOST = 30  # lists that are followed for one call
_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-=<>!~,[]* :'\"")
_INCLUDES = re.compile(r"(?:-r|-c|--requirements?(?=[\s=])|--constraints?(?=[\s=]))[\s=]*(.+)")
_EDITABLE = re.compile(
    r"(?:-e|--editable(?=[\s=]))[\s=]*(.+)|((?:\.{1,2}/|/|file:).+)|[\w.-]+(?:\[[^]]*\])?\s*@\s*(file:.+)"
)


def _lines(text: str) -> list[str]:
    joined = re.sub(r"\\\r?\n", " ", text)
    return [line for raw in joined.splitlines() if (line := re.sub(r"(?:^|\s)#.*$", "", raw).strip())]


def _named(text: str) -> tuple[list[str], list[str]]:
    """Other lists, and folders that are installed; addresses are neither."""
    lists, folders = [], []
    for line in _lines(text):
        found = _INCLUDES.fullmatch(line)
        place = _EDITABLE.fullmatch(line) if found is None else None
        if found is not None:
            lists.append(found[1].strip(" \"'"))
        elif place is not None:
            name = next(part for part in place.groups() if part).partition(";")[0].partition("[")[0].strip(" \"'")
            folders.append(re.sub(r"^file:(?://(?=/))?", "", name))
    return [name for name in lists if "://" not in name], [name for name in folders if "://" not in name]


def packages_in(path: str, shell: Shell) -> tuple[str, ...] | None:
    """What a list that this session wrote names; None if it does more: addresses, options, paths."""
    if not path.endswith(_ENDINGS):
        return None
    held = shell.files.get(path)
    text = shell.found.facts.scripts.get(path) if held is None else held.text if held.known else None
    if text is None:
        if held is None:
            shell.found.want(Script(path))
        return None
    names = []
    for line in _lines(text):
        found = _INCLUDES.fullmatch(line)
        if found is not None and "://" not in found[1] and path.endswith(LISTS):
            continue  # it is followed by itself
        name = line.removeprefix("- ").strip()
        if name.startswith(("-", ".")) or not _CHARS.issuperset(name):
            return None
        if name and ":" not in name:  # a key of a list in YAML
            names.append(name)
    return tuple(dict.fromkeys(names))


def follow_lists(path: str, shell: Shell, span: tuple[int, int]) -> None:
    """What a list includes is read as lists that the call names are."""

    for place, folder in _next(path, shell, span):
        if folder or not place.endswith(LISTS) or has_written(place, shell) or not _is_own(place, shell):
            shell.found.follow.run_place(Arg(place, span, quoted=True), shell, span)
        else:
            follow_lists(place, shell, span)


_SAY_LISTS = ("pyproject.toml", "setup.cfg", "setup.py")


def follow_dynamic(folder: str, shell: Shell, span: tuple[int, int]) -> None:
    """Lists of this session that a project takes its dependencies from: `dynamic`, or a setup.py that reads them."""
    lists = [
        path
        for path in sorted({*shell.files, *shell.found.facts.written})
        if path.startswith(f"{folder}/") and path.endswith(LISTS) and "require" in path[len(folder) :]
    ]
    if not lists:
        return
    said = [text for name in _SAY_LISTS for text in texts_of_file(f"{folder}/{name}", shell) or ()]
    for path in lists:
        if any(path.rpartition("/")[2] in text for text in said):
            shell.found.follow.run_place(Arg(path, span, quoted=True), shell, span)


def _is_own(path: str, shell: Shell) -> bool:
    return in_project(shell.found.facts.root, path)


def look_at_list(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A list whose packages are looked up and not installed: it may still lead elsewhere, or build a folder."""
    left = on_path("read", arg, shell)
    while left:
        path = left.pop()
        if has_written(path, shell) and path.endswith(LISTS) and packages_in(path, shell) is None:
            shell.unclear(
                f"`{path}`, which was written in this session, may say where packages come from",
                span,
                kind="written-here",
            )
        for place, folder in _next(path, shell, span):
            if folder:
                shell.found.follow.run_place(Arg(place, span, quoted=True), shell, span)
            else:
                left.append(place)


def remove_listed(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A list whose packages are taken away, and those of the lists that it includes."""
    left, seen = on_path("read", arg, shell), set[str]()
    while left and len(seen) < _MOST:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        texts = texts_of_file(path, shell)
        if texts is None:
            shell.unclear(f"`{path}` names the packages that are removed, and it was not read", span)
            continue
        for text in texts:
            named = [line for line in _lines(text) if not line.startswith("-")]
            if named:
                effects = (Effect.WRITE, Effect.EXECUTE)
                emit(shell, span, name="pkg:remove", effects=effects, target={"package": tuple(named)})
            if "://" in text:
                shell.unclear(f"`{path}` may include a list from an address", span)
            for name in _named(text)[0]:
                try:
                    left.append(settle(name, cwd=path.rpartition("/")[0] or "/", home=shell.found.facts.home))
                except Unsettled:
                    shell.unclear(f"`{path}` includes a list whose name could not be read", span)
    if left:
        shell.unclear("lists of packages name more lists than are followed", span)


def _next(path: str, shell: Shell, span: tuple[int, int]) -> list[tuple[str, bool]]:
    """What the list names, each once in a call: the place, and whether it is a folder that is installed."""
    found = shell.found
    if not path.endswith(LISTS) or not (shell.files or found.facts.written):
        return []
    if ("list", path) in found.seen:
        return []
    found.seen.add(("list", path))
    count = sum(1 for key in found.seen if key[:1] == ("list",))
    texts = texts_of_file(path, shell)
    late = count > MAX_FACT_ROUNDS - 1 and texts is None and path not in found.facts.unread | found.facts.absent
    if count > _MOST or late:  # `late`: there may be no further round to bring it
        shell.unclear("lists of packages name more lists than are followed", span)
        return []
    beside = path.rpartition("/")[0] or "/"
    places: list[tuple[str, bool]] = []
    for text in texts or ():
        lists, folders = _named(text)
        for names, base, folder in ((lists, (beside,), False), (folders, (*(shell.folders or ()), beside), True)):
            for name in names:
                if "$" in name:
                    if has_written(path, shell):
                        shell.unclear(f"`{path}` names a list by a variable", span, kind="written-here")
                    continue
                for at in dict.fromkeys(base):
                    try:
                        places.append((settle(name, cwd=at, home=found.facts.home), folder))
                    except Unsettled:
                        continue
    if not has_written(path, shell):  # where the project's own lists lead outside is its own choice
        places = [(place, folder) for place, folder in places if _is_own(place, shell) or has_written(place, shell)]
    return list(dict.fromkeys(places))
