"""`interlock grant`: permit an action ahead of time, within a scope, until a moment, for so many calls."""

from __future__ import annotations

import json
import os

import click

from ..approve.glob import is_plain
from ..approve.reaches import said_of
from ..bytes.redact import redact
from ..model.action import Action
from ..model.call import Call
from ..model.errors import InputError
from ..model.facts import Facts
from ..model.verdict import Strength
from ..model.wants import Want
from ..policy.ahead import examples_of, permitted_ahead
from ..store.facts.facts import gather, read_with_facts
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.given import live_sessions
from ..store.ledger.grants import GivenGrant, give, holder_of, message_of
from ..store.ledger.ledger import Ledger
from ..value import FrozenMap
from .commands import pass_folders, project_root, with_home
from .durations import end_of
from .given_rows import facts_of, reach_words, until_words
from .person import require_person, terminal, who
from .show import harmless
from .signing import signature_for

__all__ = ["Here", "command", "scope_of", "signed"]

_REACHES = ("session", "folder", "repository", "everywhere")


@click.command("grant")
@click.argument("what")
@click.option(
    "--scope", "scopes", multiple=True, metavar="FIELD=GLOB", help="Only where this field of the target matches."
)
@click.option(
    "--for",
    "lasting",
    default="2h",
    show_default=True,
    metavar="TIME",
    help="How long: 30m, 2h, 7d, 'until 2026-12-01' (its last second, UTC), or ever.",
)
@click.option("--uses", type=click.IntRange(1, 1_000_000), help="For this many calls. Default: any number.")
@click.option(
    "--reach",
    type=click.Choice(_REACHES),
    default="session",
    show_default=True,
    help="For one session, for calls in this folder, in this repository, or everywhere.",
)
@click.option("--session", help="The session, where --reach is session. Default: the one at work in this project.")
@click.option("--agent", default="", help="Only for calls of sub-agents of this type, or with this id.")
@click.option("--why", default="", help="Why it is given; kept with it.")
@click.option("--key", type=click.Path(dir_okay=False), help="Sign with this key, where a signature is needed.")
@click.option("--dry-run", is_flag=True, help="Show what it would cover, and give nothing.")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders,
    what: str,
    scopes: tuple[str, ...],
    lasting: str,
    uses: int | None,
    reach: str,
    session: str | None,
    agent: str,
    why: str,
    key: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Permit WHAT: the first words of a command, or the name of an action.

    It covers what such a command shows and no more, and goes where it would go now: to the remote, registry or
    context in force in this folder, which is shown. --scope destination=GLOB says otherwise, '*' is anywhere. A
    call that forces, deletes or takes everything along is covered only if the scope names that: --scope
    force=true. It is kept in the ledger; `interlock grants list` shows what is given, `interlock grants revoke
    ID` takes it back.

    \b
    Examples:
      interlock grant "git push" --scope 'branch=feature/*' --for 2h --uses 5
      interlock grant npm:publish --scope package=@acme/app --reach repository --for 30m --why 'release 1.4'
    """
    if reach != "session" and session is not None:
        raise InputError(f"--session goes with --reach session, not with --reach {reach}")
    here = Here(folders)
    grant = permitted_ahead(
        what, scope_of(scopes), by=who(), why=redact(why), subject=agent, folder=here.folder, ask=here.facts
    ).replace(reach=reach)
    given = GivenGrant(
        grant=grant,
        holder=holder_of(reach, _place(folders, reach, session)),
        expires=end_of(lasting),
        uses=uses or 0,
        words=redact(what),
        folder=os.path.realpath(os.getcwd()),
        terminal=terminal(),
    )
    covered, beyond = examples_of(what, grant, here.actions)
    if not as_json:
        _show(given, covered, beyond)
    if not dry_run:
        require_person(folders, "Give it?", yes=yes)
        given = signed(folders, given, key)
        ledger = Ledger(folders.ledger, front="cli:grants")
        try:
            with ledger.deciding() as turn:
                given = give(turn, given)
        finally:
            ledger.close()
    if as_json:
        told = {**facts_of(given), "covers": covered, "does_not_cover": beyond, "given": not dry_run}
        click.echo(json.dumps(told, ensure_ascii=False))
    elif dry_run:
        click.echo("nothing was given")
    else:
        ends = with_home(f"interlock grants revoke {given.grant.id}")
        click.echo(f"given: {given.grant.id}; take it back with: {ends}")
    return 0


class Here:
    """What is in force in the folder where the command is given: remotes, registries, contexts."""

    def __init__(self, folders: Folders) -> None:
        self.folder = os.path.realpath(os.getcwd())
        self.known = Facts(root=project_root(None), home=folders.home)

    def facts(self, wants: tuple[Want[object], ...]) -> Facts:
        return gather(wants, self.known) or self.known

    def actions(self, line: str) -> tuple[Action, ...]:
        call = Call(tool="Bash", input=FrozenMap({"command": line}), cwd=self.folder)
        reading = read_with_facts(call, self.known)
        return () if reading.opaque else reading.actions


def signed(folders: Folders, given: GivenGrant, key: str | None) -> GivenGrant:
    """The grant with the person's signature, where whatever loosens needs one."""
    given = given.replace(nonce=Ledger(folders.ledger, front="cli:grants").clock())
    signed = signature_for(
        folders, load_policy(folders, project_root(None)), lambda ledger: message_of(given, ledger), key=key
    )
    if "signature" not in signed:
        return given.replace(nonce=0)
    grant = given.grant.replace(strength=Strength.of(signed["strength"]))
    return given.replace(grant=grant, signature=signed["signature"], signer=signed["signer"])


def _show(given: GivenGrant, covered: list[str], beyond: list[str]) -> None:
    for line in said_of(given.grant):
        click.echo(harmless(line))
    click.echo(harmless(f"for {reach_words(given)}, {until_words(given)}"))
    for words, examples in (("covers", covered), ("does not cover", beyond)):
        for example in examples:
            click.echo(harmless(f"  {words:15} {example}"))


def _place(folders: Folders, reach: str, session: str | None) -> str:
    if reach == "everywhere":
        return ""
    if reach == "folder":
        return os.path.realpath(os.getcwd())
    root = project_root(None)
    if reach == "repository":
        return root
    if session is not None:
        return session
    found = live_sessions(folders, root)
    if not found:
        raise InputError(f"no session is at work in {root}; name one with --session ID, or choose --reach repository")
    if len(found) > 1:
        names = ", ".join([name for name, _ in found[:5]])
        raise InputError(f"several sessions are at work in {root}: {names}; name one with --session ID")
    return found[0][0]


def scope_of(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in given:
        field, equals, glob = item.partition("=")
        if not equals or not field or not glob:
            raise InputError(f"`{item}` is not a scope; write FIELD=GLOB, such as branch=feature/*")
        if redact(glob) != glob:
            raise InputError(f"the pattern for `{field}` looks like a secret; those are not kept")
        several = [*found[field].split("\n"), glob] if field in found else [glob]
        if len(several) > 1 and not all(is_plain(one) for one in several):
            raise InputError(f"`{field}` is named twice; name whole values, or one pattern that covers what you mean")
        found[field] = "\n".join(several)
    return found
