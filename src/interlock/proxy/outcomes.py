"""What became of the calls that were let through: the client's next request tells the model, and so it tells us.

The loop guard and the session's memory need it. A call whose result never comes stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..bytes.canon import written
from ..gate import Checked
from ..value import Value
from .apis import ANTHROPIC, CHAT, RESPONSES
from .newest import Newest

__all__ = ["Outcome", "Released", "outcomes_in"]

_MOST = 2000  # calls that are remembered: a conversation tells what became of its calls with its next request


class Outcome(Value):
    """`id`: the model's id of the call; of Gemini's calls without one, the tool's name."""

    id: str
    failed: bool
    result: Any


class Released:
    """Calls that reached a client, by session and id, until their result comes. Of what was decided nothing is kept."""

    def __init__(self) -> None:
        self._calls = Newest[Checked](_MOST)

    def keep(self, session: str, id: str, checked: Checked) -> None:
        self._calls.put((session, id), checked.replace(outcome=None), len(written(checked.call.input)))

    def settled(self, session: str, outcomes: Sequence[Outcome]) -> list[tuple[Checked, Outcome]]:
        """Those whose result came, each once."""
        found = [(self._calls.take((session, outcome.id)), outcome) for outcome in outcomes]
        return [(checked, outcome) for checked, outcome in found if checked is not None]


def outcomes_in(api: str, body: Mapping[str, Any]) -> list[Outcome]:
    """The results that a request tells the model, all of the conversation."""
    return [outcome for outcome in _TOLD.get(api, _of_gemini)(body) if isinstance(outcome.id, str)]


def _objects(given: Any) -> list[dict[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _of_anthropic(body: Mapping[str, Any]) -> Iterator[Outcome]:
    for message in _objects(body.get("messages")):
        for block in _objects(message.get("content")):
            if block.get("type") == "tool_result":
                id = block.get("tool_use_id", "")
                yield Outcome(id=id, failed=block.get("is_error") is True, result=block.get("content"))


def _of_chat(body: Mapping[str, Any]) -> Iterator[Outcome]:
    for message in _objects(body.get("messages")):
        if message.get("role") == "tool":
            yield Outcome(id=message.get("tool_call_id", ""), failed=False, result=message.get("content"))


def _of_responses(body: Mapping[str, Any]) -> Iterator[Outcome]:
    for item in _objects(body.get("input")):
        if str(item.get("type", "")).endswith("_output"):
            failed = item.get("status") == "incomplete"
            yield Outcome(id=item.get("call_id", ""), failed=failed, result=item.get("output"))


def _of_gemini(body: Mapping[str, Any]) -> Iterator[Outcome]:
    for content in _objects(body.get("contents")):
        for part in _objects(content.get("parts")):
            told = part.get("functionResponse") or part.get("function_response")
            if isinstance(told, dict):
                result = told.get("response")
                failed = isinstance(result, dict) and "error" in result
                yield Outcome(id=told.get("id") or told.get("name", ""), failed=failed, result=result)


_TOLD = {ANTHROPIC: _of_anthropic, CHAT: _of_chat, RESPONSES: _of_responses}
