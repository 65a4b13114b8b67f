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
[undo]
lowers = false
days = 30
bytes = 100000000
owners = { "npm:*" = "release team" }
[loop]
repeat = 2
[budget]
over = "deny"
network = 5
[approvals]
phrases = ["go on"]
[hook]
on_allow = { default = "silent", auto = "always" }
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
[people.ann]
logins = ["ann"]
signers = ["ann@laptop", "ann@desk"]
oidc = ["ann@acme.example"]
slack = ["U024BE7LH"]
role = "admin"
[consult]
endpoint = "http://127.0.0.1:9/v1/chat/completions"
model = "m"
family = "a"
agent_family = "b"
[judge]
unsafe = "deny"
min_precision = 0.95
timeout = 2
tools = ["Bash", "mcp__*"]
[judge.first]
endpoint = "https://api.example/v1/chat/completions"
model = "m1"
family = "a"
key = "JUDGE_KEY"
input_price = 0.5
output_price = 2
[judge.second]
endpoint = "http://127.0.0.1:9/v1/messages"
api = "anthropic"
model = "m2"
family = "b"
key_file = "~/.keys/judge"
[preview]
page = true
[store]
url = "postgresql://interlock@db.example/interlock"
[evidence]
send = ["syslog:", "https://log.example/heads"]
machine = "laptop-7"
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


@pytest.mark.sampled(3)
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
    told = {field.key for field in TOP} - {"pin", "profile", "min_engine"}
    assert set(tomllib.loads(EVERY_TABLE)) == told


def test_tiers_that_a_project_raises_are_shown_as_lower_bounds(machine: Machine) -> None:
    machine.project_policy('version = 1\n[tiers.actions]\n"git:*" = 3\n')
    shown = machine.run("policy", "show").out
    assert "# at least tier 3: `git:*`\n" in shown
    remotes = {
        f"{where}-{what}": 3 for where in ("git:remote", "jj:git-remote") for what in ("remove", "rename", "set-url")
    }
    kept = {"git:push": 2, "job:start": 1, "net:send": 2, "server:start": 1, **remotes}
    assert tomllib.loads(shown)["tiers"]["actions"] == kept


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
        "sessions": [],
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
        ("Bash", "interactive", "deny", "execute"),
        ("Read", "interactive", "deny", "read"),
        ("TodoWrite", "interactive", "deny", None),
    ],
)
def test_an_imported_manifest_decides_as_it_did(
    machine: Machine, tool: str, posture: str, verdict: str, effect: str
) -> None:
    policy = machine.project / "imported.toml"
    run = machine.run("policy", "import", "-", "-o", str(policy), stdin=MANIFEST)
    assert run.code == 0
    assert run.err.splitlines() == [
        "note: tools.send.description: kept nowhere; it bears on no decision",
        'note: tools.run: if it takes a command, add `args = { command = "command" }`, with the name of its argument; '
        "until then only arguments called bash, cmd, command, commandline, script, shell are read as commands",
        "note: tools.run.metadata: kept nowhere; it bears on no decision",
    ]
    decided = machine.decide(tool, "--policy", str(policy), "--posture", posture).json
    assert (decided["verdict"], decided["effect"]) == (verdict, effect)


@pytest.mark.parametrize(
    ("tool", "given", "verdict"),
    [
        ("read_file", {"path": "README.md"}, "allow"),
        ("read_file", {"path": "/home/x/.ssh/id_rsa"}, "ask"),  # as `Read` is confirmed in secret places
        ("run", {"command": "rm -rf ."}, "ask"),  # read, although nobody said that it is a command
        ("run", {"command": "rm -rf /"}, "deny"),
        ("run", {"task": "build"}, "allow"),
    ],
)
def test_an_imported_tool_is_not_run_unread_and_keeps_what_its_alias_confirms(
    machine: Machine, tool: str, given: dict[str, str], verdict: str
) -> None:
    manifest = {"tools": {"read_file": {"effects": ["read"]}, "run": {"effects": ["execute"]}}}
    policy = machine.project / "imported.toml"
    machine.run("policy", "import", "-", "-o", str(policy), stdin=manifest)
    assert machine.decide(tool, "--policy", str(policy), **given).json["verdict"] == verdict


def test_imported_capabilities_grant_no_more_than_they_did(machine: Machine) -> None:
    capabilities = {
        "git:push": {"granted": True, "scope": {"remote": "origin", "branch": "feature/*"}},
        "npm:publish": {"granted": True, "scope": "@acme/*", "expires": "2099-07-01"},
        "gh:release": {"granted": True, "expires": "2099-07-01T12:00:00+02:00"},
        "pypi:publish": {"granted": False},
        "pages:deploy": {"granted": "yes"},
        "gh:pr-create": {"granted": True, "expires": "soon"},
        "gh:repo-edit": {"granted": True, "expires": 20990101},
        "docker:push": {"granted": True, "scope": "registry"},
        "git:pusch": {"granted": True},
        "npm:publish-x": {"granted": True},
        "gem:push": {"granted": True, "scope": {"pakage": "x"}},
        "cargo:publish": {"granted": True, "expires": "2020-01-01"},
    }
    run = machine.run("policy", "import", "-", stdin=capabilities)
    assert run.code == 1
    grants = tomllib.loads(run.out)["grants"]
    assert [(grant["action"], grant.get("scope")) for grant in grants] == [
        ("git:push", {"remote": "origin", "branch": "feature/*", "destination": "*"}),
        ("npm:publish", {"package": "@acme/*", "destination": "*"}),
        ("gh:release-create", {"destination": "*"}),
    ]
    assert tomllib.loads(run.out)["capability"] == {"enforce": True}
    assert grants[1]["expires"].isoformat() == "2099-07-01T00:00:00+00:00"
    assert run.err.splitlines() == [
        "not carried over: gh:pr-create: `expires` is not a date, so it grants nothing",
        "not carried over: gh:repo-edit: `expires` is not a date, so it grants nothing",
        "not carried over: docker:push: what its `scope` means is not clear, so it was left out; write it as an object "
        "of fields",
        "not carried over: git:pusch: no action has this name; did you mean `git:push`?",
        "not carried over: npm:publish-x: no action has this name; did you mean `npm:publish`?",
        "not carried over: gem:push: it was left out, because such a call has no `pakage`",
        "not carried over: cargo:publish: it ended 2020-01-01, so it grants nothing",
        *[
            f"note: {action}: it may go anywhere, as there; name the place in `destination` to narrow it"
            for action in ("git:push", "npm:publish", "gh:release")
        ],
        "note: pypi:publish: `granted` is not true, so it grants nothing",
        "note: pages:deploy: `granted` is not true, so it grants nothing",
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
    assert hook["args"][-4:] == ["--home", str(machine.home), "--wait", "540"]
    assert json.dumps(settings)


SETTINGS = {
    "permissions": {
        "allow": [
            "Bash(git push:*)",
            "Bash(npm run test:*)",
            "Read(//opt/notes/**)",
            "mcp__db__query",
            "Read(src/*/x)",
        ],
        "ask": ["Bash(npm publish *)", "mcp__odd__x(odd)"],
        "deny": [
            "Bash(rm:*)",
            "Read(~/.ssh/**)",
            "Read(.env)",
            "Edit(gen/*.py)",
            "WebFetch(domain:evil.example)",
            "mcp__mail",
        ],
        "defaultMode": "acceptEdits",
    }
}


def test_permission_rules_keep_their_meaning_and_the_rest_is_said(machine: Machine) -> None:
    policy = machine.project / "p.toml"
    run = machine.run("policy", "import", "-", "--root", "/repo", "-o", str(policy), stdin=SETTINGS)
    assert run.code == 1
    tables = tomllib.loads(policy.read_text())
    assert [(grant["action"], grant.get("scope")) for grant in tables["grants"]] == [
        ("fs:read", {"path": "/opt/notes/*"}),
        ("fs:list", {"path": "/opt/notes/*"}),
        ("fs:search", {"path": "/opt/notes/*"}),
        ("mcp:db:query", None),
    ]
    read, write = {"effects": ["read"]}, {"effects": ["write", "destructive"]}
    assert [(rule["verdict"], rule["when"]) for rule in tables["rules"]] == [
        ("deny", {"command": "rm:*"}),
        ("deny", {**read, "target": {"path": f"{machine.home}/.ssh/*"}}),
        ("deny", {**read, "target": {"path": "/repo/.env"}}),
        ("deny", {**read, "target": {"path": "/repo/.env/*"}}),
        ("deny", {**read, "target": {"path": "/repo/*/.env"}}),
        ("deny", {**read, "target": {"path": "/repo/*/.env/*"}}),
        ("ask", {**write, "target": {"path": "/repo/gen/*.py"}}),
        ("ask", {**write, "target": {"path": "/repo/gen/*.py/*"}}),
        ("deny", {"tool": "WebFetch", "action": "net:fetch", "target": {"host": "evil.example"}}),
        ("deny", {"tool": "mcp__mail__*"}),
        ("ask", {"command": "npm publish *"}),
        ("ask", {"tool": "mcp__odd__x"}),
    ]
    assert run.err.splitlines() == [
        "not carried over: Bash(git push:*): an allow by words says nothing of what the command does; give a grant "
        "with a scope: interlock grant",
        "not carried over: Read(src/*/x): a `*` in `src/*/x` stops at a folder there, and does not here, and a grant "
        "must not cover more",
        "not carried over: permissions.defaultMode: it has no counterpart here",
        "wider: Edit(gen/*.py): a `*` in `gen/*.py` stops at a folder there, and does not here, so it asks instead of "
        "denying",
        "wider: mcp__odd__x(odd): what stands in the brackets is not understood, so it asks",
        "note: Bash(npm run test:*): not needed, such commands are free here but for what is asked about in any "
        "command",
    ]
    assert machine.run("policy", "check", str(policy)).code == 0
    for command, verdict in (
        ("cd x && rm y", "deny"),
        ("bash -c 'rm y'", "deny"),
        ("npm publish --dry-run", "ask"),
        ("npm run test", "allow"),
    ):
        decided = machine.decide("Bash", "--policy", str(policy), command=command).json
        assert (command, decided["verdict"]) == (command, verdict)


def test_the_folder_of_settings_is_found_from_where_they_lie(machine: Machine) -> None:
    file = machine.project / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"permissions": {"deny": ["Read(/secrets/**)"]}}))
    run = machine.run("policy", "import", str(file))
    assert run.code == 0
    assert tomllib.loads(run.out)["rules"][0]["when"]["target"] == {"path": f"{machine.project}/secrets/*"}
    run = machine.run("policy", "import", "-", stdin=file.read_text())
    (rule,) = tomllib.loads(run.out)["rules"]
    assert (run.code, rule["verdict"], rule["when"]["target"]) == (1, "ask", {"path": "*/secrets/*"})
