"""find and xargs: commands that are run on what is found or fed."""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING
from ..core.find_tests import IMPLIED, parse_expression
from ..evaluate.origins import IDENTIFIERS, Origin
from ..evaluate.words import NUL, Arg, Names, Unsure
from ..machine.acts import is_tool_folder, on_path
from ..machine.engine import act_on, run_command
from ..machine.index import find_program
from ..machine.options import parse as parse_options
from ..machine.shifted import may_shift
from ..places.paths import holds, in_project
from ..places.place_folders import holds_guarded, holds_secret
from ..places.place_table import is_pattern
from ..places.places import is_secret, loosened, marks_of
from ..places.searched import ANY_DEPTH, all_below, among, settled_places, want_listing
from ..tables.spec import Adds

if TYPE_CHECKING:
    from ..core.find_tests import Expression
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["by_name", "find", "lsof", "xargs"]


def xargs(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`xargs CMD`: the command, with what comes in as further words."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text}` is an unknown option", span)
    command = parsed.operands or [Arg("echo", span)]
    may_shift(args, parsed.operands[:1], span, shell)
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
    words = _fed(flowing, mark, parsed.switches, span)
    inner = shell.copy()
    inner.stdin = None
    if not mark:
        single = [word for word in words if word.glob and not is_pattern(word.text)]  # names that a search tells
        several = [word for word in words if word not in single]
        if single and several:  # each may be the last one, where that counts
            groups = [several, *[[word] for word in single]]
            return _all_names([run_command([*command, *group], span, inner.copy()) for group in groups], span)
        if "-n" in parsed.switches and _one_each(parsed):
            return _all_names([run_command([*command, word], span, inner.copy()) for word in words], span)
        fed = words if words and _by_position(command) and not words[0].known else ()
        for word in fed:  # `$1` is one of them, `$2` another
            run_command([*command, *[word] * _POSITIONS], span, inner.copy())
        output = run_command([*command, *words], span, inner)
        sure = all(word.known and type(word) is Arg for word in words) and len(words) > 0 and not parsed.values
        return output if sure or type(output) is Names else None
    outputs = [
        run_command([_with(word, mark, arg) for arg in command], span, inner.copy())
        for word in words or [Arg("", span)]
    ]
    return _all_names(outputs, span)


_POSITIONS = 10  # words that a script can ask for by a digit


def _one_each(parsed: Parsed) -> bool:
    return all(value.text == "1" for option, value in parsed.values if option.name == "-n")


def _by_position(command: list[Arg]) -> bool:
    """A text for a shell, which asks for its words by where they stand."""
    rows = [find_program(arg.text.rpartition("/")[2]) for arg in command if arg.known]
    return any(row is not None and row.special == "shell_program" for row in rows)


def _all_names(outputs: list[Arg | None], span: tuple[int, int]) -> Arg | None:
    """What several runs print, if each prints names."""
    lists = [output.text for output in outputs if output is not None and output.glob and not output.unknown]
    return Names("\n".join(lists), span, True) if len(lists) == len(outputs) else None


def _fed(flowing: Arg | None, mark: str | None, switches: set[str], span: tuple[int, int]) -> list[Arg]:
    """The words that come in. Where it may be none, the command is run all the same, unless each has a place in it."""
    if flowing is not None and flowing.glob and not flowing.unknown:
        kind = Arg if mark or not switches.isdisjoint(("-r", "--no-run-if-empty")) else Names
        whole = mark or not switches.isdisjoint(("-0", "-d"))
        words = flowing.text.split("\n") if whole else flowing.text.split()
        return [kind(word, span, True, flowing.origin) for word in words if word]
    if flowing is not None and flowing.known and type(flowing) is not Unsure and _plain_words(flowing.text, switches):
        pieces = flowing.text.split("\n") if mark else flowing.text.split()
        return [Arg(piece.strip(" \t") if mark else piece, span) for piece in pieces if piece.strip()]
    if flowing is not None and flowing.origin == IDENTIFIERS and flowing.text == NUL and switches <= _IN_TURN:
        return [Arg(NUL, span, origin=IDENTIFIERS)]
    return [Arg(NUL, span, origin=Origin("fed"))]


_IN_TURN = frozenset(("-I", "-J", "-i", "-L", "-n", "-P", "-p", "-r", "-t", "-x", "-o", "--verbose"))


def _with(word: Arg, mark: str, arg: Arg) -> Arg:
    """An argument with the word in place of the mark; `..` beside a name that is not known leads who knows where."""
    if mark not in arg.text:
        return arg
    text = arg.text.replace(mark, word.text)
    if word.glob and text != word.text and ".." in arg.text:
        return Arg(NUL, arg.span, origin=Origin("mixed-names"))
    return Arg(text, arg.span, arg.glob or word.glob, arg.origin or word.origin)


def lsof(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`lsof -i :8080`: the word after `-i` is an address, unless it is an option."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    after = [word for at, word in enumerate(args[1:]) if args[at].text[:1] == "-" and args[at].text.endswith("i")]
    parsed.operands = [_without_sign(operand) for operand in parsed.operands if operand not in after]
    return act_on(row, parsed, args, span, shell)


def _without_sign(word: Arg) -> Arg:
    """`+D/etc` is an option with its value in one word."""
    joined = word.text[:2] in ("+D", "+d") and len(word.text) > 2
    return Arg(word.text[2:], word.span, word.glob, word.origin, word.quoted) if joined else word


_FIND_VALUES = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -perm -user "
    "-group -uid -gid "
    "-mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -samefile -inum -links -fstype "
    "-lname -ilname -printf -used -context -newermt -newerat -newerct -D -files0-from".split()
)
_FIND_SWITCHES = frozenset(
    "-prune -quit -depth -d -mount -xdev -follow -empty -readable -writable -executable "
    "-nouser -nogroup "
    "-true -false -daystart -noleaf -ignore_readdir_race -a -and ( ) -H -L -P -O1 -O2 -O3 -E -X "
    "-s -warn -nowarn".split()
)


def find(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`find PLACES EXPRESSION`: the places are searched; -delete, -exec and -fprint act on what is found."""
    rest = args[1:]
    places: list[Arg] = []
    while rest and rest[0].text in ("-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x"):
        rest.pop(0)
    while rest and not (rest[0].text[:1] in ("-", "(", "!", ",") and not rest[0].unknown):
        below = rest[0].quoted and rest[0].text[1:2] == "/" and is_tool_folder(rest[0])  # one word, and no option
        if rest[0].unknown and rest[0].text.startswith(NUL) and not below:
            shell.unclear(f"an argument depends on {rest[0].why}", rest[0].span)
        places.append(rest.pop(0))
    if all(type(place) is Names and not place.quoted for place in places):
        places.append(Arg(".", span))  # where none is named, or none is found
    named = [Arg(all_below(place.text), place.span, True, place.origin) for place in places]
    named += [place for place in places if _is_telling(place, shell)]
    expression = parse_expression([None if word.unknown else word.text for word in rest], _FIND_VALUES)
    at = 0
    prints = all(not place.unknown for place in places)
    printed: list[Arg] = []
    hunts = _hunts(rest)
    for place in places:
        outside = place.text.startswith("/") and not in_project(shell.found.facts.root, place.text.rstrip("/") or "/")
        on_path("search", place, shell, [_HUNTS] if hunts and outside else ())

    def found(action: int) -> list[Arg]:
        """What gets to an action: names that its tests let through, and the files that count, each by its name."""
        names = expression.names(action)
        by_name = named if names is None else [one for name in names for one in _matching(name, named)]
        return [*by_name, *_reaching(expression, action, places, shell)]

    while at < len(rest):
        word = rest[at]
        text = word.text
        at += 1
        if word.unknown and text not in _FIND_VALUES:
            shell.unclear(f"an argument depends on {word.why}", word.span)
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = at
            while end < len(rest) and rest[end].text not in (";", "+"):
                end += 1
            command, items = rest[at:end], found(at - 1)
            if text.endswith("dir"):
                counting = _reaching(expression, at - 1, places, shell)
                _run_in_folders(command, items[: len(items) - len(counting)], places, counting, span, shell)
            else:
                _run_on(items, command, span, shell)
                if rest[end : end + 1] and rest[end].text == "+" and _by_position(command):
                    _run_on(items, [*command, *command[-1:] * _POSITIONS], span, shell)
            at, prints = end + 1, False
        elif text == "-delete":
            for item in found(at - 1):
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
        elif text in ("-print", "-print0"):
            printed += found(at - 1)
        elif text in _FIND_VALUES or text.startswith("-newer"):
            if text == "-printf" and (at >= len(rest) or rest[at].text not in _WHOLE_NAMES):
                prints = False
            at += 1
        elif text == "-ls":
            prints = False  # more than names
        elif text not in _FIND_SWITCHES and text not in _JOINS:
            shell.unclear(f"`{text[:40]}` is unknown to `find`", span)
    if not prints:
        return None
    formats = [at for at, word in enumerate(rest) if word.text == "-printf"]
    listed = printed + [one for at in formats or ([] if printed else [IMPLIED]) for one in found(at)]
    return Names("\n".join(dict.fromkeys([one.text for one in listed])), span, True)


def _is_telling(place: Arg, shell: Shell) -> bool:
    """A place is found too. No pattern of what lies below it says what it is, or that all of it is acted on."""
    facts = shell.found.facts
    return any(
        holds_guarded(path, facts) or holds_secret(path, facts) or not _WARY.isdisjoint(marks_of(path, facts))
        for _, path in settled_places(place, shell)
    )


_WARY = frozenset(("accounts", "guard", "machine", "obeyed", "privileged", "secret"))


def _reaching(expression: Expression, action: int, places: list[Arg], shell: Shell) -> list[Arg]:
    """The files that count and that get to an action of the expression, each by its name."""
    return among(places, lambda seen, above: expression.reaches(action, seen, above), shell)


_HUNTS = Adds(tags=("hunts",))
_JOINS = frozenset(("-o", "-or", "!", "-not", ","))
_WHOLE_NAMES = frozenset(("%p\\n", "%p\\0", "%p ", "%p"))  # formats that print a name as it was found


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


def _matching(name: str, named: list[Arg]) -> list[Arg]:
    """What is below the places and has the name, and the places themselves, if they have it."""
    matching: list[Arg] = []
    for item in named:
        place = item.text.removesuffix("/" + ANY_DEPTH)
        if matches(loosened(name), place.rpartition("/")[2]):
            matching.append(Arg(place, item.span, True, item.origin))
        if place != item.text:
            matching.append(Arg(f"{item.text}/{name}", item.span, True, item.origin))
    return matching


def _run_on(found: list[Arg], command: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`-exec`: the command, once for each name."""
    for item in found if command else ():
        inner = shell.copy()
        inner.stdin = None
        run_command([_with(item, "{}", arg) for arg in command], span, inner)


def _run_in_folders(
    command: list[Arg], found: list[Arg], places: list[Arg], counting: list[Arg], span: tuple[int, int], shell: Shell
) -> None:
    """`-execdir`: the command runs in the folder of what is found, and other words of it are names there."""
    if not command:
        return
    inner = shell.copy()
    inner.stdin = None
    if not command[0].text.startswith("/") and "/" in command[0].text:
        inner.folders = None
    _run_on(found, command, span, inner)
    folders = {}
    names_others = any("{}" not in arg.text and arg.text[:1] != "-" for arg in command[1:])
    for place in places if names_others else ():  # those in which something is obeyed, whatever was found there
        for folder, path in settled_places(place, shell):
            facts = shell.found.facts
            want_listing(path, shell)
            for at in (folder, facts.root, facts.home):
                if holds(folder, at):
                    folders[at] = Arg("./*", span, True)
    for item in counting:
        for path, _ in settled_places(item, shell):
            above, _, name = path.rpartition("/")
            folders[above or "/"] = Arg(f"./{name}", span, True)
    for folder, item in folders.items():
        if (folder,) != inner.folders:
            there = inner.copy()
            there.folders = (folder,)
            _run_on([item], command, span, there)


def by_name(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """locate: names of the whole machine; those of keys are looked for by whoever wants keys."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(arg.text in _KEYS or (arg.known and is_secret("/" + arg.text.lstrip("/"))) for arg in parsed.operands):
        row = row.replace(tags=(*row.tags, "hunts"))
    return act_on(row, parsed, args, span, shell)
