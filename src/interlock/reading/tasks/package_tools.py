"""`npx madge`: whether the project has the tool, or the newest one is fetched and run."""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap
from ..commands.names import NAMES
from ..paths import in_project
from .package_json import manifest_of, texts_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["TOOL_OF", "is_brought"]

# package -> the tool that it brings, where that has another name
TOOL_OF = {
    "playwright/test": "playwright", "typescript": "tsc", "vscode/vsce": "vsce", "netlify-cli": "netlify",
    "firebase-tools": "firebase", "eas-cli": "eas", "google/clasp": "clasp", "changesets/cli": "changeset",
}  # fmt: skip
_NOT_BROUGHT = frozenset(("--no", "--no-install", "--offline"))
_NAMED_IN = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def is_brought(switches: set[str], package: str, tool: str, shell: Shell) -> bool:
    """True if the disk says that the project has no such tool.

    A tool that the tables know is free where it is the project's: in a `node_modules/.bin` from this folder up to the
    project's, or named by a package.json on the way. Where neither can be looked at, it is taken to be that.
    """
    facts = shell.found.facts
    if NAMES.get(tool) != "node" or not _NOT_BROUGHT.isdisjoint(switches):
        return False
    folders = [at for folder in shell.folders or () for at in _up(folder, facts.root)]
    places = [f"{at}/node_modules/.bin/{tool}" for at in folders]
    there = [path for path in places if path not in facts.absent]
    for path in there:
        if facts.real.get(path) is None:
            shell.found.want(f"real:{path}")
    texts = [text for at in folders for text in texts_of(f"{at}/package.json", shell)]
    return not there and bool(texts) and not any(_names(text, package, tool) for text in texts)


def _up(folder: str, root: str) -> list[str]:
    """The folder, and those above it that are the project's."""
    found = []
    while in_project(root, folder):
        found.append(folder)
        folder = folder.rpartition("/")[0]
    return found


def _names(text: str, package: str, tool: str) -> bool:
    """Whether a manifest names the tool's package: also `@angular/cli`, which brings `ng`. One that is broken may."""
    found = manifest_of(text)
    if found is None:
        return True
    named = [name for key in _NAMED_IN if type(value := found[1].get(key)) is FrozenMap for name in value]
    own = str(found[1].get("name"))
    return any(one == package or tool in one or TOOL_OF.get(one.lstrip("@")) == tool for one in (own, *named))
