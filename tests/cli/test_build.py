"""Which version a build has: the real build, with pip and hatchling, of sources with git, without, and of an sdist."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hook_process import Ran, new_machine
from interlock import __version__
from person import TERMINAL, Answer

_OUTS = count(1)
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(folder), *own, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """What a clone has, as it is here."""
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "--", "src", "scripts")
    place = tmp_path / "sources"
    for name in (*listed.splitlines(), "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        if (ROOT / name).exists():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((ROOT / name).read_bytes())
    return place


def built(sources: Path) -> Path:
    out = sources.parent / f"out{next(_OUTS)}"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *quiet, "--wheel-dir", str(out), str(sources)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("*.whl")
    return wheel


def wheel_of(sources: Path) -> tuple[str, str, str]:
    """The version in the wheel's name, what its `build.py` says, and the last line an older launcher looks at."""
    wheel = built(sources)
    with zipfile.ZipFile(wheel) as files:
        build = next(line for line in files.read("interlock/build.py").decode().splitlines() if "BUILD = " in line)
        lines = files.read("interlock/__init__.py").decode().splitlines()
    older = [line for line in lines if line.startswith("__version__ = ")]
    version = wheel.name.split("-")[1]
    assert older[0] == f'__version__ = "{__version__}"'  # the engine's: receipts name it
    return version, build.partition('"')[2].partition('"')[0], older[-1].partition(" = ")[2]


def version_of(sources: Path) -> str:
    program = "import runpy; print(runpy.run_path('scripts/build_version.py')['version']())"
    done = subprocess.run([sys.executable, "-c", program], cwd=sources, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_each_build_has_a_version_of_its_own(sources: Path) -> None:
    without = version_of(sources)
    assert without.startswith(f"{__version__}+s")
    (sources / "src/interlock/more.txt").write_text("x")
    assert version_of(sources) != without

    git(sources, "init", "-q")
    git(sources, "add", "-A")
    git(sources, "commit", "-qm", "one")
    commit = git(sources, "rev-parse", "--short=9", "HEAD")
    assert version_of(sources) == f"{__version__}.dev1+g{commit}"
    inside = sources / "vendored"
    shutil.copytree(sources / "src", inside / "src")
    shutil.copytree(sources / "scripts", inside / "scripts")
    assert version_of(inside).startswith(f"{__version__}+s")  # another repository's commit says nothing
    (sources / "src/interlock/more.txt").write_text("y")
    assert version_of(sources).startswith(f"{__version__}.dev1+g{commit}.d")
    git(sources, "checkout", "-q", "--", ".")
    git(sources, "tag", f"v{__version__}")
    assert version_of(sources) == __version__


def test_a_wheel_names_its_build_and_an_sdist_keeps_the_version_that_it_was_made_with(sources: Path) -> None:
    version = f"{__version__}.dev7+gabc123def"
    (sources / "PKG-INFO").write_text(f"Metadata-Version: 2.4\nName: interlock\nVersion: {version}\n")
    assert wheel_of(sources) == (version,) * 3


class Venv:
    """As `pipx install` leaves it: an environment of its own, the wheel that pip has put there, and its command."""

    def __init__(self, place: Path) -> None:
        self.machine = new_machine(place)
        self.home, self.place = self.machine.home, place / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.place)], check=True)
        (self.site,) = self.place.glob("lib/python3*/site-packages")
        (self.site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def pip(self, *words: str) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(self.place / "bin/python")]
        done = subprocess.run([*pip, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def put(self, wheel: Path) -> None:
        self.pip("install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", str(wheel))

    def command(self, *arguments: str) -> Answer:
        words = [str(self.place / "bin/interlock"), "--home", str(self.home), *arguments]
        run = [sys.executable, str(TERMINAL), "", *words]
        return Answer(subprocess.run(run, stdout=subprocess.PIPE, cwd=self.machine.project, check=False))

    def hook(self, name: str = "PreToolUse", **fields: Any) -> Ran:
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        handler = settings["hooks"][name][0]["hooks"][0]
        done = subprocess.run(
            [handler["command"], *handler["args"]],
            input=json.dumps(self.machine.event(hook_event_name=name, **fields)).encode(),
            cwd=self.machine.project,
            env=self.machine.environment(),
            capture_output=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def told(self) -> str:
        return str(self.hook("SessionStart", source="startup").answer["systemMessage"])


def test_wheels_that_pip_installs_over_one_another_neither_run_nor_block(sources: Path, tmp_path: Path) -> None:
    first = built(sources)
    (sources / "src/interlock/hook/run.py").write_text("raise SystemExit(0)\n")  # if it ever ran, it would let all run
    second = built(sources)
    venv = Venv(tmp_path / "machine")
    venv.put(first)
    old, new = (wheel.name.split("-")[1] for wheel in (first, second))
    assert f"interlock {old}\n" == venv.command("--version").out
    assert venv.command("install", "claude-code", "--yes").code == 0
    assert (venv.hook().taken, "version" in venv.told()) == ("allow", False)

    venv.put(first)  # a true reinstall
    assert (venv.hook().taken, "version" in venv.told()) == ("allow", False)
    venv.put(second)
    assert venv.hook().taken == "allow"
    assert venv.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    assert f"version {new} is installed and waits: hooks run version {old}" in venv.told()
    for file in (venv.site / "interlock/cli/on.py", *venv.site.glob("interlock-*.dist-info/RECORD")):
        assert venv.hook(tool_input={"file_path": str(file), "content": ""}).taken == "deny", file
    by_agent = [str(venv.place / "bin/interlock"), "--home", str(venv.home), "update", "--yes"]
    done = subprocess.run(by_agent, env={**os.environ, "CLAUDECODE": "1"}, capture_output=True, check=False)
    assert done.returncode != 0
    venv.pip("uninstall", "--quiet", "--yes", "interlock")
    assert venv.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    assert "the package that was confirmed is no longer in" in venv.told()

    (sources / "src/interlock/hook/run.py").write_bytes((ROOT / "src/interlock/hook/run.py").read_bytes())
    (sources / "src/interlock/more.txt").write_text("x")
    third = built(sources)
    venv.put(third)
    shown = venv.command("update", "--yes")
    assert (shown.code, f"version {third.name.split('-')[1]}" in shown.out) == (0, True)
    assert (venv.hook().taken, "version" in venv.told()) == ("allow", False)
    assert venv.command("uninstall", "--yes").code == 0
    assert not (venv.home / ".local/share/interlock").exists()
    assert not (venv.home / ".claude").exists()
