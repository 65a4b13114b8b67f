"""Processes that are looked up by name or port, to be ended: `kill $(pgrep x)`, `ps aux | grep x | awk … | xargs kill`.

Which numbers come out is the machine's business; that they belong to processes of that name, and that none of these
guards anything, can be told from the words.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .words import NUL, Arg, Names

if TYPE_CHECKING:
    from ..commands.options import Parsed
    from .state import Shell

__all__ = [
    "LISTS",
    "OF_A_NAME",
    "chosen",
    "column",
    "finds_own",
    "inverts",
    "is_person",
    "listed",
    "looked_up",
    "narrows",
]

# Why a text is not known: it is a list of processes, of all or of those with a name that was asked for.
_ALL, _CHOSEN = LISTS = ("the processes that run", "the processes of a name")
_NUMBERS = "the numbers of processes"
OF_A_NAME = (_CHOSEN, _NUMBERS)


def listed(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    return Arg(NUL, args[0].span, why=_ALL)


def chosen(pattern: Arg | None, switches: set[str], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ps aux | grep name | grep -v grep`: the lines of some processes, none of which guards anything."""
    flowing = shell.stdin
    if flowing is None or flowing.why not in LISTS or pattern is None or not pattern.known:
        return None
    if not switches.isdisjoint(("-z", "-c")):
        return None  # all of it as one line, or a number of lines
    if "-v" in switches:
        return flowing
    some = narrows(pattern) and not _guards(pattern.text) and pattern.text.strip("^ ") != "root"
    return Arg(NUL, span, why=_CHOSEN) if some and not is_person(pattern, shell) else None


def column(program: str, span: tuple[int, int], shell: Shell) -> Arg | None:
    """`awk '{print $2}'` of such lines: the numbers of the processes."""
    flowing = shell.stdin
    plain = "".join(program.split()) in ("{print$1}", "{print$2}")
    return Names("*", span, True, _NUMBERS) if plain and flowing is not None and flowing.why == _CHOSEN else None


def _guards(name: str) -> bool:
    """True if such processes guard something, or serve the whole machine."""
    from ..specials.watching import finds_watcher, is_service, watches_over

    return finds_own(name) or watches_over(name) or finds_watcher(name) or is_service(name)


def finds_own(pattern: str) -> bool:
    """True if the guard is among the processes that the pattern finds: `interlock`, `interlo`, `inter.ock`."""
    plain = pattern.lower().strip("^$ ")
    if _PLAIN.issuperset(plain):
        return _OWN in plain or (len(plain) > 2 and plain != "erl" and plain in _OWN)
    import re

    try:
        return _OWN in plain or re.search(plain, _OWN) is not None
    except (re.error, OverflowError):
        return True  # what it finds is not known


_OWN = "interlock"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789 -_/:,@=\"'")


def is_person(name: Arg, shell: Shell) -> bool:
    """True if it is the name of whoever runs this: it stands in nearly every line, and in many paths."""
    return name.text.strip("^/ ") == shell.found.facts.home.rpartition("/")[2]


def looked_up(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """Numbers of processes that were looked up by name or port; which of a guard's is not for others to know."""
    from ..specials.watching import is_service

    if any(arg.unknown or is_service(arg.text) for arg in args[1:]):
        return None
    if args[0].text == "lsof":
        named = "-t" in parsed.switches and _of_a_port(args[1:], parsed)
    else:
        patterns = parsed.operands
        named = any(map(narrows, patterns)) and not any(map(inverts, args[1:]))
        named = named and not any(finds_own(word.text) or is_person(word, shell) for word in patterns)
    return Names("*", args[0].span, True, _NUMBERS) if named else None


_OF_MANY = frozenset(("-u", "-g", "-d", "-p", "-c", "+D", "+d"))  # each adds to what is listed
_OF_EVERYBODY = frozenset(("22", "53", "ssh", "domain"))


def _of_a_port(words: list[Arg], parsed: Parsed) -> bool:
    """`lsof -t -i :3000`: whoever has that port. Other conditions add to it, unless `-a` says that all must hold."""
    if "-a" not in parsed.switches and any(option.name in _OF_MANY for option, _ in parsed.values):
        return False
    found = False
    for at, word in enumerate(words):
        text = word.text
        before = words[at - 1].text if at else ""
        asked = before[:1] == "-" and before[1:2] != "-" and before.endswith("i")
        if text[:1] == "-" and "i" in text:
            text, asked = text.partition("i")[2], True
        elif text[:1] in ("-", "+") or before == "-s":
            continue
        if asked and text:
            ports = text.rpartition(":")[2].split(",") if ":" in text else []
            if not ports or not all(port.isalnum() and port.lower() not in _OF_EVERYBODY for port in ports):
                return False
            found = True
        elif not asked:
            return False  # a file, and whoever has it open
    return found


def inverts(word: Arg) -> bool:
    """`-v`, `-fv`, `--inverse`: all but those that are named."""
    return word.text.startswith("--inv") or (word.text[:1] == "-" and word.text[1:2] != "-" and "v" in word.text)


def narrows(name: Arg) -> bool:
    """True if the pattern means some processes, and not nearly all: three letters of each alternative are sure."""
    return all(_spelt_out(part) >= 3 and not _is_anywhere(part) for part in name.text.split("|"))


def _is_anywhere(pattern: str) -> bool:
    """`/usr/bin`: names of folders from which most of what runs was started."""
    words = "".join([char if char.isalnum() else " " for char in pattern]).split()
    return all(word in _FOLDERS for word in words)


_FOLDERS = frozenset("bin sbin usr lib lib64 libexec local home opt root system users applications library".split())


def _spelt_out(pattern: str) -> int:
    """How many letters and digits a match must have: none, where something may be left out or stand for anything."""
    if any(char in pattern for char in "(){}?") or "[^" in pattern:
        return 0
    count, at = 0, 0
    while at < len(pattern):
        char, size = pattern[at], 1
        if char == "[":
            size = max(pattern.find("]", at + 2) + 1 - at, 1)
            char = pattern[at + 1 : at + 2] if size == 3 else ""  # `[n]ginx` is nginx
        elif char == "\\":
            char, size = "", 2
        at += size
        if char.isalnum() and pattern[at : at + 1] != "*":
            count += 1
    return count
