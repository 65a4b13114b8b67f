"""The word that the shield adds to a call: the hook gives it back, and nothing else of it is left."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hook_process import Machine

KEY = "interlock_shield"
WORD = "0123456789abcdef0123456789abcdef"


def answered(machine: Machine, command: str, session: str, **more: str) -> dict[str, Any]:
    ran = machine.run(machine.event("Bash", {"command": command, **more}, session_id=session), odd=True)
    assert (ran.code, ran.err) == (0, b"")
    output: dict[str, Any] = json.loads(ran.out or b"{}").get("hookSpecificOutput", {})
    return output


@pytest.mark.parametrize("command", ["ls", "./unknown --x", "cat ~/.ssh/id_ed25519"])
def test_the_hook_gives_the_word_back_and_judges_the_call_without_it(machine: Machine, command: str) -> None:
    plain = answered(machine, command, "one")
    told = answered(machine, command, "two", **{KEY: WORD})
    notes = told.pop("additionalContext").split("\n")
    assert notes[-1] == f"{KEY}:{WORD}"
    assert "\n".join(notes[:-1]) == plain.pop("additionalContext", "")
    assert told.get("permissionDecision") == plain.get("permissionDecision")
    without, with_word = [row["body"]["receipt"] for row in machine.rows()]
    assert with_word["reading"] == without["reading"]
    assert KEY not in json.dumps(machine.rows())


@pytest.mark.parametrize("word", ["", "x" * 32, WORD.upper(), WORD + "0", "rm -rf ~"])
def test_what_does_not_look_like_a_word_is_an_argument_as_any_other(machine: Machine, word: str) -> None:
    assert KEY not in json.dumps(answered(machine, "ls", "one", **{KEY: word}))
