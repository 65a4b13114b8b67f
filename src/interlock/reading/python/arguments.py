"""`argparse` in Python code whose command line is known: what each argument holds.

Plain positionals and options are worked out. Anything else (`nargs`, sub-parsers, abbreviations) leaves them unknown.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .values import UNKNOWN, Held, as_text, unknown

if TYPE_CHECKING:
    from .values import Given

__all__ = ["new_parser", "of_parser"]

_PLAIN = frozenset("help default required choices metavar dest action".split())


class _Parser:
    __slots__ = ("argv", "options", "plain", "positional")

    def __init__(self, argv: list[Held] | None) -> None:
        self.argv = argv
        self.positional: list[str] = []
        self.options: dict[str, tuple[str, bool]] = {}  # spelling -> where it goes, and whether it takes a value
        self.plain = argv is not None


def new_parser(argv: list[Held] | None) -> Held:
    return Held(kind="parser", data=(_Parser(argv), {}))


def of_parser(owner: Held, name: str, given: Given) -> Held:
    parser, defaults = owner.data
    if name == "add_argument":
        _add(parser, defaults, given)
        return UNKNOWN
    if name in ("parse_args", "parse_known_args"):
        argv = parser.argv
        if given.args:
            argv = given.args[0].items
        found = _parsed(parser, dict(defaults), argv) if parser.plain and name == "parse_args" else None
        return Held(kind="table", data=found) if found is not None else unknown(given.flow)
    if name in ("add_mutually_exclusive_group", "add_argument_group"):
        return owner
    parser.plain = parser.plain and name in ("print_help", "format_help", "error", "set_defaults")
    return UNKNOWN


def _add(parser: _Parser, defaults: dict[str, Held], given: Given) -> None:
    names = [as_text(held) for held in given.args]
    action = given.words.get("action")
    takes = action is None
    known = all(held.known for held in given.args) and names and not given.spread
    if not known or not set(given.words) <= _PLAIN | {"type"}:
        parser.plain = False
        return
    kind = given.words.get("type")
    if kind is not None and kind.name not in ("str", "int", "pathlib.Path"):
        parser.plain = False
    if action is not None and as_text(action) not in ("store_true", "store_false"):
        parser.plain = False
    if not names[0].startswith("-"):
        parser.positional.append(names[0])
        return
    long = next((name for name in names if name.startswith("--")), names[0])
    where = given.words.get("dest")
    field = as_text(where) if where is not None else long.lstrip("-").replace("-", "_")
    for name in names:
        parser.options[name] = (field, takes)
    defaults[field] = given.words.get("default", UNKNOWN)


def _parsed(parser: _Parser, found: dict[str, Held], argv: list[Held] | None) -> dict[str, Held] | None:
    if argv is None:
        return None
    waiting, rest = list(argv), list(parser.positional)
    while waiting:
        word = waiting.pop(0)
        text = as_text(word)
        if text.startswith("-") and len(text) > 1:
            name, equals, value = text.partition("=")
            row = parser.options.get(name)
            if row is None or not word.known:
                return None
            field, takes = row
            if not takes:
                found[field] = UNKNOWN
            elif equals:
                found[field] = Held(value)
            elif waiting:
                found[field] = waiting.pop(0)
            else:
                return None
        elif "\0" in text:
            return None  # it may be any option
        elif rest:
            found[rest.pop(0)] = word
        else:
            return None
    return found if not rest else None
