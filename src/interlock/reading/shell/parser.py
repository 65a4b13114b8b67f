"""The way in: `parse(text) -> Script`, for any text at all.

It never raises and never guesses. The grammar is an allowlist: what lies outside it, cannot be told apart
safely, or holds characters that a person would not see, comes back as `Opaque` with a reason. Steps are
bounded by the length of the text and nesting by a fixed depth.
"""

from __future__ import annotations

from .commands import read_text
from .state import Budget, OutOfSteps, Rejoin
from .syntax import Opaque, Script
from .walk import opaque_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Command

__all__ = ["CONTROLS", "parse"]

# Everything that Unicode calls a control character, but for tab and newline.
CONTROLS = frozenset(map(chr, [*range(9), *range(11, 32), *range(127, 160)]))


def parse(text: str) -> Script:
    """The commands in `text`, as bash would read them; `Script.opaque` lists what was not understood."""
    budget = Budget(len(text))
    try:
        unseen: list[int] = []
        if not text.isprintable():
            unseen = _unseen(text)
            if unseen and "\0" in text:
                return _nothing("a NUL character", text)
        script = read_text(text, 0, budget)
        if unseen:
            _hide(script, unseen)
    except (OutOfSteps, Rejoin):
        return _nothing("too much work for its length", text)
    except RecursionError:
        return _nothing("nested too deeply", text)
    if unseen or budget.incomplete:
        script.opaque = opaque_parts(script)
    return script


def _nothing(reason: str, text: str) -> Script:
    whole = Opaque(reason, (0, len(text)))
    return Script([whole], [whole], whole.span)


def _unseen(text: str) -> list[int]:
    """Where control characters and lone surrogates stand."""
    if text.isascii():
        present = [c for c in CONTROLS if c < "\x80" and c in text]
    else:
        present = [c for c in CONTROLS if c in text]
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return [i for i, c in enumerate(text) if c in CONTROLS or "\ud800" <= c <= "\udfff"]
    if not present:
        return []
    return [i for i, c in enumerate(text) if c in CONTROLS]


def _hide(script: Script, unseen: list[int]) -> None:
    """Replace every top-level command that holds such a character.

    bash takes them for ordinary ones, so the rest stands. What lies between two commands (comments, bodies of
    here-documents) belongs to the first of them, and what lies before all of them stands for itself.
    """
    end = script.span[1]
    starts = [*(command.span[0] for command in script.commands), end]
    commands: list[Command] = []
    k = 0
    if unseen[0] < starts[0]:
        commands.append(Opaque("a control character", (0, starts[0])))
    for command, following in zip(script.commands, starts[1:], strict=True):
        while k < len(unseen) and unseen[k] < command.span[0]:
            k += 1
        if k < len(unseen) and unseen[k] < following:
            command = Opaque("a control character", (command.span[0], max(following, command.span[1])))
        commands.append(command)
    script.commands = commands
