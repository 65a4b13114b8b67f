"""The cases of the shipped packs as calls of an MCP tool: decided through the relay as by the library.

Every command is an argument of a tool that the policy declares as one that runs it, and of one that nobody declared.
`INTERLOCK_RELAY_CASES=all` tries all of them.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from interlock import Gate
from interlock.evals.pack import load_pack
from interlock.evals.shipped import path_of

from .wire import Home, Wire, scripted

EACH = 1 if os.environ.get("INTERLOCK_RELAY_CASES") == "all" else 25
POLICY = """
[tools.mcp__s__echo]
effects = ["read", "write", "network", "execute", "spawn", "destructive"]
args = { message = "command" }
[loop]
enforce = false
"""

# Which of our own files it finds, and which of them is named, hangs on the front: each keeps others in its home.
NAMES_OUR_FILES = "find ~ -type f -exec shred -u {} +"


def commands(pack: str) -> list[str]:
    cases = [case for name in pack.split("+") for case in load_pack(path_of(name)) if case.stage is None]
    found = [case.call.input.get("command") for case in cases]
    return [text for text in found if type(text) is str and text != NAMES_OUR_FILES][::EACH]


def told(home: Home) -> list[dict[str, Any]]:
    """What was decided, whatever the session and the home folder are called."""
    raw = json.dumps([row["receipt"] for row in home.rows("decision")])
    rows = json.loads(raw.replace(str(home.at), "/home/ann"))
    plain = [{key: row["decision"][key] for key in ("verdict", "effect", "effects", "notes")} for row in rows]
    lists = [{"reasons": row["decision"]["reasons"], "actions": row["reading"]["actions"]} for row in rows]
    kept = [{key: [one for one in found if not _is_of_guard(one)] for key, found in row.items()} for row in lists]
    return [one | other for one, other in zip(plain, kept, strict=True)]


def _is_of_guard(found: object) -> bool:
    """What names a file that Interlock itself keeps, however shortened: each home has others."""
    return any(place in json.dumps(found) for place in ("/.cache/interl", "/.local/state/interl"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "pack", ["files+git+databases", "packages+cloud+builds", "secrets+self-protection", "shell+network+system"]
)
def test_the_relay_decides_as_the_library_does(tmp_path: Path, log: Path, pack: str) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    through, beside = Home(tmp_path / "one", POLICY), Home(tmp_path / "two", POLICY)
    calls = [(tool, text) for text in commands(pack) for tool in ("echo", "fails")]
    assert calls
    time.sleep(1.05)  # a session begins at a whole second: both homes stood before it, or only one of them did
    with Wire(through, scripted(log), cwd=project) as wire:
        wire.begin()
        for id, (tool, text) in enumerate(calls):
            wire.said(id, tool, text)
    with Gate(home=beside.at, host="mcp") as gate:
        for id, (tool, text) in enumerate(calls):  # a pack may hold one command twice
            given = {"message": text}
            checked = gate.check(f"mcp__s__{tool}", given, session="s", cwd=str(project), call_id=str(id))
            if checked.allowed:
                gate.settled(checked, "ran", {"text": text})
    ours, theirs = told(through), told(beside)
    for (tool, text), one, other in zip(calls, ours, theirs, strict=True):
        assert (tool, text, one) == (tool, text, other)
    assert {row["verdict"] for row in ours} >= {"ask"}
