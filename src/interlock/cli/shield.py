"""The shield for `install`, `uninstall` and `doctor`: is there a client for it, and does that client load it?"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any

import click

from ..install.seat import MANAGED, MANAGED_ENTRY, MANAGED_NAME, PLAIN, managed_files, managed_fragment
from ..store.home.folders import Folders
from ..store.home.installed import Change, plan_file
from ..store.home.seating import Seating, plan_seat, remove_seat, write_seat
from ..store.home.shield import Shield, kept_shield, seat_text, shield_state
from ..store.ledger.noted import changed_by_a_person
from ..value import TYPE_CHECKING, lazy
from .person import terminal, who

if TYPE_CHECKING:
    from .shield_tried import try_shield
else:
    try_shield = lazy(globals(), ".shield_tried", "try_shield")

__all__ = [
    "checked_by_client",
    "due_seat",
    "events_of",
    "managed_seat",
    "put_seat",
    "say_seat",
    "take_seat",
    "told_of_seat",
    "told_of_shield",
]

HOST = "claude-code"
SINCE = (2, 1, 325)  # the first version with which it was seen that the seat holds
EVENTS = ("plugin.register", "classic.*", "classic.PreToolUse", "settings.read", "tool.check")
CALLS = ("session.id", "ui.ask")  # `session.id`: an answer that is not the client's own fits no proof of the hook
_USES = {PLAIN: (EVENTS[:1], ())}  # of a variant that uses less
_SECONDS = 30
_OPEN = "plug-ins with code can take the hooks out of the way"
_OLD = "version {} of the client is older than {}: the shield is not seated, and " + _OPEN
_BENEATH = (
    "managed settings are there, under which the client lets no plug-in of a user stand in front of others; "
    "an administrator can seat the shield"
)
_NONE = "no `claude` was found on the search path, so the shield is not seated"


def client() -> tuple[str, tuple[int, ...]] | None:
    """The client on the search path, and its version; empty where it does not say."""
    program = shutil.which("claude")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        numbers = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    except (OSError, subprocess.SubprocessError):
        numbers = None
    return program, tuple(map(int, numbers.groups())) if numbers else ()


def checked_by_client(program: str, folder: str, variant: str) -> str:
    """What is wrong with the files, as the client reads them; empty: it loads them, with exactly our events."""
    try:
        done = subprocess.run(  # noqa: S603
            [program, "plugin", "validate", "--json", folder],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            cwd="/",
        )
        told = json.loads(done.stdout)
        modules = [module for content in told["contents"] for module in content["modules"]]
        uses = [(tuple(module["uses"]["events"]), tuple(module["uses"]["calls"])) for module in modules]
        uncaught = [hook for module in modules for hook in module["hooks"] if not hook["hasCatch"]]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        return f"`claude plugin validate` gave no answer that can be read ({type(error).__name__})"
    if not told.get("success") or uses != [_USES.get(variant, (EVENTS, CALLS))] or uncaught:
        return f"`claude plugin validate` reads another module than ours in {folder}"
    return ""


def events_of(folder: str) -> str:
    """What a plug-in's module hooks, as the client reads it; empty where that is not known."""
    program = shutil.which("claude")
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603
            [program, "plugin", "validate", "--json", folder],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            cwd="/",
        )
        modules = [module for content in json.loads(done.stdout)["contents"] for module in content["modules"]]
        return ", ".join([str(event) for module in modules for event in module["uses"]["events"]])[:200]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return ""


def due_seat(folders: Folders, host: str, scope: str, home: str) -> Seating | None:
    """The shield to seat with these settings; None where none can be, which is said on stderr."""
    if host != HOST or scope != "user":
        return None
    if kept_shield(folders) and shutil.which("claude") is None:
        return plan_seat(folders, home)
    found = client()
    if found is None:
        return None  # nothing is known of the client; doctor tells
    program, version = found
    if version < SINCE:
        shown, since = (".".join(map(str, one)) or "?" for one in (version, SINCE))
        click.echo(f"interlock: {_OLD.format(shown, since)}", err=True)
        return None
    seating = plan_seat(folders, home)
    if not seating.idle:
        wrong = _tried(program, seating)
        if wrong:
            click.echo(f"interlock: {wrong}: the shield is not seated", err=True)
            return None
    return seating


def managed_seat(host: str, scope: str, at: str) -> tuple[list[Change], dict[str, Any], str]:
    """The shield beside the managed settings, in a folder of the administrator: its files, and what settings say."""
    found = client()
    if found is None or found[1] < SINCE:
        return [], {}, ""
    folder = f"{at}/{MANAGED_NAME}"
    files = managed_files(seat_text())
    return (
        [plan_file(host, scope, f"{folder}/{path}", text) for path, text in files.items()],
        managed_fragment(folder),
        MANAGED_ENTRY,
    )


def _tried(program: str, seating: Seating) -> str:
    with tempfile.TemporaryDirectory(prefix="interlock-shield-") as folder:
        for path, text in seating.files.items():
            os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
            with open(f"{folder}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        return checked_by_client(program, folder, seating.variant)


def say_seat(seating: Seating | None) -> None:
    if seating is not None and not seating.idle:
        click.echo(f"Shield: {seating.folder}")
        click.echo("  it keeps plug-ins that carry code from taking Interlock's hooks out of the way")


def put_seat(folders: Folders, seating: Seating) -> None:
    files = tuple([f"{seating.folder}/{path}" for path in seating.files])
    said = {"by": who(), "file": seating.folder, "terminal": terminal()}
    trouble = changed_by_a_person(
        folders,
        "override",
        "install",
        {**said, "why": f"the shield was put into {seating.folder}"},
        lambda: write_seat(folders, seating),
        loosens=False,
        files=files,
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)


def take_seat(folders: Folders, settings: str) -> None:
    """With the hooks of the settings file in the folder that the shield is in."""
    kept = kept_shield(folders)
    if kept and os.path.dirname(settings) == os.path.dirname(os.path.dirname(str(kept.get("folder")))):
        remove_seat(folders)


def _plugin(state: Shield) -> str:
    return f"{state.folder}/{MANAGED_NAME}" if state.variant == MANAGED else state.folder


def told_of_seat(folders: Folders, root: str) -> tuple[str, str, str] | None:
    """What is wrong with the shield as the files tell: `warn` or `bad`, a sentence, and the words of a command."""
    state = shield_state(folders, folders.moved, root)
    if state is None:
        return None
    if state.problem:
        return "bad", state.problem, f"install {HOST}{' --managed' * (state.variant == MANAGED)}"
    return None if state.seated else ("warn", _BENEATH, f"install {HOST} --managed")


def told_of_shield(folders: Folders, root: str) -> tuple[str, str]:
    """`ok`, `warn` or `bad`, and what there is to say of the shield beyond that."""
    state = shield_state(folders, folders.moved, root)
    found = client()
    if state is None:
        if found is None:
            return "warn", _NONE
        if found[1] < SINCE:
            return "warn", _OLD.format(*(".".join(map(str, one)) or "?" for one in (found[1], SINCE)))
        return "warn", f"no shield is seated: {_OPEN}"
    if found is not None and (wrong := checked_by_client(found[0], _plugin(state), state.variant)):
        return "bad", wrong
    if found is not None:
        how, seen = try_shield(folders, found[0])
        if how != "ok":
            return how, seen
        return how, f"it is in front of every other plug-in ({state.folder}): {seen}"
    return "ok", f"it is in front of every other plug-in ({state.folder}); no `claude` is on the search path to try it"
