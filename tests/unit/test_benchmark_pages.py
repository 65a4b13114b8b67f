"""What the benchmarks make of their figures: tables, curves, counts that grew, and what other guards said."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.counts import KEPT, compared, keep, machine_class
from benchmarks.page import BENCHES, put_between, section, table_of, written
from benchmarks.peers import PEERS, cases, verdict_of, wired
from benchmarks.plot import Curve, Point, drawn
from benchmarks.result import Figure, number, spread, timed

ROOT = Path(__file__).parents[2]


def test_a_figure_of_many_measurements_tells_the_middle_and_the_outer_tenths() -> None:
    assert spread([float(n) for n in range(1, 22)]) == (11, 3, 19)
    figure = timed("hook", [30.0, 31.0, 29.0], "ms", note="3 × bare")
    assert (figure.shown, figure.range, figure.note) == ("30 ms", "29 – 31", "3 × bare")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (12345, "12,345"), (12.34, "12.3"), (1.234, "1.23"), (0.01234, "0.0123"), (250.4, "250")],
)
def test_numbers_have_the_digits_that_count(value: float, text: str) -> None:
    assert number(value) == text


def test_a_table_leaves_out_what_no_figure_fills_and_tells_a_missed_bar() -> None:
    rows = [Figure("a", 1.5, "ms", bar="at most 1 ms", met=False), Figure("b | c", 2, "ms")]
    assert table_of(rows).splitlines() == [
        "|  | figure | bar |",
        "|---|---|---|",
        "| a | 1.50 ms | at most 1 ms: **missed** |",
        "| b \\| c | 2 ms |  |",
    ]


def test_the_page_says_how_busy_the_machine_was_and_what_failed() -> None:
    about = {"interlock": "1", "commit": "c", "python": "3", "processor": "p", "cores": 2, "system": "s"}
    result = {
        "at": "2026-01-01 00:00",
        "seconds": 3,
        "load_before": [99.0],
        "load": [5.0],
        "quick": True,
        "machine": about,
        "figures": [Figure("a", 1, "ms")._asdict()],
    }
    told = written({"run": result, "undo": {**result, "failed": "it ended with 1"}})
    assert "**The machine was busy** (load up to 99" in told
    assert "a short run; load 99.0 before and 5.0 after." in told
    assert "Not measured: it ended with 1." in told
    assert "Not measured yet: engine" in told
    assert section("curves", result).count("benchmarks.svg") == 1


def test_a_part_of_the_page_is_put_between_its_markers() -> None:
    page = "x\n<!-- generated: a -->\nold\n<!-- end of generated: a -->\ny"
    assert put_between(page, "a", "new") == page.replace("old", "new")
    with pytest.raises(SystemExit, match="no part `b`"):
        put_between(page, "b", "new")


def test_every_benchmark_of_the_page_exists() -> None:
    assert [name for name in BENCHES if not (ROOT / "benchmarks" / f"{name}.py").is_file()] == []


def test_curves_are_a_picture_that_needs_nothing_else() -> None:
    points = [Point(0, 3, 2, 4), Point(10, 5, 4, 6), Point(1000, 50, 40, 80)]
    text = drawn([Curve("grants", "decide()", points), Curve("length", "a & b", points), Curve("length", "c", points)])
    picture = ET.fromstring(text)
    assert len(picture.findall(".//{*}polyline")) == 3
    assert len(picture.findall(".//{*}circle")) == 9
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "script" not in text


def test_a_count_may_grow_by_a_tenth_and_no_more() -> None:
    kept = {"hook": 1000, "gone": 5}
    assert compared({"hook": 1100}, kept) == []
    assert compared({"hook": 1101}, kept) == ["hook: 1,101 instructions, +10.1% above the kept 1,000"]
    assert compared({"new": 1}, kept) == ["new: no count is kept"]


def test_counts_are_kept_beside_those_of_other_interpreters(tmp_path: Path) -> None:
    file = tmp_path / "counts.json"
    file.write_text('{"Other": {"hook": 7}}')
    keep({"hook": 1}, file)
    keep({"more": 2}, file)
    assert json.loads(file.read_text()) == {"Other": {"hook": 7}, machine_class(): {"hook": 1, "more": 2}}


def test_counts_are_kept_for_some_interpreter() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert all(count > 0 for counts in kept.values() for count in counts.values())
    assert any("cold hook, Read" in counts for counts in kept.values())


@pytest.mark.parametrize(
    ("code", "said", "verdict"),
    [
        (0, b"", "allow"),
        (2, b"", "deny"),
        (1, b"", "no answer"),
        (0, b'{"hookSpecificOutput": {"permissionDecision": "ask"}}', "ask"),
        (0, b'{"decision": "block"}', "deny"),
        (0, b'{"decision": "approve"}', "allow"),
        (0, b"words", "allow"),
    ],
)
def test_a_peer_is_taken_as_its_host_takes_it(code: int, said: bytes, verdict: str) -> None:
    assert verdict_of(code, said) == verdict


@pytest.mark.slow
def test_cases_are_an_even_sample_of_both_kinds() -> None:
    rows = cases(10)
    assert [row.dangerous for row in rows] == [False] * 10 + [True] * 10
    assert len({row.pack for row in rows}) > 2
    assert rows == cases(10)


def test_a_guard_is_called_as_its_installer_has_wired_it(tmp_path: Path) -> None:
    def settings(hooks: dict[str, object]) -> None:
        (tmp_path / ".claude").mkdir(exist_ok=True)
        (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))

    settings({"PreToolUse": [{"matcher": "Edit", "hooks": [{"command": "no"}]}]})
    assert wired(tmp_path, "PreToolUse") == []
    settings({"PreToolUse": [{"matcher": "Edit|Bash", "hooks": [{"command": "guard x"}]}]})
    assert wired(tmp_path, "PreToolUse") == [["/bin/sh", "-c", "guard x"]]
    settings({"PreToolUse": [{"matcher": "", "hooks": [{"command": "/g", "args": ["a b"]}]}]})
    assert wired(tmp_path, "PreToolUse") == [["/g", "a b"]]
    assert wired(tmp_path, "SessionStart") == []


def test_peers_are_pinned() -> None:
    for peer in PEERS:
        version = peer.name.split()[1]
        assert any(version in words for words in peer.install), peer.name
