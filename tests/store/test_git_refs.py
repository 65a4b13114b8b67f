"""Which commits a push would send, from files alone, held against what git itself says and does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap


class Repository:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.folder = folder / "work"
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit("one")

    def git(self, *words: str, cwd: Path | None = None) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(
            ["git", *who, *words], cwd=cwd or self.folder, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, text: str) -> str:
        self.git("commit", "-q", "--allow-empty", "-m", text)
        return self.git("rev-parse", "HEAD")

    def sends(self, command: str, cwd: Path | None = None) -> list[str]:
        folder = str(cwd or self.folder)
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=folder)
        return list(read_with_facts(call, Facts(root=str(self.folder), home=str(self.home))).sends)

    def oid(self, name: str) -> str:
        return self.git("rev-parse", name)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_the_branch_that_is_checked_out(repository: Repository) -> None:
    one = repository.oid("HEAD")
    assert repository.sends("git push") == [f"refs/heads/main {one}"]
    two = repository.commit("two")
    assert repository.sends("git push origin HEAD") == [f"refs/heads/main {two}"]
    assert repository.sends("cd sub; git push; cd ..; echo") != []
    (repository.folder / "sub").mkdir()
    assert repository.sends("git push -u origin @", repository.folder / "sub") == [f"refs/heads/main {two}"]
    assert repository.sends("sh -c 'git push'") == [f"refs/heads/main {two}"]


@pytest.mark.parametrize("packed", [False, True])
def test_names_refspecs_and_lists(repository: Repository, packed: bool) -> None:
    one = repository.oid("HEAD")
    repository.git("tag", "v1")
    repository.git("branch", "feature/x")
    two = repository.commit("two")
    if packed:
        repository.git("pack-refs", "--all")
        assert not list((repository.folder / ".git/refs/heads").rglob("main"))
    main, feature, tag = f"refs/heads/main {two}", f"refs/heads/feature/x {one}", f"refs/tags/v1 {one}"
    assert repository.sends("git push origin feature/x") == [feature]
    assert repository.sends("git push origin +feature/x:main v1") == [feature, tag]
    assert repository.sends("git push origin tag v1") == [tag]
    assert repository.sends("git push --all") == [feature, main]
    assert repository.sends("git push origin :") == [feature, main]
    assert repository.sends("git push --tags") == [tag]  # and nothing beside, as git does
    assert repository.sends("git push --mirror") == [feature, main, tag]
    assert repository.sends("git push origin 'refs/heads/feature/*:refs/heads/f/*'") == [feature]
    assert repository.sends("git push origin HEAD~1:main") == [f"refs/heads/main~1 {two}"]
    assert repository.sends(f"git push origin {one}:main") == [f"commit {one}"]
    assert repository.sends("git push origin :feature/x") == ["nothing: it only deletes"]
    assert repository.sends("git push origin --delete feature/x") == ["nothing: it only deletes"]


@pytest.mark.parametrize(
    ("settings", "sends_feature", "sends_tag"),
    [
        ((), False, False),
        (("push.default", "matching"), True, False),
        (("push.default", "current"), False, False),
        (("push.followTags", "true"), False, True),
        (("remote.origin.push", "refs/heads/*"), True, True),
        (("remote.origin.mirror", "true"), True, True),
    ],
    ids=str,
)
def test_settings_that_send_more(
    repository: Repository, settings: tuple[str, ...], sends_feature: bool, sends_tag: bool
) -> None:
    repository.git("branch", "feature")
    repository.git("tag", "v1")
    if settings:
        repository.git("config", "--global", *settings)
    sent = " ".join(repository.sends("git push"))
    assert ("refs/heads/feature" in sent, "refs/tags/v1" in sent) == (sends_feature, sends_tag)


def test_settings_in_a_file_that_is_included(repository: Repository) -> None:
    repository.git("branch", "feature")
    (repository.home / ".gitconfig").write_text('[includeIf "gitdir:/x/"]\n\tpath = ~/Work.inc ; mine\n')
    (repository.home / "Work.inc").write_text("[PUSH]\n  Default = matching # all\n")
    assert "refs/heads/feature" in " ".join(repository.sends("git push"))


def test_where_it_goes_is_told_too(repository: Repository) -> None:
    one = repository.oid("HEAD")
    repository.git("remote", "add", "origin", "https://github.com/acme/app")
    repository.git("remote", "add", "fork", "https://github.com/me/app")
    to = "to origin: https://github.com/acme/app"
    assert repository.sends("git push") == [f"refs/heads/main {one}", to]
    assert repository.sends("git push fork main")[1:] == ["to fork: https://github.com/me/app"]
    repository.git("config", "branch.main.pushRemote", "fork")
    assert repository.sends("git push")[1:] == ["to fork: https://github.com/me/app"]
    repository.git("remote", "set-url", "--push", "origin", "https://evil.example/app")
    assert repository.sends("git push origin main")[1:] == ["to origin: https://evil.example/app"]
    repository.git("config", "url.https://evil.example/.pushInsteadOf", "https://github.com/")
    assert "with url https://evil.example/.pushinsteadof = https://github.com/" in repository.sends("git push fork x")


def test_a_work_tree_of_its_own_and_a_detached_head(repository: Repository, tmp_path: Path) -> None:
    one = repository.oid("HEAD")
    other = tmp_path / "other"
    repository.git("worktree", "add", "-q", "-b", "side", str(other))
    assert repository.sends("git push", other) == [f"refs/heads/side {one}"]
    assert repository.sends(f"git -C {other} push") == [f"refs/heads/side {one}"]
    repository.git("checkout", "-q", "--detach")
    assert repository.sends("git push origin HEAD:x") == [f"HEAD {one}"]


@pytest.mark.parametrize(
    "command",
    [
        "git push origin nowhere",
        "git push origin main@{1}:x",
        "git push origin $BRANCH",
        "cd $SOMEWHERE && git push",
        "git -C /nonexistent push",
        "git push --recurse-submodules=on-demand",
    ],
)
def test_what_cannot_be_told_is_unknown(repository: Repository, command: str) -> None:
    assert any(line.startswith("unknown: ") for line in repository.sends(command))


def test_hostile_repositories_are_unknown_and_never_an_error(repository: Repository) -> None:
    git = repository.folder / ".git"
    (git / "refs/heads/loop").write_text("ref: refs/heads/loop\n")
    assert repository.sends("git push origin loop")
    os.mkfifo(git / "refs/heads/pipe")
    assert repository.sends("git push origin main")[0].startswith("unknown: ")
    (git / "refs/heads/pipe").unlink()
    (git / "HEAD").write_bytes(b"\xff\xfe\n")
    assert repository.sends("git push")[0].startswith("unknown: ")


def test_a_long_list_is_bound_by_its_digest(repository: Repository) -> None:
    one = repository.oid("HEAD")
    packed = [f"{one} refs/tags/t{number:04}" for number in range(2000)]
    (repository.folder / ".git/packed-refs").write_text("# pack-refs with: sorted\n" + "\n".join(packed) + "\n")
    before = repository.sends("git push --tags")
    assert len(before) == 41
    assert before[-1].startswith("and 1960 more refs, sha256:")
    (repository.folder / ".git/refs/tags/t1999").write_text("1" * 40 + "\n")
    assert repository.sends("git push --tags") != before


def test_git_agrees_with_what_a_dry_run_would_send(repository: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repository.git("init", "-q", "--bare", str(bare))
    repository.git("remote", "add", "origin", str(bare))
    repository.git("tag", "v1")
    repository.git("branch", "feature")
    repository.commit("two")
    for words in (["origin", "main"], ["--all", "origin"], ["origin", "feature:x", "v1"], ["--mirror", "origin"]):
        told = repository.git("push", "--porcelain", "--dry-run", *words)
        sources = {line.split("\t")[1].partition(":")[0] for line in told.splitlines() if line.startswith("*")}
        ours = {line.split(" ")[0] for line in repository.sends(f"git push {' '.join(words)}") if " " in line}
        assert sources == {name for name in ours if name != "to"}, words


def test_no_secret_of_an_address_is_told(repository: Repository) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repository.git("remote", "add", "origin", f"https://me:{token}@github.com/acme/app")
    repository.git("remote", "add", "other", "https://me:hunter2hunter2@git.example/acme/app")
    for command in ("git push", "git push other main"):
        told = " ".join(repository.sends(command))
        assert "to o" in told
        assert token not in told
        assert "hunter2" not in told
