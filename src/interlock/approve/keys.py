"""The grant key: what a person would be granting, in a few words, and the grant it stands for.

The key of a file action is its folder, of a network action its host, of any other action
its name. A remembered grant is built from the same action, bound to the effects, marks and
risk that the person was shown, so a worse variant is asked about again.
"""

from __future__ import annotations

from ..action import Action
from ..value import TYPE_CHECKING, FrozenMap
from .glob import is_plain
from .grant import Grant

if TYPE_CHECKING:
    from ..decision import Finding

__all__ = ["key_of_action", "remembered"]


def key_of_action(action: Action) -> str:
    """Words for a person, and the same for the same grant."""
    scope = _scope_of(action)
    if scope is None:
        return f"{action.name}, this one"
    return " ".join([action.name, *(f"{field}={pattern}" for field, pattern in scope.items())])


def remembered(finding: Finding, actions: tuple[Action, ...], *, by: str, reach: str = "session") -> tuple[Grant, ...]:
    """The grants that a person's yes to this finding stands for; none where it cannot be remembered."""
    if "remembered" not in finding.lifted_by:
        return ()
    found = []
    for index in finding.actions:
        action = actions[index]
        scope = _scope_of(action)
        if scope is None:
            return ()
        found.append(
            Grant(
                id=f"remembered:{key_of_action(action)}",
                kind="remembered",
                action=action.name,
                scope=FrozenMap(scope),
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
    scope: dict[str, str] = {}
    if type(path) is str:
        folder = path.rpartition("/")[0]
        # A folder near the root would grant half the machine: then the grant is for the one file.
        scope["path"] = folder + "/*" if folder.count("/") >= 3 else path
        real = action.target.get("real")
        if type(real) is str:
            scope["real"] = real
        return scope if is_plain(path) and is_plain(str(real)) else None
    if type(host) is str:
        scope["host"] = host
        return scope if is_plain(host) else None
    return scope
