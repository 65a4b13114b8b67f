"""Tools that make something public and do little else: registries of images, of extensions, of models, of packages.

A program that nobody has described is asked about once and then remembered under its name, so a yes to `vsce package`
would be one to `vsce publish`. The row tells the two apart: what publishes cannot be taken back.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import each, project, publishes, runs_in_env
from .spec import P

if TYPE_CHECKING:
    from .spec import Program

__all__ = ["PROGRAMS"]

_IMAGE = "-f|--file:read --platform:text --insecure --allow-nondistributable-artifacts -v|--verbose"


def _image(name: str, operands: str = "text* image", **more: str) -> Program:
    """An image that comes to lie in a registry, under the name that stands last."""
    return publishes(name, "docker:push", operands, options=_IMAGE, **more)


PROGRAMS = (
    # images
    P("crane", words=2, options=_IMAGE, subs=(
        _image("push", "send image"), _image("copy", also="cp"), _image("tag"), _image("append"), _image("mutate"),
        _image("rebase"), _image("flatten"), publishes("delete", "crane:delete"),
        *each("crane", "manifest digest ls list config catalog version validate blob", "network read"),
        P("pull", "image write", action="docker:pull", does="network write"),
        P("export", "image write?", action="docker:pull", does="network write")),
      also="gcrane krane", example="crane push app.tar r.example/app:1"),
    P("oras", words=2, options="-u|--username:text -p|--password:text --plain-http --registry-config:read", subs=(
        _image("push", "image send*"), _image("attach", "image send*"), _image("copy", also="cp"), _image("tag"),
        P("manifest", subs=(_image("push", "image send?"), publishes("delete", "oras:delete"),
            *each("oras", "fetch fetch-config", "network read"))),
        P("blob", subs=(_image("push", "image send?"), publishes("delete", "oras:delete"),
            *each("oras", "fetch", "network read"))),
        P("pull", "image", options="-o|--output:write", action="docker:pull", does="network write"),
        *each("oras", "discover version", "network read"),
        P("repo", subs=each("oras", "ls list tags", "network read"))), example="oras push r.example/x:1 a.txt"),
    P("regctl", words=3, subs=(
        P("image", subs=(_image("copy", also="cp"), _image("mod"), _image("import", "image send"),
            publishes("delete", "regctl:delete"),
            *each("regctl", "manifest inspect digest ratelimit", "network read"))),
        P("tag", subs=(publishes("delete", "regctl:delete", also="rm"), *each("regctl", "ls list", "network read"))),
        *each("regctl", "version", "read")), example="regctl image copy a/b:1 c/d:1"),
    P("ko", words=2, subs=(
        _image("build", "text*", also="publish"), _image("apply", "text*", also="create resolve"),
        *each("ko", "version deps", "read")), example="ko build ./cmd/app"),
    P("cosign", words=2, subs=(_image("sign", also="attest attach copy upload clean"),
        *each("cosign", "verify verify-blob verify-attestation tree triangulate version", "network read")),
      example="cosign verify r.example/app"),
    P("cr", words=2, subs=(publishes("upload", "helm:push"), publishes("index", "helm:push"), project("package"))),
    # extensions and applications
    P("vsce", words=2, also="ovsx", subs=(
        publishes("publish", "vscode:publish", "send*", options="-p|--pat:text -i|--packagePath:send --pre-release",
            compensator="vsce unpublish"),
        publishes("unpublish", "vscode:unpublish"), project("package"),
        *each("vsce", "ls list ls-publishers verify-pat show search get", "network read")), example="vsce publish"),
    P("web-ext", words=2, subs=(publishes("sign", "webext:publish"), project("build", also="run lint"),
        *each("web-ext", "docs dump-config", "read")), example="web-ext sign"),
    P("eas", words=2, subs=(
        publishes("submit", "expo:publish", also="update deploy"), publishes("build", "expo:build"),
        *each("eas", "whoami diagnostics config", "network read")), example="eas submit"),
    P("clasp", words=2, subs=(publishes("push", "clasp:push", also="deploy redeploy undeploy"),
        *each("clasp", "status list versions deployments apis", "network read"),
        P("pull", action="clasp:pull", does="network write", also="clone")), example="clasp push"),
    P("surge", "send? text*", action="surge:deploy", does="destructive network", tags="external sends", risk="high",
        irreversible=True, compensator="surge rollback", options="-p|--project:send -d|--domain:text --help",
        dryrun="--help", example="surge dist shop.surge.sh"),
    P("eb", words=2, subs=(publishes("deploy", "eb:deploy", also="create terminate swap clone"),
        *each("eb", "status health events list", "network read")), example="eb deploy"),
    # packages
    P("jsr", words=2, subs=(publishes("publish", "jsr:publish", options="--token:text", dryrun="--dry-run"),
        P("add", "package*", also="install i", action="pkg:install", does="network write execute", tags="install")),
      example="jsr publish"),
    P("pixi", words=2, subs=(publishes("upload", "conda:upload", "text* send*"), runs_in_env("run"),
        project("task", also="build"),
        P("add", "package*", also="global", action="pkg:install", does="network write execute", tags="install"),
        P("install", action="pkg:restore", does="network write execute", tags="project", also="update lock"),
        *each("pixi", "list info tree search", "network read"), P("remove", "package*", action="pkg:remove",
            does="write execute")), example="pixi run test"),
    P("anaconda", words=2, subs=(publishes("upload", "conda:upload", "send*", also="remove move copy"),
        *each("anaconda", "show search whoami", "network read")), example="anaconda upload a.tar.bz2"),
    P("paket", words=2, subs=(publishes("push", "nuget:push", "send*"),
        P("add", "package*", action="pkg:install", does="network write", tags="install"),
        P("install", action="pkg:restore", does="network write execute", tags="project", also="restore update"),
        *each("paket", "show-installed-packages why outdated", "network read"))),
    P("cpan-upload", "send*", action="cpan:publish", does="destructive network", tags="external sends", risk="high",
        irreversible=True, compensator="delete the file on PAUSE; BackPAN keeps it"),
    # data and models
    P("hf", words=2, also="huggingface-cli", subs=(
        publishes("upload", "hf:upload", "text send* text*", also="upload-large-folder repo-files repo repos tag"),
        P("download", "text*", options="--local-dir:write --cache-dir:write --revision:text --repo-type:text "
            "--include:text --exclude:text", action="hf:download", does="network write", tags="install"),
        *each("hf", "whoami env version scan-cache", "network read")), example="hf download gpt2"),
    P("kaggle", words=3, subs=(
        *[P(name, subs=(publishes("create", "kaggle:publish", "text*", also="version push submit delete update"),
            P("download", "text*", options="-p|--path:write", action="kaggle:download", does="network write",
                also="pull output files"),
            *each("kaggle", "list status submissions leaderboard metadata", "network read")))
          for name in ("competitions", "datasets", "kernels", "models")],), example="kaggle datasets list"),
)  # fmt: skip
