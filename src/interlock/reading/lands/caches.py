"""Folders that a tool is told to keep its cache in. What it cleans later is all that is there.

`uv cache clean --cache-dir ~/Documents` removes the folder, and so does `go clean -modcache` where a variable says so.
A folder by whose name or place one can see that it is a cache is ordinary; any other is asked about.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..places.paths import Unsettled, settle, within

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["on_cache"]

_USUAL = ("go/pkg", "/.npm", "/.yarn", "/.pnpm-store", "/.venv", "/.tox", "/.nox", "/build/", "/target/", "/out/")


def on_cache(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """The role `cache`, and variables of that kind."""
    facts = shell.found.facts
    for folder in shell.folders or ("/",):
        try:
            path = settle(arg.text, cwd=folder, home=facts.home)
        except Unsettled:
            path = NUL
        usual = "cache" in path.lower() or any(part in f"{path}/" for part in _USUAL)
        if arg.text not in ("", "off", "/dev/null") and (
            arg.unknown or ".." in arg.text or not (usual or within(facts.temp, path))
        ):
            shell.unclear(f"`{arg.text[:60]}` is made a cache, which is emptied".replace(NUL, "…"), span)
            return
