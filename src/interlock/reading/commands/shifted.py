"""`env -u $X echo rm f`: if X is empty, `echo` is what is unset, and `rm` is run.

A word that is not quoted, and not known, may be none at all, or several. Where a program takes it for itself, and the
words after it for a command, all of them move up.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Names

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["may_shift"]

_COUNT_FIRST = frozenset(("timeout", "gtimeout", "nice", "ionice", "chrt", "stdbuf"))  # no command is a number


def may_shift(args: list[Arg], command: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    if args[0].text in _COUNT_FIRST or not command:
        return
    first = command[0]
    for arg in args[1:]:
        if arg is first:
            return
        if not arg.quoted and (arg.unknown or type(arg) is Names):
            shell.unclear(f"a word before the command that `{args[0].text}` runs may be none, or several", span)
            return
