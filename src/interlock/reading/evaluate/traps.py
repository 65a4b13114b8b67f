"""`trap CODE SIGNAL …`: code that runs later, with what the variables hold then.

A script may end, or get a signal, behind any of its commands. So the code is followed where it is set, and again behind
each command that leaves something else behind: a variable, the folder, a function, a file. What it would do in any of
these states counts. A subshell begins with the traps of its shell, more than bash keeps; a new shell with none.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..runs.shell_changes import on_trap
from ..shell.syntax import DoubleQuoted, Lit, Param
from .origins import MADE_NAME, variable
from .words import NUL, Arg

if TYPE_CHECKING:
    from ..shell.syntax import Word
    from .assigned import names_in
    from .branches import join
    from .state import Shell
else:
    names_in = lazy(globals(), ".assigned", "names_in")
    join = lazy(globals(), ".branches", "join")

__all__ = ["code_with_made_names", "fire", "set_trap"]

_MAX_TRAPS = 16  # of one shell
_AT_THE_END = frozenset(("EXIT", "SIGEXIT", "0"))


def set_trap(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    from ..shell import parse

    words = [arg for arg in args[1:] if arg.text not in ("-l", "-p", "--")]
    shell.found.breaks += 1
    if len(words) > 1:
        shell.strict = True  # what it runs may end the script, and prints as well
        on_trap(words[0], words[1:], shell, span)
    if len(words) < 2 or words[0].text in ("-", ""):
        return None
    code = words[0]
    # In zsh what is trapped at the end inside a function runs when that function ends.
    goes_on = shell.local is not None or not all(signal.text.upper() in _AT_THE_END for signal in words[1:])
    _follow(code, goes_on, shell)
    if not code.known:
        return None
    if goes_on:
        names = names_in(shell.functions, list(parse(code.text).commands)).variables
        for name in names:
            shell.variables[name] = [Arg(NUL, span, origin=variable(name))]
        shell.odd = shell.odd | names
    if any(code.text == other.text and goes_on <= also for other, also in shell.traps):
        return None
    if len(shell.traps) >= _MAX_TRAPS:
        shell.unclear("there are too many traps to follow", span)
        return None
    shell.traps = (*shell.traps, (code, goes_on))
    return None


def fire(shell: Shell, *, last: bool = False) -> None:
    """Follows what is trapped, if there is something new since it was followed before, or it is the `last` time."""
    if not last and shell.trapped == _state(shell):
        return
    for code, goes_on in shell.traps:
        _follow(code, goes_on, shell)
    shell.trapped = _state(shell)


def _follow(code: Arg, goes_on: bool, shell: Shell) -> None:
    """`goes_on`: behind a signal the script may go on where it was, with what the code has left behind."""
    one = shell.branch()
    one.traps = ()
    shell.found.follow.run_code_here(code, one, code.span)
    if goes_on:
        join(shell, [one])


def _state(shell: Shell) -> tuple[object, ...]:
    """What the code may find, such that two states are equal only if it would do the same in both."""
    found = shell.found
    return (
        shell.variables.copy(),
        shell.functions.copy(),
        shell.files.copy(),
        shell.links.copy(),
        shell.folders,
        shell.parameters,
        shell.aliases,
        shell.exported,
        shell.allexport,
        shell.path_changed,
        (len(found.made), len(found.kept), len(found.fetched), len(found.laid), found.moved, found.holds_secret),
    )


def code_with_made_names(word: Word, shell: Shell) -> Arg | None:
    """`"rm -f $T"` with a name that `mktemp` made: letters and digits, so that the code is what it looks like.

    None: something else is put into it.
    """
    text = ""
    for part in word.parts[0].parts if len(word.parts) == 1 and type(word.parts[0]) is DoubleQuoted else ():
        if type(part) is Lit:
            text += part.text
            continue
        if type(part) is not Param or part.op or part.index is not None or part.length or part.indirect:
            return None
        values = shell.variables.get(part.name, ())
        if len(values) != 1 or type(values[0]) is not Arg or not (values[0].known or values[0].origin == MADE_NAME):
            return None
        text += values[0].text
    return Arg(text, word.span, quoted=True) if text and NUL not in text else None
