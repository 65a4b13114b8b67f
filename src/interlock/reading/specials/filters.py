"""awk, sed, jq, yq: their first argument is a program in a language of its own, read by reading/filters."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..evaluate.origins import ENVIRONMENT, printed
from ..evaluate.processes import column
from ..evaluate.words import NUL, Arg, literal
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..places.secret_words import asks_for_secrets
from ..runs.wrappers import run_code
from .languages import edit_file

if TYPE_CHECKING:
    from ..core.substitutions import sed_change
    from ..evaluate.contents import Change
    from ..evaluate.state import Shell
    from ..filters import Filter
    from ..filters.awk import read_awk
    from ..filters.jq import read_jq, read_yq
    from ..filters.sed import read_sed
    from ..machine.options import Parsed
    from ..tables.spec import Program
else:
    sed_change = lazy(globals(), "..core.substitutions", "sed_change")
    read_awk = lazy(globals(), "..filters.awk", "read_awk")
    read_jq = lazy(globals(), "..filters.jq", "read_jq")
    read_yq = lazy(globals(), "..filters.jq", "read_yq")
    read_sed = lazy(globals(), "..filters.sed", "read_sed")

__all__ = ["awk", "jq", "sed"]


def _does(found: Filter, program: Arg, span: tuple[int, int], shell: Shell) -> None:
    """The actions of a program that was read."""
    if found.unread is not None:
        shell.unclear(found.unread, program.span)
        emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
    for role, names in (("read", found.reads), ("write", found.writes)):
        for name in names:
            on_path(role, Arg(name, program.span, program.glob, quoted=True), shell)
    if found.runs:  # read as well, so that what it destroys is named; but a shell is there to run commands
        shell.unclear("a text program that runs a command", program.span)
    for command in found.runs:
        run_code("code.sh", Arg(command, program.span, program.glob), shell, span)
    flowing = shell.stdin
    for command in found.feeds:
        shell.stdin = Arg(NUL, program.span, origin=printed("awk"))
        run_code("code.sh", Arg(command, program.span), shell, span)
    shell.stdin = flowing
    if any(not name or asks_for_secrets(name) for name in found.environment):
        # nobody reads the environment so, but for one who may run this program and nothing else
        emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("disguised", "environment"))


def _in_file(file: Arg, language: str, shell: Shell) -> Arg | None:
    """The text of a program that is kept in a file, if it can be had; else it is opaque."""
    paths = on_path("read", file, shell)
    text = shell.files.get(paths[0]) if len(paths) == 1 else None
    if text is None and len(paths) == 1:
        if paths[0] in shell.found.facts.scripts:
            text = literal(shell.found.facts.scripts[paths[0]], file.span)
        else:
            shell.found.want(Script(paths[0]))
    if text is not None and text.known:
        return text
    shell.unclear(f"a program for {language} in a file that is not read", file.span)
    return None


# Options of awk: those that take a word, those that take nothing, and what gawk writes about a program.
_AWK_TAKES = ("-F", "-v", "--assign", "--field-separator")
_AWK_JOINED = ("-F", "-v", "--assign=", "--field-separator=", "--lint=")
_AWK_LOADS = ("-E", "--exec", "-i", "--include", "-l", "--load")
_AWK_WRITES = ("-o", "-d", "-p", "--dump-variables", "--pretty-print", "--profile")
_AWK_PLAIN = frozenset(
    "-P -r -b -c -n -N -S -t -V -h -M -O -s -k -C -L --posix --re-interval --csv --characters-as-bytes --traditional "
    "--non-decimal-data --use-lc-numeric --sandbox --lint --lint-old --version --help --bignum --optimize "
    "--no-optimize --copyright".split()
)


def awk(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """awk: its program can run commands and write files; one that does neither only reads."""
    rest = args[1:]
    sources: list[Arg | None] = []
    while rest and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        flag = rest.pop(0)
        if flag.text == "--":
            break
        if flag.text in _AWK_TAKES:
            del rest[:1]
        elif flag.text in ("-e", "--source") and rest:
            sources.append(rest.pop(0))
        elif flag.text in ("-f", "--file") and rest:
            sources.append(_in_file(rest.pop(0), "awk", shell))
        elif flag.text in _AWK_LOADS and rest:
            shell.unclear("awk loads code from a file that is not read", span)
            on_path("read", rest.pop(0), shell)
            if flag.text in ("-E", "--exec"):
                sources.append(None)
                break
        elif flag.text.startswith(_AWK_WRITES):
            name = flag.text.partition("=")[2] if flag.text[1] == "-" else flag.text[2:]
            on_path("write", Arg(name or "awkprof.out", flag.span, flag.glob, flag.origin), shell)
        elif flag.unknown:
            shell.unclear(f"one of the options depends on {flag.why}", span)
        elif flag.text not in _AWK_PLAIN and not flag.text.startswith(_AWK_JOINED):
            shell.unclear(f"`{flag.text}` makes awk load or write a file, or is unknown", span)
    if not sources:
        if not rest:
            return None
        sources.append(rest.pop(0))
    program = _awk_program([source for source in sources if source is not None], span, shell)
    files = [arg for arg in rest if "=" not in arg.text.partition("/")[0]]
    for arg in files:
        if arg.text.startswith("/inet"):
            shell.unclear("a name that gawk takes for a connection", arg.span)
        on_path("read", arg, shell)
    if files:
        return None
    emit(shell, span, name="exec:awk", effects=(), tags=())
    return column(program, span, shell)


def _awk_program(sources: list[Arg], span: tuple[int, int], shell: Shell) -> str:
    for source in sources:
        _picks_by_program(source.text, span, shell)
    unknown = next((source for source in sources if not source.known), None)
    if unknown is not None:
        shell.unclear(f"an awk program depends on {unknown.why or 'a pattern'}", span)
        return ""
    text = "\n".join(source.text for source in sources)
    if sources:
        _does(read_awk(text), sources[0], span, shell)
    return text


def sed(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """sed: `-i` edits in place; the commands e, w and r of a script run, write and read."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    given = [(option.name, value) for option, value in parsed.values if option.name in ("-e", "-f")]
    files = list(parsed.operands)
    if not given:
        if not files:
            return None
        given = [("-e", files.pop(0))]
    sources = [value if name == "-e" else _in_file(value, "sed", shell) for name, value in given]
    scripts = [source for source in sources if source is not None]
    _sed_scripts(scripts, span, shell)
    edits = "-i" in parsed.switches
    kept = next((value for option, value in parsed.values if option.name == "-i" and value.text), None)
    change = _change_of(scripts, parsed) if edits and files and None not in sources else None
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


def _sed_scripts(scripts: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    for script in scripts:
        _picks_by_program(script.text, span, shell)
    unknown = next((script for script in scripts if script.unknown), None)
    if unknown is not None:
        shell.unclear(f"a sed script depends on {unknown.why}", unknown.span)
    known = [script for script in scripts if not script.unknown]
    if known:
        glob = any(script.glob for script in known)
        _does(read_sed("\n".join(script.text for script in known)), Arg("", known[0].span, glob), span, shell)


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
    return sed_change([script.text for script in scripts], extended=not parsed.switches.isdisjoint(("-E", "-r")))


def jq(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A filter, then files; with `-f` the filter is in a file of that name, `--arg` takes two words."""
    words = list(args[1:])
    kept: list[Arg] = []
    only_filter = False  # behind `--args` come values, and still the filter if there was none yet
    while words:
        word = words.pop(0)
        if word.text in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            if word.text in ("--slurpfile", "--rawfile") and len(words) > 1:
                on_path("read", words[1], shell)
            words = words[2:]
        elif word.text in ("--args", "--jsonargs"):
            only_filter = True
        else:
            kept.append(word)
    parsed = parse_options(row, kept, stop_at_operand=False)
    if parsed.operands:
        program: Arg | None = parsed.operands.pop(0)
        if "-f" in parsed.switches and program is not None:
            program = _in_file(program, row.name, shell)
        if program is not None:
            _jq_filter(row, program, span, shell)
    if only_filter:
        parsed.operands = []
    parsed.doubtful = []
    role = "edit*" if "inplace" in parsed.switches else "read*"
    return act_on(row.replace(operands=role), parsed, args, span, shell)


def _jq_filter(row: Program, program: Arg, span: tuple[int, int], shell: Shell) -> None:
    if program.unknown:  # a pattern is the filter as it stands, unless a file of such a name is there: `jq .[].name`
        shell.unclear(f"a filter depends on {program.why}", program.span)
        return
    _does((read_yq if row.name == "yq" else read_jq)(program.text), program, span, shell)
