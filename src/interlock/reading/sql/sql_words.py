"""Words of SQL that sql.py goes by: verbs, kinds of things, functions that reach out.

Functions that only compute are in sql_functions.py.
"""

from __future__ import annotations

from ...model.effects import Effect

__all__ = [
    "CHANGES",
    "DESTROYS",
    "FILE_READERS",
    "FILLERS",
    "KINDS",
    "LOOKING_PRAGMAS",
    "REACHES",
    "READS",
    "VERBS",
    "VIRTUAL",
    "WRITES",
]

READS, WRITES, DESTROYS = (Effect.READ,), (Effect.WRITE,), (Effect.DESTRUCTIVE,)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# First word -> action and effects. `sql:session` changes nothing that outlives the session.
_ROWS: tuple[tuple[str, tuple[Effect, ...], str], ...] = (
    ("sql:select", READS, "select values table from fetch declare"),
    ("sql:show", READS, "show describe desc explain pragma help summarize list exists"),
    (
        "sql:session",
        (),
        "begin start commit end rollback abort savepoint release set reset use close deallocate lock unlock unlisten "
        "listen go discard detach print if else",
    ),
    ("sql:insert", WRITES, "insert replace upsert merge notify"),
    ("sql:update", WRITES, "update"),
    ("sql:create", WRITES, "create comment"),
    ("sql:alter", WRITES, "alter rename refresh"),
    ("sql:maintain", WRITES, "vacuum analyze reindex optimize cluster checkpoint flush"),
    ("sql:grant", WRITES, "grant revoke"),
    ("sql:delete", DESTROYS, "delete"),
    ("sql:drop", DESTROYS, "drop"),
    ("sql:truncate", DESTROYS, "truncate"),
    ("sql:kill", WRITES, "kill"),
    ("sql:attach", READS, "attach"),
    ("sql:copy", (), "copy"),
    ("sql:load", WRITES, "load"),
    ("sql:export", READS, "export"),
    ("sql:import", WRITES, "import"),
)
VERBS = {word: (action, effects) for action, effects, words in _ROWS for word in words.split()}

KINDS = _set(
    "table database schema index view sequence function procedure trigger type role user extension tablespace keyspace "
    "materialized column domain policy publication subscription server owned event"
)
FILLERS = _set("if exists not only table into from low_priority ignore quick concurrently temporary temp")

# Words that begin a change wherever they stand bare in a statement: in a named query, behind `COPY (`, or, with SQL
# Server, simply behind another statement.
CHANGES = _set("insert update delete merge truncate drop alter create exec execute")

# What SQLite is asked for and not told: those of the first kind take a name, all of them show.
LOOKING_PRAGMAS = _set(
    "table_info table_xinfo index_list index_info index_xinfo foreign_key_list foreign_key_check integrity_check "
    "quick_check"
)

# Functions that leave the database: files, other machines, commands, other sessions.
REACHES = _set(
    "pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file pg_file_write lo_import lo_export lo_unlink load_file "
    "load_extension writefile readfile edit fts3_tokenizer sys_exec sys_eval xp_cmdshell sp_oacreate sp_executesql "
    "openrowset opendatasource query_to_xml query_to_xml_and_xmlschema cursor_to_xml database_to_xml ts_stat "
    "ts_rewrite sha3_query fsdir zipfile json_execute_serialized_sql dblink dblink_exec dblink_connect "
    "pg_terminate_backend pg_cancel_backend "
    "pg_reload_conf pg_rotate_logfile pg_switch_wal pg_promote url file s3 remote executable mysql "
    "postgresql hdfs jdbc odbc setval utl_http utl_file dbms_scheduler http_get http_post shell system eval getenv"
)
FILE_READERS = _set(
    "read_csv read_csv_auto read_parquet read_json read_json_auto read_json_objects read_ndjson read_text read_blob "
    "parquet_schema parquet_metadata parquet_scan sniff_csv"
)

# Modules of SQLite whose tables lie in the database itself. Others read and write files: `zipfile`, `csv`.
VIRTUAL = _set("fts3 fts4 fts5 fts3tokenize fts4aux fts5vocab rtree rtree_i32 geopoly dbstat spellfix1 vec0 bytecode")
