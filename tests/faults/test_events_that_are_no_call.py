"""every_crash_is_a_deny, for what comes in: bytes that are no event get a deny that says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hook_process import DENY, Machine, Ran


def denied(reason: str) -> Any:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"Interlock: {reason}.",
        }
    }


WRITE = b'{"hook_event_name":"PreToolUse","tool_name":"Write","cwd":"/p","tool_input":{"file_path":"/p/a"'

BYTES = {
    "empty": (b"", "the input is empty"),
    "blank": (b" \r\n\t", "the input is empty"),
    "truncated": (WRITE, "the input is not JSON: Expecting ',' delimiter: line 1 column 96 (char 95)"),
    "half a text": (WRITE[:40], "the input is not JSON: Unterminated string starting at: line 1 column 33 (char 32)"),
    "not UTF-8": (WRITE + b',"content":"\xff\xfe"}}', "the input is not UTF-8 (byte 107)"),
    "UTF-16": (WRITE.decode().encode("utf-16"), "the input is not UTF-8 (byte 0)"),
    "byte-order mark": (b"\xef\xbb\xbf" + WRITE + b"}}", "the input starts with a byte-order mark"),
    "duplicate key": (WRITE + b'},"tool_name":"Read"}', "the key `tool_name` occurs twice in one object"),
    "duplicate key inside": (WRITE + b',"file_path":"/p/b"}}', "the key `file_path` occurs twice in one object"),
    "duplicate key by escape": (
        WRITE + b'},"tool\\u005fname":"Read"}',
        "the key `tool_name` occurs twice in one object",
    ),
    "NaN": (WRITE + b',"n":NaN}}', "`NaN` is not JSON; numbers must be finite"),
    "Infinity": (WRITE + b',"n":Infinity}}', "`Infinity` is not JSON; numbers must be finite"),
    "-Infinity": (WRITE + b',"n":-Infinity}}', "`-Infinity` is not JSON; numbers must be finite"),
    "number without end": (WRITE + b',"n":1e999}}', "a number is too large; numbers must be finite"),
    "digits without end": (
        WRITE + b',"n":' + b"9" * 5000 + b"}}",
        "the input is not JSON: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits",
    ),
    "half a surrogate pair": (
        WRITE + b',"content":"\\ud83d"}}',
        "a text holds half of a surrogate pair, which is not Unicode",
    ),
    "half a surrogate pair as key": (
        WRITE + b',"\\udc00":1}}',
        "a text holds half of a surrogate pair, which is not Unicode",
    ),
    "depth 101": (b'{"a":' * 101 + b"1" + b"}" * 101, "the input is nested deeper than 100 levels"),
    "depth 100000": (b"[" * 10**5 + b"]" * 10**5, "the input is nested deeper than 100 levels"),
    "depth 100000, objects": (b'{"a":' * 10**5 + b"1" + b"}" * 10**5, "the input is nested deeper than 100 levels"),
    "depth 100000, never closed": (b"[" * 10**5, "the input is nested deeper than 100 levels"),
    "10 MB": (WRITE + b',"content":"' + b"x" * 10**7 + b'"}}', "the event is larger than 8388608 bytes"),
    "two objects": (WRITE + b"}}" + WRITE + b"}}", "the input goes on after the JSON value (character 97)"),
    "an array": (b"[" + WRITE + b"}}]", "expected a JSON object, got an array"),
    "a text": (b'"Write"', "expected a JSON object, got a text"),
    "null": (b"null", "expected a JSON object, got null"),
    "control character in a text": (
        WRITE + b',"content":"a\x00b"}}',
        "the input is not JSON: Invalid control character at: line 1 column 109 (char 108)",
    ),
}


@pytest.mark.parametrize("case", BYTES)
def test_bytes_that_are_no_event_are_denied_with_the_reason(case: str, machine: Machine) -> None:
    raw, reason = BYTES[case]
    assert machine.run(raw).answer == denied(reason)


EVENTS: dict[str, tuple[dict[str, Any], str]] = {
    "no tool": ({"tool_name": None}, "the event has no `tool_name`"),
    "empty tool": ({"tool_name": ""}, "the event has no `tool_name`"),
    "blank tool": ({"tool_name": " \t"}, "the event has no `tool_name`"),
    "tool is a number": ({"tool_name": 7}, "the event has no `tool_name`"),
    "tool is a list": ({"tool_name": ["Read"]}, "the event has no `tool_name`"),
    "no input": ({"tool_input": None}, "the event's `tool_input` is missing or not an object"),
    "input is a text": ({"tool_input": "{}"}, "the event's `tool_input` is missing or not an object"),
    "input is a list": ({"tool_input": []}, "the event's `tool_input` is missing or not an object"),
    "another event": ({"hook_event_name": "PreCompact"}, "expected a PreToolUse event, got `PreCompact`"),
    "no event name": ({"hook_event_name": None}, "expected a PreToolUse event, got `None`"),
    "event name in another case": ({"hook_event_name": "pretooluse"}, "expected a PreToolUse event, got `pretooluse`"),
    "relative folder": ({"cwd": "project"}, "the event's `cwd` is not an absolute path"),
    "empty folder": ({"cwd": ""}, "the event's `cwd` is not an absolute path"),
    "no folder": ({"cwd": None}, "the event's `cwd` is not an absolute path"),
    "folder is a number": ({"cwd": 1}, "the event's `cwd` is not a text"),
    "folder is a list": ({"cwd": ["/p"]}, "the event's `cwd` is not a text"),
    "session is a number": ({"session_id": 1}, "the event's `session_id` is not a text"),
    "agent is an object": ({"agent_id": {}}, "the event's `agent_id` is not a text"),
    "call id is false": ({"tool_use_id": False}, "the event's `tool_use_id` is not a text"),
}


@pytest.mark.parametrize("case", EVENTS)
def test_an_event_that_holds_no_call_is_denied_with_the_reason(case: str, machine: Machine) -> None:
    changes, reason = EVENTS[case]
    assert machine.run(machine.event(**changes)).answer == denied(reason)


@pytest.mark.parametrize("tool", ["Read", "Write", "Bash"])
@pytest.mark.parametrize("cwd", ["/\0", "/nowhere/at/all", "/" + "x" * 300, "/" + "y/" * 3000, "/proc/self/cwd"])
def test_a_folder_that_cannot_be_is_never_an_allow_without_a_look(cwd: str, tool: str, machine: Machine) -> None:
    """Relative paths below it: they may be allowed only where it is known where they lead."""
    ran = machine.run(machine.event(tool, {**machine.sample(tool), "file_path": "a.txt"}, cwd=cwd))
    expected = {"/nowhere/at/all": {"Read": "allow"}}.get(cwd, {}).get(tool)
    assert ran.taken == expected if expected else ran.taken in ("ask", DENY), ran


@pytest.mark.parametrize(
    "arguments", [[], ["emacs"], ["claude-code", "--home"], ["claude-code", "--home", "x"], ["-h"]]
)
def test_a_command_line_that_is_wrong_blocks(arguments: list[str], machine: Machine) -> None:
    import subprocess

    done = subprocess.run(
        [machine.python, "-I", "-S", str(machine.guard), *arguments],
        input=json.dumps(machine.event("Read")).encode(),
        capture_output=True,
        env=machine.environment(),
        check=False,
    )
    blocked = b"Interlock: blocked, because the check could not be completed (HostError).\n"
    assert Ran(done.returncode, done.stdout, done.stderr) == Ran(2, b"", blocked)
