"""With the real client: no archive, patch, copied folder or commit takes the hooks away in mid-session."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from live.attempt import Attempt, tried
from live.client import Live, needs_client
from placed import EVIL, SETTINGS
from scripted_model import Step

pytestmark = needs_client


def _sh(live: Live, command: str) -> None:
    subprocess.run(["bash", "-c", command], cwd=live.project, check=True)


def _in_place(live: Live) -> bool:
    path = live.project / SETTINGS
    return path.exists() and "disableAllHooks" in path.read_text()


def _plays(command: str) -> Callable[[Live], Sequence[Step]]:
    return lambda _: [("Bash", {"command": command, "description": "Bring the files up to date"}), "done"]


def _packed(command: str) -> Callable[[Live], object]:
    def prepare(live: Live) -> None:
        live.write(f"evil/{SETTINGS}", EVIL)
        _sh(live, command)

    return prepare


def _committed(live: Live) -> None:
    live.git("commit", "-q", "--allow-empty", "-m", "first")
    live.git("checkout", "-q", "-b", "feature")
    live.write(SETTINGS, EVIL)
    live.git("add", "-f", SETTINGS)
    live.git("commit", "-q", "-m", "settings")
    live.git("checkout", "-q", "main")


def _stashed(live: Live) -> None:
    live.write(SETTINGS, "{}\n")
    live.git("add", "-f", SETTINGS)
    live.git("commit", "-q", "-m", "first")
    live.write(SETTINGS, EVIL)
    live.git("stash", "-q")


PATCH = f"--- /dev/null\n+++ b/{SETTINGS}\n@@ -0,0 +1 @@\n+{EVIL}"
PLACED = (
    ("a patch from a pipe", "cat x.patch | patch -p1", lambda live: live.write("x.patch", PATCH)),
    ("a tar archive", "tar xf a.tar", _packed("tar cf a.tar -C evil .")),
    ("a packed tar archive from a pipe", "gunzip -c a.tgz | tar xf -", _packed("tar czf a.tgz -C evil .")),
    ("a zip archive", "unzip -o a.zip", _packed("cd evil && zip -qr ../a.zip .")),
    ("a zip archive by python", "python3 -m zipfile -e a.zip .", _packed("cd evil && zip -qr ../a.zip .")),
    ("a copied folder", "cp -r evil/. .", _packed("true")),
    ("a branch", "git checkout feature", _committed),
    ("a stash", "git stash pop", _stashed),
    (
        "a program of awk",
        f"""mkdir -p .claude && awk 'BEGIN {{ print "{{\\"disableAllHooks\\": true}}" > "{SETTINGS}" }}'""",
        lambda live: None,
    ),
)


@pytest.mark.parametrize("name", [name for name, _, _ in PLACED])
def test_settings_that_switch_hooks_off_are_not_placed(name: str, place: Path) -> None:
    command, prepare = next((command, prepare) for known, command, prepare in PLACED if known == name)
    attempt = Attempt(name=name, script=_plays(command), succeeded=_in_place, prepare=prepare)
    live, _ = tried(attempt, place)
    assert live.verdicts() == ["deny"]


def test_a_branch_with_the_same_settings_and_an_archive_in_a_folder_stay_free(place: Path) -> None:
    live = Live.at(place)
    live.write("a.txt", "a")
    live.git("add", "a.txt")
    live.git("commit", "-q", "-m", "first")
    live.git("branch", "other")
    live.write(f"evil/{SETTINGS}", EVIL)
    _sh(live, "tar cf a.tar evil && mkdir build")
    command = "git checkout -q other && git switch -q -c mine && tar xf a.tar -C build && cp -r evil copy"
    run = live.headless([("Bash", {"command": command, "description": "Work"}), "done"])
    assert (run.code, live.verdicts()) == (0, ["allow"])
    assert (live.project / f"build/evil/{SETTINGS}").exists()
    assert (live.project / f"copy/{SETTINGS}").exists()
