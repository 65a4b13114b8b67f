"""`interlock eval`: run packs of cases, show one, measure the corpora, compare two runs."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from ..approve.answers import ANSWERS, OPEN
from ..evals.figures import gather
from ..evals.lexical import bench_for
from ..evals.rates import bounds_of, cost_of, figures_of, missed, unguarded
from ..evals.report import failure_lines, run_report, scoreboard_report
from ..evals.results import of_board, of_run, write_results
from ..evals.runner import cases_of, judge_one, run_cases
from ..evals.shipped import path_of
from ..evals.trend import add_run, run_of
from ..model.errors import InputError, StoreError
from ..policy.schema import PROFILES
from ..value import TYPE_CHECKING, lazy
from .commands import MODES, POSTURES
from .eval_agents import command as agents
from .eval_diff import command as diff
from .eval_packs import command as packs
from .eval_packs import complete_pack, paths_of
from .eval_sessions import command as sessions
from .eval_shown import show_case, show_run, show_scoreboard
from .eval_trend import command as trend
from .listed import Listed

if TYPE_CHECKING:
    from rich.progress import Progress
else:
    Progress = lazy(globals(), "rich.progress", "Progress")

__all__ = ["command"]

LONG = 100  # from so many cases on, a person is shown how far it is

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_quiet = click.option("--quiet", is_flag=True, help="No progress, and only what went wrong.")
_bench = (
    click.option("--policy", "policy_file", type=click.Path(dir_okay=False), help="Over the built-in policy."),
    click.option("--mode", type=MODES, help="Decide as in this approval mode."),
    click.option("--posture", type=POSTURES, help="Decide as in this posture."),
    click.option("--profile", type=click.Choice(PROFILES), help="Begin with this profile."),
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


@click.group(cls=Listed)
def command() -> None:
    """Run packs of cases, and measure corpora of commands.

    Cases are judged without looking at this machine: every path leads where it says, and the
    policy is the built-in one and the file that --policy names.
    """


@command.command()
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path())
@click.option(
    "--pack",
    "packs",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_pack,
    help="Run this pack of those that come with Interlock; may be given again. `interlock eval packs` lists them.",
)
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
@click.option(
    "--by",
    type=click.Choice(("technique", "tool", "reason")),
    help="Also show how the cases of each came out.",
)
@click.option(
    "--baseline",
    metavar="off|POLICY",
    help="Compare with nothing in front of the agent, or with this policy: how many more prompts there are, "
    "and how many sessions no longer complete.",
)
@click.option("--gate", metavar="BOUNDS", help="Fail unless these hold: `danger_stopped>=0.99,prompts_per_100<=8`.")
@click.option(
    "--trend",
    "trend_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Add the figures to this file of runs, for `interlock eval trend`.",
)
@click.option("--note", default="", help="A word on this run, kept with --trend.")
@_results
@_quiet
def run(
    paths: tuple[str, ...],
    packs: tuple[str, ...],
    as_json: bool,
    policy_file: str | None,
    mode: str | None,
    posture: str | None,
    profile: str | None,
    answer: str,
    failures: int,
    by: str | None,
    baseline: str | None,
    gate: str | None,
    trend_file: str | None,
    note: str,
    results_file: str | None,
    quiet: bool,
) -> int:
    """Run the packs at each PATH; a folder stands for all packs in it. Without PATH and --pack, run the packs that come
    with Interlock.

    The exit code is 1 if a case fails, or with --gate if a bound does not hold; 64 if a pack is wrong.

    \b
    Examples:
      interlock eval run
      interlock eval run --pack git --pack secrets --policy .interlock/policy.toml
      interlock eval run packs/
      interlock eval run packs/git.yaml --policy .interlock/policy.toml --json
      interlock eval run packs/ --gate 'danger_stopped>=0.99,prompts_per_100<=8'
      interlock eval run packs/ --baseline off --trend evals.sqlite
    """
    if note and trend_file is None:
        raise InputError("--note goes with --trend: it is kept there")
    bounds = () if gate is None else bounds_of(gate)
    bench = bench_for(policy_file, mode, posture, profile)
    before = None if baseline in (None, "off") else bench_for(baseline, mode, posture)
    taken = cases_of(paths_of(paths, packs))
    with _progress(quiet=quiet or as_json) as tick:
        step = tick("cases", len(taken.cases))
        results = list(run_cases(taken.cases, bench, answer=answer, tick=step))
        compared = unguarded(results) if baseline == "off" else None
        if before is not None:
            step = tick("baseline", len(taken.cases))
            compared = list(run_cases(taken.cases, before, answer=answer, tick=step))
    if not results:
        raise InputError(f"no case could be run: {'; '.join(taken.left_out) or 'the rows of all of them are cut'}")
    if results_file is not None:
        write_results(results_file, of_run(results), bench)
    report = run_report(results, taken, bench, answer)
    if compared is not None:
        cost = cost_of(compared, results, answer)
        report["baseline"] = {"policy": baseline, "figures": figures_of(compared, answer), **cost}
    report["missed"] = missed(bounds, report["figures"])
    if trend_file is not None:
        add_run(
            trend_file, run_of(results, bench, report["figures"], engine=report["engine"], answer=answer, note=note)
        )
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        show_run(report, failures, quiet=quiet, by=by)
    if gate is not None:
        return 1 if report["missed"] else 0
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
@click.option("--undo", is_flag=True, help="Count what a checkpoint would hold as held: see docs/undo.md.")
def scoreboard(
    folder: str | None,
    redteam: str | None,
    repositories: str | None,
    as_json: bool,
    policy_file: str | None,
    mode: str | None,
    posture: str | None,
    profile: str | None,
    failures: str | None,
    results_file: str | None,
    quiet: bool,
    undo: bool,
) -> int:
    """Measure the corpora in DIR, which are recognised by their file names.

    The exit code is 1 if a bar is missed, or if a file, a row or a set was skipped without a word.
    """
    if folder is None and redteam is None and repositories is None:
        raise InputError("name a folder of corpora, --redteam or --repositories")
    if (redteam or repositories) and (policy_file or mode or posture or profile):
        raise InputError(
            "cases on disk are tried with the built-in policy: leave out --policy, --mode, --posture and --profile"
        )
    bench = bench_for(policy_file, mode, posture, profile, undo=undo)
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
        show_scoreboard(report, quiet=quiet)
    return 0 if report["met"] else 1


@command.command()
@click.argument("path", type=click.Path(), shell_complete=complete_pack)
@click.argument("case_id", metavar="ID")
@_on_a_bench
@_answer
def show(
    path: str,
    case_id: str,
    policy_file: str | None,
    mode: str | None,
    posture: str | None,
    profile: str | None,
    answer: str,
) -> int:
    """Show one case of PATH, a file or the name of a pack of ours: the call, what was read, what is decided.

    Cases of the same session that stand before it are run first.
    """
    bench = bench_for(policy_file, mode, posture, profile)
    cases = cases_of([path if os.path.exists(path) else path_of(path)]).cases
    case = next((case for case in cases if case.id == case_id), None)
    if case is None:
        close = difflib.get_close_matches(case_id, [case.id for case in cases], n=1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        raise InputError(f"`{path}` has no case `{case_id}`{hint}")
    show_case(case, judge_one(cases, case, bench, answer=answer))
    return 0


command.add_command(diff)
command.add_command(agents)
command.add_command(packs)
command.add_command(sessions)
command.add_command(trend)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int], Callable[[], object]]]:
    """A bar on the terminal for long work; what it gives is asked for one step at a time."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _count: lambda: None
        return

    with Progress(console=Console(stderr=True), transient=True) as progress:

        def tick(what: str, count: int) -> Callable[[], object]:
            if count < LONG:
                return lambda: None
            task = progress.add_task(what, total=count)
            return lambda: progress.advance(task)

        yield tick
