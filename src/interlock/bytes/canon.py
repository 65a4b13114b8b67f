"""Canonical JSON by the rules of RFC 8785, and SHA-256 digests of it.

The same data gives the same bytes on every machine, Python and hash seed. Two things
go beyond the RFC, because digests must tell different calls apart: a whole number
outside ±(2^53 - 1) is written as `{"$integer": "…"}` with all its digits, and an
object that already looks like that gets one more `$`. Non-finite numbers and lone
surrogates are refused. Written by hand because of what importing costs (docs/adr/0003).
"""

from __future__ import annotations

from ..limits import SAFE_INTEGER
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap

try:
    from _json import encode_basestring as quoted
    from _json import make_encoder as _make_encoder
except ImportError:  # an interpreter without the accelerator
    from json.encoder import encode_basestring as quoted  # type: ignore[assignment,unused-ignore]

    _make_encoder = None  # type: ignore[assignment,misc,unused-ignore]

try:  # the plain implementation: OpenSSL's costs a shared library to load
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256  # type: ignore[assignment,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = [
    "Known",
    "canonical",
    "canonical_own",
    "digest",
    "digest_of_bytes",
    "digest_of_text",
    "digest_own",
    "hasher",
    "quoted",
    "sha256",
    "use_openssl",
    "written",
]

_sha = sha256
_INTEGER = "$integer"
_INFINITE = (float("inf"), float("-inf"))


def canonical(value: Any) -> bytes:
    """The one byte string for this JSON data."""
    return _encoded(written(value))


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("text holds half of a surrogate pair, which is not Unicode") from None


def canonical_own(value: Any) -> bytes:
    """The same bytes, faster, for data of our own making.

    INVARIANT: `value` has plain ASCII keys, no object with the one key `$integer`, no float and
    no whole number beyond 2^53. Then the standard library's encoder, sorting its keys, writes
    what `canonical` writes; a property test compares the two.
    """
    if _encode is None:
        return canonical(value)
    return _encoded("".join(_encode(value, 0)))


def digest(value: Any) -> str:
    return digest_of_bytes(canonical(value))


def digest_own(value: Any) -> str:
    """The same digest, faster, under the invariant of `canonical_own`."""
    return digest_of_bytes(canonical_own(value))


def digest_of_text(text: str) -> str:
    """For those who write an object themselves, from parts that `written` has made, because its keys are known."""
    return digest_of_bytes(_encoded(text))


def use_openssl() -> None:
    """Digests by OpenSSL's implementation from now on: slow to load, fast to run, for a process that stays."""
    global _sha  # noqa: PLW0603 - one switch for the process, and both write the same
    from hashlib import sha256 as fast

    _sha = fast


def hasher() -> Callable[[bytes], Any]:
    """The implementation of SHA-256 that is in use."""
    found: Callable[[bytes], Any] = _sha
    return found


def digest_of_bytes(raw: bytes) -> str:
    name: str = _sha(raw).hexdigest()
    return "sha256:" + name


class Known:
    """What this process knows of bytes that were digested or taken apart before, by name: so many bytes of so many
    names in all, however they are spread. Where there would be more, everything is forgotten first, so that no name
    ever stands for something older than what was to be kept of it last. For any number of threads.
    """

    def __init__(self, names: int, size: int) -> None:
        self.names = names
        self.size = size
        self._kept: dict[Any, tuple[int, Any]] = {}
        self._sum = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, name: Any) -> Any:
        found = self._kept.get(name)
        return None if found is None else found[1]

    def keep(self, name: Any, size: int, value: Any) -> None:
        self.drop(name)
        if len(self._kept) >= self.names or self._sum + size > self.size:
            self.clear()
        if size <= self.size:
            self._kept[name] = size, value
            self._sum += size

    def drop(self, name: Any) -> None:
        found = self._kept.pop(name, None)
        if found is not None:
            self._sum -= found[0]

    def clear(self) -> None:
        self._kept.clear()
        self._sum = 0


def written(value: Any) -> str:
    """The canonical text, before it becomes bytes."""
    write = _WRITERS.get(type(value))
    if write is None:
        raise TypeError(f"{type(value).__name__} is not JSON data")
    return write(value)


def _array(value: Any) -> str:
    return "[" + ",".join([written(item) for item in value]) + "]"


def _object(value: Mapping[str, Any]) -> str:
    if len(value) == 1:  # the arguments of most calls
        ((key, item),) = value.items()
        if type(item) is str and not key.endswith("integer"):
            return "{" + quoted(key) + ":" + quoted(item) + "}"
    keys = sorted(value)
    if not "".join(keys).isascii():  # the RFC sorts by UTF-16 code units, Python by code points
        keys.sort(key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    if len(keys) == 1 and keys[0].endswith("integer") and _looks_tagged(keys[0]):
        return "{" + quoted("$" + keys[0]) + ":" + written(value[keys[0]]) + "}"
    pairs = []
    for key in keys:
        item = value[key]
        pairs.append(quoted(key) + ":" + (quoted(item) if type(item) is str else written(item)))  # texts are the most
    return "{" + ",".join(pairs) + "}"


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


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: quoted,
    dict: _object,
    FrozenMap: _object,
    list: _array,
    tuple: _array,
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "null",
    int: _whole,
    float: _number,
}

_encode: Any = None
if _make_encoder is not None:
    try:  # no memory of what was seen, objects as dicts, tight separators, sorted keys, no NaN
        _encode = _make_encoder(None, dict, quoted, None, ":", ",", True, False, False)
    except TypeError:  # an encoder with other needs
        pass
