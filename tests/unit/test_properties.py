"""Settings on a command line, `NAME=VALUE`: those that run something, load something or lead elsewhere."""

from __future__ import annotations

import pytest

from verdicts import allowed

TOLD = """
tox -x 'testenv.commands=rm -rf ~/Documents'
tox --override testenv.commands_pre='rm -rf ~/Documents'
tox -x testenv.allowlist_externals=rm
tox -x testenv:py311.deps+=other
tox -x testenv.set_env=LD_PRELOAD=/tmp/x.so
dotnet build -p:PreBuildEvent='rm -rf ~/Documents'
dotnet build '-p:Configuration=Release;PostBuildEvent=rm -rf ~/Documents'
dotnet build --property:PreBuildEvent='rm -rf ~/Documents'
dotnet build --property PreBuildEvent='rm -rf ~/Documents'
dotnet publish /p:PostBuildEvent='rm -rf ~/Documents'
dotnet run -p:StartCommand='rm -rf ~/Documents'
dotnet build -p:CustomBeforeMicrosoftCommonTargets=/tmp/x.targets
dotnet build -p:DirectoryBuildPropsPath=../../x.props
dotnet restore -p:RestoreSources=https://packages.example/x
dotnet build -logger:Other,/tmp/x.dll
dotnet test --logger:/tmp/x.dll
dotnet msbuild -t:Build -p:PreBuildEvent='rm -rf ~/Documents'
msbuild /p:PreBuildEvent='rm -rf ~/Documents'
msbuild -dl:Other,/tmp/x.dll
bazel build --workspace_status_command=/tmp/x //...
bazel build --credential_helper=/tmp/x //...
bazel test --credential_helper=packages.example=/tmp/x //...
bazel build --override_repository=x=/tmp/other //...
bazel build --override_module=x=/tmp/other //...
bazel build --registry=https://packages.example //...
bazel fetch --registry=https://packages.example //...
kubectl config set users.u.exec.command /tmp/x
kubectl config set clusters.c.server https://cluster.example
kubectl config set users.u.auth-provider.name gcp
kubectl config set-credentials u --exec-command=/tmp/x
kubectl config set-credentials u --auth-provider=gcp
oc config set-credentials u --exec-command /tmp/x
kubectl kustomize --enable-alpha-plugins --enable-exec .
kubectl kustomize --enable-helm --helm-command /tmp/x .
terraform init -from-module=git::https://modules.example/m
tofu init -from-module=someone/consul/aws
terragrunt init -from-module=git::https://modules.example/m
terragrunt plan --terragrunt-source git::https://modules.example/m
echo 'file("/home/someone/.netrc")' | terraform console
terraform console <<< 'nonsensitive(filebase64( "/home/someone/.netrc" ))'
echo 'file("/home/someone/.${"netrc"}")' | terraform console
echo 'file(join("/", ["", "home"]))' | tofu console
echo 'templatefile("/home/someone/.netrc", {})' | terraform -chdir=infra console
"""

EVERYDAY = """
tox -e py311
tox -x testenv.ignore_errors=true
dotnet build -p:Configuration=Release -p:Version=1.2.3
dotnet build /p:Configuration=Release
dotnet build --property:Configuration=Release
dotnet build -p:OutputPath=/tmp/out/
dotnet build -bl:build.binlog
dotnet build src/App.csproj
dotnet run --project src/App -- --verbose
dotnet publish -c Release -p:PublishSingleFile=true -o out
dotnet pack -p:PackageProjectUrl=https://example.com -p:RepositoryUrl=https://github.com/me/x
dotnet restore -p:RestoreSources=https://api.nuget.org/v3/index.json
dotnet test --logger trx
dotnet test --logger:trx
dotnet test -l "console;verbosity=detailed"
msbuild App.sln /m /nologo /v:minimal /t:Build /p:Configuration=Release
bazel build //...
bazel test //... --test_output=errors
bazel build --override_repository=x=third_party/x //...
bazel build --registry=https://bcr.bazel.build //...
bazel build --workspace_status_command=tools/status.sh //...
kubectl config use-context dev
kubectl config set-context --current --namespace=web
kubectl config set contexts.dev.namespace web
kubectl config set-credentials u --exec-command=aws --exec-arg=eks
kubectl kustomize --enable-helm overlays/dev
kustomize build overlays/dev
terraform init -backend=false
terraform validate
terragrunt plan
terraform console
echo 'cidrsubnet("10.0.0.0/8", 8, 1)' | terraform console
echo 'file("main.tf")' | terraform console
"""


def test_what_leads_to_code_is_asked_about() -> None:
    assert allowed(TOLD) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_ordinary_settings_stay_free(line: str) -> None:
    assert allowed(line) == [line]
