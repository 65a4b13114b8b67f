"""Miller (`mlr`): options, a chain of verbs joined by `then`, files. Its language can run programs and write files."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..machine.acts import emit, on_path

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..tables.spec import Program

__all__ = ["miller"]

# Verbs that write files, and words of the language that act.
_WRITES = frozenset(("tee", "split", "case"))
_CODE = frozenset(("put", "filter"))
_ACTS = frozenset(
    "system exec tee emit emit1 emitp emitf dump edump print printn eprint eprintn os_type hostname".split()
)
_RUNS = ("--prepipe", "--prepipex", "--load", "--mload", "-s", "--ofmt-file")


def miller(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`mlr --icsv --ojson sort -nr x then head -n 3 a.csv`: free, unless a part of it runs or writes something."""
    edits = False
    for at, arg in enumerate(args[1:], 1):
        text, before = arg.text, args[at - 1].text
        if arg.unknown and text[:1] in ("-", "\0"):
            shell.unclear(f"a word of `mlr` depends on {arg.why}", span)
        elif text.startswith(_RUNS) or (text == "-f" and before in _CODE):
            shell.unclear(f"`{text}` makes mlr run a program or a file", span)
        elif text in _WRITES and (at == 1 or before == "then" or before[:1] == "-"):
            shell.unclear(f"`mlr {text}` writes files by names that it makes", span)
        elif text == "-I":
            edits = True
        elif _is_code(args, at) and not _ACTS.isdisjoint(_words(text)):
            shell.unclear("a program of Miller that can run commands or write files", span)
        elif text[:1] != "-" and ("." in text or "/" in text or arg.unknown) and not _is_code(args, at):
            on_path("edit" if edits else "read", arg, shell)
    emit(shell, span, name="exec:mlr", effects=(), tags=())
    return None


def _is_code(args: list[Arg], at: int) -> bool:
    """Whether the word is the program of `put` or `filter`: the first behind it that is no option."""
    for before in range(at - 1, 0, -1):
        text = args[before].text
        if text in _CODE:
            return True
        if text[:1] != "-":
            return False
    return False


def _words(text: str) -> list[str]:
    return "".join([char if char.isalnum() or char == "_" else " " for char in text]).split()
