"""The grant key: what a person would be granting, in a few words, and the grant it stands for.

The key of a file action is its folder, or the file itself where others obey it or where it lies outside the project;
of a network action its host; of any other action its name and what it is done to: the package, the service, where a
push goes. Switches that were named follow (`git:push force`). A remembered grant is built from the same action, bound
to the effects, marks and risk that the person was shown, and to every field of the target that is not free to differ
(grant.py), so another variant is asked about again. A person's no is kept under the key alone.
"""

from __future__ import annotations

from ..bytes.redact import MARK
from ..model.action import Action
from ..model.effects import Effect
from ..value import TYPE_CHECKING, FrozenMap
from .glob import is_plain
from .grant import DESTINATION, Grant, is_outward, shown, shown_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.decision import Finding

__all__ = ["is_alone", "key_of_action", "refusal_of", "refused_by", "refused_keys", "remembered"]


def key_of_action(action: Action) -> str:
    """Words for a person, and the same for the same grant."""
    return _keys_of_action(action)[-1]


def _keys_of_action(action: Action, *, beside: bool = False) -> tuple[str, ...]:
    """Its key without switches and with them; one where there are none. `beside`: of an obeyed file, its folder."""
    scope = _scope_of(action, beside=beside)
    if scope is None:
        return (f"{action.name}, this one",)
    plain = " ".join([action.name, *[f"{field}={shown(pattern)}" for field, pattern in scope.items()]])
    switches = [field for field, value in action.target.items() if value is True]
    return (plain, " ".join([plain, *sorted(switches)])) if switches else (plain,)


def refused_keys(action: Action) -> tuple[str, ...]:
    """A no goes further than a yes: which package it was, or where it would have gone, does not matter to it, nor which
    of the obeyed files in a folder.
    """
    narrow = action.replace(target=FrozenMap({k: v for k, v in action.target.items() if k not in _ONLY_A_YES}))
    return _keys_of_action(narrow, beside=True)


def refusal_of(asks: Sequence[Finding], actions: tuple[Action, ...], approval: str) -> tuple[str, ...]:
    """What a person's no to these asks is kept under: every key together. What has no key binds this very call."""
    return tuple([key for ask in asks for key in _keys_of(ask, actions, approval)])


def _keys_of(ask: Finding, actions: tuple[Action, ...], approval: str) -> list[str]:
    keys = [refused_keys(actions[index])[-1] for index in ask.actions]
    return [approval] if not keys or any(key.endswith(", this one") for key in keys) else keys


def refused_by(
    refused: tuple[tuple[str, ...], ...], asks: Sequence[Finding], actions: tuple[Action, ...], approval: str
) -> tuple[str, ...] | None:
    """The first no that these asks fall under: all that it was said to is asked again.

    A no to `git:push` is one to `git:push force` too, and not the other way round.
    """
    asked = {approval}
    for ask in asks:
        for index in ask.actions:
            asked.update(refused_keys(actions[index]))
    return next((no for no in refused if all(key in asked for key in no)), None)


def remembered(finding: Finding, actions: tuple[Action, ...], *, by: str, reach: str = "session") -> tuple[Grant, ...]:
    """The grants that a person's yes to this finding stands for; none where it cannot be remembered."""
    if "remembered" not in finding.lifted_by:
        return ()
    found = []
    for index in finding.actions:
        action = actions[index]
        scope, bound = _scope_of(action), shown_scope(action)
        if scope is None or bound is None or (is_outward(action) and DESTINATION not in action.target):
            return ()  # no pattern says what was meant, or nobody knows where it went
        details = [
            f"{field}={shown(value)}" for field, value in bound.items() if value != "true" and field not in scope
        ]
        found.append(
            Grant(
                id=" ".join([f"remembered:{key_of_action(action)}", *details]),
                kind="remembered",
                whole=True,
                action=action.name,
                scope=FrozenMap({**bound, **scope}),
                effects=action.effects,
                tags=_tags_of(action),
                risk=action.risk,
                irreversible=action.irreversible,
                reach=reach,
                by=by,
                why=finding.text,
            )
        )
    return tuple(found)


def is_alone(action: Action) -> bool:
    """Whether the path stands for itself: what lies beside a file outside the project is somebody else's."""
    if "outside" not in action.tags or "own-folder" in action.tags:
        return False
    return "sends" in action.tags or action.effects != (Effect.READ,)


def _tags_of(action: Action) -> tuple[str, ...]:
    """The marks that a yes is bound to. The yes to an obeyed file is one to that file, gone or made again."""
    return tuple(sorted({*action.tags, "created", "new"})) if "obeyed" in action.tags else action.tags


def _scope_of(action: Action, *, beside: bool = False) -> dict[str, str] | None:
    """What of the target a remembered grant is limited to; None where no pattern says just that."""
    if not is_plain(action.name):
        return None
    path = action.target.get("path")
    host = action.target.get("host")
    if MARK in f"{path}\n{host}":  # what stands for a secret stands for any other as well
        return None
    scope: dict[str, str] = {}
    if type(path) is str:
        folder = path.rpartition("/")[0]
        # A folder near the root would grant half the machine: then the grant is for the one file. So it is where others
        # obey the file, and outside the project: what stands beside it is there for reasons of its own.
        alone = folder.count("/") < 3 or (not beside and ("obeyed" in action.target or is_alone(action)))
        scope["path"] = path if alone else folder + "/*"
        real = action.target.get("real")
        if type(real) is str:
            scope["real"] = real
        if "obeyed" in action.target:  # a yes to a workflow is none to the settings of git beside it
            scope["obeyed"] = str(action.target["obeyed"])
        return scope if is_plain(path) and is_plain(str(real)) else None
    if type(host) is str:
        scope["host"] = host
        return scope if is_plain(host) else None
    bound = shown_scope(action)
    return None if bound is None else {field: bound[field] for field in _NAMED if field in bound}


# What a key names besides the action: a yes to one service or package is not one to all.
_ONLY_A_YES = frozenset(
    (
        *("destination", "fields", "given", "package", "program", "protected", "registry"),
        *("branch", "tag", "ref", "along", "carries"),
    )
)
_NAMED = (
    *("service", "unit", "fetched", "package", "registry", "destination", "protected"),
    *("program", "runs", "digest", "hangs", "by", "given", "fields"),
)
