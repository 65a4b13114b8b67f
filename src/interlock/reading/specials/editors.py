"""Editors: files that they change, and the languages in which they can be told to run things.

An editor's commands are let through only where each of them is known to do no more than move, change text,
save or quit. Anything else may run a program, and is opaque.
"""

from __future__ import annotations

import re

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.options import parse as parse_options
from ..runs.wrappers import run_file

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["emacs", "ex_is_plain", "line_editor", "office", "vim"]

# Ex commands that move, change text, save the same file, or quit.
_RANGE = r"(%|\d+|\$|\.|\d+,\d+|\d+,\$|\.,\$|/[^/|!`]*/)?"
_PLAIN_EX = re.compile(
    rf":*\s*({_RANGE}\s*("
    r"|w!?|wq!?|wqa!?|wa!?|q!?|qa!?|qall!?|x!?|xa!?|xit!?|up|update|u|undo|redo|d|delete|j|join|y|p|print|nu|number|"
    r"s([/#,])(?!\\=)[^|!`\n]*|g/[^/|!`]*/d|v/[^/|!`]*/d|norm(al)?!? (gg|G|gg=G|dd|ggVG|zz|zR)|"
    r"set? (no)?(nu|number|paste|wrap|list|hlsearch|ro|readonly|modifiable|ff=unix|ff=dos|fileformat=unix|et|expandtab|"
    r"(ts|sw|sts|tabstop|shiftwidth|softtabstop|tw|textwidth)=\d+|ignorecase|ic|bomb|nobomb|fenc=utf-8|ft=\w+|filetype=\w+)|"
    r"syn(tax)? (on|off)|retab!?|noh|nohlsearch|sort( u)?|r?edraw!?|version|"
    r"echo (\d+|'[^'|]*')|diffthis|tabnew|split|vsplit|vs|sp))"
)


def ex_is_plain(text: str) -> bool:
    return all(_PLAIN_EX.fullmatch(part.strip()) is not None for part in re.split(r"\||\n", text))


def _commands(values: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    for value in values:
        if not value.known or not ex_is_plain(value.text):
            shell.unclear("commands of an editor that may run something", value.span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))


def vim(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Files to edit; `-c`, `--cmd` and `+` are commands, `-S`, `-s` and `-u` load them from files."""
    name = args[0].text.rpartition("/")[2]
    words, plus = [], []
    ended = False
    for arg in args[1:]:
        ended = ended or arg.text == "--"
        if arg.text.startswith("+") and not ended:
            plus.append(Arg(arg.text[1:], arg.span, arg.glob, arg.origin))
        else:
            words.append(arg)
    by_ex = name == "ex" or any(arg.text in ("-e", "-E", "-es", "-Es") for arg in words)
    if by_ex:  # `-s` is then silence, not a file of keys
        row = row.replace(options=row.options.replace("-s:load ", "-s "))
    parsed = parse_options(row, words, stop_at_operand=False)
    commands = [value for option, value in parsed.values if option.role == "ex"]
    commands += [arg for arg in plus if not arg.text.isdigit() and not re.fullmatch(r"/[\w .-]*", arg.text)]
    if "-l" in parsed.switches and args[0].text.endswith("nvim"):
        shell.unclear("a script that the editor runs", span)
    _loads(parsed, span, shell)
    _commands(commands, shell, span)
    if shell.stdin is not None and by_ex and not any(arg.text == "-" for arg in parsed.operands):
        _commands([shell.stdin], shell, span)
    looks = name in ("view", "rview", "gview") or "-R" in parsed.switches
    _open(row, parsed, "read" if looks and not commands else "edit", span, shell)
    return None


def _loads(parsed: Parsed, span: tuple[int, int], shell: Shell) -> None:
    for option, value in parsed.values:
        if option.role == "load":
            shell.unclear("a script that the editor runs", span)
            run_file(value, [], span, shell, "code.other")
        elif option.role == "start" and value.text not in ("NONE", "NORC", "DEFAULTS", "/dev/null"):
            shell.unclear("settings of the editor that may run something", span)
            on_path("read", value, shell)
        elif option.role in ("write", "read"):
            on_path(option.role, value, shell)
        elif option.role == "lisp":
            shell.unclear("code in this language is not read", span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))


def _open(row: Program, parsed: Parsed, role: str, span: tuple[int, int], shell: Shell) -> None:
    for arg in parsed.doubtful:
        shell.unclear(f"an argument depends on {arg.why}", arg.span)
    for arg in parsed.operands:
        if arg.text == "-":
            continue
        if "://" in arg.text:
            shell.unclear("an editor opens an address", arg.span)
        else:
            on_path(role, arg, shell)
    if parsed.switches & {"--version", "--help", "-h"} and not parsed.operands:
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return
    emit(shell, span, name=f"exec:{row.name}", effects=(Effect.EXECUTE,), tags=("interactive",))


def emacs(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    words = [arg for arg in args[1:] if not re.fullmatch(r"\+\d+(:\d+)?", arg.text)]
    parsed = parse_options(row, words, stop_at_operand=False)
    _loads(parsed, span, shell)
    if args[0].text.endswith("emacsclient") and "-e" in parsed.switches:
        shell.unclear("code in this language is not read", span)
    if not parsed.switches.isdisjoint(("--daemon", "--bg-daemon", "--fg-daemon")):
        emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target={"program": row.name})
    _open(row, parsed, "edit", span, shell)
    return None


def line_editor(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ed`: what standard input says. A `!` runs a command, a name after `w`, `r`, `e` or `f` is another file."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for arg in parsed.operands:
        if arg.text.startswith("!"):
            shell.unclear("a command that the editor runs", arg.span)
        else:
            on_path("edit", arg, shell)
    script = shell.stdin
    if script is None:
        shell.unclear("commands that someone types into an editor", span)
    elif not script.known or "!" in script.text or re.search(r"(?m)^[\d,.$%]*\s*([wWref]|wq) +\S", script.text):
        shell.unclear("commands of an editor that may run something or write elsewhere", span)
    emit(shell, span, name="exec:ed", effects=(Effect.EXECUTE,), tags=("interactive",) if script is None else ())
    return None


def office(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Documents in, `--outdir` out; an operand may be a macro."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for name in parsed.switches:
        add = row.flags.get(name)
        if add is not None and add.opaque is not None:
            shell.unclear(add.opaque, span)
    into = next((value for option, value in parsed.values if option.name == "--outdir"), None)
    for arg in parsed.operands:
        if arg.text.startswith(("macro:", "vnd.sun.star.", "service:")) or "://" in arg.text:
            shell.unclear("a macro or an address that can run code".replace(NUL, "…"), arg.span)
        else:
            on_path("read", arg, shell)
    if "--convert-to" in parsed.switches or into is not None:
        on_path("write", into or Arg(".", span), shell)
    elif parsed.operands and "--headless" not in parsed.switches:
        emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target={"program": row.name})
    emit(shell, span, name=f"exec:{row.name}", effects=(Effect.EXECUTE,))
    return None
