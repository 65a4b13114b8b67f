"""What is carried off this machine after a session began or ended: `own_entry.py errand_entry HOME`.

The head of the ledger goes to the addresses of `[evidence]`, and the team store hears how this machine is. It decides
nothing and nobody waits for it: what fails is noted, told at the next start of a session, and tried again then. One
runs at a time, so that what a later one sends is never older.
"""

from __future__ import annotations

import signal
from typing import Any

__all__ = ["main"]

_TRIES = 20  # at the lock, each of some seconds


def main(home: str) -> None:
    from interlock.limits import ERRAND_SECONDS
    from interlock.model.errors import InterlockError
    from interlock.store.home.files import locked
    from interlock.store.home.folders import folders_for

    signal.setitimer(signal.ITIMER_REAL, ERRAND_SECONDS)  # then the system ends it, whatever hangs
    folders = folders_for(home)
    for _ in range(_TRIES):
        try:
            unlock = locked(folders.state + "/errand.lock")
        except InterlockError:
            continue
        try:
            _carried(folders)
        finally:
            unlock()
        return


def _carried(folders: Any) -> None:
    from interlock.store.home.policies import load_policy
    from interlock.store.outside.evidence import send_heads

    policy = load_policy(folders, None)
    if policy.evidence.send:
        send_heads(folders, policy.evidence)
    if policy.store:
        from interlock.model.errors import StoreError
        from interlock.store.team.machines import report_machine

        try:
            report_machine(folders, policy)
        except StoreError:
            pass  # that nothing was heard of this machine shows in `interlock store machines`
