"""The kinds of values that a policy file holds: each takes what TOML gives, and gives what it stands for.

A value that does not fit raises `Wrong`, whose message says what would. The table at the end maps the kind that
the schema names to its check.
"""

from __future__ import annotations

from ..approve.glob import text_of
from ..bytes.canon import canonical
from ..limits import MAX_WAIT_SECONDS
from ..model.effects import Effect, by_precedence
from ..model.errors import InputError
from ..model.obeyed import LEVELS
from ..model.posture import Posture
from ..model.verdict import Risk, Strength, Verdict
from ..reading.core.tags import TAGS, close_to
from ..reading.places.places import floor_over
from ..reading.places.system_places import host_of
from ..value import TYPE_CHECKING, FrozenMap, Scale, freeze, lazy
from . import judging_values
from .evidence_address import evidence_trouble
from .hook import MODES, OTHERS
from .model import ALWAYS, ApprovalMode, Headless, OnAllow, OnTimeout
from .people import Role
from .places import PLACES
from .plan import Enforcement, Matching
from .schema import PROFILES, SURFACES
from .store_address import address_trouble
from .window import parse_window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..bytes.sshsig import public_key
else:
    public_key = lazy(globals(), "..bytes.sshsig", "public_key")

__all__ = ["KINDS", "Wrong"]


class Wrong(Exception):
    """A value does not fit its kind; the message says what would."""


def _word(scale: type[Scale], *only: str) -> Callable[[Any], Any]:
    words = only or scale.names()

    def check(value: Any) -> Any:
        if type(value) is not str or value not in words:
            raise Wrong(f"one of {', '.join(words)}")
        return scale.of(value)

    return check


def _words(scale: type[Scale], *, empty: bool) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not list or any(type(v) is not str or v not in scale.names() for v in value):
            raise Wrong(f"a list of {', '.join(scale.names())}")
        if not value and not empty:
            raise Wrong("a list with at least one entry")
        members: list[Any] = [scale.of(v) for v in value]
        return by_precedence(members) if scale is Effect else tuple(m for m in scale.members if m in members)

    return check


def _plain(kind: type, name: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise Wrong(name)
        return value

    return check


def _text(value: Any) -> str:
    if type(value) is not str or not value.strip():
        raise Wrong("a text that is not empty")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if type(value) is not list or any(type(v) is not str or not v.strip() for v in value):
        raise Wrong("a list of texts")
    return tuple(sorted(set(value)))


def _tags(value: Any) -> tuple[str, ...]:
    """Marks of actions. One that there is not would never be met, and what hangs on it never happen."""
    for tag in _texts(value):
        if tag not in TAGS:
            raise Wrong(f"a list of marks, and `{ascii(tag[:40])[1:-1]}` is none{close_to(tag, TAGS)}")
    return _texts(value)


# Marks that somebody can tell of a tool by its description. Others are found, never told.
_TOOL_TAGS = ("external", "identity", "install", "persistence", "posts", "privileged", "scheduled", "security", "sends")


def _tool_tags(value: Any) -> tuple[str, ...]:
    for tag in _texts(value):
        if tag not in _TOOL_TAGS:
            near = close_to(tag, frozenset(_TOOL_TAGS))
            raise Wrong(f"a list of {', '.join(_TOOL_TAGS)}, and `{ascii(tag[:40])[1:-1]}` is none{near}")
    return tuple(sorted(set(_texts(value))))


def _command_lines(value: Any) -> tuple[str, ...]:
    if type(value) is not list or any(type(v) is not str or not v.strip() for v in value):
        raise Wrong("a list of command lines")
    return tuple(value)


def _named_tables(value: Any) -> Any:
    if type(value) is not dict:
        raise Wrong("a table for each name")
    return value


def _approvers(value: Any) -> tuple[str, ...]:
    if type(value) is not list or any(type(v) is not str or v not in SURFACES for v in value):
        raise Wrong(f"a list of {', '.join(SURFACES)}")
    return tuple(surface for surface in SURFACES if surface in value)


def _obeyed(value: Any) -> Mapping[str, str]:
    """Pattern -> level. What the floor holds cannot be given another level, nor a part of it."""
    if type(value) is not dict or any(type(level) is not str or level not in LEVELS for level in value.values()):
        raise Wrong(f"a table of patterns, each with one of {', '.join(reversed(LEVELS))}")
    for pattern, level in value.items():
        parts = pattern.removeprefix("~/").split("/")
        if not pattern.isprintable() or "" in parts or "." in parts or ".." in parts or parts[0][:2] == "**":
            raise Wrong(f"a table of patterns such as `.github/workflows/**` or `~/.zshrc`, not `{pattern[:60]}`")
        if ("*" in parts[0] and (len(parts) > 1 or parts[0].count("*") > 1)) or parts.count("**") > 1:
            raise Wrong(
                f"a table of patterns with `*` in one name only, or `**` for folders once, not `{pattern[:60]}`"
            )
        owner = floor_over(pattern)
        if owner is not None and level != "denied":
            raise Wrong(f"without `{pattern[:60]}`: that belongs to the floor ({owner}), and stays denied")
    return FrozenMap(dict(value))


def _comment(value: Any) -> str:
    if type(value) is not str or len(value) < 3 or value[0] != "#" or not value.isprintable() or value != value.strip():
        raise Wrong("a comment on one line: `#` and some words")
    return value


def _name(value: Any) -> str:
    if type(value) is not str or value in ("", ".", "..") or "/" in value or not value.isprintable():
        raise Wrong("the name of a file, without folders")
    return value


def _version(value: Any) -> int:
    if type(value) is not int or value != 1:
        raise Wrong("1; this version of Interlock knows no other")
    return 1


def _number(least: int, most: int, words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise Wrong(words)
        return value

    return check


def _no_budget(_: Any) -> Any:
    raise Wrong(f"the name of an effect ({', '.join(Effect.names())}) or of actions (`git:push`, `mcp:*`)")


def _profile(value: Any) -> str:
    if type(value) is not str or value not in PROFILES:
        raise Wrong(f"one of {', '.join(PROFILES)}")
    return value


def _places(value: Any) -> tuple[str, ...]:
    if type(value) is not list or not value or any(type(place) is not str or place not in PLACES for place in value):
        raise Wrong(f"a list of {', '.join(PLACES)}")
    return tuple(sorted(set(value)))


def _window(value: Any) -> str:
    """The words, spaced as one: the same window is one fact."""
    if type(value) is not str:
        raise Wrong("a text such as `Mon-Fri 09:00-17:00 Europe/Berlin`")
    try:
        parse_window(value)
    except ValueError as error:
        raise Wrong(f"a time window: {error}") from None
    return " ".join(value.split())


def _confirm(value: Any) -> tuple[str, ...]:
    if type(value) is bool:
        return (ALWAYS,) if value else ()
    if type(value) is not list or not value:
        raise Wrong("true, false or a list of marks")
    named = _texts(value)
    return tuple(sorted({*_tags([mark for mark in named if mark != ALWAYS]), *({ALWAYS} & {*named})}))


def _table_of_texts(words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Mapping[str, str]:
        if type(value) is not dict or any(type(text) is not str for text in value.values()):
            raise Wrong(words)
        return FrozenMap(dict(sorted(value.items())))

    return check


def _conditions(value: Any) -> Mapping[str, tuple[str, ...]]:
    """Argument -> its conditions, of which one must hold. Tables below it are arguments of arguments: `a.b`."""
    if type(value) is not dict or not value:
        raise Wrong('a table of conditions, such as { amount = "> 1000" }')
    found: dict[str, tuple[str, ...]] = {}
    for key, given in value.items():
        if type(given) is dict:
            found.update({f"{key}.{below}": texts for below, texts in _conditions(given).items()})
        else:
            listed = given if type(given) is list and given else [given]
            found[key] = tuple([_condition(key, item) for item in listed])
    return FrozenMap(dict(sorted(found.items())))


def _condition(key: str, given: Any) -> str:
    from ..reading.looks import OPERATORS, number_in

    if type(given) is bool:
        return f"= {text_of(given)}"
    if type(given) is int or type(given) is float:
        if number_in(str(given)) is None:
            raise Wrong(f"a table of conditions, and that of `{ascii(key[:40])[1:-1]}` is not a finite number")
        return f"= {given}"
    if type(given) is not str or not given.strip():
        raise Wrong("a table of conditions: a text, a number, true, false, or a list of them")
    operator = next((sign for sign in OPERATORS if given.startswith(sign)), "")
    operand = given[len(operator) :].strip()
    if operator[:1] in ("<", ">") and operator and number_in(operand) is None:
        raise Wrong(f"a table of conditions, and `{ascii(given[:40])[1:-1]}` compares with no number")
    return f"{operator} {operand}" if operator else given


def _commands(value: Any) -> tuple[str, ...]:
    listed = [value] if type(value) is str else value
    if type(listed) is not list or not listed or any(type(v) is not str or not v.strip() for v in listed):
        raise Wrong("the words of a command, such as `npm publish *`, or a list of them")
    return tuple(sorted(set(listed)))


def _roles(value: Any) -> Mapping[str, str]:
    from ..reading.tools.arguments import ARGUMENT_ROLES, is_role

    if type(value) is not dict or any(not is_role(role) for role in value.values()):
        raise Wrong(f"a table of arguments, each one of {', '.join(ARGUMENT_ROLES)}")
    return FrozenMap(dict(sorted(value.items())))


def _trusted(value: Any) -> tuple[str, ...]:
    """Fields of a result, or all of it."""
    if type(value) is bool:
        return ("*",) if value else ()
    if type(value) is not list or any(type(v) is not str or not v.strip() or v[:1] in ":*" for v in value):
        raise Wrong("true, false or a list of fields, such as `id` or `id:file`")
    return tuple(sorted(set(value)))


def _tiers(value: Any) -> Mapping[str, int]:
    if type(value) is not dict or any(type(v) is not int or not 1 <= v <= 3 for v in value.values()):
        raise Wrong("a table of tiers: 1, 2 or 3")
    return FrozenMap(dict(sorted(value.items())))


def _tiers_of_marks(value: Any) -> Mapping[str, int]:
    tiers = _tiers(value)
    _tags(list(tiers))
    return tiers


def _strengths(value: Any) -> Mapping[str, Strength]:
    names = Strength.names()
    if type(value) is not dict or any(type(v) is not str or v not in names for v in value.values()):
        raise Wrong(f"a table of strengths: {', '.join(names)}")
    return FrozenMap({pattern: Strength.of(name) for pattern, name in sorted(value.items())})


def _keys(value: Any) -> tuple[str, ...]:
    if type(value) is not list or any(type(line) is not str for line in value):
        raise Wrong("a list of public keys, each as the line of a .pub file")
    try:
        found = [public_key(line) for line in value]
    except InputError as error:
        raise Wrong(f"a list of public keys: {error}") from None
    return tuple([f"{key.line} {key.comment}".strip() for key in found])


def _on_allow(value: Any) -> Mapping[str, OnAllow]:
    words = ", ".join(OnAllow.names())
    given = {OTHERS: value} if type(value) is str else value
    if type(given) is not dict or any(type(v) is not str or v not in OnAllow.names() for v in given.values()):
        raise Wrong(f"one of {words}, or a table of permission modes, each with one of them")
    for mode in given:
        if mode not in MODES:
            near = close_to(mode, frozenset(MODES))
            raise Wrong(f"a table of {', '.join(MODES)}, and `{ascii(mode[:40])[1:-1]}` is none{near}")
    if OTHERS not in given:
        raise Wrong(f"a table with `{OTHERS}`, which counts for the modes that it does not name")
    return FrozenMap({mode: OnAllow.of(word) for mode, word in sorted(given.items())})


def _duration(value: Any) -> int:
    """In seconds."""
    number, unit = (value[:-1], value[-1:]) if type(value) is str else ("", "")
    if not number.isdecimal() or not number.isascii() or len(number) > 3 or unit not in _UNITS:
        raise Wrong('a text such as "90s" or "2m"')
    seconds = int(number) * _UNITS[unit]
    if seconds > MAX_WAIT_SECONDS:
        raise Wrong(f"at most {MAX_WAIT_SECONDS // 60} minutes")
    return seconds


_UNITS = {"s": 1, "m": 60}


def _observe(value: Any) -> str:
    if type(value) is not dict or set(value) != {"until"}:
        raise Wrong("a table with its end, such as { until = 2026-12-01 }")
    try:
        return _moment(value["until"])
    except Wrong as wrong:
        raise Wrong(f"a table whose `until` is {wrong}") from None


def _permissive(value: Any) -> int:
    if type(value) is not int or value not in (2, 3):
        raise Wrong("2 or 3")
    return value


def _address(value: Any) -> str:
    if type(value) is not str or host_of(value) is None:
        raise Wrong("a plain http or https address")
    return value


def _store(value: Any) -> str:
    trouble = address_trouble(value) if type(value) is str else "text"
    if trouble is not None:
        raise Wrong(trouble)
    return str(value)


def _engine(value: Any) -> str:
    parts = value.split(".") if type(value) is str else []
    if not 1 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise Wrong("a version of Interlock, such as 0.4 or 0.4.1")
    return str(value)


def _evidence(value: Any) -> tuple[str, ...]:
    if type(value) is not list or not 0 < len(value) <= 8 or not all(type(address) is str for address in value):
        raise Wrong("a list of one to eight addresses")
    for address in value:
        trouble = evidence_trouble(address)
        if trouble is not None:
            raise Wrong(trouble)
    return tuple(dict.fromkeys(value))


def _free_of(trouble: Callable[[Any], str | None]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        told = trouble(value)
        if told is not None:
            raise Wrong(told)
        return float(value) if type(value) is int else value

    return check


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0.1 <= value <= 3:
        raise Wrong("a number of seconds from 0.1 to 3")
    return float(value)


def _examples(value: Any) -> tuple[Any, ...]:
    def good(example: Any) -> bool:
        if type(example) is str:
            return bool(example.strip())
        return (
            type(example) is dict
            and set(example) == {"tool", "input"}
            and type(example["tool"]) is str
            and type(example["input"]) is dict
        )

    if type(value) is not list or not all(good(example) for example in value):
        raise Wrong("a list of command lines, or of tables with `tool` and `input`")
    try:
        canonical(value)
    except (InputError, TypeError, ValueError):  # TOML has dates, infinities and endless numbers; a call has not
        raise Wrong("examples of calls, which hold no dates and no infinite or endless numbers") from None
    return tuple(freeze(example) for example in value)


def _moment(value: Any) -> str:
    """The last moment, as `2026-12-01T23:59:59Z`; TOML gives dates as objects of `datetime`."""
    import datetime

    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise Wrong("a date, or a date and time with an offset such as Z")
        try:
            moment = value.astimezone(datetime.UTC)
        except OverflowError:
            raise Wrong("a date within the calendar") from None
        return moment.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat() + "T23:59:59Z"
    raise Wrong("a date, or a date and time with an offset such as Z")


KINDS: dict[str, Callable[[Any], Any]] = {
    "version": _version,
    "engine": _engine,
    "posture": _word(Posture),
    "mode": _word(ApprovalMode),
    "risk": _word(Risk),
    "verdict": _word(Verdict),
    "approvers": _approvers,
    "ask or deny": _word(Verdict, "ask", "deny"),
    "on_timeout": _word(OnTimeout),
    "headless": _word(Headless),
    "on_allow": _on_allow,
    "observe": _observe,
    "duration": _duration,
    "strength": _word(Strength),
    "strengths": _strengths,
    "keys": _keys,
    "role": _word(Role),
    "boolean": _plain(bool, "true or false"),
    "effects": _words(Effect, empty=True),
    "postures": _words(Posture, empty=False),
    "profile": _profile,
    "places": _places,
    "window": _window,
    "confirm": _confirm,
    "text": _text,
    "id": _text,
    "comment": _comment,
    "name": _name,
    "enforcement": _word(Enforcement),
    "matching": _word(Matching),
    "glob": _text,
    "texts": _texts,
    "rounds": _number(2, 6, "a number from 2 to 6"),
    "count": _number(0, 1_000_000, "a number from 0 to a million"),
    "uses": _number(1, 1_000_000, "a number from 1 to a million"),
    "minutes": _number(1, 1440, "a number of minutes, at most 1440"),
    "days": _number(1, 365, "a number of days, from 1 to 365"),
    "bytes": _number(1 << 26, 1 << 40, "a number of bytes, from 67108864 (64 MB) to 1099511627776 (1 TB)"),
    "owners": _table_of_texts('a table of texts by action, such as { "npm:*" = "release team" }'),
    "no budget": _no_budget,
    "scope": _table_of_texts('a table of globs, such as { branch = "feature/*" }'),
    "conditions": _conditions,
    "commands": _commands,
    "roles": _roles,
    "trusted result": _trusted,
    "tiers": _tiers,
    "tiers of marks": _tiers_of_marks,
    "tags": _tags,
    "tool tags": _tool_tags,
    "command lines": _command_lines,
    "named tables": _named_tables,
    "obeyed": _obeyed,
    "tier 2 or 3": _permissive,
    "examples": _examples,
    "address": _address,
    "seconds": _seconds,
    "store": _store,
    "evidence": _evidence,
    "model address": _free_of(judging_values.address_of_model_trouble),
    "model api": _free_of(judging_values.api_trouble),
    "key name": _free_of(judging_values.key_name_trouble),
    "key file": _free_of(judging_values.key_file_trouble),
    "share": _free_of(judging_values.share_trouble),
    "price": _free_of(judging_values.price_trouble),
    "moment": _moment,
    "when": _plain(dict, 'a table, such as { action = "fs:write" }'),
    "table": lambda value: value,
    "tables": lambda value: value,
    "list of tables": lambda value: value,
}
