"""`interlock grant`, `grants` and `compensators`, as a person uses them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.approve.gated import GATES
from machine import Machine

ON = "version = 1  # mine\n[capability]\nenforce = true\n"
HERE = ("--reach", "repository", "--yes")
PUSH = "git push origin feature/x"


@pytest.fixture(autouse=True)
def _repository(machine: Machine) -> None:
    machine.repository()


def remedy(machine: Machine, command: str) -> str:
    (found,) = [r for r in machine.decide("Bash", command=command).json["reasons"] if r["layer"] == "capability"]
    return str(found["remedy"].splitlines()[0])


def verdict(machine: Machine, command: str, *arguments: str, **head: str) -> str:
    call = {"tool": "Bash", "input": {"command": command}, "cwd": str(machine.project), **head}
    return str(machine.run("decide", *arguments, stdin=call).json["verdict"])


def hook(machine: Machine, command: str, session: str) -> str:
    """What the host is told: the hook decides and records, as it does at work."""
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "cwd": str(machine.project),
        "permission_mode": "default",
    }
    return str(machine.run("hook", "claude-code", stdin=event).json["hookSpecificOutput"]["permissionDecision"])


def given(machine: Machine, *words: str) -> dict[str, Any]:
    ran = machine.run("grant", *words, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = ran.json
    return found


def test_the_command_that_a_denial_gives_permits_the_call_until_it_is_revoked(machine: Machine) -> None:
    machine.user_policy(ON)
    line = remedy(machine, PUSH)
    assert line == (
        'interlock grant "git push" --scope destination=git.example/team/app --scope remote=origin '
        "--scope branch=feature/x --for 2h"
    )
    words = ["git push", *line.split('"')[2].split()]
    name = given(machine, *words, *HERE)["id"]
    assert verdict(machine, PUSH) == "allow"
    assert verdict(machine, "git push origin main") == "deny"
    assert verdict(machine, f"{PUSH} --force") == "deny"
    assert verdict(machine, f"cd /tmp && {PUSH}") == "deny"
    assert machine.run("grants", "revoke", name, "--yes").out == f"{name} is revoked\n"
    assert verdict(machine, PUSH) == "deny"
    assert machine.run("revoke", name, "--yes").code == 64


def test_a_remedy_with_force_permits_just_that(machine: Machine) -> None:
    machine.user_policy(ON)
    command = "git push --force origin main"
    given(machine, "git push", *remedy(machine, command).split('"')[2].split(), *HERE)
    assert verdict(machine, command) == "allow"
    assert verdict(machine, "git push --mirror origin main") == "deny"
    assert verdict(machine, "git push origin :main") == "deny"


def test_the_session_at_work_in_the_folder_gets_it_and_no_other(machine: Machine) -> None:
    assert hook(machine, PUSH, "s1") == "ask"
    found = given(machine, "git push", "--scope", "branch=feature/*", "--uses", "2", "--why", "the demo", "--yes")
    assert (found["reach"], found["place"], found["uses"], found["why"]) == ("session", "s1", 2, "the demo")
    assert found["covers"] == ["git push origin feature/x", "git push"]
    assert found["scope"] == {"destination": "git.example/team/app", "branch": "feature/*"}
    assert found["does_not_cover"] == [
        "git push origin main",
        "git push https://elsewhere.example/x feature/x",
        "git push origin feature/x --force",
    ]
    assert hook(machine, PUSH, "s2") == "ask"
    assert [hook(machine, PUSH, "s1") for _ in range(3)] == ["allow", "allow", "ask"]
    (one,) = machine.run("grants", "list", "--all", "--json").json["grants"]
    assert (one["state"], one["used"], one["last_used"] is not None) == ("used up", 2, True)
    assert machine.run("grants", "list", "--json").json["grants"] == []
    assert machine.run("audit", "verify").code == 0
    assert machine.run("replay").code == 0


def test_a_try_of_the_doctor_is_no_session_at_work(machine: Machine) -> None:
    hook(machine, "git status", "s1")
    hook(machine, "git status", "interlock-doctor-1794928335338404187")
    assert given(machine, "git push", "--yes")["place"] == "s1"


def test_which_session_is_not_guessed(machine: Machine) -> None:
    none = machine.run("grant", "git push", "--yes")
    assert (none.code, "no session is at work" in none.err) == (64, True)
    hook(machine, "git status", "s1")
    hook(machine, "git status", "s2")
    several = machine.run("grant", "git push", "--yes")
    assert (several.code, "s2, s1; name one with --session ID" in several.err) == (64, True)
    assert given(machine, "git push", "--session", "s1", "--yes")["place"] == "s1"


def test_looking_uses_nothing_up(machine: Machine) -> None:
    given(machine, "git push", "--uses", "1", *HERE)
    assert [verdict(machine, PUSH) for _ in range(3)] == ["allow"] * 3
    assert verdict(machine, PUSH, "--record") == "allow"
    assert verdict(machine, PUSH) == "ask"


def test_it_is_for_one_agent_where_that_is_said(machine: Machine) -> None:
    given(machine, "git push", "--agent", "release", *HERE)
    assert [verdict(machine, PUSH, agent=agent) for agent in ("release", "other", "")] == ["allow", "ask", "ask"]


def test_a_folder_reaches_what_lies_below_it(machine: Machine) -> None:
    given(machine, "git push", "--reach", "folder", "--yes")
    below = machine.project / "sub"
    below.mkdir()
    assert verdict(machine, PUSH) == "allow"
    call = {"tool": "Bash", "input": {"command": PUSH}}
    assert machine.run("decide", stdin={**call, "cwd": str(below)}).json["verdict"] == "allow"
    assert machine.run("decide", stdin={**call, "cwd": str(machine.home)}).json["verdict"] == "ask"


def test_uses_of_a_policy_file_are_counted_and_editing_it_does_not_begin_anew(machine: Machine) -> None:
    text = 'version = 1\n[[grants]]\nid = "pushes"\naction = "git:push"\nscope = {{ destination = "*" }}\nuses = {}\n'
    machine.user_policy(text.format(2))
    assert [verdict(machine, PUSH, "--record") for _ in range(3)] == ["allow", "allow", "ask"]
    machine.user_policy("version = 1\n")
    assert verdict(machine, PUSH, "--record") == "ask"
    machine.user_policy(text.format(3))
    assert [verdict(machine, PUSH, "--record") for _ in range(2)] == ["allow", "ask"]
    assert machine.run("audit", "verify").code == 0
    assert machine.run("grants", "revoke", "pushes", "--yes").code == 64


def test_what_is_dead_is_put_away_and_its_rows_stay(machine: Machine) -> None:
    name = given(machine, "git push", *HERE)["id"]
    other = given(machine, "npm publish", *HERE)["id"]
    machine.run("revoke", name[:7], "--yes")
    assert machine.run("grants", "prune", "--yes").out == "put away: 1\n"
    assert machine.run("grants", "prune", "--yes").out == "nothing to put away\n"
    assert [one["id"] for one in machine.run("grants", "list", "--all", "--json").json["grants"]] == [other]
    assert [row["key"] for row in machine.rows("grant")] == [name, other]
    assert verdict(machine, PUSH) == "ask"
    assert machine.run("audit", "verify").code == 0


def test_show_says_who_for_whom_when_and_why(machine: Machine) -> None:
    name = given(machine, "git push", "--scope", "branch=feature/*", "--why", "the demo", *HERE)["id"]
    shown = machine.run("grants", "show", name)
    for part in (
        "git:push, branch = feature/*, destination = git.example/team/app",
        f"calls in the repository {machine.project}",
        "the demo",
        "0 times",
    ):
        assert part in shown.out
    facts = machine.run("grants", "show", name, "--json").json
    assert (facts["state"], facts["words"], facts["at"] is not None) == ("live", "git push", True)
    assert machine.run("grants", "show", "gr_none").code == 64


def test_check_points_out_what_should_be_looked_at_again(machine: Machine) -> None:
    assert (machine.run("grants", "check").code, machine.run("grants", "check").out) == (0, "nothing to point out\n")
    narrow = given(machine, "git push", "--scope", "branch=feature/*", *HERE)["id"]
    assert machine.run("grants", "check").code == 0
    wide = given(machine, "git:*", "--scope", "destination=*", "--reach", "everywhere", "--for", "ever", "--yes")["id"]
    found = machine.run("grants", "check", "--json")
    assert found.code == 1
    assert [(point["grant"], point["kind"]) for point in found.json] == [
        (narrow, "shadowed"),
        (wide, "over-broad"),
        (wide, "over-broad"),
        (wide, "over-broad"),
    ]
    assert "! shadowed" in machine.run("grants", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ["git push", "--scope", "branch"],
        ["git push", "--scope", "a=1", "--scope", "a=2"],
        ["git push", "--scope", "brnach=main"],
        ["git push", "--for", "2"],
        ["git push", "--for", "-2h"],
        ["git push", "--for", "until 2001-01-01"],
        ["git push", "--uses", "0"],
        ["git push", "--session", "s1"],
        ["git push && npm publish"],
        ["npm publish", "--scope", "mirror=true"],
        ["ls"],
        ["*"],
        ["*:push"],
        ["git:*"],
        ["docker push"],
        ["git push", "--scope", "remote=upstream"],
        ["fs:write"],
    ],
)
def test_what_is_not_clear_grants_nothing(machine: Machine, words: list[str]) -> None:
    assert machine.run("grant", *words, *HERE).code == 64
    assert not machine.ledger.exists()


def test_without_a_person_at_a_terminal_nothing_is_given(machine: Machine) -> None:
    for more in ((), ("--yes",)):
        done = subprocess.run(
            machine.command("grant", "git push", "--reach", "repository", *more),
            stdin=subprocess.DEVNULL,
            cwd=machine.project,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b"only a person at a terminal may do this" in done.stderr) == (64, True)
    assert not machine.ledger.exists()
    assert machine.run("grant", "git push", "--reach", "repository", "--dry-run").out.endswith("nothing was given\n")
    assert not machine.ledger.exists()


def test_a_secret_in_the_reason_is_not_kept(machine: Machine) -> None:
    token = "ghp_" + "a1B2" * 9
    given(machine, "git push", "--why", f"with {token}", *HERE)
    assert token not in json.dumps(machine.rows("grant"), default=str)


def test_an_agent_cannot_grant_itself_anything(machine: Machine) -> None:
    for command in (
        "interlock grant 'git push'",
        "interlock grants revoke gr_1",
        "interlock grants prune",
        "interlock revoke git-push",
        "python3 -m interlock.cli grant 'git push'",
        ".venv/bin/interlock grant 'git push'",
    ):
        assert machine.decide("Bash", command=command).json["verdict"] == "deny"
    code = "python3 -c 'from interlock.cli.main import main; main()' grant git:push"
    assert machine.decide("Bash", command=code).json["verdict"] == "deny"
    for command in ("interlock compensators", "interlock grants list", "interlock grants check"):
        assert machine.decide("Bash", command=command).json["verdict"] == "allow"


def test_compensators_lists_every_gate(machine: Machine) -> None:
    rows = machine.run("compensators", "--json").json
    assert [(row["action"], row["compensator"]) for row in rows] == [(gate.action, gate.undo) for gate in GATES]
    assert "npm:publish" in machine.run("compensators").out


def test_the_guide_shows_what_happens(machine: Machine) -> None:
    guide = (Path(__file__).parents[2] / "docs/grants.md").read_text()

    def plain(text: str) -> str:
        text = re.sub(r"gr_[0-9a-f]{12}", "ID", text).replace(f"--home {machine.home} ", "")
        return re.sub(r"by \S+ ", "by WHO ", re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME", text))

    hook(machine, PUSH, "s1")
    for block in re.findall(r"```\n(\$ interlock .*?)```", guide, re.DOTALL):
        line, _, expected = block.partition("\n")
        words = shlex.split(line.removeprefix("$ interlock "))
        ran = machine.run(*words, *(["--yes"] if words[0] == "grant" else []))
        assert plain(ran.out) == plain(expected)
        if words[0] == "grant":
            assert hook(machine, PUSH, "s1") == "allow"
        elif words[1] == "list":
            given(machine, "git:*", "--scope", "destination=*", "--reach", "everywhere", "--for", "ever", "--yes")
