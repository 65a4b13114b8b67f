"""Every route: method, path, who may, what it does. The app, the OpenAPI document and the tests are made from this."""

from __future__ import annotations

from ..value import Value
from .callers import ANYONE, PEOPLE

__all__ = ["ROUTES", "Route"]


class Route(Value):
    """
    does     the name of the function that answers it
    roles    whose token it takes; None: it takes none
    answers  status -> the name of the body's schema, beside the errors that every route has
    query    the names of its parameters
    body     the name of the schema of its body
    """

    method: str
    path: str
    does: str
    says: str
    roles: frozenset[str] | None
    answers: tuple[tuple[int, str], ...]
    query: tuple[str, ...] = ()
    body: str = ""


ROUTES = (
    Route(
        method="POST",
        path="/v1/decisions",
        does="decide",
        says="Decide a call before it is made. Make the same call again to redeem an approval.",
        roles=frozenset({"agent"}),
        answers=((200, "Decision"), (202, "Decision"), (403, "Decision")),
        query=("wait", "mode"),
        body="Call",
    ),
    Route(
        method="POST",
        path="/v1/outcomes",
        does="told",
        says="Tell what became of a call.",
        roles=frozenset({"agent"}),
        answers=((200, "Recorded"),),
        body="Outcome",
    ),
    Route(
        method="POST",
        path="/v1/messages",
        does="said",
        says="Tell what the person said to the agent, so that values which they named are known as theirs.",
        roles=frozenset({"agent"}),
        answers=((200, "Recorded"),),
        body="Message",
    ),
    Route(
        method="GET",
        path="/v1/approvals",
        does="approvals",
        says="What waits for an answer, the oldest first; an agent sees what it asked itself. `next` is the `cursor` "
        "of the next page.",
        roles=ANYONE,
        answers=((200, "Approvals"),),
        query=("state", "limit", "cursor"),
    ),
    Route(
        method="GET",
        path="/v1/approvals/{id}",
        does="approval",
        says="One question, and how it stands. With `wait` it answers as soon as somebody has.",
        roles=ANYONE,
        answers=((200, "Approval"),),
        query=("wait",),
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}",
        does="answer",
        says="Answer a question. An approver's yes reaches this call or its session, an admin's any further.",
        roles=PEOPLE,
        answers=((200, "Approval"),),
        body="Answer",
    ),
    Route(
        method="GET",
        path="/v1/events",
        does="events",
        says="What happens, as it happens: server-sent events, one for each row of the ledger.",
        roles=ANYONE,
        answers=((200, "Stream"),),
        query=("after",),
    ),
    Route(
        method="GET",
        path="/v1/audit",
        does="audit",
        says="What was decided, the newest first.",
        roles=PEOPLE,
        answers=((200, "Audit"),),
        query=("limit", "before", "decision", "session"),
    ),
    Route(
        method="GET",
        path="/v1/receipts/{digest}",
        does="receipt",
        says="A receipt: the canonical bytes that its digest is of.",
        roles=ANYONE,
        answers=((200, "Receipt"),),
    ),
    Route(
        method="GET",
        path="/metrics",
        does="metrics_text",
        says="Counters and times, for Prometheus.",
        roles=PEOPLE,
        answers=((200, "Text"),),
    ),
    Route(
        method="GET",
        path="/v1/openapi.json",
        does="document",
        says="This description.",
        roles=ANYONE,
        answers=((200, "Document"),),
    ),
    Route(
        method="GET",
        path="/healthz",
        does="healthz",
        says="Whether the process answers.",
        roles=None,
        answers=((200, "Health"),),
    ),
    Route(
        method="GET",
        path="/readyz",
        does="readyz",
        says="Whether it can decide: the ledger can be written, and the policy can be read.",
        roles=None,
        answers=((200, "Readiness"), (503, "Readiness")),
    ),
)
