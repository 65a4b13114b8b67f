"""The version of this build, for hatchling and for the wheel's hook (wheel.py).

A build of a git commit is `0.4.0.dev1234+gabc123def`, and a commit tagged `v0.4.0` is `0.4.0`. Sources that are not as
they were committed add a digest of themselves; so does a copy without git, in place of the commit. An sdist keeps its
version, because hatchling reads it from PKG-INFO. Nothing here needs a network.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/interlock"


def version() -> str:
    engine = _engine()
    if _git("rev-parse", "--show-toplevel") != str(ROOT):  # a copy without git, perhaps inside another repository
        return f"{engine}+s{_digest()}"
    commit = _git("rev-parse", "--short=9", "HEAD")
    count = _git("rev-list", "--count", "HEAD")
    if not commit or not count:
        return f"{engine}+s{_digest()}"
    changed = _git("status", "--porcelain", "--", "src/interlock", "pyproject.toml", "scripts") != ""
    if not changed and f"v{engine}" in (_git("tag", "--points-at", "HEAD") or "").split():
        return engine
    return f"{engine}.dev{count}+g{commit}" + f".d{_digest()}" * changed


def _engine() -> str:
    found = re.search(r'^__version__ = "([^"]+)"$', (PACKAGE / "__init__.py").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("src/interlock/__init__.py names no version")
    return found[1]


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _digest() -> str:
    """Of every file that goes into the package."""
    found = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            raw = path.read_bytes()
            found.update(b"%d %s\n" % (len(raw), str(path.relative_to(PACKAGE)).encode()) + raw)
    return found.hexdigest()[:8]
