"""Every action of the tables that cannot be taken back says how it is made good, or that nothing does."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.compensators import COMPENSATORS, VERBS, compensator_of, named_for, undo_to_show
from interlock.approve.gated import GATES
from interlock.approve.glob import matches
from interlock.model.action import Action
from interlock.model.effects import Effect
from interlock.value import FrozenMap
from table_rows import every_row

# Rows for what was deleted: they bring back what is gone.
RESTORES = (
    *(
        "gh:*",
        "docker:*",
        "vercel:*",
        "wrangler:*",
        "bq:*",
        "supabase:*",
        "heroku:*",
        "terraform:*",
        "pulumi:*",
        "flux:*",
    ),
    *("etcd:*", "bw:*", "repo:*", "fossil:*", "git-flow:*", "istioctl:*", "sam:*", "vagrant:*", "skaffold:*", "hex:*"),
    *("nix:*", "django:*", "zfs:*", "security:*"),
)


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


def outward() -> set[str]:
    """Names of actions that leave this machine, whatever they do there."""
    found = set()
    for row in every_row():
        program = row.program
        more = list(program.flags.values()) if program.flags else []
        leaves = "external" in program.tags or any("external" in flag.tags for flag in more)
        if leaves and program.compensator is None:
            found.add(program.action or ":".join(row.words))
    return found - {gate.action for gate in GATES}


def test_what_leaves_this_machine_and_loses_nothing_is_not_made_good_like_a_loss() -> None:
    of_losses = {text for pattern, text in COMPENSATORS if pattern in RESTORES}
    assert len(of_losses) > 10
    names = outward()
    assert len(names) > 500
    shown = {name: undo_to_show(Action(name=name, tags=("external",))) for name in names}
    assert {name: text for name, text in shown.items() if text in of_losses} == {}
    assert sorted(set(VERBS) - {name.rpartition(":")[2].rpartition("-")[2] for name in names}) == []


@pytest.mark.parametrize(
    ("name", "undo"),
    [
        ("gh:issue-create", "delete what it made"),
        ("gh:issue-close", "the same command with `reopen`"),
        ("gh:workflow-run", "cancel it while it runs; what it has done stays"),
        ("gh:pr-update-branch", ""),
        ("vercel:deploy", "deploy what was live before"),
        ("wrangler:deploy", "deploy what was live before"),
        ("etcd:put", "the same command with the values before"),
        ("terraform:import", ""),
        ("helm:upgrade", "helm rollback <release>"),
        ("stripe:post", ""),
    ],
)
def test_what_is_changed_elsewhere_is_made_good_by_its_verb(name: str, undo: str) -> None:
    assert undo_to_show(Action(name=name, tags=("external",))) == undo


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
