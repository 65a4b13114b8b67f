"""CMake: folders and files that describe a build, variables that name programs, and a box of small tools."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit
from ..machine.engine import act_on, run_command
from ..machine.options import parse as parse_options
from ..machine.strange import handed_flags
from ..runs.projects import run_place
from ..runs.started import start

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["cmake"]

# Parts of the names of variables: the value is loaded, or is a program that the build starts.
_LOADED = ("TOOLCHAIN_FILE", "_INCLUDE", "MODULE_PATH")
_STARTED = (
    *("_LAUNCHER", "MAKE_PROGRAM", "_COMPILER", "_LINKER", "CMAKE_AR", "EMULATOR", "_RULE_LAUNCH", "_EXECUTABLE"),
    *("_CLANG_TIDY", "_CPPCHECK", "_CPPLINT", "_IWYU", "_WHAT_YOU_USE", "_RANLIB", "CMAKE_NM", "_STRIP", "_OBJCOPY"),
    *("_OBJDUMP", "_READELF", "_ADDR2LINE", "_DLLTOOL", "_INSTALL_NAME_TOOL", "_AR", "_COMMAND", "_PROGRAM", "_TOOL"),
)
_SWITCHES = frozenset(("on", "off", "true", "false", "yes", "no", "y", "n", "0", "1", "ignore", "notfound", ""))


def cmake(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`cmake -E TOOL …` is a box of small tools; all else configures or builds what a folder describes."""
    if len(args) > 1 and args[1].text in ("-E", "--version", "--help", "-h", "-version"):
        return _cmake_tool(args[2:], span, shell) if args[1].text == "-E" else None
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for operand in parsed.operands:
        run_place(operand, shell, span)
    parsed.operands = []
    for option, value in parsed.values:
        name, _, place = value.text.partition("=")
        if option.name == "-D" and "_FLAGS" in name.upper():
            handed_flags(Arg(place, value.span, value.glob, value.origin), shell, span)
        elif option.name == "-D":
            _on_variable(name.partition(":")[0].upper(), place, value, shell, span)
    return act_on(row, parsed, args, span, shell)


def _on_variable(name: str, place: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    given = Arg(place, value.span, value.glob, value.origin)
    if name.endswith(_STARTED):
        if place.lower() not in _SWITCHES:
            start(Arg(place.replace(";", " "), value.span, value.glob, value.origin), shell, span)
    elif any(word in name for word in _LOADED) and "/" in place and not place.startswith(("/usr/", "/opt/", "./")):
        run_place(given, shell, span)


_CMAKE_TOOLS = {
    **{name: ["cp"] for name in ("copy", "copy_if_different")},
    **{name: [name] for name in ("rm", "touch", "cat", "echo", "md5sum", "sha256sum", "tar", "env", "time", "sleep")},
    "copy_directory": ["cp", "-r"],
    "rename": ["mv"],
    "make_directory": ["mkdir", "-p"],
    "remove": ["rm"],
    "remove_directory": ["rm", "-r"],
    "compare_files": ["cmp"],
    "create_symlink": ["ln", "-s"],
    "true": ["true"],
    "false": ["false"],
}


def _cmake_tool(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    same = _CMAKE_TOOLS.get(args[0].text) if args else None
    if same is None:
        if args and args[0].text not in ("capabilities", "environment"):
            shell.unclear(f"it is unclear what `cmake -E {args[0].text[:40]}` would do", span)
        emit(shell, span, name="exec:cmake", effects=(Effect.READ,), tags=())
        return None
    return run_command([*(Arg(word, args[0].span) for word in same), *args[1:]], span, shell.copy())
