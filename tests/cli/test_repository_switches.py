"""Files of a repository that keep a host from asking: found by doctor, told at a session's start, denied to agents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hook_process import made
from interlock.follow.silencing import told_of_switches
from interlock.hosts import gemini_settings
from interlock.store.home.folders import folders_for
from interlock.store.home.own_name import with_own_name
from interlock.testing import decide_call
from person import at_a_terminal

# host -> the file of a repository, what stands in it, and what is said of it
SWITCHES = {
    "gemini-cli": (".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "`hooksConfig.enabled`"),
    "qwen-code": (".qwen/settings.json", '{"disableAllHooks": true}', "`disableAllHooks`"),
    "codex": (".codex/config.toml", "[features]\nhooks = false\n", "`features.hooks`"),
    "copilot-cli": (".github/copilot/settings.json", '{"disableAllHooks": true}', "`disableAllHooks`"),
    "opencode": (".opencode/plugin/tidy.js", "export const Tidy = async () => ({})\n", "runs inside OpenCode"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made(tmp_path / "home")
    return made(tmp_path / "project")


def settled(project: Path, host: str) -> Path:
    home = project.parent / "home"
    done = at_a_terminal(home, "install", host, "--yes", folder=project)
    assert done.code == 0, done.out
    return home


def gemini_names(home: Path) -> set[str]:
    settings = json.loads((home / ".gemini/settings.json").read_text())
    return {handler["name"] for groups in settings["hooks"].values() for group in groups for handler in group["hooks"]}


@pytest.mark.parametrize("host", SWITCHES)
def test_a_switch_of_the_repository_is_found_by_doctor_and_told_at_the_start_of_any_session(
    host: str, project: Path
) -> None:
    path, text, says = SWITCHES[host]
    home = settled(project, host)
    folders = folders_for(str(home))
    assert told_of_switches(folders, str(project)) == ()
    before = at_a_terminal(home, "doctor", host, folder=project).out
    assert says not in before
    made((project / path).parent)
    (project / path).write_text(text)
    done = at_a_terminal(home, "doctor", host, folder=project)
    bad = [line for line in done.out.splitlines() if line.startswith("BAD") and says in line]
    assert (done.code, len(bad)) == (1, 1), done.out
    (told,) = told_of_switches(folders, str(project))
    assert str(project / path) in told
    assert says in told
    shown = at_a_terminal(home, "status", folder=project).out
    assert ": guarded" not in shown.partition("\n")[0], shown


def test_a_host_that_is_not_guarded_here_is_not_spoken_of(project: Path) -> None:
    path, text, _ = SWITCHES["gemini-cli"]
    home = settled(project, "codex")
    made((project / path).parent)
    (project / path).write_text(text)
    assert told_of_switches(folders_for(str(home)), str(project)) == ()


def test_the_name_of_geminis_hook_is_drawn_once_and_kept(project: Path, tmp_path: Path) -> None:
    home = settled(project, "gemini-cli")
    (name,) = gemini_names(home)
    assert re.fullmatch(r"interlock-[0-9a-f]{24}", name)
    settled(project, "gemini-cli")
    assert gemini_names(home) == {name}
    elsewhere = made(tmp_path / "other/project")
    made(tmp_path / "other/home")
    assert gemini_names(settled(elsewhere, "gemini-cli")) != {name}


def test_a_name_that_follows_from_paths_is_replaced(project: Path) -> None:
    home = settled(project, "gemini-cli")
    file = home / ".gemini/settings.json"
    file.write_text(re.sub(r"interlock-[0-9a-f]{24}", "interlock-0123abcd", file.read_text()))
    settled(project, "gemini-cli")
    (name,) = gemini_names(home)
    assert re.fullmatch(r"interlock-[0-9a-f]{24}", name)


def test_geminis_hook_switched_off_by_its_name_is_found(project: Path) -> None:
    home = settled(project, "gemini-cli")
    (name,) = gemini_names(home)
    mine = (home / ".gemini/settings.json").read_bytes()
    theirs = f"{project}/.gemini/settings.json"

    def why(disabled: object) -> list[str]:
        raw = json.dumps({"hooksConfig": {"disabled": disabled}}).encode()
        return gemini_settings.unhooks({theirs: raw, "/h/.gemini/settings.json": mine}, {})

    said = f"`{theirs}` switches off Interlock's hook by its name (`hooksConfig.disabled`)"
    assert why([name]) == [said]
    assert why(name) == [said]  # what the client makes of it is not known
    assert why(["format", "interlock"]) == []


def test_a_fragment_whose_hooks_have_no_names_stays_as_it_is() -> None:
    fragment = {"hooks": {"PreToolUse": [{"hooks": [{"command": "x"}]}]}}
    assert with_own_name(fragment, None) is fragment


DOORS = (
    "echo x > {}",
    "cp /tmp/x {}",
    "ln -sf /tmp/x {}",
    "tar -C /repo -xf /tmp/x.tar {}",
    "git checkout evil -- {}",
    "python3 -c \"open('{}', 'w').write('x')\"",
    "sed -i s/a/b/ {}",
)
FILES = (
    *[path for path, _, _ in SWITCHES.values()],
    *(".opencode/plugins/a.ts", ".opencode/tool/a.ts", ".opencode/tools/a.js", "opencode.json"),
    *(".github/copilot/settings.local.json", ".claude/settings.json"),
)


@pytest.mark.parametrize("path", FILES)
def test_no_door_leads_an_agent_to_such_a_file(path: str) -> None:
    calls = [{"tool": "Write", "input": {"file_path": f"/repo/{path}", "content": "{}"}}]
    calls += [{"tool": "Bash", "input": {"command": door.format(path)}} for door in DOORS]
    passed = [call["input"] for call in calls if decide_call(call).verdict.name == "allow"]
    assert passed == []
    assert decide_call(calls[0]).verdict.name == "deny"
    assert decide_call(calls[1]).verdict.name == "deny"
