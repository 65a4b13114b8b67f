"""The launcher that the settings name: it starts the installed package, and holds it to what was installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from installed import Installed
from interlock import __version__
from interlock.hosts.claude_events import EVENTS, settings

LAUNCHERS = sorted((Path(__file__).parents[1] / "fixtures/launchers").glob("*.txt"))  # as older versions wrote them


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    found = Installed(tmp_path)
    done = found.command("install", "claude-code", "--yes")
    assert done.code == 0, done.out
    return found


def test_the_hooks_go_through_the_launcher_and_decide(installed: Installed) -> None:
    launcher = installed.home / ".local/share/interlock/hook/guard.py"
    assert str(launcher) in installed.settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"]
    assert installed.hook().taken == "allow"
    assert installed.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    assert installed.hook("SessionStart", source="startup").code == 0


def test_files_that_change_under_the_same_version_block(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    installed.change("engine.py", '"""', '"""x')
    blocked = installed.hook()
    assert (blocked.code, blocked.out) == (2, b"")
    assert b"Interlock: blocked: the files of version" in blocked.err
    assert b"interlock install" in blocked.err
    assert installed.hook("SessionStart", source="startup").code == 0  # what gates nothing eats no message
    installed.change("engine.py", '"""x', '"""')
    assert installed.hook().taken == "allow"


@pytest.mark.slow
def test_a_file_that_is_not_looked_at_each_time_is_found_within_the_hour(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    installed.change("layers/floor.py", '"""', '"""x')
    installed.an_hour_later()
    assert installed.hook().taken == "deny"


@pytest.mark.slow
def test_a_file_that_is_added_or_taken_away_is_a_change(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    (installed.package / "hook/more.py").write_text("")
    assert installed.hook().code == 2
    (installed.package / "hook/more.py").unlink()
    assert installed.hook().taken == "allow"
    (installed.package / "cli/on.py").unlink()
    installed.an_hour_later()
    assert installed.hook().code == 2


@pytest.mark.slow
def test_files_that_were_only_copied_anew_pass(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    shutil.move(installed.package, installed.site / "old")
    shutil.copytree(installed.site / "old", installed.package)
    assert installed.hook().taken == "allow"


@pytest.mark.slow
def test_a_new_version_runs_and_is_announced_until_a_person_confirms_it(installed: Installed) -> None:
    assert "version" not in installed.hook("SessionStart", source="startup").answer["systemMessage"]
    installed.change("__init__.py", f'__version__ = "{__version__}"', '__version__ = "9.9.9"')
    assert installed.hook().taken == "allow"
    told = installed.hook("SessionStart", source="resume").answer["systemMessage"]
    assert f"version 9.9.9 runs since an upgrade, and {__version__} was installed" in told
    installed.change("engine.py", '"""', '"""x')
    assert installed.hook().code == 2  # nor may the new one change
    installed.change("engine.py", '"""x', '"""')
    done = installed.command("install", "claude-code", "--yes")
    assert (done.code, "new: starts" in done.out) == (0, True)
    assert "version" not in installed.hook("SessionStart", source="resume").answer["systemMessage"]


@pytest.mark.slow
@pytest.mark.parametrize("kept", LAUNCHERS, ids=lambda path: path.stem)
def test_a_launcher_of_an_older_version_starts_this_one_and_tells_of_it(installed: Installed, kept: Path) -> None:
    """It looks at files of the package by their paths: those stay where they are."""
    note, launcher = (
        installed.home / at for at in (".local/state/interlock/launch.note", ".local/share/interlock/hook/guard.py")
    )
    text = kept.read_text().replace("<package>", str(installed.package)).replace("<note>", str(note))
    note.unlink(missing_ok=True)
    launcher.write_text(text)
    assert installed.hook().taken == "allow"
    assert installed.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    told = installed.hook("SessionStart", source="startup").answer["systemMessage"]
    assert f"version {__version__} runs since an upgrade, and 0.3.0 was installed" in told
    installed.change("engine.py", '"""', '"""x')
    assert installed.hook().code == 2


@pytest.mark.slow
def test_without_the_package_the_answer_names_interlock_and_the_cure(installed: Installed) -> None:
    shutil.move(installed.package, installed.site / "moved")
    denied = installed.hook()
    assert (denied.code, denied.taken) == (0, "deny")
    assert "interlock install" in denied.reason
    told = installed.hook("SessionStart", source="startup").answer["systemMessage"]
    assert told.startswith("Interlock: the package is not where your settings say")


@pytest.mark.slow
def test_without_the_launcher_the_answer_names_interlock_and_the_cure(installed: Installed) -> None:
    (installed.home / ".local/share/interlock/hook/guard.py").unlink()
    assert "interlock install" in installed.hook().reason


@pytest.mark.parametrize("name", EVENTS)
def test_without_its_python_the_words_that_the_client_shows_name_interlock_and_the_cure(name: str) -> None:
    """A program that cannot be started says nothing; the client shows the command that it tried (tests/live)."""
    (handler,) = settings("/it's/gone/python", "/opt/interlock/hook/guard.py", ())["hooks"][name][0]["hooks"]
    first = handler["args"][3].partition("\n")[0]
    assert first.startswith("# Interlock: Python is not where your settings say (/it's/gone/python)")
    assert "interlock install" in first
    assert (handler.get("onFailure") == "block") is (name in ("PreToolUse", "ConfigChange"))


@pytest.mark.slow
def test_uninstall_takes_the_launcher_away(installed: Installed) -> None:
    installed.hook()
    assert installed.command("uninstall", "--yes").code == 0
    assert not (installed.home / ".local/share/interlock").exists()
    assert not (installed.home / ".claude").exists()
    assert not (installed.home / ".local/state/interlock/launch.note").exists()


def test_a_copy_that_is_run_once_is_not_installed(tmp_path: Path) -> None:
    found = Installed(tmp_path / ".cache/uv/archive-v0/x")
    done = found.command("install", "claude-code", "--yes")
    assert (done.code, "cache of programs that are run once" in done.out) == (64, True)
    assert not (found.home / ".claude").exists()


def test_the_launcher_is_guarded_as_the_rest_of_ours(installed: Installed) -> None:
    launcher = installed.home / ".local/share/interlock/hook/guard.py"
    assert installed.hook(tool_input={"file_path": str(launcher), "content": ""}).taken == "deny"
    assert installed.hook().taken == "allow"
    launcher.write_text(launcher.read_text() + "#\n")
    asked = installed.hook()
    assert (asked.taken, str(launcher) in asked.reason) == ("ask", True)
