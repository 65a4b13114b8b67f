"""`interlock approvals … --url`: the same screens, for what waits at a service on another machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from machine import Machine
from person import at_a_terminal
from serving import Serving

POLICY = 'version = 1\nprofile = "serve"\n[tools.refund]\neffects = ["network"]\nrisk = "high"\nirreversible = true\n'


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path / "there", policy=POLICY) as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path, service: Serving) -> Machine:
    """Another machine, with ann's token in its file."""
    machine = Machine(tmp_path)
    keep(machine, service.token("ann", "approver"))
    return machine


def keep(machine: Machine, text: str, mode: int = 0o600) -> Path:
    path = machine.home / ".config/interlock/token"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")
    path.chmod(mode)
    return path


def asked(service: Serving, amount: int, **given: object) -> str:
    call = service.call("refund", {"amount": amount, **given}, session=f"s{amount}")
    return str(service.agent.post("/v1/decisions", json=call).json()["approval_id"])


def status(service: Serving, id: str) -> str:
    return str(service.admin.get(f"/v1/approvals/{id}").json()["status"])


def test_what_waits_there_is_listed_and_shown_as_here(service: Serving, desk: Machine) -> None:
    assert desk.run("approvals", "list", "--url", service.url).out == "nothing waits for an answer\n"
    id = asked(service, 1, note="\u202eabc\x1b[31m")
    listed = desk.run("approvals", "list", "--url", service.url)
    assert f"{id}  pending" in listed.out
    assert "for session s1" in listed.out
    whole = desk.run("approvals", "show", id[:9], "--url", service.url)
    assert "refund, the whole call:" in whole.out
    assert "\\u202eabc\\x1b[31m" in whole.out
    assert "it binds:" in whole.out
    for text in (listed.out, whole.out):
        assert not any(char in text for char in "\x1b\u202e")
    (told,) = desk.run("approvals", "list", "--url", service.url, "--json").json
    assert (told["id"], told["input"]["amount"]) == (id, 1)
    assert desk.run("approvals", "show", id, "--url", service.url, "--json").json["id"] == id
    assert f"{id}  pending" in desk.run("approvals", "watch", "--once", "--url", service.url).out
    assert "nothing waits" in desk.run("approvals", "list").out, "this machine's own ledger has none"


@pytest.mark.slow
def test_a_person_answers_there_after_reading_it(service: Serving, desk: Machine) -> None:
    yes, no = asked(service, 1), asked(service, 2)
    done = at_a_terminal(
        desk.home, "approvals", "approve", yes[:10], "--why", "fine", "--url", service.url, keys=" y\n"
    )
    assert "approved until" in done.out, done.out
    assert status(service, yes) == "approved"
    kept = service.admin.get(f"/v1/approvals/{yes}").json()["answer"]
    assert (kept["why"], kept["surface"], kept["strength"]) == ("fine", "http", "weak")
    assert kept["by"].startswith("ann with token ")
    assert at_a_terminal(desk.home, "approvals", "deny", no, "--yes", "--url", service.url).code == 0
    assert status(service, no) == "denied"
    late = at_a_terminal(desk.home, "approvals", "approve", no, "--yes", "--url", service.url)
    assert late.code == 1
    assert "already" in late.out


@pytest.mark.slow
def test_keys_answer_what_is_watched_there(service: Serving, desk: Machine) -> None:
    id = asked(service, 3)
    done = at_a_terminal(desk.home, "approvals", "watch", "--url", service.url, keys="\nayq")
    assert status(service, id) == "approved", done.out


def test_a_program_answers_nothing(service: Serving, desk: Machine) -> None:
    id = asked(service, 4)
    done = desk.run("approvals", "approve", id, "--yes", "--url", service.url)
    assert done.code == 1
    assert "not taken" in done.err
    assert status(service, id) == "pending"


def test_the_token_of_an_agent_answers_nothing(service: Serving, desk: Machine) -> None:
    id = asked(service, 5)
    keep(desk, service.tokens["robot"])
    done = at_a_terminal(desk.home, "approvals", "approve", id, "--yes", "--url", service.url)
    assert done.code == 69
    assert "role agent" in done.out
    assert status(service, id) == "pending"


def test_a_token_that_others_can_read_is_not_used(
    service: Serving, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> tuple[int, str]:
        done = desk.run("approvals", "list", "--url", service.url)
        return done.code, done.err

    path = keep(desk, service.tokens["ann"], 0o644)
    assert told()[0] == 64
    assert "chmod 600" in told()[1]
    path.unlink()
    assert "there is no token" in told()[1]
    keep(desk, "something else")
    assert "holds no token" in told()[1]
    monkeypatch.setenv("INTERLOCK_TOKEN", service.tokens["ann"])
    assert "names a file" in told()[1]
    assert service.tokens["ann"] not in told()[1]
    other = desk.home / "elsewhere"
    other.write_text(service.tokens["ann"])
    other.chmod(0o600)
    monkeypatch.setenv("INTERLOCK_TOKEN", str(other))
    assert told()[0] == 0


def test_a_service_that_is_not_there_and_two_places_are_told(service: Serving, desk: Machine) -> None:
    both = desk.run("approvals", "list", "--url", service.url, "--team")
    assert (both.code, "name one" in both.err) == (64, True)
    open_air = desk.run("approvals", "list", "--url", "http://guard.example")
    assert (open_air.code, "in the open" in open_air.err) == (64, True)
    signed = at_a_terminal(desk.home, "approvals", "approve", "ap_1", "--yes", "--sign", "--url", service.url)
    assert (signed.code, "not signed" in signed.out) == (64, True)
    assert json.loads(desk.run("approvals", "list", "--url", service.url, "--json").out) == []
