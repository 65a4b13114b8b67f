"""Files that SQLite and its kin name in another form: `file:` addresses, expressions, words with escapes."""

from __future__ import annotations

import pytest

from interlock.reading.sql.sql_files import dot_words, file_meant
from verdicts import allowed

NAMED_OTHERWISE = r"""
sqlite3 x.db "attach 'file:/srv/x.db' as q; create table q.t(a)"
sqlite3 x.db "attach 'file:/home/someone/.bashrc?mode=rw' as q; create table q.t(a)"
sqlite3 x.db "attach 'file:%2fhome%2fsomeone/.bashrc' as q; create table q.t(a)"
sqlite3 x.db "attach 'file://localhost/srv/x' as q"
sqlite3 x.db "attach char(47)||'srv/x' as q; create table q.t(a)"
sqlite3 x.db "attach database char(47)||'srv/x' as q; create table q.t(a)"
sqlite3 x.db "attach 'src/..'||'/../../x' as q"
sqlite3 x.db "attach x'2f7372762f78' as q"
sqlite3 x.db "attach :x as 'q'"
sqlite3 x.db "vacuum into 'file:/srv/x'"
sqlite3 x.db "vacuum main into 'file:/srv/x'"
sqlite3 x.db "vacuum into 'src/..'||'/../../x'"
sqlite3 x.db ".backup file:/srv/x"
sqlite3 x.db ".backup main file:/srv/x"
sqlite3 x.db ".backup /srv/x --append"
sqlite3 x.db ".backup '/srv/a b'"
sqlite3 x.db '.backup "\057srv/x"'
sqlite3 x.db ".save file:/srv/x"
sqlite3 x.db ".clone file:/srv/x"
sqlite3 x.db ".open file:/srv/x" "create table t(a)"
sqlite3 x.db ".open /srv/x --nofollow" "create table t(a)"
sqlite3 x.db ".open x.db --new"
sqlite3 x.db '.once "\174touch x"' "select 1"
sqlite3 x.db ".once -e" "select 1"
sqlite3 x.db ".output -x" "select 1"
sqlite3 x.db ".once |rm -rf /srv/x" "select 1"
sqlite3 x.db ".import --skip 1 /home/someone/.ssh/id_rsa t"
sqlite3 x.db ".import '|rm -rf /srv/x' t"
sqlite3 x.db ".restore main /home/someone/.ssh/id_rsa"
sqlite3 file:%2fsrv/x "create table t(a)"
sqlite3 file://elsewhere/srv/x "create table t(a)"
sqlite3 -cmd "attach 'file:/srv/x' as q" x.db "create table q.t(a)"
sqlite3 x.db "pragma temp_store_directory='/srv'"
sqlite3 x.db "create virtual table temp.z using zipfile('/srv/z.zip'); insert into z(name) values('a')"
duckdb x.db "attach 'file:/srv/x' as q"
duckdb x.db "copy t to 'file:/srv/x'"
duckdb x.db "select * from read_csv('src/..'||'/../../home/someone/.ssh/id_rsa')"
psql -c '\set x /srv/x' -c '\o :x' -c 'select 1'
"""

EVERYDAY = r"""
sqlite3 x.db "attach 'b.db' as q; select * from q.t"
sqlite3 x.db "attach database 'b.db' as q"
sqlite3 x.db "attach 'file:b.db?mode=ro' as q; select * from q.t"
sqlite3 x.db "attach 'file::memory:?cache=shared' as q; create table q.t(a)"
sqlite3 x.db "attach ':memory:' as q; create table q.t(a)"
sqlite3 'file:x.db?mode=ro&immutable=1' "select count(*) from t"
sqlite3 'file:m?mode=memory&cache=shared' "select 1"
sqlite3 x.db ".backup b.db"
sqlite3 x.db ".backup main b.db"
sqlite3 x.db ".backup 'file:b.db'"
sqlite3 x.db "vacuum into 'b.db'"
sqlite3 x.db "vacuum"
sqlite3 x.db ".mode csv" ".import data.csv t"
sqlite3 x.db ".import --csv --skip 1 data.csv credentials"
sqlite3 x.db ".mode csv" ".output out.csv" "select 1" ".output stdout"
sqlite3 x.db ".once 'my out.csv'" "select 1"
sqlite3 x.db ".restore backup.db"
sqlite3 x.db ".log off" "select 1"
sqlite3 x.db "create virtual table t using fts5(a, b)"
sqlite3 x.db "pragma journal_mode=wal"
duckdb x.db "select * from read_csv('a.csv', header=true) limit 3"
duckdb -c "attach 'b.db' as q (read_only); select * from q.t"
duckdb -c "attach if not exists 'b.db' as q; select 1"
"""


def test_a_file_under_another_form_is_that_file() -> None:
    assert allowed(NAMED_OTHERWISE) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_files_of_the_project_stay_free(line: str) -> None:
    assert allowed(line) == [line]


def test_an_address_is_decoded_as_sqlite_does() -> None:
    names = ("a.db", "file:a.db?mode=ro", "file:///srv/%78", "file:a#b", "file:?x", "file:%zz", "file:%00", "file:%ff")
    assert [file_meant(name) for name in names] == ["a.db", "a.db", "/srv/x", "a", "", None, None, None]


def test_words_of_a_dot_command() -> None:
    assert dot_words(" main 'a b.db'  c ") == ["main", "a b.db", "c"]
    assert dot_words("'open") is None
