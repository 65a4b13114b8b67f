"""Python text that no Python would run: a literal broken over two lines, a bracket too many, `except` in mid-line.

A Python compiles all of a text before it runs any of it, so that one certain mistake anywhere makes the whole text do
nothing. Certain are only mistakes that every Python from 2.7 on refuses, and only where every Python reads the text in
the same tokens up to there. That is decided here from the characters, and not by asking the Python that Interlock
happens to run on: a newer one knows words that an older one refuses, and the other way round. Whatever versions read
in different ways (nested quotes in f-strings, back-quotes, line continuations, tabs, anything but plain ASCII) ends the
search, and the text is as unclear as it was.
"""

from __future__ import annotations

__all__ = ["why_refused"]

_PLAIN = frozenset(map(chr, range(32, 127))) | {"\n"}
_PREFIXES = frozenset(("r", "b", "u", "br", "rb"))
_FORMATS = frozenset(("f", "fr", "rf"))
_PAIRS = {")": "(", "]": "[", "}": "{"}

# Words of every version that begin a statement of several lines: none of them follows a `;` or a `:` on its line.
_BEGINS = frozenset(("class", "def", "for", "if", "try", "while", "with"))
# Words that only ever stand first on a line.
_FIRST = frozenset(("elif", "except", "finally"))
# What no line ends with.
_OPEN_WORDS = frozenset(("and", "as", "from", "import", "in", "is", "not", "or"))
_OPEN_SIGNS = frozenset("=+-%|&^<")

_UNCLOSED = "a text that is not closed on its line"
_BRACKETS = "brackets that do not match"


def why_refused(text: str) -> str | None:
    """What no Python takes, for people; None if some Python may run this."""
    if not _PLAIN.issuperset(text):
        return None
    return _Scan(text).refusal()


class _Scan:
    __slots__ = ("at", "before", "depth", "first", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth: list[str] = []  # brackets that are open
        self.before = ""  # the token before this one on the same line; a literal is `"`, a number is `0`
        self.first = True  # nothing of this line was met yet

    def refusal(self) -> str | None:
        text, size = self.text, len(self.text)
        while self.at < size:
            char = text[self.at]
            if char == "\n":
                if not self.depth:
                    if self._is_open():
                        return "a line that ends in the middle"
                    self.before, self.first = "", True
                self.at += 1
            elif char == " ":
                self.at += 1
            elif char == "#":
                end = text.find("\n", self.at)
                end = size if end < 0 else end
                if "coding" in text[self.at : end]:
                    return None  # in the first lines it would say how all the rest is to be read
                self.at = end
            else:
                found = self._token(char)
                if found is not None:
                    return found or None
        if self.depth:
            return _BRACKETS
        return "a line that ends in the middle" if self._is_open() else None

    def _is_open(self) -> bool:
        return self.before in _OPEN_WORDS or self.before in _OPEN_SIGNS

    def _token(self, char: str) -> str | None:
        """Past one token. Why nobody takes it; empty if versions differ; None if all goes on."""
        text = self.text
        met = char
        if char.isalpha() or char == "_":
            end = self.at
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            met = text[self.at : end]
            self.at = end
            if text[end : end + 1] in ("'", '"'):
                lower = met.lower()
                if lower in _FORMATS:
                    return self._format()
                return self._literal() if lower in _PREFIXES else ""
            if met in _FIRST and not self.first:
                return f"`{met}` in the middle of a line"
            if met in _BEGINS and not self.depth and self.before in (";", ":"):
                return f"`{met}` after a `{self.before}`"
        elif char.isdigit() or (char == "." and text[self.at + 1 : self.at + 2].isdigit()):
            while self.at < len(text) and (text[self.at].isalnum() or text[self.at] in "._"):
                self.at += 1
            if text[self.at : self.at + 1] in ("'", '"'):
                return ""
            met = "0"
        elif char in "'\"":
            return self._literal()
        elif char in "`\\!$?":
            if char != "!" or text[self.at + 1 : self.at + 2] != "=":
                return ""
            self.at += 2
            met = "<"
        else:
            self.at += 1
            if char in "([{":
                self.depth.append(char)
            elif char in _PAIRS and (not self.depth or self.depth.pop() != _PAIRS[char]):
                return _BRACKETS
        self.before, self.first = met, False
        return None

    def _literal(self) -> str | None:
        text, at = self.text, self.at
        quote = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
        at += len(quote)
        while at < len(text):
            if text[at] == "\\":
                at += 2
            elif text.startswith(quote, at):
                self.at = at + len(quote)
                self.before, self.first = '"', False
                return None
            elif text[at] == "\n" and len(quote) == 1:
                return _UNCLOSED
            else:
                at += 1
        return _UNCLOSED

    def _format(self) -> str | None:
        """An f-string, where old and new Pythons agree on its end: nothing in it could be a quote or a comment."""
        text, at = self.text, self.at
        end = text.find(text[at], at + 1)
        inside = text[at + 1 : end]
        if end < 0 or not inside or not _UNQUOTED.isdisjoint(inside):
            return ""
        depth = 0
        for char in inside:
            depth += (char == "{") - (char == "}")
            if depth < 0:
                return ""
        if depth:
            return ""
        self.at = end + 1
        self.before, self.first = '"', False
        return None


_UNQUOTED = frozenset("'\"\\#\n")
