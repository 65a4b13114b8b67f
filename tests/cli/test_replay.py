"""`interlock replay`: receipts hold, and what was touched is named."""

from __future__ import annotations

import json

from interlock.record.canon import canonical, digest
from machine import Machine


def _record(machine: Machine) -> None:
    machine.decide("Read", "--record", file_path="README.md")
    machine.decide("Bash", "--record", command="$TOOL x")
    machine.decide("Write", "--record", file_path=".codex/config.toml", content="")


def test_every_recorded_decision_is_derived_again_byte_for_byte(machine: Machine) -> None:
    _record(machine)
    run = machine.run("replay", str(machine.journal), "--json")
    assert run.code == 0
    assert [(line["tool"], line["verdict"], line["problems"]) for line in run.lines] == [
        ("Read", "allow", []),
        ("Bash", "ask", []),
        ("Write", "deny", []),
    ]
    assert machine.run("replay", "--quiet").out == "3 of 3 receipts hold\n"


def test_a_grant_that_was_used_is_part_of_the_receipt(machine: Machine) -> None:
    machine.user_policy(
        'version = 1\n[[grants]]\nid = "notes"\naction = "fs:write"\nscope = { path = "/opt/notes/*" }\n'
    )
    assert machine.decide("Write", "--record", file_path="/opt/notes/a", content="").json["verdict"] == "allow"
    body = json.loads(machine.journal.read_text())["body"]
    assert [grant["id"] for grant in body["grants"]] == ["notes"]
    assert machine.run("replay").code == 0


def test_a_changed_receipt_is_named(machine: Machine) -> None:
    _record(machine)
    machine.journal.write_text(machine.journal.read_text().replace('"deny"', '"allow"'))
    run = machine.run("replay", "--json")
    assert run.code == 1
    assert [bool(line["problems"]) for line in run.lines] == [False, False, True]
    assert "the receipt was changed" in run.lines[2]["problems"][0]


def test_a_forged_receipt_with_a_right_digest_does_not_hold(machine: Machine) -> None:
    _record(machine)
    lines = machine.journal.read_text().splitlines()
    body = json.loads(lines[2])["body"]
    body["decision"]["verdict"] = "allow"
    lines[2] = canonical({"body": body, "receipt": digest(body)}).decode()
    machine.journal.write_text("\n".join(lines) + "\n")
    run = machine.run("replay", "--json")
    assert run.code == 1
    assert run.lines[2]["problems"] == ['decision.verdict: recorded "allow", derived "deny"']


def test_a_torn_line_a_missing_policy_and_a_changed_policy_are_named(machine: Machine) -> None:
    _record(machine)
    with machine.journal.open("a") as journal:
        journal.write('{"body": {"call"')
    assert "not JSON" in machine.run("replay", "--json").lines[3]["problems"][0]
    (policy,) = (machine.journal.parent / "policies").iterdir()
    policy.write_text(policy.read_text().replace('"interactive"', '"locked"'))
    assert "does not have the digest" in machine.run("replay", "--json").lines[0]["problems"][0]
    policy.unlink()
    assert "is not kept" in machine.run("replay", "--json").lines[0]["problems"][0]


def test_a_line_after_a_torn_one_is_whole(machine: Machine) -> None:
    machine.journal.parent.mkdir(parents=True)
    machine.journal.write_text('{"body": {"call"')
    machine.decide("Read", "--record", file_path="README.md")
    assert [bool(line["problems"]) for line in machine.run("replay", "--json").lines] == [True, False]


def test_no_receipts_is_said_and_not_taken_for_success(machine: Machine) -> None:
    assert machine.run("replay").code == 74
    machine.journal.parent.mkdir(parents=True)
    machine.journal.write_text("")
    assert machine.run("replay").code == 64


def test_where_nothing_was_recorded_yet_it_says_what_records(machine: Machine) -> None:
    run = machine.run("replay")
    journal = machine.home / ".local/state/interlock/receipts.jsonl"
    assert (run.code, run.out, run.err) == (
        74,
        "",
        f"interlock: nothing was recorded yet: `{journal}` is not there. The hook keeps receipts, and so does "
        "`interlock decide --record`\n",
    )
