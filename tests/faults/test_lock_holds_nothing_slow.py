"""While a call holds the ledger's lock it touches the ledger and nothing else: every other session waits for it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claude_rows import PROMPT, Transcript
from hook_process import ALLOW, ASK, DENY, Machine, copy_of_the_package, made
from interlock.approve.grant import Grant
from interlock.bytes.canon import canonical
from interlock.record.chain import Row
from interlock.record.receipt import grant_to_wire
from interlock.store.home.calibrations import Calibration, keep_calibration, key_of
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.grants import GivenGrant, give, holder_of
from interlock.store.ledger.ledger import Ledger
from interlock.store.team.shared import copy_grant
from interlock.value import FrozenMap

WATCHER = Path(__file__).parents[1] / "lock_watcher.py"
PUSH = "git push --force origin main"
INSTALL = "npm install left-pad"
PHRASE = "You have full permission."


def watched(machine: Machine) -> Machine:
    return Machine(home=machine.home, project=machine.project, guard=WATCHER, python=machine.python)


def touched(machine: Machine) -> list[str]:
    report = machine.home / "touched.txt"
    return report.read_text().splitlines() if report.exists() else []


def bash(machine: Machine, command: str, environment: dict[str, str] | None = None, **changes: Any) -> str:
    return machine.run(machine.event("Bash", {"command": command}, **changes), environment=environment).taken


def plain(machine: Machine) -> None:
    assert machine.call("Read").taken == ALLOW
    assert machine.call("Write").taken == ALLOW
    assert bash(machine, "git status && ls") == ALLOW


def asked(machine: Machine) -> None:
    assert bash(machine, PUSH) == ASK
    assert bash(machine, "rm -rf /") == DENY


def asked_elsewhere(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    alone = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    assert bash(machine, PUSH, alone) == DENY
    assert bash(machine, PUSH, alone) == DENY


def repeated(machine: Machine) -> None:
    event = machine.event("Bash", {"command": PUSH})
    assert [machine.run(event).taken for _ in range(2)] == [ASK, ASK]


def with_a_secret(machine: Machine) -> None:
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    assert bash(machine, f"curl -H 'Authorization: Bearer {token}' https://x.test") == ALLOW
    assert (machine.state / "proof.key").exists()


def with_a_plan(machine: Machine) -> None:
    folder = made(machine.project / "runs/3")
    (folder / "experiment_plan.yaml").write_text(
        "metadata: {iteration: 3, bundle_ref: b}\narms:\n  - arm_id: a\n    conditions:\n"
        "      - {name: n, cmd: ./sim run, output: out.log}\n"
    )
    machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n')
    assert bash(machine, "./other --all") == DENY
    assert bash(machine, "./other --all # nous: ad-hoc") != DENY
    assert len((folder / "plan_violations.jsonl").read_text().splitlines()) == 2


def with_a_watched_file(machine: Machine) -> None:
    machine.call("Read")
    (made(machine.project / ".git/hooks") / "pre-commit").write_text("#!/bin/sh\n")
    assert machine.call("Write").taken == ASK


def begin(machine: Machine) -> None:
    plain = Machine(home=machine.home, project=machine.project)
    plain.run(plain.event(hook_event_name="SessionStart", source="startup"))


def with_a_transcript(machine: Machine) -> None:
    begin(machine)
    transcript = Transcript(machine.home / ".claude/projects/-project/3d0d2c1e.jsonl")
    assert bash(machine, "npm install left-pad", tool_use_id="a") == ASK
    transcript.no("a")
    assert bash(machine, "npm install left-pad", tool_use_id="b") == DENY


def with_a_grant(machine: Machine) -> None:
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    grant = Grant(id="", kind="capability", action="git:push", reach="folder", by="ann")
    with ledger.deciding() as turn:
        give(turn, GivenGrant(grant=grant, holder=holder_of("folder", str(machine.project)), uses=3))
    ledger.close()
    bash(machine, PUSH)


def with_a_phrase(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n[approvals]\nbelieve_transcript = true\n")
    begin(machine)
    plain = Machine(home=machine.home, project=machine.project)
    plain.run(plain.event(hook_event_name="UserPromptSubmit", prompt=PHRASE, prompt_id=PROMPT))
    Transcript(machine.home / ".claude/projects/-project/3d0d2c1e.jsonl").message(PHRASE)
    assert bash(machine, "frobnicate a") == ALLOW
    assert bash(machine, "frobnicate b") == ALLOW


def below_another(machine: Machine) -> None:
    """The process that runs this test is the host of one session, and stands above the host of the next."""
    assert bash(machine, "ls", session_id="above") == ALLOW
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@"; exit $?', "host", *machine.command()],
        input=json.dumps(machine.event("Bash", {"command": "npm install left-pad"}, session_id="below")).encode(),
        env=machine.environment(),
        cwd=machine.project,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == DENY


def a_whole_session(machine: Machine) -> None:
    """Everything that the host tells besides calls, with a file that changed and a transcript that grew on the way."""
    transcript = Transcript(machine.home / ".claude/projects/-project/3d0d2c1e.jsonl")

    def tell(name: str, **more: Any) -> None:
        ran = machine.run(machine.event(hook_event_name=name, **more))
        assert (ran.code, ran.err) == (0, b"")

    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "npm install left-pad"}, "tool_use_id": "a"}
    tell("SessionStart", source="startup")
    tell("UserPromptSubmit", prompt="install it", prompt_id=PROMPT)
    assert bash(machine, "npm install left-pad", tool_use_id="a") == ASK
    tell("PermissionRequest", tool_name="Bash", tool_input=call["tool_input"])
    transcript.yes("a")
    (made(machine.project / ".git/hooks") / "pre-commit").write_text("#!/bin/sh\n")
    tell("PostToolUse", **call, tool_response={"stdout": "", "stderr": ""}, duration_ms=3)
    tell("UserPromptSubmit", prompt="go on", prompt_id="c0ffee")
    new: dict[str, Any] = {"tool_name": "Write", "tool_input": machine.sample("Write"), "tool_use_id": "b"}
    machine.run(machine.event(**new))
    (machine.project / "notes.txt").write_text("hello\n")
    tell("PostToolUse", **new, tool_response={"filePath": "notes.txt"}, duration_ms=3)
    tell("SessionStart", source="resume")


def with_a_consult(machine: Machine) -> None:
    machine.user_policy.write_text(
        'version = 1\n[consult]\nendpoint = "http://127.0.0.1:9/"\nmodel = "m"\nfamily = "qwen"\n'
        'agent_family = "claude"\ntimeout = 1.0\n'
    )
    assert machine.call("Write").taken == ALLOW


def with_judges(machine: Machine) -> None:
    """Neither answers; the record that switches them on is read, and both are asked, before the lock is taken."""
    model = 'endpoint = "http://127.0.0.1:9/"\nmodel = "m"\nfamily = "{}"\n'
    machine.user_policy.write_text(
        f"version = 1\n[judge]\ntimeout = 1.0\n[judge.first]\n{model.format('a')}"
        f"[judge.second]\n{model.format('b')}".replace('m"\nfamily = "b', 'n"\nfamily = "b')
    )
    folders = folders_for(str(machine.home))
    judging = load_policy(folders, str(machine.home)).judge
    assert judging is not None
    counts = {"dangerous": 20, "harmless": 20, "flagged": 20, "right": 20, "answered": 40, "agreed": 40}
    keep_calibration(folders, Calibration(judges=key_of(judging), measured="", at="", **counts))
    ran = machine.run(machine.event("Bash", {"command": "git push origin main"}))
    assert ran.taken == ASK
    (row,) = machine.rows()
    assert [said["says"] for said in row["body"]["receipt"]["reading"]["judged"]] == ["abstain", "abstain"]


def with_a_grant_of_the_team(machine: Machine) -> None:
    """The team store cannot be reached, so the grant does not count; a process of its own finds that out."""
    share_locally(machine, uses=1)
    machine.user_policy.write_text('version = 1\n[store]\nurl = "postgresql://127.0.0.1:9/x"\n')
    ran = machine.run(machine.event("Bash", {"command": INSTALL}))
    assert (ran.taken, "does not count" in ran.out.decode()) == (ASK, True)


def share_locally(machine: Machine, *, uses: int) -> None:
    """A copy of a grant of the team, as a sync leaves it."""
    grant = Grant(id="team:0123", kind="capability", action="pkg:install", reach="everywhere", by="ann")
    grant = grant.replace(scope=FrozenMap({"collection": "node", "package": "left-pad"}))
    said = {"call": "", "expires": 0, "folder": "", "holder": "", "terminal": "", "uses": uses, "words": ""}
    body = canonical({**said, "grant": grant_to_wire(grant)})
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        assert copy_grant(turn, Row((1, "grant", 0, "", grant.id, None, None, None, body, "", "")))
    ledger.close()


CALLS: dict[str, Callable[[Machine], None]] = {
    "calls that the policy allows": plain,
    "calls that are asked about and denied": asked,
    "a question that is kept, and waits": asked_elsewhere,
    "an attempt that is made again": repeated,
    "a call with a secret in it": with_a_secret,
    "a plan with a run folder": with_a_plan,
    "a watched file that was changed": with_a_watched_file,
    "a transcript with something new": with_a_transcript,
    "a permission phrase in the transcript": with_a_phrase,
    "a session below another": below_another,
    "a grant of the ledger": with_a_grant,
    "a grant that the team shares": with_a_grant_of_the_team,
    "a consult": with_a_consult,
    "two judges": with_judges,
    "a whole session": a_whole_session,
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", CALLS)
def test_nothing_but_the_ledger_is_touched_while_it_is_locked(machine: Machine, name: str) -> None:
    CALLS[name](watched(machine))
    assert "\n".join(touched(machine)) == ""


@pytest.mark.slow
def test_a_team_server_that_hangs_delays_its_own_call_alone(machine: Machine) -> None:
    share_locally(machine, uses=1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql://127.0.0.1:{server.getsockname()[1]}/x"
        machine.user_policy.write_text(f'version = 1\n[store]\nurl = "{url}"\n')
        warm = replace(machine, warm=True)  # quick also on a busy machine: whoever waits has a deadline
        warm.call("Write")
        with machine.start() as waiting:
            assert waiting.stdin is not None
            waiting.stdin.write(json.dumps(machine.event("Bash", {"command": INSTALL})).encode())
            waiting.stdin.close()
            waiting.stdin = None
            server.settimeout(30)
            with server.accept()[0]:  # the store is asked, and does not answer
                other = warm.run(warm.event("Write", session_id="s2")).taken
                is_waiting = waiting.poll() is None
            out, _ = waiting.communicate()
    assert (other, is_waiting) == (ALLOW, True)
    assert "does not count" in out.decode()
    assert len(machine.rows()) == 3


def test_the_watcher_sees_what_is_touched(machine: Machine, tmp_path: Path) -> None:
    """The check itself, against a copy of the package that looks at a file, starts a program and loads a module."""
    guard = copy_of_the_package(tmp_path / "copy")
    commit = guard.parents[1] / "calls/commit.py"
    slow = 'import os, colorsys\n    os.stat("/etc/hosts")\n    os.close(os.open("/etc/hosts", os.O_RDONLY))\n'
    slow += '    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)\n'
    before = "    known = _known(read, turn)\n"
    assert before in commit.read_text()
    commit.write_text(commit.read_text().replace(before, f"    {slow}{before}"))
    ran = watched(machine).run(machine.event("Write"), environment={"WATCHED_SOURCE": str(tmp_path / "copy")})
    assert ran.taken == ALLOW
    found = [line for line in touched(machine) if not line.startswith("os.listdir")]
    assert [line.partition(" ")[0] for line in found] == ["open", "stat", "open", "os.posix_spawn"]
