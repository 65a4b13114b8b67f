"""How the service comes and goes, and what people see of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import warm
from hook_process import ALLOW, DENY, Machine, Ran, copy_of_the_package, ended, new_machine
from interlock.hook import residence as places
from interlock.hook import resident as service
from person import at_a_terminal
from residing import Residence, processes_of

AWAY = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


def does(machine: Machine, *arguments: str) -> tuple[int, str]:
    done = warm.command(["--home", str(machine.home), *arguments], cwd=machine.project)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def status(machine: Machine) -> Any:
    return json.loads(does(machine, "resident", "status", "--json")[1])


@pytest.mark.slow
def test_it_is_off_until_a_person_switches_it_on(machine: Machine) -> None:
    assert machine.call("Write").taken == ALLOW
    assert not (machine.state / "resident").exists()
    assert status(machine)["state"] == "off"
    assert "resident" not in does(machine, "status")[1]


def test_on_status_off(residence: Residence) -> None:
    machine = residence.machine
    code, said = does(machine, "resident", "on", "--idle", "5")
    assert (code, "it ends after 5 minutes" in said) == (0, True)
    assert machine.call("Write").taken == ALLOW
    found = status(machine)
    assert (found["state"], found["pid"], found["idle"], found["answered"]) == ("runs", residence.pid, 5, 1)
    assert "resident service: runs" in does(machine, "status")[1]
    assert "ok    resident: the resident service runs" in does(machine, "doctor")[1]
    assert does(machine, "resident", "off") == (0, "the resident service is off\n")
    assert (residence.runs, processes_of(machine.home)) == (False, [])
    assert does(machine, "resident", "off") == (0, "the resident service was off already\n")
    assert machine.call("Write").taken == ALLOW
    assert not residence.runs


def test_a_hook_starts_it_where_it_is_wanted_and_nobody_waits_for_that(residence: Residence) -> None:
    machine = residence.machine
    places.switch(residence.folder, idle=30)
    assert status(machine)["state"] == "on, not running; the next hook starts it"
    assert machine.call("Write").taken == ALLOW  # its streams are closed: whoever holds them would be waited for
    residence.ready()
    assert machine.call("Write").taken == ALLOW
    assert residence.counts == (1, 0)


def test_it_keeps_nothing_open_of_the_host_whose_hook_started_it(residence: Residence) -> None:
    """A host may wait until whatever it handed down is closed."""
    machine = residence.machine
    places.switch(residence.folder, idle=30)
    reads, writes = os.pipe()
    done = subprocess.run(
        machine.command(),
        input=json.dumps(machine.event("Write")).encode(),
        capture_output=True,
        cwd=machine.project,
        env=machine.environment(),
        pass_fds=[writes],
        check=True,
    )
    assert b'"allow"' in done.stdout
    os.close(writes)
    residence.ready()
    os.set_blocking(reads, False)
    assert os.read(reads, 1) == b""
    os.close(reads)
    open_in_it = {
        os.readlink(f"/proc/{residence.pid}/fd/{number}") for number in os.listdir(f"/proc/{residence.pid}/fd")
    }
    assert not any("/dev/pts" in place or str(machine.project) in place for place in open_in_it)


@pytest.mark.slow
def test_many_hooks_at_once_start_one(residence: Residence) -> None:
    machine = residence.machine
    assert machine.call("Write").taken == ALLOW
    places.switch(residence.folder, idle=30)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: machine.call("Read"), range(12)))
    residence.ready()
    assert processes_of(machine.home) == [residence.pid]


@pytest.mark.slow
def test_it_ends_when_nobody_asks(residence: Residence, monkeypatch: pytest.MonkeyPatch) -> None:
    one = service._Service(residence.folder, str(Path(service.__file__).parents[1]), 0.5)
    listener = service._listening(residence.folder)
    one.note = service._note(residence.folder, b"")
    before = time.monotonic()
    one.run(listener)
    assert 0.5 <= time.monotonic() - before < 10
    assert not {"note", "socket"} & {*os.listdir(residence.path)}


@pytest.mark.parametrize("text", ["", "0", "-1", "soon", "1.5"])
def test_what_is_no_number_of_minutes_starts_nothing(text: str, residence: Residence) -> None:
    (residence.path / "wanted").write_text(text)
    (residence.path / "wanted").chmod(0o600)
    assert not places.begin(residence.folder, str(residence.machine.home))


def test_what_it_owes_is_answered_before_it_ends(resident: Residence) -> None:
    machine = resident.machine
    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(machine.call, "Write") for _ in range(3)]
        time.sleep(0.1)
        os.kill(resident.pid, signal.SIGTERM)
        assert [answer.result().taken for answer in answers] == [ALLOW] * 3
    assert len(machine.rows()) == 3


@pytest.mark.slow
def test_it_ends_when_its_files_change_and_the_next_hook_runs_the_new_ones(tmp_path: Path) -> None:
    guard = copy_of_the_package(tmp_path / "copy")
    machine = new_machine(tmp_path, guard=guard)
    with Residence(machine) as residence:
        places.switch(residence.folder, idle=30)
        assert machine.call("Write").taken == ALLOW
        end = time.monotonic() + 40
        while not (first := _noted(residence)) and time.monotonic() < end:
            time.sleep(0.05)
        file = guard.parents[1] / "decide.py"
        file.write_text(file.read_text() + "\n# another line\n")
        assert machine.call("Write").taken == ALLOW  # not asked: it is of other files
        while (now := _noted(residence)) in (0, first) and time.monotonic() < end:
            machine.call("Read")
            time.sleep(0.2)
        assert now not in (0, first)


def _noted(residence: Residence) -> int:
    found = places.running(residence.folder)
    return 0 if found is None else found.pid


@pytest.mark.slow
def test_a_service_that_has_grown_ends(residence: Residence, monkeypatch: pytest.MonkeyPatch) -> None:
    one = service._Service(residence.folder, str(Path(service.__file__).parents[1]), 60)
    note = residence.path / "note"
    note.write_text("")
    one.note = (note.stat().st_dev, note.stat().st_ino)
    monkeypatch.setattr(service, "_MOST_MEMORY", 1 << 40)  # the tests' own process may be large
    assert not one._has_changed()
    monkeypatch.setattr(service, "_MOST_MEMORY", 1)
    assert one._has_changed()


def held(machine: Machine, event: dict[str, Any]) -> Ran:
    """By a hook that its host waits a minute for."""
    with subprocess.Popen(
        [*machine.command(), "--wait", "60"],
        cwd=machine.project,
        env=machine.environment(AWAY),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        return ended(process, json.dumps(event).encode(), 60)


@pytest.mark.slow
def test_a_call_that_waits_for_a_person_is_held_by_its_hook(resident: Residence) -> None:
    """The question is asked by the service, and once: the hook finds it."""
    machine = resident.machine
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\nwait = "60s"\n')
    event = machine.event("Bash", {"command": "git push --force origin main"})
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(held, machine, event)
        end = time.monotonic() + 20
        while not (machine.ledger.exists() and machine.rows("prompt")) and time.monotonic() < end:
            time.sleep(0.1)
        (asked,) = machine.rows("prompt")
        time.sleep(1)
        assert not answer.done()
        done = at_a_terminal(machine.home, "approvals", "approve", str(asked["key"]), "--yes")
        assert done.code == 0, done.out
        assert answer.result().taken == ALLOW
    assert resident.counts == (0, 1)
    assert len(machine.rows("prompt")) == 1


def test_a_policy_that_asks_another_model_is_the_hooks_own_matter(resident: Residence) -> None:
    """The key is a variable of the hook, which it sends nobody."""
    machine = resident.machine
    machine.user_policy.write_text(
        'version = 1\n[consult]\nendpoint = "http://127.0.0.1:9/v1"\nmodel = "m"\nfamily = "qwen"\n'
        'agent_family = "claude"\nkey = "MODEL_KEY"\n'
    )
    assert machine.call("Write").taken == ALLOW
    assert resident.counts == (0, 1)


def test_a_changed_policy_counts_for_the_next_call(resident: Residence) -> None:
    machine = resident.machine
    event = {"command": "git status"}
    assert machine.call("Bash", **event).taken == ALLOW
    machine.user_policy.write_text(
        'version = 1\n[[rules]]\nid = "no"\nwhen = { action = "git:*" }\nverdict = "deny"\nreason = "No."\n'
    )
    assert machine.call("Bash", **event).taken == DENY
    machine.user_policy.unlink()
    assert machine.call("Bash", **event).taken == ALLOW
    assert resident.counts == (3, 0)


def test_an_agent_may_look_at_it_and_no_more(resident: Residence) -> None:
    machine = resident.machine
    assert machine.call("Bash", command="interlock resident status").taken == ALLOW
    for command in (
        "interlock resident off",
        f"rm {resident.path}/socket",
        f"ln -sf /tmp/mine {resident.path}/socket",
        f"echo 1 > {resident.path}/note",
        "pkill -f interlock/hook/resident_entry.py",
    ):
        assert machine.call("Bash", command=command).taken == DENY, command
