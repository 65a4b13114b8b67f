"""`interlock install`, `doctor` and `uninstall` for Codex, whose hooks a person has to trust in Codex itself."""

from __future__ import annotations

import json
import tomllib

import pytest

from interlock.hosts.codex_settings import hash_of
from machine import Machine


def trust(machine: Machine) -> None:
    """As Codex writes it down once a person has trusted the hooks there."""
    file = machine.home / ".codex/hooks.json"
    lines = ["[features]", "unified_exec_tty = false"]
    for event, groups in json.loads(file.read_text())["hooks"].items():
        label = "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in event])[1:]
        digest = hash_of(label, None, groups[-1]["hooks"][0])
        lines += [f'[hooks.state."{file}:{label}:{len(groups) - 1}:0"]', f'trusted_hash = "{digest}"']
    (machine.home / ".codex/config.toml").write_text("\n".join(lines) + "\n")


def findings(machine: Machine, state: str) -> list[str]:
    rows = machine.run("doctor", "codex", "--json").json["findings"]
    return [row["text"] for row in rows if row["check"] == "codex" and row["state"] == state]


@pytest.mark.slow
def test_it_says_what_is_left_to_the_person_and_the_doctor_says_whether_it_was_done(machine: Machine) -> None:
    file = machine.home / ".codex/hooks.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}')
    before = file.read_bytes()
    done = machine.run("install", "codex", "--yes")
    assert done.code == 0, done.err
    assert "at `Hooks need review` choose `Trust all and continue`" in done.out
    assert "are guarded" not in done.out
    config = tomllib.loads((machine.home / ".codex/config.toml").read_text())
    assert (list(config), list(config["mcp_servers"])) == (["mcp_servers"], ["interlock"])  # nobody's trust
    events = ("Stop", "PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd")
    told = f"Codex does not call Interlock for {', '.join(events)}: its hook is not trusted there"
    assert findings(machine, "bad") == [told]
    assert machine.run("status", "--json").json["hosts"] == {"codex": "installed, but not called"}
    trust(machine)
    assert findings(machine, "bad") == []
    assert machine.run("status", "--json").json["hosts"] == {"codex": "guarded"}
    assert "a call that must be denied was denied, through its own settings" in findings(machine, "ok")
    assert machine.run("install", "codex", "--yes", "--json").json["files"][0]["result"] == "unchanged"
    assert machine.run("uninstall", "codex", "--yes").code == 0
    assert file.read_bytes() == before


@pytest.mark.parametrize("folder", [".", "sub"])
def test_hooks_that_a_project_switches_off_are_told(folder: str, machine: Machine) -> None:
    assert machine.run("install", "codex", "--yes").code == 0
    trust(machine)
    config = machine.project / folder / ".codex/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[features]\nhooks = false\n")
    off = f"`{config}` switches off all hooks (`features.hooks`)"
    assert findings(machine, "bad") == ([off] if folder == "." else [])


def test_each_scope_has_its_file(machine: Machine) -> None:
    own = machine.run("install", "codex", "--dry-run", "--json").json["files"][0]["file"]
    project = machine.run("install", "codex", "--project", "--dry-run", "--json").json["files"][0]["file"]
    managed = machine.run("install", "codex", "--managed", "--dry-run", "--json").json["files"][0]["file"]
    assert (own, project, managed) == (
        f"{machine.home}/.codex/hooks.json",
        f"{machine.project}/.codex/hooks.json",
        "/etc/codex/hooks.json",
    )
