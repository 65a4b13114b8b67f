"""Every action of the tables that cannot be taken back says how it is made good, or that nothing does."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.action import Action
from interlock.approve.compensators import COMPENSATORS, compensator_of, named_for, undo_to_show
from interlock.approve.gated import GATES
from interlock.approve.glob import matches
from interlock.effects import Effect
from interlock.value import FrozenMap
from table_rows import every_row


def irreversible() -> set[str]:
    """Names of actions that may lose something, and whose own row does not say how it is undone."""
    found = set()
    for row in every_row():
        program = row.program
        more = list(program.flags.values()) if program.flags else []
        lost = program.irreversible or Effect.DESTRUCTIVE in program.effects
        if lost or any(Effect.DESTRUCTIVE in flag.effects for flag in more):
            if program.compensator is None:
                found.add(program.action or ":".join(row.words))
    return found - {gate.action for gate in GATES}


def test_every_irreversible_action_has_a_compensator_or_says_none() -> None:
    names = irreversible()
    assert len(names) > 300
    assert sorted(name for name in names if not named_for(name)) == []


def test_every_row_is_for_something() -> None:
    names = irreversible() | {
        "fs:delete",
        "fs:wipe",
        "git:reset",
        "git:branch",
        "git:tag",
        "git:stash-drop",
        "net:send",
    }
    used = set()
    for name in names:
        used.add(next(pattern for pattern, _ in COMPENSATORS if pattern == name or matches(pattern, name)))
    assert [pattern for pattern, _ in COMPENSATORS if pattern not in used] == []


def test_it_names_what_was_lost() -> None:
    action = Action(name="git:tag", target=FrozenMap({"tag": "v1"}), irreversible=True)
    assert compensator_of(action) == "git tag v1 <commit>; git fsck --unreachable finds it"
    assert compensator_of(action.replace(compensator="mine")) == "mine"
    assert compensator_of(Action(name="sys:shutdown")).startswith("none")


@pytest.mark.parametrize(
    "branch", ["main; rm -rf ~", "$(id)", "--force", "a b", "`id`", "[redacted:token]", "", ("a", "b")]
)
def test_what_a_shell_could_take_for_more_than_a_word_is_not_filled_in(branch: Any) -> None:
    action = Action(name="git:push", target=FrozenMap({"remote": "origin", "branch": branch}), tags=("external",))
    assert undo_to_show(action).startswith("git push --force-with-lease origin <old commit>:<branch>;")


def test_an_address_with_a_password_is_not_filled_in() -> None:
    target = FrozenMap({"remote": "https://ann:word@git.example/a", "branch": "main"})
    assert "ann" not in undo_to_show(Action(name="git:push", target=target, tags=("external",)))


@pytest.mark.parametrize(
    ("action", "undo"),
    [
        (
            Action(name="npm:publish", target=FrozenMap({"package": "@acme/x"}), tags=("external",)),
            "npm unpublish @acme/x@",
        ),
        (
            Action(name="docker:push", target=FrozenMap({"image": "r.example/a:1"}), irreversible=True),
            "delete r.example/a:1",
        ),
        (
            Action(name="gh:release-create", target=FrozenMap({"tag": "v1"}), tags=("external",)),
            "gh release delete v1 ",
        ),
        (Action(name="net:send", target=FrozenMap({"host": "a.example"}), tags=("external",)), ""),
        (Action(name="fs:write", target=FrozenMap({"path": "/p/a"})), ""),
    ],
)
def test_whatever_leaves_this_machine_shows_its_undo(action: Action, undo: str) -> None:
    shown = undo_to_show(action)
    assert shown.startswith(undo) if undo else not shown
