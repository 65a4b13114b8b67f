"""The service on PostgreSQL while something dies: the server, the network, a service.

No question and no answer is lost, and no yes is used twice.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from postgres_server import Server, started_server
from serving import Serving, free_port
from two_services import POLICY, refund, two_services


class Cable:
    """A Unix socket in front of the server's, which can be cut."""

    def __init__(self, server: Server) -> None:
        self.target = str(server.folder / ".s.PGSQL.5432")
        self.folder = Path(tempfile.mkdtemp(prefix="ilk-cable-", dir="/tmp"))
        self.whole = True
        self.ends: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        return f"postgresql://interlock@/{urlsplit(url).path.strip('/')}?host={self.folder}"

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if not self.whole:
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.target)
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        self.ends += [near, far]
        other = {near: far, far: near}
        with near, far:
            try:
                while True:
                    for end in select.select([near, far], [], [])[0]:
                        data = end.recv(65536)
                        if not data:
                            return
                        other[end].sendall(data)
            except OSError:
                pass

    def cut(self) -> None:
        self.whole = False
        ends, self.ends = self.ends, []
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def mend(self) -> None:
        self.whole = True

    def remove(self) -> None:
        self.cut()
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def own_server() -> Iterator[Server]:
    server = Server(started_server().programs, fsync=True)
    yield server
    server.remove()


@pytest.fixture
def cable() -> Iterator[Cable]:
    found = Cable(started_server())
    yield found
    found.remove()


@pytest.mark.slow
def test_a_restart_of_the_server_loses_no_question_and_no_answer(own_server: Server, tmp_path: Path) -> None:
    with two_services(tmp_path, own_server.new_database()) as two:
        asked = refund(two.one.agent, 9, "restart")
        agent = two.at_two("robot", "agent")
        done: list[int] = []
        thread = threading.Thread(target=lambda: done.append(refund(agent, 9, "restart", wait=60).status_code))
        thread.start()
        time.sleep(0.5)
        own_server.stop()
        gone = two.one.agent.post(
            "/v1/decisions", json={"tool": "lookup", "input": {}, "session": "restart", "cwd": "/"}
        )
        assert gone.status_code == 503
        assert two.one.agent.get("/readyz").status_code == 503
        own_server.start()
        until(lambda: two.one.agent.get("/readyz").status_code == 200)
        answer = two.one.approver.post(asked.headers["location"], json={"answer": "approve"})
        assert answer.status_code == 200
        thread.join(20)
        # Who waited was let through, or told to ask again while the server was away. Either way it fires once.
        codes = [
            *done,
            refund(agent, 9, "restart").status_code,
            refund(two.one.agent, 9, "restart").status_code,
        ]
        assert codes.count(200) == 1, codes


def test_a_cut_cable_is_a_503_and_what_was_asked_is_there_when_it_is_mended(cable: Cable, tmp_path: Path) -> None:
    with two_services(tmp_path, cable.url(started_server().new_database())) as two:
        approver = two.one.approver
        asked = refund(two.one.agent, 5, "cut")
        agent = two.at_two("robot", "agent")
        done: list[int] = []
        thread = threading.Thread(target=lambda: done.append(refund(agent, 5, "cut", wait=60).status_code))
        thread.start()
        time.sleep(0.5)
        cable.cut()
        assert refund(two.one.agent, 6, "cut").status_code == 503
        assert approver.post(asked.headers["location"], json={"answer": "approve"}).status_code == 503
        cable.mend()
        until(lambda: two.one.agent.get("/readyz").status_code == 200)
        answer = two.one.approver.post(asked.headers["location"], json={"answer": "approve"})
        assert answer.status_code == 200
        thread.join(20)
        codes = [*done, refund(agent, 5, "cut").status_code, refund(two.one.agent, 5, "cut").status_code]
        assert codes.count(200) == 1, codes


@pytest.mark.slow
def test_a_cut_in_the_middle_of_redeeming_uses_no_yes_twice(cable: Cable, tmp_path: Path) -> None:
    with two_services(tmp_path, cable.url(started_server().new_database())) as two:
        agent = two.at_two("robot", "agent")
        for number in range(4):
            asked = refund(two.one.agent, number, f"cut{number}")
            two.one.approver.post(asked.headers["location"], json={"answer": "approve"})
        with ThreadPoolExecutor(9) as pool:
            tries = [
                pool.submit(refund, client, number, f"cut{number}")
                for number in range(4)
                for client in (two.one.agent, agent)
            ]
            time.sleep(0.03)
            cable.cut()
            first = [one.result() for one in tries]
            cable.mend()
        until(lambda: two.one.agent.get("/readyz").status_code == 200)
        until(lambda: agent.get("/readyz").status_code == 200)
        later = [refund(two.one.agent, number, f"cut{number}") for number in range(4)]
        for number in range(4):
            codes = [one.status_code for one in (*first[2 * number : 2 * number + 2], later[number])]
            assert codes.count(200) <= 1, codes
            assert set(codes) <= {200, 202, 503}, codes


@pytest.mark.slow
def test_a_killed_service_loses_no_question_and_its_answers_count_at_the_other(tmp_path: Path) -> None:
    url = started_server().new_database()
    with Serving(tmp_path / "stays", policy=POLICY, settings={"database": url}) as stays:
        home, port = tmp_path / "dies", free_port()
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.toml").write_text(POLICY)
        (home / ".config/interlock/serve.toml").write_text(f'database = "{url}"\nport = {port}\n')
        command = [sys.executable, "-m", "interlock.cli", "--home", str(home), "serve"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INTERLOCK")}
        with subprocess.Popen(command, env=environment, cwd=home, stderr=subprocess.DEVNULL) as dies:
            agent = stays.agent
            head = {"authorization": f"Bearer {stays.tokens['robot']}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=head, timeout=60) as there:
                until(lambda: _answers(there), 40)
                asked = [refund(there, number, f"killed{number}") for number in range(5)]
                with ThreadPoolExecutor(5) as pool:
                    waits = [pool.submit(_status, there, number) for number in range(5)]
                    time.sleep(0.5)
                    stays.approver.post(asked[0].headers["location"], json={"answer": "approve"})
                    dies.send_signal(signal.SIGKILL)
                    dies.wait(20)
                    codes = [one.result() for one in waits]
        for number in range(1, 5):
            assert codes[number] == 0  # nobody told it anything
            answer = stays.approver.post(asked[number].headers["location"], json={"answer": "approve"})
            assert answer.status_code == 200
            assert [refund(agent, number, f"killed{number}").status_code for _ in range(2)] == [200, 202]
        # The first was answered as it died: its call was let through there or can be here, and never at both.
        after = [refund(agent, 0, "killed0").status_code for _ in range(2)]
        assert [codes[0], *after].count(200) <= 1, (codes, after)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.HTTPError:
        return False


def _status(client: httpx.Client, number: int) -> int:
    try:
        return refund(client, number, f"killed{number}", wait=60).status_code
    except httpx.HTTPError:
        return 0
