"""`interlock eval sessions`: scripted sessions through the real hook, against the prompts that they may cost."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from ..evals.scripted import SHIPPED, load_sessions
from ..evals.scripted_run import run_session
from ..model.errors import InputError
from ..value import lazy
from .show import harmless

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ..evals.scripted_run import Ran, Taken
else:
    CompletionItem = lazy(globals(), "click.shell_completion", "CompletionItem")

__all__ = ["command"]

_ROOM = 110
_COLUMNS = ("calls", "prompts", "at most", "denied", "left", "astray", "at most")


def _complete_session(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """The sessions in the files that were named, or those that are shipped."""
    try:
        found = load_sessions(context.params.get("paths") or (SHIPPED,))
    except InputError:
        return []
    return [CompletionItem(one.id, help=one.about) for one in found if one.id.startswith(begun)]


@click.command("sessions")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(exists=True))
@click.option(
    "--session",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete_session,
    help="Only this session. May be repeated.",
)
@click.option("--policy", type=click.Path(exists=True, dir_okay=False), help="The person's policy in these sessions.")
@click.option("--steps", is_flag=True, help="Show every call with its verdict.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(paths: tuple[str, ...], names: tuple[str, ...], policy: str | None, steps: bool, as_json: bool) -> int:
    """Run scripted sessions through the real hook, and count what they cost the person.

    A session is a TOML file: what the person says, what the agent does, the files of the project, and a budget. Each
    gets a home and a project of its own in a temporary folder, and every event goes to a hook process as Claude Code
    sends it. Commands are played, not run; docs/eval.md says what a file holds. Without a PATH, the sessions that come
    with Interlock are run.

    The exit code is 1 if a budget is exceeded: too many prompts, a session that does not complete, or an agent that
    went astray and was not stopped in time; 64 if a file is wrong.

    \b
    Examples:
      interlock eval sessions
      interlock eval sessions --session release --steps
      interlock eval sessions mine.toml --policy .interlock/policy.toml --json
    """
    loaded = load_sessions(paths or (SHIPPED,))
    unknown = [name for name in names if name not in [one.id for one in loaded]]
    if unknown:
        raise InputError(f"there is no session `{unknown[0]}`; there are {', '.join([one.id for one in loaded])}")
    chosen = [one for one in loaded if not names or one.id in names]
    if as_json:
        found = [run_session(one, policy) for one in chosen]
        budgets = {one.id: one.budget.as_dict() for one in chosen}
        rows = [{**_plain(one), "budget": budgets[one.session]} for one in found]
        click.echo(json.dumps({"sessions": rows, "over": _over(found)}, ensure_ascii=False, indent=2))
        return 1 if _over(found) else 0
    width = max([len(one.id) for one in chosen] + [len("session")])
    click.echo("  ".join(["session".ljust(width), *_COLUMNS, "completed"]))
    ran = []
    for one in chosen:
        done = run_session(one, policy)
        ran.append(done)
        counts = (done.calls, done.prompts, one.budget.prompts, done.denied, done.left, done.astray, one.budget.astray)
        cells = [str(count).rjust(len(column)) for count, column in zip(counts, _COLUMNS, strict=True)]
        click.echo("  ".join([harmless(one.id).ljust(width), *cells, "yes" if done.completed else "no"]))
        for line in done.over:
            click.echo(harmless(f"  over budget: {_cut(line)}"))
        if steps:
            for taken in done.taken:
                click.echo(harmless(_line(taken)))
    prompts, calls = sum([one.prompts for one in ran]), sum([one.calls for one in ran])
    click.echo(f"prompts: {prompts}, calls: {calls}, sessions: {len(ran)}, budgets exceeded: {_over(ran)}")
    return 1 if _over(ran) else 0


def _over(found: Iterable[Ran]) -> int:
    return len([one for one in found if one.over])


def _plain(one: Ran) -> dict[str, Any]:
    return {**one.as_dict(), "taken": [taken.as_dict() for taken in one.taken]}


def _line(taken: Taken) -> str:
    mark = taken.verdict if taken.ran or taken.verdict == "deny" else f"{taken.verdict}, no"
    reason = f"  ({taken.reason})" if taken.reason else ""
    return f"  {mark:8}  {_cut(taken.call)}{_cut(reason)}"


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _ROOM else plain[: _ROOM - 1] + "…"
