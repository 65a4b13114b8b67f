"""What several ways through a script leave behind: one state that covers them all.

Where branches differ, a variable is unknown and a file may have been written or not; folders add up. What goes on at
the same time as the rest (a job, the other end of a pipe) may have written its files already, or not yet.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import Opaque, Simple
from .contents import Perhaps, either
from .numbers import checked, kept
from .origins import variable
from .words import NUL, Arg, same_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..shell.syntax import Command
    from .state import Shell

__all__ = ["at_the_same_time", "become", "files_run", "in_any_order", "join", "not_yet_sure", "took_effect"]

_RUN = frozenset(("exec:project", "exec:script"))


_SETTLES = frozenset(("git", "kubectl", "oc", "terraform", "tofu", "opentofu"))  # see earlier.py
_MOVES = frozenset(("cd", "cd..", "pushd"))


def took_effect(command: Command, shell: Shell) -> None:
    """After `cd x &&` the shell is in x: the folder it would be in otherwise does not count.

    That another command has worked, one behind the `cd` among them, says nothing of the `cd`.
    """
    checked(command, shell)
    if shell.git and type(command) is Simple:
        ways, worked = shell.git.get("worked", (None, ()))
        if shell.git.get("ways") is ways and command.words and command.words[0].plain in _SETTLES:
            shell.git["ways"] = worked
    if shell.entered is None or shell.folders is not shell.entered[0] or type(command) is not Simple:
        return
    name = command.words[0].plain if command.words else None
    if name in _MOVES and name not in shell.functions and name not in shell.aliases:
        shell.folders = shell.entered[1]


def join(shell: Shell, others: list[Shell]) -> None:
    """One state out of several that may be: what differs is unknown, folders add up."""
    for other in others:
        if shell.variables or other.variables:
            for name in {*shell.variables, *other.variables}:
                mine, theirs = shell.variables.get(name), other.variables.get(name)
                if mine is not theirs and (mine is None or theirs is None or not same_words(mine, theirs)):
                    held = (*(mine or ()), *(theirs or ()))
                    shell.variables[name] = [Arg(NUL, (0, 0), origin=kept(held, variable(name)))]
        if other.functions:
            for name, body in other.functions.items():
                if shell.functions.setdefault(name, body) is not body:
                    shell.functions[name] = Opaque(f"`{name}` is defined in two ways", body.span)
        here, there = shell.folders, other.folders
        if here is not None and here != there:
            folders = None if there is None else tuple(dict.fromkeys(here + there))
            shell.folders = folders if folders is not None and len(folders) <= 4 else None
        if other.path_changed is not None:
            shell.path_changed = shell.path_changed or other.path_changed
        if shell.odd is not other.odd:
            shell.odd = shell.odd | other.odd
        if shell.files is not other.files and (shell.files or shell.links or other.files or other.links):
            for path in {*shell.files, *other.files}:
                one, two = shell.files.get(path), other.files.get(path)
                if one is not two and (one is None or two is None or not _is_same(one, two)):
                    shell.files[path] = either(one, two)
            shell.links.update(other.links)
        if shell.git is not other.git and (shell.git or other.git):
            _join_ways(shell, other)
        if shell.parameters is not other.parameters:
            shell.parameters = None
        if other.traps and shell.traps is not other.traps:
            shell.traps = tuple(dict.fromkeys((*shell.traps, *other.traps)))
            shell.trapped = None


def _join_ways(shell: Shell, other: Shell) -> None:
    """The repository may be as either of the two has left it."""
    ways = tuple(dict.fromkeys((*shell.git.get("ways", ((),)), *other.git.get("ways", ((),)))))
    folders = {*shell.git.get("folders", ()), *other.git.get("folders", ())}
    seen = min(shell.git.get("seen", 0), other.git.get("seen", 0))
    shell.git.clear()
    shell.git.update(ways=ways, seen=seen, **({"folders": folders} if folders else {}))


def _is_same(one: Arg, two: Arg) -> bool:
    return one.known and one.text == two.text and type(one) is type(two)


def become(shell: Shell, other: Shell) -> None:
    shell.variables = other.variables
    shell.functions = other.functions
    shell.folders = other.folders
    shell.parameters = other.parameters
    shell.path_changed = other.path_changed
    shell.odd = other.odd
    shell.traps = other.traps
    shell.trapped = other.trapped
    shell.files.clear()
    shell.files.update(other.files)
    shell.links.update(other.links)
    shell.git.clear()
    shell.git.update(other.git)


def at_the_same_time(shell: Shell, run: Callable[[Shell], Arg | None]) -> Arg | None:
    """What is written by something that is not waited for."""
    found = shell.found
    found.unsettled.append(len(found.commands))
    inner = shell.copy()
    inner.files, inner.git = dict(shell.files), dict(shell.git)
    since = len(found.actions)
    output = run(inner)
    if inner.git:
        _join_ways(shell, inner)
    shell.files.update(not_yet_sure(shell.files, inner.files))
    for path in files_run(since, shell):  # whoever writes it later may still be in time
        found.meanwhile = {**(found.meanwhile or {}), path: shell.files.get(path)}
    return output


def files_run(since: int, shell: Shell) -> list[str]:
    """The files that were run since then."""
    run = [action.target.get("path") for action in shell.found.actions[since:] if action.name in _RUN]
    return [path for path in run if type(path) is str]


def not_yet_sure(before: dict[str, Arg], after: dict[str, Arg]) -> dict[str, Arg]:
    """The files that were written between the two, as they may be or not be."""
    return {path: Perhaps(text) for path, text in after.items() if before.get(path) is not text}


def in_any_order(follow: Callable[[Any, Shell], Arg | None]) -> Callable[[Any, Shell], Arg | None]:
    """Rounds, and parts that run at the same time: what comes later in the text may run before what comes earlier."""

    def followed(command: Any, shell: Shell) -> Arg | None:
        begun = len(shell.found.commands)
        output = follow(command, shell)
        shell.found.unordered.append((begun, len(shell.found.commands)))
        return output

    return followed
