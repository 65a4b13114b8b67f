"""HTTP as our own commands speak it: bounded in time and size, without a proxy's or a redirect's surprises.

Nothing of it is on the way of a decision. What is fetched is believed for its signature or compared, never for where
it came from; still, only https leaves this machine, since a policy is nobody else's business.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ...model.errors import InputError, StoreError

__all__ = ["check_web_address", "fetch", "post"]

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CHUNK = 1 << 16


def check_web_address(url: str) -> str:
    """The address, if it is https, or http on this very machine, and holds no password."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise InputError(f"`{url[:200]}` is not an address") from None
    if not host or parts.username is not None or parts.password is not None:
        raise InputError(f"`{url[:200]}` must be https://HOST/PATH, without a name or a password in it")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise InputError(f"`{url[:200]}` must begin with https:// (http:// goes to this machine only)")
    return url


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        check_web_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


def fetch(url: str, *, limit: int, seconds: float) -> bytes:
    """What is there now. StoreError where it could not be had whole, in time and within the limit."""
    request = urllib.request.Request(check_web_address(url), headers={"User-Agent": "interlock"})  # noqa: S310 - checked
    return _answered(url, request, _Redirects, limit, seconds)


def post(url: str, body: bytes, *, seconds: float, headers: Mapping[str, str] | None = None) -> None:
    """Sends JSON. StoreError where it was not taken."""
    named = {"User-Agent": "interlock", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(check_web_address(url), data=body, headers=named, method="POST")  # noqa: S310
    _answered(url, request, _NoRedirects, 1 << 20, seconds)


def _answered(url: str, request: urllib.request.Request, redirects: type, limit: int, seconds: float) -> bytes:
    end = time.monotonic() + seconds
    url = url.partition("?")[0]  # what follows may be a token, and what is said here is kept
    opener = urllib.request.build_opener(redirects)
    try:
        with opener.open(request, timeout=seconds) as answer:
            chunks, size = [], 0
            while chunk := answer.read1(_CHUNK):
                size += len(chunk)
                if size > limit:
                    raise StoreError(f"`{url}` gives more than {limit} bytes")
                if time.monotonic() > end:
                    raise StoreError(f"`{url}` took more than {seconds:g} s")
                chunks.append(chunk)
            if answer.length:  # it was cut off before its end
                raise StoreError(f"`{url}` was cut off after {size} bytes")
            return b"".join(chunks)
    except urllib.error.HTTPError as error:
        raise StoreError(f"`{url}` answered {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise StoreError(f"`{url}` could not be reached: {why}") from None
