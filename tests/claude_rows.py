"""The rows that Claude Code 2.1.327 writes into its transcript, with the fields that a capture of the client shows.

`tests/live/test_person_live.py` holds them against the client.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

__all__ = ["PROMPT", "Transcript"]

PROMPT = "b2a7c9f0-54c1-4a5e-8a0b-1f5a3c0d9e22"


class Transcript:
    """A transcript that grows a row at a time, as the client writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def add(self, **row: Any) -> Transcript:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".500Z"
        with self.path.open("a") as file:
            file.write(json.dumps({"type": "user", "timestamp": moment, "entrypoint": "cli", **row}) + "\n")
        return self

    def message(self, text: str, *, prompt: str = PROMPT, kind: str = "human", source: str = "typed") -> Transcript:
        return self.add(
            promptId=prompt,
            message={"role": "user", "content": text},
            origin={"kind": kind},
            promptSource=source,
            turnOrigin=kind,
        )

    def yes(self, attempt: str, source: str = "user_temporary") -> Transcript:
        decided = {"decision": "accept", "source": source, "grantScope": "once", "reasonCode": "hook:PreToolUse"}
        return self._result(attempt, "done", permissionDecision=decided)

    def no(self, attempt: str) -> Transcript:
        self._result(attempt, "The user doesn't want to proceed with this tool use.", toolDenialKind="user-rejected")
        text = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
        return self.add(promptId=PROMPT, message={"role": "user", "content": text})

    def _result(self, attempt: str, text: str, **more: Any) -> Transcript:
        block = {"type": "tool_result", "tool_use_id": attempt, "content": text}
        return self.add(promptId=PROMPT, message={"role": "user", "content": [block]}, **more)
