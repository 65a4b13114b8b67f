"""Which kind of place a path is: obeyed by others, secret, project, temporary, outside.

The tables are in ../obeyed.py and secret_places.py, how a pattern is matched in place_table.py. Here they meet what
is known of this machine and this policy: the guard's own files, folders that git takes its hooks from, settings behind
links or moved by a variable, and the levels that a policy sets.
"""

from __future__ import annotations

from ..facts import NO_PROJECT
from ..obeyed import ELSEWHERE, JUDGED, LEVELS, NAMES, OBEYED, OBEYED_ROOTS
from ..value import TYPE_CHECKING
from .paths import folded, holds, in_project, within
from .place_table import HOME, PlaceTable, Sieve, is_pattern, loosened, may_end_in, would_match
from .secret_files import ALWAYS, MAYBE, is_secret_file, may_be_secret_file, searches_for_secret, sort_of
from .secret_places import SECRET, SECRET_ROOTS
from .system_places import place_marks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..facts import Facts
    from .place_table import Hit

__all__ = [
    "GUARDED",
    "GUARDED_ROOTS",
    "SECRET",
    "SECRET_ROOTS",
    "floor_over",
    "guarded_by",
    "holds_guarded",
    "holds_obeyed",
    "holds_secret",
    "is_judged",
    "is_secret",
    "is_secret_by_its_name",
    "loosened",
    "marks_of",
    "obeyed_by",
    "place_of",
    "stand_in",
    "takes_in_guarded",
    "wanted_of",
    "wary_marks_of",
]

# What is denied wherever it lies. pattern -> whose it is
GUARDED = {pattern: group.who for pattern, group in OBEYED.items() if group.level == "denied" and pattern[:2] != "~/"}
# The same, at a fixed place: everything at or below it.
GUARDED_ROOTS = {root: group.who for root, group in OBEYED_ROOTS.items() if group.level == "denied"}

# Files that match a secret pattern and are meant to be shared.
_SHARED = (".example", ".sample", ".template", ".dist", ".defaults")

_WHERE = {pattern: group.where for pattern, group in OBEYED.items() if group.where != "anywhere"}
_OBEYED = PlaceTable(OBEYED, OBEYED_ROOTS, _WHERE)
_ELSEWHERE = PlaceTable(dict.fromkeys(ELSEWHERE.patterns, ELSEWHERE), {})
_JUDGED = PlaceTable(dict.fromkeys(JUDGED, True), {})
_SECRET = PlaceTable(SECRET, SECRET_ROOTS)
_SIEVE = Sieve(_OBEYED, _SECRET, ALWAYS, MAYBE)


def floor_over(pattern: str) -> str | None:
    """Whose files a pattern of a policy means or may take in that nothing lowers, or None."""
    parts = folded(pattern.removeprefix("~/")).split("/")
    hits = [*_OBEYED.hits(parts), *(_OBEYED.may_hits(parts) if is_pattern(pattern) else ())]
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
    if within(facts.own, plain) or (glob and _matches_own(parts, facts, whole=True)):
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
            return _is_home(folders, facts)
        if not _looks_in(where, path, len(folders), facts):
            elsewhere.append(where)
            return False
        return True

    closest, found = -1, None
    hits = list(_OBEYED.hits(parts, stands))
    for group, close in hits if not elsewhere else (*hits, *_ELSEWHERE.hits(parts)):
        if found is None or (close, LEVELS.index(group.level)) > (closest, LEVELS.index(found.level)):
            closest, found = close, group
    if glob:
        for group, close in _OBEYED.may_hits(parts, stands):
            if close > closest and (found is None or LEVELS.index(group.level) > LEVELS.index(found.level)):
                found = group
        beside = _all_beside(_BESIDE_OBEYED, parts)
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
    return list(found(parts, lambda _, folders: _is_home(folders, facts)))


# Folders that Python takes modules from wherever they lie.
_OF_MODULES = frozenset(("src", "lib", "python", "site-packages", "dist-packages"))


def _looks_in(where: str, path: str, depth: int, facts: Facts) -> bool:
    """Whether a reader of this kind looks into the folder `depth` folders down the path. What is not known counts."""
    want, folder = _begins(where, path, depth)
    if where != "plug-in":
        if folder in (facts.root, facts.home) or folder in facts.moved or not in_project(facts.root, folder):
            return True
        if where == "imports" and folder.rpartition("/")[2] in _OF_MODULES:
            return True
    return facts.begins.get(want, True)


def _begins(where: str, path: str, depth: int) -> tuple[str, str]:
    folder = "/".join(path.split("/")[: depth + 1]) or "/"
    return f"begins:{where}\t{folder}", folder


def wanted_of(path: str, facts: Facts, cwd: str) -> tuple[str, ...]:
    """What is to be known of the folders above the path, so that it can be told whether a reader looks there.

    Nothing of the agent's own folder and those above it: a host that is started from there looks into them.
    """
    wanted: dict[str, None] = {}
    plain = folded(path).split("/")[1:]

    def stands(where: str, folders: list[str]) -> bool:
        want, folder = _begins(where, path, len(folders))
        if where == HOME or want in facts.begins or (where != "plug-in" and holds(folder, cwd)):
            return False
        if _looks_in(where, path, len(folders), facts):
            wanted[want] = None
        return False

    list(_OBEYED.hits(plain, stands))
    for head, where in _GUARDED_FOLDERS.items():
        if where and tuple(plain[-len(head) :]) == head:
            stands(where, plain[: -len(head)])
    return tuple([want for want in wanted if want.isprintable() or "\t" in want])


def is_judged(path: str, facts: Facts) -> bool:
    """Whether what is written into the file decides; not where a policy has said what counts."""
    parts = folded(path).split("/")[1:]
    if _JUDGED.find(parts) is None:
        return False
    return not _hits_of(facts.obeyed, parts, facts, False) and not _hits_of(facts.obeyed_at_least, parts, facts, False)


def _is_home(folders: list[str], facts: Facts) -> bool:
    if len(folders) == 2 and folders[0] in ("home", "users"):
        return True
    return folders in (["root"], ["var", "root"]) or folders == folded(facts.home).split("/")[1:]


def stand_in(path: str, moved: Mapping[str, str], home: str) -> str | None:
    """The place in the home folder that a path stands for, where a variable moves a folder: `$CLAUDE_CONFIG_DIR/x`."""
    for folder, place in moved.items():
        if path == folder or path.startswith(folder + "/"):
            return "/".join([part for part in (home, place) if part]) + path[len(folder) :]
    return None


def holds_guarded(path: str, facts: Facts) -> bool:
    """True if the folder holds guarded files: taking `.claude` away takes its settings away."""
    plain = folded(path)
    if any(own.startswith(plain + "/") for own in facts.own):
        return True
    parts = plain.split("/")[1:]
    if is_pattern(plain) and (
        _matches_own(parts, facts, whole=False)
        or (place_of(path, facts) != "temp" and any(may_end_in(parts, head) for head in _GUARDED_FOLDERS))
    ):
        return True  # of what lies in a temporary folder nothing is obeyed but our own
    if parts[-1] in _GUARDED_ENDS and any(_ends_in(parts, *row, path, facts) for row in _GUARDED_FOLDERS.items()):
        return True
    if any(tuple(parts[-len(head) :]) == head and _is_home(parts[: -len(head)], facts) for head in _HOME_FOLDERS):
        return True
    return "." not in parts[-1][1:] and any(_is_below(head, parts) for head in _DEEP_FOLDERS)


def _ends_in(parts: list[str], head: tuple[str, ...], where: str, path: str, facts: Facts) -> bool:
    """Whether the path ends in such a folder, at a place where it counts."""
    if tuple(parts[-len(head) :]) != head:
        return False
    return not where or _looks_in(where, path, len(parts) - len(head), facts)


def _is_below(head: tuple[str, ...], parts: list[str]) -> bool:
    """Whether a folder lies below one of whose files some are guarded, however deep they lie."""
    return any(tuple(parts[at : at + len(head)]) == head for at in range(len(parts) - len(head)))


def holds_obeyed(path: str) -> bool:
    """True if files that are asked about lie in such a folder: `.vscode`, `.github`."""
    parts = folded(path).split("/")[1:]
    return parts[-1] in _ASKED_ENDS and any(tuple(parts[-len(head) :]) == head for head in _ASKED_FOLDERS)


def takes_in_guarded(path: str, facts: Facts) -> bool:
    """True if what is put into this folder may be a guarded file: `cp settings.json .claude/` names none."""
    parts = folded(path).split("/")[1:]
    if is_pattern(parts[-1]):
        return any(may_end_in(parts, head) for head in _TAKES_IN)
    return any(_ends_in(parts, head, _GUARDED_FOLDERS.get(head, ""), path, facts) for head in _TAKES_IN)


def _matches_own(parts: list[str], facts: Facts, *, whole: bool) -> bool:
    """Would a pattern match one of our own files, or (unless `whole`) a folder above one? They are there: `*` does."""
    for own in facts.own:
        names = own.split("/")[1:-1]
        if (len(parts) == len(names) or (not whole and len(parts) < len(names))) and all(
            map(would_match, parts, names)
        ):
            return True
    return False


def _above(pattern: str) -> tuple[str, ...]:
    """The folders that a pattern names before what it matches."""
    parts = pattern.split("/")[:-1]
    return tuple(parts[: parts.index("**")] if "**" in parts else parts)


def _guarded_folders() -> dict[tuple[str, ...], str]:
    """Folders above the patterns, but for those that mostly hold other things, and where they count."""
    found: dict[tuple[str, ...], str] = {}
    for pattern in GUARDED:
        head = _above(pattern)
        for depth in range(1, len(head) + 1):
            if head[0] not in (".git", ".github", "cline", ".agents", ".husky") and "*" not in head[:depth]:
                where = _WHERE.get(pattern, "")
                found[head[:depth]] = where if found.get(head[:depth], where) == where else ""
    return found


_GUARDED_FOLDERS = _guarded_folders()
_GUARDED_ENDS = frozenset(head[-1] for head in _GUARDED_FOLDERS)
_HOME_FOLDERS = frozenset(
    head
    for head in (_above(pattern[2:]) for pattern, group in OBEYED.items() if pattern[:2] == "~/")
    if head and head[0] != ".ssh" and OBEYED.get("~/" + "/".join((*head, "**"))) is not None
)
_DEEP_FOLDERS = frozenset(_above(pattern) for pattern in GUARDED if "/**/" in pattern)
_ASKED_FOLDERS = frozenset(
    head[:depth]
    for head in (_above(pattern) for pattern, group in OBEYED.items() if group.level == "asked" and pattern[0] == ".")
    for depth in range(1, len(head) + 1)
    if head[0] not in (".git", ".config", ".agents") and "*" not in head[:depth]
)
_ASKED_ENDS = frozenset(head[-1] for head in _ASKED_FOLDERS)

# Folders right above them. Whatever lands there unnamed may be one; `.config` and its like take in too much else.
_TAKES_IN = frozenset(
    head
    for head in (tuple(pattern.removesuffix("/**").split("/")[:-1]) for pattern in GUARDED if "/**/" not in pattern)
    if head and head[-1] not in (".agents", ".cache", ".config", ".github", "cline", "state", "*", "tmp")
)


def holds_secret(path: str, facts: Facts) -> bool:
    """True if reading all of a folder reads secrets too: a home, `/etc`, the root itself, `.aws`."""
    if path in ("/", "/etc"):
        return True
    if path in ("/root", "/home", "/Users") or path == facts.home:
        return path != facts.root
    parts = folded(path).split("/")[1:]
    if parts[0] in ("home", "users") and len(parts) == 2:
        return path != facts.root
    return parts[-1] in _SECRET_ENDS and any(tuple(parts[-len(head) :]) == head for head in _SECRET_FOLDERS)


# Folders above the patterns, but for those that mostly hold other things.
_SECRET_FOLDERS = frozenset(
    tuple(pattern.split("/")[:depth])
    for pattern in SECRET
    for depth in range(1, pattern.count("/") + 1)
    if pattern.startswith(".") and pattern.split("/")[0] not in (".cache", ".claude", ".codex", ".cursor", ".gemini")
)
_SECRET_ENDS = frozenset(head[-1] for head in _SECRET_FOLDERS)


# Folders that hold such a file by a name that a bare `*` matches, and what the strictest of these is.
def _beside(patterns: dict[str, object]) -> dict[tuple[str, ...], str]:
    return {
        tuple(pattern.split("/")[:-1]): pattern
        for pattern in sorted(patterns, key=_strictness)
        if "/" in pattern
        and "**" not in pattern
        and pattern[:2] != "~/"
        and not pattern.rpartition("/")[2].startswith(".")
    }


def _strictness(pattern: str) -> int:
    return LEVELS.index(OBEYED[pattern].level) if pattern in OBEYED else 0


_BESIDE_OBEYED = {head: OBEYED[pattern] for head, pattern in _beside(dict(OBEYED)).items()}
_BESIDE_SECRET = _beside(dict(SECRET))
_BESIDE_ENDS = frozenset([head[-1] for head in (*_BESIDE_OBEYED, *_BESIDE_SECRET)])


def _all_beside(folders: Mapping[tuple[str, ...], Any], parts: list[str]) -> Any:
    """What a bare `*` takes along of a folder: `.claude/*` names no settings, and means them too."""
    if parts[-1] not in ("*", "**") or _BESIDE_ENDS.isdisjoint(parts[-2:-1]):
        return None
    return next((what for head, what in folders.items() if tuple(parts[-1 - len(head) : -1]) == head), None)


def _all_beside_secret(parts: list[str], facts: Facts) -> bool:
    """In a home only: a project's own `.circleci` or `.aws` holds what it shares."""
    pattern = _all_beside(_BESIDE_SECRET, parts)
    if pattern is None or (pattern.count("/") == 1 and pattern.startswith(".config/")):
        return False
    home = parts[: -1 - pattern.count("/")]
    return home == folded(facts.home).split("/")[1:] or (
        home == ["root"] or (len(home) == 2 and home[0] in ("home", "users"))
    )


def is_secret(path: str) -> bool:
    """By the name alone, wherever it lies."""
    parts = folded(path).split("/")[1:]
    return _secret(parts, None) or sort_of(parts) != ""


def _secret(parts: list[str], facts: Facts | None) -> bool:
    if parts[0] == "proc" and parts[-1] in ("environ", "mem", "auxv", "maps"):
        return True
    name = parts[-1]
    for _ in _SECRET.hits(parts) if facts is None else _SECRET.hits(parts, lambda _, above: _is_home(above, facts)):
        return not (name.startswith(".env.") and name.endswith(_SHARED))
    return False


def is_secret_by_its_name(path: str, facts: Facts) -> bool:
    """True if nothing but the name says so: what this session has made under it is no secret that it found."""
    return path not in facts.keys and not _secret(folded(path).split("/")[1:], facts)


def _may_be_secret(parts: list[str], facts: Facts) -> bool:
    return any(True for _ in _SECRET.may_hits(parts, lambda _, above: _is_home(above, facts)))


def place_of(path: str, facts: Facts) -> str:
    """`project`, `temp` or `outside`."""
    if in_project(facts.root, path):
        return "project"
    if within(facts.temp, path):
        return "temp"
    return "outside"


def _outside(path: str, facts: Facts, glob: bool) -> list[str]:
    """Where there is no project, what the session made is its own, and so are new names that are not hidden."""
    if facts.root != NO_PROJECT or not path.startswith(facts.home + "/"):
        return ["outside"]
    above = path
    while len(above) > len(facts.home):
        if above in facts.created:
            return []
        above = above.rpartition("/")[0]
    if not glob and path in facts.absent and "/." not in path[len(facts.home) :]:
        return []
    return ["no-project", "outside"]


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
    return glob and (
        _may_be_secret(parts, facts)
        or may_be_secret_file(parts)
        or _all_beside_secret(parts, facts)
        or ("**" in parts and searches_for_secret(parts[-1]))
    )
