"""`NAME --version`, `NAME --help`: alone, the word makes a program say what it is, and nothing else.

Long words only: `-V` and `-h` mean something else in too many programs. A program that does something grave when it is
given nothing to do it to may take no notice of a word that it does not know; such rows are left to themselves.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from .options import compiled

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..tables.spec import Program

__all__ = ["ONLY_TELL", "ends_server", "only_tells"]

ONLY_TELL = frozenset(("--help", "--version"))
_ENDS_SERVER = ONLY_TELL | {"-h", "-help", "-version"}
# Marks of what is there without being named: what was copied, the screen, accounts, the machine and its rights.
_AT_ONCE = frozenset(("accounts", "clipboard", "guard", "identity", "machine", "privileged", "secret", "system"))
_AT_ONCE_BY = frozenset(("agent_host", "browse", "crontab", "kills"))  # functions that read a program of that kind
_GO_ON = frozenset(("cpan", "killall5", "lp", "lpr"))  # may take no notice, or the word for what to work on


def only_tells(row: Program, args: list[Arg], shell: Shell) -> bool:
    """Whether the command is its name and one such word. What runs the project's own code is read as ever."""
    if len(args) != 2 or args[1].text not in ONLY_TELL or not args[1].known or shell.stdin is not None:
        return False
    rows = (row,) if row.default is None else (row, row.default)
    return row.name not in _GO_ON and not any(map(_is_grave, rows))


def _is_grave(row: Program) -> bool:
    if row.action == "exec:project" or row.irreversible or row.risk >= Risk.HIGH or row.special in _AT_ONCE_BY:
        return True
    if Effect.DESTRUCTIVE in row.effects or not _AT_ONCE.isdisjoint(row.tags):
        return True
    return Effect.SPAWN in row.effects and not compiled(row).starts  # what starts a command is given none


def ends_server(row: Program, args: list[Arg]) -> bool:
    """What would serve only says what it is."""
    return len(args) == 2 and args[1].text in _ENDS_SERVER and Effect.SPAWN in row.effects
