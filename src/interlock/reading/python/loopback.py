"""Python that asks this machine: a request to a server of one's own, and a look whether a port is open.

Such a request is free where all of it is spelled out in the code, as it is with `curl` (specials/local.py). What
deletes, files, tokens, cookies and control planes are asked about, and so is whatever the code puts together.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from .values import EITHER, SOME, Held, as_text

if TYPE_CHECKING:
    from ..evaluate.flow import is_own_server
    from .values import Given
else:
    is_own_server = lazy(globals(), "..evaluate.flow", "is_own_server")

__all__ = ["is_tried", "is_web_server_here", "method_of", "role_of"]

_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
# What a request may be told. Not `files`, `auth`, `cookies`, `cert`, and no `proxies`.
_WORDS = frozenset(
    "allow_redirects body content data fields follow_redirects headers json method params timeout url verify".split()
)
_TOKENS = ("authorization", "api-key", "apikey", "cookie", "token")


def role_of(name: str, role: str, given: Given) -> str:
    """`urlopen(url, data)` sends."""
    return "sends" if name.endswith("urlopen") and len(given.args) > 1 else role


def method_of(name: str, given: Given) -> Held | None:
    """What a function of a library asks for; None if that cannot be told."""
    last = name.rpartition(".")[2]
    if last in ("request", "stream"):
        return given.get(0, "method")
    if last == "urlopen":
        return Held("POST")
    return Held(last.upper())


def is_tried(given: Given, made: Given | None, method: Held) -> bool:
    """True if all of a request is spelled out, and it neither deletes nor logs anybody in.

    `made`: what a `urllib.request.Request` was given, which has the method then.
    """
    if made is not None:
        method = made.words.get("method") or Held("POST")
    if not method.known or as_text(method).upper() not in _METHODS:
        return False
    parts = [part for part in (given, made) if part is not None]
    return all(
        not part.spread
        and part.words.keys() <= _WORDS
        and all(map(_is_spelled_out, part.words.values()))
        and all(held.kind == "request" or _is_spelled_out(held) for held in part.args)
        for part in parts
    )


def _is_spelled_out(held: Held) -> bool:
    """A text, a number, or a list or table of such; and no token among them by its name."""
    if held.flow or held.glob or held.kind in (EITHER, SOME):
        return False
    if held.kind == "table":
        names = [str(name).lower() for name in held.data]
        return not any(token in name for name in names for token in _TOKENS) and all(
            map(_is_spelled_out, held.data.values())
        )
    if held.items is not None:
        return all(map(_is_spelled_out, held.items))
    return held.kind in ("constant", "number") or held.known


def is_web_server_here(url: str) -> bool:
    return url.lower().startswith(("http://", "https://")) and is_own_server(url)
