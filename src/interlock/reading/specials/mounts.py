"""Folders of this machine that a container is given: `-v SOURCE:INSIDE:ro`, `--mount type=bind,…`."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import on_path
from ..places.paths import holds, in_project

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["Mount", "mounted"]


_SYSTEM = ("/etc", "/root", "/var", "/usr", "/boot", "/proc", "/sys", "/dev", "/home", "/run", "/lib", "/opt", "/Users")


class Mount:
    """`shown` is how a person is told of it: the folder or the volume, and `:ro` where nothing is written there."""

    __slots__ = ("inside", "shown", "source")

    def __init__(self, source: str | None, inside: str, shown: str = "") -> None:
        self.source = source  # None: a volume that outlives the container
        self.inside = inside.rstrip("/") or "/"
        self.shown = shown


def mounted(value: Arg, role: str, tags: set[str], shell: Shell) -> Mount | None:
    """`-v SOURCE:INSIDE:ro`, `--mount type=bind,source=…,target=…,readonly`: an action on a folder of this machine."""
    text = value.text
    if role == "mount":
        # As the engine reads it: a list of quoted fields, whose names and kinds are in any case.
        fields = {name.strip('" ').lower(): told.rstrip('"') for name, _, told in _pairs(text)}
        source = fields.get("source", fields.get("src", ""))
        inside = fields.get("target", fields.get("dst", fields.get("destination", "")))
        fixed = fields.get("readonly", fields.get("ro", "false")) in ("", "true", "1")
        kind = fields.get("type", "volume").lower()
        device = next((told[7:] for name, _, told in _pairs(text) if told.startswith("device=")), "")
        if kind == "volume" and device[:1] in ("/", ".", "~"):
            source = device  # a volume that is made of a folder
        elif kind == "volume":
            return Mount(None, inside, source)
        elif kind == "tmpfs":
            return None
    else:
        source, _, rest = text.partition(":")
        inside, _, modes = rest.partition(":")
        fixed = "ro" in modes.split(",")
        if not rest:
            return Mount(None, source)
        if not value.unknown and source[:1] not in ("/", ".", "~"):
            return Mount(None, inside, source)
    paths = on_path("read" if fixed else "write", Arg(source, value.span, value.glob, value.origin), shell)
    if not paths:
        tags.add("privileged")
        return None
    path = paths[0]
    if path == "/" or path.endswith((".sock", "/docker", "/containerd")) or (path in _SYSTEM and path != "/opt"):
        tags.add("privileged")
    if any(
        path.startswith(f"{folder}/")
        for folder in ("/etc", "/root", "/boot", "/proc", "/sys", "/dev", "/var/lib", "/var/run")
    ):
        tags.add("privileged")
    facts = shell.found.facts
    if not in_project(facts.root, path):
        if not fixed:
            on_path("read", Arg(source, value.span, value.glob, value.origin), shell)
        if holds(path, facts.home):
            tags.add("secret")  # all that a person has
    return Mount(path, inside, f"{path}:ro" if fixed else path)


def _pairs(text: str) -> list[tuple[str, str, str]]:
    return [part.partition("=") for part in text.strip('"').split(",")]
