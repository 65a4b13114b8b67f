"""The word that the shield adds to a call: the hook answers it with what it judged, and nothing else of it is left."""

from __future__ import annotations

import hashlib
import json
import re
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
def test_the_hook_answers_the_word_and_judges_the_call_without_it(machine: Machine, command: str) -> None:
    plain = answered(machine, command, "one")
    told = answered(machine, command, "two", **{KEY: WORD})
    notes = told.pop("additionalContext").split("\n")
    assert re.fullmatch(f"{KEY}:sha256:[0-9a-f]{{64}}", notes[-1])
    assert "\n".join(notes[:-1]) == plain.pop("additionalContext", "")
    assert told.get("permissionDecision") == plain.get("permissionDecision")
    without, with_word = [row["body"]["receipt"] for row in machine.rows()]
    assert with_word["reading"] == without["reading"]
    assert KEY not in json.dumps(machine.rows())


@pytest.mark.parametrize("word", ["", "x" * 32, WORD.upper(), WORD + "0", "rm -rf ~"])
def test_what_does_not_look_like_a_word_is_an_argument_as_any_other(machine: Machine, word: str) -> None:
    assert KEY not in json.dumps(answered(machine, "ls", "one", **{KEY: word}))


def proof(machine: Machine, **changes: Any) -> str:
    """What the hook answers the word with, for a call and its session."""
    call = {"tool_use_id": "toolu_one", "session_id": "one", **changes}
    given = {"command": "ls", "description": "é\U0001f600", "timeout": 1000.5, **call.pop("input", {}), KEY: WORD}
    ran = machine.run(machine.event("Bash", given, **call), odd=True)
    notes: str = json.loads(ran.out)["hookSpecificOutput"]["additionalContext"]
    return notes.rsplit("\n", maxsplit=1)[-1].removeprefix(f"{KEY}:")


def test_the_answer_is_of_one_call_with_one_input_in_one_session(machine: Machine) -> None:
    text = (
        '{"call":"toolu_one","input":{"command":"ls","description":"é\U0001f600","timeout":1000.5},'
        f'"session":"one","tool":"Bash","word":"{WORD}"}}'
    )
    first = proof(machine)
    assert first == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    others = [
        proof(machine, tool_use_id="toolu_two"),
        proof(machine, session_id="two"),
        proof(machine, input={"command": "ls "}),
        proof(machine, input={"timeout": 1000}),
        proof(machine, input={"run_in_background": False}),
    ]
    assert len({first, *others}) == len(others) + 1
