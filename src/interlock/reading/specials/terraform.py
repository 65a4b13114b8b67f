"""`terraform console` prints what the expressions come to that it is fed; a few functions read files."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["terraform_console"]

_READ = frozenset(("file", "filebase64", "templatefile"))


def terraform_console(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Files that expressions name are read; a name that is put together may be any file."""
    given = shell.stdin
    if given is not None:
        if given.unknown:
            shell.unclear("expressions that can read files are not known", span)
        for place in _read_by(given.text):
            if place is None:
                shell.unclear("an expression reads a file whose name it puts together", span)
            else:
                on_path("read", Arg(place, given.span), shell)
    return act_on(row, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)


def _read_by(text: str) -> list[str | None]:
    """What stands behind `file(`: the name, or None where it is no plain text."""
    found: list[str | None] = []
    before, *calls = text.split("(")
    for call in calls:
        words = before.rstrip()
        name = words[len(words.rstrip("abcdefghijklmnopqrstuvwxyz0123456789_")) :]
        if name in _READ:
            quote, _, rest = call.lstrip().partition('"')
            place, closed, _ = rest.partition('"')
            plain = not quote and closed and not any(mark in place for mark in ("${", "%{", "\\"))
            found.append(place if plain else None)
        before = call
    return found
