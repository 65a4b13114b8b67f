"""A `Gate` that was made before its process forked decides in the child as in the parent, whoever forks and when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from serve_process import ServeProcess
from serving import free_port

# What every program here begins with: a gate that has been used, and a way to run something in a forked child.
BEGIN = """
import asyncio, json, os, sys, threading, time
import interlock, interlock.calls.forks
gate = interlock.Gate(home=os.environ["GATE_HOME"], host="claude-code")

def checked(name, count=1):
    "How many of these writes are let through."
    found = [gate.check("Write", {"file_path": f"{name}_{at}.py", "content": "x"}, session=name) for at in range(count)]
    for one in found:
        if not one.allowed:
            print(one.agent, one.person, one.notes, file=sys.stderr, flush=True)
    return sum(one.allowed for one in found)

def in_child(work):
    child = os.fork()
    if not child:
        code = 70
        try:
            code = 0 if work() else 1
        finally:
            sys.stdout.flush()
            os._exit(code)
    return child

def code_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

assert checked("before") == 1
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path


def environment(place: Path) -> dict[str, str]:
    return {**os.environ, "GATE_HOME": str(place), "PYTHONPATH": str(place / "project")}


def run(place: Path, program: str) -> str:
    words = [sys.executable, "-c", BEGIN + program]
    done = subprocess.run(
        words, cwd=place / "project", env=environment(place), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def decisions(place: Path) -> int:
    """How many the ledger holds, in one whole chain."""
    folders = folders_for(str(place))
    assert verify(folders).damage is None
    ledger = Ledger(folders.ledger)
    ((count,),) = ledger.connect().rows("SELECT count(*) FROM ledger WHERE kind = 'decision'")
    ledger.close()
    return int(count)


def test_parent_and_child_go_on(place: Path) -> None:
    run(
        place,
        """
children = [in_child(lambda: checked(f"child{at}", 5) == 5) for at in range(3)]
assert checked("parent", 5) == 5
assert [code_of(child) for child in children] == [0, 0, 0]
assert checked("parent again", 5) == 5
""",
    )
    assert decisions(place) == 1 + 15 + 10


def test_forks_in_the_middle_of_the_calls_of_other_threads(place: Path) -> None:
    found = run(
        place,
        """
stop, counts, refused = threading.Event(), [0] * 4, [0] * 4

def busy(at):
    while not stop.is_set():
        good = checked(f"thread{at}")
        counts[at] += good
        refused[at] += 1 - good

threads = [threading.Thread(target=busy, args=(at,)) for at in range(4)]
for thread in threads:
    thread.start()
codes = []
for at in range(12):
    codes.append(code_of(in_child(lambda: checked(f"child{at}", 2) == 2)))
stop.set()
for thread in threads:
    thread.join()
assert codes == [0] * 12, codes
assert refused == [0] * 4, refused
print(sum(counts))
""",
    )
    assert decisions(place) == 1 + 24 + int(found)


def test_two_threads_fork_at_once(place: Path) -> None:
    run(
        place,
        """
codes = []

def forks(at):
    for turn in range(6):
        codes.append(code_of(in_child(lambda: checked(f"child{at}-{turn}") == 1)))

threads = [threading.Thread(target=forks, args=(at,)) for at in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert codes == [0] * 18, codes
""",
    )
    assert decisions(place) == 1 + 18


def test_a_child_forks_as_well(place: Path) -> None:
    run(
        place,
        """
def deeper(depth):
    good = checked(f"depth{depth}") == 1
    return good and (depth == 4 or code_of(in_child(lambda: deeper(depth + 1))) == 0) and checked(f"up{depth}") == 1

assert code_of(in_child(lambda: deeper(1))) == 0
""",
    )
    assert decisions(place) == 1 + 8


def test_tasks(place: Path) -> None:
    run(
        place,
        """
async def several(name):
    calls = [gate.acheck("Write", {"file_path": f"{name}{at}.py", "content": ""}, session=name) for at in range(4)]
    return all([one.allowed for one in await asyncio.gather(*calls)])

assert asyncio.run(several("first"))
child = in_child(lambda: asyncio.run(several("child")))
assert asyncio.run(several("second"))
assert code_of(child) == 0

async def within():  # a fork while a loop runs, and the child runs one of its own
    other = asyncio.ensure_future(several("beside"))
    await asyncio.sleep(0.01)
    child = in_child(lambda: checked("inside") == 1)
    assert await other
    return code_of(child)

assert asyncio.run(within()) == 0
""",
    )
    assert decisions(place) == 1 + 16 + 1


def test_a_daemon_outlives_its_parent(place: Path) -> None:
    """SQLite takes away its log with whoever closes the file last. The child must be known to have it open."""
    script = """
if os.fork():
    os._exit(0)  # as programs that go to the background do
nothing = os.open(os.devnull, os.O_RDWR)
for stream in range(3):
    os.dup2(nothing, stream)
for at in range(3):
    assert checked(f"daemon{at}", 3) == 3
    open(f"at{at}", "w").close()
    end = time.monotonic() + 60
    while not os.path.exists(f"go{at}") and time.monotonic() < end:
        time.sleep(0.01)
assert checked("end") == 1
open("end", "w").close()
"""
    project = place / "project"
    run(place, script)
    for at in range(3):
        waited(project / f"at{at}")
        run(place, "gate.close()")  # another program opens the ledger, and closes it
        (project / f"go{at}").touch()
    waited(project / "end")
    assert decisions(place) == 1 + 9 + 3 + 1


def waited(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} does not come"
        time.sleep(0.02)


def test_multiprocessing(place: Path) -> None:
    run(
        place,
        """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

forks = multiprocessing.get_context("fork")
with forks.Pool(3) as pool:
    assert pool.map(checked, [f"pool{at}" for at in range(9)]) == [1] * 9
with ProcessPoolExecutor(2, mp_context=forks) as pool:
    assert list(pool.map(checked, [f"executor{at}" for at in range(6)])) == [1] * 6
one = forks.Process(target=lambda: sys.exit(0 if checked("one") == 1 else 1))
one.start()
one.join()
assert one.exitcode == 0
assert checked("parent") == 1
""",
    )
    assert decisions(place) == 1 + 9 + 6 + 1 + 1


def test_gunicorn_that_loads_the_program_before_its_workers(place: Path) -> None:
    app = """
def app(environ, start):
    good = checked(environ["PATH_INFO"].strip("/"))
    start("200 OK", [("content-type", "text/plain")])
    return [b"%d %d" % (good, os.getpid())]
"""
    (place / "project/served.py").write_text(BEGIN + app)
    port = free_port()
    words = ["gunicorn", "--preload", "--workers", "3", "--threads", "2", "--bind", f"127.0.0.1:{port}"]
    with (
        started(place, [*words, "--no-control-socket", "served:app"]),
        httpx.Client(trust_env=False, timeout=30) as client,
    ):
        told = [_got(client, f"http://127.0.0.1:{port}/s{at}").split() for at in range(24)]
    assert [good for good, _ in told] == ["1"] * 24
    assert decisions(place) == 1 + 24


def _got(client: httpx.Client, url: str) -> str:
    end = time.monotonic() + 60
    while True:
        try:
            return client.get(url, headers={"connection": "close"}).text  # each to whichever worker is free
        except httpx.TransportError:
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.mark.slow
def test_celery_with_workers_that_are_forked(place: Path) -> None:
    tasks = """
import celery
app = celery.Celery("worked", broker="filesystem://", backend="file://" + os.environ["GATE_HOME"] + "/results")
app.conf.broker_transport_options = {
    name: os.environ["GATE_HOME"] + "/broker" for name in ("data_folder_in", "data_folder_out", "control_folder")
}
app.conf.worker_hijack_root_logger = False

@app.task
def work(name):
    return checked(name)

@app.task
def pid():
    return os.getpid()
"""
    for name in ("results", "broker"):
        (place / name).mkdir()
    (place / "project/worked.py").write_text(BEGIN + tasks)
    words = ["celery", "-A", "worked", "worker", "--pool", "prefork", "--concurrency", "2", "--loglevel", "warning"]
    sends = """
from worked import work
found = [work.delay(f"task{at}") for at in range(8)]
print(json.dumps([one.get(timeout=60) for one in found]))
"""
    with started(place, [*words, "--without-gossip", "--without-mingle", "--without-heartbeat"]):
        told = run(place, "sys.path.insert(0, os.getcwd())\n" + sends)
    assert json.loads(told) == [1] * 8
    assert decisions(place) == 3 + 8  # each of the three programs has checked one call before


@contextmanager
def started(place: Path, words: list[str]) -> Iterator[None]:
    """A program of the environment that the tests run in."""
    program = str(Path(sys.executable).parent / words[0])
    log = place / "log"
    with log.open("w") as into:
        process = subprocess.Popen(
            [program, *words[1:]], cwd=place / "project", env=environment(place), stdout=into, stderr=into
        )
        try:
            yield
        except BaseException:
            print(log.read_text())
            raise
        finally:
            process.terminate()
            process.wait(30)


def test_a_fork_does_not_wait_for_ever(place: Path) -> None:
    """A child of a process in the middle of a write cannot use SQLite. It says so, and nothing is let through."""
    told = run(
        place,
        """
interlock.calls.forks.FORK_SECONDS = 0.2
engine = gate.backend.engine
held, done = threading.Event(), threading.Event()

def holds():
    with engine.lent() as ledger, ledger.deciding():
        held.set()
        done.wait(60)

thread = threading.Thread(target=holds)
thread.start()
held.wait()

def child():
    found = gate.check("Write", {"file_path": "x", "content": ""}, session="child")
    print(found.agent, *found.notes)
    return found.verdict == "deny" and gate.check("Read", {"file_path": "x"}, session="child").allowed

assert code_of(in_child(child)) == 0
done.set()
thread.join()
assert checked("parent") == 1
assert code_of(in_child(lambda: checked("next") == 1)) == 0
""",
    )
    assert "forked" in told
    assert decisions(place) == 3


def test_what_was_let_through_in_the_parent_is_not_kept_by_the_child(place: Path) -> None:
    """A turn of an agent SDK, and its lock, which another thread holds at that moment."""
    run(
        place,
        """
from interlock.sdks.turns import Turns, Wanted
turns = Turns(gate)
one = Wanted(tool="Write", given={"file_path": "y.py", "content": ""}, call_id="c1")
assert turns.ahead(one, session="s").allowed
gate.check_before = gate.check
inside, go = threading.Event(), threading.Event()

def slow(*given, **more):
    inside.set()
    go.wait(60)
    return gate.check_before(*given, **more)

gate.check = slow
thread = threading.Thread(target=lambda: turns.ahead(one.replace(call_id="c2"), session="s"))
thread.start()
inside.wait()

def child():
    gate.check = gate.check_before
    assert not turns._kept()
    return turns.decide(one, [one], session="s").allowed

assert code_of(in_child(child)) == 0
go.set()
thread.join()
""",
    )


def test_a_gate_on_a_service(place: Path) -> None:
    """No two processes on one connection: each gets the answers to its own calls."""
    service = ServeProcess(place)
    service.start()
    token = service.token("robot", "agent")
    try:
        told = run(
            place,
            f"""
gate.close()
gate = interlock.Gate.remote({service.url!r}, {token!r}, host="claude-code", deadline=30)

def asked(name):
    "What stays in the project is let through, and nothing else."
    found = []
    for at in range(15):
        path = f"/etc/{{name}}{{at}}" if at % 3 == 0 else f"{{name}}{{at}}.py"
        call = gate.check("Write", {{"file_path": path, "content": ""}}, session=name, cwd=os.getcwd())
        found.append(call.allowed == (at % 3 != 0) and call.call.session == name)
    return all(found)

assert asked("parent")
children = [in_child(lambda: asked(f"child{{at}}")) for at in range(3)]
assert asked("parent2")
assert [code_of(child) for child in children] == [0, 0, 0]
assert asked("parent3")
gate.close()
""",
        )
    finally:
        service.stop()
    assert told == ""
