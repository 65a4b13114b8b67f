"""What a request says, or why it is refused: its body, and the parameters of its address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.requests import Request

from ..errors import InputError
from ..limits import MAX_WAIT_SECONDS
from ..record.strict import parse_object
from .errors import RefusedError

if TYPE_CHECKING:
    from ..value import Json

__all__ = ["number_in", "object_in", "one_of", "parameter", "wait_in"]


def object_in(request: Request) -> Mapping[str, Json]:
    """The body."""
    kind = dict(request.scope["headers"]).get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RefusedError("unsupported_media_type", "send JSON, as application/json")
    try:
        return parse_object(request.scope["body"])
    except InputError as error:
        raise RefusedError("bad_request", str(error)) from None


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
