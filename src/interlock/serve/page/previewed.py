"""Previews on the page: run a command that waits on a view of its project, see what it would change, apply or discard.

Offered only where the policy of that project says `[preview] page = true`, the project lies on this machine, and the
machine can make a view. One runs at a time: it is a person's errand, and the service has agents to answer.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...model.errors import ApprovalError, InterlockError
from ...model.events import Place
from ...preview.apply import finish_all, why_not_applied
from ...preview.changes import text_difference
from ...preview.flow import apply_preview, discard_preview, made_preview, order_of
from ...preview.kept import Preview, one_preview
from ...preview.offered import why_not_offered
from ...preview.view import Limits
from ..callers import Caller
from ..errors import RefusedError
from .drawn import drawn
from .reaches import WHERE

if TYPE_CHECKING:
    from ...calls.world import Outcome
    from ...store.people.answering import Asked
    from ..api import Api

__all__ = ["ends", "shown", "starts", "why_no_preview"]

_MOST_SHOWN = 100  # changed paths whose lines are shown
_one_at_a_time = asyncio.Semaphore(1)


def why_no_preview(api: Api, asked: Asked) -> str | None:
    """Why this question has no preview on the page; None where it has."""
    try:
        order = order_of(asked, Limits(), where=WHERE)
        if not os.path.isdir(order.root):
            return "its project is not on this machine"
        world = api.service.engine.world(Place(cwd=order.root, root=order.root))
        if not world.policy.preview_page:
            return "the policy does not say `[preview] page = true`"
    except InterlockError as error:
        return str(error)
    return why_not_offered()


async def starts(api: Api, request: Request, caller: Caller, form: Any) -> Response:
    """Runs the command of a question, and goes to what came of it."""
    asked = await api.run(api.service.question, request.path_params["id"], caller)
    if form.get("row") != str(asked.question.seq):
        raise RefusedError("conflict", f"{asked.question.id} was asked anew since it was shown; look at it again")

    def made() -> Preview:
        why = why_no_preview(api, asked)
        if why is not None:
            raise ApprovalError(f"it cannot be previewed here: {why}")
        folders = api.service.engine.folders
        finish_all(folders)
        order = order_of(asked, Limits(), where=WHERE)
        return made_preview(folders, api.service.ledger, order, by=caller.by, approval=asked.question.id)

    async with _one_at_a_time:
        preview = await api.run(made)
    return RedirectResponse(f"/previews/{quote(preview.id, safe='')}", 303)


async def shown(api: Api, request: Request, caller: Caller) -> Response:
    return await _drawn(api, request.path_params["id"], caller)


async def _drawn(api: Api, id: str, caller: Caller, error: RefusedError | None = None) -> Response:
    preview = await api.run(_of, api, id)

    def looked() -> dict[str, Any]:
        lines = [
            (change, text_difference(change, preview.order.root, preview.stage) if at < _MOST_SHOWN else None)
            for at, change in enumerate(preview.found.changes)
        ]
        return {"changes": lines, "hindrance": why_not_applied(preview) or ""}

    return drawn(
        "preview.html",
        200 if error is None else error.status,
        None,
        person={"name": caller.person, "role": caller.token.role},
        csrf=caller.csrf,
        here="inbox",
        waiting=0,
        preview=preview,
        told=preview.as_told(),
        problem="" if error is None else error.text,
        **await api.run(looked),
    )


def _of(api: Api, id: str) -> Preview:
    """Of those that were made for a question. What a person keeps at a terminal is theirs."""
    preview = one_preview(api.service.engine.folders, id)
    if not preview.approval or preview.id != id:
        raise RefusedError("not_found", "there is no such preview")
    return preview


async def ends(api: Api, request: Request, caller: Caller, form: Any) -> Response:
    """Applied or discarded."""
    id, say = request.path_params["id"], form.get("say", "")
    preview = await api.run(_of, api, id)
    try:
        if say not in ("apply", "discard"):
            raise RefusedError("bad_request", "a preview is applied or discarded")
        if say == "apply" and form.get("digest") != preview.found.digest:
            raise RefusedError("conflict", "it is not the preview that was shown; look at it again")
        await api.run(_applied if say == "apply" else _discarded, api, preview, caller)
    except RefusedError as error:
        api.metrics.refused.labels(error.code).inc()
        return await _drawn(api, id, caller, error)
    return RedirectResponse(f"/approvals/{quote(preview.approval, safe='')}", 303)


def _applied(api: Api, preview: Preview, caller: Caller) -> None:
    service = api.service
    asked = service.question(preview.approval, caller)
    why = why_no_preview(api, asked)  # the policy may have changed since
    if why is not None:
        raise ApprovalError(f"nothing was applied: {why}")

    def say_yes(outcome: Outcome) -> None:
        approval = outcome.answer.approval
        service.answer(approval, caller, yes=True, reach="once", why="seen in a preview", where=WHERE)

    apply_preview(
        service.engine,
        service.ledger,
        preview,
        by=caller.by,
        person=caller.person,
        where=WHERE,
        asked=asked,
        say_yes=say_yes,
    )


def _discarded(api: Api, preview: Preview, caller: Caller) -> None:
    discard_preview(api.service.ledger, preview, by=caller.by)
