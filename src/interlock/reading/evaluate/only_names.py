"""The names of settings without their values: `cut -d= -f1 .env`, `grep -v '^#' .env | sed 's/=.*//'`.

Such a command reads a file of secrets and prints nothing of them, if two things are so. Each line of the file is one
setting, `NAME=VALUE`, so that nothing of a value stands on a line of its own; that is a fact of the disk. And of each
line the command prints at most what stands left of the first `=`; that is a table here, of whole forms. What may stand
in front of it in a pipe passes lines on whole, and picks them by their names alone: picking by a value would tell it.
"""

from __future__ import annotations

import re

from ...model.more_wants import HoldsSettings
from ...value import TYPE_CHECKING
from ..shell.syntax import Lit, Simple, Tilde
from .contents import Adding, Changed, Perhaps, filled_above, is_among_changed, may_bring

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import Command, Word
    from .state import Shell
    from .words import Arg

__all__ = ["are_settings", "only_names"]

# A pattern that says nothing of a value: from the start of the line over characters of a name, to the `=` at most.
_CLASS = r"\[(?:A-Z|a-z|0-9|\[:(?:alnum|alpha|upper|lower|digit):\]|[A-Za-z0-9_#])+\]"
_IN_NAMES = rf"(?:{_CLASS}|\\w|[A-Za-z0-9_#])(?:[*+]|\\\+)?"
_BLANKS = r"(?:(?:\\s| |\[\[:space:\]\])\*)?"
_BY_NAME = re.compile(
    rf"\^{_BLANKS}(?:{_IN_NAMES})*=?|\^{_BLANKS}\$|\^\[\^#?=?\](?:[*+]|\\\+)?=?|=|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+=?"
)
_NAME_ALONE = re.compile(rf"\^(?:\[\^#?=\](?:[*+]|\\\+)?|{_IN_NAMES})+=?")
_BEHIND = r"[=A-Za-z0-9_<>* .-]*"  # what is put where the value stood
_CUTS_OFF = re.compile(rf"s([/|,#!])=\.\*\$?\1{_BEHIND}\1g?(p?)")
_KEEPS = re.compile(rf"s([/|,#!])\^\\?\((?:\[\^=\](?:[*+]|\\\+)|(?:{_IN_NAMES})+)\\?\)=\.\*\$?\1\\1{_BEHIND}\1(p)")
_COLUMN = re.compile(r"\s*(?:NF|!?/([^/]*)/)?\s*\{\s*print\s*\$1\s*;?\s*\}\s*")
_LETTERS = {"grep": frozenset("EPiohsnw"), "pick": frozenset("EPivhsw"), "quiet": frozenset("EPiqcsvw")}


def only_names(commands: list[Command], since: int, shell: Shell) -> None:
    """Takes the mark `secret` off the files that these commands, a pipe so far, read only to print names."""
    actions = shell.found.actions
    read = [at for at in range(since, len(actions)) if actions[at].name == "fs:read" and "secret" in actions[at].tags]
    if not read or not all(_plainly_read(command, shell) for command in commands):
        return
    words = [[_literal(word) or "" for word in command.words] for command in commands]  # type: ignore[union-attr]
    *before, last = words
    if not _takes_names(last) or not all(map(_passes_lines, before)):
        return
    if all(are_settings(actions[at].target.get("path"), shell) for at in read):
        for at in read:
            actions[at] = actions[at].replace(tags=tuple([mark for mark in actions[at].tags if mark != "secret"]))


def are_settings(path: object, shell: Shell) -> bool:
    """Whether each line of the file is one setting, with what this call has added to it."""
    if type(path) is not str or "*" in path or any(map(may_bring, shell.found.actions)):
        return False
    if filled_above(path, shell) is not None or (shell.found.changed and is_among_changed(path, shell)):
        return False
    held = shell.files.get(path)
    if not all(
        _adds_settings(way, path) for way in (held.ways or (held.likely,) if type(held) is Perhaps else (held,))
    ):
        return False
    want = HoldsSettings(path)
    if want not in shell.found.facts.known:
        shell.found.want(want)
    return shell.found.facts.known.get(want) is True


def _adds_settings(held: Arg | None, path: str) -> bool:
    """Nothing, or lines behind what was there."""
    if held is None:
        return True
    if type(held) is not Changed or held.base != path:
        return False
    return all(type(change) is Adding and _is_setting(change.more) for change in held.changes)


_SETTING = re.compile(r"(?:export )?[A-Za-z_][A-Za-z0-9_.]*=[^'\"\\`]*\n?")


def _is_setting(text: str) -> bool:
    return all(_SETTING.fullmatch(line) is not None for line in text.splitlines() if line)


def _plainly_read(command: Command, shell: Shell) -> bool:
    """A program of the system by its name, and words that say all that it does."""
    if type(command) is not Simple or command.assigns or not command.words:
        return False
    name = _literal(command.words[0])
    if name is None or name in shell.functions or name in shell.aliases:
        return False
    if any(_literal(word) is None for word in command.words):
        return False
    return all(item.doc is None and _literal(item.target) is not None for item in command.redirects)


def _literal(word: Word) -> str | None:
    """The text of a word that nothing is put into; a file below the home folder is one."""
    if word.plain is not None:
        return word.plain
    parts = word.parts
    if not all(type(part) is Lit or (type(part) is Tilde and part is parts[0]) for part in parts):
        return None
    if any(type(part) is Lit and not part.quoted and not set("*?[{").isdisjoint(part.text) for part in parts):
        return None
    return "".join([part.text if type(part) is Lit else "~" for part in parts])


def _passes_lines(words: list[str]) -> bool:
    """What stands in front: whole lines, or those that are picked by their names."""
    if words[0] == "cat":
        return all(word[:1] != "-" for word in words[1:])
    return words[0] in _SEARCH and _picked(words, "pick")


def _takes_names(words: list[str]) -> bool:
    taken = _TAKES.get(words[0])
    return taken is not None and taken(words)


_SEARCH = ("grep", "egrep")


def _grep(words: list[str]) -> bool:
    letters = _letters(words[1:])
    if "q" in letters or "c" in letters:
        return _picked(words, "quiet")
    operands = _operands(words)
    return "o" in letters and _LETTERS["grep"] >= letters and _fits(_NAME_ALONE, operands[:1])


def _picked(words: list[str], kind: str) -> bool:
    return _LETTERS[kind] >= _letters(words[1:]) and _fits(_BY_NAME, _operands(words)[:1])


def _fits(pattern: re.Pattern[str], words: list[str]) -> bool:
    """One word, or alternatives, each of which fits."""
    return bool(words) and all(pattern.fullmatch(part) is not None for part in re.split(r"\\?\|", words[0]))


def _letters(words: list[str]) -> set[str]:
    """The letters of all options; one that is written out is none of the table."""
    return set("".join([word[1:] for word in words if word[:1] == "-"]))


def _operands(words: list[str]) -> list[str]:
    return [word for word in words[1:] if word[:1] != "-"]


def _cut(words: list[str]) -> bool:
    options = " ".join([word for word in words[1:] if word[:1] == "-" or word in ("=", "1")])
    return re.fullmatch(r"(?:-s )?(?:-d ?= -f ?1|-f ?1 -d ?=|--delimiter== --fields=1)(?: -s)?", options) is not None


def _sed(words: list[str]) -> bool:
    """Options, one script, files. A second script would print the lines as they are."""
    at = next((at for at, word in enumerate(words[1:], 1) if word[:1] != "-"), 0)
    if not at or any(word[:1] == "-" for word in words[at:]) or not set(words[1:at]) <= _SED_OPTIONS:
        return False
    made = _CUTS_OFF.fullmatch(words[at]) or _KEEPS.fullmatch(words[at])
    scripts = [word for word in words[1:at] if "e" in word]
    if made is None or (scripts and scripts != [words[at - 1]]):
        return False
    return ("n" in _letters(words[1:at])) == (made[2] == "p")


_SED_OPTIONS = frozenset("-n -e -E -r -nE -En -ne -nr -rn".split())


def _awk(words: list[str]) -> bool:
    rest = words[1:]
    if rest[:1] == ["-F"]:
        rest = ["-F" + "".join(rest[1:2]), *rest[2:]]
    made = _COLUMN.fullmatch(rest[1]) if rest[:1] == ["-F="] and len(rest) > 1 else None
    if made is None or "=" in "".join(rest[2:]):
        return False
    return not made[1] or _BY_NAME.fullmatch(made[1]) is not None


_TAKES: dict[str, Callable[[list[str]], bool]] = {
    "awk": _awk, "cut": _cut, "egrep": _grep, "gawk": _awk, "grep": _grep, "mawk": _awk, "sed": _sed,
}  # fmt: skip
