"""`interlock revoke`: take a grant back."""

from __future__ import annotations

import click

from ..errors import InputError
from ..limits import MAX_POLICY_BYTES
from ..policy.amend import without_grant
from ..store.files import read_file, write_file
from ..store.folders import Folders
from .commands import pass_folders

__all__ = ["command"]


@click.command("revoke")
@click.argument("name", metavar="ID")
@pass_folders
def command(folders: Folders, name: str) -> int:
    """Take back the grant ID of your own policy file. From the next call on, it covers nothing.

    \b
    Example:
      interlock revoke git-push
    """
    file = folders.user_policy
    raw = read_file(file, limit=MAX_POLICY_BYTES)
    if raw is None:
        raise InputError(f"there is no {file}, so it grants nothing")
    write_file(file, without_grant(raw.decode("utf-8", "strict"), name).encode())
    click.echo(f"{name} is revoked")
    return 0
