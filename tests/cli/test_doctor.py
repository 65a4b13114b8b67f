"""`interlock doctor` and `interlock status`, with the real command, real settings and real hooks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installed import Installed
from interlock.model.level import ABOUT, OUTSIDE, Level
from machine import Machine, Run

# The client of these tests says its version and loads no plug-in (tests/live has one that does).
NO_SHIELD = "claude-code shield: no shield is seated: plug-ins with code can take the hooks out of the way"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client on the search path that says its version."""
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.327 (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.defpath}")
    return program


@pytest.fixture
def guarded(machine: Machine, client: Path) -> Machine:
    done = machine.run("install", "claude-code", "--yes")
    assert done.code == 0, done.err
    return machine


def settings_of(machine: Machine) -> Path:
    return machine.home / ".claude/settings.json"


def findings(done: Run, state: str) -> list[str]:
    return [f"{row['check']}: {row['text']}" for row in done.json["findings"] if row["state"] == state]


def doctor(machine: Machine, *arguments: str) -> Run:
    return machine.run("doctor", "--json", *arguments)


def test_a_guarded_machine_is_well(guarded: Machine) -> None:
    done = doctor(guarded)
    assert (done.code, findings(done, "bad"), findings(done, "warn"), done.json["ok"]) == (0, [], [NO_SHIELD], True)
    assert "claude-code: a call that must be denied was denied, through its own settings" in findings(done, "ok")
    assert "claude-code: version 2.1.327 blocks when a hook fails" in findings(done, "ok")
    shown = guarded.run("doctor")
    assert (shown.code, shown.out.splitlines()[-1]) == (0, "nothing is wrong, but look at the warnings")
    assert [row["body"]["receipt"]["decision"]["verdict"] for row in guarded.rows()] == ["deny", "deny"]


def test_warnings_are_not_called_well(machine: Machine) -> None:
    shown = machine.run("doctor")
    assert (shown.code, shown.out.splitlines()[-1]) == (0, "nothing is wrong, but look at the warnings")
    assert "warn  host: no agent host was found on this machine" in shown.out


def test_without_hooks_it_says_how_to_get_them(machine: Machine, client: Path) -> None:
    done = doctor(machine)
    assert (done.code, done.json["ok"]) == (1, False)
    assert done.json["findings"][0] == {
        "check": "claude-code",
        "cure": f"interlock --home {machine.home} install claude-code",
        "state": "bad",
        "text": "its settings do not name Interlock: nothing is checked",
    }


def edited(machine: Machine, **changes: Any) -> None:
    file = settings_of(machine)
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_an_event_that_is_missing_is_named(guarded: Machine) -> None:
    hooks = json.loads(settings_of(guarded).read_text())["hooks"]
    del hooks["Stop"]
    edited(guarded, hooks=hooks)
    assert "claude-code: its settings name Interlock, but not for Stop" in findings(doctor(guarded), "bad")


@pytest.mark.parametrize("where", ["settings.json", "settings.local.json"])
def test_another_layer_that_switches_hooks_off_is_named(guarded: Machine, where: str) -> None:
    file = guarded.project / ".claude" / where
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"disableAllHooks": true}')
    done = doctor(guarded)
    assert (done.code, findings(done, "bad")) == (
        1,
        [f"claude-code: `{file}` switches off all hooks (`disableAllHooks`)"],
    )


def test_another_hook_that_can_rewrite_calls_is_a_warning(guarded: Machine) -> None:
    file = guarded.project / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [other]}}))
    done = doctor(guarded)
    assert (done.code, findings(done, "warn")) == (
        0,
        [NO_SHIELD, f"claude-code: another PreToolUse hook in {file} can rewrite a call after it was judged"],
    )


def test_an_old_client_is_a_warning(guarded: Machine, client: Path) -> None:
    client.write_text("#!/bin/sh\necho '1.0.3 (Claude Code)'\n")
    assert "version 1.0.3 is older than 2.1.327" in " ".join(findings(doctor(guarded), "warn"))


def test_hooks_that_do_not_deny_are_found(guarded: Machine) -> None:
    text = settings_of(guarded).read_text()
    settings_of(guarded).write_text(text.replace(f'"{sys.executable}"', '"/bin/true"'))
    done = doctor(guarded)
    assert (done.code, findings(done, "bad")) == (1, ["claude-code: a call that must be denied was not"])


def test_hooks_that_cannot_be_started_are_found(guarded: Machine) -> None:
    text = settings_of(guarded).read_text()
    settings_of(guarded).write_text(text.replace(f'"{sys.executable}"', '"/nowhere/python"'))
    done = doctor(guarded)
    assert done.code == 1
    assert "every call is blocked" in findings(done, "bad")[0]
    assert "/nowhere/python is not there" in findings(done, "bad")[0]


def test_a_project_cannot_have_the_doctor_start_its_programs(guarded: Machine, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    evil = {"type": "command", "command": "/bin/sh", "args": ["-c", f"touch {mark}", "x/interlock/hook/guard.py"]}
    file = guarded.project / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [evil]}]}}))
    assert doctor(guarded).code == 0
    assert not mark.exists()


def test_a_launcher_that_is_gone_is_found(guarded: Machine) -> None:
    (guarded.home / ".local/share/interlock/hook/guard.py").unlink()
    done = doctor(guarded)
    (found,) = findings(done, "bad")
    assert (done.code, found.startswith("claude-code: every call is blocked: ")) == (1, True)
    assert "the package is not where your settings say" in found


def test_a_broken_policy_is_found(guarded: Machine) -> None:
    policy = guarded.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text("version = 1\nnot toml")
    done = doctor(guarded)
    assert done.code == 1
    assert any(text.startswith("policy: ") for text in findings(done, "bad"))


def test_a_damaged_ledger_is_found(guarded: Machine) -> None:
    doctor(guarded)
    for end in ("-wal", "-shm"):
        (guarded.ledger.parent / f"ledger.db{end}").unlink(missing_ok=True)
    guarded.ledger.write_bytes(b"x" * 5000)
    done = doctor(guarded)
    assert (done.code, any(text.startswith("ledger: ") for text in findings(done, "bad"))) == (1, True)


def test_files_that_others_can_change_are_found_and_fixed(guarded: Machine) -> None:
    config = guarded.home / ".config/interlock"
    config.mkdir(parents=True, exist_ok=True)
    policy = config / "policy.toml"
    policy.write_text("version = 1\n")
    policy.chmod(0o664)
    guarded.ledger.chmod(0o644)
    done = doctor(guarded)
    assert (done.code, f"files: others can change {policy} (mode 664)" in findings(done, "bad")) == (1, True)
    assert f"files: others can read {guarded.ledger} (mode 644)" in findings(done, "warn")
    fixed = doctor(guarded, "--fix")
    assert (fixed.code, len(findings(fixed, "fixed"))) == (0, 2)
    assert (policy.stat().st_mode & 0o777, guarded.ledger.stat().st_mode & 0o777) == (0o644, 0o600)
    assert doctor(guarded).code == 0


def test_a_host_that_is_not_known_is_an_error(machine: Machine) -> None:
    assert doctor(machine, "clod").code == 64


def test_the_status_of_a_new_machine(machine: Machine, client: Path) -> None:
    told = machine.run("status", "--json")
    assert (told.code, told.json) == (
        0,
        {
            "hosts": {"claude-code": "not guarded"},
            "levels": {},
            "plugins": {},
            "campaigns": {},
            "mcp": {},
            "unproven": [],
            "posture": "interactive",
            "approval_mode": "default",
            "today": {"calls": 0, "allow": 0, "ask": 0, "deny": 0, "prompts_per_100": 0},
            "pending": 0,
            "grants": 0,
            "answers": "weak",
            "off_until": None,
            "observe_until": None,
            "resident": "off",
            "ledger": "nothing is recorded yet",
            "engine": "no launcher is installed",
            "findings": [],
        },
    )


def level(machine: Machine) -> str:
    return (
        f"level: hook only: {ABOUT[Level.HOOK_ONLY]}; to start it so that a repository cannot: "
        f"interlock --home {machine.home} launch claude"
    )


def test_the_checkup_names_the_level_in_force(guarded: Machine) -> None:
    (told,) = [text for text in findings(doctor(guarded), "ok") if "level in force" in text]
    assert told.startswith(f"claude-code: level in force: hook only: {ABOUT[Level.HOOK_ONLY]}; {OUTSIDE}")


def test_the_status_counts_what_was_decided_today(guarded: Machine) -> None:
    for command in ("ls", "git push --force", "rm -rf /", "pwd"):
        guarded.decide("Bash", "--record", command=command)
    doctor(guarded)  # its own call is none of an agent's
    told = guarded.run("status", "--json").json
    assert told["hosts"] == {"claude-code": "guarded"}
    assert told["today"] == {"calls": 4, "allow": 2, "ask": 1, "deny": 1, "prompts_per_100": 25.0}
    assert told["levels"] == {"claude-code": {"launched": 0, "start": "hook_only"}}
    shown = guarded.run("status").out.splitlines()
    assert shown.pop(1).strip() == level(guarded)
    assert shown[:3] == [
        "Claude Code: guarded",
        "posture: interactive; approval mode: default",
        "calls today: 4 (2 allow, 1 ask, 1 deny); 25 prompts per 100 calls",
    ]
    assert shown[-2].endswith("rows, whole")
    assert shown[-1] == "hooks run: a working copy, not held to its files"


def test_the_status_does_not_call_a_host_guarded_that_calls_no_hooks(guarded: Machine) -> None:
    edited(guarded, disableAllHooks=True)
    assert guarded.run("status", "--json").json["hosts"] == {"claude-code": "installed, but not called"}
    told = f"Claude Code: installed, but not called; see: interlock --home {guarded.home} doctor claude-code"
    assert guarded.run("status").out.splitlines()[0] == told


def test_the_end_names_which_of_several_hosts_is_not_guarded(guarded: Machine) -> None:
    (guarded.home / ".gemini").mkdir()
    shown = guarded.run("doctor")
    assert (shown.code, shown.out.splitlines()[-1]) == (1, "wrong, see BAD above: gemini-cli")
    assert guarded.run("status").out.splitlines()[:3] == [
        "Claude Code: guarded",
        f"  {level(guarded)}",
        f"Gemini CLI: not guarded; see: interlock --home {guarded.home} install gemini-cli",
    ]


def test_hooks_of_copilot_do_not_make_it_look_as_if_vs_code_were_here(machine: Machine) -> None:
    """Both keep their hooks in the same folder."""
    assert machine.run("install", "copilot-cli", "--yes").code == 0
    assert machine.run("status", "--json").json["hosts"] == {"copilot-cli": "guarded"}
    (machine.home / ".vscode").mkdir()
    assert machine.run("status", "--json").json["hosts"] == {"copilot-cli": "guarded", "vscode": "not guarded"}


@pytest.mark.slow
def test_a_package_that_changed_is_found(tmp_path: Path, client: Path) -> None:
    found = Installed(tmp_path)
    assert found.command("install", "claude-code", "--yes").code == 0
    assert found.command("doctor").code == 0
    found.change("layers/floor.py", '"""', '"""x')
    done = found.command("doctor")  # hooks run their copy: nothing is wrong, and something waits
    assert (done.code, "warn  installation: the installed files of version" in done.out) == (0, True)
    assert "warn  installation: the installed files of version" in found.command("status").out
    found.change("layers/floor.py", '"""x', '"""')
    (found.copy / "layers/floor.py").write_text("")
    done = found.command("doctor")
    assert (done.code, "BAD   installation: every call is blocked" in done.out) == (1, True)
    shutil.rmtree(found.package / "hook")
    words = [sys.executable, "-m", "interlock.cli", "--home", str(found.home), "doctor"]
    other = subprocess.run(words, capture_output=True, text=True, check=False, cwd=found.project)
    assert (other.returncode, "was changed or removed" in other.stdout) == (1, True)
