"""`a && b || c`: which of the ways through such a list goes on, and what is sure by then.

A list may stop at each of its parts. A part behind `&&` runs where everything has worked that had to, one behind `||`
where something has failed. Where a part behind `||` leaves the script, what goes on behind the list has worked.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..shell.syntax import Group, Simple
from ..shell.walk import nodes
from .branches import join, took_effect
from .contents import edits_in, settle_edits
from .flows import alone
from .processes import OF_A_NAME
from .words import Arg, Names, Unsure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import AndOr, Command
    from .shell_options import set_by
    from .state import Shell

    Run = Callable[["Command", "Shell"], "Arg | None"]
else:
    set_by = lazy(globals(), ".shell_options", "set_by")

__all__ = ["and_or", "ends_at_failure", "leaves"]

_NO_EDITS: set[int] = set()
_SUCCEED = frozenset((":", "true", "echo"))
_ENDS = ("exit",)  # after this nothing goes on, anywhere


def and_or(command: AndOr, shell: Shell, run: Run) -> Arg | None:
    """Each part may be where the list stops: what is left behind is what any of these ends leaves."""
    edits = edits_in(shell) if shell.files else _NO_EDITS
    last = command.commands[0]
    output = run(last, shell)
    late = shell  # the state in which the last part has worked or not; in `shell` all has that had to
    known = output is not None and output.known
    text = output.text if output is not None and known else ""
    sure = type(output) is not Unsure  # that it is printed
    processes = output if output is not None and output.origin in OF_A_NAME else None
    ends: list[Shell] = []
    outputs = [output]
    commands = command.commands
    for at, op in enumerate(command.ops, start=1):
        part = commands[at]
        ends.append(late.branch())
        _has_worked(last, edits, late)
        if late is not shell:
            join(shell, [late])
        last = part
        if op == "&&":
            late = shell
            edits = edits_in(shell) if shell.files else _NO_EDITS
            after = run(part, shell)
            processes = None
            if after is None or not after.known:
                known = False
            elif after.text:
                certain = sure and type(after) is not Unsure and all(map(_succeeds, commands[:at]))
                known = known and (certain or not text)
                text, sure = text + after.text, certain
        else:
            other = ends.pop()
            join(other, ends)
            ends = []
            edits = edits_in(other) if other.files else _NO_EDITS
            after = run(part, other)
            known = False
            if after is None or not after.known or after.text.strip():
                processes = None  # `|| true` adds nothing to a list of processes
            late = shell if leaves(part) else other
        outputs.append(after)
    if late is not shell:
        ends.append(late)
    join(shell, ends)
    if not known:
        return processes or alone(outputs) or _either_names(command, outputs)
    return Arg(text, command.span) if sure else Unsure(text, command.span)


def _either_names(command: AndOr, outputs: list[Arg | None]) -> Arg | None:
    """`A || B`, each of which prints names: those of the one, or of both."""
    if {*command.ops} != {"||"} or not all(type(output) is Names and not output.unknown for output in outputs):
        return None
    texts = dict.fromkeys([output.text for output in outputs if output is not None])
    return Names("\n".join(texts), command.span, True)


def _has_worked(command: Command, edits: set[int], shell: Shell) -> None:
    """The command that ran last has: where it went, and what it edited, is sure."""
    took_effect(command, shell)
    if shell.files and type(command) is Simple:
        settle_edits(edits, shell)


def _succeeds(command: Command) -> bool:
    """True if what comes after `&&` is run for sure."""
    if type(command) is not Simple or not command.words or command.assigns or command.redirects:
        return False
    return command.words[0].plain in _SUCCEED


def leaves(command: Command) -> bool:
    """True if nothing runs after this command: `|| exit 1`."""
    if type(command) is Group and command.body:
        return leaves(command.body[-1])
    if type(command) is Simple and command.words:
        parts = command.words[0].parts
        return len(parts) == 1 and getattr(parts[0], "text", "") in _ENDS
    return False


def ends_at_failure(command: Command, before: bool, shell: Shell) -> bool:
    """Whether a script ends at the first command that fails from here on: `set -e`, and nothing since that may undo it.

    `before`: whether it did so until now.
    """
    words = [word.plain or "" for word in command.words] if type(command) is Simple and not command.redirects else []
    if words[:1] == ["set"] and len(words) > 1 and "set" not in shell.functions:
        done = set_by(words[1:])
        stricter = done is not None and done.parameters is None and _STRICTER.issuperset(done.changes)
        return stricter and (before or (done is not None and "-errexit" in done.changes))
    names = [node.words[0].plain for node in nodes(command) if type(node) is Simple and node.words] if before else []
    return before and all(name and name not in _MAY_UNDO and name not in shell.functions for name in names)


_MAY_UNDO = frozenset("set eval source . shopt trap builtin command alias exec".split())

_STRICTER = frozenset(("-errexit", "-nounset", "-xtrace", "-pipefail", "-errtrace"))  # they take nothing back
