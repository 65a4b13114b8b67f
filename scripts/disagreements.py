"""Compares docs/disagreements.md with what a run has left over: each row listed once with a reason, and none besides.

    interlock eval scoreboard DIR --failures left.jsonl; python scripts/disagreements.py left.jsonl

A table of the page belongs to the figure that is named before it, `<!-- figure: NAME -->`; its first column holds ids.
Ids are all that is kept of a collection. Ends with 1 where page and run differ, and says in what.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["differences", "left_over", "listed"]

PAGE = Path(__file__).parent.parent / "docs/disagreements.md"
MARK = "<!-- figure: "


def listed(page: str) -> dict[str, dict[str, str]]:
    """Figure -> id -> reason, as the page has them. ValueError for an id that is there twice or has no reason."""
    found: dict[str, dict[str, str]] = {}
    figure = ""
    for line in page.splitlines():
        if line.startswith(MARK):
            figure = line.removeprefix(MARK).partition(" ")[0]
            found[figure] = {}
        elif not line.startswith("|"):
            figure = figure if figure and not found[figure] else ""  # the table is over
        elif figure and "`" in line.split("|")[1]:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            for name in cells[0].replace("`", " ").replace(",", " ").split():
                if name in found[figure] or not cells[-1]:
                    raise ValueError(f"{figure}: `{name}` is listed twice, or without a reason")
                found[figure][name] = cells[-1]
    return found


def left_over(lines: list[str]) -> dict[str, set[str]]:
    """Figure -> ids of the rows that lower it, from the file that `--failures` writes."""
    found: dict[str, set[str]] = {}
    for line in lines:
        row = json.loads(line)
        found.setdefault(row["figure"], set()).add(row["id"])
    return found


def differences(page: dict[str, dict[str, str]], left: dict[str, set[str]]) -> list[str]:
    """What is left over and not listed, and what is listed and no longer left over."""
    told = []
    for figure, reasons in page.items():
        rows = left.get(figure, set())
        told += [
            f"{figure}: `{name}` is left over, and the page does not say why" for name in sorted(rows - set(reasons))
        ]
        told += [f"{figure}: `{name}` is listed, and no longer left over" for name in sorted(set(reasons) - rows)]
    return told


def main(path: str) -> int:
    told = differences(listed(PAGE.read_text(encoding="utf-8")), left_over(Path(path).read_text("utf-8").splitlines()))
    print("\n".join(told) or "every row that is left over is listed, with its reason")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
