"""`interlock policy`: check, show, profiles, digest, import, test."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from ..bytes.canon import digest_of_bytes
from ..limits import MAX_INPUT_BYTES, MAX_POLICY_BYTES
from ..model.call import Call
from ..model.errors import InputError, PolicyError, Problem, StoreError
from ..model.facts import Facts
from ..model.session import Session
from ..model.verdict import Verdict
from ..policy.compile import SourceFile
from ..policy.importers import FORMATS, import_policy
from ..policy.model import Policy
from ..policy.parse import parse_policy
from ..policy.schema import PROFILES
from ..policy.toml import policy_to_toml
from ..policy.wire import policy_to_wire
from ..store.clock import now
from ..store.home.files import read_file
from ..store.home.folders import Folders
from ..store.home.policies import compile_sources, default_file, is_trusted, load_policy, profile_files, source_files
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .commands import pass_folders, project_root
from .listed import Listed
from .policy_doubts import policy_doubts
from .show import harmless

if TYPE_CHECKING:
    from ..decide import decide
    from ..evals.lexical import read_lexically
else:
    decide = lazy(globals(), "..decide", "decide")
    read_lexically = lazy(globals(), "..evals.lexical", "read_lexically")

__all__ = ["command"]

_root = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
_file = click.option(
    "--policy",
    "policy_file",
    type=click.Path(dir_okay=False),
    help="Use this file in place of yours and the project's.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class _WithTest(Listed):
    """Brings `test` from its own file, and only when it is used: it loads what runs cases."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), "test"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "test":
            return super().get_command(ctx, cmd_name)
        from .policy_test import command as test

        return test


@click.group(cls=_WithTest)
def command() -> None:
    """Check, show, test and import policies."""


@command.command()
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False))
@_root
@_json
@pass_folders
def check(folders: Folders, files: tuple[str, ...], root: str | None, as_json: bool) -> int:
    """Check FILES, or without any the files in force here. Every problem is shown with its place.

    A file is checked over the built-in policy, with the examples of its rules. Names that nothing has (actions,
    fields, effects) are problems too. What may be meant and is worth a look (a rule that never matches or has no
    examples, a grant that has ended, a tool that is not known) is shown as a doubt. Exit code 65 where something
    is wrong; doubts alone leave it 0.
    """
    problems: list[Problem] = []
    doubts: list[Problem] = []
    checked: list[str] = []

    def look(found: tuple[SourceFile, ...]) -> None:
        seen = policy_doubts(found, folders)
        problems.extend(seen.mistakes)
        doubts.extend(seen.doubts)

    if files:
        base = ("default", default_file(), _read(default_file()))
        for file in files:
            checked.append(file)
            try:
                look((base, ("user", file, _read(file))))
            except PolicyError as error:
                problems += error.problems
    else:
        try:
            found = source_files(folders, project_root(root))
            checked = [file for _, file, _ in found]
            look(found)
        except PolicyError as error:
            problems += error.problems
    if as_json:
        listed = {"problems": problems, "doubts": doubts}
        told = {key: [problem.as_dict() for problem in found] for key, found in listed.items()}
        click.echo(json.dumps({"checked": checked, **told}))
        return 65 if problems else 0
    for doubt in doubts:
        click.echo(harmless(f"doubt: {doubt}"), err=True)
    if problems:
        raise PolicyError(problems)
    for file in checked:
        click.echo(f"{file}: ok")
    return 0


def _read(file: str) -> bytes:
    raw = read_file(file, limit=MAX_POLICY_BYTES)
    if raw is None:
        raise StoreError(f"`{file}` is not there")
    return raw


@command.command()
@_root
@_file
@click.option("--profile", type=click.Choice(PROFILES), help="Show what this profile makes of the built-in policy.")
@_json
@pass_folders
def show(folders: Folders, root: str | None, policy_file: str | None, profile: str | None, as_json: bool) -> None:
    """Show the policy in force, and which files made it."""
    if profile is not None:
        if policy_file is not None:
            raise InputError("--profile and --policy exclude each other")
        _show_profile(profile, as_json=as_json)
        return
    where = project_root(root)
    policy = load_policy(folders, where, policy_file)
    sources = [
        {
            "source": name,
            "file": file,
            "digest": digest_of_bytes(raw),
            "trusted": _trust(folders, name, file, raw),
            "profile": parse_policy(raw, name=name, file=file).profile,
        }
        for name, file, raw in source_files(folders, where, policy_file)
    ]
    if as_json:
        wire: dict[str, Any] = {"digest": policy.digest, "sources": sources, "notices": policy.notices}
        click.echo(json.dumps({**wire, "policy": policy_to_wire(policy)}, default=dict, indent=2))
        return
    click.echo(f"# policy in force, {policy.digest}")
    for source in sources:
        untrusted = "" if source["trusted"] else " (not trusted: it only tightens)"
        profile = f", with the profile `{source['profile']}`" if source["profile"] else ""
        click.echo(f"# {source['source']}: {source['file']}{profile}{untrusted}")
    for notice in policy.notices:
        click.echo(f"# note: {notice}")
    click.echo()
    click.echo(policy_to_toml(policy), nl=False)


def _show_profile(profile: str, *, as_json: bool) -> None:
    names_it = ("user", f"profile {profile}", f'version = 1\nprofile = "{profile}"\n'.encode())
    policy = compile_sources((("default", default_file(), _read(default_file())), names_it))
    if as_json:
        wire = {"digest": policy.digest, "profile": profile, "policy": policy_to_wire(policy)}
        click.echo(json.dumps(wire, default=dict, indent=2))
        return
    click.echo(f"# the built-in policy with the profile `{profile}`, {policy.digest}")
    click.echo()
    click.echo(policy_to_toml(policy), nl=False)


@command.command()
@_json
def profiles(as_json: bool) -> None:
    """List the profiles that come with Interlock; name one with `profile = "…"` in a policy file."""
    found = [("default", default_file(), _read(default_file())), *profile_files()]
    rows = [
        {"profile": name.removeprefix("profile:"), "file": file, "about": raw.decode().partition("\n")[0].lstrip("# ")}
        for name, file, raw in found
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    for row in rows:
        click.echo(f"{row['profile']:12} {row['about']}")


def _trust(folders: Folders, name: str, file: str, raw: bytes) -> bool:
    return name != "project" or is_trusted(folders, file, raw)


@command.command()
@_root
@_file
@pass_folders
def digest(folders: Folders, root: str | None, policy_file: str | None) -> None:
    """Print the digest of the policy in force, as it stands in every receipt."""
    policy: Policy = load_policy(folders, project_root(root), policy_file)
    click.echo(policy.digest)


@command.command("import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--format", "kind", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the policy here instead of to stdout.")
@click.option(
    "--root",
    type=click.Path(file_okay=False),
    help="The folder that the settings belong to. Default: that of the `.claude` in which FILE lies.",
)
@click.option("--force", is_flag=True, help="Overwrite the output file if it is there.")
@_json
@pass_folders
def import_(
    folders: Folders, file: str, kind: str, output: str | None, root: str | None, force: bool, as_json: bool
) -> int:
    """Turn another tool's FILE into a policy, and say what could not be carried over.

    \b
    manifest      JSON with `tools`: effects, permitted_postures, require_confirmation
    capabilities  JSON of granted actions: granted, scope, expires
    permissions   Claude Code's settings.json: permissions with allow, ask and deny

    Exit code 1 where something was left out, or asks that denied before; 0 where all of it is carried over.
    """
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1) if file == "-" else read_file(file, limit=MAX_INPUT_BYTES)
    if raw is None:
        raise InputError(f"`{file}` is not there")
    text, told = import_policy(
        raw,
        kind=kind,
        root=_settings_root(file) if root is None else os.path.abspath(root),
        home=folders.home,
        moment=now(),
        is_free=_freely,
    )
    if output is not None:
        if os.path.lexists(output) and not force:
            raise InputError(f"`{output}` is there already; use --force to overwrite it")
        with open(output, "w", encoding="utf-8") as handle:
            handle.write(text)
    if as_json:
        click.echo(
            json.dumps({"policy": text, "not_carried_over": told.lost, "wider": told.wider, "notes": told.notes})
        )
    elif output is None:
        click.echo(text, nl=False)
    for words, lines in (("not carried over", told.lost), ("wider", told.wider), ("note", told.notes)):
        for line in lines:
            click.echo(f"{words}: {harmless(line)}", err=True)
    return 1 if told.lost or told.wider else 0


def _settings_root(file: str) -> str:
    """The project of `project/.claude/settings.json`; empty where it is not plain."""
    folder = os.path.dirname(os.path.abspath(file))
    return os.path.dirname(folder) if file != "-" and os.path.basename(folder) == ".claude" else ""


def _freely(line: str) -> bool:
    """Whether the built-in policy allows such a command in a project."""
    call = Call(tool="Bash", input=FrozenMap({"command": line}), cwd="/project")
    policy = compile_sources((("default", default_file(), _read(default_file())),))
    reading, _ = read_lexically(call, Facts(root="/project", home="/home/user"))
    return decide(call, reading, policy, Session()).verdict is Verdict.ALLOW
