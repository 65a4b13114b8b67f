"""What the service sends out by itself, while it runs: webhooks and Slack.

Made before the service listens, so that a wrong setting is told at once; started with it, and stopped with it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..model.errors import lacking
from ..value import lazy
from .webhooks import Senders

if TYPE_CHECKING:
    from .api import Api
    from .slack.desk import Desk
else:
    Desk = lazy(globals(), ".slack.desk", "Desk")

__all__ = ["Outbound"]


class Outbound:
    def __init__(self, api: Api) -> None:
        self.webhooks = Senders(api)
        self.slack = _slack(api)

    @asynccontextmanager
    async def running(self, _api: Api) -> AsyncIterator[None]:
        await self.webhooks.start()
        if self.slack is not None:
            await self.slack.start()
        try:
            yield
        finally:
            if self.slack is not None:
                await self.slack.stop()
            await self.webhooks.stop()


def _slack(api: Api) -> Desk | None:
    if api.settings.slack is None:
        return None
    try:
        import slack_sdk  # noqa: F401 - only whether it is there
    except ImportError:
        raise lacking("Slack", "slack", "slack_sdk", sys.executable) from None

    return Desk(api)
