"""Programs that print the names of files: `grep -l`, `rg -l`, `git ls-files`, `fd`; and `grep` over such names.

Each prints a pattern, anything below the folder, and beside it those files by name that count there and that its own
options let through (../searched.py).
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..core.regular import MAYBE, NO, YES, Globs, glob_fits, globs_of, literal_globs
from ..evaluate.origins import LISTED
from ..evaluate.words import Arg, Names
from ..machine.acts import on_path
from ..machine.engine import run_command
from ..machine.options import Parsed
from ..machine.options import parse as parse_options
from ..places.paths import folded
from ..places.place_table import is_pattern
from ..places.searched import ANY_DEPTH, all_below, among, settled_places
from ..places.secret_files import USUAL_SECRETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.find_tests import Seen
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["fd", "kept_names", "names_with", "tracked_names", "tracked_with"]

_EXTENDED = frozenset(("egrep", "rg", "ag", "ack"))
_SEES_HIDDEN = frozenset(("--hidden", "-uu", "-uuu", "-."))
_NOT_THE_TEXT = frozenset(("-v", "--invert-match", "-L", "--files-without-match", "-f"))
# Kinds of files that `rg -t` knows and that are common, by their endings.
_TYPES = {
    "py": ".py .pyi", "js": ".js .jsx .mjs .cjs .vue", "ts": ".ts .tsx .cts .mts", "rust": ".rs", "go": ".go",
    "java": ".java .jsp", "c": ".c .h", "cpp": ".cpp .cc .cxx .hpp .hh .h .hxx .inl", "css": ".css .scss",
    "html": ".html .htm .ejs", "md": ".md .markdown .mdx .mdown .mkd", "markdown": ".md .markdown .mdx",
    "ruby": ".rb gemfile rakefile .gemspec .rbw", "php": ".php .php3 .php4 .php5 .phtml", "swift": ".swift",
    "kotlin": ".kt .kts", "scala": ".scala .sbt", "sql": ".sql .psql", "txt": ".txt", "xml": ".xml",
}  # fmt: skip


def names_with(patterns: list[Arg], parsed: Parsed, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg:
    """`grep -rl TEXT PLACES`: files below the places that hold the text, or the places themselves."""
    places = parsed.operands
    name = args[0].text.rpartition("/")[2]
    text = None if "--files" in parsed.switches else _text(patterns, parsed, name)
    sees_hidden = name not in ("rg", "ag", "ack") or not _SEES_HIDDEN.isdisjoint([arg.text for arg in args])
    lets_through = _by_name(parsed)

    def test(seen: Seen, above: Sequence[Seen]) -> int:
        if seen.kind in ("folder", "bare") or (seen.kind == "link" and seen.depth and name != "grep"):
            return NO
        if not sees_hidden and _is_hidden(seen, above):
            return NO
        return min(lets_through(seen, above), YES if text is not None or "--files" in parsed.switches else MAYBE)

    found = among(places, test, shell, text=text)
    return Names("\n".join([*[all_below(place.text) for place in places], *[one.text for one in found]]), span, True)


def _is_hidden(seen: Seen, above: Sequence[Seen]) -> bool:
    return any(one.depth and one.name.rpartition("/")[2][:1] == "." for one in (*above, seen))


def _text(patterns: list[Arg], parsed: Parsed, name: str) -> Globs | None:
    """What stands in the files; None if that cannot be told. The store compares without case."""
    if not parsed.switches.isdisjoint(_NOT_THE_TEXT) or any(option.name == "-f" for option, _ in parsed.values):
        return None
    globs: list[str] = []
    exact = parsed.switches.isdisjoint(("-w", "-x"))
    for pattern in patterns:
        if not pattern.known:
            return None
        for line in pattern.text.split("\n"):
            found = _globs(line, parsed, name)
            if found is None:
                return None
            globs += found.globs
            exact = exact and found.exact and folded(line) == line
    return Globs(globs=tuple(globs), exact=exact) if globs else None


def _globs(text: str, parsed: Parsed, name: str) -> Globs | None:
    if "-F" in parsed.switches or name == "fgrep":
        return literal_globs(text)
    return globs_of(text, extended=name in _EXTENDED or not parsed.switches.isdisjoint(("-E", "-P")))


def _by_name(parsed: Parsed) -> Callable[[Seen, Sequence[Seen]], int]:
    """What options say of the names: `--include`, `--exclude`, `--exclude-dir`, `-g`, `-t`."""
    wanted: list[Arg] = []
    refused: list[Arg] = []
    folders: list[Arg] = []
    kinds: list[Arg] = []
    for option, value in parsed.values:
        if option.name == "--exclude-dir":
            folders.append(value)
        elif option.name == "-t":
            kinds.append(value)
        elif option.name == "--exclude" or (option.name in ("-g", "--iglob") and value.text[:1] == "!"):
            refused.append(Arg(value.text.removeprefix("!"), value.span, value.glob, value.origin))
        elif option.name in ("--include", "-g", "--iglob"):
            wanted.append(value)

    def test(seen: Seen, above: Sequence[Seen]) -> int:
        name = folded(seen.name.rpartition("/")[2])
        if any(_named(one, seen) == YES for one in refused):
            return NO
        if any(_named(one, folder) == YES for one in folders for folder in above if folder.depth):
            return NO
        sure = max([_named(one, seen) for one in wanted]) if wanted else YES
        if kinds:
            endings = [_TYPES.get(kind.text) for kind in kinds]
            typed = [name.endswith(tuple(known.split())) for known in endings if known is not None]
            sure = min(sure, YES if any(typed) else MAYBE if None in endings else NO)
        return sure

    return test


def _named(pattern: Arg, seen: Seen) -> int:
    """A glob without a slash is held against the name, with one against the path."""
    if pattern.unknown:
        return MAYBE
    text = folded(pattern.text)
    if "{" in text:
        return MAYBE
    if "/" not in text.strip("/"):
        return glob_fits(text.strip("/"), folded(seen.name.rpartition("/")[2]))
    return max(glob_fits(text.lstrip("/"), folded(seen.name)), glob_fits("*/" + text.lstrip("/"), folded(seen.name)))


def kept_names(names: Arg, pattern: Arg, parsed: Parsed, args: list[Arg], shell: Shell) -> Arg:
    """`… | grep -v '^./.git/'`: of the names that a search tells, those that this lets through."""
    lines = names.text.split("\n")
    if not pattern.known:
        return names
    found = _globs(pattern.text, parsed, args[0].text.rpartition("/")[2])
    if found is None:
        return names
    inverted = not parsed.switches.isdisjoint(("-v", "--invert-match"))
    fold = not parsed.switches.isdisjoint(("-i", "-y", "--ignore-case"))
    globs = found.folded(folded) if fold else found
    if all(is_pattern(line) for line in lines):
        if inverted or not (names.origin == LISTED or "**" in names.text):
            return names
        # Nobody filters for a file that is not there: `ls -A | grep env` means `.env`.
        meant = [f"./{name}" for name in USUAL_SECRETS if globs.inside(f"./{name}") == YES != globs.inside("./a.txt")]
        return Names("\n".join([*lines, *meant]), names.span, True, names.origin)
    kept = []
    for line in lines:
        text = folded(line) if fold else line
        sure = YES if is_pattern(line) else globs.whole(text) if "-x" in parsed.switches else globs.inside(text)
        if inverted and not is_pattern(line):
            sure = YES - sure
        if sure != NO:
            kept.append(line)
        if sure == MAYBE:
            shell.found.possible.update([path for path, _ in settled_places(Arg(line, names.span), shell)])
    return Names("\n".join(kept), names.span, True, names.origin)


# --- git -------------------------------------------------------------------------------------------------------------


def tracked_names(words: list[Arg], span: tuple[int, int], shell: Shell) -> Arg:
    """`git ls-files`: what git tracks below this folder, or what the options choose of it and beside it.

    Everything that is tracked is a list that nobody has made for the sake of one file: such a file is asked about.
    """
    flags = {word.text for word in words if word.text[:1] == "-"}
    others = not flags.isdisjoint(("-o", "--others"))
    unsure = others or not flags.isdisjoint(("-m", "--modified", "-d", "--deleted"))
    specs = [word.text for word in words if word.text[:1] != "-"]
    unsure = unsure or not [spec for spec in specs if not spec.startswith(_EXCLUDES)]
    here = Arg(".", span)
    if not others:
        shell.found.tracked.update([path for path, _ in settled_places(here, shell)])

    def test(seen: Seen, above: Sequence[Seen]) -> int:
        name = seen.name.removeprefix("./")
        if seen.kind in ("folder", "bare") or name == ".git" or name.startswith(".git/"):
            return NO
        return min(_by_specs(specs, name), MAYBE if unsure else YES)

    found = among([here], test, shell, tracked=not others)
    names = [one.text.removeprefix("./") for one in found]
    return Names("\n".join([ANY_DEPTH, *[name for name in names if name[:1] != "/"]]), span, True)


def tracked_with(words: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`git grep -l TEXT`: files that git tracks and that hold the text."""
    parsed = Parsed()
    rest: list[Arg] = []
    for word in words:
        if word.text[:1] == "-" and word.text != "--":
            letters = word.text[1:] if word.text[1:2] != "-" else "l" if word.text in _NAMES_ONLY else "?"
            if not _GREP_LETTERS.issuperset(letters):
                return None
            parsed.switches.update(["-" + letter for letter in letters])
        elif word.text != "--":
            rest.append(word)
    if "-l" not in parsed.switches or not rest:
        return None
    text = _text(rest[:1], parsed, "grep")
    specs = [word.text for word in rest[1:]]
    here = Arg(".", span)
    shell.found.tracked.update([path for path, _ in settled_places(here, shell)])

    def test(seen: Seen, above: Sequence[Seen]) -> int:
        return min(_by_specs(specs, seen.name.removeprefix("./")), MAYBE if text is None else YES)

    found = among([here], test, shell, tracked=True, text=text)
    return Names("\n".join([ANY_DEPTH, *[one.text.removeprefix("./") for one in found]]), span, True)


_NAMES_ONLY = frozenset(("--name-only", "--files-with-matches"))
_GREP_LETTERS = frozenset("liwEFGIanz")
_EXCLUDES = (":!", ":^", ":(exclude)")


def _by_specs(specs: list[str], name: str) -> int:
    """Paths of git: a folder, a file, or a pattern whose `*` takes in slashes."""
    refused = [spec for spec in specs if spec.startswith(_EXCLUDES)]
    for spec in refused:
        for mark in _EXCLUDES:
            spec = spec.removeprefix(mark)
        if _spec_fits(spec, name) == YES:
            return NO
    wanted = [spec for spec in specs if spec not in refused]
    return max([_spec_fits(spec, name) for spec in wanted]) if wanted else YES


def _spec_fits(spec: str, name: str) -> int:
    spec = spec.removeprefix("./").rstrip("/")
    if spec in (".", "") or name == spec or name.startswith(spec + "/"):
        return YES
    if spec[:1] == ":":
        return MAYBE
    return glob_fits(spec, name) if is_pattern(spec) else NO


# --- fd --------------------------------------------------------------------------------------------------------------


def fd(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`fd PATTERN PLACES`: names below the places; `-x` and `-X` run a command on them."""
    words = args[1:]
    texts = [arg.text for arg in words]
    starts = [at for at, text in enumerate(texts) if text in ("-x", "-X", "--exec", "--exec-batch")]
    command = words[starts[0] + 1 :] if starts else []
    parsed = parse_options(row, words[: starts[0]] if starts else words, stop_at_operand=False)
    for strange in parsed.strange:
        shell.unclear(f"`{strange.text}` is an unknown option", span)
    pattern = parsed.operands.pop(0) if parsed.operands else None
    places = parsed.operands or [Arg(".", span)]
    for place in places:
        on_path("search", place, shell)
    if any(place.unknown for place in places):
        return None
    hidden = not parsed.switches.isdisjoint(("-H", "--hidden", "-u", "--unrestricted"))
    found = among(places, _fd_test(pattern, parsed, hidden), shell)
    ends = _fd_names(pattern, parsed)
    named = [Arg(all_below(place.text) + end, span, True, place.origin) for place in places for end in ends] + found
    if not command:
        return Names("\n".join([one.text for one in named]), span, True)
    ended = next((at for at, arg in enumerate(command) if arg.text == ";"), len(command))
    command = command[:ended]
    if not any(mark in arg.text for arg in command for mark in _FD_MARKS):
        command = [*command, Arg("{}", span)]
    for item in named:
        inner = shell.copy()
        inner.stdin = None
        run_command([_fd_filled(item, arg) for arg in command], span, inner)
    return None


def _fd_names(pattern: Arg | None, parsed: Parsed) -> list[str]:
    """How the names end that it prints, below any folder: `/*.py`; nothing, where that cannot be told."""
    endings = [value for option, value in parsed.values if option.name == "-e"]
    if endings and not any(value.unknown for value in endings):
        return [f"/*.{value.text.lstrip('.')}" for value in endings]
    if pattern is None or not pattern.known or "-F" in parsed.switches or "-p" in parsed.switches:
        return [""]
    if "-g" in parsed.switches:
        return ["/" + pattern.text] if "{" not in pattern.text and "/" not in pattern.text else [""]
    found = globs_of(pattern.text, extended=True)
    globs = [re.sub(r"\*+", "*", glob) for glob in (() if found is None else found.open_ended())]
    return ["/" + glob for glob in globs] if globs and not any("/" in glob for glob in globs) else [""]


_FD_MARKS = ("{}", "{/}", "{//}", "{.}", "{/.}")


def _fd_filled(item: Arg, arg: Arg) -> Arg:
    if not any(mark in arg.text for mark in _FD_MARKS):
        return arg
    folder, _, name = item.text.rpartition("/")
    folder = folder or ("/" if item.text[:1] == "/" else ".")
    stem = item.text.rpartition(".")[0] if "." in name[1:] else item.text
    made = {"{}": item.text, "{/}": name, "{//}": folder, "{.}": stem, "{/.}": stem.rpartition("/")[2]}
    text = arg.text
    for mark in ("{//}", "{/.}", "{/}", "{.}", "{}"):
        text = text.replace(mark, made[mark])
    return Arg(text, arg.span, True, arg.origin or item.origin)


def _fd_test(pattern: Arg | None, parsed: Parsed, hidden: bool) -> Callable[[Seen, Sequence[Seen]], int]:
    values: dict[str, list[Arg]] = {}
    for option, value in parsed.values:
        values.setdefault(option.name, []).append(value)
    globs = None
    if pattern is not None and pattern.known and pattern.text:
        if "-F" in parsed.switches:
            globs = literal_globs(pattern.text)
        elif "-g" not in parsed.switches:
            globs = globs_of(pattern.text, extended=True)
        if globs is not None:
            globs = globs.folded(folded)

    def test(seen: Seen, above: Sequence[Seen]) -> int:
        if not seen.depth or (not hidden and _is_hidden(seen, above)):
            return NO
        name = folded(seen.name if "-p" in parsed.switches else seen.name.rpartition("/")[2])
        sure = YES
        if pattern is not None and pattern.text:
            if "-g" in parsed.switches and pattern.known:
                sure = glob_fits(folded(pattern.text), name)
            else:
                sure = MAYBE if globs is None else globs.inside(name)
        for ending in values.get("-e", ())[:1]:
            endings = [one.text.lstrip(".").lower() for one in values["-e"]]
            sure = MAYBE if ending.unknown else sure if name.endswith(tuple("." + one for one in endings)) else NO
        for kind in values.get("-t", ()):
            letter = {"f": "f", "file": "f", "d": "d", "directory": "d", "l": "l", "symlink": "l"}.get(kind.text)
            actual = {"file": "f", "empty": "f", "folder": "d", "bare": "d", "link": "l"}[seen.kind]
            sure = min(sure, MAYBE if letter is None else YES if letter == actual else NO)
        for depth in values.get("-d", ()):
            if depth.text.isdecimal() and seen.depth > int(depth.text):
                return NO
        if any(_named(one, step) == YES for one in values.get("-E", ()) for step in (*above, seen) if step.depth):
            return NO
        return min(sure, MAYBE) if _UNTOLD.intersection(values) else sure

    return test


_UNTOLD = frozenset(("-S", "--changed-within", "--changed-before", "-o"))
