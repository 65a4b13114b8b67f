"""A person who has enrolled a key, and time that passes."""

from __future__ import annotations

from hook_process import Machine
from interlock.bytes.canon import canonical
from interlock.record.approvers import DAY
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from person import at_a_terminal
from ssh_keys import Key

__all__ = ["DAY", "enrolled", "later"]


def later(machine: Machine, milliseconds: int = DAY + 1000) -> None:
    """The ledger's clock never runs backwards, and its last row says what time it is at least."""
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    then = ledger.clock() + milliseconds
    ledger.clock = lambda: then
    with ledger.deciding() as turn:
        turn.append("override", canonical({"why": "time has passed"}), key="test")
    ledger.close()


def enrolled(machine: Machine, key: Key) -> None:
    done = at_a_terminal(machine.home, "approver", "enrol", "--key", str(key.public), "--yes")
    assert done.code == 0, done.out
