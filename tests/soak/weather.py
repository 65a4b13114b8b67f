"""A clock that can be set, a disk that can be full and a count of SQLite's steps, for a program with `environment`."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

__all__ = ["Weather", "built"]

_SOURCE = Path(__file__).with_name("weather.c")


def built(folder: Path) -> Path:
    """The library. Skips where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    library = folder / "weather.so"
    words = [compiler, "-shared", "-fPIC", "-w", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    return library


class Weather:
    """Both are in force at once, also for a program that runs already."""

    def __init__(self, library: Path, folder: Path, under: str) -> None:
        self._file = folder / "weather"
        self._file.write_bytes(bytes(24))
        self._hours, self._full = 0.0, False
        self.environment = {"LD_PRELOAD": str(library), "WEATHER": str(self._file), "WEATHER_UNDER": under}

    def clock(self, hours: float) -> None:
        """It is off by so many hours."""
        self._hours = hours
        self._tell()

    def disk(self, *, full: bool) -> None:
        self._full = full
        self._tell()

    @property
    def steps(self) -> int:
        """How many the program has taken: one for each statement and for each row. None are counted where SQLite is a
        part of the interpreter.
        """
        return int(struct.unpack("=qqq", self._file.read_bytes())[2])

    def _tell(self) -> None:
        """Written in place, since the program has mapped it."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("=qq", int(self._hours * 3600 * 1e9), self._full))
