"""A sign-in provider, as the service talks to it: its description, its keys, and a code turned into an id token.

Bounded in time and size, no redirect followed: a provider that hangs, or points elsewhere, ends the sign-in and
nothing else. What it says of itself has to be about the issuer that was configured.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ..model.errors import InputError
from .oidc_token import SignInError
from .settings import Oidc, is_loopback

__all__ = ["Provider", "check_issuer"]

_WELL_KNOWN = "/.well-known/openid-configuration"
_SECONDS = 10.0  # for one request, whatever it does meanwhile
_MOST = 512 * 1024  # bytes of one answer
_KEPT = 3600.0  # seconds that a description and keys are kept
_AWAY = "The sign-in provider does not answer as it should. Try again, or sign in with a token."


def check_issuer(issuer: str) -> str:
    """The address, if what is sent there can be read by the issuer alone."""
    if not _is_sound(issuer, loopback=True):
        raise InputError("[oidc]: `issuer` must begin with https:// (http:// on this machine only)")
    if urlsplit(issuer).query:
        raise InputError("[oidc]: `issuer` has nothing behind a `?`")
    return issuer


def _is_sound(url: Any, *, loopback: bool) -> bool:
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and loopback and is_loopback(host))


class Provider:
    def __init__(self, oidc: Oidc, secret: str) -> None:
        self.issuer = check_issuer(oidc.issuer)
        self.client = oidc.client
        self.secret = secret
        self._loopback = is_loopback(urlsplit(self.issuer).hostname or "")
        self._said: tuple[float, Mapping[str, Any]] | None = None
        self._keys: tuple[float, Sequence[Mapping[str, Any]]] | None = None

    async def described(self) -> Mapping[str, Any]:
        if self._said is not None and time.monotonic() < self._said[0] + _KEPT:
            return self._said[1]
        said = await self._asked("GET", self.issuer.rstrip("/") + _WELL_KNOWN)
        # INVARIANT: a description of another issuer is not ours, wherever it came from.
        if said.get("issuer") != self.issuer:
            raise _away("its description is another issuer's")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not _is_sound(said.get(name), loopback=self._loopback):
                raise _away(f"its `{name}` is not an https address")
        self._said = (time.monotonic(), said)
        return said

    async def keys(self, *, anew: bool = False) -> Sequence[Mapping[str, Any]]:
        if not anew and self._keys is not None and time.monotonic() < self._keys[0] + _KEPT:
            return self._keys[1]
        said = await self._asked("GET", (await self.described())["jwks_uri"])
        found = said.get("keys")
        if not isinstance(found, list) or not all(isinstance(key, dict) for key in found):
            raise _away("it publishes no keys")
        self._keys = (time.monotonic(), found)
        return found

    async def address(self, *, back: str, state: str, nonce: str, challenge: str) -> str:
        """Where the browser is sent to sign in."""
        where = str((await self.described())["authorization_endpoint"])
        asked = {
            "response_type": "code",
            "client_id": self.client,
            "redirect_uri": back,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{where}{'&' if urlsplit(where).query else '?'}{urlencode(asked)}"

    async def names_itself(self) -> bool:
        """Whether it says in each answer who it is; then an answer that does not is not its own."""
        return (await self.described()).get("authorization_response_iss_parameter_supported") is True

    async def id_token(self, code: str, *, verifier: str, back: str) -> str:
        said = await self.described()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        basic = None
        if not self.secret:
            form["client_id"] = self.client
        elif "client_secret_basic" in methods or "client_secret_post" not in methods:
            basic = (quote(self.client, safe=""), quote(self.secret, safe=""))
        else:
            form |= {"client_id": self.client, "client_secret": self.secret}
        answer = await self._asked("POST", str(said["token_endpoint"]), form=form, basic=basic)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise _away("it gave no id token")
        return token

    async def _asked(
        self, method: str, url: str, *, form: Mapping[str, str] | None = None, basic: tuple[str, str] | None = None
    ) -> Mapping[str, Any]:
        """One request; a JSON object, or the sign-in ends."""
        path = urlsplit(url).path
        try:
            async with (
                asyncio.timeout(_SECONDS),
                # A proxy of the environment is for other machines than this one.
                httpx.AsyncClient(timeout=_SECONDS, follow_redirects=False, trust_env=not self._loopback) as client,
                client.stream(method, url, data=form, auth=basic, headers={"accept": "application/json"}) as answer,
            ):
                raw = b""
                async for chunk in answer.aiter_bytes():
                    raw += chunk
                    if len(raw) > _MOST:
                        raise _away(f"{path} gives more than {_MOST} bytes")
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
            raise _away(f"{path}: {type(error).__name__}") from None
        if answer.status_code != 200:
            if method == "POST" and answer.status_code in (400, 401):  # a code that was used, say
                raise SignInError("The sign-in provider did not take this sign-in. Start again.", 403, f"{path}: 4xx")
            raise _away(f"{path} answered {answer.status_code}")
        try:
            found = json.loads(raw)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise _away(f"{path} gave no JSON object")
        return found


def _away(inside: str) -> SignInError:
    return SignInError(_AWAY, 503, inside)
