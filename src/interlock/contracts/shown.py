"""How a value of the call is shown in a note: short, on one line, and not at all where it may be a secret."""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..value import Json

__all__ = ["listed", "shown"]

_MAX_CHARS = 40
_MAX_ITEMS = 6
_TELLING = ("secret", "token", "passw", "passphrase", "credential", "auth", "cookie", "private", "apikey", "api_key")
_PREFIXES = ("sk-", "sk_", "pk_", "ghp_", "gho_", "ghs_", "github_pat_", "xox", "AKIA", "ASIA", "AIza", "eyJ", "-----")


def shown(value: Json, field: str = "") -> str:
    """The value in backticks, or what it is where it cannot be shown."""
    kind = type(value)
    if kind is str:
        return _text(value, field)  # type: ignore[arg-type]
    if value is None or kind is bool:
        return f"`{ {None: 'null', True: 'true', False: 'false'}[value] }`"  # type: ignore[index]
    if kind is int or kind is float:
        number = repr(value)
        return f"`{number}`" if len(number) <= _MAX_CHARS else f"a number of {len(number)} digits"
    if kind is tuple:
        return f"an array of {len(value)}"  # type: ignore[arg-type]
    if kind is FrozenMap:
        return f"an object of {len(value)}"  # type: ignore[arg-type]
    return "a value"


def _text(text: str, field: str) -> str:
    if not text:
        return "an empty text"
    if len(text) > _MAX_CHARS or not text.isprintable() or "`" in text or _may_be_secret(text, field):
        return f"a text of {len(text)} characters"
    return f"`{text}`"


def _may_be_secret(text: str, field: str) -> bool:
    name = field.lower()
    if name.endswith("key") or any(word in name for word in _TELLING) or text.startswith(_PREFIXES):
        return True
    # long, in one piece, letters mixed with digits: a token more often than a word
    return (
        len(text) >= 16
        and not any(char in text for char in " /.-_:")
        and any(char.isdigit() for char in text)
        and any(char.isalpha() for char in text)
    )


def listed(values: Collection[Json]) -> str:
    """The first of several values that the contract itself names; these are not the call's."""
    parts = [shown(value) for value, _ in zip(values, range(_MAX_ITEMS), strict=False)]
    more = len(values) - len(parts)
    return ", ".join(parts) + (f" and {more} more" if more > 0 else "")
