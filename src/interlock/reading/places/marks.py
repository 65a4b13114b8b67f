"""Which marks an act on a path has: one table of roles and of kinds of place, for every door.

A role says what is done with the path (`tables/spec.py`); the tools of hosts have a row each, by the name of their
action. A kind says what lies there (`kinds.py`). An act has the marks of those kinds that count for its role, and no
others. Commands, inline code, arguments of tool servers and file tools all ask here. So a place that is more dangerous
never has fewer marks, and where two doors differ they differ in a row of this page.
"""

from __future__ import annotations

from ...value import Value

__all__ = ["COUNTS", "GIVES", "Place", "counted", "marks_for"]


class Place(Value):
    """
    path   as it is named, settled; or a pattern
    real   where it leads once links are followed; None: it is not known
    kinds  what lies there, as far as the role asks for it
    """

    path: str
    real: str | None = None
    kinds: frozenset[str] = frozenset()


# Where it is, and whether it can be had again. A host's own tool is not followed: what it takes away counts as lost.
_TOOLS = "guard device outside no-project own-folder"
_HERE = f"{_TOOLS} root home project-root created regenerable temp"
_SHOWN = "accounts machine own-secret privileged secret-private"  # by what a file says
_FILLED = (
    "disguised obeyed obeyed-asked obeyed-noted own-secret privileged secret-lost vendored"  # by what it says then
)
_MADE = f"{_FILLED} new takes-guarded-plain"  # a file, or what is put into a folder
_GONE = "obeyed-denied own-secret privileged secret"

# role -> the kinds of place that count for it
COUNTS: dict[str, str] = {
    # names, or how much there is
    "list": _HERE,
    "count": _HERE,
    "search": f"{_HERE} secret",
    # what a file says, and all that is in a folder
    "read": f"{_HERE} {_SHOWN} own-secrets-below secrets-below",
    "checked": f"{_HERE} {_SHOWN} own-secrets-below secrets-below",
    "send": f"{_HERE} {_SHOWN} own-secrets-below secrets-below",
    "script": f"{_HERE} {_SHOWN}",
    "runs": f"{_HERE} {_SHOWN}",
    # the project's own key or values are no news; another key has no business in the project's work
    "taken": f"{_HERE} accounts machine own-secret privileged-outside secret-foreign",
    # what is there afterwards
    "write": f"{_HERE} {_MADE}",
    "edit": f"{_HERE} {_MADE}",
    "link": f"{_HERE} {_MADE}",
    "touched": f"{_HERE} {_MADE}",
    "builds": f"{_HERE} {_MADE}",
    "brings": f"{_HERE} {_MADE} obeyed-below takes-guarded",
    "move": f"{_HERE} {_FILLED} guard-below obeyed-below",
    "folder": f"{_HERE} disguised new obeyed-denied privileged secret-lost vendored",  # an empty one: it says nothing
    # what is no longer there
    "delete": f"{_HERE} {_GONE} guard-below",
    "wipe": f"{_HERE} {_GONE} guard-below",
    # who gets at it; what is done to a folder is done to what lies in it
    "opened": f"{_HERE} {_GONE} own-below",
    "mode": f"{_HERE} obeyed-denied own-below own-secret privileged secret-outside",
    "closed": f"{_HERE} obeyed-denied own-below own-secret privileged secret-outside settings-below",
    "handed": f"{_HERE} {_GONE} own-below settings-below",
    "covered": f"{_HERE} obeyed-denied own-below privileged secret settings-below",
    "linked": f"{_HERE} {_GONE} own-secrets-below",
    "fetch": f"{_HERE} {_GONE}",
    # the tools of a host, by their action: what one reads is only shown, and of a home it shows the lines that match
    "fs:list": _TOOLS,
    "fs:read": f"{_TOOLS} machine own-secret own-secrets-below privileged secret-private secrets-below",
    "fs:search": f"{_TOOLS} machine own-secret own-secrets-below privileged secret-folder secret-private",
    "fs:write": f"{_TOOLS} {_MADE}",
    "fs:delete": f"{_TOOLS} {_GONE} guard-below guard-led-to home project-root root",
}

# kind of place -> its marks; any other kind is the mark of that name
GIVES: dict[str, tuple[str, ...]] = {
    "guard-below": ("guard",),  # what nobody may change goes along with the folder
    "guard-led-to": ("guard",),  # the same, where a link of another name leads to such a folder
    "obeyed-below": ("obeyed", "obeyed-asked"),
    "obeyed-denied": ("obeyed",),
    "own-below": ("guard",),  # something of the guard's own
    "own-secrets-below": ("own-secret",),
    "privileged-outside": ("privileged",),
    "secret-folder": ("secret",),  # one that is there for secrets; a home or `/etc` holds other things too
    "secret-foreign": ("secret",),  # private, and not the project's
    "secret-lost": ("secret",),  # one that writing there would lose, or show
    "secret-outside": ("secret",),
    "secret-private": ("secret",),  # all but the public parts of keys and their settings
    "secrets-below": ("secret",),
    "settings-below": ("guard",),
    "takes-guarded": ("guard",),  # what is put in there may be a file that nobody may change
    "takes-guarded-plain": ("guard",),  # the same, where it is not itself a place whose level is known
}

# What may be among what a search finds and may not be: it is asked about, and not denied.
_IF_AMONG = {"guard": "obeyed-asked", "own-secret": "secret"}

_SPLIT: dict[str, frozenset[str]] = {}


def counted(role: str) -> frozenset[str]:
    """The kinds of place that count for the role; for one that has no row, all that there are."""
    found = _SPLIT.get(role)
    if found is None:
        found = _SPLIT[role] = frozenset((COUNTS[role] if role in COUNTS else " ".join(COUNTS.values())).split())
    return found


def marks_for(role: str, place: Place) -> set[str]:
    """The marks of what is done with the place in this role."""
    marks: set[str] = set()
    for kind in place.kinds & counted(role):
        marks.update(GIVES.get(kind, (kind,)))
    return {_IF_AMONG.get(mark, mark) for mark in marks} if "possible" in place.kinds else marks
