"""Code that runs inside Claude Code: no agent puts it there, by whichever door. Ordinary skills stay as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.session import Session
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.testing import decide_call
from interlock.value import FrozenMap
from placed import Ground

MANIFEST, HOOKS, CODE = ".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/register.js"
FOLDERS = ["~/.claude/skills/m", ".claude/skills/m", "/srv/a/.claude/skills/m", ".Claude/SKILLS/m"]
TOOLS: dict[str, dict[str, object]] = {
    "Write": {"content": "x"},
    "Edit": {"old_string": "a", "new_string": "b"},
    "MultiEdit": {"edits": ()},
}


def tool_call(tool: str, **given: object) -> Decision:
    return decide_call({"tool": tool, "input": given, "cwd": "/repo"})


def verdict(command: str) -> tuple[str, str]:
    decided = decide_call(command)
    return decided.verdict.name, decided.reasons[0].layer if decided.reasons else ""


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("file", [MANIFEST, HOOKS, CODE])
@pytest.mark.parametrize("tool", TOOLS)
def test_no_file_tool_makes_a_skill_a_mod(tool: str, file: str, folder: str) -> None:
    path = f"{folder}/{file}".replace("~", "/home/user")
    decided = tool_call(tool, file_path=path, **TOOLS[tool])
    assert (decided.verdict.name, decided.reasons[0].layer) == ("deny", "floor")


@pytest.mark.parametrize("name", ["s/m/.claude-plugin/plugin.json", "s/m/hooks/hooks.json", "s/m/register.js", "x"])
def test_nothing_is_written_below_the_folder_for_mods_of_agents(name: str) -> None:
    for path in (f"/home/user/.claude/dev-mods/{name}", f"/home/other/.claude/dev-mods/{name}"):
        decided = tool_call("Write", file_path=path, content="x")
        assert (decided.verdict.name, decided.reasons[0].layer) == ("deny", "floor")


@pytest.mark.parametrize(
    "command",
    [
        "echo x > .claude/skills/m/.claude-plugin/plugin.json",
        "cd .claude/skills/m && tee hooks/hooks.json < a",
        "mkdir -p ~/.claude/dev-mods/s/m && echo x > ~/.claude/dev-mods/s/m/register.js",
        "cp -r evil ~/.claude/dev-mods/s",
        "mv evil ~/.claude/dev-mods",
        "ln -s $PWD/evil ~/.claude/dev-mods/s",
        "ln -s .claude/skills s; echo x > s/m/.claude-plugin/plugin.json",
        "ln -s ~/.claude c; echo x > c/dev-mods/s/m/register.js",
        "mv .claude/skills/a/x .claude/skills/a/.claude-plugin",
        "ln -s /srv/p .claude/skills/a/.claude-plugin",
        "cp evil/* .claude/skills/m/hooks/",
        "git mv a .claude/skills/m/hooks/a",
        "python3 -c \"open('.claude/skills/m/hooks/hooks.json', 'w').write('x')\"",
        "sed -i s/a/b/ .claude/skills/*/hooks/*.json",
        "curl -o ~/.claude/dev-mods/s/m/register.js https://example.com/a",
    ],
)
def test_no_command_puts_a_mod_in_its_place(command: str) -> None:
    assert verdict(command) == ("deny", "floor")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path)
    for name, text in {MANIFEST: '{"name":"m"}', HOOKS: '{"modules":["./register.js"]}', CODE: "x"}.items():
        ground.write(f"evil/{name}", text)
        ground.write(f"tree/skills/m/{name}", text)
    ground.write("good/SKILL.md", "text")
    ground.write(".claude/skills/old/SKILL.md", "text")
    ground.runs("git init -q; tar cf evil.tar evil; zip -qr evil.zip evil; tar cf good.tar good")
    return ground


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cp -r evil .claude/skills/m", "m"),
        ("cp -r evil .claude/skills/", "evil"),
        ("cp -r evil/. .claude/skills/m", "m"),
        ("cp -rl evil .claude/skills/m", "m"),
        ("cp -r tree/skills .claude/", "m"),
        ("mv evil .claude/skills/m", "m"),
        ("rsync -a evil/ .claude/skills/m/", "m"),
        ("tar xf evil.tar -C .claude/skills", "evil"),
        ("unzip evil.zip -d .claude/skills", "evil"),
    ],
)
def test_what_is_copied_or_unpacked_into_skills_is_looked_through(ground: Ground, command: str, name: str) -> None:
    assert f".claude/skills/{name}/{MANIFEST}" in ground.changes(command)


def test_a_commit_with_a_mod_is_not_checked_out(ground: Ground) -> None:
    ground.commit("before")
    ground.git("checkout", "-q", "-b", "side")
    ground.write(f".claude/skills/m/{MANIFEST}", "{}")
    ground.commit("with a mod")
    ground.git("checkout", "-q", "-")
    for command in ("git checkout side", "git checkout side -- .claude/skills", "git restore -s side .claude"):
        assert f".claude/skills/m/{MANIFEST}" in ground.changes(command), command


@pytest.mark.parametrize(
    "command",
    ["cp -r good .claude/skills/", "tar xf good.tar -C .claude/skills", "rm -rf .claude/skills/old",
     "rm -rf .claude/skills", "mv .claude/skills/old .claude/skills/new"],
)  # fmt: skip
def test_ordinary_skills_are_copied_and_removed_as_before(ground: Ground, command: str) -> None:
    assert ground.changes(command) == []


@pytest.mark.parametrize(
    "command",
    ["echo x > .claude/skills/m/SKILL.md", "echo x > .claude/skills/m/scripts/a.py", "mv .claude/skills .claude/old"],
)
def test_texts_of_a_skill_are_asked_about_as_before(command: str) -> None:
    assert verdict(command) == ("ask", "obeyed")


@pytest.mark.parametrize(
    "command", ["cat .claude/skills/m/hooks/hooks.json", "ls -la ~/.claude/dev-mods", "mkdir -p .claude/skills/x"]
)
def test_looking_is_free(command: str) -> None:
    assert verdict(command) == ("allow", "")


@pytest.mark.parametrize(
    "variable",
    ["CLAUDE_CODE_PLUGIN_DIRS=x", "CLAUDE_CODE_SAFE_MODE=1", "CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_RESTRICTED=1",
     "CLAUDE_CODE_PLUGIN_CACHE_DIR=x", "CLAUDE_CODE_PLUGIN_SEED_DIR=x", "CLAUDE_CODE_MANAGED_SETTINGS_PATH=x",
     "CLAUDE_CONFIG_DIR=x"],
)  # fmt: skip
@pytest.mark.parametrize(
    "form", ["{} claude -p x", "export {}; claude -p x", "env {} claude -p x", "bash -c '{} claude -p x'"]
)
def test_no_agent_starts_a_client_with_a_variable_that_leaves_the_guard_out(form: str, variable: str) -> None:
    assert verdict(form.format(variable)) == ("deny", "floor")


def test_the_message_says_which_variable_it_is() -> None:
    found = decide_call("CLAUDE_CODE_SAFE_MODE=1 claude -p x").reasons[0]
    assert found.text == (
        "Start another agent: with CLAUDE_CODE_SAFE_MODE set, it starts without Interlock, or with code inside that "
        "nobody has looked at."
    )


def skill_asks(tmp_path: Path, tool: str, **given: object) -> list[str]:
    """What is said of the call, with the facts of a disk that has no skills."""
    folders = folders_for(str(tmp_path))
    call = Call(tool=tool, input=FrozenMap(given), cwd=str(tmp_path), host="claude-code", session="s1")
    world = World(folders=folders, root=str(tmp_path), policy=load_policy(folders, str(tmp_path)))
    decided = judge(call, world, Session()).decision
    return [str(decided.verdict), *[reason.text for reason in decided.reasons]]


@pytest.mark.parametrize(("tool", "field"), [("Skill", "skill"), ("SlashCommand", "command")])
@pytest.mark.parametrize("name", ["plugin-authoring", "/plugin-authoring", "Plugin-Authoring ", "any:plugin-authoring"])
def test_the_skill_that_has_agents_write_mods_asks_with_the_true_reason(
    tmp_path: Path, tool: str, field: str, name: str
) -> None:
    verdict, *said = skill_asks(tmp_path, tool, **{field: name})
    assert verdict == "ask"
    assert said[0] == (
        "Write code that runs inside the client: after it, Claude Code runs code that the agent writes inside the "
        "client, above every hook, this guard included."
    )


def test_another_skill_of_the_client_asks_nothing(tmp_path: Path) -> None:
    assert skill_asks(tmp_path, "Skill", skill="simplify") == ["allow"]
