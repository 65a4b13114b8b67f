"""`interlock audit heads`: the end of the ledger, shown, sent off this machine, and compared with what was sent."""

from __future__ import annotations

import json

import click

from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.verify import verify
from ..store.outside.evidence import head_of, send_heads, sent_before, shown
from ..store.outside.evidence_check import compared, heads_from
from ..store.outside.head import head_bytes
from .commands import pass_folders
from .listed import Listed
from .rows import moment, walked_data
from .show import harmless

__all__ = ["heads", "verify_against"]

BROKEN = 2
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def heads() -> None:
    """Show the end of the ledger, or send it where `[evidence] send` of the policy says.

    Sessions send it by themselves when they begin and end. What is kept elsewhere is compared by
    `interlock audit verify --against`.
    """


@heads.command("show")
@_json
@pass_folders
def show_(folders: Folders, as_json: bool) -> int:
    """Show the head as it is now, and what arrived where."""
    evidence = load_policy(folders, None).evidence
    head = head_of(folders, evidence.machine)
    known = sent_before(folders)
    if as_json:
        rows = {shown(address): known[address].as_dict() if address in known else None for address in evidence.send}
        click.echo(json.dumps({"head": None if head is None else head.as_dict(), "sent": rows}))
        return 0
    click.echo("nothing is recorded yet" if head is None else head_bytes(head).decode())
    for address in evidence.send:
        said = known.get(address)
        arrived = f"row {said.seq}, {moment(said.at)}" if said is not None and said.seq else "nothing yet"
        wrong = f"; since {moment(said.since)}: {said.trouble}" if said is not None and said.trouble else ""
        click.echo(harmless(f"  {shown(address)}: {arrived}{wrong}"))
    return 0


@heads.command()
@_json
@pass_folders
def send(folders: Folders, as_json: bool) -> int:
    """Send the head now. Exit code 1 where it did not arrive everywhere."""
    evidence = load_policy(folders, None).evidence
    if not evidence.send:
        raise InputError("the policy names no address; set [evidence] send in your own or the managed policy")
    done = send_heads(folders, evidence)
    if as_json:
        click.echo(json.dumps({shown(address): said.as_dict() for address, said in done.items()}))
    else:
        for address, said in done.items():
            click.echo(harmless(f"{shown(address)}: {said.trouble or f'row {said.seq} was sent'}"))
        if not done:
            click.echo("nothing is recorded yet")
    return 1 if any(said.trouble for said in done.values()) else 0


def verify_against(folders: Folders, source: str, as_json: bool) -> int:
    """The whole check, and then the rows against the heads in the source."""
    found = heads_from(source, folders)
    walked = verify(folders, deep=False)
    said = compared(folders, found, load_policy(folders, None).evidence.machine)
    if as_json:
        click.echo(json.dumps({**walked_data(walked), "against": said.as_dict()}))
    else:
        if walked.damage is not None:
            click.echo(f"broken: {walked.damage.kind} at row {walked.damage.seq}: {walked.damage.text}")
        for trouble in said.troubles:
            click.echo(f"broken: {trouble}")
        if walked.damage is None and not said.troubles:
            pruned = f", {said.pruned} are about rows that were pruned" if said.pruned else ""
            click.echo(f"whole: {said.agree} heads that were sent are borne out{pruned}")
    return BROKEN if walked.damage is not None or said.troubles else 0
