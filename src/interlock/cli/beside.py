"""What `interlock doctor` and `interlock status` look at beside the settings of hosts: plug-in folders that `interlock
install --plugin` made, and campaigns.

A session is held by neither unless it is started with it, so they are known by what was written down when they were
made: the record of what is installed, and the ledger.
"""

from __future__ import annotations

import os
import sys
from shlex import join
from typing import Any, NamedTuple

from ..bytes.canon import digest_of_bytes
from ..hosts import host_named
from ..install.fragment import ours_in
from ..model.errors import InterlockError, StoreError
from ..store.home.campaigns import kept_inputs
from ..store.home.folders import Folders
from ..store.home.installed import installed_files
from ..store.ledger.audit import entry, open_for_reading, select
from .campaign import campaign_of, wrong_with
from .checkup import BAD, OK, WARN, Found, file_bytes, settings_in, tried
from .waits import waiting_arguments

__all__ = ["Plugin", "campaigns_in", "of_campaigns", "of_plugins", "plugins_in", "state_of_campaign", "state_of_plugin"]

_PLUGIN, _CAMPAIGN = "plug-in", "campaign"


class Plugin(NamedTuple):
    """A plug-in folder that `interlock install --plugin` made, and what is kept of its files: path -> record."""

    host: str
    folder: str
    files: dict[str, dict[str, Any]]


# --- plug-ins ---------------------------------------------------------------------------------------


def plugins_in(folders: Folders, parts: dict[str, Any]) -> list[Plugin]:
    """`parts`: host -> the file that says where its settings are."""
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for path, record in installed_files(folders).items():
        host = str(record.get("host"))
        names = getattr(parts.get(host), "PLUGIN", ()) if record.get("scope") == "plugin" else ()
        for name in names:
            if path.endswith(f"/{name}"):
                found.setdefault((host, path[: -len(name) - 1]), {})[path] = record
    return [Plugin(host, folder, files) for (host, folder), files in found.items()]


def state_of_plugin(plugin: Plugin) -> str:
    return "changed" if _wrong_with_files(plugin) else "intact"


def _wrong_with_files(plugin: Plugin) -> list[str]:
    wrong = []
    for path, record in plugin.files.items():
        raw = file_bytes(path)
        if raw is None:
            wrong.append(f"`{path}` is gone")
        elif digest_of_bytes(raw) != record.get("after"):
            wrong.append(f"`{path}` was changed since `interlock install` wrote it")
    return wrong


def of_plugins(folders: Folders, root: str, parts: dict[str, Any], arguments: tuple[str, ...]) -> list[Found]:
    found = []
    for plugin in plugins_in(folders, parts):
        part = parts[plugin.host]
        cure = join(["interlock", "install", plugin.host, "--plugin", plugin.folder])
        wrong = _wrong_with_files(plugin)
        if wrong:
            found += [
                Found(_PLUGIN, BAD, f"{why}: sessions that are started with it may be unguarded", cure) for why in wrong
            ]
            continue
        hooks = f"{plugin.folder}/{part.PLUGIN[-1]}"
        waits = waiting_arguments(folders, None, plugin.host)
        wanted = host_named(plugin.host).settings(sys.executable, folders.launcher, (*arguments, *waits))
        have = ours_in(settings_in(plugin.host, file_bytes(hooks)))
        if have != ours_in(wanted):
            text = f"{plugin.folder} is as it was written, but `interlock install` would write other hooks now"
            found.append(Found(_PLUGIN, WARN, text, cure))
        else:
            started = join([part.PROGRAM, "--plugin-dir", plugin.folder])
            found.append(Found(_PLUGIN, OK, f"it is as it was written; sessions of `{started}` have it"))
        # INVARIANT: what is started here are the bytes that were recorded when a person had them written.
        handlers = [handler for _, handler in have.get(part.BEFORE_CALLS, ())]
        found.append(tried(folders, root, plugin.host, part, handlers, check=_PLUGIN, cure=cure, through="the plug-in"))
    return found


# --- campaigns --------------------------------------------------------------------------------------


def campaigns_in(folders: Folders) -> list[str]:
    """The folders of campaigns that were made on this machine and are still there, the oldest first."""
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        return []
    try:
        rows = [entry(row) for row in select(database, kind="override") if row.key == _CAMPAIGN]
    except StoreError:
        return []  # a ledger that cannot be read is a finding of its own
    finally:
        database.close()
    made = dict.fromkeys([str(row["body"].get("file")) for row in rows])
    return [folder for folder in made if os.path.isdir(folder)]


def _wrong_with_campaign(folders: Folders, folder: str, arguments: tuple[str, ...]) -> tuple[list[str], str]:
    """Why a run in this folder would not be started, and what repairs it."""
    again = join(["interlock", "campaign", "init", folder, "--repo", "REPO", "--plan", "PLAN"])
    try:
        repo, plan, allow = kept_inputs(folder)
        bins = [word for name in allow for word in ("--allow-bin", name)]
        again = join(["interlock", "campaign", "init", folder, "--repo", repo, "--plan", plan, *bins])
        return wrong_with(folders, campaign_of(folders, arguments, folder, repo, plan, allow)), again
    except InterlockError as error:
        return [error.for_people()], again


def state_of_campaign(folders: Folders, folder: str, arguments: tuple[str, ...]) -> str:
    return "would not start" if _wrong_with_campaign(folders, folder, arguments)[0] else "intact"


def of_campaigns(folders: Folders, arguments: tuple[str, ...]) -> list[Found]:
    found = []
    for folder in campaigns_in(folders):
        wrong, cure = _wrong_with_campaign(folders, folder, arguments)
        found += [Found(_CAMPAIGN, WARN, f"{folder} would not be started: {why}", cure) for why in wrong]
        if not wrong:
            found.append(Found(_CAMPAIGN, OK, f"{folder} is as it was written, and holds a run to its limits"))
    return found
