"""Judges a variable that programs will see: whether it makes them run other code, or find it elsewhere."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..places.paths import within
from ..places.secret_words import holds_token
from ..runs.shell_changes import KEPT, on_variable
from .variables import FAMILIES, VARIABLES, spelt
from .words import NUL, Arg

if TYPE_CHECKING:
    from .state import Shell

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
    if kind == "path":
        _search_path(value, shell, span)
    elif kind == "function":
        shell.unclear(f"`{name}` makes a shell that is started take a name for a function", span)
    elif kind in ("settings", "scratch"):
        _settings_from(name, value, shell, span, fresh=kind == "scratch")
    elif kind == "file":
        written_to(value, shell)
    elif kind == "cache":
        from ..lands.caches import on_cache

        on_cache(value, span, shell)
    elif kind == "report":
        for part in value.text.replace(",", ":").replace(" ", ":").split(":"):
            key, _, text = part.partition("=")
            if key in _REPORTS:
                written_to(Arg(text, value.span, value.glob, value.origin), shell)
            elif key == "external_symbolizer_path":
                _started(name, Arg(text, value.span, value.glob, value.origin), shell, span)
    elif kind == "backend":
        if "://" in value.text or value.unknown:
            from ..runs.in_role import IN_ROLE

            IN_ROLE["imports"](Arg(value.text.partition("://")[2], value.span, value.glob, value.origin), span, shell)
    elif kind == "read":
        _taken_from(value, shell)
    elif kind == "code":
        _code(name, value, shell, span)
    elif kind == "options":
        words = value.text.split()
        if value.text != _HISTORY and (
            not value.known
            or not all(
                word.startswith(_PLAIN_OPTIONS) or (word[:2] == "-j" and word[2:].isdigit()) or word == "-j"
                for word in words
            )
        ):
            if value.text not in ("/dev/null", "0"):
                shell.unclear(f"`{name}` can make programs load other code", span)
    elif kind == "runs":
        if "/" in value.text or value.unknown:
            from ..runs.projects import run_place

            run_place(Arg(value.text.partition(":")[0], value.span, value.glob, value.origin), shell, span)
    elif kind == "program":
        _started(name, value, shell, span)
    elif kind == "tool":
        if value.unknown or "/" in value.text or " " in value.text:
            _started(name, value, shell, span)
    elif kind in ("lists", "module"):
        from ..runs.in_role import IN_ROLE

        IN_ROLE["lists" if kind == "lists" else "imports"](value, span, shell)
    elif kind == "bus":
        if value.unknown or "exec:" in value.text:
            shell.unclear(f"`{name}` can name a program to run", span)
    elif kind in _ONLY:
        if value.unknown or not all(word.startswith(_ONLY[kind]) for word in value.text.split()):
            shell.unclear(f"`{name}` holds options with which a program can do more", span)
    elif kind == "warnings":
        if value.unknown or "." in value.text:
            shell.unclear(f"`{name}` makes Python load a module", span)
    elif kind == "less":
        if value.unknown or "+" in value.text or "k" in value.text:
            shell.unclear(f"`{name}` can make `less` run commands", span)
    elif kind == "toolchain":
        if "/" in value.text or value.unknown:
            shell.unclear(f"`{name}` names a folder with another toolchain", span)
    elif kind == "pytest":
        if not value.known or any(word.startswith(_PYTEST_LOADS) for word in value.text.split()):
            shell.unclear(f"`{name}` can make programs load other code", span)
    elif kind == "objects":
        shell.unclear(f"`{name}` makes git take commits from elsewhere; their content was not read", span)
    elif kind == "code.other":
        shell.unclear(f"`{name}` is a command of an editor", span)
    elif kind == "search":
        _search_for_code(name, value, shell, span)
    elif kind == "libraries":
        # the old value may follow; an empty part is the working folder
        if not all(folder == NUL or _of_system(folder) for folder in value.text.split(":")):
            shell.unclear(f"`{name}` makes programs load other code", span)
    elif value.text:
        shell.unclear(f"`{name}` makes programs load other code", span)


def _of_a_family(name: str) -> str | None:
    return next((kind for start, end, kind in FAMILIES if name.startswith(start) and name.endswith(end)), None)


def _settings_from(name: str, value: Arg, shell: Shell, span: tuple[int, int], *, fresh: bool) -> None:
    """Settings that anybody can have put there: in a temporary folder, or by this very session."""
    from ..commands.places import has_written
    from ..lands.fetched import came_with

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
    from ..runs.started import start

    start(value, shell, span)


def written_to(value: Arg, shell: Shell) -> None:
    """A truth value or the number of a stream writes to what is open; anything else is a file or a folder."""
    if value.known and (value.text.lower() in _STREAMS or value.text.isdigit() or value.text.startswith("af_unix:")):
        return
    from ..commands.acts import on_path

    on_path("write", value, shell)


def _taken_from(value: Arg, shell: Shell) -> None:
    from ..commands.acts import on_path

    for path in (value.text,) if value.unknown else value.text.replace(",", ":").split(":"):
        if path:
            on_path("read", Arg(path, value.span, value.glob, value.origin), shell)


_STREAMS = frozenset(("", "-", "0", "1", "2", "true", "false", "yes", "no", "on", "off", "/dev/null", "/dev/stderr"))


def _plain_token(name: str, shell: Shell, span: tuple[int, int]) -> None:
    """A token in plain text on a command line: whoever lists processes or reads a history has it too."""
    from ...model.effects import Effect
    from ..commands.acts import emit

    emit(shell, span, name="sys:token", effects=(Effect.READ,), tags=("secret",), target={"variable": name})


def _code(name: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if value.known and value.text.strip() in _PLAIN:
        return
    from ..runs.wrappers import run_code

    if value.known:
        run_code("code.sh", value, shell, span)
    else:
        shell.unclear(f"`{name}` is an unknown command", span)


def _search_path(value: Arg, shell: Shell, span: tuple[int, int]) -> None:
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
            from ..python.own_modules import read_shadows

            read_shadows(_settled(folder, shell), span, shell)
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
