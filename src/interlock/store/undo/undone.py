"""Taking back what a call did: which checkpoint is meant, what it would change now, and the change itself.

What is there now is held first, so that an undo can be undone. A row of the ledger comes before the change: nothing is
put back of which no row tells.
"""

from __future__ import annotations

from ...approve.compensators import compensator_of
from ...approve.grant import is_outward
from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...model.errors import InputError, StoreError
from ...reading.places.places import is_secret
from ...record.receipt import action_from_wire
from ...value import TYPE_CHECKING
from ..ledger.audit import find, open_for_reading
from ..ledger.rows import open_decision
from ..people.surface import ancestors
from .git_restore import git_now, put_git_back
from .held import ABSENT, FILE, FOLDER, LINK
from .holding import shelf_of
from .keep import Wanted, keep
from .restore import MOVED, SAME, restore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...policy.model import Policy
    from ...record.chain import Row
    from ..home.folders import Folders
    from ..ledger.ledger import Ledger
    from .held import Checkpoint, Node
    from .restore import Step
    from .shelf import Kept, Opened, Shelf

__all__ = ["compensators_in", "latest", "listed", "made_good", "named", "of_session", "session_above", "undo"]

_RECENT = 1000


def listed(shelf: Shelf) -> list[tuple[Kept, Checkpoint]]:
    """Every checkpoint that can be read, oldest first."""
    found = []
    for kept in shelf.kept():
        try:
            with shelf.open(kept) as opened:
                found.append((kept, opened.checkpoint))
        except StoreError:
            continue
    return found


def latest(shelf: Shelf, *, root: str = "", session: str = "") -> Kept:
    """The newest that was made for a call and was not put back since."""
    for kept, checkpoint in _standing(shelf):
        if (not root or checkpoint.root == root) and (not session or checkpoint.session == session):
            return kept
    raise InputError("there is nothing to undo here; `interlock checkpoints list` shows what is kept")


def of_session(shelf: Shelf, session: str) -> list[Kept]:
    """All of one session that were not put back, newest first."""
    ends = ":" + session  # a front puts its own name before a session's
    found = [kept for kept, held in _standing(shelf) if held.session == session or held.session.endswith(ends)]
    if not found:
        raise InputError(f"there is nothing to undo of the session `{session}`")
    return found


def _standing(shelf: Shelf) -> list[tuple[Kept, Checkpoint]]:
    """Those of calls that were not put back, newest first. An undo that was undone does not count."""
    gone: set[str] = set()
    found = []
    for kept, checkpoint in reversed(listed(shelf)):
        if checkpoint.id in gone:
            continue
        if checkpoint.undoes:
            gone.add(checkpoint.undoes)
        else:
            found.append((kept, checkpoint))
    return found


def made_good(folders: Folders, name: str) -> list[tuple[str, str]]:
    """How a call that nothing is held of is made good."""
    database = open_for_reading(folders.ledger)
    try:
        rows = [row for row in find(database, name) if row.kind == "decision"]
        if not rows or name.isdigit():
            return []
        return compensators_in(rows[0])
    finally:
        database.close()


def compensators_in(row: Row) -> list[tuple[str, str]]:
    """Of a decision's row: each action that leaves this machine or cannot be taken back, and its compensator."""
    actions = [action_from_wire(wire) for wire in open_decision(row)[1]["reading"]["actions"]]
    return [(action.name, compensator_of(action)) for action in actions if action.irreversible or is_outward(action)]


def named(shelf: Shelf, folders: Folders, name: str) -> Kept:
    """The checkpoint with that name, or the one of the receipt with that name; beginnings will do."""
    short = name.removeprefix("sha256:")
    found = shelf.find(short) if len(short) >= 6 else None
    if found is not None:
        return found
    database = open_for_reading(folders.ledger)
    try:
        rows = [row for row in find(database, name) if row.kind == "decision"]
        if not rows:
            raise InputError(f"there is no receipt and no checkpoint `{name}`; at least six characters are needed")
        wanted = str(open_decision(rows[0])[1]["reading"].get("undo", ""))
    finally:
        database.close()
    if not wanted:
        raise InputError(
            "nothing was held for this call: it lost nothing that a checkpoint holds, or it was asked about"
        )
    found = shelf.find(wanted)
    if found is None:
        raise InputError(f"the checkpoint of this call, `{wanted[:12]}`, was removed")
    return found


def session_above(ledger: Ledger) -> str:
    """The session whose agent runs above this process; empty where there is none."""
    if not ledger.database.is_there():
        return ""
    above = {(process.pid, process.start) for process in ancestors()[1:]}
    statement = "SELECT key, body FROM ledger WHERE kind = 'session' ORDER BY seq DESC LIMIT ?"
    for key, body in ledger.connect().rows(statement, (_RECENT,)):
        parent: Any = parse_object(body, limit=len(body) + 1).get("parent")
        if type(parent) is tuple and len(parent) == 2 and (int(parent[0]), int(parent[1])) in above:
            return str(key)
    return ""


def undo(
    folders: Folders,
    ledger: Ledger,
    opened: Opened,
    steps: Sequence[Step],
    choices: dict[str, str],
    *,
    by: str,
    policy: Policy | None = None,
    git: bool = True,
) -> tuple[list[str], Checkpoint]:
    """The paths that were written, and the checkpoint that takes it back. `git`: names and index are put back too."""
    checkpoint = opened.checkpoint
    changed = [step for step in steps if step.how != SAME and choices.get(step.node.path) != "skip"]
    aside = [step for step in changed if not (step.how == MOVED and choices.get(step.node.path) == "beside")]
    before = keep(
        shelf_of(folders, policy),
        checkpoint.root,
        [_as_it_is(step) for step in aside],
        session=checkpoint.session,
        call=checkpoint.call,
        git=(lambda keeping: git_now(opened, keeping)) if checkpoint.git else None,
        refuses=lambda path: f"`{path}` is there now and may hold secrets" if is_secret(f"/{path}") else "",
        undoes=checkpoint.id,
        person=True,
    )
    said = {"by": by, "before": before.id, "paths": len(changed), "root": checkpoint.root}
    with ledger.deciding() as turn:
        turn.append("undo", canonical(said), key=checkpoint.id, durable=True)
    last = (lambda: put_git_back(opened)) if checkpoint.git and git else None
    return restore(opened, steps, choices, last), before


def _as_it_is(step: Step) -> Wanted:
    path = step.node.path
    return Wanted(path=path, after=_left(step.node), whole=step.how == MOVED, linked=path.endswith("/.git"))


def _left(node: Node) -> str:
    """What is there once the node was put back: see `Node.after`."""
    if node.kind == FILE:
        return f"sha256:{node.sha256}" if node.extents is None and not node.link else ""
    return {FOLDER: "folder", LINK: f"link:{node.link}", ABSENT: "absent"}[node.kind]
