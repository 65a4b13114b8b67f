"""A home folder of its own at /home/dev, with Interlock installed in it, for cases that need real files.

The folder is filled by a script that the cases bring along (mkhome.sh) and shown in a private mount namespace: nothing
outside of it changes, and all of it is gone in the end. Interlock is copied into it as pipx would install it, with the
packages that it needs, so that attacks on its files find them. Needs root or user namespaces.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from .. import PACKAGE
from ..model.errors import InputError

__all__ = ["HOME", "INSTALLED", "PROJECT", "inside_a_home"]

HOME = "/home/dev"
PROJECT = f"{HOME}/acme"
INSTALLED = f"{HOME}/.local/share/pipx/venvs/interlock"
_PACKAGE = Path(PACKAGE)

_SETUP = """
set -e
mount -t tmpfs tmpfs /home
mkdir -p /home/dev
cp -a "$1"/home/. /home/dev
mount --bind "$1"/passwd /etc/passwd
export HOME=/home/dev MADE="$1"/home
shift
cd /home/dev
exec "$@"
"""


def inside_a_home(script: str, arguments: Sequence[str], given: bytes) -> bytes:
    """Runs a module of ours in the home that the script makes: what it prints. InputError if that cannot be done."""
    if Path(sys.base_prefix).is_relative_to("/home"):
        raise InputError(f"the Python in {sys.base_prefix} cannot be used: a home folder of its own hides /home")
    with tempfile.TemporaryDirectory(prefix="interlock-home-") as base:
        home = Path(base, "home")
        home.mkdir()
        _done(["bash", os.path.abspath(script)], f"`{script}` failed", HOME=str(home))
        _install(home / INSTALLED.removeprefix(HOME + "/"))
        others = [line for line in Path("/etc/passwd").read_text().splitlines() if not line.startswith("root:")]
        Path(base, "passwd").write_text("\n".join([f"root:x:0:0:root:{HOME}:/bin/bash", *others, ""]))
        apart = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "--propagation", "private"]
        program = [f"{INSTALLED}/bin/python3", "-m", *arguments]
        return _done(
            [*apart, "bash", "-c", _SETUP, "home", base, *program],
            "the cases need a mount namespace of their own (root, or user namespaces)",
            given,
        )


def _done(argv: list[str], trouble: str, given: bytes = b"", **more: str) -> bytes:
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONDONTWRITEBYTECODE": "1", **more}
    try:
        done = subprocess.run(argv, input=given, capture_output=True, env=environment, check=False)  # noqa: S603
    except OSError as error:
        raise InputError(f"{trouble}: {argv[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise InputError(f"{trouble}: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def _install(place: Path) -> None:
    """A virtual environment with a copy of this package and of what it needs."""
    venv.create(place, symlinks=True)
    into = next(place.glob("lib/python*/site-packages"))
    shutil.copytree(_PACKAGE, into / "interlock", ignore=shutil.ignore_patterns("__pycache__"))
    for needed in _needed("interlock", {}).values():
        for file in needed.files or ():
            if ".." not in file.parts and not str(file).endswith((".pyc", ".pth")):
                target = into / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)


def _needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """What a package needs, and what that needs, but for extras and what is not installed."""
    for line in distribution(name).requires or ():
        need = re.split(r"[^\w.-]", line.strip(), maxsplit=1)[0].lower()
        if "extra ==" in line or need in found:
            continue
        try:
            found[need] = distribution(need)
        except PackageNotFoundError:
            continue
        _needed(need, found)
    return found
