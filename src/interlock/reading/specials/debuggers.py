"""Compilers and debuggers: options in files, programs that they are told to run, commands of their own."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.contents import Built
from ..evaluate.words import Arg
from ..lands.fetched import came_with
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, run_command
from ..machine.index import find_program
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..places.paths import within
from ..runs.projects import inside, run_place
from ..runs.wrappers import run_code
from ..written.languages import COMPILED, language_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["compiler", "gdb", "loads", "profiler", "task_or_file"]

_GDB_LOOKS = frozenset(
    [
        "bt",
        "backtrace",
        "where",
        "info",
        "i",
        "p",
        "print",
        "x",
        "list",
        "l",
        "up",
        "down",
        "frame",
        "f",
        "thread",
        "threads",
        "disassemble",
        "disas",
        "ptype",
        "whatis",
        "show",
        "set",
        "quit",
        "q",
        "break",
        "b",
        "tbreak",
        "delete",
        "clear",
        "continue",
        "c",
        "next",
        "n",
        "step",
        "s",
        "finish",
        "until",
        "watch",
        "display",
        "undisplay",
        "kill",
        "detach",
        "help",
        "echo",
        "printf",
        "run",
        "r",
        "start",
        "starti",
        "core-file",
        "file",
        "symbol-file",
        "directory",
        "handle",
        "catch",
        "nexti",
        "stepi",
        "ni",
        "si",
        "maintenance",
        "explore",
    ]
)


def gdb(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Its commands can be shell commands and Python; those that only look or step run the program at most."""
    at = next((i for i, arg in enumerate(args) if arg.text in ("-args", "--args")), None)
    own = args[1:] if at is None else args[1 : at + 2]
    parsed = parse_options(row, own, stop_at_operand=False)
    lines = [value for option, value in parsed.values if option.role == "script-line"]
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text[:40]}` is an unknown option", span)
    for line in lines:
        words = line.text.split()
        word = words[0].partition("/")[0] if words else "echo"
        if not line.known and not line.glob:
            shell.unclear(f"a command of `gdb` depends on {line.why}", span)
        elif line.text.lstrip().startswith("!") or word in ("shell", "make"):
            text = (
                line.text.lstrip()
                .removeprefix("!")
                .removeprefix(word if not line.text.lstrip().startswith("!") else "")
            )
            run_code("code.sh", Arg(text.strip(), line.span), shell, span)
        elif word not in _GDB_LOOKS or "(" in line.text or "|" in line.text or (word == "set" and "logging" in words):
            shell.unclear(f"`{word[:40]}` of `gdb` is not read", span)
    scripted = any(option.role == "script-file" for option, _ in parsed.values)
    batch = not {"-batch", "-batch-silent"}.isdisjoint(parsed.switches) or any(
        line.text in ("quit", "q") for line in lines
    )
    if scripted or shell.stdin is not None or (not batch and not {"--version", "--help"} & {arg.text for arg in own}):
        shell.unclear("`gdb` runs commands that are not read", span)
    for option, value in parsed.values:
        if option.role in ("read", "runs"):
            (on_path if option.role == "read" else lambda _, arg, sh: run_place(arg, sh, span))("read", value, shell)
    for program in parsed.operands[:1]:
        if at is not None and program.known and "/" not in program.text and find_program(program.text) is not None:
            run_command(args[at + 1 :], span, shell.copy())  # a program of the machine, with its own arguments
        run_place(program, shell, span)
    emit(shell, span, name="exec:gdb", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def profiler(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """perf, valgrind: an option that is not known may name a program to run; so does a tool that is a path."""
    parsed = parse_options(row, args[1:], stop_at_operand=row.operands.startswith("command"))
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text[:40]}` is an unknown option", span)
    for option, value in parsed.values:
        if option.name == "--tool" and (not value.known or "/" in value.text):
            shell.unclear("a tool of `valgrind` that is not its own", value.span)
    return act_on(row, parsed, args, span, shell)


def compiler(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`@FILE` holds more options; `rustc -C linker=PROGRAM` runs one."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(arg.text.startswith("@") for arg in parsed.operands):
        shell.unclear("options in a file are not read", span)
    if any(arg.text.startswith("-Xplugin") for arg in parsed.strange):
        shell.unclear("a plug-in of the compiler is run", span)
    for option, value in parsed.values:
        if option.name in ("-C", "-Z") and (value.unknown or value.text.startswith(("linker", "link-a", "codegen-b"))):
            shell.unclear("an option that makes the compiler run another program", span)
        if option.name in _CLASS_PATHS and row.name == "javac" and "-proc:none" not in parsed.switches:
            _class_path(value, span, shell, named="-processor" in parsed.switches)
    if row.action not in _BUILDS or (row.action == "exec:rustc" and parsed.strange):
        return act_on(row, parsed, args, span, shell)
    if _is_own(parsed.operands, shell) and _adds_no_code(args, parsed, shell):
        built = row.replace(options=row.options.replace("-o:write", "-o:builds"))
        return act_on(row, parse_options(built, args[1:], stop_at_operand=False), args, span, shell)
    output = act_on(row, parsed, args, span, shell)
    if row.action != "exec:gcc":
        return output
    named = [value for option, value in parsed.values if option.name == "-o"]
    if parsed.operands and not named and parsed.switches.isdisjoint(("-o", "-c", "-S", "-E")):
        named = [Arg("a.out", span)]
        on_path("write", named[0], shell)
    if named and named[-1].known and _is_known(parsed.operands, shell) and _adds_no_code(args, parsed, shell):
        shell.files[where(named[-1], shell)] = Built(tuple([arg.text for arg in args]), span)
    return output


_BUILDS = frozenset(("exec:gcc", "exec:rustc"))
_CLASS_PATHS = ("-cp", "-p")
# Where tools and systems keep the libraries of Java that they have brought.
_STORES = ("/.m2/", "/.gradle/", "/.ivy2/", "/coursier/", "/.sdkman/")
_SYSTEM = ("/usr/", "/opt/")


def _class_path(value: Arg, span: tuple[int, int], shell: Shell, *, named: bool) -> None:
    """A processor of annotations on the class path is run by the compiler, whether or not one is named."""
    for place in () if value.unknown else value.text.split(":"):
        stored = place.startswith(_SYSTEM) or any(store in place for store in _STORES)
        if place and (named or (place[:1] in ("/", "~", ".") and not stored)):
            run_place(Arg(place, value.span, value.glob, value.origin), shell, span)


def _is_known(sources: list[Arg], shell: Shell) -> bool:
    """Whether all that is compiled lies in the project, and came from nowhere else: then its texts tell what runs."""
    root = shell.found.facts.root
    places = [where(arg, shell) for arg in sources if arg.known and not arg.glob]
    return len(places) == len(sources) > 0 and all(
        inside(place, root)
        and place.endswith(_COMPILED)
        and not came_with(place, shell)
        and (language_of(place) in COMPILED or not has_written(place, shell))
        for place in places
    )


_COMPILED = tuple(
    ".c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .inc .inl .s .S .asm .o .a .so .f .f90 .cu .m .mm .d .rs".split()
)


def _is_own(sources: list[Arg], shell: Shell) -> bool:
    """True if what is compiled is the project's: its files, and none of its kind that this session has written.

    What comes out of them is then no more the session's than what the project's own build makes.
    """
    facts = shell.found.facts
    if shell.folders is None or not sources:
        return False
    for arg in sources:
        path = where(arg, shell)
        if (
            arg.unknown
            or arg.text == "-"
            or not inside(path, facts.root)
            or has_written(path, shell)
            or came_with(path, shell)
        ):
            return False
    return not any(path.endswith(_COMPILED) for path in (*shell.files, *facts.written))


_OTHER_CODE = frozenset(("--extern", "--sysroot", "-Z"))
_TUNES = (
    "opt-level=",
    "debuginfo=",
    "lto",
    "panic=",
    "overflow-checks",
    "debug-assertions",
    "codegen-units=",
    "strip=",
)
_OF_SYSTEM = ("/usr/", "/opt/", "/lib/", "/Library/", "/Applications/")


def _adds_no_code(args: list[Arg], parsed: Parsed, shell: Shell) -> bool:
    """True if no option brings in code from elsewhere, or gives names another meaning (`-Dputs=system`)."""
    if any(arg.text.startswith(("-Wl,", "-Wp,", "-Wa,", "-Xlinker")) for arg in args[1:]):
        return False
    for option, value in parsed.values:
        if value.unknown or value.glob or value.text.startswith(("..", "~")) or "/.." in value.text:
            return False
        if option.name == "-D" and not value.text.partition("=")[0].isupper():
            return False
        if option.name in _OTHER_CODE or (option.name == "-C" and not value.text.startswith(_TUNES)):
            return False  # of rustc
        place = value.text.startswith("/") and option.name != "-o"
        if place and not value.text.startswith(_OF_SYSTEM) and not inside(value.text, shell.found.facts.root):
            return False
    return True


def task_or_file(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`bun run NAME`: a script of the project by its name, or a file."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    first = parsed.operands[:1]
    if first and ("/" in first[0].text or "." in first[0].text):
        run_place(first[0], shell, span)
        parsed.operands = []
    return act_on(row, parsed, args, span, shell)


_SEARCHED = frozenset(("--set-rpath", "--add-rpath", "--force-rpath", "--set-interpreter", "--add-needed", "-r"))


def loads(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """patchelf, chrpath, install_name_tool: a program that from now on loads code from where anybody can put it."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    places = [value for option, value in parsed.values if option.name in _SEARCHED]
    places += [args[at + 1] for at, arg in enumerate(args[:-1]) if arg.text in ("-add_rpath", "-change")]
    anybodys = (*shell.found.facts.temp, "/dev/shm/")  # noqa: S108 - compared with
    if any(within(anybodys, folder) for place in places for folder in place.text.split(":") if folder[:1] == "/"):
        emit(shell, span, name="build:loads", effects=(Effect.WRITE,), tags=("redirects",))
    return act_on(row, parsed, args, span, shell)
