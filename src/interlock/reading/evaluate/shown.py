"""The table of accounts, or the project's own sources searched for `password`, and only shown.

What everybody on a machine may read, or what the project's people have written, is worth no question until it is
handed on. Such a read is marked `accounts`, such a search `hunts`, and here the mark is taken off again where it can be
seen that what was read
goes to the call's own output and nowhere else: a plain command, or a pipe of plain commands, each of which is known to
print what it reads and does nothing besides. Captured by a substitution, kept in a file, fed to a loop, to code or to
any other program, it keeps the mark. So does everything in a script that may send its output elsewhere later on, or
that may give a name another meaning: `exec`, functions, what is sourced or evaluated.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..shell.syntax import (
    AndOr,
    Case,
    CmdSub,
    Coproc,
    For,
    ForArith,
    FunctionDef,
    Group,
    If,
    Lit,
    Opaque,
    Pipeline,
    ProcSub,
    Simple,
    Subshell,
    While,
)
from ..shell.walk import nodes

if TYPE_CHECKING:
    from ...model.action import Action
    from ..shell.syntax import Command, Node, Script
    from .state import Found

__all__ = ["only_shown"]

# Programs that print what they read, or tell something of it. Encoders are none of them: nobody reads base64.
_PRINTS = frozenset(
    "cat tac head tail nl less more bat batcat grep egrep fgrep zgrep rg ag ack cut sort uniq wc awk gawk mawk nawk "
    "sed tr column fold fmt rev paste join comm diff cmp getent".split()
)
# Words after which a name, or where output goes, may be something else.
_CHANGES = frozenset("exec eval source . alias builtin command enable trap shopt hash unset".split())
_LOCALE = ("LC_", "LANG")
_NOWHERE = "/dev/null"


def only_shown(script: Script, found: Found) -> None:
    """Takes the marks `accounts` and `hunts` off what this script reads only to show it."""
    if _may_lead_elsewhere(script):
        return
    for start, end in [command.span for command in _printing(script.commands)]:
        inside = [at for at, action in enumerate(found.actions) if start <= action.span[0] and action.span[1] <= end]
        if not all(_only_looks(found.actions[at]) for at in inside):
            continue
        if any(part.span[0] < end and start < part.span[1] for part in found.opaque):
            continue
        for at in inside:
            action = found.actions[at]
            gone = ("accounts", "hunts") if action.target.get("in") == "sources" else ("accounts",)
            if not set(gone).isdisjoint(action.tags):
                found.actions[at] = action.replace(tags=tuple([mark for mark in action.tags if mark not in gone]))


def _only_looks(action: Action) -> bool:
    """True if it reads and no more, and is none of another program that an option has brought in."""
    program = action.name.removeprefix("exec:")
    foreign = program != action.name and program not in _PRINTS
    return not foreign and all(effect is Effect.READ for effect in action.effects)


def _may_lead_elsewhere(script: Script) -> bool:
    for node in nodes(script):
        if isinstance(node, FunctionDef | Coproc | Opaque):
            return True
        if isinstance(node, Simple) and node.words and (_name_of(node) or "eval") in _CHANGES:
            return True
    return False


def _name_of(command: Simple) -> str:
    """The program's name as it is written; empty if it is put together."""
    parts = command.words[0].parts
    first = parts[0]
    return first.text if len(parts) == 1 and isinstance(first, Lit) and not first.quoted else ""


def _printing(commands: list[Command]) -> list[Command]:
    """The commands whose output is the script's own, and that only print; each pipe as a whole."""
    found: list[Command] = []
    for command in commands:
        if isinstance(command, Simple | Pipeline):
            parts = command.commands if isinstance(command, Pipeline) else [command]
            if all(map(_only_prints, parts)):
                found.append(command)
        else:
            for inner in _within(command):
                found += _printing(inner)
    return found


def _within(command: Command) -> list[list[Command]]:
    """The lists of commands inside, if what they print goes where the whole of it goes."""
    if isinstance(command, AndOr):
        return [command.commands]
    if not isinstance(command, Group | Subshell | For | ForArith | While | If | Case) or command.redirects:
        return []
    if isinstance(command, Group | Subshell | For | ForArith):
        return [command.body]
    if isinstance(command, While):
        return [command.condition, command.body]
    if isinstance(command, If):
        return [*[part for branch in command.branches for part in (branch.condition, branch.body)], command.orelse]
    return [item.body for item in command.items]


def _only_prints(command: Node) -> bool:
    if not isinstance(command, Simple) or not command.words or _name_of(command).rpartition("/")[2] not in _PRINTS:
        return False
    if not all(item.name.startswith(_LOCALE) for item in command.assigns):
        return False
    for item in command.redirects:
        parts = item.target.parts
        first = parts[0] if len(parts) == 1 else None
        to = first.text if isinstance(first, Lit) else ""
        if item.op == "<" and item.fd in ("", "0"):
            continue
        if item.doc is not None or not (to == _NOWHERE or (item.op == ">&" and item.fd == "2" and to == "1")):
            return False
    return not any(isinstance(node, CmdSub | ProcSub) for node in nodes(command))
