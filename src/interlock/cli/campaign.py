"""`interlock campaign`: a headless run of Claude Code that is held to a folder, a plan and no network."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from difflib import unified_diff

import click

from ..bytes.canon import digest_of_bytes
from ..follow.described import describing
from ..hosts import host_named, part_of
from ..install.campaign import Campaign
from ..install.campaign_checks import unsafe_arguments, weaker
from ..install.launching import cleared_by, refused_words
from ..limits import MAX_WATCHED_BYTES
from ..model.environment import CAMPAIGN, looked_at
from ..model.errors import InputError
from ..store.home.campaigns import Rendered, kept_inputs, rendered, with_plan_of, write_rendered
from ..store.home.files import read_file
from ..store.home.folders import Folders
from ..store.home.launched import keep_launch
from ..store.home.plans import plan_in_force
from ..store.home.policies import load_policy
from ..store.ledger.noted import changed_by_a_person
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders, with_home
from .confirming import put_update, update_due
from .install import home_meant, refuse_a_passing_copy
from .listed import Listed
from .person import refuse_an_agent, require_person, terminal, who
from .rehearsal import RUNS, Rehearsed, lines_for_a_person, rehearse_under, rows_of
from .waits import waiting_arguments

if TYPE_CHECKING:
    from .campaign_grant import give_plan, is_given
else:
    give_plan = lazy(globals(), ".campaign_grant", "give_plan")
    is_given = lazy(globals(), ".campaign_grant", "is_given")

__all__ = ["CAMPAIGNS_OF", "campaign_of", "command", "kept_campaign", "wrong_with"]

CAMPAIGNS_OF = "claude-code"
EXIT_LINES = 2  # everything was done, and some lines of the plan would not run
_EDITED = (
    "`{file}` was edited since it was written, or somebody else wrote it, so it stays as it is. Against what would be "
    "written:\n{diff}\nTake the changes back or remove the file, and try again"
)

_CURE = (
    "If you have edited nothing, the plan or Interlock has changed since: run `interlock campaign init` again. "
    "Rules of your own belong into the policy of the project"
)


@click.group(cls=Listed)
def command() -> None:
    """Run Claude Code headless, held to a work folder, a repository and a plan.

    \b
    Examples:
      interlock campaign init runs/3 --repo . --plan runs/3/experiment_plan.yaml
      interlock campaign run runs/3 -- 'Work through the plan.'
    """


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--repo", required=True, type=click.Path(exists=True, file_okay=False), help="The repository.")
@click.option("--plan", type=click.Path(exists=True, dir_okay=False), help="The plan, see docs/plan.md.")
@click.option("--allow-bin", "allow", multiple=True, metavar="NAME", help="One more program that may run, by its name.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def init(
    folders: Folders, folder: str, repo: str, plan: str | None, allow: tuple[str, ...], dry_run: bool, as_json: bool
) -> int:
    """Write the settings and the policy that a headless run in DIR is held to.

    DIR/.claude/settings.json is for the client, DIR/.interlock/campaign.toml for Interlock's hook, which enforces the
    same limits: files change only in DIR and REPO, only programs of the plan and a short list of others run, nothing
    goes to the network. One of DIR and REPO must lie in the other.

    Programs that run whatever they are given (shells, interpreters, `env`, `xargs`, `find`, …) cannot be added by name:
    that would allow everything. Put the command line that you need into the plan; of those programs, only the planned
    lines and what is added at their end run.

    Each line of the plan is rehearsed: what would be refused or asked about while nobody is there is listed, with what
    you can do. A line whose program nobody knows runs because you planned it: that is kept as a grant, which holds
    while the words, the program and the script stay what they are now. It takes a terminal of your own. Without a plan,
    calls are decided as usual, within the same folders and without the network.

    Running it again brings the files up to date. A file that was edited by hand is never overwritten.

    \b
    Exit codes: 0 done, or nothing to do; 1 an agent ran it; 2 done, and a line of the plan would not run;
    64 it would not be a limit, or a file was edited.
    """
    refuse_a_passing_copy()
    folders, arguments = home_meant(folders)
    campaign = campaign_of(folders, arguments, folder, repo, plan or "", allow)
    files = rendered(campaign)
    for one in files:
        if one.edited:
            raise InputError(_EDITED.format(file=one.file, diff=_difference(one)))
    rehearsed = _rehearsed(folders, campaign, files)
    if not dry_run:
        refuse_an_agent(folders)
        launcher = update_due(folders) if not os.path.lexists(folders.launcher) else None
        if launcher is not None:
            put_update(folders, launcher, replaces=False)
        _write(folders, campaign, files)
        if _permitted(folders, campaign, rehearsed):
            rehearsed = _rehearsed(folders, campaign, files)
    code = 0 if all(one.verdict == RUNS for one in rehearsed) else EXIT_LINES
    if as_json:
        done = "would write" if dry_run else "written"
        told = [{"file": one.file, "result": "unchanged" if one.idle else done} for one in files]
        names = sorted({name for name, _ in campaign.planned if name})
        rows = rows_of(rehearsed)
        click.echo(json.dumps({"files": told, "folder": campaign.root, "lines": rows, "planned": names}, indent=2))
        return code
    for one in files:
        click.echo(one.file)
        if one.now is None and not dry_run:
            click.echo("  written")
        else:
            click.echo("  nothing to do: it is as it would be written" if one.idle else _difference(one))
    for line in lines_for_a_person(rehearsed) if campaign.plan else ():
        click.echo(line)
    if not dry_run:
        prompt = "Work through the plan." if campaign.plan else "Go on."
        click.echo(with_home(f"To start it: interlock campaign run {folder} -- '{prompt}'"))
    return code


def _rehearsed(folders: Folders, campaign: Campaign, files: tuple[Rendered, ...]) -> tuple[Rehearsed, ...]:
    policy = files[1].then
    return rehearse_under(policy, digest_of_bytes(policy), folders, campaign.root, campaign.lines)


def _permitted(folders: Folders, campaign: Campaign, rehearsed: tuple[Rehearsed, ...]) -> bool:
    """Gives what the plan needs, where a person is at a terminal. Whether something was given."""
    keys = {key for one in rehearsed for key in one.keys}
    given = next((one.given for one in rehearsed if one.keys), "")
    if not keys:
        return False

    if is_given(folders, campaign.root, given, keys):
        return False
    if not sys.stdin.isatty():
        click.echo("interlock: nothing was permitted: that takes a person at a terminal of their own", err=True)
        return False
    require_person(folders, "", yes=True)
    give_plan(folders, campaign, given, keys)
    return True


def campaign_of(
    folders: Folders, arguments: tuple[str, ...], folder: str, repo: str, plan: str, allow: tuple[str, ...]
) -> Campaign:
    waits = waiting_arguments(
        folders, None, CAMPAIGNS_OF
    )  # as in the person's own settings: then the client runs one of the two
    campaign = Campaign(
        folder=os.path.realpath(folder),
        repo=os.path.realpath(repo),
        plan=os.path.realpath(plan) if plan else "",
        home=os.path.realpath(folders.home),
        allow=tuple(sorted({os.path.basename(name) for name in allow})),
        hooks=host_named(CAMPAIGNS_OF).settings(sys.executable, folders.launcher, (*arguments, *waits))["hooks"],
    ).check()
    return with_plan_of(campaign, load_policy(folders, campaign.root))


def _difference(one: Rendered) -> str:
    now, then = ((raw or b"").decode("utf-8", "replace").splitlines() for raw in (one.now, one.then))
    lines = list(unified_diff(now, then, lineterm="", n=2))[2:]
    return "\n".join(["  " + (line if len(line) <= 160 else line[:159] + "…") for line in lines])


def _write(folders: Folders, campaign: Campaign, files: tuple[Rendered, ...]) -> None:
    if all(one.idle for one in files):
        write_rendered(campaign, files)  # the record, where that is gone
        return
    trouble = changed_by_a_person(
        folders,
        "override",
        "campaign",
        {"by": who(), "file": campaign.folder, "terminal": terminal(), "why": f"a campaign for {campaign.repo}"},
        lambda: write_rendered(campaign, files),
        loosens=False,
        files=tuple([one.file for one in files]),
        describe=describing(folders),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.argument("arguments", metavar="[-- ARGUMENT...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--client", default="claude", show_default=True, help="The program, by its name or path.")
@click.option("--dry-run", is_flag=True, help="Check everything and print the command, and do not start it.")
@pass_folders
def run(folders: Folders, folder: str, arguments: tuple[str, ...], client: str, dry_run: bool) -> int:
    """Start the client for the campaign in DIR: `claude -p --settings DIR/.claude/settings.json ARGUMENT...`.

    It is started in the outer one of DIR and the repository, and does not start if a file of the campaign is missing,
    holds less than `interlock campaign init` would write now, or if other settings or arguments leave the limits out.

    \b
    Examples:
      interlock campaign run runs/3 -- 'Work through the plan.'
      interlock campaign run runs/3 -- --model opus --output-format json < prompt.txt

    \b
    Exit codes: those of the client; 1 an agent ran it; 64 it was not started.
    """
    refuse_an_agent(folders)
    folders, given = home_meant(folders)
    campaign = _kept(folders, given, folder)
    unsafe = unsafe_arguments(arguments)
    refused = [f"`{word}`: {why}" for word, why in refused_words(CAMPAIGNS_OF, arguments)]
    unsafe += [why for why in refused if not any(one.startswith(why.partition(":")[0]) for one in unsafe)]
    wrong = [*unsafe, *wrong_with(folders, campaign)]
    if os.environ.get("CLAUDE_CODE_SIMPLE"):
        wrong.append("`CLAUDE_CODE_SIMPLE` is set: it leaves all hooks out")
    if wrong:
        told = "".join(f"\n  {reason}" for reason in wrong)
        raise InputError(f"not started, because the run would not be held to its limits:{told}\n{_CURE}")
    program = shutil.which(client)
    if program is None:
        raise InputError(f"`{client}` was not found; name the program: --client PATH")
    settings, policy = rendered(campaign)
    value = _value(policy)
    headless = () if {"-p", "--print"} & {*arguments} else ("-p",)
    words = [os.path.abspath(program), *headless, "--settings", settings.file, *arguments]
    cleared = cleared_by(CAMPAIGNS_OF, os.environ)
    if dry_run:
        unset = [word for name in cleared for word in ("-u", name)]
        click.echo(shlex.join(["env", *unset, f"--chdir={campaign.root}", f"{CAMPAIGN}={value}", *words]))
        return 0
    kept = {name: given for name, given in os.environ.items() if name not in cleared}
    environment = {"INTERLOCK_RUN": campaign.folder, **kept, CAMPAIGN: value}
    keep_launch(folders, CAMPAIGNS_OF, words[1:], {CAMPAIGN: value})
    sys.stdout.flush()
    os.chdir(campaign.root)
    return os.execve(words[0], words, environment)  # noqa: S606 - no shell on purpose


def _kept(folders: Folders, arguments: tuple[str, ...], folder: str) -> Campaign:
    folder = os.path.realpath(folder)
    repo, plan, allow = kept_inputs(folder)
    return campaign_of(folders, arguments, folder, repo, plan, allow)


def kept_campaign(folders: Folders, folder: str) -> tuple[Campaign, str]:
    """The campaign in this folder, and how its policy is named to the hook. InputError where that would not run."""
    folders, arguments = home_meant(folders)
    campaign = _kept(folders, arguments, folder)
    policy = rendered(campaign)[1]
    if not policy.idle:
        raise InputError(f"`{policy.file}` is not what would be written now; run `interlock campaign init` again")
    return campaign, _value(policy)


def wrong_with(folders: Folders, campaign: Campaign) -> list[str]:
    """Why a run would not be held to the limits of the campaign; empty: it would."""
    settings, policy = rendered(campaign)
    wrong = [
        *_of_settings(settings),
        *_of_policy(policy),
        *_of_others(folders, campaign),
        *([] if os.path.lexists(folders.launcher) else [f"the launcher `{folders.launcher}` is gone"]),
    ]
    return wrong or _of_plan(folders, campaign, _value(policy))


def _value(policy: Rendered) -> str:
    return f"{digest_of_bytes(policy.then)}:{policy.file}"


def _of_settings(settings: Rendered) -> list[str]:
    if settings.now is None:
        return [f"`{settings.file}` is missing"]
    if settings.idle:
        return []
    try:
        found = json.loads(settings.now)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return [f"`{settings.file}` is not JSON"]
    return [f"`{settings.file}`: {reason}" for reason in weaker(json.loads(settings.then), found)]


def _of_policy(policy: Rendered) -> list[str]:
    if policy.now is None:
        return [f"`{policy.file}` is missing"]
    return [] if policy.idle else [f"`{policy.file}` is not what would be written now"]


def _of_others(folders: Folders, campaign: Campaign) -> list[str]:
    """What settings of the project, the person and the machine would do to our hooks."""
    part = part_of(CAMPAIGNS_OF, "settings")
    files = part.settings_files(campaign.root, folders.home, folders.moved)
    found: list[str] = part.unhooks({file: read_file(file, limit=MAX_WATCHED_BYTES) for file in files}, {})
    return found


def _of_plan(folders: Folders, campaign: Campaign, value: str) -> list[str]:
    if not campaign.plan:
        return []
    policy = load_policy(folders, campaign.root, campaign=value)
    planned = plan_in_force(policy, folders, campaign.root, looked_at(os.environ)).policy.planned
    if planned is None or planned.file != campaign.plan or planned.enforcement.name != "strict":
        return [f"another policy names another plan, so that `{campaign.plan}` would not be in force"]
    return [f"the plan cannot be used: {why}" for why in (planned.fault, planned.missing) if why]
