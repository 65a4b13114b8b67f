"""`interlock mcp pins`: what MCP servers said of their tools, what they say now, and a person's yes to a change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ..model.errors import InputError
from ..relay.definitions import Tool, change_between, pinned_tool, pointed_out
from ..relay.messages import plain
from ..store.home.folders import Folders, find_root
from ..store.home.pins import Pin, change_pins, file_of, pinned_servers, read_pins
from ..store.home.policies import load_policy
from ..store.ledger.noted import changed_by_a_person
from ..words.visible import visible
from .commands import pass_folders, with_home
from .listed import Listed
from .person import require_person, terminal, who
from .signing import signed_statement

__all__ = ["pins"]


@click.group(cls=Listed)
def pins() -> None:
    """What servers said of their tools when you first used them, and what has changed since."""


def _complete_server(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    folders = ctx.find_object(Folders)
    return [] if folders is None else [name for name in pinned_servers(folders) if name.startswith(incomplete)]


_SERVER = click.argument("server", shell_complete=_complete_server)
_TOOLS = click.argument("tool", nargs=-1)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@pins.command("list")
@_JSON
@pass_folders
def list_pins(folders: Folders, as_json: bool) -> None:
    """List the servers, how many of their tools are pinned, and how many have changed."""
    rows = []
    for server in pinned_servers(folders):
        kept = read_pins(folders, server)
        changed = [name for name, pin in kept.items() if pin.changed is not None]
        pointed = [name for name, pin in kept.items() if _pointed(name, pin)]
        rows.append({"server": server, "tools": len(kept), "changed": changed, "pointed_out": pointed})
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        more = [f"{len(row[key])} {words}" for key, words in _TOLD.items() if row[key]]  # type: ignore[arg-type]
        click.echo(f"{row['server']:<24} {row['tools']:>4} tool{'s' * (row['tools'] != 1)}  {', '.join(more)}".rstrip())
    if not rows:
        click.echo("nothing is pinned yet: a server's tools are when a client first lists them through the relay")


_TOLD = {"changed": "changed", "pointed_out": "with something to look at"}


@pins.command("show")
@_SERVER
@_TOOLS
@_JSON
@pass_folders
def show(folders: Folders, server: str, tool: tuple[str, ...], as_json: bool) -> None:
    """Show what is pinned of a server's tools, what has changed, and what is hidden in it."""
    kept = _chosen(folders, server, tool)
    if as_json:
        click.echo(json.dumps({name: _told(name, pin) for name, pin in kept.items()}, indent=2, ensure_ascii=False))
        return
    for name, pin in kept.items():
        _show(name, pin)


@pins.command("accept")
@_SERVER
@_TOOLS
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@_JSON
@pass_folders
def accept(folders: Folders, server: str, tool: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Accept what a server says of its tools now: of all that have changed, or of TOOL."""
    kept = _chosen(folders, server, tool)
    news = {name: pin for name, pin in kept.items() if pin.changed is not None or _pointed(name, pin)}
    if not news:
        click.echo(json.dumps([]) if as_json else f"nothing of `{server}` has changed")
        return 0
    if not as_json:
        for name, pin in news.items():
            _show(name, pin)
    require_person(folders, f"Accept {_many(news)} of `{server}` as the server describes them now?", yes=yes)
    digests = {name: _now(name, pin).digest for name, pin in news.items()}
    policy = load_policy(folders, find_root("."))
    signed = signed_statement(folders, policy, "pins", server=server, tools=digests)

    def taken(pins: dict[str, Pin]) -> dict[str, Pin]:
        for name, shown in news.items():
            if pins.get(name) != shown:  # what was shown is what is accepted
                raise InputError(f"what `{server}` says of `{name[:60]}` has changed since it was shown; look again")
            parts = shown.parts if shown.changed is None else shown.changed
            pins[name] = shown.replace(parts=parts, changed=None, accepted=True)
        return pins

    said = {"by": who(), "server": server, "terminal": terminal(), "tools": digests, "why": "accepted", **signed}
    _kept(folders, said, lambda: change_pins(folders, server, taken), loosens=True)
    click.echo(json.dumps(sorted(news)) if as_json else f"accepted {_many(news)} of `{server}`")
    return 0


@pins.command("forget")
@_SERVER
@_TOOLS
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@pass_folders
def forget(folders: Folders, server: str, tool: tuple[str, ...], yes: bool) -> int:
    """Forget what is pinned of a server, or of TOOL: what it says next is pinned as if it were new."""
    kept = _chosen(folders, server, tool)
    require_person(folders, f"Forget {_many(kept)} of `{server}`?", yes=yes)
    policy = load_policy(folders, find_root("."))
    signed = signed_statement(folders, policy, "pins", server=server, tools=sorted(kept))

    def gone(pins: dict[str, Pin]) -> dict[str, Pin]:
        return {name: pin for name, pin in pins.items() if name not in kept}

    said = {"by": who(), "server": server, "terminal": terminal(), "tools": sorted(kept), "why": "forgotten", **signed}
    _kept(folders, said, lambda: change_pins(folders, server, gone), loosens=True)
    click.echo(f"forgot {_many(kept)} of `{server}`")
    return 0


def _kept(folders: Folders, said: Mapping[str, Any], change: Any, *, loosens: bool) -> None:
    file = file_of(folders, str(said["server"]))
    changed_by_a_person(folders, "override", "mcp-pins", said, change, loosens=loosens, files=(file,))


def _chosen(folders: Folders, server: str, tools: tuple[str, ...]) -> Mapping[str, Pin]:
    kept = read_pins(folders, server)
    if not kept:
        known = ", ".join(pinned_servers(folders)) or "none"
        raise InputError(with_home(f"nothing is pinned of `{server[:60]}`; there are: {known}"))
    unknown = [name for name in tools if name not in kept]
    if unknown:
        raise InputError(f"`{server}` has no pinned tool `{unknown[0][:60]}`; see: interlock mcp pins show {server}")
    return {name: pin for name, pin in sorted(kept.items()) if not tools or name in tools}


def _now(name: str, pin: Pin) -> Tool:
    return pinned_tool(name, pin.parts if pin.changed is None else pin.changed)


def _pointed(name: str, pin: Pin) -> tuple[str, ...]:
    return () if pin.accepted and pin.changed is None else pointed_out(_now(name, pin))


def _told(name: str, pin: Pin) -> dict[str, Any]:
    change = None if pin.changed is None else change_between(pinned_tool(name, pin.parts), _now(name, pin))
    return {
        "pinned": plain(pin.parts),
        "since": pin.seen,
        "accepted": pin.accepted,
        "changed": None if change is None else {"grade": change.grade, "lines": list(change.lines)},
        "now": None if pin.changed is None else plain(pin.changed),
        "pointed_out": list(pointed_out(_now(name, pin))),
    }


def _show(name: str, pin: Pin) -> None:
    told = _told(name, pin)
    state = "changed" if pin.changed is not None else "accepted" if pin.accepted else "as first seen"
    click.echo(f"{visible(name)}  ({state}, pinned {pin.seen})")
    description = str(told["pinned"].get("description", ""))
    if description:
        click.echo(f"  {visible(description)[:400]}")
    for key, value in told["pinned"].get("annotations", {}).items():
        click.echo(f"  {visible(str(key))}: {visible(str(value))}")
    if told["changed"] is not None:
        click.echo(f"  the {told['changed']['grade']} changed:")
        for line in told["changed"]["lines"]:
            click.echo(f"    {line}")
    for said in told["pointed_out"]:
        click.echo(f"  look: {said}")


def _many(kept: Mapping[str, Pin]) -> str:
    return f"`{next(iter(kept))[:60]}`" if len(kept) == 1 else f"{len(kept)} tools"
