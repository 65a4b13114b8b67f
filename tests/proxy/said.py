"""What a model says, in the words of each API: a text, then calls. Streamed as the real servers stream it, or whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = ["APIS", "PATHS", "Call", "events", "framed", "request", "streamed", "whole"]

Call = tuple[str, Any, str]  # tool, arguments (a text is sent as it is), id
Event = dict[str, Any]
APIS = ("anthropic", "chat", "responses", "gemini")
PATHS = {
    "anthropic": "/v1/messages",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/m:generateContent",
}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def _anthropic(text: str, calls: Sequence[Call]) -> list[Event]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    found: list[Event] = [{"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None}}]
    blocks: list[tuple[Event, list[Event]]] = []
    if text:
        said = [{"type": "text_delta", "text": part} for part in _halves(text)]
        blocks.append(({"type": "text", "text": ""}, said))
    for tool, given, id in calls:
        parts = [{"type": "input_json_delta", "partial_json": part} for part in ["", *_halves(_text(given))]]
        blocks.append(({"type": "tool_use", "id": id, "name": tool, "input": {}}, parts))
    for index, (block, deltas) in enumerate(blocks):
        found.append({"type": "content_block_start", "index": index, "content_block": block})
        found += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    found.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}})
    return [*found, {"type": "message_stop"}]


def _chat(text: str, calls: Sequence[Call]) -> list[Event]:
    head = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: Event, reason: str | None = None) -> Event:
        return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

    found = [chunk({"role": "assistant", "content": ""}), *[chunk({"content": part}) for part in _halves(text)]]
    for index, (tool, given, id) in enumerate(calls):
        named = {"index": index, "id": id, "type": "function", "function": {"name": tool, "arguments": ""}}
        found.append(chunk({"tool_calls": [named]}))
        for part in _halves(_text(given)):
            found.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    found.append(chunk({}, "tool_calls" if calls else "stop"))
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return [*found, {**head, "choices": [], "usage": usage}]


def _response(status: str, output: list[Event], turn: int) -> Event:
    usage = {
        "input_tokens": 1,
        "output_tokens": 2,
        "total_tokens": 3,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": f"resp_{turn}",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": "m",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "instructions": None,
        "metadata": {},
        "temperature": 1,
        "top_p": 1,
        "error": None,
        "incomplete_details": None,
        **({"usage": usage} if status == "completed" else {}),
    }


def _responses(text: str, calls: Sequence[Call], turn: int = 1) -> list[Event]:
    found: list[Event] = [
        {"type": "response.created", "response": _response("in_progress", [], turn)},
        {"type": "response.in_progress", "response": _response("in_progress", [], turn)},
    ]
    output: list[Event] = []
    if text:
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        item = {"id": f"msg_{turn}", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
        at = {"item_id": f"msg_{turn}", "output_index": 0, "content_index": 0}
        done = {**item, "status": "completed", "content": [{**part, "text": text}]}
        found += [
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.content_part.added", **at, "part": part},
            *[{"type": "response.output_text.delta", **at, "delta": half, "logprobs": []} for half in _halves(text)],
            {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
            {"type": "response.content_part.done", **at, "part": {**part, "text": text}},
            {"type": "response.output_item.done", "output_index": 0, "item": done},
        ]
        output.append(done)
    for tool, given, id in calls:
        index, whole = len(output), _text(given)
        item = {"id": f"fc_{id}", "type": "function_call", "status": "in_progress", "arguments": "", "call_id": id}
        item["name"] = tool
        at = {"item_id": item["id"], "output_index": index}
        done = {**item, "status": "completed", "arguments": whole}
        found += [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            *[{"type": "response.function_call_arguments.delta", **at, "delta": half} for half in _halves(whole)],
            {"type": "response.function_call_arguments.done", **at, "arguments": whole, "name": tool},
            {"type": "response.output_item.done", "output_index": index, "item": done},
        ]
        output.append(done)
    found.append({"type": "response.completed", "response": _response("completed", output, turn)})
    return [{**event, "sequence_number": number} for number, event in enumerate(found)]


def _gemini(text: str, calls: Sequence[Call]) -> list[Event]:
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}

    def chunk(parts: list[Event], **more: Any) -> Event:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "r1"}

    found = [chunk([{"text": part}]) for part in _halves(text)]
    found += [chunk([{"functionCall": {"name": tool, "args": given, "id": id}}]) for tool, given, id in calls]
    return [*found, chunk([{"text": ""}], finishReason="STOP")]


_SPEAKS: dict[str, Any] = {"anthropic": _anthropic, "chat": _chat, "responses": _responses, "gemini": _gemini}


def events(api: str, text: str, calls: Sequence[Call] = (), turn: int = 1) -> list[Event]:
    """`turn`: which answer it is, for the ids in it."""
    found: list[Event] = _responses(text, calls, turn) if api == "responses" else _SPEAKS[api](text, calls)
    return found


def framed(api: str, said: Sequence[Event]) -> list[bytes]:
    named = api in ("anthropic", "responses")
    lines = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in said]
    return [line.encode() for line in (*lines, *(("data: [DONE]\n\n",) if api == "chat" else ()))]


def streamed(api: str, text: str, calls: Sequence[Call] = (), turn: int = 1) -> list[bytes]:
    return framed(api, events(api, text, calls, turn))


def whole(api: str, text: str, calls: Sequence[Call] = (), turn: int = 1) -> Event:
    """The same answer at once."""
    if api == "anthropic":
        said: list[Event] = [{"type": "text", "text": text}] if text else []
        said += [{"type": "tool_use", "id": id, "name": tool, "input": given} for tool, given, id in calls]
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
        reason = "tool_use" if calls else "end_turn"
        return {**head, "content": said, "stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 2}}
    if api == "chat":
        listed = [
            {"id": id, "type": "function", "function": {"name": tool, "arguments": _text(given)}}
            for tool, given, id in calls
        ]
        message = {"role": "assistant", "content": text or None, **({"tool_calls": listed} if calls else {})}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        return {
            "id": "chat_1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    if api == "responses":
        last: Event = events(api, text, calls, turn)[-1]["response"]
        return last
    parts: list[Event] = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": tool, "args": given, "id": id}} for tool, given, id in calls]
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "r1"}


def request(api: str, text: str = "hello", *, stream: bool = True, **more: Any) -> tuple[str, Event]:
    """Address and body of a request."""
    path = PATHS[api]
    tool = {"name": "look", "description": "looks", "parameters": {"type": "object", "properties": {}}}
    if api == "anthropic":
        tools = [{"name": "look", "input_schema": tool["parameters"]}]
        body: Event = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}], "tools": tools}
    elif api == "chat":
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        body["tools"] = [{"type": "function", "function": tool}]
    elif api == "responses":
        body = {"model": "m", "input": text, "tools": [{"type": "function", **tool}]}
    else:
        body = {"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": [{"functionDeclarations": [tool]}]}
        if stream:
            path = path.replace(":generateContent", ":streamGenerateContent") + "?alt=sse"
        return path, {**body, **more}
    return path, {**body, **({"stream": True} if stream else {}), **more}
