"""Laws of fields that a command leaves to its settings, over every spelling that the tables have.

A rule for what is meant is never missed, one for something else never surely matches, and a grant covers nothing else.
The tables are held against the programs themselves in tests/differential.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import chosen
import clusters
from interlock.approve.grant import Grant, covers
from interlock.model.action import Action
from interlock.model.verdict import Verdict
from interlock.policy.left_open import LEFT_OPEN
from interlock.policy.model import Rule, When
from interlock.policy.rules import rule_matches, unsettled
from interlock.reading.resolve.value import Exactly, Unknown, read
from interlock.value import FrozenMap

_PARTS = 6
_VALUES = {
    "context": ("dev", "prod"), "namespace": ("web", "live", "default", "a"), "workspace": ("dev", "prod", "default"),
    "profile": ("default", "dev", "prod"),
}  # fmt: skip


def rule(field: str, pattern: str) -> Rule:
    when = When(action="*", target=FrozenMap({field: pattern}))
    return Rule(id="r", when=when, verdict=Verdict.DENY, reason="Why.")


def broken(command: str, field: str, meant: str, action: Action) -> list[str]:
    """The laws that do not hold for this spelling."""
    found, ours = [], read(action.target.get(field))
    for value in _VALUES[field]:
        matched = rule_matches(rule(field, value), action, "/")
        open_ = unsettled(rule(field, value), action, "/") is not None
        if meant == value and not matched:
            found.append(f"{command}: a rule for the {field} {value} misses it")
        if type(ours) is Unknown and not matched:
            found.append(f"{command}: a rule for the {field} {value} is ruled out, and nothing is known")
        if meant != value and type(ours) is Exactly and (matched or open_):
            found.append(f"{command}: a rule for the {field} {value} matches it")
        grant = Grant(id="g", kind="capability", action="*", scope=FrozenMap({field: value, "destination": "*"}))
        if meant != value and covers(grant, action):
            found.append(f"{command}: a grant for the {field} {value} covers it")
    return found


@pytest.mark.parametrize("part", range(_PARTS))
def test_a_rule_for_a_cluster_is_missed_in_no_spelling(part: int, tmp_path: Path) -> None:
    wrong = []
    for command, meant in list(clusters.SPELLINGS.items())[part::_PARTS]:
        action = clusters.by_us(clusters.laid(tmp_path, "as kubectl writes it"), command)
        for field, value in zip(("context", "namespace"), meant.split("/") if meant else (), strict=False):
            wrong += broken(command, field, value, action)
    assert not wrong, "\n".join(wrong)


def test_a_rule_for_a_cluster_is_missed_in_no_kubeconfig(tmp_path: Path) -> None:
    wrong = []
    for state, meant in clusters.IN_STATES.items():
        action = clusters.by_us(clusters.laid(tmp_path, state), clusters.PLAIN)
        for field, value in zip(("context", "namespace"), meant.split("/") if meant else (), strict=False):
            wrong += broken(state, field, value, action)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("field", "table"), [("workspace", chosen.WORKSPACES), ("profile", chosen.PROFILES)])
def test_a_rule_is_missed_in_no_spelling(field: str, table: dict[str, str], tmp_path: Path) -> None:
    project, wrong = chosen.laid(tmp_path), []
    for command, meant in table.items():
        if meant:
            wrong += broken(command, field, meant, chosen.by_us(project, command))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("variables", "meant"),
    [
        ({"AWS_PROFILE": "dev", "AWS_DEFAULT_PROFILE": "prod"}, "prod"),
        ({"AWS_PROFILE": "prod"}, "prod"),
        ({"AWS_PROFILE": "prod", "AWS_ACCESS_KEY_ID": "k"}, ""),
        ({"AWS_ACCESS_KEY_ID": "k"}, ""),
    ],
)
def test_variables_around_the_call_count(variables: dict[str, str], meant: str, tmp_path: Path) -> None:
    action = chosen.by_us(chosen.laid(tmp_path), chosen.AWS, **variables)
    ours = read(action.target.get("profile"))
    assert ours == Exactly(text=meant) if meant else type(ours) is Unknown


def test_a_call_may_empty_a_variable(tmp_path: Path) -> None:
    action = chosen.by_us(chosen.laid(tmp_path), "TF_WORKSPACE= terraform apply", TF_WORKSPACE="prod")
    assert action.target["workspace"] == "dev"


# A command that leaves the field to settings -> the family, the field, and one that says it.
_LEAVE = [
    ("gcloud compute instances delete x", "project", "gcloud compute instances delete x --project {}"),
    ("gcloud compute instances delete x", "zone", "gcloud compute instances delete x --zone {}"),
    ("az vm delete -n x -g y", "subscription", "az vm delete -n x -g y --subscription {}"),
    ("aws ec2 terminate-instances --instance-ids i", "region", "aws ec2 terminate-instances --region {}"),
    ("docker rm -f x", "context", "docker --context {} rm -f x"),
    ("DOCKER_CONTEXT=prod docker rm -f x", "context", "docker -c {} rm -f x"),
    ("DOCKER_HOST=tcp://prod docker rm -f x", "host", "docker -H {} rm -f x"),
    ("docker context use prod && docker rm -f x", "context", "docker --context={} rm -f x"),
    ("gh pr merge 3", "repo", "gh pr merge 3 -R {}"),
    ("gh release delete v1 -y", "repo", "gh release delete v1 -y --repo {}"),
    ("glab mr merge 3", "repo", "glab mr merge 3 -R {}"),
    ("ssh prod uptime", "host", "ssh {} uptime"),
    ("ssh -o HostName=prod.example x uptime", "host", "ssh u@{} uptime"),
    ("scp a prod:/x", "host", "scp a {}:/x"),
    ("psql -c 'drop table x'", "host", "psql -h {} -c 'drop table x'"),
    ("psql service=prod -c 'drop table x'", "database", "psql -d {} -c 'drop table x'"),
    ("psql postgres://u@db.example/prod -c 'drop table x'", "database", "psql -d {} -c 'drop table x'"),
    ("mysql -e 'drop table x'", "host", "mysql -h {} -e 'drop table x'"),
    ("redis-cli flushall", "host", "redis-cli -h {} flushall"),
    ("fly deploy", "app", "fly deploy -a {}"),
    ("heroku run bash", "app", "heroku run bash -a {}"),
    ("netlify deploy --prod", "site", "netlify deploy --prod --site {}"),
    ("firebase deploy", "project", "firebase deploy --project {}"),
]


def last(command: str, tmp_path: Path) -> Action:
    from interlock.model.call import Call
    from interlock.model.facts import Facts
    from interlock.store.facts.facts import read_with_facts

    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(tmp_path))
    facts = Facts(root=str(tmp_path), home=str(tmp_path), variables=FrozenMap({}))
    return read_with_facts(call, facts).actions[-1]


@pytest.mark.parametrize(("command", "field", "said"), _LEAVE, ids=[f"{row[0]} {row[1]}" for row in _LEAVE])
def test_a_rule_for_what_settings_choose_is_not_ruled_out(command: str, field: str, said: str, tmp_path: Path) -> None:
    action = last(command, tmp_path)
    named = rule(field, "acme.example/prod" if field == "repo" else "prod.example")
    found = unsettled(named, action, "/")
    assert rule_matches(named, action, "/")
    assert found is not None
    assert found[0] == field
    sure, other = (last(said.format(text), tmp_path) for text in (named.when.target[field], "other.example/x"))
    assert rule_matches(named, sure, "/")
    assert unsettled(named, sure, "/") is None
    assert not rule_matches(named, other, "/")


def test_a_repository_counts_in_every_spelling(tmp_path: Path) -> None:
    named = rule("repo", "acme/app")
    for spelt in ("-R acme/app", "-R github.com/acme/app", "-R https://github.com/acme/app", "--repo=acme/app"):
        action = last(f"gh pr merge 3 {spelt}", tmp_path)
        assert rule_matches(named, action, "/")
        assert unsettled(named, action, "/") is None
    assert not rule_matches(named, last("gh pr merge 3 -R acme/other", tmp_path), "/")


def test_what_has_no_such_settings_is_not_asked_about(tmp_path: Path) -> None:
    for command in ("ls", "git status", "sqlite3 a.db 'drop table x'", "kubectl config view", "curl https://a.example"):
        action = last(command, tmp_path)
        for field in {name for names in LEFT_OPEN.values() for name in names}:
            assert not rule_matches(rule(field, "prod"), action, "/"), (command, field)
