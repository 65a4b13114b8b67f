"""The real service on a real socket, with a home, tokens and clients of its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import uvicorn

from interlock.engine import Given
from interlock.serve.api import Api
from interlock.serve.app import app_for
from interlock.serve.config import made_by
from interlock.serve.outbound import Outbound
from interlock.serve.page.ways import page_ways
from interlock.serve.run import PROFILE, api_for, configured
from interlock.serve.server import Server
from interlock.serve.settings import Settings
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.tokens import create, revoke

__all__ = ["Serving", "free_port"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Serving:
    """`with Serving(tmp_path) as service:` and `service.agent.post("/v1/decisions", json=…)`."""

    def __init__(
        self, folder: Path, *, policy: str = "", project: Path | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.home = folder / "home"
        self.project = project or folder / "project"
        for made in (self.home, self.project):
            made.mkdir(parents=True, exist_ok=True)
        self.folders: Folders = folders_for(str(self.home))
        if policy:
            path = Path(self.folders.user_policy)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(policy)
        self.settings = Settings(**{"port": free_port(), "rate": 10_000, **(settings or {})})
        self.clients: dict[str, httpx.Client] = {}
        self.tokens: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self.api: Api | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    def ledger(self) -> Ledger:
        return made_by(self.folders, self.settings.database)("cli:token", 5.0)

    def token(self, name: str, role: str, *, person: str = "", expires: int = 0) -> str:
        ledger = self.ledger()
        with ledger.deciding() as turn:
            token, text = create(turn, name=name, role=role, person=person or name, expires=expires, by="test")
        ledger.close()
        self.tokens[name], self.ids[name] = text, token.id
        return text

    def revoke(self, name: str) -> None:
        ledger = self.ledger()
        with ledger.deciding() as turn:
            revoke(turn, self.ids[name], by="test", why="")
        ledger.close()

    def client(self, name: str, role: str) -> httpx.Client:
        """A client with a token of its own, the same one each time."""
        if name not in self.clients:
            self.clients[name] = httpx.Client(
                base_url=self.url, headers={"authorization": f"Bearer {self.token(name, role)}"}, timeout=40
            )
        return self.clients[name]

    @property
    def agent(self) -> httpx.Client:
        return self.client("robot", "agent")

    @property
    def other(self) -> httpx.Client:
        return self.client("other-robot", "agent")

    @property
    def approver(self) -> httpx.Client:
        return self.client("ann", "approver")

    @property
    def admin(self) -> httpx.Client:
        return self.client("root", "admin")

    def call(self, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        return {"tool": tool, "input": dict(given), "cwd": str(self.project), "session": "s1", **more}

    def bash(self, command: str, **more: Any) -> dict[str, Any]:
        return self.call("Bash", {"command": command}, **more)

    def start(self) -> None:
        self.api = api_for(self.folders, self.settings, Given(profile=PROFILE))
        self.server = Server(self.configured(self.api), self.api)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        end = time.monotonic() + 20
        while not self.server.started:
            assert self.thread.is_alive(), "the service did not start"
            assert time.monotonic() < end, "the service did not start in time"
            time.sleep(0.01)

    def configured(self, api: Api) -> uvicorn.Config:
        config: uvicorn.Config = configured(app_for(api, page_ways(api), lifespan=Outbound(api).running), self.settings)
        config.timeout_graceful_shutdown = 2
        return config

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        for client in self.clients.values():
            client.close()
        self.stop()
