"""What `make` would run: the recipes of the goals and of all that they need, line by line, as a shell gets them.

What is made depends on the times of files, which nobody looks at: every recipe that could run is followed. Of a file
that this session wrote, whatever is not read is told; of the project's own it stays `unread` (inside.py).
"""

from __future__ import annotations

from ...model.wants import Real, Script
from ...value import TYPE_CHECKING
from ..evaluate.contents import Edited, text_of
from ..evaluate.environment import hand_over
from ..evaluate.origins import variable
from ..evaluate.variables import VARIABLES
from ..evaluate.words import NUL, Arg
from ..machine.index import find_program
from ..machine.options import parse as parse_options
from ..machine.places import has_written
from ..places.paths import Unsettled, settle
from .inside import follow_task
from .make_rules import Book, Rule, plain_name, read_book
from .make_values import NotRead, Values, matched, settled

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["NAMES", "Run", "run_goals"]

NAMES = ("GNUmakefile", "makefile", "Makefile")  # the first that is there counts
_MOST_TARGETS = 300
# Tools and options that make's own rules run.
_BUILT_IN = ("CC", "CXX", "FC", "AS", "AR", "LD", "LEX", "YACC", "CPP")
_OPTIONS = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "FFLAGS", "ASFLAGS", "LDFLAGS", "TARGET_ARCH", "LDLIBS", "LOADLIBES")
_COMPILERS = [[name] for name in "cc gcc clang g++ c++ clang++ f77 gfortran as ar ld lex flex yacc bison".split()]
_PLAIN_OPTIONS = (
    "-O",
    "-W",
    "-g",
    "-std=",
    "-D",
    "-I",
    "-L",
    "-l",
    "-m",
    "-pedantic",
    "-pthread",
    "-fPIC",
    "-fno-",
    "-E",
)
_SUFFIXES = (".o", ".c", ".cc", ".C", ".cpp", ".p", ".f", ".F", ".m", ".r", ".s", ".S", ".mod", ".sh", ".a", ".y", ".l")
_OWN_SETTINGS = frozenset(("MAKEFLAGS", "SHELL", ".SHELLFLAGS"))  # judged where they are set
_PREFIX = " \t@-+"  # before a line: how it is shown, whether it may fail
_LOOKS = frozenset(("-n", "-q", "-t", "-v", "-h"))  # recipes are shown or skipped


def run_goals(words: tuple[Arg, ...], folder: str, shell: Shell, span: tuple[int, int]) -> bool:
    given = _given(words, folder, shell)
    if given is None:
        _tell_inner(words, shell, span)
        if any(map(_puts_first, words)) and any(name in shell.variables for name in shell.exported):
            shell.unclear("`make -e` puts variables of this call in the place of the makefile's own", span)
        return _unread(folder, shell, span)
    goals, variables, looks, elsewhere = given
    if elsewhere:
        return False  # another file or folder: that is looked at where its option is met
    path = _file(folder, shell)
    if path is None:
        return _unread(folder, shell, span)
    held = text_of(path, shell)
    known = shell.found.facts.scripts.get(path) if held is None else held.text if held.known else None
    if known is None:
        shell.found.want(Script(path))
        return _unread(folder, shell, span)
    whole = True
    for text in [held.before, known] if isinstance(held, Edited) else [known]:
        whole = Run(path, folder, shell, span).run(text, goals, dict(variables), looks=looks) and whole
    return whole


def _tell_inner(words: tuple[Arg, ...], shell: Shell, span: tuple[int, int]) -> None:
    """`-C a -C b`: each folder is looked for in the one before."""
    row = find_program("make")
    parsed = None if row is None else parse_options(row, list(words[1:]), stop_at_operand=False)
    places = [] if parsed is None else [value.text for option, value in parsed.values if option.name == "-C"]
    base = (shell.folders or ("/",))[0]
    for place in places:
        try:
            base = settle(place or ".", cwd=base, home="/")
        except Unsettled:
            return
    if len(places) > 1:
        _unread(base, shell, span)
        if not base.startswith(shell.found.facts.root):
            shell.unclear(f"runs code of `{base}`, which is outside the project", span, kind="outside")


def _puts_first(word: Arg) -> bool:
    """`-e`, alone or among other letters: the environment counts for more than the file."""
    return word.text.startswith("--e") or (word.text[:1] == "-" and word.text[:2] != "--" and "e" in word.text)


def _unread(folder: str, shell: Shell, span: tuple[int, int]) -> bool:
    for name in NAMES:
        path = f"{folder}/{name}"
        if has_written(path, shell):
            shell.unclear(f"runs what `{path}` says, which was written in this session", span, kind="written-here")
            break
    return False


def _file(folder: str, shell: Shell) -> str | None:
    """The makefile of the folder; None where that cannot be told."""
    facts = shell.found.facts
    unsure: list[str] = []
    for name in NAMES:
        path = f"{folder}/{name}"
        if has_written(path, shell) or path in facts.scripts:
            for other in unsure:
                shell.found.want(Real(other))
            return path if not unsure or has_written(path, shell) else None
        shell.found.want(Script(path))
        if path not in facts.absent:
            unsure.append(path)
    return None


def _given(
    words: tuple[Arg, ...], folder: str, shell: Shell
) -> tuple[list[str], dict[str, str | None], bool, bool] | None:
    """Goals, variables, whether recipes are only shown, and whether it is about another file or folder."""
    row = find_program("make")
    if row is None:
        return None
    parsed = parse_options(row, list(words[1:]), stop_at_operand=False)
    if parsed.strange or parsed.doubtful or "-e" in parsed.switches:
        return None
    places = [value for option, value in parsed.values if option.name == "-C"]
    if len(places) > 1 or any(option.name == "-E" for option, _ in parsed.values):
        return None
    elsewhere = any(option.name == "-f" for option, _ in parsed.values)
    for place in places:
        try:
            base = shell.folders[0] if shell.folders and len(shell.folders) == 1 else None
            elsewhere = elsewhere or base is None or settle(place.text, cwd=base, home="/") != folder
        except Unsettled:
            return None
    goals: list[str] = []
    variables: dict[str, str | None] = {}
    for arg in parsed.operands:
        name, equals, value = arg.text.partition("=")
        if equals:
            # Where no file has such a name, and none has, a pattern stays as it is.
            plain = not arg.unknown and value.isprintable() and "$" not in value and name[-1:] != "!"
            variables[name.rstrip(":?+!")] = value if plain else None
        elif not arg.known:
            return None
        else:
            goals.append(arg.text)
    return goals, variables, not _LOOKS.isdisjoint(parsed.switches), elsewhere


class Run:
    """One reading of one file."""

    __slots__ = ("bash", "folder", "own", "path", "read", "shell", "span", "variables")

    def __init__(self, path: str, folder: str, shell: Shell, span: tuple[int, int]) -> None:
        self.path = path
        self.folder = folder
        self.shell = shell
        self.span = span
        self.own = not has_written(path, shell)
        self.bash = False
        self.read = True
        self.variables: dict[str, list[Arg]] = {}  # of the environment that recipes are given

    def run(self, text: str, goals: list[str], given: dict[str, str | None], *, looks: bool) -> bool:
        chosen = [*given.values(), *[value for name, value in self._around().items() if name in text]]
        said = tuple(["*" if value is None else value for value in chosen])
        for name, line in self.steps(text, goals, given, looks=looks):
            whole = follow_task(
                line, (), self.path, name, self.folder, self.shell, self.span,
                own=self.own, said=said, posix=not self.bash, variables=self.variables,
            )  # fmt: skip
            self.read = whole and self.read
        return self.read

    def steps(
        self, text: str, goals: list[str], given: dict[str, str | None], *, looks: bool = False
    ) -> list[tuple[str, str]]:
        """The lines that a shell may be given, in their order, and what each of them belongs to."""
        values = Values(given, self._around(), self.folder)
        values.told = {"MAKECMDGOALS": " ".join(goals), "MAKEFILE_LIST": " " + self.path.rpartition("/")[2]}
        book = read_book(text, values, self._include)
        self.bash = book.bash
        for why in book.unread:
            self._miss(why)
        if book.stops:
            return [("$(shell)", line) for line in dict.fromkeys(values.commands)]
        order = self._order(book, goals)
        self._environment(book)
        at_once = len(values.commands)
        found: list[tuple[str, str]] = []
        for rule, own in order:
            found += self._recipe(book, rule, own, looks=looks)
        if not values.assumed.isdisjoint(self.variables):
            self._miss("a variable that is used before it is set")
        commands = [("$(shell)", line) for line in dict.fromkeys(values.commands)]
        return [*commands[:at_once], *found, *commands[at_once:]]

    def _around(self) -> dict[str, str | None]:
        """What the shell has exported itself; the rest of the environment stays with the shell."""
        found: dict[str, str | None] = {}
        for name in self.shell.exported:
            held = self.shell.variables.get(name)
            if held is not None:
                plain = len(held) == 1 and held[0].known and held[0].text.isprintable() and "$" not in held[0].text
                found[name] = held[0].text if plain else None
        return found

    def _include(self, name: str, must: bool) -> str | None:
        try:
            path = settle(name, cwd=self.folder, home="/")
        except Unsettled:
            return None
        facts = self.shell.found.facts
        if has_written(path, self.shell):
            self.own = False
        elif path.rpartition("/")[2].startswith(".env"):
            return ""  # settings, secrets among them: variables that stay unknown
        held = text_of(path, self.shell)
        if held is not None:
            return held.text if held.known and not isinstance(held, Edited) else None
        text = facts.scripts.get(path)
        if text is None and path in facts.absent and not must:
            return ""
        if text is None:
            self.shell.found.want(Script(path))
            self.shell.found.want(Real(path))
        return text

    def _miss(self, why: str) -> None:
        self.read = False
        if not self.own:
            self.shell.unclear(
                f"`{self.path}` was written in this session, and one part of it is not read: {why}",
                self.span,
                kind="written-here",
            )

    def _order(self, book: Book, goals: list[str]) -> list[tuple[Rule, dict[str, str]]]:
        """The rules that may run, what is needed first, each with its automatic variables."""
        asked = [plain_name(name) for name in goals or book.goals]
        if not asked:
            self._miss("no goal")
        # a file that there is a rule for is made anew itself, before anything else
        own = self.path.rpartition("/")[2]
        made = [name for name in NAMES if name in book.rules or any(matched(p.target, name) for p in book.patterns)]
        if not made and self._leading_to(own, book):
            made = [own]
        for name in book.included:
            if self._rules_for(name, book) or self._leading_to(name, book):
                self._miss("a file that is included, and made anew first")
                made.append(name)
        found: list[tuple[Rule, dict[str, str]]] = []
        seen: set[str] = set()
        open_ones: set[str] = set()  # whose needs are being followed
        built_in = False
        stack = [(name, False) for name in reversed([*made, *asked])]
        ready: dict[str, list[Rule]] = {}
        while stack:
            name, done = stack.pop()
            if done:
                open_ones.discard(name)
                found += [(rule, _automatic(name, rule)) for rule in ready[name]]
                continue
            if name in open_ones:
                self._miss("targets that need one another")  # make drops one of them
            if name in seen:
                continue
            seen.add(name)
            open_ones.add(name)
            if len(seen) > _MOST_TARGETS:
                self._miss("too many targets")
                break
            rules = [*self._rules_for(name, book), *self._by_wildcards(name, book)]
            ready[name] = rules
            stack.append((name, True))
            needs = [need for rule in rules for need in (*rule.needs, *rule.before)]
            if not any(rule.recipe for rule in rules) and name not in book.phony:
                built_in = True
                needs += self._leading_to(name, book)
            stack += [(need, False) for need in reversed(needs)]
        if built_in:
            found += self._built_in(book)
        return found

    def _leading_to(self, name: str, book: Book) -> list[str]:
        """Files of which a rule of make's own would make this one, and that a pattern of the book can make."""
        if "." in name.rpartition("/")[2]:
            return []
        found = []
        for one in [name + suffix for suffix in _SUFFIXES]:
            for pattern in book.patterns:
                stem = matched(pattern.target, one) if pattern.recipe else None
                if stem is not None and all(self._may_be_there(need, stem, book) for need in pattern.needs):
                    found.append(one)
        return found

    def _may_be_there(self, need: str, stem: str, book: Book) -> bool:
        """What a pattern needs for such a name. Nobody has a `Makefile.c`, unless it was made for this."""
        name = need.replace("%", stem, 1)
        return (
            "%" not in need
            or name in book.rules
            or has_written(f"{self.folder}/{name}", self.shell)
            or any(pattern.recipe and matched(pattern.target, name) is not None for pattern in book.patterns)
        )

    def _rules_for(self, name: str, book: Book) -> list[Rule]:
        rule = book.rules.get(name)
        if rule is not None and (name in book.phony or (rule.recipe and not rule.unsure)):
            return [rule]
        found: list[Rule] = []
        for pattern in book.patterns:
            # a pattern without a folder fits in any folder, and what it needs lies in the same one
            folder = name[: name.rfind("/") + 1] if "/" not in pattern.target else ""
            stem = matched(pattern.target, name[len(folder) :])
            if stem is not None and pattern.recipe:
                one = Rule(name)
                one.stem, one.recipe = folder + stem, pattern.recipe
                one.needs = [_in_folder(need, folder, stem) for need in pattern.needs] + (rule.needs if rule else [])
                one.before = [_in_folder(need, folder, stem) for need in pattern.before] + (rule.before if rule else [])
                found.append(one)
        if not found and rule is None:
            rule = book.rules.get(".DEFAULT")
        return [*found, *([] if rule is None or (found and not rule.unsure) else [rule])]

    def _by_wildcards(self, name: str, book: Book) -> list[Rule]:
        """Names that stand for files that are there: those of rules, or of patterns."""
        wild = _is_wild(name)
        elsewhere = book.searches or "VPATH" in book.values.given or "VPATH" in book.values.around
        if wild and any(
            pattern.recipe
            and matched(pattern.target, name.rpartition("/")[2] if "/" not in pattern.target else name) is None
            and _may_meet(name, pattern.target.replace("%", "*", 1))
            for pattern in book.patterns
        ):
            self._miss("a wildcard whose files a pattern makes")
        return [
            rule
            for target, rule in book.rules.items()
            if target != name
            and (
                ((wild or _is_wild(target)) and _may_meet(name, target))
                or (elsewhere and target.endswith("/" + name))
                or (name[:2] == "-l" and target.rpartition("/")[2].startswith(f"lib{name[2:]}."))
            )
        ]

    def _built_in(self, book: Book) -> list[tuple[Rule, dict[str, str]]]:
        """A file without a recipe may be made by a rule of make's own, with tools and options that this file chose."""
        chosen = {*book.values.set, *book.values.given, *book.values.around}
        rule = Rule("x")
        for name in _BUILT_IN if chosen.intersection((*_BUILT_IN, *_OPTIONS)) else ():
            line = " ".join(f"$({part})" for part in (name, *_OPTIONS))
            try:
                words = book.values.expand(line).split()
            except NotRead:
                words = []
            if words[:1] not in _COMPILERS or not all(_is_plain_option(word) for word in words[1:]):
                rule.recipe.append(f"{line} x.c")
        return [(rule, {})] if rule.recipe else []

    def _environment(self, book: Book) -> None:
        """Variables that recipes find in their environment: they are expanded for each of them, used or not."""
        found, inner = self.shell.found, self.shell.copy()
        before = len(found.opaque)
        for name in (*book.values.set, *book.values.given):
            sent = book.exported is None or name in book.exported or name in book.values.given
            if name in _OWN_SETTINGS or not (sent or name in VARIABLES):
                continue
            try:
                value = Arg(settled(book.values.expand(f"$({name})")), self.span)
            except NotRead as why:
                if why.far:
                    self._miss(str(why))
                value = Arg(NUL, self.span, origin=variable(name))
            if sent:
                self.variables[name] = [value]
            hand_over(name, value, inner, self.span)
        if self.own and len(found.opaque) > before:
            found.seen.difference_update([(part.reason, part.span) for part in found.opaque[before:]])
            del found.opaque[before:]
            self.read = False

    def _recipe(self, book: Book, rule: Rule, own: dict[str, str], *, looks: bool) -> list[tuple[str, str]]:
        lines: list[str] = []
        for line in rule.recipe:
            bare = line.lstrip(_PREFIX)
            before = line[: len(line) - len(bare)]
            try:  # a line that is only shown is put together all the same
                text = settled(book.values.expand(bare, own))
            except NotRead as why:
                if not looks or why.far or "+" in before or "MAKE" in line:
                    self._miss(str(why))
                continue
            shown = text.lstrip(_PREFIX)
            if not looks:
                lines.append(shown)
            elif "+" in before or "+" in text[: len(text) - len(shown)] or "MAKE" in line:
                self._miss("recipes that are run although they are only to be shown")
                lines.append(shown)
        if book.one_shell:
            lines = ["\n".join(lines)]
        return [(rule.target, line) for line in lines if line.strip()]


def _in_folder(need: str, folder: str, stem: str) -> str:
    return folder + need.replace("%", stem, 1) if "%" in need else need


def _is_wild(name: str) -> bool:
    return "*" in name or "?" in name or "[" in name


def _may_meet(one: str, other: str) -> bool:
    """False if no file has both names, of which one or both have wildcards: they begin or end in different ways."""
    starts, ends = [], []
    for name in (one, other):
        wild = [at for at, char in enumerate(name) if char in "*?[]"]
        starts.append(name[: wild[0]] if wild else name)
        ends.append(name[wild[-1] + 1 :] if wild else name)
    return (starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])) and (
        ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    )


def _is_plain_option(word: str) -> bool:
    return (
        word.startswith(_PLAIN_OPTIONS)
        and not word.startswith(("-Wl,", "-Wa,", "-Wp,"))
        and all(char.isalnum() or char in "-_=./+," for char in word)
    )


def _automatic(target: str, rule: Rule) -> dict[str, str]:
    needs = " ".join(rule.needs)
    found = {"@": target, "<": rule.needs[0] if rule.needs else "", "^": needs, "+": needs, "?": needs, "*": rule.stem}
    for mark in "@<*":
        folder, _, name = found[mark].rpartition("/")
        found[f"{mark}D"], found[f"{mark}F"] = folder or ".", name
    return found
