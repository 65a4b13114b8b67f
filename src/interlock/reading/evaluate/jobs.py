"""Jobs that do not outlive the script that starts them: `server & pid=$!; test; kill $pid`, `a & b & wait`,
`for x in …; do job & done; wait`.

What is left running is asked about because it goes on when nobody looks. A job that the same list of commands ends or
waits for, in a command of its own that nothing else decides about, is run as any other command.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import AndOr, Background, DoubleQuoted, For, ForArith, Group, If, Lit, Param, Simple, While, Word
from .assigned import names_in

if TYPE_CHECKING:
    from ..shell.syntax import Command
    from .state import Shell

__all__ = ["HOLDS_JOBS", "are_awaited", "is_ended"]

HOLDS_JOBS = frozenset((For, ForArith, Group, If, While))  # whose jobs are those of the shell itself
_LETS_GO = frozenset(("exit", "exec", "return", "disown", "eval", "source", "."))
_ENDS = frozenset(("wait", "kill"))

# Signals that end a process, as `kill` takes them.
_ENDING = frozenset(("-9", "-15", "-2", "-TERM", "-KILL", "-INT", "-SIGTERM", "-SIGKILL", "-SIGINT"))


def is_ended(later: list[Command], shell: Shell) -> bool:
    """True if the job that was just started is ended, or waited for, by one of the commands that follow."""
    if not _mean_themselves(later, shell):
        return False
    names = {"!"}
    for command in later:
        first = command.commands[0] if type(command) is AndOr else command
        if type(first) is Background:
            names.discard("!")  # from here on `$!` is another one
            continue
        if type(first) is not Simple:
            continue
        if not first.words:
            for assign in first.assigns:
                names.discard(assign.name)
                plain = assign.op == "=" and assign.index is None and type(assign.value) is Word
                if plain and _variable(assign.value) in names:
                    names.add(assign.name)
            continue
        program, words = _literal(first.words[0]), first.words[1:]
        if program == "wait" and (not words or any(_variable(word) in names for word in words)):
            return True
        if program == "kill" and any(_variable(word) in names for word in words):
            signals = [text for word in words if (text := _literal(word))[:1] == "-"]
            if all(signal in _ENDING for signal in signals):
                return True
        if program in ("exit", "exec", "return", "disown", "unset", "read"):
            return False
    return False


def are_awaited(command: Command, later: list[Command], shell: Shell) -> bool:
    """True if one of the commands that follow waits for every job that this one has started."""
    if not _waits(later) or not _mean_themselves([command, *later], shell):
        return False
    return _LETS_GO.isdisjoint(names_in(shell.functions, [command]).calls)


def _mean_themselves(commands: list[Command], shell: Shell) -> bool:
    """False if a function has, or gets, the name of what is to end the job."""
    return _ENDS.isdisjoint(shell.functions) and _ENDS.isdisjoint(names_in(shell.functions, commands).defines)


def _waits(later: list[Command]) -> bool:
    for command in later:
        first = command.commands[0] if type(command) is AndOr else command
        program = _literal(first.words[0]) if type(first) is Simple and first.words else ""
        if program == "wait" and type(first) is Simple and len(first.words) == 1:
            return True
        if program in ("exit", "exec", "return", "disown"):
            return False
    return False


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
