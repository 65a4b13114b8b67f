"""SQL, read statement by statement: what each one would do, to which table, with which files and commands.

`read_sql(text)` is pure and total. Strings, quoted names, comments and dollar quotes are told apart, so that a word in
a string is never taken for a statement. Where dialects differ on where a string or a comment ends, and the dialect is
not given, the statement is not read: `Statement.unread` says why. Lines that a client keeps for itself (`\\!`,
`.shell`) are read by sql_lines.py.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, lazy
from .sql_functions import BEFORE_PARENTHESIS, PURE
from .sql_parts import Statement, after, changes_in, is_name, kind_of, narrows, tables_of
from .sql_tokens import Token, tokens
from .sql_words import DESTROYS, FILE_READERS, LOOKING_PRAGMAS, REACHES, READS, VERBS, VIRTUAL, WRITES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .sql_lines import read_line
else:
    read_line = lazy(globals(), ".sql_lines", "read_line")

__all__ = ["only_looks", "read_sql"]

_R, _W, _D = READS, WRITES, DESTROYS


def read_sql(text: str, dialect: str = "") -> list[Statement]:
    """Every statement of the text. `dialect`: psql, mysql, sqlite, duckdb, mssql, clickhouse, cql, or none of them."""
    found = []
    for words in _split(tokens(text, dialect)):
        first = words[0]
        if first.kind == "line":
            found.append(read_line(first.text, dialect, read_sql))
        else:
            found.append(_statement(words, dialect))
    return found


def only_looks(text: str, dialect: str = "") -> bool:
    """True if every statement of the text is read, and none of them does more than look."""
    parts = read_sql(text, dialect)
    if any(part.unread is not None or part.writes or part.runs is not None for part in parts):
        return False
    return all(set(part.effects) <= {Effect.READ} for part in parts)


def _split(stream: Iterator[Token]) -> Iterator[list[Token]]:
    words: list[Token] = []
    for token in stream:
        if token.kind == "line":
            if words:
                yield words
            yield [token]
            words = []
        elif token.text == ";" and token.kind == "mark":
            if words:
                yield words
            words = []
        else:
            words.append(token)
    if words:
        yield words


def _statement(words: list[Token], dialect: str) -> Statement:
    broken = next((token.text for token in words if token.kind == "broken"), None)
    if broken is not None:
        return Statement(action="sql:unread", effects=(Effect.EXECUTE,), unread=broken)
    while len(words) > 1 and words[0].text == "(":
        words = words[1:]
    verb = words[0].word
    if verb == "explain":
        return _explained(words, dialect)
    if verb == "with":
        return _with(words, dialect)
    if verb == "install" and dialect == "duckdb":
        return Statement(
            action="sql:install", effects=(Effect.EXECUTE, Effect.NETWORK, Effect.WRITE), tags=("install",)
        )
    known = VERBS.get(verb)
    if known is None:
        return Statement(action="sql:unread", effects=(Effect.EXECUTE,), unread=f"`{words[0].text[:40]}` is not read")
    action, effects = known
    found = Statement(action=action, effects=effects, tables=tables_of(verb, words), kind=kind_of(words))
    found = _called(words, _SHAPES[verb](found, words, dialect) if verb in _SHAPES else found, dialect)
    return _worst(found, changes_in(words, dialect), words, dialect) if set(found.effects) <= {Effect.READ} else found


def _worst(found: Statement, inside: list[int], words: list[Token], dialect: str) -> Statement:
    """What a statement does with those inside it; what is not read of one is not read of all."""
    read = [found, *(_statement(words[at:], dialect) for at in inside)]
    worst = max(read, key=lambda part: max(part.effects, default=Effect.READ))
    unread = next((part.unread for part in read if part.unread is not None), None)
    return worst if worst.unread is not None or unread is None else worst.replace(unread=unread)


def _explained(words: list[Token], dialect: str) -> Statement:
    """`EXPLAIN` shows; `EXPLAIN ANALYZE` runs what it explains."""
    starts = (*VERBS, "with", "execute")
    at = next((i for i, token in enumerate(words) if i and token.word in starts and token.word != "analyze"), None)
    if any(token.word == "analyze" for token in words[1:at]) and at is not None:
        return _statement(words[at:], dialect)
    return Statement(action="sql:show", effects=_R)


def _with(words: list[Token], dialect: str) -> Statement:
    """The statement after the named queries, and any of them that changes something."""
    parts = [i for i, token in enumerate(words) if token.word == "select" and words[i - 1].text in ("(", ")")]
    inside = changes_in(words, dialect)
    if not parts and not inside:
        return Statement(action="sql:unread", effects=(Effect.EXECUTE,), unread="a `WITH` whose statement is not found")
    first = min(parts + inside)
    worst = _worst(_statement(words[first:], dialect), [at for at in parts + inside if at != first], words, dialect)
    return _called(words, worst, dialect)


def _select(found: Statement, words: list[Token], dialect: str) -> Statement:
    for word in ("outfile", "dumpfile"):
        at = after(words, "into", word)
        if at is not None:
            path = words[at].text if at < len(words) and words[at].kind == "string" else ""
            why = None if path else "it is unclear where it writes"
            return found.replace(effects=(Effect.WRITE, Effect.READ), writes=(path,) if path else (), unread=why)
    into = after(words, "into")
    if into is not None and into < len(words) and not words[into].text.startswith("@"):
        return found.replace(action="sql:create", effects=(Effect.WRITE, Effect.READ))
    if dialect == "duckdb":
        files = tuple(
            token.text
            for i, token in enumerate(words)
            if token.kind == "string" and words[i - 1].word in ("from", "join")
        )
        return found.replace(reads=files)
    return found


def _changes(found: Statement, words: list[Token], dialect: str) -> Statement:
    """Rows that nothing chooses: what each of them held is gone, whether the row stays or not."""
    return found if narrows(words) else found.replace(effects=_D, risk=Risk.HIGH)


def _merges(found: Statement, words: list[Token], dialect: str) -> Statement:
    """`MERGE … WHEN MATCHED THEN DELETE`."""
    return found if after(words, "then", "delete") is None else found.replace(action="sql:delete", effects=_D)


def _drops(found: Statement, words: list[Token], dialect: str) -> Statement:
    rebuilt = found.kind in ("index", "view")  # holds nothing of its own
    return found.replace(irreversible=not rebuilt, risk=Risk.MEDIUM if rebuilt else Risk.HIGH)


def _alters(found: Statement, words: list[Token], dialect: str) -> Statement:
    if after(words, "drop") is not None or after(words, "truncate") is not None:
        return found.replace(effects=_D, irreversible=True, risk=Risk.HIGH)
    if found.kind in ("role", "user", "system"):
        return found.replace(tags=("privileged",))
    return found


def _creates(found: Statement, words: list[Token], dialect: str) -> Statement:
    if (
        found.kind in ("function", "procedure", "trigger", "event", "extension", "server")
        or after(words, "language") is not None
    ):
        return found.replace(
            tags=("unread",), unread=f"what a {found.kind or 'function'} does when it is called is not read"
        )
    using = after(words, "using")
    if dialect == "sqlite" and words[1].word == "virtual":
        module = words[using].text.lower() if using is not None and using < len(words) else ""
        return found if module in VIRTUAL else found.replace(unread=f"it is unclear what the module `{module}` does")
    if found.kind == "table" and after(words, "or", "replace") is not None:
        return found.replace(effects=_D, irreversible=True, risk=Risk.HIGH)
    return found.replace(tags=("privileged",)) if found.kind in ("role", "user") else found


def _copies(found: Statement, words: list[Token], dialect: str) -> Statement:
    """COPY … FROM | TO a file, a PROGRAM, or the client's own streams."""
    depth = 0
    for i, token in enumerate(words):
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if depth or token.word not in ("from", "to") or i + 1 >= len(words):
            continue
        end, out = words[i + 1], token.word == "to"
        found = found.replace(action="sql:copy", effects=_R if out else _W)
        if end.word == "program":
            return found.replace(
                effects=(Effect.EXECUTE, *found.effects),
                runs=words[i + 2].text if i + 2 < len(words) else None,
                tags=("external",),
            )
        if end.kind == "string":
            return found.replace(writes=(end.text,)) if out else found.replace(reads=(end.text,))
        if end.word in ("stdin", "stdout"):
            return found
        break
    return found.replace(unread="it is unclear where `COPY` reads or writes", effects=found.effects or _W)


def _loads(found: Statement, words: list[Token], dialect: str) -> Statement:
    at = after(words, "infile")
    if at is not None and at < len(words) and words[at].kind == "string":
        return found.replace(reads=(words[at].text,))
    return found.replace(unread="`LOAD` brings code into the server", effects=(Effect.EXECUTE,), tags=("unread",))


def _attaches(found: Statement, words: list[Token], dialect: str) -> Statement:
    """`ATTACH 'file' AS x`. The name may be computed, and then nothing is known of it."""
    at = 1
    while at < len(words) - 1 and words[at].word in _BEFORE_A_FILE:
        at += 1
    path = words[at] if at < len(words) and words[at].kind in ("string", "name") else None
    ends = len(words) == at + 1 or words[at + 1].word == "as"
    if path is not None and dialect == "duckdb":
        ends = ends or (path.kind == "string" and words[at + 1].text == "(")
    if path is None or not ends:
        return found.replace(unread="it is unclear which database is attached")
    return found.replace(writes=(path.text,))


_BEFORE_A_FILE = frozenset(("database", "or", "replace", "if", "not", "exists"))


def _vacuums(found: Statement, words: list[Token], dialect: str) -> Statement:
    """`VACUUM INTO 'file'`: a copy of the database, under any name."""
    at = after(words, "into")
    if at is None:
        return found
    path = words[at].text if at == len(words) - 1 and words[at].kind in ("string", "name") else ""
    return found.replace(writes=(path,)) if path else found.replace(unread="it is unclear where it writes")


def _exports(found: Statement, words: list[Token], dialect: str) -> Statement:
    path = next((token.text for token in words if token.kind == "string"), "")
    if not path:
        return found.replace(unread="it is unclear which files it uses")
    return found.replace(writes=(path,)) if words[0].word == "export" else found.replace(reads=(path,))


# These do something even if no value is given.
_TELLING_PRAGMAS = frozenset(("optimize", "wal_checkpoint", "incremental_vacuum", "shrink_memory", ""))


def _sets(found: Statement, words: list[Token], dialect: str) -> Statement:
    """Settings of the session, unless they are the server's or a database's for good."""
    if words[0].word == "pragma":
        at = 3 if len(words) > 3 and words[2].text == "." else 1  # `main.user_version`
        name = words[at].word if len(words) > at else ""
        looks = name in LOOKING_PRAGMAS or (len(words) == at + 1 and name not in _TELLING_PRAGMAS)
        if name.endswith("_directory") and not looks:
            return found.replace(unread="it is unclear where files are put")
        return found if looks else found.replace(effects=_W, action="sql:set")
    if any(token.word in ("global", "persist", "password") for token in words[1:3]) or any(
        "global" in t.word for t in words
    ):
        return found.replace(action="sql:set", effects=_W, tags=("privileged",), risk=Risk.MEDIUM)
    return found


def _granted(found: Statement, words: list[Token], dialect: str) -> Statement:
    return found.replace(tags=("privileged",), risk=Risk.MEDIUM)


def _branches(found: Statement, words: list[Token], dialect: str) -> Statement:
    return found.replace(unread="a branch of a script is not read", effects=(Effect.EXECUTE,))


_SHAPES = {
    **dict.fromkeys(("select", "from", "values", "table"), _select),
    **dict.fromkeys(("delete", "update"), _changes),
    **dict.fromkeys(("drop", "truncate"), _drops),
    "merge": _merges, "alter": _alters, "create": _creates, "copy": _copies, "load": _loads, "attach": _attaches,
    "vacuum": _vacuums,
    "export": _exports, "import": _exports, "set": _sets, "pragma": _sets, "grant": _granted, "revoke": _granted,
    "if": _branches, "else": _branches,
}  # fmt: skip


def _called(words: list[Token], found: Statement, dialect: str) -> Statement:
    """Functions that are called inside: those that leave the database, and those that nobody knows."""
    if found.unread is not None:
        return found
    if words[0].word in ("create", "grant", "revoke", "comment", "alter", "pragma"):
        checked: tuple[str, ...] = ()
    else:
        checked = ("word", "name")
    for i, token in enumerate(words[:-1]):
        if words[i + 1].text != "(" or words[i + 1].kind != "mark" or token.kind not in ("word", "name"):
            continue
        name = token.text.lower()
        if name in REACHES:
            return found.replace(
                unread=f"`{name}` reaches beyond the database", effects=(Effect.EXECUTE, *found.effects)
            )
        if name in FILE_READERS:
            ends = words[i + 3].text if i + 3 < len(words) else ""
            if i + 2 >= len(words) or words[i + 2].kind != "string" or ends not in (",", ")"):
                return found.replace(unread=f"it is unclear which files `{name}` reads")
            found = found.replace(reads=(*found.reads, words[i + 2].text))
        elif token.kind in checked and not is_name(words, i) and not _is_pure(words, i):
            return found.replace(unread=f"it is unclear what the function `{name[:40]}` does")
    return found


def _is_pure(words: list[Token], at: int) -> bool:
    """True if the function is in the table, and not one of the same name in a schema of somebody's own."""
    if at > 1 and words[at - 1].text == "." and words[at - 2].text.lower() not in _BUILT_IN:
        return False
    name = words[at].text.lower()
    return name in PURE or (words[at].kind == "word" and name in BEFORE_PARENTHESIS)


_BUILT_IN = frozenset(("pg_catalog", "information_schema", "safe"))
