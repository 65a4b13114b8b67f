"""Tools around JavaScript: package managers, bundlers, tests, checks and servers."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import EDITS, each, installs, project, publishes, removes, restores, runs_in_env
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from .spec import Program

__all__ = ["PROGRAMS"]

_HOME = "-C|--prefix|--dir|--cwd:runs --registry:registry --userconfig:runs --globalconfig:runs"
_PLACE = f"{_HOME} --script-shell:starts --cache:cache --loglevel:text"
_WORK = (
    "-w|--workspace|--filter|-F:workspace --script-shell:starts --node-options!loads "
    "--tag:text --omit:text --include:text"
)
_LOADS = {"loads": Adds(opaque="options for node that can load code")}
_GLOBAL = "-g|--global!global -D|--save-dev -S|--save -E|--save-exact -P -O -B"
_INSTALL = f"{_PLACE} {_WORK} {_GLOBAL} --install-strategy:text --before:text --access:text"
_RUN = f"{_PLACE} {_WORK}"
_PACKAGE_RUN = (
    f"{_PLACE} -p|--package:package -c|--call|--shell-mode:code.sh -y|--yes -q|--quiet --no --no-install --no-yes "
    "--ignore-existing --prefer-online --prefer-offline --offline --bun -s|--silent -w|--workspace:text --ws --help "
    "--node-options!loads --node-arg:text -n:text"
)
_STARTS = Adds(action="pkg:run", effects=effects("network execute"), tags=("install", "unread"))


def _init(program: str, name: str, also: str = "") -> Program:
    """`npm init` writes a manifest; `npm init vite` fetches a package and runs it."""
    return P(
        name,
        "package*",
        also=also,
        action=f"{program}:init",
        special="installs",
        does="write",
        options=f"{_PLACE} -y|--yes --scope:text",
        flags={"own": Adds(), "named": _STARTS},
        words=2,
    )


def _publish(**more: str) -> Program:
    return publishes(
        "publish",
        "npm:publish",
        "send*",
        options=f"{_RUN} --tag:tag --access:access --otp:text --dry-run --folder:send --new-version:text "
        "--message:text -r|--recursive|--workspaces|--ws!all -C|--prefix|--dir|--cwd:runs!elsewhere",
        dryrun="--dry-run",
        flags=_LOADS,
        example="npm publish --access public",
        **more,
    )


_REGISTRY = (
    P("unpublish", "package*", options=f"{_PLACE} -f|--force!force --dry-run", dryrun="--dry-run",
        action="npm:unpublish",
        does="destructive network", tags="external", risk="high", irreversible=True, compensator="none: a version "
            "stays taken"),
    P("deprecate", "package text", options=_PLACE, action="npm:deprecate", does="network", tags="external",
        risk="medium",
        also="undeprecate", compensator="npm deprecate with an empty message"),
    P("dist-tag", options=_PLACE, also="dist-tags tag", subs=(
        *each("npm", "ls list", "network"),
        P("add", "package*", action="npm:dist-tag", does="network write", tags="external", risk="medium",
            compensator="npm dist-tag add the version before"),
        P("rm", "package*", also="remove", action="npm:dist-tag", does="network write", tags="external", risk="medium"),
    )),
    P("owner", options=_PLACE, also="author", subs=(*each("npm", "ls list", "network"),
        P("add", "user package?", also="rm remove", action="npm:owner", does="network write",
            tags="external privileged", risk="high"))),
    P("access", options=_PLACE, subs=(*each("npm", "list get ls-packages ls-collaborators", "network"),
        P("set", "text*", also="grant revoke public restricted edit 2fa-required", action="npm:access",
            does="network write",
            tags="external privileged", risk="high"))),
    P("token", options=_PLACE, subs=(*each("npm", "list ls", "network", tags="secret"),
        P("create", "text*", also="revoke delete rm", action="npm:token", does="network write",
            tags="external secret", risk="high"))),
    P("team", options=_PLACE, also="org hook", subs=(*each("npm", "ls list", "network"),
        P("add", "text*", also="create destroy rm remove set update", action="npm:team", does="network write",
            tags="external privileged",
            risk="high"))),
    P("profile", subs=(*each("npm", "get", "network"), P("set", also="enable-2fa disable-2fa", action="npm:profile",
        does="network write", tags="external secret", risk="high"))),
    P("login", options=_PLACE, also="adduser add-user logout", action="npm:login", does="network write",
        tags="external secret"),
    P("star", also="unstar", action="npm:star", does="network write", tags="external"),
)  # fmt: skip
_READS = "ls list ll la explain why root bin prefix licenses fund help help-search config-list diff query env"
_ASKS = "view info show v outdated search ping whoami docs repo bugs home stars doctor sbom find-dupes"


def _config(program: str) -> Program:
    """Settings, of which some name a shell or a node to run scripts with."""
    return P(
        "config",
        options=_PLACE,
        also="c conf",
        words=2,
        subs=(
            *each(program, "get list ls", "read", options=_PLACE),
            *(
                P(
                    name,
                    "setting text*",
                    special="npm_config",
                    action=f"{program}:config",
                    does="write",
                    options="--location:text -g",
                    tags="settings",
                )
                for name in ("set", "delete", "rm", "unset", "edit", "fix")
            ),
        ),
    )


_NPM = (
    installs("install", also="i in ins inst insta instal isnt isnta isntal add", options=_INSTALL, dryrun="--dry-run",
        words=2,
        flags=_LOADS, example="npm install --save-dev jest"),
    restores("ci", also="clean-install ic install-clean install-test it cit install-ci-test", options=_INSTALL,
        flags=_LOADS,
        dryrun="--dry-run", example="npm ci"),
    installs("update", also="up upgrade udpate", options=_INSTALL, dryrun="--dry-run", words=2),
    P("uninstall", "package*", also="un unlink remove rm r", options=_INSTALL, dryrun="--dry-run", action="pkg:remove",
        does="write execute", words=2, example="npm uninstall left-pad"),
    project("run", "task? text*", also="run-script rum urn", options=_RUN, flags=_LOADS, words=2,
        example="npm run build"),
    project("test", also="t tst start stop restart rebuild rb", options=_RUN, flags=_LOADS, words=2,
        example="npm test"),
    P("exec", special="package_run", also="x", options=_PACKAGE_RUN, does="execute", flags=_LOADS, words=2),
    _init("npm", "init", also="create innit"),
    _publish(also="pu pub publ publi publis"), *_REGISTRY,
    P("audit", options=f"{_RUN} --audit-level:text --json --production", words=2, subs=(
        restores("fix", options=f"{_RUN} --force", dryrun="--dry-run"), *each("npm", "signatures", "network")),
        default=P("audit", options=_RUN, action="npm:audit", does="network")),
    P("version", "text*", options=f"{_RUN} -m|--message:text --preid:text", action="npm:version", does="execute write",
        tags="project", words=2),
    P("pack", "package*", options=f"{_RUN} --pack-destination:write --dry-run --json", dryrun="--dry-run",
        action="npm:pack",
        does="execute write network", tags="project", words=2),
    P("link", "runs*", also="ln", options=_INSTALL, action="pkg:restore", does="network write execute",
        tags="project"),
    restores("dedupe", also="ddp prune install-links shrinkwrap", options=_INSTALL, dryrun="--dry-run"),
    P("pkg", options=_RUN, subs=(*each("npm", "get", "read"),
        *each("npm", "set delete fix", "write", options=_RUN, special="npm_file"))),
    P("cache", subs=(*each("npm", "ls", "read"), *each("npm", "clean add verify", "write", options=_PLACE))),
    _config("npm"), P("get", action="npm:get", does="read"),
    P("set", "setting text*", action="npm:config", does="write", tags="settings", special="npm_config"),
    *each("npm", _READS, "read", options=_RUN), *each("npm", _ASKS, "network", options=_RUN),
    *each("npm", "completion", ""),
    P("set-script", action="npm:set-script", does="write", special="npm_file"),
    P("explore", special="opaque", does="execute"), P("edit", special="opaque", does="execute"),
)  # fmt: skip
_PNPM = (
    installs("install", also="i", options=_INSTALL, words=2, example="pnpm install"),
    installs("add", options=f"{_INSTALL} --save-catalog-name:text", words=2, example="pnpm add zod"),
    restores("fetch", also="rebuild rb dedupe import prune", options=_INSTALL),
    installs("update", also="up upgrade", options=_INSTALL, words=2),
    P("remove", "package*", also="rm uninstall un", options=_INSTALL, action="pkg:remove", does="write execute",
        words=2),
    project("run", "task? text*", also="run-script", options=_RUN, words=2), project("test", also="t start",
        options=_RUN, words=2),
    runs_in_env("exec", options=f"{_PLACE} -r|--recursive -c|--shell-mode --parallel --filter|-F:text", words=2),
    P("dlx", special="package_run", options=_PACKAGE_RUN, does="execute", words=2),
    P("create", special="package_run", options=_PACKAGE_RUN, does="execute", words=2),
    _init("pnpm", "init"), _publish(), *_REGISTRY, _config("pnpm"),
    P("audit", options=f"{_RUN} --fix!fix --audit-level:text", action="npm:audit", does="network",
        flags={"fix": EDITS}),
    P("pack", options=f"{_RUN} --pack-destination:write --out:write", action="npm:pack", does="execute write",
        tags="project"),
    P("store", subs=(*each("pnpm", "path status", "read"), *each("pnpm", "prune add", "write"))),
    P("link", "runs*", also="ln unlink", options=_PLACE, action="pkg:restore", does="write execute", tags="project"),
    P("patch", "package", also="patch-commit patch-remove", action="pnpm:patch", does="write"),
    P("deploy", "write", options=_RUN, action="pkg:restore", does="network write execute", tags="project"),
    P("setup", action="pnpm:setup", does="write"),
    project("recursive", special="workspaces", also="multi m", options=_RUN),
    P("self-update", action="pkg:install", does="network write execute", tags="install"),
    P("approve-builds", action="pnpm:approve-builds", does="write execute", tags="project"),
    *each("pnpm", _READS, "read", options=_RUN), *each("pnpm", _ASKS, "network", options=_RUN),
    P("env", subs=(removes("remove", also="rm", options="-g|--global!global"),
        P("use", "package", also="add", options="-g", action="pkg:install",
        does="network write execute",
        tags="install"), *each("pnpm", "list ls", "network"))),
    *(project(name, options=_RUN) for name in ("build", "dev", "lint", "typecheck", "type-check", "format", "check",
        "e2e")),
)  # fmt: skip
_YARN = (
    restores("install", options=f"{_INSTALL} --modules-folder:write --cache-folder:cache --mutex:text --mode:text",
        example="yarn"),
    installs("add", options=_INSTALL, words=2, example="yarn add react"),
    P("global", subs=(installs("add", options=_INSTALL, words=3), installs("upgrade", options=_INSTALL, words=3),
        P("remove", "package*", action="pkg:remove", does="write execute"), *each("yarn", "list bin dir", "read"))),
    installs("up", also="upgrade upgrade-interactive", options=_INSTALL, words=2),
    P("remove", "package*", options=_INSTALL, action="pkg:remove", does="write execute", words=2),
    project("run", "task? text*", options=f"{_RUN} -T -B --inspect", words=2), project("test", also="start", words=2),
    runs_in_env("exec", options=_PLACE, words=2), runs_in_env("node", options=_PLACE, words=2),
    P("dlx", special="package_run", options=_PACKAGE_RUN, does="execute", words=2),
    P("create", special="package_run", options=_PACKAGE_RUN, does="execute", words=2),
    _init("yarn", "init"), _publish(), *_REGISTRY, _config("yarn"),
    P("npm", subs=(_publish(), *_REGISTRY, *each("yarn", "info whoami audit", "network"))),
    P("audit", action="npm:audit", does="network"),
    P("cache", subs=(*each("yarn", "dir list", "read"),
        *each("yarn", "clean", "write", options="--cache-folder:cache --all --mirror --pattern:text"))),
    P("set", subs=(P("version", "package", action="pkg:install", does="network write execute", tags="install"),
        P("resolution", action="yarn:resolution", does="write"))),
    P("plugin", subs=(P("import", "package", action="pkg:install", does="network write execute", tags="install"),
        *each("yarn", "list runtime", "read"), *each("yarn", "remove", "write"))),
    P("workspace", special="yarn", does="execute"),
    P("workspaces", subs=(project("foreach", special="workspaces", options="--include:text --exclude:text --from:text "
        "-j|--jobs:text -A|--all -R|--recursive -W|--worktree --since?:text -p|--parallel -v|--verbose -i|--interlaced "
        "-t|--topological --topological-dev --no-private -n|--dry-run"),
        project("run"),
        *each("yarn", "list info", "read"), restores("focus"))),
    P("pack", options="-f|--filename|-o|--out:write", action="npm:pack", does="execute write", tags="project"),
    P("link", "runs*", also="unlink", action="pkg:restore", does="write execute", tags="project"),
    restores("dedupe", also="rebuild import autoclean check unplug"), P("version", options="--new-version:text",
        action="npm:version",
        does="execute write", tags="project"),
    P("policies", special="opaque", does="execute"),
    *each("yarn", f"{_READS} versions", "read", options=_RUN), *each("yarn", _ASKS, "network", options=_RUN),
)  # fmt: skip
_BUN = (
    installs("install", also="i", options=_INSTALL, dryrun="--dry-run", words=2), installs("add", also="a",
        options=_INSTALL, words=2),
    installs("update", options=_INSTALL, words=2), removes("remove", also="rm", options=_INSTALL, does="write execute"),
    project("run", "task? text*", special="task_or_file", options="--cwd:runs -r|--preload|--require|--import:runs "
        "--env-file:read "
        "-c|--config:runs"),
    project("test", "text*", options="--cwd:runs -r|--preload:runs --timeout:text -t:text --reporter-outfile:write"),
    P("x", special="package_run", options=_PACKAGE_RUN, does="execute"),
    P("create", special="package_run", options=_PACKAGE_RUN, does="execute"),
    project("build", "runs*", options="--outdir|--outfile:write --target:text --entrypoints:text --format:text"),
    _init("bun", "init"), _publish(), P("pm", subs=(*each("bun", "ls list bin hash hash-string hash-print whoami scan "
        "untrusted default-trusted", "read"),
        *each("bun", "pack trust migrate cache pkg version", "write execute"))),
    P("upgrade", action="pkg:install", does="network write execute", tags="install"), restores("link",
        also="unlink patch"),
    *each("bun", "outdated audit info why", "network"), P("repl", special="opaque", does="execute"),
)  # fmt: skip
_DENO_FLAGS = (
    "-c|--config:runs --import-map:runs --lock:read --cert:read --location:text --seed:text -A|--allow-all "
    "--env-file?:read "
    "--v8-flags:text --reload?:text --unsafely-ignore-certificate-errors?:text --preload:runs"
)
_DENO = (
    project("run", "runs text*", also="serve", special="deno_run", options=_DENO_FLAGS),
    project("test", "runs*", also="bench", options=_DENO_FLAGS),
    project("task", "task? text*", options="--cwd:runs -c:runs"),
    P("eval", "code.deno", options="-p --print --ext:text --ts -T", does="execute"),
    P("fmt", "edit*", options="-c:read --ext:text --ignore:text --check", dryrun="--check", does="write"),
    P("lint", "checked*", options="-c:read --rules --fix!fix --ignore:text", action="deno:lint", does="read",
        flags={"fix": EDITS}),
    P("check", "read*", options=_DENO_FLAGS, action="deno:check", does="network read"),
    installs("install", options=f"{_DENO_FLAGS} -g|--global!global -n|--name:text --root:write", also="add i"),
    removes("uninstall", also="remove", options="-g|--global!global --root:edit"),
    P("compile", "runs", options=f"{_DENO_FLAGS} -o|--output:write --target:text --include:read", does="network write",
        action="deno:compile"), restores("cache", "runs*", also="outdated", options=_DENO_FLAGS),
    publishes("publish", "jsr:publish", options="--token:text -c:read", dryrun="--dry-run",
        compensator="yank the version"),
    *each("deno", "info doc types help", "read"), *each("deno", "init clean coverage", "write"),
    P("upgrade", action="pkg:install", does="network write execute", tags="install"), P("repl", special="opaque",
        does="execute"),
)  # fmt: skip


def _versions(name: str, also: str = "") -> Program:
    """nvm, fnm, volta, n: which node is used."""
    return P(
        name,
        also=also,
        words=2,
        subs=(
            P("install", "package*", action="pkg:install", does="network write execute", tags="install", words=2,
                options="--lts?:text --reinstall-packages-from:text --latest-npm"),
            P("use", "text*", also="default alias pin env unalias deactivate global local", action=f"{name}:use",
                does="write"),
            removes("uninstall", also="remove rm"),
            *each(name, "ls list current which version completions help cache=", "read"), *each(name, "setup", "write"),
            *each(name, "ls-remote list-remote version-remote", "network"),
            runs_in_env("exec", options="--using:text --silent"), runs_in_env("run", options="--node:text --npm:text "
                "--silent"),
            P("fetch", "package*", also="install-latest-npm", action="pkg:install", does="network write",
                tags="install"),
        ),
    )  # fmt: skip


_COVERAGE = (
    "-r|--reporter:loads -o|--report-dir|--reports-dir:write -t|--temp-dir|--temp-directory:write -i|--require:loads "
    "-n|--include:text -x|--exclude:text -e|--extension:text --cwd:runs --nycrc-path:runs -c|--config:runs --src:text "
    "--lines|--branches|--functions|--statements:number --watermarks:text --wrapper-length:number"
)
_SERVER = "-p|--port:text -H|--host|--hostname:text -c|--config:runs -m|--mode:text --root:runs"

PROGRAMS = (
    # package managers
    P("npm", options=f"{_RUN} {_GLOBAL} -s|--silent -q --json --node-options!loads "
        "--workspaces|--ws!all -C|--prefix:runs!elsewhere", flags=_LOADS, subs=_NPM, words=2,
        example="npm publish --access public"),
    P("npx", special="package_run", also="bunx pnpx", options=_PACKAGE_RUN, flags=_LOADS, does="execute",
        example="npx tsc --noEmit"),
    P("pnpm", options=f"{_RUN} -r|--recursive!all -C|--dir:runs!elsewhere -w|--workspace-root "
        "--silent -s --parallel --reporter:text", subs=_PNPM,
        words=2,
        example="pnpm add zod", default=project("pnpm", "task? text*")),
    P("yarn", also="yarnpkg", options=f"{_RUN} -s|--silent --modules-folder:write "
        "--cwd:runs!elsewhere", subs=_YARN, words=2,
        example="yarn add react",
        default=project("yarn", "task? text*", options=_RUN, special="yarn")),
    P("bun", options="--cwd:runs!elsewhere -e|--eval:code.bun -p|--print:code.bun -r|--preload:runs --watch --hot -b "
        "--config|-c:runs", subs=_BUN,
        words=2, default=project("bun", "runs? text*", options="-e|--eval:code.bun -p|--print:code.bun "
            "-r|--preload:runs", stdin="code.bun"),
        example="bun test"),
    P("deno", options="-q -L:text --log-level:text", subs=_DENO, words=2, default=project("deno", "runs? text*",
        options=_DENO_FLAGS)),
    P("corepack", words=2, subs=(*each("corepack", "enable disable", "write"), installs("install",
        also="use up prepare pack"),
        *each("corepack", "cache", "write")), default=P("corepack", "command", does="execute")),
    _versions("nvm"), _versions("fnm"), _versions("volta", also="nodenv"),
    P("n", "package*", action="pkg:install", does="network write execute", tags="install", options="--lts"),
    P("ncu", "text*", also="npm-check-updates npm-check", options="-u|--upgrade!upgrade --packageFile:text "
        "-t|--target:text -f:text "
        "-x:text --doctor!doctor --doctorTest:command --doctorInstall:command -g", action="npm:outdated",
        does="network",
        flags={"upgrade": Adds(effects=effects("write")), "doctor": Adds(effects=effects("execute"),
            tags=("unread",))}),
    # compilers, checks and formatters
    P("tsc", "read*", options="-p|--project:read -b|--build -w|--watch --outDir|--outdir:write --outFile:write "
        "--noEmit!only-checks "
        "--declarationDir:write --target|-t:text --module|-m:text --lib:text --jsx:text --rootDir:text "
        "--moduleResolution:text "
        "--tsBuildInfoFile:write --init --generateTrace:write --generateCpuProfile:write --types:text --typeRoots:text "
        "--baseUrl:text", action="exec:tsc", does="write", dryrun="--noEmit", also="vue-tsc tsgo",
        example="tsc --noEmit"),
    P("eslint", "checked*", also="standard xo oxlint jshint jslint", options="-c|--config:runs --rulesdir:runs "
        "--resolve-plugins-relative-to"
        ":runs --parser:loads --plugin:loads --ext:text -f|--format:loads -o|--output-file:write --fix!fix "
        "--fix-dry-run --fix-type:text "
        "--rule:text --ignore-path:read --ignore-pattern:text --max-warnings:number --cache-location:write "
        "--cache-file:write "
        "--env:text --global:text --parser-options:text --stdin-filename:text --print-config:read --init",
        action="exec:eslint", does="read execute", tags="unread", flags={"fix": EDITS},
        example="eslint --fix src"),
    P("prettier", "checked*", options="--write|-w!writes --check|-c -l --config:runs --plugin:runs --ignore-path:read "
        "--parser:text "
        "--stdin-filepath:text --tab-width:number --print-width:number --log-level:text --cache-location:write "
        "--cache-strategy:text",
        action="exec:prettier", does="read", flags={"writes": EDITS}, example="prettier --check ."),
    P("biome", words=2, subs=tuple(P(name, "checked*", options="--write|--fix|--apply|--apply-unsafe!fix "
        "--config-path:read --reporter:text "
        "--max-diagnostics:text --stdin-file-path:text", action=f"biome:{name}", does="read",
        flags={"fix": EDITS}) for name in ("check", "lint", "format", "ci")) + each("biome", "init migrate",
            "write") + each("biome", "explain rage version", "read")),
    P("stylelint", "checked*", also="markdownlint markdownlint-cli2 htmlhint tslint commitlint jscpd depcheck madge "
        "knip svelte-check "
        "publint attw", options="-c|--config:runs --fix!fix -o:write --custom-syntax:loads "
        "-f|--formatter:loads --custom-formatter:loads --ignore:text", does="read execute",
        tags="unread", action="exec:lint", flags={"fix": EDITS}),
    # tests and the project's own scripts
    project("jest", options="--coverage --collectCoverage "
        "-c|--config:runs --rootDir:runs -t|--testNamePattern:text --testPathPattern:text "
        "-w|--maxWorkers:text "
        "--coverageDirectory:write --outputFile:write --reporters:text --setupFilesAfterEnv:runs --globalSetup:runs "
        "--runner:runs "
        "--testTimeout:number --testRunner:runs --transform:loads --env:text --projects:runs --cacheDirectory:write",
        example="jest -t x"),
    project("vitest", options="-c|--config:runs -r|--root:runs --dir:runs -t|--testNamePattern:text --reporter:loads "
        "--outputFile:write "
        "--environment:text --pool:text --project:text", also="ava tap tape jasmine qunit karma wdio testcafe"),
    project("mocha", "runs*", options="-r|--require:runs -g|--grep:text -f:text -R|--reporter:loads -t|--timeout:text "
        "--config:runs "
        "-u|--ui:text --file:runs --ignore:text --import:runs -j:text --package:runs --extension:text", also="_mocha"),
    P("nyc", also="c8", options=_COVERAGE, words=1, example="nyc mocha", subs=(
        P("report", action="exec:nyc", does="read write", options=_COVERAGE),
        P("check-coverage", action="exec:nyc", does="read", options=_COVERAGE),
        P("merge", "read write?", does="write", options=_COVERAGE),
        P("instrument", "read write?", does="write", options=_COVERAGE)),
        default=P("nyc", "command", does="execute")),
    P("dotenv-cli", "command", special="env_file_wrapped", does="execute",
        options="-e:taken -v:text -p:text -c?:text -o --override --quiet --debug",
        example="dotenv-cli -e .env.test -- jest"),
    project("wait-on", "text*", also="npm-run-all run-s run-p "
        "lint-staged patch-package plop hygen semantic-release-dry jake gulp grunt brunch just-scripts wireit"),
    P("concurrently", "line*", special="lines", does="execute", also="conc",
        options="-n|--names:text -c|--prefix-colors:text -p|--prefix:text -s|--success:text -m|--max-processes:text "
        "--kill-others -k --kill-others-on-fail -r|--raw -g|--group --restart-tries:text --hide:text -i -P",
        example='concurrently "npm run a" "npm run b"'),
    P("cross-env", special="env", does="execute", example="cross-env CI=1 jest"),
    P("cross-env-shell", special="opaque", does="execute"),
    P("husky", subs=(P("add", "write text*", does="write", also="set"), P("install", "write?", does="write",
        action="git:hooks"), P("uninstall", does="write", action="git:hooks")), default=project("husky")),
    project("playwright", options="-c|--config:runs -g|--grep:text --project:text --reporter:loads --output:write "
        "-j:text",
        also="cypress nightwatch puppeteer detox"),
    project("ts-node", "runs? text*", also="tsx esno swc-node babel-node ts-node-esm ts-node-dev tsnd vite-node jiti",
        options="-e|--eval:code.ts -p|--print:code.ts -r|--require|--import|--loader:runs "
            "-P|--project|--tsconfig:runs -O:text "
        "-T --transpile-only --esm", stdin="code.ts", example="tsx scripts/run.ts"),
    project("nodemon", "runs? text*", options="-x|--exec:command -w|--watch:text -e|--ext:text -i|--ignore:text "
        "-d:text --config:runs "
        "-r|--require:runs -s:text", does="spawn execute", example="nodemon server.js"),
    project("webpack", options="-c|--config:runs -o|--output-path:write --mode:text --entry:text --env:text "
        "--name:text -t:text",
        also="webpack-cli rollup parcel esbuild tsup swc babel browserify microbundle unbuild ncc snowpack rspack "
            "rsbuild postcss tailwindcss "
        "terser uglifyjs api-extractor typedoc jsdoc documentation storybook-build craco react-scripts "
        "vue-cli-service "
        "astro gatsby remix svelte-kit nuxt nuxi electron electron-builder electron-forge capacitor ionic metro"),
    project("lessc", "read write?", options="--include-path:text --plugin:loads -m|--math:text -M --js "
        "--source-map?:write --rootpath:text --url-args:text --modify-var:text --global-var:text "
        "-I|--load-path:text -s|--style:text -w|--watch --no-source-map", also="sass", example="lessc a.less a.css"),
    project("vite", options=_SERVER, does="execute spawn", subs=(project("build", options=f"{_SERVER} --outDir:write"),
        project("optimize"), project("dev", does="execute spawn"), project("serve", does="execute spawn"),
        project("preview", does="execute spawn")), default=project("vite", options=_SERVER, does="execute spawn")),
    project("next", options=_SERVER, subs=(project("build"), project("lint"), project("export"), project("telemetry"),
        project("info"),
        project("dev", does="execute spawn"), project("start", does="execute spawn")), default=project("next",
            does="execute spawn")),
    project("storybook", options=_SERVER, subs=(project("build", options=f"{_SERVER} "
        "-o|--output-dir:write --quiet"), project("doctor", also="info")), default=project("storybook",
        does="execute spawn")),
    project("webpack-dev-server", also="live-server http-server serve browser-sync json-server",
        options=_SERVER,
        does="execute spawn"),
    project("turbo", options="--filter:text -F:text --cwd:runs --concurrency:text --cache-dir:write --token:text "
        "--team:text --api|--login:endpoint",
        also="wsrun lage moon", example="turbo run build"),
    P("nx", words=2, subs=(P("release", words=3, options="--dry-run -d --projects:text --groups:text", subs=(
        publishes("publish", "npm:publish", options="--registry:registry --tag:tag --otp:text -d|--dry-run "
            "--projects:text",
            dryrun="-d"), *each("nx", "version changelog plan", "write execute network",
                tags="external")),
        default=publishes("release", "npm:publish", options="-d|--dry-run", dryrun="-d")),
        *each("nx", "graph show list report print-affected", "read",
            options="--file:write"), *each("nx", "reset", "write"),
        project("connect", does="network execute")), default=project("nx", options="--projects:text -t:text -p:text "
            "-c:text")),
    P("rush", words=2, subs=(restores("install", also="update"), publishes("publish", "npm:publish")),
        default=project("rush")),
    P("lerna", words=2, subs=(
        publishes("publish", "npm:publish", options="--dist-tag:tag --registry:registry --otp:text"),
        project("run", options="--scope:text --ignore:text --since:text --concurrency:text"), runs_in_env("exec",
            options="--scope:text "
            "--ignore:text --since:text --concurrency:text --parallel --stream --no-bail"),
        restores("bootstrap", also="link"), P("version", action="git:push", does="network write execute",
            tags="external project"),
        *each("lerna", "ls list la ll changed diff info", "read"), *each("lerna", "init create clean", "write"),
    )),
    P("changeset", also="changesets", words=2, subs=(
        publishes("publish", "npm:publish", options="--otp:text --tag:tag"),
        *each("changeset", "status", "read"), *each("changeset", "add version init tag pre",
            "write")),
        default=P("changeset", action="changeset:add", does="write")),
    publishes("semantic-release", "npm:publish", options="-d|--dry-run -b|--branches:text -r:text -e:runs",
        dryrun="-d", words=1, also="release-it np"),
    P("pm2", words=2, subs=(*each("pm2", "list ls l status show info describe logs log monit jlist prettylist id pid",
        "read"),
        project("start", "runs? text*", also="serve", does="spawn execute", options="-n|--name:text -i:text "
            "--interpreter:starts --watch"),
        *each("pm2", "restart reload", "spawn execute", tags="unread"), *each("pm2", "stop delete kill flush",
            "execute write"),
        *each("pm2", "save startup unstartup resurrect", "spawn write", tags="scheduled"))),
    P("ng", words=2, also="expo", subs=(P("deploy", action="ng:deploy", does="network execute",
        tags="external sends unread", risk="high"),
        P("publish", also="export:web upload submit", action="expo:publish", does="destructive network",
            tags="external sends",
            risk="high", irreversible=True), installs("add", also="install"), project("serve", also="start",
                does="spawn execute")),
        default=project("ng")),
    P("sequelize", also="sequelize-cli typeorm knex drizzle-kit", words=2, options="--config:runs --knexfile:runs "
        "-d:runs", subs=(
        P("db:drop", also="schema:drop db:migrate:undo db:migrate:undo:all migrate:rollback migration:revert "
            "migrate:down drop",
            action="sql:drop", does="destructive execute", irreversible=True, risk="high", tags="external unread",
            compensator="restore a backup of the database"),), default=project("sequelize")),
    P("prisma", options="--schema:runs --config:runs", words=2,
        subs=(*each("prisma", "generate format init", "write execute", tags="unread"), *each("prisma",
            "validate version -v", "read"),
            project("studio", does="spawn execute"),
            P("migrate", words=3, subs=(*each("prisma", "status diff", "execute network"),
                *each("prisma", "dev deploy resolve", "execute network write", tags="external unread"),
                P("reset", action="sql:drop", does="destructive network", irreversible=True, risk="high",
                    tags="external",
                    compensator="restore a backup of the database"))),
            P("db", words=3, subs=(*each("prisma", "pull", "network write"), *each("prisma", "seed",
                "execute network write", tags="unread"),
                P("push", options="--accept-data-loss!loses --force-reset!loses", action="sql:migrate",
                    does="execute network write",
                    tags="external", flags={"loses": Adds(effects=effects("destructive"), irreversible=True)})))),
        default=project("prisma")),
)  # fmt: skip
