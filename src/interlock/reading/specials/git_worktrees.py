"""Linked work trees that the agent makes: a new folder beside the project is one more folder of it."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.facts import NO_PROJECT
from ...value import TYPE_CHECKING
from ..machine.places import where
from ..places.paths import parent

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["settle_worktrees"]


def settle_worktrees(words: list[Arg], before: int, shell: Shell) -> None:
    """`git worktree add ../fix` and `remove ../fix`, by the actions since `before`.

    git fills the folder from its objects, so what lies there is not the session's text. One that this session has made
    holds nothing but what came into it since, so that removing it loses nobody's work.
    """
    found, facts = shell.found, shell.found.facts
    named = {where(word, shell) for word in words if word.known}
    for at in range(before, len(found.actions)):
        action = found.actions[at]
        path = action.target.get("path")
        if action.name == "fs:write" and type(path) is str and _is_new_beside(path, facts.root, action.tags):
            found.actions[at] = action.replace(tags=("built", "new"))
            found.facts = found.facts.replace(beside=(*found.facts.beside, f"{path}/"))
        elif action.name == "git:worktree-remove" and not named.isdisjoint(facts.created):
            found.actions[at] = action.replace(effects=(Effect.WRITE,), irreversible=False, tags=())


def _is_new_beside(path: str, root: str, tags: tuple[str, ...]) -> bool:
    beside = root != NO_PROJECT and parent(path) == parent(root) and not path.rpartition("/")[2].startswith(".")
    return beside and "new" in tags and set(tags) <= {"new", "outside"}
