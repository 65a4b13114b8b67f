"""A folder or an archive that is installed as a tool of the person's: it counts by the name that its manifest gives it.

`pipx install --force ./x` takes the place of the tool that is called as the manifest of `x` says, and that may be
Interlock. What the project's own manifest says is read; one that this session wrote is asked about.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import distribution, emit
from ..machine.places import has_written, where
from ..machine.sources import leads_out
from ..places.own_places import PACKAGES

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["install_place"]

_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
_ARCHIVES = (".whl", ".tar.gz", ".zip", ".tar.bz2")
_REPLACES = (Effect.EXECUTE, Effect.WRITE)


def install_place(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A place whose code is installed, and so run; where it becomes a tool, it may take the place of another."""
    shell.found.follow.run_place(arg, shell, span)
    words = shell.found.commands[-1][0] if shell.found.commands else ()
    if arg.unknown or not leads_out(tuple([word.text for word in words])):
        return
    text = arg.text.removeprefix("file:").partition("[")[0] or "."
    path = where(Arg(text, arg.span, arg.glob, arg.origin), shell).rstrip("/")
    name = path.rpartition("/")[2].partition("-")[0] if path.endswith(_ARCHIVES) else _name_in(path, shell, span)
    if distribution(name) in PACKAGES:
        emit(shell, span, name="pkg:install", effects=_REPLACES, tags=("install", "guard"), target={"package": name})


def _name_in(folder: str, shell: Shell, span: tuple[int, int]) -> str:
    """The name of the package that the folder describes; empty if its manifest does not tell."""
    for name in _MANIFESTS:
        if has_written(f"{folder}/{name}", shell):
            shell.unclear(
                f"installs a tool by `{folder}/{name}`, which was written in this session", span, kind="written-here"
            )
    path = f"{folder}/pyproject.toml"
    held, facts = shell.files.get(path), shell.found.facts
    text = facts.scripts.get(path) if held is None else held.text if held.known else None
    if path in facts.unread:
        shell.unclear(f"installs a tool by `{path}`, which could not be read", span)
    if text is None:
        if held is None:
            shell.found.want(Script(path))
        return ""
    from tomllib import TOMLDecodeError, loads

    try:
        found = loads(text)
    except TOMLDecodeError:
        shell.unclear(f"installs a tool by `{path}`, which is no TOML", span)
        return ""
    for table in (found.get("project"), found.get("tool", {}).get("poetry") if type(found.get("tool")) is dict else {}):
        if type(table) is dict and type(table.get("name")) is str:
            return str(table["name"])
    return ""
