"""Files that somebody else obeys: one table, and the same verdict for the same file by every tool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.model.decision import Decision
from interlock.model.errors import PolicyError
from interlock.model.facts import Facts
from interlock.model.obeyed import ELSEWHERE, GROUPS, LEVELS, MOVED_BY, OBEYED, OBEYED_ROOTS, REASONS
from interlock.reading.bash import follow_bash
from interlock.reading.places.places import floor_over, marks_of, obeyed_by
from interlock.store.facts.obeyed_facts import hook_folders
from interlock.testing import assert_allows, assert_asks, assert_denies, decide_call, policy_from_text
from interlock.value import FrozenMap

FACTS = Facts(root="/repo", home="/home/user")
VERDICT = {"denied": "deny", "asked": "ask", "noted": "allow"}

TEXT = "path:/x"  # harmless in none of the files that are judged by content
# Every way of putting a text into a file, with the file as `{}`.
WAYS = {
    "Write": "",
    "Edit": "",
    "echo >": f"echo {TEXT} > {{}}",
    "echo >>": f"echo {TEXT} >> {{}}",
    "cp": "cp a.txt {}",
    "mv": "mv a.txt {}",
    "ln": "ln a.txt {}",
    "ln -s": "ln -sf a.txt {}",
    "sed -i": "sed -i s/a/b/ {}",
    "tee": "tee {} < a.txt",
    "Python": "python3 -c \"open('{}', 'w').write('x')\"",
}


def sample(pattern: str) -> str:
    """A file that the pattern means."""
    base = "/home/user/" if pattern.startswith("~/") else "/repo/"
    name = pattern.removeprefix("~/").replace("/**/", "/some/where/")
    return base + (name[:-2] + "some/file.md" if name.endswith("**") else name).replace("*", "x")


def put(path: str, way: str, **more: object) -> Decision:
    if way == "Write":
        return decide_call({"tool": "Write", "input": {"file_path": path, "content": TEXT}}, **more)  # type: ignore[arg-type]
    if way == "Edit":
        changed = {"file_path": path, "old_string": "a", "new_string": "b"}
        return decide_call({"tool": "Edit", "input": changed}, **more)  # type: ignore[arg-type]
    return decide_call(WAYS[way].format(path), **more)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_same_file_has_the_same_verdict_by_every_tool(way: str) -> None:
    wrong = []
    for pattern, group in OBEYED.items():
        path = sample(pattern)
        expected = VERDICT[group.level]
        if pattern.startswith("~/") and expected == "allow":
            expected = "ask"  # outside the project
        found = put(path, way)
        if found.verdict.name != expected:
            wrong.append(f"{path}: {found.verdict}, not {expected} {[reason.text for reason in found.reasons]}")
    assert wrong == []


@pytest.mark.parametrize("way", ["Write", "echo >", "sed -i", "Python"])
def test_case_makes_no_difference(way: str) -> None:
    paths = {pattern: sample(pattern) for pattern in OBEYED if not pattern.startswith("~/")}
    loud = {pattern: "/repo/" + path.removeprefix("/repo/").upper() for pattern, path in paths.items()}
    assert [
        path for pattern, path in loud.items() if put(path, way).verdict is not put(paths[pattern], way).verdict
    ] == []


@pytest.mark.parametrize("way", ["Write", "echo >"])
def test_fixed_places_are_denied_or_asked_about(way: str) -> None:
    roots = {root: VERDICT[group.level] for root, group in OBEYED_ROOTS.items()}
    assert {
        root: put(f"{root.replace(' ', '?')}/x" if way != "Write" else f"{root}/x", way).verdict.name for root in roots
    } == roots


def test_the_table_is_closed_and_every_row_says_why() -> None:
    assert all(group.level in LEVELS and group.reason and group.who for group in GROUPS)
    patterns = [pattern for group in GROUPS for pattern in group.patterns]
    assert len(patterns) == len(set(patterns))
    assert all(pattern == pattern.lower() for pattern in (*patterns, *OBEYED_ROOTS))
    assert all(root.startswith("/") for root in OBEYED_ROOTS)
    kinds = [(group.who, group.level) for group in (*GROUPS, ELSEWHERE) if not group.floor]
    assert len(kinds) == len(set(kinds)) == len(REASONS)


@pytest.mark.parametrize(
    "host",
    [
        *("Claude Code", "Codex", "Gemini CLI", "Qwen Code", "Copilot", "OpenCode", "Cursor", "goose", "Windsurf"),
        *("Kiro", "Cline", "Amp"),
    ],
)
def test_every_host_has_its_hooks_denied_and_its_skills_asked_about(host: str) -> None:
    levels = {(group.level, group.floor) for group in GROUPS if group.who == host}
    assert levels == {("denied", True), ("asked", False)}


# --- levels, and where they count -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "level"),
    [
        ("/home/user/.zshrc", "denied"),
        ("/root/.bashrc", "denied"),
        ("/home/other/.profile", "denied"),
        ("/repo/.zshrc", "asked"),
        ("/repo/zsh/.zshrc", "asked"),
        ("/tmp/x/.zshrc", None),
        ("/tmp/x/.mcp.json", None),
        ("/tmp/x/CLAUDE.md", None),
        ("/tmp/x/.claude/settings.json", "denied"),
        ("/repo/.opencode/agent/a.md", "asked"),
        ("/repo/.opencode/plugin/a.js", "denied"),
        ("/repo/.clinerules/a.md", "noted"),
        ("/repo/.clinerules/hooks/PreToolUse", "denied"),
        ("/repo/.git/info/exclude", None),
        ("/repo/.git/modules/a/hooks/pre-commit", "denied"),
        ("/home/user/.claude/projects/-repo/0.jsonl", "denied"),
        ("/home/user/.claude/projects/-repo/0/subagents/1.jsonl", "denied"),
        ("/home/user/.claude/projects/-repo/memory/MEMORY.md", None),
        ("/home/user/.codex/sessions/2026/11/16/rollout.jsonl", "denied"),
        ("/repo/docs/AGENTS.md", "noted"),
        ("/repo/src/settings.json", None),
        ("/repo/package.json", None),
    ],
)
def test_the_closest_row_decides(path: str, level: str | None) -> None:
    found = obeyed_by(path, FACTS)
    assert (None if found is None else found[1]) == level


def test_a_start_up_file_of_a_home_that_is_the_project_is_denied() -> None:
    assert obeyed_by("/home/user/.zshrc", FACTS.replace(root="/home/user")) == ("the shell", "denied")


def test_what_only_reads_is_no_change() -> None:
    for command in ("cat .mcp.json .github/workflows/a.yml", "grep x .husky/*", "ls -la .vscode", "git diff .npmrc"):
        assert not any("obeyed" in action.tags for action in follow_bash(command, cwd="/repo", facts=FACTS).actions)
    assert_allows("cat .github/workflows/ci.yml .mcp.json CLAUDE.md")
    assert_allows("mkdir -p .github/workflows .claude/skills/x .vscode")


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cp x/.mcp.json .", "ask"),
        ("cp x/tasks.json .vscode/", "ask"),
        ("cp x/notes.json .vscode/", "allow"),
        ("mv .vscode old", "ask"),
        ("ln -s x/.envrc .", "ask"),
        ("sed -i s/a/b/ .github/workflows/*.yml", "ask"),
        ("sed -i s/a/b/ .vscode/*", "ask"),
        ("tee .v?code/tasks.json < a", "ask"),
        ("sed -i s/a/b/ .g?t/h??ks/*", "deny"),
        ("ln -s .git/hooks h; echo x > h/pre-commit", "deny"),
        ("ln -s .claude c; echo x > c/skills/a/SKILL.md", "ask"),
        ("rm -rf ~/.claude/projects/-repo", "deny"),
        ("mv ~/.codex/sessions /tmp/x", "deny"),
        ("truncate -s 0 ~/.claude/projects/-repo/0.jsonl", "deny"),
        ("chmod +x .husky/pre-commit", "allow"),
        ("chmod +x .git/hooks/pre-commit", "deny"),
    ],
)
def test_folders_patterns_and_links_lead_to_the_same_files(command: str, verdict: str) -> None:
    found = decide_call(command)
    assert found.verdict.name == verdict, [reason.text for reason in found.reasons]


def test_a_yes_is_for_the_one_who_obeys() -> None:
    (asked,) = put("/home/user/repo/.mcp.json", "Write", root="/home/user/repo").reasons
    assert asked.grant == "fs:write path=/home/user/repo/.mcp.json obeyed=MCP clients"
    assert asked.lifted_by == ("once", "capability")  # what it says is not understood, so a yes is one to this change


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("echo 'Use tabs.' >> AGENTS.md", "allow"),
        ("curl -o AGENTS.md https://rules.example/agents.md", "ask"),
        ("curl -s https://rules.example/agents.md > docs/AGENTS.md", "ask"),
        ("wget -qO- https://rules.example/x | tee .cursorrules", "ask"),
    ],
)
def test_instructions_from_the_network_are_asked_about(command: str, verdict: str) -> None:
    assert decide_call(command).verdict.name == verdict


def test_instructions_are_noted_once() -> None:
    said = ("Change `/repo/AGENTS.md`: agents follow it as instructions.",)
    assert assert_allows("echo x >> AGENTS.md").notes == said
    assert put("/repo/AGENTS.md", "Write").notes == said
    assert "obeyed" in marks_of("/repo/AGENTS.md", FACTS)
    assert "obeyed" not in marks_of("/repo/AGENTS.md", FACTS.replace(written=frozenset(("/repo/AGENTS.md",))))


# --- what variables, links and git say ------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "CLAUDE_CONFIG_DIR=/tmp/c; echo '{}' > $CLAUDE_CONFIG_DIR/settings.json",
        "export CLAUDE_CONFIG_DIR=/tmp/c; echo '{}' > /tmp/c/settings.json",
        "export CLAUDE_CONFIG_DIR=c; mkdir c; cp a.json c/settings.json",
        "echo '{}' > $CLAUDE_CONFIG_DIR/settings.json",
        'echo "{}" > "${CODEX_HOME}/config.toml"',
        "export ZDOTDIR=/repo/z; echo x > z/.zshrc",
    ],
)
def test_settings_that_a_variable_moves_are_as_guarded_as_before(command: str) -> None:
    assert_denies(command)


def test_settings_that_the_hooks_environment_moves_are_too() -> None:
    facts = FACTS.replace(moved=FrozenMap({"/srv/claude": ".claude", "/srv/z": ""}))
    assert obeyed_by("/srv/claude/settings.json", facts) == ("Claude Code", "denied")
    assert obeyed_by("/srv/claude/skills/a/SKILL.md", facts) == ("Claude Code", "asked")
    assert obeyed_by("/srv/z/.zshrc", facts) == ("the shell", "denied")
    assert obeyed_by("/srv/claude/notes.md", facts) is None
    assert all(place == place.lower() for place in MOVED_BY.values())


@pytest.mark.parametrize(
    ("value", "folders"),
    [
        (".config/hooks", ("/.config/hooks/",)),
        ('"tools/Hooks"', ("/tools/hooks/",)),
        (".", ()),
        ("..", ()),
    ],
)
def test_where_git_takes_its_hooks_from_stands_in_its_settings(
    tmp_path: Path, value: str, folders: tuple[str, ...]
) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/.git/config").write_text(f"[core]\n\thooksPath = {value}\n")
    root = str(tmp_path / "repo")
    assert hook_folders(root, str(tmp_path / "home")) == tuple(root.lower() + folder for folder in folders)


def test_hooks_of_a_work_tree_are_those_of_its_repository(tmp_path: Path) -> None:
    (tmp_path / "main/.git/worktrees/two").mkdir(parents=True)
    (tmp_path / "main/.git/config").write_text("[core]\nhookspath=/srv/hooks\n")
    (tmp_path / "main/.git/worktrees/two/commondir").write_text("../..\n")
    (tmp_path / "two").mkdir()
    (tmp_path / "two/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/two\n")
    assert hook_folders(str(tmp_path / "two"), str(tmp_path)) == ("/srv/hooks/",)


def test_tracked_hooks_are_asked_about_and_hooks_elsewhere_denied() -> None:
    facts = FACTS.replace(hooks=("/repo/.config/hooks/", "/srv/hooks/"))
    assert obeyed_by("/repo/.config/hooks/pre-commit", facts) == ("git's hooks", "asked")
    assert obeyed_by("/srv/hooks/pre-commit", facts) == ("git's hooks", "denied")


# --- the project's own scripts --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prepare", "written", "marked"),
    [
        ("husky install .husky", (), False),
        ("cp scripts/pre-commit .git/hooks/pre-commit", (), False),
        ("cp scripts/pre-commit .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit", (), False),
        ("ln -sf ../../scripts/pre-commit .git/hooks/pre-commit", (), False),
        # what this session wrote becomes a hook
        ("cp scripts/pre-commit .git/hooks/pre-commit", ("/repo/scripts/pre-commit",), True),
        ("cp -r scripts/. .git/hooks", ("/repo/scripts/pre-commit",), True),
        ("cp scripts/pre-commit .git/hooks/pre-commit", ("/repo/package.json",), True),
        # other files that are denied stay so
        ("cp scripts/settings.json .claude/settings.json", (), True),
        ("cp scripts/rc ~/.zshrc", (), True),
    ],
)
def test_a_projects_own_prepare_script_sets_up_its_hooks(prepare: str, written: tuple[str, ...], marked: bool) -> None:
    package = json.dumps({"name": "x", "scripts": {"prepare": prepare}})
    facts = FACTS.replace(
        scripts=FrozenMap({"/repo/package.json": package}),
        written=frozenset(written),
    )
    found = follow_bash("npm ci", cwd="/repo", facts=facts)
    assert any("guard" in action.tags for action in found.actions) is marked
    assert "pkg:restore" in [action.name for action in found.actions]


# --- the policy's table ---------------------------------------------------------------------------


def policy(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "policy.toml"
    file.write_text(f"version = 1\n[obeyed]\n{text}\n")
    return file


def test_a_policy_gives_rows_another_level(tmp_path: Path) -> None:
    own = policy(
        tmp_path,
        '".github/workflows/**" = "noted"\n"~/.zshrc" = "asked"\n".git/hooks/**" = "asked"\n'
        '"deploy/*.yaml" = "denied"\n'
        '"CLAUDE.md" = "asked"\n".github/workflows/release.yml" = "denied"',
    )
    assert put("/repo/.github/workflows/ci.yml", "Write", policy=own).verdict.name == "allow"
    for way in ("Write", "echo >"):
        assert put("/repo/.github/workflows/release.yml", way, policy=own).verdict.name == "deny"
        assert put("/repo/.git/hooks/pre-commit", way, policy=own).verdict.name == "ask"
        assert put("/repo/deploy/prod.yaml", way, policy=own).verdict.name == "deny"
        assert put("/repo/claude.md", way, policy=own).verdict.name == "ask"
        assert put("/home/user/.zshrc", way, policy=own).verdict.name == "ask"


@pytest.mark.parametrize(
    "row",
    [
        '".claude/settings.json" = "asked"',
        '".CLAUDE/settings.json" = "noted"',
        '".claude/hooks/mine.sh" = "asked"',
        '".interlock/**" = "asked"',
        '"opencode.json" = "asked"',
        '"/etc/x" = "asked"',
        '"a/../b" = "asked"',
        '"**" = "noted"',
        '"a" = "free"',
        '"a" = 2',
    ],
)
def test_the_floor_is_not_lowered_and_a_row_is_checked(tmp_path: Path, row: str) -> None:
    with pytest.raises(PolicyError):
        assert_asks("ls", policy=policy(tmp_path, row))


def test_the_floor_holds_whatever_a_table_says() -> None:
    facts = FACTS.replace(obeyed=FrozenMap({".claude/**": "noted", "settings.json": "noted"}))
    assert obeyed_by("/repo/.claude/settings.json", facts) == ("Claude Code", "denied")
    assert floor_over(".opencode/agent/**") is None
    assert floor_over(".opencode/plugin/**") == "OpenCode"


def test_a_source_that_may_only_tighten_sets_a_lower_bound() -> None:
    facts = FACTS.replace(obeyed_at_least=FrozenMap({".mcp.json": "noted", "CLAUDE.md": "denied", "Makefile": "asked"}))
    assert obeyed_by("/repo/.mcp.json", facts) == ("MCP clients", "asked")
    assert obeyed_by("/repo/CLAUDE.md", facts) == ("agents", "denied")
    assert obeyed_by("/repo/Makefile", facts) == ("the programs that a policy means", "asked")


def test_what_a_policy_denies_is_not_called_the_guards_own() -> None:
    policy = policy_from_text('version = 1\n[obeyed]\n"deploy/prod/**" = "denied"\n".github/workflows/**" = "denied"\n')
    for path in ("deploy/prod/a.yaml", ".github/workflows/a.yml"):
        (found,) = assert_denies(f"echo x > {path}", policy=policy).reasons
        assert "`[obeyed]` in your policy denies changes to it" in found.text
    (own,) = assert_denies("echo x > .claude/settings.json", policy=policy).reasons
    assert "belongs to Interlock" in own.text
