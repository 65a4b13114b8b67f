"""The scoreboard's row about tampering: shapes by name, each done to a real ledger, none skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.evals.tampering import SHAPES, run_tampering


@pytest.mark.slow
def test_each_known_shape_is_found_and_an_unknown_one_is_not(tmp_path: Path) -> None:
    names = [*SHAPES, "something_new"]
    text = "".join(f"{n}. {name} | whatever | expect: something\n" for n, name in enumerate(names, start=1))
    path = tmp_path / "signet_tamper_shapes.txt"
    path.write_text(text + "\nno number and no name\n")
    corpus, results = run_tampering(str(path))
    assert {result.case.id: result.failures for result in results if result.failures} == {
        "something_new": ("this shape is not known, so nobody looked for it",)
    }
    assert (corpus.rows, len(results), len(corpus.problems)) == (len(names) + 1, len(names), 1)


def test_a_shape_that_is_not_found_says_so(tmp_path: Path) -> None:
    path = tmp_path / "signet_tamper_shapes.txt"
    path.write_text("1. nothing_done | a ledger left alone | expect: damage\n")
    from interlock.evals import tampering

    SHAPES["nothing_done"] = tampering._found("edit", 1, lambda trial: None)
    try:
        (result,) = run_tampering(str(path))[1]
    finally:
        del SHAPES["nothing_done"]
    assert result.failures == ("it was taken for whole",)
