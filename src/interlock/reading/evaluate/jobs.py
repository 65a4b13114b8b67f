"""Jobs that do not outlive the script that starts them: `server & pid=$!; test; kill $pid`, `a & b & wait`.

What is left running is asked about because it goes on when nobody looks. A job that the same list of commands ends or
waits for, in a command of its own that nothing else decides about, is run as any other command.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import AndOr, Background, DoubleQuoted, Lit, Param, Simple, Word

if TYPE_CHECKING:
    from ..shell.syntax import Command

__all__ = ["is_ended"]

# Signals that end a process, as `kill` takes them.
_ENDING = frozenset(("-9", "-15", "-2", "-TERM", "-KILL", "-INT", "-SIGTERM", "-SIGKILL", "-SIGINT"))


def is_ended(later: list[Command]) -> bool:
    """True if the job that was just started is ended, or waited for, by one of the commands that follow."""
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
