"""JavaScript that only shows something: `console.log(require('./package.json').version)`.

Node is asked for a version or a setting all day, in one line. What is taken here is an allowlist: names, texts,
numbers, properties, and files of data; no call but of what prints, no operator but `+`. Anything else is another
program, and not read.
"""

from __future__ import annotations

__all__ = ["LOADED_INSTEAD", "shown_files"]

# What node loads where the file itself is not there: some of these are run.
LOADED_INSTEAD = (".js", ".json", ".node", "/index.js", "/index.json", "/index.node", "/package.json")

_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$0123456789")
_OWN = frozenset(("require", "console", "process", "JSON", "Object", "globalThis", "module", "exports"))
_DECLARES = frozenset(("const", "let", "var"))
_OF_PROCESS = frozenset(("version", "versions", "platform", "arch"))
_CALLS = frozenset((("console", "log"), ("JSON", "stringify"), ("Object", "keys"), ("Object", "values")))


class _Other(Exception):
    """Something that is not on the list."""


def shown_files(code: str) -> list[str] | None:
    """The files of data that the code reads, where all it does is show what is in them; None for any other code."""
    try:
        tokens = _tokens(code)
        reader = _Reader(tokens)
        while reader.at < len(tokens):
            if not reader.takes(";"):
                reader.statement()
                if reader.at < len(tokens) and not reader.takes(";"):
                    return None
    except _Other:
        return None
    return reader.files


def _tokens(code: str) -> list[str]:
    """A text keeps its first quote, so that it is told from a name. A line end is the end of a statement."""
    found: list[str] = []
    at = 0
    while at < len(code):
        char = code[at]
        end = at + 1
        if char in "\"'":
            end = code.find(char, at + 1)
            if end < 0 or "\\" in code[at:end] or "\n" in code[at:end]:
                raise _Other
            found.append(char + code[at + 1 : end])
            end += 1
        elif char in _NAME:
            while end < len(code) and code[end] in _NAME:
                end += 1
            found.append(code[at:end])
        elif char in ".,;()[]=+\n":
            found.append(";" if char == "\n" else char)
        elif char not in " \t":
            raise _Other
        at = end
    return found


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.names: set[str] = set()
        self.files: list[str] = []

    def next(self) -> str:
        if self.at >= len(self.tokens):
            raise _Other
        self.at += 1
        return self.tokens[self.at - 1]

    def takes(self, token: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def needs(self, token: str) -> None:
        if not self.takes(token):
            raise _Other

    def statement(self) -> None:
        if self.tokens[self.at] in _DECLARES:
            self.at += 1
            name = self.next()
            if name in _OWN or name[0] not in _NAME or name[0].isdigit():
                raise _Other
            self.needs("=")
            self.value()
            self.names.add(name)
        else:
            self.value()

    def value(self) -> None:
        self.part()
        while self.takes("+"):
            self.part()

    def part(self) -> None:
        first = self.next()
        if first == "require":
            self.needs("(")
            self.files.append(_data(self.next()))
            self.needs(")")
        elif first in _OWN:
            self.needs(".")
            second = self.next()
            if (first, second) in _CALLS:
                self.arguments()
            elif first != "process" or second not in _OF_PROCESS:
                raise _Other
        elif not (first[0] in "\"'" or first.isdigit() or first in self.names or first == "null"):
            raise _Other
        while True:
            if self.takes("."):
                if self.next()[0] not in _NAME:
                    raise _Other
            elif self.takes("["):
                key = self.next()
                if key[0] not in "\"'" and not key.isdigit():
                    raise _Other
                self.needs("]")
            else:
                return

    def arguments(self) -> None:
        self.needs("(")
        if self.takes(")"):
            return
        self.value()
        while self.takes(","):
            self.value()
        self.needs(")")


def _data(text: str) -> str:
    """A file of data by its path; a bare name is a package, which is run."""
    path = text[1:]
    if text[0] not in "\"'" or not path.endswith(".json") or not path.startswith(("./", "../", "/")):
        raise _Other
    return path
