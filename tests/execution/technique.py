"""What a technique is: a way to write a command so that its text does not show what it runs.

`folds` says that the result follows from the text alone, so that a reader can name the command; the others may stay
opaque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

__all__ = ["Spelling", "Technique", "Wrapping", "ansi", "double", "hexed", "octal", "single"]

Spell = Callable[[list[str], Random], tuple[str, str]]  # words -> what comes before, and a simple command
Wrap = Callable[[str, Random], str]  # text -> text


@dataclass(frozen=True)
class Technique:
    name: str
    folds: bool = True
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spelling(Technique):
    """Writes the words of a command."""

    spell: Spell = lambda words, rng: ("", " ".join(words))


@dataclass(frozen=True)
class Wrapping(Technique):
    """Puts a command inside another one. `simple`: it takes a simple command only, such as `sudo`."""

    wrap: Wrap = lambda text, rng: text
    simple: bool = False


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    return '"' + "".join("\\" + char if char in '"\\$`' else char for char in text) + '"'


def ansi(text: str) -> str:
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def hexed(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def octal(text: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in text.encode())
