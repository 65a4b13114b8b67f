"""Lines that a database client keeps for itself: `\\!` and `\\copy` of psql, `.shell` of sqlite, `system` of mysql.

One word for each: what it runs, reads or writes. A line that has no row is not read.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from .sql_files import dot_words
from .sql_parts import Statement

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_line"]

_READS = Statement(action="sql:show", effects=(Effect.READ,))
_NOTHING = Statement(action="sql:session")


def _table(**kinds: str) -> dict[str, str]:
    return {name: kind for kind, names in kinds.items() for name in names.split()}


# dialect -> first word -> what the rest of the line is: nothing of weight, a file that is read or written, a command, …
_PSQL = _table(
    nothing="\\x \\timing \\pset \\a \\t \\f \\h \\? \\q \\H \\r \\p \\echo \\qecho \\warn \\encoding \\set \\unset "
    "\\errverbose \\C \\T \\prompt \\c \\connect \\watch \\gset \\gdesc \\crosstabview \\bind",
    show="\\conninfo \\l \\list \\l+ \\z \\sf \\sf+ \\sv \\sv+ \\copyright \\lo_list",
    run="\\!",
    source="\\i \\ir \\include",
    output="\\o \\out \\g \\gx \\w \\write \\s",
    copy="\\copy",
    passwords="\\password",
    read="\\lo_import",
    second="\\lo_export",
)
_DOTS = _table(
    nothing=".headers .header .mode .width .separator .nullvalue .timer .echo .bail .eqp .explain .stats .limit "
    ".quit "
    ".exit .help .print .prompt .changes .timeout .show .maxrows .maxwidth .constant .keyword "
    ".highlight "
    ".rows .columns .multiline .singleline .dbinfo .progress .large_number_rendering",
    show=".tables .schema .databases .indexes .indices .dump .fullschema .lint .sha3sum .vfslist "
    ".vfsinfo .vfsname .connection .recover .expert .auth .scanstats",
    run=".shell .system",
    output=".output .once .log .trace .open",
    copies=".backup .save .clone",  # a database as a whole, over whatever the file holds
    source=".read",
    read=".import",
    restores=".restore",
    load=".load",
    unread=".cd .dbconfig .selftest .excel .archive .edit .www .parameter",  # a parameter is a statement of SQL
)
_MYSQL = _table(
    nothing="notee nopager help status exit quit clear print warnings nowarning charset prompt rehash \\h \\s \\q "
    "\\c \\p "
    "\\g \\G \\t \\n \\R \\w \\W \\# \\x \\C",
    run="system \\! pager \\P",
    source="source \\.",
    output="tee \\T",
)
_CQL = _table(
    nothing="expand login consistency tracing paging exit quit help clear cls serial unicode",
    show="describe desc show",
    source="source",
    output="capture",
    copy="copy",
)
_MSSQL = _table(
    nothing=":quit :exit :list :reset :on",
    run="!!",
    source=":r",
    output=":out :error",
    unread=":setvar :connect",
)
_SNOW = _table(
    nothing="!set !quit !exit !help !print",
    show="!queries",
    run="!system",
    source="!source !load",
    output="!spool",
)
_TABLES = {
    "psql": _PSQL,
    "sqlite": _DOTS,
    "duckdb": _DOTS,
    "mysql": _MYSQL,
    "cql": _CQL,
    "mssql": _MSSQL,
    "snowflake": _SNOW,
}


def read_line(text: str, dialect: str, read_sql: Callable[[str, str], list[Statement]]) -> Statement:
    """`read_sql` reads what a line says in SQL: `\\copy t from x`."""
    if dialect == "":
        return _unread("an unknown line for the client")
    table = _TABLES.get(dialect, {})
    first, _, rest = text.partition(" ")
    rest = rest.strip()
    for short in ("\\!", "!!", "\\.", "\\o", "\\i", "\\g"):
        if text.startswith(short) and first not in table and not first[len(short) :].isalpha():
            first, rest = short, text[len(short) :].strip()
    kind = table.get(first if first.startswith("\\") else first.lower().rstrip(";"))
    if kind is None and dialect == "psql" and first.startswith("\\d"):
        kind = "show"
    if kind is None and dialect in ("sqlite", "duckdb") and len(first) > 2:
        close = {value for name, value in table.items() if name.startswith(first.lower())}  # they may be cut short
        kind = close.pop() if len(close) == 1 else None
    if first in ("\\c", "\\connect") and any(mark in rest for mark in " =:"):
        return _unread("a connection to another database server")
    if dialect == "psql" and kind != "run" and ("`" in text or "\\" in text[1:]):
        return _unread("a line of psql that runs something or holds a second command")
    if kind in _FILES and dialect in ("sqlite", "duckdb"):
        return _with_files(kind, first.lower(), rest)
    if kind in _FILES and dialect == "psql" and ":" in rest:
        return _unread("a variable of psql stands for a file")
    if kind == "copy" and rest:
        return read_sql(f"COPY {rest}", dialect if dialect != "cql" else "sql")[0]
    return _UNREAD if kind is None else _read(kind, rest, dialect)


_FILES = ("copies", "output", "read", "restores", "source", "second")
_DATABASES = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb")  # a text over one of them is no report
_OPENS = frozenset(("-e", "-x", "-w"))  # in an editor, a spreadsheet, a browser


def _with_files(kind: str, name: str, rest: str) -> Statement:
    """A dot-command with its files. Options may stand behind them."""
    words = dot_words(rest.rstrip().removesuffix(";"))
    if words is None:
        return _unread("a word in quotes that is written with escapes")
    plain = [word for word in words if not word.startswith("-")]
    if any(word.startswith("|") for word in words):
        if words[0][:1] != "|" or (kind != "output" and len(words) > 2):
            return _unread("a command among the files")
        return _runs((" ".join(words) if kind == "output" else words[0])[1:])
    if kind == "source":
        return _read(kind, rest, "sqlite")
    if kind == "restores":  # `.restore DB FILE`
        return Statement(action="sql:restore", effects=(Effect.WRITE,), reads=tuple(plain[-1:]), replaces=("",))
    if kind == "read":
        reads = tuple(plain[:-1] if len(plain) > 1 else plain)  # `.import FILE TABLE`
        return Statement(action="sql:import", effects=(Effect.WRITE,), reads=reads)
    if any(word[-2:] in _OPENS and len(word.lstrip("-")) == 1 for word in words if word[:1] == "-"):
        return _unread("a program is started for what is printed")
    writes = tuple(word for word in plain if word not in ("stdout", "stderr", "off", "main", "temp"))
    if any(word.endswith(("-new", "-hexdb")) for word in words):
        return _unread("what is in the database is replaced")
    over = tuple([word for word in writes if kind == "copies" or (name != ".open" and word.endswith(_DATABASES))])
    kept = tuple([word for word in writes if word not in over])
    found = Statement(action="sql:output", effects=(Effect.WRITE,), writes=kept, replaces=over)
    return found if writes else _NOTHING


def _read(kind: str, rest: str, dialect: str) -> Statement:
    path = _unquoted(rest.rstrip(";").strip() if dialect != "psql" else rest)
    if kind in ("nothing", "show"):
        return _READS if kind == "show" else _NOTHING
    if kind == "run":
        return _runs(rest.rstrip(";"))
    if kind in ("output", "source", "read") and path.lstrip("\"'").startswith("|"):
        return _runs(path.strip("\"'|"))
    if kind == "output":
        if not rest or path in ("stdout", "stderr", "off", "-", "exit"):
            return _NOTHING
        return Statement(action="sql:output", effects=(Effect.WRITE,), writes=(_unquoted(path.split()[-1]),))
    if kind == "source":
        unread = "the content of an SQL file was not read"
        return Statement(action="sql:script", effects=(Effect.EXECUTE,), reads=(path,), unread=unread)
    if kind == "read":
        words = [word for word in path.split() if not word.startswith("-")]
        if any("|" in word for word in words):
            return _unread("what is imported may come from a command")
        return Statement(action="sql:import", effects=(Effect.WRITE,), reads=tuple(map(_unquoted, words[:1])))
    if kind == "second":
        return Statement(action="sql:output", effects=(Effect.WRITE,), writes=tuple(rest.split()[1:2]))
    if kind == "passwords":
        return Statement(action="sql:grant", effects=(Effect.WRITE,), tags=("privileged", "secret"))
    return _unread("code is loaded into the database client") if kind == "load" else _UNREAD


def _runs(command: str) -> Statement:
    return Statement(action="sql:shell", effects=(Effect.EXECUTE,), runs=command)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0] else text


def _unread(why: str) -> Statement:
    return Statement(action="sql:unread", effects=(Effect.EXECUTE,), unread=why)


_UNREAD = _unread("an unknown line of the database client")
