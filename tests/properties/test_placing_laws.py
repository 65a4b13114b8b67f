"""What is said to land is what lands: random trees, placed by the real programs in a folder of their own."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chance import EXAMPLES
from interlock.model.facts import Facts
from interlock.reading.lands.placing import bases_of, tells
from placed import Ground

RUNS = max(2, EXAMPLES // 250)  # each starts several processes
PLAIN = (Phase.explicit, Phase.reuse, Phase.generate)  # to shrink one would take minutes

FOLDERS = ("", ".claude", ".claude/hooks", ".claude/hooks/deep", "top", "top/.claude", ".husky", "src", ".Claude")
FILES = ("settings.json", "settings.local.json", "a.txt", ".bashrc", "opencode.json", "x y.sh")
TREES = st.dictionaries(
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(FILES)).map("/".join).map(lambda name: name.lstrip("/")),
    st.sampled_from(("one\n", "two\n")),
    min_size=1,
    max_size=8,
)


def put(folder: Path, tree: dict[str, str]) -> None:
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def contents(folder: Path) -> dict[str, bytes]:
    found = {}
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "source")]
        for name in files:
            path = Path(at, name)
            found[str(path)] = path.read_bytes()
    return found


def told(ground: Ground, command: str) -> set[str]:
    found = [action for action in ground.reads(command).actions if action.name in ("fs:write", "fs:delete")]
    named = [
        str(action.target["path"]) for action in found if {"guard"} & {*action.tags} and "real" not in action.target
    ]
    return {path for path in named if not Path(path).is_dir()}


def landed(ground: Ground, command: str) -> set[str]:
    """The files that changed, of those that somebody obeys; afterwards everything is as it was."""
    facts = Facts(root=str(ground.project), home=str(ground.home))
    kept = ground.project.with_name("kept")
    shutil.copytree(ground.project, kept, symlinks=True)
    before = contents(ground.project)
    ground.runs(command)
    after = contents(ground.project)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    shutil.rmtree(ground.project)
    kept.rename(ground.project)
    return {path for path in changed if tells(path, facts, bases_of(facts))}


def is_spelt_in_two_ways(command: str, *trees: dict[str, str]) -> bool:
    """Where a file system may fold case, what the command names is what is there in other letters, too."""
    return ".claude" in command and any(".Claude" in name for tree in trees for name in tree)


def check(ground: Ground, command: str, *trees: dict[str, str]) -> None:
    said, happened = told(ground, command), landed(ground, command)
    assert happened <= said, command
    if not is_spelt_in_two_ways(command, *trees):
        assert said == happened, command


PACKS = {
    "tar xf a.tar": "tar cf a.tar -C source .",
    "tar xf b.tar": "cd source && tar cf ../b.tar $(ls -A)",
    "tar xf a.tgz -C top": "mkdir -p top && tar czf a.tgz -C source .",
    "tar xf s.tar --strip-components=1": "tar cf s.tar source",
    "tar xf s.tar --strip-components=2": "tar cf s.tar source",
    "tar xf t.tar --transform 's,^source/top/,,'": "tar cf t.tar source",
    "tar xf a.tar ./.claude": "tar cf a.tar -C source .",
    "tar xf a.tar --exclude hooks": "tar cf a.tar -C source .",
    "cat a.txz | xz -dc | tar xf -": "tar cJf a.txz -C source .",
    "tar xf g.tar": "tar --format=gnu -cf g.tar -C source .",
    "tar xf p.tar": "tar --format=posix -cf p.tar -C source .",
    "tar xf v.tar": "tar --format=v7 -cf v.tar -C source .",
    "unzip -o a.zip": "cd source && zip -qr ../a.zip .",
    "unzip -oj a.zip": "cd source && zip -qr ../a.zip .",
    "unzip -o a.zip -d top": "cd source && zip -qr ../a.zip .",
    "unzip -o a.zip '.claude/*'": "cd source && zip -qr ../a.zip .",
    "python3 -m zipfile -e a.zip .": "cd source && zip -qr ../a.zip .",
    "python3 -m tarfile -e a.tar .": "tar cf a.tar -C source .",
    "jar xf a.zip": "cd source && zip -qr ../a.zip .",
    "cp -r source/. .": "true",
    "cp -r source/top/. .": "true",
    "cp -r source/.claude .": "true",
    "cp -r source/.claude top": "true",
    "cp -rT source .": "true",
    "cp -r source/* .": "true",
    "cp source/* .": "true",
    "cp -r source/.[a-zA-Z]* .": "true",
    "cp -r source copy": "true",
}


@pytest.mark.parametrize("command", PACKS)
@settings(max_examples=RUNS, phases=PLAIN)
@given(tree=TREES, there=TREES)
def test_what_an_archive_or_a_folder_places_is_told_before(
    command: str, tree: dict[str, str], there: dict[str, str]
) -> None:
    with TemporaryDirectory() as folder:
        ground = Ground(Path(folder).resolve())
        put(ground.project, there)
        put(ground.project / "source", tree)
        ground.runs(PACKS[command])
        check(ground, command, tree, there)


GIT = (
    "git checkout other",
    "git switch other",
    "git checkout -f other",
    "git checkout other -- .",
    "git checkout other -- .claude",
    "git restore --source other .",
    "git reset --hard other",
    "git checkout -- .",
    "git stash",
    "git stash pop",
    "git read-tree -m -u other",
    "git checkout -b new other~0",
    "git diff main other > ../x.patch; cat ../x.patch | git apply",
)


@pytest.mark.parametrize("command", GIT)
@settings(max_examples=RUNS, phases=PLAIN)
@given(one=TREES, two=TREES, edited=TREES, packed=st.booleans())
def test_what_git_brings_is_told_before(
    command: str, one: dict[str, str], two: dict[str, str], edited: dict[str, str], packed: bool
) -> None:
    with TemporaryDirectory() as folder:
        ground = Ground(Path(folder).resolve())
        ground.git("init", "-q")
        put(ground.project, one)
        ground.write("always", "here")
        ground.commit()
        ground.git("checkout", "-q", "-b", "other")
        for name in [*one][: len(one) // 2]:
            (ground.project / name).unlink()
        put(ground.project, two)
        ground.commit()
        ground.git("checkout", "-q", "main")
        put(ground.project, {name: text for name, text in edited.items() if name in one})
        if command == "git stash pop":
            ground.git("stash", "-q")
            if not ground.git("stash", "list"):
                return
        if packed:
            ground.git("gc", "-q")
        if ">" in command:
            ground.runs(command.partition(";")[0])
            command = command.partition("; ")[2]
            if any(name in one for name in edited):
                return  # it may not apply
        said, happened = told(ground, command), landed(ground, command)
        assert happened <= said, command
        # Git refuses where edits would be lost, and then nothing happens.
        if happened and "apply" not in command and not is_spelt_in_two_ways(command, one, two, edited):
            assert said == happened, command


@settings(max_examples=RUNS, phases=PLAIN)
@given(size=st.integers(1, 400), seed=st.integers(0, 1000))
def test_every_object_of_a_packed_repository_is_read_as_git_reads_it(size: int, seed: int) -> None:
    from interlock.store.facts.git_objects import repository_of

    with TemporaryDirectory() as folder:
        ground = Ground(Path(folder).resolve())
        ground.git("init", "-q")
        lines = [str(random.Random(seed + at).random()) for at in range(size)]
        for at in range(4):
            lines[at * len(lines) // 4] = f"changed {at}"
            ground.write("big.txt", "\n".join(lines))
            ground.write(f"f{at}/x", str(at))
            ground.commit()
        ground.git("repack", "-adfq", "--depth=50", "--window=50")
        repository = repository_of(str(ground.project))
        assert repository is not None
        names = ground.git("cat-file", "--batch-all-objects", "--batch-check").splitlines()
        for line in names:
            name, kind, _ = line.split()
            found = repository.read(name)
            raw = subprocess.run(
                ["git", "cat-file", kind, name], cwd=ground.project, capture_output=True, check=True
            ).stdout
            assert found == (kind, raw)
