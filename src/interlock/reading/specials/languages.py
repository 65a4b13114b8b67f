"""grep, pagers and `perl -p`: programs that look at text, or change it line by line."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import changed, changed_by_pattern
from ..evaluate.origins import ENVIRONMENT
from ..evaluate.processes import chosen
from ..evaluate.state import silent
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..places.paths import in_project
from ..places.secret_words import asks_for_secrets, hunted, is_ordinary, is_plain

if TYPE_CHECKING:
    from ..core.substitutions import perl_change, perl_is_plain
    from ..evaluate.contents import Change
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program
    from .searchers import kept_names, names_with
else:
    perl_change = lazy(globals(), "..core.substitutions", "perl_change")
    perl_is_plain = lazy(globals(), "..core.substitutions", "perl_is_plain")
    kept_names = lazy(globals(), ".searchers", "kept_names")
    names_with = lazy(globals(), ".searchers", "names_with")

__all__ = ["edit_file", "grep", "manual", "pager", "perl_lines"]


def perl_lines(args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """`perl -pi -e 's/a/b/' FILES`: True if it is that and no more, and then it is read."""
    rest = list(args[1:])
    letters = ""
    while "e" not in letters:
        given = _perl_letters(rest.pop(0)) if rest else None
        if given is None:
            return False
        letters += given
    code = rest.pop(0) if rest else None
    if "p" not in letters or code is None or not code.known:
        return False
    if not perl_is_plain(code.text) or any(arg.text[:1] == "-" or arg.unknown for arg in rest):
        return False
    change = perl_change(code.text) if set(letters) <= set("piew") else None
    for arg in rest:
        if "i" in letters:
            edit_file(arg, change, shell)
        else:
            on_path("read", arg, shell)
    if not rest:
        emit(shell, span, name="exec:perl", effects=(), tags=())
    return True


def _perl_letters(word: Arg) -> str | None:
    """The options in one word; what follows `-i` is a suffix, so that `-pie` has no `-e`."""
    text = word.text
    if not word.known or text[:1] != "-" or len(text) < 2:
        return None
    letters, in_place, suffix = text[1:].partition("i")
    if suffix and not (suffix[0] == "." and suffix[1:].isalnum()):
        return None
    number = letters.rstrip("pwle")
    plain = letters.removeprefix("0").lstrip("0123456789xX") if letters[:1] == "0" else letters
    if (
        not set(plain) <= set("pwle")
        or "e" in plain[:-1]
        or (in_place and "e" in plain)
        or (number and plain == number)
    ):
        return None
    return plain + in_place + ("0" if letters[:1] == "0" else "")


def edit_file(arg: Arg, change: Change | None, shell: Shell) -> None:
    """A file that is edited in place, and what is in it then."""
    before = shell.files.copy()
    paths = on_path("edit", arg, shell)
    if arg.glob:
        for path in paths:
            changed_by_pattern(path, change, arg.span, shell)
    elif len(paths) == 1:
        shell.files[paths[0]] = changed(paths[0], before.get(paths[0]), change, arg.span, shell)


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
                on_path("search", Arg(f"{place.text.rstrip('/')}/{value.text}", value.span, True, value.origin), shell)
    flowing = shell.stdin
    names = row.replace(operands="read*")
    patterns = [value for option, value in parsed.values if option.name == "-e"]
    _hunt(args[0].text.rpartition("/")[2], [*patterns, *([] if pattern is None else [pattern])], parsed, span, shell)
    if _holds_environment(parsed.operands, shell):
        _pick([*patterns, *([] if pattern is None else [pattern])], parsed.switches, span, shell)
    before = len(shell.found.actions)
    output = act_on(names, parsed, args, span, shell)
    if len(patterns) + (pattern is not None) == 1 and parsed.operands:
        _one_setting(patterns[0] if pattern is None else pattern, parsed, before, shell)
    lists = not parsed.switches.isdisjoint(("-l", "-L", "--files")) or any(
        arg.text == "--files-with-matches" for arg in args
    )
    if lists and parsed.operands and not any(arg.unknown or arg.text[:1] == "-" for arg in parsed.operands):
        if any(option.name in _RENAME for option, _ in parsed.values):
            return None
        return names_with([*patterns, *([] if pattern is None else [pattern])], parsed, args, span, shell)
    if flowing is None or parsed.operands:
        return None
    if not flowing.unknown:
        if output is not None and output.glob and pattern is not None and not patterns:
            return kept_names(output, pattern, parsed, args, shell)
        return output
    around = any(option.name not in _ONLY_LINES for option, _ in parsed.values)  # lines before and after
    return None if around or parsed.strange else chosen(pattern, parsed.switches, span, shell)


_ONLY_LINES = frozenset(("-m", "--color", "--colour"))


_RENAME = frozenset(("--label", "--path-separator", "-r"))  # other words than the names of files


def _holds_environment(files: list[Arg], shell: Shell) -> bool:
    if not files:
        return shell.stdin is not None and shell.stdin.origin == ENVIRONMENT
    paths = [path for file in files if file.known for path in on_path("read", file, silent(shell))]
    return (
        any(path in shell.files and shell.files[path].origin == ENVIRONMENT for path in paths) if shell.files else False
    )


def _pick(patterns: list[Arg], switches: set[str], span: tuple[int, int], shell: Shell) -> None:
    """`env | grep KEY`: of the whole environment, only what is secret."""
    quiet = not switches.isdisjoint(("-v", "--invert-match", "-c", "--count", "-q", "--quiet", "--silent", "-L", "-l"))
    if not quiet and any(asks_for_secrets(pattern.text) for pattern in patterns):
        emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("environment", "secret"))


_STAYS_IN_THE_LINE = frozenset("-n -i -w -x -o -q -s -h -H -c -E -F -G".split())


def _one_setting(pattern: Arg, parsed: Parsed, before: int, shell: Shell) -> None:
    """`grep AWS_DEFAULT_REGION .env`: one line of it, and by its name nobody's secret."""
    text = pattern.text
    name = text.removeprefix("^").removesuffix("=")
    whole = text.startswith("^") and text.endswith("=")
    if not pattern.known or not name.isidentifier() or not is_ordinary(name) or not (whole or name.count("_") > 1):
        return
    if parsed.switches - _STAYS_IN_THE_LINE or any(option.name not in ("-e", "-m") for option, _ in parsed.values):
        return
    actions = shell.found.actions
    for at in range(before, len(actions)):
        action = actions[at]
        file = str(action.target.get("path", "")).rpartition("/")[2]
        if action.name == "fs:read" and file.startswith(".env") and "glob" not in action.target:
            actions[at] = action.replace(tags=tuple(mark for mark in action.tags if mark != "secret"))


# Where secrets end up without anybody having put them there.
_RICH = frozenset(("sys:env", "git:log", "git:show", "git:reflog", "log:read", "shell:history", "docker:logs"))


def _hunt(program: str, patterns: list[Arg], parsed: Parsed, span: tuple[int, int], shell: Shell) -> None:
    """A search for passwords through whatever there is; in a file or folder that is named, it is a look at code.

    So it is in the sources of the project, told by their kind, if what is found is only shown (evaluate/shown.py).
    """
    if not any(hunted(pattern.text) for pattern in patterns):
        return
    places = parsed.operands
    actions = shell.found.actions
    anywhere = any(place.glob or place.text in (".", "./", "/", "*") or place.text[:1] == "/" for place in places)
    if anywhere or (not places and any(action.name in _RICH for action in actions[-2:])):
        if places and not any(is_plain(pattern.text) for pattern in patterns) and _is_in_project(parsed, shell):
            return  # `grep -r 'api[_-]?key' .` looks at code
        skips = program in _SKIPS_HIDDEN and parsed.switches.isdisjoint(_TAKES_HIDDEN)
        target: dict[str, str | bool | tuple[str, ...]] = {}
        if _is_in_sources(parsed, shell, skips):
            target["in"] = "sources"
        emit(shell, span, name="secret:search", effects=(Effect.READ,), tags=("hunts",), target=target)


# Kinds of files that people write and read; settings that are kept out of sight (`.env.local`) have other endings.
_SOURCES = frozenset(
    "py pyi ipynb js jsx mjs cjs ts tsx vue svelte java kt kts scala groovy go rs rb erb php c h cc cpp cxx hh hpp cs "
    "fs swift m mm dart ex exs erl hs ml lua pl pm r jl sh bash zsh ps1 sql html htm css scss less md rst adoc txt "
    "json yaml yml toml ini cfg xml proto graphql tf cmake".split()
)


# ripgrep and its like leave hidden and ignored files out, unless they are told otherwise.
_SKIPS_HIDDEN = frozenset(("rg", "ag", "ack"))
_TAKES_HIDDEN = frozenset(("--hidden", "--no-ignore", "-u", "-uu", "-uuu", "-a", "-t", "-z"))


def _is_in_sources(parsed: Parsed, shell: Shell, skips_hidden: bool) -> bool:
    """`grep -r password --include='*.py' .`: no place but the project, and there nothing but files of such kinds."""
    kinds = [value for option, value in parsed.values if option.name in ("--include", "-g")]
    if parsed.strange or "--files" in parsed.switches or not (kinds or skips_hidden):
        return False
    if not all(kind.text[:2] == "*." and kind.text[2:].lower() in _SOURCES for kind in kinds):
        return False
    return not any(place.glob for place in parsed.operands) and _is_in_project(parsed, shell)


def _is_in_project(parsed: Parsed, shell: Shell) -> bool:
    root = shell.found.facts.root
    quiet = silent(shell)
    return all(
        not place.unknown and all(in_project(root, path) for path in on_path("read", place, quiet))
        for place in parsed.operands
    )


def pager(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`less +CMD FILE`: what follows the plus is typed for the reader, and `!` there runs a command."""
    typed = [arg for arg in args[1:] if arg.text.startswith("+")]
    for arg in typed:
        if arg.text[1:].strip("GgFf0123456789%") and not arg.text.startswith("+/"):
            shell.unclear("it is told to type something unknown", arg.span)
    rest = [arg for arg in args if arg not in typed]
    return act_on(row, parse_options(row, rest[1:], stop_at_operand=False), rest, span, shell)


_PAGERS = frozenset("bat cat col colcrt head less more most pg tail ul".split())


def manual(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`man -P cat ls`: what shows the page is a program, and any other than a plain pager has no business there."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in parsed.values:
        if option.role == "command" and value.text.split()[:1] and value.text.split()[0] not in _PAGERS:
            shell.unclear(f"`man` shows its pages by a program of its own: `{value.text[:60]}`", span)
    return act_on(row, parsed, args, span, shell)
