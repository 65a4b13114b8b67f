"""Words that are not known, by where they stand. `env -u $X echo rm f`: if X is empty, `echo` is unset, and `rm` runs.

A word that is not quoted, and not known, may be none at all, or several. Where a program takes it for itself, and the
words after it for a command, all of them move up.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Names
from ..tables.spec import ROLES

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..tables.spec import Program
    from .options import Parsed, Table

__all__ = ["may_shift", "on_doubtful"]

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


def on_doubtful(row: Program, parsed: Parsed, table: Table, shell: Shell) -> None:
    """A word that is not known may be any option: opaque, unless no option of the program matters."""
    matters = bool(row.flags) or any(
        option.role is not None and (option.role in ROLES or option.role.startswith(("code", "command")))
        for option in table.by_name.values()
    )
    if matters:
        for arg in parsed.doubtful:
            shell.unclear(f"an argument depends on {arg.why}", arg.span)
