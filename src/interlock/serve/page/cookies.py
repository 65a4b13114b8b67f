"""Signing in: a token, once, becomes a cookie that scripts cannot read and other sites cannot send."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..callers import COOKIE, PEOPLE, Caller, caller_of
from ..errors import RefusedError

if TYPE_CHECKING:
    from ..api import Api

__all__ = ["form_of", "held_by_form", "local_path", "signed_in", "signed_out"]

_LASTS = 12 * 3600  # seconds: a working day; the token itself may end earlier
_FIELDS = 20
_LONGEST = 200  # characters of an address to come back to


def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form. A field that is there twice is an error: two readers may take another of them each."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RefusedError("unsupported_media_type", "this takes a form of the page")
    try:
        pairs = parse_qsl(
            request.scope["body"].decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(request.scope["body"]),
            encoding="utf-8",
            errors="strict",
            max_num_fields=_FIELDS,
        )
    except ValueError:
        raise RefusedError("bad_request", "the form cannot be read") from None
    if len(dict(pairs)) != len(pairs):
        raise RefusedError("bad_request", "a field of the form is there twice")
    return dict(pairs)


async def held_by_form(api: Api, request: Request) -> tuple[Caller, Mapping[str, str]]:
    """Who sends a form. INVARIANT: a cookie alone changes nothing; the form carries what only our own page knows."""
    text = request.cookies.get(COOKIE, "")
    form = form_of(request)
    try:
        caller = await api.run(lambda: caller_of(api.service.ledger, text, PEOPLE, by_cookie=True))
    except RefusedError as error:
        if error.code == "unauthenticated":
            api.strangers.take(request.client.host if request.client else "")
        raise
    api.budgets.admitted(text, caller.token.id)
    if not hmac.compare_digest(form.get("csrf", "").encode(), caller.csrf.encode()):
        raise RefusedError("forbidden", "this form is not one of this page, or of another sign-in; load it again")
    return caller, form


async def signed_in(api: Api, request: Request) -> Response:
    """The answer to a token in a form; RefusedError where it is none that people hold."""
    form = form_of(request)
    text = form.get("token", "").strip()
    try:
        await api.run(lambda: caller_of(api.service.ledger, text, PEOPLE, by_cookie=True))
    except RefusedError as error:
        if error.code in ("unauthenticated", "forbidden"):
            api.strangers.take(request.client.host if request.client else "")
        raise
    response = RedirectResponse(local_path(form.get("next", "")), 303)
    response.set_cookie(
        COOKIE, text, max_age=_LASTS, path="/", httponly=True, samesite="strict", secure=api.settings.secure
    )
    return response


def signed_out(api: Api) -> Response:
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=api.settings.secure)
    return response


def local_path(text: str) -> str:
    """An address of the page itself to go on to; everything else leads to the inbox."""
    plain = text.isascii() and text.isprintable() and len(text) <= _LONGEST and "\\" not in text
    return text if plain and text.startswith("/") and not text.startswith("//") else "/"
