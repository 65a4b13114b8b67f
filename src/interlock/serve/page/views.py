"""The views of the page: each gets a person who may look, and gives what they see."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...model.errors import InterlockError
from ...store.people.answering import newest_questions, question_in, waiting_questions
from ...words.hidden import hidden_words
from ..callers import Caller
from ..errors import RefusedError
from ..parameters import number_in
from ..turns import in_turn
from .charts import SPANS, charts
from .decided import decided_of, replay_of
from .drawn import drawn
from .entries import SINCE, Wanted, entries
from .in_force import in_force, kept_policy, known_roots, toml_lines
from .permitted import permits, written
from .previewed import why_no_preview
from .question import agents, card_of, shown_lately
from .reaches import WHERE, reaches
from .told import fields_of

if TYPE_CHECKING:
    from ...store.ledger.ledger import View
    from ...store.people.answering import Asked
    from ..api import Api

__all__ = ["activity", "answer", "approval", "charts_view", "decision", "grants", "inbox", "policy", "session"]

_T = TypeVar("_T")
_REASON = 2000
_VERDICTS = ("allow", "ask", "deny")
_MOST_CARDS = 50
_LATELY = (40, 6)  # lines of activity, and answers, that the inbox looks at, and shows


def _view(api: Api, template: str, caller: Caller, status: int = 200, **values: Any) -> Response:
    person = {"name": caller.person, "role": caller.token.role}
    return drawn(template, status, None, person=person, csrf=caller.csrf, **values)


async def _looking(api: Api, work: Callable[[View], _T]) -> _T:
    def looked() -> _T:
        with api.service.ledger.looking() as view:
            return work(view)

    return await api.run(looked)


async def _waiting(api: Api) -> list[Asked]:
    """What waits, the oldest first, and what can no longer fire although somebody may wait for it."""
    return await _looking(api, waiting_questions)


async def _count(api: Api) -> int:
    return sum(asked.is_open for asked in await _waiting(api))


# --- the views --------------------------------------------------------------------------------------------------------


async def inbox(api: Api, request: Request, caller: Caller) -> Response:
    found = await _waiting(api)
    waiting = await api.run(lambda: in_turn([asked for asked in found if asked.is_open], api.service.asker))
    at = number_in(request, "page", 1, 10_000, 1)
    shown = waiting[(at - 1) * _MOST_CARDS : at * _MOST_CARDS]
    names = await api.run(lambda: agents(api.service.ledger))
    done = request.query_params.get("answered", "")

    def looked(view: View) -> dict[str, Any]:
        lately = entries(view, Wanted(), limit=_LATELY[0]).entries
        return {
            "cards": [card_of(view, asked, caller, names, short=True) for asked in shown],
            "answered": shown_lately(newest_questions(view, _LATELY[0])),
            "done": question_in(view, done) if done else None,
            "lately": lately[: _LATELY[1]],
            "began": any(entry.kind == "decision" for entry in lately),
        }

    return _view(
        api,
        "inbox.html",
        caller,
        here="inbox",
        waiting=len(waiting),
        page=at,
        pages=max(1, -(-len(waiting) // _MOST_CARDS)),
        missed=[asked for asked in found if asked.is_missed][:_MOST_CARDS],
        address=api.settings.address,
        **await _looking(api, looked),
    )


async def approval(api: Api, request: Request, caller: Caller) -> Response:
    reveals = request.query_params.get("reveal") == "yes"
    return await _shown_question(api, request.path_params["id"], caller, reveals=reveals)


async def _shown_question(
    api: Api, id: str, caller: Caller, error: RefusedError | None = None, *, reveals: bool = False
) -> Response:
    asked = await _looking(api, lambda view: question_in(view, id))
    if asked is None:
        raise RefusedError("not_found", "there is no such approval")
    names = await api.run(lambda: agents(api.service.ledger))
    held = await api.run(api.held.call_of, asked) if asked.hidden else None
    card = await _looking(api, lambda view: card_of(view, asked, caller, names, short=False))
    if held is not None and reveals:
        card = card.replace(fields=fields_of(held.input, [], short=False)[0], revealed=True)
    elif held is not None:
        there = f"/approvals/{quote(id, safe='')}?reveal=yes"
        card = card.replace(reveals=there, hidden=hidden_words(asked.hidden, for_good=False))
    return _view(
        api,
        "approval.html",
        caller,
        200 if error is None else error.status,
        here="inbox",
        waiting=await _count(api),
        card=card,
        previews=asked.is_open and await api.run(why_no_preview, api, asked) is None,
        problem="" if error is None else error.text,
    )


async def answer(api: Api, request: Request, caller: Caller, form: Any) -> Response:
    id = request.path_params["id"]
    say, _, reach = form.get("say", "").partition(" ")
    reason = form.get("reason", "").strip()
    asked = await api.run(api.service.question, id, caller)
    try:
        if say not in ("approve", "deny") or (say == "approve" and reach not in reaches(asked, caller)):
            raise RefusedError("bad_request", "that is no answer to this question")
        if len(reason) > _REASON:
            raise RefusedError("bad_request", f"a reason has at most {_REASON} characters")
        if form.get("row") != str(asked.question.seq):
            raise RefusedError("conflict", f"{id} was asked anew since it was shown; look at it again")
        unseen = form.get("hidden") == "yes"
        await api.answered(id, caller, say, reach or "once", reason, where=WHERE, unseen=unseen)
    except RefusedError as error:
        api.metrics.refused.labels(error.code).inc()
        return await _shown_question(api, id, caller, error)
    return RedirectResponse(f"/?answered={quote(id, safe='')}", 303)


async def activity(api: Api, request: Request, caller: Caller) -> Response:
    wanted = _wanted(request)
    before = _before(request)
    found = await _looking(api, lambda view: entries(view, wanted, before=before))
    filters = {name: value for name, value in wanted.as_dict().items() if value}
    return _view(
        api,
        "activity.html",
        caller,
        here="activity",
        waiting=await _count(api),
        found=found,
        wanted=wanted,
        older=_query({**filters, "before": str(found.before)}) if found.before is not None else "",
        paged="before" in request.query_params,
        filtered=bool(filters),
        since=SINCE,
    )


async def session(api: Api, request: Request, caller: Caller) -> Response:
    name = _session_name(request.path_params["id"])
    before = _before(request)
    found = await _looking(api, lambda view: entries(view, Wanted(session=name), before=before, limit=100))
    if not found.entries and "before" not in request.query_params:
        raise RefusedError("not_found", "there is no such session, or its rows were pruned")
    waiting = [asked for asked in await _waiting(api) if asked.is_open]
    names = await api.run(lambda: agents(api.service.ledger))
    cards = await _looking(
        api,
        lambda view: [
            card_of(view, asked, caller, names, short=True)
            for asked in [each for each in waiting if each.body["session"] == name][:_MOST_CARDS]
        ],
    )
    counts = {
        verdict: sum(e.kind == "decision" and e.verdict == verdict for e in found.entries) for verdict in _VERDICTS
    }
    return _view(
        api,
        "session.html",
        caller,
        here="activity",
        waiting=len(waiting),
        session=name,
        found=found,
        cards=cards,
        counts=counts,
        older=_query({"before": str(found.before)}) if found.before is not None else "",
    )


async def decision(api: Api, request: Request, caller: Caller) -> Response:
    receipt = request.path_params["receipt"]
    found = await _looking(api, lambda view: decided_of(view, api.service.engine, receipt))
    if found is None:
        raise RefusedError("not_found", "there is no such decision, or it was pruned")
    again = await _looking(api, lambda view: replay_of(view, receipt)) if "replay" in request.query_params else None
    return _view(
        api,
        "decision.html",
        caller,
        here="activity",
        waiting=await _count(api),
        found=found,
        replay=again,
        call=found.body,
    )


async def grants(api: Api, request: Request, caller: Caller) -> Response:
    every = await _looking(api, permits)
    try:
        files = written((await api.run(in_force, api.service.engine, "")).policy)
    except RefusedError:
        files = []
    return _view(api, "grants.html", caller, here="grants", waiting=await _count(api), permits=every, written=files)


async def policy(api: Api, request: Request, caller: Caller) -> Response:
    root, digest = request.query_params.get("root", ""), request.query_params.get("digest", "")
    roots = await _looking(api, known_roots)
    nothing: dict[str, Any] = {"found": None, "digest": "", "lines": [], "broken": ""}
    shared: dict[str, Any] = {"here": "policy", "waiting": await _count(api), "roots": roots, "root": root, **nothing}
    if digest:
        kept = await _looking(api, lambda view: kept_policy(view, digest))
        if kept is None:
            raise RefusedError("not_found", "no policy with this digest is in the ledger")
        return _view(api, "policy.html", caller, **{**shared, "digest": digest, "lines": toml_lines(kept)})
    if root and root not in roots:
        raise RefusedError("not_found", "nothing was decided in this folder yet")

    def looked() -> dict[str, Any]:
        try:
            found = in_force(api.service.engine, root)
        except InterlockError as error:
            return {"broken": str(error)}
        return {"found": found, "lines": toml_lines(found.policy)}

    return _view(api, "policy.html", caller, **{**shared, **await api.run(looked)})


async def charts_view(api: Api, request: Request, caller: Caller) -> Response:
    span = request.query_params.get("span", "24h")
    if span not in SPANS:
        raise RefusedError("bad_request", f"`span` must be one of {', '.join(SPANS)}")
    found = await _looking(api, lambda view: charts(view, span))
    return _view(api, "charts.html", caller, here="charts", waiting=await _count(api), found=found, spans=SPANS)


# --- what an address says ---------------------------------------------------------------------------------------------


def _wanted(request: Request) -> Wanted:
    given = {
        name: request.query_params.get(name, "").strip()[:200]
        for name in ("verdict", "tool", "session", "text", "since")
    }
    if given["verdict"] not in ("", *_VERDICTS) or given["since"] not in ("", *SINCE):
        raise RefusedError("bad_request", "that is no verdict or time to look for")
    return Wanted(**given)


def _before(request: Request) -> int:
    text = request.query_params.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 1 << 62


def _session_name(text: str) -> str:
    if not text.startswith("~"):
        return text
    try:
        return bytes.fromhex(text[1:]).decode("utf-8", "surrogatepass")
    except ValueError:
        raise RefusedError("not_found", "there is no such session") from None


def _query(given: dict[str, str]) -> str:
    return "?" + "&".join([f"{name}={quote(value, safe='')}" for name, value in given.items()])
