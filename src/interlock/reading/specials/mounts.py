"""Folders of this machine that a container is given: `-v SOURCE:INSIDE:ro`, `--mount type=bind,…`."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import on_path

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["Mount", "mounted"]


_SYSTEM = ("/etc", "/root", "/var", "/usr", "/boot", "/proc", "/sys", "/dev", "/home", "/run", "/lib", "/opt", "/Users")


class Mount:
    __slots__ = ("inside", "source")

    def __init__(self, source: str | None, inside: str) -> None:
        self.source = source  # None: a volume that outlives the container
        self.inside = inside.rstrip("/") or "/"


def mounted(value: Arg, role: str, tags: set[str], shell: Shell) -> Mount | None:
    """`-v SOURCE:INSIDE:ro`, `--mount type=bind,source=…,target=…,readonly`: an action on a folder of this machine."""
    text = value.text
    if role == "mount":
        fields = dict(part.partition("=")[::2] for part in text.split(","))
        source = fields.get("source", fields.get("src", ""))
        inside = fields.get("target", fields.get("dst", fields.get("destination", "")))
        fixed = fields.get("readonly", fields.get("ro", "false")) in ("", "true", "1")
        if fields.get("type", "volume") != "bind":
            return Mount(None, inside) if fields.get("type", "volume") == "volume" else None
    else:
        source, _, rest = text.partition(":")
        inside, _, modes = rest.partition(":")
        fixed = "ro" in modes.split(",")
        if not rest:
            return Mount(None, source)
    if not value.unknown and source[:1] not in ("/", ".", "~"):
        return Mount(None, inside)
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
    return Mount(path, inside)
