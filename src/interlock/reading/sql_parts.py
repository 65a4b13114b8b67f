"""Parts of a statement: the tables it names, the kind of thing it is about, words that stand together."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .sql_words import FILLERS, KINDS

if TYPE_CHECKING:
    from .sql_tokens import Token

__all__ = ["after", "is_name", "kind_of", "tables_of"]


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


def is_name(words: list[Token], at: int) -> bool:
    """True where a name with parentheses is a table's and its columns, or a named query: not a call."""
    before = words[at - 1] if at else words[0]
    if before.word in ("into", "table", "as", "index", "with", "recursive", "on", "update"):
        return True
    return before.text == "," and words[0].word == "with"
