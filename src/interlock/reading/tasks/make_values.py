"""Values of a makefile: `$(CC) -o $@ $(SRC:.c=.o)`, expanded to the text that a shell is given.

make puts texts together before any shell sees them, so a part that is not known could be anything, a second command
included: where one is needed, the whole text is not read (`NotRead`). A variable that the file does not set is the
environment's, and stays a variable for the shell. Commands of `$(shell …)` are noted wherever they are met.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NotRead", "Values", "matched", "operator_in", "settled", "split_at"]

_DEEPEST = 40
_LONGEST = 64 * 1024
_MOST_ROUNDS = 200
_CLOSES = {"(": ")", "{": "}"}
# What make sets by itself, where a file may rely on it.
_BUILT_IN = {
    "AR": "ar", "ARFLAGS": "rv", "AS": "as", "CC": "cc", "CXX": "g++", "CPP": "cc -E", "FC": "f77", "LD": "ld",
    "LEX": "lex", "YACC": "yacc", "RM": "rm -f", "MAKEFLAGS": "", "MFLAGS": "", "SHELL": "/bin/sh",
}  # fmt: skip
_UNSET = frozenset("CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS LOADLIBES FFLAGS ASFLAGS LFLAGS YFLAGS TARGET_ARCH".split())
# Commands whose output is a number, a date or a hash: nothing in it means anything to a shell.
_TAME = (
    "date",
    "uname",
    "nproc",
    "pwd",
    "whoami",
    "id -u",
    "id -g",
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
)
# Around a name that stands for files that may be there or not. Such a name may be moved about, and decides nothing.
_FROM, _TO = "\ue000", "\ue001"
_TAME_VALUE = "${MAKE_SHELL_VALUE}"


class NotRead(Exception):
    """A part of the file that is not read, in a few words. `far`: it may run commands that are not seen."""

    def __init__(self, why: str, *, far: bool = False) -> None:
        super().__init__(why)
        self.far = far


class Values:
    """
    set       what the file sets: how it was set, and the text; None: it cannot be told
    given     what the command line sets, which counts for more
    around    what the shell that runs make has exported
    assumed   what was left to the shell because the file had not set it
    commands  commands that expanding runs
    told      what make itself says: its goals, the files that it has read
    """

    __slots__ = ("around", "assumed", "commands", "folder", "given", "set", "told")

    def __init__(self, given: dict[str, str | None], around: dict[str, str | None], folder: str) -> None:
        self.set: dict[str, tuple[str, str | None]] = {}
        self.given = given
        self.around = around
        self.folder = folder
        self.assumed: set[str] = set()
        self.commands: list[str] = []
        self.told: dict[str, str] = {}

    def expand(self, text: str, own: dict[str, str] | None = None, depth: int = 0) -> str:
        """The text as make would hand it on; `own` are the automatic variables of a rule.

        INVARIANT: what follows a part that is not read is expanded as well, so that its commands are noted.
        """
        if "$" not in text:
            return text
        if depth > _DEEPEST:
            raise NotRead("a variable that refers to itself", far=True)
        found: list[str] = []
        troubles: list[NotRead] = []
        at, size, own = 0, len(text), own or {}
        while at < size:
            mark = text.find("$", at)
            if mark < 0 or mark + 1 >= size:
                found.append(text[at:])
                break
            found.append(text[at:mark])
            char = text[mark + 1]
            at = mark + 2
            if char == "$":
                found.append("$")
                continue
            try:
                if char in _CLOSES:
                    end = _closing(text, mark + 1)
                    at = end + 1
                    found.append(self._reference(text[mark + 2 : end], char, own, depth))
                else:
                    found.append(self._variable(char, own, depth))
            except NotRead as trouble:
                troubles.append(trouble)
            if sum(map(len, found)) > _LONGEST:
                raise NotRead("a value that grows too long", far=True)
        _tell(troubles)
        return "".join(found)

    def _each(self, texts: list[str], own: dict[str, str], depth: int) -> list[str]:
        found: list[str] = []
        troubles: list[NotRead] = []
        for text in texts:
            try:
                found.append(self.expand(text, own, depth + 1))
            except NotRead as trouble:
                troubles.append(trouble)
        _tell(troubles)
        return found

    def _reference(self, inside: str, opening: str, own: dict[str, str], depth: int) -> str:
        if inside[:1].isspace():
            raise NotRead("a name that begins with a blank", far=True)  # a function is none behind a blank
        name = inside.split(None, 1)[0] if inside.split() else ""
        if (name in _FUNCTIONS or name in _NOT_READ) and name != inside:
            parts = _arguments(inside[len(name) :].lstrip(), opening)
            return self._function(name, parts, own, depth)
        colon = split_at(inside, ":")
        if len(colon) == 2 and "=" in colon[1]:
            change, name = self._each([colon[1], colon[0]], own, depth)
            before, _, after = change.partition("=")
            value = self._variable(name, own, depth)
            if "${" in value or "${" in change:
                raise NotRead("a change of an unknown value")
            pair = (before, after) if "%" in before else ("%" + before, "%" + after)
            return " ".join(_replaced(word, *pair) for word in value.split())
        return self._variable(self.expand(inside, own, depth + 1), own, depth)

    def _variable(self, name: str, own: dict[str, str], depth: int) -> str:
        if name in own:
            return own[name]
        if name == "MAKE":
            if any(value is None or "'" in value for value in self.given.values()):
                raise NotRead("variables that are handed on")
            return " ".join(["make", *(f"'{key}={value}'" for key, value in self.given.items())])
        if name in self.given:
            how, value = ":", self.given[name]
        elif name in self.set:
            how, value = self.set[name]
        elif name in self.around:
            how, value = ":", self.around[name]
        elif name in ("CURDIR", "PWD"):
            return self.folder
        elif name in self.told:
            return self.told[name]
        elif name in _BUILT_IN:
            return _BUILT_IN[name]
        elif name in _UNSET:
            return ""
        elif name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit():
            self.assumed.add(name)
            return "${" + name + "}"
        else:
            raise NotRead(f"the variable `{name[:40]}`", far=True)
        if value is None:
            raise NotRead(f"the variable `{name[:40]}`, whose value is unknown", far=how == "far")
        return value if how == ":" else self.expand(value, own, depth + 1)

    def _function(self, name: str, parts: list[str], own: dict[str, str], depth: int) -> str:
        if name == "shell":
            command = settled(self.expand(",".join(parts), own, depth + 1)).strip()
            self.commands.append(command)
            if command in _TAME or (command.startswith("date +") and not set("'\"$`;|&<>(){}").intersection(command)):
                return _TAME_VALUE
            raise NotRead("the output of `$(shell …)`")
        if name == "foreach" and len(parts) > 2:
            key, words = self._each(parts[:2], own, depth)
            if "${" in words:
                raise NotRead("the function `foreach` on unknown values", far=True)
            body = ",".join(parts[2:])
            return " ".join(self._each_word(body, key.strip(), words.split(), own, depth))
        if name in ("if", "or", "and"):
            return self._choice(name, parts, own, depth)
        given = self._each(parts, own, depth)
        if name == "call":
            if given[0].strip() in _FUNCTIONS or given[0].strip() in _NOT_READ:
                raise NotRead("a function of make's own that is called by its name", far=True)
            mine = {**own, **dict.fromkeys("123456789", ""), **{str(at): word for at, word in enumerate(given)}}
            return self._variable(given[0].strip(), mine, depth)
        if name in _NOT_READ or len(given) < _FUNCTIONS[name][1]:
            raise NotRead(f"the function `{name}`", far=name in _FAR)
        if any("${" in text or (_FROM in text and name not in _MOVES) for text in given) and name not in _SAYS:
            raise NotRead(f"the function `{name}` on unknown values")
        run, most = _FUNCTIONS[name]
        return run([*given[: most - 1], ",".join(given[most - 1 :])])

    def _each_word(self, body: str, key: str, words: list[str], own: dict[str, str], depth: int) -> list[str]:
        if len(words) > _MOST_ROUNDS:
            raise NotRead("the function `foreach`", far=True)
        return [self.expand(body, {**own, key: word}, depth + 1) for word in words]

    def _choice(self, name: str, parts: list[str], own: dict[str, str], depth: int) -> str:
        """Which part is taken may hang on what is not known, and then each of them may run its commands."""
        if name == "if":
            parts = [parts[0].strip(), *parts[1:2], *([",".join(parts[2:])] if len(parts) > 2 else [])]
        else:
            parts = [part.strip() for part in parts]
        values = self._each(parts, own, depth)
        known = values[:1] if name == "if" else values  # a blank that is put together counts as something
        if any("${" in value or _FROM in value for value in known):
            raise NotRead(f"the function `{name}`")
        if name == "if":
            return "".join(values[1:2] if known[0] else values[2:3])
        if name == "or":
            return next((value for value in known if value), "")
        return known[-1] if all(known) else ""


def _tell(troubles: list[NotRead]) -> None:
    if troubles:
        raise next((trouble for trouble in troubles if trouble.far), troubles[0])


def _closing(text: str, start: int) -> int:
    opening, closing = text[start], _CLOSES[text[start]]
    depth = 0
    for at in range(start, len(text)):
        if text[at] == opening:
            depth += 1
        elif text[at] == closing:
            depth -= 1
            if depth == 0:
                return at
    raise NotRead("a parenthesis that is not closed", far=True)


def split_at(text: str, mark: str) -> list[str]:
    """The parts between marks that stand outside of references; other parentheses mean nothing to make."""
    found, at, start = [], 0, 0
    while at < len(text):
        if text[at] == "$" and text[at + 1 : at + 2] in _CLOSES:
            at = _closing(text, at + 1)
        elif text[at] == "$":
            at += 1
        elif text[at] == mark:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return [*found, text[start:]]


def _arguments(text: str, opening: str) -> list[str]:
    """The arguments of a function: only parentheses of the kind that it stands in keep a comma inside."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == opening:
            depth += 1
        elif char == _CLOSES[opening]:
            depth -= 1
        elif char == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def operator_in(line: str) -> tuple[int, str]:
    """Where the first `:` or `=` outside of references stands, and the operator that it belongs to."""
    at = 0
    while at < len(line):
        char = line[at]
        if char == "$" and line[at + 1 : at + 2] in _CLOSES:
            at = _closing(line, at + 1)
        elif char == "$":
            at += 1
        elif char == "=":
            return (at - 1, line[at - 1 : at + 1]) if at and line[at - 1] in "?+!" else (at, "=")
        elif char == ":":
            for op in (":::=", "::=", ":="):
                if line.startswith(op, at):
                    return at, op
            return at, ":"
        at += 1
    return 0, ""


def matched(pattern: str, name: str) -> str | None:
    """What `%` stands for, if the name fits the pattern."""
    if "\\" in pattern:
        raise NotRead("a pattern with a backslash")
    before, wild, after = pattern.partition("%")
    if not wild:
        return "" if pattern == name else None
    fits = name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)
    return name[len(before) : len(name) - len(after)] if fits else None


def _replaced(word: str, before: str, after: str) -> str:
    return _inside(word, lambda name: _substituted(name, before, after))


def _substituted(word: str, before: str, after: str) -> str:
    stem = matched(before, word)
    return word if stem is None else after.replace("%", stem, 1) if "%" in before else after


def _words(run: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda given: " ".join(filter(None, [_inside(word, run) for word in given[-1].split()]))


def _inside(word: str, run: Callable[[str], str]) -> str:
    bare = word.strip(_FROM + _TO)
    return run(word) if bare == word else f"{_FROM}{run(bare)}{_TO}"


def settled(text: str) -> str:
    """The text with names of files that may be there or not as they are, if each of them stands apart."""
    if _FROM not in text:
        return text
    for word in text.split():
        if _FROM in word and (word.count(_FROM) > 1 or word[0] != _FROM or word[-1] != _TO):
            raise NotRead("a name that is put together with one that may not be there")
    return text.replace(_FROM, "").replace(_TO, "")


def _filtered(given: list[str], *, keep: bool) -> str:
    patterns = given[0].split()
    fits = [(word, any(matched(pattern, word) is not None for pattern in patterns)) for word in given[1].split()]
    return " ".join(word for word, fit in fits if fit is keep)


def _nth(given: list[str]) -> str:
    words, at = given[1].split(), given[0].strip()
    return words[int(at) - 1] if at.isdecimal() and 0 < int(at) <= len(words) else ""


def _suffix(word: str) -> str:
    name = word.rpartition("/")[2]
    return "." + name.rpartition(".")[2] if "." in name else ""


# name -> what it makes of its arguments, and how many it takes; those without an entry here are read above
_FUNCTIONS: dict[str, tuple[Callable[[list[str]], str], int]] = {
    **dict.fromkeys(("call", "if", "or", "and", "shell"), (lambda _: "", 1)),
    "foreach": (lambda _: "", 3),
    "subst": (lambda given: given[2].replace(given[0], given[1]) if given[0] else given[2] + given[1], 3),
    "patsubst": (lambda given: " ".join(_replaced(word, given[0], given[1]) for word in given[2].split()), 3),
    "strip": (lambda given: " ".join(given[0].split()), 1),
    "findstring": (lambda given: given[0] if given[0] in given[1] else "", 2),
    "filter": (lambda given: _filtered(given, keep=True), 2),
    "filter-out": (lambda given: _filtered(given, keep=False), 2),
    "sort": (lambda given: " ".join(sorted(set(given[0].split()))), 1),
    "word": (_nth, 2),
    "words": (lambda given: str(len(given[0].split())), 1),
    "firstword": (lambda given: (given[0].split() or [""])[0], 1),
    "lastword": (lambda given: (given[0].split() or [""])[-1], 1),
    "dir": (_words(lambda word: word[: word.rfind("/") + 1] or "./"), 1),
    "notdir": (_words(lambda word: word.rpartition("/")[2]), 1),
    "suffix": (_words(_suffix), 1),
    "basename": (_words(lambda word: word.removesuffix(_suffix(word))), 1),
    "addsuffix": (lambda given: _words(lambda word: word + given[0])(given), 2),
    "addprefix": (lambda given: _words(lambda word: given[0] + word)(given), 2),
    # the shell finds the same files by the same pattern
    "wildcard": (lambda given: " ".join(f"{_FROM}{word.strip(_FROM + _TO)}{_TO}" for word in given[0].split()), 1),
    "info": (lambda _: "", 1),
    "warning": (lambda _: "", 1),
}
_NOT_READ = frozenset("eval value origin flavor file guile error abspath realpath join wordlist let intcmp".split())
_MOVES = frozenset("patsubst strip sort dir notdir basename addsuffix addprefix wildcard".split())
_SAYS = frozenset(("info", "warning"))
_FAR = frozenset(("eval", "value", "file", "guile", "let", "foreach"))
