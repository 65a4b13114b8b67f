"""The page of disagreements: which rows it lists, and what the comparison with a run says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("disagreements", ROOT / "scripts/disagreements.py")
assert SPEC is not None
assert SPEC.loader is not None
page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(page)

PAGE = """
<!-- figure: theirs.block -->
| rows | class | why |
|---|---|---|
| `a-1` `a-2` | printed | nothing is changed |
| `b/0` | fetched | fetching is free |

| rows | of another table |
|---|---|
| `c` | not of a figure |
"""


def test_a_table_after_the_name_of_a_figure_lists_its_rows_with_their_reasons() -> None:
    assert page.listed(PAGE) == {
        "theirs.block": {"a-1": "nothing is changed", "a-2": "nothing is changed", "b/0": "fetching is free"}
    }


@pytest.mark.parametrize("row", ["| `a-1` | again | twice |", "| `d` | without a reason | |"])
def test_a_row_that_is_listed_twice_or_without_a_reason_is_refused(row: str) -> None:
    with pytest.raises(ValueError, match="twice, or without"):
        page.listed(PAGE.replace("| `b/0`", row + "\n| `b/0`"))


def test_what_is_missing_and_what_is_over_is_told() -> None:
    lines = [json.dumps({"figure": "theirs.block", "id": name}) for name in ("a-1", "b/0", "new")]
    lines.append(json.dumps({"figure": "another", "id": "x"}))
    assert page.differences(page.listed(PAGE), page.left_over(lines)) == [
        "theirs.block: `new` is left over, and the page does not say why",
        "theirs.block: `a-2` is listed, and no longer left over",
    ]


def test_the_page_covers_the_collections_that_it_promises_to_cover() -> None:
    listed = page.listed((ROOT / "docs/disagreements.md").read_text(encoding="utf-8"))
    assert {figure: len(reasons) for figure, reasons in listed.items()} == {
        "agentshield.block": 24,
        "agentshield.allow": 6,
        "nah.block": 10,
        "gtfobins": 2,
        "redcode.bash": 22,
        "redcode.python": 14,
    }
