"""The pair of numbers of a run: what was stopped, and how often it got in the way. Gates, and runs that are kept."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from interlock.evals.case import Case, bash
from interlock.evals.lexical import bench_for
from interlock.evals.rates import FIGURES, Bound, bounds_of, breakdown, cost_of, figures_of, missed, unguarded
from interlock.evals.runner import Result, run_cases
from interlock.evals.trend import Run, add_run, runs_in
from interlock.evals.trend_page import page_of
from interlock.model.errors import InputError, StoreError
from interlock.value import FrozenMap


def result(verdict: str, expect: str | None = None, *, session: str = "", **more: object) -> Result:
    case = Case(id="x", file="p", line=1, call=bash("ls", "/repo", session), expect=expect)
    return Result(case=case, verdict=verdict, **more)  # type: ignore[arg-type]


def test_both_numbers_are_measured() -> None:
    results = [
        result("allow", "allow", micros=100.0),
        result("ask", "allow", micros=300.0, opaque=("x",)),
        result("deny", "allow", micros=200.0),
        result("ask", "not_allow", micros=100.0),
        result("allow", "deny", micros=100.0, failures=("expected deny, got allow",)),
    ]
    assert figures_of(results, "open") == {
        "pass_rate": 0.8,
        "danger_stopped": 0.5,
        "benign_allowed": round(1 / 3, 6),
        "benign_denied": 1.0,
        "prompts_per_100": 40.0,
        "opaque_rate": 0.2,
        "sessions_completed": None,
        "latency_p50_us": 100.0,
        "latency_p99_us": 300.0,
    }


def test_what_nothing_measures_is_not_there() -> None:
    assert set(figures_of([], "open").values()) == {None}
    assert list(figures_of([], "open")) == list(FIGURES)


@pytest.mark.parametrize(
    ("verdicts", "answer", "completed"),
    [
        (("allow", "allow"), "open", 1.0),
        (("allow", "ask"), "open", 0.0),
        (("allow", "ask"), "approve", 1.0),
        (("allow", "ask"), "refuse", 0.0),
        (("allow", "deny"), "approve", 0.0),
        (("allow",), "open", None),
    ],
)
def test_a_session_is_completed_if_no_benign_call_is_held(
    verdicts: tuple[str, ...], answer: str, completed: float | None
) -> None:
    results = [result(verdict, "not_deny", session="s") for verdict in verdicts]
    assert figures_of(results, answer)["sessions_completed"] == completed


def test_a_dangerous_call_that_is_held_does_not_interrupt_a_session() -> None:
    results = [result("allow", "allow", session="s"), result("deny", "deny", session="s")]
    assert figures_of(results, "open")["sessions_completed"] == 1.0


def test_a_call_that_broke_completes_nothing() -> None:
    results = [result("allow", "allow", session="s"), result("error", "deny", session="s")]
    assert figures_of(results, "open")["sessions_completed"] == 0.0


def test_what_a_policy_costs_is_told_by_session() -> None:
    before = [result("allow", "allow", session=name) for name in ("a", "a", "b", "b", "c", "c", "d")]
    verdicts = ("allow", "ask", "allow", "allow", "ask", "deny", "deny")
    after = [
        result(verdict, "allow", session=one.case.call.session) for verdict, one in zip(verdicts, before, strict=True)
    ]
    assert cost_of(before, after, "open") == {
        "prompts": 0,
        "more_prompts": 2,
        "sessions": 3,
        "no_longer_complete": ["p: a", "p: c"],
        "complete_only_now": [],
    }
    assert cost_of(after, before, "open")["complete_only_now"] == ["p: a", "p: c"]
    assert cost_of(after, before, "open")["more_prompts"] == -2


def test_with_nothing_in_front_everything_runs() -> None:
    results = [result("deny", "deny"), result("ask", "allow", opaque=("x",))]
    figures = figures_of(unguarded(results), "open")
    assert (figures["danger_stopped"], figures["benign_allowed"], figures["prompts_per_100"]) == (0.0, 1.0, 0.0)
    assert figures["pass_rate"] == 0.5


def test_a_breakdown_counts_each_kind() -> None:
    results = [result("ask", reasons=("tiers/tier-2: a", "tiers/tier-2: b", "floor/x: c")), result("allow")]
    assert breakdown(results, "reason") == [
        {"reason": "floor/x", "cases": 1, "failed": 0, "allow": 0, "ask": 1, "deny": 0},
        {"reason": "tiers/tier-2", "cases": 1, "failed": 0, "allow": 0, "ask": 1, "deny": 0},
    ]
    assert breakdown(results, "tool") == [{"tool": "Bash", "cases": 2, "failed": 0, "allow": 1, "ask": 1, "deny": 0}]


def test_time_is_measured() -> None:
    (found,) = run_cases([Case(id="x", file="p", line=1, call=bash("ls", "/repo"))], bench_for())
    assert found.micros > 0


# --- gates --------------------------------------------------------------------------------------------------------


def test_gates_are_read() -> None:
    assert bounds_of("danger_stopped >= 0.99, prompts_per_100<=8") == (
        Bound(figure="danger_stopped", sign=">=", limit=0.99),
        Bound(figure="prompts_per_100", sign="<=", limit=8.0),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("danger_stoped>=1", "there is no figure `danger_stoped`; did you mean `danger_stopped`?"),
        ("danger_stopped=1", "`danger_stopped=1` is no gate; one reads `danger_stopped>=0.99`"),
        ("", "`` is no gate; one reads `danger_stopped>=0.99`"),
        ("pass_rate>=1,", "`` is no gate; one reads `danger_stopped>=0.99`"),
    ],
)
def test_a_gate_with_a_mistake_says_which(text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        bounds_of(text)
    assert str(error.value) == told


def test_a_gate_names_what_is_missed() -> None:
    figures = {**dict.fromkeys(FIGURES), "danger_stopped": 0.98, "prompts_per_100": 8.0}
    bounds = bounds_of("danger_stopped>=0.99,prompts_per_100<=8,benign_allowed>0")
    assert missed(bounds, figures) == [
        "danger_stopped>=0.99: it is 0.98",
        "benign_allowed>0: no case measures it",
    ]


# --- runs that are kept -------------------------------------------------------------------------------------------

RUN = Run(
    at="2026-11-17T12:00:00Z",
    engine="0.3.0",
    policy="sha256:aa",
    packs="sha256:bb",
    machine="Linux",
    mode="default",
    posture="interactive",
    answer="open",
    cases=3,
    note="<b>first</b>",
    figures=FrozenMap({"pass_rate": 1.0, "danger_stopped": None}),
)


def test_runs_are_kept_in_their_order(tmp_path: Path) -> None:
    file = str(tmp_path / "runs.sqlite")
    second = RUN.replace(at="2026-11-18T12:00:00Z", figures=FrozenMap({"pass_rate": 0.5, "danger_stopped": None}))
    add_run(file, RUN)
    add_run(file, second)
    assert runs_in(file) == (RUN, second)


def test_another_file_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "mine.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE mine (x)")
    before = file.read_bytes()
    with pytest.raises(InputError, match="not a file of runs"):
        add_run(str(file), RUN)
    assert file.read_bytes() == before


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("hello, this is not a database at all")
    with pytest.raises(StoreError, match="could not be written"):
        add_run(str(file), RUN)
    with pytest.raises(InputError, match="is not a file of runs"):
        runs_in(str(file))
    with pytest.raises(InputError, match="is not there"):
        runs_in(str(tmp_path / "none"))


def test_the_page_loads_nothing_and_shows_notes_as_text() -> None:
    page = page_of([RUN, RUN.replace(figures=FrozenMap({"pass_rate": 0.5}))])
    assert "http" not in page
    assert "<script" not in page
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert page.count("<svg") == 1
