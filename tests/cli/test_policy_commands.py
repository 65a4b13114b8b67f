"""`interlock policy`, `trust` and `posture`, as a person uses them."""

from __future__ import annotations

import json
import tomllib

import pytest

from interlock.policy.schema import TOP
from machine import Machine

EVERY_TABLE = """
version = 1
posture = "autonomous"
approval_mode = "permissive"
[risk]
max = "critical"
allow_critical = true
ask_at = "medium"
unregistered = "deny"
[tiers]
permissive = 3
effects = { network = 2, spawn = 1 }
marks = { sends = 1, install = 3 }
actions = { "git:push" = 1, "docker:*" = 3 }
[plan]
enforcement = "strict"
dir = "runs/one"
match = "prefix"
markers_per_run = 3
[capability]
enforce = true
actions = ["kubectl:*"]
[loop]
repeat = 2
[budget]
over = "deny"
network = 5
[approvals]
phrases = ["go on"]
[tools.send]
effects = ["network"]
risk = "high"
irreversible = true
confirm = true
[tools.Write]
effects = ["write"]
confirm = false
[commands.frob]
effects = ["read"]
operands = "read+"
[obeyed]
".github/workflows/**" = "noted"
[consult]
endpoint = "http://127.0.0.1:9/v1/chat/completions"
model = "m"
family = "a"
agent_family = "b"
[store]
url = "postgresql://interlock@db.example/interlock"
[[rules]]
id = "r"
when = { action = "fs:*", tags = ["secret"], place = ["home"], time = "Fri 15:00-24:00" }
verdict = "deny"
reason = "no"
[[grants]]
id = "g"
action = "fs:write"
scope = { path = "/opt/*" }
expires = 2099-01-01
"""


@pytest.mark.parametrize("text", ["version = 1\n", EVERY_TABLE], ids=["built-in", "every table"])
def test_the_shown_policy_is_itself_a_policy_with_the_same_digest(text: str, machine: Machine) -> None:
    machine.user_policy(text)
    before = machine.run("policy", "digest").out
    shown = machine.run("policy", "show").out
    assert set(tomllib.loads(text)) <= set(tomllib.loads(shown))
    machine.user_policy(shown)
    assert (machine.run("policy", "check").code, machine.run("policy", "digest").out) == (0, before)
    assert tomllib.loads(machine.run("policy", "show").out) == tomllib.loads(shown)


def test_every_table_of_a_policy_file_is_shown(machine: Machine) -> None:
    told = {field.key for field in TOP} - {"pin", "profile"}
    assert set(tomllib.loads(EVERY_TABLE)) == told


def test_tiers_that_a_project_raises_are_shown_as_lower_bounds(machine: Machine) -> None:
    machine.project_policy('version = 1\n[tiers.actions]\n"git:*" = 3\n')
    shown = machine.run("policy", "show").out
    assert "# at least tier 3: `git:*`\n" in shown
    assert tomllib.loads(shown)["tiers"]["actions"] == {"git:push": 2, "net:send": 2}


def test_levels_that_a_project_raises_are_shown_as_lower_bounds(machine: Machine) -> None:
    machine.project_policy('version = 1\n[obeyed]\n"Makefile" = "asked"\n".mcp.json" = "noted"\n')
    shown = machine.run("policy", "show").out
    assert "# at least asked: `Makefile`" in shown
    assert "[obeyed]" not in shown


def test_the_digest_is_the_one_in_the_receipts(machine: Machine) -> None:
    digest = machine.run("policy", "digest").out.strip()
    assert machine.decide("Read", file_path="a").json["policy"] == digest
    machine.user_policy('version = 1\napproval_mode = "strict"\n')
    assert machine.run("policy", "digest").out.strip() != digest


def test_check_names_every_file_and_every_problem(machine: Machine) -> None:
    user = machine.user_policy("version = 2\n")
    project = machine.project_policy('version = 1\ntools = 3\n[[rules]]\nid = "x"\n')
    run = machine.run("policy", "check", "--json")
    assert run.code == 65
    assert [(p["file"], p["line"], p["column"]) for p in run.json["problems"]] == [
        (str(user), 1, 1),
        (str(project), 2, 1),
        (str(project), 3, 1),
        (str(project), 3, 1),
        (str(project), 3, 1),
    ]


def test_a_rule_whose_example_is_wrong_is_an_error_at_the_example(machine: Machine) -> None:
    file = machine.user_policy(
        "version = 1\n"
        "[[rules]]\n"
        'id = "env"\n'
        'when = { action = "fs:write", target = { path = "*/.env" } }\n'
        'verdict = "deny"\n'
        'reason = "no"\n'
        'matches = [{ tool = "Write", input = { file_path = ".env" } },\n'
        '           { tool = "Write", input = { file_path = "env" } }]\n'
        'ignores = [{ tool = "Read", input = { file_path = ".env" } }]\n'
    )
    run = machine.run("policy", "check")
    assert run.code == 65
    assert f"{file}:8:12: the rule `env` does not match this example" in run.err


def test_a_project_file_only_tightens_until_it_is_trusted(machine: Machine) -> None:
    machine.project_policy(
        'version = 1\n[risk]\nunregistered = "allow"\n[tools.Write]\nconfirm = true\n[tools.frob]\neffects = ["read"]\n'
    )
    before = machine.decide("frob")
    assert before.json["verdict"] == "ask"
    assert "is not trusted" in before.err
    assert machine.decide("Write", file_path="a", content="").json["verdict"] == "ask"  # tightening counts at once

    assert machine.run("trust").code == 64  # nobody at a terminal
    assert machine.run("trust", "--yes").code == 0
    assert machine.decide("frob").json["verdict"] == "allow"
    assert machine.decide("frob").err == ""
    assert len(machine.run("trust", "--list", "--json").json) == 1

    file = machine.project / ".interlock/policy.toml"
    file.write_text(file.read_text() + "# changed\n")
    changed = machine.decide("frob")
    assert changed.json["verdict"] == "ask"
    assert "has changed since it was trusted" in changed.err

    assert machine.run("trust", "--yes").code == 0
    assert machine.run("trust", "--revoke").code == 0
    assert machine.decide("frob").json["verdict"] == "ask"


def test_postures_move_as_the_table_says_and_are_kept(machine: Machine) -> None:
    assert machine.run("posture", "show", "--json").json["posture"] == "interactive"
    assert machine.run("posture", "set", "locked", "--dry-run").code == 0
    assert machine.decide("Write", file_path="a", content="").json["verdict"] == "allow"
    assert machine.run("posture", "set", "locked").code == 0
    assert machine.decide("Write", file_path="a", content="").json["verdict"] == "deny"
    refused = machine.run("posture", "set", "autonomous")
    assert (refused.code, refused.err) == (
        1,
        "interlock: the posture cannot go from locked to autonomous; from locked it can go to interactive\n",
    )
    assert machine.run("posture", "show", "--json").json == {
        "root": str(machine.project),
        "posture": "locked",
        "from": "person",
        "moves": ["interactive"],
        "off": {},
    }
    assert machine.run("posture", "set", "interactive").code == 0
    assert machine.decide("Write", file_path="a", content="").json["verdict"] == "allow"


MANIFEST = {
    "tools": {
        "look": {"name": "look", "effects": ["read"], "permitted_postures": None, "require_confirmation": False},
        "send": {"effects": ["network", "destructive"], "require_confirmation": True, "description": "Sends."},
        "run": {"effects": ["execute"], "permitted_postures": ["interactive"], "metadata": {"team": "x"}},
    }
}


@pytest.mark.parametrize(
    ("tool", "posture", "verdict", "effect"),
    [
        ("look", "interactive", "allow", "read"),
        ("look", "locked", "allow", "read"),
        ("send", "interactive", "ask", "destructive"),
        ("send", "autonomous", "deny", "destructive"),
        ("run", "interactive", "allow", "execute"),
        ("run", "autonomous", "deny", "execute"),
        ("run", "dry_run", "deny", "execute"),
        ("ghost", "interactive", "deny", "execute"),
    ],
)
def test_an_imported_manifest_decides_as_it_did(
    machine: Machine, tool: str, posture: str, verdict: str, effect: str
) -> None:
    policy = machine.project / "imported.toml"
    run = machine.run("policy", "import", "-", "-o", str(policy), stdin=MANIFEST)
    assert run.code == 0
    assert run.err.splitlines() == [
        "not carried over: tools.send.description: kept nowhere; it bears on no decision",
        "not carried over: tools.run.metadata: kept nowhere; it bears on no decision",
    ]
    decided = machine.decide(tool, "--policy", str(policy), "--posture", posture).json
    assert (decided["verdict"], decided["effect"]) == (verdict, effect)


def test_imported_capabilities_grant_no_more_than_they_did(machine: Machine) -> None:
    capabilities = {
        "git:push": {"granted": True},
        "npm:publish": {"granted": True, "scope": "left-pad", "expires": "2099-07-01"},
        "gh:release": {"granted": True, "expires": "2099-07-01T12:00:00+02:00"},
        "pypi:publish": {"granted": False},
        "pages:deploy": {"granted": "yes"},
        "gh:pr-create": {"granted": True, "expires": "soon"},
        "gh:repo-edit": {"granted": True, "expires": 20990101},
        "docker:push": {"granted": True, "scope": "registry"},
    }
    run = machine.run("policy", "import", "-", stdin=capabilities)
    assert run.code == 0
    grants = tomllib.loads(run.out)["grants"]
    assert [(grant["action"], grant.get("scope")) for grant in grants] == [
        ("git:push", None),
        ("npm:publish", {"package": "left-pad"}),
        ("gh:release-*", None),
    ]
    assert tomllib.loads(run.out)["capability"] == {"enforce": True}
    assert grants[1]["expires"].isoformat() == "2099-07-01T00:00:00+00:00"
    assert [line.split(": ")[1] for line in run.err.splitlines()] == [
        "pypi:publish",
        "pages:deploy",
        "gh:pr-create",
        "gh:repo-edit",
        "docker:push",
    ]


@pytest.mark.parametrize(
    "text", ["{}x", "[]", '{"a": 1}', '{"tools": {"t": {"effects": ["fly"]}}}', '{"tools": {"t": 1}}']
)
def test_what_is_neither_form_is_refused(machine: Machine, text: str) -> None:
    assert machine.run("policy", "import", "-", stdin=text).code == 64


def test_import_does_not_overwrite_unless_told_to(machine: Machine) -> None:
    target = machine.project / "p.toml"
    target.write_text("mine")
    assert machine.run("policy", "import", "-", "-o", str(target), stdin=MANIFEST).code == 64
    assert target.read_text() == "mine"
    assert machine.run("policy", "import", "-", "-o", str(target), "--force", stdin=MANIFEST).code == 0


def test_settings_are_ready_to_paste(machine: Machine) -> None:
    settings = machine.run("hook", "claude-code", "--print-settings").json
    (group,) = settings["hooks"]["PreToolUse"]
    (hook,) = group["hooks"]
    assert (group["matcher"], hook["type"], hook["onFailure"]) == ("*", "command", "block")
    assert hook["args"][:2] == ["-I", "-S"]
    assert hook["args"][-2:] == ["--home", str(machine.home)]
    assert json.dumps(settings)


def test_permission_rules_become_rules_and_grants_on_what_the_commands_do(machine: Machine) -> None:
    settings = {
        "permissions": {
            "allow": [
                "Bash(git push:*)",
                "Bash(npm run test:*)",
                "Read(//opt/notes/**)",
                "mcp__db__query",
                "Bash(a * b)",
            ],
            "deny": ["Bash(rm:*)", "Read(~/.ssh/**)", "WebFetch(domain:evil.example)", "mcp__mail"],
            "defaultMode": "acceptEdits",
        }
    }
    policy = machine.project / "p.toml"
    run = machine.run("policy", "import", "-", "-o", str(policy), stdin=settings)
    assert run.code == 0
    tables = tomllib.loads(policy.read_text())
    assert [(grant["action"], grant.get("scope")) for grant in tables["grants"]] == [
        ("git:push", None),
        ("fs:read", {"path": "/opt/notes/*"}),
    ]
    assert [rule["when"] for rule in tables["rules"]] == [
        {"action": "fs:delete"},
        {"action": "fs:read", "target": {"path": "*/.ssh/*"}},
        {"action": "net:fetch", "target": {"host": "evil.example"}},
        {"tool": "mcp__mail*"},
    ]
    told = [line.removeprefix("not carried over: ").rpartition(": ")[0] for line in run.err.splitlines()]
    assert told == ["Bash(npm run test:*)", "mcp__db__query", "Bash(a * b)", "permissions.defaultMode"]
    assert machine.run("policy", "check", str(policy)).code == 0
    assert machine.decide("Bash", "--policy", str(policy), command="find . -delete").json["verdict"] == "deny"
