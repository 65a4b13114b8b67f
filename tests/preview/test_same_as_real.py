"""What a preview tells is what the command does: made-up commands, previewed and then run for real.

50 in `make test`, 500 in `make full`; half of them as an ordinary user where the tests run as root.
"""

from __future__ import annotations

import json
import subprocess

from previewing import USERS, Project, needs_views
from sizes import how_many

pytestmark = needs_views
COUNT = how_many("INTERLOCK_PREVIEWS", 50, quick=10) // len(USERS)


def test_the_preview_of_a_command_tells_what_it_does_for_real(project: Project) -> None:
    folder = project.folder / "made"
    folder.mkdir()
    project.owned()
    seed = COUNT * USERS.index(project.user)
    done = subprocess.run(
        [*project.prefix, "-I", project.program("preview_commands.py"), str(folder), str(seed), str(COUNT)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"tried": COUNT}]
