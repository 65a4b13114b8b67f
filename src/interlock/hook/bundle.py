"""The bytecode of the hook's modules in one file, so that a start opens one and not two hundred.

For each module Python looks through folders, opens the bytecode beside the source and compares the two. For as many
modules as a hook needs, that is a quarter of its time. This file keeps what Python has compiled already, in the same
folder and under the same rule: it counts while the source has the same time and size. Whatever is not in it, or not as
it was, is imported as usual; once the answer is out, the file is written anew with that.

In a confirmed copy the bundle is sealed: it holds every module that a hook can load, the launcher holds it to its
digest, and nothing is compared or written.

    magic, length of the index, index {module: (is a package, time, size, offset, length)}, bytecode
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import dumps, loads

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Row = tuple[bool, int, int, int, int]

__all__ = ["Bundle", "bundle_file", "install", "packed", "sealed"]

_FORM = b"interlock bundle 1\n"
_SEALED = b"interlock sealed 1\n"
_HEAD = len(_FORM) + len(MAGIC_NUMBER) + 8
_PYC_HEAD = 16
_MOST = 1 << 25  # bytes
_OURS = "interlock"


def install(package: str) -> Bundle:
    """Puts the bundle in front of Python's own way, for modules below the package's folder."""
    found = Bundle(package)
    sys.meta_path.insert(0, found)
    return found


def sealed(codes: dict[str, tuple[bool, bytes]]) -> bytes:
    """The bundle of a confirmed copy. `codes`: module -> whether it is a package, and its bytecode."""
    return packed(_SEALED, {name: (is_package, 0, 0, code) for name, (is_package, code) in codes.items()})


def packed(form: bytes, modules: dict[str, tuple[bool, int, int, bytes]]) -> bytes:
    rows: dict[str, Row] = {}
    offset = 0
    for name in sorted(modules):
        is_package, time, size, code = modules[name]
        rows[name] = (is_package, time, size, offset, len(code))
        offset += len(code)
    index = dumps(rows)
    parts = [modules[name][3] for name in sorted(modules)]
    return b"".join((form, MAGIC_NUMBER, len(index).to_bytes(8, "big"), index, *parts))


def bundle_file(package: str) -> str:
    return f"{package}/__pycache__/hook.{sys.implementation.cache_tag}.bundle"


class Bundle:
    def __init__(self, package: str) -> None:
        self.package = package
        self.file = bundle_file(package)
        self.rows: dict[str, Row] = {}
        self.used: set[str] = set()
        self.begins = 0
        self.stream = -1
        self.is_sealed = False
        try:
            self.stream = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
            head = os.pread(self.stream, _HEAD, 0)
            self.is_sealed = head[:-8] == _SEALED + MAGIC_NUMBER
            if self.is_sealed or head[:-8] == _FORM + MAGIC_NUMBER:
                length = int.from_bytes(head[-8:], "big")
                size = os.fstat(self.stream).st_size
                whole = _HEAD + length <= size <= _MOST
                rows = loads(os.pread(self.stream, length, _HEAD)) if whole else {}  # noqa: S302 - as Python does it
                self.begins = _HEAD + length
                # INVARIANT: what was cut short, or is longer than its index says, is none.
                if self.begins + sum([row[4] for row in rows.values()]) == size:
                    self.rows = rows
        except (OSError, ValueError, EOFError, TypeError, AttributeError, IndexError):
            self.rows = {}

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        if not self._has(name):
            return None
        row = self.rows[name]
        file = self._source(name, is_package=row[0])
        spec: Any = ModuleSpec(name, self, origin=file, is_package=row[0])  # type: ignore[arg-type]
        if row[0]:
            spec.submodule_search_locations.append(file[: -len("/__init__.py")])
        return spec

    def _has(self, name: str) -> bool:
        """Whether the module is here, and of the source as it is now."""
        row = self.rows.get(name)
        if row is None or self.is_sealed:
            return row is not None
        try:
            now = os.stat(self._source(name, is_package=row[0]))
        except OSError:
            return False
        return (now.st_mtime_ns, now.st_size) == row[1:3]

    def create_module(self, _spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        _, _, _, offset, length = self.rows[module.__name__]
        # Instead of `has_location` of the spec, which has Python work out `__cached__` too: a fortieth of a start.
        module.__file__ = module.__spec__.origin  # type: ignore[union-attr]  # from find_spec
        self.used.add(module.__name__)
        code = loads(os.pread(self.stream, length, self.begins + offset))  # noqa: S302 - as Python does it
        exec(code, module.__dict__)  # noqa: S102 - as an import does

    def keep(self) -> None:
        """Writes the file anew if modules were imported that it does not have. What goes wrong leaves it as it was."""
        if self.is_sealed or sys.dont_write_bytecode:
            return
        names = [name for name in sys.modules if name.startswith(_OURS + ".") and name not in self.used]
        names = [name for name in names if not self._has(name)]
        fresh = {name: found for name in names if (found := _compiled(sys.modules[name])) is not None}
        if not fresh:
            return
        kept = {
            name: (is_package, time, size, os.pread(self.stream, length, self.begins + at))
            for name, (is_package, time, size, at, length) in self.rows.items()
            if name not in fresh
        }
        whole = packed(_FORM, kept | fresh)
        if len(whole) > _MOST:
            return
        beside = f"{self.file}.{os.getpid()}"
        stream = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            left = memoryview(whole)
            while left:
                left = left[os.write(stream, left) :]
            os.close(stream)
            os.replace(beside, self.file)
        except BaseException:
            os.unlink(beside)
            raise

    def _source(self, name: str, *, is_package: bool) -> str:
        path = self.package + name[len(_OURS) :].replace(".", "/")
        return path + ("/__init__.py" if is_package else ".py")


def _compiled(module: Any) -> tuple[bool, int, int, bytes] | None:
    """What Python keeps of the module beside its source, if it is of that source."""
    file, cached = getattr(module, "__file__", None), getattr(module, "__cached__", None)
    if type(file) is not str or type(cached) is not str or not file.endswith(".py"):
        return None
    try:
        now = os.stat(file)
        stream = os.open(cached, os.O_RDONLY | os.O_CLOEXEC)
        try:
            raw = os.pread(stream, _MOST, 0)
        finally:
            os.close(stream)
    except OSError:
        return None
    time, size = (int.from_bytes(raw[at : at + 4], "little") for at in (8, 12))
    plain = raw[:8] == MAGIC_NUMBER + b"\0\0\0\0"
    if not plain or (time, size) != (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF):
        return None
    return file.endswith("/__init__.py"), now.st_mtime_ns, now.st_size, raw[_PYC_HEAD:]
