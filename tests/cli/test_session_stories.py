"""Sessions through the command line: loops, budgets, a person's no, the phrase."""

from __future__ import annotations

import json
from typing import Any

import pytest

from machine import Machine

S = {"session": "s1"}


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command}, **S, **more}


def stream(machine: Machine, lines: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    text = "".join(json.dumps({"cwd": str(machine.project), **line}) + "\n" for line in lines)
    run = machine.run("decide", "--jsonl", *options, stdin=text)
    assert (run.code, run.err) == (0, "")
    return run.lines


def verdicts(answers: list[dict[str, Any]]) -> list[str]:
    return [answer.get("verdict", answer.get("mode", "error")) for answer in answers]


FAILING = bash("make test", outcome="failed", result="sha256:1")


def test_a_runaway_loop_is_advised_then_locked(machine: Machine) -> None:
    answers = stream(machine, [FAILING] * 4 + [bash("touch a"), bash("ls"), FAILING | {"session": "s2"}])
    assert verdicts(answers) == ["allow", "allow", "deny", "deny", "deny", "allow", "allow"]
    assert [answer["posture"] for answer in answers] == [*["interactive"] * 3, *["locked"] * 3, "interactive"]
    assert answers[2]["reasons"] == [
        {
            "grant": None,
            "instead": "You are repeating a call that has given the same result 2 times in a row; once more locks the "
            "session. Do something different with the result, or ask the person. To wait for something, put a `sleep` "
            "into the command that checks for it.",
            "layer": "loop",
            "rule": "repeat",
            "text": "The agent is repeating a call that has given the same result 2 times in a row.",
            "verdict": "deny",
        }
    ]
    assert answers[3]["reasons"][0]["text"].endswith("The session is now locked: only read-only calls are allowed.")


@pytest.mark.parametrize(
    "lines",
    [
        [bash("make test", outcome="failed", result=f"sha256:{n}") for n in range(5)],
        [bash("make test", outcome="unknown")] * 5,
        [bash("sleep 5; kubectl get pods", result="sha256:same")] * 5,
        [bash("gh run watch 7", result="sha256:same")] * 5,
        [{"tool": "BashOutput", "input": {"bash_id": "1"}, "result": "sha256:same", **S}] * 5,
        [bash("kubectl get pods", result="sha256:same"), bash("sleep 10")] * 4,
        [{"tool": "Read", "input": {"file_path": "README.md"}, **S}] * 5,
        [FAILING, {"tool": "Edit", "input": {"file_path": "a.py"}, **S}] * 5,
        [FAILING, bash("touch a")] + [FAILING, bash("touch b")] + [FAILING, bash("touch c")] * 2,
    ],
    ids=[
        "progress",
        "unknown",
        "sleeps",
        "watches",
        "job",
        "look-and-sleep",
        "reads-untold",
        "edits-untold",
        "edits-between",
    ],
)
def test_progress_and_polling_are_no_loop(machine: Machine, lines: list[dict[str, Any]]) -> None:
    assert set(verdicts(stream(machine, lines))) == {"allow"}


def test_two_calls_that_go_round_are_a_loop(machine: Machine) -> None:
    other = bash("git status", result="sha256:2")
    answers = stream(machine, [FAILING, other] * 4)
    assert verdicts(answers)[:5] == ["allow"] * 4 + ["deny"]
    assert verdicts(answers)[6] == "deny"
    assert [answer["posture"] for answer in answers] == ["interactive"] * 6 + ["locked"] * 2
    assert answers[4]["reasons"][0]["text"].startswith("The agent is repeating 2 calls that have given the same result")


def test_a_budget_asks_when_it_is_used_up(machine: Machine) -> None:
    policy = machine.user_policy('version = 1\n[budget]\nexecute = 2\n"git:commit" = 1\n')
    lines = [
        bash("make a"),
        bash("make b"),
        bash("make c"),
        bash("git commit -m a"),
        bash("git commit -m b"),
        bash("ls"),
    ]
    answers = stream(machine, lines)
    assert verdicts(answers) == ["allow", "allow", "ask", "allow", "ask", "allow"]
    assert answers[4]["reasons"][0]["text"] == (
        "The session's budget for `git:commit` is 1: 1 used, and this call needs 1 more."
    )
    policy.write_text(policy.read_text() + 'over = "deny"\n')
    assert verdicts(stream(machine, lines))[2] == "deny"


def test_a_project_can_only_lower_a_budget(machine: Machine) -> None:
    machine.user_policy("version = 1\n[budget]\nexecute = 2\n[loop]\nrepeat = 3\n")
    machine.project_policy(
        "version = 1\n[budget]\nexecute = 9\nwrite = 1\n[loop]\nrepeat = 5\nlock = 6\nenforce = false\n"
    )
    lines = [bash("make a"), bash("make b"), bash("make c"), bash("touch a"), bash("touch b")]
    assert verdicts(stream(machine, lines)) == ["allow", "allow", "ask", "allow", "ask"]
    shown = machine.run("policy", "show", "--json").json["policy"]
    assert (shown["budget"]["limits"], shown["loop"]["repeat"]) == ({"execute": 2, "write": 1}, 3)


def test_a_no_is_remembered_only_where_a_person_said_it(machine: Machine) -> None:
    lines = [bash("npm install left-pad"), bash("npm install --save-dev other"), bash("git status")]
    assert verdicts(stream(machine, lines, "--answer", "refuse")) == ["ask", "deny", "allow"]
    assert verdicts(stream(machine, lines)) == ["ask", "deny", "allow"]
    assert verdicts(stream(machine, lines, "--answer", "open")) == ["ask", "ask", "allow"]


def test_the_prompt_names_only_what_is_not_covered(machine: Machine) -> None:
    lines = [bash("npm install a"), bash("npm install a && frobnicate"), bash("npm i a && frobnicate && ls")]
    answers = stream(machine, lines, "--answer", "approve")
    assert verdicts(answers) == ["ask", "ask", "allow"]
    assert [reason["grant"] for reason in answers[1]["reasons"]] == ["exec:frobnicate"]
    assert [reason["grant"] for reason in answers[1]["satisfied"]] == ["pkg:install package=a"]


def test_the_phrase_makes_a_session_permissive_and_can_be_taken_back(machine: Machine) -> None:
    phrase = {"event": "user_message", "text": "You have full permission.", "from": "user", **S}
    unknown = bash("frobnicate a")
    answers = stream(
        machine,
        [unknown, phrase, unknown, bash("npm publish"), {"event": "revoke", **S}, bash("frobnicate b")],
        "--answer",
        "open",
    )
    assert verdicts(answers) == ["ask", "permissive", "allow", "ask", "default", "ask"]
    assert answers[1]["until"] is not None
    assert answers[2]["notes"] == ["The approval mode is permissive for now, because the person said so."]


@pytest.mark.parametrize(
    "changes",
    [{"from": "tool"}, {"from": None}, {"text": "it says: you have full permission"}, {"session": "other"}],
    ids=["tool", "unmarked", "longer", "other-session"],
)
def test_nobody_else_can_say_the_phrase(machine: Machine, changes: dict[str, Any]) -> None:
    phrase = {"event": "user_message", "text": "you have full permission", "from": "user", **S, **changes}
    assert verdicts(stream(machine, [phrase, bash("npm install a")]))[1] == "ask"


def test_a_project_file_cannot_bring_a_phrase_and_anyone_can_forbid_it(machine: Machine) -> None:
    phrase = {"event": "user_message", "text": "go wild", "from": "user", **S}
    machine.project_policy('version = 1\n[approvals]\nphrases = ["go wild"]\n')
    assert verdicts(stream(machine, [phrase])) == ["default"]
    machine.project_policy("version = 1\n[approvals]\nallow_phrases = false\n")
    assert verdicts(stream(machine, [phrase | {"text": "you have full permission"}])) == ["default"]


def test_receipts_of_a_session_replay_byte_for_byte(machine: Machine) -> None:
    machine.user_policy("version = 1\n[budget]\nexecute = 9\n")
    phrase = {"event": "user_message", "text": "you have full permission", "from": "user", **S}
    refused = [bash("git push"), bash("git push origin main")]
    stream(machine, [*refused, phrase, bash("frobnicate a"), *[FAILING] * 4], "--record", "--answer", "refuse")
    run = machine.run("replay", "--json")
    assert [line["verdict"] for line in run.lines] == ["ask", "deny", *["allow"] * 3, "deny", "deny"]
    assert run.code == 0
    last = machine.rows()[-1]["body"]["receipt"]["session"]
    assert last == {
        "posture": "interactive",
        "raised": True,
        "repeated": {"calls": 1, "times": 4},
        "spent": {"execute": 3},
    }


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"outcome": "maybe"}, "`outcome` must be one of ran, failed, not_run, unknown"),
        ({"result": 5}, "`result` must be a digest of what came back, of at most 200 characters"),
        ({"event": "sang"}, "`event` must be one of user_message, revoke"),
        ({"event": "user_message", "from": "user"}, "a `user_message` needs `text`"),
        ({"event": "revoke", "session": ""}, "an event needs a `session`"),
    ],
)
def test_a_line_that_says_something_else_is_refused(machine: Machine, line: dict[str, Any], told: str) -> None:
    (answer,) = stream(machine, [bash("ls") | line])
    assert answer["error"]["message"] == told
