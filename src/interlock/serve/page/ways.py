"""The routes of the page: who may see what, and what a form may do.

Every view but sign-in wants a person's token, as a cookie. A visitor without one is sent to sign in, and comes back to
where they wanted to go. An error is a page too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as Way

from ...store.people.tokens import BY_SIGN_IN, is_good, revoke
from ..admitting import caller_from
from ..callers import COOKIE, PEOPLE, Caller
from ..errors import RefusedError
from . import previewed, views
from .cookies import held_by_form, local_path, signed_in, signed_out
from .drawn import drawn, file_response

if TYPE_CHECKING:
    from ..api import Api

__all__ = ["error_page", "page_ways"]

_View = Callable[["Api", Request, Caller], Awaitable[Response]]


def page_ways(api: Api) -> list[Way]:
    """For `app_for`."""
    others = (("/sign-in/oidc", "Sign in with your account"),) if api.settings.oidc is not None else ()
    shown: dict[str, _View] = {
        "/": views.inbox,
        "/approvals/{id}": views.approval,
        "/activity": views.activity,
        "/sessions/{id}": views.session,
        "/decisions/{receipt}": views.decision,
        "/grants": views.grants,
        "/policy": views.policy,
        "/charts": views.charts_view,
        "/previews/{id}": previewed.shown,
    }

    async def shows_sign_in(request: Request) -> Response:
        return _sign_in(request.query_params.get("next", ""), others)

    async def signs_in(request: Request) -> Response:
        try:
            return await signed_in(api, request)
        except RefusedError as error:
            return _sign_in("", others, error)

    async def file(request: Request) -> Response:
        return file_response(request.path_params["name"]) or error_page(
            RefusedError("not_found", "there is nothing here")
        )

    return [
        *[Way(path, _seen(api, view), methods=["GET"]) for path, view in shown.items()],
        Way("/approvals/{id}", _sent(api, views.answer), methods=["POST"]),
        Way("/approvals/{id}/preview", _sent(api, previewed.starts), methods=["POST"]),
        Way("/previews/{id}", _sent(api, previewed.ends), methods=["POST"]),
        Way("/sign-out", _sent(api, _sign_out), methods=["POST"]),
        Way("/sign-in", shows_sign_in, methods=["GET"]),
        Way("/sign-in", signs_in, methods=["POST"]),
        Way("/static/{name}", file, methods=["GET"]),
    ]


# --- what all of them go through --------------------------------------------------------------------------------------


def _seen(api: Api, view: _View) -> Callable[[Request], Awaitable[Response]]:
    async def shown(request: Request) -> Response:
        if COOKIE not in request.cookies and "authorization" not in request.headers:
            return _stranger(request)  # a visit is no guess at a token
        try:
            caller = await caller_from(api, request, PEOPLE)
            return await view(api, request, caller)
        except RefusedError as error:
            if error.code == "unauthenticated":
                return _stranger(request)
            return error_page(error)

    return shown


def _sent(
    api: Api, view: Callable[[Api, Request, Caller, Any], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    async def taken(request: Request) -> Response:
        try:
            caller, form = await held_by_form(api, request)
            return await view(api, request, caller, form)
        except RefusedError as error:
            api.metrics.refused.labels(error.code).inc()
            return error_page(error)

    return taken


def _stranger(request: Request) -> Response:
    """Somebody without a good cookie. Whoever comes by a link elsewhere has one that was not sent along: once here,
    the browser sends it.
    """
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    here = local_path(here)
    elsewhere = request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
    if elsewhere and COOKIE not in request.cookies:
        return drawn("onward.html", here=here)
    return RedirectResponse("/sign-in" + (f"?next={quote(here, safe='')}" if here != "/" else ""), 303)


def _sign_in(next: str, others: Sequence[tuple[str, str]], error: RefusedError | None = None) -> Response:
    status, headers = (200, {}) if error is None else (error.status, dict(error.headers))
    headers.pop("www-authenticate", None)
    said = "" if error is None else _SIGN_IN.get(error.code, error.text)
    return drawn("sign_in.html", status, headers, next=local_path(next), others=others, said=said)


_SIGN_IN = {
    "unauthenticated": "This token is not known, or no longer good.",
    "forbidden": "This is an agent's token. People sign in with one of role approver or admin.",
}


def error_page(error: RefusedError) -> Response:
    headers = {name: value for name, value in error.headers.items() if name != "www-authenticate"}
    return drawn("error.html", error.status, headers, code=error.code, text=error.text)


async def _sign_out(api: Api, request: Request, caller: Caller, form: Any) -> Response:
    """A token that a sign-in elsewhere made is in this browser and nowhere else, and ends with it. One that a person
    brought along is theirs, and may be in use at a terminal.
    """
    if caller.token.by == BY_SIGN_IN:
        await api.run(lambda: _revoked(api, caller))
    return signed_out(api)


def _revoked(api: Api, caller: Caller) -> None:
    with api.service.ledger.deciding() as turn:
        if is_good(turn, caller.token.id):
            revoke(turn, caller.token.id, by=caller.by, why="signed out")
