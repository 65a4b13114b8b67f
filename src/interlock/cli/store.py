"""`interlock store`: the team's store in PostgreSQL. Make it, ship this ledger to it, share grants through it."""

from __future__ import annotations

import json
import os
import pwd
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from ..approve.grant import Grant
from ..bytes.canon import canonical
from ..bytes.redact import redact
from ..model.errors import InputError, StoreError
from ..policy.model import Policy
from ..policy.outward import without_destination
from ..record.chain import DAMAGE, Walked
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.sql.roles import UPGRADE, roles
from ..store.team.machines import machines_in
from ..store.team.shared import SHARED, share
from ..store.team.sync import Synced, Syncing
from ..store.team.team import (
    check_roles,
    make_roles,
    make_team_store,
    open_team,
    origins,
    team_database,
    verify_team_ledger,
)
from ..store.team.team_ledger import TeamLedger, standing_of
from ..store.team.witness import verify_origins
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .commands import pass_folders
from .counted import counted
from .grant import scope_of
from .listed import Listed
from .person import require_person
from .rows import moment, walked_data
from .show import harmless

if TYPE_CHECKING:
    from rich.progress import Progress
else:
    Progress = lazy(globals(), "rich.progress", "Progress")

__all__ = ["address", "command", "verify_store"]

BROKEN = 2
_UNITS = {"m": 60, "h": 3600, "d": 86400}
_PATIENCE = (1, 2, 5, 10, 30, 60)  # seconds between tries while the store is away
_to = click.option("--to", "url", metavar="URL", help="Another store than the one that the policy names.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """Share the ledger, grants and answers with a team, in PostgreSQL.

    The address comes from `[store] url` of your own or the managed policy, or from --to. It holds no password: that is
    in ~/.config/interlock/store.pgpass (mode 600), or wherever PGPASSFILE or a service file says.

    \b
    Examples:
      interlock store init --to postgresql://interlock@db.example/interlock
      interlock store sync --follow
      interlock store grant npm:publish --scope destination=registry.npmjs.org --for 2h --uses 1
      interlock audit verify --store postgresql://interlock@db.example/interlock
    """


@command.command()
@_to
@pass_folders
def init(folders: Folders, url: str | None) -> int:
    """Make the tables, where there are none yet."""
    database = team_database(address(folders, url), folders)
    try:
        made = make_team_store(database)
    finally:
        database.close()
    click.echo(f"{'made' if made else 'there already'}: {database.path}")
    return 0


@command.command()
@click.option("--roles", "separating", is_flag=True, help="Also set up the roles of agents and approvers.")
@click.option("--agents", default="interlock_agent", show_default=True, help="The role of machines with agents.")
@click.option("--approvers", default="interlock_approver", show_default=True, help="The role of people who answer.")
@click.option("--dry-run", is_flag=True, help="Print the SQL, and change nothing.")
@_to
@pass_folders
def migrate(folders: Folders, separating: bool, agents: str, approvers: str, dry_run: bool, url: str | None) -> int:
    """Bring the team store up to date; with --roles, separate those who ask from those who answer.

    It is done by the account that owns the tables, and changes nothing the second time. The two roles are groups
    without a login: make an account for each machine and for each person, and put it into one of them.

    \b
    Example:
      interlock store migrate --roles --dry-run
    """
    if dry_run:
        check_roles(agents, approvers)
        for statement in (*UPGRADE, *(roles(agents, approvers) if separating else ())):
            click.echo(f"{statement};")
        return 0
    database = team_database(address(folders, url), folders)
    try:
        database.open(create=False)
        if separating:
            make_roles(database, agents, approvers)
        else:
            make_team_store(database)
    finally:
        database.close()
    click.echo(f"up to date: {database.path}")
    if separating:
        click.echo(f"agents have the role {agents}, approvers have the role {approvers}; accounts for them:")
        click.echo(f"  CREATE ROLE laptop LOGIN PASSWORD '...' IN ROLE {agents};")
        click.echo(f"  CREATE ROLE ann LOGIN PASSWORD '...' IN ROLE {approvers};")
    return 0


@command.command()
@_to
@_json
@pass_folders
def status(folders: Folders, url: str | None, as_json: bool) -> int:
    """Show which ledgers are in the team store, and how far."""
    database = open_team(address(folders, url), folders)
    try:
        found = origins(database)
        row = database.row("SELECT seq FROM tip WHERE one = 1")
        standing = standing_of(database)
    finally:
        database.close()
    if as_json:
        plain = [{key: value for key, value in origin.items() if key != "keys"} for origin in found]
        about = {"account": standing.account, "role": standing.role, "weak": standing.is_weak}
        rows = row[0] if row else 0
        click.echo(json.dumps({"store": database.path, "rows": rows, "standing": about, "origins": plain}))
        return 0
    click.echo(f"{database.path}: {row[0] if row else 0} rows of its own, {len(found)} ledgers")
    click.echo(f"  your account {harmless(standing.account)} has the role {standing.words}")
    for origin in found:
        who = harmless(f"{origin['id']} ({origin['account']})")
        shipper = f", shipped by {harmless(origin['role'])}" if origin["role"] else ""
        click.echo(f"  {who}: {origin['seq']} rows, the last of {moment(origin['at'])}{shipper}")
    return 0


@command.command()
@_to
@_json
@pass_folders
def machines(folders: Folders, url: str | None, as_json: bool) -> int:
    """Show the machines that report to the team store: version, policy, bundle, last hook.

    A machine reports when a session begins and ends. An agent's account sees its own.
    """
    database = open_team(address(folders, url), folders)
    try:
        found = machines_in(database)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps(found))
        return 0
    for one in found:
        bundle = f", bundle {one['bundle']}" if one["bundle"] else ""
        last = moment(one["last_hook"]) if one["last_hook"] else "never"
        about = f"{one['machine']} ({one['account']}): {one['engine']}, policy {one['policy'][:19]}{bundle}"
        click.echo(harmless(f"{about}, last hook {last}, heard of {moment(one['reported'])}"))
    if not found:
        click.echo("no machine has reported yet")
    return 0


@command.command()
@_to
@click.option("--once/--follow", "once", default=True, help="One round, or go on until stopped. Default: one round.")
@click.option(
    "--every", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True, help="Seconds between rounds."
)
@click.option("--quiet", is_flag=True, help="No progress, and only what went wrong.")
@_json
@pass_folders
def sync(folders: Folders, url: str | None, once: bool, every: float, quiet: bool, as_json: bool) -> int:
    """Ship new rows of this ledger, and fetch shared grants, revocations and answers.

    A row is shipped once, whatever happens in between; a damaged ledger is not shipped. With --follow, a store that is
    away is tried again, and SIGTERM ends it after the batch that is under way.
    """
    syncing = Syncing(folders, address(folders, url))

    def stop(_signal: int, _frame: object) -> None:
        syncing.stopping = True

    before = signal.signal(signal.SIGTERM, stop)
    try:
        return _round(syncing, quiet, as_json) if once else _follow(syncing, every, quiet, as_json)
    finally:
        signal.signal(signal.SIGTERM, before)
        syncing.close()


def _round(syncing: Syncing, quiet: bool, as_json: bool) -> int:
    with _progress(quiet=quiet or as_json) as tell:
        done = syncing.once(tell)
    _say(done, quiet, as_json)
    return 0


def _follow(syncing: Syncing, every: float, quiet: bool, as_json: bool) -> int:
    failures = 0
    while not syncing.stopping:
        try:
            with _progress(quiet=quiet or as_json) as tell:
                done = syncing.once(tell)
            failures = 0
            if done != Synced(origin=done.origin, seq=done.seq):
                _say(done, quiet, as_json)
            end = time.monotonic() + every
            while not syncing.stopping and (left := end - time.monotonic()) > 0:
                if syncing.wait(min(left, 0.5)):
                    break
        except StoreError as error:
            pause = _PATIENCE[min(failures, len(_PATIENCE) - 1)]
            failures += 1
            click.echo(f"interlock: {error}; it is tried again in {pause} s", err=True)
            end = time.monotonic() + pause
            while not syncing.stopping and time.monotonic() < end:
                time.sleep(0.1)
    return 0


def _say(done: Synced, quiet: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(done.as_dict()))
    elif not quiet:
        fetched = (
            f"{counted(done.grants, 'grant')}, {counted(done.revoked, 'revocation')} and "
            f"{counted(done.answers, 'answer')} fetched"
        )
        click.echo(f"{counted(done.shipped, 'row')} shipped, up to row {done.seq}; {fetched}")


@command.command()
@click.argument("action")
@click.option(
    "--scope", "scopes", multiple=True, metavar="FIELD=GLOB", help="Only where this field of the target matches."
)
@click.option(
    "--for", "lasting", default="2h", show_default=True, metavar="TIME", help="How long, such as 30m, 2h or 7d."
)
@click.option(
    "--uses", type=click.IntRange(0), default=1, show_default=True, help="How many calls in the whole team; 0: any."
)
@click.option("--why", default="", help="Why it is given; kept with it.")
@_to
@_json
@pass_folders
def grant(
    folders: Folders,
    action: str,
    scopes: tuple[str, ...],
    lasting: str,
    uses: int,
    why: str,
    url: str | None,
    as_json: bool,
) -> int:
    """Permit ACTION, such as git:push, to everybody whose ledger is synced with the team store.

    A grant with a number of uses is used up in the team store: where that cannot be reached, the call asks.
    """
    if ":" not in action or any(char.isspace() for char in action):
        raise InputError(f"`{action}` is not the name of an action, such as git:push")
    scope = scope_of(scopes)
    trouble = without_destination(action, scope)  # where it would go from here says nothing of the others
    if trouble:
        raise InputError(trouble.replace("add ", "say ").replace(" to `scope`", " with --scope"))
    given = Grant(
        id="",
        kind="capability",
        action=action,
        scope=FrozenMap(scope),
        reach="everywhere",
        by=pwd.getpwuid(os.getuid()).pw_name,
        why=redact(why),
    )
    require_person(folders, "", yes=True)
    database = open_team(address(folders, url), folders)
    try:
        expires = time.time_ns() // 1_000_000 + _seconds(lasting) * 1000
        given = share(TeamLedger(database), given, expires=expires, uses=uses)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps({"id": given.id, "action": action, "expires": expires, "uses": uses}))
    else:
        often = "any number of calls" if not uses else "one call" if uses == 1 else f"{uses} calls"
        click.echo(f"{action} is permitted to the team for {often} until {moment(expires)}; its id is {given.id}")
    return 0


@command.command()
@click.argument("name", metavar="ID")
@_to
@pass_folders
def revoke(folders: Folders, name: str, url: str | None) -> int:
    """Take a shared grant back. Other machines know with their next sync; one with a number of uses ends at once."""
    if not name.startswith(SHARED):
        raise InputError(f"`{name}` is not a shared grant; their ids begin with {SHARED}")
    database = open_team(address(folders, url), folders)
    try:
        ended = TeamLedger(database).revoke(name, canonical({"by": pwd.getpwuid(os.getuid()).pw_name}))
    finally:
        database.close()
    if not ended:
        raise InputError(f"there is no live shared grant `{name}`")
    click.echo(f"{name} is taken back")
    return 0


def verify_store(folders: Folders, url: str, as_json: bool) -> int:
    """Every chain in the team store; exit code 2 where one is broken."""
    team = verify_team_ledger(folders, team_database(url, folders))
    chains: list[tuple[str, Walked]] = [("the team's own", team)]
    if team.damage is None or team.damage.kind not in ("unavailable", "unreadable", "missing"):
        database = open_team(url, folders)
        try:
            chains += verify_origins(folders, database)
        finally:
            database.close()
    if as_json:
        click.echo(json.dumps([{"chain": name, **walked_data(walked)} for name, walked in chains]))
    else:
        for name, walked in chains:
            damage = walked.damage
            if damage is None:
                click.echo(f"whole: {harmless(name)}: {walked.count} rows, the last is row {walked.seq}")
            else:
                click.echo(f"broken: {harmless(name)}: {damage.kind} at row {damage.seq}: {damage.text}")
                click.echo(f"  {DAMAGE[damage.kind]}; {walked.count} rows before it are whole")
    return BROKEN if any(walked.damage is not None for _, walked in chains) else 0


def address(folders: Folders, given: str | None) -> str:
    """The address that was given, or that the person's own or the managed policy names."""
    if given is not None:
        return given
    url = _policy(folders).store
    if not url:
        raise InputError(
            "no team store is named; set [store] url in your policy (commands of `interlock store` also take --to URL)"
        )
    return url


def _policy(folders: Folders) -> Policy:
    return load_policy(folders, None)


def _seconds(lasting: str) -> int:
    number, unit = lasting[:-1], _UNITS.get(lasting[-1:])
    if unit is None or not number.isascii() or not number.isdigit() or not 0 < int(number) <= 9999:
        raise InputError(f"`{lasting}` is not a time; write 30m, 2h or 7d")
    return int(number) * unit


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda done, of: None
        return

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("rows", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
