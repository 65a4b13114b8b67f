"""A tool with a dry run of its own: a person sees what it says, and the yes counts while it says the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import interlock
from interlock.model.errors import InputError, NeedsApproval
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, every_question
from interlock.words.question import bound_fields


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[interlock.Gate]:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with interlock.Gate(home=tmp_path, deadline=60) as made:
        yield made


class Shop:
    """A tool that deletes customers, and says before which ones."""

    def __init__(self, gate: interlock.Gate) -> None:
        self.customers = ["ann", "bob"]
        self.looked = 0

        @gate.tool(effects=["destructive"], irreversible=True, preview=self.look)
        def drop(prefix: str) -> int:
            gone = [name for name in self.customers if name.startswith(prefix)]
            self.customers = [name for name in self.customers if name not in gone]
            return len(gone)

        @gate.tool(effects=["read"], preview=self.look)
        def count(prefix: str) -> int:
            return len(self.customers)

        self.drop, self.count = drop, count

    def look(self, prefix: str) -> Any:
        self.looked += 1
        return {"would delete": [name for name in self.customers if name.startswith(prefix)]}


@pytest.fixture
def shop(gate: interlock.Gate) -> Shop:
    return Shop(gate)


def asked(tmp_path: Path) -> list[Any]:
    ledger = Ledger(folders_for(str(tmp_path)).ledger, front="cli:approvals")
    return [one for one in every_question(ledger) if one.is_open]


def approve(tmp_path: Path) -> None:
    ledger = Ledger(folders_for(str(tmp_path)).ledger, front="cli:approvals")
    for one in asked(tmp_path):
        answered(ledger, one, yes=True, by="ann", why="")


def receipts(tmp_path: Path) -> list[dict[str, Any]]:
    ledger = Ledger(folders_for(str(tmp_path)).ledger)
    rows = ledger.connect().entries("SELECT * FROM ledger WHERE kind = 'decision' ORDER BY seq", ())
    return [json.loads(row.body)["receipt"] for row in rows]


def test_the_question_shows_what_the_dry_run_says(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(NeedsApproval):
        shop.drop("a")
    assert shop.customers == ["ann", "bob"]
    (one,) = asked(tmp_path)
    assert one.as_dict()["report"] == {"would delete": ["ann"]}
    assert '"ann"' in dict(bound_fields(one.body))["preview"]
    (receipt,) = receipts(tmp_path)
    assert receipt["call"]["preview"].startswith("sha256:")


def test_a_yes_counts_while_the_dry_run_says_the_same(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(NeedsApproval):
        shop.drop("a")
    approve(tmp_path)
    assert shop.drop("a") == 1
    assert shop.customers == ["bob"]


def test_where_the_world_has_moved_on_it_is_asked_anew(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(NeedsApproval):
        shop.drop("a")
    approve(tmp_path)
    shop.customers.append("abe")
    with pytest.raises(NeedsApproval):
        shop.drop("a")
    assert shop.customers == ["ann", "bob", "abe"]
    assert [one.as_dict()["report"] for one in asked(tmp_path)] == [{"would delete": ["ann", "abe"]}]


def test_a_call_that_is_allowed_needs_no_dry_run(shop: Shop, tmp_path: Path) -> None:
    assert shop.count("a") == 2
    assert shop.looked == 0
    assert "preview" not in receipts(tmp_path)[0]["call"]


def test_a_dry_run_that_fails_is_told_and_lets_nothing_through(gate: interlock.Gate, tmp_path: Path) -> None:
    def broken(amount: int) -> Any:
        raise ValueError("secret text")

    @gate.tool(effects=["destructive"], irreversible=True, preview=broken)
    def refund(amount: int) -> None: ...

    with pytest.raises(NeedsApproval):
        refund(5)
    assert asked(tmp_path)[0].as_dict()["report"] == "the preview failed: ValueError"


def test_what_a_dry_run_says_can_be_had_without_a_decision(gate: interlock.Gate, shop: Shop) -> None:
    assert gate.preview("drop", {"prefix": "b"}) == {"would delete": ["bob"]}
    with pytest.raises(InputError, match="has no preview"):
        gate.preview("other", {})


def test_secrets_in_a_report_are_left_out(gate: interlock.Gate, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "a1B2c3D4" * 10

    @gate.tool(effects=["destructive"], irreversible=True, preview=lambda name: {"key": key})
    def rotate(name: str) -> None: ...

    with pytest.raises(NeedsApproval):
        rotate("x")
    assert key not in json.dumps(asked(tmp_path)[0].as_dict())


def test_async_tools_are_previewed_too(gate: interlock.Gate, tmp_path: Path) -> None:
    @gate.tool(effects=["destructive"], irreversible=True, preview=lambda amount: {"refunds": amount})
    async def refund(amount: int) -> int:
        return amount

    with pytest.raises(NeedsApproval):
        asyncio.run(refund(5))
    approve(tmp_path)
    assert asyncio.run(refund(5)) == 5
