"""Shells and interpreters: text, files and standard input that they run."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.origins import Origin
from ..evaluate.shell_options import started_by
from ..evaluate.words import NUL, Arg, literal
from ..machine.acts import emit, on_path
from ..machine.engine import run_command, run_row
from ..machine.index import find_program
from ..machine.options import parse as parse_options
from ..machine.places import has_written
from ..runs.wrappers import run_code, run_code_here, run_file, source_file
from ..shell import parse as parse_shell
from ..shell.syntax import Lit, Simple
from .inline_code import loads_library, started_plainly
from .interpreters import behind_code, module_of_nobody, setting
from .languages import perl_lines

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.modules import program_of
    from ..python.own_modules import files_of, folders_of_modules, read_shadows
    from ..python.records import touches_more_than_records
    from ..tables.spec import Program
    from .publishers import setup_script
    from .serving import php_server, php_settings
else:
    program_of = lazy(globals(), "..machine.modules", "program_of")
    files_of = lazy(globals(), "..python.own_modules", "files_of")
    folders_of_modules = lazy(globals(), "..python.own_modules", "folders_of_modules")
    read_shadows = lazy(globals(), "..python.own_modules", "read_shadows")
    touches_more_than_records = lazy(globals(), "..python.records", "touches_more_than_records")
    setup_script = lazy(globals(), ".publishers", "setup_script")
    php_server = lazy(globals(), ".serving", "php_server")
    php_settings = lazy(globals(), ".serving", "php_settings")

__all__ = ["django_shell", "interpreter", "shell_program"]

_LONG = frozenset("login norc noprofile posix version help verbose restricted".split())
_STARTS_UP = frozenset(("-i", "+i", "-l", "+l"))


def shell_program(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`bash -c TEXT`, `bash FILE`, `… | bash`."""
    output = _start_shell(row, args, span, shell)
    for arg in args[1:]:
        if arg.text[:1] not in ("-", "+"):
            break
        if arg.text not in ("-c", "--norc", "--noprofile", "--", "-"):
            return None  # it may print more, or less: `-x`, `-n`, `-e`
    return output


def _start_shell(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    started = started_by([arg.text for arg in args[1:]])
    options, rest = args[1 : 1 + started.rest], args[1 + started.rest :]
    if any(not flag.known for flag in options):
        shell.unclear("one of the options is unknown", span)
        return None
    for at in started.files:
        if at < len(options):
            source_file(options[at], [], shell.copy(), span)
    strange = [name for name in started.long if name not in _LONG]
    if strange:
        shell.unclear(f"`--{strange[0]}` is an unknown option", span)
    if "login" in started.long or not _STARTS_UP.isdisjoint(started.flags):
        _start_up(shell, span)
    plain = args[0].text.rpartition("/")[2] != "bash" or "posix" in started.long or "-posix" in started.flags
    letters = {flag[1:] for flag in started.flags}
    takes_text, reads_stdin, asks = "c" in letters, "s" in letters, "i" in letters
    checks, switched_on = "-n" in started.flags, any(flag[0] == "+" for flag in started.flags)
    if row.tags and "foreign" in row.tags:
        return _foreign(row, rest, takes_text, span, shell)
    if checks and not asks and not switched_on:  # parsed, and not run; a shell for someone goes on all the same
        for arg in rest[:1] if not takes_text and not reads_stdin else ():
            on_path("read", arg, shell)
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    if takes_text:
        if not rest:
            return None
        inner = shell.child()
        inner.parameters = rest[2:]
        if len(rest) > 1:
            inner.variables["0"] = rest[1:2]  # the name of the script, and whatever stands in its place
        inner.posix = plain
        if not rest[0].known:
            return run_code("code.sh", rest[0], shell, span)
        return run_code_here(rest[0], inner, span)
    if rest and not reads_stdin:
        return run_file(rest[0], rest[1:], span, shell, "code.sh" if plain else "code.bash")
    if shell.stdin is not None:
        if shell.stdin.known:
            inner = shell.child()
            inner.parameters = rest
            inner.posix = plain
            inner.stdin = Arg(NUL, span, origin=Origin("rest-of-script"))
            return run_code_here(shell.stdin, inner, span)
        shell.unclear(f"it runs its input, which comes from {shell.stdin.why}", span)
        emit(shell, span, name="exec:stdin", effects=(Effect.EXECUTE,), tags=("unread", "fed"))
        return None
    shell.unclear("it starts an interactive session", span)
    emit(shell, span, name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def _start_up(shell: Shell, span: tuple[int, int]) -> None:
    """A login or interactive shell first runs files of its own; those of this call are not followed."""
    home = shell.found.facts.home
    names = (".bash_profile", ".bash_login", ".profile", ".bashrc", ".bash_logout", ".inputrc")
    if any(f"{home}/{name}" in shell.files for name in names):
        shell.unclear("a start-up file that was written here is run", span)


def _foreign(row: Program, rest: list[Arg], takes_text: bool, span: tuple[int, int], shell: Shell) -> Arg | None:
    """Another shell than bash: one simple command of plain words means the same there, nothing else is read."""
    if takes_text and rest and rest[0].known:
        script = parse_shell(rest[0].text)
        commands = script.commands
        plain = (
            len(commands) == 1
            and type(commands[0]) is Simple
            and not commands[0].assigns
            and not commands[0].redirects
            and all(len(w.parts) == 1 and type(w.parts[0]) is Lit for w in commands[0].words)
            and all(char.isalnum() or char in " -_./:=,@+" for char in rest[0].text)
        )
        if plain:
            return run_code_here(rest[0], shell.copy(), span)
    shell.unclear("another shell, which is not read", span)
    emit(shell, span, name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


_TELLS_VERSION = frozenset(("perl", "ruby", "php", "lua", "node"))  # with `-v`; python would talk more


def interpreter(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """python, node, perl, ruby …: `-c TEXT`, `FILE`, standard input."""
    if row.name == "perl" and perl_lines(args, span, shell):
        return None
    if len(args) == 2 and args[1].text == "-v" and row.name in _TELLS_VERSION and shell.stdin is None:
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    if row.name == "php":
        php_settings(args, span, shell)
        if any(arg.text[:2] == "-S" for arg in args) and php_server(args, span, shell):
            return None
    language = {"python": "code.py"}.get(row.stdin.partition(".")[2], row.stdin)
    rest = args[1:]
    takes = _kinds_of(row.options)
    codes, values, modules = takes["code"], takes["value"], takes["module"]
    loads, checking, harmless = takes["load"], takes["check"], takes[""]
    checks = False
    _asks_on(row, rest, span, shell)
    while rest and rest[0].text[:1] == "-" and rest[0].text not in ("-", "--"):
        flag = rest.pop(0)
        if not flag.known:
            shell.unclear("one of the options is unknown", span)
            return None
        if row.name == "perl" and flag.text[1:2] == "0":  # `-0777`: what parts the lines
            flag = Arg("-" + flag.text[2:].lstrip("01234567"), flag.span)
        name, equals, joined = flag.text.partition("=")
        short = flag.text[:2]
        if flag.text in harmless or flag.text == "-":
            continue
        if _only_checks(flag.text, checking, harmless):
            checks = True
            continue
        if name in codes or (short in codes and not flag.text.startswith("--")):
            code = literal(joined, flag.span) if equals and name in codes else _rest_of(flag, short, rest)
            behind_code(row, rest, span, shell)
            return None if code is None else _code_of(language, code, row, shell, span, rest)
        bundled = _bundled(flag.text, codes)
        if bundled and rest:
            behind_code(row, rest[1:], span, shell)
            return _code_of(language, rest[0], row, shell, span)
        if name in modules or (short in modules and not flag.text.startswith("--")):
            module = _rest_of(flag, short, rest)
            return _module(row, module, rest, span, shell)
        if name in takes["program"] and rest:  # `iex -S mix run -e CODE`: the rest is a command of its own
            if row.stdin and shell.stdin is not None:
                shell.unclear("it may run its input as well", span)
            return run_command(rest, span, shell)
        if loads_library(row, flag, rest):
            continue
        if name in loads:
            shell.unclear(f"`{name}` loads more code", span)
            if not equals and rest:
                rest.pop(0)
            continue
        if setting(row, flag, rest, span, shell):
            continue
        if name in values:
            if not equals and rest:
                rest.pop(0)
            continue
        if short in values and len(flag.text) > 2:
            continue
        if flag.text in ("--version", "-V", "-v", "--help", "-h", "-version") and not rest:
            emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
            return None
        shell.unclear(f"`{flag.text[:40]}` is an unknown option", span)
    if rest and rest[0].text == "--":
        rest.pop(0)
    if checks and (rest or shell.stdin is not None):  # parsed, and not run
        for arg in rest:
            on_path("read", arg, shell)
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    if rest and rest[0].text != "-":
        if row.name == "node" and any(arg.text == "--test" for arg in args):
            for arg in rest[1:]:
                shell.found.follow.run_place(arg, shell, span)  # each is a test
        if language == "code.py" and rest[0].text.endswith("setup.py"):
            setup_script(rest[0], rest[1:], span, shell)
        return run_file(
            rest[0],
            rest[1:],
            span,
            shell,
            language if language == "code.py" else "code.other" if "." in rest[0].text else "",
        )
    if shell.stdin is not None:
        if shell.stdin.known:
            return _code_of(language, shell.stdin, row, shell, span, rest[1:])
        shell.unclear(f"it runs its input, which comes from {shell.stdin.why}", span)
        emit(shell, span, name="exec:stdin", effects=(Effect.EXECUTE,), tags=("unread", "fed"))
        return None
    if row.name == "node" and any(arg.text == "--test" for arg in args):
        shell.found.follow.own_code(shell.folders, shell, span)
        emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",))
        return None
    if row.name == "php" and not rest and any(arg.text in _TELLS_OF_PHP for arg in args):
        whole = any(arg.text in ("-i", "--info") for arg in args)  # variables of the environment too
        name, tags = ("sys:env", ("environment",)) if whole else ("exec:php", ())
        emit(shell, span, name=name, effects=(Effect.READ,), tags=tags)
        return None
    shell.unclear("it starts an interactive session", span)
    emit(shell, span, name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def django_shell(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`manage.py shell -c CODE`, `< FILE`: the project's code, and then Python with its models at hand."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    codes = [value for option, value in parsed.values if option.role == "code.py"]
    code = codes[0] if len(codes) == 1 else shell.stdin if not codes else None
    if code is None or not code.known or parsed.strange or parsed.operands or len(parsed.values) > 1:
        shell.unclear("it is unclear what this program would do", span)
    else:
        more = touches_more_than_records(code.text)
        if more:
            shell.unclear(f"code in Django's shell that uses `{more[:60]}`", span)
        run_code("code.py", code, shell, span, whole=True)
    emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


_TELLS_OF_PHP = frozenset(("-m", "--modules", "-i", "--info", "--ini"))
_KINDS: dict[str, dict[str, set[str]]] = {}


def _kinds_of(options: str) -> dict[str, set[str]]:
    """The options of an interpreter, by what they take; sorted once for each wording."""
    found = _KINDS.get(options)
    if found is None:
        found = _KINDS[options] = {kind: set() for kind in ("", "check", "code", "load", "module", "program", "value")}
        for option, _, kind in [item.partition(":") for item in options.split()]:
            found.setdefault(kind, set()).add(option)
    return found


def _only_checks(flag: str, checking: set[str], harmless: set[str]) -> bool:
    """`--check`, `-c`, `-wc`: the text is parsed, and nothing of it is run."""
    if flag in checking:
        return True
    letters = {"-" + letter for letter in flag[1:]} if flag[1:].isalpha() and flag[:2] != "--" else set()
    return bool(letters & checking) and letters <= checking | harmless


def _asks_on(row: Program, rest: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`python -i -c TEXT`, `-ic TEXT`: after the text it runs, line by line, what it is fed."""
    if row.stdin != "code.py" or shell.stdin is None:
        return
    kinds = _kinds_of(row.options)
    takes = kinds["value"] | kinds["load"]
    left = list(rest)
    while left:
        text = left.pop(0).text
        if text[:1] != "-" or text == "-":
            return
        if text in takes and left:
            left.pop(0)
        elif text[:2] in takes or text[:2] == "--":
            continue
        elif "i" in text.partition("c")[0].partition("m")[0]:
            shell.unclear("`-i` goes on with its input, line by line", span)
            return


def _bundled(flag: str, codes: set[str]) -> bool:
    """`perl -ne CODE`, `ruby -pe CODE`."""
    return not flag.startswith("--") and len(flag) > 2 and "-" + flag[-1] in codes and flag[1:-1].isalpha()


def _rest_of(flag: Arg, short: str, rest: list[Arg]) -> Arg | None:
    if len(flag.text) > len(short) and not flag.text.startswith("--"):
        return Arg(flag.text[len(short) :], flag.span)
    return rest.pop(0) if rest else None


_TERMINALS = frozenset(("expect", "script", "socat", "unbuffer"))


def _code_of(
    language: str, code: Arg, row: Program, shell: Shell, span: tuple[int, int], args: list[Arg] | None = None
) -> Arg | None:
    if language == "code.py":
        # INVARIANT: what else takes Python takes more than that: `ipython` runs `!command`, and settings run files.
        plain = row.name == "python" and not any(name.startswith("PYTHON") for name in shell.variables)
        # at a terminal it takes line by line, and goes on behind a mistake
        plain = plain and not any(words[0].text.rpartition("/")[2] in _TERMINALS for words, _ in shell.found.commands)
        return run_code("code.py", code, shell, span, args, whole=plain)
    if code.known and started_plainly(row, shell):
        return run_code("code." + row.name, code, shell, span)
    shell.unclear("code in this language is not read", span)
    emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def _module(row: Program, module: Arg | None, rest: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`python -m NAME …`: many modules are programs of their own."""
    if module is None or not module.known:
        shell.unclear("it is unclear which module runs", span)
        return None
    if module.text.partition(".")[0] == "interlock":  # our own command, by the name of its package
        return run_command([Arg("interlock", module.span), *rest], span, shell)
    if _written_module(module, rest, span, shell):
        return None
    name = program_of(module.text)
    if name is not None:
        return run_command([*[Arg(word, module.span) for word in name.split()], *rest], span, shell)
    inner = find_program(f"python -m {module.text.removesuffix('.__main__')}")
    if inner is not None:
        return run_row(inner, [Arg(inner.name, module.span), *rest], span, shell)
    if module_of_nobody(module.text, shell):
        emit(shell, span, name=f"exec:{module.text}", effects=(Effect.EXECUTE,), tags=("unknown",))
        return None
    emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",), target={"module": module.text})
    if not (module.text.isidentifier() or module.text.replace(".", "a").isidentifier()):
        shell.unclear("it is unclear which module runs", span)
    return None


def _written_module(module: Arg, rest: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """A module that this session wrote is found before one that is installed, and is run like a script."""
    if shell.folders is None or not (shell.files or shell.found.facts.written):
        return False
    read_shadows(shell.folders[0], span, shell)
    found = []
    for folder in folders_of_modules(shell.folders[0], shell):
        last = f"{folder.rstrip('/')}/{module.text.replace('.', '/')}/__main__.py"
        found += [path for path in (*files_of(module.text, folder), last) if has_written(path, shell)]
    for path in found:
        run_file(Arg(path, module.span), rest, span, shell, "code.py")
    return bool(found)
