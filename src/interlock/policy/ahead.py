"""What a person permits ahead, from the words they give: the first words of a command, or the name of an action.

Words are compiled by `prefix.grant_for`, so the grant is capped at what such a command shows: effects, marks, risk and
whether it can be taken back. A field of the scope that makes more happen (`force=true`) is shown as well, by reading
the command with that option. `examples_of` tries the result, so what a person is told is what will be decided.
"""

from __future__ import annotations

from ..approve.gated import GATES
from ..approve.glob import is_plain
from ..approve.grant import ANYWHERE as ANY_PLACE
from ..approve.grant import DESTINATION, WIDENING, Grant, covers, is_outward
from ..approve.index import ANYWHERE, family_of
from ..model.action import Action
from ..model.effects import Effect
from ..model.errors import InputError
from ..model.facts import Facts
from ..reading.bash import follow_bash
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .prefix import grant_for, read_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..model.wants import Want
    from ..reading.reach.pushed import push_by
    from .meaning import action_trouble, field_trouble, pattern_trouble
    from .outward import leaves_here

    Ask = Callable[[tuple[Want[object], ...]], Facts]
else:
    push_by = lazy(globals(), "..reading.reach.pushed", "push_by")
    action_trouble = lazy(globals(), ".meaning", "action_trouble")
    field_trouble = lazy(globals(), ".meaning", "field_trouble")
    pattern_trouble = lazy(globals(), ".meaning", "pattern_trouble")
    leaves_here = lazy(globals(), ".outward", "leaves_here")

__all__ = ["examples_of", "permitted_ahead"]

_FACTS = Facts(root="/project", home="/home/user")
_EXAMPLE = "example"
_MOST_EXAMPLES = 3
_WORST_FIRST = (
    "force",
    "delete",
    "mirror",
    *[field for field in WIDENING if field not in ("force", "delete", "mirror")],
)
_ORDER = ("remote", "branch", "image", "package", "tag", "path")  # how operands usually follow each other


def permitted_ahead(
    what: str,
    scope: Mapping[str, str],
    *,
    by: str,
    why: str = "",
    subject: str = "",
    folder: str = "",
    ask: Ask | None = None,
) -> Grant:
    """The grant, without an id and for a session. InputError, with what to do instead, where it is not clear.

    What leaves this machine may go where it would go now from `folder`; `ask` looks that up.
    """
    words = _words_of(what)
    if words is None:
        grant = _named(what, scope)
    else:
        grant = grant_for(words, by=by)
        if is_plain(grant.action):
            grant = _widened(grant, " ".join(read_prefix(words)), scope).replace(kind="capability")
    _check_names(grant.action, scope)
    whole = FrozenMap({**_where(what, words, grant, scope, folder, ask), **grant.scope, **scope})
    return grant.replace(id="", scope=whole, by=by, why=why, subject=subject, reach="session")


def _where(
    what: str, words: str | None, grant: Grant, scope: Mapping[str, str], folder: str, ask: Ask | None
) -> dict[str, str]:
    """The destination in force, where the scope names none and there has to be one."""
    if DESTINATION in scope or (words is not None and not is_plain(grant.action)):
        return {}  # `git` as a whole covers nothing that leaves this machine

    outward = "external" in grant.tags if grant.tags is not None else leaves_here(grant.action)
    if not outward:
        return {}
    found: tuple[str, ...] = ()
    if ask is not None and is_plain(grant.action):
        found = _in_force(grant.action, tuple((words or "").split()), scope, folder, ask)
    if not found:
        raise InputError(
            f"where `{what[:60]}` goes cannot be told here; say it with --scope destination=…, "
            f"or --scope 'destination={ANY_PLACE}' for anywhere"
        )
    return {DESTINATION: "\n".join(sorted(found))}


def _in_force(action: str, words: tuple[str, ...], scope: Mapping[str, str], folder: str, ask: Ask) -> tuple[str, ...]:
    from ..model.more_wants import Destination, Pushed
    from ..reading.reach.destinations import asked_by, is_push

    if is_push(action):
        remote = scope.get("remote", "")
        push = Pushed(push_by(folder, remote, (), ()))
        sent = ask((push,)).answer(push) if is_plain(remote) else None
        return () if sent is None else sent.destinations
    query, said = asked_by(action, words, scope, folder)
    return said if query is None else ask((Destination(query),)).answer(Destination(query)) or ()


def _words_of(what: str) -> str | None:
    """The words of a command; None for the name of an action that no words stand for."""
    what = what.strip()
    if what.startswith("Bash(") or ":" not in what or any(char.isspace() for char in what):
        return what
    return next((gate.words for gate in GATES if gate.action == what and ":" not in gate.words), None)


def _check_names(action: str, scope: Mapping[str, str]) -> None:
    """A name that no such call has would make a grant that covers nothing, and look like one that does."""
    troubles = [action_trouble(action)]
    for field, pattern in scope.items():
        troubles += [field_trouble(action, field), (pattern_trouble(pattern), True)]
    for text, sure in troubles:
        if text and sure:
            raise InputError(text)


def _named(what: str, scope: Mapping[str, str]) -> Grant:
    """An action by its name: nobody has shown what it does, so it is not capped, and must not be everything."""
    if not what.isprintable() or family_of(what) == ANYWHERE:
        raise InputError(f"`{what[:80]}` would permit everything; name an action, such as git:push")
    if what.startswith(("fs:", "net:", "exec:")) and not scope:
        raise InputError(f"`{what[:80]}` would permit that anywhere; say where with --scope, such as path=/srv/app/*")
    return Grant(id="", kind="capability", action=what)


def _widened(grant: Grant, line: str, scope: Mapping[str, str]) -> Grant:
    """The grant with what the fields of the scope that make more happen show."""
    for field in WIDENING:
        if field not in scope:
            continue
        lines = (f"{line} --{field}", f"{line} --{field} origin {_EXAMPLE}", f"{line} --{field} {_EXAMPLE}")
        shown = [a for text in lines for a in _actions(text) if a.name == grant.action and a.target.get(field) is True]
        if not shown:
            raise InputError(f"`{line}` has no `{field}`; `interlock compensators` lists what a scope may name")
        grant = grant.replace(
            effects=tuple([e for e in Effect.members if e in grant.effects or any(e in a.effects for a in shown)]),
            tags=tuple(sorted({*(grant.tags or ()), *(tag for action in shown for tag in action.tags)})),
            risk=max(grant.risk, *(action.risk for action in shown)),
            irreversible=grant.irreversible or any(action.irreversible for action in shown),
        )
    return grant


def examples_of(
    what: str, grant: Grant, read: Callable[[str], tuple[Action, ...]] | None = None
) -> tuple[list[str], list[str]]:
    """Commands of the kind that it would cover, and that it would not. Each was read and held against the grant.

    `read` reads a command where the grant is given; where it goes from there is part of it.
    """
    read = read or _actions
    words = _words_of(what)
    if words is None:
        return [], []
    line = " ".join(read_prefix(words))
    scope = {field: pattern.replace("*", "x").replace("?", "x") for field, pattern in grant.scope.items()}
    if "branch" in scope:
        scope.setdefault("remote", "origin")
    if "registry" in scope and "image" not in scope:
        scope["image"] = f"{scope['registry']}/x"
    inside = [scope[field] for field in _ORDER if field in scope]
    full = " ".join([line, *[f"--{field}" for field in WIDENING if scope.get(field) == "true"], *inside])
    tried = [(full, ""), (line, "")]
    if inside:
        tried.insert(1, (f"{full.rpartition(' ')[0]} {'main' if 'branch' in scope else 'another'}", ""))
    tried += [(f"{full} --{field}", field) for field in _WORST_FIRST if field not in scope]
    if is_plain(grant.action) and grant.action == "git:push":
        tried.insert(2, (f"{line} https://elsewhere.example/x {scope.get('branch', 'main')}", ""))
    yes: list[str] = []
    no: list[str] = []
    for text, field in dict.fromkeys(tried):
        actions = [action for action in read(text) if action.name == grant.action]
        if any(is_outward(action) and DESTINATION not in action.target for action in actions):
            continue  # where it would go cannot be told here
        if actions and (not field or any(action.target.get(field) is True for action in actions)):
            (yes if all(covers(grant, action) for action in actions) else no).append(text)
    return yes[:_MOST_EXAMPLES], no[:_MOST_EXAMPLES]


def _actions(line: str) -> tuple[Action, ...]:
    found = follow_bash(line, cwd="/project", facts=_FACTS)
    return () if found.opaque else tuple(found.actions)
