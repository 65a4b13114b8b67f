"""A text that is read to its end before it is answered: pages at a terminal, and the keys that turn them.

There is no way to jump: who has seen the last line has had every line before it on the screen. A window whose size
changes begins anew.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

__all__ = ["BACK", "DOWN", "ON", "UP", "Pages", "keys", "next_key", "read_to_the_end", "window"]

UP, DOWN = ("k", "\x1b[A"), ("j", "\x1b[B")
ON, BACK = (" ", "\r", "\n", "\x1b[6~"), ("b", "\x1b[5~")
_KEPT = 2  # lines of a page that stay when it is turned

Made = Callable[[int], Sequence[str]]  # the lines for so many columns


def window() -> tuple[int, int]:
    """Columns and lines of the terminal."""
    found = shutil.get_terminal_size((80, 24))
    return max(20, found.columns), max(6, found.lines)


class Pages:
    """`rows` lines of the text at a time. `ended`: the last one has been shown."""

    def __init__(self, made: Made, size: tuple[int, int], rows: int) -> None:
        self.made = made
        self.fit(size, rows)

    def fit(self, size: tuple[int, int], rows: int) -> None:
        self.size, self.rows = size, max(1, rows)
        self.lines = list(self.made(size[0]))
        self.top = 0
        self.ended = len(self.lines) <= self.rows

    @property
    def shown(self) -> list[str]:
        return self.lines[self.top : self.top + self.rows]

    @property
    def left(self) -> int:
        return max(0, len(self.lines) - self.top - self.rows)

    def turn(self, lines: int) -> None:
        self.top = max(0, min(self.top + lines, len(self.lines) - self.rows))
        self.ended = self.ended or self.left == 0

    def press(self, key: str) -> None:
        page = max(1, self.rows - _KEPT)
        steps = {**dict.fromkeys(ON, page), **dict.fromkeys(BACK, -page)}
        self.turn(steps.get(key, 1 if key in DOWN else -1 if key in UP else 0))


def read_to_the_end(made: Made) -> bool:
    """Prints the text page by page; whether it was read to its end."""
    columns, rows = window()
    pages = Pages(made, (columns, rows), rows - 1)
    _print(pages.shown)
    if pages.ended:
        return True
    with keys():
        while not pages.ended:
            _print([f"-- {pages.left} more lines: space goes on, q gives up --"], end="")
            key = ""
            while key not in ("q", "\x03", "\x04", *ON, *DOWN):
                key = next_key(60)
            _print([""], start="\r\x1b[K", end="")
            if key in ("q", "\x03", "\x04"):
                return False
            if window() != pages.size:  # what stands on the screen may be cut now
                pages.fit(window(), window()[1] - 1)
                _print(pages.shown)
                continue
            before = pages.top
            pages.turn(1 if key in DOWN else pages.rows - _KEPT)
            _print(pages.lines[before + pages.rows : pages.top + pages.rows])
    return True


def _print(lines: Sequence[str], *, start: str = "", end: str = "\n") -> None:
    sys.stdout.write(start + "".join([f"{line}{end}" for line in lines]))
    sys.stdout.flush()


@contextmanager
def keys() -> Iterator[None]:
    """Keys come one by one and are not shown, until the end."""
    before = termios.tcgetattr(0)
    try:
        tty.setcbreak(0)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def next_key(wait: float) -> str:
    """The next key, or nothing where none came in time. `q` where the terminal is gone."""
    if not select.select([0], [], [], wait)[0]:
        return ""
    raw = os.read(0, 1)
    if raw == b"\x1b":  # an arrow, or a page key
        while len(raw) < 4 and select.select([0], [], [], 0.02)[0]:
            raw += os.read(0, 1)
            if raw[-1:].isalpha() or raw[-1:] == b"~":
                break
    return raw.decode("ascii", "replace") if raw else "q"
