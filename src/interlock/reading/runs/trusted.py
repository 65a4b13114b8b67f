"""Scripts that are sourced by a well-known name: environments, version managers, a system's profile.

They are long, and change little but the search path, so that they are not read. A name alone proves nothing: such a
script is trusted only if it lies in an installation or in the project, and this session has neither written, fetched,
unpacked, moved nor linked it, nor a folder above it. Any other is read like every file.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..lands.fetched import came_with
from ..machine.places import has_written, through_links
from ..places.paths import holds, is_own_tree, within

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["is_built", "is_in_new_environment", "is_of_session", "is_trusted_script", "leads_out"]

_NAMES = (
    "/bin/activate", "/conda.sh", "/nvm.sh", "/etc/profile", "/.cargo/env", "/asdf.sh", "/sdkman-init.sh",
    "/.rvm/scripts/rvm", "/bash_completion",
)  # fmt: skip
_INSTALLED = ("/etc/", "/home/linuxbrew/", "/nix/", "/opt/", "/usr/")


def is_trusted_script(path: str, shell: Shell) -> bool:
    """`path` is settled; where it leads counts as well."""
    if not path.endswith(_NAMES):
        return False
    linked = through_links(path, shell.links) if shell.links else None
    if linked is not None:
        return False  # a link of this very call
    real = shell.found.real.get(path)
    return all(_is_installed(at, shell) for at in {path, real or path})


def _is_installed(path: str, shell: Shell) -> bool:
    if is_of_session(path, shell):
        return False
    facts = shell.found.facts
    if is_own_tree(facts, path) or path.startswith(_INSTALLED):
        return True
    if within(facts.temp, path):
        built = [str(action.target.get("path")) for action in shell.found.actions if "built" in action.tags]
        # an environment that a tool makes, in this call or in an earlier one
        return any(holds(folder, path) for folder in (*built, *(facts.created - facts.written)))
    return path.startswith(facts.home + "/") and "/Downloads/" not in path


# Folders of an environment (`python -m venv /tmp/v`), which holds programs of others.
_OF_ENVIRONMENT = ("/bin/", "/Scripts/", "/lib/", "/lib64/", "/include/")


def is_built(path: str, shell: Shell) -> bool:
    """True if the project's build filled the file or folder in this session, in a temporary place where nothing was.

    What lies there is then no more the session's, or anybody's, than what the build leaves in the project.
    """
    found, facts = shell.found, shell.found.facts
    if not within(facts.temp, path) or through_links(path, shell.links) is not None or is_of_session(path, shell):
        return False
    if (found.real.get(path) or path) != path:
        return False
    now = [str(action.target.get("path")) for action in found.actions if {"built", "new"} <= {*action.tags}]
    for folder in (*now, *(facts.created - facts.written)):
        if holds(folder, path) and not path[len(folder) :].startswith(_OF_ENVIRONMENT):
            return not any(holds(folder, other) for other in (*shell.files, *facts.written))
    return False


def is_in_new_environment(path: str, shell: Shell) -> bool:
    """`/tmp/v/bin/pip` after `python -m venv /tmp/v`, in this call or an earlier one, where nothing was put by hand."""
    found, facts = shell.found, shell.found.facts
    folder = path.rpartition("/")[0].removesuffix("/bin")
    if not path.startswith(folder + "/bin/") or not within(facts.temp, folder) or folder + "/" in facts.temp:
        return False
    if through_links(path, shell.links) is not None or is_of_session(path, shell):
        return False
    real = found.real.get(path) or path
    if real != path and (not real.startswith((*_INSTALLED, f"{facts.home}/.")) or has_written(real, shell)):
        return False
    now = [str(action.target.get("path")) for action in found.actions if {"built", "new"} <= {*action.tags}]
    made = folder in now or folder in facts.created - facts.written
    return made and not any(holds(folder, other) for other in (*shell.files, *facts.written))


def is_of_session(path: str, shell: Shell) -> bool:
    """True if this call or session has put the file there, or a folder above it that is not made by a tool."""
    found = shell.found
    if has_written(path, shell) or came_with(path, shell) is not None:
        return True
    if any(holds(placement.into, path) for placement in found.laid):
        return True
    folder = path.rpartition("/")[0]
    while folder and folder not in (found.facts.root, found.facts.home):
        if folder in shell.files or folder in found.facts.written or folder in found.facts.kept or folder in found.kept:
            return True
        folder = folder.rpartition("/")[0]
    return False


def leads_out(path: str, shell: Shell) -> bool:
    """True if a link that this session has made leads from the project to what is run."""
    facts = shell.found.facts
    if not facts.written and not shell.files:
        return False
    linked = through_links(path, shell.links) if shell.links else None
    real = linked or shell.found.real.get(path)
    if real is None or real == path or real.startswith((facts.root + "/", *facts.beside)):
        return False
    folder = path
    while len(folder) > len(facts.root):
        if folder in facts.written or folder in shell.files:
            return True
        folder = folder.rpartition("/")[0]
    return False
