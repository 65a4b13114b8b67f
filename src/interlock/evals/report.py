"""Results as plain data: what `--json` prints, and what the tables for people are made from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import __version__
from .bars import BARS, status
from .case import Case
from .figures import Board, measure, skipped
from .lexical import Bench
from .rates import breakdown, figures_of
from .runner import Result, Taken
from .shipped import name_of

__all__ = ["failure_lines", "one_line", "result_to_wire", "run_report", "scoreboard_report", "text_of"]


def run_report(results: Sequence[Result], taken: Taken, bench: Bench, answer: str) -> dict[str, Any]:
    """`interlock eval run --json`. The figures are of all packs together; each file has its own."""
    failed = sum(1 for result in results if result.failures)
    return {
        "engine": __version__,
        "policy": bench.policy.digest,
        "posture": bench.posture.name,
        "mode": bench.policy.approval_mode.name,
        "cases": len(results),
        "failed": failed,
        "figures": figures_of(results, answer),
        **{f"by_{by}": breakdown(results, by) for by in ("technique", "tool", "reason")},
        "files": [_file_row(file, [r for r in results if r.case.file == file], answer) for file in _files(results)],
        "left_out": list(taken.left_out),
        "results": [result_to_wire(result) for result in results],
    }


def _files(results: Iterable[Result]) -> list[str]:
    return list(dict.fromkeys(result.case.file for result in results))


def _file_row(file: str, results: list[Result], answer: str) -> dict[str, Any]:
    verdicts = Counter(result.verdict for result in results)
    failed = sum(1 for result in results if result.failures)
    measured = sum(1 for result in results if not _expects(result.case) and not result.failures)
    return {
        "file": file,
        "pack": name_of(file),
        "cases": len(results),
        "passed": len(results) - failed - measured,
        "failed": failed,
        "only_measured": measured,
        **{verdict: verdicts[verdict] for verdict in ("allow", "ask", "deny")},
        "figures": figures_of(results, answer),
    }


def _expects(case: Case) -> bool:
    return bool(case.expect or case.actions) or case.effects is not None or case.opaque is not None


def result_to_wire(result: Result) -> dict[str, Any]:
    case = result.case
    return {
        "id": case.id,
        "file": case.file,
        "line": case.line,
        "tool": case.call.tool,
        "text": text_of(case),
        "expect": case.expect,
        "verdict": result.verdict,
        "effect": result.effect,
        "effects": list(result.effects),
        "actions": list(result.actions),
        "opaque": list(result.opaque),
        "reasons": list(result.reasons),
        "failures": list(result.failures),
        "trouble": result.trouble,
        "why": case.why,
    }


def text_of(case: Case) -> str:
    """What a person needs to see of the call: the command, or the input as JSON."""
    command = case.call.input.get("command")
    if case.call.tool == "Bash" and isinstance(command, str):
        return command
    return json.dumps(dict(case.call.input), ensure_ascii=False, default=_thawed)


def _thawed(value: Any) -> Any:
    return dict(value)


def one_line(text: str, room: int = 100) -> str:
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 1] + "…"


def scoreboard_report(board: Board, bench: Bench) -> dict[str, Any]:
    """`interlock eval scoreboard --json`: the figures, and an account of every file and row."""
    figures = []
    measures = measure(board)
    for key, (title, measured) in measures.items():
        bar = BARS.get(key)
        figures.append(
            {
                "figure": key,
                "title": title,
                "value": measured.value,
                "shown": measured.shown,
                "detail": measured.detail,
                "bar": None if bar is None else str(bar),
                "status": status(key, measured.value),
            }
        )
    return {
        "engine": __version__,
        "policy": bench.policy.digest,
        "posture": bench.posture.name,
        "mode": bench.policy.approval_mode.name,
        "met": not any(figure["status"] == "missed" for figure in figures),
        "figures": figures,
        "not_free": [
            result_to_wire(result)
            for key in ("agent_commands.denies", "redteam.denied", "redteam.session_denies", "repositories.free")
            if key in measures
            for result in measures[key][1].against
        ],
        "files": [
            {
                "file": corpus.file,
                "rows": corpus.rows,
                "scored": len(board.results.get(corpus.file, ())),
                "excluded": dict(corpus.excluded),
            }
            for corpus in board.corpora.values()
        ],
        "not_scored": {name: why for name, why in board.survey.aside.items() if name not in board.corpora},
        "skipped": skipped(board),
    }


def failure_lines(board: Board) -> Iterator[str]:
    """One JSON object a line for every row that lowers a figure."""
    for key, (_, measured) in measure(board).items():
        for result in measured.against:
            yield json.dumps({"figure": key, "group": result.case.group, **result_to_wire(result)}, ensure_ascii=False)
