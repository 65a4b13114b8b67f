"""Commands of the shell itself: they change the shell, and run nothing of their own unless they say so."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..places.paths import Unsettled, settle
from ..places.secret_words import names_secret
from ..runs.shell_changes import KEPT, aliased, on_variable
from .environment import hand_over, put
from .names import looked_up_program
from .numbers import evaluated, taken_in
from .origins import A_SECRET, ENVIRONMENT, PUT_TOGETHER, Origin, printed, variable
from .output import echo_text, printf_text
from .processes import OWN_PROCESS
from .words import NUL, Arg, Names, is_small_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..machine.acts import emit
    from ..machine.shifted import may_shift
    from .branches import join
    from .shell_options import set_by
    from .state import Shell
    from .traps import set_trap

    Builtin = Callable[[list[Arg], tuple[int, int], Shell], Arg | None]
else:
    emit = lazy(globals(), "..machine.acts", "emit")
    may_shift = lazy(globals(), "..machine.shifted", "may_shift")
    join = lazy(globals(), ".branches", "join")
    set_by = lazy(globals(), ".shell_options", "set_by")
    set_trap = lazy(globals(), ".traps", "set_trap")

__all__ = ["BUILTINS", "hides_code"]


def _quiet(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    return Arg("", span)


def _ends(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """The rest of the script may not run."""
    shell.found.breaks += 1
    return Arg("", span)


def _prints(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    return None


def _limits(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """From here on a command may be ended before it is done."""
    shell.found.breaks += 1
    shell.strict = True
    return Arg("", span)


def _wait(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for at, option in enumerate(args[1:-1], start=2):
        if option.text[:1] == "-" and option.text.endswith("p"):
            _set(args[at], [Arg(NUL, span, origin=Origin("job"))], shell, span)
    return Arg("", span)


def _test(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A subscript in an operand of `-v` or of a comparison of numbers is evaluated once more."""
    if any("[" in arg.text and hides_code(arg.text) for arg in args[1:]):
        shell.unclear("a subscript that is evaluated runs a command", span)
    for at, option in enumerate(args[:-1], start=1):
        if option.text == "-v":
            evaluated(args[at], shell, span)
    return Arg("", span)


def hides_code(text: str) -> bool:
    return "$(" in text or "`" in text


def _echo(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if shell.posix and any("\\" in arg.text or arg.text.startswith("-") for arg in args[1:]):
        return Arg(NUL, span, origin=printed("echo"))
    return echo_text(args[1:], span)


def _printf(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    rest = args[1:]
    if shell.posix and any(form in arg.text for arg in rest for form in ("\\x", "\\u", "\\U", "\\e", "%q", "%(")):
        return Arg(NUL, span, origin=printed("printf"))
    if len(rest) > 1 and rest[0].text == "-v":
        value = printf_text(rest[2:], span)
        if value is not None and value.known and not value.origin:
            value = Arg(value.text, span, origin=PUT_TOGETHER)
        _set(rest[1], [value if value is not None else Arg(NUL, span, origin=printed("printf"))], shell, span)
        return Arg("", span)
    return printf_text(rest[1:] if rest and rest[0].text == "--" else rest, span)


def _cd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """The new folder first; the old one stays possible, because `cd` can fail and the script go on."""
    words = args[1:]
    if len(words) > 1 or (words and words[0].text[:1] == "-"):
        words = [arg for arg in words if arg.text not in ("-P", "-L", "-e", "-@", "--")]
    if shell.folders is None and not (words and words[0].text.startswith("/")):
        return Arg("", span)
    if not words:
        target: Arg | None = Arg(shell.found.facts.home, span)
    else:
        target = words[0] if len(words) == 1 else None
    if target is None or type(target) is Names or target.glob or NUL in target.text or target.text == "-":
        shell.folders = None
        return None  # it may say where it went
    if "CDPATH" in shell.variables:
        shell.folders = None
        return None  # it may say where it went
    moved = []
    for folder in shell.folders or ("/",):
        try:
            moved.append(
                settle("./" + target.text if target.text[:1] == "~" else target.text or ".", cwd=folder, home="/")
            )
        except Unsettled as why:
            shell.unclear(str(why), span, kind="path")
            shell.folders = None
            return Arg("", span)
    shell.folders = tuple(dict.fromkeys((*moved, *(shell.folders or ()))))[:4]
    shell.entered = (shell.folders, tuple(dict.fromkeys(moved)))
    return Arg("", span) if args[0].text == "cd" else None


def _cd_up(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`cd..`: an alias of `cd ..` on some systems, and on all others a name that is not found. Either may be."""
    return _cd([args[0], Arg("..", span)], span, shell)


def _popd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    shell.folders = None
    return None


def _pwd(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if shell.folders is not None and len(shell.folders) == 1:
        return Arg(shell.folders[0] + "\n", span)
    return Arg(NUL, span, origin=Origin("folder"))


def _set(word: Arg, value: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    name = word.text.partition("[")[0]
    if word.unknown or hides_code(word.text) or not name.replace("_", "a").isalnum():
        shell.unclear("it is unclear which variable is set", span)
        return
    put(name, value, shell, span)


def _declare(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    exporting = args[0].text == "export"
    if all(arg.text.startswith("-") for arg in args[1:]) and args[0].text != "local":
        return _shows_environment(span, shell)
    flags = "".join(arg.text[1:] for arg in args[1:] if arg.text.startswith("-") and "=" not in arg.text)
    exporting = exporting or "x" in flags
    if exporting and "f" in flags:
        shell.unclear("functions are handed to other shells", span)
    if "n" in flags and args[0].text != "export":
        shell.unclear("a variable that stands for another one", span)
    if "p" in flags and not exporting:
        _shows_secrets(args[1:], span, shell)
    exporting = exporting or shell.allexport
    odd = args[0].text == "readonly" or any(flag in flags for flag in "rluicnaA")
    for arg in args[1:]:
        text = arg.text
        if text.startswith(("-", "+")) and "=" not in text:
            continue
        name, equals, value = text.partition("=")
        added = name.endswith("+")
        name = name.removesuffix("+")
        if NUL in name or hides_code(name) or ("i" in flags and hides_code(value)):
            shell.unclear("it is unclear which variable is set", span)
            continue
        if shell.local is not None and args[0].text in ("local", "declare", "typeset") and "g" not in flags:
            shell.local.setdefault(name, shell.variables.get(name))
        if equals:
            if "i" in flags or name in shell.odd:
                evaluated(Arg(value, arg.span, arg.glob, arg.origin), shell, span)
            unclear_value = added or name in shell.odd or any(flag in flags for flag in "luicaA")
            if "[" in value and hides_code(value):
                shell.unclear("a value that runs a command when it is used as a number", span)
            shell.variables[name] = [
                Arg(NUL, arg.span, origin=variable(name))
                if unclear_value
                else (Names if type(arg) is Names else Arg)(value, arg.span, arg.glob, arg.origin)
            ]
        elif args[0].text in ("local", "declare", "typeset") and shell.local is not None:
            shell.variables[name] = [Arg(NUL, arg.span, origin=variable(name))]
        if odd:
            shell.odd = shell.odd | {name}
        if exporting and "n" in flags:
            shell.exported = shell.exported - {name}
        elif exporting:
            shell.exported = {*shell.exported, name}
            current = shell.variables.get(name)
            if current is not None:
                hand_over(name, current[0] if len(current) == 1 else Arg(NUL, span), shell, span)
    return None if "p" in flags else Arg("", span)


def _shows_secrets(names: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`declare -p API_KEY`: one variable, and a secret one."""
    for name in names:
        if names_secret(name.text) and name.text not in shell.variables:
            tags = ("environment", "secret")
            emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=tags, target={"variable": name.text})


def _shows_environment(span: tuple[int, int], shell: Shell) -> Arg | None:
    emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("environment",))
    return Arg(NUL, span, origin=ENVIRONMENT)


def _unset(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        if hides_code(arg.text) or arg.unknown:
            shell.unclear("it is unclear which variable is unset", span)
        if not arg.text.startswith("-"):
            name = arg.text.partition("[")[0]
            if name in KEPT:
                on_variable(name, Arg("", span), shell, span)
            shell.variables[name] = [Arg(NUL, span, origin=Origin("unset", name))]
            shell.functions.pop(arg.text, None)
    return Arg("", span)


def _read(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Variables get what comes in: a name that the disk decides where that is known, else anything."""
    flags = [arg.text for arg in args[1:] if arg.text.startswith("-")]
    names = [arg for arg in args[1:] if not arg.text.startswith("-")]
    plain = all(flag == "-r" for flag in flags) and len(names) <= 1 and "IFS" not in shell.variables
    flowing = shell.stdin
    for index, name in enumerate(names or [Arg("REPLY", span)]):
        value = Arg(NUL, span, origin=taken_in(flowing, Origin("read"), shell))
        if flowing is not None and flowing.origin == A_SECRET:
            value = Arg(NUL, span, origin=A_SECRET)
        elif flowing is not None and index == 0 and flowing.glob and not flowing.unknown:
            value = Names(flowing.text, span, True, flowing.origin)
        elif flowing is not None and flowing.known and plain and names and type(flowing) is Arg:
            text = flowing.text.removesuffix("\n").strip(" \t")
            if "\n" not in text and ("\\" not in text or "-r" in flags):
                value = Arg(text, span)
        if "[" in value.text and hides_code(value.text):
            shell.unclear("a value that runs a command when it is used as a number", span)
        _set(name, [value], shell, span)
    return Arg("", span)


def _set_builtin(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) == 1:
        return _shows_environment(span, shell)
    if args[1].text != "--":
        shell.found.breaks += 1
        shell.strict = True  # `-e`, `-u`, `-n`: the rest may not run
    if any("[" in arg.text and hides_code(arg.text) for arg in args[1:]):
        shell.unclear("a value that runs a command when it is used as a number", span)
    done = set_by([arg.text for arg in args[1:]])
    rest = [] if done is None or done.parameters is None else args[1 + done.parameters :]
    options = args[1 : len(args) - len(rest)]
    ended = bool(options) and options[-1].text in ("-", "--")
    if done is None or any(arg.unknown for arg in (*options, *(rest[:1] if not ended else ()))):
        shell.parameters = None  # a word that is not known may be an option as well
        return Arg("", span)
    _switch(done.changes, span, shell)
    if done.parameters is not None:
        shell.parameters = rest
    return None if args[-1].text[:1] in ("-", "+") and args[-1].text[-1] == "o" else Arg("", span)


def _switch(changes: list[str], span: tuple[int, int], shell: Shell) -> None:
    """Options of this shell, as `-noclobber` or `+history`, that count for what is read after them."""
    if "-noclobber" in changes:
        shell.unclear("files that are there are not overwritten from here on", span)
    if "+history" in changes:
        on_variable("HISTIGNORE", Arg("*", span), shell, span)  # as good as
    for change in changes:
        if change[1:] == "allexport":
            shell.allexport = change[0] == "-"


def _shift(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    count = args[1].text if len(args) > 1 else "1"
    if shell.parameters is not None:
        if not is_small_number(count):
            shell.parameters = None
        elif int(count) <= len(shell.parameters):
            shell.parameters = shell.parameters[int(count) :]
    return Arg("", span)


def _eval(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:

    sure = [arg for arg in args[1:] if type(arg) is not Names]
    if len(sure) == len(args) - 1:
        return shell.found.follow.run_code_here(_line(args[1:], span), shell, span)
    if len(sure) < len(args) - 2:
        shell.unclear("several words of a text that is run may be none", span)
    other = shell.branch()
    shell.found.follow.run_code_here(_line(sure, span), other, span)
    shell.found.follow.run_code_here(_line(args[1:], span), shell, span)
    join(shell, [other])
    return None


def _line(words: list[Arg], span: tuple[int, int]) -> Arg:
    text = " ".join(arg.text for arg in words)
    return Arg(text, span, any(arg.glob for arg in words), next((arg.origin for arg in words if not arg.known), None))


def _source(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:

    if len(args) < 2:
        return Arg("", span)
    return shell.found.follow.source_file(args[1], args[2:], shell, span)


def _trap(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    return set_trap(args, span, shell)


def _not_followed(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) > 1:
        shell.unclear(f"`{args[0].text}` with arguments is not followed", span)
    return None


def _jobs(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`jobs -l` looks, `jobs -p` prints the numbers of this shell's own processes; `jobs -x` runs a command."""
    flags = "".join(arg.text[1:] if arg.known and arg.text[:1] in "-%" else "x" for arg in args[1:])
    if not set(flags) <= set("lpnrs0123456789"):
        return _not_followed(args, span, shell)
    return Arg("*", span, True, OWN_PROCESS) if "p" in flags else None


def _alias(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        aliased(arg, shell, span)
    shell.aliases = {*shell.aliases, *(arg.text.partition("=")[0] for arg in args[1:])}
    return None


def _enter(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`command`, `builtin`, `exec`: what follows is run; `command -v` only looks it up."""
    rest = args[1:]
    looks = False
    if args[0].text == "exec":
        shell.found.breaks += 1
    while rest and rest[0].text.startswith("-"):
        if args[0].text == "command" and rest[0].text in ("-v", "-V"):
            looks = True
        elif args[0].text == "exec" and rest[0].text == "-a":
            rest = rest[1:]
        elif rest[0].text not in ("-p", "--", "-c", "-l"):
            shell.unclear(f"`{rest[0].text}` is an unknown option", span)
        rest = rest[1:]
    if not rest:
        return Arg("", span)
    if looks:
        if rest[0].known and (rest[0].text in BUILTINS or rest[0].text in shell.functions):
            return Arg(rest[0].text + "\n", span)
        return looked_up_program(rest[0], span, shell)
    may_shift(args, rest, span, shell)
    body = shell.functions.pop(rest[0].text, None) if args[0].text != "exec" else None
    output = shell.found.follow.run_command(rest, span, shell, in_shell=args[0].text != "exec")
    if body is not None:
        shell.functions[rest[0].text] = body
    plain = args[0].text == "command" or (args[0].text == "exec" and len(rest) == len(args) - 1)
    return output if plain or not shell.posix else None  # a plain `sh` has no `builtin`, and no options of `exec`


def _mapfile(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    names = [arg for arg in args[1:] if not arg.text.startswith("-")]
    if any(arg.text[:1] == "-" and "C" in arg.text for arg in args[1:]):  # also `-tC`, `-C'…'`
        shell.unclear("a command that is run for every line", span)
    flowing = shell.stdin
    value = (
        Names(flowing.text, span, True, flowing.origin)
        if flowing is not None and flowing.glob and not flowing.unknown and "\n" not in flowing.text
        else Arg(
            NUL,
            span,
            origin=A_SECRET
            if flowing is not None and flowing.origin == A_SECRET
            else taken_in(flowing, Origin("read"), shell),
        )
    )
    _set(names[-1] if names else Arg("MAPFILE", span), [value], shell, span)
    return Arg("", span)


def _let(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        name = arg.text.partition("=")[0].rstrip("+-*/%")
        if name.isidentifier():
            shell.variables[name] = [Arg("*", span, glob=True)]
        if (not arg.known and not arg.glob) or hides_code(arg.text):
            shell.unclear("arithmetic on unknown text", span)
        else:
            evaluated(arg, shell, span)
    return Arg("", span)


def _getopts(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) > 2:
        _set(args[2], [Arg(NUL, span, origin=Origin("of-script"))], shell, span)
    shell.variables["OPTARG"] = [Arg(NUL, span, origin=Origin("of-script"))]
    return Arg("", span)


def _enable(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    if len(args) > 1:
        shell.unclear(f"`{args[0].text}` changes what other commands mean", span)
    return None


def _shopt(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    shell.found.breaks += 1
    shell.strict = True
    changes = ("expand_aliases", "lastpipe", "xpg_echo", "assoc_expand_once", "compat31", "compat32", "compat40")
    if any(arg.text in changes or arg.unknown for arg in args[1:]):
        shell.unclear("an option that changes what later commands mean", span)
    flags = "".join([arg.text for arg in args[1:] if arg.text[:1] == "-"])
    named = [arg.text for arg in args[1:] if arg.text[:1] != "-"]
    if "o" in flags:
        _switch([("-" if "s" in flags else "+") + name for name in named if "s" in flags or "u" in flags], span, shell)
    elif "u" in flags and any(name in ("histappend", "cmdhist") for name in named):
        on_variable("HISTIGNORE", Arg("*", span), shell, span)
    return None


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys(
        (
            ":",
            "true",
            "false",
            "disown",
        ),
        _quiet,
    ),
    **dict.fromkeys(("bg", "caller", "dirs", "fg", "times", "umask"), _prints),
    **dict.fromkeys(("exit", "return", "break", "continue", "logout", "suspend"), _ends),
    "ulimit": _limits,
    "wait": _wait,
    "jobs": _jobs,
    **dict.fromkeys(("compgen", "complete", "compopt", "bind"), _not_followed),
    "test": _test,
    "[": _test,
    "echo": _echo,
    "printf": _printf,
    "cd": _cd,
    "cd..": _cd_up,
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
