"""What flows through a pipe, where it is a file as it lies on the disk: `cat x.patch | patch`, `zcat a.tgz | tar x`.

The text is not known, so that for every other purpose it stays a pipe like any other. Programs that place what they
are fed can ask for the file behind it. Packing and unpacking are left out of account: a listing
looks through them by itself.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..core.streams import ERRORS, OUTPUT
from ..machine.places import where
from .flows import Flow, Poured
from .origins import file_of

if TYPE_CHECKING:
    from .state import Shell
    from .words import Arg

__all__ = ["pour", "poured_from"]

_POURS = frozenset("cat zcat bzcat xzcat lzcat pv".split())
_UNPACKS = frozenset("gunzip bunzip2 unxz unpigz".split())  # with an option that says so
_EITHER = frozenset("gzip bzip2 xz pigz zstd lz4".split())
_PRINTS = frozenset("-c --stdout --to-stdout".split())


def pour(words: tuple[Arg, ...], since: int, span: tuple[int, int], shell: Shell) -> Flow | None:
    """What the command puts into the pipe behind it, if that is what it has from one file, or from one such pipe.

    `since`: the first of its actions, one of which is the reading of a file that it is redirected to.
    """
    name = words[0].text.rpartition("/")[2]
    if name == "tee":
        twice = any(word.text in OUTPUT or word.text in ERRORS for word in words)
        return shell.stdin if isinstance(shell.stdin, Flow) and not twice else None
    if name not in _POURS and name not in _UNPACKS and name not in _EITHER:
        return None
    flags = [word.text for word in words[1:] if word.text[:1] == "-" and len(word.text) > 1]
    files = [word for word in words[1:] if word.text[:1] != "-" or word.text == "-"]
    letters = {f"-{letter}" for flag in flags if flag[:2] != "--" for letter in flag[1:]}
    prints = name in _POURS or not files or not _PRINTS.isdisjoint((*letters, *flags))
    if len(files) > 1 or not prints or any(not file.known for file in files):
        return None
    if not files or files[0].text == "-":
        if isinstance(shell.stdin, Flow):
            return shell.stdin
        reads = [action.target.get("path") for action in shell.found.actions[since:] if action.name == "fs:read"]
        path = str(reads[0] or "") if len(reads) == 1 else "" if reads else poured_from(shell)
    else:
        path = where(files[0], shell) if shell.folders is not None and len(shell.folders) == 1 else ""
    return Poured(path, span) if path else None


def poured_from(shell: Shell) -> str:
    """The file that a command is fed by a pipe or a redirection; empty if there is none, or it is not known."""
    given = shell.stdin
    if isinstance(given, Poured):
        return given.path
    return file_of(given.origin) if given is not None and given.unknown else ""
