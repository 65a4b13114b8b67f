"""The end of the ledger leaves the machine when a session ends, and tells later what was done to the disk."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hook_process import Machine, new_machine
from interlock.policy.evidence_address import evidence_trouble
from web_server import Web, web_server


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path / "machine")


@pytest.fixture
def web() -> Iterator[Web]:
    with web_server() as found:
        yield found


def sends_to(machine: Machine, *addresses: str) -> None:
    machine.user_policy.write_text(f'version = 1\n[evidence]\nsend = {json.dumps(addresses)}\nmachine = "m1"\n')


def tells(machine: Machine, name: str, **more: str) -> str:
    event = {field: machine.event("Read")[field] for field in ("session_id", "transcript_path", "cwd")}
    ran = machine.run({**event, "hook_event_name": name, **more})
    assert ran.code == 0, ran
    return ran.out.decode()


def ends(machine: Machine) -> float:
    before = time.monotonic()
    tells(machine, "SessionEnd", prompt_id="p", reason="other")
    return time.monotonic() - before


def interlock(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [machine.python, "-m", "interlock.cli", "--home", str(machine.home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=machine.project)


def until(done: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.05)
    return found


def head(machine: Machine) -> tuple[int, str]:
    number, _, name = (machine.state / "ledger.db.head").read_text().strip().partition(" ")
    return int(number), name


def test_a_session_that_ends_sends_the_head_by_http_and_does_not_wait(machine: Machine, web: Web) -> None:
    sends_to(machine, web.url + "/heads")
    machine.call("Read", file_path="README.md")
    ends(machine)
    (taken,) = until(lambda: web.taken)
    assert (taken["interlock"], taken["machine"], (taken["seq"], taken["hash"])) == ("head", "m1", head(machine))
    until(lambda: json.loads(interlock(machine, "audit", "heads", "show", "--json").stdout)["sent"][web.url + "/heads"])


@pytest.mark.slow
def test_an_address_that_hangs_delays_nobody(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and never answers
        machine.call("Read", file_path="README.md")
        quick = ends(machine)
        sends_to(machine, f"http://127.0.0.1:{silent.getsockname()[1]}/")
        assert ends(machine) < quick + 3
        assert machine.call("Read", file_path="README.md").taken == "allow"


def test_what_failed_is_told_at_the_next_start_and_sent_then(machine: Machine, web: Web) -> None:
    sends_to(machine, web.url + "/heads?token=abc")
    machine.call("Read", file_path="README.md")
    web.code = 503
    assert interlock(machine, "audit", "heads", "send").returncode == 1
    assert f"evidence: the ledger's head was not sent to {web.url}/heads since" in interlock(machine, "doctor").stdout
    web.code = 200
    told = tells(machine, "SessionStart", source="startup")
    assert f"was not sent to {web.url}/heads since" in told
    assert ("answered 503" in told, "abc" in told.split("/heads since")[0]) == (True, False)
    until(lambda: web.taken)
    until(lambda: "was not sent" not in tells(machine, "SessionStart", source="resume"))


def test_syslog_by_udp_and_tcp(machine: Machine, tmp_path: Path) -> None:
    machine.call("Read", file_path="README.md")
    lines: list[bytes] = []

    def take(server: socket.socket) -> None:
        plug, _ = server.accept()
        with plug:
            while part := plug.recv(65536):
                lines.append(part)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.create_server(("127.0.0.1", 0)) as tcp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(10)
        thread = Thread(target=take, args=(tcp,))
        thread.start()
        sends_to(
            machine,
            f"syslog://127.0.0.1:{udp.getsockname()[1]}",
            f"syslog+tcp://127.0.0.1:{tcp.getsockname()[1]}",
        )
        done = interlock(machine, "audit", "heads", "send")
        assert done.returncode == 0, done.stdout
        datagram = udp.recv(65536)
        thread.join()
    for line in (datagram, b"".join(lines)):
        assert line.startswith(b"<110>1 ")
        assert b" interlock " in line
    log = tmp_path / "log"
    log.write_bytes(b"Nov 17 some other line {not json}\n" + datagram + b"\n")
    found = interlock(machine, "audit", "verify", "--against", str(log))
    assert (found.returncode, found.stdout) == (0, "whole: 1 heads that were sent are borne out\n")


@pytest.mark.slow
def test_a_git_ref_keeps_every_head_and_a_rewritten_one_is_told(machine: Machine, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    sends_to(machine, f"git:{remote}")
    for name in ("a", "b"):
        machine.call("Read", file_path=name)
        done = interlock(machine, "audit", "heads", "send")
        assert done.returncode == 0, done.stdout
    (ref,) = subprocess.check_output(
        ["git", "-C", str(remote), "for-each-ref", "--format=%(refname)"], text=True
    ).split()
    log = subprocess.check_output(["git", "-C", str(remote), "log", "--format=%B", ref], text=True).split("\n\n")
    seqs = [json.loads(line)["seq"] for line in log if line.strip()]
    assert (len(seqs), seqs == sorted(seqs, reverse=True)) == (2, True)
    found = interlock(machine, "audit", "verify", "--against", f"git:{remote}", "--json")
    assert json.loads(found.stdout)["against"] == {"agree": 2, "pruned": 0, "others": 0, "troubles": []}
    empty = subprocess.check_output(["git", "-C", str(remote), "mktree"], input=b"").decode().strip()
    author = ["-c", "user.name=x", "-c", "user.email=x"]
    forged = subprocess.check_output(["git", "-C", str(remote), *author, "commit-tree", empty, "-m", "x"], text=True)
    subprocess.run(["git", "-C", str(remote), "update-ref", ref, forged.strip()], check=True)
    refused = interlock(machine, "audit", "heads", "send")
    assert (refused.returncode, "git push failed" in refused.stdout) == (1, True)


@pytest.mark.slow
def test_a_ledger_that_was_cut_replaced_or_never_sent_is_told(machine: Machine, web: Web, tmp_path: Path) -> None:
    sends_to(machine, web.url)
    database = machine.state / "ledger.db"
    machine.call("Read", file_path="a")
    assert interlock(machine, "audit", "heads", "send").returncode == 0
    older = {path.name: path.read_bytes() for path in machine.state.glob("ledger.db*")}
    machine.call("Read", file_path="b")
    assert interlock(machine, "audit", "heads", "send").returncode == 0
    web.gives = json.dumps(web.taken).encode()
    assert interlock(machine, "audit", "verify", "--against", web.url).returncode == 0
    for path in machine.state.glob("ledger.db*"):
        path.unlink()
    for name, raw in older.items():  # the whole state of yesterday, head and all: here nothing shows
        (machine.state / name).write_bytes(raw)
    assert interlock(machine, "audit", "verify").returncode == 0
    cut = interlock(machine, "audit", "verify", "--against", web.url)
    assert (cut.returncode, "was sent, and the ledger ends at row" in cut.stdout) == (2, True), cut.stdout
    for path in machine.state.glob("ledger.db*"):
        path.unlink()
    machine.call("Read", file_path="a")
    replaced = interlock(machine, "audit", "verify", "--against", web.url)
    assert (replaced.returncode, "which is gone" in replaced.stdout) == (2, True), replaced.stdout
    assert database.exists()
    (tmp_path / "none").write_text("")
    nothing = interlock(machine, "audit", "verify", "--against", str(tmp_path / "none"))
    assert (nothing.returncode, "so nothing is proved" in nothing.stdout) == (2, True)


def test_a_project_cannot_say_where_heads_go(machine: Machine, web: Web) -> None:
    machine.project_policy.write_text(f'version = 1\n[evidence]\nsend = ["{web.url}"]\n')
    machine.call("Read", file_path="a")
    ends(machine)
    refused = interlock(machine, "audit", "heads", "send")
    assert (refused.returncode, web.taken) == (64, [])


ADDRESSES = {
    "syslog:": True,
    "syslog://log.example": True,
    "syslog+tcp://log.example:6514": True,
    "https://log.example/heads?x=1": True,
    "http://127.0.0.1:8080/": True,
    "git:/srv/heads.git": True,
    "git:ssh://git@git.example/heads.git": True,
    "http://log.example/": False,
    "https://a:b@log.example/": False,
    "syslog://": False,
    "syslog://log.example:x": False,
    "git:ext::sh -c id": False,
    "git:--upload-pack=id": False,
    "git:heads.git": False,
    "git:https://a:b@git.example/x": False,
    "file:///etc/passwd": False,
    "": False,
}


@pytest.mark.parametrize(("address", "taken"), ADDRESSES.items())
def test_addresses_that_a_policy_may_name(address: str, taken: bool) -> None:
    assert (evidence_trouble(address) is None) is taken
