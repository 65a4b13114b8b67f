"""Grants that a team shares: kept in the team store, copied into each ledger, and used up in the team store.

Their ids begin with `team:`. One that has a number of uses counts only where the team store says that this was
one of them; where it cannot be asked, the grant does not count and the call asks a person. So many
machines can hold the same single-use grant, and one of them wins it.
"""

from __future__ import annotations

import sys
import time

from ... import PACKAGE
from ...limits import MAX_STATE_BYTES, TEAM_CHILD_SECONDS
from ...model.errors import InterlockError, StoreError
from ...value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from typing import Any

    from ...approve.grant import Grant
    from ...approve.held import keys_of_grant
    from ...bytes.canon import canonical, digest
    from ...bytes.redact import redact
    from ...bytes.strict import parse_object
    from ...record.chain import Row
    from ...record.receipt import grant_from_wire, grant_to_wire
    from ..home.folders import Folders
    from ..ledger.ledger import Turn
    from .team_ledger import TeamLedger
else:
    keys_of_grant = lazy(globals(), "...approve.held", "keys_of_grant")
    canonical = lazy(globals(), "...bytes.canon", "canonical")
    digest = lazy(globals(), "...bytes.canon", "digest")
    redact = lazy(globals(), "...bytes.redact", "redact")
    parse_object = lazy(globals(), "...bytes.strict", "parse_object")
    grant_from_wire = lazy(globals(), "...record.receipt", "grant_from_wire")
    grant_to_wire = lazy(globals(), "...record.receipt", "grant_to_wire")

__all__ = ["SHARED", "Redeeming", "copy_grant", "redeem_shared", "share"]

SHARED = "team:"


def share(team: TeamLedger, grant: Grant, *, holder: str = "", expires: int = 0, uses: int = 0) -> Grant:
    """Gives a grant to everybody, in the team's ledger; the same with its id."""
    said = {"call": "", "expires": expires, "folder": "", "holder": holder, "terminal": "", "uses": uses, "words": ""}
    name = SHARED + digest([grant_to_wire(grant), said, str(time.time_ns())])[len("sha256:") :][:12]
    grant = grant.replace(id=name)
    body = canonical({**said, "grant": grant_to_wire(grant)})
    team.give(name, body, key=keys_of_grant(grant)[1], holder=holder, expires=expires, uses=uses)
    return grant


def copy_grant(turn: Turn, row: Row) -> bool:
    """Copies a grant's row of the team's ledger into this one; whether it is new here.

    INVARIANT: holder, end and uses come from the row, which the chain binds, and not from the table beside it.
    """
    if not row.key.startswith(SHARED) or turn.find(row.key, "grant") is not None:
        return False
    try:
        said: Any = parse_object(row.body, limit=MAX_STATE_BYTES)
        grant = grant_from_wire(said["grant"])
        holder, expires, uses = said["holder"], said["expires"], said["uses"]
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"row {row.seq} of the team's ledger is not a grant: {str(error)[:200]}") from None
    if grant.id != row.key or type(holder) is not str or type(expires) is not int or type(uses) is not int:
        raise StoreError(f"row {row.seq} of the team's ledger is not the grant that it says it is")
    turn.grant(grant.id, row.body, key=keys_of_grant(grant)[1], holder=holder, expires=expires, uses=uses)
    return True


class Redeeming:
    """Asks the team store, in processes of their own, about the grants of one call.

    The hook runs without site-packages, so that nothing beside the standard library can run in it; the driver of
    PostgreSQL is there. So the same interpreter is started once more, with site-packages, isolated from the project:
    a clean environment, no working folder, nothing but a question on stdin. All questions of one call share one budget
    of time, and a store that was away is not asked again.
    """

    def __init__(self, url: str, folders: Folders) -> None:
        self.url = url
        self.folders = folders
        self.left = TEAM_CHILD_SECONDS
        self.away: str | None = None

    def redeem(self, grant: str, body: bytes) -> str | None:
        """Uses the grant once in the team store; why it could not be used, or None if it was."""
        return self._asked({"do": "redeem", "grant": grant, "body": body.decode()})

    def look(self, grant: str) -> str | None:
        """Why the grant would not count there now, or None if it would. Nothing is used."""
        return self._asked({"do": "look", "grant": grant})

    def _asked(self, question: dict[str, str]) -> str | None:
        if not self.url:
            return "the policy names no team store to redeem it in"
        if self.away is not None:
            return self.away

        before = time.monotonic()
        said = _answer_of({**question, "url": self.url, "home": self.folders.home}, self.left)
        self.left -= time.monotonic() - before
        why = said.get("why")
        if said.get("away") is True or self.left <= 0:
            self.away = why or f"the team store took more than {TEAM_CHILD_SECONDS:g} s"
        return why


def redeem_shared(grant: str, body: bytes, url: str, folders: Folders) -> str | None:
    """One grant on its own."""
    return Redeeming(url, folders).redeem(grant, body)


def _answer_of(question: dict[str, str], seconds: float) -> dict[str, Any]:
    """INVARIANT: whatever goes wrong is a reason why the grant does not count, told whole."""
    import json
    import subprocess
    from os.path import abspath

    # Nothing of the environment is handed on: a project can set it in some hosts, and a `PGHOST` or `LD_PRELOAD` from
    # there must not choose the server that says yes. libpq looks for certificates below HOME.
    environment = {"HOME": question["home"], "LC_ALL": "C.UTF-8"}
    command = [abspath(sys.executable), "-I", "-B", f"{PACKAGE}/store/own_entry.py", "team_entry"]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and file
            command,
            input=json.dumps(question).encode(),
            capture_output=True,
            cwd="/",
            env=environment,
            timeout=max(seconds, 0.05),
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return {"why": f"the team store gave no answer within {seconds:.1f} s", "away": True}
    except OSError as error:
        return {"why": f"`{command[0]}` could not be started to ask the team store: {error.strerror}", "away": True}
    try:
        said = json.loads(done.stdout)
        if done.returncode == 0 and (said == {} or type(said["why"]) is str):
            return dict(said)
    except (ValueError, KeyError, TypeError):
        pass
    told = redact(done.stderr.decode("utf-8", "replace").strip())[-2000:]
    return {"why": f"asking the team store failed with exit code {done.returncode}: {told or 'nothing was said'}"}
