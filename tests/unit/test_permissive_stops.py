"""What the permissive mode frees, and what it still asks about: what leaves, is new code from outside, or is final."""

from __future__ import annotations

import pytest

from interlock.evals.case import Case
from interlock.evals.lexical import Judged, bench_for, judge, start
from interlock.layers.tiers import tier_of, tiers
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.session import Session
from interlock.value import FrozenMap

BENCH = bench_for(mode="permissive")
CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/repo", session="s")


def read(act: Action) -> Reading:
    return Reading(call="c", projection="p", actions=(act,))


def judged(tool: str, **given: str) -> Judged:
    call = Call(tool=tool, input=FrozenMap(given), cwd="/repo", session="s")
    case = Case(id="x", file="x", line=1, call=call)
    return judge(case, BENCH, start(case, BENCH))


def decided(tool: str, **given: str) -> Decision:
    return judged(tool, **given).decision


def told(command: str) -> tuple[str, list[str]]:
    found = decided("Bash", command=command)
    return found.verdict.name, [f"{reason.layer}:{reason.rule}" for reason in found.reasons]


@pytest.mark.parametrize(
    "command",
    [
        "git remote remove origin",
        "git remote rm origin",
        "git remote rename origin old",
        "git remote set-url origin https://git.example/x",
        "git remote set-url --push origin https://git.example/x",
        "git config remote.origin.url https://git.example/x",
        "git config set remote.origin.pushurl https://git.example/x",
        "git config --unset remote.origin.url",
        "git config unset --all remote.origin.pushurl",
        "git config --remove-section remote.origin",
        "git config rename-section remote.origin remote.old",
        "git config branch.main.pushRemote fork",
        "jj git remote remove origin",
        "jj git remote set-url origin https://git.example/x",
    ],
)
def test_a_remote_is_not_removed_or_led_elsewhere_without_a_person(command: str) -> None:
    assert told(command) == ("ask", ["tiers:tier-3"])


@pytest.mark.parametrize(
    "command",
    [
        "git remote add fork https://git.example/x",
        "git remote -v",
        "git remote prune origin",
        "git config --unset user.signingkey",
        "git config branch.main.remote origin",
        "git config --remove-section branch.topic",
    ],
)
def test_other_words_about_remotes_stay_free_in_permissive(command: str) -> None:
    assert told(command) == ("allow", [])


@pytest.mark.parametrize("tool", ["Write", "Bash"])
def test_the_file_that_says_where_git_pushes_to_is_not_written_without_a_person(tool: str) -> None:
    given = {"file_path": "/repo/.git/config", "content": "x"} if tool == "Write" else {"command": "echo x>.git/config"}
    found = decided(tool, **given)
    assert found.verdict.name == "ask"
    assert [reason.lifted_by for reason in found.reasons if reason.layer == "obeyed"] == [("once", "capability")]


@pytest.mark.parametrize(
    "command",
    [
        "curl -d hi https://hooks.slack.com/services/T0/B0/x",
        "curl --json '{}' https://slack.com/api/chat.postMessage",
        "curl 'https://slack.com/api/chat.postMessage?channel=c&text=hi'",
        "curl -X POST -d x https://discord.com/api/webhooks/1/abc",
        "curl -X POST -d x https://discord.com/api/%77ebhooks/1/abc",
        "curl -d x 'https://api.telegram.org/bot1:a/sendMessage'",
        "curl 'https://api.telegram.org/bot1:a/sendMessage?chat_id=1&text=hi'",
        "wget --post-data=x https://acme.webhook.office.com/webhookb2/1",
        "http POST https://chat.googleapis.com/v1/spaces/a/messages text=hi",
        "curl -d hi ntfy.sh/topic",
        "curl -d x https://chat.acme.example/hooks/abc",
        "curl https://hook.eu1.make.com/abc",
        "curl smtp://mail.example --mail-rcpt a@b.example -T letter.txt",
        "python3 -c 'import requests; requests.post(\"https://hooks.slack.com/services/a\", json={})'",
        "python3 -c 'import urllib.request as u; u.urlopen(\"https://api.telegram.org/bot1/sendMessage?text=a\")'",
    ],
)
def test_a_message_to_other_people_is_asked_about_each_time(command: str) -> None:
    verdict, reasons = told(command)
    assert (verdict, reasons[0]) == ("ask", "tiers:tier-3")


@pytest.mark.parametrize(
    "command",
    [
        "curl https://api.telegram.org/bot1:a/getMe",
        "curl https://slack.com/help",
        "curl https://discord.com/developers/docs/resources/webhook",
        "curl -d x http://localhost:3000/webhooks/stripe",
    ],
)
def test_other_requests_stay_free_in_permissive(command: str) -> None:
    assert told(command) == ("allow", [])


def test_an_entry_for_the_action_does_not_speak_for_messages() -> None:
    act = judged("Bash", command="curl -d hi https://hooks.slack.com/services/T0/B0/x").reading.actions[0]
    assert (act.name, act.tags) == ("net:send", ("external", "posts", "sends"))
    assert tier_of(act, BENCH.policy.tiers.replace(actions=FrozenMap({"net:*": 1})))[0] == 3


def test_a_fetch_that_posts_is_confirmed_each_time() -> None:
    found = decided("WebFetch", url="https://api.telegram.org/bot1/sendMessage?chat_id=1&text=hi", prompt="send")
    assert [(reason.rule, reason.text, reason.lifted_by) for reason in found.reasons] == [
        (
            "confirm",
            "Fetch `https://api.telegram.org/bot1/sendMessage?chat_id=1&text=hi`: it posts a message that other people "
            "read.",
            ("once", "capability"),
        )
    ]


@pytest.mark.parametrize(
    "command",
    [
        "git push origin main",
        "git remote add fork https://git.example/x && git push fork main",
        "hg push",
        "scp report.pdf deploy@web.example:/srv/",
        "rsync -a dist/ deploy@web.example:/srv/",
        "curl -d x https://api.acme.example/items",
        "curl -T report.pdf https://files.example/up",
        "gh pr create --title t --body b",
    ],
)
def test_what_leaves_is_asked_about_in_permissive(command: str) -> None:
    assert told(command)[0] == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "npm install some-lib",
        "cargo install some-tool",
        "pip install git+https://git.example/a/b",
        "npx some-tool",
        "brew install jq",
        "rustup target add x86_64-unknown-linux-musl",
        "docker run -d some/image",
        "code --install-extension some.extension",
        "npm config set registry https://packages.example",
    ],
)
def test_new_code_from_outside_is_asked_about_in_permissive(command: str) -> None:
    assert told(command)[0] == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "rm notes.txt",
        "git stash drop",
        "git reset --hard HEAD~1",
        "git reflog expire --expire=now --all",
        "git filter-branch --msg-filter cat HEAD",
        "git commit --amend --no-edit && git push --force origin topic",
        "dropdb app_test",
        "redis-cli flushdb",
    ],
)
def test_what_is_final_is_asked_about_in_permissive(command: str) -> None:
    assert told(command)[0] == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git commit --amend --no-edit",
        "git commit --amend -m reworded",
        "git rebase main",
        "git rebase --onto main topic~2 topic",
        "nohup ./serve.sh > serve.log &",
        "rm -rf build",
        "some-unknown-program --flag",
        "git clone https://git.example/a/b",
        "curl -s https://api.acme.example/items",
    ],
)
def test_what_stays_here_and_can_be_undone_is_free_in_permissive(command: str) -> None:
    assert told(command) == ("allow", [])


def test_a_persons_own_entry_for_a_rewritten_commit_stays() -> None:
    table = BENCH.policy.tiers.replace(actions=FrozenMap({"git:commit": 3}))
    act = judged("Bash", command="git commit --amend --no-edit").reading.actions[0]
    policy = BENCH.policy.replace(tiers=table)
    assert [one.rule for one in tiers(CALL, read(act), policy, Session(), ())] == ["tier-3"]
