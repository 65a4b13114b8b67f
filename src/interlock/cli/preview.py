"""`interlock preview`: run a command on a view of the project, see what it would change, then apply or discard it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from click.core import ParameterSource
from rich.console import Console

from ..calls.world import Outcome
from ..engine import Engine
from ..limits import LOCK_QUEUE_SECONDS, PREVIEW_PROCESSES, PREVIEW_SECONDS
from ..model.errors import InputError
from ..preview.apply import finish_all
from ..preview.flow import apply_preview, discard_preview, made_preview, order_of
from ..preview.kept import Preview, every_preview, one_preview
from ..preview.view import Limits, Order
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.answering import Asked, answered, one_question
from .answerer import answerer, person_answering
from .commands import pass_folders, project_root, with_home
from .completing import complete_approval, complete_preview
from .counted import counted
from .person import refuse_an_agent
from .preview_shown import show_preview
from .show import console, harmless
from .signing import signed_answer

__all__ = ["command", "preview_of_asked"]

_FRONT = "cli:preview"
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_NAMES = {"shows": "show", "passes": "env", "size": "bytes"}
_SETTLED = {
    "--of": ("root", "cwd", "shows", "passes", "seconds", "size", "processes"),
    "--approval": ("root", "cwd"),
}
_CHOICES = {"a": "apply", "d": "discard", "k": "keep"}


@click.command("preview")
@click.argument("text", metavar="COMMAND", required=False)
@click.option(
    "--of",
    "id",
    metavar="ID",
    shell_complete=complete_preview,
    help="Go on with a preview that was kept, instead of running a command.",
)
@click.option(
    "--approval",
    metavar="ID",
    shell_complete=complete_approval,
    help="The command of a call that waits for an approval.",
)
@click.option("--list", "lists", is_flag=True, help="List the previews that are kept.")
@click.option("--apply", "then", flag_value="apply", help="Apply what it changed, after it was shown.")
@click.option("--discard", "then", flag_value="discard", help="Throw it away after it was shown.")
@click.option("--keep", "then", flag_value="keep", help="Keep it, to apply or discard it later.")
@click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: the one around this one.")
@click.option("--cwd", type=click.Path(file_okay=False), help="Where the command runs. Default: this folder.")
@click.option("--seconds", default=PREVIEW_SECONDS, show_default=True, help="How long it may run.")
@click.option("--bytes", "size", default="512M", show_default=True, help="How much it may write.")
@click.option("--processes", default=PREVIEW_PROCESSES, show_default=True, help="How many it may have at once.")
@click.option("--show", "shows", multiple=True, metavar="DIR", help="A folder outside the project that it may read.")
@click.option("--env", "passes", multiple=True, metavar="NAME", help="A variable of yours that it gets.")
@click.option("--yes", is_flag=True, help="With --apply: do not ask back. It takes a terminal all the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
@click.pass_context
def command(
    context: click.Context,
    folders: Folders,
    text: str | None,
    id: str | None,
    approval: str | None,
    lists: bool,
    then: str | None,
    root: str | None,
    cwd: str | None,
    seconds: int,
    size: str,
    processes: int,
    shows: tuple[str, ...],
    passes: tuple[str, ...],
    yes: bool,
    as_json: bool,
) -> int:
    """Run COMMAND on a copy-on-write view of the project, and show what it would change.

    The command sees the project and the system's programs. It has no network, no home folder and no secrets, and what
    it writes goes into a layer of its own. Nothing of it reaches the project until you apply it; then each changed path
    is judged like any other write, and all of them are put in place or none. Only a person may start one. It needs
    Linux with user namespaces.

    \b
    Examples:
      interlock preview 'npx prettier --write .'
      interlock preview 'sed -i s/foo/bar/ *.py' --apply
      interlock preview --list
      interlock preview --of pv_3f2a --discard
    """
    if lists:
        return _list(folders, as_json)
    if [text, id, approval].count(None) != 2:
        raise InputError("write the command to preview, or --of or --approval with an id")
    if as_json and then is None:
        raise InputError("--json goes with --apply, --discard or --keep")
    _refuse_beside(context, "--of" if id is not None else "--approval" if approval is not None else "")
    _require_person(folders)
    for said in finish_all(folders):
        click.echo(said, err=True)
    asked = None
    limits = Limits(seconds=seconds, bytes=_bytes(size), processes=processes).checked()
    if id is not None:
        preview = one_preview(folders, id)
        asked = _asked(folders, preview.approval) if preview.approval else None
    elif approval is not None:
        asked = _asked(folders, approval)
        order = order_of(asked, limits).replace(shows=tuple(map(os.path.abspath, shows)), passes=passes)
        preview = _made(folders, order, asked.question.id)
    else:
        where = os.path.realpath(cwd or os.getcwd())
        order = Order(
            command=text or "",
            root=project_root(root, where),
            cwd=where,
            limits=limits,
            shows=tuple(map(os.path.abspath, shows)),
            passes=passes,
        )
        preview = _made(folders, order)
    return _gone_on(folders, preview, then, asked=asked, yes=yes, as_json=as_json)


def _refuse_beside(context: click.Context, given: str) -> None:
    """What a kept preview, or the call that waits, has settled already cannot be said again."""
    for name in _SETTLED.get(given, ()):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(f"--{_NAMES.get(name, name)} does not go with {given}: that is settled already")


def _asked(folders: Folders, id: str) -> Asked:
    with _ledger(folders) as ledger:
        return one_question(ledger, id)


def _gone_on(
    folders: Folders, preview: Preview, then: str | None, *, asked: Asked | None = None, yes: bool, as_json: bool
) -> int:
    """Shows it, and does with it what the person says."""
    asks = then is None or (then == "apply" and not yes)
    if not as_json or asks:  # nobody is asked about what was not shown
        show_preview(preview, Console(stderr=True, highlight=False, soft_wrap=True) if as_json else console())
    if not preview.found.changes and asked is None:
        then = "discard" if then in (None, "apply") else then
    elif then is None:
        pressed = click.prompt("\napply, discard or keep it", type=click.Choice(("a", "d", "k")), err=True)
        then = _CHOICES[pressed]
    elif then == "apply" and not yes:
        click.confirm("\napply this?", abort=True, err=True)
    receipts: tuple[str, ...] = ()
    if then == "apply":
        receipts = _apply(folders, preview, asked)
    elif then == "discard":
        _discard(folders, preview)
    ends = {"apply": "applied", "discard": "discarded", "keep": "kept"}[str(then)]
    if as_json:
        click.echo(json.dumps({**preview.as_told(), "became": ends, "receipts": list(receipts)}))
    elif preview.found.changes:
        more = with_home(f": interlock preview --of {preview.id}") if then == "keep" else ""
        click.echo(f"{ends}{more}")
    return 0


def preview_of_asked(folders: Folders, asked: Asked) -> str:
    """For whoever watches the questions: the preview on the screen, a key, and what became of it."""
    for said in finish_all(folders):
        click.echo(said)
    preview = _made(folders, order_of(asked, Limits()), asked.question.id)

    show_preview(preview, console())
    pressed = click.prompt("\napply, discard or keep it", type=click.Choice(("a", "d", "k")))
    if pressed == "a":
        _apply(folders, preview, asked)
        return f"applied in place of the call: {preview.id}"
    if pressed == "d":
        _discard(folders, preview)
        return f"discarded: {preview.id}; the call still waits"
    return f"kept: {preview.id}; the call still waits"


def _made(folders: Folders, order: Order, approval: str = "") -> Preview:
    with _ledger(folders) as ledger:
        return made_preview(folders, ledger, order, by=answerer(), approval=approval)


def _discard(folders: Folders, preview: Preview) -> None:
    with _ledger(folders) as ledger:
        discard_preview(ledger, preview, by=answerer())


def _apply(folders: Folders, preview: Preview, asked: Asked | None) -> tuple[str, ...]:
    engine = Engine(folders, front=_FRONT, watches=False, elsewhere=True, patience=LOCK_QUEUE_SECONDS)

    def say_yes(outcome: Outcome) -> None:
        with engine.lent() as ledger:
            question = one_question(ledger, outcome.answer.approval)
            signed = signed_answer(folders, ledger, question, always=False, key=None)
            who = person_answering(folders, question, signed)
            answered(ledger, question, yes=True, by=answerer(), person=who, why="seen in a preview", signed=signed)

    person = "" if asked is None else person_answering(folders, asked, None)
    with _ledger(folders) as ledger:
        return apply_preview(engine, ledger, preview, by=answerer(), person=person, asked=asked, say_yes=say_yes)


def _list(folders: Folders, as_json: bool) -> int:
    found = every_preview(folders)
    if as_json:
        click.echo(json.dumps([preview.as_told() for preview in found]))
        return 0
    for preview in found:
        count = len(preview.found.changes)
        click.echo(
            f"{preview.id}  {counted(count, 'path')}  {harmless(preview.order.root)}  {harmless(preview.order.command)}"
        )
    if not found:
        click.echo("no previews are kept")
    return 0


def _require_person(folders: Folders) -> None:
    """Only a person starts one: it runs what an agent wrote, and its end may change the project."""
    if not sys.stdin.isatty():
        raise InputError("only a person at a terminal may preview a command; do it in a terminal of your own")
    refuse_an_agent(folders)


def _bytes(text: str) -> int:
    number, unit = (text[:-1], _UNITS[text[-1:].lower()]) if text[-1:].lower() in _UNITS else (text, 1)
    if not (number.isascii() and number.isdigit()):
        raise InputError(f"`{text[:20]}` is not a size; write 64M or 2G")
    return int(number) * unit


@contextmanager
def _ledger(folders: Folders) -> Iterator[Ledger]:
    ledger = Ledger(folders.ledger, front=_FRONT)
    try:
        yield ledger
    finally:
        ledger.close()
