"""The scoreboard: figures, bars, and the account of every row."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.evals.adapters import ADAPTERS
from interlock.evals.bars import BARS, Bar, status
from interlock.evals.case import Case, bash
from interlock.evals.compared import COMPARED
from interlock.evals.corpora import Corpus, Survey
from interlock.evals.figures import FIGURES, ON_DISK, Board, gather, measure, skipped
from interlock.evals.lexical import bench_for
from interlock.evals.plans import run_plans
from interlock.evals.runner import Result
from interlock.value import FrozenMap


def _result(group: str, verdict: str = "ask", file: str = "bypasses.jsonl", **more: object) -> Result:
    case = Case(id=f"{group}-{verdict}", file=file, line=1, call=bash("x", "/repo"), group=group)
    return Result(case=case, verdict=verdict, **more)  # type: ignore[arg-type]


def _board(results: dict[str, list[Result]], *, rows: int | None = None, excluded: int = 0) -> Board:
    corpora = {
        name: Corpus(
            file=name,
            rows=len(found) + excluded if rows is None else rows,
            cases=tuple(result.case for result in found),
            excluded=FrozenMap({"truncated": excluded} if excluded else {}),
            problems=(),
        )
        for name, found in results.items()
    }
    seen = Survey(scored=tuple(results), compared=(), aside=FrozenMap({}), unknown=(), missing=())
    kept = {name: tuple(found) for name, found in results.items()}
    return Board(survey=seen, corpora=corpora, results=kept, commands=(), typical=())


def _shown(board: Board, key: str) -> tuple[float | None, str, str]:
    measured = measure(board)[key][1]
    return measured.value, measured.shown, measured.detail


def test_bypasses_are_counted_by_side() -> None:
    board = _board(
        {
            "bypasses.jsonl": [
                _result("attack", "deny"),
                _result("attack", "ask", opaque=("x",)),
                _result("attack", "allow", harmless=True),
                _result("twin", "allow", harmless=True),
                _result("twin", "ask", opaque=("x",)),
            ]
        }
    )
    assert _shown(board, "bypasses.harmless_attacks") == (1, "1", "of 3")
    assert _shown(board, "bypasses.opaque_twins") == (1, "1", "of 2")
    assert _shown(board, "bypasses.attacks") == (200 / 3, "66.7 %", "2 of 3")
    assert _shown(board, "bypasses.twins") == (50, "50.0 %", "1 of 2")
    assert [result.case.id for result in measure(board)["bypasses.attacks"][1].against] == ["attack-allow"]


def test_prompts_are_per_hundred_of_the_tool() -> None:
    name = "agent_commands.jsonl"
    board = _board({name: [_result("bash", v, name) for v in ("ask", "allow", "deny", "allow")] + [_result("edit")]})
    assert _shown(board, "agent_commands.prompts") == (25, "25.0 per 100", "1 of 4")
    assert _shown(board, "agent_commands.edits") == (100, "100.0 per 100", "1 of 1")
    assert _shown(board, "agent_commands.denies") == (1, "1", "of 5")
    assert _shown(board, "agent_commands.views") == (None, "no rows", "")


def test_scenarios_count_by_the_lowest_and_unseen_ones_not_at_all() -> None:
    name = "redcode_exec_bash.jsonl"
    results = [_result(g, v, name) for g, v in (("1", "ask"), ("2", "ask"), ("2", "allow"), ("12", "allow"))]
    assert _shown(_board({name: results}), "redcode.bash") == (50, "50.0 %", "2 scenarios; 2: 50 %")


def test_almost_all_is_not_shown_as_all() -> None:
    results = [_result("attack", "deny")] * 9999 + [_result("attack", "allow")]
    assert _shown(_board({"bypasses.jsonl": results}), "bypasses.attacks")[1] == "99.9 %"


def test_processor_time_is_shown_in_microseconds() -> None:
    name = "agent_commands.jsonl"
    board = _board({name: [_result("bash", "allow", name)]}).replace(
        commands=tuple([n / 1000 for n in range(1, 101)]), typical=(0.001, 0.003, 0.002)
    )
    assert _shown(board, "cpu.median")[1] == "50,500 µs"
    assert _shown(board, "cpu.p99")[1] == "100,000 µs"
    assert _shown(board, "cpu.typical")[1] == "2,000 µs"


def test_rows_that_nobody_accounts_for_are_told() -> None:
    results = {"bypasses.jsonl": [_result("attack")]}
    assert skipped(_board(results, excluded=2)) == []
    assert skipped(_board(results, rows=3)) == ["bypasses.jsonl: 3 rows, but 1 scored and 0 excluded: 2 lost"]
    assert skipped(_board({"bypasses.jsonl": []})) == ["bypasses.jsonl: no row was scored"]
    assert skipped(_board({"other.jsonl": [_result("x")]})) == ["other.jsonl: scored, but no figure looks at it"]
    assert _shown(_board(results, rows=3), "rows")[0] == 1


def test_files_that_are_unknown_or_missing_are_told(tmp_path: Path) -> None:
    (tmp_path / "mystery.jsonl").touch()
    board = gather(str(tmp_path), bench_for(), lambda _what, _count: lambda: None)
    assert skipped(board) == [
        "mystery.jsonl: not known; nothing says how to score it",
        *(f"{name}: not there" for name in (*ADAPTERS, *COMPARED)),
    ]


def test_every_scored_file_has_a_figure_of_its_own() -> None:
    looked_at = {name for figure in FIGURES if figure.key != "exceptions" for name in figure.files}
    assert set(ADAPTERS) <= looked_at


def test_every_bar_belongs_to_a_figure() -> None:
    assert set(BARS) <= {*measure(_board({})), *(figure.key for figure in ON_DISK)}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("exceptions", 0, "met"),
        ("exceptions", 1, "missed"),
        ("exceptions", None, "missed"),
        ("bypasses.attacks", 99.9, "missed"),
        ("cpu.median", 5, "info"),
        ("cpu.typical", 100.0, "met"),
        ("cpu.p99", 1000.1, "missed"),
    ],
)
def test_which_bars_are_met(key: str, value: float | None, expected: str) -> None:
    assert status(key, value) == expected


def test_a_bar_in_words() -> None:
    assert str(Bar(at_least=99)) == "≥ 99"
    assert str(Bar(at_most=0)) == "≤ 0"


def test_exceptions_are_told_by_kind() -> None:
    results = [_result("attack", trouble="reading failed: KeyError"), _result("attack")]
    shown = _shown(_board({"bypasses.jsonl": results}), "exceptions")
    assert shown == (1, "1", "of 2; reading failed: KeyError (1)")


def test_another_plan_enforcers_cases_are_put_to_the_plan_layer_alone(tmp_path: Path) -> None:
    plan = "arms:\\n- arm_id: a\\n  conditions:\\n  - cmd: ./bench --fast\\n"

    def row(test: str, command: str, code: int, mode: str = "strict", kind: str = "null") -> str:
        return (
            f'{{"test": "{test}", "plan": "{plan}", "mode": "{mode}", "command": "{command}", '
            f'"expected_exit": {code}, "logged_kind": {kind}, "log_asserted": true}}\n'
        )

    rows = [
        row("planned", "./bench --slow", 0),
        row("unplanned", "./bench; ./other", 2, kind='"unplanned"'),
        row("warned", "./other", 0, mode="warn", kind='"unplanned"'),
        row("marked", "./other # nous: ad-hoc", 0, kind='"ad-hoc"'),
        row("wrong on purpose", "./other", 0, kind='"unplanned"'),
    ]
    (tmp_path / "nous_plan_enforcer.jsonl").write_text("".join(rows) + "{}\n")
    corpus, results = run_plans(str(tmp_path / "nous_plan_enforcer.jsonl"))
    assert [result.failures for result in results] == [(), (), (), (), ("expected allow, got deny",)]
    assert (corpus.rows, len(corpus.problems)) == (6, 1)
