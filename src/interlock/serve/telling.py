"""Telemetry of the service: the ledger is followed in threads of this process, as long as the service runs.

A decision that was made in a request is told with the request's trace as its parent, and with the time that it took.
No request waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..model.errors import InputError
from ..telemetry.receivers import Telling, followers_for
from ..telemetry.settings import telemetry_from

if TYPE_CHECKING:
    from ..store.home.folders import Folders
    from ..telemetry.settings import Telemetry
    from .api import Api
    from .settings import Settings

__all__ = ["telemetry_of", "telling"]

_log = logging.getLogger("interlock.serve")


def telemetry_of(settings: Settings, folders: Folders) -> Telemetry | None:
    """What the table `[telemetry]` says; None where there is none. InputError names what is wrong with it."""
    if not settings.telemetry:
        return None
    return telemetry_from(settings.telemetry, "serve.toml: [telemetry]", home=folders.home)


@asynccontextmanager
async def telling(api: Api) -> AsyncIterator[None]:
    folders = api.service.engine.folders
    try:
        settings = telemetry_of(api.settings, folders)
    except InputError as error:  # whoever starts the service was told before; it decides all the same
        _log.error("no telemetry: %s", error)
        settings = None
    if settings is None:
        yield
        return
    followers = followers_for(folders, settings, api.hub.open_tail, traces=api.traces, said=_said)
    api.traces.wanted = any(follower.traces is not None for follower in followers)
    threads = Telling(followers)
    try:
        yield
    finally:
        await asyncio.to_thread(threads.end)


def _said(text: str) -> None:
    _log.warning("telemetry: %s", text)
