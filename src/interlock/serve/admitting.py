"""Who asks: the caller behind a request, and what is counted of those who are nobody."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .callers import COOKIE, Caller, bearer, caller_of
from .errors import RefusedError

if TYPE_CHECKING:
    from starlette.requests import Request

    from .api import Api

__all__ = ["caller_from", "stranger"]


async def caller_from(api: Api, request: Request, roles: frozenset[str]) -> Caller:
    """Who it is. A cookie is taken for looking alone: a browser sends it along whoever made the page."""
    by_cookie = not request.headers.get("authorization", "") and request.method in ("GET", "HEAD")
    text = request.cookies.get(COOKIE, "").strip() if by_cookie else bearer(request.headers.get("authorization", ""))
    try:
        caller = await api.run(lambda: caller_of(api.service.ledger, text, roles, by_cookie=by_cookie))
    except RefusedError as error:
        stranger(api, request, error)
        raise
    api.budgets.admitted(text, caller.token.id)
    return caller


def stranger(api: Api, request: Request, error: RefusedError) -> None:
    """Guesses at tokens are counted by where they come from."""
    if error.code == "unauthenticated":
        api.strangers.take(request.client.host if request.client else "")
