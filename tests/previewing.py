"""A project to preview commands on, owned by an ordinary user also where the tests run as root.

Where this machine has no user namespaces the tests are skipped, except in CI: there they fail, and say what is needed.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

__all__ = ["NOBODY", "USERS", "Project", "needs_views", "projects", "tree_of"]

_HERE = Path(__file__).parent
_PROGRAMS = ("preview_process.py", "preview_commands.py")
NOBODY = 65534
USERS = ("self", "nobody") if os.getuid() == 0 else ("self",)


def _can_have_a_view() -> bool:
    try:
        done = subprocess.run(["unshare", "-Urmpn", "--fork", "true"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


needs_views = pytest.mark.skipif(
    not os.environ.get("CI") and not _can_have_a_view(), reason="needs user namespaces (unshare -Urmpn --fork true)"
)


class Project:
    def __init__(self, folder: Path, user: str) -> None:
        self.folder = folder
        self.user = user
        self.home, self.root, self.beside = folder / "home", folder / "project", folder / "beside"
        for path in (self.home, self.root, self.beside):
            path.mkdir()
        self.owned()

    def owned(self) -> None:
        if self.user != "nobody":
            return
        os.chmod(self.folder, 0o755)
        for above, folders, files in os.walk(self.folder):
            for name in (".", *folders, *files):
                os.chown(os.path.join(above, name), NOBODY, NOBODY, follow_symlinks=False)

    def write(self, path: str, text: str = "", mode: int = 0o644) -> Path:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)
        whole.chmod(mode)
        self.owned()
        return whole

    def program(self, name: str) -> str:
        """A program of the tests, where whoever the project belongs to can read it and the package."""
        return str((_HERE if self.user != "nobody" else _copy_for_all() / "tests") / name)

    @property
    def prefix(self) -> list[str]:
        if self.user != "nobody":
            return [sys.executable]
        # The interpreter of the tests may lie in root's home folder.
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", _python_for_all()]

    def asked(self, **told: Any) -> dict[str, Any]:
        given = json.dumps({"home": str(self.home), "root": str(self.root), **told})
        done = subprocess.run(
            [*self.prefix, "-I", self.program("preview_process.py"), given],
            capture_output=True,
            check=False,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr.decode()
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def preview(self, command: str, **told: Any) -> dict[str, Any]:
        found = self.asked(command=command, **told)
        assert "error" not in found, found
        return found


@cache
def _copy_for_all() -> Path:
    """The package and those programs in a folder that everybody can read: the working copy may be its owner's alone."""
    folder = Path(tempfile.mkdtemp(prefix="interlock-for-all-"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(_HERE.parent / "src/interlock", folder / "src/interlock")
    (folder / "tests").mkdir()
    for name in _PROGRAMS:
        shutil.copy2(_HERE / name, folder / "tests")
    for above, _, files in os.walk(folder):
        os.chmod(above, 0o755)
        for name in files:
            os.chmod(os.path.join(above, name), 0o644)
    return folder


def _python_for_all() -> str:
    found = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    assert found is not None, "the tests of previews run as an ordinary user with /usr/bin/python3, 3.11 or newer"
    return found


def projects(user: str) -> Generator[Project, None, None]:
    folder = Path(tempfile.mkdtemp(prefix="preview-"))
    try:
        yield Project(folder, user)
    finally:
        for above, folders, _ in os.walk(folder):
            for name in folders:
                path = os.path.join(above, name)
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
        shutil.rmtree(folder)


def tree_of(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below: kind and mode, and the content or where a link leads."""
    found: dict[str, tuple[Any, ...]] = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            state = path.lstat()
            content: Any = None
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = path.read_bytes()
            mode = 0 if path.is_symlink() else state.st_mode
            found[str(path.relative_to(folder))] = (mode, content)
    return found
