"""Languages with tools of their own: Java, Rust, Go, .NET, Swift, Haskell, Erlang …"""

from __future__ import annotations

from .kinds import EDITS, drops, each, installs, project, publishes, removes, restores, runs_in_env
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_CARGO = (
    "--manifest-path:runs --config!loads -C:runs --target-dir:write --target:text -p|--package:text "
    "--features|-F:text --profile:text "
    "-j|--jobs:number --color:text --message-format:text --bin:text --example:text --test:text --bench:text "
    "--exclude:text "
    "--artifact-dir|--out-dir:write -Z:text --lockfile-path:read"
)
_LOADS = {"loads": Adds(opaque="a setting that can name another program to run")}
_CARGO_SUBS = (
    restores("build", options=_CARGO, also="b fetch", flags=_LOADS, example="cargo build --release"),
    project("test", options=f"{_CARGO} --fix", also="t check c run r bench clippy doc d nextest miri llvm-cov "
        "tarpaulin",
        flags={**_LOADS, "--fix": Adds(effects=effects("write"))}, example="cargo test -- --nocapture"),
    project("rustc", "flags*", also="rustdoc", options=_CARGO, flags=_LOADS),
    project("fix", options=_CARGO, does="execute write", flags=_LOADS), project("expand", options=_CARGO, flags=_LOADS),
    restores("update", also="generate-lockfile vendor", options=f"{_CARGO} --precise:text", dryrun="--dry-run",
        flags=_LOADS),
    installs("install", options=f"{_CARGO} --path:runs --git:package --branch:text --tag:text --rev:text --root:write "
        "--version|--vers:version --index:registry --registry:registry --force", flags=_LOADS, words=2,
        example="cargo install ripgrep"),
    installs("add", flags=_LOADS, options=f"{_CARGO} --path:runs --git:package --branch:text --tag:text --rev:text "
        "--registry:registry --rename:text",
        dryrun="--dry-run", words=2),
    installs("binstall", options="--version:version --git:package -y", words=2),
    P("remove", "package*", also="rm uninstall", options=f"{_CARGO} --root:write", action="pkg:remove", does="write"),
    publishes("publish", "cargo:publish", options=f"{_CARGO} --registry:registry --index:registry --token:text "
        "-p|--package:package --workspace|--all!all --manifest-path|-C:runs!elsewhere", dryrun="--dry-run -n",
        flags=_LOADS, example="cargo publish"),
    publishes("release", "cargo:publish", options=f"{_CARGO} -x|--execute -p|--package:package --workspace!all "
        "--manifest-path:runs!elsewhere --no-confirm --registry:registry --tag-prefix:text"),
    P("yank", "package?", options="--version|--vers:text --undo --registry:registry --index:registry --token:text",
        action="cargo:yank",
        does="network write", tags="external", risk="high", compensator="cargo yank --undo"),
    P("owner", "package?", options="-a|--add:user -r|--remove:user -l|--list --registry:registry", action="cargo:owner",
        does="network write", tags="external privileged", risk="high", dryrun="-l"),
    P("login", options="--registry:registry", also="logout", action="cargo:login", does="network write",
        tags="secret external"),
    project("package", options=_CARGO, does="execute write", flags=_LOADS),
    P("fmt", options="--manifest-path:read -p:text --check -- --all", dryrun="--check", action="cargo:fmt",
        does="write"),
    P("clean", options=f"{_CARGO}", dryrun="--dry-run -n", action="cargo:clean", does="write"),
    P("new", "write", also="init", options="--name:text --edition:text --vcs:text --registry:registry",
        action="cargo:new", does="write"),
    *each("cargo", "tree metadata locate-project pkgid verify-project version help read-manifest config --list",
        "read"),
    *each("cargo", "search info audit outdated deny", "network"), *each("cargo", "report msrv", "execute",
        tags="unread"),
    project("deb", options=f"{_CARGO} -o|--output:write", flags=_LOADS,
        also="generate-rpm bloat flamegraph asm udeps machete hack "
        "xtask"),
    P("watch", special="opaque", does="execute"),
)  # fmt: skip
_GO = (
    "-C:runs -o:builds -p:number -tags:text -ldflags:flags -gcflags:flags -asmflags:flags "
    "-gccgoflags:flags -mod:text -modfile:runs "
    "-overlay:runs -pkgdir:write "
)
_GO_FLAGS = (
    f"{_GO} -toolexec:command!loads -exec:command!loads -vettool:runs!vettool -race -v -x -a -n -work -trimpath -cover "
    "-json -buildmode:text"
)
_GO_TEST = (
    "-run:text -bench:text -count:number -timeout:text -coverprofile:write -cpuprofile:write -memprofile:write "
    "-trace:write -outputdir:write "
    "-covermode:text -coverpkg:text -parallel:number -benchtime:text -cpu:text -fuzz:text -fuzztime:text -vet:text "
    "-short -failfast -c"
)
_GO_SUBS = (
    project("build", "runs*", options=_GO_FLAGS, does="execute write", example="go build ./..."),
    project("test", "runs*", options=f"{_GO_FLAGS} {_GO_TEST}", also="vet", example="go test ./...",
        flags={"vettool": Adds(opaque="a program that is run on every package")}),
    project("run", "runs text*", options=_GO_FLAGS, special="go_run", example="go run ."),
    project("generate", options="-run:text -skip:text -n -v -x"),
    installs("install", options=_GO_FLAGS, words=2, example="go install golang.org/x/tools/gopls@latest"),
    installs("get", options=f"{_GO_FLAGS} -u -t -d", words=2, example="go get example.com/x"),
    P("mod", words=3, subs=(restores("download", also="tidy vendor verify", options="-o:write"),
        *each("go", "graph why", "read"),
        *each("go", "init", "write"),
        P("edit", "text*", action="go:edit", does="write", options="-replace:text!replaces -require:text!replaces "
            "-exclude:text -retract:text -dropreplace:text -droprequire:text -module:text -go:text -toolchain:text "
            "-fmt -print -json", flags={"replaces": Adds(tags=("install",))}, words=3))),
    P("work", words=3, subs=(restores("sync", also="vendor"), *each("go", "init edit", "write"),
        P("use", "runs*", action="go:use", does="write", options="-r"))),
    P("fmt", "edit*", options="-n -x -mod:text", dryrun="-n", does="write"), P("fix", "edit*", does="write"),
    P("env", "text*", options="-w!writes -u!writes -json -changed", action="go:env", does="read",
        flags={"writes": Adds(effects=effects("write"), opaque="settings of go can name programs to run")}),
    *each("go", "list doc version help bug", "read", options="-f:text -m -json -toolexec:command"),
    *each("go", "telemetry=", "read"),
    P("clean", options="-cache -modcache -testcache -i -r -n -x", dryrun="-n", action="go:clean", does="write"),
    P("tool", "text text*", does="execute", action="go:tool", subs=(
        *each("go", "cover pprof nm objdump vet trace compile link asm doc buildid addr2line pack fix covdata dist",
            "execute write",
            options="-o:write -html:read -func:read"),)),
)  # fmt: skip
_MVN = (
    "-f|--file:runs -s|--settings:runs -gs|--global-settings:runs -t:runs -P|--activate-profiles:text "
    "-pl|--projects:text -rf:text "
    "-D|--define:text -T:text -l|--log-file:write -b:text --color:text -o -q -X -e -U -B -am -amd -nsu -ntp -N -fae "
    "-fn -ff -v -V"
)
_GRADLE = (
    "-b|--build-file:runs -c|--settings-file:runs -p|--project-dir:runs -I|--init-script:runs "
    "-g|--gradle-user-home:runs -P:text -D:text "
    "-x|--exclude-task:text --tests:text --include-build:runs --project-cache-dir:write --console:text "
    "--max-workers:number -q -i -d -s"
)
_DOTNET = (
    "-c|--configuration:text -f|--framework:text -r|--runtime:text -o|--output:write --project:runs "
    "-v|--verbosity:text -p|--property:property --target:text --logger:report --binarylogger:write "
)
_DOTNET_SUBS = (
    project("build", "runs*", options=_DOTNET, special="msbuild", also="publish pack msbuild clean run-tests"),
    project("test", "runs*", special="msbuild", also="vstest", example="dotnet test --logger trx",
        options=f"{_DOTNET} --results-directory:write -l:report --collect:text --filter:text -d|--diag:write "
            "-s|--settings:runs -a|--test-adapter-path:runs --no-build --no-restore --nologo --blame -t|--list-tests"),
    project("run", "text*", special="msbuild", options=f"{_DOTNET} --launch-profile:text --no-build"), project("watch",
        does="spawn execute"),
    restores("restore", "runs*", special="msbuild",
        options=f"{_DOTNET} -s|--source:registry --configfile:read --packages:write"),
    P("add", words=3, subs=(installs("package", options="-v|--version:version -s|--source:registry -f:text"),
        *each("dotnet", "reference", "write")), default=P("add", "read text package",
            options="-v|--version:version -s:registry", action="pkg:install",
            does="network write execute", tags="install")),
    P("remove", "text*", action="pkg:remove", does="write"),
    P("tool", words=3, subs=(installs("install", also="update", options="-g|--global!global --tool-path:write "
        "--version:version "
        "--add-source:registry --configfile:read"), removes("uninstall", options="-g|--global!global "
            "--tool-path:edit"),
        *each("dotnet", "list", "read"), *each("dotnet", "search", "network"), restores("restore"),
        P("run", special="opaque", does="execute"))),
    P("nuget", words=3, subs=(
        publishes("push", "nuget:push", "send*", options="-s|--source:registry -k|--api-key:text -t:text",
            compensator="unlist the version"),
        P("delete", "package*", options="-s|--source:registry -k|--api-key:text", action="nuget:delete",
            does="destructive network",
            tags="external", irreversible=True, risk="high", compensator="none: a deleted version is unlisted"),
        *each("dotnet", "list locals verify why", "read"),
        *each("dotnet", "add update config", "write", special="package_setting"),
        *each("dotnet", "remove enable disable", "write"))),
    P("new", "text*", options="-o|--output:write -n|--name:text --install:package", action="dotnet:new", does="write"),
    P("sln", action="dotnet:sln", does="write"), P("format", action="dotnet:format", does="write",
        options="--verify-no-changes",
        dryrun="--verify-no-changes"),
    P("ef", words=3, subs=(P("database", subs=(drops("drop"), *each("dotnet", "update", "execute write",
        tags="unread external"))),
        project("migrations", also="dbcontext"))),
    *each("dotnet", "--info --version --list-sdks --list-runtimes list help sdk", "read"),
    P("workload", words=3, subs=(installs("install", also="update restore repair"), *each("dotnet", "list search",
        "read"))),
    P("dev-certs", action="dotnet:certs", does="write", tags="privileged"), P("user-secrets", action="dotnet:secrets",
        does="write", tags="secret"),
    P("fsi", special="opaque", does="execute", also="script repl"), project("exec", "runs text*"),
    P("build-server", action="dotnet:build-server", does="write"),
)  # fmt: skip
PROGRAMS = (
    # Java
    P("java", special="java", does="execute", options="--add-modules:value --add-opens:value --add-exports:value "
        "--add-reads:value --source:value "
        "--upgrade-module-path:value --enable-native-access:value -version --version -help --help -X "
        "--list-modules --dry-run", example="java -jar a.jar"),
    P("javac", "read*", options="-d:write -s:write -h:write -cp|-classpath|--class-path:text "
        "-sourcepath|--source-path:text -source|--source:text "
        "-target|--target:text --release|-release:text -encoding:text -processor:text "
        "-processorpath|--processor-path:runs -p|--module-path:text "
        "-proc\\:none -proc\\:only -proc\\:full -Xlint --add-modules:text --add-exports:text -A?:text "
        "-bootclasspath:text -extdirs:text", does="write",
        action="exec:javac", special="compiler", example="javac -d out Main.java"),
    P("jar", special="jar", does="write", example="jar cf a.jar -C out ."),
    P("javap", "text*", also="jdeps jmap jstack jps jinfo jstat jdeprscan", options="-cp|-classpath:text -c -p -v -s "
        "-l", does="read"),
    P("javadoc", "read*", options="-d:write -cp|-classpath:text -sourcepath:text -doclet:runs -docletpath:runs",
        does="write"),
    P("jshell", special="opaque", does="execute", also="jrunscript jjs nashorn kotlinc-repl amm spark-shell pyspark "
        "spark-submit"),
    P("keytool", options="-keystore:edit -file:read -alias:text -storepass:text", action="java:keytool", does="write",
        tags="secret"),
    P("jarsigner", "edit text*", options="-keystore:read", does="write", tags="secret"),
    P("mvn", also="mvnd mvnw mvnDebug", words=2, special="maven", options=_MVN, action="exec:project", does="execute",
        tags="unread", example="mvn test"),
    P("gradle", also="gradlew gradlew.bat", words=2, special="maven", options=_GRADLE, action="exec:project",
        does="execute", tags="unread", example="gradle build"),
    project("ant", "task*", options="-f|-file|-buildfile:runs -D:text -lib:runs -logger:text -listener:text "
        "-propertyfile:read -l|-logfile:write"),
    P("sbt", words=2, special="maven", action="exec:project", does="execute", tags="unread",
        also="mill lein boot", example="sbt test"),
    P("clojure", "runs? text*", also="clj", action="exec:project", does="execute", tags="unread",
        options="-e|--eval:code.clojure -i|--init:runs -Sdeps:code.clojure -m|--main:text -M?:text -X?:text -T?:text "
            "-A?:text -P?:text -Spath -Stree -Sforce -Sverbose -r|--repl!repl",
        flags={"repl": Adds(opaque="someone types into it")}, example="clojure -M:test"),
    P("kotlinc", "read*", also="scalac groovyc", options="-d:write -cp|-classpath:text -Xplugin:runs -P:text "
        "-script!runs -include-runtime", does="write",
        flags={"runs": Adds(opaque="runs a script")}),
    P("sdk", also="sdkmanager jenv jabba", words=2, subs=(installs("install", also="update upgrade selfupdate"),
        *each("sdk", "list ls current "
        "version versions", "read"), *each("sdk", "use default env local global", "write"),
        removes("uninstall", also="remove rm"))),
    # Rust
    P("cargo", special="cargo", options=f"{_CARGO} -q -v --list --locked --offline --frozen", flags=_LOADS,
        subs=_CARGO_SUBS, words=2,
        example="cargo test"),
    P("rustc", "read*", options="-o:write --out-dir:write -L:text -l:text -C|--codegen:text -A:text -W:text -D:text "
        "-F:text -Z:text --cfg:text "
        "--crate-type:text --crate-name:text --edition:text --emit:text --target:text --extern:text --print:text "
        "--explain:text --sysroot:runs -O -g -v|--verbose --test",
        does="write", action="exec:rustc", special="compiler", flags={"-C": Adds(effects=effects("execute"),
            tags=("unread",))},
            also="rustdoc"),
    P("rustfmt", "edit*", options="--check --edition:text --config:text --config-path:read --emit:text --backup -l -q "
        "-v", dryrun="--check",
        does="write"),
    P("rustup", words=2, options="-q -v", subs=(
        *each("rustup", "show which check doc man help completions", "read"), P("update", "package*", also="upgrade",
            action="pkg:install",
            does="network write execute", tags="install"), *each("rustup", "default override set", "write"),
        installs("install", options="--profile:text --component|-c:text --target|-t:text"),
        P("toolchain", subs=(*each("rustup", "list", "read"), installs("install", also="add update",
            options="--profile:text -c:text -t:text"),
            removes("uninstall", also="remove"), P("link", "text runs", action="rustup:link",
                special="opaque", does="write"))),
        P("component", also="target", subs=(*each("rustup", "list", "read"), installs("add",
            options="--toolchain:text --target:text"),
            removes("remove", options="--toolchain:text --target:text"))),
        P("run", "text command", options="--install", does="execute"),
        P("self", subs=(P("update", action="pkg:install", does="network write execute", tags="install"),
            P("uninstall", action="pkg:remove",
            does="destructive", irreversible=True)))), example="rustup show"),
    P("maturin", words=2, subs=(
        publishes("publish", "pypi:publish", options="-r|--repository|--repository-url:registry -u:text -p:text "
            "-m|--manifest-path:runs!elsewhere --target:text -o|--out:write -i:text --skip-existing --no-sdist"),
        publishes("upload", "pypi:publish", "send*", options="-r|--repository|--repository-url:registry -u:text "
            "-p:text --skip-existing")),
        default=project("maturin"), example="maturin publish"),
    project("wasm-pack", also="trunk cross cbindgen bindgen sqlx diesel tauri dx"),
    # Go
    P("go", special="go_in", subs=_GO_SUBS, words=2, example="go test ./..."),
    P("gofmt", "checked*", also="goimports gofumpt golines gci", options="-w!writes -l -d -s -e -r:text -local:text "
        "-cpuprofile:write", does="read",
        flags={"writes": EDITS}, example="gofmt -w ."),
    P("golangci-lint", words=2, subs=(P("run", "checked*", options="-c|--config:runs --fix!fix --timeout:text "
        "-E|--enable:text -D|--disable:text "
        "--out-format:text --build-tags:text -j:number --new-from-rev:text", action="exec:golangci-lint",
        does="read execute", flags={"fix": EDITS}),
        P("fmt", "edit*", does="write"), *each("golangci-lint", "linters version config formatters", "read"),
            *each("golangci-lint", "cache", "write"))),
    P("staticcheck", "checked*", also="govulncheck gosec revive errcheck ineffassign golint gocyclo go-critic nilaway",
        options="-checks:text -f:text "
        "-tags:text -fmt:text -out:write", does="read execute", action="exec:golint"),
    project("gotestsum", also="ginkgo richgo mockgen mockery wire sqlc ent goreman air stringer oapi-codegen gqlgen"),
    publishes("goreleaser", "go:release", options="-f|--config:runs --snapshot --skip:text", dryrun="--snapshot",
        words=1, compensator="delete the release"),
    # .NET, Swift
    P("dotnet", options="-d --additionalprobingpath:text", subs=_DOTNET_SUBS, words=2, default=project("dotnet",
        "runs? text*"), example="dotnet test"),
    project("msbuild", "runs*", also="xbuild", special="msbuild", options="-p|--property:property --target:text "
        "--logger:report --binarylogger:write"),
    project("csc", also="mcs fsc vbc", options="-t:text -p:text"),
    P("nuget", words=2, subs=(publishes("push", "nuget:push", "send*", options="-Source:registry -ApiKey:text",
        compensator="unlist the version"),
        installs("install", options="-Version:text -Source:registry -OutputDirectory:write"), restores("restore",
            "runs*", also="update"),
        *each("nuget", "list search locals help verify", "network"),
        *each("nuget", "sources config", "write", special="package_setting"),
        *each("nuget", "spec add init setapikey", "write"),
        project("pack", "runs*"), P("delete", "package*", action="nuget:delete", does="destructive network",
            tags="external", irreversible=True,
            risk="high"))),
    P("swift", words=2, subs=(project("build", options="--package-path:runs -c:text --scratch-path:write",
        also="test run"), publishes("package-registry", "swift:publish"), restores("package",
        options="--package-path:runs"), P("repl", special="opaque", does="execute")), default=project("swift",
            "runs? text*", options="-e:code.swift "
        "-I:text -L:text -F:text")),
    P("swiftc", "read*", options="-o:write -I:text -L:text -l:text -module-name:text -load-plugin-library:runs",
        does="write"),
    P("swiftformat", "edit*", also="swiftlint ktlint", options="--lint --config:read --rules:text --disable:text",
        dryrun="--lint", does="write"),
    P("xcodebuild", special="maven", action="exec:project", does="execute", tags="unread",
        options="-project:runs -workspace:runs -scheme:text "
        "-configuration:text -destination:text -sdk:text -target:text -derivedDataPath:write -archivePath:write "
        "-exportPath:write -resultBundlePath:write "
        "-exportOptionsPlist:read -list -showBuildSettings -version"),
    P("xcrun", "command?", options="--sdk:text --toolchain:text -f|--find -l|--log -n|--no-cache -k|--kill-cache "
        "-r|--run -v|--verbose --show-sdk-path --show-sdk-version --show-sdk-build-version --show-sdk-platform-path "
        "--show-sdk-platform-version --show-toolchain-path", does="execute", example="xcrun --show-sdk-path"),
    P("pod", words=2, subs=(restores("install", also="update repo", options="--project-directory:runs"),
        publishes("trunk", "pod:push",
        compensator="pod trunk deprecate"), *each("pod", "search list outdated env", "network"), *each("pod",
            "init deintegrate cache", "write"),
        project("lib"), project("spec"))),
    P("fastlane", special="opaque", does="execute network", tags="external"),
    # Haskell, OCaml, Erlang, Elixir and others
    P("ghc", "read*", options="-o:write -e:code.haskell --interactive!shell --make -odir:write -hidir:write "
        "-outputdir:write -package:text -i:text "
        "-X:text -l:text -L:text -I:text -pgmF:runs -F -pgmc:runs -fplugin:text -package-db:text", does="write",
        action="exec:ghc",
        flags={"shell": Adds(opaque="starts an interactive session")}),
    P("runghc", "runs text*", also="runhaskell", action="exec:project", does="execute", tags="unread",
        options="-f:runs --ghc-arg:text"),
    P("cabal", words=2, options="--store-dir:write --config-file:read --project-file:runs --project-dir:runs", subs=(
        project("build", options="--project-file:runs", also="test run bench configure haddock v2-build v2-test "
            "v2-run new-build check"),
        runs_in_env("exec", options="--project-file:runs --project-dir:runs -v:text"), installs("install",
            options="--project-file:runs -w:runs "
            "--installdir:write --overwrite-policy:text --lib", words=2), restores("update", also="fetch get freeze"),
            P("repl", special="opaque",
            does="execute"), *each("cabal", "list info outdated path", "network"), *each("cabal",
                "init clean sdist gen-bounds", "write"),
        publishes("upload", "hackage:publish", "send*", options="-u:text -p:text --publish",
            compensator="deprecate the version"))),
    P("stack", words=2, options="--stack-yaml:runs --resolver:registry --work-dir:write", subs=(project("build",
        also="test bench run haddock ide"),
        runs_in_env("exec", options="--package:package --cwd:runs --"), P("ghci", special="opaque", does="execute",
            also="repl"), installs("install"),
        restores("setup", also="update upgrade"), P("runghc", "runs text*", also="runhaskell script",
            action="exec:project", does="execute",
            tags="unread", options="--resolver:registry --package:package"), publishes("upload", "hackage:publish",
                "send*"),
        *each("stack", "path ls list query", "read"), *each("stack", "new init clean purge sdist", "write"))),
    P("opam", words=2, subs=(installs("install", also="reinstall"), restores("update", also="upgrade init"),
        runs_in_env("exec", options="--switch:text --"),
        *each("opam", "list show search env var= config=", "read"), removes("remove", also="uninstall purge"),
        P("switch", "text*", options="-y", subs=(*each("opam", "list show list-available", "read"),
            P("export", "write", action="opam:export", does="read"),
            installs("create", also="install import reinstall"), removes("remove", also="uninstall")),
            default=each("opam", "switch=", "read")[0]),
        *each("opam", "help", "read"), publishes("publish", "opam:publish"))),
    project("dune", options="--root:runs -p:text", also="ocamlbuild ocamlfind ocamlopt ocamlc esy"),
    P("elixir", special="interpreter", stdin="code.elixir", does="execute", also="iex escript",
        options="-e:code --eval:code -r:load -pa:load -S:program "
        "--name:value --sname:value --no-halt"),
    P("erl", special="interpreter", stdin="code.erlang", does="execute", options="-eval:code -s:load -run:load "
        "-pa:load -noshell -noinput "
        "-sname:value -name:value", also="erlc"),
    P("mix", words=2, subs=(restores("deps.get", also="deps.update deps.compile local.hex local.rebar deps.unlock"),
        drops("ecto.drop", also="ecto.reset "
        "ecto.rollback"), publishes("hex.publish", "hex:publish", options="--yes --replace "
        "--organization:text", dryrun="--dry-run",
        compensator="mix hex.publish --revert within the hour"), P("hex.retire", also="hex.owner hex.user "
            "hex.organization", action="hex:owner",
        does="network write", tags="external", risk="high"), installs("archive.install", also="escript.install"),
            *each("mix", "help deps hex.info "
        "hex.search hex.outdated deps.tree hex.audit", "read"), P("format", "edit*", options="--check-formatted",
        dryrun="--check-formatted",
        does="write"), P("new", "write", also="phx.new", action="mix:new", does="write"), project("phx.server",
            does="spawn execute"), P("eval", "code.elixir text*", does="execute"),
            P("cmd", "command", options="--app:text --cd:runs", does="execute")),
        default=project("mix", "task text*", options="-e|--eval:code.elixir -r|--require:runs")),
    P("rebar3", words=2, subs=(restores("get-deps", also="upgrade deps update"), publishes("hex", "hex:publish"),
        P("shell", special="opaque",
        does="execute"), P("new", action="rebar3:new", does="write")), default=project("rebar3", "task text*")),
    P("gleam", words=2, subs=(publishes("publish", "hex:publish"), installs("add"), project("run",
        also="test build check")), default=project("gleam")),
    P("zig", words=2, subs=(project("build", options="--build-file:runs --prefix|-p:write --cache-dir:write -D:text"),
        project("run", "runs text*",
        also="test"), P("fmt", "edit*", options="--check", dryrun="--check", does="write"), *each("zig",
            "env version targets zen std libc help", "read"),
        *(P(name, "read*", options=_GO.replace("-C:runs", "") + "-O:text -I:text -L:text -l:text -target:text",
            does="write", action="exec:zig") for name
          in ("cc", "c++", "build-exe", "build-lib", "build-obj", "ar", "translate-c", "objcopy")), restores("fetch"),
              *each("zig", "init init-exe", "write"))),
    P("nim", words=2, subs=(P("c", "read*", also="cpp compile js cc check doc", options="-o|--out:write "
        "-d|--define:text -p|--path:text -r|--run!runs "
        "--outdir:write --nimcache:write", does="write", action="exec:nim", flags={"runs": Adds(action="exec:project",
        effects=effects("execute"),
        tags=("unread",))}), project("r", "runs text*", also="e"), P("secret", special="opaque", does="execute"))),
    P("nimble", words=2, subs=(installs("install", also="develop"), project("build", also="test run c"),
        *each("nimble", "list search dump path", "read"),
        publishes("publish", "nimble:publish")), default=project("nimble")),
    project("crystal", "text*", also="shards v odin vala valac", words=2),
    P("dart", also="flutter", words=2, subs=(
        P("pub", words=3, subs=(restores("get", also="upgrade downgrade"), installs("add"), P("remove", "package*",
            action="pkg:remove", does="write"),
            publishes("publish", "dart:publish", options="-f -n|--dry-run", dryrun="-n", compensator="retract the "
                "version within 7 days"),
            *each("dart", "deps outdated", "read"), P("global", subs=(installs("activate", options="-s:text"),
                *each("dart", "list", "read"),
                project("run"))), P("run", special="opaque", does="execute"))),
        project("run", also="test build compile drive attach install"), P("format", "edit*",
            options="-o|--output:text --set-exit-if-changed -l:number",
            does="write"), *each("dart", "analyze doctor devices info --version emulators channel=", "read"), P("fix",
                options="--apply -n|--dry-run",
            dryrun="-n", action="dart:fix", does="write"), P("create", "write", options="-t:text",
                action="dart:create", does="write"),
        *each("dart", "clean", "write"), P("config", options="--list "
            "--jdk-dir|--android-sdk|--android-studio-dir:runs --build-dir:text", action="dart:config", does="write"),
        P("upgrade", action="pkg:install", does="network write execute",
            tags="install")),
        default=project("dart", "runs? text*")),
)  # fmt: skip
