"""Where a text came from that is not known, or was made so that it cannot be seen.

Code decides by the `kind` of an origin and by the name that it carries. The sentence that a person reads is made
from the table below, and only where it is shown: rewording one changes no verdict. The kinds are closed; a new one
is a new row here and a new word in `Kind`.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal[
        "answered", "arguments", "array", "brought", "changed", "choice", "coprocess", "decoded", "descriptor",
        "device", "downloaded", "element", "environment", "fed", "file", "files", "folder", "home-of",
        "identifiers", "job",
        "joined", "listed", "located", "made-name", "mixed-names", "named-by", "named-processes", "no-names",
        "of-script", "one-of-many", "opened", "own-process", "part", "part-of-name", "perhaps", "pipe", "printed",
        "process-numbers", "processes", "prompt", "put-together", "python", "read", "rest-of-input", "rest-of-script",
        "secret", "session-file", "several-words", "split", "unread", "unset", "up", "variable", "variable-names",
        "whether-set", "written",
    ]  # fmt: skip

__all__ = [
    "A_SECRET",
    "DECODED",
    "ENVIRONMENT",
    "IDENTIFIERS",
    "LISTED",
    "LOOKED_UP",
    "MADE_NAME",
    "PIPE",
    "PUT_TOGETHER",
    "SENTENCES",
    "SEVERAL_FILES",
    "Origin",
    "file",
    "file_of",
    "printed",
    "said",
    "variable",
    "variable_of",
]


class Origin:
    """`name`: of the variable, file or command, where the kind has one."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: Kind, name: str = "") -> None:
        self.kind = kind
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is Origin and self.kind == other.kind and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __repr__(self) -> str:
        return f"Origin({self.kind!r}, {self.name!r})"


A_SECRET = Origin("secret")
DECODED = Origin("decoded")  # known, but written so that nobody sees it
ENVIRONMENT = Origin("environment")
IDENTIFIERS = Origin("identifiers")  # each one word of letters, digits, dots and slashes, and never an option
LISTED = Origin("listed")  # `ls -A`: unlike a `*` of the shell, with names that begin with a dot
LOOKED_UP = Origin("located")
MADE_NAME = Origin("made-name")  # what `mktemp` prints: no one else has chosen it, and there is no blank or sign in it
PIPE = Origin("pipe")
PUT_TOGETHER = Origin("put-together")  # known, but made of pieces
SEVERAL_FILES = Origin("files")


def file(path: str) -> Origin:
    return Origin("file", path)


def file_of(origin: Origin | None) -> str:
    """The path of the file whose text it is; empty if it is not one file."""
    return origin.name if origin is not None and origin.kind == "file" else ""


def printed(command: str = "") -> Origin:
    return Origin("printed", command)


def variable(name: str) -> Origin:
    return Origin("variable", name)


def variable_of(origin: Origin | None) -> str:
    """The name of the variable whose value it is; empty if it is no variable's."""
    return origin.name if origin is not None and origin.kind == "variable" else ""


# kind -> what a person reads: without a name, and with one.
SENTENCES: dict[Kind, tuple[str, str]] = {
    "answered": ("a server's answer", ""),
    "arguments": ("the arguments of the script", ""),
    "array": ("an array", ""),
    "brought": ("the content of an archive", ""),
    "changed": ("a file that was changed", ""),
    "choice": ("what a person chooses", ""),
    "coprocess": ("the pipes of a coprocess", ""),
    "decoded": ("decoded", ""),
    "descriptor": ("the number of an open file", ""),
    "device": ("a device", ""),
    "downloaded": ("a file that was downloaded", ""),
    "element": ("an element of an array", "an element of `{}`"),
    "environment": ("all variables of the environment", ""),
    "fed": ("the input of xargs", ""),
    "file": ("a file", "the file {}"),
    "files": ("a file", ""),
    "folder": ("the working folder", ""),
    "home-of": ("a home folder", "the folder ~{}"),
    "identifiers": ("the names that a service lists", ""),
    "job": ("a job number", ""),
    "joined": ("words joined by a changed IFS", ""),
    "listed": ("file names, hidden ones included", ""),
    "located": ("the place of a program", ""),
    "made-name": ("the name of a new temporary file", ""),
    "mixed-names": ("file names and other words", ""),
    "named-by": ("the variable that another one names", "the variable that `{}` names"),
    "named-processes": ("processes found by name", ""),
    "no-names": ("file names that may be empty", ""),
    "of-script": ("an option of the script", ""),
    "one-of-many": ("one of several names", ""),
    "opened": ("a descriptor that was opened before", ""),
    "own-process": ("a process of this shell", ""),
    "part": ("a part of a variable", "a part of `{}`"),
    "part-of-name": ("a part of a name", ""),
    "perhaps": ("a file that was written, or not", ""),
    "pipe": ("a pipe", ""),
    "printed": ("the output of a command", "the output of `{}`"),
    "process-numbers": ("the numbers of processes", ""),
    "processes": ("the processes that run", ""),
    "prompt": ("the text of a prompt", ""),
    "put-together": ("put together", ""),
    "python": ("a value in Python", ""),
    "read": ("input that is read at run time", ""),
    "rest-of-input": ("the rest of the input", ""),
    "rest-of-script": ("the rest of the script", ""),
    "secret": ("a secret", ""),
    "session-file": ("a file of this session", ""),
    "several-words": ("a redirection to several words", ""),
    "split": ("words split by an unknown IFS", ""),
    "unread": ("text that could not be read", ""),
    "unset": ("a variable that was unset", "`{}`, which was unset"),
    "up": ("`..` beside names that are unknown", ""),
    "variable": ("a variable", "the value of `{}`"),
    "variable-names": ("the names of variables", ""),
    "whether-set": ("whether a variable is set", "whether `{}` is set"),
    "written": ("a file that a program has written", ""),
}


def said(origin: Origin) -> str:
    """The sentence for a person."""
    plain, named = SENTENCES[origin.kind]
    return named.replace("{}", origin.name) if named and origin.name else plain
