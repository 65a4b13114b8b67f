"""HTTP by hand: bytes as no client library would send them, and what comes back."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serving import Serving

__all__ = ["CALL", "Said", "connected", "head", "posted", "said", "sent"]


@dataclass(frozen=True)
class Said:
    """One answer. `status` is 0 where the connection was closed without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The word for programs in an error."""
        return str(json.loads(self.body)["error"]["code"])

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def connected(port: int, timeout: float = 10) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)


def sent(port: int, raw: bytes, timeout: float = 10) -> Said:
    """The first answer to these bytes, on a connection of their own."""
    with connected(port, timeout) as peer:
        try:
            peer.sendall(raw)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return said(peer)


def said(peer: socket.socket) -> Said:
    """The next answer on a connection that is open; as many bytes of a body as it says."""
    raw = b""
    try:
        while b"\r\n\r\n" not in raw:
            part = peer.recv(65536)
            if not part:
                return Said(0, {}, raw)
            raw += part
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        while len(body) < length:
            part = peer.recv(65536)
            if not part:
                break
            body += part
    except ConnectionResetError:
        return Said(0, {}, raw)
    return Said(int(first.split(" ")[1]), headers, body[:length])


def head(service: Serving, first: str = "GET /v1/approvals HTTP/1.1", *lines: str, token: str = "root") -> bytes:
    own = [f"Host: 127.0.0.1:{service.settings.port}", f"Authorization: Bearer {service.tokens[token]}"]
    return "\r\n".join([first, *own, *lines, "", ""]).encode("latin-1")


def posted(service: Serving, body: bytes, *lines: str) -> bytes:
    return head(service, "POST /v1/decisions HTTP/1.1", "Content-Type: application/json", *lines, token="robot") + body


CALL = b'{"tool":"lookup","input":{}}'
