"""Whoever is told that the proxy is there can connect to it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import uvicorn

from interlock.proxy import run as running
from interlock.proxy.settings import ProxySettings
from interlock.serve.settings import Settings
from interlock.store.home.folders import folders_for


def test_it_listens_before_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    settings = ProxySettings(listen=Settings(port=port), upstream="http://127.0.0.1:9", cwd=str(tmp_path))
    monkeypatch.setattr(uvicorn.Server, "run", lambda _server, sockets: [one.close() for one in sockets])

    def ready(_address: str) -> None:
        socket.create_connection(("127.0.0.1", port), 5).close()

    assert running.run(folders_for(str(tmp_path / "home")), settings, ready) == 0
