"""Paths that the code puts together or finds on the disk, given to a function that no table knows.

Strings that are spelt out are accounted for where they stand (accounting.py). What `glob`, `os.walk` or `Path.home()`
give is not there to be seen; it is followed as a value, and where it may name a secret, whoever is given it reads it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..core.accounting import holds_code, marks_to_be_wary_of, settled
from ..evaluate.words import NUL
from .accounting import LEAVES_ALONE
from .values import Given, Held

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evaluate.state import Shell
    from .acts import Acts

__all__ = ["reach"]

_LONGEST = 300
_DEEPEST = 3
# Functions and methods that are given a name and look at no file, or not at what is in it.
_NAMES_ONLY = LEAVES_ALONE | frozenset(
    "access add append appendleft chain compile difference dumps echo encode escape exit extend fnmatchcase "
    "getatime getctime getmtime getsize insert intersection isabs isatty islice lexists loads lstat put push quote "
    "samefile secho setdefault stat union update warn write writelines writerow writerows".split()
)
_RAISED = ("Error", "Exception", "Exit", "Warning")


def reach(reader: Acts, name: str, given: Given) -> int:
    """What a call of a function that is in no table reads of places to be wary of."""
    last = name.rpartition(".")[2]
    if last in _NAMES_ONLY or last.endswith(_RAISED):
        return 0
    flow = 0
    for held in (*given.args, *given.words.values()):
        for one in _values_in(held):
            if _may_name(one, reader.shell):
                flow |= _reached(reader, one)
    return flow


def _values_in(held: Held, depth: int = 0) -> Iterator[Held]:
    """The value, and what is in it: lists and tables, as deep as anyone writes them."""
    yield held
    inside = held.data.values() if held.kind == "table" else held.items or ()
    if depth < _DEEPEST:
        for one in inside:
            yield from _values_in(one, depth + 1)


def _may_name(held: Held, shell: Shell) -> bool:
    text = held.text
    if text is None or held.kind not in ("", "path") or not 0 < len(text) < _LONGEST or NUL in text:
        return False
    if "/" not in text and (shell.folders or ("/",))[0].startswith(shell.found.facts.root):
        return False  # a bare name, which is accounted for where it is spelt; elsewhere than in the project it is not
    return "\n" not in text and "://" not in text and (" " not in text or text[0] in "/~." or held.kind == "path")


def _reached(reader: Acts, held: Held) -> int:
    shell, flow = reader.shell, 0
    for folder in shell.folders or ("/",):
        path = settled(held.text or "", folder, shell.found.facts.home)
        if path is None or (holds_code(path) and not held.glob):
            continue
        if "secret" in marks_to_be_wary_of(path, shell.found.facts, glob=held.glob):
            flow |= reader.path("read", held)
    return flow
