"""`interlock install` and `uninstall`: the real command, real settings files, a person's terminal."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from interlock import __version__
from interlock.hosts.claude_events import EVENTS, settings
from interlock.limits import MAX_WAIT_SECONDS
from machine import Machine, Run
from person import at_a_terminal

# What people have in their settings, each in a style of its own.
STYLES = {
    "two spaces": '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)", "Read"]\n  }\n}\n',
    "four spaces": '{\n    "env": {"A": "\\u00e9"},\n    "n": 1.0\n}\n',
    "tabs": '{\n\t"b": 1,\n\t"a": 2\n}\n',
    "no newline at the end": '{\n  "model": "opus"\n}',
    "windows line ends": '{\r\n  "model": "opus"\r\n}\r\n',
    "one line": '{"model": "opus", "x": [1,2,  3]}',
    "nothing in it": "{}",
    "nothing in it, with a line end": "{}\n",
    "an empty file": "",
    "hooks of others": '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", '
    '"command": "lint"}]}\n    ],\n    "Notification": []\n  },\n  "theme": "dark"\n}\n',
    "no hooks yet": '{\n  "hooks": {},\n  "theme": "dark"\n}\n',
    "hooks on one line": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}\n',
}


@pytest.fixture
def file(machine: Machine) -> Path:
    path = machine.home / ".claude/settings.json"
    path.parent.mkdir()
    return path


def install(machine: Machine, *arguments: str) -> Run:
    return machine.run("install", "claude-code", "--yes", *arguments)


def uninstall(machine: Machine, *arguments: str) -> Run:
    return machine.run("uninstall", "claude-code", "--yes", *arguments)


def test_the_end_says_which_files_change_and_which_sessions_are_guarded(machine: Machine) -> None:
    done = machine.run("install", "claude-code", "codex", "gemini-cli", "--yes")
    assert done.code == 0, done.err
    names = ".claude/settings.json .claude.json .codex/hooks.json .codex/config.toml .gemini/settings.json"
    files = "".join([f"  {machine.home}/{name}\n" for name in names.split()])
    assert f"Interlock's hooks go into these files; nothing else in them changes:\n{files}" in done.out
    guarded = "Sessions of Claude Code and Gemini CLI that start from now on are guarded.\n"
    assert f"{guarded}Codex runs a hook only after you have trusted it." in done.out


def test_a_long_difference_is_shown_by_its_beginning_and_whole_in_a_dry_run(machine: Machine) -> None:
    whole = machine.run("install", "claude-code", "--dry-run").out
    shown = machine.run("install", "claude-code", "--yes").out
    assert "lines more" not in whole
    assert len(whole.splitlines()) > 200
    assert f"lines more; see all of them with: interlock --home {machine.home} install --dry-run\n" in shown
    assert len(shown.splitlines()) < 70


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_the_hooks_are_added_and_nothing_else_is_touched(machine: Machine, file: Path, text: str) -> None:
    file.write_bytes(text.encode())
    before = json.loads(text or "{}")
    done = install(machine)
    assert done.code == 0, done.err
    after = json.loads(file.read_bytes())
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert list(after) == [*before, *(() if "hooks" in before else ("hooks",))]
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert {*EVENTS} <= {*after["hooks"]}
    kept = [line for line in text.split("\n") if line.strip(" \t\r{}[],") and "{}" not in line]
    written = file.read_bytes().decode().split("\n")
    if len(kept) > 1:
        assert [line for line in kept if line not in written and line.rstrip("\r") + "," not in written] == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_taking_them_out_leaves_the_file_byte_for_byte_as_it_was(machine: Machine, file: Path, text: str) -> None:
    file.write_bytes(text.encode())
    install(machine)
    done = uninstall(machine)
    assert (done.code, file.read_bytes()) == (0, text.encode()), done.err
    assert "is as it was before" in done.out
    assert list((machine.home / ".local/state/interlock/before").iterdir()) == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_what_changed_since_stays_when_they_are_taken_out(machine: Machine, file: Path, text: str) -> None:
    file.write_bytes(text.encode())
    install(machine)
    changed = json.loads(file.read_bytes()) | {"added": "since"}
    file.write_text(json.dumps(changed, indent=2))
    done = uninstall(machine)
    assert done.code == 0, done.err
    expected = json.loads(text or "{}")
    if not expected.get("hooks", True):
        del expected["hooks"]  # it was empty, and is gone with what was in it
    assert json.loads(file.read_bytes()) == expected | {"added": "since"}
    assert "only the hooks were taken out" in done.out


def test_a_file_and_folder_that_were_not_there_are_gone_again(machine: Machine) -> None:
    assert install(machine).code == 0
    made = machine.home / ".claude/settings.json"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert uninstall(machine).code == 0
    assert not made.parent.exists()


def test_a_folder_in_which_something_else_is_by_now_stays(machine: Machine) -> None:
    install(machine)
    (machine.home / ".claude/history.jsonl").write_text("{}")
    uninstall(machine)
    assert [path.name for path in (machine.home / ".claude").iterdir()] == ["history.jsonl"]


def test_a_second_install_changes_nothing(machine: Machine, file: Path) -> None:
    file.write_text(STYLES["two spaces"])
    install(machine)
    first, at = file.read_bytes(), file.stat().st_mtime_ns
    again = install(machine, "--json")
    told = {"backup": None, "host": "claude-code", "result": "unchanged", "scope": "user"}
    assert again.json == {
        "files": [{**told, "file": str(name)} for name in (file, machine.home / ".claude.json")],
        "launcher": {"file": str(machine.home / ".local/share/interlock/hook/guard.py"), "result": "unchanged"},
    }
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (first, at)


def test_older_entries_are_replaced_and_the_way_back_is_still_the_first(machine: Machine, file: Path) -> None:
    file.write_text(STYLES["two spaces"])
    install(machine)
    new = file.read_bytes()
    file.write_bytes(new.replace(sys.executable.encode(), b"/old/python"))
    assert install(machine).code == 0
    assert file.read_bytes() == new
    uninstall(machine)
    assert file.read_text() == STYLES["two spaces"]


def test_entries_that_were_put_in_by_hand_are_found(machine: Machine, file: Path) -> None:
    by_hand = {"model": "opus", **settings("/old/python", "/opt/interlock/hook/guard.py", ())}
    file.write_text(json.dumps(by_hand, indent=2) + "\n")
    assert uninstall(machine).code == 0
    assert json.loads(file.read_text()) == {"model": "opus"}


def test_permissions_and_links_are_kept(machine: Machine, file: Path) -> None:
    real = machine.home / "dotfiles/claude.json"
    real.parent.mkdir()
    real.write_text(STYLES["tabs"])
    real.chmod(0o640)
    file.symlink_to(real)
    install(machine)
    assert (file.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    assert "PreToolUse" in real.read_text()
    uninstall(machine)
    assert (file.is_symlink(), real.read_text()) == (True, STYLES["tabs"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "model": "opus"\n}\n', "is not plain JSON"),
        ('{"model": "opus",}', "is not plain JSON"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ("[]", "is not plain JSON"),
        ('{"hooks": []}', "`hooks` is not an object there"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list there"),
    ],
)
def test_settings_that_cannot_be_edited_safely_are_left_alone(
    machine: Machine, file: Path, text: str, why: str
) -> None:
    file.write_text(text)
    done = install(machine)
    assert (done.code, file.read_text()) == (64, text)
    assert done.err.startswith(f"interlock: `{file}`")
    assert why in done.err
    assert "othing was changed" in done.err


def test_bytes_that_are_no_text_are_left_alone(machine: Machine, file: Path) -> None:
    file.write_bytes(b'{"a": "\xff"}')
    assert "is not UTF-8" in install(machine).err


def test_a_dry_run_shows_the_difference_and_changes_nothing(machine: Machine, file: Path) -> None:
    file.write_text(STYLES["two spaces"])
    done = machine.run("install", "--dry-run")
    assert done.out.startswith(f"Claude Code: {file}\n")
    assert '+  "hooks": {' in done.out
    assert (file.read_text(), machine.ledger.exists()) == (STYLES["two spaces"], False)


@pytest.mark.slow
def test_it_asks_at_the_terminal_before_it_writes(machine: Machine, file: Path) -> None:
    file.write_text("{}")
    said_no = at_a_terminal(machine.home, "install", "claude-code", keys="n\n")
    assert (said_no.code, file.read_text()) == (130, "{}")
    assert "Write this?" in said_no.out
    said_yes = at_a_terminal(machine.home, "install", "claude-code", keys="y\n")
    assert (said_yes.code, "PreToolUse" in file.read_text()) == (0, True)
    assert f"claude-code: installed in {file}" in said_yes.out


def test_without_a_terminal_it_takes_a_yes_ahead(machine: Machine, file: Path) -> None:
    file.write_text("{}")
    done = machine.run("install", "claude-code")
    assert (done.code in (1, 64), file.read_text()) == (True, "{}")


def test_an_agent_can_neither_put_them_in_nor_take_them_out(machine: Machine, file: Path) -> None:
    """Without the floor in front of it: the commands themselves refuse."""
    file.write_text("{}")
    inside = {**os.environ, "CLAUDECODE": "1"}

    def as_an_agent(*arguments: str) -> str:
        done = subprocess.run(machine.command(*arguments), env=inside, capture_output=True, text=True, check=False)
        assert done.returncode in (1, 64)
        return done.stderr

    assert "only a person may do this" in as_an_agent("install", "claude-code", "--yes")
    assert file.read_text() == "{}"
    install(machine)
    written = file.read_bytes()
    assert "only a person at a terminal may do this" in as_an_agent("uninstall", "claude-code", "--yes")
    assert file.read_bytes() == written


def test_a_policy_that_forbids_off_forbids_taking_them_out(machine: Machine, file: Path) -> None:
    install(machine)
    written = file.read_bytes()
    policy = machine.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text("version = 1\n[approvals]\nallow_off = false\n")
    done = uninstall(machine)
    assert (done.code, file.read_bytes()) == (1, written)
    assert "allow_off is false" in done.err


def test_one_project_gets_them_in_the_file_that_is_not_shared(machine: Machine) -> None:
    done = install(machine, "--project", "--json")
    file = machine.project / ".claude/settings.local.json"
    assert [(row["file"], row["scope"]) for row in done.json["files"]] == [(str(file), "project")]
    assert "PreToolUse" in file.read_text()
    assert machine.run("uninstall", "--yes").code == 0  # found where it was put
    assert not file.exists()


def test_a_folder_that_a_variable_names_is_used(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "cfg"))
    done = machine.run("install", "claude-code", "--dry-run", "--json")
    assert done.json["files"][0]["file"] == str(tmp_path / "cfg/settings.json")


def test_hosts_are_found_by_their_program_or_their_folder(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    nothing = machine.run("install", "--dry-run")
    assert (nothing.code, "no agent host was found" in nothing.err) == (64, True)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert machine.run("install", "--dry-run").code == 0
    program.unlink()
    (machine.home / ".claude").mkdir()
    assert machine.run("install", "--dry-run").code == 0


def test_an_unknown_host_is_named(machine: Machine) -> None:
    done = install(machine, "clod")
    assert (done.code, "unknown host `clod`" in done.err) == (64, True)


def test_each_leaves_a_row(machine: Machine, file: Path) -> None:
    install(machine)
    uninstall(machine)
    rows = [(row["key"], row["body"]["file"]) for row in machine.rows("override")]
    launcher = str(machine.home / ".local/share/interlock/hook/guard.py")
    both = [str(file), str(machine.home / ".claude.json")]
    done = [(what, at) for what in ("install", "uninstall") for at in both]
    assert sorted(rows) == sorted([("install", launcher), *done])


# host -> its file, the event before a call, what switches its hooks off, and that switch as it must be
OTHERS: dict[str, tuple[str, str, dict[str, object], object]] = {
    "gemini-cli": (".gemini/settings.json", "BeforeTool", {"hooksConfig": {"enabled": False}}, {"enabled": True}),
    "qwen-code": (".qwen/settings.json", "PreToolUse", {"disableAllHooks": True}, False),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", OTHERS)
@pytest.mark.parametrize("before", ["switched off", "a theme", "no file"])
def test_another_host_is_installed_tried_and_taken_out_in_the_same_way(
    machine: Machine, host: str, before: str
) -> None:
    name, gate, off, on = OTHERS[host]
    file = machine.home / name
    text = {"switched off": json.dumps(off), "a theme": '{\n  "ui": {"theme": "x"}\n}\n', "no file": ""}[before]
    if text:
        file.parent.mkdir()
        file.write_text(text)
    assert machine.run("install", host, "--yes").code == 0
    written = json.loads(file.read_text())
    assert ([written[key] for key in off], gate in written["hooks"]) == ([on], True)
    assert machine.run("install", host, "--yes", "--json").json["files"][0]["result"] == "unchanged"
    found = machine.run("doctor", host, "--json").json
    assert found["ok"], found
    assert "a call that must be denied was denied, through its own settings" in [f["text"] for f in found["findings"]]
    file.write_text(json.dumps(written | {"added": "since"}))
    assert machine.run("uninstall", host, "--yes").code == 0
    assert json.loads(file.read_text()) == json.loads(text or "{}") | {"added": "since"}


@pytest.mark.parametrize("host", OTHERS)
def test_another_host_has_no_settings_of_a_project_that_are_not_shared(machine: Machine, host: str) -> None:
    done = machine.run("install", host, "--project", "--yes")
    assert (done.code, "use --user or --managed" in done.err) == (64, True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("host", "name"),
    [("copilot-cli", ".copilot/hooks/interlock.json"), ("opencode", ".config/opencode/plugin/interlock.js")],
)
def test_a_host_with_a_file_of_our_own_is_installed_tried_and_taken_out(machine: Machine, host: str, name: str) -> None:
    file = machine.home / name
    assert machine.run("install", host, "--yes").code == 0
    assert machine.run("install", host, "--yes", "--json").json["files"][0]["result"] == "unchanged"
    found = machine.run("doctor", host, "--json").json
    assert found["ok"], found
    assert "a call that must be denied was denied, through its own settings" in [f["text"] for f in found["findings"]]
    assert machine.run("uninstall", host, "--yes").code == 0
    assert not file.parent.exists()


def test_a_plug_in_that_somebody_changed_is_found_and_written_anew(machine: Machine) -> None:
    file = machine.home / ".config/opencode/plugin/interlock.js"
    machine.run("install", "opencode", "--yes")
    written = file.read_text()
    file.write_text(written.replace("said === ALLOWED", "true"))
    found = machine.run("doctor", "opencode", "--json").json
    told = f"`{file}` is not as `interlock install` writes it: nothing is checked"
    assert (found["ok"], found["findings"][0]["text"]) == (False, told)
    assert machine.run("install", "opencode", "--yes").code == 0
    assert file.read_text() == written


def test_a_plug_in_of_somebody_else_is_left_alone(machine: Machine) -> None:
    file = machine.home / ".config/opencode/plugin/interlock.js"
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = async () => ({})\n")
    done = machine.run("install", "opencode", "--yes")
    assert (done.code, "is not Interlock's" in done.err) == (64, True)
    assert file.read_text() == "export const Mine = async () => ({})\n"


# --- a plug-in --------------------------------------------------------------------------------------


def test_a_plug_in_holds_the_hooks_of_the_settings(machine: Machine) -> None:
    place = machine.home / "plugin"
    done = machine.run("install", "claude-code", "--plugin", str(place), "--yes")
    assert done.code == 0, done.err
    about = json.loads((place / ".claude-plugin/plugin.json").read_bytes())
    assert {key: about[key] for key in ("name", "version")} == {"name": "interlock", "version": __version__}
    launcher = str(machine.home / ".local/share/interlock/hook/guard.py")
    arguments = ("--home", str(machine.home), "--wait", str(MAX_WAIT_SECONDS))
    assert json.loads((place / "hooks/hooks.json").read_bytes()) == settings(sys.executable, launcher, arguments)
    assert not (machine.home / ".claude").exists()
    assert f"claude --plugin-dir {place}" in done.out


def test_a_plug_in_is_made_once_and_taken_out_whole(machine: Machine) -> None:
    place = machine.home / "plugin"
    machine.run("install", "--plugin", str(place), "--yes")
    again = machine.run("install", "--plugin", str(place), "--yes", "--json")
    assert [row["result"] for row in again.json["files"]] == ["unchanged", "unchanged"], again.err
    assert uninstall(machine).code == 0
    assert [path for path in place.rglob("*") if path.is_file()] == []


REFUSED_PLUGINS: dict[tuple[str, ...], str] = {
    ("gemini-cli", "--plugin", "p"): "`gemini-cli` has no plug-ins",
    ("claude-code", "--plugin", "p", "--project"): "a plug-in has no scope",
    ("claude-code", "--plugin", "taken"): "belongs to another plug-in",
}


@pytest.mark.parametrize("arguments", REFUSED_PLUGINS)
def test_a_plug_in_is_refused(machine: Machine, arguments: tuple[str, ...]) -> None:
    taken = machine.project / "taken/.claude-plugin/plugin.json"
    taken.parent.mkdir(parents=True)
    taken.write_text('{"name": "other"}')
    done = machine.run("install", *arguments, "--yes")
    assert (done.code, REFUSED_PLUGINS[arguments] in done.err) == (64, True), done.err
    assert taken.read_text() == '{"name": "other"}'
    assert not (machine.project / "p").exists()


# host -> its file, and the event before a call
UNPROVEN = {
    "cursor": (".cursor/hooks.json", "preToolUse"),
    "vscode": (".copilot/hooks/interlock-vscode.json", "PreToolUse"),
    "goose": (".agents/plugins/interlock/hooks/hooks.json", "PreToolUse"),
    "windsurf": (".codeium/windsurf/hooks.json", "pre_run_command"),
}
BY_HAND = {"kiro": '"timeout_ms": 10000', "cline": "#!/bin/sh\nexec /bin/sh -c ", "amp": '"action": "delegate"'}


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not {".local", ".cache"} & {*path.parts}}


@pytest.mark.parametrize("host", [*UNPROVEN, *BY_HAND])
def test_a_host_of_which_no_client_was_seen_is_refused_unless_the_person_says_so(machine: Machine, host: str) -> None:
    done = machine.run("install", host, "--yes")
    assert (done.code, "no client was seen" in done.err, f"install {host} --unproven" in done.err) == (
        64,
        True,
        True,
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", UNPROVEN)
def test_an_unproven_host_is_installed_tried_and_taken_out(machine: Machine, host: str) -> None:
    name, gate = UNPROVEN[host]
    before = tree(machine.home)
    assert machine.run("install", host, "--unproven", "--yes").code == 0
    assert gate in json.loads((machine.home / name).read_text())["hooks"]
    again = machine.run("install", host, "--unproven", "--yes", "--json").json
    assert {row["result"] for row in again["files"]} == {"unchanged"}
    found = machine.run("doctor", host, "--json").json
    texts = {row["text"]: row["state"] for row in found["findings"] if row["check"] == host}
    assert found["ok"], found
    assert texts["a call that must be denied was denied, through its own settings"] == "ok"
    assert [state for text, state in texts.items() if text.startswith("unproven: ")] == ["warn"]
    assert "(unproven): guarded" in machine.run("status").out
    assert machine.run("uninstall", host, "--yes").code == 0
    assert tree(machine.home) == before


def test_entries_of_others_beside_ours_stay(machine: Machine) -> None:
    file = machine.home / ".cursor/hooks.json"
    file.parent.mkdir()
    file.write_text('{"version": 1, "hooks": {"preToolUse": [{"command": "mine"}]}}')
    assert machine.run("install", "cursor", "--unproven", "--yes").code == 0
    written = json.loads(file.read_text())
    assert len(written["hooks"]["preToolUse"]) == 2
    written["added"] = "since"
    file.write_text(json.dumps(written))
    assert machine.run("uninstall", "cursor", "--yes").code == 0
    assert json.loads(file.read_text()) == {
        "version": 1,
        "hooks": {"preToolUse": [{"command": "mine"}]},
        "added": "since",
    }


def test_an_unproven_host_that_is_here_is_left_out_and_named(machine: Machine) -> None:
    (machine.home / ".cursor").mkdir()
    (machine.home / ".claude").mkdir(exist_ok=True)
    done = machine.run("install", "--yes")
    assert (done.code, "cursor is here too" in done.err) == (0, True)
    assert not (machine.home / ".cursor/hooks.json").exists()
    found = machine.run("doctor", "--json").json
    rows = [row for row in found["findings"] if row["check"] == "cursor"]
    assert [(row["state"], row["cure"].endswith("install cursor --unproven")) for row in rows] == [("warn", True)]


@pytest.mark.parametrize("host", BY_HAND)
def test_a_host_whose_settings_cannot_be_edited_says_what_to_put_where(machine: Machine, host: str) -> None:
    done = machine.run("install", host, "--unproven", "--yes")
    assert (done.code, f"hook {host} --print-settings" in done.err) == (64, True)
    assert BY_HAND[host] in machine.run("hook", host, "--print-settings").out
