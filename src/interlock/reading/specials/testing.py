"""pytest, dotnet test, go: options that are settings, and settings that write a file, load code or lead elsewhere.

`-o log_file=PATH` is `--log-file=PATH`, `@FILE` is whatever options the file holds, `--tx` names the Python that runs
the tests. What a setting does is decided by its name.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import on_path
from ..machine.engine import act_on, run_row
from ..machine.options import parse as parse_options
from ..machine.places import where
from ..machine.strange import options_file
from ..places.paths import Unsettled, in_project, settle

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["go_in", "msbuild", "pytest_run"]

_WRITES = frozenset(("log_file", "cache_dir", "junit_xml"))
_LOADS = frozenset(("addopts", "pythonpath", "usefixtures", "required_plugins", "confcutdir"))


def pytest_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in list(parsed.values):
        if option.role == "setting":
            _setting(value, shell, span)
        elif option.role == "report":
            _, colon, place = value.text.partition(":")
            if colon and place:
                on_path("write", Arg(place, value.span, value.glob, value.origin), shell)
        elif option.role == "machine":
            if value.unknown or value.text.rpartition("*")[2] != "popen":
                shell.unclear("tests are run by another Python, or on another machine", span)
        else:
            continue
        parsed.values.remove((option, value))
    for operand in list(parsed.operands):
        if operand.text[:1] == "@":
            parsed.operands.remove(operand)
            options_file(operand, shell, span)
    return act_on(row, parsed, args, span, shell)


def _setting(value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    name, _, text = value.text.partition("=")
    if value.unknown and "=" not in value.text:
        shell.unclear(f"a setting of `pytest` depends on {value.why}", span)
    elif name in _WRITES:
        on_path("write", Arg(text, value.span, value.glob, value.origin), shell)
    elif name in _LOADS and (value.unknown or not all(word in _PLAIN for word in text.split())):
        shell.unclear(f"`{name}` can make tests load other code, or write elsewhere", span)
    elif name == "testpaths":
        for word in text.split():
            if not in_project(shell.found.facts.root, where(Arg(word, value.span), shell)):
                shell.unclear(f"`{word[:60]}` is outside the project", span, kind="outside")


_PLAIN = frozenset(("-q", "-v", "-s", "-x", "-vv", "-ra", "-rA", ".", "src", "tests", "--strict-markers", "-l"))


_LOG_FILES = frozenset(("logfilename", "logfilepath", "logfileprefix"))


# Switches of MSBuild, which may begin with a slash, and have a colon before their value.
_SWITCHES = {
    "p": "property", "property": "property", "t": "target", "target": "target", "v": "verbosity",
    "verbosity": "verbosity", "l": "logger", "logger": "logger", "dl": "logger", "distributedlogger": "logger",
    "bl": "binarylogger", "binarylogger": "binarylogger", "m": "maxcpucount", "maxcpucount": "maxcpucount",
    "nologo": "nologo", "restore": "restore", "clp": "clp", "nr": "nodereuse", "nodereuse": "nodereuse",
}  # fmt: skip


def _spelt_out(arg: Arg) -> Arg:
    """`/p:A=1` and `-property:A=1` are `--property=A=1`; any other word stays as it is."""
    text = arg.text
    name, colon, value = text.lstrip("-/").partition(":")
    long = _SWITCHES.get(name.lower()) if text[:1] in ("-", "/") and (colon or text[0] == "/") else None
    return arg if long is None else Arg(f"--{long}={value}" if colon else f"--{long}", arg.span, arg.glob, arg.origin)


def msbuild(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`--logger 'trx;LogFileName=/tmp/x.trx'`: a logger by its name, and where it writes."""
    args = [args[0], *map(_spelt_out, args[1:])]
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in list(parsed.values):
        if option.role != "report":
            continue
        parsed.values.remove((option, value))
        name, *settings = value.text.split(";")
        if value.unknown or "/" in name or "\\" in name:
            shell.unclear("a logger that is loaded from elsewhere", value.span)
        for setting in settings:
            key, _, place = setting.partition("=")
            if key.strip().lower() in _LOG_FILES and ("/" in place or "\\" in place):
                on_path("write", Arg(place, value.span, value.glob, value.origin), shell)
    return act_on(row, parsed, args, span, shell)


def go_in(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`go -C DIR build`, `go build -C DIR`: the rest is done in that folder, files that it names included."""
    plain = row.replace(special=None)
    for at in (1, 2):
        flag = args[at] if at < len(args) else None
        if flag is None or flag.text.partition("=")[0] not in ("-C", "--C"):
            continue
        _, equals, joined = flag.text.partition("=")
        place = (
            Arg(joined, flag.span, flag.glob, flag.origin) if equals else args[at + 1] if at + 1 < len(args) else None
        )
        folders = None if place is None else _moved(place, shell)
        if place is None or folders is None:
            shell.unclear("it is unclear in which folder `go` works", span)
            return None
        shell.found.follow.run_place(place, shell, span)
        before, shell.folders = shell.folders, folders
        try:
            return run_row(plain, [*args[:at], *args[at + (1 if equals else 2) :]], span, shell)
        finally:
            shell.folders = before
    return run_row(plain, args, span, shell)


def _moved(place: Arg, shell: Shell) -> tuple[str, ...] | None:
    if not place.known or shell.folders is None:
        return None
    try:
        return tuple([settle(place.text or ".", cwd=folder, home="/") for folder in shell.folders])
    except Unsettled:
        return None
