"""What changed between two results, and what of it is worse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.evals.baseline import read_baseline, write_baseline
from interlock.evals.changes import Changes, changes_between, part_changes
from interlock.evals.exact import short_digest
from interlock.evals.results import Kept, KeptFigure, KeptRow, classes_of, read_results
from interlock.model.errors import InputError
from interlock.value import FrozenMap
from machine import Machine

READ = "fs:read path=/repo/a · effects read"


def _row(
    name: str, verdict: str = "allow", *lowers: str, lines: tuple[str, ...] = (READ,), group: str = "g"
) -> KeptRow:
    return KeptRow(id=name, group=group, verdict=verdict, lowers=lowers, digest=short_digest(lines), lines=lines)


def _kept(*rows: KeptRow, value: float | None = 90, better: str = "higher", source: str = "s") -> Kept:
    figure = KeptFigure(value=value, shown=f"{value} %", better=better)
    return Kept(
        engine="0",
        figures=FrozenMap({"held": figure}),
        sources=FrozenMap({"a.jsonl": source}),
        rows=FrozenMap({"a.jsonl": rows}),
        classes=FrozenMap({"a.jsonl": classes_of(rows)}),
    )


def _kinds(changes: Changes) -> list[tuple[str, str]]:
    return [(change.id, change.kind) for change in changes.cases]


def test_every_kind_of_change_is_named_and_the_worse_come_first() -> None:
    before = _kept(
        _row("same"),
        _row("read", lines=(READ,)),
        _row("loose", "deny"),
        _row("strict", "allow"),
        _row("mended", "allow", "held"),
        _row("fell", "ask"),
        _row("worded", "ask", lines=(READ, "opaque: a file")),
        _row("gone"),
    )
    after = _kept(
        _row("same"),
        _row("read", lines=(READ + " · tags secret",)),
        _row("loose", "ask"),
        _row("strict", "ask"),
        _row("mended", "ask"),
        _row("fell", "allow", "held"),
        _row("worded", "ask", lines=(READ, "opaque: the text of a file")),
        _row("new"),
    )
    changes = changes_between(before, after)
    assert _kinds(changes) == [
        ("fell", "worse"),
        ("loose", "looser"),
        ("strict", "stricter"),
        ("mended", "better"),
        ("read", "reading"),
        ("worded", "wording"),
        ("new", "new"),
        ("gone", "gone"),
    ]
    assert changes.worse


def test_a_case_that_lowers_one_more_figure_is_worse() -> None:
    changes = changes_between(_kept(_row("a", "ask", "held")), _kept(_row("a", "ask", "held", "opaque")))
    assert _kinds(changes) == [("a", "worse")]


def test_an_opaque_part_more_is_no_wording() -> None:
    one, two = _row("a", "ask", lines=("opaque: a",)), _row("a", "ask", lines=("opaque: a", "opaque: b"))
    assert _kinds(changes_between(_kept(one), _kept(two))) == [("a", "reading")]


@pytest.mark.parametrize(
    ("better", "now", "worse"),
    [
        ("higher", 89.9, True),
        ("higher", 90.1, False),
        ("lower", 90.1, True),
        ("lower", 89.9, False),
        ("lower", None, False),
    ],
)
def test_a_figure_may_only_get_better(better: str, now: float | None, worse: bool) -> None:
    changes = changes_between(_kept(value=90, better=better), _kept(value=now, better=better))
    assert changes.worse is worse
    assert [moved.name for moved in changes.figures] == ([] if now is None else ["held"])


def test_a_class_may_only_get_better_while_another_makes_up_for_it() -> None:
    before = _kept(_row("a", group="x"), _row("b", "allow", "held", group="y"))
    after = _kept(_row("a", "allow", "held", group="x"), _row("b", group="y"))
    moved = {one.name: one.worse for one in changes_between(before, after).classes}
    assert moved == {"a.jsonl · x": True, "a.jsonl · y": False}


def test_parts_of_an_action_are_told_and_not_the_whole_line() -> None:
    before = _row("a", lines=("git:push remote=origin · effects network · tags sends", READ, "opaque: a file"))
    after = _row("a", lines=("git:push remote=fork · effects network · tags external sends", READ, "net:send host=x"))
    (change,) = changes_between(_kept(before), _kept(after)).cases
    assert part_changes(change) == [
        "~ git:push: remote=origin · tags sends → remote=fork · tags external sends",
        "- opaque: a file",
        "+ net:send host=x",
    ]


def test_a_baseline_holds_digests_and_no_row(tmp_path: Path) -> None:
    rows = [_row(f"secret-id-{at}", "ask", lines=(f"fs:read path=/repo/{at}",)) for at in range(30)]
    write_baseline(str(tmp_path), _kept(*rows, _row("x", "allow", "held"), _row("y", "deny")))
    written = "".join(path.read_text() for path in tmp_path.rglob("*.*"))
    assert "secret-id" not in written
    assert "/repo" not in written
    kept = read_baseline(str(tmp_path))
    assert [row.digest for row in kept.rows["a.jsonl"][:30]] == [row.digest for row in rows]
    assert [(row.verdict, bool(row.lowers)) for row in kept.rows["a.jsonl"][29:]] == [
        ("ask", False),
        ("allow", True),
        ("deny", False),
    ]


def test_a_fresh_run_is_compared_with_a_baseline_by_place(tmp_path: Path) -> None:
    write_baseline(str(tmp_path), _kept(_row("a"), _row("b", "ask"), _row("c", "deny")))
    base = read_baseline(str(tmp_path))
    assert changes_between(base, _kept(_row("a"), _row("b", "ask"), _row("c", "deny"))).cases == ()
    fresh = _kept(_row("a", lines=("x",)), _row("b", "allow", "held"), _row("c", "ask"))
    changes = changes_between(base, fresh)
    assert _kinds(changes) == [("b", "worse"), ("c", "looser"), ("a", "reading")]
    assert [(moved.name, moved.worse) for moved in changes.classes] == [("a.jsonl · g", True)]


def test_another_corpus_is_not_compared_with_the_baseline_of_this_one(tmp_path: Path) -> None:
    write_baseline(str(tmp_path), _kept(_row("a")))
    changes = changes_between(read_baseline(str(tmp_path)), _kept(_row("a", "deny"), source="another"))
    assert changes.cases == ()
    assert changes.not_compared == ("a.jsonl: the file is not the one that the baseline was made from",)


def test_what_was_not_measured_stays_in_the_baseline(tmp_path: Path) -> None:
    write_baseline(str(tmp_path), _kept(_row("a"), value=90))
    other = _kept(value=None).replace(
        sources=FrozenMap({"b.jsonl": "t"}),
        rows=FrozenMap({"b.jsonl": (_row("b"),)}),
        classes=FrozenMap({"b.jsonl": classes_of([_row("b")])}),
    )
    write_baseline(str(tmp_path), other)
    kept = read_baseline(str(tmp_path))
    assert (set(kept.rows), kept.figures["held"].value) == ({"a.jsonl", "b.jsonl"}, 90)


def test_damaged_baselines_and_other_files_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"figures\.json"):
        read_baseline(str(tmp_path))
    write_baseline(str(tmp_path), _kept(_row("a"), _row("b")))
    (tmp_path / "readings/a.jsonl.txt").write_text("a123456\n")
    with pytest.raises(InputError, match="1 readings, and 2 cases"):
        read_baseline(str(tmp_path))
    for text in ("", "{}\n", "[]\n", "no\n", '{"kind": "interlock eval results"}\n'):
        (tmp_path / "x.jsonl").write_text(text)
        with pytest.raises(InputError, match="is not a file that --results wrote"):
            read_results(str(tmp_path / "x.jsonl"))


PACK = """\
- {id: fine, command: git status, expect: allow}
- {id: held, call: {tool: Write, input: {file_path: /opt/x/y}}, expect: ask}
"""
RULE = """version = 1
[[rules]]
id = "no-status"
when = { action = "git:status" }
verdict = "deny"
reason = "closed"
"""


def _results(machine: Machine, name: str, *options: str) -> str:
    (machine.project / "pack.yaml").write_text(PACK)
    file = str(machine.project / name)
    machine.run("eval", "run", "pack.yaml", "--results", file, "--quiet", *options)
    return file


def test_the_command_lists_what_changed_and_ends_with_1_if_it_is_worse(machine: Machine) -> None:
    before = _results(machine, "before.jsonl")
    policy = machine.user_policy(RULE)
    after = _results(machine, "after.jsonl", "--policy", str(policy))
    same = machine.run("eval", "diff", before, before)
    assert (same.code, same.out) == (0, "nothing changed\n")
    run = machine.run("eval", "diff", before, after)
    assert run.code == 1
    for part in (
        "1 cases lower a figure that they did not lower before",
        "pack.yaml · -: 1",
        "fine  allow → deny  lowers expectation",
        "worse: failed: 0 (of 2) → 1 (of 2)",
    ):
        assert part in run.out
    told: Any = machine.run("eval", "diff", before, after, "--json").json
    assert (told["worse"], told["counts"]["worse"], told["counts"]["better"]) == (True, 1, 0)
    assert [(case["id"], case["before"]["verdict"], case["after"]["verdict"]) for case in told["cases"]] == [
        ("fine", "allow", "deny")
    ]
    back = machine.run("eval", "diff", after, before)
    assert back.code == 0
    assert "1 cases no longer lower a figure" in back.out
    assert machine.run("eval", "diff", before, str(policy)).code == 64


def test_a_result_file_holds_the_whole_reading(machine: Machine) -> None:
    head, first, second = [json.loads(line) for line in Path(_results(machine, "r.jsonl")).read_text().splitlines()]
    assert head["kind"] == "interlock eval results"
    assert first["reading"] == ["git:status · effects read"]
    assert (second["verdict"], second["lowers"]) == ("ask", [])
    assert second["reading"][0].startswith("fs:write path=/opt/x/y · effects write · tags")
