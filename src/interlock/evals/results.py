"""The results of one run as a file: what `--results` writes and `interlock eval diff` reads.

JSON lines: a head with the engine and the figures, then a row for each case with its verdict, its whole reading and the
figures that it lowers. A baseline (baseline.py) holds the same, with a digest in place of each reading. Readings name
paths of the corpus, so that a result file stays out of the repository.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import __version__
from ..model.errors import InputError, StoreError
from ..value import FrozenMap, Value
from .exact import short_digest
from .figures import Board, Measure, better_when, measure
from .lexical import Bench
from .runner import Result

__all__ = [
    "KIND",
    "Classes",
    "Kept",
    "KeptFigure",
    "KeptRow",
    "classes_of",
    "of_board",
    "of_run",
    "read_results",
    "source_of",
    "write_results",
]

KIND = "interlock eval results"
_FAILED = "expectation"  # what a case of a pack lowers if it fails


Classes = Mapping[str, Mapping[str, int]]


class KeptFigure(Value):
    """`better` is `higher` or `lower`."""

    value: float | None
    shown: str
    better: str


class KeptRow(Value):
    """
    id      empty in a baseline, where a row is known by its place in the file
    group   the class of the row within its file
    lowers  the figures that it lowers; in a baseline only whether there is one
    lines   the reading, see exact.py; None where only its digest is kept
    """

    id: str
    group: str
    verdict: str
    lowers: tuple[str, ...]
    digest: str
    lines: tuple[str, ...] | None = None


class Kept(Value):
    """
    figures  key -> value; times are left out, since they are the machine's
    sources  file -> the digest of what its rows were read from
    rows     file -> its rows, in their order
    classes  file -> class -> how many cases, how many of them lower a figure, and how often each verdict
    """

    engine: str
    figures: Mapping[str, KeptFigure]
    sources: Mapping[str, str]
    rows: Mapping[str, tuple[KeptRow, ...]]
    classes: Mapping[str, Classes]


def classes_of(rows: Iterable[KeptRow]) -> Classes:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        counts = found.setdefault(row.group, Counter())
        counts["cases"] += 1
        counts["lower"] += bool(row.lowers)
        counts[row.verdict or "none"] += 1
    order = ("cases", "lower", "allow", "ask", "deny", "error", "none")
    return {
        group: {key: counts[key] for key in order if counts[key] or key == "lower"}
        for group, counts in sorted(found.items())
    }


def _kept_from(
    engine: str,
    figures: Mapping[str, KeptFigure],
    sources: Mapping[str, str],
    rows: Mapping[str, tuple[KeptRow, ...]],
) -> Kept:
    return Kept(
        engine=engine,
        figures=FrozenMap(figures),
        sources=FrozenMap(sources),
        rows=FrozenMap(rows),
        classes=FrozenMap({name: classes_of(of_file) for name, of_file in rows.items()}),
    )


def of_board(board: Board) -> Kept:
    """What a scoreboard measured."""
    measures = measure(board)
    lowers: dict[int, list[str]] = {}
    for key, (_, measured) in measures.items():
        for result in measured.against:
            lowers.setdefault(id(result), []).append(key)
    figures = {
        key: KeptFigure(value=measured.value, shown=_shown(measured), better=direction)
        for key, (_, measured) in measures.items()
        if (direction := better_when(key)) is not None
    }
    rows = {name: _rows(results, lowers) for name, results in board.results.items() if name in board.sources}
    sources = {name: source_of(board.sources[name]) for name in rows}
    return _kept_from(__version__, figures, sources, rows)


def _shown(measured: Measure) -> str:
    return f"{measured.shown} ({measured.detail})" if measured.detail else measured.shown


def of_run(results: Sequence[Result]) -> Kept:
    """What packs gave: the one figure is how many cases failed."""
    failed = sum(bool(result.failures) for result in results)
    figure = KeptFigure(value=failed, shown=f"{failed} (of {len(results):,})", better="lower")
    lowers = {id(result): [_FAILED] for result in results if result.failures}
    files = dict.fromkeys(result.case.file for result in results)
    rows = {file: _rows([result for result in results if result.case.file == file], lowers) for file in files}
    sources = {file: source_of(file) for file in files}
    return _kept_from(__version__, {"failed": figure}, sources, rows)


def _rows(results: Iterable[Result], lowers: Mapping[int, list[str]]) -> tuple[KeptRow, ...]:
    return tuple(
        [
            KeptRow(
                id=result.case.id,
                group=result.case.group,
                verdict=result.verdict,
                lowers=tuple(lowers.get(id(result), ())),
                digest=short_digest(result.lines),
                lines=result.lines,
            )
            for result in results
        ]
    )


def source_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None


def write_results(path: str, kept: Kept, bench: Bench) -> None:
    head = {
        "kind": KIND,
        "engine": kept.engine,
        "policy": bench.policy.digest,
        "posture": bench.posture.name,
        "mode": bench.policy.approval_mode.name,
        "figures": {key: figure.as_dict() for key, figure in kept.figures.items()},
        "sources": dict(kept.sources),
    }
    try:
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(json.dumps(head, ensure_ascii=False) + "\n")
            for name, rows in kept.rows.items():
                for row in rows:
                    told = {
                        "file": name,
                        "id": row.id,
                        "class": row.group,
                        "verdict": row.verdict,
                        "lowers": row.lowers,
                        "reading": row.lines,
                    }
                    file.write(json.dumps(told, ensure_ascii=True) + "\n")
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None


def read_results(path: str) -> Kept:
    try:
        with open(path, encoding="utf-8") as file:
            told = [json.loads(line) for line in file]
        head, *rows = told
        if head.get("kind") != KIND:
            raise ValueError("its first line is not the head of a result file")
        return _kept(head, rows)
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        name = os.path.basename(path)
        raise InputError(f"`{name}` is not a file that --results wrote: {error}") from None


def _kept(head: dict[str, Any], told: list[dict[str, Any]]) -> Kept:
    rows: dict[str, list[KeptRow]] = {name: [] for name in head["sources"]}
    for row in told:
        lines = tuple(row["reading"])
        rows[row["file"]].append(
            KeptRow(
                id=row["id"],
                group=row["class"],
                verdict=row["verdict"],
                lowers=tuple(row["lowers"]),
                digest=short_digest(lines),
                lines=lines,
            )
        )
    figures = {key: KeptFigure(**figure) for key, figure in head["figures"].items()}
    return _kept_from(
        head["engine"], figures, head["sources"], {name: tuple(of_file) for name, of_file in rows.items()}
    )
