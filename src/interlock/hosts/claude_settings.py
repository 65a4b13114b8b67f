"""Claude Code's settings files, looked at for one question: would our hooks still be called?

The client loads all of its settings anew when one file has changed, so all of them are judged together, not only
the one that an event names. Text that is not JSON is never harmless: which of it the client would take is not known.
"""

from __future__ import annotations

from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.environment import loader_variables
from ..model.errors import InputError
from ..model.essence import essence_of, is_settings
from ..value import TYPE_CHECKING, FrozenMap
from .entries import our_entries, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks", "users_files"]


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that the client may take settings from, the managed one first. `moved` as in `Facts`."""
    return (
        "/etc/claude-code/managed-settings.json",
        *project_files(root),
        *users_files(home, moved),
    )


def project_files(root: str) -> tuple[str, ...]:
    return f"{root}/.claude/settings.local.json", f"{root}/.claude/settings.json"


def users_files(home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """The files that may be the person's own settings: the client takes one of them."""
    folders = [folder for folder, place in moved.items() if place == ".claude"]
    return tuple([f"{folder}/settings.json" for folder in (f"{home}/.claude", *folders)])


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of this host's settings.
    """
    if not is_settings(path):
        return None
    try:
        settings = parse_object(raw, limit=MAX_WATCHED_BYTES)
    except InputError:
        return raw, {}
    return essence_of(path, raw), our_entries(settings)


def unhooks(files: Mapping[str, bytes | None], had: Mapping[str, str]) -> list[str]:
    """Why our hooks would no longer be called, or not as they were, if the client took these files; empty: they would.

    `files` are the settings as they are now, None where there is no file; `had` our hooks as they were when the session
    began, in whichever file.
    """
    found: list[str] = []
    here: dict[str, set[str]] = {}
    for path, settings in parsed(files, found):
        if settings.get("disableAllHooks", False) is not False:
            found.append(f"`{path}` switches off all hooks (`disableAllHooks`)")
        ours = our_entries(settings)
        if settings.get("allowManagedHooksOnly", False) is not False and "managed" in path and not ours:
            found.append(f"`{path}` lets only managed hooks run (`allowManagedHooksOnly`)")
        variables = settings.get("env")
        given = variables.items() if type(variables) is FrozenMap else ()
        for name in loader_variables([name for name, value in given if value != ""]):  # an empty one loads nothing
            found.append(f"`{path}` sets `{name[:60]}`, which loads code into every program, this hook among them")
        for event, entry in ours.items():
            here.setdefault(event, set()).add(entry)
    lost = sorted([event for event, entry in had.items() if entry not in here.get(event, ())])
    if lost:
        found.append(f"the entries of Interlock for {', '.join(lost)} are gone or were altered")
    return found
