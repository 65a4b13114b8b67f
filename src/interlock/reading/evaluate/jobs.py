"""Jobs that do not outlive the script that starts them: `server & pid=$!; test; kill $pid`, `a & b & wait`,
`for x in …; do job & done; wait`.

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
    CmdSub,
    DoubleQuoted,
    For,
    ForArith,
    FunctionDef,
    Group,
    If,
    Lit,
    Param,
    Redirect,
    Simple,
    While,
    Word,
)
from ..shell.walk import nodes
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


_CURRENT = ("%", "%%", "%+")
_JOBS = frozenset((*_CURRENT, "%1"))

# Words after which the script, or the loop that it stands in, is left; what is read or run there may do so as well.
_LEAVING = frozenset("exit exec return disown logout suspend break continue eval source . alias enable".split())
# Words that may set a variable that they name.
_SETTING = frozenset("declare export getopts let local mapfile printf read readarray readonly typeset unset".split())


def is_ended(later: list[Command], shell: Shell) -> bool:
    """True if the job that was just started is ended, or waited for, by one of the commands that follow."""
    if not _mean_themselves(later, shell):
        return False
    names = {"!", *_CURRENT, *(("%1",) if shell.found.jobs == 1 else ())}
    for command in later:
        first = command.commands[0] if type(command) is AndOr else command
        if type(first) is Background:
            names -= {"!", *_CURRENT}  # from here on these are another one
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
        return not words or any(_names_job(word, names) for word in words)
    if program != "kill" or not any(_names_job(word, names) for word in words):
        return False
    return all(text in _ENDING for word in words if (text := _literal(word))[:1] == "-")


def _names_job(word: Word, names: set[str]) -> bool:
    """`$!`, a variable that holds it, `%1`, or `$(cat FILE)` of the file into which it was written."""
    part = word.parts[0] if len(word.parts) == 1 else None
    if type(part) is DoubleQuoted and len(part.parts) == 1:
        part = part.parts[0]
    inner = part.script.commands[0] if type(part) is CmdSub and len(part.script.commands) == 1 else None
    if type(inner) is Simple:
        plain = not inner.redirects and len(inner.words) == 2 and _literal(inner.words[0]) == "cat"
        return plain and f"<{_literal(inner.words[1])}" in names
    return _variable(word) in names or _literal(word) in names.intersection(_JOBS)


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
    kept = _written_down(command, names)
    for node in nodes(command):
        if type(node) is Background:
            names -= {"!", *_CURRENT}
        elif type(node) is Redirect:
            names.discard(f"<{_literal(node.target)}")
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
    if kept:
        names.add(f"<{kept}")


def _written_down(command: Command, names: set[str]) -> str:
    """`echo $! > FILE`: the file that holds the job's number and nothing else."""
    if type(command) is not Simple or len(command.words) != 2 or len(command.redirects) != 1 or command.assigns:
        return ""
    told = _literal(command.words[0]) == "echo" and _variable(command.words[1]) in names
    to = command.redirects[0]
    return _literal(to.target) if told and to.op in (">", ">|") and to.fd in ("", "1") and to.doc is None else ""


def _spelt(word: Word) -> str:
    return "".join([part.text for part in word.parts if type(part) is Lit])


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
