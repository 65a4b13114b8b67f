"""A hook that asks the service says what it would have said by itself, byte for byte."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import rows_of
from hook_process import Machine, Ran, new_machine
from host_process import Client, payloads_of
from interlock.evals.shipped import path_of
from interlock.hook.resident import Deciding
from interlock.hook.run import run
from interlock.hosts import HOSTS, host_named
from interlock.model.events import Spoken
from residing import Residence

PACKS = (
    *("builds", "cloud", "databases", "files", "git", "network"),
    *("packages", "secrets", "self-protection", "shell", "system"),
)
# Its target is a file of our own cache, whose name comes from the paths of the home folder.
NAMES_THE_CACHE = "find ~ -type f -exec shred -u {} +"
EACH = int(os.environ.get("INTERLOCK_RESIDENT", "15"))  # every so many cases of these packs; 1: all, and every host
_APPROVAL = re.compile(rb"ap_[0-9a-f]{32}")
IN_PROCESSES = list(HOSTS) if EACH == 1 else ["claude-code", "gemini-cli"]


def all_said(client: Client) -> list[tuple[str, Ran]]:
    """What the hook says to every captured payload, of calls and of all else, in order."""
    found = []
    for kind in ("proposed", "followed"):
        for case in client.payloads[kind]:
            event = client.event(case, kind)
            if client.named(event) in client.settings["hooks"]:
                found.append((case, client.send(event)[0]))
    return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", IN_PROCESSES)
def test_every_payload_gets_the_same_answer_in_processes_as_the_host_starts_them(host: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    cold = all_said(Client(host, place))
    shutil.rmtree(place)
    place.mkdir()
    client = Client(host, place)
    with Residence(new_machine(place)).on() as residence:
        assert all_said(client) == cold
        answered, left = residence.counts
    if host_named(host).TRAITS.here:
        assert answered == 0 < left
    else:
        assert (answered, left) == (len(payloads_of(host)["proposed"]), 0)


class Pair:
    """A fresh engine for each call beside the one that stays, in one process. Each has a home of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
        self.warm, self.cold = new_machine(folder / "warm"), new_machine(folder / "cold")
        self.environment_there = {
            name: os.fsdecode(self.there(os.fsencode(value))) for name, value in environment.items()
        }
        self.deciding = Deciding()
        for machine in (self.warm, self.cold):
            (machine.project / ".git").mkdir()
        monkeypatch.chdir(self.cold.project)
        for name in list(os.environ):
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

    def both(self, host: str, raw: bytes) -> tuple[Spoken | None, Spoken]:
        """`raw` is of the cold home; the warm one gets the same about its own."""
        cold = run([host, "--home", str(self.cold.home)], _nothing, _nothing, raw)
        warm = self.deciding.answer(
            [host, "--home", str(self.warm.home)], os.getppid(), self.environment_there, self.there(raw)
        )
        return None if warm is None else self.told(warm), self.told(cold)

    def told(self, spoken: Spoken) -> Spoken:
        """As the cold home says it, without ids of approvals: they bind the folder. Those are compared in processes."""
        stdout, stderr = (_APPROVAL.sub(b"ap_", self.here(text)) for text in (spoken.stdout, spoken.stderr))
        return spoken.replace(stdout=stdout, stderr=stderr)

    def here(self, text: bytes) -> bytes:
        return text.replace(os.fsencode(self.warm.home.parent), os.fsencode(self.cold.home.parent))

    def there(self, text: bytes) -> bytes:
        return text.replace(os.fsencode(self.cold.home.parent), os.fsencode(self.warm.home.parent))

    def receipts(self, machine: Machine) -> list[bytes]:
        """Without digests: those of paths differ with the home folder."""
        found = []
        for row in machine.rows():
            body = row["body"]["receipt"]
            found.append(self.here(json.dumps([body["decision"]["reasons"], body["decision"]["effects"]]).encode()))
        return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", HOSTS)
def test_every_payload_of_every_host_gets_the_same_answer(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(host, tmp_path / "cold")
    client.project.parent.mkdir(exist_ok=True)
    pair = Pair(tmp_path, monkeypatch, client.payloads["environment"])
    for case in client.payloads["proposed"]:
        warm, cold = pair.both(host, json.dumps(client.event(case)).encode())
        if host_named(host).TRAITS.here:
            assert warm is None
        else:
            assert warm == cold, case
    for case in client.payloads["followed"]:
        raw = json.dumps(client.event(case, "followed")).encode()
        assert pair.deciding.answer([host, "--home", str(pair.warm.home)], 1, {}, raw) is None
    if not host_named(host).TRAITS.here:
        assert pair.receipts(pair.warm) == pair.receipts(pair.cold)


def commands() -> list[str]:
    rows = [row for name in PACKS for row in rows_of(Path(path_of(name)))]
    found = [str(row["command"]) for row in rows if "command" in row]
    return [command for command in found if command != NAMES_THE_CACHE][::EACH]


@pytest.mark.sampled(5)
def test_the_cases_of_the_packs_get_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = commands()
    assert len(cases) > 50
    environment = {"HOME": "/home/user", "CLAUDE_PROJECT_DIR": str(tmp_path / "cold/project")}
    pair = Pair(tmp_path, monkeypatch, environment)
    for number, command in enumerate(cases):
        told: dict[str, Any] = {
            "session_id": f"s{number}",
            "cwd": str(pair.cold.project),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"toolu_{number}",
            "transcript_path": "",
        }
        warm, cold = pair.both("claude-code", json.dumps(told).encode())
        assert warm == cold, command
    assert pair.receipts(pair.warm) == pair.receipts(pair.cold)


def _nothing(_value: float | bool) -> None:
    pass
