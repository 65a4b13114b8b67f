"""The words of SQL: strings, names, comments, marks, and the lines that a client keeps for itself.

Dialects differ on what ends a string (a backslash before a quote) and a comment (nesting,
    `/*! … */`). Where that would
matter and the dialect does not settle it, the token is `broken`, and its text says why.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Token", "tokens"]


class Token:
    """`kind`: word, name (quoted), string, number, mark, line (a client's own command), broken."""

    __slots__ = ("kind", "text", "word")

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text
        self.word = text.lower() if kind == "word" else ""


_LINES = {  # words that begin a line of the client's own, where a statement could begin
    "mysql": ("system", "source", "delimiter", "tee", "notee", "pager", "nopager", "edit", "help", "status", "exit",
    "quit",
              "connect", "clear", "print", "warnings", "nowarning", "charset", "prompt", "rehash"),
    "cql": ("source", "capture", "copy", "describe", "desc", "expand", "login", "consistency", "tracing", "paging",
    "show",
            "exit", "quit", "help", "clear", "cls", "serial", "unicode"),
}  # fmt: skip


def tokens(text: str, dialect: str = "") -> Iterator[Token]:
    at, size = 0, len(text)
    fresh = True  # a statement could begin here
    while at < size:
        char = text[at]
        if char in " \t\n\r\f\v":
            at += 1
            continue
        if dialect in _ANY and _disputed(text, at):
            yield Token("broken", "where a comment ends depends on the database")
            return
        if text.startswith("--", at) and (dialect != "mysql" or text[at + 2 : at + 3] in ("", " ", "\t", "\n")):
            end = _line_end(text, at)
            if "\r" in text[at:end].removesuffix("\n").removesuffix("\r"):
                yield Token("broken", "a comment that ends at a carriage return in some databases")
                return
            at = end
            continue
        if char == "#" and dialect in ("sqlite", "duckdb") and text[at - 1 : at] in ("", "\n"):
            yield Token("broken", "a line that the client of SQLite takes for a comment")
            return
        if char == "#" and dialect == "mysql":
            at = _line_end(text, at)
            continue
        if text.startswith("/*", at):
            end, why = _past_comment(text, at, dialect)
            if why:
                yield Token("broken", why)
                return
            at = end
            continue
        line = _own_line(text, at, dialect, fresh)
        if line is not None:
            yield Token("line", text[at:line].strip())
            at, fresh = line, True
            continue
        if dialect in ("sqlite", "duckdb") and char in "/gG" and _ends_statement(text, at):
            yield Token("mark", ";")
            at, fresh = _line_end(text, at), True
            continue
        token, at = _token(text, at, dialect)
        yield token
        if token.kind == "broken":
            return
        fresh = token.kind == "mark" and token.text == ";"


def _ends_statement(text: str, at: int) -> bool:
    """`/` or `go` on a line of its own."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : _line_end(text, at)].strip().lower() in ("/", "go")


_ANY = ("", "sql")  # which database it is for is not known
_DOLLARS = ("psql", "duckdb", "snowflake", "clickhouse")
_TICKS = ("mysql", "sqlite", "clickhouse", "bigquery", "cql")


def _disputed(text: str, at: int) -> bool:
    """A comment to some databases and code to others: `#`, and `--` without a blank after it."""
    if text[at] == "#":
        rest = text[at : _line_end(text, at)]  # read as code; agreed on what follows unless something is left open
        return "/*" in rest or "$" in rest or any(rest.count(quote) % 2 for quote in "'\"`")
    return text.startswith("--", at) and text[at + 2 : at + 3] not in ("", " ", "\t", "\n", "-")


def _own_line(text: str, at: int, dialect: str, fresh: bool) -> int | None:
    """Where a command of the client's own ends, if one begins here."""
    if text[at] == "\\" and dialect in ("psql", "mysql", ""):
        if dialect == "mysql" and text[at + 1 : at + 2] in ("g", "G"):
            return at + 2
        return _line_end(text, at)
    if (
        text[at] == "."
        and dialect in ("sqlite", "duckdb")
        and text[at - 1 : at] == "\n"
        and text[at + 1 : at + 2].isalpha()
    ):
        return _line_end(text, at)  # a line with `/` or `go` ends a statement there too
    if not fresh:
        return None
    if text[at] == "." and dialect in ("sqlite", "duckdb", ""):
        return _line_end(text, at)
    if text[at] == "!" and dialect in ("snowflake", "sqlcmd", "mssql"):
        return _line_end(text, at)
    if text[at] == ":" and dialect == "mssql":
        return _line_end(text, at)
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    if text[at:end].lower() in _LINES.get(dialect, ()):
        end = _line_end(text, at)
        if dialect in ("cql", "mysql") and text[at : at + 9].lower() != "delimiter":
            stop = text.find(";", at)
            return stop + 1 if 0 <= stop < end else end
        return end
    return None


def _token(text: str, at: int, dialect: str) -> tuple[Token, int]:
    char = text[at]
    if char == "'" or (char in "eE" and text[at + 1 : at + 2] == "'"):
        return _string(text, at, dialect)
    if char == '"' and dialect == "mysql":
        return _string(text, at, dialect)
    if char in '"`' or (char == "[" and dialect in ("sqlite", "mssql", *_ANY) and "]" in text[at:]):
        close = "]" if char == "[" else char
        end = text.find(close, at + 1)
        while end >= 0 and text[end + 1 : end + 2] == close and char != "[":
            end = text.find(close, end + 2)
        if end < 0:
            return Token("broken", "a quoted name does not end"), len(text)
        inside = text[at + 1 : end]
        unsure = dialect in _ANY or (char == "`" and dialect not in _TICKS)
        if unsure and any(mark in inside for mark in ";'\"\\") and not (char == '"' and "\\" not in inside):
            return Token("broken", "where a name ends depends on the database"), len(text)
        return Token("name", text[at + 1 : end]), end + 1
    if char == "$" and dialect != "mysql":
        mark = at + 1
        while mark < len(text) and (text[mark].isalnum() or text[mark] == "_"):
            mark += 1
        if text[mark : mark + 1] == "$" and not text[at + 1 : at + 2].isdigit():
            if dialect not in _DOLLARS:
                return Token("broken", "where a text ends depends on the database"), len(text)
            tag = text[at : mark + 1]
            end = text.find(tag, mark + 1)
            if end < 0:
                return Token("broken", "a dollar-quoted text does not end"), len(text)
            return Token("string", text[mark + 1 : end]), end + len(tag)
    if char.isalpha() or char in "_@" or char > "\x7f":
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] in "_$@#" or text[end] > "\x7f"):
            end += 1
        return Token("word", text[at:end]), end
    if char in "0123456789":  # a letter behind it begins a word: `1into` is that in some databases
        end = at
        while end < len(text) and text[end] in "0123456789._":
            end += 1
        return Token("number", text[at:end]), end
    if char == "\0":
        return Token("broken", "a part of the SQL is unknown"), len(text)
    if text.startswith("::", at):
        return Token("mark", "::"), at + 2
    if (
        char == ":"
        and dialect == "psql"
        and (text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] in ("'", '"', "_"))
    ):
        return Token("broken", "a variable of psql stands for unknown text"), len(text)
    if text.startswith("$(", at) and dialect == "mssql":
        return Token("broken", "a variable of sqlcmd stands for unknown text"), len(text)
    return Token("mark", char), at + 1


def _string(text: str, at: int, dialect: str) -> tuple[Token, int]:
    escapes = text[at] in "eE" or dialect in ("mysql", "clickhouse")
    start = at + 1 if text[at] not in "eE" else at + 2
    quote = text[start - 1]
    end = start
    while end < len(text):
        char = text[end]
        if char == "\\" and escapes:
            end += 2
            continue
        if char == "\\" and dialect in (*_ANY, "bigquery", "snowflake") and text[end + 1 : end + 2] == quote:
            return Token("broken", "where a string ends depends on the database"), len(text)
        if char == quote:
            if text[end + 1 : end + 2] != quote:
                value = text[start:end].replace(quote * 2, quote)
                return Token("broken" if "\0" in value and "\n" in value else "string", value), end + 1
            end += 1
        end += 1
    return Token("broken", "a string does not end"), len(text)


def _past_comment(text: str, at: int, dialect: str) -> tuple[int, str]:
    if text.startswith(("/*!", "/*M!"), at) and dialect in ("mysql", *_ANY):
        return at, "a comment that MySQL runs"
    depth, start = 0, at
    while at < len(text):
        if text.startswith("/*", at):
            depth += 1
            at += 2
            if depth > 1 and dialect != "psql":
                return start, "where a comment ends depends on the database"
        elif text.startswith("*/", at):
            depth -= 1
            at += 2
            if depth == 0:
                return at, ""
        else:
            at += 1
    return at, "a comment does not end"


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1
