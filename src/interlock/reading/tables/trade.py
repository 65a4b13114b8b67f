"""Tools of the trade that come with no language: linters, scanners, viewers, runners of tasks, helpers of clusters.

What is looked at is free, what is edited in the project is a write, and what runs the project's own code says so.
Sub-commands that publish, send or delete have rows of their own, or none, and are then unknown.
"""

from __future__ import annotations

from .kinds import EDITS, each, project
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_OUT = "-o|--output:write -f|--format:text -c|--config:read"
_FIXES = "--fix!fix -w|--write!fix -i|--in-place!fix"
_REDIRECTS = {"operand": Adds(effects=effects("write"), tags=("redirects",))}
_PROCFILE = "-f|--procfile:runs -e|--env:taken -p|--port:number -d|--root:runs"
_DOTENV = "-e|-f|--file:taken -v:text -c -o -q"
_SERVES = "-p|--port:number -b|--bind:text -C|--config:runs -e|--environment:text -d|--daemon"


def _looks(names: str, operands: str = "list*", options: str = _OUT) -> tuple[object, ...]:
    return tuple([P(name, operands, does="read", options=options) for name in names.split()])


_DEV = (
    "--workspace-folder:runs --config:runs --override-config:runs --docker-path:starts --docker-compose-path:starts "
    "--container-data-folder:text --container-system-data-folder:text --container-session-data-folder:text "
    "--workspace-mount-consistency:text --gpu-availability:text --mount-workspace-git-root?:text --id-label:text "
    "--container-id:text --log-level:text --log-format:text --terminal-columns:number --terminal-rows:number "
    "--default-user-env-probe:text --update-remote-user-uid-default:text --remove-existing-container?:text "
    "--build-no-cache?:text --expect-existing-container?:text --skip-post-create?:text --prebuild?:text "
    "--skip-non-blocking-commands?:text --skip-post-attach?:text --user-data-folder:text --mount:mounts "
    "--remote-env:env --cache-from:text --cache-to:text --buildkit:text --additional-features:field.features "
    "--dotfiles-repository:repo --dotfiles-install-command:text --dotfiles-target-path:text --secrets-file:taken "
    "--include-configuration --include-merged-configuration --omit-config-remote-env-from-metadata?:text --help"
)
_BRINGS = Adds(tags=("install",))  # code that neither the image nor the project has
_DEV_ADDS = {"--additional-features": _BRINGS, "--dotfiles-repository": _BRINGS}
_SENDS = Adds(
    effects=effects("destructive network"), tags=("external", "sends"), irreversible=True, action="docker:push"
)

PROGRAMS = (
    # what there is: disks, processes, code, secrets of nobody
    *_looks("dust duf onefetch loc sloc gocloc lizard pygount plato interrogate"),
    *_looks("btm bottom procs gpustat bandwhich", "text*", ""),
    *_looks("difftastic gron jless dsq kubeval kubeconform kube-score popeye benchstat jsonlint checkbashisms "
        "misspell hlint zizmor oasdiff openapi-diff protolint swagger-cli check-jsonschema jsonschema "
            "write-good alex",
        "read*", f"{_OUT} {_FIXES}"),
    P("kube-linter", words=2, example="kube-linter lint k8s", subs=(
        P("lint", "read*", does="read", options="--config:taken --include:text --exclude:text --format:text "
            "--ignore-paths:text --add-all-built-in --do-not-auto-add-defaults --fail-if-no-objects-found --verbose"),
        *each("kube-linter", "checks templates version", "read"))),
    P("pipdeptree", does="read", example="pipdeptree -p requests", options="-p|--packages:words -e|--exclude:words "
        "-r|--reverse -a|--all -l|--local-only -u|--user-only -f|--freeze -j|--json --json-tree --mermaid "
        "-w|--warn:text -d|--depth:text -o|--output:text -v|--version --python:starts --path:list --license "
        "--encoding:text --graph-output:text"),
    project("poe", "task? text*", example="poe test", options="-C|--directory|--root:runs -e|--executor:text "
        "-X|-E|--executor-opt:text -d|--dry-run -q|--quiet -v|--verbose -h|--help:text --version --ansi --no-ansi"),
    *_looks("units qalc fend xcpretty", "text*", ""),
    P("mlr", "text*", special="miller", does="read", example="mlr --icsv --ojson cat a.csv"),
    P("textql", "text*", options="-H -d:text -D:text -O -t -b -q:read -e:text", does="read"),
    P("parquet-tools", "text read*", also="parquet avro-tools", does="read", options="-n:number --head:number"),
    P("fswatch", "list*", does="read", options="-e:text -i:text -l:number -o -r -1 -0"),
    P("fzf", "text*", also="sk", does="", options="-f|--filter:text -q|--query:text -m -e -i -1 -0 --preview:code.sh "
        "--bind:text --tac --print0 --read0 -d:text --with-nth:text --ansi --height:text "
        "--listen?:text --listen-unsafe?:text",
        flags={"--bind": Adds(opaque="a key may be bound to a command"),
        "--listen": Adds(opaque="whoever reaches the port has commands run"),
        "--listen-unsafe": Adds(opaque="the same")}, example="fzf -f main"),
    P("gum", words=2, subs=each("gum", "style format join log table", ""), example="gum style hello"),
    P("zoxide", words=2, subs=each("zoxide", "query", "read")),
    P("kubectx", "context?", action="kubectl:context", does="read", options="-c|--current -h",
        flags=_REDIRECTS, example="kubectx -c"),
    P("kubens", "namespace?", action="kubectl:namespace", does="read", options="-c|--current -h",
        flags=_REDIRECTS, example="kubens -c"),
    P("stern", "text*", also="kail", action="stern:logs", does="network", example="stern api --since 5m",
        options="-s|--since:text -n|--namespace:namespace -l|--selector:selector -c|--container:container "
            "--context:context "
        "-o|--output:text -t|--timestamps --tail:number -A|--all-namespaces --kubeconfig:read -e|--exclude:text "
        "-i|--include:text --template:text --template-file:read --no-follow --color:text"),
    # scanners
    P("trivy", words=2, options="-c|--config:read --cache-dir:write -q -d --version", subs=(
        *each("trivy", "image fs filesystem config repo repository rootfs sbom k8s", "read network",
            options="-o|--output:write -f|--format:text --severity:text --ignorefile:read --config-check:runs "
            "--skip-dirs:text --scanners:text --exit-code:number -t|--template:read"),
        *each("trivy", "version help", "")), example="trivy fs ."),
    P("grype", "text*", also="syft dockle", does="read network", options="-o|--output:text --file:write "
        "-c|--config:read "
        "--scope:text --fail-on:text --add-cpes-if-none -q -v", example="grype dir:."),
    P("tfsec", "checked*", also="terrascan", does="read", options="-o|--out:write -f|--format:text --config-file:read "
        "--custom-check-dir:runs -m:text"),
    P("checkov", "checked*", does="read network", options="-d|--directory:checked -f|--file:read -o|--output:text "
        "--external-checks-dir:runs --external-checks-git:package --config-file:read --output-file-path:write "
            "-c:text "
        "--framework:text --compact --quiet", flags={"--external-checks-git": Adds(tags=("install",))}),
    P("terraform-docs", "text* list?", does="read", options="-c|--config:read --output-file:write "
        "--output-mode:text"),
    P("osv-scanner", "text*", does="read network", options="-r|--recursive -L|--lockfile:read --config:read "
        "--output:write"),
    P("semgrep", words=2, options="--config:text -e|--pattern:text -l|--lang:text --json -o|--output:write --version",
        subs=(P("scan", "checked*", action="semgrep:scan", does="read network", options="--config:text "
            "-e|--pattern:text "
            "-l|--lang:text --json -o|--output:write -a|--autofix!fix --error", flags={"fix": EDITS}, words=2),),
        default=P("semgrep", "checked*", action="semgrep:scan", does="read network", options="-c|--config:text "
            "-e|--pattern:text -l|--lang:text --json -o|--output:write -a|--autofix!fix --error",
                flags={"fix": EDITS}),
        example="semgrep scan --config auto src"),
    P("snyk", words=2, subs=(*each("snyk", "test", "read network", tags="sends"), *each("snyk", "version help", ""))),
    # formatters and linters
    P("comby", "text text text*", does="read", options="-d|-directory:list -f|-file-extensions:text "
        "-i|-in-place!fix -diff "
        "-stdin -stdout -matcher:text -rule:text -templates:read -match-only -count -json-lines -review "
            "-editor:command "
        "-exclude:text -exclude-dir:text -n -o -sequential -jobs:number", flags={"fix": EDITS},
        example="comby 'a(:[x])' 'b(:[x])' .go -d src"),
    P("ast-grep", words=2, options="-c|--config:read --version", subs=(
        P("run", "checked*", action="ast-grep:run", does="read", options="-p|--pattern:text -r|--rewrite:text "
            "-l|--lang:text "
            "-U|--update-all!fix -i|--interactive!fix --json?:text -A:number -B:number -C:number",
                flags={"fix": EDITS},
            words=2),
        P("scan", "checked*", action="ast-grep:scan", does="read", options="-r|--rule:read --inline-rules:text "
            "-U|--update-all!fix --json?:text", flags={"fix": EDITS}, words=2),
        *each("ast-grep", "test help", "read")), default=P("ast-grep", "checked*", does="read",
            options="-p|--pattern:text "
            "-r|--rewrite:text -l|--lang:text -U|--update-all!fix --json?:text", flags={"fix": EDITS}),
        example="ast-grep run -p 'f($X)' -l ts src"),
    P("taplo", words=2, subs=(*each("taplo", "lint check get", "read", operands="read*"),
        P("fmt", "checked*", also="format", action="taplo:fmt", does="read", options="--check --diff -o|--option:text",
            flags={"operand": EDITS}, words=2))),
    P("dprint", words=2, subs=(*each("dprint", "check output-file-paths license", "read"),
        P("fmt", "edit*", action="dprint:fmt", does="write execute", options="-c|--config:runs "
            "--plugins:package", words=2))),
    P("cspell", "text*", does="read", options="-c|--config:runs --words-only --unique --dot --gitignore "
        "--no-progress "
        "-e:text --file-list:read -r|--root:list"),
    P("textlint", "checked*", also="remark", does="read execute", options="-c|--config:runs --rule:loads "
        "--rulesdir:runs --plugin:loads -f|--format:text -o|--output:write --fix!fix -u|--use:loads -r|--rc-path:runs",
            flags={"fix": EDITS}),
    P("spectral", words=2, subs=(P("lint", "read*", action="spectral:lint", does="read execute", words=2,
        options="-r|--ruleset:runs -f|--format:text -o|--output:write"),)),
    P("redocly", words=2, subs=(*each("redocly", "lint stats", "read", operands="read*", options="--config:runs"),
        P("bundle", "read*", action="redocly:bundle", does="read write", options="-o|--output:write "
            "--config:runs", words=2))),
    P("editorconfig-checker", "checked*", also="ec", does="read", options="-exclude:text -config:read"),
    P("ormolu", "read*", also="fourmolu stylish-haskell ocamlformat google-java-format csharpier fantomas",
        does="read",
        options="-m|--mode:text -i|--inplace|--replace!fix -o:text --check -c:read", flags={"fix": EDITS}),
    P("scalafmt", "edit*", also="sqlfmt", does="write", options="--test|--check -c|--config:read "
        "--diff -q",
        dryrun="--test"),
    P("detekt", "checked*", also="checkstyle pmd spotbugs", does="read", options="-i|--input:checked -c|--config:read "
        "-r|--report:text -p|--plugins:runs -jp:runs -o:write -b|--baseline:read"),
    P("ajv", words=2, subs=each("ajv", "validate compile test", "read", options="-s:read -d:read -r:read "
        "-c:runs -o?:write")),
    P("quicktype", "read*", does="read", options="-o|--out:write -l|--lang:text -s|--src-lang:text "
        "-t|--top-level:text "
        "--src:read --additional-schema:read"),
    P("datamodel-codegen", "text*", does="read", options="--input:read --output:write --input-file-type:text "
        "--url:fetch "
        "--custom-template-dir:runs --custom-file-header-path:read --output-model-type:text"),
    P("openapi-generator", words=2, also="openapi-generator-cli", subs=(
        P("generate", "text*", action="openapi:generate", does="read write", options="-i:read -g:text -o:write "
            "-t:runs "
            "-c:read --skip-validate-spec --additional-properties:text", words=2),
        *each("openapi-generator", "validate list config-help version help", "read", options="-i:read")),
        example="openapi-generator generate -i api.yaml -g go -o client"),
    P("gopls", words=2, also="rust-analyzer", subs=each("gopls", "check definition references symbols signature "
        "version "
        "diagnostics analysis-stats implementation call_hierarchy workspace_symbol", "read")),
    P("rbs", "text*", also="steep srb solargraph", does="read execute", options="-I:runs -r:runs",
        action="exec:project",
        tags="unread"),
    # code of the project, by tools that run it
    P(
        "devcontainer",
        options="--help --version",
        subs=(
            P("up", action="exec:project", options=_DEV, flags=_DEV_ADDS, does="execute network", tags="unread",
                words=2),
            P("build", action="exec:project", options=_DEV + " --image-name:tag --push!push --platform:text "
                "--output:write --no-cache", flags={**_DEV_ADDS, "push": _SENDS}, does="execute network write",
                tags="unread", words=2),
            P("exec", "command", options=_DEV, flags=_DEV_ADDS, words=2),
            *(P(n, action="exec:project", options=_DEV, flags=_DEV_ADDS, does="execute network", tags="unread",
                words=2) for n in ("run-user-commands", "set-up")),
            *(P(n, action="devcontainer:look", options=_DEV, does="read", words=2)
              for n in ("read-configuration", "outdated")),
            P("upgrade", action="exec:project", options=_DEV + " --dry-run", dryrun="--dry-run",
                does="network write", words=2),
        ),
        words=2,
        example="devcontainer up --workspace-folder .",
    ),
    project("act", "text*", does="execute network", options="-l|--list -n|--dryrun -W|--workflows:runs -j|--job:text "
        "-e|--eventpath:read -s|--secret:env --secret-file:taken --env-file:taken --env:env -P|--platform:image "
        "--matrix:text -g|--graph --version --privileged!privileged --container-options:text "
        "--action-offline-mode --rm -q|--quiet "
        "-b|--bind -r|--reuse -p|--pull?:text --container-architecture:text --container-daemon-socket:text "
        "--container-cap-add:text --container-cap-drop:text --artifact-server-path:write --var:text --input:text "
        "-C|--directory:runs -v|--verbose -a|--actor:text --json",
        flags={"privileged": Adds(tags=("privileged",)), "--container-cap-add": Adds(tags=("privileged",)),
            "--container-options": Adds(opaque="options of containers are handed on")},
        dryrun="-l -n -g --version", example="act -l"),
    project("lefthook", "text*", options="--commands:text --files:text --force"),
    project("k6", "text runs*", options="-u|--vus:number -d|--duration:text -e|--env:text -o|--out:text "
        "--summary-export:write"),
    project("artillery", "text runs*", also="newman", options="-o|--output:write -e|--environment:read -d:read "
        "-r:text"),
    project("torchrun", "runs text*", options="--nproc_per_node|--nproc-per-node:text --nnodes:text --standalone "
        "--master_port:text --master_addr:text -m|--module:text --rdzv-endpoint:text"),
    P("accelerate", words=2, subs=(project("launch", "runs text*", options="--config_file:runs "
        "--num_processes:number "
        "--mixed_precision:text -m|--module"), *each("accelerate", "env", "read"), *each("accelerate", "test",
            "execute"))),
    project("deepspeed", "runs text*", options="--num_gpus:number --include:text --master_port:text --module"),
    project("scrapy", "text*", options="-o|--output:write -a:text -s|--set:text -t:text -O:write"),
    project("kedro", "text*", also="luigi", options="-p|--pipeline:text --env:text --params:text"),
    P("papermill", "runs write", does="execute", action="exec:project", tags="unread", options="-p:text "
        "-f:read -k:text"),
    P("jupytext", "edit*", does="write", options="--to:text --sync --from:text -o|--output:write --set-formats:text "
        "--check:command --pipe:command --execute!runs", flags={"runs": Adds(effects=effects("execute"),
            tags=("unread",))}),
    *[project(name, "text*", does="spawn execute", options=_SERVES)
      for name in ("puma", "unicorn", "sidekiq", "rq", "dramatiq", "datasette")],
    *[P(name, also=also, options=_PROCFILE, subs=(P("run", "command", special="env_file_wrapped", does="execute",
        options=_PROCFILE),), default=project(name, "text*", does="spawn execute", options=_PROCFILE), words=2)
      for name, also in (("foreman", "honcho"), ("overmind", "hivemind"))],
    project("size-limit", also="bundlesize source-map-explorer", options="--json --why"),
    project("graphql-codegen", options="-c|--config:runs -w|--watch -r|--require:runs"),
    project("react-native", "text*", also="vue", options="--port:number --config:runs"),
    project("pdoc", "imports*", options="-o|--output-dir:write -d:text -t:runs"),
    project("slither", "runs*", options="--json:write --config-file:runs --detect:text"),
    project("cpack", options="-G:text -C:text --config:runs -B:write"),
    P("gcovr", "list*", does="read", options="-r|--root:list -o|--output:write --html?:write --xml?:write "
        "--json?:write "
        "--config:read --gcov-executable:starts -e:text -f:text"),
    P("zx", "runs text*", special="loads", does="execute", action="exec:project", tags="unread",
        options="-e|--eval:code.other"),
    P("shx", "command", does="execute", example="shx ls"),
    P("mkdirp", "folder*", does="write"),
    P("dotenv", options=_DOTENV, words=2, subs=(
        P("run", "command", special="env_file_wrapped", does="execute", options=f"{_DOTENV} --override --no-override"),
        P("list", "text*", also="get", action="secret:read", does="read", tags="secret", options="--format:text"),
        P("set", "text*", also="unset", action="dotenv:set", does="write", tags="secret")),
        default=P("dotenv", "command", special="env_file_wrapped", does="execute", options=_DOTENV),
        example="dotenv -e .env.test ls"),
    P("env-cmd", "command", special="env_file_wrapped", does="execute",
        options="-f|--file:taken -e|--environments:text -r|--rc-file:text --silent "
        "--no-override --use-shell!shell -x", flags={"shell": Adds(opaque="the words are put together for a shell")}),
    P("watchexec", "command", does="execute", options="-e|--exts:text -w|--watch:list -r|--restart -c|--clear "
        "-i|--ignore:text "
        "-n --postpone -q --delay-run:text -f|--filter:text -s|--signal:text", example="watchexec -e py ls"),
    # versions and notes of a release, made here
    P("bump2version", "text*", also="bumpversion bump-my-version standard-version conventional-changelog towncrier",
        action="version:bump", does="write execute", tags="unread", options="--config-file:runs --new-version:text "
        "--dry-run|-n --verbose --allow-dirty --tag --commit -i|--infile:read -o|--outfile:write -s "
            "-p|--preset:loads -r:text",
        dryrun="--dry-run"),
    P("cz", words=2, also="commitizen", subs=(*each("cz", "check version example info schema ls", "read"),
        *each("cz", "bump changelog", "write execute", tags="unread", options="--dry-run --yes",
            dryrun="--dry-run"))),
    # clusters, images, machines: what they say
    P("helmfile", words=2, options="-f|--file:runs -e|--environment:text -l|--selector:text "
        "--kube-context:context", subs=(
        *each("helmfile", "template lint list build status diff", "execute network", tags="unread"),)),
    P("colima", words=2, also="limactl orb multipass", subs=each("colima", "status list ls version info", "read")),
    P("tkn", words=3, also="argo", subs=each("tkn", "list get logs describe version", "network")),
    P("circleci", words=2, subs=(P("config", "text read?", action="circleci:config", does="network", words=2),
        *each("circleci", "version help diagnostic", ""))),
    P("wandb", words=2, subs=each("wandb", "status offline online disabled enabled", "write")),
    P("lighthouse", "fetch", also="pa11y", action="exec:lighthouse", does="execute network", options="--output:text "
        "--output-path:write --chrome-flags:text --quiet --only-categories:text --preset:loads --config-path:runs",
        flags={"--chrome-flags": Adds(opaque="options of a browser are handed on")}),
    P("repomix", "checked*", also="files-to-prompt code2prompt", does="read write", options="-o|--output:write "
        "--remote:fetch "
        "--include:text -i|--ignore:text --style:text -c|--config:runs --stdout -e:text"),
    *_looks("ttok strip-tags symbex", "read*"),
)  # fmt: skip
