"""The catalogue's relations and the gated actions, each row as its source decides it, through the hook.

A row says whether the source flags the call, or denies it without a grant. Where it is otherwise here, it names the
reason, a key of `UNLIKE`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import machine as commands
from hook_process import ALLOW, DENY, NO_OPINION, Machine, new_machine
from host_process import Client

UNLIKE = {
    "never kept": "a constraint that no call can keep proves nothing about any",
    "null": "null may mean that nothing is given, so it proves neither",
    "dates": "dates and times are ordered here, and open there",
    "no push": "the words are there, and nothing is pushed or published",
    "hidden": "the source matches text, so it misses what the shell puts together",
    "each": "the source looks for the first gated action alone",
    "own gate": "here this is an action of its own, and gated",
}


def cmp(left: Any, op: str, right: Any) -> dict[str, Any]:
    return {"kind": "cmp", "left": left, "op": op, "right": right}


def requires(**when: Any) -> dict[str, Any]:
    return {"kind": "requires", "when": when, "require": ["b"]}


NUMBER = {"params": [{"name": "n", "type": "integer", "required": True, "max": 9}]}
WORD = {"params": [{"name": "s", "type": "string", "enum": ["x", "y"]}]}
ONE_OF = {"kind": "present", "fields": ["a", "b"]}
SUM = {"kind": "sum", "of": ["a", "b"], "op": "le", "vs": {"value": 5}}
LETTER = {"kind": "char_at", "string": "s", "index": "i", "equals": {"value": "x"}, "offset": -1}
STATE = {"constraints": [cmp("n", "le", {"state": "most"})], "state_struct": {"most": 5}}

# entry, or one constraint; call; whether the source flags it; why it is otherwise here
FLOOR: list[tuple[dict[str, Any], dict[str, Any], bool, str]] = [
    (NUMBER, {"n": 9}, False, ""),
    (NUMBER, {"n": 10}, True, ""),
    (NUMBER, {"n": "9"}, True, ""),
    (NUMBER, {}, True, ""),
    (NUMBER, {"n": 1, "unknown": True}, False, ""),
    (WORD, {"s": "x"}, False, ""),
    (WORD, {"s": "z"}, True, ""),
    (WORD, {}, False, ""),
    (cmp("a", "lt", "b"), {"a": 1, "b": 2}, False, ""),
    (cmp("a", "lt", "b"), {"a": 2, "b": 2}, True, ""),
    (cmp("a", "lt", "b"), {"a": "10", "b": "9"}, True, ""),
    (cmp("a", "lt", "b"), {"a": "x", "b": "w"}, False, ""),
    (cmp("a", "lt", "b"), {"a": 1}, False, ""),
    (cmp("a", "lt", "b"), {"a": "2026-02-01", "b": "2026-01-01"}, False, "dates"),
    (cmp("a", "eq", {"value": 0.3}), {"a": 0.1 + 0.2}, False, ""),
    (cmp("a", "eq", {"value": "x"}), {"a": "y"}, True, ""),
    (cmp("a", "ne", "b"), {"a": "x", "b": "x"}, True, ""),
    (cmp({"len": "s"}, "le", {"value": 2}), {"s": [1, 2, 3]}, True, ""),
    (cmp({"len": "s"}, "le", {"value": 2}), {"s": [1]}, False, ""),
    (STATE, {"n": 6}, True, ""),
    (STATE, {"n": 5}, False, ""),
    (SUM, {"a": 2, "b": 3}, False, ""),
    (SUM, {"a": 3, "b": 3}, True, ""),
    (SUM, {"a": 3}, False, ""),
    (ONE_OF, {"a": 1}, False, ""),
    (ONE_OF, {"a": 1, "b": 1}, True, ""),
    (ONE_OF, {}, True, ""),
    (ONE_OF, {"a": None}, False, ""),
    (ONE_OF, {"a": 1, "b": None}, True, "null"),
    (requires(field="a"), {"a": 1}, True, ""),
    (requires(field="a"), {"a": 1, "b": 1}, False, ""),
    (requires(field="a"), {"a": 1, "b": ""}, False, ""),
    (requires(field="a"), {"a": 1, "b": None}, False, ""),
    (requires(field="a", equals="x"), {"a": "x"}, True, ""),
    (requires(field="a", equals="x"), {"a": "y"}, False, ""),
    (requires(field="a", **{"in": ["x", "y"]}), {"a": "y"}, True, ""),
    (requires(field="a", **{"in": ["x", "y"]}), {"a": "z"}, False, ""),
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": 1, "b": 1}, True, ""),
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": 1}, False, ""),
    ({"kind": "member", "field": "a", "in": {"enum": [1, 2]}}, {"a": 3}, True, ""),
    ({"kind": "member", "field": "a", "in": {"enum": [1, 2]}}, {"a": 2}, False, ""),
    (LETTER, {"s": "ax", "i": 2}, False, ""),
    (LETTER, {"s": "ay", "i": 2}, True, ""),
    ({"kind": "of a later version"}, {"a": 1}, False, ""),
    ({"constraints": [cmp("a", "eq", {"value": 1}), cmp("a", "eq", {"value": 2})]}, {"a": 1}, True, "never kept"),
    ({"constraints": [cmp("a", "ge", {"value": 9}), cmp("a", "le", {"value": 3})]}, {"a": 5}, True, "never kept"),
    (cmp({"value": 2}, "lt", {"value": 1}), {"a": 5}, True, "never kept"),
]


def noted(machine: Machine, tool: str, given: dict[str, Any]) -> str:
    """The note that the agent gets."""
    answer = machine.run(machine.event(tool, given, session_id=tool), odd=True).answer
    return str(answer["hookSpecificOutput"].get("additionalContext", ""))


def catalogue(machine: Machine | Client, entries: dict[str, Any]) -> None:
    file = machine.project / ".claude/role-os/tool-contracts.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(entries))


def test_the_floor_flags_what_its_source_flags(tmp_path: Path) -> None:
    machine = new_machine(tmp_path, warm=True)
    machine.user_policy.write_text('version = 1\n[risk]\nunregistered = "allow"\n')
    entries = {
        f"tool_{at}": {"constraints": [entry]} if "kind" in entry else entry for at, (entry, *_) in enumerate(FLOOR)
    }
    catalogue(machine, entries)
    given = {at: bool(noted(machine, f"tool_{at}", call)) for at, (_, call, _, _) in enumerate(FLOOR)}
    expected = {at: flagged is not bool(unlike) for at, (_, _, flagged, unlike) in enumerate(FLOOR)}
    assert {at: FLOOR[at] for at in given if given[at] != expected[at]} == {}


def test_what_no_call_can_keep_is_told_to_the_person_once(tmp_path: Path) -> None:
    machine = new_machine(tmp_path, warm=True)
    catalogue(
        machine,
        {"Write": {"constraints": [cmp("content", "eq", {"value": "a"}), cmp("content", "eq", {"value": "b"})]}},
    )
    first = machine.call("Write").answer
    assert "no call can fulfil these, so they are not checked: `cmp-content`" in first["systemMessage"]
    assert "additionalContext" not in first["hookSpecificOutput"]
    assert "systemMessage" not in machine.call("Write").answer


@pytest.mark.parametrize("tool", ["Bash", "Write"])
def test_an_entry_under_the_name_of_a_tool_of_the_host_itself_counts(tool: str, tmp_path: Path) -> None:
    machine = new_machine(tmp_path, warm=True)
    field = "command" if tool == "Bash" else "content"
    catalogue(machine, {tool: {"constraints": [cmp({"len": field}, "le", {"value": 4})]}})
    call = {"command": "ls -la"} if tool == "Bash" else machine.sample("Write")
    assert f"the length of `{field}` must be at most `4`" in noted(machine, tool, call)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"write_file": 4}, "(contract write_file."),
        ({"Write": 4}, "(contract Write."),
        ({"write_file": 4, "Write": 3}, "(contract write_file."),
        ({"write_file": 9, "Write": 3}, ""),
    ],
)
def test_another_hosts_own_name_for_a_tool_counts_and_comes_before_ours(
    entries: dict[str, int], told: str, tmp_path: Path
) -> None:
    client = Client("gemini-cli", tmp_path)
    rows = {tool: {"constraints": [cmp({"len": "content"}, "le", {"value": most})]} for tool, most in entries.items()}
    catalogue(client, rows)
    ran, taken = client.send(client.event("a file in the project"))
    assert taken == ALLOW
    assert (told in ran.out.decode(), "must be at most" in ran.out.decode()) == (True, bool(told))


GRANT = {"granted": True}
# command, the capability that the source wants for it ("" where it gates nothing), why it is otherwise here
GATED: list[tuple[str, str, str]] = [
    ("npm publish", "npm:publish", ""),
    ("pnpm publish --access public", "npm:publish", ""),
    ("yarn --cwd lib publish", "npm:publish", ""),
    ("twine upload dist/app-1.whl", "pypi:publish", ""),
    ("uv publish", "pypi:publish", ""),
    ("gh release create v1", "gh:release", ""),
    ("gh release -R acme/app create v1", "gh:release", ""),
    ("gh release delete v1", "", "own gate"),
    ("gh release edit v1 --notes x", "", "own gate"),
    ("gh release upload v1 app.zip", "", "own gate"),
    ("gh pr create --fill", "gh:pr-create", ""),
    ("gh repo edit --description x", "gh:repo-edit", ""),
    ("gh repo delete acme/app --yes", "gh:repo-edit", "own gate"),
    ("git push", "git:push", ""),
    ("git -C . push origin main", "git:push", ""),
    ("gh-pages -d dist", "pages:deploy", ""),
    ("npm publish && git push", "npm:publish", "each"),
    ("X=push; git $X origin main", "", "hidden"),
    ("bash -c 'git pu''sh origin main'", "", "hidden"),
    ("git stash push", "git:push", "no push"),
    ("git log --grep push", "git:push", "no push"),
    ("echo 'git push'", "git:push", "no push"),
    ("npm publish --dry-run", "npm:publish", "no push"),
    ("git status", "", ""),
    ("ls", "", ""),
]
GRANTS: dict[str, Any] = {
    "none": None,
    "granted": GRANT,
    "refused": {"granted": False},
    "in words": {"granted": "yes"},
    "ahead": {**GRANT, "expires": "2099-01-01"},
    "over": {**GRANT, "expires": "2020-01-01"},
    "no date": {**GRANT, "expires": "soon"},
    "a number": {**GRANT, "expires": 4102444800},
    "null": {**GRANT, "expires": None},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("grant", GRANTS)
def test_a_gated_action_needs_its_grant(grant: str, tmp_path: Path) -> None:
    made = commands.Machine(tmp_path)
    made.repository()
    policy = made.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    actions = sorted({action for _, action, _ in GATED if action})
    held = {} if GRANTS[grant] is None else dict.fromkeys(actions, GRANTS[grant])
    made.run("policy", "import", "-", "-o", str(policy), stdin=held or {"git:push": {"granted": False}})
    machine = Machine(home=made.home, project=made.project, warm=True)
    holds = grant in ("granted", "ahead")
    wrong = []
    for at, (command, action, unlike) in enumerate(GATED):
        ran = machine.run(machine.event("Bash", {"command": command}, session_id=f"s{at}"))
        denied = bool(action) and not holds
        if unlike in ("own gate", "hidden"):
            denied = unlike == "own gate" or not holds
        elif unlike == "no push":
            denied = False
        if (ran.taken == DENY) is not denied or (not denied and ran.taken not in (ALLOW, NO_OPINION)):
            wrong.append((command, ran.taken, denied))
    assert wrong == []


def test_the_compensator_is_filled_in_wherever_a_person_reads_of_a_push(tmp_path: Path) -> None:
    made = commands.Machine(tmp_path)
    made.repository()
    machine = Machine(home=made.home, project=made.project, warm=True)
    undo = "git push --force-with-lease origin <old commit>:main"
    ran = machine.run(machine.event("Bash", {"command": "git push origin main"}))
    assert f"Undo: {undo}" in ran.reason
    receipt = made.rows()[-1]["key"]
    assert f"undo of git:push: {undo}" in made.run("audit", "show", receipt).out
    assert undo in made.run("undo", receipt).out
    assert undo in made.run("explain", "git push origin main").out
