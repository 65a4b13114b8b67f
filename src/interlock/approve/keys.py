"""The grant key: what a person would be granting, in a few words, and the grant it stands for.

The key of a file action is its folder, of a network action its host, of any other action its name,
which for a command are the words that its table gives it (`git push` is `git:push`); switches that were named follow
(`git:push force`). A remembered grant is built from the same action, bound to the effects, marks and risk that the
person was shown, and to the remote, the detour and the switches, so a worse variant is asked about again. A person's no
is kept under the key alone.
"""

from __future__ import annotations

from ..action import Action
from ..record.redact import MARK
from ..value import TYPE_CHECKING, FrozenMap
from .glob import is_plain
from .grant import Grant, shown_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..decision import Finding

__all__ = ["key_of_action", "keys_of_action", "refusal_of", "refused_by", "remembered"]


def key_of_action(action: Action) -> str:
    """Words for a person, and the same for the same grant."""
    return keys_of_action(action)[-1]


def keys_of_action(action: Action) -> tuple[str, ...]:
    """Its key without switches and with them; one where there are none."""
    scope = _scope_of(action)
    if scope is None:
        return (f"{action.name}, this one",)
    plain = " ".join([action.name, *[f"{field}={pattern}" for field, pattern in scope.items()]])
    switches = [field for field, value in action.target.items() if value is True]
    return (plain, " ".join([plain, *sorted(switches)])) if switches else (plain,)


def refusal_of(asks: Sequence[Finding], actions: tuple[Action, ...], approval: str) -> tuple[str, ...]:
    """What a person's no to these asks is kept under: every key together. What has no key binds this very call."""
    return tuple([key for ask in asks for key in _keys_of(ask, actions, approval)])


def _keys_of(ask: Finding, actions: tuple[Action, ...], approval: str) -> list[str]:
    keys = [key_of_action(actions[index]) for index in ask.actions]
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
            asked.update(keys_of_action(actions[index]))
    return next((no for no in refused if all(key in asked for key in no)), None)


def remembered(finding: Finding, actions: tuple[Action, ...], *, by: str, reach: str = "session") -> tuple[Grant, ...]:
    """The grants that a person's yes to this finding stands for; none where it cannot be remembered."""
    if "remembered" not in finding.lifted_by:
        return ()
    found = []
    for index in finding.actions:
        action = actions[index]
        scope, shown = _scope_of(action), shown_scope(action)
        if scope is None or shown is None:
            return ()
        found.append(
            Grant(
                id=" ".join(
                    [f"remembered:{key_of_action(action)}", *[f"{k}={v}" for k, v in shown.items() if v != "true"]]
                ),
                kind="remembered",
                action=action.name,
                scope=FrozenMap({**scope, **shown}),
                effects=action.effects,
                tags=action.tags,
                risk=action.risk,
                irreversible=action.irreversible,
                reach=reach,
                by=by,
                why=finding.text,
            )
        )
    return tuple(found)


def _scope_of(action: Action) -> dict[str, str] | None:
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
        # A folder near the root would grant half the machine: then the grant is for the one file.
        scope["path"] = folder + "/*" if folder.count("/") >= 3 else path
        real = action.target.get("real")
        if type(real) is str:
            scope["real"] = real
        if "obeyed" in action.target:  # a yes to a workflow is none to the settings of git beside it
            scope["obeyed"] = str(action.target["obeyed"])
        return scope if is_plain(path) and is_plain(str(real)) else None
    if type(host) is str:
        scope["host"] = host
        return scope if is_plain(host) else None
    for field in _SERVICES:  # a yes to one service is not one to all
        name = action.target.get(field)
        if name is not None and (type(name) is not str or not is_plain(name)):
            return None
        if name is not None:
            scope[field] = str(name)
    return scope


_SERVICES = ("service", "unit", "fetched")
