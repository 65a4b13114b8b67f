"""What is lost without a delete: a file that is written over as a whole, or moved where nobody keeps it.

`dd of=data.db`, `ln -sf /dev/null data.db` and `mv src /tmp/` read like writes. Whether something is lost is a fact:
there is a file, and HEAD does not have it as it is. Where that is not known, a write stays a write.
"""

from __future__ import annotations

from ...model.more_wants import LostFromHead
from ...value import TYPE_CHECKING
from ..evaluate.state import silent
from ..machine.acts import on_path
from ..machine.places import FREE
from ..places.paths import in_project
from ..reach.git_facts import CHANGED, asked
from ..shell.syntax import Background, Group, Pipeline, Simple, Subshell

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..shell.syntax import Command

__all__ = ["is_fork_bomb", "moved_out", "written_over"]


def written_over(place: Arg, shell: Shell, name: str = "") -> None:
    """The place is about to hold something else. `name`: what lands in it, if it is a folder."""
    if place.unknown or place.glob:
        return
    looked = silent(shell)
    on_path("list", place, looked)
    for action in looked.found.actions:
        path = str(action.target.get("path", ""))
        own = in_project(shell.found.facts.root, path) and FREE.isdisjoint(action.tags)
        if own and path not in shell.files and asked(shell.found, LostFromHead(path, name)) == CHANGED:
            on_path("wipe", place, shell)
            return


def moved_out(since: int, shell: Shell) -> None:
    """`mv src /tmp/`: by the actions from there on, something of the project goes where it is swept away."""
    actions, root = shell.found.actions, shell.found.facts.root
    if not any(a.name == "fs:write" and _is_out(a.target.get("path"), root) for a in actions[since:]):
        return
    for at in range(since, len(actions)):
        action = actions[at]
        path = str(action.target.get("path", ""))
        if action.name != "fs:move" or not in_project(root, path) or not FREE.isdisjoint(action.tags):
            continue
        if "glob" in action.target or asked(shell.found, LostFromHead(path, "")) == CHANGED:
            actions[at] = action.replace(tags=tuple(sorted({*action.tags, "outside"})))


def _is_out(path: object, root: str) -> bool:
    return type(path) is str and not in_project(root, path)


def is_fork_bomb(name: str, body: list[Command]) -> bool:
    """`:(){ :|:& };:`: a function that starts itself twice, at the same time, whatever happens."""
    calls, at_once = _calls(name, body)
    return calls > 1 and at_once


def _calls(name: str, commands: list[Command]) -> tuple[int, bool]:
    calls, at_once = 0, False
    for command in commands:
        inner: list[Command] = []
        if type(command) is Simple:
            word = command.words[0].parts if command.words else []
            calls += len(word) == 1 and getattr(word[0], "text", None) == name
        elif isinstance(command, Background):
            inner, at_once = [command.command], True
        elif isinstance(command, Pipeline):
            inner, at_once = list(command.commands), True
        elif isinstance(command, Group | Subshell):
            inner = list(command.body)
        more = _calls(name, inner) if inner else (0, False)
        calls, at_once = calls + more[0], at_once or more[1]
    return calls, at_once
