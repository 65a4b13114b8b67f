"""Jobs that do not outlive the script that starts them: `server & pid=$!; test; kill $pid`, `a & b & wait`.

What is left running is asked about because it goes on when nobody looks. A job that the same list of commands ends or
waits for, in a command of its own that nothing else decides about, is run as any other command.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import (
    AndOr,
    Arith,
    ArithSub,
    Background,
    Case,
    DoubleQuoted,
    For,
    ForArith,
    FunctionDef,
    Group,
    If,
    Lit,
    Param,
    Simple,
    While,
    Word,
)
from ..shell.walk import nodes

if TYPE_CHECKING:
    from ..shell.syntax import Command

__all__ = ["is_ended"]

# Signals that end a process, as `kill` takes them.
_ENDING = frozenset(("-9", "-15", "-2", "-TERM", "-KILL", "-INT", "-SIGTERM", "-SIGKILL", "-SIGINT"))


# Words after which the script, or the loop that it stands in, is left; what is read or run there may do so as well.
_LEAVING = frozenset("exit exec return disown logout suspend break continue eval source . alias enable".split())
# Words that may set a variable that they name.
_SETTING = frozenset("declare export getopts let local mapfile printf read readarray readonly typeset unset".split())


def is_ended(later: list[Command]) -> bool:
    """True if the job that was just started is ended, or waited for, by one of the commands that follow."""
    names = {"!"}
    for command in later:
        first = command.commands[0] if type(command) is AndOr else command
        if type(first) is Background:
            names.discard("!")  # from here on `$!` is another one
            continue
        if type(first) is Simple and _ends(first, names):
            return True
        if _leaves([command], names, loop=False):
            return False
        _rename(command, names)
    return False


def _ends(command: Simple, names: set[str]) -> bool:
    if not command.words:
        return False
    program, words = _literal(command.words[0]), command.words[1:]
    if program == "wait":
        return not words or any(_variable(word) in names for word in words)
    if program != "kill" or not any(_variable(word) in names for word in words):
        return False
    return all(text in _ENDING for word in words if (text := _literal(word))[:1] == "-")


def _leaves(commands: list[Command], names: set[str], *, loop: bool) -> bool:
    """True if the script may end in there while the job still runs. `loop`: a loop around it is left by `break`."""
    for command in commands:
        if type(command) is Simple:
            if _ends(command, names):
                return False
            program = _literal(command.words[0]) if command.words else ""
            if program in _LEAVING and not (loop and program in ("break", "continue")):
                return True
            if program == "kill" and any(_variable(word) == "$" for word in command.words):
                return True
            if any(type(node) is Param and node.op in ("?", ":?") for node in nodes(command)):
                return True
        elif type(command) is FunctionDef:
            if command.name in ("wait", "kill"):
                return True
        elif any(_leaves(inner, names, loop=loop or type(command) in _LOOPS) for inner in _lists(command)):
            return True
    return False


def _lists(command: Command) -> list[list[Command]]:
    """The lists of commands in it that the same shell runs; what a subshell leaves is the subshell."""
    if type(command) is AndOr:
        return [[inner] for inner in command.commands]
    if isinstance(command, Group | For | ForArith):
        return [command.body]
    if isinstance(command, While):
        return [command.condition, command.body]
    if isinstance(command, If):
        return [*[part for branch in command.branches for part in (branch.condition, branch.body)], command.orelse]
    return [item.body for item in command.items] if isinstance(command, Case) else []


_LOOPS = (For, ForArith, While)


def _rename(command: Command, names: set[str]) -> None:
    """Variables that hold the job's number after the command, and those that may no longer do so."""
    for node in nodes(command):
        if type(node) is Background:
            names.discard("!")
        elif type(node) is For:
            names.discard(node.name)
        elif type(node) is Simple and node.words and _literal(node.words[0]) in _SETTING:
            names -= {name for name in names if any(name in _spelt(word) for word in node.words[1:])}
        elif type(node) is Simple:
            for assign in node.assigns:
                names.discard(assign.name)
        elif type(node) in (Arith, ArithSub, ForArith):
            sums = "".join([part.text for part in nodes(node) if type(part) is Lit])
            names -= {name for name in names if name != "!" and name in sums}
    if type(command) is Simple and not command.words:
        for assign in command.assigns:
            plain = assign.op == "=" and assign.index is None and type(assign.value) is Word
            if plain and _variable(assign.value) in names:
                names.add(assign.name)


def _spelt(word: Word) -> str:
    return "".join([part.text for part in word.parts if type(part) is Lit])


def _literal(word: Word) -> str:
    part = word.parts[0] if len(word.parts) == 1 else None
    return part.text if type(part) is Lit else ""


def _variable(word: object) -> str:
    """`$x`, `"$x"` and `${x}`, and nothing around it."""
    parts = word.parts if type(word) is Word else []
    if len(parts) == 1 and type(parts[0]) is DoubleQuoted:
        parts = parts[0].parts
    part = parts[0] if len(parts) == 1 else None
    plain = type(part) is Param and not part.op and part.index is None and not part.length and not part.indirect
    return part.name if plain and type(part) is Param else ""
