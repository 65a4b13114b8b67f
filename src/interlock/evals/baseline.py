"""The baseline that a repository keeps of the corpora: figures by class, and a digest of every reading.

A folder: figures.json, and readings/NAME.txt for each corpus. No row of a corpus is in it, not even an id: a reading is
known by its place in a file whose digest is kept too. An entry is a letter for the verdict, a capital if the row lowers
a figure, and six digits of the digest of its reading.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from ..model.errors import InputError, StoreError
from ..value import FrozenMap
from .results import Classes, Kept, KeptFigure, KeptRow

__all__ = ["read_baseline", "write_baseline"]

_FIGURES = "figures.json"
_READINGS = "readings"
_LETTERS = {"allow": "a", "ask": "k", "deny": "d", "error": "e", "": "n"}
_WORDS = {letter: verdict for verdict, letter in _LETTERS.items()}
_ACROSS = 12  # entries a line
_SOME = "a figure"


def read_baseline(folder: str) -> Kept:
    told = _figures(folder)
    try:
        rows = {name: _read(folder, name, told["classes"][name]) for name in told["sources"]}
        figures = {key: KeptFigure(**figure) for key, figure in told["figures"].items()}
        return Kept(
            engine=told["engine"],
            figures=FrozenMap(figures),
            sources=FrozenMap(told["sources"]),
            rows=FrozenMap(rows),
            classes=FrozenMap(told["classes"]),
        )
    except OSError as error:
        raise InputError(f"`{folder}`: {error.filename} could not be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"`{folder}` is not a baseline: {error}") from None


def _figures(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, _FIGURES)
    try:
        with open(path, encoding="utf-8") as file:
            told: dict[str, Any] = json.load(file)
            return told
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"`{path}` is not JSON: {error}") from None


def _read(folder: str, name: str, classes: Classes) -> tuple[KeptRow, ...]:
    """The rows in their order. Which class a row is of is not kept with it: only the counts are."""
    with open(_place(folder, name), encoding="utf-8") as file:
        entries = file.read().split()
    count = sum(counts["cases"] for counts in classes.values())
    if len(entries) != count:
        raise ValueError(f"{name} has {len(entries)} readings, and {count} cases")
    return tuple(
        [
            KeptRow(
                id="",
                group="",
                verdict=_WORDS[entry[0].lower()],
                lowers=(_SOME,) if entry[0].isupper() else (),
                digest=entry[1:],
            )
            for entry in entries
        ]
    )


def _place(folder: str, name: str) -> str:
    return os.path.join(folder, _READINGS, name.replace(", ", "-").replace(" ", "-").replace("/", "-") + ".txt")


def write_baseline(folder: str, kept: Kept) -> None:
    """Keeps what was measured. What was not measured this time stays as it is kept."""
    there = os.path.exists(os.path.join(folder, _FIGURES))
    old = _figures(folder) if there else {"figures": {}, "sources": {}, "classes": {}}
    figures = {key: figure.as_dict() for key, figure in kept.figures.items() if figure.value is not None}
    told = {
        "engine": kept.engine,
        "figures": {**old["figures"], **figures},
        "sources": dict(sorted({**old["sources"], **kept.sources}.items())),
        "classes": dict(sorted({**old["classes"], **kept.classes}.items())),
    }
    try:
        os.makedirs(os.path.join(folder, _READINGS), exist_ok=True)
        for name, rows in kept.rows.items():
            with open(_place(folder, name), "w", encoding="utf-8") as file:
                file.writelines(_lines(rows))
        with open(os.path.join(folder, _FIGURES), "w", encoding="utf-8") as file:
            file.write(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(f"`{error.filename}` could not be written: {error.strerror}") from None


def _lines(rows: tuple[KeptRow, ...]) -> Iterable[str]:
    entries = [_entry(row) for row in rows]
    for at in range(0, len(entries), _ACROSS):
        yield " ".join(entries[at : at + _ACROSS]) + "\n"


def _entry(row: KeptRow) -> str:
    letter = _LETTERS[row.verdict]
    return (letter.upper() if row.lowers else letter) + row.digest
