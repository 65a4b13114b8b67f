"""What an allow means: the host is told of it, which lifts its own prompt, or is left to its own rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, NO_OPINION, OPEN, Machine
from host_process import Client
from interlock.hosts import HOSTS, host_named
from interlock.policy.hook import stricter_by_mode
from interlock.policy.model import OnAllow
from interlock.store.home.policies import compile_sources, default_file
from interlock.value import FrozenMap
from person import at_a_terminal

READ_IN_FULL = "git status"
UNREAD = "make serve"  # the project's own code, let through without having been read


@pytest.fixture
def project(machine: Machine) -> Machine:
    """A project whose Makefile was there before the session, and runs what is not read."""
    committed(machine.project)
    return machine


def committed(project: Path) -> None:
    (project / "Makefile").write_text("test:\n\t./check\nserve:\n\t./check\n")
    (project / "check").write_bytes(b"\x7fELF\x02\x01\x01")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "as it was"]):
        subprocess.run(["git", *words], cwd=project, check=True)


def said(machine: Machine, command: str, mode: str = "default", **changes: Any) -> str:
    return machine.run(machine.event("Bash", {"command": command}, permission_mode=mode, **changes)).taken


def verdicts(machine: Machine) -> list[str]:
    return [row["body"]["receipt"]["decision"]["verdict"] for row in machine.rows()]


@pytest.mark.parametrize(
    ("policy", "full", "unread"),
    [
        ("", ALLOW, NO_OPINION),
        ('on_allow = "approve"', ALLOW, NO_OPINION),
        ('on_allow = "always"', ALLOW, ALLOW),
        ('on_allow = "silent"', NO_OPINION, NO_OPINION),
        ('on_allow = { default = "approve", bypassPermissions = "silent" }', ALLOW, NO_OPINION),
        ('on_allow = { default = "silent", acceptEdits = "always" }', NO_OPINION, NO_OPINION),
    ],
)
def test_an_allow_is_told_as_the_policy_says(project: Machine, policy: str, full: str, unread: str) -> None:
    project.user_policy.write_text(f"version = 1\n[hook]\n{policy}\n")
    assert (said(project, READ_IN_FULL), said(project, UNREAD)) == (full, unread)
    assert verdicts(project) == ["allow", "allow"]


def test_the_permission_mode_counts_where_the_policy_names_it(project: Machine) -> None:
    policy = '[hook]\non_allow = { default = "approve", bypassPermissions = "silent", auto = "always" }\n'
    project.user_policy.write_text(f"version = 1\n{policy}")
    found = {mode: (said(project, READ_IN_FULL, mode), said(project, UNREAD, mode)) for mode in MODES}
    assert found == MODES


MODES = {
    "default": (ALLOW, NO_OPINION),
    "acceptEdits": (ALLOW, NO_OPINION),
    "auto": (ALLOW, ALLOW),
    "bypassPermissions": (NO_OPINION, NO_OPINION),
    "plan": (ALLOW, NO_OPINION),
}


@pytest.mark.parametrize("word", ["approve", "always", "silent"])
def test_asks_and_denies_are_told_in_any_case(machine: Machine, word: str) -> None:
    machine.user_policy.write_text(f'version = 1\n[hook]\non_allow = "{word}"\n')
    assert said(machine, "git push origin main") == ASK
    assert said(machine, "rm -rf /") == DENY


def test_while_the_host_plans_always_lifts_nothing_but_reads(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[hook]\non_allow = "always"\n')
    assert machine.run(machine.event("Write", permission_mode="plan")).taken == NO_OPINION
    assert said(machine, READ_IN_FULL, "plan") == ALLOW


def test_what_a_person_has_approved_is_told_as_an_allow_although_it_was_not_read(project: Machine) -> None:
    """Headless, silence would leave it to a host that can ask nobody: the yes would be worth nothing."""
    project.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    away = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}

    def tried() -> str:
        event = project.event("Bash", {"command": f"{UNREAD} && git push --force origin main"})
        return project.run(event, environment=away).taken

    assert tried() == DENY
    (waits,) = json.loads(at_a_terminal(project.home, "approvals", "list", "--json").out)
    assert at_a_terminal(project.home, "approvals", "approve", waits["id"], "--yes").code == 0
    assert tried() == ALLOW


def test_a_call_that_comes_again_gets_the_same_answer(project: Machine) -> None:
    event = project.event("Bash", {"command": UNREAD})
    assert [project.run(event).taken for _ in range(2)] == [NO_OPINION, NO_OPINION]


# --- tasks that nobody has changed ---


def kept(project: Path) -> None:
    """A project of several languages, as it was committed."""
    scripts = '{"test": "jest", "build": "vite build", "lint": "eslint .", "dev": "vite", "release": "./check"}'
    (project / "package.json").write_text(f'{{"name": "app", "version": "1.0.0", "scripts": {scripts}}}')
    (project / "pyproject.toml").write_text('[project]\nname = "app"\n')
    (project / "Cargo.toml").write_text('[package]\nname = "app"\n')
    for folder in ("src", "web", "tests"):
        (project / folder).mkdir()
        (project / folder / "a.py").write_text("")
    committed(project)


@pytest.fixture
def several(machine: Machine) -> Machine:
    kept(machine.project)
    return machine


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make test", ALLOW),
        ("npm test", ALLOW),
        ("npm run build", ALLOW),
        ("npm run lint 2>&1 | tail -5", ALLOW),
        ("pytest -q -k users", ALLOW),
        ("python -m pytest -q", ALLOW),
        ("cargo test --lib", ALLOW),
        ("cargo build --release && cargo clippy", ALLOW),
        ("cd web && npx tsc -b", ALLOW),
        ("make serve", NO_OPINION),
        ("make test serve", NO_OPINION),
        ("npm run dev", NO_OPINION),
        ("npm run release", NO_OPINION),
        ("npm test && npm run release", NO_OPINION),
        ("cargo run", NO_OPINION),
        ("npx vite --port 4000", NO_OPINION),
        ("npm test --prefix=web", NO_OPINION),
        ("make -C web test", NO_OPINION),
        ("make test CC=./check", NO_OPINION),
    ],
)
def test_a_test_or_build_task_that_nobody_changed_is_told_as_an_allow(
    several: Machine, command: str, expected: str
) -> None:
    assert said(several, command) == expected


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("Makefile", "test:\n\t./check --all\n", "make test"),
        ("package.json", '{"name": "app", "scripts": {"test": "jest --ci"}}', "npm test"),
        ("tests/conftest.py", "import app\n", "pytest -q"),
        ("jest.config.js", "module.exports = {}\n", "npx jest"),
        ("build.rs", "fn main() {}\n", "cargo test"),
        (".cargo/config.toml", "[alias]\n", "cargo test"),
    ],
)
def test_a_task_is_left_to_the_host_where_somebody_changed_what_it_runs(
    several: Machine, name: str, text: str, command: str
) -> None:
    path = several.project / name
    assert said(several, command, session_id="before") == ALLOW
    before = path.read_text() if path.exists() else None
    event = several.event("Write", {"file_path": str(path), "content": text}, session_id="one")
    several.run(event)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert said(several, command, session_id="one") != ALLOW
    if name.rpartition("/")[2] not in ("conftest.py", "jest.config.js"):  # beside the manifest, or in a folder below
        assert said(several, command, session_id="another") != ALLOW
    if before is not None:
        path.write_text(before)  # as it was, and yet a session wrote it
        assert said(several, command, session_id="one") != ALLOW


@pytest.mark.parametrize("name", ["src/a.py", "run.sh", "lib/a.pl", "bin/tool"])
@pytest.mark.parametrize("command", ["npm test", "go test ./...", "cargo test", "pytest -q"])
def test_a_task_is_left_to_the_host_while_nobody_has_looked_at_code_of_the_session(
    several: Machine, name: str, command: str
) -> None:
    several.run(several.event("Write", {"file_path": str(several.project / name), "content": "exit\n"}))
    assert said(several, command) != ALLOW


@pytest.mark.parametrize("name", ["tests/test_b.py", "README.md", "src/data.json", "src/a.css"])
def test_a_task_stays_allowed_beside_tests_and_data_of_the_session(several: Machine, name: str) -> None:
    several.run(several.event("Write", {"file_path": str(several.project / name), "content": "1\n"}))
    assert said(several, "npm test") == ALLOW


def test_an_edit_of_what_is_tested_leaves_the_task_what_it_was(several: Machine) -> None:
    path = several.project / "src/app.js"
    several.run(several.event("Write", {"file_path": str(path), "content": "exports.a = 1\n"}))
    path.write_text("exports.a = 1\n")
    assert said(several, "npm test") == ALLOW
    path.write_text("require('child_process').exec('ls')\n")
    several.run(several.event("Write", {"file_path": str(path), "content": path.read_text()}))
    assert said(several, "npm test") == ASK
    module = several.project / "src/a.py"  # no test of Python says what it loads
    several.run(several.event("Write", {"file_path": str(module), "content": "A = 1\n"}))
    assert said(several, "pytest -q") == NO_OPINION


def test_a_yes_to_a_program_of_the_session_is_not_asked_for_again_by_the_host(several: Machine) -> None:
    path = several.project / "src/main.rs"
    for at in range(3):
        text = f'fn main() {{ println!("{at}"); }}\n'
        several.run(several.event("Write", {"file_path": str(path), "content": text}))
        path.write_text(text)
        event = several.event("Bash", {"command": "cargo run -- --all"})
        taken = several.run(event).taken
        assert taken == (ALLOW if at else ASK)
        if not at:
            several.run(
                several.event(
                    "Bash", event["tool_input"], hook_event_name="PermissionRequest", permission_suggestions=[]
                )
            )
        several.run({**event, "hook_event_name": "PostToolUse", "tool_response": {"stdout": str(at)}, "duration_ms": 5})


# --- the other hosts ---------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", HOSTS)
def test_silence_is_an_answer_of_its_own_that_blocks_nothing(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    policy = client.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('version = 1\n[hook]\non_allow = "silent"\n')
    case = next(case for case, row in client.payloads["proposed"].items() if row["answer"] == ALLOW)
    ran, _ = client.send(client.event(case))
    assert (ran.code, ran.err) == (0, b"")
    assert isinstance(json.loads(ran.out or b"{}"), dict)
    traits = host_named(host).TRAITS
    assert not (traits.has_rules and traits.lifts and b"allow" in ran.out)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("host", ["claude-code", "copilot-cli", "vscode"])
def test_where_an_allow_lifts_the_hosts_prompt_it_is_not_given_for_what_was_not_read(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    committed(client.project)
    policy = client.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    found = {}
    for word in ("approve", "always"):
        policy.write_text(f'version = 1\n[hook]\non_allow = "{word}"\n')
        for command in (READ_IN_FULL, UNREAD):
            ran, taken = client.send(client.changed(client.shell(command), "session", f"{word} {command}"))
            assert (ran.code, taken in (ALLOW, NO_OPINION, OPEN)) == (0, True), ran
            found[word, command] = b'"allow"' in ran.out
    assert found == {
        ("approve", READ_IN_FULL): True,
        ("approve", UNREAD): False,
        ("always", READ_IN_FULL): True,
        ("always", UNREAD): True,
    }


# --- the policy --------------------------------------------------------------------------------


def policy_of(user: str = "", project: str = "", managed: str = "", *, trusted: bool = False) -> Any:
    files = [("default", default_file(), Path(default_file()).read_bytes())]
    for name, text in (("managed", managed), ("user", user), ("project", project)):
        if text:
            files.append((name, f"{name}.toml", f"version = 1\n{text}\n".encode()))
    return compile_sources(tuple(files), project_trusted=trusted)


ALWAYS, APPROVE, SILENT = OnAllow.ALWAYS, OnAllow.APPROVE, OnAllow.SILENT


def test_a_project_that_nobody_trusts_can_only_make_it_say_less() -> None:
    always, silent = '[hook]\non_allow = "always"', '[hook]\non_allow = "silent"'
    assert policy_of(project=always).on_allow == {"default": APPROVE}
    assert "hook.on_allow" in policy_of(project=always).notices[0]
    assert policy_of(project=silent).on_allow == {"default": SILENT}
    assert policy_of(project=always, trusted=True).on_allow == {"default": ALWAYS}
    assert policy_of(user=always, managed=silent).on_allow == {"default": SILENT}


def test_two_tables_join_mode_by_mode() -> None:
    ours = FrozenMap({"default": ALWAYS, "plan": SILENT})
    theirs = FrozenMap({"default": APPROVE, "auto": ALWAYS})
    assert stricter_by_mode(ours, theirs) == {"auto": ALWAYS, "default": APPROVE, "plan": SILENT}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ('"allow"', "`on_allow` must be one of always, approve, silent, or a table"),
        ('{ auto = "silent" }', "`on_allow` must be a table with `default`"),
        ('{ default = "approve", bypassPermision = "silent" }', "`bypassPermision` is none; did you mean"),
        ("true", "`on_allow` must be one of"),
    ],
)
def test_what_it_cannot_be_is_an_error_that_says_what_it_can(given: str, why: str) -> None:
    with pytest.raises(Exception, match="on_allow") as raised:
        policy_of(user=f"[hook]\non_allow = {given}")
    assert why in str(raised.value)
