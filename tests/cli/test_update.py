"""An update of the package: hooks run what a person confirmed, whatever is installed, and it is said that it waits."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from installed import Installed
from interlock import __version__
from interlock.store.home.launch import digest_of_package

NEXT = "0.4.0.dev9+gabc"
WHEEL = Path(__file__).parents[2] / "scripts/wheel.py"
BROKEN = "raise SystemExit(0)\n"  # an engine that lets everything run, if it is ever started


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    found = Installed(tmp_path)
    done = found.command("install", "claude-code", "--yes")
    assert done.code == 0, done.out
    return found


def told_at_start(installed: Installed) -> str:
    return str(installed.hook("SessionStart", source="startup").answer["systemMessage"])


def test_an_update_waits_until_a_person_confirms_it(installed: Installed) -> None:
    assert "version" not in told_at_start(installed)
    installed.installs(NEXT)
    (installed.package / "hook/run.py").write_text(BROKEN)
    assert installed.hook().taken == "allow"
    assert installed.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    waits = f"version {NEXT} is installed and waits: hooks run version {__version__} until you confirm the update"
    assert f"{waits}. If you updated it yourself" in told_at_start(installed)
    assert f"interlock --home {installed.home} update" in told_at_start(installed)
    shown = installed.command("status").out
    assert f"warn  installation: {waits}\n      cure: interlock --home {installed.home} update" in shown
    assert f"warn  installation: {waits}" in installed.command("doctor").out

    before, launcher = installed.copies, installed.launcher.read_bytes()
    dry = installed.command("update", "--dry-run", "--json")
    assert json.loads(dry.out) == {
        "from": {"package": str(installed.package), "version": __version__},
        "launcher": str(installed.launcher),
        "result": "would update",
        "to": {"package": str(installed.package), "version": NEXT},
        "why": None,
    }
    assert (installed.copies, installed.launcher.read_bytes()) == (before, launcher)
    assert installed.command("update", keys="n\n").code == 130
    assert (installed.copies, installed.launcher.read_bytes()) == (before, launcher)


@pytest.mark.slow
@pytest.mark.parametrize("command", [("update",), ("install", "claude-code")])
def test_either_command_confirms_it(installed: Installed, command: tuple[str, ...]) -> None:
    installed.installs(NEXT)
    done = installed.command(*command, keys="y\n")
    assert done.code == 0, done.out
    assert f"was: starts a copy of {installed.package}, version {__version__}" in done.out
    assert f"new: starts a copy of {installed.package}, version {NEXT}" in done.out
    assert installed.hook().taken == "allow"
    assert "version" not in told_at_start(installed)
    assert installed.command("update").out == f"nothing to do: hooks run version {NEXT}, as it was confirmed\n"
    installed.installs("0.4.0.dev10+gabc")
    assert installed.command("update", "--yes").code == 0
    assert len(installed.copies) == 2  # the one before, for hooks that still run it


@pytest.mark.slow
def test_a_reinstall_of_the_same_version_blocks_nothing(installed: Installed) -> None:
    shutil.move(installed.package, installed.site / "old")
    shutil.copytree(installed.site / "old", installed.package)
    assert installed.hook().taken == "allow"
    assert "version" not in told_at_start(installed)  # the same files: nothing waits
    installed.change("cli/on.py", '"""', '"""x')
    assert installed.hook().taken == "allow"
    assert f"the installed files of version {__version__} are not those that were confirmed" in told_at_start(installed)
    assert "why: the version is the same, and the files are not" in installed.command("update", "--dry-run").out


@pytest.mark.slow
@pytest.mark.parametrize("command", [("update", "--yes"), ("install", "claude-code", "--yes")])
def test_an_agent_cannot_confirm_it(installed: Installed, command: tuple[str, ...]) -> None:
    installed.installs(NEXT)
    launcher = installed.launcher.read_bytes()
    words = " ".join(["interlock", *command])
    assert installed.hook(tool_name="Bash", tool_input={"command": words}).taken == "deny"
    assert installed.hook(tool_input={"file_path": str(installed.copy / "engine.py"), "content": ""}).taken == "deny"
    assert installed.hook(tool_input={"file_path": str(installed.package / "engine.py"), "content": ""}).taken == "deny"
    installed.hook("SessionStart", source="startup")  # from this process: it is the agent's from now on
    program = [sys.executable, "-m", "interlock.cli", "--home", str(installed.home), *command]
    environment = {**os.environ, "PYTHONPATH": str(installed.site), "CLAUDECODE": "1"}
    under_a_terminal = ["script", "-qec", " ".join(program), "/dev/null"]
    for given in (program, under_a_terminal):
        done = subprocess.run(
            given, env=environment, cwd=installed.project, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
        assert done.returncode != 0, done.stdout
    assert installed.launcher.read_bytes() == launcher


@pytest.mark.slow
def test_a_copy_that_is_cut_short_is_one_that_nothing_names(installed: Installed) -> None:
    installed.installs(NEXT)
    before = installed.launcher.read_bytes()
    words = [sys.executable, "-c", _CUT_SHORT, str(installed.home), str(installed.package)]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(installed.site)}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (installed.home / ".local/share/interlock/engines/.new").exists()
    assert (installed.launcher.read_bytes(), installed.hook().taken) == (before, "allow")
    assert installed.command("update", "--yes").code == 0
    assert not (installed.home / ".local/share/interlock/engines/.new").exists()
    assert (len(installed.copies), installed.hook().taken) == (2, "allow")


# The real function, in a process that dies when it has written half of the files.
_CUT_SHORT = """
import os, signal, sys
from interlock.store.home import confirmed, folders, launch
home, package = sys.argv[1:]
count = 0

def dies(event, arguments):
    global count
    if event == "open" and "/engines/.new/" in str(arguments[0]):
        count += 1
        if count == 400:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(dies)
with confirmed.one_at_a_time(folders.folders_for(home)):
    confirmed.make_copy(folders.folders_for(home), package, launch.digest_of_package(package), "x")
"""


@pytest.mark.slow
def test_a_full_disk_leaves_hooks_with_what_they_have(installed: Installed) -> None:
    installed.installs(NEXT)
    before = installed.launcher.read_bytes()
    limited = f"ulimit -f 64; exec {sys.executable} -c {shlex.quote(_LIMITED)} {installed.home} {installed.package}"
    done = subprocess.run(
        ["/bin/bash", "-c", limited],
        env={**os.environ, "PYTHONPATH": str(installed.site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "could not be written" in done.stderr, done.stderr
    assert not (installed.home / ".local/share/interlock/engines/.new").exists()
    assert (installed.launcher.read_bytes(), installed.hook().taken) == (before, "allow")


_LIMITED = """
import signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from interlock.store.home import confirmed, folders, launch
home, package = sys.argv[1:]
confirmed.make_copy(folders.folders_for(home), package, launch.digest_of_package(package), "x")
"""


@pytest.mark.slow
def test_of_two_installs_at_once_one_copy_is_named_and_whole(installed: Installed) -> None:
    installed.installs(NEXT)
    terminal = Path(__file__).parents[2] / "scripts/terminal.py"
    words = [sys.executable, "-m", "interlock.cli", "--home", str(installed.home), "update", "--yes"]
    runs = [
        subprocess.Popen(
            [sys.executable, str(terminal), "", *words],
            env={**os.environ, "PYTHONPATH": str(installed.site)},
            cwd=installed.project,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    assert [run.wait() for run in runs] == [0, 0]
    assert (installed.hook().taken, len(installed.copies) <= 2) == ("allow", True)
    assert "version" not in told_at_start(installed)


@pytest.mark.slow
def test_a_launcher_of_an_earlier_version_runs_the_update_and_says_so(installed: Installed) -> None:
    """It starts the installed package itself, and takes what a wheel has for another version."""
    earlier = (Path(__file__).parents[1] / "fixtures/launcher-0.4.0.txt").read_text()
    note = installed.home / ".local/state/interlock/launch.note"
    fields = {"package": str(installed.package), "version": __version__, "digest": "0" * 64, "note": str(note)}
    installed.launcher.write_text(earlier.format(**fields))
    assert installed.hook().taken == "deny"  # without the line that a wheel has, it looks like a change
    line = re.search(r"(?s)OLDER_LAUNCHERS = '''(.*?)'''", WHEEL.read_text())
    assert line is not None
    init = installed.package / "__init__.py"
    init.write_text(init.read_text() + line[1].format(NEXT))
    installed.installs(NEXT)
    assert installed.hook().taken == "allow"
    assert f"version {NEXT} runs since an update" in told_at_start(installed)
    assert installed.command("update", "--yes").code == 0
    assert (installed.hook().taken, installed.copies != []) == ("allow", True)


@pytest.mark.slow
def test_the_resident_service_runs_what_hooks_run(installed: Installed) -> None:
    assert "the resident service runs" in installed.command("resident", "on").out
    try:
        assert json.loads(installed.command("resident", "status", "--json").out)["current"] is True
        assert installed.hook().taken == "allow"
        assert json.loads(installed.command("resident", "status", "--json").out)["answered"] == 1
        installed.installs(NEXT)
        assert installed.command("update", "--yes").code == 0
        assert json.loads(installed.command("resident", "status", "--json").out)["pid"] is None
    finally:
        installed.command("resident", "off")


def test_what_was_shown_is_what_is_copied(installed: Installed) -> None:
    words = [sys.executable, "-c", _LIMITED, str(installed.home), str(installed.package)]
    installed.change("cli/on.py", '"""', '"""x')
    assert digest_of_package(str(installed.package)) != digest_of_package(str(installed.copy))
    changed = _LIMITED.replace("launch.digest_of_package(package)", "'0' * 64")
    words[2] = changed
    done = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(installed.site)}, capture_output=True, text=True, check=False
    )
    assert "the installed files changed while they were copied" in done.stderr
