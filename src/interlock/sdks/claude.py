"""Claude Agent SDK: hooks around each tool call of the client that the SDK starts.

    guard = Interlock()
    options = guard.gated(ClaudeAgentOptions(...))

A deny is the hook's: the model gets the reason. An ask is `defer`: the run ends with `deferred_tool_use`, and one that
resumes its session asks the ledger again. The client can defer one call at a time: another one that asks meanwhile is
refused with the approval's id, and the model makes it again. An allow is no opinion: the client's own permissions still
count. Another hook may change the arguments at the same time, and nothing stands behind the hooks. So what ran is
compared with what was decided about, and judged.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher

from ..gate import Checked, Gate
from .common import acheck, asettled, question, reason, refused

__all__ = ["Interlock"]

_MOST = 1_000  # prompts whose questions are remembered

_Prompt = tuple[str, str]  # the client's session, and what it calls the prompt


class Interlock:
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the client's session id, which stays the same when it is resumed
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None) -> None:
        self.gate = Gate(host="claude-code") if gate is None else gate
        self.session = session
        # The first question of a prompt is the call that was deferred.
        self._questions: OrderedDict[_Prompt, dict[str, dict[str, Any]]] = OrderedDict()

    def gated(self, options: Any) -> Any:
        """A copy of the options with the gate in front of every tool, also those of sub-agents and MCP servers."""
        hooks = {event: list(matchers) for event, matchers in (options.hooks or {}).items()}
        # Without "block" a hook that failed would have no opinion, and the tool would run.
        hooks.setdefault("PreToolUse", []).append(HookMatcher(hooks=[self.before], on_failure="block"))
        hooks.setdefault("PostToolUse", []).append(HookMatcher(hooks=[self.after]))
        hooks.setdefault("PostToolUseFailure", []).append(HookMatcher(hooks=[self.after_failure]))
        return dataclasses.replace(options, hooks=hooks)

    def asked(self, result: Any) -> list[dict[str, Any]]:
        """The questions that a run waits for, as they were put in this process: approval, question, tool, call_id. The
        first one is about the call that was deferred.
        """
        deferred = result.deferred_tool_use
        for (session, _), questions in reversed(self._questions.items()):
            if deferred is not None and session == result.session_id and deferred.id in questions:
                return list(questions.values())
        return []

    async def before(self, told: Any, call_id: str | None, _context: Any) -> dict[str, Any]:
        try:
            tool, given = told["tool_name"], told["tool_input"]
            checked = await acheck(self.gate, tool, given, call_id=call_id, **self._about(told))
        except Exception as error:
            return _decision("deny", reason(refused(error)))
        self._forget(told["session_id"], call_id)
        if checked.verdict == "allow":
            return {}
        if checked.verdict == "ask" and self._is_first(told, question(checked, tool, call_id)):
            return _decision("defer", reason(checked))
        return _decision("deny", reason(checked))

    def _forget(self, session: str, call_id: str | None) -> None:
        """A call that is asked about again was woken up."""
        for (whose, _), questions in self._questions.items():
            if whose == session:
                questions.pop(call_id or "", None)

    def _is_first(self, told: Any, asked: dict[str, Any]) -> bool:
        prompt = (told["session_id"], str(told.get("prompt_id")))
        questions = self._questions.setdefault(prompt, {})
        questions[asked["call_id"]] = asked
        while len(self._questions) > _MOST:
            self._questions.popitem(last=False)
        return len(questions) == 1

    async def after(self, told: Any, call_id: str | None, _context: Any) -> dict[str, Any]:
        return await self._ended(told, call_id, "ran", told.get("tool_response"))

    async def after_failure(self, told: Any, call_id: str | None, _context: Any) -> dict[str, Any]:
        return await self._ended(told, call_id, "failed", told.get("error"))

    async def _ended(self, told: Any, call_id: str | None, outcome: str, result: Any) -> dict[str, Any]:
        call = self.gate.call(told["tool_name"], told["tool_input"], call_id=call_id, **self._about(told))
        notes = await asettled(self.gate, Checked(verdict="allow", call=call), outcome, result)
        return {"systemMessage": "\n".join(notes)} if notes else {}

    def _about(self, told: Mapping[str, Any]) -> dict[str, Any]:
        session = self.session or told["session_id"]
        return {"session": session, "cwd": told["cwd"], "agent": told.get("agent_id") or ""}


def _decision(verdict: str, why: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": why,
        }
    }
