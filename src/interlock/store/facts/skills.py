"""Finds the files that a host may mean by the name of a skill, a command or an agent.

Where a host looks: the project, the folders above it, the person's own folder, plug-ins, folders that it was started
with, and folders below the project. Names are compared loosely, so more may be found than the host would take: what
is found is only ever read, and what it would run counts. Nothing here is run or written.
"""

from __future__ import annotations

import os

from ...bytes.strict import parse_object
from ...limits import MAX_SKILL_FILES, MAX_SKILL_FOLDERS, MAX_STATE_BYTES
from ...model.errors import InterlockError
from ...reading.tools.front_matter import split
from ...value import TYPE_CHECKING, FrozenMap
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.facts import Facts
    from ...model.more_wants import DefiningFiles
    from ...value import Json

__all__ = ["defining_files", "given_folders"]

_MANAGED = ("/etc/claude-code/.claude", "/Library/Application Support/ClaudeCode/.claude")
_FOLDERS = (".claude", ".qwen", ".agents")  # of Claude Code and Qwen Code; which of them asks is not told
_HEAD_BYTES = 256 * 1024
_PASSED_OVER = frozenset((".git", "node_modules", ".venv", "__pycache__"))
_GIVEN = ("--plugin-dir", "--add-dir")


def defining_files(want: DefiningFiles, facts: Facts) -> tuple[str, ...]:
    """The files that define it, each under the name by which it was found and, if another, where that leads."""
    if "\0" in want.name or not want.name:
        return ()
    found: dict[str, None] = {}
    for path in _candidates(want.kind, want.name, facts):
        found[path] = None
        real = os.path.realpath(path)
        if real != path:
            found[real] = None
        if len(found) > MAX_SKILL_FILES:
            break
    return tuple(found)


def _candidates(kind: str, name: str, facts: Facts) -> Iterator[str]:
    scope, _, last = name.rpartition(":")
    given = given_folders(facts.parent)
    near = [*_settings_folders(facts), *[f"{folder}/.claude" for folder in given], *_extensions(facts)]
    wanted = last.casefold()
    any_found = False
    for folder in near:
        for path in _in_folder(kind, folder, wanted):
            any_found = True
            yield path
    if kind == "skill" and scope:
        for folder in (*_plugins(scope, facts), *given):
            for path in _in_plugin(folder, wanted):
                any_found = True
                yield path
    if not any_found or "/" in scope:
        for folder in _below(facts.root):
            yield from _in_folder(kind, folder, wanted)


def _settings_folders(facts: Facts) -> list[str]:
    folders = []
    at = facts.root
    while at and at != "/":
        folders += [f"{at}/{name}" for name in _FOLDERS]
        at = at.rpartition("/")[0]
    folders += [*[_own_folder(facts, name) for name in _FOLDERS], *_MANAGED]
    return list(dict.fromkeys(folders))


def _own_folder(facts: Facts, name: str = ".claude") -> str:
    """The person's own settings, where a variable may have put them."""
    return next((folder for folder, place in facts.moved.items() if place == name), f"{facts.home}/{name}")


def _extensions(facts: Facts) -> list[str]:
    """The extensions of Qwen Code, which bring skills and agents of their own."""
    folder = f"{_own_folder(facts, '.qwen')}/extensions"
    return [f"{folder}/{name}" for name in _names(folder)]


def _in_folder(kind: str, folder: str, wanted: str) -> Iterator[str]:
    if kind == "agent":
        yield from _texts(f"{folder}/agents", wanted)
        return
    yield from _skills(f"{folder}/skills", wanted)
    yield from _texts(f"{folder}/commands", wanted)


def _skills(folder: str, wanted: str) -> Iterator[str]:
    """`NAME/SKILL.md`, by the name of its folder or by the one that it gives itself."""
    for entry in _names(folder):
        path = f"{folder}/{entry}/SKILL.md"
        if os.path.lexists(path) and (entry.casefold() == wanted or _own_name(path) == wanted):
            yield path


def _texts(folder: str, wanted: str) -> Iterator[str]:
    """`NAME.md` at any depth."""
    for at in _walk(folder):
        for entry in _names(at):
            path = f"{at}/{entry}"
            if entry.endswith(".md") and (entry[:-3].casefold() == wanted or _own_name(path) == wanted):
                yield path


def _own_name(path: str) -> str:
    try:
        raw = read_file(path, limit=_HEAD_BYTES) or b""
    except InterlockError:
        return ""
    head, _ = split(raw.decode("utf-8", "replace"))
    return head.value("name").casefold()


def _plugins(name: str, facts: Facts) -> list[str]:
    """Where plug-ins of this name are installed."""
    own = _own_folder(facts)
    try:
        known = parse_object(
            read_file(f"{own}/plugins/installed_plugins.json", limit=MAX_STATE_BYTES) or b"{}", limit=MAX_STATE_BYTES
        )
    except InterlockError:
        return []
    listed = known.get("plugins")
    found: list[str] = []
    for key, value in listed.items() if isinstance(listed, FrozenMap) else ():
        if str(key).rpartition("@")[0].casefold() == name.casefold():
            found += _install_paths(value)
    return found


def _install_paths(value: Json) -> list[str]:
    if isinstance(value, tuple):
        return [path for item in value for path in _install_paths(item)]
    path = value.get("installPath") if isinstance(value, FrozenMap) else None
    return [path.rstrip("/")] if type(path) is str and path.startswith("/") else []


def _in_plugin(folder: str, wanted: str) -> Iterator[str]:
    yield from _skills(f"{folder}/skills", wanted)
    yield from _texts(f"{folder}/commands", wanted)
    if os.path.lexists(f"{folder}/SKILL.md") and _own_name(f"{folder}/SKILL.md") == wanted:
        yield f"{folder}/SKILL.md"
    try:
        about = parse_object(read_file(f"{folder}/.claude-plugin/plugin.json", limit=MAX_STATE_BYTES) or b"{}")
    except InterlockError:
        return
    for key in ("skills", "commands"):
        named = about.get(key)
        for place in named if isinstance(named, tuple) else (named,):
            if type(place) is str:
                path = os.path.normpath(f"{folder}/{place}")
                if path.endswith(".md"):
                    yield path
                else:
                    yield from _skills(path, wanted)
                    yield from _texts(path, wanted)


def given_folders(pid: int, options: tuple[str, ...] = _GIVEN) -> list[str]:
    """Folders that the host was started with, as its command line says."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(64 * 1024).decode("utf-8", "replace").split("\0")
        cwd = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return []
    found = []
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name not in options:
            continue
        values = [value] if value else []
        if not value:
            for following in words[at + 1 :]:
                if following.startswith("-") or not following:
                    break
                values.append(following)
        found += [os.path.normpath(os.path.join(cwd, given)) for given in values]
    return found


def _below(root: str) -> Iterator[str]:
    """The settings folders in folders of the project."""
    for folder in _walk(root):
        if folder != root:
            yield from [place for name in _FOLDERS if os.path.isdir(place := f"{folder}/{name}")]


def _walk(top: str) -> Iterator[str]:
    """Folders, nearest first, up to a bound; links to folders too, which hosts follow."""
    waiting, seen = [top], 0
    while waiting and seen < MAX_SKILL_FOLDERS:
        folder = waiting.pop(0)
        seen += 1
        yield folder
        try:
            with os.scandir(folder) as entries:
                below = sorted([e.name for e in entries if e.name not in _PASSED_OVER and e.is_dir()])
        except OSError:
            continue
        if folder.count("/") - top.count("/") < 12:
            waiting += [f"{folder}/{name}" for name in below if name not in _FOLDERS or folder != top]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:MAX_SKILL_FOLDERS]
    except OSError:
        return []
