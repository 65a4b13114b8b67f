"""`[commands.NAME]` describes programs anew. It is the person's to say what they do, and it lifts no floor."""

from __future__ import annotations

import pytest

from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy, Tiers
from interlock.policy.wire import policy_to_wire
from interlock.store.home.files import read_file
from interlock.store.home.policies import default_file
from interlock.testing import assert_allows, assert_asks, decide_call, policy_from_text

# program -> a call of it that nobody may make, whatever a policy says of the program
FLOOR = {
    "rm": ["rm -rf /", "rm -rf ~", "rm -r .claude", "/bin/rm -rf ~/.config/interlock"],
    "sudo": ["sudo rm -rf /", "sudo tee ~/.claude/settings.json"],
    "env": ["env X=1 rm -rf /", "env -i sh -c 'rm -rf ~'"],
    "bash": ["bash -c 'rm -rf /'", "bash -lc 'echo {} > .claude/settings.json'"],
    "xargs": ["echo / | xargs rm -rf"],
    "find": ["find / -delete", "find .claude -exec rm {} +"],
    "tee": ["echo {} | tee ~/.claude/settings.json"],
    "cp": ["cp mine.json ~/.claude/settings.json"],
    "dd": ["dd if=/dev/zero of=/dev/sda"],
    "git": ["git -c alias.x='!rm -rf /' x"],
    "python3": ["python3 -c 'import shutil; shutil.rmtree(\"/\")'"],
    "interlock": ["interlock grant git --yes", "interlock trust --yes"],
}


def described(name: str, more: str = "") -> str:
    return f'version = 1\n[commands.{name}]\neffects = []\noperands = "text*"\n{more}'


@pytest.mark.parametrize(("name", "command"), [(name, command) for name in FLOOR for command in FLOOR[name]])
def test_an_entry_for_a_program_does_not_lift_the_floor(name: str, command: str) -> None:
    found = decide_call(command, policy=policy_from_text(described(name)))
    assert found.verdict.name == "deny"
    assert {finding.layer for finding in found.reasons} >= {"floor"}


@pytest.mark.parametrize(
    ("name", "command"),
    [("rm", "rm x"), ("git", "git push --force"), ("sudo", "sudo mine"), ("deploy", "deploy /"), ("bash", "bash x.sh")],
)
def test_but_for_the_floor_it_is_what_the_person_says(name: str, command: str) -> None:
    policy = policy_from_text(described(name))
    assert assert_allows(command, policy=policy).effects == ()


def merged(managed: str, user: str = "", project: str = "") -> Policy:
    files = [("default", "default.toml", read_file(default_file(), limit=1 << 20) or b"")]
    for name, text in (("managed", managed), ("user", user), ("project", project)):
        if text:
            files.append((name, f"{name}.toml", text.encode()))
    return compile_policy(tuple(files), project_trusted=True)


RULE = (
    'version = 1\n[[rules]]\nid = "no-push"\nwhen = { action = "git:push" }\nverdict = "deny"\n'
    'reason = "The pipeline pushes."\nmatches = ["git push"]\n'
)


@pytest.mark.parametrize("source", ["user", "project"])
def test_nobody_below_managed_policy_describes_a_known_program_anew(source: str) -> None:
    policy = merged(RULE, **{source: described("git", '[commands.ship]\neffects = ["network"]\n')})
    assert decide_call("git push", policy=policy).verdict.name == "deny"
    assert sorted(policy.commands) == ["ship"]  # which nothing of ours describes
    if source == "user":
        assert policy.notices == ("user.toml: managed policy holds back commands.git",)


def test_managed_policy_itself_may() -> None:
    assert sorted(merged(RULE.replace('matches = ["git push"]\n', "") + described("git")[12:]).commands) == ["git"]


def test_a_project_that_is_not_trusted_describes_nothing() -> None:
    text = described("frob")
    files = (("default", "d", read_file(default_file(), limit=1 << 20) or b""), ("project", "p.toml", text.encode()))
    assert_asks("frob x", policy=compile_policy(files))
    assert_allows("frob x", policy=compile_policy(files, project_trusted=True))


@pytest.mark.parametrize(
    ("managed", "command"),
    [
        ("[tiers.marks]\ninstall = 3", "npm install x"),
        ("[tiers.effects]\nspawn = 3", "nohup make &"),
        ('pin = ["tiers.marks.install"]', "npm install x"),
        ('pin = ["tiers.marks"]', "npm install x"),
    ],
)
def test_no_entry_for_an_action_lowers_what_managed_policy_says_of_a_mark(managed: str, command: str) -> None:
    free = 'version = 1\n[tiers.actions]\n"pkg:*" = 1\n"proc:*" = 1\n"server:*" = 1\n"exec:*" = 1\n'
    assert_allows(command, policy=merged("version = 1\n", user=free))
    policy = merged(f"version = 1\n{managed}\n", user=free)
    assert_asks(command, policy=policy)
    assert Tiers(**policy_to_wire(policy)["tiers"]) == policy.tiers
    own = merged(f'version = 1\n{managed}\n[tiers.actions]\n"pkg:*" = 1\n"proc:*" = 1\n"server:*" = 1\n', user=free)
    assert_allows(command, policy=own)  # its own entry stands instead of its own mark


def test_of_what_managed_policy_says_nothing_an_entry_for_an_action_speaks_as_before() -> None:
    policy = merged(
        "version = 1\n[tiers.marks]\ninstall = 3\n", user='version = 1\n[tiers.actions]\n"exec:*" = 1\n"git:push" = 1\n'
    )
    assert_allows("frob x", policy=policy)
    assert_allows("git push", policy=policy)


@pytest.mark.parametrize(
    "command",
    [
        "interlock install",
        "interlock install --project --yes",
        "interlock install --dry-run",
        "interlock uninstall",
        "interlock uninstall claude-code --yes",
        "interlock --home /tmp/x uninstall --yes",
        "setsid -f script -qc 'interlock uninstall --yes' /dev/null",
        "python3 -m interlock.cli uninstall --yes",
        "uvx interlock uninstall --yes",
        "pipx run interlock uninstall --yes",
        "cd /tmp && env HOME=/x interlock uninstall",
        "yes | interlock uninstall",
        "interlock doctor --fix",
    ],
)
def test_the_hooks_are_not_an_agents_to_put_in_or_take_out(command: str) -> None:
    found = decide_call(command)
    assert (found.verdict.name, "floor" in {finding.layer for finding in found.reasons}) == ("deny", True)


@pytest.mark.parametrize(
    "command", ["interlock doctor", "interlock doctor claude-code --json", "interlock status --json"]
)
def test_looking_is_free(command: str) -> None:
    assert assert_allows(command).effects != ()
