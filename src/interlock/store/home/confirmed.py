"""The confirmed engine: a copy of the package that hooks run until a person confirms another one.

It is made beside the copies that are there, and complete before the launcher names it: a copy that is cut short, by a
kill or a full disk, is one that nothing names. One process at a time makes copies. The copy before is kept until the
next update, for hooks that still run it. All bytecode is compiled here, from the sources that were copied; what lies
beside the installed package, where more programs can write, is never taken.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import MAGIC_NUMBER
from marshal import dumps

from ...hook.bundle import bundle_file, sealed
from ...model.errors import InputError, StoreError
from .folders import Folders
from .launch import PRELOADED, Launcher, digest_of_copy, digest_of_package, engines, kept_launcher, note_of

__all__ = ["make_copy", "one_at_a_time", "prune", "remove_copies"]

_SECONDS = 60.0
_LOCK = "lock"
_NEW = ".new"
# What no hook loads. A module of these would be compiled each time, and never kept.
_NOT_IN_HOOKS = ("cli", "client", "evals", "proxy", "relay", "sdks", "serve", "telemetry", "testing")
_PROGRAMS = ("/hook/guard", "/hook/resident_entry")  # nobody imports these
_UNCHECKED = b"\1\0\0\0" + bytes(8)  # in a file of bytecode: it counts without a look at its source


@contextmanager
def one_at_a_time(folders: Folders) -> Iterator[None]:
    """Waits for whoever makes a copy now."""
    import fcntl

    place = engines(folders)
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        lock = os.open(f"{place}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"`{place}` could not be written: {error.strerror}") from None
    try:
        end = time.monotonic() + _SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise StoreError("another `interlock install` or `interlock update` is at work") from None
                time.sleep(0.05)
        yield
    finally:
        os.close(lock)


def make_copy(folders: Folders, package: str, sources: str, version: str) -> Launcher:
    """What the launcher is to name. InputError where the package is not the one whose digest the person was shown."""
    place = engines(folders)
    new = f"{place}/{_NEW}"
    shutil.rmtree(new, ignore_errors=True)  # what was cut short: nobody else is at work
    try:
        _copied(package, f"{new}/interlock", sources)
        digest = digest_of_copy(f"{new}/interlock")
        folder = next(at for at in _names(f"{place}/{digest[:16]}") if not os.path.lexists(at))
        os.sync()  # whole on the disk, before anything names it
        os.rename(new, folder)
    except OSError as error:
        raise StoreError(f"`{place}` could not be written: {error.strerror}; nothing was changed") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return Launcher(
        package=f"{folder}/interlock",
        version=version,
        digest=digest,
        origin=package,
        sources=sources,
        python=str(sys.implementation.cache_tag),
    )


def _names(first: str) -> Iterator[str]:
    yield first
    number = 1
    while True:
        number += 1
        yield f"{first}.{number}"


def _copied(package: str, copy: str, sources: str) -> None:
    for path, raw in _files(package):
        _write(copy + path, raw)
    if digest_of_package(copy) != sources:
        raise InputError("the installed files changed while they were copied; nothing was changed. Try again")
    build = f"{copy}/build.py"
    with open(build, "rb") as file:
        text = file.read().decode()
    _write(build, text.replace('\nORIGIN = ""', f"\nORIGIN = {package!r}", 1).encode())
    codes = {}
    for path, raw in _files(copy):
        name = path.removesuffix(".py")
        if name == path or path.split("/")[1] in _NOT_IN_HOOKS:
            continue
        code = dumps(compile(raw, f"interlock{path}", "exec", dont_inherit=True, optimize=0))
        is_package = name.endswith("/__init__")
        if name not in _PROGRAMS:
            codes["interlock" + name.removesuffix("/__init__").replace("/", ".")] = is_package, code
        if name[1:] in PRELOADED:
            at, _, last = name.rpartition("/")
            pyc = f"{copy}{at}/__pycache__/{last}.{sys.implementation.cache_tag}.pyc"
            _write(pyc, MAGIC_NUMBER + _UNCHECKED + code)
    _write(bundle_file(copy), sealed(codes))


def _files(package: str) -> Iterator[tuple[str, bytes]]:
    """Each file but bytecode. A link or a device in an installed package is nothing that a build has put there."""
    for at, folders, names in os.walk(package):
        folders[:] = sorted([name for name in folders if name != "__pycache__"])
        for name in sorted(names):
            path = f"{at}/{name}"
            if os.path.islink(path) or not os.path.isfile(path):
                raise InputError(f"`{path}` is no plain file; install Interlock again")
            with open(path, "rb") as file:
                yield path.removeprefix(package), file.read()


def _write(path: str, raw: bytes) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(raw)


def prune(folders: Folders, *named: str) -> None:
    """Removes every copy but the one that the launcher names, and those `named`."""
    kept = kept_launcher(folders)
    keep = {os.path.dirname(package) for package in (*named, kept.package if kept is not None else "")}
    _each(engines(folders), lambda path: path in keep or path.endswith(f"/{_LOCK}"))


def remove_copies(folders: Folders) -> None:
    """All of them, with the note of the launcher; for `uninstall`."""
    place = engines(folders)
    _each(place, lambda _path: False)
    try:
        os.unlink(note_of(folders))
    except OSError:
        pass
    try:
        os.rmdir(place)
    except OSError:
        pass


def _each(place: str, stays: Callable[[str], bool]) -> None:
    try:
        names = os.listdir(place)
    except OSError:
        return
    for path in [f"{place}/{name}" for name in names]:
        if stays(path):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
