"""What a tool or a program that nobody described was given: read by kind, and kept as a shape.

Such a call is asked about anyway. Its input is read all the same, so that the floor stands in front of it: a `command`
is bash, a path is a place, an address is a host, a statement is SQL. What remains is the *shape*: the names of the
fields with the values that tell one thing from another (a channel, an amount, a repository), and of the rest its kind;
of a command line the sub-command, the options and what lies outside. A yes covers calls with no other parts than these.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..evaluate.state import Found, Shell
from ..machine.shapes import LOOKS, REMOVES, in_short, is_look, may_be_shown, verb_of, words_of
from .arguments import DEEPEST, MOST, PROSE, in_role, items_of, texts_of
from .tools import path_in_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...bytes.canon import digest
    from ...bytes.redact import redacted, secret_words
    from ...model.call import Call
    from ...model.facts import Facts
    from ...value import Json
    from ..core.accounting import names_wary_place
    from .tools import Part, Tool
else:
    digest = lazy(globals(), "...bytes.canon", "digest")
    redacted = lazy(globals(), "...bytes.redact", "redacted")
    secret_words = lazy(globals(), "...bytes.redact", "secret_words")
    names_wary_place = lazy(globals(), "..core.accounting", "names_wary_place")

__all__ = ["commands_in", "named_like_a_command", "read_input", "read_whole", "shape_of_input", "statements_in"]

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
# What a statement that changes something goes on with, whatever its field is called.
_CHANGES = frozenset("alter create delete drop grant insert merge replace revoke truncate update".split())
_CHANGED = frozenset("all database from function index into materialized role schema table trigger user view".split())


def read_input(call: Call, facts: Facts) -> Part:
    """The actions that the input stands for, whatever the tool does with it."""
    from .. import follow

    found = Found(facts, "", follow=follow)
    verb = verb_of(call.tool)
    for field, text in texts_of(call.input):
        text = path_in_url(text) or text
        role = _role(field, text, verb)
        if role is None and _name(field) not in PROSE and names_wary_place(text, call.cwd, facts):
            role = "delete" if verb in REMOVES else "read" if verb in LOOKS else "edit"
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


def named_like_a_command() -> tuple[str, ...]:
    """What arguments are called that hold a command, whatever the tool."""
    return tuple(sorted(_COMMANDS))


def commands_in(given: Mapping[str, object]) -> dict[str, str]:
    """The arguments that are called like a command, each with that role."""
    return {field: "command" for field in given if _is_command(_field_words(field))}


def statements_in(given: Mapping[str, object]) -> dict[str, str]:
    """The arguments that hold SQL, by their name; one that may be a search as well, where it changes something."""
    found = {}
    for field, text in given.items():
        words = frozenset(_field_words(field))
        if type(text) is str and not _STATEMENTS.isdisjoint(words):
            first = _without_comments(text).split(None, 1)[:1]
            changes = first not in (["create"], ["alter"]) and _is_statement(text, named=False)
            several = ";" in text and _is_statement(text, named=True)
            if changes or several or not _SURELY.isdisjoint(words):
                found[field] = "sql"
    return found


_SURELY = frozenset("sql statement statements stmt".split())


def _name(field: str) -> str:
    return field.rpartition(".")[2].rstrip("[]").lower().replace("-", "_")


def _field_words(field: str) -> list[str]:
    return words_of(field.rpartition(".")[2].rstrip("[]"))


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
        return "delete" if verb in REMOVES else "read" if verb in LOOKS else "edit"
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


def shape_of_input(tool: str, given: Mapping[str, object]) -> tuple[str, ...]:
    """What a yes to this call is held to. A tool that only looks is held to its fields, any other to their names."""
    verb, secrets, plain = verb_of(tool), tuple(secret_words(given)), redacted(given)
    parts = [f"{field}{_kept(field, item, verb, secrets)}" for field, item in items_of(plain, "", 0)]
    if _is_more(plain):
        parts.append(digest(plain))  # which is not looked at in full: this one, and no other
    return in_short(parts)


def _is_more(given: object) -> bool:
    """Whether it holds more than is looked at."""
    left, count = [(given, 0)], 0
    while left and count <= MOST:
        item, level = left.pop()
        count += 1
        inside = item.values() if isinstance(item, (dict, FrozenMap)) else item if type(item) in (tuple, list) else ()
        if inside and level >= DEEPEST:
            return True
        left.extend([(one, level + 1) for one in inside])  # type: ignore[attr-defined]
    return count > MOST


def _kept(field: str, item: object, verb: str, secrets: tuple[str, ...]) -> str:
    looks, kind = is_look(verb), type(item)
    if kind is not str:
        return f"={str(item).lower()}" if not looks or kind is bool else ":number" if item is not None else ":nothing"
    text = str(item)
    role = _role(field, text, verb)
    if role is not None:  # what was read of it says the rest
        return f":{role}"
    exact = verb == "run" or not _CODE.isdisjoint(_field_words(field))
    if looks or not text or (_name(field) in PROSE and verb != "run") or (len(text) > _A_NAME and not exact):
        return ":text"
    return f"={text}" if may_be_shown(_name(field), text, secrets) else ":secret"
