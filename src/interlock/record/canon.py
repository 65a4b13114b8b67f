"""Canonical JSON by the rules of RFC 8785, and SHA-256 digests of it.

The same data gives the same bytes on every machine, Python and hash seed. Two things
go beyond the RFC, because digests must tell different calls apart: a whole number
outside ±(2^53 - 1) is written as `{"$integer": "…"}` with all its digits, and an
object that already looks like that gets one more `$`. Non-finite numbers and lone
surrogates are refused. Written by hand because of what importing costs (docs/adr/0003).
"""

from __future__ import annotations

from ..errors import InputError
from ..limits import SAFE_INTEGER
from ..value import TYPE_CHECKING, FrozenMap

try:
    from _json import encode_basestring as _quote
except ImportError:  # an interpreter without the accelerator
    from json.encoder import encode_basestring as _quote  # type: ignore[assignment,unused-ignore]

try:  # the plain implementation: OpenSSL's costs a shared library to load
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256  # type: ignore[assignment,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["canonical", "digest", "digest_of_bytes"]

_INTEGER = "$integer"
_INFINITE = (float("inf"), float("-inf"))


def canonical(value: Any) -> bytes:
    """The one byte string for this JSON data."""
    try:
        return _text(value).encode()
    except UnicodeEncodeError:
        raise InputError("text holds half of a surrogate pair, which is not Unicode") from None


def digest(value: Any) -> str:
    return digest_of_bytes(canonical(value))


def digest_of_bytes(raw: bytes) -> str:
    return "sha256:" + sha256(raw).hexdigest()


def _text(value: Any) -> str:
    kind = type(value)
    if kind is str:
        quoted: str = _quote(value)
        return quoted
    if kind is dict or kind is FrozenMap:
        return _object(value)
    if kind is tuple or kind is list:
        return "[" + ",".join([_text(item) for item in value]) + "]"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if kind is int:
        return _whole(value)
    if kind is float:
        return _number(value)
    raise TypeError(f"{kind.__name__} is not JSON data")


def _object(value: Mapping[str, Any]) -> str:
    keys = sorted(value)
    if not "".join(keys).isascii():  # the RFC sorts by UTF-16 code units, Python by code points
        keys.sort(key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    if len(keys) == 1 and keys[0].endswith("integer") and _looks_tagged(keys[0]):
        return "{" + _quote("$" + keys[0]) + ":" + _text(value[keys[0]]) + "}"
    return "{" + ",".join([_quote(key) + ":" + _text(value[key]) for key in keys]) + "}"


def _looks_tagged(key: str) -> bool:
    dollars = key[: -len("integer")]
    return dollars != "" and dollars.strip("$") == ""


def _whole(value: int) -> str:
    if -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return str(value)
    return '{"' + _INTEGER + '":"' + str(value) + '"}'


def _number(value: float) -> str:
    """A double as ECMAScript prints it: shortest digits, exponent outside 1e-7 … 1e21."""
    if value in _INFINITE or value != value:  # noqa: PLR0124 - NaN
        raise InputError("numbers must be finite")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # `point` is where the decimal point stands relative to the first digit that counts
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = ("+" if power > 0 else "-") + str(abs(power))
    return sign + digits[0] + ("." + digits[1:] if count > 1 else "") + "e" + tail
