"""The way of a message between a client and a server, whatever carries it.

    from the client   read strictly; a tool call is decided, everything else goes on as it came
    to the server     the client's own bytes, once the Engine has allowed the call
    from the server   looked at for tools and outcomes, and passed on as it came

INVARIANT: a call goes to the server at most once, and never after its client has given it up. Every step of a call is
taken under one lock, in `_Call.state`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..bytes.strict import parse_json
from ..limits import MAX_INPUT_BYTES, MAX_RELAYED_CALLS, MCP_HOLD_SECONDS
from ..model.errors import InputError
from ..value import FrozenMap
from .ladder import HOLDS, pending_text, question_text, refused_text, said_in
from .messages import (
    BAD_REQUEST,
    CALL,
    CANCELLED,
    LIST,
    LIST_CHANGED,
    Client,
    RefusedError,
    client_in,
    elicitation,
    envelope_of,
    error,
    from_client,
    from_server,
    input_required,
    is_modern,
    plain,
    refusal,
    same_id,
    without_our_answers,
)
from .recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from .judge import Judge, Judged
    from .listing import Listing
    from .messages import Message

__all__ = ["Relay", "Shared"]

_TOOL_USE_ID = "claudecode/toolUseId"
_WRITES = json.JSONEncoder(sort_keys=True)  # as `json.dumps`, which makes one for each result
_MOST_CONTINUED = 256  # calls that a server wants more input for


class _Call:
    """One call on its way.

    state  `deciding`, `asking`, `forwarded`; `over` once it was answered, refused or given up
    """

    def __init__(self, message: Message, raw: bytes) -> None:
        self.message, self.raw, self.id = message, raw, message.id
        self.modern = is_modern(message.params)
        self.state = "deciding"
        self.judged: Judged | None = None
        self.definition: Any = None
        self.after = 0  # so many outcomes its client had seen when it came

    @property
    def binds(self) -> str:
        """The tool and the arguments, which every leg of one call shares."""
        params = self.message.params
        told = json.dumps([params["name"], plain(params.get("arguments"))], sort_keys=True)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


class Shared:
    """What several relays of one client know together, where each request has one of its own."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.client = Client()
        self.outcomes = Recorder()  # a call is decided after the outcomes that its client has seen
        self.states: dict[str, tuple[str, str]] = {}  # our request states -> approval, what it binds
        self.continued: dict[str, Judged] = {}  # the server's request states, with what they bind


class Relay:
    def __init__(
        self,
        judge: Judge,
        shared: Shared,
        *,
        to_client: Callable[[bytes], None],
        to_server: Callable[[bytes], None],
        start: Callable[[Callable[[], None]], None],
        note: Callable[[str], None],
        elicits: bool = True,
        client: Client | None = None,
    ) -> None:
        """`start` runs work beside the reading of messages; `note` tells a person something; `elicits`: a question of
        ours can be put to the client while its call is open, as it was done before 2026-07-28; `client`: who it is, if
        several share what is known.
        """
        self.judge, self.shared, self.listing = judge, shared, shared.listing
        self._to_client, self._to_server, self._start, self._note = to_client, to_server, start, note
        self._elicits = elicits
        self._own_client = client
        self._lock = threading.Lock()
        self._outcomes, self._states, self._continued = shared.outcomes, shared.states, shared.continued
        self._calls: dict[str | int, _Call] = {}
        self._asked: dict[str, tuple[_Call, str]] = {}  # our elicitations: id -> call, approval

    @property
    def client(self) -> Client:
        return self._own_client or self.shared.client

    # --- from the client ---

    def from_client(self, raw: bytes) -> None:
        if not raw.strip():
            return
        try:
            message = from_client(raw)
        except RefusedError as refused:
            self._note(f"a message of the client was not passed on: {refused.why}")
            self._to_client(error(refused.id, refused.code, f"Interlock: {refused.why}"))
            return
        told = client_in(message)
        if told is not None:
            self.shared.client = told
            self._own_client = None
        if message.kind == "response":
            if not self._is_answer(message):
                self._to_server(raw)
        elif message.method == CALL:
            self._called(message, raw)
        elif message.method == CANCELLED:
            self._cancelled(message, raw)
        else:
            if message.method == LIST and message.kind == "request":
                self.listing.asked(message.id, message.params)
            self._to_server(raw)

    def _called(self, message: Message, raw: bytes) -> None:
        call = _Call(message, raw)
        call.after = self._outcomes.seen
        with self._lock:
            known = any(same_id(id, message.id) for id in (message.id, _other(message.id)) if id in self._calls)
            crowded = len(self._calls) >= MAX_RELAYED_CALLS
            if not known and not crowded:
                self._calls[message.id] = call
        if known:
            self._to_client(error(message.id, BAD_REQUEST, "Interlock: a call with this id is under way"))
        elif crowded:
            self._to_client(refusal(message.id, "Refused: too many calls are under way.", modern=call.modern))
        else:
            self._start(lambda: self._decide(call))

    def _cancelled(self, message: Message, raw: bytes) -> None:
        params = message.params
        id = params.get("requestId") if type(params) is FrozenMap else None
        call = self._given_up(id)
        if call is None or call.state == "forwarded":
            self._to_server(raw)
        if call is not None:
            self._lost(call)

    def _given_up(self, id: object) -> _Call | None:
        """The call that this id names, taken out; its `state` is that in which it was."""
        with self._lock:
            for one in (id, _other(id)):
                if type(one) in (str, int) and one in self._calls:
                    call = self._calls.pop(one)
                    if call.state != "forwarded":
                        call.state = "over"
                    return call
        return None

    def _lost(self, call: _Call) -> None:
        """Nobody will know what became of it. What never went to the server did not run."""
        if call.judged is not None and call.judged.verdict == "allow":
            judged, outcome = call.judged, "unknown" if call.state == "forwarded" else "not_run"
            self._start(lambda: self._tell(self.judge.settle(judged, outcome, None)))

    def gives_up(self, id: object) -> bool:
        """The client has given the call up. True where the server has not got it, and never will."""
        call = self._given_up(id)
        if call is None:
            return False
        self._lost(call)
        return call.state != "forwarded"

    def passes_by(self) -> None:
        """From now on what the server says reaches the client by itself; it is only looked at here."""
        self._to_client = _nobody

    def gone(self) -> None:
        """Client or server is gone: what was under way is over. Returns when that is recorded."""
        with self._lock:
            calls = list(self._calls.values())
            self._calls.clear()
            for call in calls:
                if call.state != "forwarded":
                    call.state = "over"
        for call in calls:
            if call.judged is not None and call.judged.verdict == "allow":
                outcome = "unknown" if call.state == "forwarded" else "not_run"
                self._tell(self.judge.settle(call.judged, outcome, None))
        self._outcomes.wait_for(self._outcomes.seen)

    # --- a call ---

    def _decide(self, call: _Call) -> None:
        try:
            self._weigh(call)
        except Exception as trouble:  # INVARIANT: a fault of ours is a deny
            self._note(f"a call failed here: {type(trouble).__name__}: {trouble}")
            self._refuse(call, f"Refused: Interlock failed ({type(trouble).__name__}).")

    def _weigh(self, call: _Call) -> None:
        self._outcomes.wait_for(call.after)
        params = call.message.params
        meta = params.get("_meta") or FrozenMap({})
        state = params.get("requestState")
        if type(state) is str:
            before = self._continued.pop(f"{state}\n{call.binds}", None)
            if before is not None:  # the server wanted more input for a call that was allowed
                call.judged = before
                self._forward(call, call.raw)
                return
        hooked = meta.get(_TOOL_USE_ID)
        proposed = self.judge.call(params["name"], params.get("arguments"))
        call.definition = self.listing.definition(params["name"], envelope_of(params) if call.modern else {})
        ours = self._states.pop(state, None) if type(state) is str else None
        if ours is not None and ours[1] == call.binds and not self._take(call, ours[0], _mrtr_answer(params)):
            return
        judged = self.judge.decide(proposed, call.definition, hooked if type(hooked) is str else "")
        self._judged(call, judged, call.raw if ours is None else without_our_answers(call.message))

    def _judged(self, call: _Call, judged: Judged, raw: bytes, *, asks: bool = True) -> None:
        """`asks`: somebody can still be asked here; otherwise the question stays open elsewhere."""
        for warning in judged.warnings:
            self._note(warning)
        call.judged = judged
        if judged.verdict == "allow":
            if judged.used and call.definition is not None:
                self.listing.accept(call.definition)
            self._forward(call, raw)
        elif judged.verdict == "deny" or not judged.approval:
            self._refuse(call, refused_text(judged))
        elif asks and self._asks_client(call, judged):
            return
        else:
            self._hold(call, judged, raw)

    def _asks_client(self, call: _Call, judged: Judged) -> bool:
        """The first two rungs: the client's own dialog, where policy trusts that client."""
        client = self.client
        if not call.modern and not self._elicits:
            return False
        if not client.elicits or not client.name or client.name not in judged.elicits:
            return False
        text = question_text(judged)
        if call.modern:
            state = f"interlock:{uuid4().hex}"
            with self._lock:
                if call.state == "over":
                    return True
                self._states[state] = (judged.approval, call.binds)
                while len(self._states) > _MOST_CONTINUED:
                    self._states.pop(next(iter(self._states)))
            self._answer(call, input_required(call.id, state, text))
            return True
        id = f"interlock-{uuid4().hex}"
        with self._lock:
            if call.state == "over":
                return True
            call.state = "asking"
            self._asked[id] = (call, judged.approval)
        self._to_client(elicitation(id, text))
        return True

    def _hold(self, call: _Call, judged: Judged, raw: bytes) -> None:
        """The last two rungs: held for a moment, for clients that are known to wait; then it is told to come again."""
        if self.client.name in HOLDS:
            with self._lock:
                if call.state == "over":
                    return
                call.state = "asking"
            settled = self.judge.wait(judged.approval, MCP_HOLD_SECONDS, lambda: call.state == "over")
            if call.state == "over":
                return
            if settled:
                again = self.judge.decide(judged.call, call.definition)
                if again.verdict == "allow" or not again.approval:
                    self._judged(call, again, raw)
                    return
        self._refuse(call, pending_text(judged))

    def _is_answer(self, message: Message) -> bool:
        """Whether it answers a question of ours."""
        with self._lock:
            found = self._asked.pop(message.id, None) if type(message.id) is str else None
        if found is None:
            return type(message.id) is str and message.id.startswith("interlock-")  # late, or to nobody
        call, approval = found
        result = message.data.get("result")
        self._start(lambda: self._answered(call, approval, result))
        return True

    def _answered(self, call: _Call, approval: str, result: object) -> None:
        try:
            if call.state != "over" and call.judged is not None and self._take(call, approval, result):
                again = self.judge.decide(call.judged.call, call.definition)
                self._judged(call, again, call.raw, asks=False)
        except Exception as trouble:
            self._note(f"an answer failed here: {type(trouble).__name__}: {trouble}")
            self._refuse(call, f"Refused: Interlock failed ({type(trouble).__name__}).")

    def _take(self, call: _Call, approval: str, result: object) -> bool:
        """Takes an answer in; False where the call is over with it."""
        answer = said_in(result)
        if answer is None:  # nobody was there to be asked: the question stays open
            self._refuse(call, pending_text(call.judged, approval))
            return False
        why = self.judge.answer(approval, yes=answer != "no", reach=answer, client=self.client.name)
        if why:
            self._note(f"an answer did not count: {why}")
        return True

    def _forward(self, call: _Call, raw: bytes) -> None:
        with self._lock:
            if call.state == "over":
                late = True
            else:
                late, call.state = False, "forwarded"
        if late:
            self._lost(call)
        else:
            self._to_server(raw)

    def _refuse(self, call: _Call, text: str) -> None:
        self._answer(call, refusal(call.id, text, modern=call.modern))

    def _answer(self, call: _Call, raw: bytes) -> None:
        """Our own answer to a call, unless its client has given it up."""
        with self._lock:
            if call.state in ("over", "forwarded"):
                return
            call.state = "over"
            self._calls.pop(call.id, None)
        self._to_client(raw)

    # --- from the server ---

    def from_server(self, raw: bytes) -> None:
        if not raw.strip():
            return
        data = from_server(raw)
        if data is None:
            self._note("a line of the server is not a message, and was not passed on")
            return
        if "method" in data:
            if data["method"] == LIST_CHANGED:
                self.listing.changed()
            self._to_client(raw)
            return
        id = data.get("id")
        if self.listing.answered(id, data):
            return
        call = self._settled(id)
        if call is None:
            self._to_client(raw)
        elif call.state != "forwarded":
            self._note("the server answered a call that it was not given; the answer was not passed on")
        else:
            settled, size = call, len(raw)
            done = self._outcomes.announce()  # before the client can know of it
            self._to_client(raw)
            done(lambda: self._record(settled, data, size))

    def _settled(self, id: object) -> _Call | None:
        """The call that the server answers; one that it was never given stays where it is."""
        with self._lock:
            for one in (id, _other(id)):
                if type(one) in (str, int) and one in self._calls:
                    call = self._calls[one]
                    return self._calls.pop(one) if call.state == "forwarded" else call
        return None

    def _record(self, call: _Call, data: dict[str, Any], size: int) -> None:
        judged, result = call.judged, data.get("result")
        if judged is None or self._wants_more(call, judged, result):
            return
        if type(result) is dict:
            outcome = "failed" if result.get("isError") is True else "ran"
        else:
            outcome = "failed" if "error" in data else "unknown"
        told = result if type(result) is dict else data.get("error")
        raw = _WRITES.encode(told).encode()
        digest = FrozenMap({"bytes": len(raw), "digest": hashlib.sha256(raw).hexdigest()})
        self._tell(self.judge.settle(judged, outcome, _values_in(raw) if judged.traces else digest, size))

    def _wants_more(self, call: _Call, judged: Judged, result: object) -> bool:
        """Whether the server asks for more input. The same call with its answer goes on where this one stopped."""
        if type(result) is not dict or result.get("resultType") != "input_required":
            return False
        state = result.get("requestState")
        if type(state) is str:
            self._continued[f"{state}\n{call.binds}"] = judged
            while len(self._continued) > _MOST_CONTINUED:
                self._continued.pop(next(iter(self._continued)))
        return True

    def _tell(self, said: tuple[str, ...]) -> None:
        for line in said:
            self._note(line)


def _nobody(_raw: bytes) -> None:
    return None


def _other(id: object) -> object:
    """The same id as the other type: some peers turn numbers into texts."""
    if type(id) is int:
        return str(id)
    return int(id) if type(id) is str and id.isascii() and id.isdecimal() and str(int(id)) == id else None


def _values_in(raw: bytes) -> Any:
    """A result as data, where the policy asks where values come from; of what is none, or too long, how it begins."""
    try:
        return parse_json(raw, limit=MAX_INPUT_BYTES)
    except InputError:
        return raw[:MAX_INPUT_BYTES].decode("utf-8", "replace")


def _mrtr_answer(params: Any) -> object:
    answers = params.get("inputResponses")
    return answers.get("interlock") if type(answers) is FrozenMap else None
