"""kill -9 at every step of an apply: at the next start it is finished or taken back, and never half of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from previewing import Project, needs_views, projects, tree_of

pytestmark = needs_views

COMMAND = "rm -r gone; echo 2 > changed; mkdir new; echo n > new/n; chmod 600 mode; rm kind; mkdir kind; ln -s x link"
# The process kills itself just before its N-th call of these.
KILLS = """
import os, signal, sys
sys.path.insert(0, {source!r})
sys.argv = ["x", {told!r}]
import preview_process
count, limit = 0, {limit}
def counted(name):
    real = getattr(os, name)
    def call(*given, **named):
        global count
        count += 1
        if count == limit:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)
    setattr(os, name, call)
preview_process.prepare = lambda: [counted(name) for name in
    ("rename", "link", "symlink", "mkdir", "chmod", "fchmod", "fsync", "replace", "unlink", "rmdir", "write")]
preview_process.main()
print(count, file=sys.stderr)
"""


def laid_out(project: Project) -> None:
    for path in ("gone/a/b", "changed", "mode", "kind", "stays"):
        project.write(path, path)


def run(project: Project, id: str, limit: int) -> tuple[int, int]:
    told = json.dumps({"home": str(project.home), "root": str(project.root), "of": id, "apply": True})
    source = str(Path(__file__).parents[1])
    program = KILLS.format(source=source, told=told, limit=limit)
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=False)
    words = done.stderr.decode().split()
    return done.returncode, int(words[-1]) if done.returncode == 0 else 0


@pytest.mark.slow
def test_an_apply_that_is_killed_is_finished_or_taken_back() -> None:
    maker = projects("self")
    project = next(maker)
    laid_out(project)
    before = tree_of(project.root)
    id = str(project.preview(COMMAND, keep=True)["id"])
    code, steps = run(project, id, 0)
    after = tree_of(project.root)
    assert (code, before != after) == (0, True)
    maker.close()
    assert steps > 25
    every = 1 if os.environ.get("INTERLOCK_KILLS") else 6
    ends = set()
    for limit in range(1, steps + 1, every):
        maker = projects("self")
        project = next(maker)
        laid_out(project)
        id = str(project.preview(COMMAND, keep=True)["id"])
        assert run(project, id, limit)[0] == -9
        said = project.asked(finish=True)["finished"]
        found = tree_of(project.root)
        assert found in (before, after), f"killed at {limit} of {steps}: {said}"
        ends.add(found == after)
        assert project.asked(finish=True)["finished"] == []
        maker.close()
    assert ends == {True, False}
