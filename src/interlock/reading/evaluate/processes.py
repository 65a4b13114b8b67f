"""Processes that are looked up by name or port, to be ended: `kill $(pgrep x)`, `ps aux | grep x | awk … | xargs kill`.

Which numbers come out is the machine's business; that they belong to processes of that name, and that none of these
guards anything, can be told from the words.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .words import NUL, Arg

if TYPE_CHECKING:
    from ..commands.options import Parsed
    from .state import Shell

__all__ = ["LISTS", "chosen", "column", "listed", "looked_up", "narrows"]

# Why a text is not known: it is a list of processes, of all or of those with a name that was asked for.
_ALL, _CHOSEN = LISTS = ("the processes that run", "the processes of a name")


def listed(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    return Arg(NUL, args[0].span, why=_ALL)


def chosen(pattern: Arg | None, switches: set[str], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ps aux | grep name | grep -v grep`: the lines of some processes, none of which guards anything."""
    flowing = shell.stdin
    if flowing is None or flowing.why not in LISTS or pattern is None or not pattern.known:
        return None
    if "-v" in switches:
        return flowing
    some = narrows(pattern) and not _guards(pattern.text) and pattern.text.strip("^ ") != "root"
    return Arg(NUL, span, why=_CHOSEN) if some else None


def column(program: str, span: tuple[int, int], shell: Shell) -> Arg | None:
    """`awk '{print $2}'` of such lines: the numbers of the processes."""
    flowing = shell.stdin
    plain = "".join(program.split()) in ("{print$1}", "{print$2}")
    return Arg("*", span, glob=True) if plain and flowing is not None and flowing.why == _CHOSEN else None


def _guards(name: str) -> bool:
    from ..specials.watching import finds_watcher, serves_all, watches_over

    return "interlock" in name.lower() or watches_over(name) or finds_watcher(name) or serves_all(name)


def _serves_all(name: str) -> bool:
    from ..specials.watching import serves_all

    return serves_all(name)


def looked_up(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """Numbers of processes that were looked up by name or port; which of a guard's is not for others to know."""
    if any(arg.unknown or "interlock" in arg.text.lower() for arg in args[1:]):
        return None
    if args[0].text != "lsof" and any(_serves_all(arg.text) for arg in parsed.operands):
        return None
    named = "-t" in parsed.switches if args[0].text == "lsof" else any(map(narrows, parsed.operands))
    return Arg("*", args[0].span, glob=True) if named else None


def narrows(name: Arg) -> bool:
    """True if the name of a process means some of them, and not nearly all."""
    return sum(map(str.isalnum, name.text)) >= 3
