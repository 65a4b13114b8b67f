"""Which kind of place a path is: obeyed by others, secret, project, temporary, outside.

The tables are in ../obeyed.py and secret_places.py, how a pattern is matched in place_table.py. Here they meet what
is known of this machine and this policy: the guard's own files, folders that git takes its hooks from, settings behind
links or moved by a variable, and the levels that a policy sets.
"""

from __future__ import annotations

from ...model.facts import NO_PROJECT
from ...model.obeyed import ELSEWHERE, JUDGED, LEVELS, NAMES, OBEYED, OBEYED_ROOTS
from ...value import TYPE_CHECKING, lazy
from .paths import folded, in_project, within
from .place_table import HOME, PlaceTable, Sieve, is_pattern, loosened, would_match
from .secret_files import ALWAYS, MAYBE, is_secret_file, may_be_secret_file, searches_for_secret, sort_of
from .secret_places import SECRET, SECRET_ROOTS
from .system_places import place_marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.facts import Facts
    from ...model.more_wants import Begins
    from .beside import all_beside_obeyed, all_beside_secret
    from .place_table import Hit
else:
    all_beside_obeyed = lazy(globals(), ".beside", "all_beside_obeyed")
    all_beside_secret = lazy(globals(), ".beside", "all_beside_secret")

__all__ = [
    "OBEYED_PLACES",
    "PLUG_IN",
    "SECRET",
    "SECRET_ROOTS",
    "WHERE",
    "begins",
    "floor_over",
    "guarded_by",
    "is_home",
    "is_judged",
    "is_secret",
    "is_secret_by_its_name",
    "looks_in",
    "loosened",
    "marks_of",
    "matches_own",
    "obeyed_by",
    "place_of",
    "plug_in_of",
    "stand_in",
    "wary_marks_of",
]

# Files that match a secret pattern and are meant to be shared.
_SHARED = (".example", ".sample", ".template", ".dist", ".defaults")

PLUG_IN = ".claude-plugin"  # in a folder that is a plug-in of Claude Code, or a marketplace

WHERE = {pattern: group.where for pattern, group in OBEYED.items() if group.where != "anywhere"}
OBEYED_PLACES = PlaceTable(OBEYED, OBEYED_ROOTS, WHERE)
_ELSEWHERE = PlaceTable(dict.fromkeys(ELSEWHERE.patterns, ELSEWHERE), {})
_JUDGED = PlaceTable(dict.fromkeys(JUDGED, True), {})
_SECRET = PlaceTable(SECRET, SECRET_ROOTS)
_SIEVE = Sieve(OBEYED_PLACES, _SECRET, ALWAYS, MAYBE)


def floor_over(pattern: str) -> str | None:
    """Whose files a pattern of a policy means or may take in that nothing lowers, or None."""
    parts = folded(pattern.removeprefix("~/")).split("/")
    hits = [*OBEYED_PLACES.hits(parts), *(OBEYED_PLACES.may_hits(parts) if is_pattern(pattern) else ())]
    if not hits:
        return None
    closest = max([close for _, close in hits])
    return next((group.who for group, close in hits if group.floor and close == closest), None)


def guarded_by(path: str, facts: Facts) -> str | None:
    """Whose guard, settings or hooks this path belongs to that nobody may change, or None. `path` is settled."""
    found = obeyed_by(path, facts)
    return found[0] if found is not None and found[1] == "denied" else None


def obeyed_by(path: str, facts: Facts, *, glob: bool = False) -> tuple[str, str] | None:
    """Who obeys the file, and its level; for a pattern, the strictest of what it may match. `path` is settled."""
    plain = folded(path)
    return _obeyed(path, plain, plain.split("/")[1:], facts, glob, True)


def _obeyed(path: str, plain: str, parts: list[str], facts: Facts, glob: bool, known: bool) -> tuple[str, str] | None:
    """`known`: a row of the table may fit the path."""
    if within(facts.own, plain) or (glob and matches_own(parts, facts, whole=True)):
        return "Interlock", "denied"
    found = None
    if known or facts.obeyed or facts.obeyed_at_least:
        found = _by_table(path, parts, facts, glob)
    if facts.moved:
        for moved in [spelt for spelt in (stand_in(path, facts.moved, facts.home),) if spelt is not None]:
            found = _stricter(found, _by_table(moved, folded(moved).split("/")[1:], facts, glob))
    if facts.hooks and within(facts.hooks, plain):
        found = _stricter(found, ("git's hooks", "asked" if in_project(facts.root, path) else "denied"))
    if facts.linked and plain + "/" in facts.linked:
        found = _stricter(found, ("the shell", "asked" if in_project(facts.root, path) else "denied"))
    if found is None and _own_note(path, facts) == "memory":
        found = ("agents", "noted")
    if found is None or found[1] == "denied":
        return found
    if place_of(path, facts) == "temp" or (found[1] == "noted" and path in facts.written):
        return None  # nothing there is obeyed; and what a person was told once they know
    return found


def _own_note(path: str, facts: Facts) -> str:
    """`plan` or `memory`, if the host itself tells the agent to keep that file outside the project; else nothing.

    The memory is that of this project, or of one that holds it: what is put into another's speaks to its sessions.
    """
    if "/plans/" not in path and "/memory/" not in path:
        return ""
    path = stand_in(path, facts.moved, facts.home) or path
    kept = f"{facts.home}/.claude/"
    if not path.startswith(kept) or not path.endswith(".md"):
        return ""
    first, *rest = path[len(kept) :].split("/")
    if first == "plans" and len(rest) == 1:
        return "plan"
    if first != "projects" or len(rest) != 3 or rest[1] != "memory":
        return ""
    folder = facts.root
    while folder.count("/") > 1 and folder != facts.home:
        if rest[0] == "".join([char if char.isascii() and char.isalnum() else "-" for char in folder]):
            return "memory"
        folder = folder.rpartition("/")[0]
    return ""


def _stricter(one: tuple[str, str] | None, other: tuple[str, str] | None) -> tuple[str, str] | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda found: LEVELS.index(found[1]))


def _by_table(path: str, parts: list[str], facts: Facts, glob: bool) -> tuple[str, str] | None:
    """What the built-in rows say, and what the policy makes of it. The floor is not the policy's to lower."""

    elsewhere: list[str] = []

    def stands(where: str, folders: list[str]) -> bool:
        if where == HOME:
            return is_home(folders, facts)
        if not looks_in(where, path, len(folders), facts):
            elsewhere.append(where)
            return False
        return True

    closest, found = -1, None
    hits = list(OBEYED_PLACES.hits(parts, stands))
    for group, close in hits if not elsewhere else (*hits, *_ELSEWHERE.hits(parts)):
        if found is None or (close, LEVELS.index(group.level)) > (closest, LEVELS.index(found.level)):
            closest, found = close, group
    if found is not None and found.where == "plug-in":  # a host's own plug-ins are not less for looking like any
        found = next((group for group, _ in hits if group.floor), found)
    if found is not None and found.level == "asked":
        plug_in = plug_in_of(path, parts)
        if plug_in and _is_loaded(plug_in, facts):
            return "Claude Code", "denied"
    if glob:
        for group, close in OBEYED_PLACES.may_hits(parts, stands):
            if close > closest and (found is None or LEVELS.index(group.level) > LEVELS.index(found.level)):
                found = group
        beside = all_beside_obeyed(parts)
        if beside is not None and (found is None or LEVELS.index(beside.level) > LEVELS.index(found.level)):
            found = beside
    said = None if found is None else (found.who, found.level)
    if (not facts.obeyed and not facts.obeyed_at_least) or (found is not None and found.floor):
        return said
    for level, close in sorted(_hits_of(facts.obeyed, parts, facts, glob), key=lambda hit: hit[1]):
        if close >= closest:
            said = ("the programs that your policy means" if found is None else found.who, level)
    for level, _ in _hits_of(facts.obeyed_at_least, parts, facts, glob):
        said = _stricter(said, ("the programs that a policy means" if said is None else said[0], level))
    return said


def _hits_of(levels: Mapping[str, str], parts: list[str], facts: Facts, glob: bool) -> list[Hit]:
    if not levels:
        return []
    table = PlaceTable({folded(pattern): level for pattern, level in levels.items()}, {})
    found = table.may_hits if glob else table.hits
    return list(found(parts, lambda _, folders: is_home(folders, facts)))


def plug_in_of(path: str, parts: list[str]) -> str:
    """The folder of the plug-in of Claude Code, or of the marketplace, that the file makes what it is; else nothing."""
    if PLUG_IN in parts:
        return "/".join(path.split("/")[: parts.index(PLUG_IN) + 1]) or "/"
    return "/".join(path.split("/")[:-2]) or "/" if parts[-2:] == _HOOKS else ""


_HOOKS = ["hooks", "hooks.json"]

# Folders that Python takes modules from wherever they lie.
_OF_MODULES = frozenset(("src", "lib", "python", "site-packages", "dist-packages"))


def looks_in(where: str, path: str, depth: int, facts: Facts) -> bool:
    """Whether a reader of this kind looks into the folder `depth` folders down the path. What is not known counts."""
    want = begins(where, path, depth)
    folder = want.folder
    if where != "plug-in":
        if folder in (facts.root, facts.home) or folder in facts.moved or not in_project(facts.root, folder):
            return True
        if where == "imports" and folder.rpartition("/")[2] in _OF_MODULES:
            return True
    return facts.answer(want) is not False


def _is_loaded(plug_in: str, facts: Facts) -> bool:
    from ...model.more_wants import Loaded

    return facts.answer(Loaded(plug_in)) is True


def begins(where: str, path: str, depth: int) -> Begins:
    from ...model.more_wants import Begins  # few paths are those of files that somebody may obey

    return Begins(where, "/".join(path.split("/")[: depth + 1]) or "/")


def is_judged(path: str, facts: Facts) -> bool:
    """Whether what is written into the file decides; not where a policy has said what counts."""
    parts = folded(path).split("/")[1:]
    if _JUDGED.find(parts) is None:
        return False
    return not _hits_of(facts.obeyed, parts, facts, False) and not _hits_of(facts.obeyed_at_least, parts, facts, False)


def is_home(folders: list[str], facts: Facts) -> bool:
    if len(folders) == 2 and folders[0] in ("home", "users"):
        return True
    return folders in (["root"], ["var", "root"]) or folders == folded(facts.home).split("/")[1:]


def stand_in(path: str, moved: Mapping[str, str], home: str) -> str | None:
    """The place in the home folder that a path stands for, where a variable moves a folder: `$CLAUDE_CONFIG_DIR/x`."""
    for folder, place in moved.items():
        if path == folder or path.startswith(folder + "/"):
            return "/".join([part for part in (home, place) if part]) + path[len(folder) :]
    return None


def matches_own(parts: list[str], facts: Facts, *, whole: bool) -> bool:
    """Would a pattern match one of our own files, or (unless `whole`) a folder above one? They are there: `*` does."""
    for own in facts.own:
        names = own.split("/")[1:-1]
        if (len(parts) == len(names) or (not whole and len(parts) < len(names))) and all(
            map(would_match, parts, names)
        ):
            return True
    return False


def is_secret(path: str) -> bool:
    """By the name alone, wherever it lies."""
    parts = folded(path).split("/")[1:]
    return _secret(parts, None) or sort_of(parts) != ""


def _secret(parts: list[str], facts: Facts | None) -> bool:
    if parts[0] == "proc" and parts[-1] in ("environ", "mem", "auxv", "maps"):
        return True
    name = parts[-1]
    for _ in _SECRET.hits(parts) if facts is None else _SECRET.hits(parts, lambda _, above: is_home(above, facts)):
        return not (name.startswith(".env.") and name.endswith(_SHARED))
    return False


def is_secret_by_its_name(path: str, facts: Facts) -> bool:
    """True if nothing but the name says so: what this session has made under it is no secret that it found."""
    return path not in facts.keys and not _secret(folded(path).split("/")[1:], facts)


def _may_be_secret(parts: list[str], facts: Facts) -> bool:
    return any(True for _ in _SECRET.may_hits(parts, lambda _, above: is_home(above, facts)))


def place_of(path: str, facts: Facts) -> str:
    """`project`, `temp` or `outside`."""
    if in_project(facts.root, path):
        return "project"
    if within(facts.temp, path) and not _in_home_among_temporary(path, facts):
        return "temp"
    return "project" if facts.beside and within(facts.beside, path) else "outside"


def _in_home_among_temporary(path: str, facts: Facts) -> bool:
    """A home may lie in a temporary folder, as in many containers; it and what is in it are still somebody's.

    For a pattern, what it may match counts: `/tmp/some*/bin/git` may be in `/tmp/someone`.
    """
    home = facts.home + "/"
    if not within(facts.temp, home) or home in facts.temp:
        return False
    start = path.partition("*")[0].partition("?")[0].partition("[")[0]
    return (path + "/").startswith(home) or (start != path and home.startswith(start))


def _outside(path: str, facts: Facts, glob: bool) -> list[str]:
    """Where there is no project, what the session made is its own, and so are new names that are not hidden."""
    if facts.root != NO_PROJECT or not path.startswith(facts.home + "/"):
        return ["outside", "own-folder"] if not glob and _is_made(path.rpartition("/")[0], facts) else ["outside"]
    if _is_made(path, facts):
        return []
    if not glob and path in facts.absent and "/." not in path[len(facts.home) :]:
        return []
    return ["no-project", "outside"]


def _is_made(path: str, facts: Facts) -> bool:
    """Whether this session made it, or a folder that it lies in."""
    while path and path not in facts.created:
        path = path.rpartition("/")[0]
    return bool(path)


def marks_of(path: str, facts: Facts, *, glob: bool = False) -> list[str]:
    """The marks that a path gives to an action: those of obeyed and of secret places, `outside`, and more.

    For a pattern, what it may match counts: `~/.ssh/*` is secret, and so is `~/.s*/id_rsa`.
    """
    plain = folded(path)
    parts = plain.split("/")[1:]
    known = glob or _SIEVE.holds_back(parts)
    obeyed = _obeyed(path, plain, parts, facts, glob, known)
    marks = [] if obeyed is None else [NAMES.get(obeyed[1], "guard"), "obeyed"]
    if _own_note(path, facts) and not glob:
        return marks
    if place_of(path, facts) == "outside":
        marks += _outside(path, facts, glob)
    if _is_secret_place(path, parts, facts, glob, known):
        marks.append("secret")
    marks += place_marks(path, plain, parts, facts)
    return marks


def wary_marks_of(path: str, facts: Facts, *, glob: bool = False) -> list[str]:
    """Of these marks `guard` and `secret` alone, at half the cost."""
    plain = folded(path)
    parts = plain.split("/")[1:]
    known = glob or _SIEVE.holds_back(parts)
    obeyed = _obeyed(path, plain, parts, facts, glob, known)
    marks = ["guard"] if obeyed is not None and obeyed[1] == "denied" else []
    if (glob or not _own_note(path, facts)) and _is_secret_place(path, parts, facts, glob, known):
        marks.append("secret")
    return marks


def _is_secret_place(path: str, parts: list[str], facts: Facts, glob: bool, known: bool) -> bool:
    if ((known or parts[0] == "proc") and _secret(parts, facts)) or is_secret_file(path, parts, facts, known):
        return True
    if not glob:
        return False
    return (
        _may_be_secret(parts, facts)
        or may_be_secret_file(parts)
        or all_beside_secret(parts, facts)
        or ("**" in parts and searches_for_secret(parts[-1]))
    )
