"""Where a question of ours reaches the person in front of a host: the socket of our own server in that host.

The host starts the server (`asker.py`) as it starts any MCP server, so both it and the hook stand right below the host.
A server is known by that: its socket is named after the host's process and its own. Every hook of a host that can be
asked in our own words loads this, so it imports next to nothing.
"""

from __future__ import annotations

import os

from ..value import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..hosts.traits import Traits
    from ..model.events import Proposed
    from ..store.people.surface import parent_of
else:
    parent_of = lazy(globals(), "..store.people.surface", "parent_of")

__all__ = ["FOLDER", "desk_of", "is_asked_here", "name_of"]

FOLDER = "ask"  # below the folder of our state: guarded as our own files are


def name_of(host: int, server: int) -> str:
    return f"{host}-{server}"


def is_asked_here(traits: Traits, event: Proposed, state: str, wait: int) -> bool:
    """Whether the person in front of the host may be asked in our own words, as far as can be told before it is known
    that anything is asked. `wait`: for how many seconds the host can be kept waiting.
    """
    place = event.place
    if not traits.own_words or not wait or not place.attended or event.planning:
        return False
    return bool(event.word) or desk_of(state, place.parent) > 0


def desk_of(state: str, host: int) -> int:
    """The process of the one server that this host runs; 0 where there is none, or more than one: a host with several
    sessions does not say which server belongs to which.
    """
    try:
        names = os.listdir(f"{state}/{FOLDER}") if host > 0 else []
    except OSError:
        return 0
    servers = [int(server) for at, _, server in [name.partition("-") for name in names] if at == str(host)]
    if not servers:
        return 0

    living = [server for server in servers if parent_of(server) == host]
    return living[0] if len(living) == 1 else 0
