"""`interlock off`: let everything but the floor through, for a while."""

from __future__ import annotations

import json

import click

from ..approve.statement import off_statement
from ..approve.strength import strength_of_off
from ..bytes.redact import redact
from ..model.errors import ApprovalError, InputError
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.ledger import Ledger
from ..store.people.switch import LONGEST_OFF, keep_off, last_switch
from .commands import pass_folders, project_root, with_home
from .person import require_person, terminal, who
from .rows import moment
from .signing import signature_for

__all__ = ["command"]

_UNITS = {"m": 60_000, "h": 3_600_000}


@click.command("off")
@click.option("--for", "lasting", required=True, metavar="TIME", help="How long: 10m, 1h; 60 minutes at most.")
@click.option("--session", default="", help="Only for this session. Default: every session of yours on this machine.")
@click.option("--why", default="", help="Why; kept with it.")
@click.option("--key", type=click.Path(dir_okay=False), help="Sign with this key. Default: an enrolled one.")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, lasting: str, session: str, why: str, key: str | None, yes: bool, as_json: bool) -> int:
    """Let agents do everything but what the floor refuses, for a while.

    Better than taking the hook out of the settings: what happens is still recorded, each answer says that Interlock is
    off, and it comes back by itself. The posture stays: what is locked stays locked. It needs what tier 3 needs, so a
    signature where a key is enrolled. Managed policy can forbid it.

    \b
    Examples:
      interlock off --for 10m --why 'sorting out the release'
      interlock on
    """
    number, unit = lasting[:-1], _UNITS.get(lasting[-1:])
    if unit is None or not (number.isascii() and number.isdigit()) or not 0 < int(number) * unit <= LONGEST_OFF:
        raise InputError(f"`{lasting[:20]}` is not a time that it can be off for; write 10m, or 1h at most")
    policy = load_policy(folders, project_root(None))
    if not policy.allow_off:
        raise ApprovalError("the policy forbids it: [approvals] allow_off is false")
    whose = f"session {session}" if session else "every session of yours on this machine"
    require_person(folders, f"Switch everything but the floor off for {lasting}, for {whose}?", yes=yes)
    ledger = Ledger(folders.ledger, front="cli:off")
    try:
        with ledger.deciding() as turn:
            at, after = turn.at, last_switch(turn)
        until = at + int(number) * unit

        def message(ledger: str) -> bytes:
            return off_statement(ledger=ledger, session=session, until=until, after=after)

        signed = signature_for(folders, policy, message, key=key, least=strength_of_off(policy, ""))
        said = f"all but the floor is off until {moment(until)} for {whose}" + (f": {redact(why)}" if why else "")
        body = {"after": after, "at": at, "by": who(), "session": session, "terminal": terminal(), "until": until}
        with ledger.deciding() as turn:
            keep_off(turn, policy, {**body, **signed, "why": said})
    finally:
        ledger.close()
    if as_json:
        told = {"off": True, "session": session or None, "until": moment(until)}
        click.echo(json.dumps({**told, "strength": signed["strength"], "signer": signed.get("signer")}))
        return 0
    ends = with_home("To end it: interlock on")
    click.echo(f"off until {moment(until)} for {whose}; the floor and the ledger stay on. {ends}")
    return 0
