"""The client's side of HTTP: httpx, loaded when the first client is made."""

from __future__ import annotations

import secrets
import ssl
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..model.errors import InputError, lacking
from ..value import FrozenMap
from .steps import Ask, Reply, written

if TYPE_CHECKING:
    import httpx

__all__ = ["STREAM", "async_client", "call_of", "client", "new_key", "reply_of", "request_of"]

STREAM = 30.0  # seconds of silence after which a stream of events counts as lost; the service gives a sign every ten


def client(url: str, token: str, verify: str | None) -> httpx.Client:
    made: httpx.Client = _httpx().Client(**_options(url, token, verify))
    return made


def async_client(url: str, token: str, verify: str | None) -> httpx.AsyncClient:
    made: httpx.AsyncClient = _httpx().AsyncClient(**_options(url, token, verify))
    return made


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise lacking("the client", "client", "httpx", sys.executable) from None
    return httpx


def _options(url: str, token: str, verify: str | None) -> dict[str, Any]:
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise InputError("the token is empty, or holds what no token holds")
    return {
        "base_url": url,
        "headers": {"authorization": f"Bearer {token}", "user-agent": f"interlock/{__version__}"},
        "follow_redirects": False,  # the token is for this address
        "trust_env": url.startswith("https://"),  # no proxy gets to see what is not encrypted
        "verify": ssl.create_default_context(cafile=verify),
    }


def call_of(tool: str, input: Mapping[str, Any], *, session: str, cwd: str, more: Mapping[str, Any]) -> str:
    """The call as it is sent."""
    named = {name: value for name, value in (("session", session), ("cwd", cwd)) if value}
    return written({"tool": tool, "input": dict(input), **named, **more})


def new_key() -> str:
    return secrets.token_urlsafe(18)


def request_of(ask: Ask) -> dict[str, Any]:
    headers = dict(ask.headers)
    if ask.body is not None:
        headers["content-type"] = "application/json"
    return {
        "method": ask.method,
        "url": ask.path,
        "timeout": ask.seconds,
        "headers": headers,
        "content": ask.body,
    }


def reply_of(found: httpx.Response, raw: bytes) -> Reply:
    headers = FrozenMap({name.lower(): value for name, value in found.headers.items()})
    return Reply(status=found.status_code, raw=raw, headers=headers)
