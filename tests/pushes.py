"""Ways to write `git push` and states of a repository, and what git itself would update in them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.resolve.value import AllOf, Exactly, OneOf, Resolved, may_be, read
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap
from made_repositories import ENV, git

# Each says what it pushes in another way. The same spellings are held against git, and against rules and grants.
SPELLINGS = (
    "git push",
    "git push origin",
    "git push origin main",
    "git push origin feature/x",
    "git push origin HEAD",
    "git push origin @",
    "git push -u origin HEAD",
    "git push origin heads/main",
    "git push origin refs/heads/main",
    "git push origin +main",
    "git push origin main:main",
    "git push origin feature/x:main",
    "git push origin HEAD:main",
    "git push origin HEAD:refs/heads/main",
    "git push origin HEAD:heads/main",
    "git push origin feature/x:refs/heads/new",
    "git push origin main feature/x",
    "git push origin :main",
    "git push origin --delete main",
    "git push --all origin",
    "git push --all",
    "git push --mirror origin",
    "git push --mirror",
    "git push origin :",
    "git push origin +:",
    "git push origin 'refs/heads/*'",
    "git push origin 'refs/heads/*:refs/heads/*'",
    "git push origin '+refs/heads/*:refs/heads/*'",
    "git push origin 'refs/heads/feature/*'",
    "git push origin 'refs/heads/feature/*:refs/heads/main*'",
    "git push origin 'refs/heads/*' '^refs/heads/main'",
    "git push --prune origin 'refs/heads/*'",
    "git push --tags origin",
    "git push --follow-tags origin",
    "git push --tags origin feature/x",
    "git push origin v1.0",
    "git push origin tag v1.0",
    "git push origin alias",
    'git push origin "$(git rev-parse --abbrev-ref HEAD)"',
    "git push origin $(git branch --show-current)",
    "git push origin $(git symbolic-ref --short HEAD)",
    'b=$(git branch --show-current) && git push origin "$b"',
    "b=main; git push origin $b",
    "git push origin HEAD~0:main",
    "git -c push.default=matching push",
    "git -c push.default=matching push origin",
    "git -c remote.origin.push=refs/heads/main push",
    "git -c push.default=nothing push",
    "git checkout main && git push origin HEAD",
    "git checkout feature/x && git push origin HEAD",
    "git checkout -q main && git push",
    "git switch main && git push -u origin HEAD",
    "git switch -c feature/y && git push -u origin HEAD",
    "git checkout -b feature/z && git commit -q --allow-empty -m x && git push -u origin HEAD",
    "git checkout main && git checkout - && git push origin HEAD",
    "git switch main && git switch - && git push origin HEAD",
    "git checkout theirs && git push origin HEAD",
    "git checkout README && git push origin HEAD",
    "git checkout main -- README && git push origin HEAD",
    "git checkout --detach && git push origin HEAD",
    "git branch -M trunk && git push origin HEAD",
    "git branch -M main && git push -u origin main",
    "git branch -m main old && git push --all origin",
    "git branch spare && git push --all origin",
    "git symbolic-ref HEAD refs/heads/main && git push origin HEAD",
    "git symbolic-ref refs/heads/feature/l refs/heads/main && git push origin feature/l",
    "git config push.default matching && git push",
    "git config push.default upstream && git branch -u origin/main && git push",
    "git config --unset push.default; git push",
    "git config remote.origin.push HEAD:main && git push",
    "(git checkout main) && git push origin HEAD",
    "git checkout nowhere || git push origin HEAD",
    "git checkout main; git push origin HEAD",
    "if true; then git checkout main; fi; git push origin HEAD",
    "cd sub && git checkout main && cd .. && git push origin HEAD",
)

# State of the repository -> what makes it, behind what all have in common.
STATES = {
    "on a feature branch": "git checkout -q feature/x",
    "on main": "git checkout -q main",
    "detached": "git checkout -q --detach main",
    "on a branch that stands for main": "git symbolic-ref HEAD refs/heads/alias",
    "current": "git checkout -q feature/x; git config push.default current",
    "nothing": "git checkout -q feature/x; git config push.default nothing",
    "matching": "git checkout -q feature/x; git config push.default matching",
    "upstream": "git checkout -q feature/x; git config push.default upstream; git branch -q -u origin/main feature/x",
    "upstream of none": "git checkout -q feature/x; git config push.default upstream",
    "simple, another upstream": "git checkout -q feature/x; git branch -q -u origin/main feature/x",
    "refspecs": "git checkout -q feature/x; git config remote.origin.push refs/heads/feature/*:refs/heads/main",
    "several refspecs": "git checkout -q main; git config remote.origin.push HEAD; "
    "git config --add remote.origin.push refs/heads/feature/x:refs/heads/new",
    "mirror": "git checkout -q feature/x; git config remote.origin.mirror true",
    "another remote by default": "git checkout -q feature/x; git config remote.pushDefault fork",
    "another remote of the branch": "git checkout -q feature/x; git config branch.feature/x.pushRemote fork",
    "packed": "git checkout -q feature/x; git pack-refs --all",
}
_BOTH = """
git init -q -b main; git config user.email a@b.example; git config user.name a
mkdir sub; echo x >README; echo y >sub/f; git add .; git commit -q -m one
git branch feature/x; git branch other; git tag v1.0
git init -q --bare {there}; git init -q --bare {fork}
git remote add origin {there}; git remote add fork {fork}
git push -q origin main feature/x main:theirs main:gone; git push -q fork main
git fetch -q origin; git symbolic-ref refs/heads/alias refs/heads/main
for b in main feature/x other; do git checkout -q $b; git commit -q --allow-empty -m more; done
"""


def made(at: Path, state: str) -> Path:
    project = at / "project"
    project.mkdir(parents=True)
    script = _BOTH.format(there=at / "there.git", fork=at / "fork.git") + STATES[state]
    subprocess.run(["bash", "-ec", script], cwd=project, env=ENV, check=True, capture_output=True)
    return project


def by_git(project: Path, command: str) -> frozenset[str]:
    """The branches that git would update, by their plain names, and other refs but tags in full."""
    copy = project.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(project, copy, symlinks=True)
    at = command.rindex(" push") + len(" push")
    line = f"{command[:at]} --dry-run --porcelain{command[at:]}"
    done = subprocess.run(["bash", "-c", line], cwd=copy, env=ENV, capture_output=True, text=True, check=False)
    refs = [row.split("\t")[1].partition(":")[2] for row in done.stdout.splitlines() if row.count("\t") >= 2]
    return frozenset(ref.removeprefix("refs/heads/") for ref in refs if not ref.startswith("refs/tags/"))


def by_us(project: Path, command: str, root: Path | None = None) -> Resolved:
    return read(pushed(project, command, root).target.get("branch"))


def pushed(project: Path, command: str, root: Path | None = None) -> Action:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(project))
    facts = Facts(root=str(root or project), home=str(project.parent), variables=FrozenMap({}))
    reading = read_with_facts(call, facts)
    return next(action for action in reading.actions if action.name.startswith("git:push"))


def agrees(ours: Resolved, gits: frozenset[str]) -> bool:
    """Whether what we say is so: nothing more where we are sure, and nothing less ever but where we say so."""
    if not gits:  # git refuses, or there is nothing to do
        return True
    texts = {text for text in may_be(ours) if not text.startswith(("refs/", "v1"))}
    if type(ours) in (Exactly, AllOf):
        return texts == {ref for ref in gits if not ref.startswith("refs/")}
    return type(ours) is not OneOf or gits <= texts


__all__ = ["SPELLINGS", "STATES", "agrees", "by_git", "by_us", "git", "made", "pushed"]
