"""A command prefix (`git push`, `git`, `Bash(npm run build:*)`) compiled into what it permits.

The words are read as a command, with the same tables as any other, and what that would do becomes the pattern: so a
grant for `git push` holds however a push is written, and covers no `--force`. One word alone (`git`) stands for all
that the program's table names, without what cannot be taken back. A remembered grant never satisfies tier 3.
"""

from __future__ import annotations

from ..approve.grant import Grant
from ..model.effects import Effect
from ..model.errors import InputError
from ..model.facts import Facts
from ..model.verdict import Risk
from ..reading.bash import follow_bash
from ..reading.machine.index import find_program
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from ..model.action import Action

__all__ = ["grant_for", "read_prefix"]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:@/+= ")
_FACTS = Facts(root="/project", home="/home/user")
_OPERAND = "any-operand"
# Fields of a target that say which task or resource it is, not what it is done to.
_NAMING = ("task", "resource")
_MARKS_OF_PLACES = ("created", "local", "new", "project", "temp", "unread")
_NEVER_WHOLESALE = frozenset(("unknown", "privileged", "secret", "history", "device", "scheduled"))
# Actions that stand for whatever a program, a file or an address is: words alone would permit far too much.
_WIDE = ("exec:script", "exec:shell", "exec:code", "exec:nothing", "exec:stdin")


def read_prefix(text: str) -> tuple[str, ...]:
    """The words of a prefix, whichever way it is written. InputError where it is none."""
    inside = text.strip()
    if inside.startswith("Bash(") and inside.endswith(")"):
        inside = inside[len("Bash(") : -1]
    inside = inside.removesuffix(":*").removesuffix(" *").strip()
    if not inside or not set(inside) <= _PLAIN:
        raise InputError(f"`{text[:80]}` is not a command prefix; write plain words, such as `git push`")
    return tuple(inside.split())


def grant_for(text: str, *, by: str) -> Grant:
    """The grant that a prefix stands for. InputError, with what to do instead, where words cannot say it."""
    words = read_prefix(text)
    line = " ".join(words)
    if len(words) == 1 and _has_commands(words[0]):
        return _whole_program(words[0], by=by)
    # `rm` alone does nothing; with an operand it shows what it is for
    plain, with_operand = _actions(line), _actions(f"{line} {_OPERAND}")
    if any(_OPERAND in action.name for action in with_operand):
        raise InputError(f"`{line}` runs whatever comes after it; name the command as well")
    names = {action.name for action in (*plain, *with_operand)}
    shown = with_operand if len(names) != 1 and len({action.name for action in with_operand}) == 1 else plain
    if len({action.name for action in shown}) != 1:
        found = ", ".join(sorted(names)) or "nothing that is known"
        raise InputError(f"`{line}` stands for {found}; grant one of them by its action instead")
    action = shown[0]
    if action.name in _WIDE or action.name.startswith(("fs:", "net:")):
        raise InputError(f"`{line}` would permit {action.name} anywhere; grant the action with a scope instead")
    if action.name == "exec:project" and "task" not in action.target:
        raise InputError(f"`{line}` would permit all code of the project; name the task, such as `npm run build`")
    return Grant(
        id=f"prefix:{line}",
        kind="remembered",
        action=action.name,
        scope=FrozenMap({field: str(action.target[field]) for field in _NAMING if field in action.target}),
        effects=tuple([effect for effect in Effect.members if any(effect in seen.effects for seen in shown)]),
        tags=tuple(sorted({tag for seen in shown for tag in seen.tags})),
        risk=max(seen.risk for seen in shown),
        irreversible=any(seen.irreversible for seen in shown),
        reach="session",
        by=by,
    )


def _actions(line: str) -> tuple[Action, ...]:
    found = follow_bash(line, cwd="/project", facts=_FACTS)
    return tuple(found.actions)


def _has_commands(word: str) -> bool:
    program = find_program(word)
    return program is not None and bool(program.subs)


def _whole_program(word: str, *, by: str) -> Grant:
    """`git`: every command of it whose actions carry its name, as long as it can be taken back."""
    program = find_program(word)
    subs = program.subs.values() if program is not None else ()
    families = {(sub.action or "").partition(":")[0] for sub in subs if sub.action}
    tags = {tag for sub in subs for tag in sub.tags}
    if word not in families:
        several = ", ".join(f"{family}:*" for family in sorted(families)) or "nothing that is known"
        raise InputError(f"`{word}` stands for {several}; grant one of its commands, such as two of its words, instead")
    return Grant(
        id=f"prefix:{word}",
        kind="remembered",
        action=f"{word}:*",
        effects=tuple([effect for effect in Effect.members if effect is not Effect.DESTRUCTIVE]),
        tags=tuple(sorted({*tags, *_MARKS_OF_PLACES} - _NEVER_WHOLESALE)),
        risk=Risk.MEDIUM,
        irreversible=False,
        reach="session",
        by=by,
    )
