"""The process that asks the team store for a hook: `own_entry.py team_entry`, question on stdin, answer on stdout.

The hook runs without site-packages and so without the driver of PostgreSQL. This process has them, and nothing of the
project: no environment but HOME, no working folder. The answer is `{}` for yes, else `why`, and `away` where no other
grant needs to be asked about.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

__all__ = ["main"]


def main() -> None:
    from interlock.limits import TEAM_CHILD_SECONDS

    signal.setitimer(signal.ITIMER_REAL, TEAM_CHILD_SECONDS + 0.5)  # nobody waits any longer for what it says
    answer = _answer(json.loads(sys.stdin.buffer.read()))
    sys.stdout.write(json.dumps(answer))


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    from interlock.limits import TEAM_REDEEM_SECONDS
    from interlock.model.errors import InterlockError
    from interlock.store.home.folders import folders_for
    from interlock.store.team.team import open_team
    from interlock.store.team.team_ledger import TeamLedger

    folders = folders_for(question["home"])
    try:
        database = open_team(question["url"], folders, wait=TEAM_REDEEM_SECONDS, work=TEAM_REDEEM_SECONDS)
    except InterlockError as error:
        return {"why": str(error), "away": True}
    try:
        team = TeamLedger(database)
        if question["do"] == "look":
            counts = team.is_live(question["grant"])
        else:
            counts = team.redeem(question["grant"], question["body"].encode())
    except InterlockError as error:
        return {"why": str(error), "away": True}
    finally:
        database.close()
    return {} if counts else {"why": "it was used up, taken back or has expired in the team store"}
