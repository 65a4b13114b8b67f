"""The launcher that the settings name: it starts the installed package, and holds it to what was installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hook_process import pythons
from installed import Installed
from interlock import __version__
from interlock.hosts import HOSTS
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


def test_a_copy_that_was_changed_blocks_in_one_sentence_that_the_person_sees_too(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    (installed.copy / "hook/guard.py").write_text("print('{}')")
    why = (
        f"Interlock: every call is blocked, because the copy of Interlock that you confirmed ({installed.copy.parent}) "
        f"was changed or removed; to put it back, run interlock --home {installed.home} update in a terminal of "
        "your own."
    )
    blocked = installed.hook()
    assert (blocked.code, blocked.taken, blocked.err) == (0, "deny", b"")
    assert (blocked.reason, blocked.answer["systemMessage"]) == (why, why)
    assert installed.hook("ConfigChange", source="user_settings").answer["decision"] == "block"
    told = installed.hook("SessionStart", source="startup")  # what gates nothing eats no message
    assert (told.code, told.answer) == (0, {"systemMessage": why})
    status = installed.command("status").out
    assert f"Claude Code: every call is blocked; see: interlock --home {installed.home} doctor claude-code" in status
    assert "BAD   installation: every call is blocked" in status
    assert installed.command("update", "--yes").code == 0
    assert installed.hook().taken == "allow"


_BLOCKS = (b'"deny"', b'"block"', b'"cancel":true', b'"continue":false', b'"permission":"deny"', b'"action":"reject')


@pytest.mark.slow
def test_every_host_takes_the_answer_of_a_changed_copy_as_a_block(installed: Installed) -> None:
    (installed.copy / "value.py").unlink()
    for host in HOSTS:
        words = [sys.executable, "-I", "-S", str(installed.launcher), host]
        for event in (b'{"hook_event_name":"PreToolUse"}', b"{}", b"no JSON", b""):
            done = subprocess.run(words, input=event, capture_output=True, check=False)
            assert done.returncode == 2 or any(block in done.stdout for block in _BLOCKS), (host, done)
            assert b"was changed or removed" in done.stdout + done.stderr
        passing = subprocess.run([*words, "--no-gate"], input=b"{}", capture_output=True, check=False)
        assert passing.returncode == 0, host
    answers = installed.launcher.with_name("answers.json")
    answers.write_text(answers.read_text().replace("deny", "allow"))
    words[-1] = "claude-code"
    done = subprocess.run(words, input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    answers.unlink()
    gone = installed.hook()
    assert (gone.code, gone.out, b"files of the confirmed copy were changed" in gone.err) == (2, b"", True)


@pytest.mark.slow
def test_what_runs_is_held_to_its_digest_with_its_bytecode(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    tag = sys.implementation.cache_tag
    for name in ("layers/floor.py", f"__pycache__/hook.{tag}.bundle", f"hook/__pycache__/guard.{tag}.pyc"):
        file = installed.copy / name
        before = file.read_bytes()
        file.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        if "floor" in name:  # hooks run its bytecode: what is looked at for each call is what runs
            assert installed.hook().taken == "allow"
            installed.an_hour_later()
        assert installed.hook().taken == "deny", name
        file.write_bytes(before)
        assert installed.hook().taken == "allow", name


@pytest.mark.slow
def test_a_file_that_is_added_to_the_copy_or_taken_away_is_a_change(installed: Installed) -> None:
    assert installed.hook().taken == "allow"
    (installed.copy / "hook/more.py").write_text("")
    assert installed.hook().taken == "deny"
    (installed.copy / "hook/more.py").unlink()
    assert installed.hook().taken == "allow"
    (installed.copy / "cli/on.py").unlink()
    installed.an_hour_later()
    assert installed.hook().taken == "deny"


@pytest.mark.slow
def test_hooks_leave_the_copy_as_it_is(installed: Installed) -> None:
    def seen() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in installed.copy.rglob("*")}

    before = seen()
    for command in ("ls", "git push --force", "python3 -c 'print(1)'", "psql -c 'drop table x'"):
        installed.hook(tool_name="Bash", tool_input={"command": command})
    installed.hook("SessionStart", source="startup")
    installed.hook("UserPromptSubmit", prompt="x")
    assert seen() == before


@pytest.mark.slow
def test_another_python_runs_the_copy_from_its_sources_and_says_so(installed: Installed) -> None:
    others = [path for version, path in pythons().items() if not sys.version.startswith(version)]
    if not others:
        pytest.skip("one Python is here")
    fragment = settings(others[0], str(installed.launcher), ("--home", str(installed.home)))
    (installed.home / ".claude/settings.json").write_text(json.dumps(fragment))
    assert installed.hook().taken == "allow"
    assert "hooks run on another Python" in installed.hook("SessionStart", source="startup").answer["systemMessage"]
    assert installed.hook().taken == "allow"


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
    assert f"version {__version__} runs since an update: hooks start the installed package" in told
    installed.change("engine.py", '"""', '"""x')
    assert installed.hook().code == 2


@pytest.mark.slow
def test_without_the_package_hooks_go_on_with_their_copy_and_say_so(installed: Installed) -> None:
    shutil.move(installed.package, installed.site / "moved")
    assert installed.hook().taken == "allow"
    assert installed.hook(tool_name="Bash", tool_input={"command": "rm -rf ~"}).taken == "deny"
    told = installed.hook("SessionStart", source="startup").answer["systemMessage"]
    assert f"the package that was confirmed is no longer in {installed.package}" in told


@pytest.mark.slow
def test_without_the_copy_every_call_is_blocked_with_the_cure(installed: Installed) -> None:
    shutil.rmtree(installed.copy.parent)
    denied = installed.hook()
    assert (denied.code, denied.taken) == (0, "deny")
    assert f"run interlock --home {installed.home} update" in denied.reason


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
