"""Where a key is enrolled, tier 3 needs a signed yes: what is signed fires once, and nothing else does."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, ASK, DENY, Machine, Ran
from interlock.approve.statement import answer_statement
from interlock.bytes.canon import canonical
from interlock.record.approvers import DAY
from interlock.record.chain import row_hash
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from person import Answer, at_a_terminal
from ssh_keys import PASSPHRASE, Key, ask_pass, new_key, signature_of

PUSH = {"command": "git push --force origin main"}


@pytest.fixture
def hardware(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(machine.home / ".ssh/id_ed25519_sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    later(machine)
    return key


def tries(machine: Machine, arguments: dict[str, Any] | None = None, *, attended: bool = True, **changes: Any) -> Ran:
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0"}
    return machine.run(machine.event("Bash", arguments or PUSH, **changes), environment=environment)


def asked(machine: Machine) -> dict[str, Any]:
    done = at_a_terminal(machine.home, "approvals", "list", "--json")
    (one,) = json.loads(done.out)
    found: dict[str, Any] = one
    return found


def approve(machine: Machine, *options: str) -> Answer:
    return at_a_terminal(machine.home, "approvals", "approve", asked(machine)["id"], "--yes", *options)


def test_the_ask_becomes_a_hold_and_a_signed_yes_fires_once(machine: Machine, hardware: Key) -> None:
    held = tries(machine)
    assert held.taken == DENY
    one = asked(machine)
    assert (one["needs"], one["id"] in held.reason) == ("medium", True)
    assert f"interlock approvals approve {one['id']}" in json.loads(held.out)["systemMessage"]
    done = approve(machine)
    assert done.code == 0, done.out
    assert [tries(machine).taken, tries(machine).taken] == [ALLOW, DENY]
    (answer,) = machine.rows("answer")
    assert (answer["body"]["strength"], answer["body"]["surface"]) == ("strong", "terminal")
    assert verify(folders_for(str(machine.home))).damage is None
    assert b"failed" not in replayed(machine)


def replayed(machine: Machine) -> bytes:
    return at_a_terminal(machine.home, "replay").out.encode()


def test_before_a_key_counts_the_host_asks_as_ever(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    assert tries(machine).taken == ASK
    enrolled(machine, key)
    assert tries(machine).taken == ASK
    later(machine)
    assert tries(machine).taken == DENY


def test_each_session_says_at_its_start_which_keys_nobody_pinned(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start() -> str:
        """What it says beside the level in force."""
        event = {
            "session_id": "s-1",
            "transcript_path": str(machine.home / "t.jsonl"),
            "cwd": str(machine.project),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        out = machine.run(event).out
        lines = str(json.loads(out)["systemMessage"]).splitlines()
        return "\n".join([line for line in lines if "level in force: " not in line])

    assert start() == ""
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    assert "the key `sk@test`" in start()
    assert "counts as strong from" in start()
    later(machine)
    assert "calls in your name and counts as strong. If you did not" in start()


def test_everyday_asks_stay_with_the_host(machine: Machine, hardware: Key) -> None:
    assert tries(machine, {"command": "npm install left-pad"}).taken == ASK
    assert tries(machine, {"command": "ls"}).taken == ALLOW


def test_an_unsigned_yes_is_refused_and_says_what_is_needed(machine: Machine, hardware: Key) -> None:
    tries(machine)
    hardware.file.unlink()
    hardware.public.unlink()
    done = approve(machine)
    assert (done.code != 0, "the private key of id_ed25519_sk@test is not found" in done.out) == (True, True), done.out
    assert tries(machine).taken == DENY


def test_an_untouched_key_and_one_that_is_not_enrolled_are_refused(
    machine: Machine, hardware: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries(machine)
    other = new_key(machine.home / ".ssh/other")
    assert "does not count for this" in approve(machine, "--key", str(other.public)).out
    monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
    assert "was not touched" in approve(machine).out
    assert machine.rows("answer") == []


@pytest.mark.slow
def test_watch_signs_as_approve_does(machine: Machine, hardware: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    tries(machine)
    monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
    done = at_a_terminal(machine.home, "approvals", "watch", "--every", "0.2", keys="ayqq")
    assert (done.code, "was not touched" in done.out, machine.rows("answer")) == (0, True, []), done.out
    monkeypatch.delenv("INTERLOCK_TEST_UNTOUCHED")
    done = at_a_terminal(machine.home, "approvals", "watch", "--every", "0.2", keys="ayq")
    assert (done.code, "y: sign it" in done.out, "approved until" in done.out) == (0, True, True), done.out
    (answer,) = machine.rows("answer")
    assert (answer["body"]["strength"], answer["body"]["signer"]) == ("strong", "id_ed25519_sk@test")
    assert [tries(machine).taken, tries(machine).taken] == [ALLOW, DENY]


def test_explain_says_that_the_yes_has_to_be_signed(machine: Machine, hardware: Key) -> None:
    def changes(command: str) -> list[str]:
        done = at_a_terminal(machine.home, "explain", command, "--cwd", str(machine.project), "--json")
        return [str(change) for change in json.loads(done.out)["changes"]]

    first, how, *grants = changes(PUSH["command"])
    assert first.startswith("a person's signed (medium or more) approval of this one call (ap_")
    assert first.endswith(": allow")
    assert how.endswith(f"an id is shown: interlock --home {machine.home} approvals approve ID")
    assert {grant.partition(" for ")[0] for grant in grants} == {"a signed (medium or more) grant"}
    assert not [change for change in changes("npm install left-pad") if "signed" in change]


@pytest.mark.slow
def test_policy_may_ask_for_strong_and_then_a_passphrase_is_not_enough(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in ask_pass(tmp_path).items():
        monkeypatch.setenv(name, value)
    enrolled(machine, new_key(machine.home / ".ssh/locked", passphrase=PASSPHRASE))
    later(machine)
    machine.user_policy.write_text('version = 1\n[approvals.actions]\n"pkg:*" = "medium"\n')
    tries(machine, {"command": "npm install left-pad"})
    assert (asked(machine)["needs"], approve(machine).code) == ("medium", 0)
    assert tries(machine, {"command": "npm install left-pad"}).taken == ALLOW
    machine.user_policy.write_text('version = 1\n[approvals]\nstrength = "strong"\n')
    held = tries(machine)
    assert (held.taken, "no key on this machine can give one" in held.reason) == (DENY, True)


Edit = Callable[[Machine, Key, dict[str, Any]], dict[str, Any]]


def signed_as(**changes: Any) -> Edit:
    """A yes that is signed for something else than it is put to."""

    def edit(machine: Machine, key: Key, body: dict[str, Any]) -> dict[str, Any]:
        prompt = machine.rows("prompt")[-1]
        fields: dict[str, Any] = {
            "approval": prompt["key"],
            "row": (prompt["seq"], prompt["hash"]),
            "yes": True,
            "reach": "once",
            "expires": body["expires"],
            **changes,
        }
        return {**body, "signature": signature_of(key, answer_statement(**fields))}

    return edit


FORGED: dict[str, Edit] = {
    "no signature at all": lambda machine, key, body: body,
    "signed by another key": lambda machine, key, body: signed_as()(machine, new_key(machine.home / "own"), body),
    "signed for another approval": signed_as(approval="ap_0"),
    "signed for another row": signed_as(row=(1, "0" * 64)),
    "a no": signed_as(yes=False),
    "for another reach": signed_as(reach="everywhere"),
    "for another time": signed_as(expires=1),
    "an edited signature": lambda machine, key, body: {
        **(given := signed_as()(machine, key, body)),
        "signature": given["signature"].replace("A", "B", 3),
    },
}


@pytest.mark.parametrize("edit", [*FORGED.values(), signed_as()], ids=[*FORGED, "control: whole"])
def test_a_row_that_a_program_wrote_fires_only_with_the_whole_signature(
    machine: Machine, hardware: Key, edit: Edit
) -> None:
    """The program has the ledger's file and our code, but not the key."""
    tries(machine)
    before = machine.rows("prompt")[-1]
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        expires = turn.at + 600_000
        body = {"answer": "approved", "by": "me", "expires": expires, "prompt": before["seq"], "strength": "strong"}
        body = edit(machine, hardware, {**body, "surface": "terminal", "why": ""})
        turn.append("answer", canonical(body), key=before["key"], session=before["session"])
        turn.database.run("UPDATE approvals SET status = 'approved', expires = ?", (expires,))
    ledger.close()
    fires = edit.__name__ == "edit" and edit not in FORGED.values()
    assert tries(machine).taken == (ALLOW if fires else DENY)
    if not fires:
        one = asked(machine)  # a new question, with an id of its own
        assert (one["status"], one["id"] != before["key"]) == ("pending", True)


def test_a_signature_is_not_good_for_the_same_call_asked_again(machine: Machine, hardware: Key) -> None:
    tries(machine)
    approve(machine)
    (first,) = machine.rows("answer")
    assert [tries(machine).taken, tries(machine).taken] == [ALLOW, DENY]
    second = machine.rows("prompt")[-1]
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        body = {**first["body"], "prompt": second["seq"]}
        turn.append("answer", canonical(body), key=second["key"], session=second["session"])
        status = "UPDATE approvals SET status = 'approved', expires = ? WHERE seq = ?"
        turn.database.run(status, (body["expires"], second["seq"]))
    ledger.close()
    assert tries(machine).taken == DENY


@pytest.mark.slow
def test_a_weak_yes_from_before_the_key_counted_is_closed_and_asked_anew(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\ntimeout = 1440\non_timeout = "hold"\n')
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    later(machine, DAY - 60_000)
    assert tries(machine, attended=False).taken == DENY
    weak = asked(machine)
    assert (weak["needs"], approve(machine).code) == ("weak", 0)
    later(machine)
    assert tries(machine, attended=False).taken == DENY
    assert (asked(machine)["needs"], asked(machine)["id"] != weak["id"]) == ("medium", True)
    assert approve(machine).code == 0
    assert tries(machine, attended=False).taken == ALLOW


def test_a_changed_row_is_damage(machine: Machine, hardware: Key) -> None:
    tries(machine)
    approve(machine)
    with sqlite3.connect(machine.ledger) as database:
        (row,) = database.execute("SELECT * FROM ledger WHERE kind = 'answer'")
        assert row[-1] == row_hash(row)
        database.execute("UPDATE ledger SET body = replace(body, 'strong', 'weaken') WHERE kind = 'answer'")
    assert tries(machine).taken == DENY
