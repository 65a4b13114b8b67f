"""The app: the table of routes, with what all of them go through.

    guards -> who is it -> how often -> the route's own function

A request that ends with an error of ours, or with none that we know, is told in one shape. What broke inside goes to
the log of whoever runs the service, and never to whoever asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.routing import Route as Way

from .. import __version__
from ..model.errors import InterlockError
from ..value import lazy
from .admitting import caller_from, stranger
from .budgets import FLOW
from .callers import Caller
from .deciding import Deciding
from .errors import CODES, RefusedError, refused_by
from .guards import Guard, problem
from .openapi import document
from .parameters import known_only
from .routes import ROUTES, Route
from .stream import events
from .telling import telling

if TYPE_CHECKING:
    from .api import Api
    from .oidc import oidc_ways
    from .page.ways import error_page
else:
    oidc_ways = lazy(globals(), ".oidc", "oidc_ways")
    error_page = lazy(globals(), ".page.ways", "error_page")

__all__ = ["app_for"]

_log = logging.getLogger("interlock.serve")
_Handler = Callable[[Request, Caller], Awaitable[Response]]
_BY_STATUS = {status: code for code, status in CODES.items()}


def app_for(api: Api, more: list[Way] | None = None, lifespan: Any = None) -> Guard:
    """The ASGI app. `more` are the routes of the page, which look after their callers themselves."""
    own: dict[str, _Handler] = {
        "events": lambda request, caller: events(api, request, caller),
        "metrics_text": lambda request, caller: _metrics(api),
        "document": lambda request, caller: _document(api),
    }
    ways = [_way(api, route, own.get(route.does) or getattr(api, route.does, None)) for route in ROUTES]

    @asynccontextmanager
    async def running(_app: Starlette) -> AsyncIterator[None]:
        await api.hub.start()
        api.writing_back.start()
        try:
            async with telling(api):
                if lifespan is None:
                    yield
                else:
                    async with lifespan(api):
                        yield
        finally:
            await api.hub.stop()
            await asyncio.to_thread(api.writing_back.stop)
            for threads in (api.deciders, api.threads):
                await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)
            api.service.engine.close()

    sign_in: list[Way] = []
    if api.settings.oidc is not None:  # loads what only a sign-in needs
        sign_in = oidc_ways(api)
    handlers: Any = {RefusedError: _refused(api), HTTPException: _refused(api), Exception: _broken}
    app = Starlette(routes=[*ways, *sign_in, *(more or [])], lifespan=running, exception_handlers=handlers)
    app.router.redirect_slashes = False  # an address is right or it is not
    return Guard(app, api.settings, api.budgets, counted=lambda code: api.metrics.refused.labels(code).inc())


def _way(api: Api, route: Route, handler: _Handler | None) -> Way:
    if route.roles is None:
        tells = {"healthz": _healthz, "readyz": _readyz}[route.does]

        async def open_to_all(request: Request) -> Response:
            known_only(request, route.query)
            return await tells(api)

        return Way(route.path, open_to_all, methods=[route.method])
    if route.does == "decide":
        return Way(route.path, Deciding(api, route, caller_from, stranger), methods=[route.method])
    assert handler is not None  # noqa: S101 - a row of the table without its function
    roles, call = route.roles, handler

    async def answered(request: Request) -> Response:
        caller = await caller_from(api, request, roles)
        known_only(request, route.query)
        return await call(request, caller)

    return Way(route.path, answered, methods=[route.method])


def _refused(api: Api) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def told(request: Request, error: Exception) -> Response:
        is_lost = isinstance(error, HTTPException)  # nothing of ours is at that address
        if isinstance(error, HTTPException):
            code = _BY_STATUS.get(error.status_code, "bad_request")
            extra = {"allow": _methods(request)} if code == "method_not_allowed" else {}
            error = RefusedError(code, _WORDS.get(code, str(error.detail)), {**(error.headers or {}), **extra})
        assert isinstance(error, RefusedError)  # noqa: S101 - registered for these two
        api.metrics.refused.labels(error.code).inc()
        if error.code == "rate_limited":
            await api.budgets.put_off(FLOW.get())
        if is_lost and _is_browser(request):
            return error_page(error)
        status, raw, lines = problem(error)
        return Response(raw, status, {name.decode(): value.decode() for name, value in lines})

    return told


def _is_browser(request: Request) -> bool:
    """Somebody looks for a page that is not there. Programs ask below /v1, and are told in JSON in any case."""
    wants = request.headers.get("accept", "")
    return request.method in ("GET", "HEAD") and "text/html" in wants and not request.url.path.startswith("/v1/")


_WORDS = {"not_found": "there is nothing here", "method_not_allowed": "this address does not take that method"}


def _methods(request: Request) -> str:
    """All that the address takes: each of them has a route of its own."""
    found = {
        method
        for way in request.app.routes
        if isinstance(way, Way) and way.matches(request.scope)[0] is not Match.NONE
        for method in way.methods or ()
    }
    return ", ".join(sorted(found))


async def _broken(request: Request, error: Exception) -> Response:
    """Never an allow, and nothing of what broke."""
    if isinstance(error, InterlockError):
        status, raw, _ = problem(refused_by(error, verbose=False))
        return Response(raw, status, media_type="application/json")
    _log.error("request failed: %s %s", request.method, request.url.path[:200], exc_info=error)
    told = {"error": {"code": "unavailable", "message": "the service failed; nothing was allowed"}}
    return JSONResponse(told, 503, {"connection": "close"})  # the server ends it, so nobody should go on with it


async def _healthz(_api: Api) -> Response:
    return JSONResponse({"status": "ok", "engine": __version__})


async def _readyz(api: Api) -> Response:
    told: dict[str, Any] = {"ledger": "ok", "policy": "ok", "waiting": "told" if api.hub.hears else "polls"}
    told |= await api.readiness.now()
    if api.hub.trouble is not None:
        told["ledger"] = "the ledger cannot be followed"
    ready = told["ledger"] == "ok" and told["policy"] == "ok"
    return JSONResponse({"ready": ready, **told}, 200 if ready else 503)


async def _metrics(api: Api) -> Response:
    return Response(api.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def _document(api: Api) -> Response:
    return JSONResponse(document(api.settings.address))
