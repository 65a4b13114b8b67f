"""Rows of programs: what is worked out for one of them is not another's."""

from __future__ import annotations

from interlock.reading.evaluate.words import Arg
from interlock.reading.machine.options import compiled, parse
from interlock.reading.tables.spec import P


def test_a_dry_run_is_one_only_for_the_row_that_says_so() -> None:
    shows = P("shows", "text*", options="-v", dryrun="--dry-run")
    acts = P("acts", "text*", options="-v")
    words = [Arg("--dry-run", (0, 9))]
    assert compiled(shows).trial == frozenset(["--dry-run"])
    assert compiled(acts).trial == frozenset()
    assert parse(shows, words, stop_at_operand=False).switches == {"--dry-run"}
    assert parse(acts, words, stop_at_operand=False).switches == set()


def test_what_was_worked_out_for_a_row_is_no_part_of_it() -> None:
    row = P("a", "text*", options="-v")
    same = P("a", "text*", options="-v")
    table = compiled(row)
    assert row == same
    assert compiled(same) is table
    assert compiled(row.replace(options="-x")).by_name.keys() == {"-x"}
    assert row.replace(options="-v") == row
