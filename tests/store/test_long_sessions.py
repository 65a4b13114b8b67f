"""A session that goes on: every write of it is judged as its first was, however many files it has written.

Each front runs as it is used: the service, the relay and the resident service as processes of their own, the `Gate` as
a library. A state that grows beyond any size must neither be forgotten nor be taken for an older one.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import interlock
from engines import ENGINES, Engine
from hook_process import new_machine
from interlock.bytes.canon import Known
from interlock.model.errors import StoreError, crowded, is_crowded
from interlock.record.resume import opened
from interlock.store.home.folders import folders_for
from interlock.store.ledger import ledger as kept
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.together import Together
from postgres_server import started_server
from relay.wire import Home, Wire, scripted
from residing import Residence
from serve_process import ServeProcess

_WRITES = 500
WRITER = '\n[tools."mcp__s__echo"]\neffects = ["write"]\nargs = { message = "write" }\n'


def paths(project: Path) -> list[str]:
    return [str(project / f"src/package_{number % 7}/module_{number}.py") for number in range(_WRITES)]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_service_takes_hundreds_of_writes_in_one_session(tmp_path: Path, engine: str) -> None:
    more: dict[str, Any] = {}
    if engine == "postgres":
        url = started_server().new_database()
        more = {"options": {"database": url}, "settings": {"database": url}}
    service = ServeProcess(tmp_path, **more)
    try:
        service.start()
        found = Counter[Any]()
        for path in paths(service.project):
            call = service.call("Write", {"file_path": path, "content": "x = 1\n"})
            found[service.agent.post("/v1/decisions", json=call).status_code] += 1
        assert found == {200: _WRITES}
    finally:
        for client in service.clients.values():
            client.close()
        service.stop()


def test_a_gate_takes_hundreds_of_writes_in_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with interlock.Gate(home=tmp_path, deadline=60) as gate:
        found = Counter[Any]()
        for path in paths(tmp_path / "project"):
            checked = gate.check("Write", {"file_path": path, "content": "x = 1\n"}, session="long")
            found[str(checked.verdict)] += 1
        assert found == {"allow": _WRITES}


@pytest.mark.slow
def test_the_relay_takes_hundreds_of_writes_in_one_session(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with Wire(Home(tmp_path, WRITER), scripted(tmp_path / "log"), cwd=tmp_path / "project") as wire:
        wire.begin()
        found = Counter(wire.said(number, "echo", path) for number, path in enumerate(paths(tmp_path / "project")))
    assert {text.partition(" {")[0] for text in found} == {"ran echo"}


@pytest.mark.slow
def test_the_resident_service_takes_hundreds_of_writes_in_one_session(tmp_path: Path) -> None:
    machine = new_machine(tmp_path, warm=True)
    with Residence(machine) as residence:
        residence.on()
        found = Counter(machine.call("Write", file_path=path).taken for path in paths(machine.project))
        assert found == {"allow": _WRITES}
        answered, left = residence.counts
        assert (answered, left) == (_WRITES, 0)


STATES = [b'{"n":%d,"x":"%b"}' % (number, b"x" * size) for number, size in enumerate((10, 20_000, 10, 20_000_000, 10))]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    return Engine(request.param, tmp_path / "home")


def test_what_is_known_is_what_was_kept_last_or_nothing(engine: Engine) -> None:
    ledger = engine.ledger()
    for state in STATES:
        save(ledger, state)
        assert ledger.last_known("s")[0] == state
    ledger.close()


def save(ledger: Ledger, *states: bytes, fails: bool = False) -> None:
    for state in states:
        with ledger.deciding("s") as turn:
            turn.append("session", b"{}", key="s", state=state)
            assert turn.state == state
            if fails:
                raise ZeroDivisionError


def save_together(ledger: Ledger, *states: bytes) -> None:
    with Together(ledger):
        save(ledger, *states)
        with ledger.deciding("s") as turn:
            assert turn.state == states[-1]
        raise ZeroDivisionError


def test_a_turn_that_is_taken_back_leaves_nothing(engine: Engine) -> None:
    ledger = engine.ledger()
    save(ledger, b'"kept"')
    with pytest.raises(ZeroDivisionError):
        save(ledger, b'"lost"', fails=True)
    assert ledger.last_known("s")[0] == b'"kept"'
    with pytest.raises(ZeroDivisionError):
        save_together(ledger, b'"lost"', b'"lost too"')
    assert ledger.last_known("s")[0] == b'"kept"'
    with Together(ledger):
        save(ledger, b'"together"')
    assert kept._KNOWN.get((ledger.path, "s"))[1] == b'"together"'
    assert ledger.last_known("s")[0] == b'"together"'
    ledger.close()


def test_a_reading_that_came_too_late_is_made_anew_from_the_database(engine: Engine) -> None:
    """Another process wrote: what this one knows is older, and looked at once."""
    ledger = engine.ledger()
    save(ledger, b'"mine"')
    before = kept._KNOWN.get((ledger.path, "s"))
    save(ledger, b'"another\'s"')
    kept._KNOWN.keep((ledger.path, "s"), 6, before)
    assert ledger.last_known("s")[0] == b'"mine"'
    assert ledger.last_known("s", anew=True)[0] == b'"another\'s"'
    assert ledger.last_known("s")[0] == b'"another\'s"'
    ledger.close()


CHILD = """
import sys, interlock
with interlock.Gate(home=sys.argv[1], deadline=60) as gate:
    for path in map(str.strip, sys.stdin):
        print(gate.check("Write", {"file_path": path, "content": "x"}, session="both").verdict, flush=True)
"""


def test_two_processes_write_in_one_session_by_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the one knows is older each time, and longer than what used to be kept."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    words = [sys.executable, "-c", CHILD, str(tmp_path)]
    long = [f"{tmp_path}/project/{'deep/' * 50}{number}.py" for number in range(120)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with interlock.Gate(home=tmp_path, deadline=60) as gate, subprocess.Popen(words, **pipes) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for path in long:
            assert gate.check("Write", {"file_path": path, "content": "x"}, session="both").allowed
            child.stdin.write(path + ".too\n")
            child.stdin.flush()
            assert child.stdout.readline() == "allow\n"
    ledger = Ledger(folders_for(str(tmp_path)).ledger)
    state = ledger.session("both")
    ledger.close()
    assert state is not None
    assert opened(state)[0].written == {*long, *[path + ".too" for path in long]}


def test_the_bytes_of_all_are_bounded_and_none_is_older_than_the_last() -> None:
    known = Known(names=4, size=100)
    for number in range(50):
        known.keep(number % 3, number, number)
        assert known.get(number % 3) == number
    known.keep(1, 101, "too large")
    assert known.get(1) is None
    for name in range(9):
        known.keep(name, 1, name)
    assert len(known) <= 4
    known.drop(8)
    assert known.get(8) is None


def test_the_error_says_what_happened() -> None:
    text = crowded("s\x1b[1m", 64)
    assert "`s\\x1b[1m`" in text
    assert "fewer at a time" in text
    assert is_crowded(text)
    assert not is_crowded(str(StoreError("`x` could not be written")))
