"""A name that a host, a client or an environment gives is short enough to stand in every row, at every door.

Two long names that begin alike stay two: what is kept of them is a digest, not their beginning.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.gate import Gate
from interlock.hosts import claude_code
from interlock.limits import MAX_ID_CHARS
from interlock.model.call import call_from, short_id
from interlock.model.errors import InputError
from interlock.proxy.apis import ANTHROPIC, RESPONSES
from interlock.proxy.asked import session_of
from interlock.value import FrozenMap

LONG = "n" * 1_000_000
PAIR = (LONG + "a", LONG + "b")


def told_apart(kept: list[str]) -> bool:
    return len(set(kept)) == 2 and all(0 < len(name) <= MAX_ID_CHARS for name in kept)


def test_a_short_name_stays_as_it_is() -> None:
    assert short_id("n" * MAX_ID_CHARS) == "n" * MAX_ID_CHARS
    assert told_apart([short_id(name) for name in PAIR])


@pytest.mark.parametrize("field", ["session_id", "agent_id", "agent_type", "tool_use_id"])
def test_a_host_gives_a_long_name(field: str) -> None:
    ours = {"session_id": "session", "agent_id": "agent", "agent_type": "agent_type", "tool_use_id": "attempt"}[field]
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": FrozenMap({"file_path": "/x"}),
        "cwd": "/",
    }
    kept = []
    for name in PAIR:
        found: Any = claude_code.event_from(FrozenMap({**event, "session_id": "s", field: name}), {}, 0)
        kept.append(getattr(found.call, ours))
    assert told_apart(kept)


def test_a_program_gives_a_long_name() -> None:
    gate = Gate()
    calls = [gate.call("lookup", {}, session=name, agent=name, call_id=name) for name in PAIR]
    for field in ("session", "agent", "attempt"):
        assert told_apart([getattr(call, field) for call in calls])


def test_a_client_of_the_proxy_gives_a_long_name() -> None:
    named: list[tuple[str, Any]] = [
        (ANTHROPIC, lambda name: {"metadata": {"user_id": f"user_session_{name}"}}),
        (ANTHROPIC, lambda name: {"metadata": {"user_id": json.dumps({"session_id": name})}}),
        (RESPONSES, lambda name: {"conversation": name}),
        (RESPONSES, lambda name: {"prompt_cache_key": name}),
    ]
    for api, body in named:
        assert told_apart([session_of(api, body(name), "") for name in PAIR])


@pytest.mark.parametrize("field", ["tool", "session", "agent", "agent_type", "host", "attempt", "cwd"])
def test_a_call_in_json_with_a_long_name_is_none(field: str) -> None:
    call = FrozenMap({"tool": "lookup", "input": FrozenMap({}), field: f"/{LONG}"})
    with pytest.raises(InputError, match=f"`{field}` has at most"):
        call_from(call, cwd="/")


def test_a_run_with_a_long_label_is_kept_under_a_short_one(tmp_path: Path) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    event |= {"session_id": "s", "cwd": str(tmp_path), "transcript_path": "", "permission_mode": "default"}
    labels = ["n" * 10_000 + end for end in "ab"]
    for number, label in enumerate(labels):
        command = [sys.executable, "-m", "interlock.cli", "--home", str(tmp_path / "home"), "hook", "claude-code"]
        done = subprocess.run(
            command,
            input=json.dumps({**event, "session_id": f"s{number}"}).encode(),
            capture_output=True,
            env={**os.environ, "INTERLOCK_RUN": label, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
            check=True,
        )
        assert label.encode() not in done.stdout
    kept = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    assert b"n" * (MAX_ID_CHARS + 1) not in kept
