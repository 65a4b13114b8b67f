"""A person at one machine answers what another machine asked; the team store is in between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from approvers import DAY, enrolled, later
from hook_process import Machine as Hook
from hook_process import new_machine
from interlock.bytes.canon import canonical
from interlock.limits import TEAM_REDEEM_SECONDS
from interlock.model.errors import ApprovalError
from interlock.record.chain import Row
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.audit import SELECT
from interlock.store.ledger.ledger import Ledger
from interlock.store.team.sync import Syncing
from interlock.store.team.team import make_team_store, open_team, team_database
from interlock.store.team.team_answers import TeamAnswer, answer_for_team, asked_in_team, one_in_team, team_answer
from machine import Machine
from person import at_a_terminal
from postgres_server import started_server
from ssh_keys import Key, new_key

ALONE = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = started_server().new_database()
    database = team_database(found, folders_for(str(tmp_path / "maker")))
    make_team_store(database)
    database.close()
    return found


def synced(home: Path, url: str) -> int:
    syncing = Syncing(folders_for(str(home)), url)
    try:
        return syncing.once().answers
    finally:
        syncing.close()


@pytest.fixture
def asking(tmp_path: Path, url: str) -> Hook:
    hook = new_machine(tmp_path / "asking")
    hook.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    return hook


def push(hook: Hook, branch: str = "main") -> str:
    event = hook.event("Bash", {"command": f"git push --force origin {branch}"}, session_id="night")
    return hook.run(event, environment=ALONE).taken


@pytest.mark.slow
def test_a_person_elsewhere_approves_and_the_call_fires_once(asking: Hook, url: str, tmp_path: Path) -> None:
    assert push(asking) == "deny"
    synced(asking.home, url)
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')
    (asked,) = person.run("approvals", "list", "--team", "--json").json
    assert (asked["tool"], asked["subject"], asked["session"]) == ("Bash", "git push --force origin main", "night")
    assert asked["id"] in person.run("approvals", "list", "--team").out
    assert person.run("approvals", "show", asked["id"], "--team", "--json").json == asked
    shown = person.run("approvals", "show", asked["id"][:8], "--team").out
    for text in (
        "git push --force origin main",
        asked["machine"],
        "session night",
    ):
        assert text in shown
    refused = person.run("approvals", "approve", asked["id"], "--team", "--yes")
    assert refused.code != 0
    assert "it was not given at a terminal" in refused.err
    told = at_a_terminal(person.home, "approvals", "approve", asked["id"], "--team", "--yes", "--why", "go")
    assert (told.code, "is approved; " in told.out) == (0, True), told.out
    assert person.run("approvals", "list", "--team", "--json").json == []
    assert push(asking) == "deny"  # nothing counts before the machine has fetched it
    assert synced(asking.home, url) == 1
    assert [push(asking), push(asking)] == ["allow", "deny"]


def folders(home: Path) -> Folders:
    return folders_for(str(home))


def test_a_no_a_second_answer_and_an_answer_to_nothing(asking: Hook, url: str, tmp_path: Path) -> None:
    push(asking)
    synced(asking.home, url)
    database = open_team(url, folders(tmp_path / "p"))
    asked = one_in_team(database, "ap_", 0)
    answer_for_team(database, asked, yes=False, by="ann", why="not now")
    with pytest.raises(ApprovalError, match="was answered by somebody else"):
        answer_for_team(database, asked, yes=True, by="bob", why="")
    with pytest.raises(ApprovalError, match="no machine of the team waits"):
        one_in_team(database, "ap_", 0)
    assert asked_in_team(database, 0) == []
    database.close()
    assert synced(asking.home, url) == 1
    assert push(asking) == "deny"
    again = asking.event("Bash", {"command": "git push --force origin main"}, session_id="night")
    assert "The person said no to this" in asking.run(again, environment=ALONE).out.decode()


def test_an_answer_keeps_where_it_was_given_and_its_signature(asking: Hook, url: str, tmp_path: Path) -> None:
    push(asking)
    synced(asking.home, url)
    database = open_team(url, folders(tmp_path / "p"))
    asked = one_in_team(database, "ap_", 0)
    with pytest.raises(ApprovalError, match="is approved by terminal only"):
        answer_for_team(database, asked, yes=True, by="ann", why="", surface="page")
    answer_for_team(database, asked, yes=True, by="ann", why="", signature="-----BEGIN SSH SIGNATURE-----")
    (row,) = database.entries(f"{SELECT} WHERE kind = 'answer'")
    said = TeamAnswer(origin=asked.origin, prompt=asked.seq, yes=True, by="ann")
    assert team_answer(row) == said.replace(surface="terminal", signature="-----BEGIN SSH SIGNATURE-----")
    database.close()


def test_an_answer_of_an_older_version_has_no_signature_and_nonsense_is_no_answer() -> None:
    said = {"by": "ann", "origin": "o", "prompt": 3, "why": "", "yes": True}
    read = team_answer(Row((1, "answer", 0, "", "ap_1", None, None, None, canonical(said))))
    assert read == TeamAnswer(origin="o", prompt=3, yes=True, by="ann")
    for wrong in ({"yes": 1}, {"prompt": "3"}, {"signature": 5}, {"surface": None}, {"origin": ()}):
        assert team_answer(Row((1, "answer", 0, "", "ap_1", None, None, None, canonical({**said, **wrong})))) is None
    assert team_answer(Row((1, "answer", 0, "", "ap_1", None, None, None, b"{}"))) is None


def test_a_question_whose_time_is_over_is_not_listed(asking: Hook, url: str, tmp_path: Path) -> None:
    push(asking)
    synced(asking.home, url)
    database = open_team(url, folders(tmp_path / "p"))
    (asked,) = asked_in_team(database, 0)
    assert asked_in_team(database, asked.body["expires"] - 1) == [asked]
    assert asked_in_team(database, asked.body["expires"]) == []
    database.close()


def test_a_hook_waits_for_the_team_store_no_longer_than_it_may(url: str, tmp_path: Path) -> None:
    """What a statement may take is set on the server, so that one that hangs there does not hold the hook."""
    place = folders(tmp_path / "p")
    for given, wanted in (({}, "1min"), ({"wait": TEAM_REDEEM_SECONDS, "work": TEAM_REDEEM_SECONDS}, "1s")):
        database = open_team(url, place, **given)
        assert database.row("SHOW statement_timeout") == (wanted,)
        database.close()
    database = open_team(url, place, work=0.2)
    with pytest.raises(Exception, match="it took too long to answer"):
        database.row("SELECT pg_sleep(5)")
    database.close()


@pytest.mark.slow
def test_an_answer_from_elsewhere_counts_for_its_signature_by_the_keys_of_the_machine_that_asked(
    asking: Hook, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(asking.home / ".ssh/sk", hardware=True)
    stranger = new_key(tmp_path / "stranger")
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(asking, key)
    later(asking)
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')

    def approve(*options: str) -> str:
        assert push(asking) == "deny"
        synced(asking.home, url)
        (asked,) = person.run("approvals", "list", "--team", "--json").json
        assert asked["needs"] == "medium"
        told = at_a_terminal(person.home, "approvals", "approve", asked["id"], "--team", "--yes", *options)
        synced(asking.home, url)
        return told.out

    assert "no key is enrolled here; name yours with --key FILE" in approve()
    approve("--key", str(stranger.public))
    assert push(asking) == "deny"
    assert asking.rows("answer") == []


@pytest.mark.slow
def test_a_signed_answer_from_elsewhere_fires(
    asking: Hook, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(asking.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(asking, key)
    asking.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\non_timeout = "hold"\ntimeout = 1440\n')
    later(asking, DAY)  # as long as the yes counts, so that its end lies ahead of the ledger's clock
    assert push(asking) == "deny"
    synced(asking.home, url)
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')
    (asked,) = person.run("approvals", "list", "--team", "--json").json
    told = at_a_terminal(person.home, "approvals", "approve", asked["id"], "--team", "--yes", "--key", str(key.public))
    assert told.code == 0, told.out
    synced(asking.home, url)
    assert [push(asking), push(asking)] == ["allow", "deny"]
    (answer,) = asking.rows("answer")
    assert (answer["body"]["strength"], answer["body"]["signer"]) == ("strong", "sk@test")


def signing(asking: Hook, monkeypatch: pytest.MonkeyPatch) -> Key:
    """A hardware key that counts, and a call that waits for it."""
    key = new_key(asking.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(asking, key)
    asking.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\non_timeout = "hold"\ntimeout = 1440\n')
    later(asking)
    assert push(asking) == "deny"
    return key


def harmless_instead(raw: bytes | str) -> bytes:
    said = {**json.loads(raw), "input": {"command": "git push origin docs"}, "subject": "docs", "sends": []}
    return canonical(said)


def test_a_row_that_shows_another_call_than_its_hash_is_not_put_before_a_person(
    asking: Hook, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signing(asking, monkeypatch)
    synced(asking.home, url)
    database = open_team(url, folders_for(str(tmp_path / "maker")))
    ((body,),) = list(database.rows("SELECT body FROM shipped WHERE kind = 'prompt'"))
    database.run("UPDATE shipped SET body = ? WHERE kind = 'prompt'", (harmless_instead(body),))
    database.close()
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')
    assert person.run("approvals", "list", "--team", "--json").json == []


@pytest.mark.slow
def test_a_signature_for_a_question_that_showed_another_call_does_not_fire(
    asking: Hook, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of the agent's user appends a harmless question under the id of the harmful one."""
    key = signing(asking, monkeypatch)
    ledger = Ledger(folders_for(str(asking.home)).ledger, front="cli")
    with ledger.deciding() as turn:
        (row,) = list(turn.database.rows(f"{SELECT} WHERE kind = 'prompt'"))
        seq = turn.append("prompt", harmless_instead(row[8]), key=row[4], proof=row[7], session=row[3])
        turn.database.run("UPDATE approvals SET seq = ? WHERE id = ?", (seq, row[4]))
    ledger.close()
    synced(asking.home, url)
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')
    (asked,) = person.run("approvals", "list", "--team", "--json").json
    at_a_terminal(person.home, "approvals", "approve", asked["id"], "--team", "--yes", "--key", str(key.public))
    synced(asking.home, url)
    assert push(asking) == "deny"


def test_a_yes_that_was_used_does_not_fire_again_by_a_changed_table(
    asking: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = signing(asking, monkeypatch)
    ledger = Ledger(folders_for(str(asking.home)).ledger, front="cli")
    with ledger.deciding() as turn:
        ((question,),) = list(turn.database.rows("SELECT id FROM approvals"))
    done = at_a_terminal(asking.home, "approvals", "approve", question, "--yes", "--key", str(key.public))
    assert (done.code, push(asking)) == (0, "allow")
    with ledger.deciding() as turn:
        turn.database.run("UPDATE approvals SET status = 'approved' WHERE id = ?", (question,))
    ledger.close()
    assert push(asking) == "deny"
