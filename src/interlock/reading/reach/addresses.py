"""Data in an address: what a fetch carries out in the labels, the path and the query of its URL.

An address is sent before anything is fetched. So a token in it, a text in hex or base64, a long label of random letters
or the name of a machine in a private network is data that leaves. Commit hashes, package digests, UUIDs and what big
hosts sign are everyday: hex is data only if it spells a text, and long random parts are ordinary at hosts that are
known to use them.
"""

from __future__ import annotations

from ...model.known_hosts import is_known_host, is_own_network, is_private
from ...value import TYPE_CHECKING
from ..places.secret_words import holds_token, sends_secret, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["carries"]

_HEX = frozenset("0123456789abcdefABCDEF")
_BASE32 = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ234567=")
_BASE64 = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/-_=")
_LONG_LABEL = 24
_LONG_PART = 40
_SPELT = 16  # characters of hex, base32 or base64 that are looked at
_MOST = 4096  # of an address that is gone through; a longer one is data


def carries(host: str, url: str) -> str:
    """`token`, `text`, `random` or `private`: what the address carries out; empty where that is nothing.

    `url` may lack its scheme.
    """
    if is_own_network(host):
        return ""
    rest = url.partition("://")[2] or url
    at = min([place for place in (rest.find(mark) for mark in "/?#") if place >= 0], default=len(rest))
    authority, tail = rest[:at], rest[at:]
    if len(tail) > _MOST:
        return "random"
    labels = authority.rpartition("@")[2].partition(":")[0].split(".")
    if len(labels) > 2 and not is_known_host(host):
        found = _in_labels(labels[:-2])
        if found:
            return found
    known = is_known_host(host)
    for part in _parts(tail):
        if _spells_text(part):
            return "text"
        if not known and (_is_random(part, _LONG_PART) or is_private(part)):
            return "private" if is_private(part) else "random"
    return "token" if len(tail) > 11 and _sends_secret(tail, known) else ""


def _sends_secret(tail: str, known: bool) -> bool:
    """What is signed or handed out page by page has a token in the query, too: at hosts that do so it is everyday."""
    path, _, query = tail.partition("?")
    pairs = [f"&{pair}" for pair in query.split("&")]
    return sends_secret(path) or any(sends_secret(pair, named=not (known or _is_everyday(pair))) for pair in pairs)


_EVERYDAY = ("page", "next", "continu", "cursor", "csrf", "sync", "public", "sig", "x-amz", "x-goog", "hash", "cache")


def _is_everyday(pair: str) -> bool:
    name = pair.partition("=")[0].lower()
    return any(part in name for part in _EVERYDAY)


def _in_labels(labels: list[str]) -> str:
    if any(holds_token(label) for label in labels) or holds_token("".join(labels)):
        return "token"
    if any(_spells_text(label) for label in labels) or _spells_text("".join(labels)):
        return "text"
    return "random" if any(_is_random(label, _LONG_LABEL) for label in labels) else ""


def _parts(tail: str) -> Iterator[str]:
    """The parts of a path, and the values of a query, as they would be read."""
    path, _, query = tail.partition("?")
    yield from [part for part in path.split("/") if len(part) >= _SPELT]
    for pair in query.partition("#")[0].replace(";", "&").split("&"):
        name, equals, value = pair.partition("=")
        text = value if equals else name
        if len(text) >= 4:
            yield unquoted(text) if "%" in text else text


def _spells_text(part: str) -> bool:
    """Whether it is a text in hex, base32 or base64. A digest is none: its bytes are no letters."""
    size = len(part)
    if size < _SPELT:
        return False
    if _HEX.issuperset(part):
        return size % 2 == 0 and _is_text(bytes.fromhex(part))
    if not any(char.isdigit() for char in part) and (part.islower() or "-" in part):
        return False  # words
    from binascii import Error, a2b_base64

    plain = part.rstrip("=").replace("-", "+").replace("_", "/")
    if _BASE64.issuperset(part) and "/" not in part and not part.isupper():
        try:
            if _is_text(a2b_base64(plain + "=" * (-len(plain) % 4))):
                return True
        except (Error, ValueError):
            pass
    if _BASE32.issuperset(part) and (part.isupper() or part.islower()):
        from base64 import b32decode

        try:
            return _is_text(b32decode(plain.upper() + "=" * (-len(plain) % 8)))
        except (Error, ValueError):
            pass
    return False


def _is_text(raw: bytes) -> bool:
    """Printed characters, nearly all of them letters and digits."""
    if len(raw) < 8 or any(byte < 9 or byte > 126 or 13 < byte < 32 for byte in raw):
        return False
    return sum([chr(byte).isalnum() or byte in b" _-=:./@," for byte in raw]) * 10 >= len(raw) * 9


def _is_random(part: str, least: int) -> bool:
    """Long, of letters and digits without words: no digest in hex, no UUID, no name with dashes."""
    if len(part) < least or not _BASE64.issuperset(part):
        return False
    plain = part.replace("-", "").replace("_", "")
    if _HEX.issuperset(plain) and least > _LONG_LABEL:
        return False
    pieces = part.replace("_", "-").split("-")
    if max(map(len, pieces)) < 16:
        return False  # a title, with a dash between its words
    digits = sum([char.isdigit() for char in plain])
    changes = sum([plain[at].isdigit() != plain[at - 1].isdigit() for at in range(1, len(plain))])
    mixed = any(char.isupper() for char in plain[1:]) and any(char.islower() for char in plain)
    return digits >= 3 and changes >= 4 and (mixed or least == _LONG_LABEL)
