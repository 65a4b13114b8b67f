"""Whether the tests see a mutant. One warm process imports and collects everything once; each mutant is a fork of it.

The process runs pytest, and takes over after the collection. First all tests run once, in a fork, to learn what each
takes and which functions of the core it calls. Then each mutant gets a fork of its own: the mutated code is put into
the live functions, a mutated table into every module that holds it, and those tests run that call into the module,
until one fails. What cannot be put in like that (the fields of a class), and what survives although it was used while
modules were imported, gets a fork from before anything of Interlock was imported.

A mutant is killed if a test fails, if importing fails, or if the tests take ten times the processor time that they
should. Nothing depends on the clock or on chance: Hypothesis makes up the same examples each time.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, NoReturn

import pytest

from .live import functions_in, put_in
from .operators import MODULE, Mutant

__all__ = ["KILLED", "SURVIVED", "UNSEEN", "Task", "judged", "prepare"]

KILLED, SURVIVED, UNSEEN = "killed", "survived", "no test runs it"
DOUBTFUL, CONTROL, NOT_IN = "doubtful", "as it was", 3
EXAMPLES = 25  # of each property: most mutants fall to the first few
MEMORY = 4 << 30
STUCK = 300  # seconds of the clock, for what waits instead of working
ARGS = ["-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=no", "--disable-warnings", "--assert=plain"]


def prepare(tests: Path) -> None:
    """Imports what every judge needs, but nothing of Interlock: mutants of tables are forked from here."""
    os.environ.update(PYTHONHASHSEED="0", INTERLOCK_QUOTAS="off", INTERLOCK_EXAMPLES=str(EXAMPLES))
    sys.path.insert(0, str(tests))
    import hypothesis
    import yaml  # noqa: F401

    import chance  # noqa: F401  the number is read now; without the variable the examples are the same each time

    del os.environ["INTERLOCK_EXAMPLES"]
    phases = (
        hypothesis.Phase.explicit,
        hypothesis.Phase.generate,
    )  # a failure is enough, the smallest one is not needed
    hypothesis.settings.register_profile("mutants", phases=phases, derandomize=True, database=None, deadline=None)
    hypothesis.settings.load_profile("mutants")
    assert not any(name.partition(".")[0] == "interlock" for name in sys.modules), "imported too early"


class Task(NamedTuple):
    """A mutant, the module that it is of, and the files of tests that judge it."""

    module: str
    file: str
    tests: tuple[str, ...]
    mutant: Mutant


def judged(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, str]]:
    """Each mutant and what became of it, in the order in which that is known."""
    sources = {file: Path(file).read_text(encoding="utf-8") for file in {task.file for task in tasks}}
    with tempfile.TemporaryDirectory(prefix="interlock-mutants-") as folder:
        doubtful: list[int] = []
        costs: dict[str, float] = {}
        for row in _lines_of(_Warm(tasks, sources, jobs, folder).run):
            if row[0] == "costs":
                costs = row[1]
            elif row[0] == "broken":
                raise SystemExit(f"without any mutant, {row[1]}")
            elif row[0] < 0:
                if row[1] != CONTROL:
                    raise SystemExit(f"without any mutant, {row[1]}")
            elif row[1] == DOUBTFUL:
                doubtful.append(row[0])
            else:
                yield tasks[row[0]], row[1]
        if not costs:
            raise SystemExit(f"the tests were not collected: {' '.join(sorted({t for k in tasks for t in k.tests}))}")

        def anew(at: int, worker: int) -> str:
            task = tasks[at]
            tests = sorted((test for test in costs if _file_of(test) in task.tests), key=costs.__getitem__)
            fresh = _Chosen(tests, task.module, lambda: task.mutant.compiled(sources[task.file], task.file))
            args = [*ARGS, f"--basetemp={folder}/{worker}", *task.tests]
            return KILLED if _forked(lambda: fresh.run(args), sum(costs[test] for test in tests)) else SURVIVED

        for at, verdict in _lines_of(lambda: _shared(doubtful, jobs, anew)):
            yield tasks[at], verdict


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _shared(work: Sequence[int], jobs: int, each: Callable[[int, int], str]) -> int:
    """Forks that divide the work among them. Each tells the rows that it gets, and nothing else."""
    workers = []
    for worker in range(jobs):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                for at in work[worker::jobs]:
                    _tell([at, each(at, worker)])
                code = 0
            finally:
                os._exit(code)
        workers.append(pid)
    for pid in workers:
        os.waitpid(pid, 0)
    return 0


class _Warm:
    """The plugin that takes over after the collection."""

    def __init__(self, tasks: Sequence[Task], sources: dict[str, str], jobs: int, folder: str) -> None:
        self.tasks, self.sources, self.jobs, self.folder = tasks, sources, jobs, folder
        self.called = _Called(set(sources))
        self.killers: dict[tuple[str, str], list[str]] = {}

    def run(self) -> int:
        files = sorted({test for task in self.tasks for test in task.tests})
        with self.called:
            return int(pytest.main([*ARGS, f"--basetemp={self.folder}/all", *files], plugins=[self]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.called.stop()
        self.session, self.items = session, {item.nodeid: item for item in session.items}
        self.costs: dict[str, float] = {}
        self.touched: dict[tuple[str, str], list[str]] = {}
        for row in _lines_of(lambda: _profiled(session, set(self.sources))):
            if row[0] == "imported":
                for module in row[1]:  # what a test imports late is imported here once for all forks
                    __import__(module)
            elif row[2]:
                _tell(["broken", f"{row[0]} fails"])
                return True
            else:
                self.costs[row[0]] = row[1]
                for file, function in row[3]:
                    self.touched.setdefault((file, function), []).append(row[0])
        _tell(["costs", self.costs])
        self.live = {file: functions_in(file) for file in self.sources}
        gc.freeze()
        _shared(range(-self.jobs, len(self.tasks)), self.jobs, self.verdict)
        return True

    def control(self, worker: int) -> str:
        """The first of each worker: without a mutant all tests pass, beside others and in the order of their cost."""
        ended, killer = self.tried(None, sorted(self.costs, key=self.costs.__getitem__), worker)
        return f"{killer or 'a test'} fails in a fork beside others" if ended else CONTROL

    def verdict(self, at: int, worker: int) -> str:
        if at < 0:
            return self.control(worker)
        task = self.tasks[at]
        where = (task.file, task.mutant.function)
        killers = self.killers.setdefault(where, [])
        # who looks at a table calls no function of its module
        candidates = self.costs if task.mutant.function == MODULE else self.touched.get(where, ())
        tests = [test for test in candidates if _file_of(test) in task.tests]
        order = {test: (killers.index(test) if test in killers else len(killers), self.costs[test]) for test in tests}
        ended, killer = self.tried(task, sorted(tests, key=order.__getitem__), worker)
        if killer:
            killers.insert(0, killer)
        if ended not in (0, NOT_IN):
            return KILLED
        # what was used while modules were imported may live on in what they made of it
        if ended == NOT_IN or task.mutant.function == MODULE or where in self.called.names:
            return DOUBTFUL
        return SURVIVED if tests else UNSEEN

    def tried(self, task: Task | None, tests: Sequence[str], worker: int) -> tuple[int, str]:
        """How it ended, and the test that failed."""

        def child() -> int:
            if task and not put_in(task.mutant, self.sources[task.file], task.file, self.live[task.file]):
                return NOT_IN
            # INVARIANT: no two forks share a folder, or one would clear away what the other's tests stand on.
            self.session.config._tmp_path_factory._given_basetemp = Path(self.folder, str(worker))  # type: ignore[attr-defined]
            items = [self.items[test] for test in tests]
            for at, item in enumerate(items):
                nextitem = items[at + 1] if at + 1 < len(items) else None
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
                if self.session.testsfailed:
                    _tell([item.nodeid])
                    return 1
            return 0

        told: list[Any] = []
        ended = _forked(child, sum(self.costs[test] for test in tests), told)
        return ended, told[0][0] if told else ""


class _Chosen:
    """Imports the mutant, and runs these tests in this order until one fails."""

    def __init__(self, tests: Sequence[str], module: str, code: Callable[[], CodeType]) -> None:
        self.order = {test: at for at, test in enumerate(tests)}
        self.module, self.code = module, code

    def run(self, args: list[str]) -> int:
        sys.meta_path.insert(0, self)
        return int(pytest.main([*args, "-x"], plugins=[self]))

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(name, spec.origin, self.code)
        return spec

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: Callable[[], CodeType]) -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> CodeType:
        return self.code()


class _Called:
    """Which functions of some files are called: the outermost ones. A call into a file calls its MODULE, too."""

    def __init__(self, files: set[str]) -> None:
        self.files, self.names = files, set[tuple[str, str]]()

    def __enter__(self) -> None:
        threading.setprofile(self.look)
        sys.setprofile(self.look)

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def look(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in self.files:
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            self.names |= {(frame.f_code.co_filename, name), (frame.f_code.co_filename, MODULE)}


def _profiled(session: pytest.Session, files: set[str]) -> int:
    """Runs every test once, and tells what it takes and which functions of the files it calls."""
    for at, item in enumerate(session.items):
        called = _Called(files)
        nextitem = session.items[at + 1] if at + 1 < len(session.items) else None
        began = time.process_time()
        with called:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        _tell([item.nodeid, time.process_time() - began, bool(session.testsfailed), sorted(called.names)])
        if session.testsfailed:
            return 1
    own = [name for name in sys.modules if name.partition(".")[0] == "interlock"]
    _tell(["imported", sorted(own)])
    return 0


_OUT: list[int] = []  # where this process tells what it found


def _tell(row: list[Any]) -> None:
    raw = json.dumps(row).encode() + b"\n"
    while raw:
        raw = raw[os.write(_OUT[-1], raw) :]


def _child(work: Callable[[], int], write: int, limit: float | None) -> NoReturn:
    """What a fork does: nothing of it is seen but what it tells and how it ends."""
    code = 1
    try:
        _OUT[:] = [write]
        quiet = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(quiet, fd)
        if limit is not None:
            seconds = int(limit)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = work()
    except BaseException:
        code = 1
    finally:
        os._exit(code)


def _lines_of(work: Callable[[], int]) -> Iterator[list[Any]]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _child(work, write, None)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
    os.waitpid(pid, 0)


def _forked(work: Callable[[], int], cost: float, told: list[Any] | None = None) -> int:
    """How it ended: 0 where every test passed. It may take ten times what its tests take, and a little."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.setpgid(0, 0)
        _child(work, write, 10 * cost + 20)
    os.close(write)
    ready, _, _ = select.select([read], [], [], STUCK)
    if not ready:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(read, encoding="utf-8") as file:
        if told is not None and ready:
            told.extend(json.loads(line) for line in file.read().splitlines())
    return os.waitstatus_to_exitcode(status)
