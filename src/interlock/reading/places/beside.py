"""What a bare `*` takes along of a folder: `.claude/*` names no settings, and means them too."""

from __future__ import annotations

from ...model.obeyed import LEVELS, OBEYED
from ...value import TYPE_CHECKING
from .paths import folded
from .secret_places import SECRET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...model.facts import Facts
    from ...model.obeyed import Group

    Head = tuple[str, ...]  # the last folders of a path

__all__ = ["all_beside_obeyed", "all_beside_secret", "made_once"]


def made_once(make: Callable[[], Any]) -> Callable[[], Any]:
    """The table that `make` gives, made when somebody first asks: each takes a while, and most calls ask for few."""
    made: list[Any] = []

    def table() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return table


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


@made_once
def _beside_obeyed() -> dict[Head, Group]:
    return {head: OBEYED[pattern] for head, pattern in _beside(dict(OBEYED)).items()}


@made_once
def _beside_secret() -> dict[Head, str]:
    return _beside(dict(SECRET))


def _all_beside(folders: Callable[[], Mapping[Head, Any]], parts: list[str]) -> Any:
    """What a bare `*` takes along of a folder: `.claude/*` names no settings, and means them too."""
    if parts[-1] not in ("*", "**"):
        return None
    name = parts[-2:-1]
    return next(
        (
            what
            for head, what in folders().items()
            if head[-1:] == (*name,) and tuple(parts[-1 - len(head) : -1]) == head
        ),
        None,
    )


def all_beside_obeyed(parts: list[str]) -> Group | None:
    found: Group | None = _all_beside(_beside_obeyed, parts)
    return found


def all_beside_secret(parts: list[str], facts: Facts) -> bool:
    """In a home only: a project's own `.circleci` or `.aws` holds what it shares."""
    pattern = _all_beside(_beside_secret, parts)
    if pattern is None or (pattern.count("/") == 1 and pattern.startswith(".config/")):
        return False
    home = parts[: -1 - pattern.count("/")]
    return home == folded(facts.home).split("/")[1:] or (
        home == ["root"] or (len(home) == 2 and home[0] in ("home", "users"))
    )
