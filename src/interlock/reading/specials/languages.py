"""awk, sed, grep, jq: their first argument is a language of its own."""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit, on_path
from ..commands.engine import act_on
from ..commands.options import parse as parse_options
from ..evaluate.words import Arg
from .watching import hunted

if TYPE_CHECKING:
    from ..commands.spec import Program
    from ..evaluate.state import Shell

__all__ = ["awk", "grep", "jq", "pager", "sed"]


def awk(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """awk: its program can run commands and write files; one that does neither only reads."""
    rest = args[1:]
    program: Arg | None = None
    while rest and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        flag = rest.pop(0)
        if flag.text in ("-F", "-v", "--assign", "--field-separator") and rest:
            rest.pop(0)
        elif flag.text in ("-f", "--file", "-E", "--exec", "-i", "--include", "-l", "--load"):
            shell.unclear("an awk program in a file is not read", span)
            program = Arg("", span)
            if rest:
                on_path("read", rest.pop(0), shell)
        elif flag.text == "--":
            break
        elif flag.unknown:
            shell.unclear(f"an option of `awk` is not known: {flag.why}", span)
    if program is None:
        if not rest:
            return None
        program = rest.pop(0)
        from ..code import awk_is_plain

        if not program.known:
            shell.unclear(f"an awk program is not known: {program.why or 'a pattern'}", span)
        elif not awk_is_plain(program.text):
            shell.unclear("an awk program that can run commands or write files", span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
    files = [arg for arg in rest if "=" not in arg.text.partition("/")[0]]
    for arg in files:
        on_path("read", arg, shell)
    if not files:
        emit(shell, span, name="exec:awk", effects=(), tags=())
    return None


def sed(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """sed: `-i` edits in place; the commands e, w and r of a script run and write."""
    from ..code import sed_is_plain

    parsed = parse_options(row, args[1:], stop_at_operand=False)
    scripts = [value for option, value in parsed.values if option.name == "-e"]
    files = list(parsed.operands)
    if not scripts and not any(option.name == "-f" for option, _ in parsed.values):
        if not files:
            return None
        scripts = [files.pop(0)]
    for script in scripts:
        if not script.known and not script.glob:
            shell.unclear(f"a sed script is not known: {script.why}", script.span)
        elif not sed_is_plain(script.text):
            shell.unclear("a sed script that can run commands or write files", script.span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
    if any(option.name == "-f" for option, _ in parsed.values):
        shell.unclear("a sed script in a file is not read", span)
    edits = "-i" in parsed.switches
    for arg in files:
        on_path("edit" if edits else "read", arg, shell)
    if not files:
        emit(shell, span, name="exec:sed", effects=(), tags=())
    return None


def grep(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A pattern, unless `-e` or `-f` gave it, then files; recursive without files means here."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    given = {option.name for option, _ in parsed.values} & {"-e", "-f"} or "--files" in parsed.switches
    pattern = None if given or not parsed.operands else parsed.operands.pop(0)
    if pattern is not None and pattern in parsed.doubtful and pattern.quoted:
        parsed.doubtful.remove(pattern)  # one word for sure, and no option of grep does harm
    if not parsed.operands and shell.stdin is None:
        parsed.operands.append(Arg(".", span))
    for option, value in parsed.values:
        if option.name in ("--include", "-g"):  # names that are searched on purpose, hidden ones too
            for place in parsed.operands or [Arg(".", span)]:
                on_path("search", Arg(f"{place.text.rstrip('/')}/{value.text}", value.span, True, value.why), shell)
    flowing = shell.stdin
    names = row.replace(operands="read*", special=None)
    patterns = [value for option, value in parsed.values if option.name == "-e"]
    _hunt([*patterns, *([] if pattern is None else [pattern])], parsed.operands, span, shell)
    output = act_on(names, parsed, args, span, shell)
    lists = not parsed.switches.isdisjoint(("-l", "-L", "--files")) or any(
        arg.text == "--files-with-matches" for arg in args
    )
    if lists and parsed.operands and all(not arg.unknown for arg in parsed.operands) and len(parsed.operands) == 1:
        return Arg((parsed.operands[0].text.rstrip("/") or "") + "/*", span, glob=True)
    return output if flowing is not None and not parsed.operands else None


# Where secrets end up without anybody having put them there.
_RICH = frozenset(("sys:env", "git:log", "git:show", "git:reflog", "log:read", "shell:history", "docker:logs"))


def _hunt(patterns: list[Arg], places: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A search for passwords through whatever there is; in a file or folder that is named, it is a look at code."""
    if not any(hunted(pattern.text) for pattern in patterns):
        return
    actions = shell.found.actions
    anywhere = any(place.glob or place.text in (".", "./", "/", "*") or place.text[:1] == "/" for place in places)
    if anywhere or (not places and any(action.name in _RICH for action in actions[-2:])):
        emit(shell, span, name="secret:search", effects=(Effect.READ,), tags=("hunts",))


def jq(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A filter, then files; `-f` takes the filter from a file, `--arg` takes two words."""
    words = list(args[1:])
    kept: list[Arg] = []
    while words:
        word = words.pop(0)
        if word.text in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            if word.text in ("--slurpfile", "--rawfile") and len(words) > 1:
                on_path("read", words[1], shell)
            words = words[2:]
        elif word.text in ("--args", "--jsonargs"):
            break
        else:
            kept.append(word)
    parsed = parse_options(row, kept, stop_at_operand=False)
    if not any(option.name == "-f" for option, _ in parsed.values) and parsed.operands:
        terms = parsed.operands.pop(0).text
        for mark in "()[]{}|,;:.?!\"'\n":
            terms = terms.replace(mark, " ")
        if not {"env", "$ENV"}.isdisjoint(terms.split()):
            # nobody reads the environment so, but for one who may run jq and nothing else
            emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("disguised", "environment"))
    parsed.doubtful = []
    role = "edit*" if "inplace" in parsed.switches else "read*"
    return act_on(row.replace(operands=role, special=None), parsed, args, span, shell)


def pager(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`less +CMD FILE`: what follows the plus is typed for the reader, and `!` there runs a command."""
    typed = [arg for arg in args[1:] if arg.text.startswith("+")]
    for arg in typed:
        if arg.text[1:].strip("GgFf0123456789%") and not arg.text.startswith("+/"):
            shell.unclear(f"`{row.name}` is told to type something that is not known", arg.span)
    rest = [arg for arg in args if arg not in typed]
    return act_on(row.replace(special=None), parse_options(row, rest[1:], stop_at_operand=False), rest, span, shell)
