"""What a name of Python code may hold, as far as it is known: a text, a path, a list, a function, where it came from.

Names that the disk decides are a pattern; what is put together from something unknown keeps the unknown part. `flow`
says what a value carries with it, whatever is made of it on the way: a secret, something fetched, something that was
looked up by its name.
"""

from __future__ import annotations

import ast
from functools import reduce
from math import prod

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL
from .modules import STANDARD

if TYPE_CHECKING:
    from typing import Any

    from .names import Scope

__all__ = [
    "BY_NAME",
    "DECODED",
    "EITHER",
    "FOUND",
    "GIVEN",
    "MAX_TEXT",
    "OWN_NAMES",
    "REMOTE",
    "SECRET",
    "SOME",
    "TOKEN",
    "UNKNOWN",
    "Function",
    "Given",
    "Held",
    "as_text",
    "either",
    "join_paths",
    "joined",
    "parsed",
    "reference",
    "same",
    "unknown",
]

SECRET = 1  # read from a secret place
REMOTE = 2  # fetched from another machine
BY_NAME = 4  # looked up by its name while the code runs: it may be any function
DECODED = 8  # written so that it cannot be seen
TOKEN = 16  # a secret of the environment, which is there to be shown to a server
GIVEN = 32  # handed over by code that is not read here: a fixture, the project, a package
FOUND = 64  # out of a table of names, or what a module gives that finds things by name: data, unless it is called

EITHER = "either"  # kind of a value that is one of its items
SOME = "some"  # kind of a list that holds some of its items
MAX_TEXT = 50_000  # of a text that is put together
_FEW = 6


class Function:
    """A function that the code defines. `given` are the values of its defaults, by parameter."""

    __slots__ = ("any_time", "called", "first", "given", "loose", "node", "scope", "static")

    def __init__(self, node: Any, scope: Scope, given: dict[str, Held], static: bool = False) -> None:
        self.node = node
        self.scope = scope
        self.given = given
        self.static = static  # called on an object, it is not given the object
        self.called = False
        self.any_time = False  # whether Python itself calls it, and nobody sees with what: `__getitem__`
        self.first = ""  # what a runner of tasks gives it first (tasks.py)
        self.loose = False  # handed on, so that it may be called at any time with anything


class Held:
    """
    text    a text or a path, with NUL for what is not known of it; `glob`: the disk decides
    items   what is in a list or a tuple; None: not known, or no list
    name    what an import or a builtin stands for, dotted
    kind    what else it is: `path`, `file`, `number`, `either`, …; `data` belongs to it
    """

    __slots__ = ("code", "data", "flow", "glob", "items", "kind", "name", "text", "used")

    def __init__(
        self,
        text: str | None = None,
        glob: bool = False,
        flow: int = 0,
        kind: str = "",
        data: Any = None,
        items: list[Held] | None = None,
        name: str | None = None,
        code: Function | None = None,
    ) -> None:
        self.text = text
        self.glob = glob
        self.flow = flow
        self.kind = kind
        self.data = data
        self.items = items
        self.name = name
        self.code = code
        self.used = False  # whether what is in the list was looked at

    @property
    def known(self) -> bool:
        return self.text is not None and not self.glob and NUL not in self.text


class Given:
    """What a call is given: values by place, values by name; `spread`: and more of which nothing is known."""

    __slots__ = ("args", "flow", "node", "spread", "words")

    def __init__(self, args: list[Held], words: dict[str, Held] | None = None, spread: bool = False) -> None:
        self.args = args
        self.words: dict[str, Held] = {} if words is None else words
        self.spread = spread
        self.flow = 0
        self.node: ast.Call | None = None

    def get(self, at: int, *names: str) -> Held | None:
        if at < len(self.args):
            return self.args[at]
        for name in names:
            if name in self.words:
                return self.words[name]
        return None


_BLANK = tuple([Held(flow=flow) for flow in range(128)])
UNKNOWN = _BLANK[0]
_REFERENCES: dict[str, Held] = {}


def unknown(flow: int) -> Held:
    return _BLANK[flow]


# Modules that others import and hand out: `shutil.os.system` is `os.system`.
_HANDED_OUT = frozenset("builtins ctypes importlib os posix pty runpy shutil subprocess sys".split())
# The same, where the other is one of Python's own: packages have an `io` or a `codecs` that is something else.
_HANDED_OUT_BY_PYTHON = frozenset(
    "_thread asyncio bdb bz2 codecs fileinput gzip inspect io linecache lzma marshal multiprocessing pathlib pickle "
    "pkgutil pydoc tarfile tempfile threading types zipfile zipimport".split()
)
_OPENS = ("bltn_open", "_builtin_open")  # how modules call `open` that have one of their own
# Modules that do the work of another one, under a name that nobody is meant to use.
OWN_NAMES = {
    "_codecs": "codecs", "_dbm": "dbm.ndbm", "_functools": "functools", "_gdbm": "dbm.gnu", "_io": "io", "_ssl": "ssl",
    "_operator": "operator", "_pickle": "pickle", "_pyio": "io", "_socket": "socket", "_sqlite3": "sqlite3",
    "_tkinter": "tkinter", "nt": "os", "posix": "os",
}  # fmt: skip


def _by_its_own_name(name: str) -> str:
    parts = name.split(".")
    if len(parts) > 1 and parts[-1] in _OPENS:
        return "open"
    parts[:1] = OWN_NAMES.get(parts[0], parts[0]).split(".")
    of_python = parts[0] in STANDARD
    for at in range(len(parts) - 1, 0, -1):
        plain = parts[at].lstrip("_")
        if plain in _HANDED_OUT:
            if parts[:2] == ["asyncio", "subprocess"] and at == 1:
                break  # a module of its own
            return ".".join([OWN_NAMES.get(plain, plain), *parts[at + 1 :]])
        if of_python and parts[at] in _HANDED_OUT_BY_PYTHON:
            return ".".join(parts[at:])
    return ".".join(parts)


def reference(name: str) -> Held:
    """What an import stands for. Such values are many and alike: each is made once."""
    found = _REFERENCES.get(name)
    if found is None:
        found = Held(name=_by_its_own_name(name))
        if len(_REFERENCES) < 2000:  # what runs for weeks does not collect names of others
            _REFERENCES[name] = found
    return found


def as_text(held: Held) -> str:
    if held.text is not None:
        return held.text
    return str(held.data) if held.kind == "number" else NUL


def joined(parts: list[Held], between: str = "") -> Held:
    at = next((at for at, part in enumerate(parts) if part.kind == EITHER and part.items), -1)
    if at >= 0 and prod([len(part.items or ()) for part in parts if part.kind == EITHER]) <= _FEW:
        whole = [joined([*parts[:at], choice, *parts[at + 1 :]], between) for choice in parts[at].items or ()]
        return reduce(either, whole)
    texts, flow, glob, size = [], 0, False, 0
    for part in parts:
        text = as_text(part)
        texts.append(text)
        size += len(text) + len(between)
        flow |= part.flow
        glob = glob or part.glob
    return Held(between.join(texts), glob, flow) if size <= MAX_TEXT + len(between) else unknown(flow)


def join_paths(parts: list[Held]) -> Held:
    """As `os.path.join` does: an absolute part starts afresh."""
    text, flow, glob = "", 0, False
    for part in parts:
        one = as_text(part)
        flow |= part.flow
        glob = glob or part.glob
        text = one if one.startswith("/") or not text else text.rstrip("/") + "/" + one
        if one[:1] == NUL and len(parts) > 1:
            text = NUL  # what is not known may be absolute, or lead up
        elif NUL in one and part is not parts[0]:
            text = NUL
    return Held(text, glob, flow, "path")


def same(one: Held, other: Held) -> bool:
    if one is other:
        return True
    return (
        one.text == other.text
        and one.glob == other.glob
        and one.flow == other.flow
        and one.kind == other.kind
        and one.name == other.name
        and one.code is other.code
        and one.items is other.items
        and one.data == other.data
    )


def either(one: Held, other: Held) -> Held:
    """What a name holds where two ways meet."""
    if same(one, other):
        return one
    flow = one.flow | other.flow
    choices = [*(one.items or () if one.kind == EITHER else (one,))]
    choices += other.items or () if other.kind == EITHER else (other,)
    if len(choices) > _FEW or any(choice.text is None for choice in choices):
        return unknown(flow)
    return Held(kind=EITHER, items=choices, flow=flow)


def parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
