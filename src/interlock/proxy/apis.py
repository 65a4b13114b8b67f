"""Which address speaks which API.

An address is recognized as generously as any server may read it: case, escapes and slashes at its end do not matter,
so that no spelling of an address gets around the proxy. Addresses that hand out answers in a form that is not read
here are refused. All others pass, unless their request offers tools: then an answer may call them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, unquote

from ..value import FrozenMap, Value
from .rewrite import anthropic, chat, gemini, responses

__all__ = ["ANTHROPIC", "APIS", "CHAT", "GEMINI", "RESPONSES", "Endpoint", "endpoint_of", "error_body_of"]

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "chat", "responses", "gemini"
# name -> the rewriter
APIS: Mapping[str, ModuleType] = FrozenMap(
    {ANTHROPIC: anthropic, CHAT: chat, RESPONSES: responses, GEMINI: gemini},
)


class Endpoint(Value):
    """
    api       whose answers it gives; empty: nobody's that is known
    refused   why it cannot be used through the proxy; empty: it can
    streams   the address itself asks for a stream; None: the request's body says
    """

    api: str = ""
    refused: str = ""
    streams: bool | None = None


# the end of an address -> what it is; the first that fits counts
_KNOWN: tuple[tuple[str, Endpoint], ...] = (
    (r"/messages/count_tokens", Endpoint()),
    (r"/messages/batches(/.*)?", Endpoint(api=ANTHROPIC, refused="answers of a batch are not read by Interlock")),
    (r"/threads/.*|/threads|/assistants(/.*)?", Endpoint(api=CHAT, refused="the Assistants API is not supported")),
    (r"/realtime(/.*)?", Endpoint(api=RESPONSES, refused="realtime sessions cannot be judged by Interlock")),
    (r"/batches(/.*)?", Endpoint(api=CHAT, refused="answers of a batch are not read by Interlock")),
    (r"/messages", Endpoint(api=ANTHROPIC)),
    (r":rawpredict", Endpoint(api=ANTHROPIC, streams=False)),
    (r":streamrawpredict", Endpoint(api=ANTHROPIC, streams=True)),
    (r"/chat/completions(/[^/]+)?", Endpoint(api=CHAT)),
    (r"/conversations(/.*)?", Endpoint(api=RESPONSES)),  # which keep what was withheld
    (r"/responses/(input_tokens|[^/]+/input_items)", Endpoint()),
    (r"/responses(/[^/]+(/cancel)?)?", Endpoint(api=RESPONSES)),
    (r":generatecontent", Endpoint(api=GEMINI, streams=False)),
    (r":streamgeneratecontent", Endpoint(api=GEMINI, streams=True)),
    (
        r":(batchgeneratecontent|bidigeneratecontent)|/batches/.*",
        Endpoint(api=GEMINI, refused="only generateContent and streamGenerateContent can be judged"),
    ),
    (
        r"/model/[^/]+/(invoke|invoke-with-response-stream|converse|converse-stream)",
        Endpoint(api=ANTHROPIC, refused="Bedrock's own protocol is not supported"),
    ),
)
_PATTERNS = [(re.compile(rf"(?:.*)(?:{pattern})", re.DOTALL), found) for pattern, found in _KNOWN]


def endpoint_of(path: str, query: str = "") -> Endpoint:
    read = unquote(unquote(path)).lower().rstrip("/ ")
    found = next((found for pattern, found in _PATTERNS if pattern.fullmatch(read)), Endpoint())
    if found.api == GEMINI and found.streams and parse_qs(query.lower()).get("alt", [""])[-1] != "sse":
        return found.replace(streams=False)  # then it is one list
    return found


def error_body_of(api: str, text: str, status: int) -> dict[str, Any]:
    """A refusal in the words of the API, so that its client tells the person what is wrong."""
    body: dict[str, Any] = APIS[api or CHAT].error_body(text, status)
    return body
