"""The end of the ledger, sent off the machine: where it is kept, whoever rewrites this disk cannot rewrite it.

A head is the number and the hash of the last row, and the hash follows from every row before it. So one head that was
kept elsewhere proves all of them, and a later head makes an earlier one that failed good. `interlock audit verify
--against` compares. Nothing here is on the way of a decision: a process of its own sends at the start and the end of
a session, within a bound, and what failed is told at the next start.
"""

from __future__ import annotations

import os
import time

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import EVIDENCE_SECONDS, MAX_STATE_BYTES
from ...model.errors import InputError, InterlockError, StoreError
from ...value import TYPE_CHECKING, Value, lazy
from .. import sql
from ..home.files import read_file, write_file
from .head import Head

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...policy.model import Evidence
    from ..home.folders import Folders
    from ..ledger.audit import open_for_reading
    from ..ledger.identity import ledger_name
    from .senders import send
else:
    open_for_reading = lazy(globals(), "..ledger.audit", "open_for_reading")
    ledger_name = lazy(globals(), "..ledger.identity", "ledger_name")
    send = lazy(globals(), ".senders", "send")

__all__ = [
    "Sent",
    "head_of",
    "machine_name",
    "send_heads",
    "sent_before",
    "shown",
    "told_of_heads",
]


class Sent(Value):
    """What became of sending to one address. `seq` is the last row that arrived there; `trouble` since `since`."""

    seq: int = 0
    at: int = 0
    trouble: str = ""
    since: int = 0


def machine_name(given: str = "") -> str:
    """The name in the policy, or the account and the machine's own."""
    if given:
        return given
    import pwd

    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        account = str(os.getuid())
    return f"{account}@{os.uname().nodename}"[:200]


def head_of(folders: Folders, name: str = "") -> Head | None:
    """The head as it is now; None where nothing is recorded yet."""
    from ..ledger.sqlite import NothingYetError

    try:
        database = open_for_reading(folders.ledger)
    except NothingYetError:
        return None
    try:
        tip = database.row(sql.TIP)
        if tip is None or not tip[0]:
            return None
        ledger = ledger_name(database)
    finally:
        database.close()
    now = time.time_ns() // 1_000_000
    return Head(machine=machine_name(name), ledger=ledger, seq=tip[0], hash=str(tip[1]), at=now)


def _state(folders: Folders) -> str:
    return folders.state + "/evidence.json"


def sent_before(folders: Folders) -> dict[str, Sent]:
    """Address -> what became of it. A file that cannot be read says nothing; it is written anew."""
    try:
        wire: Any = parse_object(read_file(_state(folders), limit=MAX_STATE_BYTES) or b"{}", limit=MAX_STATE_BYTES)
        return {str(address): Sent(**dict(said)) for address, said in wire.items()}
    except (InterlockError, TypeError, ValueError):
        return {}


def send_heads(folders: Folders, evidence: Evidence) -> Mapping[str, Sent]:
    """Sends the head to every address, each within its bound. What fails at one does not keep it from the others."""
    before, done = sent_before(folders), {}
    head = head_of(folders, evidence.machine)
    for address in evidence.send if head is not None else ():
        said = before.get(address, Sent())
        now = time.time_ns() // 1_000_000
        try:
            send(address, head, folders, EVIDENCE_SECONDS)  # type: ignore[arg-type]
            done[address] = Sent(seq=head.seq, at=now)  # type: ignore[union-attr]
        except (StoreError, InputError) as error:
            done[address] = said.replace(trouble=str(error)[:1000], since=said.since if said.trouble else now)
    if head is not None:
        write_file(_state(folders), canonical({address: said.as_dict() for address, said in done.items()}) + b"\n")
    return done


def told_of_heads(folders: Folders, evidence: Evidence) -> tuple[str, ...]:
    """What a person is told at the start of a session: where heads did not arrive."""
    told = []
    for address, said in sent_before(folders).items():
        if said.trouble and address in evidence.send:
            day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(said.since / 1000))
            told.append(
                f"the ledger's head was not sent to {shown(address)} since {day}: {said.trouble}. It is tried again "
                "now; by hand: interlock audit heads send"
            )
    return tuple(told)


def shown(address: str) -> str:
    """The address without what may be a token."""
    return address.partition("?")[0]
