"""The real proxy on a real socket, in front of a model that a test plays, with a home of its own."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import uvicorn

from interlock.proxy.app import Proxy
from interlock.proxy.run import gate_for, served
from interlock.proxy.settings import ProxySettings
from interlock.serve.settings import Settings
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, every_question
from ledger_rows import ledger_rows
from proxy.fake_model import FakeModel, Reply, fake_model
from proxy.said import Call, request, streamed, whole

__all__ = ["POLICY", "Proxying", "read_events"]

POLICY = """version = 1

[tools.look]
effects = ["read"]

[tools.pay]
effects = ["network"]
risk = "high"
irreversible = true

[tools.wipe]
effects = ["destructive"]

[[rules]]
id = "no-wipe"
when = { tool = "wipe" }
verdict = "deny"
reason = "Nothing is wiped here."
instead = "Leave it."
"""


class Proxying:
    """`with Proxying(tmp_path) as proxy:` and `proxy.says(api, "text", calls)`, `proxy.ask(api)`."""

    def __init__(self, folder: Path, *, policy: str = POLICY, **settings: Any) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        for made in (self.home, self.project):
            made.mkdir(parents=True, exist_ok=True)
        self.folders = folders_for(str(self.home))
        path = Path(self.folders.user_policy)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(policy)
        self.given = {"hold": 0.0, **settings}
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))  # kept, so that nobody else gets the port
        self.port: int = self.socket.getsockname()[1]
        self.stack = ExitStack()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def _start(self) -> None:
        self.model: FakeModel = self.stack.enter_context(fake_model())
        listen = Settings(port=self.port, body=64 * 1024 * 1024)
        settings = ProxySettings(listen=listen, upstream=self.model.url, cwd=str(self.project), **self.given)
        gate = gate_for(self.folders, settings, policy=None, root=str(self.project))
        config = served(Proxy(settings, gate))
        config.timeout_graceful_shutdown = 2
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        end = time.monotonic() + 20
        while not self.server.started:
            assert self.thread.is_alive(), "the proxy did not start"
            assert time.monotonic() < end, "the proxy did not start in time"
            time.sleep(0.01)
        self.client = self.stack.enter_context(httpx.Client(base_url=self.url, timeout=30, trust_env=False))

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.stack.close()
        self.socket.close()

    # --- what the model says ---------------------------------------------------------------------------------------

    def says(self, api: str, text: str, calls: Sequence[Call] = (), *, stream: bool = True, **more: Any) -> None:
        if stream:
            self.model.says(Reply(streamed(api, text, calls), **more))
        else:
            self.model.says(Reply.json(whole(api, text, calls), **more))

    def ask(
        self, api: str, text: str = "hello", *, stream: bool = True, headers: Any = None, **more: Any
    ) -> httpx.Response:
        path, body = request(api, text, stream=stream, **more)
        return self.client.post(path, json=body, headers={"x-api-key": "sk-of-a-test", **(headers or {})})

    # --- what was recorded -----------------------------------------------------------------------------------------

    def ledger(self) -> Ledger:
        return Ledger(self.folders.ledger, front="cli:approvals", patience=5.0)

    def answer(self, *, yes: bool) -> list[str]:
        """Answers all that waits."""
        ledger = self.ledger()
        try:
            every = every_question(ledger, over=False)
            waiting = [asked for asked in every if asked.is_open]
            for asked in waiting:
                answered(ledger, asked, yes=yes, by="ann", person="ann", why="")
        finally:
            ledger.close()
        return [asked.question.id for asked in waiting]

    def answers_soon(self, *, yes: bool, patience: float = 20) -> threading.Thread:
        """A person who answers once there is a question."""

        def waits() -> None:
            end = time.monotonic() + patience
            while time.monotonic() < end and not self.answer(yes=yes):
                time.sleep(0.1)

        person = threading.Thread(target=waits)
        person.start()
        return person

    def decisions(self) -> list[tuple[str, str]]:
        """Tool and verdict of each decision."""
        receipts = [row["body"]["receipt"] for row in ledger_rows(Path(self.folders.ledger), "decision")]
        return [(receipt["call"]["tool"], receipt["decision"]["verdict"]) for receipt in receipts]


def read_events(raw: bytes) -> list[dict[str, Any]]:
    """The data of a stream's events."""
    found = []
    for block in raw.decode().split("\n\n"):
        lines = [line[5:].strip() for line in block.splitlines() if line.startswith("data:")]
        if lines and lines[0] != "[DONE]":
            found.append(json.loads("\n".join(lines)))
    return found
