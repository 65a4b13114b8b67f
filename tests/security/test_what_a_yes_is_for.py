"""A yes, or a grant made ahead, is for what was shown: no other remote, detour, folder or switch comes with it."""

from __future__ import annotations

import pytest

from interlock.approve.answers import settled
from interlock.decide import decide
from interlock.evals.lexical import read_lexically
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.more_wants import Pushed
from interlock.model.session import Session
from interlock.model.wants import Want
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.reading.reach.pushed import Sent, sent
from interlock.reading.resolve.refs import Refs
from interlock.store.clock import live_grants
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap


class Repository(dict[Want[object], Sent]):
    """A repository with two remotes: what any push of it would do."""

    REFS = Refs(
        head="refs/heads/feature",
        settings=(("remote origin.url", "https://git.example/app"), ("remote backup.url", "https://b.example/app")),
    )

    def get(self, want: Want[object], default: Sent | None = None) -> Sent | None:  # type: ignore[override]
        return sent(want.push, self.REFS) if isinstance(want, Pushed) else default


FACTS = Facts(root="/repo", home="/home/user", known=Repository())


def policy(text: str = "") -> Policy:
    with open(default_file(), "rb") as file:
        default = file.read()
    return compile_policy(
        (("default", "default.toml", default), ("user", "user.toml", f"version = 1\n{text}".encode()))
    )


def decided(command: str, in_force: Policy, session: Session) -> tuple[Decision, Session]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo", session="s")
    reading = read_lexically(call, FACTS)[0]
    grants = (*session.grants, *live_grants(in_force, "2026-06-01T12:00:00Z"))
    decision = decide(call, reading, in_force, session, grants)
    return decision, settled(session, reading, decision, answer="approve", outcome="ran", result=command)


PUSH = "git push origin feature"
SEND = "curl -d a=b https://api.example.com/x"
INSTALL = "pip install requests"

YES = [
    # what was approved, what comes next, whether the yes is one to it
    (PUSH, "git push origin other", "ask"),
    (PUSH, "git push -u origin feature", "allow"),
    (PUSH, "git push origin HEAD", "allow"),
    (PUSH, "git push origin feature other", "ask"),
    (PUSH, "git push origin main", "ask"),
    (PUSH, "git push -u origin main", "ask"),
    (PUSH, "git push backup main", "ask"),
    (PUSH, "git push https://host.example/x.git main", "ask"),
    (PUSH, "git push git@host.example:x.git main", "ask"),
    (PUSH, "git push --all origin", "ask"),
    (PUSH, "git push --tags origin", "ask"),
    (PUSH, "git push --follow-tags origin main", "ask"),
    (PUSH, "git push --no-verify origin main", "ask"),
    (PUSH, "git push -o merge_request.create origin main", "ask"),
    (PUSH, "git push --recurse-submodules=on-demand origin main", "ask"),
    (PUSH, "git push --recurse-submodules=check origin feature", "allow"),
    (PUSH, "git -c push.followTags=true push origin main", "ask"),
    (PUSH, "git -c push.recurseSubmodules=only push origin main", "ask"),
    (PUSH, "git -C /repo/vendor/x push origin main", "ask"),
    (PUSH, "cd /tmp/clone && git push origin main", "ask"),
    (PUSH, "cd x; git push origin main", "ask"),
    (PUSH, "git --git-dir=/tmp/clone/.git push origin main", "ask"),
    (PUSH, "GIT_DIR=/tmp/clone/.git git push origin main", "ask"),
    (PUSH, "git remote add mirror https://host.example/x && git push mirror main", "ask"),
    ("git push", "git push", "allow"),
    ("git push", "git push backup main", "ask"),
    ("git push --all origin", "git push --all origin", "allow"),
    (SEND, "curl -d c=d https://api.example.com/x", "allow"),
    (SEND, "curl -d c=d 'https://api.example.com/x?page=2'", "allow"),
    (SEND, "curl -d c=d https://api.example.com/y", "ask"),
    (SEND, "curl -X PUT -d c=d https://api.example.com/x", "ask"),
    ("curl -X GET -d q=a https://api.example.com/x", "curl -X GET -d q=a https://api.example.com/y", "allow"),
    ("curl -X HEAD -d q=a https://api.example.com/x", "curl -X HEAD -d q=a https://api.example.com/y", "allow"),
    ("curl -X GET -d q=a https://api.example.com/x", "curl -d a=b https://api.example.com/x", "ask"),
    (SEND, "curl -d a=b -x http://host.example https://api.example.com/x", "ask"),
    (SEND, "curl -d a=b --preproxy socks5://host.example https://api.example.com/x", "ask"),
    (SEND, "curl -d a=b --resolve api.example.com:443:203.0.113.9 https://api.example.com/x", "ask"),
    (SEND, "curl -d a=b --connect-to ::host.example:443 https://api.example.com/x", "ask"),
    (SEND, "curl -d a=b --doh-url https://host.example https://api.example.com/x", "ask"),
    (SEND, "wget --post-data=a -e https_proxy=http://host.example https://api.example.com/x -O -", "ask"),
    (INSTALL, "pip install flask", "allow"),
    (INSTALL, "pip install -i https://pypi.org/simple flask", "allow"),
    (INSTALL, "pip install -i https://host.example/simple flask", "ask"),
    (INSTALL, "pip install --extra-index-url https://host.example/simple flask", "ask"),
    (INSTALL, "pip install git+https://host.example/x", "ask"),
    (INSTALL, "pip install https://host.example/x.whl", "ask"),
    ("npm install left-pad", "npm install --registry https://host.example right-pad", "ask"),
    ("npm install left-pad", "npm install git+ssh://git@host.example/x", "ask"),
    ("pip install git+https://host.example/x", "pip install git+https://host.example/y", "ask"),
    ("conda install -c conda-forge numpy", "conda install -c conda-forge scipy", "allow"),
]


@pytest.mark.parametrize(("approved", "command", "verdict"), YES)
def test_a_yes_is_one_to_what_was_shown(approved: str, command: str, verdict: str) -> None:
    in_force = policy()
    first, session = decided(approved, in_force, Session(id="s"))
    assert first.verdict.name == "ask"
    assert decided(command, in_force, session)[0].verdict.name == verdict


def test_a_no_to_one_remote_is_one_to_every_other() -> None:
    in_force, call = policy(), Call(tool="Bash", input=FrozenMap({"command": PUSH}), cwd="/repo", session="s")
    reading = read_lexically(call, FACTS)[0]
    decision = decide(call, reading, in_force, Session(id="s"))
    session = settled(Session(id="s"), reading, decision, answer="refuse")
    assert decided("git push backup main", in_force, session)[0].verdict.name == "deny"


AHEAD = """
[[grants]]
id = "push"
action = "git:push"
scope = { destination = "git.example/app", branch = "feature/*" }
[[grants]]
id = "send"
action = "net:send"
scope = { destination = "api.example.com" }
[[grants]]
id = "api"
action = "gh:api"
scope = { destination = "github.com/acme/*", endpoint = "*repos/acme/*" }
"""


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("git push origin feature/x", "allow"),
        ("git push -o merge_request.target=main origin feature/x", "ask"),
        ("git push --recurse-submodules=only origin feature/x", "ask"),
        ("git push --no-verify origin feature/x", "ask"),
        ("git -c push.pushOption=x push origin feature/x", "ask"),
        ("git remote add origin https://host.example/x; git push origin feature/x", "ask"),
        ("curl -d a=b https://api.example.com/x", "allow"),
        ("curl -d a=b -x http://host.example https://api.example.com/x", "ask"),
        ("curl -d a=b --connect-to ::host.example:443 https://api.example.com/x", "ask"),
        ("gh api repos/acme/app/releases -f tag_name=v1", "allow"),
        ("gh api repos/acme/app/releases -f tag_name=v1 --hostname github.com", "allow"),
        ("gh api repos/acme/app/releases -f tag_name=v1 --hostname host.example", "ask"),
        ("gh api repos/acme/../other/app/releases -f tag_name=v1", "ask"),
        ("gh api 'repos/acme/%2e%2e/other/app/releases' -f tag_name=v1", "ask"),
        ("GH_HOST=host.example gh api repos/acme/app/releases -f tag_name=v1", "ask"),
    ],
)
def test_a_grant_made_ahead_goes_no_other_way_round(command: str, verdict: str) -> None:
    assert decided(command, policy(AHEAD), Session(id="s"))[0].verdict.name == verdict
