"""Starts the proxy: gate, app, server. What stops it from starting is said before it listens."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn

from ..gate import Gate
from ..gate.local import Local
from ..model.errors import StoreError
from ..serve.listening import configured, many_files
from ..serve.logs import log_to_stderr
from ..store.home.folders import Folders
from .app import Proxy
from .settings import ProxySettings

__all__ = ["gate_for", "run", "served"]


def gate_for(folders: Folders, settings: ProxySettings, *, policy: str | None, root: str | None) -> Gate:
    """Decides with this machine's policy and ledger. A broken policy is an error here, not a deny later."""
    backend = Local(policy=policy, root=root, front="proxy", folders=folders)
    backend.prepare()
    return Gate(host=settings.host, backend=backend)


def served(proxy: Proxy) -> uvicorn.Config:
    """How uvicorn is told to serve it; the tests serve it so too. The date is that of the model's server."""
    config: uvicorn.Config = configured(proxy, proxy.settings.listen)
    config.date_header = False
    return config


def run(
    folders: Folders,
    settings: ProxySettings,
    ready: Callable[[str], None],
    *,
    policy: str | None = None,
    root: str | None = None,
    log_level: str = "warning",
) -> int:
    """Listens until it is told to stop."""
    gate = gate_for(folders, settings, policy=policy, root=root)
    log_to_stderr(log_level)
    many_files()
    config = served(Proxy(settings, gate))
    server = uvicorn.Server(config)
    sockets = [config.bind_socket()]
    sockets[0].listen(config.backlog)  # whoever is told that it is there can connect
    ready(settings.listen.address)
    try:
        server.run(sockets=sockets)
    except OSError as error:
        raise StoreError(f"it cannot listen: {error}") from None
    return 0
