"""`$x` and `${x…}`: the value of a parameter, with its operators, as far as it is known."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..places.secret_words import names_secret
from .environment import hand_over, put
from .numbers import evaluated, kept
from .origins import Origin, variable, variable_of
from .processes import OWN_PROCESS
from .words import NUL, Arg, Names, is_small_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import Param, Script, Word
    from .state import Shell

    RunScript = Callable[["Script", "Shell"], "Arg | None"]
    JoinWord = Callable[[Word, Shell, RunScript], Arg]

__all__ = ["CHANGES_BY_ITSELF", "parameter", "value_of"]

_OWN = frozenset(("!", "$", "BASHPID"))  # the job that was started last, and the shell itself

_COUNTS = frozenset(("?", "#", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "SRANDOM"))


# Variables that the shell itself sets, whatever a script puts into them.
CHANGES_BY_ITSELF = _COUNTS | frozenset(
    "_ BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_LINENO BASH_REMATCH BASH_SOURCE BASH_SUBSHELL BASH_VERSION "
    "COLUMNS COMP_WORDS COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS FUNCNAME GROUPS HISTCMD HOSTNAME HOSTTYPE LINES "
    "MACHTYPE MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PIPESTATUS PWD READLINE_LINE REPLY SHELLOPTS BASHOPTS "
    "SHLVL".split()
)


def parameter(part: Param, shell: Shell, run: RunScript, join: JoinWord) -> list[Arg]:
    """The values that it stands for; one for anything but `$@`, `$*` and arrays. `join` expands a word inside it."""
    index = None
    if part.index is not None or part.indirect or part.op[-1:] == "?":
        shell.found.breaks += 1  # an error here ends the script
    if part.index is not None:
        index = join(part.index, shell, run)
        if index.text not in ("@", "*") and part.name not in shell.odd:
            evaluated(index, shell, part.span)
    if part.indirect:
        return [_indirect(part, shell)]
    if part.op in (".", "("):
        if part.op == "(":
            shell.found.refused = part
        return [Arg(NUL, part.span, origin=Origin("unread"))]
    if part.length:
        return [Arg("*", part.span, glob=True)]
    shown = len(shell.found.shown)
    values = value_of(part.name, shell, part.span)
    if part.op in (":+", "+"):
        del shell.found.shown[shown:]  # whether it is set, and not to what
    if index is not None and index.text not in ("@", "*"):
        values = _element(values, index, part)
    elif index is None and part.name not in ("@", "*") and len(values) > 1:
        values = values[:1]  # an array without a subscript is its first element
    if not part.op:
        return values
    if part.op[0] == "!":
        return [Arg(NUL, part.span, origin=Origin("variable-names"))]
    arg = None if part.arg is None else join(part.arg, shell, run)
    arg2 = None if part.arg2 is None else join(part.arg2, shell, run)
    return _operate(part, values, arg, arg2, shell)


def value_of(name: str, shell: Shell, span: tuple[int, int]) -> list[Arg]:
    found = shell.variables.get(name)
    if found is not None:
        if name in CHANGES_BY_ITSELF:
            return _unknown(name, span)
        if name in shell.found.variables:
            shell.found.shown.append(name)
        if name == "0":
            return _handed(found, shell)
        return [(Names if type(value) is Names else Arg)(value.text, span, value.glob, value.origin) for value in found]
    if name in ("@", "*"):
        return _unknown(name, span) if shell.parameters is None else _handed(list(shell.parameters), shell)
    if is_small_number(name):
        number = int(name)
        if number and shell.parameters is not None:
            return _handed(shell.parameters[number - 1 : number], shell) or [Arg("", span)]
        return _unknown(name, span)
    if name in _COUNTS:  # a number; no more is needed of it
        kind = Names if name == "!" or (shell.posix and len(name) > 1) else Arg
        return [kind("*", span, True, OWN_PROCESS if name in _OWN else None)]
    if name == "HOME":
        return [Arg(shell.found.facts.home, span)]
    if name == "PWD" and shell.folders is not None and len(shell.folders) == 1:
        return [Arg(shell.folders[0], span)]
    if name == "IFS":
        return [Arg(" \t\n", span)]
    if name in _RUNNER:
        return [Arg("/home/runner/work/_temp/_runner_file_commands/*", span, glob=True)]
    if names_secret(name):
        shell.found.shown.append(name)
    return _unknown(name, span)


def _handed(values: list[Arg], shell: Shell) -> list[Arg]:
    """What a function was called with; a secret variable among it is put into words once more."""
    for value in values:
        name = variable_of(value.origin)
        if name and names_secret(name):
            shell.found.shown.append(name)
    return values


# Files of a build service, which it names itself; whoever sets one of these is asked about it (shell_changes.py).
_RUNNER = frozenset(("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"))


def _unknown(name: str, span: tuple[int, int]) -> list[Arg]:
    return [Arg(NUL, span, origin=variable(name))]


def _element(values: list[Arg], index: Arg, part: Param) -> list[Arg]:
    if index.known and is_small_number(index.text) and all(value.known for value in values):
        return values[int(index.text) : int(index.text) + 1] or [Arg("", part.span)]
    if values and all(value.known or value.glob for value in values) and len(values) == 1:
        return values
    return [Arg(NUL, part.span, origin=kept(values, Origin("element", part.name)))]


def _indirect(part: Param, shell: Shell) -> Arg:
    names = value_of(part.name, shell, part.span)
    if part.op[-1:] not in ("@", "*"):
        for name in names:
            if not name.text.isidentifier():
                evaluated(name, shell, part.span)
    if len(names) == 1 and names[0].known and names[0].text.replace("_", "a").isalnum() and not part.op:
        values = value_of(names[0].text, shell, part.span)
        if len(values) == 1:
            return values[0]
    return Arg(NUL, part.span, origin=Origin("named-by", part.name))


def _operate(part: Param, values: list[Arg], arg: Arg | None, arg2: Arg | None, shell: Shell) -> list[Arg]:
    op = part.op
    if op == "@P":
        shell.unclear("`@P` runs what is in the text", part.span)
        return [Arg(NUL, part.span, origin=Origin("prompt"))]
    value = values[0] if len(values) == 1 else None
    if op == ":":
        for number in filter(None, (arg, arg2)):
            evaluated(number, shell, part.span)
    if op == "//" and part.name == "PATH" and "PATH" not in shell.variables and arg is not None and arg.text == ":":
        if arg2 is not None and arg2.text in (" ", "\n"):
            return [Arg(place, part.span, glob=True) for place in _PLACES]
    if op in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
        return _default(part, op, values, arg, shell)
    if value is None or not value.known or (arg is not None and not arg.known):
        if value is not None and value.glob and not value.unknown and op in ("%", "%%", "#", "##"):
            return [_shortened(value, op, arg, part.span)]
        if op == "//" and arg is not None and arg.text in _NO_DIGIT and (arg2 is None or not arg2.text):
            return [Arg("*", part.span, glob=True)]
        return [Arg(NUL, part.span, origin=kept(values, Origin("part", part.name)))]
    text, pattern = value.text, "" if arg is None else arg.text
    known = _text_operation(op, text, pattern, None if arg2 is None else arg2)
    if known is None:
        return [Arg(NUL, part.span, origin=Origin("part", part.name))]
    return [Arg(known, part.span)]


_NO_DIGIT = ("[^0-9]", "[!0-9]", "[^[:digit:]]", "[![:digit:]]")
_PLACES = ("/usr/local/bin", "/usr/bin", "/bin")  # where programs lie: which folders, the machine decides


def _shortened(value: Arg, op: str, pattern: Arg | None, span: tuple[int, int]) -> Arg:
    """`${f%.py}` of a name that the disk decides: still a name in the same folder, if no more than an ending goes."""
    folder, slash, name = value.text.rpartition("/")
    if pattern is None or not pattern.known or "\n" in value.text:
        return Arg(NUL, span, origin=Origin("part-of-name"))
    if op[0] == "#":
        return Names("*", span, True)
    fixed = not any(char in pattern.text for char in "*?[")
    ends = fixed or (op == "%" and pattern.text == ".*" and ("." in name or not set(".*") & set(folder)))
    if "/" in pattern.text or not (ends or folder == "."):
        return Arg(NUL, span, origin=Origin("part-of-name"))  # the folder above, or more
    sure = type(value) is Arg and ends and (fixed or folder != "")
    return (Arg if sure else Names)(folder + slash + "*", span, True)


def _default(part: Param, op: str, values: list[Arg], arg: Arg | None, shell: Shell) -> list[Arg]:
    name_known = part.name in shell.variables or part.name.isdigit() or part.name in ("@", "*")
    other = Arg("", part.span) if arg is None else Arg(arg.text, part.span, arg.glob, arg.origin)
    is_set = bool(values) and values[0].known and values[0].text != ""
    if op in (":=", "=") and not is_set and part.name in shell.exported:
        hand_over(part.name, other, shell, part.span)
    if not name_known:
        if op in (":+", "+"):
            return [Arg(NUL, part.span, origin=Origin("whether-set", part.name))]
        if other.unknown or not values or values[0].known:
            return values if values and values[0].known else [Arg(NUL, part.span, origin=variable(part.name))]
        return [Arg(NUL, part.span, origin=variable(part.name))]
    empty = not values or (len(values) == 1 and values[0].text == "")
    if len(values) == 1 and values[0].unknown:
        return [Arg(NUL, part.span, origin=kept(values, variable(part.name)))]
    if op in (":+", "+"):
        return [Arg("", part.span)] if empty and op == ":+" else [other]
    if empty and op[0] == ":":
        if op == ":=":
            put(part.name, [other], shell, part.span)
        return [other]
    return values


def _text_operation(op: str, text: str, pattern: str, second: Arg | None) -> str | None:
    """Operators on a known text. Only plain patterns are followed; None for the rest."""
    if op in ("^", "^^", ",", ",,") and not pattern:
        change = str.upper if op[0] == "^" else str.lower
        return change(text) if len(op) == 2 else change(text[:1]) + text[1:]
    if op == ":":
        return _substring(text, pattern, second)
    if op[0] == "@":
        return text if op == "@E" and "\\" not in text else None
    if any(char in pattern for char in "?[\\(") or (second is not None and not second.known):
        return None
    if op in ("#", "##", "%", "%%"):
        return _trim(op, text, pattern)
    if op in ("/", "//", "/#", "/%") and "*" not in pattern:
        new = "" if second is None else second.text
        if "&" in new or not pattern:
            return None
        if op == "//":
            return text.replace(pattern, new)
        if op == "/":
            return text.replace(pattern, new, 1)
        if op == "/#":
            return new + text[len(pattern) :] if text.startswith(pattern) else text
        return text[: -len(pattern)] + new if text.endswith(pattern) else text
    return None


def _trim(op: str, text: str, pattern: str) -> str | None:
    if "*" not in pattern:
        return text.removeprefix(pattern) if op[0] == "#" else text.removesuffix(pattern)
    if op[0] == "#" and pattern.startswith("*") and "*" not in pattern[1:]:
        mark = pattern[1:]
        if not mark:
            return text if op == "#" else ""
        at = text.find(mark) if op == "#" else text.rfind(mark)
        return text if at < 0 else text[at + len(mark) :]
    if op[0] == "%" and pattern.endswith("*") and "*" not in pattern[:-1]:
        mark = pattern[:-1]
        if not mark:
            return text if op == "%" else ""
        at = text.rfind(mark) if op == "%" else text.find(mark)
        return text if at < 0 else text[:at]
    return None


def _substring(text: str, start: str, length: Arg | None) -> str | None:
    try:
        first = int(start.strip() or "0")
        if first < 0:
            first += len(text)
        if length is None:
            return text[first:] if first >= 0 else ""
        if not length.known:
            return None
        count = int(length.text.strip() or "0")
    except ValueError:
        return None
    if first < 0:
        return ""
    return text[first : first + count] if count >= 0 else text[first:count]
