"""Words of SQL that sql.py goes by: verbs, kinds of things, functions that reach out, functions that compute."""

from __future__ import annotations

from ..effects import Effect

__all__ = [
    "DESTROYS",
    "FILE_READERS",
    "FILLERS",
    "KINDS",
    "PLAIN",
    "PLAIN_STARTS",
    "REACHES",
    "READS",
    "VERBS",
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

# Functions that leave the database: files, other machines, commands, other sessions.
REACHES = _set(
    "pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file pg_file_write lo_import lo_export lo_unlink load_file "
    "load_extension writefile readfile edit fts3_tokenizer sys_exec sys_eval xp_cmdshell sp_oacreate sp_executesql "
    "openrowset opendatasource query_to_xml database_to_xml dblink dblink_exec dblink_connect pg_terminate_backend "
    "pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_switch_wal pg_promote url file s3 remote executable mysql "
    "postgresql hdfs jdbc odbc setval utl_http utl_file dbms_scheduler http_get http_post shell system eval getenv"
)
FILE_READERS = _set("read_csv read_csv_auto read_parquet read_json read_json_auto parquet_schema glob")

# Functions that only compute, and words that stand before a parenthesis without being one.
PLAIN = _set(
    "count sum avg min max abs ceil ceiling floor round trunc mod power pow sqrt exp ln log log10 sign random rand "
    "greatest least coalesce nullif ifnull isnull nvl iif if decode cast convert try_cast typeof length len "
    "char_length "
    "character_length octet_length lower upper initcap trim ltrim rtrim btrim substr substring left right lpad rpad "
    "replace translate reverse repeat concat concat_ws position strpos instr locate charindex ascii chr char "
    "split_part "
    "format printf quote quote_ident quote_literal md5 sha1 sha2 sha256 encode hex unhex now current_date current_time "
    "current_timestamp localtime localtimestamp getdate sysdate curdate curtime date time datetime timestamp strftime "
    "julianday unixepoch age extract dateadd datediff timestampdiff year month day hour minute second week quarter "
    "dayofweek weekday unix_timestamp from_unixtime interval make_date generate_series unnest array cardinality "
    "group_concat listagg any all some exists in not and or values over filter as row row_number rank dense_rank ntile "
    "lag lead first_value last_value nth_value percent_rank cume_dist percentile_cont percentile_disc within median "
    "mode "
    "stddev stddev_pop stddev_samp variance var_pop var_samp corr bool_and bool_or every total grouping cube rollup "
    "sets "
    "version database schema user current_user session_user current_schema current_database current_setting "
    "inet_server_addr inet_server_port txid_current last_insert_rowid last_insert_id changes total_changes "
    "sqlite_version sqlite_source_id uuid gen_random_uuid uuid_generate_v4 newid newsequentialid obj_description "
    "col_description regexp_replace regexp_matches regexp_match regexp_split_to_table regexp_split_to_array "
    "regexp_like "
    "similarity soundex levenshtein row_to_json hstore point struct map list approx_count_distinct uniq uniqexact topk "
    "tostring toint32 tofloat64 todate todatetime formatreadablesize arrayjoin on using from where select join when "
    "then "
    "else between by union except intersect lateral read_csv read_csv_auto read_parquet read_json read_json_auto "
    "parquet_schema glob token writetime ttl varchar decimal numeric bigint serial text key references unique check "
    "default primary is like ilike case distinct with recursive numbers sleep pg_sleep set limit offset having "
    "returning "
    "conflict partition ignore only insert delete update into"
)
PLAIN_STARTS = tuple(
    sorted(
        _set(
            "json jsonb pg_size pg_get_ pg_relation pg_table pg_total pg_database pg_index pg_is_ pg_current pg_last "
            "pg_postmaster pg_conf pg_backend pg_typeof pg_column pg_blocking pg_encoding format_ to_ array_ list_ "
            "str_ string_ date_ st_ regr_ pragma_ has_ ts_ bit_"
        )
    )
)
