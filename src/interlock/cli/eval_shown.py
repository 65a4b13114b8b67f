"""What `interlock eval` prints for people: tables of packs and figures, failing cases, one case in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..evals.rates import FIGURES
from ..evals.report import one_line, text_of
from ..value import lazy

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..evals.case import Case
    from ..evals.lexical import Judged
    from .show import console, harmless, reading_tree, reasons_table, verdict_text
else:
    console = lazy(globals(), ".show", "console")
    harmless = lazy(globals(), ".show", "harmless")
    reading_tree = lazy(globals(), ".show", "reading_tree")
    reasons_table = lazy(globals(), ".show", "reasons_table")
    verdict_text = lazy(globals(), ".show", "verdict_text")
    Table = lazy(globals(), "rich.table", "Table")

__all__ = ["show_case", "show_packs", "show_run", "show_scoreboard"]


def _console() -> Console:
    """As elsewhere, but with room for a table where the output is no terminal."""
    out = console()
    if not out.is_terminal:
        out.width = 140
    return out


_NUMBERS = frozenset(
    ("cases", "passed", "failed", "measured", "allow", "ask", "deny", "value", "danger", "benign", "sessions")
)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in columns:
        right = column in _NUMBERS or column in _OF_PACK
        table.add_column(column, header_style="dim", overflow="fold", justify="right" if right else "left")
    return table


def show_packs(rows: list[dict[str, object]]) -> None:
    table = _table("pack", "cases", "danger", "benign", "sessions", "")
    for row in rows:
        table.add_row(*(Text(str(row[key])) for key in ("pack", "cases", "danger", "benign", "sessions", "about")))
    _console().print(table)


def show_run(report: dict[str, Any], most: int, *, quiet: bool, by: str | None) -> None:
    out = _console()
    if not quiet:
        out.print(_packs_table(report))
    if by is not None:
        rows = _table(by, "cases", "failed", "allow", "ask", "deny")
        for row in report[f"by_{by}"]:
            rows.add_row(Text(harmless(str(row[by]))), *(str(value) for value in list(row.values())[1:]))
        out.print()
        out.print(rows if rows.row_count else f"no case has a {by}")
    if not quiet:
        out.print()
        out.print(_figures_table(report))
        for line in _cost_lines(report):
            out.print(Text(line))
        for line in report["left_out"]:
            out.print(Text(f"left out: {harmless(line)}", style="dim"))
    failing = [result for result in report["results"] if result["failures"]]
    for result in failing[:most]:
        where = f"{result['file']}:{result['line']}"
        out.print(Text.assemble("\n", (harmless(result["id"]), "bold"), (f"  {harmless(where)}", "dim")))
        out.print(Text(f"  {harmless(result['tool'])}: {harmless(one_line(result['text']))}"))
        for failure in result["failures"]:
            out.print(Text(f"  {harmless(failure)}", style="red"))
        for reason in result["reasons"]:
            out.print(Text(f"  {harmless(one_line(reason))}", style="dim"))
        if result["why"]:
            out.print(Text(f"  why it matters: {harmless(result['why'])}", style="dim"))
    if len(failing) > most:
        out.print(f"\n… and {len(failing) - most} more; --failures N shows more, --json all of them")
    for line in report["missed"]:
        out.print(Text(f"gate missed: {line}", style="bold red"))
    if failing or not quiet:
        out.print(f"\n{len(failing)} of {report['cases']} cases failed" if failing else "\nall cases passed")


def _percent(share: float) -> str:
    """INVARIANT: never rounded up to the whole, nor down to nothing."""
    shown = f"{100 * share:.1f}"
    if shown == "100.0" and share < 1:
        shown = "99.9"
    if shown == "0.0" and share > 0:
        shown = "0.1"
    return f"{shown.removesuffix('.0')} %"


# What a pack's row shows of its figures: heading -> the figure, and how it is written.
_OF_PACK: dict[str, tuple[str, Callable[[float], str]]] = {
    "pass": ("pass_rate", _percent),
    "stopped": ("danger_stopped", _percent),
    "allowed": ("benign_allowed", _percent),
    "denied": ("benign_denied", lambda value: f"{value:g}"),
    "prompts/100": ("prompts_per_100", lambda value: f"{value:.1f}"),
    "opaque": ("opaque_rate", _percent),
    "sessions": ("sessions_completed", _percent),
    "p50 µs": ("latency_p50_us", lambda value: f"{value:.0f}"),
    "p99 µs": ("latency_p99_us", lambda value: f"{value:.0f}"),
}


def _packs_table(report: dict[str, Any]) -> Table:
    table = _table("pack", "cases", "failed", *_OF_PACK)
    for row in report["files"]:
        values = [(row["figures"][name], shown) for name, shown in _OF_PACK.values()]
        cells = ["" if value is None else shown(value) for value, shown in values]
        failed = Text(str(row["failed"]), style="red" if row["failed"] else "")
        table.add_row(Text(harmless(row["pack"] or row["file"])), str(row["cases"]), failed, *cells)
    return table


def _cost_lines(report: dict[str, Any]) -> list[str]:
    """What it costs against the baseline, in words."""
    before = report.get("baseline")
    if before is None:
        return []
    more = before["more_prompts"]
    lines = [f"\nagainst {harmless(before['policy'])}: {abs(more)} {'fewer' if more < 0 else 'more'} prompts"]
    broken, whole = before["no_longer_complete"], before["complete_only_now"]
    if before["sessions"]:
        lines.append(f"{len(broken)} of {before['sessions']} sessions no longer complete{_named(broken)}")
        if whole:
            lines.append(f"{len(whole)} of them complete only now{_named(whole)}")
    else:
        lines.append("no session of several calls was run, so that none can tell whether work still completes")
    return lines


def _named(sessions: list[str], most: int = 10) -> str:
    shown = [harmless(name) for name in sessions[:most]]
    left = len(sessions) - len(shown)
    return f": {', '.join(shown)}{f' and {left} more' if left else ''}" if shown else ""


def _figures_table(report: dict[str, Any]) -> Table:
    """What was stopped and how often it got in the way; beside it, with --baseline, the same without or before."""
    before = report.get("baseline")
    table = _table("figure", "value", *(() if before is None else (str(before["policy"]),)), "")
    table.columns[-2].justify = "right"
    for name, (says, _) in FIGURES.items():
        values = [report["figures"][name], *(() if before is None else (before["figures"][name],))]
        if any(value is not None for value in values):
            table.add_row(name, *("" if value is None else f"{value:g}" for value in values), says)
    return table


_STYLES = {"met": "green", "missed": "bold red", "info": "dim"}


def show_scoreboard(report: dict[str, Any], *, quiet: bool) -> None:
    out = _console()
    table = _table("figure", "value", "of", "bar", "")
    for figure in report["figures"]:
        if quiet and figure["status"] != "missed":
            continue
        state = Text(figure["status"], style=_STYLES[figure["status"]])
        table.add_row(figure["title"], figure["shown"], figure["detail"], figure["bar"] or "", state)
    if table.row_count:
        out.print(table)
    for line in report["skipped"]:
        out.print(Text(f"skipped: {harmless(line)}", style="red"))
    if quiet:
        return
    for held in report["not_free"]:
        reason = one_line(held["reasons"][0]) if held["reasons"] else ""
        text = "" if held["id"].endswith(held["text"]) else f" {one_line(held['text'], 60)}:"
        out.print(Text(harmless(f"{held['verdict']}: {one_line(held['id'])}:{text} {reason}")))
    rows, scored = (sum(file[key] for file in report["files"]) for key in ("rows", "scored"))
    out.print(f"\n{rows:,} rows in {len(report['files'])} files, {scored:,} scored; not scored:")
    for file in report["files"]:
        for why, count in file["excluded"].items():
            out.print(Text(f"  {harmless(file['file'])}: {count:,} rows: {harmless(why)}", style="dim"))
    for why in dict.fromkeys(report["not_scored"].values()):
        names = ", ".join(name for name, reason in report["not_scored"].items() if reason == why)
        out.print(Text(f"  {harmless(names)}: {why}", style="dim"))


def show_case(case: Case, judged: Judged) -> None:
    out = console()
    decision = judged.decision
    expected = f", expected {case.expect}" if case.expect else ""
    effect = "no effect" if decision.effect is None else f"dominant effect {decision.effect}"
    label = f"  ({harmless(case.group)})" if case.group else ""
    out.print(Text.assemble((harmless(case.id), "bold"), label, (f"  {case.file}:{case.line}", "dim")))
    if case.why:
        out.print(Text(f"why it matters: {harmless(case.why)}", style="dim"))
    for line in text_of(case).split("\n"):
        out.print(Text(f"  {harmless(line)}"))
    out.print()
    out.print(Text.assemble(verdict_text(decision.verdict), f"  {effect}, posture {decision.posture}{expected}"))
    out.print()
    title = f"what {case.call.tool} would do in {case.call.cwd}"
    out.print(reading_tree(judged.reading, title), soft_wrap=False)
    if decision.reasons:
        out.print()
        out.print(reasons_table(decision.reasons))
