"""Build tools and package managers: packages or places, scripts by name, variables that are commands."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.environment import hand_over
from ..evaluate.words import NUL, Arg
from ..lands.fetched import came_with, run_fetched
from ..lands.tool_folders import install_place
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, own_values, run_command, run_row
from ..machine.index import find_program
from ..machine.options import compiled
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..reach.first_installs import fetches
from ..reach.package_sources import is_elsewhere
from ..runs.projects import own_code, run_place
from ..runs.shell_changes import on_variable
from ..runs.started import CALLED, start
from ..runs.wrappers import on_url, run_code, run_file
from ..tables.agents import PACKAGES

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program
    from ..tasks.package_keys import own_bin
else:
    own_bin = lazy(globals(), "..tasks.package_keys", "own_bin")

__all__ = [
    "apt",
    "ar",
    "cargo",
    "env_run",
    "fetched",
    "go_run",
    "installs",
    "java",
    "make",
    "package_run",
    "r_program",
    "sphinx",
    "system_file",
]

_ARCHIVES = (".whl", ".tgz", ".tar.gz", ".tar.bz2", ".zip", ".gem", ".crate", ".nupkg", ".rockspec", ".rock", ".phar")
_SYSTEM_PACKAGES = tuple(".deb .rpm .apk .txz .snap .ipk .flatpak .pkg.tar.zst .pkg.tar.xz .flatpakref".split())


def installs(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Words that are places of the project are not packages; without a package it is the manifest that is installed."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    packages: list[Arg] = []
    for arg in parsed.operands:
        text = arg.text
        if text.endswith(_SYSTEM_PACKAGES):
            system_file(arg, shell, span)
            packages.append(arg)
        elif "://" in text:
            if not text.startswith(("git+", "svn+", "hg+")) or arg.unknown:
                on_url(arg, shell, arg.span, [])
            packages.append(arg)
        elif (
            text.startswith(("./", "../", "/", "~/", "file:", ".["))
            or text in (".", "..")
            or (text.endswith(_ARCHIVES) and not text.startswith("@"))
        ):
            install_place(arg, shell, span)
        else:
            packages.append(arg)
    parsed.operands = packages
    if any(arg.text.partition("=")[0] in ("--trusted-host", "--no-verify-ssl", "--insecure") for arg in args[1:]):
        emit(shell, span, name="pkg:source", effects=(Effect.WRITE,), tags=("security",))
    remote = any(option.role == "package" for option, _ in parsed.values)
    parsed.switches.add("named" if packages or remote or "everything" in parsed.switches else "own")
    return act_on(row, parsed, args, span, shell)


def system_file(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A package file of the operating system: it brings scripts that are run with the rights of the installer."""
    if "://" in arg.text:
        on_url(arg, shell, arg.span, [])
    else:
        on_path("read", arg, shell)
    shell.unclear("installs a package file, whose scripts are not read", span)


# package -> the tool that it brings, where that has another name
_TOOL_OF = {
    "playwright/test": "playwright", "typescript": "tsc", "vscode/vsce": "vsce", "netlify-cli": "netlify",
    "firebase-tools": "firebase", "eas-cli": "eas", "google/clasp": "clasp", "changesets/cli": "changeset",
}  # fmt: skip


def package_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`npx PKG …`, `uvx PKG …`: a tool that is known, as itself; any other is code that is fetched and run."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text[:40]}` is an unknown option", span)
    extra = [value for option, value in parsed.values if option.role == "package"]
    own_values(row, parsed, span, shell)
    for package in extra:
        fetched(package, shell, span)
    if not parsed.operands:
        if not extra and not any((option.role or "").startswith("code") for option, _ in parsed.values):
            emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    first = parsed.operands[0]
    if not first.known:
        shell.unclear(f"which package runs depends on {first.why or 'a pattern'}", span)
        return None
    text = first.text
    if text.startswith(("/", "./", "../")):
        return run_command(parsed.operands, span, shell.copy())
    name, at, _ = text.rpartition("@")
    if not at or not name:
        name, at = text.partition("==")[0], "==" if "==" in text else ""
    name = _TOOL_OF.get(name.lstrip("@")) or PACKAGES.get(name, name)
    for folder in shell.folders or ():
        path = f"{folder}/node_modules/.bin/{text}"
        if has_written(path, shell):
            return run_file(Arg(path, first.span), parsed.operands[1:], span, shell)
    if (shell.files or shell.found.facts.written) and not at:
        own_bin(name, parsed.operands[1:], shell, span)
    inner = find_program(name)
    if inner is None or at or not _is_tool(name) or fetches(text, shell):
        if not extra:
            fetched(first, shell, span)
        if inner is None:
            return None
    return run_command([Arg(name, first.span), *parsed.operands[1:]], span, shell.copy())


def _is_tool(name: str) -> bool:
    from ..tables.names import NAMES

    return NAMES.get(name) in ("node", "python_tools")


def fetched(package: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if package.unknown:
        shell.unclear(f"which package runs depends on {package.why}", span)
    emit(
        shell,
        span,
        name="pkg:run",
        effects=(Effect.EXECUTE, Effect.NETWORK, Effect.WRITE),
        tags=("install", "unread"),
        target={"package": package.text.replace("\0", "…")},
    )


def env_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`poetry run CMD`: a program that is known, a script file, or a script that the project gave a name."""
    module, rest = _module_of(row, args)
    parsed = parse_options(row, rest, stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text[:40]}` is an unknown option", span)
    for option, value in parsed.values:
        if option.role == "package":
            fetched(value, shell, span)
        elif option.role == "registry" and is_elsewhere(value.text):
            shell.unclear(f"packages are taken from `{value.text.replace(NUL, '…')[:60]}`", span)
    own_values(row, parsed, span, shell)
    if module is not None:
        words = [Arg("python", span), Arg("-m", span), *module]
        return run_command(words, span, shell.copy())
    if not parsed.operands:
        if "code" not in " ".join(option.role or "" for option, _ in parsed.values):
            emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    first = parsed.operands[0]
    version = first.text.removeprefix("v")[:1].isdigit() or first.text.startswith("lts/")
    if version and len(parsed.operands) > 1 and find_program(first.text) is None:  # `nvm exec 20 CMD`
        return run_command(parsed.operands[1:], span, shell.copy())
    if not first.known or "://" in first.text:
        shell.unclear("it is unclear which program runs", span)
        emit(shell, span, name="exec:script", effects=(Effect.EXECUTE,), tags=("unread",))
        return None
    if (first.text.endswith(".py") and "/" not in first.text) or (
        first.text.endswith(".py") and row.stdin == "code.py"
    ):
        return run_file(first, parsed.operands[1:], span, shell, "code.py")
    if first.text == "-":
        return run_command([Arg("python", span), first], span, shell.copy())
    if any(char.isspace() for char in first.text):  # `yarn exec "rm -rf x"`: a line for a shell
        return run_code("code.sh", first, shell, span)
    if "/" in first.text or find_program(first.text) is not None:
        return run_command(parsed.operands, span, shell.copy())
    own_code(shell.folders, shell, span)
    emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",), target={"program": first.text})
    return None


def _module_of(row: Program, args: list[Arg]) -> tuple[list[Arg] | None, list[Arg]]:
    """`-m MODULE …` ends the options: the module with its own words, and what stands before it."""
    table = compiled(row)
    for index, arg in enumerate(args[1:], start=1):
        option = table.by_name.get(arg.text)
        if option is not None and option.role == "module":
            before = parse_options(row, args[1:index], stop_at_operand=True)
            return (None, args[1:]) if before.operands else (args[index + 1 :], args[1:index])
    return None, args[1:]


# Variables that a makefile runs as a program.
_MAKE_SHELLS = frozenset(("SHELL", ".SHELLFLAGS", "MAKE", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MFLAGS"))


def make(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Targets, and variables, of which a value can be a command line."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(option.role == "runs" and value.text in ("-", "/dev/stdin") for option, value in parsed.values):
        shell.unclear("a makefile that comes in is not read", span)
    goals = []
    for arg in parsed.operands:
        name, equals, value = arg.text.partition("=")
        if not equals:
            goals.append(arg)
            continue
        first = value.split()[0] if value.split() else ""
        plain = name.rstrip(":?+")
        if plain in CALLED or plain in _MAKE_SHELLS or plain == "PATH":  # read below, or by their own rules
            on_variable(name, Arg(value, arg.span, arg.glob, arg.origin), shell, arg.span)
        else:
            hand_over(plain, Arg(value, arg.span, arg.glob, arg.origin), shell, arg.span)  # recipes see it, too
        if name[-1:] == "!":  # make runs the value, also where it only shows what it would do
            shell.unclear(f"what a command prints becomes `{name[:-1]}` of a makefile", arg.span)
            run_code("code.sh", Arg(value, arg.span, arg.glob, arg.origin), shell, span)
        elif name.rstrip(":?+") in _MAKE_SHELLS or any(
            mark in value for mark in ("$(", "${", "`", ";", "|", "&", "\n")
        ):
            shell.unclear(f"`{name}` of a makefile is a command that is not read", arg.span)
        elif name.rstrip(":?+") in CALLED:
            start(Arg(value, arg.span, arg.glob, arg.origin), shell, span)
        elif (first != value and find_program(first) is not None) or first.startswith("/tmp"):  # noqa: S108
            run_code("code.sh", Arg(value, arg.span, arg.glob, arg.origin), shell, span)
        elif arg.unknown:
            shell.unclear(f"a variable of a makefile depends on {arg.why}", arg.span)
    parsed.operands = goals
    shell.found.commands.append((tuple(args), shell.span(span)))  # what a variable ran was noted after it
    return act_on(row, parsed, args, span, shell)


def cargo(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`cargo +nightly …`: the toolchain first."""
    rest = args[1:]
    if rest and rest[0].text.startswith("+"):
        rest = rest[1:]
    return run_row(_CARGO.setdefault(id(row), row.replace(special=None)), [args[0], *rest], span, shell)


_CARGO: dict[int, Program] = {}  # rows live as long as the module that holds them

# Settings of apt that change neither what is run nor where packages come from.
_APT_PLAIN = (
    "Acquire::Retries",
    "Acquire::Check-Valid-Until",
    "Acquire::http::Timeout",
    "Acquire::https::Timeout",
    "Acquire::ForceIPv4",
    "Acquire::Languages",
    "Acquire::Queue-Mode",
    "APT::Install-",
    "APT::Get::Assume-Yes",
    "APT::Color",
    "APT::Keep-Downloaded-Packages",
    "Dpkg::Options::=--force-conf",
    "Dpkg::Use-Pty",
    "DPkg::Lock::Timeout",
    "Dpkg::Progress",
)


def apt(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`-o` sets anything at all, hooks that are run among it."""
    trial = {"-s", "--simulate", "--just-print", "--dry-run", "--recon", "--no-act"}
    sub = next((i for i, arg in enumerate(args[1:], start=1) if not arg.text.startswith("-")), len(args))
    early = [arg for arg in args[1:sub] if arg.text in trial]  # these mean the same after the sub-command
    kept = [args[0]]
    rest = [arg for arg in args[1:] if arg not in early]
    rest[sub - len(early) : sub - len(early)] = early
    while rest:
        arg = rest.pop(0)
        name, equals, value = arg.text.partition("=")
        if arg.text in ("-o", "--option"):
            setting = rest.pop(0).text if rest else ""
        elif name == "--option" and equals:
            setting = value
        elif arg.text.startswith("-o") and not arg.text.startswith("--"):
            setting = arg.text[2:].removeprefix("=")
        else:
            kept.append(arg)
            continue
        plain = setting.replace('"', "").lower()
        if not plain.startswith(tuple(item.lower() for item in _APT_PLAIN)):
            shell.unclear("a setting of `apt` that can run commands", span)
    return run_row(_APT.setdefault(id(row), row.replace(special=None)), kept, span, shell)


_APT: dict[int, Program] = {}

_JAVA_HOMES = ("/usr/share/", "/usr/lib/", "/usr/local/", "/opt/", "/Library/Java/")
_JAVA_CACHES = ("/.m2/", "/.gradle/", "/.ivy2/")


def java(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A class, a jar or a source file that is run; everything after it is the program's own."""
    rest = list(args[1:])
    takes = {item.partition(":")[0] for item in row.options.split() if item.endswith(":value")}
    prints = {item for item in row.options.split() if ":" not in item}
    jar = False
    while rest and rest[0].text.startswith(("-", "@")):
        flag = rest.pop(0)
        text, equals, joined = flag.text.partition("=")
        if flag.unknown:
            shell.unclear(f"one of the options depends on {flag.why}", span)
        if text in ("-cp", "-classpath", "--class-path", "-p", "--module-path"):
            value = Arg(joined, flag.span, flag.glob, flag.origin) if equals else rest.pop(0) if rest else None
            _class_path(value, span, shell)
        elif text.startswith(
            ("-javaagent:", "-agentlib:", "-agentpath:", "-Xbootclasspath", "-XX:OnError", "-XX:OnOut")
        ):
            shell.unclear(f"`{text.partition(':')[0]}` loads more code", span)
        elif text == "-jar":
            jar = True
            break
        elif text in ("-m", "--module"):
            break
        elif text in takes and not equals and rest:
            rest.pop(0)
        elif text in prints:
            emit(shell, span, name="exec:java", effects=(), tags=())
            return None
        elif text.startswith("@"):
            shell.unclear("options in a file are not read", span)
    if not rest:
        emit(shell, span, name="exec:java", effects=(), tags=())
        return None
    if jar or rest[0].text.endswith((".java", ".jar")):
        run_place(rest[0], shell, span)
    elif not rest[0].known:
        shell.unclear(f"which class runs depends on {rest[0].why}", span)
    else:
        _classes_of_session(rest[0].text, shell, span)
        _fetched_classes(rest[0].text, args, shell, span)
    own_code(shell.folders, shell, span)
    target: dict[str, str | bool | tuple[str, ...]] = {"program": rest[0].text.replace("\0", "…")}
    emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",), target=target)
    return None


_SOURCES = (".java", ".class", ".kt", ".scala", ".groovy")


def _classes_of_session(name: str, shell: Shell, span: tuple[int, int]) -> None:
    """A class that this session wrote, and those that it may use because the session made them, are read."""
    own = tuple([f"/{name.rpartition('/')[2].rpartition('.')[2]}{end}" for end in _SOURCES])
    made = {*shell.files, *shell.found.facts.created}
    written = sorted({*shell.files, *shell.found.facts.written})
    for path in [path for path in written if path.endswith(_SOURCES) and (path in made or path.endswith(own))]:
        if path.endswith(".java"):
            run_file(Arg(path, span, quoted=True), [], span, shell, "code.java")
        else:
            shell.unclear(f"may run `{path}`, which was written in this session", span, kind="written-here")


def _fetched_classes(name: str, args: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """A class that is looked for in what was fetched; one of the session's own only uses what lies there."""
    source = "/" + name.rpartition(".")[2] + ".java"
    if any(path.endswith(source) for path in (*shell.files, *shell.found.facts.written)):
        return
    for at, arg in enumerate(args):
        if at and args[at - 1].text in ("-cp", "-classpath", "--class-path", "-p", "--module-path") and arg.known:
            for part in arg.text.split(":"):
                place = came_with(where(Arg(part.removesuffix("/*"), arg.span), shell), shell)
                if place is not None:
                    run_fetched(place, span, shell)


def _class_path(value: Arg | None, span: tuple[int, int], shell: Shell) -> None:
    """Folders and jars from which code is loaded: the project, the system and the caches are known, others not."""
    if value is None:
        return
    if value.unknown:
        shell.unclear(f"where classes come from depends on {value.why}", span)
        return
    for place in value.text.split(":"):
        if not place.startswith(("/", "..", "~")) or place.startswith(_JAVA_HOMES):
            continue
        if not any(cache in place for cache in _JAVA_CACHES):
            run_place(Arg(place.removesuffix("*"), value.span), shell, span)


def r_program(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`R CMD …` is a tool of its own; any other R is the interpreter."""
    if len(args) > 1 and args[1].text == "CMD":
        return run_row(_APT.setdefault(id(row), row.replace(special=None)), [args[1], *args[2:]], span, shell)
    inner = find_program("Rscript")
    for arg in args[1:]:
        if arg.text in ("-f", "--file") or arg.text.startswith("--file="):
            shell.unclear("an R script is not read", span)
    return run_row(inner, args, span, shell) if inner is not None else None


# Variables of a build that name a program which it runs, or a file whose code it runs.
def ar(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ar OPERATION ARCHIVE FILES`: t and p look, x writes here, the others change the archive."""
    parsed = parse_options(row, [], stop_at_operand=False)
    words = [arg for arg in args[1:] if not arg.text.startswith("--")]
    if len(words) != len(args) - 1:
        shell.unclear("an option of `ar` that is not read", span)
    letters = words[0].text.lstrip("-") if words else ""
    position = any(letter in letters for letter in "abi")
    files = words[2 if position else 1 :]
    if letters[:1] in ("t", "p"):
        for arg in files[:1]:
            on_path("read", arg, shell)
    elif letters[:1] == "x":
        for arg in files[:1]:
            on_path("read", arg, shell)
        on_path("write", Arg(".", span), shell)
    else:
        for arg in files[:1]:
            on_path("edit", arg, shell)
        for arg in files[1:] if letters[:1] in ("r", "q") else []:
            on_path("read", arg, shell)
    return act_on(row, parsed, args, span, shell) if not files else None


def go_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`go run PLACE …` or `go run a.go b.go …`; a package with a version is fetched."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    places = parsed.operands[:1]
    for arg in parsed.operands[1:]:
        if not (arg.text.endswith(".go") and places[0].text.endswith(".go")):
            break
        places.append(arg)
    parsed.operands = []
    if places and "@" in places[0].text:
        act_on(row, parsed, args, span, shell)
        fetched(places[0], shell, span)
        return None
    parsed.operands = places[:1]
    for arg in places[1:]:
        run_place(arg, shell, span)
    return act_on(row, parsed, args, span, shell)


def sphinx(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`sphinx-build -M BUILDER SOURCE OUT`: with the builder `clean`, all that lies below OUT is deleted."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    cleans = any(option.name == "-M" and (value.text == "clean" or not value.known) for option, value in parsed.values)
    operands = row.operands.replace("write", "delete") if cleans else row.operands
    return act_on(row.replace(operands=operands), parsed, args, span, shell)
