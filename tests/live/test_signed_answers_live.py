"""The real client, and a person who signs: what is held fires after a signed yes, and after nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from approvers import enrolled, later
from live.client import Live, Run, needs_client
from person import TERMINAL, at_a_terminal
from scripted_model import Step
from ssh_keys import Key, new_key

pytestmark = needs_client


def push(live: Live) -> list[Step]:
    return [("Bash", {"command": "git push --force origin main", "description": "Push"}), "done"]


def prepared(live: Live) -> Path:
    """A repository with a commit to push, and the place where it would arrive."""
    remote = live.home.parent / "remote.git"
    live.git("init", "-q", "--bare", str(remote))
    live.git("remote", "add", "origin", str(remote))
    live.write("a.txt", "a")
    live.git("add", "a.txt")
    live.git("commit", "-qm", "one")
    live.machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    return remote


def arrived(live: Live, remote: Path) -> bool:
    return "refs/heads/main" in live.git("for-each-ref", cwd=remote)


def go(live: Live) -> Run:
    """One run of a nightly job, which has a label so that an approval outlives the session."""
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "0", "INTERLOCK_RUN": "nightly"}
    return live.headless(push(live), environment=environment)


@pytest.fixture
def live(place: Path) -> Live:
    return Live.at(place)


@pytest.fixture
def key(live: Live, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(live.home / ".ssh/id_ed25519_sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    return key


def waiting(live: Live) -> str:
    return str(live.rows("prompt")[-1]["key"])


def test_without_the_guard_the_push_arrives(place: Path) -> None:
    live = Live.at(place, guarded=False)
    remote = prepared(live)
    go(live)
    assert arrived(live, remote)


def test_a_held_call_fires_after_a_signed_yes_and_not_after_a_script_of_the_agents_user(live: Live, key: Key) -> None:
    remote = prepared(live)
    enrolled(live.machine, key)
    later(live.machine)
    run = go(live)
    assert "needs a signed yes" in run.told(0)
    id = waiting(live)
    assert id in run.told(0)

    script = leaves_the_tree(live, id)
    assert "nothing was signed" in script or "not found" in script, script
    go(live)
    assert not arrived(live, remote)

    done = at_a_terminal(live.home, "approvals", "approve", waiting(live), "--yes")
    assert done.code == 0, done.out
    go(live)
    assert arrived(live, remote)
    (answer,) = live.rows("answer")
    assert (answer["body"]["strength"], answer["body"]["signer"]) == ("strong", "id_ed25519_sk@test")


def test_before_a_key_is_enrolled_such_a_script_approves_and_its_answer_is_weak(live: Live) -> None:
    """The control: what the process tree stops is whoever stays in it."""
    remote = prepared(live)
    go(live)
    leaves_the_tree(live, waiting(live))
    (answer,) = live.rows("answer")
    assert (answer["body"]["answer"], answer["body"]["strength"]) == ("approved", "weak")
    go(live)
    assert arrived(live, remote)


def leaves_the_tree(live: Live, id: str) -> str:
    """A script that an agent could leave behind: `setsid -f`, a terminal of its own, and our command. It has no key."""
    told = live.home / "told"
    command = [sys.executable, "-m", "interlock.cli", "--home", str(live.home), "approvals", "approve", id, "--yes"]
    line = " ".join(["setsid", "-f", "-w", sys.executable, str(TERMINAL), "''", *command, f"> {told} 2>&1"])
    environment = {name: value for name, value in os.environ.items() if name != "SSH_SK_PROVIDER"}
    subprocess.run(["sh", "-c", line], env=environment, check=False, timeout=60)
    return told.read_text()
