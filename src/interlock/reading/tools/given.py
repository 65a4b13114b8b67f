"""What a tool or a program that nobody described was given: read by kind, and kept as a shape.

Such a call is asked about anyway. Its input is read all the same, so that the floor stands in front of it: a `command`
is bash, a path is a place, an address is a host, a statement is SQL. What remains is the *shape*: the names of the
fields with the values that tell one thing from another (a channel, an amount, a repository), and of the rest its kind;
of a command line the sub-command, the options and what lies outside. A yes covers calls with no other parts than these.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...model.call import Call
    from ...model.facts import Facts
    from ...value import Json
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from .tools import Part, Tool

__all__ = [
    "PROSE",
    "commands_in",
    "named_like_a_command",
    "only_looks",
    "path_in_url",
    "read_input",
    "read_whole",
    "run_apart",
    "run_unknown",
    "shape_of_input",
    "shape_of_words",
    "texts_of",
]

_DEEPEST, _MOST = 6, 200  # levels and values of an input that are looked at
_LONGEST = 120  # characters of one part of a shape; a longer one is kept as its digest
_A_NAME = 64  # a text that is no longer, and has no blanks, is the name of something

# Words of a field's name, which say what kind of text it holds: `sql_query`, `shellCommand`, `jsCode`.
_COMMANDS = frozenset("bash cmd command commandline script shell".split())
_STATEMENTS = frozenset("query queries sql statement statements stmt".split())
_CODE = frozenset(
    "code eval expr expression formula function javascript js lambda lua macro python source typescript".split()
)
_BEGINS_SQL = frozenset(
    "alter attach begin call comment copy create delete detach do drop exec execute explain grant insert merge pragma "
    "reindex rename replace revoke select set show truncate update vacuum values with".split()
)
_PATHS = frozenset(
    "cwd dest destination destination_path dir directory file file_path filename filepath folder from_path new_path "
    "old_path output_path path paths root source_path target_path to_path".split()
)
PROSE = frozenset(
    "answer body caption comment content contents data description details explanation html instructions markdown "
    "message note notes prompt question reason reply subject summary text thought title".split()
)
# What a statement that changes something goes on with, whatever its field is called.
_CHANGES = frozenset("alter create delete drop grant insert merge replace revoke truncate update".split())
_CHANGED = frozenset("all database from function index into materialized role schema table trigger user view".split())
# The first word of a tool's name says whether it looks or acts. Only a person's yes makes anything of it.
_LOOKS = frozenset(
    "browse check count describe diff download explain fetch find get grep head info inspect list look lookup ls open "
    "peek preview query read resolve retrieve search show stat status summarize tail tree validate view".split()
)
_SHOWS = frozenset(("--help", "-h", "--version", "-V"))
# A tool with such a word in its name runs what it is given.
_RUNS = frozenset("bash eval evaluate exec execute invoke run script shell terminal".split())
_ACTS = frozenset("add create drop edit insert put send set update upload write".split())
_REMOVES = frozenset("clean clear delete destroy drop erase purge remove rm rmdir trash unlink wipe".split())


def read_input(call: Call, facts: Facts) -> Part:
    """The actions that the input stands for, whatever the tool does with it."""
    from ..core.accounting import names_wary_place
    from ..evaluate.state import Found, Shell
    from .arguments import in_role

    found = Found(facts, "")
    verb = _verb(call.tool)
    for field, text in texts_of(call.input):
        text = path_in_url(text) or text
        role = _role(field, text, verb)
        if role is None and _name(field) not in PROSE and names_wary_place(text, call.cwd, facts):
            role = "delete" if verb in _REMOVES else "read" if verb in _LOOKS else "edit"
        if role is not None:
            if text == "~" or text.startswith("~/"):  # whether the tool takes it for the home folder is not known
                text = facts.home + text[1:]
            found.field = field
            in_role(role, text, Shell(found, (call.cwd,)))
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


_SENT_FILES = frozenset("file_path files local_path localdir localpath".split())


def read_whole(tool: Tool, call: Call, facts: Facts) -> Part:
    """A host's own tool, of which is known what it does: that, and what its input names."""
    from .tools import TOOLS, plain, read_path

    named = call.replace(tool=call.named or call.tool)
    target: dict[str, Json] = {"name": named.tool}
    if "external" in tool.tags:
        target["destination"] = call.host or "its host"
    if call.input:
        target["given"] = shape_of_input(named.tool, call.input)
    parts: list[Part] = [((plain(tool, facts, target=FrozenMap(target), tags=tool.tags),), (), ())]
    if call.input:
        parts.append(read_input(named, facts))
    if tool.action == "agent:send":
        for field, text in texts_of(call.input):
            if _name(field) in _SENT_FILES:
                parts.append(read_path(TOOLS["Read"], field, text, call, facts))
    actions, opaque, missing = (tuple(item for part in parts for item in part[i]) for i in range(3))
    return actions, opaque, missing  # type: ignore[return-value]


def path_in_url(text: str) -> str | None:
    """The path that a `file:` address names."""
    if text[:5].lower() != "file:" or any(char.isspace() for char in text):
        return None
    rest = text[5:].partition("?")[0].partition("#")[0]
    if rest[:2] == "//":
        rest = "/" + rest[2:].partition("/")[2]
    first, *parts = rest.encode().split(b"%")
    with_signs = [
        bytes((int(part[:2], 16),)) + part[2:] if part[:2].isalnum() and not part[:2].strip(_HEX) else b"%" + part
        for part in parts
    ]
    return b"".join([first, *with_signs]).decode("utf-8", "replace") if rest[:1] == "/" else None


_HEX = b"0123456789abcdefABCDEF"


def _words(name: str) -> list[str]:
    """`readFile` and `read_file` are `read` and `file`."""
    words, word = [], ""
    for at, char in enumerate(name):
        if char.isupper() and word and not name[at - 1].isupper():
            words.append(word)
            word = ""
        if char.isalnum():
            word += char.lower()
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def named_like_a_command() -> tuple[str, ...]:
    """What arguments are called that hold a command, whatever the tool."""
    return tuple(sorted(_COMMANDS))


def commands_in(given: Mapping[str, object]) -> dict[str, str]:
    """The arguments that are called like a command, each with that role."""
    return {field: "command" for field in given if _is_command(_field_words(field))}


def _verb(tool: str) -> str:
    """`mcp__files__readFile` is `read`. What runs or changes something besides does not look."""
    words = _words(tool.rpartition("__")[2])
    if not _RUNS.isdisjoint(words):
        return "run"
    first = words[0] if words else ""
    return first if first not in _LOOKS else next((word for word in words if word in _ACTS | _REMOVES), first)


def only_looks(tool: str) -> bool:
    return _verb(tool) in _LOOKS


def _name(field: str) -> str:
    return field.rpartition(".")[2].rstrip("[]").lower().replace("-", "_")


def _field_words(field: str) -> list[str]:
    return _words(field.rpartition(".")[2].rstrip("[]"))


def _is_command(words: list[str]) -> bool:
    """`command`, `shellCommand`, `command_line`."""
    return not _COMMANDS.isdisjoint((*words[-1:], "".join(words)))


def _role(field: str, text: str, verb: str) -> str | None:
    name, words = _name(field), _field_words(field)
    if _is_command(words):
        return "command"
    if name not in PROSE and _is_statement(text, named=not _STATEMENTS.isdisjoint(words)):
        return "sql"
    if "://" in text[:12] and not any(char.isspace() for char in text):
        return "fetch" if text.startswith(("http://", "https://")) else None
    if name in _PATHS or text.startswith(("/", "~/", "./", "../")):
        if len(text) > 1000 or "\n" in text or not text:
            return None
        return "delete" if verb in _REMOVES else "read" if verb in _LOOKS else "edit"
    return None


def _is_statement(text: str, *, named: bool) -> bool:
    """`named`: the field is one for statements, so that its first word is enough."""
    words = _without_comments(text).split(None, 2)
    if len(words) < 2 or words[0].lower() not in _BEGINS_SQL:
        return False
    first, second = words[0].lower(), words[1].lower()
    return named or (first in _CHANGES and (second in _CHANGED or " set " in f" {text.lower()} "))


def _without_comments(text: str) -> str:
    """The text from its first statement on."""
    while True:
        text = text.lstrip("(; \t\r\n\f\v")
        if text.startswith(("--", "#")):
            text = text.partition("\n")[2]
        elif text.startswith("/*") and "*/" in text:
            text = text.partition("*/")[2]
        else:
            return text


def texts_of(value: object, at: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
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
    from ...bytes.redact import redacted, secret_words

    verb, secrets, plain = _verb(tool), tuple(secret_words(given)), redacted(given)
    parts = [f"{field}{_kept(field, item, verb, secrets)}" for field, item in _items(plain, "", 0)]
    if _is_more(plain):
        from ...bytes.canon import digest

        parts.append(digest(plain))  # which is not looked at in full: this one, and no other
    return _short(parts)


def _is_more(given: object) -> bool:
    """Whether it holds more than is looked at."""
    left, count = [(given, 0)], 0
    while left and count <= _MOST:
        item, level = left.pop()
        count += 1
        inside = item.values() if isinstance(item, (dict, FrozenMap)) else item if type(item) in (tuple, list) else ()
        if inside and level >= _DEEPEST:
            return True
        left.extend([(one, level + 1) for one in inside])  # type: ignore[attr-defined]
    return count > _MOST


def _kept(field: str, item: object, verb: str, secrets: tuple[str, ...]) -> str:
    looks, kind = verb in _LOOKS, type(item)
    if kind is not str:
        return f"={str(item).lower()}" if not looks or kind is bool else ":number" if item is not None else ":nothing"
    text = str(item)
    role = _role(field, text, verb)
    if role is not None:  # what was read of it says the rest
        return f":{role}"
    exact = verb == "run" or not _CODE.isdisjoint(_field_words(field))
    if looks or not text or (_name(field) in PROSE and verb != "run") or (len(text) > _A_NAME and not exact):
        return ":text"
    return f"={text}" if _may_be_shown(_name(field), text, secrets) else ":secret"


def _may_be_shown(name: str, text: str, secrets: tuple[str, ...] = ()) -> bool:
    """Keys are kept, shown and sent to others: no part of one is or holds a secret."""
    from ...bytes.redact import MARK, redact
    from ..places.secret_words import holds_token, names_secret

    line = f"{name}={text}"
    if MARK in text or names_secret(name.upper()) or holds_token(text) or redact(line) != line:
        return False
    return not any(word in text for word in secrets)


def shape_of_words(
    args: list[Arg], root: str, *, program: str = "", looks: bool = False, files: bool = False
) -> tuple[str, ...]:
    """The same of a command line: all words but for files of the project. Which of those it works on does not matter;
    which of them are settings or code does, so that one behind an option counts. `files`: all of them do.
    """
    said = [at for at, arg in enumerate(args) if at and args[at - 1].text in _MESSAGES]
    said += [at for at, arg in enumerate(args) if looks and " " in arg.text]  # what it looks for
    shown = _shown_words(program, args)
    parts = []
    for at, arg in enumerate(args):
        if at not in said:
            part = _word(arg, root, named=files) if arg.text in shown else ":secret"
            if not part and at and _may_take(args[at - 1].text) and _is_file(arg.text):
                part = f"{args[at - 1].text} {arg.text}"
            parts.append(part)
    return _short(parts)


def _may_take(option: str) -> bool:
    """`-c FILE`: the file behind it may be what the program obeys, and not what it works on."""
    return option[:1] == "-" and len(option) > 1 and "=" not in option and option.lstrip("-") not in _MAKES


_MAKES = frozenset("o O out output q quiet v verbose w write fix n dry-run y yes f force i in-place check".split())


def _shown_words(program: str, args: list[Arg]) -> set[str]:
    """Words that are no secret where they stand: `--password hunter2` is one only behind its option."""
    from ...bytes.redact import is_suspicious, redact

    line = " ".join([program, *[arg.text for arg in args]])
    if not is_suspicious(line):  # then no pair of its words is
        return {arg.text for arg in args}
    line = redact(line)
    pairs = [(args[at - 1].text if at else program, arg.text) for at, arg in enumerate(args)]
    return {text for before, text in pairs if text in line and redact(f"{before} {text}").endswith(f" {text}")}


_MESSAGES = frozenset("-m --message --title --body --description --comment --note".split())


def _word(arg: Arg, root: str, *, named: bool) -> str:
    text = arg.text
    if not arg.known:
        return "…"
    if text in _SHOWS:
        return ""
    if text[:1] == "-":
        return _option(text)
    outside = text[:1] == "/" and not text.startswith((root + "/", "/tmp/", "/var/tmp/"))  # noqa: S108 - only named
    if outside or text.startswith(("~", "..", "@")) or "/../" in text:
        return text
    if "://" in text:
        return text.partition("://")[2].partition("/")[0]
    return "" if (_is_file(text) and not named) or not _may_be_shown("", text) else text


def _is_file(text: str) -> bool:
    """`src/a`, `notes.txt`; and not a host, a name or a sentence."""
    if any(char.isspace() or char in ":@" for char in text):
        return False
    _, dot, ending = text.rpartition(".")
    return "/" in text or (bool(dot) and ending in _ENDINGS)


_ENDINGS = frozenset(
    "bin c cc cfg conf cpp cs css csv db docx ex exs go gz h hpp htm html ini ipynb jar java jpeg jpg js json jsonl "
    "jsx kt lock log lua md mjs mp4 out parquet pdf php png proto ps1 py rb rs rst scss sh sql sqlite svg swift tar "
    "tex tf tgz toml ts tsv tsx txt vue wasm xlsx xml yaml yml zip".split()
)


def _option(text: str) -> str:
    """`--to=prod` as it is; of `-pPASSWORD`, and of a value that nobody may see, the option alone."""
    name, equals, value = text.partition("=")
    if not equals:
        return text if text[:2] == "--" or (text[1:].isalpha() and len(text) < 6) else text[:2]
    return text if _may_be_shown(name.lstrip("-").replace("-", "_"), value) else name


def run_unknown(args: list[Arg], span: tuple[int, int], shell: Shell, *, nowhere: bool) -> None:
    """A program that is in no table. `nowhere`: there is none of that name."""
    from ..commands.acts import emit

    name = args[0].text.rpartition("/")[2]
    shape = shape_of_words(args[1:], shell.found.facts.root, program=name, looks=only_looks(name))
    target: dict[str, str | bool | tuple[str, ...]] = {"given": shape} if shape and not nowhere else {}
    tags = ("nowhere",) if nowhere else ("unknown",)
    emit(shell, span, name=f"exec:{name}", effects=(Effect.EXECUTE,), tags=tags, target=target)


def run_apart(name: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A job in the background: a yes to one is none to another."""
    from ..commands.acts import emit

    shape = shape_of_words(args[1:], shell.found.facts.root, program=name, files=True)
    target: dict[str, str | bool | tuple[str, ...]] = {"program": name, **({"given": shape} if shape else {})}
    emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target=target)


def _short(parts: list[str]) -> tuple[str, ...]:
    return tuple(sorted({_plain(part) for part in parts if part}))


def _plain(part: str) -> str:
    """A part that a scope can name as it is; else its digest."""
    if len(part) <= _LONGEST and "*" not in part and "?" not in part and "\n" not in part:
        return part
    from ...bytes.canon import digest

    return digest(part)
