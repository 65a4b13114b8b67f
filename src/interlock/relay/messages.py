"""JSON-RPC as it passes: what a client's line is, what a server's line is, and the few messages of our own.

A client's line is refused unless every reader of it would read the same: one object on one line, no key twice, no
spelling of a key that only some parsers take for the real one. A server's line that no client could read is dropped.
Two eras: since 2026-07-28 each request carries an envelope in `_meta`, before that `initialize` told it all once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..bytes.strict import parse_json
from ..limits import MAX_INPUT_BYTES
from ..model.errors import InputError
from ..value import FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BAD_JSON",
    "BAD_REQUEST",
    "CALL",
    "CANCELLED",
    "LIST",
    "LIST_CHANGED",
    "Client",
    "Message",
    "RefusedError",
    "client_in",
    "elicitation",
    "envelope_of",
    "error",
    "from_client",
    "from_server",
    "input_required",
    "is_modern",
    "list_request",
    "plain",
    "refusal",
    "same_id",
    "without_our_answers",
]

CALL, LIST = "tools/call", "tools/list"
CANCELLED, LIST_CHANGED = "notifications/cancelled", "notifications/tools/list_changed"
BAD_JSON, BAD_REQUEST = -32700, -32600
_ENVELOPE = "io.modelcontextprotocol/"
_VERSION = _ENVELOPE + "protocolVersion"
_INFO, _CAPABILITIES = _ENVELOPE + "clientInfo", _ENVELOPE + "clientCapabilities"
# Keys that say what a message does. Some parsers do not mind how they are spelt, so another spelling is refused.
_TELLING = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
_OF_A_CALL = frozenset(("name", "arguments", "inputresponses", "requeststate", "_meta"))


class RefusedError(Exception):
    """A client's line that is not passed on. `id` is that of the request, where it has one."""

    def __init__(self, code: int, why: str, id: str | int | None = None) -> None:
        super().__init__(why)
        self.code, self.why, self.id = code, why, id


class Message(Value):
    """
    kind    `request`, `notification` or `response`
    params  of a request or notification; empty where it has none
    data    the whole object
    """

    kind: str
    id: Any = None
    method: str = ""
    params: Any = FrozenMap({})
    data: Any = FrozenMap({})


class Client(Value):
    """What a client says of itself. Nobody proves it: whoever starts the relay is the client."""

    name: str = ""
    version: str = ""
    elicits: bool = False
    modern: bool = False


def from_client(raw: bytes) -> Message:
    """RefusedError where it is not one message that every reader reads alike."""
    line = raw.rstrip(b"\r\n")
    if b"\r" in line or b"\n" in line:
        # Readers in text mode end a line there, and would find other messages than we do.
        raise RefusedError(BAD_JSON, "a line break inside of a message")
    try:
        data = parse_json(line, limit=MAX_INPUT_BYTES)
    except InputError as trouble:
        raise RefusedError(BAD_JSON, str(trouble)) from None
    if type(data) is not FrozenMap:
        raise RefusedError(BAD_REQUEST, "a message is one JSON object; batches are not passed on")
    _plainly_spelt(data, _TELLING)
    id, method = data.get("id"), data.get("method")
    if "id" in data and type(id) not in (str, int):
        raise RefusedError(BAD_REQUEST, "an id is a text or a whole number")
    params = data.get("params", FrozenMap({}))
    if method is None:
        if "id" not in data:
            raise RefusedError(BAD_REQUEST, "neither a request nor an answer")
        return Message(kind="response", id=id, data=data)
    if type(method) is not str:
        raise RefusedError(BAD_REQUEST, "a method is a text", id)
    message = Message(
        kind="request" if "id" in data else "notification", id=id, method=method, params=params, data=data
    )
    if method == CALL:
        _whole_call(message)
    return message


def _plainly_spelt(data: Mapping[str, Any], telling: frozenset[str], id: str | int | None = None) -> None:
    if telling.issuperset(data):  # nearly always
        return
    known: set[str] = set()
    for key in data:
        folded = key.casefold().strip()
        if folded in telling:
            if folded in known or (key != folded and key not in ("inputResponses", "requestState")):
                raise RefusedError(BAD_REQUEST, f"the key `{folded}` is spelt in a way that not every reader takes", id)
            known.add(folded)


def _whole_call(message: Message) -> None:
    params = message.params
    if message.kind != "request":  # nobody could be told that it was refused
        raise RefusedError(BAD_REQUEST, "a tool call needs an id")
    if type(params) is not FrozenMap or type(params.get("name")) is not str or not params["name"]:
        raise RefusedError(BAD_REQUEST, "a tool call names its tool", message.id)
    _plainly_spelt(params, _OF_A_CALL, message.id)
    if type(params.get("arguments", FrozenMap({}))) not in (FrozenMap, type(None)):
        raise RefusedError(BAD_REQUEST, "the arguments of a tool are one object", message.id)
    if type(params.get("_meta", FrozenMap({}))) is not FrozenMap:
        raise RefusedError(BAD_REQUEST, "`_meta` is an object", message.id)


def from_server(raw: bytes) -> dict[str, Any] | None:
    """The object; None where clients would not take the line for a message."""
    try:
        data = _READS.decode(raw.decode(json.detect_encoding(raw), "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return data if type(data) is dict else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


_READS = json.JSONDecoder(object_pairs_hook=_once)  # as `json.loads`, which makes one for each message


def same_id(one: object, other: object) -> bool:
    """Clients take `"3"` for an answer to 3."""
    return type(one) in (str, int) and type(other) in (str, int) and str(one) == str(other)


# --- what a client says of itself ---------------------------------------------------------------------------------


def is_modern(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, FrozenMap | dict) and _VERSION in meta


def client_in(message: Message) -> Client | None:
    """From `initialize`, or from the envelope of a request; None where the message tells nothing."""
    params = message.params
    if type(params) is not FrozenMap:
        return None
    if message.method == "initialize":
        return _client(params.get("clientInfo"), params.get("capabilities"), modern=False)
    if is_modern(params):
        meta = params["_meta"]
        return _client(meta.get(_INFO), meta.get(_CAPABILITIES), modern=True)
    return None


def _client(info: object, able: object, *, modern: bool) -> Client:
    told = info if isinstance(info, FrozenMap) else FrozenMap({})
    can = able if isinstance(able, FrozenMap) else FrozenMap({})
    asks = can.get("elicitation")
    # Without a word on its forms it is the form that there was first.
    elicits = isinstance(asks, FrozenMap) and (not asks or "form" in asks)
    name, version = told.get("name"), told.get("version")
    return Client(
        name=name if type(name) is str else "",
        version=version if type(version) is str else "",
        elicits=elicits,
        modern=modern,
    )


def envelope_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a request of our own must carry to be of the same era as this one."""
    meta = params.get("_meta") or {}
    return {key: plain(value) for key, value in meta.items() if key.startswith(_ENVELOPE)}


# --- our own messages ---------------------------------------------------------------------------------------------


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def error(id: str | int | None, code: int, text: str) -> bytes:
    return _line({"id": id, "error": {"code": code, "message": text}})


def refusal(id: str | int, text: str, *, modern: bool) -> bytes:
    """A result, not an error of the protocol: some clients raise the latter into the program that runs the agent."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True}
    return _line({"id": id, "result": {**result, "resultType": "complete"} if modern else result})


_ANSWERS = ("no", "this call", "this session")
_FORM = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "May it run?",
            "enum": list(_ANSWERS),
            "default": "no",
        }
    },
    "required": ["answer"],
}


def elicitation(id: str, text: str) -> bytes:
    return _line({"id": id, "method": "elicitation/create", "params": {"message": text, "requestedSchema": _FORM}})


def input_required(id: str | int, state: str, text: str) -> bytes:
    asks = {"method": "elicitation/create", "params": {"mode": "form", "message": text, "requestedSchema": _FORM}}
    result = {"resultType": "input_required", "requestState": state, "inputRequests": {"interlock": asks}}
    return _line({"id": id, "result": result})


def list_request(id: str, cursor: str | None, envelope: Mapping[str, Any]) -> bytes:
    params: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
    if envelope:
        params["_meta"] = dict(envelope)
    return _line({"id": id, "method": LIST, **({"params": params} if params else {})})


def without_our_answers(message: Message) -> bytes:
    """The call as the client would have made it had nobody asked: the answers to our question are not the server's."""
    data = plain(message.data)
    for key in ("inputResponses", "requestState"):
        data["params"].pop(key, None)
    return _line(data)


def plain(value: Any) -> Any:
    if isinstance(value, FrozenMap | dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value
