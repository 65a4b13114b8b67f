"""`interlock undo`: what a call has lost comes back."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

import click

from ..approve.compensators import owner_of
from ..engine import Engine
from ..model.call import Call
from ..model.errors import ApprovalError, InputError, StoreError
from ..model.events import Place, Proposed
from ..policy.model import Policy
from ..store.home.folders import Folders
from ..store.home.policies import load_policy_or_faults
from ..store.ledger.ledger import Ledger
from ..store.undo.git_restore import git_moved
from ..store.undo.holding import shelf_of
from ..store.undo.restore import MOVED, SAME, Step, steps_of
from ..store.undo.shelf import Kept, Opened, Shelf
from ..store.undo.undone import latest, made_good, named, of_session, session_above, undo
from ..value import FrozenMap
from .commands import pass_folders, project_root, with_home
from .completing import complete_checkpoint
from .counted import counted
from .person import refuse_an_agent, who
from .show import harmless
from .undo_shown import diff_of, line_of

__all__ = ["command"]

_CHOICES = ("skip", "beside", "force")


@click.command("undo")
@click.argument("name", metavar="[RECEIPT|CHECKPOINT]", required=False, shell_complete=complete_checkpoint)
@click.option("--last", is_flag=True, help="The last change in this project. This is the default.")
@click.option("--session", metavar="SESSION", help="All changes of a session, the newest first.")
@click.option("--dry-run", is_flag=True, help="Show what would be restored, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--skip", "choice", flag_value="skip", help="Leave alone what has changed since.")
@click.option("--beside", "choice", flag_value="beside", help="Restore it beside what has changed since.")
@click.option("--force", "choice", flag_value="force", help="Put it in place of what has changed since.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders,
    name: str | None,
    last: bool,
    session: str | None,
    dry_run: bool,
    yes: bool,
    choice: str | None,
    as_json: bool,
) -> None:
    """Bring back what a call has lost: files, folders and work in git that Interlock held before it ran.

    Shows what it will restore as a diff. Where somebody has been there since, choose to skip it, to restore beside
    it, or to force it. An undo is recorded, and can be undone.

    \b
    Examples:
      interlock undo --dry-run
      interlock undo sha256:51f0c8
      interlock undo --session 3d0d2c1e --yes
    """
    if sum([name is not None, last, session is not None]) > 1:
        raise InputError("give a receipt, --last or --session, and only one of them")
    ledger = Ledger(folders.ledger, front="cli:undo")
    shelf = shelf_of(folders)
    try:
        agent = _agent(folders, ledger)
        policy = load_policy_or_faults(folders, project_root(None))
        if agent is None and name is not None and (others := _compensators(shelf, folders, name)):
            _tell(others, policy.undo_owners, as_json)
            return
        if agent is None:
            found = _meant(shelf, folders, name, session)
        else:
            found = [_own(shelf, folders, agent, name, session, choice)]
        done = [
            _undone(folders, ledger, policy, kept, agent, dry_run, yes or agent is not None, choice, as_json)
            for kept in found
        ]
    finally:
        ledger.close()
    if as_json:
        click.echo(json.dumps(done if session is not None else done[0]))


def _compensators(shelf: Shelf, folders: Folders, name: str) -> list[tuple[str, str]]:
    """How what a receipt tells of is made good, where no checkpoint holds it."""
    try:
        named(shelf, folders, name)
    except InputError:
        return made_good(folders, name)
    return []


def _tell(others: list[tuple[str, str]], owners: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        rows = [{"action": action, "compensator": text} for action, text in others]
        for row in rows:
            row.update({"owner": owner} if (owner := owner_of(row["action"], owners)) else {})
        click.echo(json.dumps({"compensators": rows}))
        return
    click.echo("Nothing was held of this call. What makes it good, run by you or asked of the agent like any call:")
    for action, text in others:
        owner = owner_of(action, owners)
        click.echo(harmless(f"  {action}  {text}" + (f"  (ask {owner})" if owner else "")))


def _agent(folders: Folders, ledger: Ledger) -> str | None:
    """None for a person; else the session of the agent that runs this, empty where it is not known."""
    try:
        refuse_an_agent(folders)
    except ApprovalError:
        return session_above(ledger)
    return None


def _meant(shelf: Shelf, folders: Folders, name: str | None, session: str | None) -> list[Kept]:
    if name is not None:
        return [named(shelf, folders, name)]
    if session is not None:
        return of_session(shelf, session)
    return [latest(shelf, root=project_root(None))]


def _own(shelf: Shelf, folders: Folders, session: str, name: str | None, other: str | None, choice: str | None) -> Kept:
    """INVARIANT: an agent takes back the last change of its own session, and nothing else."""
    if not session:
        raise ApprovalError("only a person may do this: it comes from below an agent whose session is not known")
    if choice is not None or other is not None:
        raise ApprovalError("only a person may choose what happens to changes made since, or undo a whole session")
    kept = latest(shelf, session=session)
    if name is not None and named(shelf, folders, name).id != kept.id:
        raise ApprovalError("only a person may undo another change than the last one of the agent's own session")
    return kept


def _undone(
    folders: Folders,
    ledger: Ledger,
    policy: Policy,
    kept: Kept,
    agent: str | None,
    dry_run: bool,
    yes: bool,
    choice: str | None,
    as_json: bool,
) -> dict[str, object]:
    with shelf_of(folders).open(kept) as opened:
        steps = steps_of(opened)
        told: dict[str, object] = {
            "checkpoint": kept.id,
            "root": opened.checkpoint.root,
            "session": opened.checkpoint.session,
            "steps": [
                {"path": step.node.path, "how": step.how, **({"why": step.text} if step.text else {})} for step in steps
            ],
            "restored": [],
        }
        if not as_json:
            _show(opened, steps)
        moved = [step for step in steps if step.how == MOVED]
        elsewhere = git_moved(opened)
        if elsewhere:
            told["git"] = elsewhere
        if not as_json:
            for line in _of_git(opened, elsewhere):
                click.echo(line)
        if all(step.how == SAME for step in steps) and not opened.checkpoint.git:
            if not as_json:
                click.echo("Everything is as it was. There is nothing to restore.")
            return told
        if dry_run:
            if not as_json:
                since = f"Changed since: {len(moved)} of {counted(len(steps), 'path')}." if moved else ""
                click.echo(f"Nothing was changed. {since or counted(len(steps), 'path') + ' would be restored.'}")
            return told
        if agent is not None:
            _judge(folders, opened, steps, elsewhere, agent)
        choices = _choices(moved, choice, agent is None and not yes)
        git = not elsewhere or _git_too(elsewhere, choice, agent is None and not yes)
        if not yes and agent is None:
            if not sys.stdin.isatty():
                raise InputError("this restores files; --yes stands in for the question")
            click.confirm("Restore this?", abort=True, err=True)
        by = who() if agent is None else f"session {agent}"
        written, before = undo(folders, ledger, opened, steps, choices, by=by, policy=policy, git=git)
        told |= {"restored": written, "undone_by": before.id}
        if not as_json:
            click.echo(
                with_home(
                    f"Restored {counted(len(written), 'path')}. To take this back: interlock undo {before.id[:12]}"
                )
            )
        return told


def _of_git(opened: Opened, elsewhere: list[str]) -> list[str]:
    found = []
    for held in opened.checkpoint.git:
        found += [f"  ~ {harmless(name)}  back to {harmless(text[:40]) or 'nothing'}" for name, text in held.refs]
        found += [f"  ~ .git/{harmless(node.path)}" for node in held.files]
    return [*found, *[f"  ! {harmless(text)}" for text in elsewhere]]


def _git_too(elsewhere: list[str], choice: str | None, asks: bool) -> bool:
    """Whether names and index of the repository are put back although they have moved on."""
    if choice is None and asks and sys.stdin.isatty():
        question = f"{harmless('; '.join(elsewhere))}. Skip what git says, or force it"
        choice = click.prompt(question, type=click.Choice(("skip", "force")), default="skip", err=True)
    if choice is None:
        raise StoreError(f"{'; '.join(elsewhere)}. Nothing was restored; choose --skip, --beside or --force")
    return choice == "force"


def _choices(moved: list[Step], choice: str | None, asks: bool) -> dict[str, str]:
    """What is done about each path at which somebody has been since."""
    found: dict[str, str] = {}
    for step in moved:
        chosen = choice
        if chosen is None and asks and sys.stdin.isatty():
            question = f"`{harmless(step.node.path)}`: {harmless(step.text)}. Skip it, restore beside it, or force it"
            chosen = click.prompt(question, type=click.Choice(_CHOICES), default="skip", err=True)
        if chosen is None:
            raise StoreError(
                f"`{step.node.path}` is not as the call left it: {step.text}. Nothing was restored; "
                "choose --skip, --beside or --force"
            )
        found[step.node.path] = chosen
    return found


def _judge(folders: Folders, opened: Opened, steps: list[Step], elsewhere: list[str], session: str) -> None:
    """An agent's undo is a row of writes, and each is judged as one."""
    if elsewhere or any(step.how == MOVED for step in steps):
        raise ApprovalError("somebody has changed these files since; only a person may undo this")
    root = opened.checkpoint.root
    engine = Engine(folders, front="cli:undo", records=False)
    place = Place(cwd=root, session=session, parent=os.getppid())
    for step in steps:
        if step.how == SAME:
            continue
        given = FrozenMap({"file_path": f"{root}/{step.node.path}", "content": ""})
        call = Call(tool="Write", input=given, cwd=root, session=session)
        outcome = engine.propose(Proposed(place=place, call=call))
        if not outcome.answer.runs:
            raise ApprovalError(f"only a person may undo this: writing `{step.node.path}` is not allowed by itself")


def _show(opened: Opened, steps: list[Step]) -> None:
    click.echo(f"checkpoint {opened.kept.id[:12]} in {harmless(opened.checkpoint.root)}")
    for step in steps:
        if step.how != SAME:
            click.echo(line_of(step))
    for line in diff_of(opened, steps):
        click.echo(line)
