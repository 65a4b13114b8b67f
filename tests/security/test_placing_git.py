"""git that brings the work tree to a commit: it must not bring, put back or take away what a host obeys."""

from __future__ import annotations

from pathlib import Path

import pytest

from placed import EVIL, SETTINGS, Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.fixture
def repository(ground: Ground) -> Ground:
    """On main: settings and a file. On `evil`, other settings; on `gone`, none; on `same`, another file only."""
    ground.git("init", "-q")
    ground.write(SETTINGS, '{"hooks": {}}\n')
    ground.write("a.txt", "a")
    ground.commit()
    for branch, change in (("evil", EVIL), ("gone", None), ("same", '{"hooks": {}}\n')):
        ground.git("checkout", "-q", "-b", branch, "main")
        if change is None:
            ground.git("rm", "-q", SETTINGS)
        else:
            ground.write(SETTINGS, change)
        ground.write("a.txt", branch)
        ground.commit(branch)
    ground.git("checkout", "-q", "main")
    return ground


FROM_MAIN = {
    "git checkout evil": [SETTINGS],
    "git switch evil": [SETTINGS],
    "git switch --detach evil": [SETTINGS],
    "git checkout -b x evil": [SETTINGS],
    "git switch -c x evil": [SETTINGS],
    "git checkout evil~0": [SETTINGS],
    "git checkout evil -- .": [SETTINGS],
    "git checkout evil .claude": [".claude", SETTINGS],
    "git restore --source evil .": [SETTINGS],
    "git restore -s evil -SW :/": [SETTINGS],
    "git reset --hard evil": [SETTINGS],
    "git read-tree -u -m evil": [SETTINGS],
    "git cherry-pick evil": [SETTINGS],
    "git checkout gone": ["-" + SETTINGS],
    "git switch --orphan x": ["-" + SETTINGS],
    "cd sub && git checkout evil": [SETTINGS],
    "git -C sub checkout evil": [SETTINGS],
    "git --git-dir=.git --work-tree=. checkout evil": [SETTINGS],
    "GIT_DIR=.git GIT_WORK_TREE=. git checkout evil": [SETTINGS],
    "T=$PWD; cd / && GIT_DIR=$T/.git GIT_WORK_TREE=$T git checkout evil": [SETTINGS],
    "git sparse-checkout set src": ["-" + SETTINGS],
    "git sparse-checkout set --no-cone '/*' '!.claude'": ["-" + SETTINGS],
    "git sparse-checkout set --no-cone src": ["-" + SETTINGS],
    "git sparse-checkout set --stdin < dirs.txt": ["-" + SETTINGS],
    "git sparse-checkout init": ["-" + SETTINGS],
    "git sparse-checkout set src .claude": [],
    "git sparse-checkout set --no-cone '/*'": [],
    "git sparse-checkout add src": [],
    "git sparse-checkout disable": [],
    "git sparse-checkout list": [],
    "git checkout same": [],
    "git checkout main": [],
    "git switch -c x": [],
    "git checkout -b x": [],
    "git checkout evil -- a.txt": [],
    "git restore --source evil a.txt": [],
    "git restore --staged .": [],
    "git checkout -- .": [],
    "git reset --hard": [],
    "git reset evil": [],
    "git stash": [],
    "git checkout none": [],
    "git worktree add ../x evil": [],
    "git log evil": [],
    "git archive evil | tar x": [SETTINGS],
    "git archive evil .claude | tar xf -": [SETTINGS],
    "git archive --format=tar evil | tar -x -C .": [SETTINGS],
    "git archive evil:.claude | tar x -C .claude": [".claude"],
    "git archive evil a.txt | tar x": [],
    "git archive same | tar x": [],
    "git archive --prefix=copy/ evil | tar x": [],
    "git archive evil | tar x -C build": [],
    "git archive -o x.tar evil": [],
}


@pytest.mark.parametrize("packed", [False, True])
def test_git_is_read_for_what_a_commit_changes(packed: bool, repository: Ground) -> None:
    (repository.project / "sub").mkdir()
    if packed:
        repository.git("gc", "-q", "--prune=now")
        repository.git("pack-refs", "--all")
        assert not (repository.project / ".git/refs/heads/evil").exists()
    assert {command: repository.changes(command) for command in FROM_MAIN} == FROM_MAIN


def test_every_spelling_of_a_commit_is_found(repository: Ground) -> None:
    name = repository.git("rev-parse", "evil")
    repository.git("tag", "-a", "-m", "x", "v1", "evil")
    repository.git("tag", "light", "evil")
    repository.git("update-ref", "refs/remotes/origin/there", "evil")
    repository.git("checkout", "-q", "evil")
    repository.write("a.txt", "later")
    repository.commit()
    repository.git("checkout", "-q", "main")
    spellings = (
        *(name, name[:8], name.upper()[:10], "v1", "light", "v1^{commit}", "evil~1", "evil^", "evil^1", "evil~", "-"),
        *("there", "origin/there", "refs/tags/v1", "tags/v1", "@{-1}", "heads/evil", "evil@{1}", "evil@{0}"),
    )
    missed = [text for text in spellings if repository.changes(f"git checkout '{text}'") != [SETTINGS]]
    assert missed == []
    repository.git("checkout", "-q", "evil")
    assert repository.changes("git checkout HEAD~2") == [SETTINGS]
    assert repository.changes("git checkout @~1") == []
    assert repository.changes("git revert HEAD~1") == [SETTINGS]


def test_a_stash_brings_back_what_it_holds(repository: Ground) -> None:
    repository.write(SETTINGS)
    repository.git("stash")
    repository.write("a.txt", "mine")
    repository.git("stash")
    assert repository.changes("git stash pop") == []
    for spelling in ("stash@{1}", "1", "--index stash@{1}"):
        assert repository.changes(f"git stash pop {spelling}") == [SETTINGS]
        assert repository.changes(f"git stash apply -q {spelling}") == [SETTINGS]
    repository.git("stash", "drop", "-q")
    assert repository.changes("git stash pop") == [SETTINGS]
    repository.git("stash", "drop", "-q")
    repository.write(".claude/settings.local.json")
    repository.git("stash", "-u")
    assert repository.changes("git stash pop") == [".claude/settings.local.json"]


def test_files_that_a_person_has_edited_are_put_back_by_git_too(repository: Ground) -> None:
    """Hooks that were installed into a tracked file, and not committed, must not go with a `git stash`."""
    repository.write(SETTINGS, '{"hooks": {"PreToolUse": []}}\n')
    for command in (
        "git stash",
        "git stash push -m x",
        "git checkout -f main",
        "git checkout -- .",
        "git reset --hard",
    ):
        assert repository.changes(command) == [SETTINGS], command
    assert repository.changes("git restore .") == [SETTINGS]
    assert repository.changes("git restore a.txt") == []
    repository.git("rm", "-q", "--cached", SETTINGS)
    repository.git("commit", "-q", "-m", "x")
    repository.git("add", SETTINGS)
    assert repository.changes("git stash") == ["-" + SETTINGS]


def test_files_that_git_does_not_track_are_not_taken_away(repository: Ground) -> None:
    repository.write(".claude/settings.local.json")
    found = ["-.claude/settings.local.json"]
    for command in ("git stash -u", "git stash push --include-untracked", "git clean -fd", "git clean -fdx"):
        assert repository.changes(command) == found, command
    for command in ("git stash", "git clean -n", "git clean -fd src"):
        assert repository.changes(command) == [], command
    repository.write(".gitignore", "*.log\n**/.claude/settings.local.json\n")
    assert repository.changes("git stash -u") == repository.changes("git clean -fd") == []
    assert repository.changes("git clean -fdx") == repository.changes("git stash -a") == found


def test_a_link_in_a_commit_takes_the_place_of_the_folder(repository: Ground) -> None:
    repository.git("checkout", "-q", "-b", "linked")
    repository.git("rm", "-rq", ".claude")
    (repository.project / ".claude").symlink_to("other")
    repository.commit()
    repository.git("checkout", "-q", "main")
    assert repository.changes("git checkout linked") == ["-" + SETTINGS, ".claude"]


def test_a_linked_work_tree_and_an_alternate_store(repository: Ground, tmp_path: Path) -> None:
    other = Ground(tmp_path / "other")
    other.project.rmdir()
    repository.git("worktree", "add", "-q", "--detach", str(other.project), "main")
    assert other.changes("git checkout evil") == [SETTINGS]
    shared = Ground(tmp_path / "shared")
    shared.project.rmdir()
    repository.git("clone", "-q", "--shared", str(repository.project), str(shared.project))
    assert shared.changes("git checkout evil") == [SETTINGS]
    assert shared.changes("git checkout origin/evil") == [SETTINGS]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_index_is_read_in_every_version(version: int, repository: Ground) -> None:
    repository.write(".claude/hooks/long/name/of/a/file.sh", "x")
    repository.git("add", "-N" if version == 3 else "-A", ".")
    repository.git("update-index", f"--index-version={version}")
    repository.write(SETTINGS)
    assert SETTINGS in repository.changes("git checkout -- .")


def test_a_broken_repository_has_no_answers(repository: Ground) -> None:
    git = repository.project / ".git"
    name = repository.git("rev-parse", "evil^{tree}")
    (git / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5short")
    path = git / "objects" / name[:2] / name[2:]
    path.chmod(0o600)
    path.write_bytes(b"damage")
    assert repository.changes("git checkout evil") == []
    assert repository.changes("git stash") == []
    (git / "HEAD").write_text("ref: refs/heads/none\n")
    assert repository.changes("git checkout same") == []
    (git / "HEAD").unlink()
    assert repository.changes("git checkout gone") == []


def test_nothing_of_the_repository_is_run(repository: Ground) -> None:
    ran = repository.project / "ran"
    repository.git("config", "core.fsmonitor", f"touch {ran}")
    repository.git("config", "filter.x.smudge", f"touch {ran}")
    repository.changes("git checkout evil")
    assert not ran.exists()


@pytest.mark.parametrize(
    ("here", "there", "changes"),
    [
        ('{"hooks": {}}', '{"hooks": {}, "permissions": {"allow": ["Bash(npm test)"]}}', False),
        ('{"hooks": {}, "model": "a"}', '{\n  "model": "b", "hooks": {}\n}', False),
        ('{"permissions": {"allow": ["Read"]}}', "{}", False),
        ('{"permissions": {"allow": ["Read"]}}', None, False),
        (None, '{"permissions": {"allow": ["Read"]}}', False),
        ('{"hooks": {}}', '{"hooks": {}, "permissions": {"deny": ["Read"]}}', True),
        ('{"permissions": {"deny": ["Read"]}}', "{}", True),
        ("{}", '{"permissions": {"defaultMode": "bypassPermissions"}}', True),
        ("{}", '{"env": {"LD_PRELOAD": "x"}}', True),
        ("{}", '{"disableAllHooks": true}', True),
        ("{}", "not json", True),
        ('{"hooks": {}}', None, True),
    ],
)
def test_settings_of_a_branch_are_judged_by_what_counts_in_them(
    here: str | None, there: str | None, changes: bool, ground: Ground
) -> None:
    ground.git("init", "-q")
    for branch, text in (("there", there), ("main", here)):
        ground.git("checkout", "-q", "--orphan", branch)
        ground.runs("git rm -rfq . ; rm -rf .claude")
        ground.write("a.txt", branch)
        if text is not None:
            ground.write(SETTINGS, text)
        ground.commit()
    for command in ("git checkout there", "git switch there", "git reset --hard there"):
        assert bool(ground.changes(command)) is changes, command
