"""The file that a name of a database stands for: `file:` addresses, and the words of a dot-command.

SQLite takes `file:%2fsrv/x?mode=rwc` wherever it takes a file, and its shell takes words in quotes, with escapes in
double ones. A name that only looks like one of the folder may so be anywhere.
"""

from __future__ import annotations

__all__ = ["dot_words", "file_meant"]

_HEX = frozenset("0123456789abcdefABCDEF")


def file_meant(name: str) -> str | None:
    """The path behind a name; empty: no file at all, only memory. None: not a `file:` address that is understood."""
    if name in ("", ":memory:"):
        return ""
    if name[:5].lower() != "file:":
        return name
    rest = name[5:]
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if host not in ("", "localhost"):
            return None
        rest = slash + path
    path, _, query = rest.partition("#")[0].partition("?")
    plain = _decoded(path)
    if plain is None:
        return None
    values = [_decoded(part) for part in query.split("&") if part]
    return "" if plain in ("", ":memory:") or "mode=memory" in values else plain


def _decoded(text: str) -> str | None:
    """`%2f` is a slash. What is not text afterwards is not read."""
    first, *others = text.split("%")
    found = first.encode("utf-8", "surrogatepass")
    for piece in others:
        if len(piece) < 2 or not _HEX.issuperset(piece[:2]) or piece[:2] == "00":
            return None
        found += bytes([int(piece[:2], 16)]) + piece[2:].encode("utf-8", "surrogatepass")
    try:
        return found.decode()
    except UnicodeDecodeError:
        return None


def dot_words(text: str) -> list[str] | None:
    """The words of a line as the shell of SQLite splits it; None: a quote is open, or an escape stands in one."""
    words, at = [], 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        if char in "'\"":
            end = text.find(char, at + 1)
            if end < 0 or "\\" in text[at:end]:
                return None
            words.append(text[at + 1 : end])
            at = end + 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        words.append(text[at:end])
        at = end
    return words
