"""awk, sed, grep, jq: their first argument is a language of its own."""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit, on_path
from ..commands.engine import act_on
from ..commands.options import parse as parse_options
from ..evaluate.contents import changed
from ..evaluate.origins import ENVIRONMENT
from ..evaluate.processes import chosen, column
from ..evaluate.words import Arg
from ..paths import in_project
from ..secret_words import asks_for_secrets, hunted, is_ordinary, is_plain
from ..wrappers import silent

if TYPE_CHECKING:
    from ..commands.options import Parsed
    from ..commands.spec import Program
    from ..evaluate.contents import Change
    from ..evaluate.state import Shell

__all__ = ["awk", "edit_file", "grep", "jq", "pager", "perl_lines", "sed"]


# What gawk writes about a program, into the file that follows or one of its own.
_AWK_WRITES = ("-o", "-d", "-p", "--dump-variables", "--pretty-print", "--profile")
_AWK_PLAIN = frozenset(
    "-F -v -P -r -b -c -n -N -S -t -V -h -M -O -s -k -C -L --assign --field-separator --posix --re-interval --csv "
    "--characters-as-bytes --traditional --non-decimal-data --use-lc-numeric --sandbox --lint --lint-old --version "
    "--help --bignum --optimize --no-optimize --copyright -f --file -E --exec -i --include -l --load --".split()
)
_AWK_STREAMS = frozenset(("/dev/stdout", "/dev/stderr", "/dev/null", "-"))
_AWK_JOINED = ("-F", "-v", "--assign=", "--field-separator=", "--lint=")


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
        elif flag.text.startswith(_AWK_WRITES):
            name = flag.text.partition("=")[2] if flag.text[1] == "-" else flag.text[2:]
            on_path("write", Arg(name or "awkprof.out", flag.span, flag.glob, flag.origin), shell)
        elif flag.unknown:
            shell.unclear(f"an option of `awk` is not known: {flag.why}", span)
        elif flag.text not in _AWK_PLAIN and not flag.text.startswith(_AWK_JOINED):
            shell.unclear(f"`{flag.text}` makes awk load or write a file, or is not known", span)
    if program is None:
        if not rest:
            return None
        program = rest.pop(0)
        from ..code import awk_is_plain

        written: list[str] = []
        if not program.known:
            shell.unclear(f"an awk program is not known: {program.why or 'a pattern'}", span)
        elif not awk_is_plain(program.text, written):
            shell.unclear("an awk program that can run commands or write files", span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
        for name in written:
            if name not in _AWK_STREAMS:
                on_path("write", Arg(name, program.span, quoted=True), shell)
        _picks_by_program(program.text, span, shell)
    files = [arg for arg in rest if "=" not in arg.text.partition("/")[0]]
    for arg in files:
        on_path("read", arg, shell)
    if not files:
        emit(shell, span, name="exec:awk", effects=(), tags=())
        return column(program.text, span, shell)
    return None


def sed(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """sed: `-i` edits in place; the commands e, w and r of a script run, write and read."""
    from ..code import sed_is_plain

    parsed = parse_options(row, args[1:], stop_at_operand=False)
    scripts = [value for option, value in parsed.values if option.name == "-e"]
    files = list(parsed.operands)
    if not scripts and not any(option.name == "-f" for option, _ in parsed.values):
        if not files:
            return None
        scripts = [files.pop(0)]
    for script in scripts:
        _picks_by_program(script.text, span, shell)
        if not script.known and not script.glob:
            shell.unclear(f"a sed script is not known: {script.why}", script.span)
            continue
        named: list[tuple[str, str]] = []
        if not sed_is_plain(script.text, named):
            shell.unclear("a sed script that can run commands, or is not known", script.span)
            emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
        for role, name in named:
            on_path(role, Arg(name, script.span, script.glob), shell)
    if any(option.name == "-f" for option, _ in parsed.values):
        shell.unclear("a sed script in a file is not read", span)
    edits = "-i" in parsed.switches
    kept = next((value for option, value in parsed.values if option.name == "-i" and value.text), None)
    change = _change_of(scripts, parsed) if edits and files else None
    for arg in files:
        if edits:
            edit_file(arg, change, shell)
        else:
            on_path("read", arg, shell)
        if kept is not None:
            on_path("write", _kept_as(arg, kept), shell)
    if not files:
        emit(shell, span, name="exec:sed", effects=(), tags=())
    return None


def _kept_as(file: Arg, suffix: Arg) -> Arg:
    """`-i.bak`, `-i old_*`: the name under which what was there is kept."""
    folder, slash, name = file.text.rpartition("/")
    other = suffix.text.replace("*", name) if "*" in suffix.text else name + suffix.text
    text = other if "/" in other else folder + slash + other
    return Arg(text, suffix.span, file.glob, file.origin or suffix.origin)


def _picks_by_program(text: str, span: tuple[int, int], shell: Shell) -> None:
    """`env | awk '/KEY/'`: of the whole environment, the lines that a program asks for by name."""
    if shell.stdin is not None and shell.stdin.origin == ENVIRONMENT:
        words = "".join(char if char.isalnum() or char == "_" else " " for char in text).split()
        if any(map(asks_for_secrets, words)):
            emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("environment", "secret"))


def _change_of(scripts: list[Arg], parsed: Parsed) -> Change | None:
    """What the scripts make of a file, where that can be worked out."""
    plain = parsed.switches <= {"-i", "-e", "-E", "-r", "-s"} and not parsed.strange
    if not plain or not all(script.known and script.text for script in scripts):
        return None
    from ..substitutions import sed_change

    return sed_change([script.text for script in scripts], extended=not parsed.switches.isdisjoint(("-E", "-r")))


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
    from ..substitutions import perl_change, perl_is_plain

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
    if len(paths) == 1 and not arg.glob:
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
    names = row.replace(operands="read*", special=None)
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
    if lists and parsed.operands and all(not arg.unknown for arg in parsed.operands) and len(parsed.operands) == 1:
        if parsed.operands[0].text == "-" or any(option.name in _RENAME for option, _ in parsed.values):
            return None
        from .searchers import names_with

        return names_with([*patterns, *([] if pattern is None else [pattern])], parsed, args, span, shell)
    if flowing is None or parsed.operands:
        return None
    if not flowing.unknown:
        if output is not None and output.glob and pattern is not None and not patterns:
            from .searchers import kept_names

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


_YQ_READS = frozenset("load load_str load_xml load_props load_base64 load_csv load_tsv load_json system exec".split())


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
        if row.name == "yq" and not _YQ_READS.isdisjoint(terms.split()):
            shell.unclear("an expression that reads other files, or runs a program", span)
        if not {"env", "$ENV", "strenv", "envsubst"}.isdisjoint(terms.split()):
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
