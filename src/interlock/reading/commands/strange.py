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

__all__ = ["MODULES", "handed_flags", "strange_places"]

MODULES = (".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".lua")
_NOT_TO_GUESS = frozenset(("outside", "secret", "guard", "device"))


# Parts of an option's name that say that what it names is run or loaded.
_LOADING = ("plug", "rule", "preset", "config", "requir", "import", "load", "transform", "resolv", "runner", "script")
# Flags of compilers and linkers with which they run or load another program.
_RUNS = (
    "-extld",
    "linker",
    "-fplugin",
    "-fpass-plugin",
    "-wrapper",
    "-specs",
    "--specs",
    "-fuse-ld",
    "-toolexec",
    "-B",
)


def handed_flags(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """`-ldflags "-extld /tmp/x"`, `-- -C linker=/tmp/x`: what is handed on to a compiler or a linker."""
    words = arg.text.replace("'", " ").replace('"', " ").split()
    for at, word in enumerate(words):
        name, equals, value = word.removeprefix("-C").partition("=")
        place = value if equals else words[at + 1] if at + 1 < len(words) else ""
        if name in _RUNS and "/" in place and not place.startswith(("/usr/", "/opt/")):
            shell.unclear(f"`{word[:60]}` makes a build run or load another program", span)


def strange_places(row: Program, parsed: Parsed, args: list[Arg], shell: Shell) -> None:
    """`--save-state=/etc/x`: an option that the row does not have may write the file that it names, or load it."""
    for arg in _joined(row, parsed, args):
        if "=" not in arg.text or arg.unknown:
            continue
        name, _, value = arg.text.partition("=")
        if value[:1] not in ("/", ".", "~"):
            continue
        from ..wrappers import silent

        looked = silent(shell)
        looked.files = dict(shell.files)
        on_path("edit", Arg(value, arg.span, arg.glob, arg.why), looked)
        for fact in looked.found.missing:
            shell.found.want(fact)
        marks = {mark for action in looked.found.actions for mark in action.tags}
        foreign = "unread" in row.tags and (
            has_written(where(Arg(value, arg.span), shell), shell)
            or ("temp" in marks and any(part in name for part in _LOADING))
        )
        if foreign or not marks.isdisjoint(_NOT_TO_GUESS):
            shell.unclear(f"`{arg.text[:60]}` is an option that is not known, and names a file", arg.span)


def _joined(row: Program, parsed: Parsed, args: list[Arg]) -> list[Arg]:
    """Those options, each as `--option=VALUE` where the next word may be its value and the program runs code."""
    if "unread" not in row.tags:
        return parsed.strange
    found = list(parsed.strange)
    for at, after in enumerate(args[1:]):
        arg = args[at]
        if arg in parsed.strange and arg.text[:2] == "--" and "=" not in arg.text:
            if after.text[:1] in ("/", "~") or after.text[:3] == "../":
                found.append(Arg(f"{arg.text}={after.text}", after.span, after.glob, after.why))
    return found
