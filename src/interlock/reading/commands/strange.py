"""Options that a row does not have, where they name a file.

No row has every option of its program. One that is not there may write the file that it names, or load it as code:
where that file lies outside the project, or is secret or guarded, nobody can tell what would happen.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.output import where
from ..evaluate.words import Arg
from .acts import on_path
from .places import has_written

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .options import Parsed
    from .spec import Program

__all__ = ["MODULES", "strange_places"]

MODULES = (".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".lua")
_NOT_TO_GUESS = frozenset(("outside", "secret", "guard", "device"))


def strange_places(row: Program, parsed: Parsed, shell: Shell) -> None:
    """`--save-state=/etc/x`: an option that the row does not have may write the file that it names, or load it."""
    for arg in parsed.strange:
        if "=" not in arg.text or arg.unknown:
            continue
        value = arg.text.partition("=")[2]
        if value[:1] not in ("/", ".", "~"):
            continue
        from ..wrappers import silent

        looked = silent(shell)
        looked.files = dict(shell.files)
        on_path("edit", Arg(value, arg.span, arg.glob, arg.why), looked)
        for fact in looked.found.missing:
            shell.found.want(fact)
        marks = {mark for action in looked.found.actions for mark in action.tags}
        foreign = has_written(where(Arg(value, arg.span), shell), shell) and "unread" in row.tags
        if foreign or not marks.isdisjoint(_NOT_TO_GUESS):
            shell.unclear(f"`{arg.text[:60]}` is an option that is not known, and names a file", arg.span)
