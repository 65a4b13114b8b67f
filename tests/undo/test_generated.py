"""Made-up projects and commands that are run for real: whatever the hook let through without a question comes back byte
for byte. 300 of them here, ten thousand in `make full`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from interlock.engine import Engine
from interlock.model.call import Call
from interlock.model.events import Place, Proposed
from interlock.model.verdict import Verdict
from interlock.store.home.folders import Folders, folders_for
from interlock.store.undo.holding import shelf_of
from interlock.store.undo.restore import restore, steps_of
from interlock.value import FrozenMap
from made_trees import grow, picture
from sizes import how_many

COUNT = min(how_many("INTERLOCK_EXAMPLES", 300, quick=300), 10_000)  # of its parts, `make test` tries some
WORKERS = 10  # parts, so that several processes can share them


def commands(chance: Random, names: list[str]) -> str:
    """A command that deletes or overwrites some of these."""
    some = [f"./{name}" for name in chance.sample(names, chance.randint(1, min(3, len(names))))]
    words = " ".join(map(shlex.quote, some))
    first = shlex.quote(some[0])
    return chance.choice(
        (
            f"rm -rf -- {words}",
            f"rm -rf {words}; echo done",
            f'for f in {words}; do rm -rf "$f"; done',
            f"find {first} -delete",
            f"find {first} -type f -exec rm -f {{}} +",
            f"mv {first} moved-away && rm -rf moved-away",
            "rm -rf *",
            "rm -rf ./*.txt",
            "find . -name 'a' -delete",
            f"test -e {first} && rm -rf {first}",
            f"(cd . && rm -rf {first})",
            f"[ -f {first} ] && shred -u {first} || true",
            f"python3 -c 'import shutil; shutil.rmtree(\"{names[0]}\", ignore_errors=True)'",
        )
    )


def one(seed: int, folder: Path, folders: Folders, engine: Engine) -> bool:
    chance = Random(seed)
    project = folder / f"p{seed}"
    project.mkdir()
    (project / ".hg").mkdir()
    grow(chance, project)
    names = sorted(name for name in os.listdir(project) if name != ".hg" and "\n" not in name)
    command = commands(chance, names)
    before = picture(project)
    root = str(project)
    place = Place(cwd=root, session=f"s{seed}")
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=root, session=f"s{seed}")
    outcome = engine.propose(Proposed(place=place, call=call))
    held = outcome.reading.undo
    if outcome.decision.verdict is not Verdict.ALLOW or not held:
        shutil.rmtree(project)
        return False
    subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, check=False)
    shelf = shelf_of(folders)
    kept = shelf.find(held)
    assert kept is not None
    with shelf.open(kept) as opened:
        restore(opened, steps_of(opened), {})
    assert picture(project) == before, (seed, command)
    os.unlink(kept.path)
    shutil.rmtree(project)
    return True


@pytest.mark.sampled(5)
@pytest.mark.parametrize("part", range(WORKERS))
def test_whatever_was_let_through_comes_back(part: int, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    folders = folders_for(str(tmp_path / "home"))
    engine = Engine(folders, front="library", watches=False, resident=True, undo="holds")
    seeds = range(part, COUNT, WORKERS)
    held = sum(one(seed, tmp_path, folders, engine) for seed in seeds)
    engine.close()
    assert held > len(seeds) // 2  # the rest is asked about: names that a pattern cannot spell, names elsewhere
