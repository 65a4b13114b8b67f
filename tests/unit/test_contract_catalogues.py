"""Catalogues: the built-in one, ours, that of role-os, and broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.contracts.check import broken_by
from interlock.contracts.model import BUILT_IN, Contract
from interlock.contracts.parse import contract_from
from interlock.model.action import Broken
from interlock.model.call import Call
from interlock.store.home.contracts import Catalogues, built_in_tools
from interlock.store.home.folders import folders_for
from interlock.value import FrozenMap, freeze

PACKAGE = Path(__file__).parents[2] / "src/interlock/contracts/builtin"


def catalogues(folder: Path) -> Catalogues:
    return Catalogues(folders_for(str(folder / "home")), str(folder / "project"))


def write(folder: Path, file: str, content: Any) -> Path:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


# --- built in -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", built_in_tools())
def test_a_built_in_contract_is_sound(tool: str, tmp_path: Path) -> None:
    (contract,) = catalogues(tmp_path).of(tool)
    entries = json.loads((PACKAGE / f"{tool}.json").read_text())
    assert list(entries) == [tool]
    strict, problems = contract_from(tool, freeze(entries[tool]), source=BUILT_IN, loose=False)
    assert problems == []
    assert strict == contract
    assert contract.says
    assert contract.examples
    for example in contract.examples:
        assert broken_by((contract,), example) == ()
    for name, example in contract.breaks:
        assert f"{tool}.{name}" in [broken.contract for broken in broken_by((contract,), example)]


def test_the_tools_of_claude_code_have_contracts() -> None:
    names = "Read Edit MultiEdit Write NotebookEdit Bash BashOutput Glob Grep WebFetch WebSearch Task Agent"
    names += " AskUserQuestion TodoWrite Skill ExitPlanMode KillShell"
    assert set(names.split()) <= set(built_in_tools())


@pytest.mark.parametrize("tool", ["edit", "../builtin/Edit", "Edit.json", "mcp__x__y", "", "Ünter", "Edit\0"])
def test_only_the_very_name_has_a_built_in_contract(tool: str, tmp_path: Path) -> None:
    assert catalogues(tmp_path).of(tool) == ()


def test_other_hosts_have_other_tools(tmp_path: Path) -> None:
    found = catalogues(tmp_path)
    call = Call(tool="Read", input=FrozenMap({"path": "/x"}))
    assert [c.source for c in found.for_call(call.replace(host="claude-code"))] == [BUILT_IN]
    assert [c.source for c in found.for_call(call)] == [BUILT_IN]
    assert found.for_call(call.replace(host="gemini-cli")) == ()


# --- files ----------------------------------------------------------------------------------------

ENTRY = {"contract": "At most three.", "params": [{"name": "n", "type": "integer", "max": 3}]}


def test_every_catalogue_adds_and_none_takes_away(tmp_path: Path) -> None:
    user = write(tmp_path, "home/.config/interlock/contracts.json", {"Edit": ENTRY})
    project = write(tmp_path, "project/.interlock/contracts.json", {"Edit": {"params": []}, "other": ENTRY})
    role_os = write(tmp_path, "project/.claude/role-os/tool-contracts.json", {"Edit": ENTRY})
    found = catalogues(tmp_path)
    assert [contract.source for contract in found.of("Edit")] == [BUILT_IN, str(user), str(project), str(role_os)]
    assert [contract.loose for contract in found.of("Edit")] == [False, False, False, True]
    assert found.of("other")[0].says == "At most three."
    assert found.warnings == ()


MALFORMED = [
    ("{", "the input is not JSON"),
    ("[]", "expected a JSON object, got an array"),
    ('{"Edit": {}, "Edit": {}}', "the key `Edit` occurs twice in one object"),
    ("", "the input is empty"),
    ('{"a": NaN}', "numbers must be finite"),
    ("\ufeff{}", "byte-order mark"),
    ("[" * 200 + "]" * 200, "nested deeper"),
    ('{"x": "' + "y" * 1_100_000 + '"}', "is larger than 1048576 bytes"),
]


@pytest.mark.parametrize(("text", "why"), MALFORMED, ids=[row[1][:20] for row in MALFORMED])
@pytest.mark.parametrize("file", ["project/.interlock/contracts.json", "project/.claude/role-os/tool-contracts.json"])
def test_a_malformed_catalogue_is_no_checks_and_a_warning(tmp_path: Path, file: str, text: str, why: str) -> None:
    path = write(tmp_path, file, text)
    found = catalogues(tmp_path)
    assert [contract.source for contract in found.of("Edit")] == [BUILT_IN]
    (warning,) = found.warnings
    assert warning.startswith(f"{path}: no contracts of this file are checked: ")
    assert why in warning


def test_a_folder_or_a_pipe_in_place_of_a_catalogue_is_a_warning(tmp_path: Path) -> None:
    import os

    (tmp_path / "project/.interlock/contracts.json").mkdir(parents=True)
    (tmp_path / "project/.claude/role-os").mkdir(parents=True)
    os.mkfifo(tmp_path / "project/.claude/role-os/tool-contracts.json")
    found = catalogues(tmp_path)
    assert [contract.source for contract in found.of("Edit")] == [BUILT_IN]
    assert len(found.warnings) == 2


WRONG: list[tuple[Any, list[str]]] = [
    (7, ["an entry must be an object"]),
    (
        {"parms": []},
        [
            "`parms` is not known; known here: contract, description, params, inputSchema, constraints, state, "
            "state_struct, examples, breaks"
        ],
    ),
    ({"params": {}}, ["`params` must be an array"]),
    ({"params": [{"type": "string"}]}, ["`params[0]` must be an object with a `name`"]),
    (
        {"params": [{"name": "a", "type": "text"}]},
        ["`params[0].type` must be one of string, integer, number, boolean, array, object, null, or an array of them"],
    ),
    ({"params": [{"name": "a", "min": "1"}]}, ["`params[0].min` must be a number"]),
    ({"params": [{"name": "a", "required": "yes"}]}, ["`params[0].required` must be true or false"]),
    (
        {"params": [{"name": "a", "format": "postcode"}]},
        [
            "`params[0].format` must be one of absolute-path, cron, date, date-time, email, http-url, https-url, ipv4, "
            "read-only-sql, semver, size, uuid"
        ],
    ),
    ({"params": [{"name": "a", "items": 7}]}, ["`params[0].items` must be a type or a schema"]),
    ({"inputSchema": []}, ["`inputSchema` must be an object"]),
    ({"contract": 7}, ["`contract` must be a text"]),
    ({"state": []}, ["`state` must be an object"]),
    ({"examples": [7]}, ["`examples` must be an array of objects"]),
    ({"breaks": []}, ["`breaks` must be an object of inputs"]),
    ({"constraints": {}}, ["`constraints` must be an array"]),
    ({"constraints": [7]}, ["`constraints[0]` must be an object"]),
    ({"constraints": [{"kind": "distinct"}]}, ["`constraints[0]` needs `fields`"]),
    ({"constraints": [{"kind": "distinct", "fields": "a"}]}, ["`constraints[0].fields` must be an array of names"]),
    (
        {"constraints": [{"kind": "distinct", "fields": ["a", "b"], "field": "c"}]},
        ["`constraints[0].field` is not known; known here: kind, id, says, fields"],
    ),
    (
        {"constraints": [{"kind": "cmp", "op": "<", "left": "a", "right": 1}]},
        ["`constraints[0].op` must be one of lt, le, gt, ge, eq, ne"],
    ),
    (
        {"constraints": [{"kind": "cmp", "op": "lt", "left": "a", "right": {"feild": "b"}}]},
        [
            "`constraints[0].right` must be a field, a value, or one of {field, value, state, len, enum, sum, size, "
            "seconds, minutes, hours, days}"
        ],
    ),
    (
        {"constraints": [{"kind": "requires", "when": {"equals": 1}, "require": ["a"]}]},
        ["`constraints[0].when` must be an object with `field`, and `equals` or `in`"],
    ),
    (
        {"constraints": [{"kind": "distinct", "fields": ["a"], "id": "no spaces"}]},
        ["`constraints[0].id` must be a short text of letters, digits, `.`, `_` and `-`"],
    ),
    (
        {
            "constraints": [
                {"kind": "distinct", "fields": ["a"], "id": "x"},
                {"kind": "distinct", "fields": ["b"], "id": "x"},
            ]
        },
        ["`constraints[1].id` is used twice"],
    ),
]


@pytest.mark.parametrize(("entry", "problems"), WRONG, ids=[str(row[0])[:60] for row in WRONG])
def test_an_entry_with_a_mistake_is_not_checked_and_told(tmp_path: Path, entry: Any, problems: list[str]) -> None:
    assert contract_from("T", freeze(entry), source="test", loose=False) == (None, problems)
    path = write(tmp_path, "project/.interlock/contracts.json", {"T": entry, "sound": ENTRY})
    found = catalogues(tmp_path)
    assert found.of("T") == ()
    assert found.warnings == (f"{path}: `T` is not checked: {problems[0]}",)
    assert len(found.of("sound")) == 1


def test_an_unknown_kind_is_told_in_ours_and_passed_over_in_theirs() -> None:
    entry = freeze({"constraints": [{"kind": "phase_of_moon"}, {"kind": "distinct", "fields": ["a", "b"]}]})
    ours, problems = contract_from("T", entry, source="test", loose=False)
    assert ours is None
    assert problems[0].startswith("`constraints[0].kind` must be one of cmp, sum, present, requires, distinct, ")
    theirs, none = contract_from("T", entry, source="test", loose=True)
    assert none == []
    assert theirs is not None
    assert [constraint["id"] for constraint in theirs.constraints] == ["distinct-a-b"]


# --- what an entry means --------------------------------------------------------------------------


def contract(entry: Any, *, loose: bool = False) -> Contract:
    found, problems = contract_from("T", freeze(entry), source="test", loose=loose)
    assert problems == []
    assert found is not None
    return found


def names(found: tuple[Broken, ...]) -> list[str]:
    return [broken.contract for broken in found]


def test_every_word_of_a_param_is_checked() -> None:
    params = [
        {"name": "text", "type": "string", "required": True, "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
        {"name": "count", "type": "integer", "min": 1, "max": 9},
        {"name": "mode", "enum": ["a", "b"]},
        {"name": "list", "type": "array", "items": "string", "minItems": 1, "maxItems": 2, "uniqueItems": True},
        {"name": "deep", "items": {"type": "object", "required": ["x"]}},
        {"name": "path", "format": "absolute-path"},
        {"name": "either", "type": ["string", "null"], "const": "x"},
    ]
    whole = contract({"params": params})
    good = {"text": "abc", "count": 5, "mode": "a", "list": ["x"], "deep": [{"x": 1}], "path": "/x", "either": "x"}
    assert broken_by((whole,), freeze(good)) == ()  # type: ignore[arg-type]
    bad = {"text": "A", "count": 10, "mode": "c", "list": [1, 1, 1], "deep": [{}], "path": "x", "either": 7}
    assert names(broken_by((whole,), freeze(bad))) == [  # type: ignore[arg-type]
        "T.text.pattern",
        "T.text.minLength",
        "T.count.maximum",
        "T.mode.enum",
        "T.either.type",
        "T.either.const",
        "T.list.maxItems",
        "T.list.uniqueItems",
        "T.list[].type",
        "T.deep[].x.required",
        "T.path.format",
    ]


def test_the_schema_of_an_mcp_tool_is_taken_as_it_is() -> None:
    entry = {
        "description": "Opens an issue.",
        "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
        "params": [{"name": "labels", "type": "array"}],
    }
    found = contract(entry)
    assert found.says == "Opens an issue."
    given = freeze({"title": 7, "labels": "bug"})
    assert sorted(names(broken_by((found,), given))) == ["T.labels.type", "T.title.type"]  # type: ignore[arg-type]


def test_constraints_without_a_name_are_named_after_what_they_relate() -> None:
    entry = {
        "constraints": [
            {"kind": "cmp", "op": "lt", "left": "from", "right": {"field": "to"}},
            {"kind": "cmp", "op": "ne", "left": "from", "right": {"field": "to"}},
            {"kind": "sum", "of": ["x", "w"], "op": "le", "vs": 10},
            {"kind": "present", "fields": ["a", "b"]},
            {"kind": "cmp", "op": "ge", "left": {"len": "list"}, "right": 1},
        ]
    }
    assert [constraint["id"] for constraint in contract(entry).constraints] == [
        "cmp-from-to",
        "cmp-from-to-2",
        "sum-x-w",
        "present-a-b",
        "cmp-list",
    ]


def test_state_struct_of_role_os_is_the_state() -> None:
    entry = {
        "constraints": [{"kind": "member", "field": "seat", "in": {"state": "free"}}],
        "state_struct": {"free": ["1A"]},
    }
    assert names(broken_by((contract(entry, loose=True),), freeze({"seat": "2B"}))) == ["T.member-seat"]  # type: ignore[arg-type]


def test_names_from_a_file_of_anybody_are_told_within_bounds() -> None:
    entry = {"params": [{"name": "x" * 5000, "required": True}, {"name": "a\x1b[2Jb", "required": True}]}
    entry["constraints"] = [{"kind": "present", "fields": ["y" * 5000, "c\nd"], "id": "odd"}]
    found = broken_by((contract(entry),), FrozenMap({}))
    assert len(found) == 3
    assert all(len(broken.text) <= 301 and broken.text.isprintable() for broken in found)
    assert all(len(broken.contract) < 200 and broken.contract.isprintable() for broken in found)


def test_nothing_that_a_rule_may_look_for_is_hidden_behind_other_things() -> None:
    entry = {"params": [{"name": f"p{number}", "required": True} for number in range(100)]}
    assert len(broken_by((contract(entry),), FrozenMap({}))) == 100
