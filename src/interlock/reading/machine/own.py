"""Programs that the user describes in `[commands.NAME]`, in the words of the built-in tables.

An entry for a program that we know stands in place of our own row, but for the floor: nothing lifts that, and so not
an entry that says of `rm` or `sudo` that it does nothing.
"""

from __future__ import annotations

from ...model.action import changes_guard, is_catastrophe, reads_guard_secret
from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap
from ..core.tags import close_to
from ..evaluate.words import NUL
from ..tables.spec import Adds, Program, check_tags
from ..tables.vocabulary import CODE, STDIN, role_trouble
from .options import compiled, split_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..evaluate.state import Found

__all__ = ["actions_of", "entry_troubles", "only_floor", "own_row", "runs_unread"]


_PATTERN = frozenset("*?[]$~`'\"\\{}|&;<>()!#")
_BARE = frozenset(("-", "--"))


def entry_troubles(name: str, entry: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with the words of an entry, each with the keys that lead to it."""
    found: list[tuple[tuple[str, ...], str]] = []
    if not name.strip() or "/" in name or any(char.isspace() for char in name):
        found.append(((), "a program is named without blanks and slashes"))
    elif name[0] == "-" or not _PATTERN.isdisjoint(name) or not name.isprintable():
        found.append(((), f"`{_shown(name)}` is no name of a program; patterns and options are not looked up"))
    found += _words_troubles(entry)
    for switch, adds in entry.get("switches", {}).items():
        if _first_names(entry).get(switch) is None:
            found.append((("switches", switch), f"`{_shown(switch)}` is no switch of `options`"))
        found += [(("switches", switch, *keys), text) for keys, text in _tag_troubles(adds)]
    for sub, below in entry.get("commands", {}).items():
        found += [(("commands", sub, *keys), text) for keys, text in entry_troubles(sub, below)]
    return found


def _words_troubles(entry: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    found += [(("operands",), text) for text in _operand_troubles(entry.get("operands", ""))]
    described: set[str] = set()
    for item in entry.get("options", "").split():
        names, colon, role = item.partition("!")[0].replace("\\:", NUL).partition(":")
        every = names.removesuffix("?").split("|")
        if any(not option.startswith("-") for option in every):
            found.append((("options",), f"`{_shown(item)}` in `options` does not begin with a dash"))
        if not _BARE.isdisjoint(every) or item[-1] == "!":
            found.append((("options",), f"`{_shown(item)}` in `options` lacks a name"))
        found += [(("options",), f"`{_shown(name)}` is described twice") for name in every if name in described]
        described.update(every)
        trouble = role_trouble(role, ours=False) if colon else None
        if trouble is not None:
            found.append((("options",), f"`{_shown(item)}`: {trouble}"))
        elif names.endswith("?") and not colon:
            found.append((("options",), f"`{_shown(item)}` takes a value, and its role is missing"))
    for word in entry.get("dryrun", "").split():
        if not word.startswith("-") or word in _BARE:
            found.append((("dryrun",), f"`{_shown(word)}` in `dryrun` does not begin with a dash, or lacks a name"))
    stdin = entry.get("stdin", "read")
    if stdin not in STDIN or stdin.startswith(("sql.", "address")):  # those are read by the function of a client
        text = f"unknown use `{_shown(stdin)}` of standard input{close_to(stdin, CODE | {'read', 'send'})}"
        found.append((("stdin",), text))
    return found + _tag_troubles(entry)


def _operand_troubles(operands: str) -> list[str]:
    """Roles that are none, and an order in which nobody could tell which word is in which role."""
    roles = split_roles(operands)
    found = [trouble for role, _ in roles if (trouble := role_trouble(role, ours=False)) is not None]
    twice = [word for word in operands.split() if word[-2:-1] in ("?", "*", "+")]
    found += [f"`{_shown(word)}` has more than one quantifier" for word in twice]
    if any(role == "command" for role, _ in roles[:-1]):
        found.append("`command` takes all words that are left: nothing can stand behind it")
    if len([role for role, quantifier in roles if quantifier in ("*", "+") or role == "command"]) > 1:
        found.append("only one role can take any number of words")
    return found


def _tag_troubles(entry: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    action = entry.get("action", "")
    odd = not _PATTERN.isdisjoint(action) or any(char.isspace() for char in action) or not action.isprintable()
    found = [(("action",), f"`{_shown(action)}` is no name of an action, such as `deploy:site`")] if odd else []
    try:
        check_tags(tuple(entry.get("tags", ())))
    except ValueError as error:
        return [*found, (("tags",), str(error))]
    return [*found]


def _first_names(entry: Mapping[str, Any]) -> dict[str, str]:
    """What a switch is called, or shows as -> the name by which it is looked for."""
    names: dict[str, str] = {}
    for item in entry.get("options", "").split():
        spelt, _, shows = item.partition("!")
        every = spelt.replace("\\:", NUL).partition(":")[0].rstrip("?").replace(NUL, ":").split("|")
        names.update(dict.fromkeys(every, every[0]))
        if shows:
            names[shows] = shows
    return names


def _shown(text: str) -> str:
    return ascii(text[:40])[1:-1]


def own_row(name: str, entry: Mapping[str, Any], above: str = "") -> Program:
    """The row that a checked entry makes; `above` is the action of the program whose sub-command it is."""
    action = entry.get("action") or (f"{above}-{name}" if above else f"exec:{name}")
    row = Program(
        name=name,
        operands=entry.get("operands", "text*"),
        options=entry.get("options", ""),
        action=action,
        effects=_effects(entry),
        tags=tuple(entry.get("tags", ())),
        risk=Risk.of(entry.get("risk", "low")),
        irreversible=entry.get("irreversible", False),
        compensator=entry.get("compensator"),
        flags=_switches(entry),
        dryrun=entry.get("dryrun", ""),
        stdin=entry.get("stdin", "read"),
    )
    below = entry.get("commands")
    if not below:
        return row
    subs = {sub: own_row(sub, given, action) for sub, given in below.items()}
    return row.replace(subs=FrozenMap(subs), default=row if "operands" in entry else None)


def _switches(entry: Mapping[str, Any]) -> Mapping[str, Adds]:
    named = _first_names(entry)
    return FrozenMap(
        {
            named[switch]: Adds(
                effects=_effects(adds),
                tags=tuple(adds.get("tags", ())),
                risk=Risk.of(adds.get("risk", "low")),
                irreversible=adds.get("irreversible", False),
                action=adds.get("action"),
                opaque=adds.get("opaque"),
            )
            for switch, adds in entry.get("switches", {}).items()
        }
    )


def _effects(entry: Mapping[str, Any]) -> tuple[Effect, ...]:
    return tuple([Effect.of(effect) for effect in entry.get("effects", ())])


def actions_of(row: Program) -> frozenset[str]:
    """Every name that a run of the program can have."""
    names = {row.action, *[adds.action for adds in row.flags.values()]}
    for below in (*row.subs.values(), *([row.default] if row.default is not None else [])):
        names |= actions_of(below)
    return frozenset([name for name in names if name is not None])


def runs_unread(row: Program) -> bool:
    """Whether the row itself says that something it does cannot be read: code in another language, an opaque switch."""
    unread = CODE - {"code.sh", "code.py"}
    roles = [role for role, _ in split_roles(row.operands)]
    roles += [option.role or "" for option in compiled(row).by_name.values()]
    below = (*row.subs.values(), *([row.default] if row.default is not None else []))
    return (
        not unread.isdisjoint((*roles, row.stdin))
        or any(adds.opaque is not None for adds in row.flags.values())
        or any(map(runs_unread, below))
    )


def only_floor(found: Found, follow: Callable[..., object], *what: object) -> None:
    """Follows a program by our own row, and keeps of it what the floor looks at."""
    actions, opaque, blamed = len(found.actions), len(found.opaque), len(found.blamed)
    programs = 0 if found.programs is None else len(found.programs)
    follow(*what)
    floor = (changes_guard, is_catastrophe, reads_guard_secret)
    kept = [action for action in found.actions[actions:] if any(test(action) for test in floor)]
    found.actions[actions:] = kept
    del found.opaque[opaque:], found.blamed[blamed:]
    if found.programs is not None:
        del found.programs[programs:]
