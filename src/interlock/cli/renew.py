"""`interlock grants renew`: a grant of an older version, given again with a scope that says where things may go."""

from __future__ import annotations

import click

from ..model.errors import InputError
from ..policy.ahead import permitted_ahead
from ..store.home.folders import Folders
from ..store.ledger.given import grants_in, one_of
from ..store.ledger.given import revoke as take_back
from ..store.ledger.grants import give
from ..store.ledger.ledger import Ledger
from .commands import pass_folders
from .completing import complete_grant
from .given_rows import reach_words, until_words
from .grant import Here, scope_of, signed
from .person import require_person, terminal, who
from .show import harmless

__all__ = ["renew"]


@click.command()
@click.argument("name", metavar="ID", shell_complete=complete_grant)
@click.option(
    "--scope", "scopes", multiple=True, metavar="FIELD=GLOB", help="Instead of, or besides, what it is limited to."
)
@click.option("--key", type=click.Path(dir_okay=False), help="Sign with this key, where a signature is needed.")
@click.option("--dry-run", is_flag=True, help="Show the old and the new scope, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@pass_folders
def renew(folders: Folders, name: str, scopes: tuple[str, ...], key: str | None, dry_run: bool, yes: bool) -> int:
    """Give a grant again with the destination that is in force now, and take the old one back.

    For whom, until when and for how many calls stays as it was.

    \b
    Example:
      interlock grants renew gr_5f1c20
    """
    kept, _ = grants_in(folders)
    one = one_of(kept, name)
    if one.state != "live" or one.is_shared or one.given.grant.kind != "capability":
        raise InputError(
            f"`{one.id}` is {one.state if one.state != 'live' else 'not given here'}; give a new one instead"
        )
    old, here = one.given, Here(folders)
    what = old.words if permits(old.words, old.grant.action) else old.grant.action
    grant = permitted_ahead(
        what,
        {**old.grant.scope, **scope_of(scopes)},
        by=who(),
        why=old.grant.why,
        subject=old.grant.subject,
        folder=old.folder or here.folder,
        ask=here.facts,
    ).replace(reach=old.grant.reach)
    left = old.uses - one.standing.used if old.uses else 0
    new = old.replace(grant=grant, uses=left, nonce=0, signer="", signature="", terminal=terminal())
    for label, scope in (("was", old.grant.scope), ("is", grant.scope)):
        said = ", ".join([f"{field} = {pattern}" for field, pattern in scope.items()]) or "any target"
        click.echo(harmless(f"{label:4} {grant.action}, {said}".replace("\n", ", ")))
    click.echo(harmless(f"for {reach_words(new)}, {until_words(new)}"))
    if dry_run:
        click.echo("nothing was changed")
        return 0
    require_person(folders, "Renew it?", yes=yes)
    new = signed(folders, new, key)
    ledger = Ledger(folders.ledger, front="cli:grants")
    try:
        with ledger.deciding() as turn:
            new = give(turn, new)
    finally:
        ledger.close()
    take_back(folders, [one.id], by=who(), terminal=terminal(), why=f"renewed as {new.grant.id}")
    click.echo(f"given: {new.grant.id}; {one.id} is revoked")
    return 0


def permits(words: str, action: str) -> bool:
    """Whether the words that it was given with still stand for its action."""
    try:
        return bool(words) and permitted_ahead(words, {"destination": "*"}, by="").action == action
    except InputError:
        return False
