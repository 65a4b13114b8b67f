"""SQL made by chance: something that changes, reads or runs, and around it what may hide it from a reader."""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["statements"]

# `{file}` is a file that no table holds, `{new}` one that is not there yet.
_SHARED = (
    "delete from t", "update t set a = 2", "insert into t values (9)", "drop table t", "create table u (a int)",
    "alter table t rename to v", "with x as (select 1) delete from t",
    "with x(a) as (select 1) insert into t select a from x", "select 1 as a from t where a in (1, 2)",
    "explain delete from t", "select max(a), count(*) from t", "select lower('delete from t')",
    "select 1; delete from t", "with x as (select 1) select * from x", "select coalesce(a, 1) from t order by a",
    "select * from t join t as s on t.a = s.a", "select 'a' || lower('B')",
    "with x as (select 1), y as (select 2) select * from x, y",
)  # fmt: skip
_PAYLOADS = {
    "psql": (
        *_SHARED, "with x as (delete from t returning *) select * from x", "explain analyze delete from t",
        "explain (analyze, costs off) update t set a = 1", "explain analyze with x as (select 1) delete from t",
        "select wipe()", "select public.lower(1)", "select pg_read_file('{file}')", "select * into u from t",
        "copy (delete from t returning *) to stdout", "copy t to '{new}'", "truncate t",
        "do $$begin delete from t; end$$", "select * from t join t s on wipe() is null",
        "with a as (select 1) select 1, wipe()",
        "with recursive r(n) as (select 1 union select 2) search depth first by n set o delete from t",
        "select query_to_xml('delete from t', true, true, '')",
        "select * from ts_stat('select to_tsvector(wipe()::text)')", "select 1into u", 'select "wipe"()',
        'select U&"w\\0069pe"()', "declare c cursor for select wipe(); fetch c", "values (wipe())", "table t",
        "(select wipe())", "select nextval('q')", "select setval('q', 9)", "select lo_import('{file}')",
        "comment on table t is 'x'", "merge into t using (select 1) s on false when matched then delete",
        "select pg_ls_dir('.')", "select json_agg(t) from t", "select to_jsonb(t) from t",
        "prepare p as select wipe(); execute p", "select jsonb_each(to_jsonb(t)) from t",
        "create view v as select 1", "select pg_catalog.lower('A')", "select s.wipe() from t s",
        "select array_agg(a), string_agg(a::text, ',') from t", "analyze t", "select to_wipe()",
        "select json_wipe()",
    ),
    "sqlite": (
        *_SHARED, "pragma user_version = 5", "pragma user_version(5)", "pragma main.user_version(5)",
        "pragma table_info(t)", "attach '{new}' as x; create table x.u (a)", "vacuum into '{new}'",
        "select writefile('{new}', 'x')", "select readfile('{file}')", "pragma journal_mode = wal",
        "replace into t values (3)", "select * from pragma_table_info('t')", "pragma journal_mode(wal)", "reindex",
        "vacuum", "analyze", "select * from fsdir('{file}')", "create virtual table z using fts5(a)",
        "with x(a) as (values (1)) delete from t", "select edit('x', 'touch {new}')",
        "select sha3_query('select 1', 256)", "pragma integrity_check", "pragma user_version",
        "select json_extract('{{}}', '$.a')", "pragma optimize", ".output {new}\nselect 1;", ".shell touch {new}",
        ".once {new}", ".tables", ".schema t", ".save {new}", ".backup {new}", ".log {new}",
        ".trace {new}\nselect 1;", ".import {file} t", ".read {file}", ".sh touch {new}", ".system touch {new}",
        ".dump t", ".open {new}", ".print delete from t", ".excel", ".clone {new}", ".output '|touch {new}'",
        ".mode csv", ".headers on",
    ),
    "psql lines": (
        "\\! touch {new}", "\\!touch {new}", "\\o {new}", "\\o | touch {new}", "select 1 \\g {new}",
        "select 1 \\g | touch {new}", "\\copy t to {new}", "\\copy t to program 'touch {new}'",
        "select 1 \\w {new}", "select 1 \\w | touch {new}", "\\dt", "select 'delete from t' \\gexec",
        "\\set x `touch {new}`", "\\d t", "\\i {file}", "\\echo a \\! touch {new}", "\\x \\! touch {new}",
        "\\dt \\! touch {new}", "\\if true\n\\! touch {new}\n\\endif", "\\set x 'delete from t'\n:x;",
        "\\set x wipe()\nselect :x;", "select 1 \\; delete from t", "\\echo `touch {new}`",
        "\\d t \\\\ delete from t", "\\copy t from {file}", "\\lo_import {file}", "\\pset pager off", "\\l", "\\du",
        "\\timing on", "delete from t", "select wipe()", "select count(*) from t", "\\sf wipe",
        "\\qecho a\n\\! touch {new}", "\\g {new}", "\\gx {new}", "select 1 \\gx {new}", "\\s {new}",
        "\\out {new}\nselect 1;", "\\ir {file}", "\\x\\o {new}", "select 1 as x \\gset\nselect :x;",
    ),
}  # fmt: skip
_AROUND = (
    "'", "''", "'a'", "'a''b'", "'\\'", "'\\''", "E'\\''", "e'\\\\'", '"', '"a"', '"a""b"', "`", "`a`", "[", "]",
    "[a]", "--", "-- x\n", "--x\n", "-- '\n", "-- x\r", "--\r\n", "/*", "*/", "/* x */", "/* /* */", "/* /* */ */",
    "/*! x */", "/*'*/", "#", "# x\n", "# '\n", "$$", "$$a$$", "$x$", "$x$a$x$", "$1", "a$$", ";", "\n", "\r", "\t",
    " ", "\x0c", "\x0b", "(", ")", ",", "select ", "select 1", "select 1;", "select 1 ", "1", "1e", "0x", "1.", "x",
    "N'a'", "B'1'", "U&'\\0041'", "::text", ":", "\\", "\n/\n", "\ngo\n", "é", "\xa0", "as ", "select '",
    'select "', "select $$", "select /*", "select --", "select 1 --", "/", "-", "begin;", "explain ",
    "with x as (select 1) ", "select 'a' -- '\n", "select 1 /* ' */", "\n.",
)  # fmt: skip


def statements(dialect: str, count: int, seed: int = 0) -> Iterator[str]:
    chance = random.Random(f"{dialect}{seed}")
    payloads = _PAYLOADS[dialect]
    for _ in range(count):
        before = "".join(chance.choice(_AROUND) for _ in range(chance.choice((0, 0, 1, 1, 2, 3))))
        after = "".join(chance.choice(_AROUND) for _ in range(chance.choice((0, 0, 1, 1, 2))))
        joints = ("", " ", ";", "\n", "; ", ";\n")
        yield before + chance.choice(joints) + chance.choice(payloads) + chance.choice(joints) + after
