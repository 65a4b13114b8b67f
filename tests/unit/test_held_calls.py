"""What a service holds of calls that wait: the very call that a question binds, and only while it waits."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from interlock.model.call import Call
from interlock.serve.held import Held
from interlock.store.home.folders import folders_for
from interlock.store.ledger.proofs import proof_of
from interlock.value import FrozenMap


def call(secret: str) -> Call:
    return Call(tool="refund", input=FrozenMap({"amount": 1, "password": secret}), cwd="/p", session="s")


def question(proof: str | None, *, is_open: bool = True) -> Any:
    return SimpleNamespace(is_open=is_open, question=SimpleNamespace(id="ap_1", proof=proof))


def test_only_the_call_that_the_question_binds_comes_back(tmp_path: Path) -> None:
    folders = folders_for(str(tmp_path))
    held = Held(folders)
    real, decoy = call("hunter2"), call("harmless")
    asked = question(proof_of(real, folders))
    with held.holding("ap_1", decoy):
        assert held.call_of(asked) is None
        with held.holding("ap_1", real):
            assert held.call_of(asked) is real
            assert held.call_of(question(None)) is None
            assert held.call_of(question(proof_of(real, folders), is_open=False)) is None
        assert held.call_of(asked) is None
    assert held._waiting == {}
