"""git in two steps: a name, a patch, an index or a work tree that the same call makes is followed to its commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from placed import SETTINGS, Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """`evil` has settings that switch hooks off, `fine` another change; `main` is checked out."""
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write(".gitignore", "*.patch\n*.gz\n*.bundle\n")
    ground.write("a.txt", "a")
    ground.commit("one")
    ground.write("a.txt", "b")
    ground.commit("two")
    ground.git("checkout", "-q", "-b", "evil")
    ground.write(SETTINGS)
    ground.write("src/x.py", "x")
    ground.commit("evil")
    ground.git("checkout", "-q", "-b", "fine", "main")
    ground.write("src/x.py", "y")
    ground.commit("fine")
    ground.git("checkout", "-q", "main")
    ground.runs("git diff main evil > e.patch; gzip -k e.patch; git bundle create e.bundle evil")
    return ground


LISTED = [
    "git branch n evil && git switch n",
    "git branch n evil; git checkout n",
    "git branch n evil && git branch m n && git checkout m",
    "git branch -c evil n && git checkout n",
    "git branch -f fine evil && git reset --hard fine",
    "git tag t evil && git checkout t",
    "git tag t evil && git checkout tags/t",
    "git tag -a -m x t evil && git reset --hard t",
    "git tag t evil && git checkout t -- .claude",
    "git branch n evil && git archive n | tar x",
    "git update-ref refs/heads/n evil && git switch n",
    "git symbolic-ref HEAD refs/heads/evil && git checkout -f",
    "git symbolic-ref HEAD refs/heads/evil && git reset --hard",
    "git reset --soft evil && git reset --hard",
    "git reset evil && git checkout -- .",
    "git reset evil; git restore .",
    "git read-tree evil && git checkout-index -fa",
    "git read-tree evil && git checkout .",
    "git read-tree evil && git commit -qm x && git reset --hard HEAD",
    "git restore --staged --source evil . && git checkout .",
    "git fetch . evil:n && git switch n",
    "git fetch . evil && git checkout FETCH_HEAD",
    "git checkout evil -- src && git checkout evil",
    "git worktree add t2 evil && cp -r t2/. .",
    "git worktree add ../t2 evil && rsync -a ../t2/ .",
    "git worktree add -b n ../t2 evil && git -C . checkout -f n",
    "git diff main evil | git apply",
    "git diff main..evil | patch -p1",
    "git diff main...evil | git apply",
    "git diff main evil > n.patch && git apply n.patch",
    "git diff main evil > n.patch; patch -p1 < n.patch",
    "git diff main evil > n.patch && cp n.patch m.patch && patch -p1 -i m.patch",
    "git diff main evil | tee n.patch | git apply",
    "git diff evil main | git apply -R",
    "git diff -R evil main | git apply",
    "git diff evil | git apply -R",
    "git diff main evil -- .claude | git apply",
    "git show evil | patch -p1",
    "git show evil | git apply --index",
    "git log -p -1 evil | git apply",
    "git log -p main..evil | git apply",
    "git format-patch --stdout main..evil | git am",
    "git format-patch -1 --stdout evil | git am",
    "git format-patch -1 --stdout evil > n.mbox && git am n.mbox",
    "git diff-tree -p main evil | git apply",
    "git tag t evil && git show t | git apply",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", LISTED)
def test_what_git_makes_in_the_same_call_is_followed_to_its_commit(command: str, ground: Ground) -> None:
    assert SETTINGS in ground.changes(command)


FETCHED = "it brings `{}`, which this call makes; it is unclear what that writes here"
PIPED = "it applies what a pipe brings; it is unclear which files that changes"
ASKED = {
    "git fetch ./e.bundle evil && git checkout FETCH_HEAD": FETCHED.format("FETCH_HEAD"),
    "git fetch e.bundle evil:n && git checkout n": FETCHED.format("n"),
    "git fetch ../other main:n && git reset --hard n": FETCHED.format("n"),
    "git fetch file:///srv/x.git main && git switch -c m FETCH_HEAD": FETCHED.format("FETCH_HEAD"),
    "node gen.js | patch -p1": PIPED,
    "node gen.js | git apply": PIPED,
    "base64 -d x.b64 | git am": PIPED,
    "cat e.patch a.txt | git apply": PIPED,
    "git diff main evil | sed s/x/y/ | git apply": PIPED,
    "diff -ruN src lib | patch -p1": PIPED,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", ASKED)
def test_what_cannot_be_followed_asks(command: str, ground: Ground) -> None:
    assert ASKED[command] in [part.reason for part in ground.reads(command).opaque]


@pytest.mark.parametrize("command", ["zcat e.patch.gz | patch -p1", "gunzip -c e.patch.gz | git apply"])
def test_a_packed_patch_asks(command: str, ground: Ground) -> None:
    reason = f"it is unclear what the patch `{ground.project}/e.patch.gz` changes"
    assert [part.reason for part in ground.reads(command).opaque] == [reason]


FREE = [
    "git diff > x.patch && git apply --check x.patch",
    "git diff > x.patch && git checkout . && git apply x.patch",
    "git diff > /tmp/x.patch && git stash && git apply /tmp/x.patch",
    "git diff --cached > x.patch && git apply x.patch",
    "git show HEAD~1 | git apply -R",
    "git show fine | git apply",
    "git show HEAD | git apply -R --index",
    "git diff main fine | git apply",
    "git diff main fine -- src | git apply",
    "git diff main evil -- src a.txt | git apply",
    "git diff HEAD | git apply -R",
    "git diff HEAD~1 | git apply -R",
    "git format-patch -1 --stdout fine | git am",
    "git log -p -1 fine | git apply --stat",
    "git diff main evil | git apply --check",
    "git diff --stat main evil | cat",
    "git stash && git checkout main",
    "git stash && git checkout fine && git stash pop",
    "git stash && git stash pop",
    "git checkout -b feature origin/main",
    "git checkout -b feature fine && git commit -am x && git checkout main",
    "git branch x && git switch x",
    "git branch x fine && git switch x",
    "git tag v1 && git checkout v1",
    "git tag v1 fine && git checkout v1 && git checkout -",
    "git fetch origin && git checkout fine",
    "git fetch && git checkout -b x origin/main",
    "git fetch origin && git reset --hard origin/main",
    "git fetch origin main && git checkout FETCH_HEAD",
    "git fetch origin pull/12/head:pr-12 && git checkout pr-12",
    "git fetch https://git.example/x.git main && git checkout FETCH_HEAD",
    "git fetch ../other main:n && git log n",
    "git fetch ../other main:n && git checkout n -- src",
    "git add -A && git commit -m x && git checkout fine",
    "git commit -am x && git reset --hard HEAD~1",
    "git checkout fine && make && git checkout -",
    "git worktree add ../wt fine && cd ../wt && ls",
    "git worktree add ../wt fine && cp -r ../wt/src .",
    "git worktree add ../wt -b x && cp a.txt ../wt/",
    "git reset HEAD~1 && git checkout -- .",
    "git archive -o z.zip fine && unzip z.zip -d /tmp/q",
    "git archive fine > z.tar && tar xf z.tar",
    "cd src && zcat ../e.patch.gz | patch -p1",
    "zcat e.patch.gz | patch -p1 --dry-run",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", FREE)
def test_everyday_git_stays_free(command: str, ground: Ground) -> None:
    ground.write("src/keep.py", "k")
    assert (ground.changes(command), [part.reason for part in ground.reads(command).opaque]) == ([], [])
