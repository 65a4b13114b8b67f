"""The address of the team store, as a policy may give it: PostgreSQL's own form, and never with a password in it.

Policies are recorded, shown and copied around; a command line is seen by every process of the machine.
"""

from __future__ import annotations

__all__ = ["address_trouble"]

_SCHEMES = ("postgresql://", "postgres://")


def address_trouble(text: str) -> str | None:
    """What an address must be and is not; None if it is one."""
    if not text.startswith(_SCHEMES) or not text.isprintable() or " " in text or len(text) > 2000:
        return "an address that begins with postgresql://"
    _, _, rest = text.partition("://")
    place, _, options = rest.partition("?")
    account = place.partition("/")[0].rpartition("@")[0]
    names = [option.partition("=")[0].lower() for option in options.split("&")]
    if ":" in account or any("password" in name or "%" in name for name in names):
        return "an address without a password, which belongs into `~/.config/interlock/store.pgpass` (mode 600)"
    return None
