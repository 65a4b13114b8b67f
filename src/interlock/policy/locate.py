"""Where each key of a TOML text stands, so that a problem can name line and column.

`tomllib` gives values without places. This scanner runs only when something is wrong, over
text that `tomllib` has already accepted, so it need not check anything: it follows the
grammar just far enough to know which key it is looking at. Pure.
"""

from __future__ import annotations

from bisect import bisect_right

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    Path = tuple[str | int, ...]
    Place = tuple[int, int]

__all__ = ["locate", "nearest"]

_BARE_END = frozenset(" \t\r\n=.,[]{}#\"'")


def locate(text: str) -> dict[Path, Place]:
    """The place (line, column; from 1) of every key, table header and array item."""
    return _Scanner(text).run()


def nearest(places: dict[Path, Place], path: Path) -> Place:
    """The place of the path, or of the closest thing around it."""
    while path and path not in places:
        path = path[:-1]
    return places.get(path, (1, 1))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, Place] = {}
        self.starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]
        self.counts: dict[Path, int] = {}  # how many tables an array of tables has so far

    def run(self) -> dict[Path, Place]:
        table: Path = ()
        while self._skip_blank():
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.found

    def _skip_blank(self) -> bool:
        """To the next thing that is neither blank nor comment; False at the end."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char in " \t\r\n":
                self.at += 1
            else:
                return True
        return False

    def _mark(self, path: Path, at: int) -> None:
        if path not in self.found:
            line = bisect_right(self.starts, at)
            self.found[path] = (line, at - self.starts[line - 1] + 1)

    def _header(self) -> Path:
        start = self.at
        doubled = self.text.startswith("[[", self.at)
        self.at += 2 if doubled else 1
        keys = self._keys()
        self.at = self.text.index("]", self.at) + (2 if doubled else 1)
        path: Path = ()
        for key, _ in keys[:-1]:
            path = (*path, key)
            self._mark(path, start)
            path = self._inside(path)
        path = (*path, keys[-1][0])
        self._mark(path, start)
        if doubled:
            index = self.counts.get(path, 0)
            self.counts[path] = index + 1
            path = (*path, index)
            self._mark(path, start)
        return path

    def _inside(self, path: Path) -> Path:
        """Below an array of tables, a header speaks of its last table."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _keys(self) -> list[tuple[str, int]]:
        keys = []
        while True:
            self._skip_blank()
            start = self.at
            if self.text[self.at] in "\"'":
                key = self._string()
            else:
                while self.text[self.at] not in _BARE_END:
                    self.at += 1
                key = self.text[start : self.at]
            keys.append((key, start))
            self._skip_blank()
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def _pair(self, table: Path) -> None:
        path = table
        for key, start in self._keys():
            path = (*path, key)
            self._mark(path, start)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip_blank()
        char = self.text[self.at]
        if char in "\"'":
            self._string()
        elif char == "[":
            self._array(path)
        elif char == "{":
            self._inline(path)
        else:  # a number, a date, a boolean: ends at a comma, a bracket, a comment or the line
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self._skip_blank() and self.text[self.at] != "]":
            self._mark((*path, index), self.at)
            self._value((*path, index))
            index += 1
            self._skip_blank()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        while self._skip_blank() and self.text[self.at] != "}":
            self._pair(path)
            self._skip_blank()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1

    def _string(self) -> str:
        """Past a string of any of the four kinds; its text, with simple escapes undone."""
        quote = self.text[self.at]
        if self.text.startswith(quote * 3, self.at):
            end = self.at + 3
            while not self.text.startswith(quote * 3, end):
                end += 2 if quote == '"' and self.text[end] == "\\" else 1
            end += 3
            while end < len(self.text) and self.text[end] == quote:  # up to two quotes may stand inside
                end += 1
            self.at = end
            return ""
        end = self.at + 1
        while self.text[end] != quote:
            end += 2 if quote == '"' and self.text[end] == "\\" else 1
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        if quote == '"' and "\\" in inside:
            import tomllib

            inside = str(tomllib.loads(f'k = "{inside}"')["k"])
        return inside
