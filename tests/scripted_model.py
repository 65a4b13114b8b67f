"""A model that plays a script, for driving a real client without a network: one HTTP server on the loopback.

A step is `(tool, input)`, a list of them that are called at once, a text, or a function that makes one of these. The
client sends the whole conversation with each request, so which step comes next is told by how many answers are in it
already. Sub-agents have conversations of their own: theirs is the script whose key stands in the first message.

It speaks as Claude does (`/v1/messages`), as Gemini does (`:streamGenerateContent`) and as OpenAI does (`/responses`,
`/chat/completions`), whichever is asked for.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Use = tuple[str, dict[str, Any]]
Said = Use | list[Use] | str
Step = Said | Callable[["Model"], Said]

__all__ = ["Model", "Said", "Step", "scripted_model"]


class Model:
    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []

    @property
    def results(self) -> dict[str, str]:
        """What the client reported of each tool call, by its id."""
        found = {}
        for request in self.requests:
            for message in request.get("messages", ()):
                for part in message["content"] if isinstance(message.get("content"), list) else ():
                    if part.get("type") == "tool_result":
                        found[part["tool_use_id"]] = json.dumps(part.get("content"))
                if message["role"] == "tool":
                    found[message["tool_call_id"]] = json.dumps(message["content"])
            for content in request.get("contents", ()):
                for part in content.get("parts", ()):
                    if "functionResponse" in part:
                        told = part["functionResponse"]
                        found[told.get("id", told["name"])] = json.dumps(told.get("response"))
            for item in request.get("input", ()):
                if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                    found[item["call_id"]] = json.dumps(item.get("output"))
        return found


def _events(number: int, step: Said, agent: str = "") -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    yield {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None}}
    for index, (block, delta) in enumerate(_blocks(number, step, agent)):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "end_turn" if isinstance(step, str) else "tool_use"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def _blocks(number: int, step: Said, agent: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Calls are named `toolu_step_3`; the second of a step `toolu_step_3b`; a sub-agent's `toolu_KEY_step_3`.

    Claude Code takes `X_1` for a part of the call `X`, and puts the results of both together.
    """
    if isinstance(step, str):
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
        return
    named = f"toolu_{agent}_step_{number}" if agent else f"toolu_step_{number}"
    for at, (tool, given) in enumerate(step if isinstance(step, list) else [step]):
        block = {"type": "tool_use", "id": f"{named}{chr(ord('a') + at)}" if at else named, "name": tool, "input": {}}
        yield block, {"type": "input_json_delta", "partial_json": json.dumps(given)}


def _candidate(number: int, step: Said, agent: str = "") -> dict[str, Any]:
    """The same step as Gemini says it. Calls have the ids that Claude's have."""
    parts: list[dict[str, Any]] = []
    for block, delta in _blocks(number, step, agent):
        if block["type"] == "text":
            parts.append({"text": delta["text"]})
        else:
            given = json.loads(delta["partial_json"])
            parts.append({"functionCall": {"id": block["id"], "name": block["name"], "args": given}})
    return {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "m",
    }


def _items(number: int, step: Said, agent: str = "") -> list[dict[str, Any]]:
    """The same step as OpenAI says it. A tool that takes a text and no fields (`apply_patch`) is given `{"": text}`."""
    items: list[dict[str, Any]] = []
    for block, delta in _blocks(number, step, agent):
        if block["type"] == "text":
            said = {"type": "output_text", "text": delta["text"], "annotations": []}
            items.append({"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [said]})
            continue
        given = json.loads(delta["partial_json"])
        whose, _, name = block["name"].rpartition(" ")  # "multi_agent_v1 spawn_agent": a tool of a namespace
        named = {"call_id": block["id"], "name": name, **({"namespace": whose} if whose else {})}
        if list(given) == [""]:
            items.append({"type": "custom_tool_call", **named, "input": given[""]})
        else:
            items.append({"type": "function_call", **named, "arguments": json.dumps(given)})
    return [{"status": "completed", **item} for item in items]


def _responses(number: int, step: Said, agent: str = "") -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    whole = {"id": f"resp_{number}", "object": "response", "status": "completed", "usage": usage}
    items = _items(number, step, agent)
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": {**whole, "output": items}}


_OF_THE_MODEL = ("function_call", "custom_tool_call")


def _turns(items: Sequence[Mapping[str, Any]]) -> int:
    """How many steps a conversation with OpenAI has behind it: what is said or called at once is one."""
    ours = [item["type"] in _OF_THE_MODEL or item.get("role") == "assistant" for item in items]
    return sum(now and not before for before, now in zip([False, *ours], ours, strict=False))


def _answered(contents: Sequence[Mapping[str, Any]], script: Sequence[Step]) -> int:
    """How many steps a conversation with Gemini has behind it. The client puts lines of its own into it."""
    texts = [step for step in script if isinstance(step, str)]
    ours = [
        content
        for content in contents
        if content.get("role") == "model"
        and any("functionCall" in part or part.get("text") in texts for part in content.get("parts", ()))
    ]
    return len(ours)


def _chunks(number: int, step: Said, agent: str = "") -> Iterator[dict[str, Any]]:
    """The same step as OpenAI's chat says it, in pieces."""
    message: dict[str, Any] = {"role": "assistant", "content": step if isinstance(step, str) else None}
    calls = [
        {
            "index": at,
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": delta["partial_json"]},
        }
        for at, (block, delta) in enumerate(() if isinstance(step, str) else _blocks(number, step, agent))
    ]
    if calls:
        message["tool_calls"] = calls
    head = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    yield {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]}
    yield {**head, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def _chatted(messages: Sequence[Mapping[str, Any]], script: Sequence[Step]) -> int:
    """How many steps a chat has behind it. Clients put lines of their own into it."""
    texts = [step for step in script if isinstance(step, str)]
    return sum(
        message["role"] == "assistant" and bool(message.get("tool_calls") or message.get("content") in texts)
        for message in messages
    )


def _at(number: int, steps: Sequence[Step], model: Model) -> Said:
    step = steps[min(number, len(steps) - 1)]
    return step(model) if callable(step) else step


@contextmanager
def scripted_model(script: Sequence[Step], agents: Mapping[str, Sequence[Step]] | None = None) -> Iterator[Model]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if "enerateContent" in self.path:
                self._as_gemini(body)
                return
            if self.path.endswith("/responses"):
                self._as_openai(body)
                return
            if self.path.endswith("/chat/completions"):
                self._as_chat(body)
                return
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                self._send(b'{"input_tokens": 1, "totalTokens": 1}', "application/json")
                return
            number, agent = 0, ""
            step: Said = "ok"
            if body.get("tools"):
                model.requests.append(body)
                first = json.dumps(body["messages"][0])
                agent = next((key for key in agents or {} if key in first), "")
                steps = agents[agent] if agents and agent else script
                number = sum(message["role"] == "assistant" for message in body["messages"])
                step = _at(number, steps, model)
            told = list(_events(number, step, agent))
            if body.get("stream"):
                lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told]
                self._send("".join(lines).encode(), "text/event-stream")
            else:
                whole = {**told[0]["message"], "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
                self._send(json.dumps(whole).encode(), "application/json")

        def _as_gemini(self, body: dict[str, Any]) -> None:
            said: dict[str, Any] = _candidate(0, "{}")  # the client asks a model of its own about routing, in JSON
            if body.get("tools"):
                model.requests.append(body)
                first = json.dumps(body["contents"][:2])
                agent = next((key for key in agents or {} if key in first), "")
                steps = agents[agent] if agents and agent else script
                number = _answered(body["contents"], steps)
                said = _candidate(number, _at(number, steps, model), agent)
            if "stream" in self.path:
                self._send(f"data: {json.dumps(said)}\n\n".encode(), "text/event-stream")
            else:
                self._send(json.dumps(said).encode(), "application/json")

        def _as_openai(self, body: dict[str, Any]) -> None:
            told = _responses(0, "ok")
            if body.get("tools") or any(item.get("type") == "additional_tools" for item in body["input"]):
                model.requests.append(body)
                first = json.dumps([item for item in body["input"] if item.get("role") == "user"])
                agent = next((key for key in agents or {} if key in first), "")
                steps = agents[agent] if agents and agent else script
                number = _turns(body["input"])
                told = _responses(number, _at(number, steps, model), agent)
            lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told]
            self._send("".join(lines).encode(), "text/event-stream")

        def _as_chat(self, body: dict[str, Any]) -> None:
            number, step, agent = 0, "ok", ""
            if body.get("tools"):
                model.requests.append(body)
                first = json.dumps([message for message in body["messages"] if message["role"] == "user"][:2])
                agent = next((key for key in agents or {} if key in first), "")
                steps = agents[agent] if agents and agent else script
                number = _chatted(body["messages"], steps)
                step = _at(number, steps, model)  # type: ignore[assignment]
            told = list(_chunks(number, step, agent))
            if body.get("stream"):
                lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in told]
                self._send("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")
            else:
                message = told[0]["choices"][0]["delta"]
                choices = [{"index": 0, "message": message, "finish_reason": told[1]["choices"][0]["finish_reason"]}]
                whole = {**told[0], "object": "chat.completion", "choices": choices, "usage": told[2]["usage"]}
                self._send(json.dumps(whole).encode(), "application/json")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model = Model(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
