"""Qwen Code's settings files, looked at for one question: are our hooks still in them, and are they called?

The client reads them when it starts, and a project's count as much as the person's own. Two variables switch hooks off
as well, and the client takes them from the `env` of its settings and from the `.env` files of the project.
"""

from __future__ import annotations

from ..model.environment import loader_variables
from ..value import TYPE_CHECKING, FrozenMap
from .entries import described, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..value import Json

__all__ = ["describe", "project_files", "settings_files", "unhooks"]

_MANAGED = "/etc/qwen-code/settings.json"
_BARE = ("QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE")  # with either, the client calls no hook
_OFF = ("", "0", "false")
_ENV = "/.env"


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.qwen/settings.json",)


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that the client may take settings or variables from, the managed one first. `moved` as in `Facts`."""
    own = [f"{home}/.qwen", *[folder for folder, place in moved.items() if place == ".qwen"]]
    settings = (_MANAGED, "/etc/qwen-code/system-defaults.json", *project_files(root))
    folders = (f"{root}/.qwen", root, *own, home)
    return (*settings, *[f"{folder}/settings.json" for folder in own], *[f"{folder}/.env" for folder in folders])


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why hooks would not be called if the client took these files; empty: they would."""
    found: list[str] = []
    read = dict(parsed({path: raw for path, raw in files.items() if not path.endswith(_ENV)}, found))
    for path, raw in files.items():
        if path.endswith(_ENV):
            found += _variables(path, _assigned(raw or b""))
    settled = "disableAllHooks" in read.get(_MANAGED, ())  # what is managed comes before the rest
    for path, settings in read.items():
        if settings.get("disableAllHooks", False) is not False and (path == _MANAGED or not settled):
            found.append(f"`{path}` switches off all hooks (`disableAllHooks`)")
        variables = settings.get("env")
        found += _variables(path, variables if type(variables) is FrozenMap else {})
    return found


def _variables(path: str, variables: Mapping[str, Json]) -> list[str]:
    bare = [name for name in _BARE if variables.get(name, "") not in _OFF]
    return [
        *[f"`{path}` sets `{name}`, with which no hook is called" for name in bare],
        *[
            f"`{path}` sets `{name[:60]}`, which loads code into every program, this hook among them"
            for name in loader_variables(variables)
        ],
    ]


def _assigned(raw: bytes) -> dict[str, Json]:
    """The variables of an `.env` file. A value is only asked whether it is none."""
    found: dict[str, Json] = {}
    for line in raw.decode("utf-8", "replace").splitlines():
        name, _, value = line.strip().removeprefix("export ").replace(":", "=", 1).partition("=")
        found[name.strip()] = value.strip().strip("\"'`")
    return found


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of this host's settings.
    """
    return described(path, raw, ("/.qwen/settings.json", "/qwen-code/settings.json"))
