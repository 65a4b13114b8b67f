"""`interlock contracts check` says what is wrong with a catalogue, ours or that of role-os."""

from __future__ import annotations

import json
from typing import Any

import pytest

from machine import Machine

WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"inputSchema": {"requierd": ["a"]}},
        "`inputSchema.requierd` is no word of JSON Schema; did you mean `required`?",
    ),
    ({"inputSchema": {"properties": {"a": {"type": "strng"}}}}, "`inputSchema.properties.a.type` must be one of "),
    ({"inputSchema": {"properties": {"a": {"minimum": "3"}}}}, "`inputSchema.properties.a.minimum` must be a number"),
    ({"inputSchema": {"required": "a"}}, "`inputSchema.required` must be an array of names"),
    ({"inputSchema": {"items": {"pattern": "["}}}, "`inputSchema.items.pattern` is no regular expression: "),
    ({"params": [{"name": "a", "pattern": "("}]}, "`params.properties.a.pattern` is no regular expression: "),
    ({"constraints": [{"kind": "pattern", "field": "a", "matches": "(", "id": "p"}]}, "`p.matches` is no regular "),
    ({"constraints": [{"kind": "cmpp"}]}, "`constraints[0].kind` must be one of "),
    ({"constraints": [{"kind": "cmp", "op": "<", "left": "a", "right": 1}]}, "`constraints[0].op` must be one of "),
    ({"params": [{"name": "a", "min": 3, "max": 1}]}, "`params.properties.a`: nothing can fulfil maximum and minimum"),
    (
        {"constraints": [{"kind": "distinct", "fields": ["a", "a"], "id": "d"}]},
        "`d`: no call can fulfil it",
    ),
]


@pytest.mark.parametrize("file", [".interlock/contracts.json", ".claude/role-os/tool-contracts.json"])
def test_the_check_says_what_is_wrong(machine: Machine, file: str) -> None:
    path = machine.project / file
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({f"t{at:02}": entry for at, (entry, _) in enumerate(WRONG)}))
    expected = [f"t{at:02}: {begin}" for at, (_, begin) in enumerate(WRONG)]
    run = machine.run("contracts", "check", str(path))
    assert run.code == 65
    told = [line.removeprefix(f"{path}: ") for line in run.out.splitlines()]
    missing = [begin for begin in expected if not any(line.startswith(begin) for line in told)]
    assert (missing, {line[:3] for line in told}) == ([], {begin[:3] for begin in expected})
