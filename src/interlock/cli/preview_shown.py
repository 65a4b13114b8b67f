"""A preview for a person at a terminal: what changed, what the command said, and what it tried in vain.

All text from outside is made harmless first: file names, output and contents are the command's words.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ..preview.changes import Change, text_difference
from ..preview.kept import Preview
from .show import harmless

__all__ = ["preview_lines", "show_preview"]

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow"), "mode": ("m", "yellow")}
_LINE_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MOST_PATHS = 200
_MOST_LINES = 60


def show_preview(preview: Preview, out: Console) -> None:
    for line in preview_lines(preview):
        out.print(line)


def preview_lines(preview: Preview) -> Iterator[Text]:
    told = preview.told
    yield Text.assemble(("preview ", "bold"), preview.id, f"  {harmless(preview.order.command)}")
    ended = f"stopped: its limit of {told['stopped']}" if told["stopped"] else f"exit code {told['exit']}"
    yield Text(f"{ended}, after {told['seconds']} s")
    output = str(told["output"]).splitlines()
    if output:
        yield Text("")
        yield Text("it printed:", style="bold")
        for line in output[:_MOST_LINES]:
            yield Text(f"  {harmless(line)}")
        if len(output) > _MOST_LINES:
            yield Text(f"  … {len(output) - _MOST_LINES} more lines", style="dim")
    yield from _tried(preview)
    yield Text("")
    yield from _changed(preview)


def _tried(preview: Preview) -> Iterator[Text]:
    told = preview.told
    rows = (
        ("it tried to reach, and could not", told.get("reached")),
        ("it tried to run, and could not", told.get("not_run")),
        ("it tried what is not allowed in there", told.get("refused")),
        ("it left outside the project, which is not applied", told.get("outside")),
        ("hidden from it", [path.removeprefix(preview.order.root + "/") for path in _own_masks(preview)]),
    )
    for title, found in rows:
        if found:
            shown = ", ".join(harmless(name) for name in found[:20])
            more = f" and {len(found) - 20} more" if len(found) > 20 else ""
            yield Text.assemble((f"{title}: ", "bold"), f"{shown}{more}")
    if told.get("left_running"):
        yield Text(f"{told['left_running']} processes were still running when it ended, and were stopped")


def _own_masks(preview: Preview) -> list[str]:
    return [path for path in preview.masks if path.startswith(preview.order.root + "/")]


def _changed(preview: Preview) -> Iterator[Text]:
    changes = preview.found.changes
    if not changes:
        yield Text("it changed nothing in the project", style="bold")
        return
    yield Text(
        f"it changed {len(changes)} path{'s' if len(changes) > 1 else ''} in {preview.order.root}:", style="bold"
    )
    for change in changes[:_MOST_PATHS]:
        sign, colour = _SIGNS[change.kind]
        yield Text(f"  {sign} {harmless(change.path)}{_beside(change)}", style=colour)
    if len(changes) > _MOST_PATHS:
        yield Text(f"  … {len(changes) - _MOST_PATHS} more paths", style="dim")
    for change in changes[:_MOST_PATHS]:
        lines = text_difference(change, preview.order.root, preview.stage)
        if lines:
            yield Text("")
        for line in lines or ():
            yield Text(f"  {harmless(line)}", style=_LINE_COLOURS.get(line[:1], ""))
    for why in preview.found.hindrances:
        yield Text(f"cannot be applied: {harmless(why)}", style="bold red")


def _beside(change: Change) -> str:
    before, after = change.before, change.after
    if before is not None and after is not None and before.kind != after.kind:
        return f"  {before.kind} → {after.kind}"
    if before is not None and after is not None and before.mode != after.mode:
        return f"  mode {before.mode:04o} → {after.mode:04o}"
    side = after or before
    if side is not None and side.kind == "link":
        return f" → {harmless(side.target)}"
    return "/" if side is not None and side.kind == "folder" else ""
