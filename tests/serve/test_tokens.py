"""Tokens as rows of the ledger: shown once, kept as a digest, taken back for good, carried over when it is pruned."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.bytes.canon import canonical
from interlock.model.errors import ApprovalError, InputError, StoreError
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import prune
from interlock.store.ledger.verify import verify
from interlock.store.people.tokens import PREFIX, checked, claim, create, every_token, owner_of, revoke


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(folders_for(str(tmp_path)).ledger, front="cli:token")


def made(ledger: Ledger, name: str = "ann", role: str = "approver", expires: int = 0) -> tuple[str, str]:
    with ledger.deciding() as turn:
        token, text = create(turn, name=name, role=role, person=name, expires=expires, by="me")
    return token.id, text


def test_a_token_is_known_by_its_text_and_kept_as_a_digest(ledger: Ledger) -> None:
    id, text = made(ledger)
    with ledger.looking() as view:
        found = checked(view, text)
    assert found is not None
    assert (found.id, found.role, found.person) == (id, "approver", "ann")
    secret = text.removeprefix(f"{PREFIX}{id}_")
    assert not any(secret.encode() in row.body for row in ledger.connect().entries("SELECT * FROM ledger"))


@pytest.mark.parametrize("wrong", ["", "ilt_", "ilt_x", "ilt_{id}_", "ilt_{id}_x", "{text}x", "x{text}", "ILT{text}"])
def test_another_text_is_no_token(ledger: Ledger, wrong: str) -> None:
    id, text = made(ledger)
    with ledger.looking() as view:
        assert checked(view, wrong.format(id=id, text=text)) is None


def test_the_secret_of_one_token_does_not_open_another(ledger: Ledger) -> None:
    (first, text), (second, _) = made(ledger), made(ledger, "bo")
    with ledger.looking() as view:
        assert checked(view, text.replace(first, second)) is None


def test_a_revoked_token_stays_revoked(ledger: Ledger) -> None:
    id, text = made(ledger)
    with ledger.deciding() as turn:
        assert revoke(turn, id, by="me", why="lost").revoked
    with ledger.looking() as view:
        found = checked(view, text)
        assert found is not None
        assert found.is_over(view.at)
    with ledger.deciding() as turn, pytest.raises(ApprovalError, match="revoked already"):
        revoke(turn, id, by="me", why="")
    assert [token.revoked for token in every_token(ledger)] == [True]


def test_an_expired_token_is_over(ledger: Ledger) -> None:
    _, text = made(ledger, expires=1)
    with ledger.looking() as view:
        found = checked(view, text)
        assert found is not None
        assert found.is_over(view.at)


def test_a_changed_row_opens_nothing(ledger: Ledger) -> None:
    _, text = made(ledger, role="agent")
    database = ledger.connect()
    (body,) = database.row("SELECT body FROM ledger WHERE kind = 'token'") or (b"",)
    database.run("UPDATE ledger SET body = ? WHERE kind = 'token'", (bytes(body).replace(b'"agent"', b'"admin"'),))
    with ledger.looking() as view, pytest.raises(StoreError, match="was changed"):
        checked(view, text)


def test_a_role_that_does_not_exist_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="is no role"):
        made(ledger, role="root")


def test_a_session_is_claimed_by_the_first_token_that_names_it(ledger: Ledger) -> None:
    assert claim(ledger, "s1", "a")
    assert claim(ledger, "s1", "a")
    assert not claim(ledger, "s1", "b")


def test_a_session_of_the_hook_cannot_be_claimed(ledger: Ledger) -> None:
    with ledger.deciding("hooked") as turn:
        turn.append("session", canonical({"root": "/x"}), key="hooked", state=b"{}")
    assert not claim(ledger, "hooked", "a")


def test_what_still_counts_outlives_pruning(tmp_path: Path, ledger: Ledger) -> None:
    (gone, lost), (_, kept), (_, late) = made(ledger, "bo"), made(ledger), made(ledger, "late", expires=1)
    with ledger.deciding() as turn:
        revoke(turn, gone, by="me", why="")
    claim(ledger, "s1", "a")
    with ledger.deciding("s1") as turn:
        turn.append("session", canonical({"root": "/x"}), key="s1", state=canonical({"session": {}}))
    claim(ledger, "never-used", "b")
    for _ in range(3):
        made(ledger, "filler", expires=1)
    folders = folders_for(str(tmp_path))
    assert prune(folders, keep=1) is not None
    with ledger.looking() as view:
        assert checked(view, kept) is not None
        assert checked(view, lost) is None
        assert checked(view, late) is None
        assert owner_of(view, "s1") == "a"
        assert owner_of(view, "never-used") is None
    assert verify(folders).damage is None
