"""What a request says, or why it is refused: its body, and the parameters of its address.

A word that a route does not know is refused with the nearest that it knows: `sesion` would otherwise be a call without
a session, and nobody would learn of it. What a route knows stands in its row of the table and in the document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from starlette.requests import Request

from ..bytes.strict import parse_object
from ..limits import MAX_WAIT_SECONDS
from ..model.errors import InputError
from ..words.visible import visible
from .errors import RefusedError
from .openapi import SCHEMAS

if TYPE_CHECKING:
    from ..value import Json

__all__ = ["is_large", "is_short", "known_only", "number_in", "object_in", "one_of", "parameter", "wait_in"]

_LARGE = 4096  # bytes of a body that is decided apart from others: a command of so many takes tens of milliseconds
_LARGE_VALUES = 2000  # and values in it
_SHORT = 1024  # bytes of a body that takes a few milliseconds at most
_MOST_VALUES = 100_000  # each costs some microseconds, and a list of them costs as little to send as one text
_LONGEST = 40  # characters of an unknown word that are repeated


def known_only(request: Request, known: Iterable[str]) -> None:
    """RefusedError for a parameter of the address that the route does not have, or that is there twice."""
    if not request.scope["query_string"]:
        return
    given = [name for name, _ in request.query_params.multi_items()]
    _known_only(given, tuple(known), "parameter")
    for name in given:
        if given.count(name) > 1:
            raise RefusedError("bad_request", f"the parameter `{name}` is there more than once")


def _known_only(given: Iterable[str], known: Collection[str], what: str) -> None:
    unknown = next((name for name in given if name not in known), None)
    if unknown is None:
        return
    near = get_close_matches(unknown[:_LONGEST], known, n=1, cutoff=0.5)
    more = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(sorted(known)) or 'none'}"
    raise RefusedError("bad_request", f"there is no {what} `{visible(unknown[:_LONGEST])}`; {more}")


def object_in(request: Request, schema: str) -> Mapping[str, Json]:
    """The body, with the fields that this schema of the document has and no others."""
    kind = dict(request.scope["headers"]).get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RefusedError("unsupported_media_type", "send JSON, as application/json")
    try:
        if _values(request.scope["body"]) > _MOST_VALUES:
            raise RefusedError("too_large", f"a request has at most {_MOST_VALUES:,} values")
        data = parse_object(request.scope["body"])
    except InputError as error:
        raise RefusedError("bad_request", str(error)) from None
    _known_only(data, SCHEMAS[schema]["properties"], "field")
    return data


def is_short(request: Request) -> bool:
    """Whether reading it surely holds up nobody."""
    return len(request.scope["body"]) <= _SHORT


def is_large(request: Request) -> bool:
    """Whether reading it would hold up others that are decided with it."""
    raw = request.scope["body"]
    return len(raw) > _LARGE or raw.count(b",") > _LARGE_VALUES


def _values(raw: bytes) -> int:
    """How many values a text of JSON has, about. A comma within a text counts for nothing."""
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") <= _MOST_VALUES:
        return 0
    outside = raw.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    return sum([part.count(b",") + part.count(b"[") + part.count(b"{") for part in outside])


def parameter(request: Request, name: str) -> str | None:
    """Most addresses have none, and are not taken apart."""
    return request.query_params.get(name) if request.scope["query_string"] else None


def wait_in(request: Request) -> float:
    return float(number_in(request, "wait", 0, MAX_WAIT_SECONDS, 0))


def number_in(request: Request, name: str, least: int, most: int, otherwise: int) -> int:
    text = parameter(request, name)
    if text is None:
        return otherwise
    if not text.isascii() or not text.isdigit() or len(text) > 18 or not least <= int(text) <= most:
        raise RefusedError("bad_request", f"`{name}` must be a whole number from {least} to {most}")
    return int(text)


def one_of(request: Request, name: str, words: tuple[str, ...], otherwise: str) -> str:
    text = parameter(request, name)
    if text is None:
        return otherwise
    if text not in words:
        raise RefusedError("bad_request", f"`{name}` must be one of {', '.join(word for word in words if word)}")
    return text
