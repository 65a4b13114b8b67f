"""The standard devices: names under which a program writes nowhere, to the terminal, or to what it has open anyway.

One table for redirections and for every program that takes the name of an output: `> /dev/null`, `tee /dev/stderr`,
`go build -o /dev/null`. They are nothing outside the project, and nothing that a later command could find.

`/dev/stdout` opens anew whatever stands behind the descriptor: after `2< FILE` a write to `/dev/stderr` is one to
FILE. So a file that is opened for reading as 1 or 2 counts as written (evaluate/redirects.py), and where other
descriptors were opened the names are paths like any other. `/dev/stdin` is one always.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["ERRORS", "OUTPUT", "SINKS", "is_device", "is_stream"]

OUTPUT = frozenset(("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"))
ERRORS = frozenset(("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"))
SINKS = frozenset(("/dev/null", "/dev/zero", "/dev/tty"))

# Roles in which a file is opened and written. Whatever is edited is replaced, by most programs.
_POURS = frozenset(("write", "builds"))

# Programs that put another file in the place of the one that is there, with the rights of root even of a device; what
# `cp` does depends on its options.
_REPLACES = frozenset(("cp", "gcp", "ginstall", "git", "install", "mv", "gmv", "rsync"))


def is_device(text: str, shell: Shell) -> bool:
    """True if writing under that name reaches no file that the call does not open for writing elsewhere."""
    return text in SINKS or (
        (text in OUTPUT or text in ERRORS) and not any(name[:1] == "&" for name in shell.variables)
    )


def is_stream(role: str, text: str, shell: Shell) -> bool:
    """True if the program that is followed only writes there."""
    if role not in _POURS or not is_device(text, shell):
        return False
    found = shell.found
    words, span = found.commands[-1] if found.commands else ((), (0, 0))
    last = found.actions[-1] if found.actions else None
    if last is not None and last.name == "fs:move" and span[0] <= last.span[0] and last.span[1] <= span[1]:
        return False  # what is moved there takes its place
    name = words[0].text.rpartition("/")[2] if words else ""
    return name not in _REPLACES or (name in ("cp", "gcp") and _is_plain([word.text for word in words[1:]]))


def _is_plain(words: list[str]) -> bool:
    """`cp FILE /dev/stdout`: one file, and no option by which a name is made, or what is there is taken away."""
    return len(words) == 2 and not any(word[:1] in ("-", "\0") for word in words)
