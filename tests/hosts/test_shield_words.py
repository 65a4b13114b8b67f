"""The shield's own dialog, as the hook sees it: what it leaves to be asked, and which answers count."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dialogs import hook_words
from hook_process import ALLOW, ASK, DENY, Machine, Ran, ended, new_machine
from interlock.hosts import claude_events
from interlock.store.home.folders import folders_for
from interlock.store.home.seating import plan_seat, write_seat
from interlock.store.home.shield import Admitted
from live.place import place

__all__ = ["place"]

KEY, WORD = "interlock_shield", "0123456789abcdef0123456789abcdef"
ONCE, SESSION, NO = "Allow once", "Allow for this session", "Deny"


@pytest.fixture
def machine(place: Path) -> Machine:
    """Where `interlock install` has seated the shield."""
    found = new_machine(place)
    seated(found)
    return found


def seated(machine: Machine, admitted: tuple[Admitted, ...] = ()) -> None:
    folders, at = folders_for(str(machine.home)), machine.home / ".claude"
    seating = plan_seat(folders, str(at), admitted)
    write_seat(folders, seating)
    at.mkdir(exist_ok=True)
    (at / "settings.json").write_text(json.dumps({"prependPlugins": [seating.entry]}))


def hooked(machine: Machine, event: dict[str, Any], **environment: str) -> Ran:
    words = hook_words(machine)
    if event["hook_event_name"] != "PreToolUse":
        handler = claude_events.settings(machine.python, str(machine.guard), ("--home", str(machine.home)))
        entry = handler["hooks"][event["hook_event_name"]][0]["hooks"][0]
        words = [entry["command"], *entry["args"]]
    hook = subprocess.Popen(
        words, cwd=machine.project, env={**machine.environment(), **environment},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    return ended(hook, json.dumps(event).encode(), patience=60)


def call(machine: Machine, *, id: str = "toolu_one", path: str = "", **environment: str) -> tuple[str, dict[str, Any]]:
    """What is decided about a call that is asked about, and the question that the shield is to put."""
    given = {"file_path": path or str(machine.home.parent / "notes/a"), "content": "x", KEY: WORD}
    ran = hooked(machine, machine.event("Write", given, tool_use_id=id), **environment)
    notes = json.loads(ran.out)["hookSpecificOutput"]["additionalContext"].split("\n")
    (proof,) = [line for line in notes if re.fullmatch(f"{KEY}:sha256:[0-9a-f]{{64}}", line)]
    questions = [line.removeprefix(f"{proof}:") for line in notes if line.startswith(f"{proof}:")]
    return ran.taken, json.loads(questions[0]) if questions else {}


def chosen(machine: Machine, question: dict[str, Any], answer: str, **changes: Any) -> None:
    """The client's event after the dialog."""
    text = question["text"]
    options = [{"label": choice, "description": ""} for choice in question["choices"]]
    asked = [{"question": text, "header": "Interlock", "options": options, "multiSelect": False}]
    given = {"questions": asked, "answers": {text: answer}, "annotations": {}}
    told = {"tool_response": given, "tool_use_id": "toolu_plugin_2b0289838e9e440a82d72287cec19947", **changes}
    ran = hooked(machine, machine.event("AskUserQuestion", given, hook_event_name="PostToolUse", **told))
    assert ran.code == 0, ran.err


def answers(machine: Machine) -> list[tuple[str, str, str]]:
    return [
        tuple(row["body"].get(key, "") for key in ("answer", "surface", "strength")) for row in machine.rows("answer")
    ]


@pytest.mark.slow
def test_only_the_answer_to_the_question_itself_counts_and_it_counts_once(machine: Machine) -> None:
    taken, question = call(machine)
    assert (taken, question["choices"]) == (ASK, [NO, ONCE, SESSION])
    assert "it is outside the project" in question["text"]
    for changed, answer, changes in (
        (question, SESSION, {"tool_use_id": "toolu_01"}),  # a question of the agent's own, in our words
        (question, SESSION, {"session_id": "another"}),
        (question, "Allow everything", {}),
        ({**question, "text": "Go on?"}, SESSION, {}),
        ({**question, "choices": [ONCE, SESSION]}, SESSION, {}),
    ):
        chosen(machine, changed, answer, **changes)
    assert answers(machine) == []
    chosen(machine, question, ONCE)
    assert answers(machine) == [("approved", "host", "weak")]
    assert call(machine)[0] == ALLOW
    chosen(machine, question, SESSION)
    assert answers(machine) == [("approved", "host", "weak")]
    assert call(machine, id="toolu_two", path=str(machine.home.parent / "notes/b"))[0] == ASK


@pytest.mark.slow
def test_a_no_is_a_no_and_a_yes_for_the_session_covers_what_it_said(machine: Machine) -> None:
    notes = machine.home.parent / "notes"
    for id, path, answer, then in (("toolu_1", "x/a", NO, DENY), ("toolu_2", "y/a", SESSION, ALLOW)):
        chosen(machine, call(machine, id=id, path=str(notes / path))[1], answer)
        assert call(machine, id=id, path=str(notes / path))[0] == then
    assert call(machine, id="toolu_3", path=str(notes / "y/a"))[0] == ALLOW
    assert call(machine, id="toolu_4", path=str(notes / "y/b"))[0] == ASK


@pytest.mark.slow
def test_what_was_put_and_not_answered_is_the_client_s_own_question(machine: Machine) -> None:
    assert call(machine)[1]
    assert call(machine) == (ASK, {})
    assert [answer for answer, _, _ in answers(machine)] == ["closed"]
    assert call(machine, id="toolu_two")[1]  # another call is asked about anew


@pytest.mark.slow
@pytest.mark.parametrize("why", ["no shield", "switched off", "another plug-in is admitted", "nobody is there"])
def test_where_the_answer_might_not_be_a_person_s_nothing_is_put(machine: Machine, why: str) -> None:
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "0"} if why == "nobody is there" else {}
    if why == "no shield":
        (machine.home / ".claude/settings.json").write_text("{}")
    if why == "another plug-in is admitted":
        folder = str(machine.home / ".claude/skills/interlock-x")
        seated(machine, (Admitted(name="m", folder=folder, source=folder, digest="sha256:0"),))
    if why == "switched off":
        (machine.project / ".claude").mkdir()
        (machine.project / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    assert call(machine, **environment)[1] == {}
