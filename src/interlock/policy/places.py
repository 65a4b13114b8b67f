"""In which places an action's target lies, for rules that name a place.

Told from what a receipt keeps: the action's marks and its path. So a replay needs no facts of
the machine, and `home` and `system` go by where homes and systems usually are.
"""

from __future__ import annotations

from ..model.facts import TEMP
from ..reading.places.paths import folded, within
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.action import Action

__all__ = ["PLACES", "places_of"]

# place -> what lies in it
PLACES = {
    "project": "the project folder",
    "temp": "folders for throw-away files",
    "outside": "everything else",
    "home": "of what is outside: people's home folders",
    "system": "of what is outside: the operating system's folders",
    "device": "`/dev`",
    "secret": "keys, tokens, credentials, wherever they are",
    "guard": "settings and hooks of Interlock and of agent hosts, wherever they are",
    "regenerable": "what a build or a package manager makes again",
}

_MARKS = ("outside", "temp", "home", "device", "secret", "guard", "regenerable")
_HOMES = ("/home/", "/root/", "/users/", "/var/home/", "/usr/home/", "/export/home/")
_SYSTEM = (
    *("/bin/", "/boot/", "/etc/", "/lib/", "/lib32/", "/lib64/", "/opt/", "/proc/", "/run/", "/sbin/", "/srv/"),
    *("/sys/", "/usr/", "/var/", "/nix/", "/library/", "/system/", "/applications/", "/private/etc/", "/private/var/"),
)


def places_of(action: Action, cwd: str) -> set[str]:
    """Every place of it; empty where the action names no path. `cwd` is the folder of the call."""
    marks = {mark for mark in action.tags if mark in _MARKS}
    if "root" in action.tags:
        marks.update(("outside", "system"))
    if "project-root" in action.tags:
        marks.add("project")
    paths = [folded(text) for field in ("path", "real") for text in _texts(action.target.get(field))]
    if not paths:
        return marks
    if any(path == "/dev" or path.startswith("/dev/") for path in paths):
        marks.add("device")
    if "outside" not in marks:  # the reading has followed links: it leads into the project or a temporary folder
        temporary = any(within(TEMP, path) for path in paths)
        if temporary:
            marks.add("temp")
        if not temporary or within(TEMP, folded(cwd)):  # a project may lie in a temporary folder
            marks.add("project")
        return marks
    for path in paths:
        if within(_HOMES, path):
            marks.add("home")
        elif within(_SYSTEM, path) and not within(TEMP, path):
            marks.add("system")
    return marks


def _texts(value: object) -> tuple[str, ...]:
    return value if type(value) is tuple else () if value is None else (str(value),)
