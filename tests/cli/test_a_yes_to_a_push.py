"""A yes to a push, and the next pushes of the session: what it covers, and what ends it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.approve.grant import Grant, covers, shown_scope
from interlock.model.action import Action
from interlock.reading.reach.pushed import push_by, sent
from interlock.reading.resolve.refs import Refs
from interlock.value import FrozenMap
from machine import Machine

TOKEN = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dcXYZ"
WORKFLOW = ".github/workflows/ci.yml"


def git(machine: Machine, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *words], cwd=machine.project, check=True, capture_output=True)


def write(machine: Machine, path: str, text: str) -> None:
    file = machine.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def commit(machine: Machine, path: str, text: str | None) -> None:
    if text is None:
        (machine.project / path).unlink()
    else:
        write(machine, path, text)
    git(machine, "add", "-A")
    git(machine, "commit", "-qm", f"change {path}")


@pytest.fixture
def there(machine: Machine) -> Machine:
    """A repository whose branch is on the remote, with one commit more: a yes to pushing that begins each story."""
    git(machine, "init", "-q", "-b", "feature/a")
    git(machine, "remote", "add", "origin", "git@git.example:team/app.git")
    write(machine, ".gitignore", "node_modules/\n")
    write(machine, "lib/old.py", f'TOKEN = "{TOKEN}"\n')
    write(machine, WORKFLOW, "on: push\n")
    commit(machine, "app.py", "print(1)\n")
    git(machine, "update-ref", "refs/remotes/origin/feature/a", "HEAD")
    commit(machine, "app.py", "print(2)\n")
    git(machine, "branch", "shown")
    return machine


def after_a_yes(machine: Machine, command: str) -> dict[str, Any]:
    """The decision on the command, after a yes to pushing the branch as it was in the beginning."""
    calls = [
        {"tool": "Bash", "input": {"command": text}, "cwd": str(machine.project), "session": "s1"}
        for text in ("git push origin shown:feature/a", command)
    ]
    run = machine.run(
        "decide", "--jsonl", "--answer", "approve", stdin="".join(json.dumps(call) + "\n" for call in calls)
    )
    assert (run.code, run.err) == (0, "")
    first, second = run.lines
    assert first["verdict"] == "ask"
    second["covered"] = first["person"]
    answer: dict[str, Any] = second
    return answer


PUSH = "git push origin feature/a"


def _plain(machine: Machine) -> None:
    commit(machine, "app.py", "print(3)\n")
    commit(machine, "docs/a.md", "pass the token in `API_TOKEN`\n")


def _nothing(machine: Machine) -> None:
    pass


def _moves_what_was_there(machine: Machine) -> None:
    commit(machine, "lib/old.py", f'import os\n\nTOKEN = "{TOKEN}"\n')


def _merges(machine: Machine) -> None:
    """What the remote has on another branch comes along with a merge, and is no news."""
    git(machine, "checkout", "-q", "-b", "theirs", "HEAD~1")
    commit(machine, WORKFLOW, "on: [push, pull_request]\n")
    git(machine, "update-ref", "refs/remotes/origin/develop", "HEAD")
    git(machine, "checkout", "-q", "feature/a")
    git(machine, "merge", "-q", "--no-edit", "theirs")


def _packed(machine: Machine) -> None:
    _plain(machine)
    git(machine, "gc", "-q")


@pytest.mark.parametrize("change", [_nothing, _plain, _moves_what_was_there, _merges, _packed])
@pytest.mark.parametrize("command", [PUSH, "git push", "git push -u origin HEAD"])
def test_later_work_on_the_branch_is_covered(there: Machine, change: Callable[[Machine], None], command: str) -> None:
    git(there, "config", "branch.feature/a.remote", "origin")
    git(there, "config", "branch.feature/a.merge", "refs/heads/feature/a")
    change(there)
    assert after_a_yes(there, command)["verdict"] == "allow"


def _secret(machine: Machine) -> None:
    commit(machine, "app.py", f'KEY = "{TOKEN}"\n')


def _secret_taken_back(machine: Machine) -> None:
    _secret(machine)
    commit(machine, "app.py", "print(4)\n")


def _secret_in_a_side_branch(machine: Machine) -> None:
    git(machine, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(machine, "b.py", f'KEY = "{TOKEN}"\n')
    commit(machine, "b.py", None)
    git(machine, "checkout", "-q", "feature/a")
    git(machine, "merge", "-q", "--no-edit", "side")


def _workflow(machine: Machine) -> None:
    commit(machine, WORKFLOW, "on: [push]\njobs: {}\n")


def _workflow_taken_away(machine: Machine) -> None:
    commit(machine, WORKFLOW, None)


def _obeyed(machine: Machine) -> None:
    commit(machine, ".npmrc", "registry=https://npm.example/\n")


SECRET, BUILD = "a secret in `{}`", "a change to `{}`"


@pytest.mark.parametrize(
    ("change", "carries"),
    [
        (_secret, SECRET.format("app.py")),
        (_secret_taken_back, SECRET.format("app.py")),
        (_secret_in_a_side_branch, SECRET.format("b.py")),
        (_workflow, BUILD.format(WORKFLOW)),
        (_workflow_taken_away, BUILD.format(WORKFLOW)),
        (_obeyed, BUILD.format(".npmrc")),
    ],
)
def test_what_a_person_has_to_see_is_asked_about_again_and_named(
    there: Machine, change: Callable[[Machine], None], carries: str
) -> None:
    change(there)
    again = after_a_yes(there, PUSH)
    assert again["verdict"] == "ask"
    assert again["reasons"][0]["text"] == (
        f"Push `feature/a` to origin (git.example/team/app): other people will see it; it carries {carries}."
    )
    assert TOKEN not in json.dumps(again)


def _lost(machine: Machine) -> None:
    """An object that is not there: nobody can tell what is in it."""
    commit(machine, "app.py", "print(5)\n")
    name = subprocess.check_output(["git", "rev-parse", "HEAD^{tree}"], cwd=machine.project, text=True).strip()
    Path(machine.project, ".git/objects", name[:2], name[2:]).unlink()


def _large(machine: Machine) -> None:
    commit(machine, "data.bin", "x" * (5 * 1024 * 1024))


@pytest.mark.parametrize(
    ("change", "command"),
    [
        (_plain, "git push origin HEAD:feature/b"),
        (_plain, "git push origin feature/a shown"),
        (_plain, "git push --force origin feature/a"),
        (_plain, "git push --tags origin feature/a"),
        (_plain, "git push origin feature/a HEAD:refs/tags/v1"),
        (_plain, "git push origin HEAD:main"),
        (_plain, "git push https://elsewhere.example/x.git feature/a"),
        (_plain, "git tag -a v1 -m v1 && git push origin feature/a"),
        (_lost, PUSH),
        (_large, PUSH),
        (_secret, "git fetch . HEAD:refs/remotes/origin/feature/a && git push origin feature/a"),
    ],
)
def test_what_is_another_push_or_cannot_be_looked_through_is_asked_about(
    there: Machine, change: Callable[[Machine], None], command: str
) -> None:
    change(there)
    assert after_a_yes(there, command)["verdict"] == "ask"


COMMIT = "git add -A && git commit -qm x && git push origin feature/a"


def _in_the_work_tree(path: str, text: str, staged: bool = False) -> Callable[[Machine], None]:
    def change(machine: Machine) -> None:
        write(machine, path, text)
        if staged:
            git(machine, "add", "-A")
            write(machine, path, "")

    return change


@pytest.mark.parametrize(
    ("change", "command", "verdict"),
    [
        (_in_the_work_tree("app.py", "print(6)\n"), COMMIT, "allow"),
        (_in_the_work_tree("new.py", "print(6)\n"), COMMIT, "allow"),
        (_in_the_work_tree("node_modules/x/.npmrc", f"token={TOKEN}\n"), COMMIT, "allow"),
        (_in_the_work_tree("new.py", f'KEY = "{TOKEN}"\n'), "git commit -qam x && git push", "allow"),  # not added
        (_in_the_work_tree("app.py", "print(6)\n"), "git status && git commit -qam x && git push", "allow"),
        (_in_the_work_tree("app.py", f'KEY = "{TOKEN}"\n'), COMMIT, "ask"),
        (_in_the_work_tree("new/deep/er.py", f'KEY = "{TOKEN}"\n'), COMMIT, "ask"),
        (_in_the_work_tree("app.py", f'KEY = "{TOKEN}"\n'), "git commit -qam x && git push", "ask"),
        (_in_the_work_tree("app.py", f'KEY = "{TOKEN}"\n', staged=True), "git commit -qm x && git push", "ask"),
        (_in_the_work_tree(".github/workflows/new.yml", "on: push\n"), COMMIT, "ask"),
        (_in_the_work_tree(WORKFLOW, "on: release\n"), COMMIT, "ask"),
        (_in_the_work_tree("app.py", "print(6)\n"), f"echo 'KEY = 1' > new.py && {COMMIT}", "ask"),
        (_in_the_work_tree("app.py", "print(6)\n"), f"cp ../other/keys.py . && {COMMIT}", "ask"),
        (_in_the_work_tree("app.py", "print(6)\n"), f"git pull elsewhere x && {COMMIT}", "ask"),
    ],
)
def test_what_the_same_call_commits_is_looked_at(
    there: Machine, change: Callable[[Machine], None], command: str, verdict: str
) -> None:
    git(there, "config", "branch.feature/a.remote", "origin")
    change(there)
    assert after_a_yes(there, command)["verdict"] == verdict


def test_the_prompt_says_what_the_yes_covers_and_the_next_steps_keep_it(there: Machine) -> None:
    says = (
        "Yes also covers later pushes of `feature/a` to the same place, unless they hold a secret or change what "
        "builds or tools obey, for the rest of this session."
    )
    for number in range(5):
        commit(there, "app.py", f"print({number})\n")
        again = after_a_yes(there, PUSH)
        assert (again["verdict"], says in again["covered"]) == ("allow", True)


def test_a_tag_that_the_settings_let_go_along_is_not_covered_unless_it_was_shown() -> None:
    settings = (("remote origin.url", "https://git.example/app"),)
    refs = {"refs/heads/a": "1" * 40, "refs/tags/v1": "2" * 40}
    before = Refs(head="refs/heads/a", refs=FrozenMap(refs), settings=settings, sends_more=("refs/tags/",))
    after = before.replace(refs=FrozenMap({**refs, "refs/tags/v2": "3" * 40}))
    push = push_by("/repo", "origin", ("a",), ())
    (old,) = sent(push, before).along
    assert sent(push, after).along == (old, "refs/tags/v2 " + "3" * 40)
    assert sent(push, before.replace(sends_more=())).along == ()
    target = {"remote": "origin", "branch": "a", "destination": "git.example/app"}
    shown = Action(name="git:push", target=FrozenMap({**target, "along": old}), tags=("external",))
    bound = shown_scope(shown)
    assert bound is not None
    grant = Grant(id="g", kind="remembered", action="git:push", scope=FrozenMap(bound), whole=True)
    assert covers(grant, shown)
    assert not covers(grant, shown.replace(target=FrozenMap({**target, "along": sent(push, after).along})))
