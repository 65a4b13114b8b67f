"""The server, which ends what would never end by itself before it stops.

A stream of events lasts as long as somebody listens, and a page that is left open listens all day. So the listeners
are told first; otherwise a stop would wait for them and cut them off in the end.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from .api import Api

__all__ = ["Server"]


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, api: Api) -> None:
        super().__init__(config)
        self.api = api

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.api.hub.stop()
        await super().shutdown(sockets)
