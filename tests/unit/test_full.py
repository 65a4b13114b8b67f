"""`make parts`: each part has its say, a failure ends with 1, and what has passed on a commit is not run again."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from scripts import full

TESTS = Path(__file__).parents[1]
TABLE = """
[slow]
takes = 9
script = "fails.py"
[quick]
takes = 1
script = "says.py"
"""
SAYS = "import os, sys; print('3 passed', os.environ['INTERLOCK_QUOTAS']); open('ran', 'a').write('x')"


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two parts, one of which fails; the file that the other one writes to."""
    (tmp_path / "full.toml").write_text(TABLE)
    (tmp_path / "says.py").write_text(SAYS)
    (tmp_path / "fails.py").write_text("raise SystemExit('1 failed')")
    monkeypatch.setattr(full, "ROOT", tmp_path)
    monkeypatch.setattr(full, "PARTS", tmp_path / "full.toml")
    monkeypatch.setattr(full, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(full, "commit_now", lambda: "c1")
    return tmp_path / "ran"


def test_every_part_runs_the_quickest_first(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert full.main(["--jobs", "1", "--json", str(ran.parent / "found.json")]) == 1
    assert re.sub(r"\d+ s", "N s", capsys.readouterr().out).splitlines() == [
        "[1/2] quick         about 1 min …",
        "[1/2] quick         passed in N s: 3 passed off",
        "[2/2] slow          about 9 min …",
        "[2/2] slow          failed in N s: 1 failed",
        "1 passed: quick; 1 failed: slow",
    ]
    found = json.loads((ran.parent / "found.json").read_text())
    assert {name: done["status"] for name, done in found.items()} == {"quick": "passed", "slow": "failed"}


def test_a_second_run_goes_on_where_the_first_stopped(ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full.main([])
    (ran.parent / "fails.py").write_text("print('mended')")
    assert full.main([]) == 0
    assert ran.read_text() == "x"
    full.main(["--again"])
    full.main(["quick"])
    assert ran.read_text() == "xxx"
    monkeypatch.setattr(full, "commit_now", lambda: "c2")
    full.main([])
    assert ran.read_text() == "xxxx"


def test_nothing_is_kept_of_files_that_were_not_committed(ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full, "commit_now", lambda: "")
    full.main(["quick"])
    full.main([])
    assert ran.read_text() == "xx"


def test_a_part_that_is_not_begun_is_no_success(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert full.main(["--minutes", "-1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 not run: quick slow"
    assert not ran.exists()


def test_a_name_that_is_none_is_an_error(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert full.main(["quik"]) == 64
    assert capsys.readouterr().err == "there is no part `quik`; parts: quick slow\n"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("takes = 1\ntest = ['a']", "[x] has no `test`"),
        ("takes = 1", "[x] needs either `tests` or `script`"),
        ("takes = 1\ntests = ['a']\nscript = 'b'", "[x] needs either `tests` or `script`"),
    ],
)
def test_a_wrong_row_is_an_error(row: str, why: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(why)):
        full.parts_of(f"[x]\n{row}\n")


def test_every_part_names_tests_that_are_there_and_sizes_that_they_ask_for() -> None:
    for part in full.parts_of((TESTS / "full.toml").read_text(encoding="utf-8")).values():
        files = [TESTS.parent / name for name in (*part.tests, part.script, part.first) if name]
        assert all(file.exists() for file in files), part.name
    asked = "\n".join(file.read_text(encoding="utf-8") for file in TESTS.rglob("*.py"))
    for part in full.parts_of((TESTS / "full.toml").read_text(encoding="utf-8")).values():
        for size, _ in part.sizes:
            assert f'"INTERLOCK_{size}"' in asked, f"nobody asks for {size} of [{part.name}]"
