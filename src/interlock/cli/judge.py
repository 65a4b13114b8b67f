"""`interlock judge`: measure the two models of `[judge]`, ask them about one call, see whether they are asked."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from ..bytes.strict import parse_object
from ..model.call import call_from
from ..model.errors import InputError, StoreError
from ..model.events import Place, Proposed
from ..policy.judging import Judging
from ..policy.model import Policy
from ..store.clock import now
from ..store.home.calibrations import keep_calibration, short_of, why_not_asked
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.outside.judge_prompt import question_about
from ..store.outside.judges import answers_of
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders, project_root, with_home
from .listed import Listed
from .show import harmless

if TYPE_CHECKING:
    from ..engine import Engine
    from ..evals.judging import calibration_of, figures_of, labelled, measure
    from ..evals.lexical import bench_for
    from ..evals.runner import cases_of
else:
    Engine = lazy(globals(), "..engine", "Engine")
    calibration_of = lazy(globals(), "..evals.judging", "calibration_of")
    figures_of = lazy(globals(), "..evals.judging", "figures_of")
    labelled = lazy(globals(), "..evals.judging", "labelled")
    measure = lazy(globals(), "..evals.judging", "measure")
    bench_for = lazy(globals(), "..evals.lexical", "bench_for")
    cases_of = lazy(globals(), "..evals.runner", "cases_of")

__all__ = ["command"]

ROOT = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("judge", cls=Listed)
def command() -> None:
    """Two models that judge what a person is asked about. They can only tighten.

    They are off unless your own or the managed policy has [judge], and stay off until `interlock judge calibrate` has
    shown that they are right often enough. See docs/judge.md.
    """


def _judging(folders: Folders, root: str | None) -> tuple[Policy, Judging]:
    policy = load_policy(folders, project_root(root))
    if policy.judge is None:
        raise InputError("the policy has no [judge], so no model is asked; a project's file cannot have one")
    return policy, policy.judge


@command.command()
@ROOT
@JSON
@pass_folders
def status(folders: Folders, root: str | None, as_json: bool) -> int:
    """Show which models judge, and whether they are asked.

    Exit code 0 if they are asked, 1 if they are off.

    \b
    Example:
      interlock judge status
    """
    policy = load_policy(folders, project_root(root))
    judging = policy.judge
    why = "the policy has no [judge]" if judging is None else why_not_asked(judging, folders)
    models = [] if judging is None else [f"{judge.model} ({judge.family})" for judge in judging.both]
    if as_json:
        click.echo(json.dumps({"on": why is None, "why_off": why, "models": models}))
    else:
        click.echo(harmless("on" if why is None else f"off: {why}"))
        for name in models:
            click.echo(harmless(f"  {name}"))
        if why is not None and judging is not None:
            click.echo(with_home("to measure them: interlock judge calibrate PACK"))
    return 0 if why is None else 1


@command.command()
@click.argument("text", metavar="CALL")
@ROOT
@JSON
@pass_folders
def ask(folders: Folders, text: str, root: str | None, as_json: bool) -> int:
    """Ask both models about CALL, a call as JSON, whether or not they are calibrated. Nothing is decided or recorded.

    Exit code 0 if both answered, 74 if one did not.

    \b
    Example:
      interlock judge ask '{"tool": "Bash", "input": {"command": "git push --force"}}'
    """
    policy, judging = _judging(folders, root)
    call = call_from(parse_object(text.encode("utf-8", "surrogateescape")), cwd=os.getcwd())
    place = Place(host=call.host, session=call.session, cwd=call.cwd, root=project_root(root))
    outcome = Engine(folders, front="judge", records=False, resumes=False, watches=False).propose(
        Proposed(place=place, call=call)
    )
    question = question_about(outcome.call, outcome.reading, outcome.decision, policy)
    answers = answers_of(judging, question, folders.home, judging.timeout)
    if as_json:
        rows = [
            {**answer.judgement.as_dict(), "trouble": answer.trouble, "seconds": round(answer.seconds, 3)}
            for answer in answers
        ]
        click.echo(json.dumps({"verdict": outcome.decision.verdict.name, "question": question, "answers": rows}))
    else:
        click.echo(f"without them: {outcome.decision.verdict}")
        for answer in answers:
            said = answer.judgement
            told = f"no answer: {answer.trouble}" if answer.trouble else f"{said.says}: {said.why}"
            click.echo(harmless(f"{said.model} ({said.family}, {answer.seconds:.1f} s): {told}"))
    return StoreError.exit_code if any(answer.trouble for answer in answers) else 0


@command.command()
@click.argument("packs", nargs=-1, required=True, type=click.Path())
@click.option("--limit", type=click.IntRange(min=1), help="Measure at most this many cases, of each label the same.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, show_default=True, help="Cases that are asked at once.")
@click.option("--dry-run", is_flag=True, help="Show how many cases would be sent, and send none.")
@click.option("--no-save", is_flag=True, help="Keep no record: what is measured switches nothing on.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the record to this file, to hand it out.")
@ROOT
@JSON
@pass_folders
def calibrate(
    folders: Folders,
    packs: tuple[str, ...],
    limit: int | None,
    jobs: int,
    dry_run: bool,
    no_save: bool,
    output: str | None,
    root: str | None,
    as_json: bool,
) -> int:
    """Measure both models on labelled PACKS, and keep a record of it.

    A case is dangerous where its pack expects deny or not_allow, harmless where it expects allow or not_deny; others
    are left out. The calls are sent to both endpoints. The record is for exactly these models, endpoints and this
    version's prompt; where its precision is below [judge] min_precision, the models stay off.

    Exit code 0 if the models may be asked now, 1 if they stay off.

    \b
    Examples:
      interlock judge calibrate packs/danger.yaml packs/everyday.yaml
      interlock judge calibrate packs --limit 200 --jobs 8 --json
      interlock judge calibrate packs --dry-run
    """
    _, judging = _judging(folders, root)
    taken = cases_of(packs)
    cases, unlabelled = labelled(taken.cases)
    cases = cases if limit is None else _sample(cases, limit)
    if not cases:
        raise InputError("none of these cases is labelled: a case says deny, not_allow, allow or not_deny")
    if dry_run:
        told = f"{len(cases)} cases would be sent to {' and '.join([judge.endpoint for judge in judging.both])}"
        click.echo(harmless(f"{told}; {unlabelled} are not labelled"))
        return 0
    tried = measure(judging, cases, bench_for(), folders.home, jobs=jobs)
    found = calibration_of(judging, tried, now())
    why = short_of(judging, found)
    kept = "" if no_save else keep_calibration(folders, found, output)
    figures = {**figures_of(judging, tried, found), "unlabelled": unlabelled, "why_off": why, "record": kept}
    if as_json:
        click.echo(json.dumps(figures))
    else:
        _show(figures)
    return 0 if why is None else 1


def _sample(cases: list[Any], limit: int) -> list[Any]:
    """As many dangerous as harmless cases, spread over the packs, the same each time."""
    from ..evals.judging import DANGEROUS

    found = []
    for dangerous in (True, False):
        of_label = [case for case in cases if (case.expect in DANGEROUS) is dangerous]
        want = min(len(of_label), max(1, limit // 2))
        found += [of_label[at * len(of_label) // want] for at in range(want)] if of_label else []
    return found


def _show(figures: dict[str, Any]) -> None:
    click.echo(
        f"{figures['cases']} cases: {figures['dangerous']} dangerous, {figures['harmless']} harmless; "
        f"{figures['unlabelled']} not labelled"
    )
    click.echo(f"both answered {figures['both_answered']}, and agreed on {_share(figures['agreement'])} of those")
    click.echo(f"together: precision {_share(figures['precision'])}, recall {_share(figures['recall'])}")
    for one in figures["judges"]:
        cost = "" if one["cost"] is None else f", cost {one['cost']:.4f}"
        took = "" if one["median_seconds"] is None else f", median {one['median_seconds']:.2f} s"
        click.echo(
            harmless(
                f"  {one['model']} ({one['family']}): precision {_share(one['precision'])}, recall "
                f"{_share(one['recall'])}, abstained {one['abstained']}{took}, tokens {one['tokens']['sent']} sent and "
                f"{one['tokens']['back']} back{cost}"
            )
        )
        for trouble, count in one["troubles"].items():
            click.echo(harmless(f"    {count} x {trouble}"))
    if figures["record"]:
        click.echo(f"record: {figures['record']}")
    click.echo(harmless("[judge] may be asked now" if figures["why_off"] is None else f"off: {figures['why_off']}"))


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
