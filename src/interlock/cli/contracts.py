"""`interlock contracts`: check catalogues of tool contracts, and see which contracts are in force."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import click

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..contracts.check import broken_by
from ..contracts.model import BUILT_IN, Contract
from ..contracts.parse import contract_from
from ..contracts.sound import schema_troubles
from ..model.call import call_from
from ..model.errors import InputError, InterlockError, StoreError
from ..store.home.contracts import Catalogues, built_in_tools, is_role_os, read_catalogue
from ..store.home.folders import Folders
from ..store.outside.consult import opinion_of
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders, project_root
from .counted import counted
from .listed import Listed
from .show import harmless

if TYPE_CHECKING:
    from ..store.home.policies import load_policy
else:
    load_policy = lazy(globals(), "..store.home.policies", "load_policy")

__all__ = ["command"]

ROOT = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """What the arguments of tools must fulfil.

    A call that is proved to break a contract gets a note; nothing is blocked, unless a rule of yours
    names the contract. Catalogues: .interlock/contracts.json in the project, contracts.json beside your
    policy, and .claude/role-os/tool-contracts.json, which is read as it is.

    \b
    Examples:
      interlock contracts check
      interlock contracts show Edit
    """


@command.command()
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False))
@ROOT
@JSON
@pass_folders
def check(folders: Folders, files: tuple[str, ...], root: str | None, as_json: bool) -> int:
    """Check catalogues: their form, and that their examples keep or break what they say.

    Without FILES, the catalogues in force here. The exit code is 65 if something is wrong.

    \b
    Examples:
      interlock contracts check
      interlock contracts check .interlock/contracts.json
    """
    report = {}
    for file in files or Catalogues(folders, project_root(root)).files:
        if files or os.path.lexists(file):
            report[file] = _checked(file)
    wrong = sum(len(found["problems"]) for found in report.values())
    if as_json:
        click.echo(json.dumps({"files": report, "problems": wrong}, indent=2, ensure_ascii=False))
    else:
        for file, found in report.items():
            for problem in found["problems"]:
                click.echo(f"{file}: {problem}")
            if not found["problems"]:
                click.echo(f"{file}: {counted(found['tools'], 'tool')}, no problems")
        if not report:
            click.echo("there is no catalogue here; the built-in contracts are in force")
    return 65 if wrong else 0


def _checked(file: str) -> dict[str, Any]:
    try:
        entries = read_catalogue(file)
        if entries is None:
            raise InputError("the file is not there")
    except InterlockError as error:
        return {"tools": 0, "problems": [str(error)]}
    problems = []
    for tool, entry in entries.items():
        contract, wrong = contract_from(tool, entry, source=file, loose=is_role_os(file))
        if is_role_os(file):  # read as it is; what is wrong with it is told all the same
            strict = contract_from(tool, entry, source=file, loose=False)[1]
            wrong = [what for what in strict if "is not known" not in what]
        problems += [f"{ascii(tool)[1:-1]}: {what}" for what in wrong]
        if contract is not None:
            found = [*_unsound(contract, entry), *_wrong_examples(contract)]
            problems += [f"{ascii(tool)[1:-1]}: {what}" for what in found]
    return {"tools": len(entries), "problems": problems}


def _unsound(contract: Contract, entry: Any) -> list[str]:
    """What nothing can fulfil, words that no schema has, and patterns that are none."""
    found = [f"`{name}`: no call can fulfil it, so it proves nothing: {why}" for name, why in contract.void.items()]
    given = entry.get("inputSchema")
    found += schema_troubles(given if given is not None else contract.schema, "inputSchema" if given else "params")
    for constraint in contract.constraints:
        if constraint.get("kind") == "pattern" and type(constraint.get("matches")) is str:
            try:
                re.compile(str(constraint["matches"]))
            except (re.error, RecursionError, OverflowError) as error:
                found.append(f"`{constraint['id']}.matches` is no regular expression: {error}")
    return found


def _wrong_examples(contract: Contract) -> list[str]:
    found = []
    for at, example in enumerate(contract.examples):
        found += [
            f"`examples[{at}]` breaks {broken.contract}: {broken.text}" for broken in broken_by((contract,), example)
        ]
    for name, example in contract.breaks:
        if f"{contract.tool}.{name}" not in [broken.contract for broken in broken_by((contract,), example)]:
            found.append(f"`breaks.{name}` does not break {contract.tool}.{name}")
    return found


@command.command("list")
@ROOT
@JSON
@pass_folders
def list_(folders: Folders, root: str | None, as_json: bool) -> int:
    """List the tools that have a contract here, and where it comes from."""
    catalogues = Catalogues(folders, project_root(root))
    tools: dict[str, list[str]] = {tool: [BUILT_IN] for tool in built_in_tools()}
    for file, entries in catalogues.read_all():
        for tool in entries:
            tools.setdefault(tool, []).append(file)
    if as_json:
        click.echo(json.dumps(dict(sorted(tools.items())), indent=2, ensure_ascii=False))
    else:
        width = max(len(tool) for tool in tools)
        for tool, sources in sorted(tools.items()):
            click.echo(f"{ascii(tool)[1:-1]:{width}}  {', '.join(sources)}")
    for warning in catalogues.warnings:
        click.echo(f"interlock: {warning}", err=True)
    return 0


@command.command()
@click.argument("tool")
@ROOT
@JSON
@pass_folders
def show(folders: Folders, tool: str, root: str | None, as_json: bool) -> int:
    """Show the contracts of TOOL that are in force here.

    \b
    Examples:
      interlock contracts show Edit
      interlock contracts show mcp__github__create_issue --json
    """
    catalogues = Catalogues(folders, project_root(root))
    contracts = catalogues.of(tool)
    for warning in catalogues.warnings:
        click.echo(f"interlock: {warning}", err=True)
    if not contracts:
        raise InputError(f"no contract for `{tool}` is in force here; see: interlock contracts list")
    shown = [_plain(contract) for contract in contracts]
    if as_json:
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return 0
    for contract, plain in zip(contracts, shown, strict=True):
        click.echo(f"{contract.tool}  ({contract.source})")
        if contract.says:
            click.echo(f"  {ascii(contract.says)[1:-1]}")
        click.echo(f"  schema       {json.dumps(plain['schema'])}")
        for constraint in plain["constraints"]:
            click.echo(f"  constraint   {json.dumps(constraint)}")
    return 0


@command.command()
@click.argument("text", metavar="CALL")
@ROOT
@JSON
@pass_folders
def consult(folders: Folders, text: str, root: str | None, as_json: bool) -> int:
    """Ask the model that [consult] names what it thinks of CALL, a call as JSON.

    Whatever goes wrong on the way is an abstention for the agent, so a consult that never answers looks like one that
    has no doubts. This says which it is. Exit code 0 if it answered, 74 if it did not.

    \b
    Example:
      interlock contracts consult '{"tool": "deploy", "input": {"version": "latest"}}'
    """
    where = project_root(root)
    policy = load_policy(folders, where)
    if policy.consult is None:
        raise InputError("the policy has no [consult], so nobody is asked")
    call = call_from(parse_object(text.encode("utf-8", "surrogateescape")), cwd=os.getcwd())
    found = opinion_of(policy.consult, call, Catalogues(folders, where).for_call(call))
    if as_json:
        click.echo(json.dumps(found.as_dict()))
    elif found.trouble:
        click.echo(harmless(f"no answer from {policy.consult.endpoint}: {found.trouble}"))
    elif not found.asked:
        click.echo(harmless(f"not asked: `{call.tool}` has no contract in prose, or is not among `tools` of [consult]"))
    else:
        click.echo(harmless(f"doubts it: {found.doubt}") if found.doubt else "has no doubts")
    return StoreError.exit_code if found.trouble else 0


def _plain(contract: Contract) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(canonical(contract.as_dict() | {"breaks": dict(contract.breaks)}))
    return found
