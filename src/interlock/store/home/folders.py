"""Where our own files are, and where a project begins.

The home folder comes from the system's user table, never from `$HOME` or another variable:
a project's settings can set variables for the hook's process (docs/adr/0006). Another place
is chosen by an argument, which only the person who wrote the hook's settings gives.
"""

from __future__ import annotations

import os
import sys

from ... import PACKAGE
from ...build import ORIGIN
from ...model.environment import moved_by
from ...model.errors import StoreError
from ...model.obeyed import OBEYED
from ...reading.places.paths import folded
from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MANAGED",
    "MANAGED_POLICY",
    "PROJECT_POLICY",
    "PROJECT_TESTS",
    "Folders",
    "find_root",
    "folders_for",
    "other_home",
]

MANAGED = "/etc/interlock"
MANAGED_POLICY = MANAGED + "/policy.toml"
PROJECT_TESTS = ".interlock/tests"
PROJECT_POLICY = ".interlock/policy.toml"
# What a person's `interlock` loads from the packages beside it. The hook itself looks at none of them.
_ENTRIES = ("interlock", "sitecustomize.py", "usercustomize.py")
_VERSIONED = ("interlock-", "__editable__.interlock-", "_editable_impl_interlock")  # each build has names of its own
_MARKERS = (".interlock", ".git", ".hg", ".jj")


class Folders(Value):
    home: str
    config: str
    state: str
    cache: str
    own: tuple[str, ...]  # what the floor guards as ours, files and folders, spelt for comparing
    linked: tuple[str, ...] = ()  # files that links in the home folder make start-up files, spelt in the same way
    moved: Mapping[str, str] = FrozenMap({})  # folders that variables put in place of one in the home folder
    keeps: tuple[str, ...] = ()  # those of them that hold keys and passwords
    given: bool = False  # somebody has said which home folder is meant

    @property
    def user_policy(self) -> str:
        return self.config + "/policy.toml"

    @property
    def trust(self) -> str:
        return self.config + "/trust.json"

    @property
    def postures(self) -> str:
        return self.state + "/postures.json"

    @property
    def ledger(self) -> str:
        return self.state + "/ledger.db"

    @property
    def pins(self) -> str:
        """What MCP servers say of their tools, a file for each server."""
        return self.state + "/mcp"

    @property
    def data(self) -> str:
        return self.home + "/.local/share/interlock"

    @property
    def launcher(self) -> str:
        return self.data + "/hook/guard.py"

    @property
    def installed(self) -> str:
        return self.state + "/installed.json"

    @property
    def history(self) -> str:
        return self.state + "/history.jsonl"


def folders_for(home: str | None = None) -> Folders:
    """The folders below the person's home, or below the given one."""
    given = home is not None
    if home is None:
        home = _home_in_table()
        if not home.startswith("/"):  # the working folder is the agent's, and must not become the person's home
            raise StoreError(
                f"the system's user table names no home folder for this user (id {os.getuid()}); "
                "say where Interlock keeps its files: interlock --home DIR"
            )
    home = os.path.abspath(home)
    config, state, cache = home + "/.config/interlock", home + "/.local/state/interlock", home + "/.cache/interlock"
    keeps = tuple(dict.fromkeys([folded(at) + "/" for at in (config, state, *map(os.path.realpath, (config, state)))]))
    floor, others = _behind_links(home)
    return Folders(
        home=home,
        config=config,
        state=state,
        cache=cache,
        own=_own((config, state, cache, home + "/.local/share/interlock"), floor),
        linked=tuple([folded(place) + "/" for place in others]),
        moved=moved_by(os.environ),
        keeps=keeps,
        given=given,
    )


def _home_in_table() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # as in many containers
        return ""


def other_home(folders: Folders, environment: Mapping[str, str]) -> str:
    """The folder that `HOME` names, where that is another one: programs look for their settings there, we do not."""
    named = environment.get("HOME", "").rstrip("/")
    if not named.startswith("/") or os.path.realpath(named) == os.path.realpath(folders.home):
        return ""
    return named


def _own(kept: tuple[str, ...], linked: list[str]) -> tuple[str, ...]:
    """What the floor guards as ours: what we keep, the package, where its copy came from, and the interpreter.

    Who can change `pyvenv.cfg`, the program or the standard library of a virtual environment
    inside the project has changed the guard. Each place is given under its name and under where
    it really is: settings are often links into a repository of dotfiles.
    """
    program = os.path.abspath(sys.executable or os.__file__)
    programs = os.path.dirname(program)
    around = os.path.dirname(programs)
    library = os.path.dirname(os.path.abspath(os.__file__))
    named = (
        *kept,
        PACKAGE,
        library,
        program,
        programs,
        around + "/pyvenv.cfg",
        *_entries_in(f"{around}/lib/{os.path.basename(library)}/site-packages"),
        *([ORIGIN, *_entries_in(os.path.dirname(ORIGIN))] if ORIGIN else ()),
    )
    places = (*named, *map(os.path.realpath, named), *linked)
    return tuple(dict.fromkeys([folded(place) + "/" for place in places]))


def _entries_in(packages: str) -> list[str]:
    try:
        there = [name for name in os.listdir(packages) if name.startswith(_VERSIONED)]
    except OSError:
        there = []
    return [f"{packages}/{name}" for name in (*_ENTRIES, *there)]


def _behind_links(home: str) -> tuple[list[str], list[str]]:
    """Where denied files in the home folder really are, if a link stands in between: the floor's, and the others."""
    found: tuple[list[str], list[str]] = ([], [])
    for pattern, group in OBEYED.items():
        if group.level != "denied" or "*" in pattern.removesuffix("/**"):
            continue
        path = f"{home}/{pattern.removeprefix('~/').removesuffix('/**')}"
        if os.path.lexists(path):
            real = os.path.realpath(path)
            if real != path:
                found[0 if group.floor else 1].append(real)
    return found


def find_root(cwd: str, home: str | None = None) -> str:
    """The nearest folder at or above `cwd` that looks like a project, else `cwd` itself.

    A home folder, and what lies above it, is no project of what is below: a `.git` for settings there would make all
    that a person has a part of it.
    """
    folder = cwd
    home = home or _home_in_table()
    while True:
        if folder == "/" or (folder + "/") == home[: len(folder) + 1] or folder == home:
            return cwd
        for marker in _MARKERS:
            if os.path.lexists(folder + "/" + marker):
                return folder
        up = os.path.dirname(folder)
        if up == folder:
            return cwd
        folder = up
