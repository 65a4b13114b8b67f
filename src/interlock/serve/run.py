"""Starts the service: engine, app, server. What stops it from starting is said before it listens."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ..engine import Engine, Given
from ..limits import LOCK_QUEUE_SECONDS
from ..model.errors import InputError, StoreError, lacking
from ..store.home.folders import Folders
from ..store.ledger.sqlite import LONGEST_LOG_PAGES
from ..store.ledger.tail import Tail
from ..store.ledger.writing_back import WritingBack
from .api import Api
from .app import app_for
from .config import load_settings, made_by, not_a_team_store
from .hub import Hub
from .listening import configured, many_files, often_switched, seldom_collected
from .logs import log_to_stderr
from .outbound import Outbound
from .page.ways import page_ways
from .service import Service
from .settings import Settings
from .telling import telemetry_of

__all__ = ["PROFILE", "api_for", "configured", "load_settings", "serve"]

PROFILE = "serve"


def api_for(folders: Folders, settings: Settings, given: Given = Given(profile=PROFILE)) -> Api:  # noqa: B008 - frozen
    """Everything but the server itself; the tests start here too."""
    makes = made_by(folders, settings.database)
    engine = Engine(
        folders,
        front="serve",
        patience=LOCK_QUEUE_SECONDS,
        given=given,
        watches=False,
        resident=True,
        elsewhere=True,
        ledger=makes if settings.database else None,
        log_pages=LONGEST_LOG_PAGES,
    )

    def tail() -> Tail:
        return Tail(makes("serve", LOCK_QUEUE_SECONDS))

    service = Service(engine, cwd=given.root or os.getcwd(), questions=settings.questions)
    return Api(service, Hub(tail), settings, WritingBack(makes("serve", LOCK_QUEUE_SECONDS)))


def serve(
    folders: Folders, settings: Settings, given: Given, ready: Callable[[str], None], *, log_level: str = "warning"
) -> int:
    """Listens until it is told to stop. `ready` is told the address, once there is one."""
    try:
        from .server import Server
    except ImportError as error:
        raise lacking("the service", "serve", error.name, sys.executable) from None
    telemetry_of(settings, folders)
    api = api_for(folders, settings, given)
    with api.service.engine.lent() as ledger:
        if settings.database:
            not_a_team_store(ledger)
        api.service.ready()
    log_to_stderr(log_level)
    many_files()
    config = configured(app_for(api, page_ways(api), lifespan=Outbound(api).running), settings)
    server = Server(config, api)
    sockets = [config.bind_socket()]
    sockets[0].listen(config.backlog)  # whoever is told that it is there can connect
    port = sockets[0].getsockname()[1]
    if settings.port == 0:
        raise InputError("give the service a port of its own, so that its name is known")
    ready(f"{settings.address} (port {port})" if settings.url else settings.address)
    seldom_collected()
    often_switched()
    try:
        server.run(sockets=sockets)
    except OSError as error:
        raise StoreError(f"it cannot listen: {error}") from None
    return 0
