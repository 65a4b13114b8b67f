"""Modules that this session wrote: importing one runs its text, and so does `python -m`.

The project's own modules are run and not read. One that was written here is read as far as that goes: what it certainly
does counts, and what was not understood of it leaves it what it is, code of the project. One with the name of a
module of Python's own is found before that.
"""

from __future__ import annotations

from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import text_of, texts_in
from ..evaluate.words import Arg
from ..lands.fetched import came_with, run_fetched
from ..machine.places import has_written
from .modules import OF_TOOLS, STANDARD

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell, silent
else:
    silent = lazy(globals(), "..evaluate.state", "silent")

__all__ = [
    "ANYWHERE",
    "MOVES",
    "files_of",
    "folders_of_modules",
    "read_examples",
    "read_named",
    "read_own",
    "read_shadows",
]

_MODULE_RUNS = frozenset(("exec:project", "exec:python"))  # said by the import itself


def files_of(module: str, base: str) -> list[str]:
    """The files that importing the module runs, if they are there: `a.b` runs `a` first."""
    found = []
    at = base.rstrip("/")
    for part in module.split("."):
        if not part.isidentifier():
            break
        at = f"{at}/{part}"
        found += [f"{at}.py", f"{at}/__init__.py"]
    return found


def _search_path(shell: Shell) -> list[str]:
    """The folders that `PYTHONPATH` names."""
    held = shell.variables.get("PYTHONPATH", [])
    folders = [folder for arg in held if arg.known for folder in arg.text.split(":") if folder]
    here = (shell.folders or ("/",))[0]
    return [
        folder if folder[:1] == "/" else f"{here}/{folder}".replace("/./", "/").removesuffix("/.") for folder in folders
    ]


def _sources(shell: Shell) -> list[str]:
    """Where an installed project keeps its modules."""
    root = shell.found.facts.root.rstrip("/")
    return [f"{root}/src", f"{root}/lib", f"{root}/python"]


def folders_of_modules(base: str, shell: Shell) -> list[str]:
    """Where a module is looked for, in this order."""
    return list(dict.fromkeys([base, *_search_path(shell), *_sources(shell)]))


# In what a call has met: its code changes where modules are looked for, and to what may not be known.
ANYWHERE: tuple[object, ...] = ("modules", "anywhere")
MOVES = ("sys.path", "chdir", "addsitedir", "import path", "path_hooks", "meta_path")


def _places_of(module: str, shell: Shell) -> list[str]:
    """Every folder in which this session wrote or fetched a module of the name."""
    ends = files_of(module, "")
    written = [*shell.files, *shell.found.facts.written, *shell.found.fetched]
    found = [path.removesuffix(end) for path in written for end in ends if path.endswith(end)]
    found += [path.rstrip("/") for path in written if path[-1:] == "/" or path in shell.found.fetched]
    return sorted({*found})


def read_own(module: str, base: str, span: tuple[int, int], shell: Shell, *, relative: bool = False) -> None:
    """`relative`: it is looked for there and nowhere else, whatever its name is."""
    if not shell.files and not shell.found.facts.written:
        return
    bases = [base] if relative else folders_of_modules(base, shell)
    if not relative and ANYWHERE in shell.found.seen:
        bases += _places_of(module, shell)
    _refuse_compiled(module, bases, span, shell)
    for path in [path for folder in bases for path in files_of(module, folder)]:
        key = ("module", path)
        if key in shell.found.seen:
            continue
        place = came_with(path, shell) if relative or module.partition(".")[0] not in STANDARD else None
        if place is not None and (place.startswith(base.rstrip("/") + "/") or path in shell.found.facts.scripts):
            shell.found.seen.add(key)
            run_fetched(place, span, shell)
        elif place is not None:
            shell.found.want(Script(path))  # is it there?
        if not has_written(path, shell):
            continue
        shell.found.seen.add(key)
        if module.partition(".")[0] in STANDARD and not relative:
            shell.unclear(
                f"`{path}`, which was written in this session, is taken for a module of Python's own",
                span,
                kind="written-here",
            )
        if not _read(path, span, shell) and path in shell.files:  # else it is on the disk, and read in the next round
            shell.unclear(f"`{path}` was written in this call, and its content was not read", span, kind="written-here")


_COMPILED = (".so", ".pyc", ".pyd")


def _refuse_compiled(module: str, bases: list[str], span: tuple[int, int], shell: Shell) -> None:
    """`helper.cpython-312-x86_64-linux-gnu.so`: found before `helper.py`, and nobody reads it."""
    for path in (*shell.files, *sorted(shell.found.facts.written), *sorted(shell.found.fetched)):
        if path.rstrip("/").endswith(_COMPILED):
            stems = [end[:-3] for base in bases for end in files_of(module, base) if not end.endswith("/__init__.py")]
            if any(path.startswith(f"{stem}.") for stem in stems):
                shell.unclear(f"`{path.rstrip('/')}`, which this session brought, is loaded as a module", span)


def read_shadows(folder: str, span: tuple[int, int], shell: Shell) -> None:
    """`json.py` or `pluggy.py` in the folder in which `python -m tool` is run: it is found before Python's own and
    before what is installed, and what it does counts, whoever imports it.
    """
    start = folder.rstrip("/") + "/"
    for path in (*shell.files, *sorted(shell.found.facts.written)):
        name, _, rest = path[len(start) :].partition("/") if path.startswith(start) else ("", "", "")
        module = name.removesuffix(".py")
        if (module in STANDARD or module in OF_TOOLS) and (name.endswith(".py") or rest == "__init__.py"):
            read_named(path, span, shell)


def read_named(path: str, span: tuple[int, int], shell: Shell, *, loaded: bool = False) -> None:
    """A file of this session that is imported, under whatever name: what it certainly does counts.

    `loaded`: by a server or a tool, so that no code of the call calls its functions.
    """
    if ("module", path) not in shell.found.seen:
        shell.found.seen.add(("module", path))
        _read(path, span, shell, loaded=loaded)


def _read(path: str, span: tuple[int, int], shell: Shell, *, loaded: bool = False) -> bool:
    """Whether there was a text to read."""
    held = text_of(path, shell)
    text = shell.found.facts.scripts.get(path)
    texts = texts_in(held, path, shell) if held is not None else None if text is None else (text,)
    if texts is None:
        shell.found.want(Script(path))
    for each in texts or ():
        _count(each, path, span, shell, loaded=loaded)
    return texts is not None


def read_examples(text: str, span: tuple[int, int], shell: Shell) -> None:
    """`>>> …` in a text, which doctest runs: what the examples certainly do counts."""
    lines = [line.strip() for line in text.split("\n")]
    code = "\n".join([line[4:] for line in lines if line.startswith((">>> ", "... "))])
    if code:
        _count(code, "", span, shell)


def _is_handed(action: Action) -> bool:
    """A file that a function is handed: which one is not known, nor whether anybody calls it."""
    return action.name[:3] == "fs:" and "unread" in action.tags and "path" not in action.target


def _count(text: str, path: str, span: tuple[int, int], shell: Shell, *, loaded: bool = False) -> None:
    """Follows the code, and puts down what it does; what is not understood of it stays what it is."""
    inner = silent(shell)
    inner.frozen_span = shell.span(span)
    inner.found.seen |= {key for key in shell.found.seen if key[0] == "module"}
    shell.found.follow.read_python(Arg(text, span), inner, span, None, path)
    for action in inner.found.actions:
        if action.name not in _MODULE_RUNS and not (loaded and _is_handed(action)):
            shell.found.act(action)
    for fact in inner.found.missing:
        shell.found.want(fact)
