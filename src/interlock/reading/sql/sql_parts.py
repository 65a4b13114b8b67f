"""Parts of a statement: the tables it names, the kind of thing it is about, words that stand together."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, Value
from .sql_words import CHANGES, FILLERS, KINDS

if TYPE_CHECKING:
    from .sql_tokens import Token

__all__ = ["Statement", "after", "changes_in", "is_name", "kind_of", "narrows", "tables_of"]


def tables_of(verb: str, words: list[Token]) -> tuple[str, ...]:
    """The names after the words that introduce a table."""
    if verb in ("select", "values", "from", "with"):
        starts = [i for i, token in enumerate(words) if token.word in ("from", "join")]
    elif verb in ("insert", "replace", "merge", "upsert", "delete", "load"):
        starts = [i for i, token in enumerate(words) if token.word in ("into", "from")][:1] or [0]
        if verb == "load":
            starts = [i for i, token in enumerate(words) if token.word == "table"]
    elif verb in ("update", "truncate", "copy", "describe", "desc", "table"):
        starts = [0]
    elif verb in ("drop", "alter", "create", "grant", "comment"):
        starts = [i for i, token in enumerate(words) if token.word in KINDS][:1]
    else:
        return ()
    found = []
    for start in starts:
        at = start + 1
        while at < len(words) and (words[at].word in FILLERS or words[at].word in KINDS):
            at += 1
        name = ""
        while at < len(words) and (words[at].kind in ("word", "name") or words[at].text == "."):
            if name and not name.endswith(".") and words[at].text != ".":
                break
            name += words[at].text
            at += 1
        if name and name not in found:
            found.append(name)
    return tuple(found)


def kind_of(words: list[Token]) -> str:
    return next((token.word for token in words[1:4] if token.word in KINDS), "")


def after(words: list[Token], *sequence: str) -> int | None:
    """Where the words stand one after the other; the place after them."""
    for i in range(len(words) - len(sequence) + 1):
        if all(words[i + j].word == word for j, word in enumerate(sequence)):
            return i + len(sequence)
    return None


def narrows(words: list[Token]) -> bool:
    """Whether a `WHERE` of the statement itself says which rows are meant: not `WHERE true`, not `x = 1 OR 1 = 1`."""
    depth = 0
    parts: list[list[Token]] = []
    for token in words:
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if depth < 0 or (parts and depth == 0 and token.word in _ENDS_WHERE):
            break
        if (depth == 0 and token.word == "where") or (parts and depth == 0 and token.word == "or"):
            parts.append([])
        elif parts:
            parts[-1].append(token)
    return bool(parts) and all(map(_says_which, parts))


_ENDS_WHERE = frozenset(("returning", "order", "limit", "option"))
_CONSTANT = frozenset(("true", "false", "null", "not", "is", "and", "between", "in", "like"))


def _says_which(part: list[Token]) -> bool:
    plain = [token for token in part if token.text not in ("(", ")")]
    if len(plain) == 3 and plain[1].text in ("=", "==", ">=", "<=", "is") and plain[0].text == plain[2].text:
        return False
    return any(token.kind in ("word", "name") and token.word not in _CONSTANT for token in plain)


_OF_A_BATCH = frozenset("grant revoke deny backup restore kill shutdown dbcc bulk reconfigure".split())


def changes_in(words: list[Token], dialect: str) -> list[int]:
    """Where a change begins inside a statement that begins with another word. `FOR UPDATE` only locks.

    SQL Server needs no mark between two statements.
    """
    begins = CHANGES | _OF_A_BATCH if dialect == "mssql" else CHANGES
    return [
        i
        for i, token in enumerate(words)
        if i
        and token.word in begins
        and words[i - 1].text != "."
        and words[i - 1].word not in ("as", "for", "key", "show", "describe")
        and (i + 1 == len(words) or words[i + 1].text not in ("(", ",", ".", ")") or token.word in ("exec", "execute"))
    ]


def is_name(words: list[Token], at: int) -> bool:
    """True where a name with parentheses is a table's and its columns, or a named query: not a call."""
    before = words[at - 1] if at else words[0]
    if before.word in ("into", "table", "as", "index", "update"):
        return True
    if before.word == "on":
        return words[0].word == "create"
    return (before.word in ("with", "recursive") or before.text == ",") and _followed_by_as(words, at + 1)


def _followed_by_as(words: list[Token], at: int) -> bool:
    """True if the parenthesis that opens here is closed before an `AS`."""
    depth = 0
    for i in range(at, len(words)):
        depth += {"(": 1, ")": -1}.get(words[i].text, 0) if words[i].kind == "mark" else 0
        if depth == 0:
            return i + 1 < len(words) and words[i + 1].word == "as" and words[0].word == "with"
    return False


class Statement(Value):
    """
    action   its name, `sql:select`, `sql:drop`, …
    tables   what it is about, as written
    kind     of what: `table`, `database`, `index`, … where the statement says so
    reads    files of the client's or the server's machine; `writes` likewise, and `replaces` what such a file held;
             there, an empty name stands for the database itself
    runs     a command line that it runs
    unread   why it cannot be read, or not all of it
    """

    action: str
    effects: tuple[Effect, ...] = ()
    tables: tuple[str, ...] = ()
    kind: str = ""
    tags: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    irreversible: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    runs: str | None = None
    unread: str | None = None
