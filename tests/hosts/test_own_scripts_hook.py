"""Which scripts are the project's own, across the sessions of a ledger: the hook itself, with a real repository."""

from __future__ import annotations

import os
import subprocess

import pytest

from hook_process import ALLOW, ASK, NO_OPINION, Machine


def commit(machine: Machine, name: str, text: str) -> None:
    path = machine.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "change")):
        subprocess.run(
            ["git", *author, *words],
            cwd=machine.project,
            env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"},
            check=True,
        )


def taken(machine: Machine, command: str, session: str) -> str:
    return machine.run(machine.event("Bash", {"command": command}, session_id=session)).taken


def test_a_script_is_the_projects_if_it_was_committed_before_and_no_session_wrote_it(machine: Machine) -> None:
    commit(machine, "scripts/seed.js", "seed();\n")
    assert taken(machine, "node scripts/seed.js", "one") == NO_OPINION
    commit(machine, "scripts/pulled.js", "pulled();\n")
    assert taken(machine, "node scripts/pulled.js", "one") == ASK  # it came while the session went on
    assert taken(machine, "node scripts/pulled.js", "two") == NO_OPINION

    written = str(machine.project / "scripts/evil.js")
    event = machine.event("Write", {"file_path": written, "content": "evil();\n"}, session_id="two")
    assert machine.run(event).taken == ALLOW
    commit(machine, "scripts/evil.js", "evil();\n")
    assert taken(machine, "node scripts/evil.js", "two") == ASK
    assert taken(machine, "node scripts/evil.js", "three") == ASK  # another session, and the file is committed


@pytest.mark.parametrize("name", ["SessionStart", "PreToolUse"])
def test_a_session_keeps_the_commit_with_which_it_began(machine: Machine, name: str) -> None:
    commit(machine, "scripts/seed.js", "seed();\n")
    if name == "SessionStart":
        machine.run(machine.event(hook_event_name=name, source="startup", session_id="one"))
    else:
        assert taken(machine, "ls", "one") == ALLOW
    commit(machine, "scripts/late.js", "late();\n")
    assert taken(machine, "node scripts/seed.js", "one") == NO_OPINION
    assert taken(machine, "node scripts/late.js", "one") == ASK


PLAIN = '{"name": "x", "version": "1.0.1", "scripts": {"build": "node build.js"}}'
LEADS = '{"name": "x", "main": "./notes.md", "scripts": {"build": "node build.js"}}'


def rewritten(machine: Machine, path: str, text: str) -> None:
    place = machine.project / path
    event = machine.event("Write", {"file_path": str(place), "content": text}, session_id="one")
    assert machine.run(event).taken == ALLOW
    place.write_text(text)


def test_a_package_json_of_the_session_that_leads_nowhere_does_not_make_the_projects_script_its_own(
    machine: Machine,
) -> None:
    commit(machine, "package.json", '{"name": "x", "version": "1.0.0", "scripts": {"build": "node build.js"}}')
    commit(machine, "build.js", "require('fs').writeFileSync('out.txt', 'built')\n")
    assert taken(machine, "npm run build", "one") == ALLOW  # a task that nobody has changed
    rewritten(machine, "package.json", PLAIN)
    rewritten(machine, "notes.md", "evil()")
    assert taken(machine, "npm run build", "one") == NO_OPINION
    assert taken(machine, "node build.js", "one") == NO_OPINION
    rewritten(machine, "package.json", LEADS)
    assert taken(machine, "npm run build", "one") == ASK
    assert taken(machine, "node build.js", "one") == ASK
    rewritten(machine, "package.json", PLAIN.replace("node build.js", "node notes.md"))
    assert taken(machine, "npm run build", "one") == ASK
