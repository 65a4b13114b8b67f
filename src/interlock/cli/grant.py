"""`interlock grant`: permit an action ahead of time, within a scope and until a moment."""

from __future__ import annotations

import datetime
import json

import click

from ..approve.gated import gate_of
from ..call import Call
from ..errors import InputError
from ..facts import Facts
from ..limits import MAX_POLICY_BYTES
from ..policy.amend import with_grant
from ..policy.parse import parse_policy
from ..reading.read import read_call
from ..store.files import read_file, write_file
from ..store.folders import Folders
from ..value import FrozenMap
from .commands import pass_folders

__all__ = ["command"]

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@click.command("grant")
@click.argument("what")
@click.option(
    "--scope", "scopes", multiple=True, metavar="FIELD=GLOB", help="Only where this field of the target matches."
)
@click.option(
    "--for", "lasting", default="2h", show_default=True, metavar="TIME", help="How long, such as 30m, 2h or 7d."
)
@click.option("--id", "name", help="Names the grant in receipts. Default: made from the action.")
@click.option("--why", default="", help="Why it is given; kept with it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders, what: str, scopes: tuple[str, ...], lasting: str, name: str | None, why: str, as_json: bool
) -> int:
    """Permit WHAT: the first words of a command, or the name of an action.

    The grant is written into your own policy file. A call that forces, deletes or takes everything along is
    covered only if the scope names that: --scope force=true. `interlock revoke ID` takes it back.

    \b
    Examples:
      interlock grant "git push" --scope remote=origin --scope 'branch=feature/*' --for 2h
      interlock grant npm:publish --scope package=@acme/app --for 30m --why 'release 1.4'
    """
    file = folders.user_policy
    raw = read_file(file, limit=MAX_POLICY_BYTES) or b""
    text = raw.decode("utf-8", "strict") if raw else ""
    action = _action(what)
    taken = {str(grant["id"]) for grant in parse_policy(raw, name="user", file=file).grants} if raw else set()
    grant: dict[str, object] = {"id": _free(name or action.replace(":", "-"), taken, given=name is not None)}
    grant["action"] = action
    scope = _scope(scopes)
    if scope:
        grant["scope"] = scope
    grant["expires"] = _end(lasting)
    if why:
        grant["why"] = why
    changed = with_grant(text, grant).encode()
    parse_policy(changed, name="user", file=file)
    write_file(file, changed)
    until = str(grant["expires"])
    if as_json:
        click.echo(json.dumps({**grant, "expires": until, "file": file}))
    else:
        within = " ".join(f"{field}={glob}" for field, glob in scope.items()) or "any target"
        click.echo(f"{action} ({within}) is permitted until {until}; take it back with: interlock revoke {grant['id']}")
    return 0


def _action(what: str) -> str:
    """The action that the words of a command stand for; a name of an action stands for itself."""
    if ":" in what and not any(char.isspace() for char in what):
        return what
    call = Call(tool="Bash", input=FrozenMap({"command": what}), cwd="/")
    reading = read_call(call, Facts(root="/", home="/home/user"))
    names = {action.name for action in reading.actions if gate_of(action) is not None}
    names = names or {action.name for action in reading.actions if not action.name.startswith(("fs:", "exec:"))}
    if len(names) != 1:
        found = ", ".join(sorted(names)) or "none"
        raise InputError(f"`{what}` does not stand for one action (found: {found}); name the action, such as git:push")
    return names.pop()


def _scope(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in given:
        field, equals, glob = item.partition("=")
        if not equals or not field or not glob:
            raise InputError(f"`{item}` is not a scope; write FIELD=GLOB, such as branch=feature/*")
        if field in found:
            raise InputError(f"`{field}` is named twice; one pattern must cover what you mean")
        found[field] = glob
    return found


def _end(lasting: str) -> datetime.datetime:
    number, unit = lasting[:-1], _UNITS.get(lasting[-1:])
    if unit is None or not number.isascii() or not number.isdigit() or not 0 < int(number) <= 9999:
        raise InputError(f"`{lasting}` is not a time; write 30m, 2h or 7d")
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    return now + datetime.timedelta(**{unit: int(number)})


def _free(name: str, taken: set[str], *, given: bool) -> str:
    if name not in taken:
        return name
    if given:
        raise InputError(f"a grant `{name}` is there already; revoke it first, or choose another id")
    return next(f"{name}-{number}" for number in range(2, len(taken) + 3) if f"{name}-{number}" not in taken)
