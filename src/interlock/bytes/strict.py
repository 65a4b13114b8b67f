"""Strict JSON in: bytes from outside become frozen data, or an InputError that says why.

Refused: anything that is not UTF-8, a byte-order mark, duplicate keys, NaN and infinities,
half surrogate pairs, nesting beyond the limit, anything after the value. The scanner is
the standard library's own, taken without the `json` package, whose import would load
`re` (docs/adr/0003).
"""

from __future__ import annotations

from ..limits import MAX_DEPTH, MAX_INPUT_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..value import Json

__all__ = ["parse_json", "parse_object"]

_BLANK = " \t\n\r"
_INFINITE = (float("inf"), float("-inf"))
_SHALLOW = 1000  # so many brackets cannot nest too deeply for any stack; most inputs have fewer


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError(f"the key `{_shown(key)}` occurs twice in one object")
            seen.add(key)
    return found


def _no_constants(word: str) -> Any:
    raise InputError(f"`{word}` is not JSON; numbers must be finite")


class _Rules:
    """What the standard scanner looks up on its context."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_no_duplicates)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constants)
    array_hook = None


try:
    from _json import make_scanner as _make_scanner

    _scan: Any = _make_scanner(_Rules())  # type: ignore[arg-type]
except (ImportError, TypeError, AttributeError):  # no accelerator, or one with other needs
    import json

    _decoder: Any = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constants)
    _scan = _decoder.scan_once  # the same rules, more slowly


def parse_json(raw: bytes, *, limit: int = MAX_INPUT_BYTES) -> Json:
    """The frozen data in `raw`; InputError for everything else."""
    if len(raw) > limit:
        raise InputError(f"the input is larger than {limit} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the input is not UTF-8 (byte {error.start})") from None
    if text.startswith("\ufeff"):
        raise InputError("the input starts with a byte-order mark")
    start = len(text) - len(text.lstrip(_BLANK))
    if start == len(text):
        raise InputError("the input is empty")
    if text.count("[") + text.count("{") > _SHALLOW and _deeper_than(text, MAX_DEPTH):
        raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels")
    try:
        value, end = _scan(text, start)
    except RecursionError:
        raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels") from None
    except StopIteration as stop:
        raise InputError(f"the input is not JSON: no value at character {stop.value}") from None
    except (ValueError, SystemError):  # SystemError: CPython 3.11 lost the message, see _why
        raise InputError(f"the input is not JSON: {_why(text)}") from None
    if text[end:].strip(_BLANK):
        raise InputError(f"the input goes on after the JSON value (character {end})")
    return _checked(value, MAX_DEPTH)


def _deeper_than(text: str, most: int) -> bool:
    """Looked at before the scanner, which descends with the input: a small stack would not survive it.

    Up to the first fault of the text the count is exact, and the scanner goes no further than that.
    """
    depth = 0
    for outside in text.replace("\\\\", "").replace('\\"', "").split('"')[::2]:
        for char in outside:
            if char in "[{":
                depth += 1
                if depth > most:
                    return True
            elif char in "]}":
                depth -= 1
    return False


def _why(text: str) -> str:
    """What is wrong with this text, from the `json` package itself.

    The bare scanner leaves wording the error to a module that is imported only here.
    """
    import json

    try:
        json.loads(text)
    except ValueError as error:
        return str(error).partition("; use sys.")[0]
    return "it could not be scanned"


def parse_object(raw: bytes, *, limit: int = MAX_INPUT_BYTES) -> Mapping[str, Json]:
    """As parse_json, for input that must be one object."""
    value = parse_json(raw, limit=limit)
    if type(value) is not FrozenMap:
        raise InputError(f"expected a JSON object, got {_kind(value)}")
    return value  # type: ignore[return-value,unused-ignore]


def _checked(value: Any, room: int) -> Json:
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _whole_text(value)
    elif kind is dict:
        if room == 0:
            raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels")
        for key in value:
            if not key.isascii():
                _whole_text(key)
        return FrozenMap({key: _checked(item, room - 1) for key, item in value.items()})
    elif kind is list:
        if room == 0:
            raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels")
        return tuple([_checked(item, room - 1) for item in value])
    elif kind is float and value in _INFINITE:
        raise InputError("a number is too large; numbers must be finite")
    checked: Json = value
    return checked


def _whole_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("a text holds half of a surrogate pair, which is not Unicode") from None


def _shown(text: str) -> str:
    """Someone else's text, safe to put into a message."""
    return "".join([char if " " <= char <= "~" else ascii(char)[1:-1] for char in text[:60]])


def _kind(value: object) -> str:
    names = {tuple: "an array", str: "a text", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
