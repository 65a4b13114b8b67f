"""The official clients in one process for all tests of a worker, and a proxy for each test."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.environment import path_of_clients
from proxy.proxying import Proxying

__all__ = ["Clients", "clients", "proxy"]


class Clients:
    def __init__(self, python: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        self.process = subprocess.Popen(
            [str(python), "-W", "ignore", str(Path(__file__).parent / "clients.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=kept,
            text=True,
        )
        assert self.process.stdout is not None
        self.versions: dict[str, str] = json.loads(self.process.stdout.readline())

    def ask(self, api: str, url: str, form: str, *, text: str = "hello", headers: Any = None, **more: Any) -> Any:
        """What the client made of the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        order = {"api": api, "url": url, "form": form, "text": text, "headers": headers or {}, **more}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="session")
def clients() -> Iterator[Clients]:
    at = path_of_clients()
    if not (at / ".ready").exists():
        missing = "the official model clients are not here: scripts/model_clients.sh"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    found = Clients(at / "bin" / "python")
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxying]:
    with Proxying(tmp_path) as found:
        yield found
