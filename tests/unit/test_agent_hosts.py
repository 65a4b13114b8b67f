"""Hosts of agents in a command line: what only looks, what starts an agent, and what starts it without the guard."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap


def read(command: str, root: str = "/project") -> Reading:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=root)
    return read_with_facts(call, Facts(root=root, home="/home/u"))


LOOKS = ["claude --version", "claude --help", "claude mcp list", "claude mcp --help", "codex --version", "gemini -h"]
GUARDED = [
    "claude -p 'fix it'",
    "/usr/local/bin/claude -p x",
    "claude --dangerously-skip-permissions -p x",
    'claude -p x --settings \'{"model":"opus"}\'',
    "claude -p x --setting-sources user,project",
    "echo x | claude -p",
    "timeout 60 claude -p x",
    "nohup claude -p x &",
    "env -i claude -p x",
    "npx @anthropic-ai/claude-code -p x",
    "node_modules/.bin/claude -p x",
]
UNGUARDED = [
    "claude --bare -p x",
    "claude -p x --settings '{\"disableAllHooks\":true}'",
    "claude -p x --settings='{\"disable\\u0041llHooks\":true}'",
    "claude -p x --settings other.json",
    "claude -p x --setting-sources project",
    "claude -p x --setting-sources=''",
    "claude --plugin-dir ../p -p x",
    "claude --mcp-config m.json -p x",
    "HOME=/tmp/h claude -p x",
    "export HOME=/tmp/h; claude -p x",
    "env HOME=/tmp/h claude -p x",
    "bash -c 'claude --bare -p x'",
    "npx @anthropic-ai/claude-code --bare -p x",
    "node node_modules/@anthropic-ai/claude-code/cli.js --bare -p x",
    "git clone https://host.example/a/b && cd b && claude -p x",
    "codex exec x",
    "npx -y @openai/codex exec x",
    "gemini -p x",
    "qwen -p x",
    "opencode run x",
    "copilot -p x",
    "cursor-agent -p x",
    "aider --message x",
    "uvx aider-chat --yes",
    "goose run -t x",
    "amp -x y",
]


@pytest.mark.parametrize("command", LOOKS)
def test_looking_is_a_read(command: str) -> None:
    reading = read(command)
    assert [(action.name, action.tags) for action in reading.actions] == [("agent:look", ())]


@pytest.mark.parametrize("command", GUARDED)
def test_an_agent_that_the_hook_is_called_for_is_nested(command: str) -> None:
    started = [action for action in read(command).actions if action.name == "agent:run"]
    assert [(action.target["program"], "unguarded" in action.tags) for action in started] == [("claude", False)]


@pytest.mark.parametrize("command", UNGUARDED)
def test_an_agent_without_the_guard_is_tagged_so(command: str) -> None:
    started = [action for action in read(command).actions if action.name == "agent:run"]
    assert [action.tags for action in started] == [("nested", "unguarded")]


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR=/tmp/c", "CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_SAFE_MODE=1"])
def test_a_variable_that_has_no_other_use_is_for_the_floor(variable: str) -> None:
    started = [action for action in read(f"{variable} claude -p x").actions if action.name == "agent:run"]
    assert [action.tags for action in started] == [("guard", "nested", "unguarded")]


def test_a_word_that_is_not_known_may_be_any_option() -> None:
    assert [part.reason for part in read('claude -p "$WHAT"').opaque] == ["one of the arguments of `claude` is unknown"]


def test_settings_of_another_folder_are_looked_at(tmp_path: Path) -> None:
    for name, text in (("plain", '{"model": "opus"}'), ("off", '{"disableAllHooks": true}'), ("none", "")):
        (tmp_path / name / ".claude").mkdir(parents=True)
        if text:
            (tmp_path / name / ".claude/settings.json").write_text(text)
    tags = {
        name: [a.tags for a in read(f"cd {name} && claude -p x", str(tmp_path)).actions if a.name == "agent:run"]
        for name in ("plain", "off", "none")
    }
    assert tags == {"plain": [("nested",)], "off": [("nested", "unguarded")], "none": [("nested",)]}


def test_changes_of_a_host_are_no_reads_and_goose_may_be_another_program() -> None:
    assert [action.name for action in read("claude plugin install x@y").actions] == ["agent:configure"]
    assert [action.tags for action in read("goose up").actions] == [("unknown",)]


LAUNCHED = [
    "claude -p 'fix it in /etc/hosts'",
    "claude --bare -p x",
    "claude -p x --settings other.json",
    "codex exec x",
    "gemini -p x",
    "claude mcp add x y",
]


@pytest.mark.parametrize("command", LAUNCHED)
@pytest.mark.parametrize("before", ["interlock", "interlock --home /home/u", "python3 -m interlock"])
def test_a_launched_client_is_read_as_that_client(command: str, before: str) -> None:
    def told(line: str) -> list[tuple[object, ...]]:
        return [(action.name, action.effects, action.tags, action.target) for action in read(line).actions]

    launched = told(f"{before} launch {command}")
    assert launched == told(command)
    assert any(name in ("agent:run", "agent:configure") for name, *_ in launched)


@pytest.mark.parametrize("words", ["--dry-run claude -p x", "--alias bash", "--help", "--dry-run --json codex", ""])
def test_to_look_at_a_launch_starts_nothing(words: str) -> None:
    assert [action.name for action in read(f"interlock launch {words}").actions] == ["interlock:launch"]


@pytest.mark.parametrize(
    "words", ["--client ./mine claude", "--client=./mine claude", "other", "--json --x claude", "$X"]
)
def test_which_program_is_launched_is_not_an_agents_to_say(words: str) -> None:
    actions = read(f"interlock launch {words}").actions
    assert [(action.name, action.tags) for action in actions] == [("guard:change", ("guard",))]
