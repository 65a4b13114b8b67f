"""Machines as the team store knows them: which version and policy each runs, and when a hook last decided there.

A machine says so itself, in the process that carries its heads away (`errand_entry.py`); no decision waits for it. It
is a look at the fleet and no evidence: for that there are the shipped rows and the heads.
"""

from __future__ import annotations

from typing import Any

from ... import __version__
from ...model.errors import InterlockError, StoreError
from ...policy.model import Policy
from ..home.folders import Folders
from ..ledger.audit import open_for_reading
from ..ledger.postgres import Database
from ..ledger.sqlite import NothingYetError
from ..outside.evidence import machine_name
from ..sql.machines import MACHINES, REPORT_MACHINE
from .policy_bundles import bundle_in_force
from .team import open_team

__all__ = ["machines_in", "report_machine"]

_FIELDS = ("machine", "account", "engine", "policy", "bundle", "last_hook", "reported")
_LAST = "SELECT at FROM ledger WHERE kind IN ('decision', 'session') ORDER BY seq DESC LIMIT 1"
_WAIT, _WORK = 1.0, 5.0


def report_machine(folders: Folders, policy: Policy) -> None:
    """Says in the team store how this machine is. StoreError where that is away."""
    database = open_team(policy.store, folders, wait=_WAIT, work=_WORK)
    try:
        name = machine_name(policy.evidence.machine)
        database.row(REPORT_MACHINE, (name, __version__, policy.digest, _bundle(), _last_hook(folders)))
    finally:
        database.close()


def _bundle() -> int:
    try:
        bundle = bundle_in_force()
    except InterlockError:
        return 0
    return 0 if bundle is None else bundle.number


def _last_hook(folders: Folders) -> int:
    try:
        database = open_for_reading(folders.ledger)
    except NothingYetError:
        return 0
    try:
        return int((database.row(_LAST) or (0,))[0])
    finally:
        database.close()


def machines_in(database: Database) -> list[dict[str, Any]]:
    if not database.has_machines():
        raise StoreError(f"`{database.path}` keeps no machines yet; its owner runs: interlock store migrate")
    return [dict(zip(_FIELDS, row, strict=True)) for row in database.rows(MACHINES)]
