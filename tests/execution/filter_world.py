"""A folder in which a real awk, sed or jq runs one program, and what that program did there.

Programs are made from pieces that only know `touch` and names in the folder. The evidence is: names that were not
there before, the text of a file that was not among the inputs, and the value of a variable in what was printed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found

__all__ = ["PROJECT", "Seen", "World", "missed", "read_there", "reads_as_harmless", "variants"]

PROJECT = "/w/d"
_KEPT = {"input": "one a/b\ntwo [c]\n", "other": "canary-of-a-file\n", "other.json": '"canary-of-a-file"\n',
         "module.jq": 'def made: "canary-of-a-file";\n'}  # fmt: skip
_VARIABLE = "canary-of-a-variable"
_FILES = ("other", "other.json", "module.jq")

# How each version of a program is called.
_VARIANTS = {
    "awk": (("gawk",), ("gawk", "--posix"), ("mawk",), ("original-awk",), ("busybox", "awk")),
    "sed": (("sed",), ("sed", "--posix"), ("busybox", "sed")),
    "jq": (("jq",),),
}
_NEEDED = {"gawk", "mawk", "original-awk", "busybox", "jq", "sed"}


def variants(program: str) -> list[tuple[str, ...]]:
    """The versions that this machine has; where `CI` is set, it must have all of them."""
    missing = [name for name in sorted(_NEEDED) if shutil.which(name) is None]
    assert not (missing and os.environ.get("CI")), f"scripts/clients.sh installs what is missing: {missing}"
    return [variant for variant in _VARIANTS[program] if shutil.which(variant[0])]


@dataclass(frozen=True)
class Seen:
    """What a program did: files that it made, whether it read another file, and whether it read the environment."""

    made: frozenset[str]
    read: bool
    environment: bool

    def __bool__(self) -> bool:
        return bool(self.made) or self.read or self.environment


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in _KEPT.items():
            (folder / name).write_text(text)
        tools = folder.parent / f"{folder.name}-bin"
        tools.mkdir()
        (tools / "touch").symlink_to(str(shutil.which("touch")))
        self.environment = {"PATH": str(tools), "API_TOKEN": _VARIABLE, "HOME": str(folder), "LC_ALL": "C.UTF-8"}

    def run(self, variant: tuple[str, ...], words: list[str]) -> Seen:
        program = str(shutil.which(variant[0]))
        try:
            done = subprocess.run(
                [program, *variant[1:], *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                capture_output=True, check=False, timeout=3,
            )  # fmt: skip
            printed = done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            printed = late.stdout or b""
        made = {name: (self.folder / name) for name in os.listdir(self.folder) if name not in _KEPT}
        texts = b"".join(path.read_bytes() for path in made.values() if path.is_file())
        for path in made.values():
            path.unlink()
        return Seen(frozenset(made), b"canary-of-a-file" in printed + texts, _VARIABLE.encode() in printed + texts)


class _Itself(Mapping[str, str]):
    """There are no links in the folder: every path leads where it says."""

    def __getitem__(self, path: str) -> str:
        return path

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


_FACTS = Facts(root=PROJECT, home="/home/u", real=_Itself())


def read_there(command: str) -> Found:
    """The command as it is read in the folder."""
    return follow_bash(command, cwd=PROJECT, facts=_FACTS)


def missed(words: list[str], seen: Seen) -> str:
    """What was done and not read; empty if there is none, or the reading says that it does not know everything."""
    found = read_there(shlex.join(words))
    if found.opaque:
        return ""
    named = {(action.name, str(action.target.get("path", ""))) for action in found.actions}
    made = [name for name in sorted(seen.made) if ("fs:write", f"{PROJECT}/{name}") not in named]
    if made:
        return f"made {made}"
    if seen.read and not any(("fs:read", f"{PROJECT}/{name}") in named for name in _FILES):
        return "read another file"
    return "read the environment" if seen.environment and ("sys:env", "") not in named else ""


def reads_as_harmless(words: list[str]) -> bool:
    """True if the reading is whole and names nothing but the input."""
    found = read_there(shlex.join(words))
    paths = {(action.name, action.target.get("path")) for action in found.actions if action.effects}
    return not found.opaque and paths <= {("fs:read", f"{PROJECT}/input")}
