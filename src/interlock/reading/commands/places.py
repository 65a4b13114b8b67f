"""The marks of a path in a shell command, globs included."""

from __future__ import annotations

from ...model.obeyed import MOVED_BY, NAMES
from ...value import TYPE_CHECKING
from ..evaluate.contents import is_among_changed
from ..places.paths import holds, in_project
from ..places.places import is_secret_by_its_name, marks_of, place_of, stand_in
from ..places.system_places import is_device

if TYPE_CHECKING:
    from ...model.facts import Facts
    from ..evaluate.state import Shell

__all__ = [
    "FREE",
    "REGENERABLE",
    "before_glob",
    "ground",
    "has_written",
    "is_own_link",
    "marks_in_shell",
    "through_links",
]

# Marks of what can be had again.
FREE = frozenset(("created", "regenerable", "temp"))

_OUTSIDE = frozenset(("no-project", "outside"))

# Folders that a build or a package manager makes again. `build` and `out` count inside the project only.
REGENERABLE = frozenset(
    (
        "node_modules",
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
        ".cache",
        "build",
        "dist",
        "target",
        "out",
        ".next",
        ".nuxt",
        ".turbo",
        ".parcel-cache",
        ".gradle",
        "coverage",
        ".coverage",
        "htmlcov",
        ".eggs",
        "venv",
        ".venv",
        *(".nyc_output", ".eslintcache", ".stylelintcache", ".svelte-kit", ".angular", ".sass-cache", ".docusaurus"),
        *("bower_components", "jspm_packages", ".dart_tool", "elm-stuff", ".stack-work", "dist-newstyle", "_build"),
        *(".zig-cache", "zig-cache", "zig-out", "cmake-build-debug", "cmake-build-release", "CMakeFiles", ".kotlin"),
        *("CMakeCache.txt", "config.status", "config.cache", "autom4te.cache", "a.out", "DerivedData", ".aws-sam"),
        *("playwright-report", "test-results", "storybook-static", ".output", "builddir", ".build"),
        *("coverage.xml", "coverage.json", "junit.xml"),
        *(".hypothesis", ".ipynb_checkpoints", ".pytype", ".pyre", ".serverless", ".terragrunt-cache", ".DS_Store"),
    )
)
_IN_FOLDERS = ("/vendor/bundle/",)  # where the folder's own name says too little
_SUFFIXES = (".pyc", ".pyo", ".o", ".class", ".log", ".tmp", ".egg-info", ".tsbuildinfo", ".gcda", ".gcno")


def marks_in_shell(
    path: str, asked: str, glob: bool, shell: Shell, *, itself: bool = False
) -> tuple[list[str], str | None, str | None]:
    """Marks, where the path really leads, and the fact that is missing to know it.

    `itself`: the link is meant that this call has made there, and not what it leads to.
    """
    facts = shell.found.facts
    missing = None
    real: str | None = path
    if glob:
        asked = before_glob(asked)
        path_for_place = before_glob(path)
    else:
        path_for_place = path
    linked = through_links(path_for_place, shell.links) if shell.links and not itself else None
    if linked is not None or path not in shell.files:  # what this call itself has written leads where it says
        real_start = linked if linked is not None else shell.found.real.get(asked)
        if real_start is None:
            missing, real = f"real:{asked}", None
        elif not glob or real_start != path_for_place:
            real = real_start
    known = shell.found.marked.get((path, glob))
    if known is None:
        known = shell.found.marked[path, glob] = marks_of(path, facts, glob=glob)
    marks = set(known)
    if real is not None and real != path:
        marks.update(marks_of(real, facts))
        if place_of(real, facts) != "outside":
            marks -= _OUTSIDE
    if shell.variables and not MOVED_BY.keys().isdisjoint(shell.variables):
        marks.update(_moved_by_variable(path, shell), *([] if real is None else [_moved_by_variable(real, shell)]))
    if "no-project" in marks and any(holds(made, path) and holds(made, real or path) for made in shell.found.made):
        marks -= _OUTSIDE
    marks.update(ground(path_for_place, glob, facts))
    if real is not None and real != path_for_place:
        marks.update(ground(real, glob, facts))
    if (
        place_of(path_for_place, facts) == "temp"
        and (path_for_place + "/" not in facts.temp or (glob and _narrow(path)))
        and not holds(path_for_place, facts.root)
    ):
        marks.add("temp")
    if _is_made(path, shell) and (real in (None, path) or _is_made(str(real), shell)):
        marks.add("created")
        if "secret" in marks and is_secret_by_its_name(path, facts) and is_secret_by_its_name(real or path, facts):
            marks.discard("secret")
    elif not glob and asked in facts.absent and path not in shell.files:
        marks.add("new")
    if _is_made_again(path, facts) and (real is None or real == path or _is_made_again(real, facts)):
        marks.add("regenerable")  # by its name, and where a link leads
    if (shell.found.kept or facts.kept) and _holds_kept(path_for_place, shell):
        marks -= FREE
    return sorted(marks) if len(marks) > 1 else list(marks), real, missing


def _moved_by_variable(path: str, shell: Shell) -> list[str]:
    """`CLAUDE_CONFIG_DIR=/tmp/x …`: what lies there is obeyed as if it lay in the home folder."""
    moved = {}
    for name, place in MOVED_BY.items():
        for arg in shell.variables.get(name, ()):
            for folder in shell.folders or ("/",):
                if arg.text and not arg.unknown:
                    moved[f"{'' if arg.text[0] == '/' else folder + '/'}{arg.text}".rstrip("/")] = place
    facts = shell.found.facts
    stands_for = stand_in(path, moved, facts.home)
    return [] if stands_for is None else [mark for mark in marks_of(stands_for, facts) if mark in _OF_OBEYED]


_OF_OBEYED = frozenset(("guard", "obeyed", *NAMES.values()))


def has_written(path: str, shell: Shell) -> bool:
    """True if this call or this session has written the file, so that it is not the project's own."""
    facts = shell.found.facts
    if path in shell.files or path in facts.written or "/" in facts.written:
        return True
    if shell.found.changed and is_among_changed(path, shell):
        return True
    if not shell.files and not facts.written:
        return False
    real = through_links(path, shell.links) if shell.links else shell.found.real.get(path)  # by another name
    return real is not None and real != path and (real in shell.files or real in facts.written)


def _is_made(path: str, shell: Shell) -> bool:
    return path in shell.found.made or path in shell.found.facts.created


def _holds_kept(path: str, shell: Shell) -> bool:
    """True if something that was there before the session was moved to the path, below it or above it."""
    return any(holds(path, kept) or holds(kept, path) for kept in (*shell.found.kept, *shell.found.facts.kept))


def is_own_link(path: str, text: str, shell: Shell) -> bool:
    """True if there is nothing at the path but a link that this call has made: `ln -s a b && rm b` leaves `a` alone.

    `text`: how it is named. `b/` is what the link leads to.
    """
    return (
        path in shell.links
        and path in shell.found.made
        and not text.endswith(("/", "/."))
        and not any(path.startswith(link + "/") for link in shell.links)
    )


def through_links(path: str, links: dict[str, str]) -> str | None:
    """Where a path leads by the links that this call has made; None if none is on its way."""
    for _ in range(8):
        at = path if path in links else next((link for link in links if path.startswith(link + "/")), None)
        if at is None:
            return None
        path = links[at].rstrip("/") + path[len(at) :]
        if through_links(path, {k: v for k, v in links.items() if k != at}) is None:
            return path or "/"
    return path


def before_glob(path: str) -> str:
    """The folder that holds whatever a pattern may match."""
    kept = []
    for part in path.split("/"):
        if "*" in part or "?" in part or "[" in part:
            break
        kept.append(part)
    return "/".join(kept) or "/"


def _narrow(pattern: str) -> bool:
    """True if a pattern asks for names of a kind: `/tmp/build-*`, `/tmp/*/*.tmp`, and not for everything there."""
    for part in pattern.split("/")[2:]:
        wild = [at for at, char in enumerate(part) if char in "*?["]
        if wild and (wild[0] >= 3 or len(part) - wild[-1] > 3):
            return True
    return False


def ground(path: str, glob: bool, facts: Facts) -> list[str]:
    """Places whose loss cannot be mended: a root, a home, a whole project, a device."""
    found = []
    depth = path.count("/")
    if path == "/" or (depth == 1 and path[1:] in _TOP):
        found.append("root")
    if path in (facts.home, "/root", "/home", "/Users") or (depth == 2 and path.startswith(("/home/", "/Users/"))):
        found.append("home")
    if is_device(path):
        found.append("device")
    if (path == facts.root and not glob) or (holds(path, facts.root) and path != facts.root):
        found.append("project-root")
    return found


_TOP = frozenset(
    (
        "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "sbin", "srv", "sys", "usr", "var",
        "Users", "System", "Library", "Applications", "private",
    )
)  # fmt: skip


def _is_made_again(path: str, facts: Facts) -> bool:
    if not in_project(facts.root, path):
        return False
    parts = path[len(facts.root) :].split("/")
    left = ".git" in parts and parts[-1].endswith(".lock")  # by a git that was killed
    if left or not REGENERABLE.isdisjoint(parts) or parts[-1].endswith(_SUFFIXES):
        return True
    return any(folder in path[len(facts.root) :] + "/" for folder in _IN_FOLDERS)
