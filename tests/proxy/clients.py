"""The official clients, in their own environment: takes requests as lines of JSON, tells what a client made of each.

    {"api": "anthropic", "url": "http://…", "form": "helper", "headers": {}}
    {"texts": ["…"], "calls": [["look", {"x": 1}, "c1"]], "reason": "tool_use"}     or {"error": "APIError: …"}

`form`: `helper` is the client's own accumulating stream, `raw` its events, `whole` an answer at once. Imports nothing
of ours: Interlock is not installed where this runs.
"""

from __future__ import annotations

import json
import sys
import traceback
from importlib.metadata import version
from typing import Any

import anthropic
import openai
from google import genai
from google.genai import types

TOOL = {"type": "object", "properties": {}}
KEY = "sk-of-a-test"


def of_anthropic(order: dict[str, Any]) -> dict[str, Any]:
    client = anthropic.Anthropic(api_key=KEY, base_url=order["url"], max_retries=0, default_headers=order["headers"])
    given: Any = {
        "model": "m",
        "max_tokens": 9,
        "messages": order.get("messages") or [{"role": "user", "content": order["text"]}],
        "tools": [{"name": "look", "input_schema": TOOL}],
    }
    if order["form"] == "raw":
        blocks: dict[int, dict[str, Any]] = {}
        reason = None
        for event in client.messages.create(stream=True, **given):
            if event.type == "content_block_start":
                blocks[event.index] = {**event.content_block.model_dump(), "json": ""}
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                blocks[event.index]["text"] += event.delta.text
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                blocks[event.index]["json"] += event.delta.partial_json
            elif event.type == "message_delta":
                reason = event.delta.stop_reason
        found = list(blocks.values())
        return {
            "texts": [block["text"] for block in found if block["type"] == "text"],
            "calls": [[b["name"], json.loads(b["json"] or "{}"), b["id"]] for b in found if b["type"] == "tool_use"],
            "reason": reason,
        }
    if order["form"] == "whole":
        message = client.messages.create(**given)
    else:
        with client.messages.stream(**given) as stream:
            message = stream.get_final_message()
    return {
        "texts": [block.text for block in message.content if block.type == "text"],
        "calls": [[block.name, block.input, block.id] for block in message.content if block.type == "tool_use"],
        "reason": message.stop_reason,
        "content": [block.model_dump(exclude_none=True) for block in message.content],
        "usage": message.usage.output_tokens,
    }


def of_openai(order: dict[str, Any]) -> openai.OpenAI:
    return openai.OpenAI(api_key=KEY, base_url=order["url"] + "/v1", max_retries=0, default_headers=order["headers"])


def of_chat(order: dict[str, Any]) -> dict[str, Any]:
    completions = of_openai(order).chat.completions
    given: Any = {
        "model": "m",
        "messages": [{"role": "user", "content": order["text"]}],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": TOOL}}],
    }
    if order["form"] == "raw":
        texts, calls, reason, usage = "", {}, None, None
        for chunk in completions.create(stream=True, **given):
            usage = chunk.usage or usage
            for choice in chunk.choices:
                texts += choice.delta.content or ""
                reason = choice.finish_reason or reason
                for part in choice.delta.tool_calls or []:
                    one = calls.setdefault(part.index, ["", "", ""])
                    one[0] += part.function.name or ""
                    one[1] += part.function.arguments or ""
                    one[2] += part.id or ""
        assert list(calls) == list(range(len(calls)))
        assert usage is not None
        listed = [[name, json.loads(text), id] for name, text, id in calls.values()]
        return {"texts": [texts], "calls": listed, "reason": reason}
    if order["form"] == "whole":
        choice = completions.create(**given).choices[0]
    else:
        with completions.stream(**given) as stream:
            for _ in stream:
                pass
            choice = stream.get_final_completion().choices[0]
    calls = [
        [call.function.name, json.loads(call.function.arguments), call.id] for call in choice.message.tool_calls or []
    ]
    return {"texts": [choice.message.content or ""], "calls": calls, "reason": choice.finish_reason}


def of_responses(order: dict[str, Any]) -> dict[str, Any]:
    responses = of_openai(order).responses
    given: Any = {
        "model": "m",
        "input": order.get("messages") or order["text"],
        "tools": [{"type": "function", "name": "look", "parameters": TOOL, "strict": False}],
    }
    done = []
    if order["form"] == "whole":
        response = responses.create(**given)
    elif order["form"] == "raw":
        numbers = []
        response = None
        for event in responses.create(stream=True, **given):
            numbers.append(event.sequence_number)
            if event.type == "response.output_item.done":
                done.append(event.item)
            if event.type == "response.completed":
                response = event.response
        assert numbers == list(range(len(numbers))), numbers
        assert response is not None, "no response.completed"
        assert [item.type for item in done] == [item.type for item in response.output]
    else:
        with responses.stream(**given) as stream:
            for _ in stream:
                pass
            response = stream.get_final_response()
    calls = [item for item in response.output if item.type == "function_call"]
    said = [item for item in response.output if item.type == "message"]
    return {
        "texts": [part.text for item in said for part in item.content],
        "calls": [[call.name, json.loads(call.arguments), call.call_id] for call in calls],
        "reason": response.status,
        "content": [item.model_dump(exclude_none=True) for item in response.output],
    }


def of_gemini(order: dict[str, Any]) -> dict[str, Any]:
    options = types.HttpOptions(base_url=order["url"], headers=order["headers"])
    client = genai.Client(api_key=KEY, http_options=options)
    declared = types.FunctionDeclaration(name="look", parameters_json_schema=TOOL)
    manual = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])], automatic_function_calling=manual
    )
    given: Any = {"model": "m", "contents": order["text"], "config": config}
    if order["form"] == "whole":
        chunks = [client.models.generate_content(**given)]
    elif order["form"] == "raw":
        chunks = list(client.models.generate_content_stream(**given))
    else:
        chat = client.chats.create(model="m", config=config)
        chunks = list(chat.send_message_stream(order["text"]))
        assert [one.role for one in chat.get_history(curated=True)] in (
            ["user", "model"],
            ["user"] + ["model"] * len(chunks),
        )
    parts = [part for chunk in chunks for part in (chunk.candidates[0].content.parts or [])]
    found = [part.function_call for part in parts if part.function_call]
    return {
        "texts": [part.text for part in parts if part.text],
        "calls": [[call.name, dict(call.args or {}), call.id] for call in found],
        "reason": chunks[-1].candidates[0].finish_reason.name,
    }


DOES = {"anthropic": of_anthropic, "chat": of_chat, "responses": of_responses, "gemini": of_gemini}


def main() -> None:
    print(json.dumps({name: version(name) for name in ("anthropic", "openai", "google-genai")}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            told = DOES[order["api"]](order)
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"[:2000], "trace": traceback.format_exc()[-2000:]}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
