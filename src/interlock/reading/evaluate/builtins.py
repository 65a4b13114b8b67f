"""Commands of the shell itself: they change the shell, and run nothing of their own unless they say so."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..paths import Unsettled, settle
from .environment import hand_over
from .output import echo_text, printf_text
from .words import NUL, Arg

if TYPE_CHECKING:
    from collections.abc import Callable

    from .state import Shell

    Builtin = Callable[[list[Arg], tuple[int, int], Shell], Arg | None]

__all__ = ["BUILTINS", "hides_code"]


def _quiet(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    return Arg("", span)


def _test(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A subscript in an operand of `-v` or of a comparison of numbers is evaluated once more."""
    if any("[" in arg.text and hides_code(arg.text) for arg in args[1:]):
        shell.unclear("a subscript that is evaluated runs a command", span)
    return Arg("", span)


def hides_code(text: str) -> bool:
    return "$(" in text or "`" in text


def _echo(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    return echo_text(args[1:], span)


def _printf(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    rest = args[1:]
    if len(rest) > 1 and rest[0].text == "-v":
        value = printf_text(rest[2:], span)
        _set(rest[1], [value if value is not None else Arg(NUL, span, why="what printf writes")], shell, span)
        return Arg("", span)
    return printf_text(rest[1:] if rest and rest[0].text == "--" else rest, span)


def _cd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """The new folder first; the old one stays possible, because `cd` can fail and the script go on."""
    words = [arg for arg in args[1:] if arg.text not in ("-P", "-L", "-e", "-@", "--")]
    if shell.folders is None and not (words and words[0].text.startswith("/")):
        return Arg("", span)
    if not words:
        target: Arg | None = Arg(shell.found.facts.home, span)
    else:
        target = words[0] if len(words) == 1 else None
    if target is None or target.unknown or target.glob or target.text == "-":
        shell.folders = None
        return Arg("", span)
    if "CDPATH" in shell.variables:
        shell.folders = None
        return Arg("", span)
    moved = []
    for folder in shell.folders or ("/",):
        try:
            moved.append(
                settle("./" + target.text if target.text[:1] == "~" else target.text or ".", cwd=folder, home="/")
            )
        except Unsettled as why:
            shell.unclear(str(why), span)
            shell.folders = None
            return Arg("", span)
    shell.folders = tuple(dict.fromkeys((*moved, *(shell.folders or ()))))[:4]
    return Arg("", span)


def _popd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    shell.folders = None
    return Arg("", span)


def _pwd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if shell.folders is not None and len(shell.folders) == 1:
        return Arg(shell.folders[0] + "\n", span)
    return Arg(NUL, span, why="the working folder")


def _set(word: Arg, value: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    name = word.text.partition("[")[0]
    if word.unknown or hides_code(word.text) or not name.replace("_", "a").isalnum():
        shell.unclear("which variable is set is not known", span)
        return
    shell.variables[name] = value


def _declare(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    exporting = args[0].text == "export"
    for arg in args[1:]:
        text = arg.text
        if text.startswith(("-", "+")) and "=" not in text:
            exporting = exporting or "x" in text
            if "n" in text and text.startswith("-") and args[0].text != "export":
                shell.unclear("a variable that stands for another one", span)
            continue
        name, equals, value = text.partition("=")
        name = name.removesuffix("+")
        if NUL in name or hides_code(name):
            shell.unclear("which variable is set is not known", span)
            continue
        if equals:
            shell.variables[name] = [Arg(value, arg.span, arg.glob, arg.why)]
        if exporting:
            shell.exported = {*shell.exported, name}
            current = shell.variables.get(name)
            if current is not None:
                hand_over(name, current[0] if len(current) == 1 else Arg(NUL, span), shell, span)
    return Arg("", span) if len(args) > 1 else None


def _unset(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        if hides_code(arg.text) or arg.unknown:
            shell.unclear("which variable is unset is not known", span)
        if not arg.text.startswith("-"):
            shell.variables[arg.text] = [Arg("", span)]
            shell.functions.pop(arg.text, None)
    return Arg("", span)


def _read(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Variables get what comes in: a name that the disk decides where that is known, else anything."""
    names = [arg for arg in args[1:] if not arg.text.startswith("-")]
    flowing = shell.stdin
    for index, name in enumerate(names or [Arg("REPLY", span)]):
        if flowing is not None and flowing.glob and not flowing.unknown and index == 0:
            value = Arg(flowing.text, span, glob=True)
        elif flowing is not None and flowing.known and flowing.text.count("\n") <= 1 and len(names) <= 1:
            value = Arg(flowing.text.rstrip("\n"), span)
        else:
            value = Arg(NUL, span, why="what is read")
        _set(name, [value], shell, span)
    return Arg("", span)


def _set_builtin(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for index, arg in enumerate(args[1:], start=1):
        if arg.text == "--":
            shell.parameters = args[index + 1 :]
            return Arg("", span)
        if arg.unknown:
            shell.parameters = None
            return Arg("", span)
        if not arg.text.startswith(("-", "+")):
            if args[index - 1].text in ("-o", "+o"):
                continue
            shell.parameters = args[index:]
            return Arg("", span)
    return Arg("", span) if len(args) > 1 else None


def _shift(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    count = args[1].text if len(args) > 1 else "1"
    if shell.parameters is not None:
        shell.parameters = shell.parameters[int(count) :] if count.isdigit() else None
    return Arg("", span)


def _eval(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    from ..wrappers import run_code_here

    text = " ".join(arg.text for arg in args[1:])
    why = next((arg.why for arg in args[1:] if not arg.known), "")
    glob = any(arg.glob for arg in args[1:])
    return run_code_here(Arg(text, span, glob, why), shell, span)


def _source(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    from ..wrappers import source_file

    if len(args) < 2:
        return Arg("", span)
    return source_file(args[1], args[2:], shell, span)


def _trap(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    from ..wrappers import run_code

    words = [arg for arg in args[1:] if arg.text not in ("-l", "-p", "--")]
    if len(words) > 1 and words[0].text not in ("-", ""):
        run_code("code.sh", words[0], shell, span)
    return Arg("", span)


def _alias(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    shell.aliases = {*shell.aliases, *(arg.text.partition("=")[0] for arg in args[1:])}
    return Arg("", span)


def _enter(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`command`, `builtin`, `exec`: what follows is run; `command -v` only looks it up."""
    from ..commands.engine import run_command

    rest = args[1:]
    looks = False
    while rest and rest[0].text.startswith("-"):
        if args[0].text == "command" and rest[0].text in ("-v", "-V"):
            looks = True
        elif args[0].text == "exec" and rest[0].text == "-a":
            rest = rest[1:]
        elif rest[0].text not in ("-p", "--", "-c", "-l"):
            shell.unclear(f"`{rest[0].text}` is an option that is not known", span)
        rest = rest[1:]
    if not rest:
        return Arg("", span)
    if looks:
        return Arg(rest[0].text + "\n", span) if rest[0].known else Arg(NUL, span, why="where a program is")
    body = shell.functions.pop(rest[0].text, None) if args[0].text != "exec" else None
    output = run_command(rest, span, shell)
    if body is not None:
        shell.functions[rest[0].text] = body
    return output


def _mapfile(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    names = [arg for arg in args[1:] if not arg.text.startswith("-")]
    if any(arg.text in ("-C",) for arg in args[1:]):
        shell.unclear("a command that is run for every line", span)
    flowing = shell.stdin
    value = (
        Arg(flowing.text, span, glob=True)
        if flowing is not None and flowing.glob
        else Arg(NUL, span, why="what is read")
    )
    _set(names[-1] if names else Arg("MAPFILE", span), [value], shell, span)
    return Arg("", span)


def _let(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        name = arg.text.partition("=")[0].rstrip("+-*/%")
        if name.isidentifier():
            shell.variables[name] = [Arg("*", span, glob=True)]
        if (not arg.known and not arg.glob) or hides_code(arg.text):
            shell.unclear("arithmetic on a text that is not known", span)
    return Arg("", span)


def _getopts(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) > 2:
        _set(args[2], [Arg(NUL, span, why="an option of the script")], shell, span)
    shell.variables["OPTARG"] = [Arg(NUL, span, why="an option of the script")]
    return Arg("", span)


def _enable(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) > 1:
        shell.unclear(f"`{args[0].text}` changes what other commands mean", span)
    return Arg("", span)


def _shopt(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if any(arg.text in ("expand_aliases", "extglob") or arg.unknown for arg in args[1:]) and shell.aliases:
        shell.unclear("aliases are switched on", span)
    return Arg("", span)


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys(
        (
            ":",
            "true",
            "false",
            "exit",
            "return",
            "break",
            "continue",
            "wait",
            "jobs",
            "times",
            "umask",
            "ulimit",
            "disown",
            "bg",
            "fg",
            "dirs",
            "logout",
            "suspend",
            "caller",
            "compgen",
            "complete",
            "compopt",
            "bind",
        ),
        _quiet,
    ),
    "test": _test,
    "[": _test,
    "echo": _echo,
    "printf": _printf,
    "cd": _cd,
    "pushd": _cd,
    "popd": _popd,
    "pwd": _pwd,
    "export": _declare,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "unset": _unset,
    "read": _read,
    "set": _set_builtin,
    "shift": _shift,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    "alias": _alias,
    "unalias": _quiet,
    "command": _enter,
    "builtin": _enter,
    "exec": _enter,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "let": _let,
    "getopts": _getopts,
    "enable": _enable,
    "hash": _enable,
    "shopt": _shopt,
}
