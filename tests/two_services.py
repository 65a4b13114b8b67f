"""Two services on two machines, with one PostgreSQL database between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from serving import Serving

__all__ = ["POLICY", "Two", "refund", "two_services"]

POLICY = """version = 1
profile = "serve"
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.lookup]
effects = ["read"]
"""


class Two:
    """A token is good at both."""

    def __init__(self, folder: Path, url: str) -> None:
        self.one = Serving(folder / "one", policy=POLICY, settings={"database": url})
        self.two = Serving(folder / "two", policy=POLICY, settings={"database": url})

    def at_two(self, name: str, role: str) -> httpx.Client:
        self.one.client(name, role)
        head = {"authorization": f"Bearer {self.one.tokens[name]}"}
        if name not in self.two.clients:
            self.two.clients[name] = httpx.Client(base_url=self.two.url, headers=head, timeout=40)
        return self.two.clients[name]


@contextmanager
def two_services(folder: Path, url: str) -> Iterator[Two]:
    two = Two(folder, url)
    with two.one, two.two:
        yield two


def refund(client: httpx.Client, amount: int, session: str, wait: int = 0) -> httpx.Response:
    call = {"tool": "refund", "input": {"amount": amount}, "session": session, "cwd": "/"}
    return client.post("/v1/decisions" + (f"?wait={wait}" if wait else ""), json=call)
