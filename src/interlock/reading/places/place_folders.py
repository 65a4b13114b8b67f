"""Folders that hold, or would take in, files that others obey or that are secret.

The rows of the tables name files. A command that takes a folder away, copies into it or reads all of it names none of
them, so the folders are worked out from the rows. Most calls of a file tool do without, and do not load this.
"""

from __future__ import annotations

from ...model.obeyed import OBEYED, OBEYED_ROOTS
from ...value import TYPE_CHECKING
from .beside import made_once
from .own_places import holds_own, holds_own_secret, is_own_secret
from .paths import folded, holds
from .place_table import HOME, is_pattern, may_end_in, would_match
from .places import OBEYED_PLACES, WHERE, begins, is_home, looks_in, matches_own, place_of, plug_in_of
from .secret_places import SECRET
from .system_places import ground

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...model.wants import Want

    Head = tuple[str, ...]  # the last folders of a path
    Names = tuple[str, ...]  # a path as it is named and, where that differs, where it leads

    from ...model.facts import Facts

__all__ = [
    "BELOW",
    "GUARDED",
    "GUARDED_ROOTS",
    "holds_guarded",
    "holds_obeyed",
    "holds_secret",
    "is_key_of_ours",
    "kinds_below",
    "takes_in_guarded",
    "wanted_of",
]


# What is denied wherever it lies. pattern -> whose it is
GUARDED = {pattern: group.who for pattern, group in OBEYED.items() if group.level == "denied" and pattern[:2] != "~/"}
# The same, at a fixed place: everything at or below it.
GUARDED_ROOTS = {root: group.who for root, group in OBEYED_ROOTS.items() if group.level == "denied"}


def wanted_of(path: str, facts: Facts, cwd: str) -> tuple[Want[bool], ...]:
    """What is to be known of the folders above the path, so that it can be told whether a reader looks there.

    Nothing of the agent's own folder and those above it: a host that is started from there looks into them.
    """
    from ...model.more_wants import Loaded

    wanted: dict[Want[bool], None] = {}
    plain = folded(path).split("/")[1:]

    def stands(where: str, folders: list[str]) -> bool:
        want = begins(where, path, len(folders))
        if where == HOME or want in facts.known or (where != "plug-in" and holds(want.folder, cwd)):
            return False
        if looks_in(where, path, len(folders), facts):
            wanted[want] = None
        return False

    list(OBEYED_PLACES.hits(plain, stands))
    for head, where in _guarded_folders().items():
        if where and tuple(plain[-len(head) :]) == head:
            stands(where, plain[: -len(head)])
    plug_in = plug_in_of(path, plain)
    if plug_in and Loaded(plug_in) not in facts.known:
        wanted[Loaded(plug_in)] = None
    return tuple(wanted)


def holds_guarded(path: str, facts: Facts) -> bool:
    """True if the folder holds guarded files: taking `.claude` away takes its settings away."""
    plain = folded(path)
    if any(own.startswith(plain + "/") for own in facts.own):
        return True
    parts = plain.split("/")[1:]
    if is_pattern(plain) and (
        matches_own(parts, facts, whole=False)
        or (place_of(path, facts) != "temp" and any(_may_be(parts, head, facts) for head in _guarded_folders()))
    ):
        return True  # of what lies in a temporary folder nothing is obeyed but our own
    name, guarded = parts[-1], _guarded_folders()
    if any(_ends_in(parts, head, guarded[head], path, facts) for head in _guarded_ends().get(name, ())):
        return True
    heads = _home_ends().get(name, ())
    if any(tuple(parts[-len(head) :]) == head and is_home(parts[: -len(head)], facts) for head in heads):
        return True
    return "." not in name[1:] and any(_is_below(head, parts) for head in _deep_folders())


def _ends_in(parts: list[str], head: tuple[str, ...], where: str, path: str, facts: Facts) -> bool:
    """Whether the path ends in such a folder, at a place where it counts."""
    if tuple(parts[-len(head) :]) != head:
        return False
    if where == HOME:
        return path in facts.moved or _may_be_home(parts[: -len(head)], facts)
    return not where or looks_in(where, path, len(parts) - len(head), facts)


def _may_be(parts: list[str], head: Head, facts: Facts) -> bool:
    """Whether what a pattern matches may be such a folder."""
    if not may_end_in(parts, head):
        return False
    return _guarded_folders()[head] != HOME or _may_be_home(parts[: -len(head)], facts)


def _may_be_home(folders: list[str], facts: Facts) -> bool:
    """Whether the folders are a home, or a pattern that may match one."""
    if is_home(folders, facts):
        return True
    deep = "**" in folders
    folders = folders[: folders.index("**")] if deep else folders
    return any(
        len(folders) == len(home) or (deep and len(folders) < len(home))
        for home in (*_HOMES, folded(facts.home).split("/")[1:])
        if all(
            name == "*" or part == name or would_match(part, name) for part, name in zip(folders, home, strict=False)
        )
    )


_HOMES = (["root"], ["var", "root"], ["home", "*"], ["users", "*"])
# Folders that every program keeps its own folder in. One of this name counts in a home only: a build has its `.cache`.
_SHARED = frozenset([(".cache",), (".config",), (".local",), (".local", "share"), (".local", "state")])


def _is_below(head: tuple[str, ...], parts: list[str]) -> bool:
    """Whether a folder lies below one of whose files some are guarded, however deep they lie."""
    return any(tuple(parts[at : at + len(head)]) == head for at in range(len(parts) - len(head)))


def holds_obeyed(path: str) -> bool:
    """True if files that are asked about lie in such a folder: `.vscode`, `.github`."""
    parts = folded(path).split("/")[1:]
    return any(tuple(parts[-len(head) :]) == head for head in _asked_ends().get(parts[-1], ()))


def takes_in_guarded(path: str, facts: Facts) -> bool:
    """True if what is put into this folder may be a guarded file: `cp settings.json .claude/` names none."""
    parts = folded(path).split("/")[1:]
    if is_pattern(parts[-1]):
        return any(may_end_in(parts, head) for heads in _taking_ends().values() for head in heads)
    heads = _taking_ends().get(parts[-1], ())
    return any(_ends_in(parts, head, _guarded_folders().get(head, ""), path, facts) for head in heads)


def _above(pattern: str) -> tuple[str, ...]:
    """The folders that a pattern names before what it matches."""
    parts = pattern.split("/")[:-1]
    return tuple(parts[: parts.index("**")] if "**" in parts else parts)


def _by_end(heads: Iterable[Head]) -> dict[str, list[Head]]:
    """The folders under their last name, each once."""
    found: dict[str, list[Head]] = {}
    for head in dict.fromkeys(heads):
        found.setdefault(head[-1], []).append(head)
    return found


_TEXTS = (".claude", "skills")  # mostly texts: what is copied into it is looked through instead


@made_once
def _guarded_folders() -> dict[Head, str]:
    """Folders above the patterns, but for those that mostly hold other things, and where they count."""
    found: dict[Head, str] = {}
    for pattern in GUARDED:
        head = _above(pattern)
        for depth in range(1, len(head) + 1):
            if head[:depth] == _TEXTS:
                break
            if head[0] not in (".git", ".github", "cline", ".agents", ".husky") and "*" not in head[:depth]:
                where = HOME if head[:depth] in _SHARED else WHERE.get(pattern, "")
                found[head[:depth]] = where if found.get(head[:depth], where) == where else ""
    return found


@made_once
def _guarded_ends() -> dict[str, list[Head]]:
    return _by_end(_guarded_folders())


@made_once
def _home_ends() -> dict[str, list[Head]]:
    heads = [_above(pattern[2:]) for pattern in OBEYED if pattern[:2] == "~/"]
    return _by_end([head for head in heads if head and head[0] != ".ssh" and "~/" + "/".join((*head, "**")) in OBEYED])


@made_once
def _deep_folders() -> list[Head]:
    return list(dict.fromkeys([_above(pattern) for pattern in GUARDED if "/**/" in pattern]))


@made_once
def _asked_ends() -> dict[str, list[Head]]:
    heads = [_above(pattern) for pattern, group in OBEYED.items() if group.level == "asked" and pattern[0] == "."]
    return _by_end([
        head[:depth]
        for head in heads
        for depth in range(1, len(head) + 1)
        if head[0] not in (".git", ".config", ".agents") and "*" not in head[:depth]
    ])  # fmt: skip


@made_once
def _taking_ends() -> dict[str, list[Head]]:
    """Folders right above them. What lands there unnamed may be one; `.config` and its like take in too much else."""
    heads = [tuple(pattern.removesuffix("/**").split("/")[:-1]) for pattern in GUARDED if "/**/" not in pattern]
    others = (".agents", ".cache", ".config", ".github", "cline", "state", "*", "tmp")
    return _by_end([head for head in heads if head and head[-1] not in others])


def holds_secret(path: str, facts: Facts) -> bool:
    """True if reading all of a folder reads secrets too: a home, `/etc`, the root itself, `.aws`."""
    if path in ("/", "/etc"):
        return True
    if path in ("/root", "/home", "/Users") or path == facts.home:
        return path != facts.root
    parts = folded(path).split("/")[1:]
    if parts[0] in ("home", "users") and len(parts) == 2:
        return path != facts.root
    return any(tuple(parts[-len(head) :]) == head for head in _secret_ends().get(parts[-1], ()))


@made_once
def _secret_ends() -> dict[str, list[Head]]:
    """Folders above the patterns, but for those that mostly hold other things."""
    heads: list[Head] = []
    for pattern in SECRET:
        parts = pattern.split("/") if pattern[0] == "." else ()
        if len(parts) > 1 and parts[0] not in (".cache", ".claude", ".codex", ".cursor", ".gemini"):
            heads += [tuple(parts[:depth]) for depth in range(1, len(parts))]
    return _by_end(heads)


# --- the kinds of place that only concern folders ----------------------------------------------------------


def is_key_of_ours(names: Names, facts: Facts, glob: bool) -> bool:
    return any(is_own_secret(name, facts, glob=glob and is_pattern(name)) for name in names)


def _secrets_below(names: Names, facts: Facts, glob: bool) -> bool:
    return not glob and holds_secret(names[-1], facts)


def _own_secrets_below(names: Names, facts: Facts, glob: bool) -> bool:
    return any(holds_own_secret(name, facts) for name in names if not (glob and is_pattern(name)))


def _guard_led_to(names: Names, facts: Facts, glob: bool) -> bool:
    return any(holds_guarded(name, facts) for name in names)


def _takes_guarded(names: Names, facts: Facts, glob: bool) -> bool:
    return any(takes_in_guarded(name, facts) for name in names)


def _settings_below(names: Names, facts: Facts, glob: bool) -> bool:
    """What hosts obey: `.claude`, the project, the home. Patterns but for `.*` match no hidden names."""
    if glob and names[0].rpartition("/")[2][:1] != ".":
        return False
    return any(name in (facts.root, facts.home) or holds_guarded(name, facts) for name in names)


def _goes(names: Names) -> Names:
    """The names that a folder is taken away by. A link that has another name than what it leads to goes alone."""
    return names if names[0].rpartition("/")[2] == names[-1].rpartition("/")[2] else names[:1]


def kinds_below(kinds: Iterable[str], names: Names, facts: Facts, glob: bool) -> list[str]:
    """Those of these kinds that hold of a path of these names."""
    return [kind for kind in kinds if BELOW[kind](names, facts, glob)]


# kind of place -> whether a path of these names is one, or a pattern and where it leads
BELOW: dict[str, Callable[[Names, Facts, bool], bool]] = {
    "guard-below": lambda names, facts, glob: _guard_led_to(_goes(names), facts, glob),
    "guard-led-to": _guard_led_to,
    "obeyed-below": lambda names, facts, glob: not glob and holds_obeyed(names[0]),
    "own-below": lambda names, facts, glob: holds_own(names[-1], facts),
    "own-secrets-below": _own_secrets_below,
    "secret-folder": lambda names, facts, glob: (
        _secrets_below(names, facts, glob) and not ground(names[-1], glob, facts)
    ),
    "secrets-below": _secrets_below,
    "settings-below": _settings_below,
    "takes-guarded": _takes_guarded,
    "takes-guarded-plain": _takes_guarded,
}
