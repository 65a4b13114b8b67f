"""A preview from its beginning to its end, for every surface: made, then applied or discarded, each with its row.

A surface says who is there and how a yes is given; what is applied is decided by the engine.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..model.errors import ApprovalError
from ..store.home.folders import Folders
from ..store.people.answering import Asked, applied, not_applied, why_not_applied
from .apply import discard, put_in_place, record
from .apply import why_not_applied as why_not_now
from .changes import changes_of
from .judged import judged
from .kept import Preview, keep, made_of, make_room
from .run import new_stage, run
from .view import Limits, Order

if TYPE_CHECKING:
    from ..calls.world import Outcome
    from ..engine import Engine
    from ..store.ledger.ledger import Ledger

__all__ = ["apply_preview", "discard_preview", "made_preview", "order_of", "told_to_the_agent"]

_TOLD = 1200  # characters of its output that the agent is told
_RUNS = {"command", "description", "timeout"}  # fields of a command that is run and waited for


def made_preview(folders: Folders, ledger: Ledger, order: Order, *, by: str, approval: str = "") -> Preview:
    """Runs it, keeps what it left, and says so in the ledger."""
    make_room(folders)
    stage = new_stage(folders)
    try:
        ran = run(order, folders, stage)
        preview = made_of(ran, changes_of(ran), approval=approval)
        keep(preview)
        record(ledger, preview, "ran", {"by": by})
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    return preview


def order_of(asked: Asked, limits: Limits, where: str = "terminal") -> Order:
    """The command of a call that waits. ApprovalError where it has none, or it cannot be run as it was asked."""
    why = why_not_applied(asked, where=where)
    command = (asked.input or {}).get("command")
    if why is None and (asked.body["tool"] != "Bash" or type(command) is not str or set(asked.input or {}) - _RUNS):
        why = f"{asked.question.id} is not about a command that is run and waited for"
    if why is None and "root" not in asked.body:
        why = f"{asked.question.id} does not say which project it is about"
    if why is not None:
        raise ApprovalError(why)
    return Order(command=str(command), root=str(asked.body["root"]), cwd=str(asked.body["folder"]), limits=limits)


def told_to_the_agent(preview: Preview) -> str:
    output = str(preview.told["output"])
    more = f" … ({len(output) - _TOLD} more characters)" if len(output) > _TOLD else ""
    printed = f"It printed: {output[:_TOLD]}{more}" if output else "It printed nothing."
    return f"Exit code {preview.told['exit']}. {printed}"


def apply_preview(
    engine: Engine,
    ledger: Ledger,
    preview: Preview,
    *,
    by: str,
    person: str = "",
    where: str = "terminal",
    asked: Asked | None = None,
    say_yes: Callable[[Outcome], None],
) -> tuple[str, ...]:
    """Judged, then put in place; the receipts. ApprovalError where nothing was applied.

    `asked` is the question of an agent that waits for the call. It is taken before anything is put in place, so that
    nobody else lets the call run as well; where nothing could be put in place, the agent is asked about anew.
    """
    why = why_not_now(preview) or (None if asked is None else why_not_applied(asked, where=where))
    if why is not None:
        raise ApprovalError(f"nothing was applied: {why}")
    found = judged(engine, preview, say_yes)
    if found.against is not None:
        record(ledger, preview, "denied", {"by": by, "receipts": [*found.receipts, found.against.receipt]})
        raise ApprovalError(f"nothing was applied: {found.why}")
    if asked is not None:
        says = told_to_the_agent(preview)
        applied(ledger, asked, by=by, person=person, says=says, preview=preview.id, where=where)
    try:
        # INVARIANT: no record, no action. What then fails is said in a row of its own.
        record(ledger, preview, "applied", {"by": by, "receipts": list(found.receipts)})
        put_in_place(preview, engine.folders)
    except BaseException:
        if asked is not None:
            not_applied(ledger, asked, "what the preview had found could not be applied")
        record(ledger, preview, "failed", {"by": by, "receipts": list(found.receipts)})
        raise
    discard(preview)
    return found.receipts


def discard_preview(ledger: Ledger, preview: Preview, *, by: str) -> None:
    record(ledger, preview, "discarded", {"by": by})
    discard(preview)
