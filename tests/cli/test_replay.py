"""`interlock replay`: receipts hold, and what was touched is named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from interlock.bytes.canon import canonical, digest
from interlock.record.chain import COLUMNS, row_hash
from machine import Machine


def _record(machine: Machine) -> None:
    machine.decide("Read", "--record", file_path="README.md")
    machine.decide("Bash", "--record", command="$TOOL x")
    machine.decide("Write", "--record", file_path=".codex/config.toml", content="")


def _rewrite(ledger: Path, seq: int, body: bytes, key: str) -> None:
    """As somebody who knows the format would: the row's hash is right again."""
    with closing(sqlite3.connect(ledger)) as database:
        row = list(database.execute(f"SELECT {', '.join(COLUMNS)} FROM ledger WHERE seq = ?", (seq,)).fetchone())
        row[4], row[8] = key, body
        database.execute(
            "UPDATE ledger SET body = ?, key = ?, hash = ? WHERE seq = ?", (body, key, row_hash(tuple(row)), seq)
        )
        database.commit()


def test_every_recorded_decision_is_derived_again_byte_for_byte(machine: Machine) -> None:
    _record(machine)
    run = machine.run("replay", "--json")
    assert run.code == 0
    assert [(line["tool"], line["verdict"], line["problems"]) for line in run.lines] == [
        ("Read", "allow", []),
        ("Bash", "ask", []),
        ("Write", "deny", []),
    ]
    assert machine.run("replay", "--quiet").out == "3 of 3 receipts hold\n"


def test_one_receipt_is_found_by_the_beginning_of_its_id(machine: Machine) -> None:
    _record(machine)
    receipt = machine.rows()[1]["key"]
    assert [line["receipt"] for line in machine.run("replay", receipt[:20], "--json").lines] == [receipt]
    missing = machine.run("replay", "sha256:ffffffffffffffffffff")
    assert (missing.code, missing.err) == (64, "interlock: no receipt `sha256:ffffffffffffffffffff` is kept\n")


def test_an_export_replays_on_another_machine(machine: Machine, tmp_path: Path) -> None:
    _record(machine)
    export = machine.run("audit", "export").out
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Machine(tmp_path / "elsewhere")
    (tmp_path / "rows.jsonl").write_text(export)
    assert elsewhere.run("replay", str(tmp_path / "rows.jsonl"), "--quiet").out == "3 of 3 receipts hold\n"
    assert elsewhere.run("replay", "-", "--quiet", stdin=export).out == "3 of 3 receipts hold\n"
    rows = [row if '"kind":"policy"' in row else row.replace('"deny"', '"allow"') for row in export.splitlines()]
    changed = elsewhere.run("replay", "-", "--json", stdin="\n".join(rows))
    assert changed.code == 1
    assert ["its content does not have its hash" in str(line["problems"]) for line in changed.lines] == [
        False,
        False,
        True,
    ]
    torn = elsewhere.run("replay", "-", "--json", stdin=export + '{"body": {"call"')
    assert (torn.code, "malformed" in str(torn.lines[3]["problems"])) == (1, True)


def test_a_grant_that_was_used_is_part_of_the_receipt(machine: Machine) -> None:
    machine.user_policy(
        'version = 1\n[[grants]]\nid = "notes"\naction = "fs:write"\nscope = { path = "/opt/notes/*" }\n'
    )
    assert machine.decide("Write", "--record", file_path="/opt/notes/a", content="").json["verdict"] == "allow"
    (row,) = machine.rows()
    assert [grant["id"] for grant in row["body"]["receipt"]["grants"]] == ["notes"]
    assert machine.run("replay").code == 0


def test_a_forged_receipt_with_right_hashes_does_not_hold(machine: Machine) -> None:
    _record(machine)
    row = machine.rows()[2]
    receipt = row["body"]["receipt"]
    receipt["decision"]["verdict"] = "allow"
    _rewrite(machine.ledger, row["seq"], canonical({**row["body"], "receipt": receipt}), digest(receipt))
    run = machine.run("replay", "--json")
    assert run.code == 1
    assert [line["problems"] for line in run.lines] == [[], [], ['decision.verdict: recorded "allow", derived "deny"']]


def test_a_changed_receipt_and_a_changed_policy_are_named(machine: Machine) -> None:
    _record(machine)
    row = machine.rows()[2]
    _rewrite(machine.ledger, row["seq"], canonical(row["body"]).replace(b'"deny"', b'"allow"'), row["key"])
    run = machine.run("replay", "--json")
    assert "is malformed: the receipt says" in run.lines[2]["problems"][0]
    (policy,) = machine.rows("policy")
    _rewrite(
        machine.ledger, policy["seq"], canonical(policy["body"]).replace(b'"interactive"', b'"locked"'), policy["key"]
    )
    assert "is malformed: the policy says" in machine.run("replay", "--json").lines[0]["problems"][0]


def test_no_receipts_is_said_and_not_taken_for_success(machine: Machine) -> None:
    assert machine.run("replay").code == 74
    empty = machine.home / "empty.jsonl"
    empty.write_text(json.dumps({}).replace("{}", ""))
    assert machine.run("replay", str(empty)).code == 64
