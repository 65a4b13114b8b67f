"""What a tool or a program that nobody described was given: read by kind, and kept as a shape.

Such a call is asked about anyway. Its input is read all the same, so that the floor stands in front of it: a `command`
is bash, a path is a place, an address is a host, a statement is SQL. What remains is the *shape*: the names of the
fields with the values that tell one thing from another (a channel, an amount, a repository), and of the rest its kind;
of a command line the sub-command, the options and what lies outside. A yes covers calls with no other parts than these.
"""

from __future__ import annotations

from ..effects import Effect
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..call import Call
    from ..facts import Facts
    from .evaluate.state import Shell
    from .evaluate.words import Arg
    from .tools import Part

__all__ = ["commands_in", "named_like_a_command", "read_input", "run_unknown", "shape_of_input", "shape_of_words"]

_DEEPEST, _MOST = 6, 200  # levels and values of an input that are looked at
_LONGEST = 120  # characters of one part of a shape; a longer one is kept as its digest
_A_NAME = 64  # a text that is no longer, and has no blanks, is the name of something

_COMMANDS = frozenset("bash cmd command commandline command_line script shell shell_command".split())
_STATEMENTS = frozenset("query sql statement".split())
_BEGINS_SQL = frozenset(
    "alter attach begin call comment copy create delete detach do drop exec execute explain grant insert merge pragma "
    "reindex rename replace revoke select set show truncate update vacuum values with".split()
)
_PATHS = frozenset(
    "cwd dest destination destination_path dir directory file file_path filename filepath folder from_path new_path "
    "old_path output_path path paths root source_path target_path to_path".split()
)
_PROSE = frozenset(
    "body caption comment content contents data description message note notes prompt summary text title".split()
)
# The first word of a tool's name says whether it looks or acts. Only a person's yes makes anything of it.
_LOOKS = frozenset(
    "browse check count describe diff download explain fetch find get grep head info inspect list look lookup ls open "
    "peek preview query read resolve retrieve search show stat status summarize tail tree validate view".split()
)
_SHOWS = frozenset(("--help", "-h", "--version", "-V"))
_REMOVES = frozenset("clean clear delete destroy drop erase purge remove rm rmdir trash unlink wipe".split())


def read_input(call: Call, facts: Facts) -> Part:
    """The actions that the input stands for, whatever the tool does with it."""
    from .arguments import in_role
    from .evaluate.state import Found, Shell

    found = Found(facts, "")
    verb = _verb(call.tool)
    for field, text in _texts(call.input):
        role = _role(field, text, verb)
        if role is not None:
            if text == "~" or text.startswith("~/"):  # whether the tool takes it for the home folder is not known
                text = facts.home + text[1:]
            found.field = field
            in_role(role, text, Shell(found, (call.cwd,)))
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


def named_like_a_command() -> tuple[str, ...]:
    """What arguments are called that hold a command, whatever the tool."""
    return tuple(sorted(_COMMANDS))


def commands_in(given: Mapping[str, object]) -> dict[str, str]:
    """The arguments that are called like a command, each with that role."""
    return {field: "command" for field in given if _name(field) in _COMMANDS}


def _verb(tool: str) -> str:
    """`mcp__files__readFile` is `read`."""
    name = tool.rpartition("__")[2]
    word = ""
    for char in name:
        if not char.isalnum() or (char.isupper() and word):
            if word:
                break
            continue
        word += char.lower()
    return word


def _name(field: str) -> str:
    return field.rpartition(".")[2].rstrip("[]").lower().replace("-", "_")


def _role(field: str, text: str, verb: str) -> str | None:
    name = _name(field)
    if name in _COMMANDS:
        return "command"
    if name in _STATEMENTS:
        first = text.lstrip("( \n\t").partition(" ")[0].partition("\n")[0].lower()
        return "sql" if first in _BEGINS_SQL and " " in text else None
    if "://" in text[:12] and not any(char.isspace() for char in text):
        return "fetch" if text.startswith(("http://", "https://")) else None
    if name in _PATHS or text.startswith(("/", "~/", "./", "../")):
        if len(text) > 1000 or "\n" in text or not text:
            return None
        return "delete" if verb in _REMOVES else "read" if verb in _LOOKS else "edit"
    return None


def _texts(value: object, at: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for field, item in _items(value, at, depth):
        if type(item) is str:
            yield field, item


def _items(value: object, at: str, depth: int) -> Iterator[tuple[str, object]]:
    """Every value that is no list and no table, with its place in the input."""
    left = [(at, value, depth)]
    count = 0
    while left and count < _MOST:
        where, item, level = left.pop(0)
        count += 1
        if type(item) is FrozenMap or isinstance(item, dict):
            if level < _DEEPEST:
                inside = [(f"{where}.{key}" if where else str(key), one, level + 1) for key, one in item.items()]
                left[:0] = inside
        elif type(item) is tuple or isinstance(item, list):
            if level < _DEEPEST:
                left[:0] = [(f"{where}[]", one, level + 1) for one in item]
        else:
            yield where, item


def shape_of_input(tool: str, given: Mapping[str, object]) -> tuple[str, ...]:
    """What a yes to this call is held to. A tool that only looks is held to its fields, any other to their names."""
    from ..record.redact import redacted, secret_words

    verb, secrets = _verb(tool), tuple(secret_words(given))
    parts = [f"{field}{_kept(field, item, verb, secrets)}" for field, item in _items(redacted(given), "", 0)]
    return _short(parts)


def _kept(field: str, item: object, verb: str, secrets: tuple[str, ...]) -> str:
    looks, kind = verb in _LOOKS, type(item)
    if kind is not str:
        return f"={str(item).lower()}" if not looks or kind is bool else ":number" if item is not None else ":nothing"
    text = str(item)
    role = _role(field, text, verb)
    if role is not None:  # what was read of it says the rest
        return f":{role}"
    if looks or _name(field) in _PROSE or len(text) > _A_NAME or not text or any(char.isspace() for char in text):
        return ":text"
    return f"={text}" if _may_be_shown(_name(field), text, secrets) else ":secret"


def _may_be_shown(name: str, text: str, secrets: tuple[str, ...] = ()) -> bool:
    """Keys are kept, shown and sent to others: no part of one is or holds a secret."""
    from ..record.redact import MARK, redact
    from .secret_words import holds_token, names_secret

    if MARK in text or names_secret(name.upper()) or holds_token(text) or redact(f"{name}={text}") != f"{name}={text}":
        return False
    return not any(word in text for word in secrets)


def shape_of_words(args: list[Arg], root: str) -> tuple[str, ...]:
    """The same of a command line: options and the sub-command as they are written, places outside, hosts."""
    return _short([_word(arg, at == 0, root) for at, arg in enumerate(args)])


def _word(arg: Arg, first: bool, root: str) -> str:
    text = arg.text
    if not arg.known:
        return "…"
    if text in _SHOWS:
        return ""
    if text[:1] == "-":
        return _option(text)
    if first and text.replace("-", "").replace("_", "").isalpha():
        return text
    outside = text[:1] == "/" and not text.startswith((root + "/", "/tmp/", "/var/tmp/"))  # noqa: S108 - only named
    if outside or text.startswith(("~", "..")) or "/../" in text:
        return text
    if "://" in text:
        return text.partition("://")[2].partition("/")[0]
    return ""  # a file or a word of the project: which one does not matter


def _option(text: str) -> str:
    """`--to=prod` as it is; of `-pPASSWORD`, and of a value that nobody may see, the option alone."""
    name, equals, value = text.partition("=")
    if not equals:
        return text if text[:2] == "--" or (text[1:].isalpha() and len(text) < 6) else text[:2]
    return text if _may_be_shown(name.lstrip("-").replace("-", "_"), value) else name


def run_unknown(args: list[Arg], span: tuple[int, int], shell: Shell, *, nowhere: bool) -> None:
    """A program that is in no table. `nowhere`: there is none of that name."""
    from .commands.acts import emit

    name = args[0].text.rpartition("/")[2]
    shape = shape_of_words(args[1:], shell.found.facts.root)
    target: dict[str, str | bool | tuple[str, ...]] = {"given": shape} if shape and not nowhere else {}
    tags = ("nowhere",) if nowhere else ("unknown",)
    emit(shell, span, name=f"exec:{name}", effects=(Effect.EXECUTE,), tags=tags, target=target)


def _short(parts: list[str]) -> tuple[str, ...]:
    return tuple(sorted({_plain(part) for part in parts if part}))


def _plain(part: str) -> str:
    """A part that a scope can name as it is; else its digest."""
    if len(part) <= _LONGEST and "*" not in part and "?" not in part and "\n" not in part:
        return part
    from ..record.canon import digest

    return digest(part)
