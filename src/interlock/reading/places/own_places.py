"""Which paths hold Interlock's own keys and passwords, and which folders hold Interlock itself.

What else is ours may be read: policies, the ledger, the package. A key or a password may not, by any tool: who has the
signing key can sign a ledger that never was. `facts.keeps` are the folders that they lie in, links followed; a home of
somebody else is known by its names.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING
from .paths import folded, holds, within
from .places import loosened

if TYPE_CHECKING:
    from ...model.facts import Facts

__all__ = [
    "KEYS",
    "OWN_COMMAND",
    "PACKAGES",
    "SECRET_NAMES",
    "holds_own",
    "holds_own_secret",
    "is_own_secret",
]

OWN_COMMAND = "interlock"
PACKAGES = frozenset(("interlock",))  # names under which it is installed, and can be taken away

KEYS = (".key", ".pgpass", ".token")  # how their names end
SECRET_NAMES = ("ledger.key", "store.pgpass", "proof.key", "approver.key", "page.token")
_BELOW = ("/.config/interlock/", "/.local/state/interlock/")
_MANAGED = "/etc/interlock/"


def is_own_secret(path: str, facts: Facts, *, glob: bool = False) -> bool:
    """True if the path is a key or a password of ours; for a pattern, if it may match one."""
    plain = folded(path)
    if not glob:
        return plain.endswith(KEYS) and _is_kept(plain, facts)
    folder, _, name = plain.rpartition("/")
    name = loosened(name)
    start = folder.partition("*")[0].partition("?")[0].partition("[")[0]
    if _is_kept(start + "/", facts):  # below it, at any depth
        return _is_named(name)
    parts = [loosened(part) for part in folder.split("/")[1:]]
    for keep in facts.keeps:
        names = keep.split("/")[1:-1]
        if len(parts) == len(names) and all(map(matches, parts, names)) and _is_named(name):
            return True
    # What a search finds may lie at any depth below the first wild part: `find ~ -name 'ledger*'` is `~/*/ledger*`.
    above = start.rstrip("/") + "/"
    if name in ("*", "**") and holds_own_secret(start.rstrip("/") or "/", facts):  # everything below `.config`
        return True
    wild = start != folder and name.strip("*?") != ""
    return wild and any(keep.startswith(above) for keep in facts.keeps) and _is_named(name)


def _is_named(pattern: str) -> bool:
    return any(matches(pattern, name) for name in SECRET_NAMES)


def _is_kept(plain: str, facts: Facts) -> bool:
    return within(facts.keeps, plain) or plain.startswith(_MANAGED) or any(below in plain for below in _BELOW)


def holds_own_secret(path: str, facts: Facts) -> bool:
    """True if reading all of a folder reads our secrets too: the folder itself, and `.config` or `.local` around it.

    A home, and a project that holds such a folder, hold so much else that they are left to the marks of other secrets.
    """
    plain = folded(path).rstrip("/") + "/"
    if plain in facts.keeps or plain.endswith(_BELOW):
        return True
    if holds(path, facts.root) or holds(path, facts.home):
        return False
    return any(keep.startswith(plain) for keep in facts.keeps)


def holds_own(path: str, facts: Facts) -> bool:
    """True if something of ours lies below: what happens to the folder happens to it."""
    plain = folded(path).rstrip("/") + "/"
    return any(own.startswith(plain) and own != plain for own in facts.own)
