"""How every case of this folder and of the shipped packs is read and decided, file by file.

kept.py keeps it, test_exact.py compares it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from conformance.cases import FACTS, called, calls_of_test_files, rows_of
from conformance.kept import Blocks, block
from interlock.evals.case import Case
from interlock.evals.exact import reading_lines
from interlock.evals.lexical import bench_for
from interlock.evals.pack import load_pack
from interlock.evals.runner import Result, run_cases
from interlock.evals.shipped import shipped
from interlock.model.call import Call
from interlock.reading.bash import follow_bash

__all__ = ["FILES", "blocks_of", "results_of"]

HERE = Path(__file__).parent
BENCH = bench_for()


def _read(path: Path) -> dict[str, str]:
    found = {row["command"]: follow_bash(row["command"], cwd="/repo", facts=FACTS) for row in rows_of(path)}
    return {command: block(reading_lines(read.actions, read.opaque)) for command, read in found.items()}


@cache
def results_of(path: Path) -> tuple[Result, ...]:
    """The cases of a pack, run once for all tests that look at them."""
    return tuple(run_cases(load_pack(str(path)), BENCH))


def _pack(path: Path) -> dict[str, str]:
    return {result.case.id: _decided(result) for result in results_of(path)}


def _steps(path: Path) -> dict[str, str]:
    rows = [(group["why"], steps) for group in rows_of(path) for steps in group["of"]]
    return _named((f"{why}: {' ; '.join(steps)}", [called(step) for step in steps]) for why, steps in rows)


def _test_files(path: Path) -> dict[str, str]:
    return _named((row["why"], calls_of_test_files(row)) for row in rows_of(path))


def _named(told: Iterable[tuple[str, list[Call]]]) -> dict[str, str]:
    """The last call of each session. Two sessions of one name are told apart by a number."""
    found: dict[str, str] = {}
    for name, calls in told:
        cases = [Case(id=str(at), file=name, line=at, call=call) for at, call in enumerate(calls)]
        count = sum(title == name or title.startswith(f"{name} ~") for title in found)
        title = f"{name} ~{count + 1}" if count else name
        found[title] = _decided(list(run_cases(cases, BENCH, answer="approve"))[-1])
    return found


def _decided(result: Result) -> str:
    return block(result.lines, result.verdict)


_KINDS: dict[str, Callable[[Path], dict[str, str]]] = {
    "steps": _steps,
    "test_files_hostile": _test_files,
    "test_files_ordinary": _test_files,
}

# name of the kept file -> the cases, and how they are read
FILES: dict[str, tuple[Path, Callable[[Path], dict[str, str]]]] = {
    **{f"reading_{path.stem}": (path, _read) for path in sorted((HERE / "reading").glob("*.yaml"))},
    **{path.stem: (path, _KINDS[path.stem]) for path in sorted(HERE.glob("*.yaml"))},
    **{f"pack_{pack.name}": (Path(pack.path), _pack) for pack in shipped()},
}


def blocks_of(name: str) -> Blocks:
    path, read = FILES[name]
    return read(path)
