"""Sign-in for the page with an account that people have already: OpenID Connect, the code flow with PKCE.

    /sign-in/oidc       sends the browser to the provider
    /sign-in/oidc/back  takes it back, checks who it is, and makes a token for eight hours

What a sign-in has to come back with is in a cookie of this browser, for ten minutes: an answer that another browser
asked for, or that was used before, opens nothing. Where people land afterwards is fixed, so no link can choose it. The
token becomes the cookie of the page, as a token that somebody types in does, and stands in the ledger like any other.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route as Way

from ..model.errors import InputError
from ..store.home.files import read_file
from ..store.people.tokens import BY_SIGN_IN, create
from .callers import COOKIE
from .oidc_provider import Provider
from .oidc_token import SignInError, UnknownKeyError, account_in, claims_of
from .people import Person, people_in, person_of

if TYPE_CHECKING:
    from .api import Api
    from .settings import Oidc

__all__ = ["BACK", "START", "oidc_ways"]

START, BACK = "/sign-in/oidc", "/sign-in/oidc/back"
_FLOW_SECONDS = 600
_TOKEN_MILLISECONDS = 8 * 3_600_000
_MOST_USED = 10_000  # sign-ins that are remembered as used
_LONGEST_CODE = 4096
_STALE = "This sign-in was not begun in this browser, is too old, or was used before. Start again."
# A redirect here would still count as coming from the provider's site, and the browser would keep the page's cookie
# to itself; a page of ours that goes on does not.
_ON = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">'
    '<title>Signed in</title></head><body><p>You are signed in. <a href="/">Go on</a>.</p></body></html>'
)

_log = logging.getLogger("interlock.serve")


def oidc_ways(api: Api) -> list[Way]:
    """The two routes; none where there is no table `[oidc]`. InputError names what is wrong with it."""
    if api.settings.oidc is None:
        return []
    flow = _Flow(api, api.settings.oidc)
    return [Way(START, flow.guarded(flow.start), methods=["GET"]), Way(BACK, flow.guarded(flow.back), methods=["GET"])]


class _Flow:
    def __init__(self, api: Api, oidc: Oidc) -> None:
        self.api = api
        self.oidc = oidc
        self.provider = Provider(oidc, _secret(oidc))
        people_in(oidc.people, "[oidc.people]")
        self.secure = api.settings.secure
        # With the prefix no other name below the same domain can set it.
        self.cookie = "__Host-interlock-oidc" if self.secure else "interlock-oidc"
        self.address = api.settings.address + BACK
        self.used: dict[str, float] = {}

    def guarded(self, step: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            self.api.strangers.take(request.client.host if request.client else "")
            try:
                return await step(request)
            except SignInError as error:
                if error.inside:
                    _log.warning("sign-in: %s", error.inside)
                response = PlainTextResponse(error.text + "\n", error.status)
                self._forget(response)
                return response

        return answered

    async def start(self, _request: Request) -> Response:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        where = await self.provider.address(back=self.address, state=state, nonce=nonce, challenge=challenge)
        response = RedirectResponse(where, 303)
        # `lax`, because the browser comes back from another site.
        response.set_cookie(
            self.cookie,
            f"{state}.{nonce}.{verifier}",
            max_age=_FLOW_SECONDS,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )
        return response

    async def back(self, request: Request) -> Response:
        nonce, verifier = self._begun(request)
        named = _one(request, "iss")
        if named not in ((self.provider.issuer,) if await self.provider.names_itself() else ("", self.provider.issuer)):
            raise SignInError("The sign-in could not be checked. Start again.", 403, "the answer is another issuer's")
        if _one(request, "error"):
            raise SignInError("The sign-in provider did not sign you in.", 403)
        code = _one(request, "code")
        if not 0 < len(code) <= _LONGEST_CODE:
            raise SignInError(_STALE)
        token = await self.provider.id_token(code, verifier=verifier, back=self.address)
        account = await self._account(token, nonce)
        person = person_of(self.api, account)
        if person is None:
            raise SignInError(
                f"`{_shown(account)}` may not sign in here. Whoever runs this service can add the account.", 403
            )
        return self._signed_in(await self.api.run(self._made, person))

    def _begun(self, request: Request) -> tuple[str, str]:
        """Nonce and verifier of the sign-in that this browser began, which nobody has come back from yet."""
        parts = request.cookies.get(self.cookie, "").split(".")
        state = _one(request, "state")
        if len(parts) != 3 or not all(len(part) == 43 for part in parts):
            raise SignInError(_STALE)
        if not hmac.compare_digest(parts[0].encode(), state.encode()):
            raise SignInError(_STALE)
        now = time.monotonic()
        if state in self.used:
            raise SignInError(_STALE)
        self.used[state] = now
        while len(self.used) > _MOST_USED:
            del self.used[next(iter(self.used))]
        return parts[1], parts[2]

    async def _account(self, token: str, nonce: str) -> str:
        """Who it is. Keys change: one that is not known is looked for once more."""
        for anew in (False, True):
            keys = await self.provider.keys(anew=anew)
            try:
                claims = claims_of(
                    token,
                    keys,
                    issuer=self.provider.issuer,
                    client=self.provider.client,
                    nonce=nonce,
                    now=time.time(),
                )
            except UnknownKeyError:
                continue
            return account_in(claims, self.oidc.claim)
        raise SignInError("The sign-in could not be checked. Start again.", 403, "the id token's key is not known")

    def _made(self, person: Person) -> str:
        with self.api.service.ledger.deciding() as turn:
            _, text = create(
                turn,
                name=person.name,
                role=person.role,
                person=person.name,
                expires=turn.at + _TOKEN_MILLISECONDS,
                by=BY_SIGN_IN,
            )
        return text

    def _signed_in(self, text: str) -> Response:
        response = HTMLResponse(_ON)
        self._forget(response)
        response.set_cookie(
            COOKIE,
            text,
            max_age=_TOKEN_MILLISECONDS // 1000,
            path="/",
            secure=self.secure,
            httponly=True,
            samesite="strict",
        )
        return response

    def _forget(self, response: Response) -> None:
        response.delete_cookie(self.cookie, path="/", secure=self.secure, httponly=True, samesite="lax")


def _secret(oidc: Oidc) -> str:
    if not oidc.secret:
        return ""
    raw = read_file(oidc.secret, limit=4096)
    text = (raw or b"").decode("utf-8", "replace").strip()
    if not text or not text.isprintable():
        raise InputError(f"[oidc]: `secret` names a file that holds no secret: {oidc.secret}")
    return text


def _one(request: Request, name: str) -> str:
    """A parameter that is there once; one that is there twice is nobody's."""
    found = request.query_params.getlist(name)
    if len(found) > 1:
        raise SignInError(_STALE)
    return found[0] if found else ""


def _shown(account: str) -> str:
    return "".join([char if char.isprintable() else "?" for char in account[:100]])
