"""`interlock install --mcp` and `interlock uninstall --mcp`: the relay in front of the servers that clients name."""

from __future__ import annotations

import json
import shlex
import sys
from difflib import unified_diff
from typing import Any

import click

from ..follow.described import describing
from ..install.mcp_servers import Server
from ..model.errors import ApprovalError, InputError
from ..relay.names import server_name
from ..store.home.client_files import FILES
from ..store.home.folders import Folders
from ..store.home.mcp_configs import Config, configs_of, plan_relay, plan_without_relay, write_config
from ..store.home.policies import load_policy
from ..store.ledger.noted import changed_by_a_person
from .commands import with_home
from .person import refuse_an_agent, require_person, terminal, who
from .signing import signed_statement

__all__ = ["install_relay", "uninstall_relay"]

_WIDTH = 160
_FIRST_PORT = 8788  # as `interlock mcp serve` has it


def install_relay(
    folders: Folders, clients: tuple[str, ...], root: str, arguments: tuple[str, ...], **how: bool
) -> int:
    """`how`: yes, dry_run, as_json. `arguments` name the home folder where that was given."""

    def relay(name: str) -> tuple[str, ...]:
        own = (sys.executable, "-I", "-m", "interlock.cli", *arguments, "mcp", "run")
        return (*own, "--name", server_name(name) or "server")

    configs = [plan_relay(client, file, relay) for client, file in _files(folders, clients, root)]
    due = [config for config in configs if not config.idle]
    _show(configs, "its servers go through the relay already, or it names none", how["as_json"])
    if due and not how["dry_run"]:
        refuse_an_agent(folders)
        require_person(folders, "Write this?", yes=how["yes"], loosens=any(_has_relay(config) for config in due))
        for config in due:
            _write(folders, config, {"why": f"the servers of {config.file} go through the relay"}, installs=True)
    result = "would install" if how["dry_run"] else "installed"
    _told(configs, result, how["as_json"])
    if due and not how["dry_run"] and not how["as_json"]:
        click.echo(with_home("Sessions that start from now on go through it. To go back: interlock uninstall --mcp"))
    return 0


def uninstall_relay(folders: Folders, clients: tuple[str, ...], root: str, **how: bool) -> int:
    configs = [plan_without_relay(folders, client, file) for client, file in _files(folders, clients, root)]
    due = [config for config in configs if not config.idle]
    _show(configs, "none of its servers goes through the relay", how["as_json"])
    if due and not how["dry_run"]:
        policy = load_policy(folders, root)
        if not policy.allow_off:
            raise ApprovalError("the policy forbids it: [approvals] allow_off is false")
        require_person(folders, "Take the relay out? Calls of these servers are not checked then.", yes=how["yes"])
        for config in due:
            said = {"file": config.file, "host": config.client}
            signed = signed_statement(folders, policy, "uninstall", **said)
            why = f"the relay was taken out of {config.file}"
            _write(folders, config, {**said, "why": why, **signed}, installs=False)
    _told(configs, "would remove" if how["dry_run"] else "removed", how["as_json"])
    return 0


def _files(folders: Folders, clients: tuple[str, ...], root: str) -> list[tuple[str, str]]:
    unknown = [client for client in clients if client not in FILES]
    if unknown:
        raise InputError(
            f"where `{unknown[0][:40]}` names its MCP servers is not known; there are {', '.join(FILES)}. "
            "Put `interlock mcp run --name NAME --` in front of the server's command by hand"
        )
    found = configs_of(folders, root, clients)
    if not found:
        raise InputError("no file was found in which a client names MCP servers")
    return found


def _has_relay(config: Config) -> bool:
    return any(server.relayed for server in config.servers)


def _write(folders: Folders, config: Config, said: dict[str, Any], *, installs: bool) -> None:
    trouble = changed_by_a_person(
        folders,
        "override",
        "install" if installs else "uninstall",
        {"by": who(), "file": config.file, "host": config.client, "terminal": terminal(), **said},
        lambda: write_config(folders, config, installs=installs),
        loosens=not installs or _has_relay(config),
        files=(config.file,),
        describe=describing(folders),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)


def _show(configs: list[Config], idle: str, as_json: bool) -> None:
    if as_json:
        return
    for config in configs:
        click.echo(f"{config.client}: {config.file}")
        if config.idle:
            click.echo(f"  nothing to do: {idle}")
        now, then = (raw.decode("utf-8", "replace").splitlines() for raw in (config.now, config.then))
        for line in list(unified_diff(now, then, lineterm="", n=2))[2:]:
            click.echo("  " + (line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"))
    for line in _told_of_addresses(configs):
        click.echo(line)


def _told_of_addresses(configs: list[Config]) -> list[str]:
    """What to do for servers that are not programs: a relay of theirs has to run before their client starts."""
    lines = []
    for config, server, command, address in _by_address(configs):
        lines += [f"`{server.name[:60]}` in {config.file} is reached by an address, and goes past the relay."]
        if server.url:
            lines += [f"  Keep this running: {with_home(command)}", f"  and name {address} there in place of its own"]
    return lines


def _by_address(configs: list[Config]) -> list[tuple[Config, Server, str, str]]:
    """Servers that are reached by an address, with the relay for each, and where that listens."""
    far = [(config, server) for config in configs for server in config.servers if not server.command]
    far = [(config, server) for config, server in far if not _is_ours(server.url)]
    found = []
    for port, (config, server) in enumerate(far, start=_FIRST_PORT):
        name, url = server_name(server.name) or "server", shlex.quote(server.url)
        command = f"interlock mcp serve --name {name} --url {url} --port {port}"
        found.append((config, server, command, f"http://127.0.0.1:{port}/mcp"))
    return found


def _is_ours(url: str) -> bool:
    return url.startswith("http://127.0.0.1:") and url.endswith("/mcp")


def _told(configs: list[Config], result: str, as_json: bool) -> None:
    if as_json:
        addresses = _by_address(configs)
        rows = [
            {
                "client": config.client,
                "file": config.file,
                "result": "unchanged" if config.idle else result,
                "exact": None if config.idle else config.exact,
                "servers": [server.name for server in config.servers if server.command],
                "past_the_relay": [server.name for server in config.servers if not server.command],
                "by_address": [
                    {"name": server.name, "run": with_home(command), "address": address}
                    for at, server, command, address in addresses
                    if at.file == config.file
                ],
            }
            for config in configs
        ]
        click.echo(json.dumps({"files": rows}, indent=2))
        return
    for config in configs:
        if not config.idle:
            how = "" if config.exact else " (it has changed since; only the relay was taken out)"
            click.echo(f"{config.client}: {result} in {config.file}{how}")
