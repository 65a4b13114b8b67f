"""Follows the commands of a script in the order in which a shell would run them.

Every branch is followed, since it cannot be known which one will run; what the branches leave behind is
joined, and where they differ it is unknown. A loop over known words is unrolled, any other body is
followed once, with the variables that it sets unknown. The result of a command is what it prints,
where that can be told: only if all that prints is sure to run. A text that may not be printed at all is
`Unsure`; one of which a part may be missing is not known.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..machine.acts import emit
from ..runs.shell_changes import on_test, wraps
from ..shell.syntax import (
    AndOr,
    Arith,
    Background,
    Case,
    Cond,
    Coproc,
    For,
    ForArith,
    FunctionDef,
    Group,
    If,
    Opaque,
    Pipeline,
    Simple,
    Subshell,
    Test,
    While,
    Word,
)
from .assigned import assigned_names, forget, is_kept, names_in
from .branches import at_the_same_time, become, files_run, in_any_order, join, not_yet_sure, took_effect
from .builtins import hides_code
from .environment import put
from .expand import _names, expand_words, join_word, part_text
from .flow import brings_from_elsewhere, carry, reads_secret
from .flows import Fetched, alone
from .jobs import HOLDS_JOBS, are_awaited, is_ended
from .lists import and_or, ends_at_failure, leaves
from .numbers import counts, evaluated, in_doubt, source_of
from .origins import PIPE, Origin, variable
from .poured import pour
from .redirects import redirect
from .secrets import counted, keep
from .simple import run_simple
from .state import MAX_NESTING, Shell, Stop
from .traps import fire
from .words import NUL, Arg, Names

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..lands.lost import is_fork_bomb
    from ..machine.services import as_jobs
    from ..shell.syntax import Command, Script
    from .assigned import Assigned
    from .folders import each_folder
    from .only_names import only_names
else:
    only_names = lazy(globals(), ".only_names", "only_names")
    is_fork_bomb = lazy(globals(), "..lands.lost", "is_fork_bomb")
    as_jobs = lazy(globals(), "..machine.services", "as_jobs")
    each_folder = lazy(globals(), ".folders", "each_folder")

__all__ = ["MAX_UNROLLED", "run", "run_commands", "run_script"]

MAX_UNROLLED = 64  # rounds of one loop
_EVALUATED = frozenset(("-v", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-R"))
_NO_FILES: dict[str, Arg] = {}


def run_script(script: Script, shell: Shell) -> Arg | None:
    """Follows a script; what it prints, if that is known."""
    if shell.depth >= MAX_NESTING:
        shell.unclear("scripts are nested too deeply", script.span)
        return None
    shell.depth += 1
    output = run_commands(script.commands, shell, whole=shell.depth == 1)
    shell.depth -= 1
    return output


def run_commands(commands: list[Command], shell: Shell, *, whole: bool = False) -> Arg | None:
    """`whole`: these are all commands of the call, and nothing around them takes a failure for an answer."""
    if len(commands) == 1:
        return run(commands[0], shell)
    found = shell.found
    text, known, span, before, since = "", True, (0, 0), found.breaks, len(found.actions)
    outputs: list[Arg | None] = []
    ends = False  # at the first command that fails
    for index, command in enumerate(commands):
        found.jobs += type(command) is Background
        if type(command) is Background and is_ended(commands[index + 1 :], shell):
            output = _in_turn(command, shell)
        elif type(command) in HOLDS_JOBS and not shell.awaited and are_awaited(command, commands[index + 1 :], shell):
            shell.awaited = True
            output = run(command, shell)
            shell.awaited = False
        else:
            output = run(command, shell)
        if whole and shell.strict:
            ends = ends_at_failure(command, ends, shell)
            if ends:
                took_effect(command, shell)
        span = command.span
        outputs.append(output)
        if output is None or output.glob or output.unknown or type(output) is not Arg:
            known = False
        else:
            text += output.text
    if not known or shell.strict or found.breaks != before:
        return alone(outputs)
    return None if any(action.name == "proc:kill" for action in found.actions[since:]) else Arg(text, span)


def run(command: Command, shell: Shell) -> Arg | None:
    found = shell.found
    found.budget = left = found.budget - 1
    if left < 0:
        raise Stop
    if type(command) is Simple:  # by far the most common
        output = run_simple(command, shell, run_script, run)
    else:
        follow = _FOLLOW.get(type(command))
        if follow is None:
            shell.unclear("syntax: this command is unknown", command.span)
            return None
        output = follow(command, shell)
    if shell.traps:
        fire(shell)
    return output


def _opaque(command: Opaque, shell: Shell) -> Arg | None:
    shell.unclear(f"syntax: {command.reason}", command.span, kind="syntax")
    return None


def _pipeline(command: Pipeline, shell: Shell) -> Arg | None:
    if len(command.commands) == 1:
        return run(command.commands[0], shell)
    output: Arg | None = None
    poured: Arg | None = None
    found = shell.found
    since = len(found.actions)
    before = shell.files.copy() if shell.files else _NO_FILES
    for index, part in enumerate(command.commands):
        inner = shell.copy()
        if index:
            inner.stdin = output if output is not None else poured or Arg(NUL, part.span, origin=PIPE)
            if found.used:
                found.used.pop(id(output), None)  # `cat` hands on the very text that it has read
            if shell.files:
                inner.files = {**shell.files, **not_yet_sure(before, shell.files)}
                mine = inner.files.copy()
        at, ran, again = len(found.actions), len(found.commands), len(found.again)
        output = run(part, inner)
        if index and found.secret:
            only_names(command.commands[: index + 1], since, inner)
        poured = None
        if output is None and len(found.commands) == ran + 1:
            poured = pour(found.commands[ran][0], at, part.span, inner)
        if output is None and poured is None:
            if brings_from_elsewhere(since, shell):
                numbers = counts(command.commands[: index + 1], shell, piped=True)
                poured = None if numbers else Fetched(part.span)
            else:
                before_it = PIPE if inner.stdin is None or inner.stdin.origin is None else inner.stdin.origin
                doubt = source_of([part], (at, again, ran), before_it, inner)
                poured = Arg(NUL, part.span, origin=doubt) if in_doubt(doubt) else None
        if inner.files is not shell.files:
            shell.files.update({path: text for path, text in inner.files.items() if mine.get(path) is not text})
        if at > since or found.holds_secret:
            carry(since, at, shell, () if inner.stdin is None else (inner.stdin,))
            if found.secret:
                keep(since, at, shell)
    if found.secret and reads_secret(since, shell):
        counted(command.commands, since, shell)
    if shell.files and shell.files != before:
        for path in files_run(since, shell):
            if shell.files.get(path) is not before.get(path):
                shell.unclear(f"`{path}` is written and run at the same time", command.span)
    return output


def _in_turn(command: Background, shell: Shell) -> Arg | None:
    """A job that does not outlive the script: as any other command, in a shell of its own."""
    at_the_same_time(shell, lambda inner: run(command.command, inner))
    return None  # what it prints comes between the rest


def _coproc(command: Coproc, shell: Shell) -> Arg | None:
    """Left running; the variable holds its pipes, and once it has ended nothing."""
    shell.variables[command.name or "COPROC"] = [Arg(NUL, command.span, origin=Origin("coprocess"))]
    return _background(command, shell)


def _background(command: Background | Coproc, shell: Shell) -> Arg | None:
    if shell.awaited and type(command) is Background:
        return _in_turn(command, shell)
    actions = shell.found.actions
    before = len(actions)

    def job(inner: Shell) -> Arg | None:
        inner.background = True
        return run(command.command, inner)

    opaque = len(shell.found.opaque)
    at_the_same_time(shell, job)
    if any({*a.effects} - {Effect.READ} and "nowhere" not in a.tags for a in actions[before:]):
        start, end = shell.span(command.span)
        if not any(a.name == "proc:spawn" and start <= a.span[0] and a.span[1] <= end for a in actions):
            # The shell alone can wait for something (`until [ -f go ]; do :; done`), and then act when nobody looks.
            emit(shell, command.span, name="proc:spawn", effects=(Effect.SPAWN,), target={"program": "bash"})
        as_jobs(command, shell.found, before, opaque)
    return None


def _subshell(command: Subshell, shell: Shell) -> Arg | None:
    return _with_redirects(command, shell.copy(), lambda inner: run_commands(command.body, inner))


def _group(command: Group, shell: Shell) -> Arg | None:
    return _with_redirects(command, shell, lambda inner: run_commands(command.body, inner))


def _with_redirects(command: Any, shell: Shell, body: Callable[[Shell], Arg | None]) -> Arg | None:
    if not command.redirects:
        return body(shell)
    before = shell.stdin
    streams = redirect(command.redirects, shell, run_script)
    if streams.stdin is not None:
        shell.stdin = streams.stdin
    output = body(shell)
    shell.stdin = before
    return streams.finish(output, shell)


def _if(command: If, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        ends = []
        for branch in command.branches:
            run_commands(branch.condition, inner)
            taken = inner.branch()
            took_effect(branch.condition[-1], taken)
            run_commands(branch.body, taken)
            if not (branch.body and leaves(branch.body[-1])):
                ends.append(taken)
        otherwise = inner.branch()
        run_commands(command.orelse, otherwise)
        if not (command.orelse and leaves(command.orelse[-1])):
            ends.append(otherwise)
        if ends:
            become(inner, ends[0])
            join(inner, ends[1:])
        return None

    return _with_redirects(command, shell, body)


def _for(command: For, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        noted = len(inner.found.shown)
        values = inner.parameters if command.words is None else expand_words(command.words, inner, run_script)
        sure = values is not None and any(value.known and type(value) is not Names for value in values)
        if values is not None:  # one name at a time, and if there is none, no round
            values = [Arg(v.text, v.span, v.glob, v.origin, v.quoted) if type(v) is Names else v for v in values]
        if len(inner.found.shown) > noted:
            inner.found.variables.add(command.name)
        if values is None:
            values = [Arg(NUL, command.span, origin=Origin("arguments"))]
        if command.menu:  # it waits for somebody to choose
            values = [Arg(NUL, command.span, origin=Origin("choice"))]
            inner.found.unsettled.append(len(inner.found.commands))
        names = names_in(inner.functions, command.body)
        if any(value.glob and (names.moves or value.text[-1:] == "/") for value in values):
            values = each_folder(values, inner)
        before = inner.branch()
        sure = sure and not command.menu
        plain = all(not value.unknown for value in values) and not names.jumps
        if plain and len(values) <= MAX_UNROLLED:
            for value in values:
                _round(command, value, names, inner)
        else:
            forget(inner, command.body)
            start = inner.branch()
            for value in values:  # each round on its own: what one leaves behind, the next may or may not find
                once = start.branch()
                put(command.name, [value], once, command.span)
                run_commands(command.body, once)
                join(inner, [once])
            forget(inner, command.body)
            put(command.name, [Arg(NUL, command.span, origin=variable(command.name))], inner, command.span)
        if not sure:
            join(inner, [before])
        return None

    return _with_redirects(command, shell, body)


def _round(command: For, value: Arg, names: Assigned, shell: Shell) -> None:
    """The body for one value. A pattern stands for several: what one round leaves behind, the next one finds."""
    for number in range(_ROUNDS if value.glob and (names.variables or names.moves) else 1):
        before, folders = [shell.variables.get(name) for name in names.variables], shell.folders
        if number == _ROUNDS - 1:
            forget(shell, command.body)
        put(command.name, [value], shell, command.span)
        run_commands(command.body, shell)
        after = [shell.variables.get(name) for name in names.variables]
        if number and folders == shell.folders and all(map(is_kept, before, after)):
            return


_ROUNDS = 3


def _for_arith(command: ForArith, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        for word in (command.init, command.test, command.step):
            _numbers(word.parts, inner)
        before = inner.branch()
        forget(inner, command.body)
        run_commands(command.body, inner)
        forget(inner, command.body)
        join(inner, [before])
        return None

    return _with_redirects(command, shell, body)


def _numbers(parts: list[Any], shell: Shell) -> None:
    """Arithmetic: substitutions in it run, and the variables that it sets become some number."""
    for part in parts:
        piece = part_text(part, shell, run_script)
        evaluated(piece, shell, part.span)
        text = piece.text
        if "=" in text or "++" in text or "--" in text:
            for name in _names(text):
                shell.variables[name] = [Arg("*", (0, 0), glob=True)]


def _while(command: While, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        before = inner.branch()
        forget(inner, command.condition, command.body)
        run_commands(command.condition, inner)
        rounds = _rounds(command, inner)
        inner.found.rounds += 1
        for taken in rounds:
            run_commands(command.body, taken)
        inner.found.rounds -= 1
        join(inner, [taken for taken in rounds if taken is not inner])
        forget(inner, command.condition, command.body)
        join(inner, [before])
        return None

    return _with_redirects(command, shell, body)


def _rounds(command: While, shell: Shell) -> list[Shell]:
    """`while read f`: each round has a name, out of one pattern or another."""
    rounds = [shell]
    for name in assigned_names(command.condition).variables:
        values = shell.variables.get(name, ())
        if len(values) == 1 and type(values[0]) is Names:
            one = values[0]
            patterns = one.text.split("\n")
            rounds += [shell.branch() for _ in patterns[1:]] if len(rounds) == 1 else []
            for taken in rounds:
                taken.variables[name] = [Arg(NUL, one.span, origin=Origin("read"))]
            for taken, pattern in zip(rounds, patterns, strict=False):
                taken.variables[name] = [Arg(pattern, one.span, one.glob, one.origin)]
    return rounds


def _case(command: Case, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        join_word(command.word, inner, run_script)
        ends = []
        for item in command.items:
            for pattern in item.patterns:
                join_word(pattern, inner, run_script)
            taken = inner.branch()
            run_commands(item.body, taken)
            ends.append(taken)
        join(inner, ends)
        return None

    return _with_redirects(command, shell, body)


def _function(command: FunctionDef, shell: Shell) -> Arg | None:
    if command.name in ("command_not_found_handle", "command_not_found_handler"):  # the second in zsh
        shell.unclear("a function that is run for every name that is not found", command.span)
    if type(command.body) in (Group, Subshell):
        if is_fork_bomb(command.name, [command.body]):
            emit(shell, command.span, name="proc:spawn", effects=(Effect.SPAWN,), tags=("exhausts", "fork-bomb"))
    wraps(command.name, command.body, shell, command.span)
    shell.functions[command.name] = command.body
    return Arg("", command.span)


def _cond(command: Cond, shell: Shell) -> Arg | None:
    before = len(shell.found.actions)
    output = _with_redirects(command, shell, lambda inner: _test(command.test, inner))
    on_test(before, shell)
    return output


def _test(test: Test, shell: Shell) -> Arg | None:
    for operand in test.operands:
        if type(operand) is Word:
            word = join_word(operand, shell, run_script)
            if test.op in _EVALUATED:
                if hides_code(word.text):
                    shell.unclear("a subscript that is evaluated runs a command", test.span)
                evaluated(word, shell, test.span)
        else:
            _test(operand, shell)  # type: ignore[arg-type]
    return Arg("", test.span)


def _arith(command: Arith, shell: Shell) -> Arg | None:
    def body(inner: Shell) -> Arg | None:
        _numbers(command.parts, inner)
        return Arg("", command.span)

    return _with_redirects(command, shell, body)


_FOLLOW: dict[type, Callable[[Any, Shell], Arg | None]] = {
    Pipeline: in_any_order(_pipeline),
    AndOr: lambda command, shell: and_or(command, shell, run),
    Background: _background,
    Subshell: _subshell,
    Group: _group,
    If: _if,
    For: in_any_order(_for),
    ForArith: in_any_order(_for_arith),
    While: in_any_order(_while),
    Case: _case,
    FunctionDef: _function,
    Cond: _cond,
    Arith: _arith,
    Coproc: _coproc,
    Opaque: _opaque,
}
