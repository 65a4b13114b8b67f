"""What a skill, a command or an agent file runs when a host loads it, read from the files that define it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.tools.front_matter import commands_of, split
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "project"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(project: Path, name: str, body: str, head: str = "", folder: str = "") -> Path:
    text = f"---\nname: {name}\ndescription: does {name}\n{head}\n---\n{body}\n"
    return write(project / f".claude/skills/{folder or name}/SKILL.md", text)


def read(project: Path, name: str, args: str = "", written: frozenset[str] = frozenset()) -> Reading:
    given = {"skill": name, **({"args": args} if args else {})}
    facts = Facts(root=str(project), home=str(project.parent / "home"), written=written)
    return read_with_facts(Call(tool="Skill", input=FrozenMap(given), cwd=str(project)), facts)


def writes(reading: Reading) -> list[str]:
    return [str(action.target["path"]).rpartition("/")[2] for action in reading.actions if action.name == "fs:write"]


def test_a_skill_that_only_says_something_is_a_read(project: Path) -> None:
    skill(project, "plain", "Review the change. Mind `!important` and `$1`.")
    reading = read(project, "plain")
    assert [(action.name, action.target["name"]) for action in reading.actions] == [("agent:skill", "plain")]
    assert reading.opaque == ()
    assert len(reading.scripts) == 1


# how a line is written -> the file that it makes
LINES = {
    "See: !`touch made`": ["made"],
    "- !`touch made`\n    !`touch made2`": ["made", "made2"],
    "!`touch made\ntouch made2`": ["made", "made2"],
    "<!-- !`touch made` -->": ["made"],
    "```\n!`touch made`\n```": ["made"],
    "```!\ntouch made\ntouch made2\n```\n": ["made", "made2"],
    "  ```!bash\n  touch made\n  ```\n": ["made"],
    "```!\ntouch made": ["made"],
    "!``\n": [],
    "`!touch made`\n~~~!\ntouch made\n~~~\n": [],
}


@pytest.mark.parametrize("body", LINES)
def test_each_line_that_the_host_runs_is_read_as_bash(project: Path, body: str) -> None:
    skill(project, "lines", body)
    assert writes(read(project, "lines")) == LINES[body]


# arguments -> what is written by `echo $ARGUMENTS > a`
ARGUMENTS = {"": ["a"], "x": ["a"], "x; touch b": ["b", "a"], "$(touch b)": ["b", "a"], "> b": ["b", "a"]}


@pytest.mark.parametrize("args", ARGUMENTS)
def test_arguments_are_put_into_the_line_raw(project: Path, args: str) -> None:
    skill(project, "args", "!`echo $ARGUMENTS > a`")
    assert sorted(set(writes(read(project, "args", args)))) == sorted(ARGUMENTS[args])


def test_single_arguments_are_put_in_where_everybody_splits_them_alike(project: Path) -> None:
    skill(project, "single", "!`touch $0 $1 $ARGUMENTS[2] $issue`", "arguments: issue\n")
    assert sorted(set(writes(read(project, "single", "a b c")))) == ["a", "b", "c"]
    unsure = read(project, "single", "a $(touch x)")
    assert [part.reason for part in unsure.opaque] == [
        "it is unclear what an argument stands for in a line that the skill `single` runs"
    ]


HOOKS = {
    "hooks:\n  PreToolUse:\n    - matcher: '*'\n      hooks:\n        - type: command\n          command: touch a\n": [
        "a"
    ],
    "hooks:\n  Stop:\n    - hooks:\n        - command: 'touch a'\n        - command: \"touch b\"\n": ["a", "b"],
    "hooks:\n  Stop:\n  - hooks:\n    - type: command\n      command: |\n        touch a\n        touch b": [
        "a",
        "b",
    ],
}


@pytest.mark.parametrize("head", HOOKS)
def test_commands_of_hooks_in_the_head_are_read_as_bash(project: Path, head: str) -> None:
    skill(project, "hooked", "Hello.", head)
    reading = read(project, "hooked")
    assert (writes(reading), reading.opaque) == (HOOKS[head], ())
    assert "agent:hook" in [action.name for action in reading.actions]


STRANGE = [
    'hooks: {"Stop": [{"hooks": [{"type": "command", "command": "touch a"}]}]}\n',
    '"hooks":\n  Stop:\n    - hooks:\n        - command: touch a\n',
    '"h\\x6foks":\n  Stop:\n    - hooks:\n        - command: touch a\n',
    'hooks:\n  Stop:\n    - hooks:\n        - command: "touch \\x61"\n',
    "hooks:\n  Stop:\n    - hooks:\n        - type: http\n          url: https://host.example\n",
    "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: touch\n          args: [a]\n",
    "hooks:\n  Stop: *there\n",
    "hooks:\n  Stop:\n    - hooks:\n        - command: >\n            touch a\n",
    "hooks:\n  Stop:\n    - {hooks: [{command: touch a}]}\n",
    "? hooks\n: {}\n",
    "{hooks: {}}\n",
]


@pytest.mark.parametrize("head", STRANGE)
def test_hooks_in_a_form_that_is_not_read_are_never_skipped(project: Path, head: str) -> None:
    skill(project, "hooked", "Hello.", head)
    assert [part.reason for part in read(project, "hooked").opaque] == [
        "the skill `hooked` may bring hooks in a form that is not read"
    ]


def test_an_everyday_head_is_understood() -> None:
    head, body = split(
        "\ufeff---\r\nname: a\r\ndescription: >\r\n  Use when: the person says so.\r\nallowed-tools:\r\n"
        "- Bash(git *)\r\n# a remark\r\nmodel: opus\r\n---\r\nBody\r\n"
    )
    assert (head.value("name"), body, commands_of(head).unclear) == ("a", "Body\n", False)


def test_a_skill_is_found_wherever_the_host_looks(project: Path) -> None:
    home = project.parent / "home"
    write(home / ".claude/skills/own/SKILL.md", "!`touch own`")
    write(project / ".claude/commands/fix.md", "!`touch fix`")
    write(project / ".claude/commands/a/deep.md", "!`touch deep`")
    write(project / "apps/web/.claude/skills/ship/SKILL.md", "!`touch ship`")
    skill(project, "given-name", "!`touch named`", folder="folder-name")
    plugin = home / ".claude/plugins/cache/shop/tool/1.0.0"
    write(plugin / "skills/use/SKILL.md", "!`touch ${CLAUDE_PLUGIN_ROOT}/used ${CLAUDE_SKILL_DIR}/here`")
    listed = f'{{"version":2,"plugins":{{"tool@shop":[{{"scope":"user","installPath":"{plugin}"}}]}}}}'
    write(home / ".claude/plugins/installed_plugins.json", listed)
    found = {
        name: writes(read(project, name))
        for name in ("own", "fix", "a:deep", "ship", "apps/web:ship", "given-name", "folder-name", "/fix", "tool:use")
    }
    assert found == {
        "own": ["own"],
        "fix": ["fix"],
        "a:deep": ["deep"],
        "ship": ["ship"],
        "apps/web:ship": ["ship"],
        "given-name": ["named"],
        "folder-name": ["named"],
        "/fix": ["fix"],
        "tool:use": ["used", "here"],
    }


def test_where_several_files_have_the_name_all_of_them_count(project: Path) -> None:
    skill(project, "both", "!`touch theirs`")
    write(project.parent / "home/.claude/skills/both/SKILL.md", "!`touch own`")
    assert sorted(writes(read(project, "both"))) == ["own", "theirs"]


def test_what_is_not_found_or_not_readable_or_written_here_is_opaque(project: Path) -> None:
    write(project / ".claude/skills/odd/SKILL.md", "").write_bytes(b"\xff\xfe\0")
    fresh = skill(project, "fresh", "Hello.")
    (project / ".claude/skills/linked").symlink_to(fresh.parent)
    reasons = {
        name: [part.reason for part in read(project, name, written=frozenset((str(fresh),))).opaque]
        for name in ("none", "odd", "fresh", "linked", "init")
    }
    assert reasons == {
        "none": ["no file was found for the skill `none`, so it is unclear what it runs"],
        "odd": ["the file of the skill `odd` cannot be read"],
        "fresh": ["this session wrote the skill `fresh`"],
        "linked": ["this session wrote the skill `linked`"],
        "init": [],
    }


def test_files_that_a_skill_mentions_are_read(project: Path) -> None:
    skill(project, "shows", "See @notes.md and @~/.ssh/id_rsa, mail a@b.example or ask @team.")
    reading = read(project, "shows", "@.env")
    shown = [(str(action.target["path"]), "secret" in action.tags) for action in reading.actions[1:]]
    home = project.parent / "home"
    assert shown == [
        (f"{project}/notes.md", False),
        (f"{home}/.ssh/id_rsa", True),
        (f"{project}/.env", True),
    ]


def agent(project: Path, name: str) -> Reading:
    facts = Facts(root=str(project), home=str(project.parent / "home"))
    given = {"description": "d", "prompt": "p", "subagent_type": name}
    return read_with_facts(Call(tool="Agent", input=FrozenMap(given), cwd=str(project)), facts)


@pytest.mark.parametrize("folder", ["project/.qwen", "home/.qwen", "home/.qwen/extensions/team"])
def test_the_files_of_qwen_code_are_read_too(project: Path, folder: str) -> None:
    head = "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch hooked\n"
    write(project.parent / folder / "agents/one.md", f"---\nname: one\n{head}---\n")
    write(project.parent / folder / "skills/two/SKILL.md", f"---\nname: two\ndescription: d\n{head}---\n")
    assert writes(agent(project, "one")) == ["hooked"]
    assert writes(read(project, "team:two")) == ["hooked"]


PLAYED = "the agent `{}` is another program, whose calls are not seen"


@pytest.mark.parametrize("name", ["codex", "claude-code", "Codex"])
def test_an_agent_that_another_program_plays_is_not_read(project: Path, name: str) -> None:
    assert [part.reason for part in agent(project, name).opaque] == [PLAYED.format(name)]


def test_a_file_of_the_project_may_have_another_program_play_any_agent(project: Path) -> None:
    text = "---\nname: general-purpose\nexecutor:\n  kind: codex\n  command: codex\n---\n"
    write(project / ".qwen/agents/general-purpose.md", text)
    reading = agent(project, "general-purpose")
    assert [part.reason for part in reading.opaque] == [PLAYED.format("general-purpose")]


def test_an_agent_of_ones_own_may_have_the_name_of_a_program(project: Path) -> None:
    write(project / ".claude/agents/codex.md", "---\nname: codex\ndescription: d\n---\nReview it.")
    assert agent(project, "codex").opaque == ()


def test_the_hooks_and_skills_of_an_agent_are_read(project: Path) -> None:
    skill(project, "loaded", "!`touch loaded`")
    head = "hooks:\n  Stop:\n    - hooks:\n        - command: touch hooked\n"
    write(project / ".claude/agents/team/one.md", f"---\nname: one\nskills: loaded\n{head}---\n!`touch not-run`")
    assert sorted(writes(agent(project, "one"))) == ["hooked", "loaded"]
    free = agent(project, "general-purpose")
    assert ([action.name for action in free.actions], free.opaque) == (["agent:start"], ())
