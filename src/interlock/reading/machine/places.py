"""What lies at a path of a command, patterns included: with what the call itself has made, moved and linked there."""

from __future__ import annotations

from ...model.obeyed import MOVED_BY, NAMES
from ...model.wants import Real
from ...value import TYPE_CHECKING
from ..evaluate.contents import is_among_changed
from ..evaluate.origins import A_SECRET
from ..evaluate.words import Arg
from ..places.kinds import OUTSIDE, joined, kinds_of
from ..places.marks import Place, counted
from ..places.paths import Unsettled, holds, in_project, settle
from ..places.places import is_secret_by_its_name, marks_of, place_of, stand_in
from ..places.system_places import ground

if TYPE_CHECKING:
    from ...model.facts import Facts
    from ..evaluate.state import Shell

__all__ = [
    "FREE",
    "REGENERABLE",
    "before_glob",
    "has_written",
    "is_own_link",
    "place_in_shell",
    "through_links",
    "where",
]

# Marks of what can be had again.
FREE = frozenset(("created", "regenerable", "temp"))

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


def place_in_shell(
    role: str, path: str, asked: str, glob: bool, shell: Shell, *, itself: bool = False
) -> tuple[Place, Real | None]:
    """What lies at the path as far as it matters for the role, and the fact that is missing to know where it leads.

    `itself`: the link is meant that this call has made there, and not what it leads to.
    """
    facts, found = shell.found.facts, shell.found
    asked, start = (before_glob(asked), before_glob(path)) if glob else (asked, path)
    real = _leads_to(path, start, asked, glob, shell, itself)
    known = found.marked.get((path, glob))
    if known is None:
        known = found.marked[path, glob] = marks_of(path, facts, glob=glob)
    named = {path: known} if real is None or real == path else {path: known, real: marks_of(real, facts)}
    marks = joined(named, facts)
    if shell.variables and not MOVED_BY.keys().isdisjoint(shell.variables):
        marks.update(*[_moved_by_variable(name, shell) for name in named])
    if "no-project" in marks and any(all(holds(made, name) for name in named) for made in found.made):
        marks -= OUTSIDE
    marks.update(ground(start, glob, facts))
    if real is not None and real != start:
        marks.update(ground(real, glob, facts))
    if (
        place_of(start, facts) == "temp"
        and (start + "/" not in facts.temp or (glob and _narrow(path)))
        and not holds(start, facts.root)
    ):
        marks.add("temp")
    if all(_is_made(name, shell) for name in named):
        marks.add("created")
        if "secret" in marks and all(is_secret_by_its_name(name, facts) for name in named):
            marks.discard("secret")
    elif not glob and asked in facts.absent and path not in shell.files:
        marks.add("new")
    if all(_is_made_again(name, facts) for name in named):
        marks.add("regenerable")  # by its name, and where a link leads
    if (found.kept or facts.kept) and _holds_kept(start, shell):
        marks -= FREE
    if glob and path in found.possible:
        marks.add("possible")
    if found.holds_secret and _got_secret(path, shell):
        marks.add("secrets-below")
    place = Place(path=path, real=real, kinds=kinds_of(named, marks, counted(role), facts, glob))
    return place, Real(asked) if real is None else None


def _leads_to(path: str, start: str, asked: str, glob: bool, shell: Shell, itself: bool) -> str | None:
    """`start`: the path, or the folder that holds whatever the pattern may match; None: it is not known."""
    linked = through_links(start, shell.links) if shell.links and not itself else None
    if linked is None:
        if path in shell.files:  # what this call itself has written leads where it says
            return path
        linked = shell.found.real.get(asked)
    return path if glob and linked == start else linked


def _got_secret(path: str, shell: Shell) -> bool:
    """True if this call has put a secret into the file, or into one below the folder."""
    return any(
        held.origin == A_SECRET and (at == path or at.startswith(path + "/")) for at, held in shell.files.items()
    )


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


def _is_made_again(path: str, facts: Facts) -> bool:
    if not in_project(facts.root, path):
        return False
    parts = path[len(facts.root) :].split("/")
    left = ".git" in parts and parts[-1].endswith(".lock")  # by a git that was killed
    if left or not REGENERABLE.isdisjoint(parts) or parts[-1].endswith(_SUFFIXES):
        return True
    return any(folder in path[len(facts.root) :] + "/" for folder in _IN_FOLDERS)


def where(arg: Arg, shell: Shell) -> str:
    if arg.text.startswith("/") or shell.folders is None:
        return arg.text
    try:
        return settle(arg.text or ".", cwd=shell.folders[0], home="/")
    except Unsettled:
        return arg.text
