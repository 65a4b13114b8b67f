"""`interlock explain`, help, completion: what a person sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import click
import pytest

from interlock import __version__
from interlock.cli.commands import cli
from machine import Machine


def test_explain_shows_the_reading_the_layers_and_the_way_out(machine: Machine) -> None:
    text = machine.run("explain", '{"tool": "Write", "input": {"file_path": "/opt/x/sub/y"}}').out
    for part in (
        "ask  dominant effect write, posture interactive",
        "fs:write  write; risk low; marks: new, outside",
        "path = /opt/x/sub/y",
        "read from `file_path`, characters 0–12",
        "manifest",
        "confirm",
        "a person's approval of this one call",
        "a grant for `fs:write path=/opt/x/sub/y` would satisfy manifest/confirm",
    ):
        assert part in text


def test_a_command_line_is_taken_for_bash(machine: Machine) -> None:
    explained = machine.run("explain", "git push --force", "--json").json
    assert explained["verdict"] == "ask"
    assert [(a["name"], a["target"]["force"], a["span"]) for a in explained["actions"]] == [("git:push", True, [0, 16])]
    assert machine.run("explain", "-", "--json", stdin="git push --force\n").json["actions"] == explained["actions"]


@pytest.mark.slow
def test_every_change_that_is_named_was_tried(machine: Machine) -> None:
    explained = machine.run("explain", "$TOOL x", "--posture", "autonomous", "--json").json
    assert explained["verdict"] == "deny"
    assert explained["changes"] == [
        f"the posture interactive (interlock --home {machine.home} posture set interactive): ask"
    ]


def test_the_floor_has_no_way_out(machine: Machine) -> None:
    call = '{"tool": "Edit", "input": {"file_path": ".gemini/settings.json"}}'
    assert machine.run("explain", call, "--json").json["changes"] == [
        "nothing: floor/guard-files cannot be lifted",
    ]


def test_what_nothing_lifts_offers_no_grant_and_the_same_is_said_once(machine: Machine) -> None:
    bomb = ":(){ :|:& };:"
    assert machine.run("explain", bomb, "--json").json["changes"] == ["nothing: floor/catastrophe cannot be lifted"]
    assert machine.run("explain", bomb).out.count("reading  opaque") == 2  # it calls itself (twice), and is too much
    (_, grant) = machine.run("explain", "aws s3 rm s3://b --recursive", "--json").json["changes"]
    assert grant.endswith("would satisfy risk/irreversible and tiers/tier-3")


def test_text_from_outside_cannot_drive_the_terminal(machine: Machine) -> None:
    out = machine.run("explain", '{"tool": "x\\u001b[2J\\u202e", "input": {}}').out
    assert "\x1b[2J" not in out
    assert "\u202e" not in out
    assert "\\x1b[2J" in out


@pytest.mark.parametrize("raw", ["", "  ", '{"tool": 3}'])
def test_nothing_to_explain_is_bad_input(machine: Machine, raw: str) -> None:
    assert machine.run("explain", "-", stdin=raw).code == 64


def test_help_names_every_command_and_the_exit_codes(machine: Machine) -> None:
    text = machine.run("--help").out
    for name in ("completion", "decide", "explain", "hook", "policy", "posture", "replay", "trust", "version"):
        assert f"\n  {name} " in text
    assert "0 allow, 1 deny, 2 ask, 64 bad input, 65 bad policy" in text


def test_a_misspelt_command_is_helped(machine: Machine) -> None:
    run = machine.run("explian")
    assert run.code == 64
    assert "did you mean `explain`?" in run.err


@pytest.mark.slow
def test_help_lists_commands_with_whole_sentences() -> None:
    """Each command under one heading, and no sentence that is cut off in its middle."""
    listed = [name for names in cli.sections.values() for name in names]
    assert sorted(listed) == sorted(set(listed)) == cli.list_commands(click.Context(cli))
    groups: list[tuple[click.Context, click.Group]] = [(click.Context(cli, info_name="interlock"), cli)]
    while groups:
        context, group = groups.pop()
        assert "...\n" not in group.get_help(context).partition("Options:")[2], context.command_path
        for name in group.list_commands(context):
            inner = group.get_command(context, name)
            if isinstance(inner, click.Group):
                groups.append((click.Context(inner, info_name=name, parent=context), inner))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grant"], "WHAT is missing; see: interlock grant --help"),
        (["explain", "--polic", "x", "ls"], "there is no option `--polic`; did you mean `--policy`?"),
        (["audit", "tail", "--zzz"], "there is no option `--zzz`; see: interlock audit tail --help"),
        (["explain", "a", "b"], "got unexpected extra argument (b); see: interlock explain --help"),
    ],
)
def test_wrong_words_come_with_where_to_look(machine: Machine, words: list[str], said: str) -> None:
    run = machine.run(*words)
    assert (run.code, run.err.splitlines()[-1]) == (64, f"interlock: {said}")


@pytest.mark.slow
def test_the_tab_key_offers_what_waits_and_what_is_granted(machine: Machine) -> None:
    machine.repository()
    machine.user_policy('version = 1\n[approvals]\nby = ["terminal"]\n')
    call = {"tool_name": "Bash", "tool_input": {"command": "terraform apply"}, "cwd": str(machine.project)}
    head = {"hook_event_name": "PreToolUse", "session_id": "s1", "permission_mode": "default"}
    machine.run("hook", "claude-code", stdin={**head, **call})
    (asked,) = [row["id"] for row in machine.run("approvals", "list", "--json").json]
    grant = machine.run("grant", "git push", "--reach", "repository", "--yes", "--json").json["id"]

    def offered(*words: str) -> list[str]:
        typed = ["interlock", "--home", str(machine.home), *words]
        environment = {"_INTERLOCK_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(typed)}
        environment |= {"COMP_CWORD": str(len(typed) - 1), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            [sys.executable, "-m", "interlock.cli"], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert offered("approvals", "approve", "ap_") == [f"plain,{asked}"]
    assert offered("grants", "revoke", "gr_") == [f"plain,{grant}"]
    assert offered("revoke", "gr_0000") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_there_for(machine: Machine, shell: str) -> None:
    assert "_INTERLOCK_COMPLETE" in machine.run("completion", shell).out


def test_version(machine: Machine) -> None:
    assert machine.run("version", "--json").json["interlock"] == __version__


def test_an_unknown_program_comes_with_an_entry_that_a_policy_can_hold(machine: Machine) -> None:
    (entry,) = machine.run("explain", "frob --out=x notes.txt && ls", "--json").json["entries"]
    assert entry in machine.run("explain", "frob --out=x notes.txt && ls").out
    machine.user_policy(f"version = 1\n{entry}")
    machine.run("policy", "check")
    explained = machine.run("explain", "frob --out=x notes.txt", "--json").json
    assert explained["verdict"] == "ask"  # what it does is still the person's to say
    assert "entries" not in machine.run("explain", "ls", "--json").json


@pytest.mark.parametrize("words", [["audit"], ["--home", "/tmp", "policy"], []])
def test_a_group_without_a_command_shows_its_help_once(machine: Machine, words: list[str]) -> None:
    run = subprocess.run([sys.executable, "-m", "interlock.cli", *words], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (64, "")
    assert run.stderr.count("Usage: interlock") == 1
    assert ("Commands:" if words else "Begin:") in run.stderr


def test_nothing_is_cut_where_the_output_is_piped(machine: Machine) -> None:
    path = "/opt/" + "/".join(["a-folder-with-quite-a-long-name"] * 12) + "/end"
    out = machine.run("explain", f"touch {path} # {'x' * 300}").out
    assert f"path = {path}\n" in out
    assert out.count(path) == 3  # the action and its key; a sentence shortens what is longer than a line


def decided(machine: Machine, command: str) -> dict[str, Any]:
    call = {"tool": "Bash", "input": {"command": command}, "cwd": str(machine.project), "session": "s1"}
    answer: dict[str, Any] = machine.run("decide", "--record", stdin=json.dumps(call)).json
    return answer


def test_the_last_prompt_is_explained_as_it_was_decided(machine: Machine) -> None:
    asked = decided(machine, "rm -rf /opt/data")
    decided(machine, "ls")
    decided(machine, "pwd")
    explained = machine.run("explain", "--last", "--json").json
    assert {key: explained[key] for key in asked} == asked
    assert explained["recorded"] == {"row": 2, "at": explained["recorded"]["at"], "session": "decide:s1", "then": []}
    text = machine.run("explain", "--last").out
    for part in (
        ": asked about\n  Bash rm -rf /opt/data\n  from a program, session decide:s1\n",
        "2 newer calls were allowed without a question: interlock explain --last call",
        "fs:delete",
        "what would change it:",
    ):
        assert part in text


def test_the_last_call_says_why_nobody_was_asked(machine: Machine) -> None:
    decided(machine, "rm -rf /opt/data")
    decided(machine, "ls")
    text = machine.run("explain", "--last", "call").out
    assert ": allowed\n  Bash ls\n" in text
    assert "no layer has anything against it" in text


def test_a_recorded_call_is_found_by_row_receipt_or_its_beginning(machine: Machine) -> None:
    asked = decided(machine, "rm -rf /opt/data")
    for name in ("2", asked["receipt"], asked["receipt"][:20], asked["receipt"].removeprefix("sha256:")[:12]):
        assert machine.run("explain", "--row", name, "--json").json["receipt"] == asked["receipt"]
    for name in ("1", "77", "nothing"):
        refused = machine.run("explain", "--row", name)
        assert (refused.code, f"`{name}` names no decision" in refused.err) == (64, True)


def test_explaining_what_was_recorded_takes_no_other_option_and_needs_a_record(machine: Machine) -> None:
    nothing = machine.run("explain", "--last")
    assert (nothing.code, nothing.err) == (64, "interlock: nothing is recorded yet\n")
    decided(machine, "ls")
    assert machine.run("explain", "--last").err == "interlock: no call was asked about or refused yet\n"
    assert "and nothing else" in machine.run("explain", "--last", "--mode", "strict").err
    assert "and nothing else" in machine.run("explain", "--row", "2", "ls").err
    assert "what to explain?" in machine.run("explain").err
