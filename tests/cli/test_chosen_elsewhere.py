"""A cluster, a namespace, a workspace or a profile that settings choose counts as if it stood in the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.resolve.kubeconfig import current_context, namespace_of
from interlock.reading.resolve.settings import workspace_in
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap
from machine import Machine

KUBE = """\
apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://dev.example
  name: dev
contexts:
- context:
    cluster: dev
    namespace: web
    user: me
  name: dev
- context:
    cluster: prod
    user: me
  name: prod-eu
current-context: {current}
users: []
"""
POLICY = """\
version = 1

[[rules]]
id = "no-prod"
when = { action = "kubectl:*", target = { context = "prod-*" } }
verdict = "deny"
reason = "Production changes go through the pipeline."

[[rules]]
id = "no-prod-state"
when = { action = "terraform:*", target = { workspace = "prod" } }
verdict = "deny"
reason = "Production changes go through the pipeline."
"""


def target(home: Path, command: str, **variables: str) -> dict[str, object]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(home / "project"))
    facts = Facts(root=str(home / "project"), home=str(home), variables=FrozenMap(variables))
    action = read_with_facts(call, facts).actions[-1]
    return {
        field: action.target[field]
        for field in ("context", "namespace", "workspace", "profile")
        if field in action.target
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube/config").write_text(KUBE.format(current="dev"))
    (tmp_path / "project/infra/.terraform").mkdir(parents=True)
    (tmp_path / "project/infra/.terraform/environment").write_text("prod")
    (tmp_path / "project/other.yaml").write_text(KUBE.format(current="prod-eu"))
    return tmp_path


DEV = {"context": "dev", "namespace": "web"}
PROD = {"context": "prod-eu", "namespace": "default"}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("kubectl delete pod x", DEV),
        ("kubectl --context prod-eu delete pod x", PROD),
        ("kubectl --context=prod-eu -n a delete pod x", {"context": "prod-eu", "namespace": "a"}),
        ("KUBECONFIG=other.yaml kubectl delete pod x", PROD),
        ("kubectl --kubeconfig other.yaml delete pod x", PROD),
        ("kubectl apply -f x.yaml", {"context": "dev", "namespace": ("web", "… a manifest may name another")}),
        ("kubectl get pods -A", {"context": "dev", "namespace": ("web", "… it is for all namespaces")}),
        (
            "kubectl config use-context prod-eu && kubectl delete pod x",
            PROD,
        ),
        ("helm upgrade app ./c", DEV),
        ("terraform apply", {"workspace": "default"}),
        ("terraform -chdir=infra apply", {"workspace": "prod"}),
        ("cd infra && terraform apply", {"workspace": "prod"}),
        ("TF_WORKSPACE=stage terraform -chdir=infra apply", {"workspace": "stage"}),
        ("terraform workspace select prod && terraform apply", {"workspace": "prod"}),
        ("terraform workspace select prod; terraform apply", {"workspace": ("… one of", "default", "prod")}),
        ("terraform workspace select prod && terraform -chdir=infra apply", {"workspace": "prod"}),
        ("terraform workspace select a && cd infra && terraform apply", {"workspace": "prod"}),
        ("TF_DATA_DIR=infra/.terraform terraform apply", {"workspace": "prod"}),
        ("export AWS_PROFILE=prod; aws ec2 terminate-instances --instance-ids i", {"profile": "prod"}),
        ("aws ec2 terminate-instances --instance-ids i", {"profile": "default"}),
    ],
)
def test_what_the_settings_choose_is_part_of_the_target(home: Path, command: str, said: dict[str, object]) -> None:
    assert target(home, command) == said


def test_variables_of_the_host_count(home: Path) -> None:
    assert target(home, "terraform apply", TF_WORKSPACE="stage") == {"workspace": "stage"}
    assert target(home, "kubectl delete pod x", KUBECONFIG=str(home / "project/other.yaml")) == PROD


def test_without_a_kubeconfig_no_cluster_is_named(home: Path) -> None:
    (home / ".kube/config").unlink()
    assert target(home, "kubectl delete pod x") == {}


def test_a_kubeconfig_in_another_style_of_yaml_is_not_guessed_at() -> None:
    flow = "contexts: [{name: a, context: {cluster: c, namespace: n}}]\ncurrent-context: a\n"
    assert (current_context([flow]), namespace_of("a", [flow])) == (None, None)
    assert current_context(['{"current-context": "a"}']) is None
    assert [current_context([text]) for text in ("current-context: 'a b' # x\n", 'current-context: ""\n')] == [
        "a b",
        "",
    ]
    assert current_context(["", KUBE.format(current="x")]) == "x"
    assert namespace_of("prod-eu", [KUBE.format(current="dev")]) == "default"
    assert [workspace_in(text) for text in (None, "", "a\n")] == ["default", "default", "a"]


def decide(machine: Machine, command: str) -> str:
    return str(machine.decide("Bash", command=command).json["verdict"])


def test_rules_know_the_workspace_and_deny_only_what_is_known(machine: Machine) -> None:
    machine.user_policy(POLICY)
    (machine.project / ".terraform").mkdir()
    (machine.project / ".terraform/environment").write_text("dev")
    assert decide(machine, "terraform plan") == "allow"
    assert decide(machine, "terraform workspace select prod && terraform plan") == "deny"
    assert decide(machine, "TF_WORKSPACE=prod terraform plan") == "deny"
    assert decide(machine, 'terraform workspace select "$W" && terraform plan') == "ask"
    (machine.project / ".terraform/environment").write_text("prod")
    assert decide(machine, "terraform plan") == "deny"
    assert decide(machine, "TF_WORKSPACE=dev terraform plan") == "allow"
