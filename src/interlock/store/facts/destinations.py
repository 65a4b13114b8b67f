"""Answers where an action would arrive, with the files and variables that its program looks at."""

from __future__ import annotations

import os

from ...model.environment import says_where
from ...model.errors import InterlockError, StoreError
from ...reading.reach.accounts import resolved
from ...reading.reach.pushed import leads_of
from ...reading.reach.registries import Look
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...reading.reach.destinations import Query
    from .git_refs import refs_of

    Variables = Mapping[str, str] | None
else:
    refs_of = lazy(globals(), ".git_refs", "refs_of")

__all__ = ["where_of"]

_MAX_FILE = 1024 * 1024


def where_of(query: Query, home: str, variables: Variables = None) -> tuple[str, ...]:
    """The places that the question is about; none where that cannot be told."""
    given = says_where(os.environ) if variables is None else variables
    env = {name.lower(): value for name, value in given.items()}
    look = Look(read=_text, env=FrozenMap(env), home=home, remotes=lambda folder: _remotes(folder, home, given))
    try:
        return resolved(query, look)
    except (InterlockError, OSError, ValueError):
        return ()


def _text(path: str) -> str | None:
    raw = read_file(path, limit=_MAX_FILE)
    return None if raw is None else raw.decode()


def _remotes(folder: str, home: str, variables: Variables) -> Mapping[str, tuple[tuple[str, ...], str]]:
    try:
        refs = refs_of(folder, home, variables)
    except StoreError:
        return {}
    said = dict(refs.settings)
    names = [
        name[len("remote ") : -len(".url")] for name in said if name.startswith("remote ") and name.endswith(".url")
    ]
    return {name: (leads_of(name, refs), said.get(f"remote {name}.gh-resolved", "")) for name in names}
