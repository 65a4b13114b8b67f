"""Fields that a command leaves to settings that are not read: the project of gcloud, the context of docker.

A rule that names such a field is not ruled out by a command that says nothing of it. Where the destination of the
action tells the field, it is known all the same.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.action import Action

__all__ = ["LEFT_OPEN", "told_elsewhere", "why_left_open"]

# family of the action -> its fields
LEFT_OPEN: Mapping[str, tuple[str, ...]] = FrozenMap({
    "gcloud": ("project", "region", "zone"), "bq": ("project",), "az": ("subscription",), "aws": ("region",),
    "docker": ("context", "host"), "compose": ("context", "host"), "gh": ("repo",), "glab": ("repo",),
    "hub": ("repo",), "fly": ("app",), "heroku": ("app",), "firebase": ("project",), "vercel": ("project",),
    "netlify": ("site",), "sql": ("host", "database"), "redis": ("host",), "mongo": ("host", "database"),
})  # fmt: skip
_FORGES = ("gh", "glab", "hub")
# field -> how a destination begins that tells it
_BEGINS = {"project": ("gcp:",), "subscription": ("azure:",), "app": ("fly:", "heroku:"), "site": ("netlify:",)}
_FILES = (".db", ".sqlite", ".sqlite3", ".db3", ".duckdb", ":memory:")  # databases that no server has


def told_elsewhere(field: str, action: Action) -> tuple[str, ...]:
    """What the destination says of the field. A repository is its owner and its name, wherever it is."""
    places = _texts(action.target.get("destination"))
    if field == "repo":
        said = (*_texts(action.target.get("repo")), *places) if action.name.partition(":")[0] in _FORGES else ()
        return tuple(["/".join(text.removesuffix(".git").split("/")[-2:]) for text in said])
    begins = _BEGINS.get(field, ())
    return tuple([place[len(begin) :] for place in places for begin in begins if place.startswith(begin)])


def why_left_open(field: str, action: Action) -> str | None:
    """Why the field may be anything; None if it is known, or the program has no such settings."""
    target = action.target
    if field == "host" and _is_by_ssh(action):
        host = target.get("host")
        if host is not None and ("destination" not in target or "." not in str(host)):
            return "the settings of ssh may lead to another host"
    family = action.name.partition(":")[0]
    if field in target or field not in LEFT_OPEN.get(family, ()) or not action.effects:
        return None
    is_file = str(target.get("database", "")).endswith(_FILES)
    return None if is_file or told_elsewhere(field, action) else "it depends on settings"


def _texts(value: object) -> tuple[str, ...]:
    return value if type(value) is tuple else (value,) if type(value) is str else ()


def _is_by_ssh(action: Action) -> bool:
    return "url" not in action.target and action.name.startswith(("ssh:", "exec:", "net:"))
