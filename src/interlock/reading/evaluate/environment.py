"""Judges a variable that programs will see: whether it makes them run other code, or find it elsewhere."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..places.paths import within
from ..places.secret_words import holds_token
from ..runs.shell_changes import KEPT, on_variable
from .variables import FAMILIES, VARIABLES, spelt
from .words import NUL, Arg

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..lands.caches import on_cache
    from ..lands.fetched import came_with
    from ..machine.acts import emit, on_path
    from ..machine.places import has_written
    from .state import Shell

    Judge = Callable[[str, Arg, Shell, tuple[int, int]], None]
else:
    on_cache = lazy(globals(), "..lands.caches", "on_cache")
    came_with = lazy(globals(), "..lands.fetched", "came_with")
    emit = lazy(globals(), "..machine.acts", "emit")
    on_path = lazy(globals(), "..machine.acts", "on_path")
    has_written = lazy(globals(), "..machine.places", "has_written")

__all__ = ["hand_over", "put", "written_to"]

# Values that only choose a well-known viewer or switch it off.
_PLAIN = frozenset(
    ("", "cat", "less", "more", "true", ":", "vi", "vim", "nano", "emacs", "ed", "/bin/cat", "/bin/true", "/dev/null")
)
_PLAIN_OPTIONS = (
    "--max-old-space-size=",
    "--max_old_space_size=",
    "--no-warnings",
    "--no-deprecation",
    "--openssl-legacy-provider",
    "--trace-warnings",
    "--enable-source-maps",
    "-Xmx",
    "-Xms",
)
_HISTORY = "-kernel shell_history enabled"  # of Erlang
# Options that load something, write a file, or send; each may be shortened.
_PYTEST_LOADS = (
    *("-p", "-c", "-o", "--rootd", "--override", "--confc", "--config", "--import-m", "@", "--junit", "--log-fi"),
    *(
        "--basete",
        "--debug",
        "--paste",
        "--cov-rep",
        "--cov-conf",
        "--html",
        "--json-report-f",
        "--result",
        "--report-l",
    ),
    *("--tx", "--rsyncdir", "--doctest", "--pdbcls", "--ds"),
)
# Options of a program that only say how it looks or how hard it works.
_ONLY = {
    "roff": ("-c", "-P-c", "-rLL=", "-rLT="),
    "packs": (
        *(f"-{level}" for level in range(10)),
        "-T",
        "--threads",
        "-e",
        "-v",
        "-q",
        "-k",
        "-f",
        "--fast",
        "--best",
    ),
}
_REPORTS = frozenset(("file", "log_path", "coverage_dir", "profile_log", "log_to_file"))
_SYSTEM = ("/usr/", "/bin", "/sbin", "/opt/", "/snap/")


def put(name: str, value: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """Gives a variable its value, in whichever way the shell does that: `x=`, `for x in`, `read x`, `${x:=…}`."""
    shell.variables[name] = value
    if shell.allexport:
        shell.exported = {*shell.exported, name}
    if name in shell.exported or name in KEPT:
        hand_over(name, value[0] if len(value) == 1 else Arg(NUL, span), shell, span)


def hand_over(name: str, value: Arg, shell: Shell, span: tuple[int, int], *, shown: bool = True) -> None:
    """Judges a variable that programs will see. `shown`: its value stands on the command line."""
    on_variable(name, value, shell, span)
    if shown and len(value.text) > 19 and holds_token(value.text):
        _plain_token(name, shell, span)
    kind = VARIABLES.get(name)
    if kind is None:
        kind = VARIABLES.get(spelt(name))
    if kind is None:
        kind = _of_a_family(name)
    if not kind:
        return
    act = _BY_KIND.get(kind)
    if act is not None:
        act(name, value, shell, span)
    elif value.text:
        shell.unclear(f"`{name}` makes programs load other code", span)


def _of_a_family(name: str) -> str | None:
    return next((kind for start, end, kind in FAMILIES if name.startswith(start) and name.endswith(end)), None)


def _settings_from(name: str, value: Arg, shell: Shell, span: tuple[int, int], *, fresh: bool) -> None:
    """Settings that anybody can have put there: in a temporary folder, or by this very session."""
    facts = shell.found.facts
    for path in filter(None, value.text.split(":")):
        settled = path if path.startswith("/") else f"{(shell.folders or ('',))[0]}/{path}"
        below = settled.rstrip("/*") + "/"
        own = below != facts.root + "/" and any(file.startswith(below) for file in (*shell.files, *facts.written))
        brought = own or has_written(settled, shell) or came_with(settled, shell) is not None
        if brought or (within(facts.temp, settled) and not fresh):
            shell.unclear(f"`{name}` makes programs take settings from `{path}`".replace(NUL, "…"), span)
            return


def _started(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A program that a build calls. One of a person's own is ordinary; a script is not, nor what anybody put there."""
    _settings_from(name, value, shell, span, fresh=False)
    shell.found.follow.in_role("starts", value, span, shell)


def written_to(value: Arg, shell: Shell) -> None:
    """A truth value or the number of a stream writes to what is open; anything else is a file or a folder."""
    if value.known and (value.text.lower() in _STREAMS or value.text.isdigit() or value.text.startswith("af_unix:")):
        return
    on_path("write", value, shell)


def _taken_from(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    for path in (value.text,) if value.unknown else value.text.replace(",", ":").split(":"):
        if path:
            on_path("read", Arg(path, value.span, value.glob, value.origin), shell)


_STREAMS = frozenset(("", "-", "0", "1", "2", "true", "false", "yes", "no", "on", "off", "/dev/null", "/dev/stderr"))


def _plain_token(name: str, shell: Shell, span: tuple[int, int]) -> None:
    """A token in plain text on a command line: whoever lists processes or reads a history has it too."""
    emit(shell, span, name="sys:token", effects=(Effect.READ,), tags=("secret",), target={"variable": name})


def _code(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if value.known and value.text.strip() in _PLAIN:
        return

    if value.known:
        shell.found.follow.run_code("code.sh", value, shell, span)
    else:
        shell.unclear(f"`{name}` is an unknown command", span)


def _search_path(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Folders that come before the old PATH can stand in for any program."""
    for folder in value.text.split(":"):
        if folder in (NUL, "") and folder == NUL:
            return  # the old value: what follows it does not shadow
        if folder.startswith(_SYSTEM):
            continue
        home = shell.found.facts.home
        if folder.startswith(home + "/") and NUL not in folder and _dot_folder(folder[len(home) + 1 :]):
            continue
        shell.path_changed = f"programs are looked for in `{folder or '.'}` first".replace(NUL, "…")
        return


def _search_for_code(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Folders of the project are its own code; from anywhere else, code is loaded that is not known."""
    for folder in value.text.split(":"):
        if name == "PYTHONPATH" and _starts_with_own(folder, shell):
            shell.unclear("Python runs a file of this session before anything else", span)
            return
        if name == "PYTHONPATH" and (shell.found.facts.written or shell.files):
            shell.found.follow.read_shadows(_settled(folder, shell), span, shell)
        if folder in ("", NUL) or (not folder.startswith(("/", "~", NUL)) and ".." not in folder):
            continue
        if _of_system(folder):
            continue
        if NUL in folder or not (folder + "/").startswith(shell.found.facts.root + "/"):
            shell.unclear(f"`{name}` makes programs load code from outside the project", span)
            return


def _starts_with_own(folder: str, shell: Shell) -> bool:
    """`sitecustomize.py`, which every Python runs that finds it."""
    written = shell.found.facts.written
    if not written and not shell.files:
        return False
    here = _settled(folder, shell)
    return any(f"{here}/{name}" in paths for name in _FIRST for paths in (written, shell.files))


def _settled(folder: str, shell: Shell) -> str:
    here = folder if folder[:1] == "/" else f"{(shell.folders or ('/',))[0]}/{folder}"
    return here.replace("/./", "/").rstrip("/").removesuffix("/.")


_FIRST = ("sitecustomize.py", "usercustomize.py", "sitecustomize/__init__.py", "usercustomize/__init__.py")

# Where a system keeps code that programs load. Nobody writes there without being asked about.
_LIBRARIES = (
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/usr/lib/",
    "/usr/lib32/",
    "/usr/lib64/",
    "/usr/local/",
    "/usr/share/",
    "/opt/",
)


def _of_system(folder: str) -> bool:
    return (folder + "/").startswith(_LIBRARIES) and NUL not in folder and ".." not in folder


def _dot_folder(below: str) -> bool:
    """Where language tools put programs: ~/.cargo/bin, ~/.local/bin, ~/go/bin …"""
    return below.startswith((".", "go/", "bin", "miniconda", "anaconda"))


# --- one function for each kind of variables.py ----------------------------------------------------------------------


def _part(value: Arg, text: str) -> Arg:
    """A part of the value, as far as that is known."""
    return Arg(text, value.span, value.glob, value.origin)


def _function(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear(f"`{name}` makes a shell that is started take a name for a function", span)


def _settings(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    _settings_from(name, value, shell, span, fresh=False)


def _scratch(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    _settings_from(name, value, shell, span, fresh=True)


def _file(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    written_to(value, shell)


def _cache(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    on_cache(value, span, shell)


def _report(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """Options of a sanitizer: some name a file, one a program."""
    for part in value.text.replace(",", ":").replace(" ", ":").split(":"):
        key, _, text = part.partition("=")
        if key in _REPORTS:
            written_to(_part(value, text), shell)
        elif key == "external_symbolizer_path":
            _started(name, _part(value, text), shell, span)


def _backend(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if "://" in value.text or value.unknown:
        shell.found.follow.in_role("imports", _part(value, value.text.partition("://")[2]), span, shell)


def _options(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    words = value.text.split()
    if value.text in (_HISTORY, "/dev/null", "0") or (value.known and all(map(_is_plain_option, words))):
        return
    shell.unclear(f"`{name}` can make programs load other code", span)


def _is_plain_option(word: str) -> bool:
    return word.startswith(_PLAIN_OPTIONS) or (word[:2] == "-j" and word[2:].isdigit()) or word == "-j"


def _runs(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if "/" in value.text or value.unknown:
        shell.found.follow.run_place(_part(value, value.text.partition(":")[0]), shell, span)


def _tool(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if value.unknown or "/" in value.text or " " in value.text:
        _started(name, value, shell, span)


def _lists(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    shell.found.follow.in_role("lists", value, span, shell)


def _module(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    shell.found.follow.in_role("imports", value, span, shell)


def _objects(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear(f"`{name}` makes git take commits from elsewhere; their content was not read", span)


def _of_an_editor(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear(f"`{name}` is a command of an editor", span)


def _pytest(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if not value.known or any(word.startswith(_PYTEST_LOADS) for word in value.text.split()):
        shell.unclear(f"`{name}` can make programs load other code", span)


def _libraries(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """The old value may follow; an empty part is the working folder."""
    if not all(folder == NUL or _of_system(folder) for folder in value.text.split(":")):
        shell.unclear(f"`{name}` makes programs load other code", span)


def _with_one_of(*marks: str, why: str) -> Judge:
    """Asks about a value that holds one of the marks, or that is not known."""

    def judge(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
        if value.unknown or any(mark in value.text for mark in marks):
            shell.unclear(why.format(name), span)

    return judge


def _but_for(options: tuple[str, ...]) -> Judge:
    """Asks about options of a program that do more than say how it looks or how hard it works."""

    def judge(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
        if value.unknown or not all(word.startswith(options) for word in value.text.split()):
            shell.unclear(f"`{name}` holds options with which a program can do more", span)

    return judge


_BY_KIND: dict[str, Judge] = {
    "path": _search_path,
    "function": _function,
    "settings": _settings,
    "scratch": _scratch,
    "file": _file,
    "cache": _cache,
    "report": _report,
    "backend": _backend,
    "read": _taken_from,
    "code": _code,
    "options": _options,
    "runs": _runs,
    "program": _started,
    "tool": _tool,
    "lists": _lists,
    "module": _module,
    "bus": _with_one_of("exec:", why="`{}` can name a program to run"),
    **{kind: _but_for(options) for kind, options in _ONLY.items()},
    "warnings": _with_one_of(".", why="`{}` makes Python load a module"),
    "less": _with_one_of("+", "k", why="`{}` can make `less` run commands"),
    "toolchain": _with_one_of("/", why="`{}` names a folder with another toolchain"),
    "pytest": _pytest,
    "objects": _objects,
    "code.other": _of_an_editor,
    "search": _search_for_code,
    "libraries": _libraries,
}
