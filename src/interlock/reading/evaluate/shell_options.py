"""The options of a shell, read as bash reads them: in `set`, behind `bash` itself, and in a first line `#!`.

An `o` in a cluster takes the next word, so `set -euo pipefail` leaves `$1` as it is, and `bash -oc pipefail TEXT` runs
TEXT. Which word is an option and which one is handed on decides what `rm -rf "$1"` removes. Words that bash would
refuse, and an `o` before another option, have no meaning here either: who asks gets None.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Set", "Started", "interpreter_of", "set_by", "started_by"]

# Letter -> the name that `-o` takes for the same.
_LETTERS = {
    "a": "allexport", "b": "notify", "e": "errexit", "f": "noglob", "h": "hashall", "k": "keyword", "m": "monitor",
    "n": "noexec", "p": "privileged", "t": "onecmd", "u": "nounset", "v": "verbose", "x": "xtrace",
    "B": "braceexpand", "C": "noclobber", "E": "errtrace", "H": "histexpand", "P": "physical", "T": "functrace",
}  # fmt: skip
_NAMES = frozenset(
    (*_LETTERS.values(), "emacs", "history", "ignoreeof", "interactive-comments", "nolog", "pipefail", "posix", "vi")
)
# Options of bash with a name. They come first, with one dash or two.
_LONG = frozenset(
    "debug debugger dump-po-strings dump-strings help login noediting noprofile norc posix pretty-print protected "
    "restricted verbose version wordexp".split()
)
_LONG_WITH_FILE = frozenset(("rcfile", "init-file"))


class Set:
    """What `set WORDS` does: options as `-errexit` and `+xtrace`, and where the new parameters begin, if any."""

    __slots__ = ("changes", "parameters")

    def __init__(self, changes: list[str], parameters: int | None) -> None:
        self.changes = changes
        self.parameters = parameters  # None: they stay


def set_by(words: Sequence[str]) -> Set | None:
    changes: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word[:1] not in ("-", "+"):
            return Set(changes, at)
        at += 1
        if word == "--":
            return Set(changes, at)
        if word == "-":
            return Set([*changes, "+xtrace", "+verbose"], at if at < len(words) else None)
        for letter in word[1:]:
            if letter != "o":
                name = _LETTERS.get(letter)
            elif at == len(words) or not words[at]:
                continue  # it lists them
            else:
                name, at = words[at] if words[at] in _NAMES else None, at + 1
            if name is None:
                return None
            changes.append(word[0] + name)
    return Set(changes, None)


class Started:
    """How a shell is started.

    long    options with a name; `files` are those that they name, by their place
    flags   each letter with its sign, and what `-o` and `-O` name
    rest    where the options end
    """

    __slots__ = ("files", "flags", "long", "rest")

    def __init__(self) -> None:
        self.long: list[str] = []
        self.files: list[int] = []
        self.flags: list[str] = []
        self.rest = 0


def started_by(words: Sequence[str]) -> Started:
    """The words behind the name of the shell. An `o` takes the next word, whatever it looks like."""
    found, at = Started(), 0
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("-", "--"):
        word, at = words[at], at + 1
        name = word.lstrip("-") if word[0] == "-" else ""
        if not found.flags and name in _LONG_WITH_FILE:
            found.files.append(at)
            at += 1
        elif word[:2] == "--" or (not found.flags and name in _LONG):
            found.long.append(name)
        else:
            for letter in word[1:]:
                if letter in "oO" and at < len(words):
                    found.flags.append(word[0] + words[at])
                    at += 1
                else:
                    found.flags.append(word[0] + letter)
    found.rest = min(at + (at < len(words) and words[at] in ("-", "--")), len(words))
    return found


_ENV = frozenset(("/usr/bin/env", "/bin/env"))
_PLAIN = frozenset(
    ("-e", "-u", "-x", "-v", "-E", "-T", "-pipefail", "-errexit", "-nounset", "-xtrace", "-errtrace", "-functrace")
)


def interpreter_of(first: str) -> tuple[str, bool]:
    """The program that a first line `#!…` names, and whether it runs just the file, as if started with its name alone.

    Linux hands on all that stands behind the program as one word, macOS as several. With options that take a word the
    first fails, and the second runs the file.
    """
    words = first[2:].split()
    if words and words[0] in _ENV:
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    if not words:
        return "", False
    started = started_by(words[1:])
    plain = not started.long and not started.files and _PLAIN.issuperset(started.flags)
    return words[0], plain and started.rest == len(words) - 1
