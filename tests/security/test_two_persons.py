"""Where two persons are needed: two of them let a call through, and nothing that one of them can do does."""

from __future__ import annotations

import getpass
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from approvers import later
from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.approve.lifecycle import HALFWAY
from interlock.approve.statement import answer_statement
from interlock.bytes.canon import canonical
from interlock.model.errors import ApprovalError
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, one_question
from interlock.store.people.offers import offers_for
from managed import python_with_managed
from person import Answer, at_a_terminal
from ssh_keys import Key, new_key, signature_of

PUBLISH = {"command": "npm publish"}
NAMES = ("ann", "bob", "own")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    """A key of each; that of whoever runs the agent is `own`."""
    folder = tmp_path_factory.mktemp("keys")
    return {name: new_key(folder / name, hardware=True) for name in (*NAMES, "second")}


def policy_of(keys: dict[str, Key], more: str = "") -> str:
    pinned = json.dumps([keys[name].line for name in NAMES])
    people = "".join(f'[people.{name}]\nsigners = ["{name}@test"]\n' for name in ("ann", "bob"))
    own = f'[people.own]\nsigners = ["own@test"]\nlogins = ["{getpass.getuser()}"]\n'
    return f'version = 1\n[approvals]\nkeys = {pinned}\ntwo_for = ["npm:publish"]\n{more}{people}{own}'


@pytest.fixture
def machine(tmp_path: Path, keys: dict[str, Key], monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("SSH_SK_PROVIDER", keys["ann"].environment["SSH_SK_PROVIDER"])
    made = new_machine(tmp_path / "one")
    (made.project / "package.json").write_text('{"name": "app", "version": "1.0.0"}')
    return replace(made, python=python_with_managed(tmp_path / "one", policy_of(keys)))


def publish(machine: Machine, **changes: Any) -> str:
    return machine.run(machine.event("Bash", PUBLISH, **changes)).taken


def asked(machine: Machine) -> str:
    return str(machine.rows("prompt")[-1]["key"])


def says_yes(machine: Machine, key: Key) -> Answer:
    arguments = ("approvals", "approve", asked(machine), "--yes", "--key", str(key.public))
    return at_a_terminal(machine.home, *arguments, python=machine.python)


def ledger_of(machine: Machine) -> Ledger:
    return Ledger(folders_for(str(machine.home)).ledger)


@pytest.mark.slow
def test_two_persons_let_it_through_once_and_one_does_not(machine: Machine, keys: dict[str, Key]) -> None:
    assert publish(machine) == DENY
    prompt = machine.rows("prompt")[-1]["body"]
    assert (prompt["two"], prompt["starter"], prompt["needs"]) == (True, f"login:{getpass.getuser()}", "medium")
    first = says_yes(machine, keys["ann"])
    assert (first.code, "one yes of two" in first.out, publish(machine)) == (0, True, DENY), first.out
    again = says_yes(machine, keys["ann"])
    assert (again.code != 0, "ann has said yes already" in again.out, publish(machine)) == (True, True, DENY)
    second = says_yes(machine, keys["bob"])
    assert (second.code, "approved until" in second.out) == (0, True), second.out
    assert [publish(machine), publish(machine)] == [ALLOW, DENY]
    answers = [row["body"] for row in machine.rows("answer")]
    prompts = {one["prompt"] for one in answers}
    assert [(one["answer"], one["person"], one["strength"]) for one in answers] == [
        ("halfway", "ann", "strong"),
        ("approved", "bob", "strong"),
    ]
    assert prompts == {machine.rows("prompt")[0]["seq"]}
    assert verify(folders_for(str(machine.home))).damage is None
    replayed = at_a_terminal(machine.home, "replay", python=machine.python)
    assert (replayed.code, "failed" in replayed.out) == (0, False), replayed.out


@pytest.mark.slow
def test_whoever_started_the_run_is_neither(machine: Machine, keys: dict[str, Key]) -> None:
    publish(machine)
    own = says_yes(machine, keys["own"])
    assert (own.code != 0, "own started the run" in own.out, machine.rows("answer")) == (True, True, [])
    assert says_yes(machine, keys["ann"]).code == 0
    assert says_yes(machine, keys["own"]).code != 0
    assert publish(machine) == DENY


def test_a_no_of_one_ends_it(machine: Machine, keys: dict[str, Key]) -> None:
    publish(machine)
    assert says_yes(machine, keys["ann"]).code == 0
    done = at_a_terminal(machine.home, "approvals", "deny", asked(machine), "--yes", python=machine.python)
    assert done.code == 0, done.out
    assert says_yes(machine, keys["bob"]).code != 0
    assert publish(machine) == DENY


@pytest.mark.slow
def test_the_first_yes_ends_and_with_it_the_question(machine: Machine, keys: dict[str, Key]) -> None:
    publish(machine)
    assert says_yes(machine, keys["ann"]).code == 0
    later(machine, 61 * 60 * 1000)
    late = says_yes(machine, keys["bob"])
    assert (late.code != 0, "in time" in late.out or "too late" in late.out) == (True, True), late.out
    before = asked(machine)
    assert publish(machine) == DENY
    assert (asked(machine) != before, machine.rows("redemption")) == (True, [])


@pytest.mark.slow
def test_a_key_that_a_person_enrols_besides_is_not_another_person(machine: Machine, keys: dict[str, Key]) -> None:
    second = keys["second"]
    done = at_a_terminal(
        machine.home,
        *("approver", "enrol", "--key", str(second.public), "--name", "bob@test"),
        *("--by", str(keys["ann"].public), "--yes"),
        python=machine.python,
    )
    assert done.code == 0, done.out
    publish(machine)
    assert says_yes(machine, keys["ann"]).code == 0
    refused = says_yes(machine, second)
    assert (refused.code != 0, "is not pinned" in refused.out, publish(machine)) == (True, True, DENY), refused.out


def test_an_unsigned_yes_on_any_surface_and_one_for_somebody_else_are_refused(
    machine: Machine, keys: dict[str, Key]
) -> None:
    publish(machine)
    ledger = ledger_of(machine)
    question = one_question(ledger, asked(machine))
    assert [offer.reach for offer in offers_for(question) if not offer.refused] == ["once"]
    with pytest.raises(ApprovalError, match="needs a yes that is signed"):
        answered(ledger, question, yes=True, by="ann", person="ann", why="", where="terminal")
    signed: dict[str, Any] = {"expires": question.now + 60_000, "signer": "ann@test", "strength": "strong"}
    signature = signature_of(keys["ann"], question.statement(expires=signed["expires"]))
    lines = [line for line in signature.splitlines() if not line.startswith("-----")]
    signed["signature"] = "".join(lines)
    with pytest.raises(ApprovalError, match="bob answers, and it is signed with a key of ann"):
        answered(ledger, question, yes=True, by="bob", person="bob", why="", signed=signed)
    with pytest.raises(ApprovalError, match="needs the signed yes of two persons"):
        answered(ledger, question, yes=True, by="x", why="", signed={**signed, "signature": "AAAA"})
    after = answered(ledger, question, yes=True, by="ann", person="ann", why="", signed=signed)
    assert after.question.status == HALFWAY


def signature_by(key: Key, machine: Machine, expires: int) -> str:
    row = machine.rows("prompt")[-1]
    message = answer_statement(
        approval=row["key"], row=(row["seq"], row["hash"]), yes=True, reach="once", expires=expires
    )
    made = signature_of(key, message)
    return "".join([line for line in made.splitlines() if not line.startswith("-----")])


def status_by_hand(machine: Machine) -> None:
    with sqlite3.connect(folders_for(str(machine.home)).ledger) as database:
        database.execute("UPDATE approvals SET status = 'approved'")


Forgery = Callable[[Machine, dict[str, Key], dict[str, Any]], dict[str, Any] | None]
FORGED: dict[str, Forgery] = {
    "the table alone": lambda machine, keys, first: None,
    "a row without a signature": lambda machine, keys, first: {
        **{key: value for key, value in first.items() if key != "signature"},
        "person": "bob",
    },
    "the first signature again": lambda machine, keys, first: {**first, "person": "bob", "signer": "bob@test"},
    "a second signature of the first person": lambda machine, keys, first: {
        **first,
        "person": "bob",
        "signature": signature_by(keys["ann"], machine, first["expires"]),
    },
    "a signature of whoever started the run": lambda machine, keys, first: {
        **first,
        "person": "bob",
        "signature": signature_by(keys["own"], machine, first["expires"]),
    },
    "a signature of a key of nobody": lambda machine, keys, first: {
        **first,
        "person": "bob",
        "signature": signature_by(keys["second"], machine, first["expires"]),
    },
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", FORGED)
def test_an_approval_that_a_program_wrote_does_not_fire(how: str, machine: Machine, keys: dict[str, Key]) -> None:
    publish(machine)
    assert says_yes(machine, keys["ann"]).code == 0
    first = {key: value for key, value in machine.rows("answer")[-1]["body"].items() if key != "front"}
    forged = FORGED[how](machine, keys, first)
    if forged is not None:
        ledger = ledger_of(machine)
        with ledger.deciding("s-1") as turn:
            turn.append("answer", canonical({**forged, "answer": "approved"}), key=asked(machine))
        ledger.close()
    status_by_hand(machine)
    assert publish(machine) == DENY
    assert machine.rows("redemption") == []


def test_the_same_row_with_the_signature_of_a_second_person_does_fire(machine: Machine, keys: dict[str, Key]) -> None:
    """Else the rows above would be refused for another reason."""
    publish(machine)
    assert says_yes(machine, keys["ann"]).code == 0
    first = {key: value for key, value in machine.rows("answer")[-1]["body"].items() if key != "front"}
    second = {**first, "answer": "approved", "signature": signature_by(keys["bob"], machine, first["expires"])}
    ledger = ledger_of(machine)
    with ledger.deciding("s-1") as turn:
        turn.append("answer", canonical(second), key=asked(machine))
    ledger.close()
    status_by_hand(machine)
    assert publish(machine) == ALLOW


def test_a_question_that_hides_who_started_the_run_does_not_fire(machine: Machine, keys: dict[str, Key]) -> None:
    """The row is a forging program's; who runs the agent is seen by the hook itself."""
    publish(machine)
    ledger = ledger_of(machine)
    row = machine.rows("prompt")[-1]
    body = {**{key: value for key, value in row["body"].items() if key != "front"}, "starter": "login:nobody"}
    with ledger.deciding("s-1") as turn:
        turn.append("prompt", canonical(body), key=row["key"], session="s-1")
        seq = turn.seq
    with sqlite3.connect(folders_for(str(machine.home)).ledger) as database:
        database.execute("UPDATE approvals SET seq = ?", (seq,))
    ledger.close()
    assert says_yes(machine, keys["own"]).code == 0
    assert says_yes(machine, keys["ann"]).code == 0
    assert publish(machine) == DENY


@pytest.mark.slow
def test_nothing_that_one_person_gives_ahead_stands_for_two(
    tmp_path: Path, machine: Machine, keys: dict[str, Key]
) -> None:
    granted = at_a_terminal(
        machine.home,
        *("grant", "npm publish", "--scope", "destination=*", "--reach", "everywhere", "--yes"),
        *("--key", str(keys["ann"].public)),
        python=machine.python,
        folder=machine.project,
    )
    assert (granted.code, publish(machine)) == (0, DENY), granted.out
    machine.user_policy.write_text(
        'version = 1\napproval_mode = "permissive"\n[tiers]\npermissive = 3\n[tiers.actions]\n"npm:*" = 1\n'
        '[[grants]]\nid = "g"\naction = "npm:*"\nscope = { destination = "*" }\n'
    )
    assert publish(machine) == DENY
    (tmp_path / "one/etc/interlock/policy.toml").write_text(policy_of(keys, "allow_off = true\n"))
    off = at_a_terminal(
        machine.home,
        *("off", "--for", "10m", "--yes", "--key", str(keys["ann"].public)),
        python=machine.python,
    )
    assert (off.code, publish(machine)) == (0, DENY), off.out
    force = machine.event("Bash", {"command": "git push --force origin main"})
    assert machine.run(force).taken == ALLOW  # which it lets through otherwise
