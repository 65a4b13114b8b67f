"""The rules and variables of a makefile: the plain part of GNU make's language.

Read are rules with their recipes, patterns, variables, `include` of files whose texts are known, and both sides of
conditionals. Everything else is put down in `Book.unread`: then nobody can be sure of the rest, and the caller takes
the file for opaque or unread.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .make_values import NotRead, Values, matched, operator_in, settled, split_at

if TYPE_CHECKING:
    from collections.abc import Callable

    Include = Callable[[str, bool], str | None]

__all__ = ["Book", "Rule", "plain_name", "read_book"]

_MOST_LINES = 5000
_MOST_INCLUDED = 8
_SHELLS = frozenset(("/bin/sh", "sh", "/bin/bash", "bash", "/usr/bin/bash", "/usr/bin/env bash", "/bin/dash"))
_SHELL_FLAGS = frozenset(
    ("-c", "-ec", "-euc", "-euo", "-eu", "-e", "-u", "-o", "pipefail", "-exc", "-x", "-eo", "--noprofile")
)
_FLAGS = frozenset(
    "--no-print-directory --silent -s -j --jobs --warn-undefined-variables --no-builtin-rules -r -R -rR "
    "--no-builtin-variables --output-sync -O -k --keep-going -w --print-directory".split()
)
_NOT_SET = ("MAKE", "MAKEFILES", "MFLAGS", "GNUMAKEFLAGS", ".RECIPEPREFIX", "OUTPUT_OPTION", "PATH")
_BUILT_IN_RULES = ("COMPILE.", "LINK.", "PREPROCESS.", "LEX.", "YACC.", "LINT.")
_OPERATORS = ("=", ":=", "::=", ":::=", "+=", "?=", "!=")
_MODIFIERS = frozenset(("export", "override", "private"))
_CONDITIONS = ("ifeq", "ifneq", "ifdef", "ifndef")
_IGNORED = frozenset(
    ".SILENT .IGNORE .PRECIOUS .SECONDARY .INTERMEDIATE .DELETE_ON_ERROR .NOTPARALLEL .SUFFIXES .POSIX .WAIT "
    ".LOW_RESOLUTION_TIME".split()
)


class Rule:
    """What a target needs, and the lines that make it."""

    __slots__ = ("before", "needs", "recipe", "stem", "target", "unsure")

    def __init__(self, target: str) -> None:
        self.target = target
        self.stem = ""
        self.needs: list[str] = []
        self.before: list[str] = []  # needed too, and not named by `$^`
        self.recipe: list[str] = []
        self.unsure = False  # whether its recipe is there hangs on a condition


class Book:
    """
    rules     by target; `patterns` are those with a `%`
    phony     targets that are no files
    unread    what is in the file and is not read
    exported  variables that recipes find in their environment; None: all of them
    goals     what is made if nothing is asked for: the first that is sure, and those before it that may be there
    included  other files that were read, which make would make anew first
    searches  files are looked for in other folders too
    stops     make would find a mistake in the file, and run none of it
    """

    __slots__ = (
        "bash",
        "exported",
        "goals",
        "included",
        "one_shell",
        "patterns",
        "phony",
        "rules",
        "searches",
        "settled",
        "stops",
        "unread",
        "values",
    )

    def __init__(self, values: Values) -> None:
        self.values = values
        self.rules: dict[str, Rule] = {}
        self.patterns: list[Rule] = []
        self.phony: set[str] = set()
        self.unread: list[str] = []
        self.exported: set[str] | None = set()
        self.goals: list[str] = []
        self.settled = False  # the last of them is sure
        self.included: list[str] = []
        self.searches = False
        self.one_shell = False
        self.stops = False
        self.bash = False


def read_book(text: str, values: Values, include: Include) -> Book:
    """The file, as far as it is read. `include` gives the text of another file, empty if there is none."""
    book = Book(values)
    reader = _Reader(book, include)
    reader.read(text)
    if reader.depth:
        book.unread.append("a conditional that is not closed")
    return book


class _Reader:
    __slots__ = ("book", "current", "depth", "include", "included")

    def __init__(self, book: Book, include: Include) -> None:
        self.book = book
        self.include = include
        self.included = 0
        self.depth = 0  # of conditionals
        self.current: list[Rule] | None = None  # to which lines with a tab belong

    def read(self, text: str) -> None:
        lines = text.split("\n")
        odd = [char for char in set(text) if not char.isprintable() and char not in "\n\t"]
        if len(lines) > _MOST_LINES or odd:
            self.book.unread.append("characters that are not seen" if odd else "too many lines")
            return
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            recipe = line[:1] == "\t" and self.current is not None
            while _goes_on(line) and at < len(lines):
                line = (
                    line + "\n" + lines[at].removeprefix("\t")
                    if recipe
                    else line[:-1].rstrip() + " " + lines[at].lstrip()
                )
                at += 1
            if recipe:
                for rule in self.current or ():
                    rule.recipe.append(line[1:])
                    rule.unsure = rule.unsure or self.depth > 0
                continue
            try:
                if _is_define(line):
                    at = _past_define(lines, at)
                    self._define(line)
                else:
                    self._line(_without_comment(line))
            except NotRead as why:
                self.book.unread.append(str(why))
            if self.book.stops:
                return

    def _define(self, line: str) -> None:
        """A variable of several lines: what it holds is not read, and neither is what uses it."""
        name = line.split("define", 1)[1].split()
        if not name or "$" in name[0]:
            raise NotRead("`define`", far=True)
        self._keep(name[0], None, override=True, how="far")

    def _line(self, line: str) -> None:
        if not line.strip():
            return
        if line[0] == "\t":
            raise NotRead("a line with a tab where no rule stands")
        word, rest = _first(line)
        if rest.startswith(_OPERATORS):
            self._statement(line)  # a variable may have any name, also that of a directive
        elif word in _CONDITIONS or word.startswith(("ifeq(", "ifneq(")):
            self.depth += 1
            self._condition(line.strip())
        elif word == "else":
            self._condition(rest)
        elif word == "endif":
            self.depth -= 1
            if self.depth < 0:
                raise NotRead("`endif` without a beginning", far=True)
        elif word in ("include", "-include", "sinclude"):
            self._include(rest, must=word == "include")
        elif word in ("undefine", "private", "load", "-load"):
            raise NotRead(f"`{word}`")
        elif word in ("vpath", "unexport"):
            self.book.searches = self.book.searches or word == "vpath"
            self._condition(rest)
        else:
            self._statement(line)

    def _condition(self, text: str) -> None:
        """Both sides are read; what the question itself runs is noted."""
        try:
            self.book.values.expand(text)
        except NotRead as why:
            if why.far:
                raise

    def _include(self, names: str, *, must: bool) -> None:
        self.current = None
        for name in settled(self.book.values.expand(names)).split():
            if "*" in name or "?" in name or "$" in name or self.included >= _MOST_INCLUDED:
                raise NotRead("`include` of files that it does not name")
            text = self.include(name, must)
            if text is None:
                raise NotRead(f"`include {name[:60]}`")
            self.included += 1
            self.book.included.append(plain_name(name))
            told = self.book.values.told
            told["MAKEFILE_LIST"] = f"{told.get('MAKEFILE_LIST', '')} {name}"
            self.read(text)
            self.current = None

    def _statement(self, line: str) -> None:
        exports = override = False
        indented, line = line[0] == " ", line.lstrip()  # blanks at the end belong to a value
        while True:
            word, rest = _first(line)
            if word not in ("export", "override"):
                break
            exports, override, line = exports or word == "export", override or word == "override", rest
        at, op = operator_in(line)
        if op and op != ":":
            self.current = None
            self._assign(line[:at].strip(), op, line[at + len(op) :].lstrip(), override=override, exports=exports)
        elif exports:
            if not line.strip():
                self.book.exported = None
            elif self.book.exported is not None:
                self.book.exported.update(self.book.values.expand(line).split())
        elif op:
            self._rule(line[:at].rstrip("&").strip(), line[at + 1 :])
        else:
            text = settled(self.book.values.expand(line)).strip()
            if text and indented and not self.depth and ":" not in text and "${" not in text:
                self.book.stops = True  # blanks where a tab belongs: make says so, and does nothing
            elif text:
                raise NotRead(f"the line `{line[:40]}`")

    def _assign(self, name: str, op: str, text: str, *, override: bool, exports: bool) -> None:
        book, values = self.book, self.book.values
        name = values.expand(name)
        if not name or len(name.split()) > 1:
            raise NotRead("a variable whose name is put together")
        announced = book.exported is not None and name in book.exported
        if exports and book.exported is not None:
            book.exported.add(name)
        how, held = values.set.get(name, ("=", ""))
        value: str | None
        try:
            if op == "!=":
                values.commands.append(settled(values.expand(text)))
                how, value = ":", None
            elif op == "?=":
                if name in values.set or name in values.around:
                    return
                how, value = ("far", None) if announced else ("=", text)  # `export A` has set it, to nothing
            elif op == "+=":
                added = text if how != ":" else values.expand(text)
                value = None if held is None else f"{held} {added}".lstrip()
            elif op == "=":
                how, value = "=", text
            else:
                how, value = ":", values.expand(text)
        except NotRead as why:
            if why.far:
                raise
            how, value = ":", None
        self._keep(name, value, override=override, how=how)

    def _keep(self, name: str, value: str | None, *, override: bool, how: str = ":") -> None:
        values = self.book.values
        if override:
            values.given.pop(name, None)
        elif name in values.given:
            return
        before = values.set.get(name)
        if self.depth and before != (how, value):  # which side was taken is not known
            texts = [text or "" for _, text in (before or ("", ""), (how, value))]
            how, value = "far" if how == "far" or any("$" in text for text in texts) else ":", None
        values.set[name] = (how, value)
        self.book.searches = self.book.searches or name == "VPATH"
        self._special(name, value)

    def _special(self, name: str, value: str | None) -> None:
        """Variables that change how everything else is run."""
        book = self.book
        if name in _NOT_SET or name.startswith(_BUILT_IN_RULES):
            raise NotRead(f"`{name}`, which changes what is run")
        if name not in ("SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".DEFAULT_GOAL"):
            return
        words = "" if value is None else settled(book.values.expand(value)).strip()
        if name == ".DEFAULT_GOAL" and value is not None:
            book.goals, book.settled = [words] if words else [], bool(words)
        elif name == "SHELL" and words in _SHELLS:
            book.bash = "bash" in words
        elif not (
            (name == ".SHELLFLAGS" and words.endswith("c") and _SHELL_FLAGS.issuperset(words.split()))
            or (name == "MAKEFLAGS" and value is not None and all(map(_is_plain_flag, words.split())))
        ):
            raise NotRead(f"`{name}`, which changes what is run")

    def _rule(self, targets: str, rest: str) -> None:
        self.current = None
        values = self.book.values
        rest = rest.removeprefix(":")
        semicolon = split_at(rest, ";")
        first = ";".join(semicolon[1:]).strip() if len(semicolon) > 1 else None
        at, op = operator_in(semicolon[0])
        if op and op != ":":
            text = rest[at + len(op) :]
            if op == "!=":
                values.commands.append(settled(values.expand(text)))
            self._condition(targets)
            self._condition(text)
            given = [name for name in semicolon[0][:at].split() if name not in _MODIFIERS]
            if len(given) != 1:
                raise NotRead("a rule that needs a `=`")
            self._keep(given[0], None, override=True, how="far" if "$" in text else ":")  # for some targets only
            return
        if "\\" in targets or "\\" in semicolon[0]:
            raise NotRead("a rule with a backslash")
        names = [plain_name(name) for name in settled(values.expand(targets)).split()]
        parts = [settled(values.expand(part)) for part in split_at(semicolon[0], ":")]
        if len(parts) > 2 or not names or any("$" in part for part in (*names, *parts)):
            raise NotRead("a rule whose parts are unknown")
        needs, _, before = parts[-1].partition("|")
        self.current = []
        for name in names:
            if name.strip("()") != name or "(" in name:
                raise NotRead("a member of an archive")
            stem = matched(parts[0].strip(), name) if len(parts) == 2 else None
            if len(parts) == 2 and stem is None:
                raise NotRead("a rule for names that do not fit its pattern")
            own = [plain_name(_filled(need, stem)) for need in needs.split()]
            self._target(name, own, [plain_name(_filled(need, stem)) for need in before.split()], stem or "")
        if first is not None:
            for rule in self.current:
                rule.recipe.append(first)
                rule.unsure = rule.unsure or self.depth > 0

    def _target(self, name: str, needs: list[str], before: list[str], stem: str) -> None:
        book, current = self.book, self.current
        if name == ".PHONY":
            book.phony.update(needs if not self.depth else ())
        elif name == ".ONESHELL" and self.depth:
            raise NotRead("`.ONESHELL` under a condition")
        elif name == ".ONESHELL":
            book.one_shell = True
        elif name == ".EXPORT_ALL_VARIABLES":
            book.exported = None
        elif name == ".SECONDEXPANSION":
            raise NotRead("`.SECONDEXPANSION`")
        elif name == ".SUFFIXES" and any(need.count(".") != 1 for need in needs):
            raise NotRead("suffixes with several dots")
        elif name not in _IGNORED and current is not None:
            pairs = [(name, needs)] if "%" in name else _by_suffixes(name)
            for pattern, given in pairs:
                rule = Rule(pattern)
                rule.needs, rule.before = given, before
                book.patterns.append(rule)
                current.append(rule)
            if "%" in name or (pairs and not needs):
                return
            if not book.settled and (name[:1] != "." or "/" in name):
                book.goals.append(name)
                book.settled = not self.depth
            rule = book.rules.setdefault(name, Rule(name))
            rule.needs += [need for need in needs if need not in rule.needs]
            rule.before += before
            rule.stem = stem
            current.append(rule)


def _first(line: str) -> tuple[str, str]:
    """The first word, and what stands behind it; blanks at the end belong to that."""
    line = line.lstrip()
    word = line.split(None, 1)[0] if line.strip() else ""
    return word, line[len(word) :].lstrip()


def _goes_on(line: str) -> bool:
    return line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _filled(need: str, stem: str | None) -> str:
    return need if stem is None else need.replace("%", stem, 1)


def _is_plain_flag(word: str) -> bool:
    return word in _FLAGS or (word.startswith("-j") and word[2:].isdecimal())


def plain_name(name: str) -> str:
    """`./x` is `x`."""
    while name.startswith("./") and len(name) > 2:
        name = name[2:].lstrip("/")
    return name


def _by_suffixes(name: str) -> list[tuple[str, list[str]]]:
    """`.c.o` as a pattern and what that needs."""
    parts = name.split(".")[1:]
    if name[:1] != "." or "/" in name or name == ".DEFAULT" or not 0 < len(parts) < 3:
        return []
    return [("%" if len(parts) == 1 else f"%.{parts[1]}", [f"%.{parts[0]}"])]


def _is_define(line: str) -> bool:
    word, rest = _first(line)
    if word == "override" and not rest.startswith(_OPERATORS):
        word, rest = _first(rest)
    return word == "define" and not rest.startswith(_OPERATORS)


def _past_define(lines: list[str], at: int) -> int:
    """Behind the `endef`; lines that begin with a tab, or go on from the one before, are none of make's words."""
    depth = 1
    while at < len(lines) and depth:
        first = [] if lines[at][:1] == "\t" else lines[at].split()[:1]
        while _goes_on(lines[at]) and at + 1 < len(lines):
            at += 1
        depth += (first == ["define"]) - (first == ["endef"])
        at += 1
    if depth:
        raise NotRead("`define` without an end", far=True)
    return at


def _without_comment(line: str) -> str:
    """A comment ends the line, but not in what a shell is given behind a `;`."""
    at = line.find("#")
    if at < 0:
        return line
    before = line[:at]
    if (
        "\\#" in line
        or ";" in before
        or before.count("(") != before.count(")")
        or before.count("{") != before.count("}")
    ):
        raise NotRead("a `#` that may be none of make's comments", far=True)
    return before
