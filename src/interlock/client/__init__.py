"""A client of the HTTP service (`interlock serve`) for programs in Python: `pip install 'interlock[client]'`.

    from interlock.client import Client

    with Client("https://guard.example", token) as guard:
        decided = guard.wait_for(guard.decide("refund", {"amount": 5000}, session="order-17"))
        if decided.allowed:
            result = refund(5000)
            guard.outcome(decided, "ran", result)

`AsyncClient` has the same methods, to be awaited. A call is sent under a key, so that it may be sent again when a
connection is lost: it fires once all the same. What cannot be had in time ends in an error, never in an allow.

    values.py    what the service says, as values
    steps.py     what is sent and tried again; no network in it
    sync.py      Client
    waiting.py   AsyncClient
"""

from __future__ import annotations

from .sync import Client
from .values import Approval, Decided, Event
from .waiting import AsyncClient

__all__ = ["Approval", "AsyncClient", "Client", "Decided", "Event"]
