"""What the values of `[judge]` must be. Each check says what a value should have been; None: it is fine."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .judging import APIS

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "address_of_model_trouble",
    "api_trouble",
    "key_file_trouble",
    "key_name_trouble",
    "price_trouble",
    "share_trouble",
]

_LOOPBACK = ("127.0.0.1", "[::1]", "localhost")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def address_of_model_trouble(value: Any) -> str | None:
    """Calls and keys travel there, so it is https, or http to this very machine, and holds no password."""
    said = "an address such as `https://HOST/v1/chat/completions` (http:// goes to this machine only)"
    if type(value) is not str or not value.isascii() or not value.isprintable() or " " in value or len(value) > 2000:
        return said
    scheme, _, rest = value.partition("://")
    host = rest.partition("/")[0].partition("?")[0].partition("#")[0]
    if not host or "@" in host or "\\" in value:
        return "an address with a host, and without a name or a password in it"
    name, _, port = host.rpartition(":") if host[-1] != "]" and ":" in host else (host, "", "1")
    if not name or not port.isdigit() or not 0 < int(port) < 65536:
        return "an address with a port that is a number"
    if scheme == "https" or (scheme == "http" and name in _LOOPBACK):
        return None
    return said


def api_trouble(value: Any) -> str | None:
    return None if value in APIS and type(value) is str else f"one of {', '.join(APIS)}"


def share_trouble(value: Any) -> str | None:
    return None if type(value) in (int, float) and 0.5 <= value <= 1 else "a share from 0.5 to 1"


def price_trouble(value: Any) -> str | None:
    return None if type(value) in (int, float) and 0 <= value <= 10_000 else "a price from 0 to 10000"


def key_name_trouble(value: Any) -> str | None:
    """The name of a variable. A key itself would be kept in policies, caches and receipts."""
    said = "the name of an environment variable, such as `OPENAI_API_KEY`, and never the key itself"
    plain = type(value) is str and 0 < len(value) <= 100 and _NAME.issuperset(value) and not value[0].isdigit()
    return None if plain and value == value.upper() else said


def key_file_trouble(value: Any) -> str | None:
    if type(value) is str and value.isprintable() and value.startswith(("/", "~/")) and len(value) < 4000:
        return None
    return "an absolute path, or one that begins with ~/"
