"""How a server of ours listens: what uvicorn is told, how many connections the system lets it have, how seldom Python
looks for garbage.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any

from .settings import Settings

__all__ = ["configured", "many_files", "often_switched", "seldom_collected"]

_SWITCH = 0.0001  # seconds after which a thread gives way to another that waits
_YOUNG = 10_000  # objects that are new before they are looked through: some batches of decisions


def configured(app: Any, settings: Settings) -> Any:
    """How uvicorn is told to serve it; the tests serve it so too."""
    import uvicorn

    from .connections import Connection

    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=Connection,
        log_config=None,
        access_log=False,  # addresses of requests may hold what nobody should read later
        server_header=False,
        date_header=True,
        proxy_headers=False,
        ssl_certfile=settings.cert or None,
        ssl_keyfile=settings.key or None,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=5,
        ws="none",
        lifespan="on",
    )


def many_files() -> None:
    """Every connection is an open file, and the usual limit is for programs that have few."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def often_switched() -> None:
    """The thread that listens waits for the interpreter at each of a request's steps, and one that decides a large call
    would give it up only every five milliseconds.
    """
    sys.setswitchinterval(_SWITCH)


def seldom_collected() -> None:
    """What was made to begin with stays, and a decision leaves no cycle behind. The collector would look through both
    again and again, while requests wait.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG)
