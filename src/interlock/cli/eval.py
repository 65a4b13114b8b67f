"""`interlock eval`: run packs of cases, show one, measure the corpora, compare two runs."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..approve.answers import ANSWERS, OPEN
from ..errors import InputError, StoreError
from ..evals.figures import gather
from ..evals.lexical import bench_for
from ..evals.report import failure_lines, one_line, run_report, scoreboard_report, text_of
from ..evals.results import of_board, of_run, write_results
from ..evals.runner import cases_of, judge_one, run_cases
from .commands import MODES, POSTURES
from .eval_diff import command as diff

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..evals.case import Case
    from ..evals.lexical import Judged

__all__ = ["command"]

LONG = 500  # from so many cases on, a person is shown how far it is

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_quiet = click.option("--quiet", is_flag=True, help="No progress, and only what went wrong.")
_bench = (
    click.option("--policy", "policy_file", type=click.Path(dir_okay=False), help="Over the built-in policy."),
    click.option("--mode", type=MODES, help="Decide as in this approval mode."),
    click.option("--posture", type=POSTURES, help="Decide as in this posture."),
)
_results = click.option(
    "--results",
    "results_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write every case with its verdict and reading here, for `interlock eval diff`.",
)
_answer = click.option(
    "--answer",
    type=click.Choice(ANSWERS),
    default=OPEN,
    show_default=True,
    help="How a person answers asks while a session goes on. A yes or a no is remembered for the session. `open`: "
    "nobody answers, the call does not run, and nothing is remembered.",
)


def _on_a_bench(function: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_bench):
        function = option(function)
    return function


@click.group()
def command() -> None:
    """Run packs of cases, and measure corpora of commands.

    Cases are judged without looking at this machine: every path leads where it says, and the
    policy is the built-in one and the file that --policy names.
    """


@command.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path())
@_json
@_on_a_bench
@_answer
@click.option(
    "--failures",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Show at most N failing cases.",
)
@_results
@_quiet
def run(
    paths: tuple[str, ...],
    as_json: bool,
    policy_file: str | None,
    mode: str | None,
    posture: str | None,
    answer: str,
    failures: int,
    results_file: str | None,
    quiet: bool,
) -> int:
    """Run the packs at each PATH; a folder stands for all packs in it.

    The exit code is 1 if a case fails, 64 if a pack is wrong.

    \b
    Examples:
      interlock eval run packs/
      interlock eval run packs/git.yaml --policy .interlock/policy.toml --json
    """
    bench = bench_for(policy_file, mode, posture)
    taken = cases_of(paths)
    with _progress(quiet=quiet or as_json) as tick:
        step = tick("cases", len(taken.cases))
        results = list(run_cases(taken.cases, bench, answer=answer, tick=step))
    if results_file is not None:
        write_results(results_file, of_run(results), bench)
    report = run_report(results, taken, bench)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _show_run(report, failures, quiet=quiet)
    return 1 if report["failed"] else 0


@command.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(exists=True, file_okay=False))
@click.option(
    "--redteam",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Try the red team's cases in this folder too, with files on disk and the built-in policy.",
)
@click.option(
    "--repositories",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Judge the own tasks of the projects whose archives lie here too; the same.",
)
@_json
@_on_a_bench
@click.option("--failures", type=click.Path(dir_okay=False), help="Write the rows that lower a figure here, as JSONL.")
@_results
@_quiet
def scoreboard(
    folder: str | None,
    redteam: str | None,
    repositories: str | None,
    as_json: bool,
    policy_file: str | None,
    mode: str | None,
    posture: str | None,
    failures: str | None,
    results_file: str | None,
    quiet: bool,
) -> int:
    """Measure the corpora in DIR, which are recognised by their file names.

    The exit code is 1 if a bar is missed, or if a file, a row or a set was skipped without a word.
    """
    if folder is None and redteam is None and repositories is None:
        raise InputError("name a folder of corpora, --redteam or --repositories")
    if (redteam or repositories) and (policy_file or mode or posture):
        raise InputError("cases on disk are tried with the built-in policy: leave out --policy, --mode and --posture")
    bench = bench_for(policy_file, mode, posture)
    with _progress(quiet=quiet or as_json) as tick:
        board = gather(folder, bench, tick, redteam=redteam, repositories=repositories)
    if failures is not None:
        try:
            with open(failures, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in failure_lines(board))
        except OSError as error:
            raise StoreError(f"`{failures}` could not be written: {error.strerror}") from None
    if results_file is not None:
        write_results(results_file, of_board(board), bench)
    report = scoreboard_report(board, bench)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _show_scoreboard(report, quiet=quiet)
    return 0 if report["met"] else 1


@command.command()
@click.argument("path", type=click.Path())
@click.argument("case_id", metavar="ID")
@_on_a_bench
@_answer
def show(path: str, case_id: str, policy_file: str | None, mode: str | None, posture: str | None, answer: str) -> int:
    """Show one case of PATH: the call, what was read, what is decided.

    Cases of the same session that stand before it are run first.
    """
    bench = bench_for(policy_file, mode, posture)
    cases = cases_of([path]).cases
    case = next((case for case in cases if case.id == case_id), None)
    if case is None:
        close = difflib.get_close_matches(case_id, [case.id for case in cases], n=1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        raise InputError(f"`{path}` has no case `{case_id}`{hint}")
    _show_case(case, judge_one(cases, case, bench, answer=answer))
    return 0


command.add_command(diff)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int], Callable[[], object]]]:
    """A bar on the terminal for long work; what it gives is asked for one step at a time."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _count: lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:

        def tick(what: str, count: int) -> Callable[[], object]:
            if count < LONG:
                return lambda: None
            task = progress.add_task(what, total=count)
            return lambda: progress.advance(task)

        yield tick


def _console() -> Console:
    """As elsewhere, but with room for a table where the output is no terminal."""
    from .show import console

    out = console()
    if not out.is_terminal:
        out.width = 140
    return out


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in columns:
        right = column in ("cases", "passed", "failed", "measured", "allow", "ask", "deny", "value")
        table.add_column(column, header_style="dim", overflow="fold", justify="right" if right else "left")
    return table


def _show_run(report: dict[str, Any], most: int, *, quiet: bool) -> None:
    from rich.text import Text

    from .show import harmless

    out = _console()
    if not quiet:
        table = _table("pack", "cases", "passed", "failed", "measured", "allow", "ask", "deny")
        for row in report["files"]:
            table.add_row(Text(harmless(row["file"])), *(str(row[key]) for key in list(row)[1:]))
        out.print(table)
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
    if failing or not quiet:
        out.print(f"\n{len(failing)} of {report['cases']} cases failed" if failing else "\nall cases passed")


_STYLES = {"met": "green", "missed": "bold red", "info": "dim"}


def _show_scoreboard(report: dict[str, Any], *, quiet: bool) -> None:
    from rich.text import Text

    from .show import harmless

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


def _show_case(case: Case, judged: Judged) -> None:
    from rich.text import Text

    from .show import console, harmless, reading_tree, reasons_table, verdict_text

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
