"""find and xargs: commands that are run on what is found or fed."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..commands.acts import on_path
from ..commands.engine import act_on, run_command
from ..commands.options import parse as parse_options
from ..commands.spec import Adds
from ..evaluate.words import NUL, Arg
from ..paths import in_project
from ..places import is_secret

if TYPE_CHECKING:
    from ..commands.spec import Program
    from ..evaluate.state import Shell

__all__ = ["by_name", "find", "lsof", "xargs"]


def xargs(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`xargs CMD`: the command, with what comes in as further words."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text}` is an option that is not known", span)
    command = parsed.operands or [Arg("echo", span)]
    flowing = shell.stdin
    if "file" in parsed.switches:
        flowing = None
        for option, value in parsed.values:
            if option.role == "read":
                on_path("read", value, shell)
    mark = next(
        (value.text for option, value in parsed.values if option.name in ("-I", "-J")),
        "{}" if "-i" in parsed.switches else None,
    )
    if flowing is not None and flowing.glob and not flowing.unknown:
        words = [Arg(flowing.text, span, glob=True)]
    elif flowing is not None and flowing.known and _plain_words(flowing.text, parsed.switches):
        pieces = flowing.text.split("\n") if mark else flowing.text.split()
        words = [Arg(piece.strip(" \t") if mark else piece, span) for piece in pieces if piece.strip()]
    else:
        words = [Arg(NUL, span, why="what xargs is fed")]
    if mark:
        filled = [
            Arg(
                arg.text.replace(mark, word.text),
                arg.span,
                arg.glob or (mark in arg.text and word.glob),
                arg.why or word.why,
            )
            for word in words[:1] or [Arg("", span)]
            for arg in command
        ]
        if len(words) > 1:
            for word in words[1:]:
                run_command(
                    [Arg(a.text.replace(mark, word.text), a.span, a.glob, a.why) for a in command], span, shell.copy()
                )
    else:
        filled = [*command, *words]
    inner = shell.copy()
    inner.stdin = None
    return run_command(filled, span, inner)


def lsof(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`lsof -i :8080`: the word after `-i` is an address, unless it is an option."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    after = [word for at, word in enumerate(args[1:]) if args[at].text[:1] == "-" and args[at].text.endswith("i")]
    parsed.operands = [operand for operand in parsed.operands if operand not in after]
    return act_on(row, parsed, args, span, shell)


_FIND_VALUES = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -perm -user "
    "-group -uid -gid "
    "-mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -samefile -inum -links -fstype "
    "-lname -ilname -printf -used -context -newermt -newerat -newerct -D -files0-from".split()
)
_FIND_SWITCHES = frozenset(
    "-print -print0 -ls -prune -quit -depth -d -mount -xdev -follow -empty -readable -writable -executable "
    "-nouser -nogroup "
    "-true -false -daystart -noleaf -ignore_readdir_race -a -and -o -or -not ! ( ) , -H -L -P -O1 -O2 -O3 -E -X "
    "-s -warn -nowarn".split()
)


def find(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`find PLACES EXPRESSION`: the places are searched; -delete, -exec and -fprint act on what is found."""
    rest = args[1:]
    places: list[Arg] = []
    while rest and rest[0].text in ("-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x"):
        rest.pop(0)
    while rest and not (rest[0].text[:1] in ("-", "(", "!", ",") and not rest[0].unknown):
        if rest[0].unknown and rest[0].text.startswith(NUL):
            shell.unclear(f"an argument of `find` is not known: {rest[0].why}", rest[0].span)
        places.append(rest.pop(0))
    places = places or [Arg(".", span)]
    named = [Arg(_below(place), place.span, True, place.why) for place in places]
    at = 0
    prints = True
    hunts = _hunts(rest)
    for place in places:
        outside = place.text.startswith("/") and not in_project(shell.found.facts.root, place.text.rstrip("/") or "/")
        on_path("search", place, shell, [_HUNTS] if hunts and outside else ())
    while at < len(rest):
        word = rest[at]
        text = word.text
        at += 1
        if word.unknown and text not in _FIND_VALUES:
            shell.unclear(f"an argument of `find` is not known: {word.why}", word.span)
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = at
            while end < len(rest) and rest[end].text not in (";", "+"):
                end += 1
            _found_by(rest[at:end], _matches(rest, named), text.endswith("dir"), span, shell)
            at, prints = end + 1, False
        elif text == "-delete":
            for item in _matches(rest, named):
                on_path("delete", item, shell)
            prints = False
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            if at < len(rest):
                on_path("write", rest[at], shell)
            at += 2 if text == "-fprintf" else 1
            prints = False
        elif text == "-files0-from":
            if at < len(rest):
                on_path("read", rest[at], shell)
            shell.unclear("the places that `find` searches stand in a file, which is not read", span)
            at += 1
        elif text in _FIND_VALUES or text.startswith("-newer"):
            at += 1
        elif text not in _FIND_SWITCHES:
            shell.unclear(f"`{text[:40]}` is not known to `find`", span)
    return named[0] if len(named) == 1 and prints else None


_HUNTS = Adds(tags=("hunts",))


def _hunts(rest: list[Arg]) -> bool:
    """An expression that asks for keys by name."""
    for at, word in enumerate(rest[:-1]):
        value = rest[at + 1]
        if word.text in ("-name", "-iname") and value.text in _KEYS:
            return True
        if word.text in ("-name", "-iname") and not value.glob and is_secret("/" + value.text):
            return True
    return False


_KEYS = frozenset(
    ("shadow", "gshadow", "sudoers", "credentials", "id_rsa*", "*.pem", "*.key", "*.kdbx", "*.p12", "*.pfx")
)


def _plain_words(text: str, switches: set[str]) -> bool:
    """xargs splits at blanks, but for quotes, backslashes and options that say otherwise."""
    return not any(char in text for char in "\"'\\") and switches.isdisjoint(
        ("-0", "-d", "-n", "-L", "-l", "-E", "-e", "-s")
    )


def _below(place: Arg) -> str:
    return (place.text.rstrip("/") or "") + "/*"


def _matches(rest: list[Arg], named: list[Arg]) -> list[Arg]:
    """What an expression may match: below the places, and with the name it asks for, if it is one alone."""
    names = [rest[i + 1] for i, word in enumerate(rest[:-1]) if word.text == "-name"]
    alone = (
        len(names) == 1
        and names[0].known | names[0].glob
        and not any(w.text in ("-o", "-or", "!", "-not") for w in rest)
    )
    if not alone:
        return named
    return [
        Arg(item.text + "/" + names[0].text if item.text.endswith("/*") else item.text, item.span, True, item.why)
        for item in named
    ]


def _found_by(command: list[Arg], named: list[Arg], in_its_folder: bool, span: tuple[int, int], shell: Shell) -> None:
    if not command:
        return
    for item in named:
        filled = [
            Arg(arg.text.replace("{}", item.text), arg.span, arg.glob or "{}" in arg.text, arg.why or item.why)
            for arg in command
        ]
        inner = shell.copy()
        inner.stdin = None
        if in_its_folder and not command[0].text.startswith("/") and "/" in command[0].text:
            inner.folders = None
        run_command(filled, span, inner)


def by_name(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """locate: names of the whole machine; those of keys are looked for by whoever wants keys."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    plain = row.replace(special=None)
    if any(arg.text in _KEYS or (arg.known and is_secret("/" + arg.text.lstrip("/"))) for arg in parsed.operands):
        plain = plain.replace(tags=(*row.tags, "hunts"))
    return act_on(plain, parsed, args, span, shell)
