"""An event that its hook's host did not send: another host has found the hook in that host's settings, and called it.

    served       we have a file for the caller: it is judged, recorded and answered as that host's own
    left alone   we have none, and a person has said that its calls go unjudged. The answer holds no decision
    told         otherwise the call is refused, and the reason says what a person can do

Each call leaves a row. Events that gate nothing are not taken in. An answer that does not allow leaves with exit code
2 as well: that is what every host takes as a block, whichever host's words it expects here.
"""

from __future__ import annotations

import os

from ..bytes.redact import redact
from ..bytes.strict import parse_object
from ..hosts import host_named
from ..hosts.callers import LISTED, caller_above
from ..model.errors import InputError, InterlockError, printable
from ..model.events import Spoken
from ..store.home.folders import folders_for
from ..store.home.foreign import keep_call, left_alone
from ..store.ledger.ledger import Ledger
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..hosts.callers import Caller
    from ..value import Json
    from .run import Arguments

    Serves = Callable[[str], Spoken | None]

__all__ = ["answered"]

_ALONE = b"{}\n"  # an answer without a decision: the caller's own rules apply
# Short, and what to do comes first: Grok shows some 250 characters of it.
_TOLD = "{title} called a hook in the settings of {through}. Interlock cannot judge this call, so it is refused."
_LEAVE = " To let {title} run unguarded, a person runs in their own terminal: interlock foreign leave {name}."
_MOST_TOOL = 200


def answered(told: Arguments, data: Mapping[str, Json], raw: bytes, serve: Serves) -> Spoken | None:
    """The answer to a listed caller; None: no listed host called, and the event is judged as what it was taken for.

    `serve` judges the event with the file of another host; None: that file does not know it either.
    """
    name = caller_above(os.getppid())
    if not name or name == told.host or LISTED[name].served == told.host:
        return None
    if not told.gating:
        return Spoken()
    caller = LISTED[name]
    said = serve(caller.served) if caller.served else None
    return _unknown(told, name, caller, data, raw) if said is None else _closed(said, caller)


def _closed(said: Spoken, caller: Caller) -> Spoken:
    key, value = caller.lets
    try:
        lets = said.code == 0 and parse_object(said.stdout).get(key) == value
    except InputError:
        lets = False
    return said if lets else said.replace(code=2, stderr=said.stderr or said.stdout)


def _unknown(told: Arguments, name: str, caller: Caller, data: Mapping[str, Json], raw: bytes) -> Spoken:
    """A call that nothing here can judge."""
    folders = folders_for(told.home)
    passes = not caller.served and name in left_alone(folders)
    tool = data.get("toolName", data.get("tool_name"))
    shown = redact(printable(tool))[:_MOST_TOOL] if type(tool) is str else ""
    try:
        ledger = Ledger(folders.ledger, front=f"hook:{told.host}")
        try:
            with ledger.deciding() as turn:
                keep_call(turn, caller=name, through=told.host, tool=shown, raw=raw, passes=passes)
        finally:
            ledger.close()
    except InterlockError as error:
        return Spoken(stderr=f"Interlock: not recorded, and so refused: {redact(str(error))}.\n".encode(), code=2)
    if passes:
        return Spoken(stdout=_ALONE)
    through = host_named(told.host).TRAITS.title
    text = _TOLD.format(title=caller.title, through=through)
    if not caller.served:
        text += _LEAVE.format(title=caller.title, name=name)
    if caller.cure:
        text += f" To keep it from calling them: {caller.cure}."
    return Spoken(stderr=f"Interlock: {text}\n".encode(), code=2)
