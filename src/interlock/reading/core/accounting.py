"""Holds the words of a command against what was read of it. A word that names a place to be wary of is accounted for.

No table has every option of every program, and a function for one program may miss a form of it. So a word that
names a guarded or secret file, the root or a home folder must be covered by an action on that place, be part of a
command inside this one, or stand where the table says that it is only words: a message, a pattern, what `echo` prints.
Otherwise the command is opaque there, and a guarded place counts as changed, which the floor denies.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..machine.options import by_role, compiled, parse
from ..machine.places import through_links
from ..places.own_places import OWN_COMMAND, is_own_secret
from ..places.paths import Unsettled, settle
from ..places.places import wary_marks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...model.action import Action
    from ...model.facts import Facts
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = [
    "FREE",
    "GROUND",
    "WORDED",
    "account_for",
    "holds_code",
    "marks_to_be_wary_of",
    "may_name",
    "names_wary_place",
    "open_place",
    "settled",
    "targets",
]

# Options whose `text` is words in every program that has them: what people say, what is looked for or left out, how
# something is shown, what parts it. The value of any other option may be a file, whatever its row says.
WORDED = frozenset(
    "--message --title --body --description --desc --comment --note --notes --subject --summary --reason --text "
    "--regexp --grep --pattern --search --filter --glob -g --iglob --include --exclude --exclude-dir --ignore "
    "--match --keyword --query --jq --format --pretty --printf --delimiter --separator --output-delimiter "
    "--word-diff-regex --src-prefix --dst-prefix --line-prefix --ignore-matching-lines --extend-exclude "
    "--ignore-pattern --ignore-paths --ignore-path-pattern --testNamePattern --testPathPattern "
    "--testPathIgnorePatterns --coveragePathIgnorePatterns --host-header --header --base --prompt "
    "--append-system-prompt --type-add --expression --context-separator --path-separator --replace --hide".split()
)

GROUND = frozenset(("ground",))
_PARTS = ("=", ",", "@")
_CODE = frozenset("\"';()<>`|&")


def account_for(args: list[Arg], row: Program | None, since: tuple[int, int, int], shell: Shell) -> None:
    """`since`: how many actions, commands and repeated actions there were before this one was read."""
    found = shell.found
    words = args if args[0].text[:1] == "-" else args[1:]  # `time -o FILE`, which some shells take for a program
    for arg in words:  # every command pays for this: no generator
        if may_name(arg.text):
            break
    else:
        if not _is_hidden(shell.folders):
            return
    done = [*found.actions[since[0] :], *found.again[since[2] :]]
    covered = {name for action in done if _is_judged(action) for name in targets(action)}
    wary = [(arg, *place) for arg in words for place in _wary_of(arg, covered, shell)]
    if row is not None and row.name in found.facts.commands:  # a person has said what it does, and only the floor knows
        wary = [place for place in wary if "guard" in place[3]]
    if not wary or (row is not None and row.name == OWN_COMMAND):
        return
    # Words of a command inside this one; a program that is followed in rounds stands there as itself.
    inner = [words for words, _ in found.commands[since[1] :] if not words or words[0] is not args[0]]
    inside = {id(word) for words in inner for word in words}
    roles = None
    for arg, name, path, marks in wary:
        if id(arg) in inside or _is_covered(arg.text, path, covered, row):
            continue
        if any(action.span == arg.span and action.target.get("path") == path for action in found.actions):
            continue  # in a loop: put down when it was followed before
        if roles is None:
            roles = [] if row is None else list(_roles(row, args))
        role = next((role for word, role in roles if word is arg or _is_value(arg, word, name)), "")
        if role in _AS:
            on_path(_AS[role], Arg(path, arg.span, arg.glob), shell)
        elif role not in FREE and (
            marks != GROUND or not (role in _NAMES or (role in ("", "text") and _is_own_option(arg.text, done)))
        ):
            open_place(args[0].text.rpartition("/")[2], path, marks, arg.span, shell, glob=arg.glob)


def _is_hidden(folders: tuple[str, ...] | None) -> bool:
    return folders is not None and "/." in "\n".join(folders)


# Roles in which a word names no file of this machine, or is a command that is read by itself.
FREE = frozenset(("words", "command", "workdir", "remote-command", "env-file", "identity"))
_NAMES = frozenset(("key", "path"))  # in a store, where `/` is everything that begins so
_AS = {"seen": "list", "shown": "read"}


def _is_own_option(word: str, done: list[Action]) -> bool:
    """`npm run build -- --base=/`: an option of the project's own task."""
    own = any(action.name == "exec:project" for action in done)
    return own and word.partition("=")[0] in WORDED


def _is_covered(word: str, path: str, covered: set[str], row: Program | None) -> bool:
    if path in covered:
        return True
    if row is None or row.special is None:
        return False
    if word in covered:
        return True
    # A function for the program knows from which folder a name counts, and where in a word it stands.
    return any(
        (path.endswith(one) and one.count("/") > 1) or f"/{word}/" in f"{one}/"
        for one in covered
        if one[:1] == "/" != one
    )


def _is_value(arg: Arg, value: Arg, name: str) -> bool:
    """`--exclude=.env`: the value is a part of the word, and the name is all of it or a part of that."""
    joined = value.span == arg.span and arg.text[:1] == "-" and arg.text.endswith(value.text)
    return joined and len(value.text) < len(arg.text) and value.text.endswith(name)


def _is_judged(action: Action) -> bool:
    """Whether its path was held against the tables of places: a row's own field of that name says nothing of it."""
    # What git does to its index alone leaves the file as it is.
    indexed = action.name[:4] == "git:" and ("cached" in action.target or "staged" in action.target)
    return action.name[:3] == "fs:" or indexed or not _JUDGED.isdisjoint(action.tags)


_JUDGED = frozenset(("guard", "home", "obeyed", "outside", "own-secret", "root", "secret"))


def targets(action: Action) -> Iterator[str]:
    for key in _PLACED & {*action.target}:
        value = action.target[key]
        yield from value if type(value) is tuple else (str(value),)


_PLACED = frozenset(("path", "real"))


def _wary_of(arg: Arg, covered: set[str], shell: Shell) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The places to be wary of that the word names, as a whole or behind an option, an `@` or a `=`."""
    for name in _names(arg.text) if arg.text else ():
        for folder in ("/",) if name[0] == "/" else shell.folders or ():
            path = settled(name, folder, shell.found.facts.home)
            if path is None or path in covered:
                continue
            real = (through_links(path, shell.links) if shell.links else None) or path
            marks = marks_to_be_wary_of(real, shell.found.facts, glob=arg.glob)
            if marks and not holds_code(path):
                yield name, path, marks


def may_name(text: str) -> bool:
    """Whether a text could name such a place at all: cheap, and nearly always no."""
    return ("/" in text or "." in text or "~" in text or "_" in text) and "\n" not in text


def settled(name: str, folder: str, home: str) -> str | None:
    if NUL in name:
        return None
    try:
        return settle(name, cwd=folder, home=home)
    except Unsettled:
        return None


def holds_code(path: str) -> bool:
    """Whether it is a text in which such a name stands."""
    return not _CODE.isdisjoint(path) or "~/" in path


def marks_to_be_wary_of(path: str, facts: Facts, *, glob: bool = False) -> frozenset[str]:
    """`guard`, `secret` and `ground`, as they apply to the place; mostly none."""
    marks = wary_marks_of(path, facts, glob=glob)
    if is_own_secret(path, facts):
        marks.append("guard")
    if _is_ground(path, facts.home):
        marks.append("ground")
    return frozenset(marks)


def _names(text: str) -> Iterable[str]:
    """What in the word may be the name of a file: all of it, and what stands behind an option or a mark."""
    if text[0] not in "-+" and ":" not in text and "=" not in text and "," not in text and "@" not in text:
        return (text,)  # as nearly always
    return _names_in_parts(text)


def _names_in_parts(text: str) -> Iterator[str]:
    if "://" in text[:12] and text[:5] != "file:":
        return  # an address; what it carries is read elsewhere
    if text[:5] == "file:":
        yield text[5:]
    elif text[0] != "-":
        yield text
        if text[0] == "+" and "/" in text:
            yield text[text.index("/") :]  # `lsof +D/etc`
    elif text[:2] == "--" and text[2:3] in ("/", "~", "."):
        yield text[2:]
    elif text[1:2] != "-" and "=" not in text:
        yield text[2:] or text
        at = min([at for at in map(text.find, "/~.") if at > 2], default=0)
        if at:
            yield text[at:]  # behind several options in one word
    for mark in _PARTS:
        if mark in text:
            for part in text.split(mark)[1:]:
                if part:
                    yield part.partition(",")[0].lstrip("@<") or part


def names_wary_place(text: str, folder: str, facts: Facts) -> bool:
    """The same of a text that a tool was given."""
    path = settled(text, folder, facts.home) if may_name(text) else None
    return path is not None and bool(marks_to_be_wary_of(path, facts)) and not holds_code(path)


def _is_ground(path: str, home: str) -> bool:
    return path in ("/", "/*", home, home + "/*", "/root", "/home", "/Users")


def _roles(row: Program, args: list[Arg]) -> Iterator[tuple[Arg, str]]:
    """The role in which each word stands, through sub-commands."""
    while True:
        parsed = parse(row, args[1:], stop_at_operand=True if row.subs else None)
        worded = {id(option) for name, option in compiled(row).by_name.items() if name in WORDED}
        for option, value in parsed.values:
            yield value, "words" if option.role == "text" and id(option) in worded else option.role or ""
        if not row.subs or not parsed.operands:
            break
        sub = row.subs.get(parsed.operands[0].text)
        row, args = (sub, parsed.operands) if sub is not None else (row.default, args)  # type: ignore[assignment]
        if row is None:
            return
    for role, words in by_role(compiled(row).roles, parsed.operands):
        for word in words:
            yield word, role


def open_place(
    program: str, path: str, marks: frozenset[str], span: tuple[int, int], shell: Shell, *, glob: bool = False
) -> None:
    """Nobody can tell what becomes of the place: a person decides, or the floor."""
    name = program.replace(NUL, "…")[:40]
    shell.unclear(f"`{name}` is given `{path[:80]}`, and it is unclear what it does with it", span)
    if marks != GROUND:
        on_path("edit" if "guard" in marks else "read", Arg(path, span, glob), shell)
