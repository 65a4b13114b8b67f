"""The launcher: a small file in the person's data folder that settings of hosts name, whatever version is installed.

It finds the package and holds it against what was noted at install: a few stats at each call, and the whole of it by
digest where one of them differs, and once an hour. Changed files under the same version block. Another version is an
upgrade: it runs, and each session's start says so until a person runs `interlock install` again.
"""

from __future__ import annotations

import os

from .. import PACKAGE, __version__
from ..errors import StoreError
from ..value import TYPE_CHECKING, Value
from .files import read_file

if TYPE_CHECKING:
    from typing import Any

    from .folders import Folders

__all__ = ["Launcher", "digest_of_package", "kept_launcher", "launcher_text", "own_package", "passing", "unconfirmed"]

_MAX_BYTES = 1 << 16
_CACHES = ("/.cache/uv/", "/uv/archive-v", "/.cache/pipx/", "/pipx/.cache/")  # where programs that run once are kept

_TEXT = """\
# Interlock: the settings of agent hosts name this file. `interlock install` wrote it, `interlock uninstall` removes it.
import sys
from posix import _exit, stat, write
from time import time

PACKAGE = {package!r}
VERSION = {version!r}
DIGEST = {digest!r}
NOTE = {note!r}
GATED = "--no-gate" not in sys.argv
LOOKED_AT = ("", "/__init__.py", "/hook", "/hook/guard.py", "/hook/run.py", "/engine.py", "/runtime.py", "/decide.py")
HOUR = 3600


def leave(why):
    write(2, ("Interlock: " + why + "\\n").encode("utf-8", "replace"))
    _exit(2 if GATED else 0)


def stamp():
    seen = [stat(PACKAGE + name) for name in LOOKED_AT]
    return " ".join([f"{{s.st_ino}}.{{s.st_size}}.{{s.st_mtime_ns}}.{{s.st_ctime_ns}}" for s in seen])


def noted():
    try:
        with open(NOTE, "rb") as file:
            version, digest, at, stamps = file.read().decode().split(" ", 3)
        return version, digest, int(at), stamps
    except (OSError, ValueError):
        return "", "", 0, ""


def whole():
    import os

    try:
        from _sha2 import sha256
    except ImportError:
        from _sha256 import sha256
    version, found, folders = "", sha256(), [""]
    while folders:
        at = folders.pop()
        for entry in sorted(os.scandir(PACKAGE + at), key=lambda entry: entry.name):
            name = at + "/" + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    folders.append(name)
                continue
            with open(entry.path, "rb") as file:
                raw = file.read()
            found.update(b"%d %d %s" % (len(name.encode()), len(raw), name.encode()) + raw)
            if name == "/__init__.py":
                for line in raw.decode().splitlines():
                    if line.startswith("__version__ = "):
                        version = line.partition("= ")[2].strip("\\"' ")
    return version, found.hexdigest()


def check():
    version, digest, at, stamps = noted()
    seen, now = stamp(), int(time())
    if seen == stamps and 0 <= now - at < HOUR:
        return
    found, content = whole()
    known = {{VERSION: DIGEST}}
    known.setdefault(version, digest)
    if known.get(found, content) != content:
        leave(
            f"blocked: the files of version {{found}} in {{PACKAGE}} are not those that were installed. If you changed "
            "them yourself, run `interlock install` in a terminal of your own; otherwise install Interlock again."
        )
    try:
        import os

        beside = f"{{NOTE}}.{{os.getpid()}}.new"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(f"{{found}} {{content}} {{now}} {{seen}}".encode())
        os.replace(beside, NOTE)
    except OSError:
        pass  # everything is looked at again the next time


try:
    try:
        with open(PACKAGE + "/hook/guard.py", "rb") as file:
            text = file.read()
        if VERSION:
            check()
    except FileNotFoundError:
        gone = globals().get("gone")
        if gone:
            print(gone, flush=True)
            _exit(0)
        leave(f"{{PACKAGE}} is gone. Install Interlock again and run `interlock install`, or `interlock uninstall`.")
    sys.argv[0] = PACKAGE + "/hook/guard.py"
    started = {{"__name__": "__main__", "__file__": sys.argv[0]}}
except BaseException as error:
    leave(f"blocked, because the launcher failed ({{type(error).__name__}}). See: interlock doctor")
exec(compile(text, sys.argv[0], "exec"), started)
"""


class Launcher(Value):
    package: str
    version: str  # empty: not held to any content
    digest: str


def own_package() -> str:
    return PACKAGE


def passing(package: str) -> str:
    """Why a copy is not there to stay; empty: it is."""
    return next((f"{package} is in a cache of programs that are run once" for at in _CACHES if at in package), "")


def launcher_text(folders: Folders, package: str) -> str:
    """The launcher for this package. A working copy, which changes every day, is held to no content."""
    pinned = os.path.basename(os.path.dirname(package)) in ("site-packages", "dist-packages")
    version, digest = (__version__, digest_of_package(package)) if pinned else ("", "")
    return _TEXT.format(package=package, version=version, digest=digest, note=folders.state + "/launch.note")


def digest_of_package(package: str) -> str:
    """As the launcher itself computes it: by its own lines."""
    start, end = _TEXT.index("def whole"), _TEXT.index("def check")
    names: dict[str, Any] = {"PACKAGE": package}
    exec(compile(_TEXT[start:end].format(), "launcher", "exec"), names)  # noqa: S102 - our own text, kept once
    found: str = names["whole"]()[1]
    return found


def kept_launcher(folders: Folders) -> Launcher | None:
    """The launcher that settings name; None where there is none, or none that can be read."""
    try:
        raw = read_file(folders.launcher, limit=_MAX_BYTES)
    except StoreError:
        return None
    named = {}
    for line in (raw or b"").decode("utf-8", "replace").splitlines():
        name, equals, value = line.partition(" = ")
        if equals and name in ("PACKAGE", "VERSION", "DIGEST") and name not in named:
            named[name] = value.strip("'\"")
    if len(named) != 3:
        return None
    return Launcher(package=named["PACKAGE"], version=named["VERSION"], digest=named["DIGEST"])


def unconfirmed(folders: Folders) -> tuple[str, ...]:
    """What the start of a session says while a version runs that nobody has confirmed."""
    kept = kept_launcher(folders)
    if kept is None or kept.package != own_package() or kept.version in ("", __version__):
        return ()
    return (
        f"version {__version__} runs since an upgrade, and {kept.version} was installed. If that was you, confirm it "
        "in a terminal of your own: interlock install",
    )
