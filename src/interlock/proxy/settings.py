"""What whoever starts the proxy says of it."""

from __future__ import annotations

from ..serve.settings import Settings
from ..value import Value

__all__ = ["ProxySettings"]


class ProxySettings(Value):
    """
    listen     where it listens, and how much it takes
    upstream   the model's address
    host       whose tool names these are; empty: the app's own
    hold       seconds for which a call is held while a person answers
    mode       `text`: a withheld call ends the turn with the reason; `continue`: the model is told, and goes on
    provider   kinds of tools that the provider may run by itself
    cwd        where the agent works
    hears      user messages are what the person said, and nothing else
    """

    listen: Settings
    upstream: str
    host: str = ""
    hold: float = 120.0
    mode: str = "text"
    provider: frozenset[str] = frozenset()
    cwd: str = "/"
    hears: bool = False
