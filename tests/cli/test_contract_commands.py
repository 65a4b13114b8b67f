"""`interlock contracts`, and what `decide` and `explain` tell of contracts."""

from __future__ import annotations

import json
from typing import Any

from machine import Machine

SAME = {"tool": "Edit", "input": {"file_path": "a.py", "old_string": "x", "new_string": "x"}}
NOTE = "`old_string` and `new_string` must differ, both are `x` (contract Edit.old-differs)"


def catalogue(machine: Machine, content: Any, file: str = ".interlock/contracts.json") -> str:
    path = machine.project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_a_broken_contract_is_a_note_and_the_verdict_stays(machine: Machine) -> None:
    right = {**SAME, "input": {**SAME["input"], "new_string": "y"}}  # type: ignore[dict-item]
    plain, told = machine.run("decide", stdin=right), machine.run("decide", stdin=SAME)
    assert (plain.code, plain.json["notes"]) == (0, [])
    assert (told.code, told.json["notes"]) == (0, [NOTE])
    assert told.json["verdict"] == plain.json["verdict"] == "allow"


def test_a_rule_that_names_the_contract_makes_it_ask_or_deny(machine: Machine) -> None:
    policy = (
        'version = 1\n[[rules]]\nid = "r"\nwhen = { contract = "Edit.*" }\nverdict = "VERDICT"\nreason = "Look again."'
    )
    machine.user_policy(policy.replace("VERDICT", "ask"))
    asked = machine.run("decide", stdin=SAME)
    assert asked.code == 2
    assert [(r["layer"], r["rule"], r["grant"]) for r in asked.json["reasons"]] == [("rules", "r", None)]
    machine.user_policy(policy.replace("VERDICT", "deny"))
    assert machine.run("decide", stdin=SAME).code == 1
    assert machine.run("decide", stdin={**SAME, "input": {**SAME["input"], "old_string": "y"}}).code == 0  # type: ignore[dict-item]


def test_explain_shows_the_note(machine: Machine) -> None:
    text = machine.run("explain", json.dumps(SAME)).out
    assert "notes to the agent:" in text
    assert NOTE in text


def test_state_in_the_call_is_what_a_contract_refers_to(machine: Machine) -> None:
    entry = {"constraints": [{"id": "free", "kind": "member", "field": "seat", "in": {"state": "free"}}]}
    catalogue(machine, {"assign_seat": entry})
    call = {"tool": "assign_seat", "input": {"seat": "9F"}}
    assert machine.run("decide", stdin=call).json["notes"] == []
    told = machine.run("decide", stdin={**call, "state": {"free": ["1A"]}}).json["notes"]
    assert told == ["`seat` must be one of `free` of the state, it is `9F` (contract assign_seat.free)"]


def test_receipts_with_notes_are_derived_again(machine: Machine) -> None:
    machine.run("decide", "--record", stdin=SAME)
    run = machine.run("replay", "--json")
    assert run.code == 0
    (row,) = machine.rows()
    assert [broken["contract"] for broken in row["body"]["receipt"]["reading"]["broken"]] == ["Edit.old-differs"]


def test_a_malformed_catalogue_is_told_on_the_side(machine: Machine) -> None:
    path = catalogue(machine, "{")
    run = machine.run("decide", stdin=SAME)
    assert (run.code, run.json["notes"]) == (0, [NOTE])
    assert run.err.startswith(f"interlock: {path}: no contracts of this file are checked: the input is not JSON")
    assert "no contracts of this file" in machine.run("explain", json.dumps(SAME)).err


def test_check_without_a_catalogue_says_so(machine: Machine) -> None:
    run = machine.run("contracts", "check")
    assert (run.code, run.out) == (0, "there is no catalogue here; the built-in contracts are in force\n")


def test_check_tells_every_problem_of_every_file(machine: Machine) -> None:
    sound = catalogue(machine, {"f": {"params": [{"name": "a", "type": "string"}]}}, "sound.json")
    wrong = catalogue(
        machine,
        {
            "f": {"params": [{"name": "a", "kind": "string"}]},
            "g": {
                "params": [{"name": "a", "type": "string"}],
                "examples": [{"a": 1}, {"a": "x"}],
                "breaks": {"a.type": {"a": "x"}},
            },
        },
    )
    assert machine.run("contracts", "check", sound).out == f"{sound}: 1 tool, no problems\n"
    run = machine.run("contracts", "check")
    assert run.code == 65
    assert run.out.splitlines() == [
        f"{wrong}: f: `params[0].kind` is not known; known here: name, required, format, items, description, default, "
        "type, enum, const, min, max, pattern, minLength, maxLength, minItems, maxItems, uniqueItems",
        f"{wrong}: g: `examples[0]` breaks g.a.type: `a` must be string, it is the number `1`",
        f"{wrong}: g: `breaks.a.type` does not break g.a.type",
    ]
    assert machine.run("contracts", "check", "--json").json["problems"] == 3
    assert machine.run("contracts", "check", "nowhere.json").code == 65


def test_list_and_show_tell_what_is_in_force(machine: Machine) -> None:
    path = catalogue(machine, {"Edit": {"contract": "House rules."}, "mcp__x__y": {"inputSchema": {"required": ["q"]}}})
    tools = machine.run("contracts", "list", "--json").json
    assert tools["Edit"] == ["built-in", path]
    assert tools["mcp__x__y"] == [path]
    assert tools["Read"] == ["built-in"]
    assert f"mcp__x__y             {path}" in machine.run("contracts", "list").out
    shown = machine.run("contracts", "show", "Edit", "--json").json
    assert [(one["source"], one["says"]) for one in shown][1] == (path, "House rules.")
    text = machine.run("contracts", "show", "mcp__x__y").out
    assert text == f'mcp__x__y  ({path})\n  schema       {{"required": ["q"]}}\n'
    missing = machine.run("contracts", "show", "nothing")
    assert missing.code == 64
    assert "no contract for `nothing` is in force here" in missing.err
