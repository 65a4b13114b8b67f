"""Options that a row does not have, where they name a file.

No row has every option of its program. One that is not there may write the file that it names, or load it as code:
where that file lies outside the project, or is secret or guarded, nobody can tell what would happen.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import NUL, Arg
from ..places.paths import in_project
from ..places.system_places import HERE, host_in
from .acts import on_path
from .places import has_written, where

if TYPE_CHECKING:
    from ..evaluate.state import Shell, silent
    from ..tables.spec import Program
    from .options import Parsed
else:
    silent = lazy(globals(), "..evaluate.state", "silent")

__all__ = [
    "LOADING",
    "MODULES",
    "TAKES_FILES",
    "handed_flags",
    "look_at",
    "names_code_elsewhere",
    "on_values",
    "options_file",
    "options_in_files",
    "places_in",
    "strange_places",
    "wild",
]

MODULES = (".js", ".cjs", ".mjs", ".ts", ".py", ".rb", ".lua")
_NOT_TO_GUESS = frozenset(("outside", "secret", "guard", "device"))


# Parts of an option's name that say that what it names is run or loaded.
LOADING = (
    "adapter", "bootstrap", "config", "extension", "format", "hook", "import", "init", "load", "parser", "plug",
    "prepend", "preset", "processor", "rcfile", "report", "requir", "resolv", "rule", "runner", "script", "setup",
    "syntax", "template", "transform",
)  # fmt: skip
_NOT_CODE = (".csv", ".html", ".log", ".md", ".out", ".pdf", ".png", ".svg", ".tap", ".txt", ".xml")
# Flags of compilers and linkers with which they run or load another program.
_RUNS = (
    "-extld",
    "linker",
    "-fplugin",
    "-fpass-plugin",
    "-wrapper",
    "-specs",
    "--specs",
    "-fuse-ld",
    "-toolexec",
    "-B",
)


def handed_flags(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """`-ldflags "-extld /tmp/x"`, `-- -C linker=/tmp/x`: what is handed on to a compiler or a linker."""
    words = arg.text.replace("'", " ").replace('"', " ").split()
    for at, word in enumerate(words):
        name, equals, value = word.removeprefix("-C").partition("=")
        place = value if equals else words[at + 1] if at + 1 < len(words) else ""
        if name in _RUNS and "/" in place and not place.startswith(("/usr/", "/opt/")):
            shell.unclear(f"`{word[:60]}` makes a build run or load another program", span)
        elif name.lstrip("-") in _WRITTEN and place[:1] in ("/", "~", "."):
            look_at(f"{name}={place}", place, arg, shell, foreign=False)


# Flags behind which a compiler or a linker names a file that it writes or loads.
_WRITTEN = frozenset("Map MD MMD MF o output plugin out-implib dependency-file cref".split())
_HANDED = ("-Wl,", "-Wp,", "-Wa,")


def strange_places(row: Program, parsed: Parsed, args: list[Arg], shell: Shell) -> None:
    """`--save-state=/etc/x`: an option that the row does not have may write the file that it names, or load it."""
    runs = "unread" in row.tags
    for arg in _joined(row, parsed, args):
        text = arg.text
        if text.startswith(_HANDED):
            handed_flags(Arg(text[4:].replace(",", " "), arg.span, arg.glob, arg.origin), shell, arg.span)
        if text.startswith("-J-") and not text.startswith(_PLAIN_JAVA):
            shell.unclear(f"`{text[:60]}` is an option of the Java that runs the tool".replace(NUL, "…"), arg.span)
        name, equals, value = text.partition("=")
        if arg.unknown or not (equals or (runs and text.endswith(MODULES))):
            continue
        if runs and names_code_elsewhere(value):
            shell.unclear(f"`{text[:60]}` may be code from elsewhere".replace(NUL, "…"), arg.span, kind="fetched")
        elif value[:1] in ("/", ".", "~"):
            look_at(text, value, arg, shell, foreign=runs, code=_may_load(name, value))
        elif runs:
            _modules_in(name, value or text, arg, shell)


# What a Java is told that loads nothing.
_PLAIN_JAVA = ("-J-Xm", "-J-Xs", "-J-Dfile.encoding=", "-J-Duser.", "-J-Djava.awt.headless=", "-J-ea", "-J-version")
_WRITES = ("out", "dest", "save", "log", "cache")


def _may_load(option: str, value: str) -> bool:
    """`--use=/tmp/x.js`: a module, behind an option that does not say that it is made."""
    return value.endswith(MODULES) and not any(part in option for part in _WRITES)


def on_values(row: Program, parsed: Parsed, shell: Shell) -> None:
    """`--reporters /tmp/x.js`, `--transform '{".*": "/tmp/x.js"}'`: a module in what the row takes for text."""
    for option, value in parsed.values:
        if option.role == "text" and "unread" in row.tags and names_code_elsewhere(value.text):
            shell.unclear(
                f"`{value.text[:60]}` may be code from elsewhere".replace(NUL, "…"), value.span, kind="fetched"
            )
        elif option.role in _AS_WORDS and any(ending in value.text for ending in MODULES):
            if "unread" in row.tags or any(part in option.name for part in LOADING):
                _modules_in(option.name, value.text, value, shell)


_FORGES = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "gist.github.com")
_BY_GIT = ("git+", "git::", "git@", "git://")
_SCRIPTS = (*MODULES, ".sh", ".git", ".tgz", ".tar.gz", ".zip")


def names_code_elsewhere(text: str) -> bool:
    """`https://x.example/tasks.py`, `github.com/someone/x`, `git::https://…`. Most addresses are what a test calls."""
    scheme, mark, rest = text.partition("://")
    host, _, path = (rest if mark else text).partition("/")
    if text.startswith(_BY_GIT) or (mark and scheme == "ssh"):
        return True
    if mark and host_in(text) in HERE:
        return False
    named = path.partition("?")[0].partition("#")[0]
    return bool(named) and (host in _FORGES or (bool(mark) and named.endswith(_SCRIPTS)))


_AS_WORDS = frozenset(("text", "read", "taken"))


def _modules_in(option: str, text: str, arg: Arg, shell: Shell) -> None:
    for place in places_in(text):
        if _may_load(option, place):
            look_at(f"{option}={place}", place, arg, shell, foreign=True, code=True)


def places_in(text: str) -> list[str]:
    """What may be files in settings that are written out: `{"setup": "/tmp/x.js"}`, `setup=/tmp/x.js,retries=2`."""
    for mark in _APART:
        text = text.replace(mark, " ")
    parts = [part for part in text.split() if part[:2] != "//"]
    return [part for part in parts if part[:1] in ("/", "~") or part[:3] == "../" or part.endswith(MODULES)]


_APART = "\"'[]{}(),=:;"


def look_at(option: str, value: str, arg: Arg, shell: Shell, *, foreign: bool, code: bool = False) -> None:
    """The file that the option names; `foreign`: it may be code that the program loads, `code`: it is."""
    looked = silent(shell)
    looked.files = dict(shell.files)
    on_path("edit", Arg(value, arg.span, arg.glob, arg.origin), looked)
    for fact in looked.found.missing:
        shell.found.want(fact)
    marks = {mark for action in looked.found.actions for mark in action.tags}
    loads = "temp" in marks and (code or any(part in option.partition("=")[0] for part in LOADING))
    loads = loads and not value.endswith(_NOT_CODE)
    if foreign and not loads:
        loads = has_written(where(Arg(value, arg.span), shell), shell)
    if (foreign and loads) or not marks.isdisjoint(_NOT_TO_GUESS):
        shell.unclear(f"`{option[:60]}` is an unknown option that names a file", arg.span)


def wild(arg: Arg) -> bool:
    """`zip a.zip *`: a file whose name begins with a dash would be an option, and some options run commands."""
    return arg.glob and arg.text[:1] in ("*", "?", "[") and len(arg.text) < 3


# Programs that take more options from a file that is named so: `protoc @args`.
TAKES_FILES = frozenset(
    "ar clang-tidy csc dotnet fsc ghc jar javadoc kotlinc llvm-ar mcs msbuild mypy nm objcopy objdump protoc ranlib "
    "rustdoc scalac strip swiftc tsc valac zig size strings readelf dotnet-build".split()
)


def options_in_files(parsed: Parsed, shell: Shell, span: tuple[int, int]) -> None:
    for word in parsed.operands:
        if word.text[:1] == "@" and len(word.text) > 1:
            options_file(word, shell, span)


def options_file(word: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Options of a file of the project are the project's; those of any other may be anything."""
    name = Arg(word.text[1:], word.span, word.glob, word.origin)
    on_path("read", name, shell)
    path = where(name, shell)
    if name.unknown or has_written(path, shell) or not in_project(shell.found.facts.root, path):
        shell.unclear(f"options come from `{path[:60]}`, and its content was not read".replace(NUL, "…"), span)


def _joined(row: Program, parsed: Parsed, args: list[Arg]) -> list[Arg]:
    """Those options, each as `--option=VALUE` where the next word may be its value and the program runs code."""
    if "unread" not in row.tags:
        return parsed.strange
    found = list(parsed.strange)
    for at, after in enumerate(args[1:]):
        arg = args[at]
        if arg in parsed.strange and "=" not in arg.text and (arg.text[:2] == "--" or after.text.endswith(MODULES)):
            if after.text[:1] in ("/", "~", "{", "[") or after.text[:3] == "../":
                found.append(Arg(f"{arg.text}={after.text}", after.span, after.glob, after.origin))
    return found
