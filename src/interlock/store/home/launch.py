"""The launcher: a small file in the person's data folder that settings of hosts name, whatever version is installed.

It starts the confirmed engine: a copy of the package in the same folder, which a person confirmed at a terminal. An
update of the package changes nothing until they confirm that one, too; the start of a session says that it waits. The
launcher holds the copy to its digest: by a few stats at each call, whole where one of them differs, and once an hour. A
copy that was changed blocks every call, and the answer is the one that this host shows its person.
"""

from __future__ import annotations

import os
import sys

from ... import PACKAGE
from ...build import ORIGIN
from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value, lazy
from .files import read_file

if TYPE_CHECKING:
    from shlex import quote
    from typing import Any

    from .folders import Folders
else:
    quote = lazy(globals(), "shlex", "quote")

__all__ = [
    "DAMAGED",
    "OLDER",
    "PRELOADED",
    "Launcher",
    "build_in",
    "digest_of_copy",
    "digest_of_package",
    "engines",
    "is_damaged",
    "is_pinned",
    "kept_launcher",
    "launcher_text",
    "note_of",
    "own_package",
    "passing",
    "trouble_of",
    "unconfirmed",
    "update_command",
]

_MAX_BYTES = 1 << 16
_CACHES = ("/.cache/uv/", "/uv/archive-v", "/.cache/pipx/", "/pipx/.cache/")  # where programs that run once are kept
# Modules that are loaded before the bundle is open: the copy has the bytecode of each in a file of its own.
PRELOADED = ("__init__", "value", "limits", "hook/__init__", "hook/guard", "hook/bundle", "hook/client", "hook/stdin")

_TEXT = """\
# Interlock: the settings of agent hosts name this file. `interlock install` wrote it, `interlock uninstall` removes it.
import sys
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads
from posix import _exit, stat, write
from time import time

PACKAGE = {package!r}
VERSION = {version!r}
DIGEST = {digest!r}
ORIGIN = {origin!r}
SOURCES = {sources!r}
PYTHON = {python!r}
NOTE = {note!r}
ANSWERS = {answers!r}
GATED = "--no-gate" not in sys.argv
LOOKED_AT = {looked_at!r}
HOUR = 3600


def leave(why):
    write(2, ("Interlock: " + why + "\\n").encode("utf-8", "replace"))
    _exit(2 if GATED else 0)


def stamp():
    seen = [stat(PACKAGE + name) for name in LOOKED_AT]
    return " ".join([f"{{s.st_ino}}.{{s.st_size}}.{{s.st_mtime_ns}}.{{s.st_ctime_ns}}" for s in seen])


def sha256():
    try:
        from _sha2 import sha256
    except ImportError:
        from _sha256 import sha256
    return sha256()


def whole(package, cached):
    import os

    found, folders = sha256(), [""]
    while folders:
        at = folders.pop()
        for entry in sorted(os.scandir(package + at), key=lambda entry: entry.name):
            name = at + "/" + entry.name
            if entry.is_dir(follow_symlinks=False):
                if cached or entry.name != "__pycache__":
                    folders.append(name)
                continue
            with open(entry.path, "rb") as file:
                raw = file.read()
            found.update(b"%d %d %s" % (len(name.encode()), len(raw), name.encode()) + raw)
    return found.hexdigest()


def is_confirmed():
    try:
        seen, now = stamp(), int(time())
        with open(NOTE, "rb") as file:
            digest, at, stamps = file.read().decode().split(" ", 2)
        if digest == DIGEST and stamps == seen and 0 <= now - int(at) < HOUR:
            return True
    except (OSError, ValueError):
        pass
    try:
        seen, now = stamp(), int(time())
        if whole(PACKAGE, True) != DIGEST:
            return False
    except OSError:
        return False
    try:
        import os

        beside = f"{{NOTE}}.{{os.getpid()}}.new"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(f"{{DIGEST}} {{now}} {{seen}}".encode())
        os.replace(beside, NOTE)
    except OSError:
        pass  # everything is looked at again the next time
    return True


def blocked():
    import json
    import os
    from _signal import alarm

    alarm(4)
    try:
        with open(ANSWERS[0], "rb") as file:
            raw = file.read()
    except OSError:
        raw = b""
    found = sha256()
    found.update(raw)
    if found.hexdigest() != ANSWERS[1]:
        leave("every call is blocked, because files of the confirmed copy were changed. Run: interlock update")
    answers, event = json.loads(raw)[sys.argv[1]]["gated" if GATED else "passing"], b""
    while piece := os.read(0, 1 << 20):
        event = (event + piece)[: 1 << 24]
    try:
        name = json.loads(event).get("hook_event_name")
    except (ValueError, AttributeError):
        name = ""
    code, out, err = answers.get(name) or answers[""]
    for stream, text in ((2, err.encode()), (1, out.encode())):
        while text:
            text = text[write(stream, text) :]
    _exit(code)


try:
    if DIGEST:
        if not is_confirmed():
            blocked()
        sys.dont_write_bytecode = True
        with open(PACKAGE + f"/hook/__pycache__/guard.{{PYTHON}}.pyc", "rb") as file:
            code = file.read()
        code = loads(code[16:]) if code[:4] == MAGIC_NUMBER else None
    else:
        code = None
    sys.argv[0] = PACKAGE + "/hook/guard.py"
    if code is None:
        with open(sys.argv[0], "rb") as file:
            code = compile(file.read(), sys.argv[0], "exec")
    started = {{"__name__": "__main__", "__file__": sys.argv[0]}}
except FileNotFoundError:
    gone = globals().get("gone")
    if gone:
        print(gone, flush=True)
        _exit(0)
    leave(f"{{PACKAGE}} is gone. Install Interlock again and run `interlock install`, or `interlock uninstall`.")
except BaseException as error:
    leave(f"blocked, because the launcher failed ({{type(error).__name__}}). See: interlock doctor")
exec(code, started)
"""

DAMAGED = (
    "every call is blocked, because the copy of Interlock that you confirmed ({folder}) was changed or removed; to put "
    "it back, run {command} in a terminal of your own"
)
OLDER = "version {new} runs since an update: hooks start the installed package, as an earlier version set them up"
_WAITS = "version {new} is installed and waits: hooks run version {old} until you confirm the update"
_REPLACED = "the installed files of version {old} are not those that were confirmed; hooks run the confirmed copy"
_GONE = "the package that was confirmed is no longer in {origin}; hooks run their copy of it, version {old}"
_PYTHON = "hooks run on another Python than the confirmed one ({old}), and are slower until you confirm it"


class Launcher(Value):
    """
    package  what hooks run: the confirmed copy, or a working copy
    version  the build's; empty: not held to any content
    digest   of the whole copy with its bytecode
    origin   the package that was copied; empty in launchers of 0.4.0 and before, and for a working copy
    sources  digest of the package that was copied
    python   what this Python calls its bytecode
    """

    package: str
    version: str
    digest: str
    origin: str = ""
    sources: str = ""
    python: str = ""

    @property
    def is_copy(self) -> bool:
        return self.origin != ""


def own_package() -> str:
    """The installed package. In the confirmed copy, the one that it was copied from."""
    return ORIGIN or PACKAGE


def passing(package: str) -> str:
    """Why a copy is not there to stay; empty: it is."""
    return next((f"{package} is in a cache of programs that are run once" for at in _CACHES if at in package), "")


def engines(folders: Folders) -> str:
    """Where confirmed copies are kept."""
    return folders.data + "/engines"


def note_of(folders: Folders) -> str:
    return folders.state + "/launch.note"


def update_command(folders: Folders) -> str:
    if not folders.given:
        return "interlock update"

    return f"interlock --home {quote(folders.home)} update"


def is_pinned(package: str) -> bool:
    """Whether it was installed. A working copy changes every day, and hooks start it as it is."""
    return os.path.basename(os.path.dirname(package)) in ("site-packages", "dist-packages")


def launcher_text(folders: Folders, launcher: Launcher, answers: tuple[str, str]) -> str:
    """`answers`: the file with what each host is told where the copy was changed, and its digest."""
    bytecode = [f"/{at}/__pycache__".replace("//", "/") for at in ("", "hook")]
    names = ["", "/build.py", "/hook", *bytecode, f"/__pycache__/hook.{launcher.python}.bundle"]
    for name in PRELOADED:
        at, _, last = f"/{name}".rpartition("/")
        names += [f"/{name}.py", f"{at}/__pycache__/{last}.{launcher.python}.pyc"]
    fields = {name: getattr(launcher, name) for name in _FIELDS}
    return _TEXT.format(**fields, note=note_of(folders), answers=answers, looked_at=tuple(names))


_FIELDS = ("package", "version", "digest", "origin", "sources", "python")


def digest_of_package(package: str) -> str:
    """Of everything in it but bytecode."""
    return _whole(package, cached=False)


def digest_of_copy(package: str) -> str:
    """As the launcher itself computes it: by its own lines."""
    return _whole(package, cached=True)


def _whole(package: str, *, cached: bool) -> str:
    start, end = _TEXT.index("def sha256"), _TEXT.index("def is_confirmed")
    names: dict[str, Any] = {}
    exec(compile(_TEXT[start:end].format(), "launcher", "exec"), names)  # noqa: S102 - our own text, kept once
    found: str = names["whole"](package, cached)
    return found


def kept_launcher(folders: Folders) -> Launcher | None:
    """The launcher that settings name; None where there is none, or none that can be read."""
    try:
        raw = read_file(folders.launcher, limit=_MAX_BYTES)
    except StoreError:
        return None
    named: dict[str, str] = {}
    for line in (raw or b"").decode("utf-8", "replace").splitlines():
        name, equals, value = line.partition(" = ")
        if equals and name.isupper() and name.lower() in _FIELDS and name.lower() not in named:
            named[name.lower()] = value.strip("'\"")
    return Launcher(**named) if {"package", "version", "digest"} <= named.keys() else None


def build_in(package: str) -> str:
    """The version of the build that lies there, read and not run; empty where it does not say."""
    try:
        texts = [read_file(f"{package}/{name}.py", limit=_MAX_BYTES) or b"" for name in ("build", "__init__")]
    except StoreError:
        return ""
    for start, raw in zip(("BUILD = ", "__version__ = "), texts, strict=True):
        for line in raw.decode("utf-8", "replace").splitlines():
            found = line.removeprefix(start).partition("#")[0].strip(" \"'") if line.startswith(start) else ""
            if found:
                return found
    return ""


def trouble_of(folders: Folders, kept: Launcher, *, copy: bool) -> str:
    """What is not as it was confirmed, in a sentence; empty: nothing. `copy`: whether the copy itself is looked at."""
    if not kept.is_copy:
        return OLDER.format(new=build_in(kept.package)) if kept.version else ""
    if copy and not _has(kept.package, kept.digest, digest_of_copy):
        return DAMAGED.format(folder=kept.package, command=update_command(folders))
    if not os.path.exists(f"{kept.origin}/hook/guard.py"):
        return _GONE.format(origin=kept.origin, old=kept.version)
    if not _has(kept.origin, kept.sources, digest_of_package):
        new = build_in(kept.origin)
        return _REPLACED.format(old=kept.version) if new == kept.version else _WAITS.format(new=new, old=kept.version)
    return _PYTHON.format(old=kept.python) if kept.python != sys.implementation.cache_tag else ""


def is_damaged(trouble: str) -> bool:
    """Whether it blocks calls."""
    return trouble.startswith(DAMAGED.partition(",")[0])


def _has(package: str, digest: str, digested: Any) -> bool:
    try:
        return bool(digested(package) == digest)
    except OSError:
        return False


def unconfirmed(folders: Folders) -> tuple[str, ...]:
    """What the start of a session says while something waits to be confirmed."""
    kept = kept_launcher(folders)
    if kept is None:
        return ()
    trouble = trouble_of(folders, kept, copy=False)
    if not trouble:
        return ()
    command = update_command(folders)
    return (f"{trouble}. If you updated it yourself, confirm that in a terminal of your own: {command}",)
