"""What is sent, in which order, and what is tried again: generators that ask for a request or a pause and are given
what came back. Whoever runs them has the network and the clock, so that both clients do the same.

Trying again is safe: a call carries a key, under which the same call fires once; an answer and an outcome are taken
once. INVARIANT: time that runs out is an error. No step turns silence into a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from ..model.errors import ApprovalError, InputError, InterlockError, ServiceError
from ..value import FrozenMap, Value
from .values import Approval, Decided, approval_from, decided_from

__all__ = [
    "Ask",
    "Pause",
    "Reply",
    "Steps",
    "address_of",
    "answer_body",
    "answer_steps",
    "approval_steps",
    "approvals_steps",
    "decide_steps",
    "outcome_steps",
    "receipt_steps",
    "refusal_of",
    "retried_after",
    "said_steps",
    "wait_steps",
    "written",
]

_POLL = 30  # seconds that one request waits for a person
_SLACK = 15.0  # and how much longer its answer may take
_FIRST, _LONGEST = 0.2, 5.0  # seconds between tries
_AGAIN = frozenset({0, 429, 502, 503, 504})  # 0: the connection was lost
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAME = {"approve": ("approved", "redeemed"), "deny": ("denied",)}


class Ask(Value):
    """A request. `seconds`: how long its answer may take. `body`: JSON text, the same bytes on every try."""

    method: str
    path: str
    seconds: float
    body: str | None = None
    headers: Mapping[str, str] = FrozenMap({})


class Pause(Value):
    seconds: float


class Reply(Value):
    """What came back. A status of 0: the connection was lost, and nobody knows what became of the request."""

    status: int
    raw: bytes = b""
    headers: Mapping[str, str] = FrozenMap({})

    @property
    def body(self) -> Mapping[str, Any]:
        try:
            found = json.loads(self.raw)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ServiceError(f"the service answered {self.status} with something that is no JSON object")
        return found


_T = TypeVar("_T")
_Clock = Callable[[], float]
Steps = Generator[Ask | Pause, Reply | None, _T]


def address_of(url: str, *, insecure: bool) -> str:
    """The service's address. INVARIANT: a token does not cross a network in the open, unless somebody says so."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InputError(f"`{url[:100]}` is no address of a service; write https://HOST[:PORT]")
    if parts.username is not None or parts.password is not None:
        raise InputError("the address of the service has a name or password in it; a token is given apart")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK and not insecure:
        raise InputError(f"`{url[:100]}` is plain HTTP: the token would cross the network in the open; use https")
    return url.rstrip("/")


def written(body: Mapping[str, Any]) -> str:
    """As JSON. InputError where it cannot be that."""
    try:
        return json.dumps(body, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the call cannot be written as JSON: {error}") from None


def decide_steps(call: str, key: str, wait: float, patience: float, clock: _Clock) -> Steps[Decided]:
    end = clock() + patience + wait
    poll = min(int(wait), _POLL)
    while True:
        reply = yield from _answered(_decision(call, key, poll), end, clock)
        decided = _decided(reply, call, key)
        left = end - patience - clock()
        poll = min(int(left), _POLL)
        if not decided.pending or poll < 1:
            return decided


def wait_steps(decided: Decided, seconds: float, patience: float, clock: _Clock) -> Steps[Decided]:
    """The same call again and again until somebody has answered. Over restarts of the service, too."""
    end = clock() + seconds
    while decided.pending:
        left = end - clock()
        if left <= 0:
            raise ServiceError(f"nobody answered {decided.approval} within {seconds:g} seconds; it still waits")
        ask = _decision(decided.call, decided.key, max(1, min(int(left), _POLL)))
        reply = yield from _answered(ask, end + patience, clock)
        decided = _decided(reply, decided.call, decided.key)
    return decided


def _decision(call: str, key: str, poll: int) -> Ask:
    path = f"/v1/decisions?wait={poll}" if poll else "/v1/decisions"
    return Ask(method="POST", path=path, seconds=poll + _SLACK, body=call, headers=FrozenMap({"idempotency-key": key}))


def _decided(reply: Reply, call: str, key: str) -> Decided:
    if reply.status not in (200, 202, 403) or "error" in reply.body:
        raise refusal_of(reply)
    return decided_from(reply.status, reply.body, call=call, key=key)


def outcome_steps(
    decided: Decided, outcome: str, result: Any, patience: float, clock: _Clock
) -> Steps[tuple[str, ...]]:
    body = {**json.loads(decided.call), "outcome": outcome, "result": result, "attempt": f"key:{decided.key}"}
    ask = Ask(method="POST", path="/v1/outcomes", seconds=_SLACK, body=written(body))
    reply = yield from _good(ask, clock() + patience, clock)
    return tuple([str(text) for text in reply.body.get("warnings", ())])


def said_steps(text: str, told: Mapping[str, str], patience: float, clock: _Clock) -> Steps[None]:
    ask = Ask(method="POST", path="/v1/messages", seconds=_SLACK, body=written({**told, "text": text}))
    yield from _good(ask, clock() + patience, clock)


def approvals_steps(state: str, patience: float, clock: _Clock) -> Steps[tuple[Approval, ...]]:
    """All pages. A service that has no pages gives all at once, and names no next one."""
    path = f"/v1/approvals?state={quote(state, safe='')}"
    found: list[Approval] = []
    seen, more = set[str](), ""
    while True:
        reply = yield from _good(Ask(method="GET", path=path + more, seconds=_SLACK), clock() + patience, clock)
        found += [approval_from(one) for one in reply.body.get("approvals", ())]
        next = reply.body.get("next")
        if not isinstance(next, str):
            return tuple(found)
        if next in seen:
            raise ServiceError("the service gave the same page of approvals twice")
        seen.add(next)
        more = f"&cursor={quote(next, safe='')}"


def approval_steps(id: str, wait: float, patience: float, clock: _Clock) -> Steps[Approval]:
    end = clock() + wait
    while True:
        poll = max(0, min(int(end - clock()), _POLL))
        ask = Ask(method="GET", path=_approval(id, poll), seconds=poll + _SLACK)
        reply = yield from _good(ask, end + patience, clock)
        found = approval_from(reply.body)
        if found.status != "pending" or found.dead or end - clock() < 1:
            return found


def answer_body(answer: str, reach: str, reason: str, *, confirm_hidden: bool) -> str:
    if answer not in _SAME:
        raise InputError(f"`{answer[:20]}` is no answer; say approve or deny")
    more = {"confirm_hidden": True} if confirm_hidden else {}
    return written({"answer": answer, "reach": reach, "reason": reason, **more})


def answer_steps(id: str, answer: str, body: str, patience: float, clock: _Clock) -> Steps[Approval]:
    """An answer is taken once; of one that may have been lost on the way, how the question stands tells."""
    ask = Ask(method="POST", path=_approval(id, 0), seconds=_SLACK, body=body)
    end = clock() + patience
    lost = False
    while True:
        reply = yield ask
        assert reply is not None  # noqa: S101 - a request is answered with a reply
        if reply.status == 200:
            return approval_from(reply.body)
        if reply.status == 409 and lost:
            found = yield from approval_steps(id, 0, patience, clock)
            if found.status in _SAME[answer]:
                return found
        if reply.status not in _AGAIN:
            raise refusal_of(reply)
        lost = True
        yield from _paused(reply, 1, end, clock)


def receipt_steps(digest: str, patience: float, clock: _Clock) -> Steps[Mapping[str, Any]]:
    ask = Ask(method="GET", path=f"/v1/receipts/{quote(digest, safe=':')}", seconds=_SLACK)
    reply = yield from _good(ask, clock() + patience, clock)
    return reply.body


def _approval(id: str, poll: int) -> str:
    return f"/v1/approvals/{quote(id, safe='')}" + (f"?wait={poll}" if poll else "")


def _good(ask: Ask, end: float, clock: _Clock) -> Steps[Reply]:
    reply = yield from _answered(ask, end, clock)
    if reply.status != 200:
        raise refusal_of(reply)
    return reply


def _answered(ask: Ask, end: float, clock: _Clock) -> Steps[Reply]:
    """Sent until the service has something to say."""
    tries = 0
    while True:
        reply = yield ask
        assert reply is not None  # noqa: S101 - a request is answered with a reply
        if reply.status not in _AGAIN:
            return reply
        tries += 1
        yield from _paused(reply, tries, end, clock)


def _paused(reply: Reply, tries: int, end: float, clock: _Clock) -> Steps[None]:
    pause = max(retried_after(reply), min(_FIRST * 2 ** (tries - 1), _LONGEST))
    if clock() + pause > end:
        raise refusal_of(reply)
    yield Pause(seconds=pause)


def retried_after(reply: Reply) -> float:
    text = reply.headers.get("retry-after", "")
    return min(float(text), 60.0) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0


# status -> what kind of error it is; any other is the service's
_KINDS: dict[int, type[InterlockError]] = {
    400: InputError,
    404: ApprovalError,
    409: ApprovalError,
    413: InputError,
    415: InputError,
    422: InputError,
}


def refusal_of(reply: Reply) -> InterlockError:
    """The error that an answer stands for."""
    if reply.status == 0:
        return ServiceError("the service cannot be reached; nothing was allowed")
    try:
        message = str(reply.body["error"]["message"])
    except (ServiceError, KeyError, TypeError):
        return ServiceError(f"the service answered {reply.status}; nothing was allowed", status=reply.status)
    kind = _KINDS.get(reply.status, ServiceError)
    return ServiceError(message, status=reply.status) if kind is ServiceError else kind(message)
