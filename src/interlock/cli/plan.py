"""`interlock plan`: the plan in force, what it says of a command, and the gate before the agent stops."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from ..bytes.strict import parse_object
from ..limits import MAX_INPUT_BYTES
from ..model.call import Call
from ..model.environment import PLAN_VARIABLES
from ..model.errors import InputError, InterlockError
from ..model.facts import Facts
from ..plan.gate import missing_outputs
from ..plan.match import line_of
from ..store.home.completion import unfinished
from ..store.home.files import read_file
from ..store.home.folders import Folders, find_root
from ..store.home.plans import PlanInForce, plan_in_force
from ..store.home.policies import load_policy
from ..store.home.runs import LOCK, LOG, outputs_there, read_lock, release
from ..store.ledger.noted import changed_by_a_person
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .commands import pass_folders, project_root
from .listed import Listed
from .person import require_person, terminal, who
from .rehearsal import RUNS, Rehearsed, lines_for_a_person, rehearse, rows_of
from .show import harmless
from .signing import signed_statement

if TYPE_CHECKING:
    from .campaign import kept_campaign
else:
    kept_campaign = lazy(globals(), ".campaign", "kept_campaign")

__all__ = ["command"]

EXIT_BLOCK = 2  # what a Stop hook ends with to keep the agent at work

_root = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """Show the plan in force, hold a command against it, and gate the end of a run.

    \b
    A plan is asked for by [plan] in a policy, or by the environment:
      NOUS_ITER_DIR=runs/3 NOUS_PLAN_ENFORCEMENT=strict interlock plan status
    """


def _in_force(folders: Folders, root: str | None) -> PlanInForce | None:
    where = project_root(root)
    policy = load_policy(folders, where)
    if policy.plan is None and not any(name in os.environ for name in PLAN_VARIABLES):
        return None
    return plan_in_force(policy, folders, where, os.environ)


@command.command()
@_root
@_json
@pass_folders
def status(folders: Folders, root: str | None, as_json: bool) -> int:
    """Show the plan in force: its lines, its log, who is at work, and what is still missing.

    Exit code 0 if there is none or it can be used, 65 if it cannot.
    """
    found = _in_force(folders, root)
    told = _status(found)
    click.echo(json.dumps(told) if as_json else "\n".join(_lines(told)))
    for notice in () if found is None else found.policy.notices:
        click.echo(f"interlock: {notice}", err=True)
    return 65 if told.get("fault") else 0


def _status(found: PlanInForce | None) -> dict[str, Any]:
    planned = None if found is None else found.policy.planned
    if found is None or planned is None:
        return {"plan": None, "why": "neither the policy nor the environment asks for a plan"}
    if planned.missing:
        return {"plan": None, "why": planned.missing, "enforcement": planned.enforcement.name}
    plan = found.plan
    lock = read_lock(found.folder)
    rows = _rows(found.folder)
    there = (
        outputs_there((found.folder, found.root), tuple(output.path for output in plan.outputs))
        if plan
        else frozenset()
    )
    return {
        "plan": planned.file,
        "digest": planned.digest,
        "enforcement": planned.enforcement.name,
        "match": planned.match.name,
        "fault": planned.fault,
        "lines": 0 if plan is None else len(plan.steps),
        "programs": sorted({program.name for step in plan.steps for program in step.programs if program.name})
        if plan
        else [],
        "unread": [] if plan is None else list(plan.unread),
        "session": lock["session"],
        "markers": {"used": lock["markers"], "limit": planned.limit},
        "logged": {kind: rows.count(kind) for kind in ("unplanned", "ad-hoc")},
        "missing_outputs": [output.path for output in missing_outputs(plan, there)] if plan else [],
    }


def _rows(folder: str) -> list[str]:
    raw = read_file(f"{folder}/{LOG}", limit=1 << 30) or b""
    kinds = []
    for line in raw.splitlines():
        try:
            kinds.append(str(parse_object(line).get("kind")))
        except InputError:
            continue  # a line that a killed writer left; the log is for people
    return kinds


def _lines(told: dict[str, Any]) -> list[str]:
    if told["plan"] is None:
        return [f"no plan in force: {harmless(told['why'])}"]
    limit = told["markers"]["limit"]
    rows = [
        f"{told['enforcement']}  {told['plan']}",
        f"  fault     {told['fault']}" if told["fault"] else f"  matching  {told['match']}, {told['lines']} lines",
        f"  programs  {', '.join(told['programs']) or 'none'}",
        *[f"  not read  {line}" for line in told["unread"]],
        f"  session   {told['session'] or 'nobody'}",
        f"  markers   {told['markers']['used']} used" + ("" if limit is None else f" of {limit}"),
        f"  logged    {told['logged']['unplanned']} unplanned, {told['logged']['ad-hoc']} ad-hoc",
        f"  missing   {', '.join(told['missing_outputs']) or 'nothing'}",
    ]
    return [harmless(row) for row in rows]


@command.command()
@click.argument("line", metavar="[CMD]", required=False)
@click.option(
    "--campaign",
    "campaign",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Rehearse the plan of the campaign in DIR, as `interlock campaign run DIR` would hold it.",
)
@click.option("--cwd", type=click.Path(file_okay=False), help="The working folder of the command. Default: this one.")
@_root
@_json
@pass_folders
def check(
    folders: Folders, line: str | None, campaign: str | None, cwd: str | None, root: str | None, as_json: bool
) -> int:
    """Say whether the command line CMD is planned. Nothing is run, logged or counted.

    Without CMD, every line of the plan is rehearsed: decided as if an agent that nobody attends made the call now. What
    would be refused or asked about is listed, with the reason and what you can do.

    \b
    Examples:
      interlock plan check './sim run --rate 3 | tee out/log'
      interlock plan check --campaign runs/3

    Exit code 0 if it is planned, or there is no plan; 1 if it is not; 65 if the plan cannot be used. Without CMD: 0 if
    every line would run, 1 if one would not.
    """
    if campaign is not None:
        if line is not None:
            raise InputError("--campaign rehearses a whole plan; leave the command out")
        return _rehearsal_of(folders, campaign, as_json)
    found = _in_force(folders, root)
    planned = None if found is None else found.policy.planned
    if found is None or planned is None or planned.missing:
        why = "nothing asks for a plan" if planned is None else planned.missing
        click.echo(json.dumps({"planned": None, "why": why}) if as_json else f"no plan in force: {why}")
        return 0
    if planned.fault:
        raise InputError(f"the plan cannot be used: {planned.fault}")
    where = project_root(root)
    if line is None:
        steps = () if found.plan is None else found.plan.steps
        return _tell(rehearse(folders, where, [(step.text, step.arm) for step in steps]), as_json)
    call = Call(tool="Bash", input=FrozenMap({"command": line}), cwd=os.path.abspath(cwd or os.getcwd()))
    facts = Facts(root=where, home=folders.home, commands=found.policy.commands)
    held = line_of(call, facts, found.plan, planned)
    unplanned = () if held is None else held.unplanned
    marker, arm = held is not None and held.marker, "" if held is None else held.arm
    if as_json:
        click.echo(json.dumps({"planned": not unplanned, "unplanned": unplanned, "marker": marker, "arm": arm}))
    else:
        click.echo(_told(unplanned, marker, arm))
    return 1 if unplanned and not marker else 0


def _rehearsal_of(folders: Folders, folder: str, as_json: bool) -> int:
    campaign, value = kept_campaign(folders, folder)
    return _tell(rehearse(folders, campaign.root, campaign.lines, campaign=value), as_json)


def _tell(rehearsed: tuple[Rehearsed, ...], as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"lines": rows_of(rehearsed)}, indent=2))
    else:
        click.echo("\n".join(lines_for_a_person(rehearsed)))
    return 0 if all(one.verdict == RUNS for one in rehearsed) else 1


def _told(unplanned: tuple[str, ...], marker: bool, arm: str) -> str:
    near = f"; closest to the arm {arm}" if arm else ""
    if not unplanned:
        return harmless(f"planned{near}")
    names = ", ".join(name or "a program whose name is not known" for name in unplanned)
    return harmless(f"not planned: {names}{near}" + ("; the marker takes it out of the plan" if marker else ""))


@command.command("release")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(exists=True, file_okay=False))
@_root
@pass_folders
def release_(folders: Folders, folder: str | None, root: str | None) -> None:
    """Let another session into the run folder now, without waiting until the last one is stale.

    DIR is the run folder, as the refusal names it. Default: that of the plan in force here.
    """
    if folder is None:
        found = _in_force(folders, root)
        if found is None or found.policy.planned is None or found.policy.planned.missing:
            click.echo("no plan in force, so there is nothing to release")
            return
        policy, folder = found.policy, found.folder
    else:
        folder = os.path.realpath(folder)
        if not os.path.lexists(f"{folder}/{LOCK}"):
            click.echo(f"nobody has worked on a run in {folder}, so there is nothing to release")
            return
        policy = load_policy(folders, project_root(root))
    require_person(folders, "", yes=True)
    signed = signed_statement(folders, policy, "release", folder=folder)
    told = {"by": who(), "terminal": terminal(), "why": f"another session may enter {folder}", **signed}
    freed = folder
    changed_by_a_person(folders, "override", "release", told, lambda: release(freed), loosens=True)
    click.echo(f"released {folder}")


@command.command()
@_root
@pass_folders
def gate(folders: Folders, root: str | None) -> int:
    """Answer a Stop event on stdin: the agent may stop once the planned outputs are there.

    Exit code 0 lets it stop; 2 keeps it at work, and what is missing is on stderr. An agent that is already going on
    because of this hook may stop, so that it cannot be kept for ever; what is missing is still told.

    \b
    Without an event (stdin is empty) it only answers:
      interlock plan gate < /dev/null
    """
    again = False
    try:
        again, cwd = _stop_event()
        where = root or os.environ.get("CLAUDE_PROJECT_DIR") or (find_root(cwd, folders.home) if cwd else None)
        found = _in_force(folders, where)
        told = None if found is None else unfinished(found)
    except InterlockError as error:  # a gate that cannot tell does not open
        told = f"the plan could not be looked at: {error}"
    if told is None:
        return 0
    click.echo(f"Interlock: {told}", err=True)
    return 0 if again else EXIT_BLOCK


def _stop_event() -> tuple[bool, str]:
    """Whether the agent is going on because of this hook already, and where it is at work."""
    raw = b"" if sys.stdin.isatty() else sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if not raw.strip():
        return False, ""
    event = parse_object(raw, limit=MAX_INPUT_BYTES)
    cwd = event.get("cwd")
    return event.get("stop_hook_active") is True, cwd if type(cwd) is str and cwd.startswith("/") else ""
