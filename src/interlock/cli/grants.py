"""`interlock grants`: what is permitted ahead, how it stands, and taking it back."""

from __future__ import annotations

import json

import click

from ..approve.pointed import IDLE_DAYS, Point, Standing, pointed_out
from ..approve.reaches import said_of
from ..bytes.redact import redact
from ..model.errors import InputError
from ..policy.model import Policy
from ..policy.outward import without_destination
from ..reading.machine.index import all_actions
from ..store.clock import counted_grants, live_grants, now
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.given import Kept, forget_dead, grants_in, one_of
from ..store.ledger.given import revoke as take_back
from ..store.team.shared import SHARED
from ..store.team.team_uses import TeamUses, noted_uses
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders, project_root
from .completing import complete_grant
from .counted import counted
from .given_rows import facts_of, lines_of, reach_words, shared_facts, shared_words, until_words
from .listed import Listed
from .person import require_person, terminal, who
from .renew import renew
from .rows import moment
from .show import harmless

if TYPE_CHECKING:
    from ..policy.meaning import action_trouble, field_trouble, pattern_trouble
    from ..store.team.team import team_database
else:
    action_trouble = lazy(globals(), "..policy.meaning", "action_trouble")
    field_trouble = lazy(globals(), "..policy.meaning", "field_trouble")
    pattern_trouble = lazy(globals(), "..policy.meaning", "pattern_trouble")
    team_database = lazy(globals(), "..store.team.team", "team_database")

__all__ = ["command", "revoke"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """See what is permitted ahead, and take it back.

    \b
    Examples:
      interlock grants list
      interlock grants check
      interlock grants revoke gr_5f1c20
    """


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are expired, used up or revoked.")
@click.option("--session", help="Only those that reach this session and no other.")
@_json
@pass_folders
def list_(folders: Folders, everything: bool, session: str | None, as_json: bool) -> int:
    """List the grants that are live, and say which of them should be looked at again.

    Those that a team shares say so, with the uses left at the last sync. Grants of policy files are listed last.
    """
    kept, at = grants_in(folders)
    policy = load_policy(folders, project_root(None))
    points = _points(kept, policy, at)
    shown = [one for one in kept if everything or one.state == "live"]
    team = _team(folders, policy, shown)
    written = () if session is not None else policy.grants
    if session is not None:
        shown = [one for one in shown if one.given.holder == f"session {session}"]
    if as_json:
        about = [
            {**facts_of(one.given, one), **shared_facts(one, team), "points": _of(points, one.id)} for one in shown
        ]
        files = [{**grant.as_dict(), "scope": dict(grant.scope), "points": _of(points, grant.id)} for grant in written]
        click.echo(json.dumps({"grants": about, "policy": files}, ensure_ascii=False))
        return 0
    for one in shown:
        for line in lines_of(one, team):
            click.echo(harmless(line))
        _say(points, one.id)
    for grant in written:
        scope = " ".join([f"{field}={pattern}" for field, pattern in grant.scope.items()])
        end = f"until {grant.expires}" if grant.expires else "without an end"
        uses = "" if grant.uses is None else f", {grant.uses} uses in all"
        click.echo(harmless(f"{grant.id}  in a policy file  {grant.action} {scope}".rstrip()))
        click.echo(f"    everywhere that the file holds, {end}{uses}")
        _say(points, grant.id)
    if not shown and not written:
        click.echo("nothing is permitted ahead")
    return 0


@command.command()
@click.argument("name", metavar="ID", shell_complete=complete_grant)
@_json
@pass_folders
def show(folders: Folders, name: str, as_json: bool) -> int:
    """Show everything about one grant: what it covers, who gave it, for whom, when, why and how often it was used."""
    kept, _ = grants_in(folders)
    one = one_of(kept, name)
    given = one.given
    team = _team(folders, load_policy(folders, project_root(None)), [one])
    if as_json:
        click.echo(json.dumps({**facts_of(given, one), **shared_facts(one, team)}, ensure_ascii=False))
        return 0
    last = f", the last time {moment(one.standing.last_used)}" if one.standing.last_used else ""
    here = " on this machine" if one.is_shared else ""
    rows = [
        ("grant", f"{one.id} ({one.state}), row {given.seq}"),
        *[("covers" if at == 0 else "", line) for at, line in enumerate(said_of(given.grant))],
        ("for", f"{reach_words(given)}, {until_words(given, 0 if one.is_shared else one.standing.used)}"),
        ("team", shared_words(one, team) if one.is_shared else ""),
        ("given", f"{moment(given.at)} by {given.grant.by}{f' on {given.terminal}' if given.terminal else ''}"),
        ("where", given.folder),
        ("words", given.words),
        ("why", given.grant.why),
        ("call", given.call),
        ("used", f"{one.standing.used} time{'' if one.standing.used == 1 else 's'}{here}{last}"),
    ]
    for label, text in rows:
        if text:
            click.echo(harmless(f"{label:7} {text}"))
    return 0


@command.command()
@click.argument("names", metavar="ID...", nargs=-1, required=True, shell_complete=complete_grant)
@click.option("--why", default="", help="Why it is taken back; kept with it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_folders
def revoke(folders: Folders, names: tuple[str, ...], why: str, yes: bool) -> int:
    """Take grants back. From the next call on, they cover nothing.

    An ID may be shortened. A grant of a policy file is taken back by deleting it there.

    \b
    Example:
      interlock grants revoke gr_5f1c20
    """
    in_files = {grant.id for grant in load_policy(folders, project_root(None)).grants}
    for name in names:
        if name in in_files:
            raise InputError(
                f"the grant `{name}` stands in a policy file; delete it there (see: interlock policy show)"
            )
    kept, _ = grants_in(folders)
    found = [one_of(kept, name).id for name in names]
    for name in found:
        if name.startswith(SHARED):
            raise InputError(f"the team shares `{name}`; take it back for all with: interlock store revoke {name}")
    require_person(folders, f"Take back {', '.join(found)}?", yes=yes, loosens=False)
    for name in take_back(folders, found, by=who(), terminal=terminal(), why=redact(why)):
        click.echo(f"{name} is revoked")
    return 0


@command.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_folders
def prune(folders: Folders, yes: bool) -> int:
    """Put expired, used-up and revoked grants away. Their rows stay in the ledger."""
    kept, _ = grants_in(folders)
    dead = [one for one in kept if one.state != "live"]
    if not dead:
        click.echo("nothing to put away")
        return 0
    require_person(folders, f"Put {counted(len(dead), 'grant')} away?", yes=yes, loosens=False)
    click.echo(f"put away: {forget_dead(folders)}")
    return 0


@command.command()
@click.option("--idle", default=IDLE_DAYS, show_default=True, type=click.IntRange(1), help="Days without a use.")
@_json
@pass_folders
def check(folders: Folders, idle: int, as_json: bool) -> int:
    """Point out grants that are dead, shadowed by another, or over-broad. Exit code 1 if there are any."""
    kept, at = grants_in(folders)
    points = _points(kept, load_policy(folders, project_root(None)), at, idle)
    if as_json:
        click.echo(json.dumps([point.as_dict() for point in points], ensure_ascii=False))
    else:
        for point in points:
            click.echo(harmless(f"{point.grant}  {point.kind}: {point.text}"))
        if not points:
            click.echo("nothing to point out")
    return 1 if points else 0


command.add_command(renew)


def _team(folders: Folders, policy: Policy, shown: list[Kept]) -> TeamUses | None:
    """What the last sync noted of the team's grants, where any of these is one and the policy names the store."""
    if not policy.store or not any(one.is_shared for one in shown):
        return None

    return noted_uses(team_database(policy.store, folders))


def _points(kept: list[Kept], policy: Policy, at: int, idle: int = IDLE_DAYS) -> list[Point]:
    moment_words = now()
    live = {grant.id for grant in live_grants(policy, moment_words)}
    live |= {grant.id for grant, _ in counted_grants(policy, moment_words)}
    standings = [one.standing for one in kept if one.given.grant.kind != "planned"]  # it is for a plan and no action
    whole = (*live_grants(policy, ""), *[grant for grant, _ in counted_grants(policy, "")])
    ends = {grant.id: grant.expires for grant in policy.grants}
    for grant in whole:
        # When it ends is told to the day; whether it has is all that counts here.
        end = 0 if ends[grant.id] is None else at + 1 if grant.id in live else at
        standings.append(Standing(grant=grant, expires=end))
    points = pointed_out(standings, tuple(policy.rules), at, known=all_actions(), idle=idle)
    return points + [point for standing in standings for point in _without_meaning(standing, points)]


def _without_meaning(standing: Standing, points: list[Point]) -> list[Point]:
    """What a grant names and no call has. One that is dead for another reason is left alone."""
    grant = standing.grant
    if grant.kind == "once" or any(point.grant == grant.id and point.kind == "dead" for point in points):
        return []
    troubles = [action_trouble(grant.action)[0]]
    if grant.kind == "capability" and without_destination(grant.action, grant.scope):
        see = f"see: interlock grants renew {grant.id}"
        troubles.append(f"its scope names no destination, so it covers nothing that leaves this machine; {see}")
    for field, pattern in grant.scope.items():
        troubles += [field_trouble(grant.action, field)[0], pattern_trouble(pattern)]
    return [Point(grant=grant.id, kind="dead", text=text) for text in troubles if text]


def _of(points: list[Point], name: str) -> list[dict[str, str]]:
    return [{"kind": point.kind, "text": point.text} for point in points if point.grant == name]


def _say(points: list[Point], name: str) -> None:
    for point in points:
        if point.grant == name:
            click.echo(harmless(f"    ! {point.kind}: {point.text}"))
