"""Patterns of places, indexed by their first folder, so that a look-up reads few rows.

A pattern is matched against the end of a path, folder by folder, wherever that folder lies: hosts read their settings
in every project, and an agent can be pointed at any. `**` stands for any folders at all, at the end for everything
below and the folder itself; `~/` in front means right below a home folder. A row may count only where its reader looks:
whoever asks says which folders those are. Paths are spelt as `paths.folded` does.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Row = tuple[tuple[str, ...], str, Any]  # folders after the first, where it counts, what it stands for
    Hit = tuple[Any, int]  # what the pattern stands for, and how closely it says it
    Stands = Callable[[str, list[str]], bool]  # whether a folder is such a place, by its kind

__all__ = ["HOME", "PlaceTable", "Sieve", "is_pattern", "loosened", "may_end_in", "would_match"]


HOME = "home"


def _anywhere(_where: str, _folders: list[str]) -> bool:
    return True


class PlaceTable:
    """Patterns and fixed places, and what each stands for.

    `patterns` and `roots` are made when they are first looked into: most calls name no place that comes near to one,
    which is told by the first names alone (`Sieve`).
    """

    patterns: dict[str, list[Row]]
    roots: dict[str, list[tuple[list[str], Any]]]

    def __init__(
        self, patterns: Mapping[str, Any], roots: Mapping[str, Any], where: Mapping[str, str] | None = None
    ) -> None:
        """`where`: pattern -> the kind of place in which it counts; a pattern that is not in it counts anywhere."""
        self.given = patterns, roots, where or {}
        self.loose: list[tuple[str, str, Any]] = []  # a name with one wildcard: what stands before it and after
        firsts = []
        for pattern, owner in patterns.items():  # hundreds, at each start
            first = (pattern[2:] if pattern[:2] == "~/" else pattern).partition("/")[0]
            if "*" in first:
                before, _, after = first.partition("*")
                self.loose.append((before, after, owner))
            else:
                firsts.append(first)
        self.firsts = frozenset(firsts)
        self.starts = tuple([before for before, _, _ in self.loose if before])
        self.ends = tuple([after for before, after, _ in self.loose if after and not before])
        self.tops = frozenset([root.split("/", 2)[1] for root in roots])

    def __getattr__(self, name: str) -> Any:
        if name not in ("patterns", "roots"):
            raise AttributeError(name)
        given, places, where = self.given
        rows: dict[str, list[Row]] = {}
        for pattern, owner in given.items():
            home = pattern[:2] == "~/"
            first, slash, rest = (pattern[2:] if home else pattern).partition("/")
            if "*" not in first:
                row = tuple(rest.split("/")) if slash else (), HOME if home else where.get(pattern, ""), owner
                rows.setdefault(first, []).append(row)
        roots: dict[str, list[tuple[list[str], Any]]] = {}
        for root, owner in places.items():
            parts = root.split("/")[1:]
            roots.setdefault(parts[0], []).append((parts, owner))
        self.patterns, self.roots = rows, roots
        return rows if name == "patterns" else roots

    def find(self, parts: list[str]) -> Any:
        """What the first pattern that fits stands for, for the folders of a folded path."""
        return next((hit[0] for hit in self.hits(parts)), None)

    def hits(self, parts: list[str], stands: Stands = _anywhere) -> Iterator[Hit]:
        """Every pattern that fits the path."""
        for root, owner in self.roots.get(parts[0], ()):
            if parts[: len(root)] == root or (len(parts) == len(root) and _kept_copy(parts, root)):
                yield owner, 2 * len(root)
        if not self.firsts.isdisjoint(parts):
            for at, first in enumerate(parts):
                for pattern, where, owner in self.patterns.get(first, ()):
                    if _fits(pattern, parts[at + 1 :], matches) and (not where or stands(where, parts[:at])):
                        yield owner, _closeness(pattern, where == HOME)
        name = parts[-1]
        if name.startswith(self.starts) or name.endswith(self.ends):
            for before, after, owner in self.loose:
                if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
                    yield owner, 0

    def may_find(self, parts: list[str]) -> Any:
        """As `find`, for a path of which some folders are patterns."""
        return next((hit[0] for hit in self.may_hits(parts)), None)

    def may_hits(self, parts: list[str], stands: Stands = _anywhere) -> Iterator[Hit]:
        """Every pattern that a path may fit of which some folders are patterns."""
        for places in self.roots.values() if is_pattern(parts[0]) else [self.roots.get(parts[0], [])]:
            for root, owner in places:
                if len(parts) >= len(root) and all(map(_may_match, parts, root)):
                    yield owner, 2 * len(root)
        for at, part in enumerate(parts):
            for rows in self._may_begin(part):
                for pattern, where, owner in rows:
                    if _fits(pattern, parts[at + 1 :], _may_be) and (not where or stands(where, parts[:at])):
                        yield owner, _closeness(pattern, where == HOME)
        owner_of_name = self._may_be_loose(parts[-1])
        if owner_of_name is not None:
            yield owner_of_name, 0

    def _may_begin(self, part: str) -> list[list[Row]]:
        """The rows whose first folder this part may be; `*`, `*c` and `*.json` say nothing of what is there."""
        if not is_pattern(part):
            return [self.patterns[part]] if part in self.patterns else []
        spelt = loosened(part).replace("?", "*").split("*")
        if part[:2] == "*." or (part[:1] == "*" and sum(map(len, spelt)) < 3):
            return []
        head, tail = spelt[0], spelt[-1]
        longest = max(spelt, key=len)  # of what is spelt out: few names hold it
        return [
            rows
            for first, rows in self.patterns.items()
            if ((first.startswith(head) and longest in first and first.endswith(tail)) or "?" in first)
            and _may_match(part, first)
        ]

    def _may_be_loose(self, name: str) -> Any:
        """Could this pattern match a name of the loose rows? `.env?` could; a bare `*` says nothing."""
        wild = [at for at, char in enumerate(name) if char in "*?["]
        if wild:
            head, tail = name[: wild[0]], name[wild[-1] + 1 :].rpartition("]")[2]
            for before, after, owner in self.loose:
                if (before and head[:3] == before[:3] and (before.startswith(head) or head.startswith(before))) or (
                    after and tail and tail.endswith(after)
                ):
                    return owner
        return None


class Sieve:
    """Tells of most paths at once that no pattern of several tables fits them. One look instead of one a table."""

    def __init__(self, *tables: PlaceTable) -> None:
        self.tops = frozenset(()).union(*[table.tops for table in tables])
        self.firsts = frozenset(()).union(*[table.firsts for table in tables])
        self.starts = tuple([start for table in tables for start in table.starts])
        ends = [end for table in tables for end in table.ends]
        self.shortest = min(map(len, ends))
        self.ends = frozenset([end[-self.shortest :] for end in ends])

    def holds_back(self, parts: list[str]) -> bool:
        """Whether a pattern may fit."""
        name = parts[-1]
        return (
            parts[0] in self.tops
            or not self.firsts.isdisjoint(parts)
            or name[-self.shortest :] in self.ends
            or name.startswith(self.starts)
        )


def _closeness(pattern: tuple[str, ...], home: bool) -> int:
    """How closely a pattern says what it means: the more names, the closer."""
    return 2 * (1 + sum([part != "**" for part in pattern])) + home - ("**" in pattern)


def _kept_copy(parts: list[str], root: list[str]) -> bool:
    """`/etc/shadow.bak`, `/etc/sudoers~`: what editors and people leave beside a file."""
    return parts[:-1] == root[:-1] and parts[-1].startswith((root[-1] + ".", root[-1] + "~", root[-1] + "-"))


def _fits(pattern: tuple[str, ...], parts: list[str], fit: Callable[[str, str], bool]) -> bool:
    if "**" not in pattern:
        return len(parts) == len(pattern) and all(map(fit, pattern, parts))
    at = pattern.index("**")
    head, tail = pattern[:at], pattern[at + 1 :]
    if len(parts) < len(head) + len(tail) or not all(map(fit, head, parts)):
        return False
    return not tail or all(map(fit, tail, parts[-len(tail) :]))


def is_pattern(part: str) -> bool:
    return "*" in part or "?" in part or "[" in part


def _may_be(name: str, part: str) -> bool:
    return _may_match(part, name)


def _may_match(part: str, name: str) -> bool:
    """Could this folder of a pattern be that name? A hidden name needs a dot, as in the shell."""
    if not is_pattern(part):
        return matches(name, part)
    if name.startswith(".") and not part.startswith((".", "[")):
        return False
    part = loosened(part)
    if not part.strip("*?") and "*" in part:
        return False  # a bare star says nothing of what is there
    return matches(part, name) or matches(name, part)


def loosened(part: str) -> str:
    """The pattern with any character at all for one out of a list: `log[0-9]`, `[!a]*`."""
    at = part.find("[")
    while at >= 0:
        end = part.find("]", at + (3 if part[at + 1 : at + 2] in ("!", "^") else 2))
        while end >= 0 and part.count("[", at + 1, end) >= part.count("]", at + 1, end + 1):  # `[[:alpha:]]`
            end = part.find("]", end + 1)
        if end < 0 or "\\" in part:
            return part[:at] + "*"
        part = part[:at] + "?" + part[end + 1 :]
        at = part.find("[", at)
    return part


def may_end_in(parts: list[str], head: tuple[str, ...]) -> bool:
    """Could the last folders of a pattern be these?"""
    return len(parts) >= len(head) and all(map(_may_match, parts[-len(head) :], head))


def would_match(part: str, name: str) -> bool:
    """Does this folder of a pattern match a name that is surely there?"""
    if not is_pattern(part):
        return part == name
    return (name[:1] != "." or part[:1] in (".", "[")) and matches(loosened(part), name)
