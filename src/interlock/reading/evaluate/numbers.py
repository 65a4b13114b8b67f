"""Text that bash evaluates as a number: `((x))`, `[[ $x -gt 1 ]]`, `${a[x]}` run a command that the text holds.

`a[$(cmd)]` is a number to bash, whose subscript is a command. So it matters where a text comes from that is used so.
What a server answers, and what is in a file of this session, may hold anything; the number of lines, a date, the
output of the project's own programs and what was checked before to be digits is what it looks like. `source_of` says
where an unknown text comes from, its origin goes wherever the text goes, and `evaluated` judges it at the end.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..machine.places import has_written, where
from ..shell.syntax import Cond, Lit, Param
from ..shell.walk import nodes
from .flow import stays
from .flows import Fetched, Poured
from .origins import Origin, file_of, said
from .words import SIGNS, Arg, may_run

if TYPE_CHECKING:
    from ...model.action import Action
    from ..lands.fetched import came_with
    from ..shell.syntax import Command, Node
    from .counting import count, tested
    from .state import Shell
else:
    came_with = lazy(globals(), "..lands.fetched", "came_with")
    count = lazy(globals(), ".counting", "count")
    tested = lazy(globals(), ".counting", "tested")

__all__ = ["checked", "counts", "evaluated", "in_doubt", "kept", "source_of", "taken_in"]

_UNTRUSTED = frozenset(("answered", "brought", "downloaded", "session-file"))
_DEEPEST = 4  # variables that name variables

_ANSWER = frozenset(("gh", "glab", "hub", "tea"))  # what others wrote, in an issue or a comment


def in_doubt(origin: Origin | None) -> bool:
    return origin is not None and origin.kind in _UNTRUSTED


def kept(values: list[Arg] | tuple[Arg, ...], other: Origin) -> Origin:
    """The origin of what is made of the values: theirs, where that matters, or the other one."""
    return next((value.origin for value in values if value.origin is not None and in_doubt(value.origin)), other)


def source_of(commands: list[Command], since: tuple[int, int, int], other: Origin, shell: Shell) -> Origin:
    """Where the unknown text comes from that the commands print. `since`: how much was found before they ran."""
    doubt = _doubt(commands, since, shell)
    return other if doubt is None or counts(commands, shell) else doubt


def _doubt(commands: list[Command], since: tuple[int, int, int], shell: Shell) -> Origin | None:
    found = shell.found
    actions, again, ran = since
    if any(map(_answers, (*found.actions[actions:], *found.again[again:]))):
        return Origin("answered")
    for node in _nodes(commands):
        if type(node) is Lit and "[" in node.text and may_run(node.text):  # in a here-document, too
            return Origin("session-file")
        if type(node) is Param:
            for value in shell.variables.get(node.name, ()):
                if in_doubt(value.origin):
                    return value.origin
    for args, _ in found.commands[ran:]:
        if args and args[0].text in _ANSWER:
            return Origin("answered")
        for arg in args:
            if "[" in arg.text or "\\" in arg.text or "%c" in arg.text or "(" in arg.text:
                if may_run(arg.text):
                    return Origin("session-file")
    if not shell.files and not found.facts.written and not found.fetched:
        return None
    paths = [where(arg, shell) for args, _ in found.commands[ran:] for arg in args if arg.known]
    paths += [str(action.target.get("path", "")) for action in found.actions[actions:] if action.name == "fs:read"]
    return next((Origin("session-file", path) for path in paths if _is_brought(path, shell)), None)


def _answers(action: Action) -> bool:
    return Effect.NETWORK in action.effects and not stays(action.target.get("host"))


def _nodes(commands: list[Command]) -> list[Node]:
    return [node for command in commands for node in nodes(command)]


def _is_brought(path: str, shell: Shell) -> bool:
    return has_written(path, shell) or came_with(path, shell) is not None


def taken_in(given: Arg | None, other: Origin, shell: Shell) -> Origin:
    """Where a text comes from that is read from standard input."""
    if given is None:
        return other
    if isinstance(given, Fetched):
        return Origin("answered")
    if in_doubt(given.origin):
        return given.origin  # type: ignore[return-value]
    if given.known and may_run(given.text):
        return Origin("session-file")
    path = given.path if isinstance(given, Poured) else file_of(given.origin)
    return Origin("session-file", path) if path and _is_brought(path, shell) else other


def evaluated(arg: Arg, shell: Shell, span: tuple[int, int], depth: int = 0) -> None:
    """A text that is used as a number, or as a subscript: asked about, where it may hold a command."""
    origin = arg.origin
    if origin is not None and in_doubt(origin) and _is_doubtful(origin, shell):
        shell.unclear(f"{said(origin)} is evaluated as a number, which runs what is in it", span)
    elif "[" in arg.text and any(sign in arg.text for sign in SIGNS):
        shell.unclear("a subscript that is evaluated runs a command", span)
    elif depth < _DEEPEST and shell.variables:
        for name in _names(arg.text):
            for value in shell.variables.get(name, ()):
                if value.origin is not None or value.text.isidentifier():
                    evaluated(value, shell, span, depth + 1)


def _names(text: str) -> list[str]:
    plain = "".join([char if char.isalnum() or char == "_" else " " for char in text])
    return [word for word in plain.split() if not word[0].isdigit()]


def _is_doubtful(origin: Origin, shell: Shell) -> bool:
    """A file of this session is no matter if its text is at hand, and holds nothing that runs."""
    path = origin.name
    if origin.kind != "session-file" or not path:
        return True
    text = shell.files.get(path)
    if text is not None and text.known:
        return may_run(text.text)
    if text is not None:
        return in_doubt(text.origin) or isinstance(text, Fetched) or came_with(path, shell) is not None
    if path in shell.found.facts.scripts:
        return may_run(shell.found.facts.scripts[path])
    shell.found.want(Script(path))
    return True


def counts(commands: list[Command], shell: Shell, *, piped: bool = False) -> bool:
    """True if all that the commands print is numbers; what it takes to tell is loaded only where it matters."""
    return count(commands, shell.functions, piped=piped)


def checked(command: Command, shell: Shell) -> None:
    """Behind `[[ $x =~ ^[0-9]+$ ]] &&` the variable holds digits."""
    if type(command) is Cond and command.test.op == "=~":
        name = tested(command.test)
        values = shell.variables.get(name)
        if values and in_doubt(values[0].origin):
            shell.variables[name] = [Arg("*", command.span, glob=True)]
