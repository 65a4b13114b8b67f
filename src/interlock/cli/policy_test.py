"""`interlock policy test`: run a person's own cases against their policy, and say which rules they try."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import click

from ..evals.coverage import RuleCoverage, coverage_of, coverage_to_wire, own_rules, percent_of
from ..evals.junit import junit_of
from ..evals.lexical import Bench
from ..evals.pack import SUFFIXES
from ..evals.runner import Result, cases_of, run_cases
from ..model.errors import InputError, StoreError
from ..policy.compile import SourceFile
from ..store.home.contracts import Catalogues
from ..store.home.folders import PROJECT_TESTS, Folders
from ..store.home.policies import compile_sources, is_trusted, source_files
from .commands import pass_folders, project_root
from .show import harmless

__all__ = ["command"]


@click.command("test")
@click.argument("files", nargs=-1, metavar="[FILES]…", type=click.Path())
@click.option("--policy", "policy_file", type=click.Path(dir_okay=False), help="Test this file, over the built-in one.")
@click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
@click.option(
    "--coverage-min",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Fail if the cases try fewer of your rules than this.",
)
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write the results here as JUnit XML.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders,
    files: tuple[str, ...],
    policy_file: str | None,
    root: str | None,
    coverage_min: float | None,
    junit: str | None,
    as_json: bool,
) -> int:
    """Run the cases in FILES against your policy: each is a call and the verdict that you expect.

    Without FILES: those in `.interlock/tests`. Cases are YAML or JSONL, and are judged without looking
    at this machine. Without --policy, policy and contracts are those in force here; with it, the contracts are
    the built-in ones and the project's. Printed are the cases that fail, and which of your rules match in at
    least one case and stay silent in another.

    \b
    Exit codes: 0 all as expected, 1 a case fails or too few rules are tried, 64 bad cases, 65 bad policy.

    \b
    Examples:
      interlock policy test
      interlock policy test cases.yaml --policy .interlock/policy.toml --coverage-min 100
    """
    where = project_root(root)
    sources = source_files(folders, None if policy_file else where, policy_file)
    contracts = Catalogues(None if policy_file else folders, where)
    bench = _bench(folders, sources, contracts)
    taken = cases_of(files or _default(where))
    results = list(run_cases(taken.cases, bench))
    for warning in contracts.warnings:
        click.echo(f"interlock: {harmless(warning)}", err=True)
    covered = coverage_of(own_rules(sources), results)
    if junit is not None:
        _write(junit, junit_of(results))
    short = coverage_min is not None and percent_of(covered) < coverage_min
    failed = [result for result in results if result.failures]
    if as_json:
        click.echo(json.dumps(_report(results, covered, bench), ensure_ascii=False))
    else:
        _show(results, failed, covered)
        if short:
            click.echo(f"too few rules are tried: {percent_of(covered):g} %, at least {coverage_min:g} % are asked for")
    return 1 if failed or short else 0


def _bench(folders: Folders, sources: tuple[SourceFile, ...], contracts: Catalogues) -> Bench:
    trusted = any(name == "project" and is_trusted(folders, file, raw) for name, file, raw in sources)
    policy = compile_sources(sources, project_trusted=trusted)
    return Bench(policy=policy, posture=policy.posture, contracts=contracts)


def _default(root: str) -> tuple[str]:
    folder = os.path.join(root, PROJECT_TESTS)
    if not os.path.isdir(folder):
        raise InputError(f"there are no cases: name a file, or put some into `{folder}` ({', '.join(SUFFIXES)})")
    return (folder,)


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None


def _report(results: Sequence[Result], covered: Sequence[RuleCoverage], bench: Bench) -> dict[str, Any]:
    failed = sum(bool(result.failures) for result in results)
    return {
        "passed": len(results) - failed,
        "failed": failed,
        "cases": [
            {
                "id": result.case.id,
                "file": result.case.file,
                "line": result.case.line,
                "expect": result.case.expect,
                "verdict": result.verdict,
                "rules": result.rules,
                "reasons": result.reasons,
                "failures": result.failures,
            }
            for result in results
        ],
        "coverage": coverage_to_wire(covered),
        "policy": bench.policy.digest,
    }


def _show(results: Sequence[Result], failed: Sequence[Result], covered: Sequence[RuleCoverage]) -> None:
    for result in failed:
        case = result.case
        click.echo(f"FAILED {harmless(case.file)}:{case.line}: {harmless(case.id)}")
        for text in (*result.failures, *result.reasons, *([f"why: {case.why}"] if case.why else [])):
            click.echo(f"  {harmless(text)}")
    for row in covered:
        if not row.tried:
            never = "never matches" if not row.matched else "matches in every case"
            click.echo(f"rule `{harmless(row.rule)}` ({harmless(row.file)}) {never}")
    click.echo(f"{len(results) - len(failed)} of {len(results)} cases as expected", nl=False)
    if covered:
        tried = sum(row.tried for row in covered)
        click.echo(f"; {tried} of {len(covered)} rules are tried ({percent_of(covered):g} %)", nl=False)
    click.echo()
