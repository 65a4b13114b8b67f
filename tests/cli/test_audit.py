"""`interlock audit` as a person meets it: before anything is recorded, with wrong words, and with every kind of row."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from interlock.model.errors import InputError, StoreError
from machine import Machine
from person import at_a_terminal

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
AUTONOMOUS = 'version = 1\nposture = "autonomous"\n[approvals]\nby = ["terminal"]\n'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["tail", "search", "export", "prune --keep 3 --yes", "restart --yes", "restore-head --yes"]
)
def test_before_anything_is_recorded_a_newcomer_is_told_what_begins_the_ledger(command: str, machine: Machine) -> None:
    run = machine.run("audit", *command.split())
    assert not machine.ledger.parent.exists()
    assert (run.code, run.out) == (StoreError.exit_code, "")
    assert run.err == (
        f"interlock: nothing is recorded yet: there is no ledger at `{machine.ledger}`; "
        "it begins with the first call that the hook or `interlock decide --record` decides\n"
    )


def test_a_ledger_that_was_never_begun_is_not_called_broken(machine: Machine) -> None:
    run = machine.run("audit", "verify")
    assert (run.code, run.out) == (StoreError.exit_code, "")
    assert "nothing is recorded yet" in run.err


@pytest.mark.parametrize("as_json", [False, True])
def test_a_ledger_that_is_gone_with_its_head_is_missed_by_a_checkpoint(as_json: bool, machine: Machine) -> None:
    machine.decide("Read", "--record", file_path="a")
    assert machine.run("audit", "checkpoint").code == 0
    for path in machine.ledger.parent.glob("ledger.db*"):
        path.unlink()
    run = machine.run("audit", "verify", *(["--json"] if as_json else []))
    assert run.code == 2
    if as_json:
        assert (run.json["damage"]["kind"], run.json["damage"]["seq"]) == ("missing", 2)
    else:
        where = machine.home / ".config/interlock/checkpoints.jsonl"
        assert run.out.startswith(f"broken: missing at row 2: line 1 of `{where}` was signed when there were 2 rows\n")


def test_the_beginning_of_several_ids_shows_none_of_them(machine: Machine) -> None:
    for name in "abcdefgh":
        machine.decide("Read", "--record", file_path=name)
    ids = [row["key"] for row in machine.rows()]
    several = machine.run("audit", "show", "sha256:")
    assert several.code == InputError.exit_code
    assert several.err == "interlock: `sha256:` is the beginning of 9 ids; write more of one: " + (
        ", ".join(key[:23] for key in ids[:-6:-1]) + ", …\n"
    )
    for name in ("", "²", "9" * 30, "no such", "\U0010ffff", b"\xff".decode("utf-8", "surrogateescape")):
        nothing = machine.run("audit", "show", name)
        assert (nothing.code, nothing.out) == (InputError.exit_code, ""), name
        assert nothing.err.startswith("interlock: no row has the number or id")
    assert machine.run("audit", "show", ids[0][: len("sha256:") + 16]).out.startswith("row 2  decision")


def test_what_a_person_changed_beside_the_ledger_is_a_row_of_it(machine: Machine) -> None:
    machine.project_policy('version = 1\n[risk]\nask_at = "critical"\n')
    for arguments in (("posture", "set", "locked"), ("posture", "set", "interactive"), ("trust", "--yes")):
        assert machine.run(*arguments).code == 0, arguments
    assert machine.run("trust", "--revoke").code == 0
    root = str(machine.project)
    assert [
        (row["kind"], row["key"], row["body"].get("from"), row["body"].get("to")) for row in machine.rows("posture")
    ] == [("posture", root, "interactive", "locked"), ("posture", root, "locked", "interactive")]
    (trusted, revoked) = machine.rows("override")
    assert (trusted["key"], revoked["key"]) == ("trust", "trust")
    assert trusted["body"]["file"] == f"{root}/.interlock/policy.toml"
    assert trusted["body"]["digest"] == revoked["body"]["digest"]
    told = machine.run("audit", "tail").out
    for words in ("interactive → locked", "locked → interactive", "may loosen from now on", "may only tighten again"):
        assert words in told
    assert machine.run("audit", "verify").code == 0


def test_a_posture_is_tightened_even_where_that_cannot_be_recorded_and_never_loosened(machine: Machine) -> None:
    machine.ledger.parent.mkdir(parents=True)
    machine.ledger.mkdir()
    tightened = machine.run("posture", "set", "locked")
    assert (tightened.code, tightened.out) == (0, f"locked  {machine.project}\n")
    assert "not recorded: " in tightened.err
    assert machine.run("posture", "set", "interactive").code == StoreError.exit_code
    assert machine.run("posture", "show", "--json").json["posture"] == "locked"


def test_a_question_and_its_answer_are_told_in_one_line_each(machine: Machine) -> None:
    machine.user_policy(AUTONOMOUS)
    asked = machine.decide("Bash", "--record", command="git push --force origin main").json["approval"]
    assert at_a_terminal(machine.home, "approvals", "approve", asked, "--yes", "--why", "release").code == 0
    _, _, prompt, answer = machine.run("audit", "tail").out.splitlines()
    assert prompt.strip().split("  ", 2)[2] == f"prompt      {asked}  Bash git push --force origin main"
    assert answer.strip().split("  ", 2)[2].startswith(f"answer      {asked}  approved by ")
    assert answer.endswith(": release")


def test_a_secret_in_the_reason_of_an_answer_or_a_new_beginning_is_not_kept(machine: Machine) -> None:
    machine.user_policy(AUTONOMOUS)
    asked = machine.decide("Bash", "--record", command="git push --force origin main").json["approval"]
    assert at_a_terminal(machine.home, "approvals", "deny", asked, "--yes", "--why", f"token {SECRET}").code == 0
    assert machine.rows("answer")[0]["body"]["why"].startswith("token [redacted:")
    assert machine.run("audit", "restart", "--yes", "--why", f"token {SECRET}").code == 0
    assert machine.rows("override")[0]["body"]["why"].startswith("token [redacted:")
    kept = b"".join(path.read_bytes() for path in machine.home.rglob("*") if path.is_file())
    assert SECRET.encode() not in kept


def test_an_export_that_cannot_be_written_is_told(machine: Machine) -> None:
    machine.decide("Read", "--record", file_path="a")
    for place, why in (("nowhere/x.jsonl", "No such file or directory"), ("/dev/full", "No space left on device")):
        run = machine.run("audit", "export", "--output", place)
        assert (run.code, run.err) == (StoreError.exit_code, f"interlock: `{place}` could not be written: {why}\n")


def test_what_is_neither_a_receipt_nor_a_file_is_told_so(machine: Machine) -> None:
    machine.decide("Read", "--record", file_path="a")
    run = machine.run("replay", "nowhere.jsonl")
    assert (run.code, run.err) == (
        StoreError.exit_code,
        "interlock: `nowhere.jsonl` is no receipt, and could not be read as a file: No such file or directory\n",
    )


def test_a_ledger_that_may_not_be_looked_at_is_not_taken_for_none(machine: Machine) -> None:
    machine.decide("Write", "--record", file_path="a", content="")
    machine.ledger.parent.chmod(0)
    try:
        ran = machine.run("audit", "tail")
    finally:
        machine.ledger.parent.chmod(0o700)
    if os.geteuid() == 0:  # who may do everything is not kept out
        assert ran.code == 0
    else:
        assert "may not enter" in ran.err
        assert "chmod u+rwx" in ran.err


def test_a_spreadsheet_has_verdict_tool_and_command_of_each_decision(machine: Machine) -> None:
    machine.run("decide", "--record", stdin={"tool": "Bash", "input": {"command": "ls -la"}})
    machine.run("decide", "--record", stdin={"tool": "Bash", "input": {"command": "=1+2"}})
    rows = list(csv.DictReader(io.StringIO(machine.run("audit", "export", "--format", "csv").out)))
    told = [(row["verdict"], row["tool"], row["command"]) for row in rows if row["kind"] == "decision"]
    assert told == [("allow", "Bash", "ls -la"), ("ask", "Bash", "'=1+2")]
    assert {(row["verdict"], row["tool"], row["command"]) for row in rows if row["kind"] != "decision"} == {
        ("", "", "")
    }
