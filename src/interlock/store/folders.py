"""Where our own files are, and where a project begins.

The home folder comes from the system's user table, never from `$HOME` or another variable:
a project's settings can set variables for the hook's process (docs/adr/0006). Another place
is chosen by an argument, which only the person who wrote the hook's settings gives.
"""

from __future__ import annotations

import os

from ..value import Value

__all__ = ["MANAGED_POLICY", "PROJECT_POLICY", "Folders", "find_root", "folders_for", "own_folders"]

MANAGED_POLICY = "/etc/interlock/policy.toml"
PROJECT_POLICY = ".interlock/policy.toml"
_MARKERS = (".interlock", ".git", ".hg", ".jj")


class Folders(Value):
    home: str
    config: str
    state: str
    cache: str

    @property
    def user_policy(self) -> str:
        return self.config + "/policy.toml"

    @property
    def trust(self) -> str:
        return self.config + "/trust.json"

    @property
    def postures(self) -> str:
        return self.state + "/postures.json"

    @property
    def journal(self) -> str:
        return self.state + "/receipts.jsonl"

    @property
    def policies(self) -> str:
        return self.state + "/policies"


def folders_for(home: str | None = None) -> Folders:
    """The folders below the person's home, or below the given one."""
    if home is None:
        import pwd

        home = pwd.getpwuid(os.getuid()).pw_dir
    home = os.path.abspath(home)
    return Folders(
        home=home,
        config=home + "/.config/interlock",
        state=home + "/.local/state/interlock",
        cache=home + "/.cache/interlock",
    )


def own_folders(folders: Folders) -> tuple[str, ...]:
    """What the floor guards as ours: the package itself, and what we keep."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return (package, folders.config, folders.state, folders.cache)


def find_root(cwd: str) -> str:
    """The nearest folder at or above `cwd` that looks like a project, else `cwd` itself."""
    folder = cwd
    while True:
        for marker in _MARKERS:
            if os.path.lexists(folder + "/" + marker):
                return folder
        up = os.path.dirname(folder)
        if up == folder:
            return cwd
        folder = up
