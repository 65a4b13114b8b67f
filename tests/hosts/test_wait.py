"""`[approvals] wait`: the hook holds a call while its question is open, and the answer lets it through or not."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran, ended
from interlock.hosts import HOSTS, claude_events, host_named
from interlock.hosts.traits import TIMEOUT
from interlock.limits import HOST_TIMEOUT_SECONDS, MAX_WAIT_SECONDS
from interlock.model.errors import PolicyError
from interlock.policy.parse import parse_policy
from person import at_a_terminal

PUSH = "git push --force origin main"
AWAY = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


def policy(machine: Machine, wait: str = "60s", more: str = "") -> None:
    machine.user_policy.write_text(f'version = 1\n[approvals]\nby = ["terminal"]\nwait = "{wait}"\n{more}')


def words(machine: Machine, wait: int = 60) -> list[str]:
    arguments = ("--home", str(machine.home), *(("--wait", str(wait)) if wait else ()))
    handler = claude_events.settings(machine.python, str(machine.guard), arguments)["hooks"]["PreToolUse"][0]["hooks"][
        0
    ]
    return [handler["command"], *handler["args"]]


@contextmanager
def held(
    machine: Machine, command: str = PUSH, *, wait: int = 60, environment: dict[str, str] = AWAY
) -> Iterator[subprocess.Popen[bytes]]:
    """A hook that holds a call. It is cold: nothing here stands in for its deadline or its signals."""
    event = json.dumps(machine.event("Bash", {"command": command})).encode()
    process = subprocess.Popen(
        words(machine, wait), cwd=machine.project, env=machine.environment(environment),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(event)
    process.stdin.close()
    process.stdin = None
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def waiting(machine: Machine) -> str:
    """The id of the question, once it is there."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        rows = machine.rows("prompt") if machine.ledger.exists() else []
        if rows:
            return str(rows[-1]["key"])
        time.sleep(0.05)
    raise AssertionError("no question came")


def over(process: subprocess.Popen[bytes], seconds: float = 30) -> Ran:
    return ended(process, patience=seconds)


def verdicts(machine: Machine) -> list[str]:
    return [row["body"]["receipt"]["decision"]["verdict"] for row in machine.rows()]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "taken"), [("approve", ALLOW), ("deny", DENY)])
def test_an_answer_elsewhere_ends_the_wait_at_once(machine: Machine, answer: str, taken: str) -> None:
    policy(machine)
    with held(machine) as process:
        id = waiting(machine)
        time.sleep(6)  # longer than the hook's own deadline
        assert process.poll() is None
        before = time.monotonic()
        assert at_a_terminal(machine.home, "approvals", answer, id, "--yes").code == 0
        ran = over(process)
        assert (ran.taken, time.monotonic() - before < 10) == (taken, True)
    assert verdicts(machine) == ["deny", "allow" if taken == ALLOW else "deny"]
    assert len(machine.rows("redemption")) == (1 if taken == ALLOW else 0)
    assert at_a_terminal(machine.home, "replay").code == 0


def test_a_no_is_told_in_the_persons_words_at_once(machine: Machine) -> None:
    policy(machine)
    with held(machine) as process:
        id = waiting(machine)
        said = at_a_terminal(machine.home, "approvals", "deny", id, "--yes", "--why", "deny because it is Friday")
        assert said.code == 0, said.out
        assert 'Their words: "deny because it is Friday".' in over(process).reason


def test_nothing_is_locked_meanwhile(machine: Machine) -> None:
    policy(machine)
    with held(machine) as process:
        waiting(machine)
        time.sleep(0.5)
        with sqlite3.connect(machine.ledger, timeout=0, isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
        assert machine.call("Read").taken == ALLOW
        assert process.poll() is None


@pytest.mark.slow
def test_when_nobody_answers_it_is_a_deny_with_the_id(machine: Machine) -> None:
    policy(machine, "2s")
    before = time.monotonic()
    with held(machine, wait=2) as process:
        id = waiting(machine)
        ran = over(process)
    assert (ran.taken, id in ran.reason) == (DENY, True)
    assert 2 <= time.monotonic() - before < 12
    assert at_a_terminal(machine.home, "approvals", "approve", id, "--yes").code == 0
    again = machine.run(machine.event("Bash", {"command": PUSH}), environment=AWAY)
    assert again.taken == ALLOW


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_hook_that_is_ended_while_it_waits_loses_nothing(machine: Machine, number: signal.Signals) -> None:
    policy(machine)
    with held(machine) as process:
        id = waiting(machine)
        time.sleep(0.3)
        process.send_signal(number)
        ran = over(process)
        if number != signal.SIGKILL:  # after which the host's own switch blocks
            assert (ran.taken, ran.out) == (DENY, b"")
        else:
            assert (ran.code, ran.out) == (-signal.SIGKILL, b"")
    assert at_a_terminal(machine.home, "approvals", "approve", id, "--yes").code == 0
    assert machine.run(machine.event("Bash", {"command": PUSH}), environment=AWAY).taken == ALLOW


@pytest.mark.parametrize(
    ("wait", "command", "environment", "taken"),
    [
        (0, PUSH, AWAY, DENY),  # settings of a host that does not wait so long
        (60, "rm -rf /", AWAY, DENY),  # no answer would change it
        (60, PUSH, {}, ASK),  # the person is asked where they sit
        (60, "ls", AWAY, ALLOW),
    ],
)
def test_only_what_an_answer_can_change_is_held(
    machine: Machine, wait: int, command: str, environment: dict[str, str], taken: str
) -> None:
    policy(machine)
    with held(machine, command, wait=wait, environment=environment) as process:
        assert over(process, 8).taken == taken


def test_in_observe_mode_nothing_is_held(machine: Machine) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    policy(machine, more=f"[hook]\nobserve = {{ until = {day} }}\n")
    with held(machine) as process:
        assert over(process, 8).taken == NO_OPINION


# --- settings, policy, doctor ------------------------------------------------------------------


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_waits_only_where_a_time_out_blocks(host: str) -> None:
    traits = host_named(host).TRAITS
    assert not traits.waits or traits.blocks_on or TIMEOUT not in traits.runs_after


def timeouts(machine: Machine) -> dict[str, Any]:
    settings = json.loads((machine.home / ".claude/settings.json").read_text())
    return {event: groups[0]["hooks"][0]["timeout"] for event, groups in settings["hooks"].items()}


def test_install_has_the_host_wait_longer_than_the_hook(machine: Machine) -> None:
    """As long as any policy may say: whatever a person changes there needs no second install."""
    policy(machine, "90s")
    assert at_a_terminal(machine.home, "install", "claude-code", "--yes").code == 0
    found = timeouts(machine)
    assert found.pop("PreToolUse") == MAX_WAIT_SECONDS + 2 * HOST_TIMEOUT_SECONDS
    assert set(found.values()) == {HOST_TIMEOUT_SECONDS}
    assert at_a_terminal(machine.home, "install", "claude-code", "--yes", "--dry-run").out.count("nothing to do") == 2


def launcher(machine: Machine) -> str:
    return str(machine.home / ".local/share/interlock/hook/guard.py")


@pytest.mark.slow
def test_doctor_says_where_the_settings_wait_too_short(machine: Machine, tmp_path: Path) -> None:
    policy(machine, "90s")
    assert at_a_terminal(machine.home, "install", "claude-code", "--yes").code == 0
    settings = machine.home / ".claude/settings.json"
    older = claude_events.settings(machine.python, launcher(machine), ("--home", str(machine.home)))
    settings.write_text(json.dumps(older))
    assert "its settings for 0 s" in at_a_terminal(machine.home, "doctor", "claude-code", folder=tmp_path).out
    assert at_a_terminal(machine.home, "install", "claude-code", "--yes").code == 0
    assert "a call is held for 90 s" in at_a_terminal(machine.home, "doctor", "claude-code", folder=tmp_path).out


def wait_of(text: str) -> Any:
    raw = f"version = 1\n[approvals]\nwait = {text}\n".encode()
    return parse_policy(raw, name="user", file="p.toml").settings["approvals.wait"]


def test_a_wait_is_a_text_with_its_unit() -> None:
    assert [wait_of('"0s"'), wait_of('"90s"'), wait_of('"9m"')] == [0, 90, MAX_WAIT_SECONDS]


@pytest.mark.parametrize("text", ["90", '"90"', '"-1s"', '"1h"', '"10m"', '"541s"', '"٣s"', '""'])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(PolicyError, match="`wait` must be"):
        wait_of(text)


# --- nobody attends -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "attended", "posture"),
    [
        ("", True, "interactive"),
        ("", False, "autonomous"),
        ('posture = "interactive"', False, "autonomous"),
        ('posture = "dry_run"', False, "dry_run"),
        ('posture = "locked"', False, "locked"),
        ('posture = "autonomous"', True, "autonomous"),
    ],
)
def test_a_run_that_nobody_attends_is_autonomous_unless_the_policy_is_stricter(
    machine: Machine, said: str, attended: bool, posture: str
) -> None:
    machine.user_policy.write_text(f"version = 1\n{said}\n")
    machine.run(machine.event("Read"), environment=None if attended else AWAY)
    assert machine.rows()[-1]["body"]["receipt"]["decision"]["posture"] == posture
