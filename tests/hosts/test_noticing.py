"""What events notice besides their own matter, with the hook in a process of its own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, Machine, made
from interlock.hosts.claude_events import settings
from interlock.limits import MAX_WATCHED_FILES
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import write_trust
from interlock.store.ledger.noted import changed_by_a_person
from person import at_a_terminal

OFF = '{"disableAllHooks": true}'


@pytest.fixture
def begun(machine: Machine) -> Machine:
    fragment = settings(machine.python, str(machine.guard), ("--home", str(machine.home)))
    (made(machine.home / ".claude") / "settings.json").write_text(json.dumps(fragment))
    made(machine.project / ".git/hooks")
    machine.run(event(machine, "SessionStart", source="startup"))
    return machine


def event(machine: Machine, name: str, **more: Any) -> dict[str, Any]:
    return machine.event(hook_event_name=name, **more)


def says(machine: Machine) -> list[str]:
    return [row["body"]["says"] for row in machine.rows("watch")]


def change(machine: Machine, path: str, text: str) -> Path:
    file = machine.project / path
    made(file.parent)
    file.write_text(text)
    return file


def test_a_change_that_no_call_named_asks_before_the_next_call_that_is_no_read(begun: Machine) -> None:
    change(begun, ".git/hooks/pre-commit", "#!/bin/sh\n")
    assert begun.call("Read").taken == ALLOW
    asked = begun.call("Write")
    assert asked.taken == ASK
    assert "`" + str(begun.project / ".git/hooks/pre-commit") in asked.reason
    assert says(begun) == ["baseline", "changed"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "path",
    (
        ".mcp.json .cursor/mcp.json .vscode/tasks.json .devcontainer/devcontainer.json .envrc .git/config "
        ".git/info/attributes .githooks/pre-push .husky/pre-commit .pre-commit-config.yaml lefthook.yml "
        ".github/workflows/ci.yml"
    ).split(),
)
def test_a_changed_file_that_is_asked_about_asks_once_with_the_difference(begun: Machine, path: str) -> None:
    change(begun, path, "[new]\n\tline = 1\n")
    assert begun.call("Read").taken == ALLOW
    asked = begun.event("Write")
    answer = begun.run(asked)
    assert (answer.taken, "line = 1" in answer.reason) == (ASK, True)
    begun.run(
        event(begun, "PostToolUse", tool_use_id=asked["tool_use_id"], tool_response={}, duration_ms=1),
        environment={"CLAUDE_CODE_SESSION_ATTENDED": "1"},
    )
    assert begun.call("Write").taken == ALLOW


def test_a_policy_that_a_program_loosens_is_asked_about(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n")
    assert machine.call("Write").taken == ALLOW
    machine.user_policy.write_text('version = 1\napproval_mode = "permissive"\n')
    asked = machine.call("Write")
    assert (asked.taken, '+approval_mode = "permissive"' in asked.reason) == (ASK, True)


def test_a_session_that_cannot_compare_every_file_says_so_at_its_start(machine: Machine) -> None:
    for number in range(MAX_WATCHED_FILES + 40):
        (made(machine.project / ".husky") / f"{number}").write_text("")
    start = machine.run(event(machine, "SessionStart", source="startup"))
    assert f"not every file in `{machine.project}/.husky` is compared" in start.answer["systemMessage"]
    assert [row["body"] for row in machine.rows("watch") if row["body"]["says"] == "cut"] == [
        {"front": "hook:claude-code", "paths": [f"{machine.project}/.husky"], "says": "cut"}
    ]
    assert "systemMessage" not in machine.call("Read").answer
    change(machine, ".git/hooks/pre-commit", "#!/bin/sh\n")
    assert machine.call("Write").taken == ASK
    assert says(machine).count("cut") == 1


def test_the_person_is_told_once_with_the_difference(begun: Machine) -> None:
    change(begun, ".claude/settings.json", OFF)
    told = begun.call("Read").answer["systemMessage"]
    assert '+{"disableAllHooks": true}' in told
    assert "the next session may start without it" in told
    assert "systemMessage" not in begun.call("Read").answer


def test_a_secret_in_a_changed_file_is_shown_to_nobody(begun: Machine) -> None:
    secret = "ghp_" + "a1B2" * 9
    change(begun, ".claude/settings.json", json.dumps({"env": {"GITHUB_TOKEN": secret}}))
    assert secret not in begun.call("Write").out.decode()
    assert secret.encode() not in begun.ledger.read_bytes()


def test_a_file_that_is_put_back_asks_nothing_any_more(begun: Machine) -> None:
    file = change(begun, ".claude/settings.json", OFF)
    assert begun.call("Write").taken == ASK
    file.unlink()
    assert begun.call("Write").taken == ALLOW
    assert says(begun) == ["baseline", "changed", "repaired"]


def test_a_yes_in_the_host_accepts_this_content_and_no_other(begun: Machine) -> None:
    change(begun, ".git/hooks/pre-commit", "one")
    asked = begun.event("Write")
    assert begun.run(asked).taken == ASK
    begun.run(event(begun, "PermissionRequest"))
    begun.run(
        event(begun, "PostToolUse", tool_use_id=asked["tool_use_id"], tool_response={}, duration_ms=1),
        environment={"CLAUDE_CODE_SESSION_ATTENDED": "1"},
    )
    assert begun.call("Write").taken == ALLOW
    assert says(begun) == ["baseline", "changed", "accepted"]
    change(begun, ".git/hooks/pre-commit", "two")
    assert begun.call("Write").taken == ASK


def test_touching_a_file_is_no_change(begun: Machine) -> None:
    file = change(begun, ".claude/settings.json", "{}")
    begun.run(event(begun, "SessionStart", source="resume"))
    before = says(begun)
    file.write_text("{}")
    assert begun.call("Write").taken == ALLOW
    assert says(begun) == before


def test_instructions_for_agents_are_noted_and_ask_nothing(begun: Machine) -> None:
    change(begun, "AGENTS.md", "Be brief.\n")
    answer = begun.call("Write")
    assert answer.taken == ALLOW
    assert "AGENTS.md" in answer.answer["systemMessage"]
    assert says(begun) == ["baseline", "changed"]


def test_what_a_call_of_the_session_wrote_is_known(begun: Machine) -> None:
    path = begun.project / "AGENTS.md"
    assert begun.call("Write", file_path=str(path)).taken == ALLOW
    path.write_text("hello\n")
    assert "systemMessage" not in begun.call("Write").answer
    assert says(begun) == ["baseline"]


def test_what_a_persons_command_wrote_is_known(begun: Machine) -> None:
    folders = folders_for(str(begun.home))

    def trust() -> None:
        write_trust(folders, {"/p/.interlock/policy.toml": "sha256:1"})

    changed_by_a_person(folders, "override", "trust", {"why": "x"}, trust, loosens=True, files=(folders.trust,))
    assert begun.call("Write").taken == ALLOW
    write_trust(folders, {"/p/.interlock/policy.toml": "sha256:2"})
    assert begun.call("Write").taken == ASK


def test_settings_that_a_persons_command_wrote_are_taken(begun: Machine) -> None:
    """As a command that takes our entries out would: the person wants it so."""
    file = begun.home / ".claude/settings.json"

    def uninstall() -> None:
        file.write_text('{"model": "opus", "env": {"EDITOR": "vi"}}')

    folders = folders_for(str(begun.home))
    changed_by_a_person(folders, "override", "uninstall", {"why": "x"}, uninstall, loosens=True, files=(str(file),))
    done = begun.run(event(begun, "ConfigChange", source="user_settings", file_path=str(file)))
    assert (done.code, done.out, says(begun)[-1]) == (0, b"", "passed")
    assert begun.call("Write").taken == ALLOW
    file.write_text('{"env": {"EDITOR": "./x"}}')
    done = begun.run(event(begun, "ConfigChange", source="user_settings", file_path=str(file)))
    assert done.answer["decision"] == "block"


def test_a_baseline_is_taken_at_the_first_event_whichever_it_is(machine: Machine) -> None:
    made(machine.project / ".git/hooks")
    assert machine.call("Read").taken == ALLOW
    change(machine, ".git/hooks/pre-commit", "x")
    assert machine.call("Write").taken == ASK


@pytest.mark.parametrize("content", [OFF, '{"env": {"LD_AUDIT": "x"}}', "{"])
def test_settings_that_unhook_us_are_blocked(begun: Machine, content: str) -> None:
    file = change(begun, ".claude/settings.json", content)
    done = begun.run(event(begun, "ConfigChange", source="project_settings", file_path=str(file)))
    assert (done.answer["decision"], says(begun)[-1]) == ("block", "blocked")
    assert "The next session would start without the guard" in done.answer["reason"]
    assert begun.call("Write").taken == ASK


def test_taking_our_entries_out_of_the_file_that_had_them_is_blocked(begun: Machine) -> None:
    file = begun.home / ".claude/settings.json"
    for content in ("{}", None):
        file.write_text(content) if content else file.unlink()
        done = begun.run(event(begun, "ConfigChange", source="user_settings", file_path=str(file)))
        assert "are gone or were altered" in done.answer["reason"]


@pytest.fixture
def elsewhere(machine: Machine) -> tuple[Path, dict[str, str]]:
    """A person who keeps the client's folder elsewhere, with our hooks in it; and the variable that says so."""
    file = made(machine.home / "cfg") / "settings.json"
    file.write_text(json.dumps(settings(machine.python, str(machine.guard), ("--home", str(machine.home)))))
    variables = {"CLAUDE_CONFIG_DIR": str(file.parent)}
    machine.run(event(machine, "SessionStart", source="startup"), environment=variables)
    return file, variables


def test_settings_in_a_folder_that_a_variable_names_are_compared(
    machine: Machine, elsewhere: tuple[Path, dict[str, str]]
) -> None:
    file, variables = elsewhere
    everyday = json.loads(file.read_text()) | {"model": "opus"}
    file.write_text(json.dumps(everyday))
    assert machine.run(machine.event("Write"), environment=variables).taken == ALLOW
    file.write_text("{}")
    asked = machine.run(machine.event("Write"), environment=variables)
    assert (asked.taken, f"`{file}`" in asked.reason) == (ASK, True)


@pytest.mark.parametrize("content", ["{}", OFF])
@pytest.mark.parametrize("at_home", [False, True])
def test_settings_in_a_folder_that_a_variable_names_are_judged(
    machine: Machine, elsewhere: tuple[Path, dict[str, str]], content: str, at_home: bool
) -> None:
    """Also where the folder at home still has settings with our hooks: the client does not take those."""
    file, variables = elsewhere
    if at_home:
        (made(machine.home / ".claude") / "settings.json").write_text(file.read_text())
        machine.run(event(machine, "SessionStart", source="resume"), environment=variables)
    file.write_text(content)
    config_change = event(machine, "ConfigChange", source="user_settings", file_path=str(file))
    done = machine.run(config_change, environment=variables)
    assert (done.answer["decision"], says(machine)[-1]) == ("block", "blocked")


def test_other_changes_of_settings_pass(begun: Machine) -> None:
    file = change(begun, ".claude/settings.local.json", '{"permissions": {"allow": ["Bash(ls:*)"]}}')
    done = begun.run(event(begun, "ConfigChange", source="local_settings", file_path=str(file)))
    assert (done.code, done.out, says(begun)[-1]) == (0, b"", "passed")
    assert begun.call("Write").taken == ALLOW


def test_a_judge_that_breaks_blocks(begun: Machine) -> None:
    assert begun.run(b'{"hook_event_name": "ConfigChange", "session_id": 1}').answer["decision"] == "block"
    for file in begun.state.glob("ledger.db*"):
        file.unlink()
    begun.ledger.mkdir()
    done = begun.run(event(begun, "ConfigChange", source="skills", file_path="/x"))
    assert done.answer["decision"] == "block"


def test_loader_variables_that_a_project_sets_are_reported_once(begun: Machine) -> None:
    change(begun, ".claude/settings.json", '{"env": {"LD_LIBRARY_PATH": "/nowhere"}}')
    variables = {"LD_LIBRARY_PATH": "/nowhere"}
    stop = event(begun, "Stop", stop_hook_active=False)
    told = begun.run(stop, environment=variables).answer["systemMessage"]
    assert "sets `LD_LIBRARY_PATH`" in told
    assert "loader" in says(begun)
    assert begun.run(stop, environment=variables).out == b""


def test_a_loader_variable_that_the_person_set_is_not_reported(begun: Machine) -> None:
    done = begun.run(event(begun, "Stop", stop_hook_active=False), environment={"LD_LIBRARY_PATH": "/opt/cuda"})
    assert done.out == b""


def transcript(machine: Machine, *ids: str) -> Path:
    """Results of calls as the client writes them."""
    path = Path(machine.event()["transcript_path"])
    made(path.parent)
    with path.open("a") as file:
        for name in ids:
            part = {"type": "tool_result", "tool_use_id": name, "content": "x"}
            row = {
                "type": "user",
                "message": {"role": "user", "content": [part]},
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
                "permissionDecision": {"decision": "accept"},
            }
            file.write(json.dumps(row) + "\n")
    return path


def test_a_call_that_no_hook_saw_is_reported_once(begun: Machine) -> None:
    call = begun.event("Read")
    begun.run(call)
    transcript(begun, call["tool_use_id"], "toolu_unseen")
    stop = event(begun, "Stop", stop_hook_active=False)
    assert "1 tool call of this session ran unseen" in begun.run(stop).answer["systemMessage"]
    assert begun.run(stop).out == b""
    (gap,) = begun.rows("gap")
    assert gap["body"]["calls"] == [{"id": "toolu_unseen", "tool": ""}]


def test_what_was_in_a_transcript_before_the_first_event_is_no_gap(machine: Machine) -> None:
    transcript(machine, "toolu_before")
    machine.run(event(machine, "SessionStart", source="resume"))
    assert machine.run(event(machine, "Stop", stop_hook_active=False)).out == b""
    assert machine.rows("gap") == []


def test_a_transcript_that_got_shorter_is_told(begun: Machine) -> None:
    path = transcript(begun, *[f"toolu_{n}" for n in range(3)])
    stop = event(begun, "Stop", stop_hook_active=False)
    begun.run(stop)
    path.write_text("")
    assert "got shorter" in begun.run(stop).answer["systemMessage"]


def test_a_hostile_transcript_is_read_and_nothing_else(begun: Machine) -> None:
    path = transcript(begun)
    path.write_bytes(b'\xff\xfe{"tool_result"\n[[[[\n' + b'{"a":' * 5000 + b'"tool_result"\n' + b"x" * 100_000)
    assert begun.run(event(begun, "Stop", stop_hook_active=False)).out == b""
    path.unlink()
    path.mkdir()
    assert begun.run(event(begun, "Stop", stop_hook_active=False)).code == 0


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", ["{}", '{"model": "opus"}', '{"env": {"EDITOR": "vi"}}', None])
def test_what_install_and_uninstall_wrote_passes_and_the_same_edit_by_an_agent_does_not(
    machine: Machine, text: str | None
) -> None:
    """With the commands themselves, as a person runs them while a session is at work."""
    file = machine.home / ".claude/settings.json"
    if text is not None:
        made(file.parent)
        file.write_text(text)

    def by_a_person(command: str) -> None:
        done = at_a_terminal(machine.home, command, "claude-code", "--yes", folder=machine.project)
        assert done.code == 0, done.out

    def judged() -> tuple[str, str]:
        done = machine.run(event(machine, "ConfigChange", source="user_settings", file_path=str(file)))
        return says(machine)[-1] if done.out == b"" else str(done.answer["decision"]), machine.call("Write").taken

    machine.run(event(machine, "SessionStart", source="startup"))
    by_a_person("install")
    installed = file.read_bytes()
    assert judged() == ("passed", ALLOW)
    machine.run(event(machine, "SessionStart", source="resume"))
    by_a_person("uninstall")
    assert (file.read_text() if file.exists() else None) == text
    assert judged() == ("passed", ALLOW)
    by_a_person("install")
    assert judged() == ("passed", ALLOW)
    # An agent that brings back what the person had in between: it was theirs once, and is not any more.
    file.write_text(text) if text is not None else file.unlink()
    assert judged() == ("block", ASK)
    file.write_bytes(installed)
    assert judged() == ("passed", ALLOW)
    file.write_bytes(installed.replace(b"--no-gate", b"--no-game"))
    assert judged() == ("block", ASK)
