"""`interlock trust`: let a project's policy loosen, as it is now."""

from __future__ import annotations

import json
import os

import click

from ..bytes.canon import digest_of_bytes
from ..limits import MAX_POLICY_BYTES
from ..model.errors import InputError
from ..store.home.files import read_file
from ..store.home.folders import PROJECT_POLICY, Folders
from ..store.home.policies import compile_sources, load_policy, read_trust, source_files, write_trust
from ..store.ledger.noted import changed_by_a_person
from .commands import pass_folders, project_root, with_home
from .person import require_person, terminal, who
from .signing import Signed, signed_statement

__all__ = ["command"]


@click.command()
@click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
@click.option("--revoke", is_flag=True, help="Take the trust back.")
@click.option("--list", "listing", is_flag=True, help="List what is trusted.")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, root: str | None, revoke: bool, listing: bool, yes: bool, as_json: bool) -> int:
    """Trust the project's .interlock/policy.toml as it is now.

    An untrusted project file can only tighten. Trust is for one exact content: when the file
    changes, it falls back to tightening, and Interlock says so, until it is trusted again.
    """
    trust = read_trust(folders)
    if listing:
        lines = [f"{digest}  {file}" for file, digest in trust.items()]
        click.echo(json.dumps(trust, indent=2) if as_json else "\n".join(lines) or "nothing is trusted")
        return 0
    where = project_root(root)
    file = os.path.realpath(os.path.join(where, PROJECT_POLICY))
    if revoke:
        known = trust.pop(file, None)
        if known is not None:
            _keep(folders, trust, file, known, None)
        return _done(as_json, file, known, "was not trusted" if known is None else "is no longer trusted")
    raw = read_file(file, limit=MAX_POLICY_BYTES)
    if raw is None:
        raise InputError(f"there is no {PROJECT_POLICY} in {where}")
    digest = digest_of_bytes(raw)
    if trust.get(file) == digest:
        return _done(as_json, file, digest, "is trusted already")
    files = source_files(folders, where)
    held_back = compile_sources(files).notices
    if not as_json:
        click.echo(raw.decode("utf-8", "replace"))
        click.echo("\n".join(held_back) if held_back else "It loosens nothing; trusting it changes nothing today.")
    require_person(folders, f"Trust {file} as it is now?", yes=yes)
    signed = signed_statement(folders, load_policy(folders, where), "trust", digest=digest, file=file)
    trust[file] = digest
    _keep(folders, trust, file, digest, signed)
    return _done(as_json, file, digest, "is trusted as it is now; undo with: interlock trust --revoke")


def _keep(folders: Folders, trust: dict[str, str], file: str, digest: str, signed: Signed | None) -> None:
    loosens = signed is not None
    what = "may loosen from now on, as it is" if loosens else "may only tighten again"
    said = {
        "by": who(),
        "digest": digest,
        "file": file,
        "terminal": terminal(),
        "why": f"{file} {what}",
        **(signed or {}),
    }
    trouble = changed_by_a_person(
        folders,
        "override",
        "trust",
        said,
        lambda: write_trust(folders, trust),
        loosens=loosens,
        files=(folders.trust,),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)


def _done(as_json: bool, file: str, digest: str | None, what: str) -> int:
    told = {"file": file, "digest": digest, "result": with_home(what)}
    click.echo(json.dumps(told) if as_json else f"{file} {told['result']}")
    return 0
