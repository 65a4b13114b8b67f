"""All rows of the tables of programs, with the words that lead to each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from interlock.reading.machine.index import FAMILIES
from interlock.reading.tables.spec import Program

__all__ = ["Row", "every_row"]


@dataclass(frozen=True)
class Row:
    """`words`: the program and its sub-commands; `functions`: the special of it and of the rows above."""

    family: str
    words: tuple[str, ...]
    program: Program
    functions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.family}: {' '.join(self.words)}"


@cache
def every_row() -> tuple[Row, ...]:
    found: list[Row] = []
    for family in FAMILIES:
        for program in import_module(f"interlock.reading.tables.{family}").PROGRAMS:
            _walk(Row(family, (program.name,), program, ()), found)
    return tuple(found)


def _walk(row: Row, found: list[Row]) -> None:
    program = row.program
    functions = (*row.functions, program.special) if program.special is not None else row.functions
    found.append(Row(row.family, row.words, program, functions))
    below = {id(sub): sub for sub in program.subs.values()}
    for sub in below.values():
        _walk(Row(row.family, (*row.words, sub.name), sub, functions), found)
    if program.default is not None:
        _walk(Row(row.family, row.words, program.default, functions), found)
