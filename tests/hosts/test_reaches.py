"""A yes that reaches further than its call: what may be offered, what it covers then, and what is refused and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, ASK, DENY, Machine
from interlock.model.errors import ApprovalError
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import one_question
from interlock.store.people.offers import answered_for, offers_for
from person import Answer, at_a_terminal
from ssh_keys import Key, new_key

INSTALL = {"command": "npm install left-pad"}
OTHER = {"command": "npm install right-pad"}
PUSH = {"command": "git push --force origin main"}
BY = 'version = 1\n[approvals]\nby = ["terminal", "http"]\n'


def tries(machine: Machine, given: dict[str, Any], *, attended: bool = False, **changes: Any) -> str:
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0"}
    if "cwd" in changes:  # the host was started there
        environment["CLAUDE_PROJECT_DIR"] = changes["cwd"]
    return machine.run(machine.event("Bash", given, **changes), environment=environment).taken


def asked(machine: Machine) -> str:
    return str(machine.rows("prompt")[-1]["key"])


def approve(machine: Machine, *options: str) -> Answer:
    return at_a_terminal(machine.home, "approvals", "approve", asked(machine), "--yes", *options)


@pytest.fixture
def waiting(machine: Machine) -> Machine:
    machine.user_policy.write_text(BY)
    assert tries(machine, INSTALL) == DENY
    return machine


def ledger_of(machine: Machine) -> Ledger:
    return Ledger(folders_for(str(machine.home)).ledger)


def test_every_reach_is_listed_with_what_it_would_cover(waiting: Machine) -> None:
    once, *further = offers_for(one_question(ledger_of(waiting), asked(waiting)))
    assert (once.reach, once.grants, once.refused) == ("once", (), "")
    assert [(offer.reach, offer.place) for offer in further] == [
        ("session", waiting.rows("prompt")[0]["session"]),
        ("folder", str(waiting.project)),
        ("repository", str(waiting.project)),
        ("everywhere", ""),
    ]
    for offer in further:
        assert offer.place in offer.covers[0]
        assert offer.covers[1].startswith("pkg:install, ")
        assert {grant.reach for grant in offer.grants} == {offer.reach}
    shown = at_a_terminal(waiting.home, "approvals", "show", asked(waiting)).out
    assert "--reach session: this one call, and calls of the session" in shown


def test_once_is_once(waiting: Machine) -> None:
    assert approve(waiting).code == 0
    assert [tries(waiting, INSTALL), tries(waiting, INSTALL)] == [ALLOW, DENY]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("reach", "session", "elsewhere"),
    [("session", DENY, DENY), ("folder", ALLOW, DENY), ("repository", ALLOW, DENY), ("everywhere", ALLOW, ALLOW)],
)
def test_a_yes_covers_its_like_within_its_reach(
    reach: str, session: str, elsewhere: str, waiting: Machine, tmp_path: Path
) -> None:
    done = approve(waiting, "--reach", reach, "--why", "the day's work")
    assert (done.code, "given: gr_" in done.out) == (0, True), done.out
    assert [tries(waiting, INSTALL) for _ in range(3)] == [ALLOW] * 3
    assert tries(waiting, OTHER) == DENY  # another package is another yes
    assert tries(waiting, INSTALL, session_id="s-2") == session
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert tries(waiting, INSTALL, session_id="s-2", cwd=str(other)) == elsewhere
    (answer,) = [row["body"] for row in waiting.rows("answer")]
    (grant,) = [row["body"] for row in waiting.rows("grant")]
    assert (answer["reach"], answer["person"][:6]) == (reach, "login:")
    assert (grant["grant"]["kind"], grant["grant"]["reach"], grant["grant"]["why"]) == (
        "remembered",
        reach,
        "the day's work",
    )
    assert 0 < grant["expires"] - waiting.rows("answer")[0]["at"] <= 2 * 3600 * 1000
    assert verify(folders_for(str(waiting.home))).damage is None


def test_it_counts_for_as_long_as_is_said_and_can_be_taken_back(waiting: Machine) -> None:
    assert "--for goes with --reach" in approve(waiting, "--for", "5m").out
    assert approve(waiting, "--reach", "repository", "--for", "ever").code == 0
    (row,) = waiting.rows("grant")
    assert row["body"]["expires"] == 0
    assert [tries(waiting, INSTALL), tries(waiting, INSTALL)] == [ALLOW, ALLOW]
    assert at_a_terminal(waiting.home, "grants", "revoke", row["key"], "--yes").code == 0
    assert tries(waiting, INSTALL) == DENY


@pytest.mark.parametrize("reach", ["session", "folder", "repository", "everywhere"])
def test_what_is_asked_each_time_is_approved_once_only(reach: str, machine: Machine) -> None:
    machine.user_policy.write_text(BY)
    tries(machine, PUSH)
    done = approve(machine, "--reach", reach)
    assert (done.code != 0, "a remembered yes does not satisfy it" in done.out) == (True, True), done.out
    assert (machine.rows("answer"), machine.rows("grant"), tries(machine, PUSH)) == ([], [], DENY)


def test_in_the_mode_strict_nothing_is_remembered(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\napproval_mode = "strict"\n[approvals]\nby = ["terminal"]\n')
    tries(machine, INSTALL)
    assert "every call is asked about" in approve(machine, "--reach", "session").out


def test_the_yes_and_the_grant_are_kept_together_or_not_at_all(
    waiting: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, folders = ledger_of(waiting), folders_for(str(waiting.home))
    question = one_question(ledger, asked(waiting))

    def broken(*_: object) -> None:
        raise ApprovalError("no room")

    with monkeypatch.context() as patched:
        patched.setattr("interlock.store.people.answering.give", broken)
        with pytest.raises(ApprovalError, match="no room"):
            answered_for(folders, ledger, question, reach="session", by="ann", person="ann", where="http")
    assert (waiting.rows("answer"), waiting.rows("grant")) == ([], [])
    done, gives = answered_for(folders, ledger, question, reach="session", by="ann", person="ann", where="http")
    assert (done.question.status, len(gives)) == ("approved", 1)
    (answer,) = waiting.rows("answer")
    assert [answer["body"][key] for key in ("by", "person", "surface", "strength")] == ["ann", "ann", "http", "weak"]
    with pytest.raises(ApprovalError, match="came too late"):
        answered_for(folders, ledger, question, reach="everywhere", by="ann", where="http")
    assert len(waiting.rows("grant")) == 1


@pytest.fixture
def hardware(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(machine.home / ".ssh/id_ed25519_sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    later(machine)
    return key


def test_where_a_key_counts_only_a_signed_yes_reaches_beyond_the_session(machine: Machine, hardware: Key) -> None:
    machine.user_policy.write_text(BY)
    tries(machine, INSTALL)
    ledger, folders = ledger_of(machine), folders_for(str(machine.home))
    question = one_question(ledger, asked(machine))
    with pytest.raises(ApprovalError, match="needs a signature"):
        answered_for(folders, ledger, question, reach="repository", by="ann", where="http")

    def lies(*_: object) -> dict[str, str]:
        return {"signature": "AAAA", "strength": "strong", "signer": "x"}

    with pytest.raises(ApprovalError):
        answered_for(folders, ledger, question, reach="repository", by="ann", where="http", sign=lies)
    assert (machine.rows("answer"), machine.rows("grant")) == ([], [])
    done = approve(machine, "--reach", "repository")
    assert done.code == 0, done.out
    (row,) = machine.rows("grant")
    assert row["body"]["signer"] == "id_ed25519_sk@test"
    assert [tries(machine, INSTALL), tries(machine, INSTALL, session_id="s-2")] == [ALLOW, ALLOW]


def test_within_the_session_a_weak_yes_counts_for_tier_2_as_ever(machine: Machine, hardware: Key) -> None:
    machine.user_policy.write_text(BY)
    tries(machine, INSTALL)
    assert approve(machine, "--reach", "session").code == 0
    assert "signer" not in machine.rows("grant")[0]["body"]
    assert [tries(machine, INSTALL), tries(machine, INSTALL), tries(machine, INSTALL, attended=True)] == [ALLOW] * 3


def test_who_answers_is_told_by_the_policy(machine: Machine, hardware: Key) -> None:
    login = at_a_terminal(machine.home, "approvals", "list").code == 0 and Path.home().owner()
    machine.user_policy.write_text(
        f'{BY}[people.ann]\nlogins = ["{login}"]\n[people.bob]\nsigners = ["id_ed25519_sk@test"]\n'
    )
    tries(machine, INSTALL)
    done = at_a_terminal(machine.home, "approvals", "approve", asked(machine), "--yes", "--json")
    assert json.loads(done.out)["answer"]["person"] == "ann"
    tries(machine, OTHER)
    done = at_a_terminal(machine.home, "approvals", "approve", asked(machine), "--yes", "--sign")
    assert (done.code, machine.rows("answer")[-1]["body"]["person"]) == (0, "bob"), done.out


def test_a_host_that_asks_itself_still_asks(machine: Machine) -> None:
    assert tries(machine, INSTALL, attended=True) == ASK
