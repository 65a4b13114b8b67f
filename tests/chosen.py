"""Ways to choose a workspace for terraform and a profile for aws, and what the programs themselves then go by."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.environment import says_where
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

TERRAFORM = "terraform apply"
AWS = "aws ec2 terminate-instances --instance-ids i"

# Workspace -> what chooses it, and then applies; the project has `dev`, the folder infra `prod`. With none terraform
# refuses, or does it nowhere.
_WORKSPACES = {
    "dev": (
        "terraform apply",
        "TF_WORKSPACE= terraform apply",
        "TF_DATA_DIR=.terraform terraform apply",
        "terraform -chdir=. apply",
        "terraform -chdir=./sub/../. apply",
        "cd infra && TF_DATA_DIR=../.terraform terraform apply",
        "export TF_WORKSPACE=prod; unset TF_WORKSPACE; terraform apply",
        "(cd infra && terraform workspace select default); terraform apply",
        "terraform workspace select nowhere; terraform apply",
        "terraform -chdir=infra workspace select prod && terraform apply",
        "TF_DATA_DIR=other terraform workspace new prod; terraform apply",
        "(export TF_WORKSPACE=prod); terraform apply",
        "TF_WORKSPACE=dev terraform -chdir=infra apply",
        "cd infra && cd .. && terraform apply",
        "true || terraform workspace select prod; terraform apply",
        "terraform workspace list; terraform apply",
        "W=prod; terraform apply",
        "terraform workspace show | grep prod; terraform apply",
    ),
    "prod": (
        "terraform -chdir=infra apply",
        "terraform -chdir=./infra/ apply",
        'terraform -chdir="$PWD/infra" apply',
        "cd infra && terraform apply",
        "(cd infra; terraform apply)",
        "pushd infra && terraform apply",
        "TF_WORKSPACE=prod terraform apply",
        "TF_WORKSPACE='prod' terraform apply",
        'TF_WORKSPACE="pr""od" terraform apply',
        "env TF_WORKSPACE=prod terraform apply",
        "export TF_WORKSPACE=prod; terraform apply",
        "export TF_WORKSPACE=prod && terraform -chdir=. apply",
        "W=prod; TF_WORKSPACE=$W terraform apply",
        "TF_WORKSPACE=$(echo prod) terraform apply",
        "declare -x TF_WORKSPACE=prod; terraform apply",
        "TF_WORKSPACE=prod; export TF_WORKSPACE; terraform apply",
        "set -a; TF_WORKSPACE=prod; terraform apply",
        "bash -c 'TF_WORKSPACE=prod terraform apply'",
        "TF_WORKSPACE=prod bash -c 'terraform apply'",
        "TF_DATA_DIR=infra/.terraform terraform apply",
        'TF_DATA_DIR="$PWD/infra/.terraform" terraform apply',
        "export TF_DATA_DIR=infra/.terraform; terraform apply",
        "terraform workspace select prod && terraform apply",
        "terraform workspace select prod; terraform apply",
        "terraform workspace select -or-create prod && terraform apply",
        "terraform workspace select -or-create=true prod && terraform apply",
        "terraform workspace new -lock=false prod || terraform workspace select prod; terraform apply",
        "terraform env select prod && terraform apply",
        "terraform workspace select dev && terraform workspace select prod && terraform apply",
        "terraform -chdir=. workspace select prod && terraform apply",
        "cd sub && terraform -chdir=.. workspace select prod && cd .. && terraform apply",
        "TF_DATA_DIR=infra/.terraform terraform workspace select prod; TF_DATA_DIR=infra/.terraform terraform apply",
        'W=prod; terraform workspace select "$W" && terraform apply',
        "terraform workspace select $(echo prod) && terraform apply",
        "printf prod > .terraform/environment; terraform apply",
        "echo ' prod ' > .terraform/environment; terraform apply",
        "cp infra/.terraform/environment .terraform/environment && terraform apply",
        "cp -r infra/.terraform . && terraform apply",
        "cp -r infra/. . && terraform apply",
        "ln -sfn infra i; cd i && terraform apply",
        "tee .terraform/environment <<< prod; terraform apply",
        "sed -i s/dev/prod/ .terraform/environment; terraform apply",
        "python3 -c \"open('.terraform/environment', 'w').write('prod')\"; terraform apply",
        "rm -r .terraform; mv infra/.terraform . ; terraform apply",
        "ln -sfn infra/.terraform tf; TF_DATA_DIR=tf terraform apply",
    ),
    "default": (
        "cd sub && terraform apply",
        "TF_DATA_DIR=nowhere terraform apply",
        "terraform workspace select default && terraform apply",
        "rm .terraform/environment; terraform apply",
        "rm -rf .terraform && terraform apply",
        "cd infra && terraform workspace select default && terraform apply",
        "TF_DATA_DIR=infra/.terraform terraform -chdir=sub apply",
    ),
    "new": (
        "terraform workspace new new && terraform apply",
        "terraform workspace select -or-create=true new && terraform apply",
    ),
    "": ("terraform -chdir infra apply", "terraform -chdir=nowhere apply"),
}  # fmt: skip
WORKSPACES = {command: meant for meant, commands in _WORKSPACES.items() for command in commands}

# The same of a profile. `keys` are keys in variables, which belong to nobody that is named.
_PROFILES = {
    "default": (AWS, f"{AWS} --profile default", f"export AWS_PROFILE=prod; unset AWS_PROFILE; {AWS}"),
    "dev": (
        f"AWS_PROFILE=dev {AWS}",
        f"AWS_PROFILE=prod AWS_DEFAULT_PROFILE=dev {AWS}",
        f"AWS_PROFILE=prod {AWS} --profile dev",
        f"AWS_PROFILE=prod {AWS} --profile=dev",
        f"{AWS} --profile prod --profile dev",
        f"AWS_PROFILE=dev {AWS} --profile ''",
        f"AWS_PROFILE=dev {AWS} --region eu-west-1",
        f"aws_profile=prod AWS_PROFILE=dev {AWS}",
    ),
    "prod": (
        f"{AWS} --profile prod",
        f"{AWS} --profile=prod",
        f"{AWS} --profil prod",
        f"{AWS} --prof=prod",
        AWS.replace("aws", "aws --profile prod"),
        AWS.replace("aws", "aws --region eu-west-1 --profile=prod"),
        AWS.replace("aws", "aws --pro prod"),
        AWS.replace("aws", "aws --profile 'pr'od"),
        f"AWS_PROFILE=prod {AWS}",
        f"AWS_DEFAULT_PROFILE=prod {AWS}",
        f"AWS_PROFILE=dev AWS_DEFAULT_PROFILE=prod {AWS}",
        f"export AWS_PROFILE=prod; {AWS}",
        f"export AWS_PROFILE=prod && {AWS} --output json",
        f"env AWS_PROFILE=prod {AWS}",
        f"P=prod; {AWS} --profile $P",
        f"{AWS} --profile $(echo prod)",
        f"{AWS} --profile dev --profile prod",
        f"AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s {AWS} --profile prod",
    ),
    "keys": (
        f"AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s {AWS}",
        f"AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s AWS_PROFILE=dev {AWS}",
        f"export AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s; {AWS}",
    ),
    "": (f"AWS_PROFILE=nowhere {AWS}", f"AWS_PROFILE= {AWS}", f"AWS_DEFAULT_PROFILE= AWS_PROFILE=prod {AWS}"),
}  # fmt: skip
PROFILES = {command: meant for meant, commands in _PROFILES.items() for command in commands}

_AWS_CONFIG = "[default]\nregion = us-east-1\n[profile dev]\nregion = us-east-2\n[profile prod]\nregion = eu-west-1\n"
_AWS_KEYS = "".join(
    f"[{name}]\naws_access_key_id = AKIA{name}\naws_secret_access_key = x\n" for name in ("default", "dev", "prod")
)


def laid(at: Path) -> Path:
    """The person's folder, and in it a project with two folders of terraform."""
    project = at / "project"
    for folder, workspace in ((project, "dev"), (project / "infra", "prod"), (project / "sub", "")):
        (folder / ".terraform").mkdir(parents=True)
        (folder / "main.tf").write_text('output "w" { value = terraform.workspace }\n')
        if workspace:
            (folder / ".terraform/environment").write_text(workspace)
            for name in ("dev", "prod"):
                (folder / f"terraform.tfstate.d/{name}").mkdir(parents=True)
    (at / ".aws").mkdir()
    (at / ".aws/config").write_text(_AWS_CONFIG)
    (at / ".aws/credentials").write_text(_AWS_KEYS)
    return project


def by_terraform(project: Path, command: str) -> str:
    """The workspace that is in force where it would apply."""
    done = _run(project, command.replace(" apply", " workspace show"), {"CHECKPOINT_DISABLE": "1"})
    last = [line for line in done.splitlines() if line.strip()][-1:]
    return last[0] if last and re.fullmatch("[a-z]+", last[0]) else ""


def by_aws(project: Path, command: str) -> str:
    """The profile whose keys would sign it."""
    line = command.replace("ec2 terminate-instances --instance-ids i", "configure list")
    done = _run(project, line, {"AWS_EC2_METADATA_DISABLED": "true"})
    found = re.search(r"access_key\s*:?\s*\*+(\S+)[\s:]+(\S+)", done)
    if found is None:
        return ""
    return (
        "keys"
        if found[2] == "env"
        else next(name for name in ("default", "dev", "prod") if name.endswith(found[1][-3:]))
    )


@cache
def _aws_folder() -> str:
    """Where aws itself lies, where pyenv stands before it; with a colon."""
    if not shutil.which("pyenv"):
        return ""
    done = subprocess.run(["pyenv", "which", "aws"], capture_output=True, text=True, check=False)
    return f"{Path(done.stdout.strip()).parent}:" if done.returncode == 0 else ""


def _run(project: Path, command: str, more: dict[str, str]) -> str:
    env = {"PATH": f"{_aws_folder()}{os.environ['PATH']}", "HOME": str(project.parent), **more}
    done = subprocess.run(["bash", "-c", command], cwd=project, env=env, capture_output=True, text=True, check=False)
    return done.stdout


def by_us(project: Path, command: str, **variables: str) -> Action:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(project))
    facts = Facts(root=str(project), home=str(project.parent), variables=says_where(variables))
    actions = read_with_facts(call, facts).actions
    wanted = ("terraform:apply", "aws:ec2:terminate-instances")
    return next(action for action in reversed(actions) if action.name in wanted)


__all__ = ["AWS", "PROFILES", "TERRAFORM", "WORKSPACES", "by_aws", "by_terraform", "by_us", "laid"]
