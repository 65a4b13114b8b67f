"""Tools around Python: packages, environments, tests, checks and servers."""

from __future__ import annotations

from .kinds import ALL_TOOLS, EDITS, NAMED, each, installs, project, publishes, removes, restores, runs_in_env, worded
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_SETS = Adds(effects=effects("write"))  # with a word more, what was shown is set
_PIP_SOURCES = "-i|--index-url|--index|--default-index:registry --extra-index-url:registry -f|--find-links:registry"
_PIP_COMMON = (
    "--log:write --proxy:registry --retries:text --timeout:text --exists-action:text --trusted-host:text --cert:read "
    "--client-cert:read --cache-dir:cache --use-feature:text --use-deprecated:text --python:starts "
    "--keyring-provider:text"
)
_PIP_INSTALL = (
    f"{_PIP_SOURCES} {_PIP_COMMON} -r|--requirement|--requirements:runs -c|--constraint|--constraints:runs "
    "-e|--editable:runs -t|--target:write --platform:text --python-version:text --implementation:text --abi:text "
    "--root:write --prefix:write --src:write --upgrade-strategy:text -C|--config-settings:text --global-option:text "
    "--build-option:text --no-binary:text --only-binary:text --progress-bar:text --report:write "
    "--root-user-action:text "
    "-U|--upgrade --user --pre --break-system-packages!system --group:text --override|--overrides:lists -q -v"
)
_PIP = (
    installs("install", options=_PIP_INSTALL, dryrun="--dry-run", words=2, example="pip install -r requirements.txt"),
    installs("download", options=f"{_PIP_INSTALL} -d|--dest:write", words=2, example="pip download -d wheels requests"),
    installs("wheel", options=f"{_PIP_INSTALL} -w|--wheel-dir:write", words=2, example="pip wheel ."),
    installs("lock", options=f"{_PIP_INSTALL} -o|--output:write", words=2),
    restores("sync", "runs*", options=f"{_PIP_SOURCES} {_PIP_COMMON}", dryrun="--dry-run", example="uv pip sync r.txt"),
    restores(
        "compile",
        "lists*",
        options=f"{_PIP_SOURCES} {_PIP_COMMON} -o|--output-file:write -c|--constraint:lists --python-version:text "
        "--extra:text -P|--upgrade-package:text",
        example="uv pip compile requirements.in -o requirements.txt",
    ),
    P(
        "uninstall",
        "package*",
        options=f"{_PIP_COMMON} -r|--requirement:removed -y --break-system-packages!global",
        action="pkg:remove",
        does="write execute",
        words=2,
        example="pip uninstall -y requests",
    ),
    *each("pip", "list freeze show check tree inspect debug hash help", "read", options=f"{_PIP_COMMON} --path:read"),
    *each("pip", "index search", "network", options=f"{_PIP_SOURCES} {_PIP_COMMON}"),
    P(
        "config",
        "text*",
        options="--editor:command --global --user --site",
        subs=(
            *each("pip", "list get debug", "read"),
            *each("pip", "set unset edit", "write", options="--editor:command", tags="redirects"),
        ),
        words=2,
        example="pip config list",
    ),
    P(
        "cache",
        subs=(*each("pip", "dir info list", "read"), *each("pip", "purge remove", "write", options=_PIP_COMMON)),
        words=2,
    ),
    P("completion", action="pip:completion"),
)
_UV_RUN = (
    f"{_PIP_SOURCES} --with:package --with-requirements:runs --with-editable:runs -m|--module:module "
    "-p|--python:starts --package:text --extra:text --group:text --only-group:text --no-group:text --env-file:read "
    "--project:runs --directory:runs --isolated --no-project --no-sync --frozen --locked --all-extras --dev --no-dev "
    "--active --offline -q|--quiet -v|--verbose -s|--script --all-groups --all-packages --exact --refresh --upgrade -U "
    "--no-cache -n --no-config --no-env-file --native-tls --no-progress --reinstall --prerelease:text "
    "--resolution:text --with-all"
)
_UV_PLACE = "--project:runs --directory:runs --config-file:runs --cache-dir:cache -p|--python:starts"

_UV_TOOL = (
    installs("install", options=f"{_PIP_SOURCES} {_UV_PLACE} --with:package --from:package -U --force", words=3),
    installs("upgrade", options=f"{_PIP_SOURCES} {_UV_PLACE} --all!everything", words=3, flags={"everything": NAMED}),
    P("run", special="package_run", options=f"{_UV_RUN} --from:package", does="execute", words=3),
    removes("uninstall", options="--all!everything", words=3, flags={"everything": ALL_TOOLS}),
    *each("uv", "list dir", "read", options=_UV_PLACE),
    *each("uv", "update-shell", "write"),
)
_UV = (
    runs_in_env("run", options=_UV_RUN, stdin="code.py", words=2, example="uv run pytest -q"),
    P("pip", options=_UV_PLACE, subs=_PIP, example="uv pip install flask"),
    P("tool", subs=_UV_TOOL, example="uv tool install ruff"),
    restores("sync", options=f"{_PIP_SOURCES} {_UV_PLACE} --extra:text --group:text --package:text",
        dryrun="--dry-run"),
    restores("lock", options=f"{_PIP_SOURCES} {_UV_PLACE} --upgrade-package|-P:text", dryrun="--dry-run --check"),
    installs("add", options=f"{_PIP_INSTALL} {_UV_PLACE} --group:text --optional:text --extra:text --tag:text "
        "--branch:text --rev:text --script:edit --package:text --bounds:text --dev", words=2,
        example="uv add requests"),
    P("remove", "package*", options=f"{_UV_PLACE} --group:text --script:edit", action="pkg:remove", does="write",
        words=2),
    P("venv", "builds?", options=f"{_UV_PLACE} --prompt:text --seed --clear", action="py:venv", does="write"),
    P("init", "write?", options=f"{_UV_PLACE} --name:text --script:write", action="uv:init", does="write"),
    project("build", options=f"{_UV_PLACE} -o|--out-dir:write --package:text"),
    publishes("publish", "pypi:publish", "send*", options="--publish-url|--index:registry -t|--token:text "
        "-u|--username:text -p|--password:text --trusted-publishing:text --check-url:text", dryrun="--dry-run"),
    P("python", subs=(
        *each("uv", "list dir", "read", options=_UV_PLACE),
        P("find", "starts?", options=_UV_PLACE, action="uv:find", does="read"),
        P("install", "package*", action="pkg:install", does="network write execute", tags="install", words=3),
        P("pin", "starts?", options=_UV_PLACE, action="uv:pin", does="write"),
        removes("uninstall", options="--all!everything -i|--install-dir:delete", words=3,
            flags={"everything": ALL_TOOLS}),
    )),
    *each("uv", "tree help", "read", options=_UV_PLACE),
    *each("uv", "version", "read", options=f"{_UV_PLACE} --bump:text --short --dry-run --output-format:text --frozen",
        flags={"operand": _SETS, "--bump": _SETS}),
    P("export", options=f"{_UV_PLACE} -o|--output-file:write --format:text", action="uv:export", does="read"),
    P("cache", options=_UV_PLACE, subs=(*each("uv", "dir size", "read"),
        *each("uv", "clean prune", "write", options=_UV_PLACE))),
    P("self", subs=(P("update", action="pkg:install", does="network write execute", tags="install"), *each("uv",
        "version"))),
)  # fmt: skip
_POETRY_PLACE = "-C|--directory:runs!elsewhere -P|--project:runs!elsewhere"
_POETRY = (
    runs_in_env("run", words=2, example="poetry run pytest"),
    restores("install", options="--with:text --without:text --only:text -E|--extras:text", dryrun="--dry-run",
        also="sync"),
    restores("update", options="--with:text --without:text --only:text", dryrun="--dry-run", also="lock"),
    installs("add", options="-G|--group:text -E|--extras:text --python:text --platform:text --source:registry", words=2,
        dryrun="--dry-run", example="poetry add httpx"),
    P("remove", "package*", options="-G|--group:text", dryrun="--dry-run", action="pkg:remove", does="write", words=2),
    project("build", options="-f|--format:text -o|--output:write"),
    publishes("publish", "pypi:publish", options="-r|--repository:registry -u|--username:text -p|--password:text "
        "--dist-dir:text "
        "--cert:read --client-cert:read", dryrun="--dry-run", example="poetry publish"),
    *each("poetry", "show check about list help search debug", "read"),
    *each("poetry", "version", "read", options="-s|--short --dry-run --next-phase", flags={"operand": _SETS}),
    P("python", subs=(*each("poetry", "list", "read"), installs("install"), removes("remove"))),
    P("env", subs=(*each("poetry", "info list activate", "read"),
        P("use", "starts", action="poetry:use", does="write", words=2), *each("poetry", "remove", "write")), words=2),
    P("config", options="--list --unset --local", dryrun="--list", action="poetry:config", does="write",
        special="package_setting"),
    P("new", "write", options="--name:text", action="poetry:new", does="write"),
    *each("poetry", "init", "write"),
    P("shell", action="exec:shell", does="execute", special="opaque"),
    P("export", options="-f|--format:text -o|--output:write --with:text --without:text", action="poetry:export",
        does="read"),
    P("cache", subs=(*each("poetry", "list", "read"), *each("poetry", "clear", "write"))),
    P("self", subs=(installs("add"), installs("update", also="install lock sync"), *each("poetry", "show", "read"),
        removes("remove"))),
    P("source", subs=(*each("poetry", "show", "read"), *each("poetry", "remove", "write"), P("add", "text registry",
        action="poetry:source", does="write"))),
)  # fmt: skip
_PDM = (
    runs_in_env("run", options="-s -p:runs --venv:text", words=2),
    restores("install", options="-p|--project:runs -G|--group:text -L|--lockfile:read", also="sync update lock"),
    installs("add", options="-p|--project:runs -G|--group:text -e|--editable:runs -d", words=2),
    P("remove", "package*", options="-G|--group:text", action="pkg:remove", does="write", words=2),
    project("build", options="-d|--dest:write", also="test"),
    publishes("publish", "pypi:publish", options="-r|--repository:registry -u:text -P:text "
        "-p|--project:runs!elsewhere"),
    *each("pdm", "list show info search outdated", "read"),
    P("use", "starts?", options="-p|--project:runs -f|--first -i|--ignore-remembered --venv:text --auto-install-min",
        action="pdm:use", does="write", words=2),
    *each("pdm", "init venv config export import", "write"),
)  # fmt: skip
_HATCH = (
    runs_in_env("run", words=2),
    project("test", also="build fmt"),
    publishes("publish", "pypi:publish", "send*", options="-r|--repo:registry -u|--user:text -a|--auth:text"),
    *each("hatch", "status dep project", "read"), *each("hatch", "version", "read", flags={"operand": _SETS}),
    *each("hatch", "new clean config", "write"),
    P("env", subs=(restores("create"), *each("hatch", "show find", "read"), *each("hatch", "remove prune", "write"),
        runs_in_env("run", options="-e:text -i:text"))),
    P("shell", special="opaque", does="execute"),
)  # fmt: skip
_CONDA_ENV = "-n|--name:text -p|--prefix:write -c|--channel:registry --file:runs -f:runs --solver:text --clone:text"
_CONDA = (
    installs("install", options=_CONDA_ENV, dryrun="--dry-run -d", words=2, example="conda install -c conda-forge "
        "numpy"),
    installs("create", options=_CONDA_ENV, dryrun="--dry-run -d", words=2, example="conda create -n x python=3.11"),
    installs("update", options=_CONDA_ENV, dryrun="--dry-run -d", words=2, also="upgrade"),
    P("remove", "package*", also="uninstall", options=f"{_CONDA_ENV} --all!all", dryrun="--dry-run -d",
        action="pkg:remove",
        does="write", words=2, flags={"all": Adds(effects=effects("destructive"), irreversible=True)}),
    runs_in_env("run", options="-n|--name:text -p|--prefix:runs --cwd:runs --no-capture-output --live-stream -v",
        words=2),
    P("env", words=2, subs=(
        *each("conda", "list", "read"),
        restores("create", options=_CONDA_ENV), restores("update", options=_CONDA_ENV),
        P("export", options="-n:text -f|--file:write", action="conda:export", does="read"),
        P("remove", options="-n|--name:text -p|--prefix:delete", action="conda:env-remove", does="destructive",
            irreversible=True,
            compensator="create the environment again"),
        P("config", action="conda:env-config", does="write"),
    )),
    *each("conda", "list info search compare doctor repoquery activate deactivate notices", "read"),
    P("export", options="-n:text -f|--file:write", action="conda:export", does="read"),
    *each("conda", "clean rename", "write"), *each("conda", "config", "write", special="package_setting"),
    *each("conda", "init", "write", tags="persistence"),
    P("build", special="opaque", does="execute"),
)  # fmt: skip
_JUPYTER_RUN = "--execute --to:text --output:write --output-dir:write --config:runs --ExecutePreprocessor.timeout:text"
_NOTEBOOK = (
    "--port:text --ip:text --notebook-dir:list --config:runs --generate-config -y --no-browser --allow-root --debug "
    "--version --help --help-all --show-config --show-config-json"
)
_JUPYTER = (
    *(P(name, "text*", action="jupyter:serve", does="spawn", options=_NOTEBOOK,
        subs=(*each("jupyter", "list", "read"), *each("jupyter", "stop", "write"),
            P("password", action="jupyter:configure", does="write", tags="secret")),
        default=P(name, "text*", action="jupyter:serve", does="spawn execute", options=_NOTEBOOK,
            flags={"--generate-config": Adds(action="jupyter:configure", effects=effects("write"), ends=True)},
            special="notebook_server" if name in ("notebook", "lab", "server") else None,
            dryrun="--version --help --help-all --show-config --show-config-json"))
      for name in ("notebook", "lab", "server", "console", "qtconsole")),
    P("nbconvert", "edit*", options=_JUPYTER_RUN, does="write", flags={"--execute": Adds(action="exec:project",
        effects=effects("execute"), tags=("unread",))}, action="jupyter:convert"),
    project("execute", "runs*"),
    P("kernelspec", subs=(*each("jupyter", "list", "read"), *each("jupyter", "install remove uninstall", "write",
        tags="deferred"))),
    *each("jupyter", "troubleshoot --paths --version", "read"),
)  # fmt: skip

_CHECK = "--config|--config-file|--rcfile|-c:read --exclude:text --select:text --ignore:text"
_SERVE = (
    "-b|--bind|--host:text -p|--port:text -w|--workers:text --env-file:read --log-config:read --app-dir|--chdir:runs"
)
_DJANGO = "--settings:imports --pythonpath:runs"
_MIGRATE = "-c|--config:runs -n|--name:text -x:text"

PROGRAMS = (
    # packages and environments
    P("pip", also="pip3 pip2", options=_PIP_COMMON, subs=_PIP, words=2, example="pip install flask"),
    P("uv", options=_UV_PLACE, subs=_UV, words=2, example="uv sync"),
    P("uvx", special="package_run", options=f"{_UV_RUN} --from:package", does="execute", example="uvx ruff check ."),
    P("pipx", words=2, example="pipx run cowsay", subs=(
        P("run", special="package_run", options=f"{_PIP_SOURCES} --spec:package --python:starts --pip-args:text "
            "--no-cache -q "
            "--verbose --path:runs --with:package", does="execute", words=2),
        installs("install", options=f"{_PIP_SOURCES} --python:starts --suffix:text --pip-args:text "
            "--preinstall:package", words=2),
        installs("inject", options=f"{_PIP_SOURCES} -r:runs --pip-args:text", words=2),
        installs("upgrade", also="reinstall install-all", options=f"{_PIP_SOURCES} --python:starts --pip-args:text",
            words=2),
        P("upgrade-all", "text*", also="reinstall-all upgrade-shared", options="--python:starts --pip-args:text "
            "--skip:text", action="pkg:install", does="network write execute", tags="install", words=2),
        removes("uninstall", also="uninject", words=2),
        removes("uninstall-all", also="reset", tags="guard", words=2),
        *each("pipx", "list environment interpreter help", "read"),
        *each("pipx", "ensurepath pin unpin", "write"),
        P("runpip", "text text*", special="opaque", does="execute"),
    )),
    P("poetry", options=_POETRY_PLACE, subs=_POETRY, words=2, example="poetry add httpx"),
    P("pdm", options="-p|--project:runs!elsewhere -c|--config:read", subs=_PDM, words=2, example="pdm run test"),
    P("rye", subs=_PDM, words=2),
    P("hatch", options="-e|--env:text -p|--project:text --config:read --data-dir:text --cache-dir:cache", subs=_HATCH,
        words=2, example="hatch run test"),
    P("flit", options="-f|--ini-file:runs!elsewhere --repository:registry", words=2, subs=(
        project("build"), restores("install", options="--deps:text --python:starts --extras:text"),
        publishes("publish", "pypi:publish", options="--repository:registry -f|--ini-file:runs!elsewhere"),
        *each("flit", "init info", "write"),
    )),
    P("pipenv", words=2, example="pipenv run pytest", subs=(
        P("run", "command", special="env_file_run", does="execute", words=2), installs("install",
            options=f"{_PIP_INSTALL} --categories:text --python:starts",
            words=2),
        restores("sync", also="lock update upgrade"), P("shell", special="opaque", does="execute"),
        P("uninstall", "package*", action="pkg:remove", does="write"), *each("pipenv",
            "graph check verify requirements", "read"),
        *each("pipenv", "clean", "write"),
    )),
    P("twine", words=2, example="twine upload dist/*", subs=(
        publishes("upload", "pypi:publish", "send*", options="-r|--repository:registry --repository-url:registry "
            "-u:text -p:text "
            "-c|--comment:text --config-file:read --cert:read --client-cert:read --sign-with:command "
            "-i|--identity:text -s"),
        P("register", "send*", options="-r|--repository:registry", action="pypi:register", does="network",
            tags="external sends"),
        P("check", "read*", action="twine:check", does="read"),
    )),
    P("conda", also="mamba micromamba", subs=_CONDA, words=2, example="conda install numpy"),
    P("virtualenv", "builds*", options="-p|--python:starts --prompt:text --app-data:text --seeder:text "
        "--extra-search-dir:text "
        "--pip:text --setuptools:text --wheel:text", does="write execute", action="py:venv",
        example="virtualenv .venv"),
    # A function of the shell that `activate` defines. Where it does not, there is no such program.
    P("deactivate", "text?", does="", example="deactivate"),
    P("python -m venv", "builds*", options="--prompt:text --upgrade-deps --clear!clear", does="write execute",
        action="py:venv",
        flags={"clear": Adds(effects=effects("destructive"), irreversible=True)}, example="python -m venv .venv"),
    P("pyenv", words=2, subs=(
        *each("pyenv", "versions version which whence root prefix help commands shims init hooks virtualenvs", "read"),
        P("install", "package*", options="-l|--list -f -s -v -p -k", dryrun="-l", action="pkg:install", tags="install",
            does="network write execute"),
        *each("pyenv", "local global rehash shell virtualenv activate deactivate", "write"),
        P("uninstall", "package*", action="pkg:remove", does="destructive", irreversible=True,
            compensator="pyenv install"),
        runs_in_env("exec"),
    )),
    restores("pip-sync", "runs*", options=_PIP_SOURCES),
    restores("pip-compile", "lists*", options=f"{_PIP_SOURCES} -o|--output-file:write -c:lists --extra:text",
        dryrun="-n --dry-run"),
    P("pip-audit", options="-r:read -f:text -o:write -s:text --fix", action="pip:audit", does="network",
        flags={"--fix": Adds(effects=effects("write execute"))}),
    P("easy_install", special="opaque", does="execute network write", tags="install"),
    P("python -m ensurepip", action="pkg:restore", does="write execute", options="--upgrade --root:write --user"),
    # tests
    project("pytest", "runs*", also="py.test", special="pytest_run",
        options="-k:text -m:text -p:text -n|--numprocesses:text "
        "-c|--config-file:runs "
        "--rootdir:runs --confcutdir:text --maxfail:number --junitxml|--junit-xml:write --basetemp:delete "
        "--ignore:text "
        "--ignore-glob:text --deselect:text -o|--override-ini:setting -W:text --tb:text --durations:text -r:text "
        "--capture:text "
        "--log-file:write --log-level:text --log-cli-level:text --cov?:text --cov-report:report --cov-config:runs "
        "--tx:machine --rsyncdir:text --px:machine "
        "--report-log:write --resultlog:write --doctest-glob:text --doctest-modules --pdbcls:imports "
        "--timeout:text "
        "--import-mode:text --color:text --html:write --json-report-file:write --cov-fail-under:text --dist:text "
        "--count:text "
        "--ds:text --reruns:text --seed:text --pastebin:text --debug?:write",
        flags={"--pastebin": Adds(effects=effects("network"), tags=("sends", "external"))}, example="pytest -q tests"),
    project("python -m unittest", options="-k:text -s|--start-directory:runs -p|--pattern:text -t:runs",
        example="python -m unittest discover -s tests"),
    project("python -m doctest", "runs*", options="-o:text -v -f"),
    project("tox", options="-e:text -c|--conf:runs --workdir:write --root:runs -x|--override:property "
        "--installpkg:runs --result-json:write "
        "-p|--parallel:text -m:text -f:text", example="tox -e py311"),
    project("nox", options="-s|-e|--sessions:text -f|--noxfile:runs -p|--python:text -k:text -t|--tags:text "
        "--envdir:write",
        example="nox -s tests"),
    project("hypothesis", "loads*", also="behave robot mutmut nose2 nosetests trial cosmic-ray airspeed asv"),
    project("locust", options="-f|--locustfile:runs -H|--host:text -u|--users:number -r|--spawn-rate:number "
        "-t|--run-time:text --config:runs --csv|--html|--logfile:write --headless"),
    P("coverage", options="--rcfile:read", words=2, example="coverage run -m pytest", subs=(
        runs_in_env("run", options="-m|--module:module --source:text --source-pkgs:text --omit:text --include:text "
            "-a|--append "
            "--branch --rcfile:runs --data-file:write -p|--parallel-mode --concurrency:text --context:text -L --pylib "
            "--timid",
            stdin="code.py"),
        *each("coverage", "report debug help", "read", options="--rcfile:read -m -i --include:text --omit:text "
            "--data-file:read"),
        *each("coverage", "html xml json lcov annotate combine", "write", options="-d:write -o:write --rcfile:read "
            "--data-file:read"),
        *each("coverage", "erase", "write"),
    )),
    # checks and formatters
    P("black", "edit*", options=f"{_CHECK} -t:text -l|--line-length:number --code:text --include:text "
        "--extend-exclude:text "
        "--force-exclude:text --stdin-filename:text --check --diff --required-version:text -W:number",
        dryrun="--check --diff",
        does="write", example="black --check src"),
    P("ruff", options="--config:read", words=2, example="ruff check --fix src", subs=(
        P("check", "checked*", options=f"{_CHECK} --fix!fix --unsafe-fixes --fix-only!fix --add-noqa!fix "
            "--output-format:text "
            "-o|--output-file:write --extend-select:text --extend-ignore:text --per-file-ignores:text "
            "--target-version:text "
            "--line-length:number --cache-dir:cache --stdin-filename:text --unfixable:text --fixable:text --preview "
            "--diff "
            "--show-files --statistics -w -q -v -s -n -e", action="ruff:check", does="read",
            flags={"fix": EDITS}),
        P("format", "edit*", options=f"{_CHECK} --line-length:number --target-version:text --stdin-filename:text "
            "--range:text "
            "--check --diff --cache-dir:cache", dryrun="--check --diff", does="write"),
        *each("ruff", "rule config linter version help", "read"),
        *each("ruff", "clean", "write", options="--cache-dir:cache"), *each("ruff", "server", "spawn"),
        P("analyze", action="ruff:analyze", does="read"),
    )),
    P("autopep8", "checked*",
        also="yapf autoflake pyupgrade docformatter pyink add-trailing-comma reorder-python-imports",
        options="-i|--in-place!inplace -r|--recursive -d|--diff -a|--aggressive -p|--parallel -e:text -l|--lines:text "
        "--style:text --max-line-length:number --select:text --ignore:text --exclude:text --global-config:read",
        does="read", action="py:format", flags={"inplace": EDITS}),
    P("isort", "edit*", options="-p:text -l|-w:number --profile:text --settings-path|--sp:read --skip:text "
        "-c|--check-only|--check "
        "-d|--diff --src:text -m:text -a:text", dryrun="-c -d", does="write", example="isort --check src"),
    P("flake8", "checked*", options=f"{_CHECK.replace(':read', ':runs')} --max-line-length:number "
        "--format:text --output-file:write "
        "--extend-ignore:text "
        "--extend-exclude:text --per-file-ignores:text --max-complexity:number -j:text --filename:text "
        "--append-config:runs",  # its settings may name local plug-ins
        does="read", action="exec:flake8", also="pycodestyle pydocstyle pyflakes vulture radon xenon mccabe"),
    P("codespell", "checked*", options="-w|--write-changes!writes -i|--interactive:number -D|--dictionary:read "
        "-I|--ignore-words:read -x|--exclude-file:read --config|--toml:read -L|--ignore-words-list:text "
        "-S|--skip:text --builtin:text --ignore-regex:text --uri-ignore-words-list:text -q|--quiet-level:number",
        does="read", action="exec:codespell", flags={"writes": EDITS}),
    P("pylint", "checked*", options=f"{_CHECK.replace(':read', ':runs')} --disable|-d:text --enable|-e:text "
        "--load-plugins:imports --init-hook:code.py -j:number "
        "--output:write --output-format|-f:text --fail-under:text --fail-on:text --ignore-paths:text "
        "--ignore-patterns:text "
        "--max-line-length:number --generate-rcfile --plugin:loads", does="read execute", action="exec:pylint",
        tags="unread",
        example="pylint src"),
    P("mypy", "checked*", options="--config-file:runs --python-executable:starts -p|--package:text -m|--module:text "
        "-c|--command:text "
        "--exclude:text --python-version:text --platform:text --cache-dir:cache --custom-typeshed-dir:read "
        "--junit-xml:write "
        "--html-report:write --xml-report:write --txt-report:write --any-exprs-report:write --linecount-report:write "
        "--cobertura-xml-report:write --follow-imports:text --disable-error-code:text --enable-error-code:text "
        "--install-types!installs --shadow-file:text --always-true:text --always-false:text", does="read",
        action="exec:mypy",
        flags={"installs": Adds(action="pkg:install", effects=effects("network write execute"), tags=("install",))},
        example="mypy --strict src"),
    P("dmypy", words=2, options="--status-file:write", subs=(*each("dmypy", "status help", "read"), *each("dmypy",
        "stop kill", "execute")), default=P("dmypy", "checked*", does="spawn", action="exec:mypy")),
    P("pyright", "checked*", also="basedpyright pyre pytype ty pyrefly", options="-p|--project:runs "
        "--pythonpath:starts -v|--venvpath:runs -t|--typeshedpath:read --pythonversion:text --pythonplatform:text "
        "--level:text --createstub:text "
        "--verifytypes:text --threads:text -w|--watch", does="read", action="exec:pyright"),
    P("bandit", "checked*", options=f"{_CHECK} -f:text -o:write -x:text -s:text -t:text -b:read -l -r -q", does="read",
        also="safety",
        action="exec:bandit"),
    P("pre-commit", words=2, example="pre-commit run --all-files", subs=(
        project("run", options="--files:text --hook-stage:text --from-ref:text --to-ref:text -c|--config:runs"),
        project("hook-impl", "text*", options="-c|--config:runs --hook-type:text --hook-dir:text --color:text "
            "--skip-on-missing-config"),
        P("try-repo", "registry text*", action="pkg:run", does="network execute", tags="install unread"),
        P("install", options="-t|--hook-type:text -c|--config:runs --install-hooks", action="git:hooks", does="write",
            tags="project"),
        P("uninstall", action="git:hooks", does="write"),
        restores("autoupdate", also="install-hooks", options="--repo:registry"),
        *each("pre-commit", "validate-config validate-manifest sample-config help", "read"),
        *each("pre-commit", "clean gc migrate-config", "write"),
        P("init-templatedir", "write", options="-t|--hook-type:text -c|--config:runs", action="git:hooks", does="write",
            tags="persistence"),
    )),
    # documents, servers, databases, consoles
    project("sphinx-build", "runs write text*", special="sphinx", also="sphinx-autobuild",
        options="-M:text -b:text -c:runs -D:text -A:text -d:write -j:text -t:text -w:write -W -n -E -a"),
    P("sphinx-apidoc", "text*", options="-o:write", does="write", action="sphinx:apidoc", also="sphinx-quickstart"),
    P("mkdocs", options="-f:runs", words=2, subs=(project("build", options="-f:runs -d:write"),
        project("serve", does="spawn execute", options="-f:runs -a:text"), *each("mkdocs", "new", "write"),
        P("gh-deploy", options="-f|--config-file:runs -r|--remote-name:remote -b|--remote-branch:branch "
            "-m|--message:text --force!force --no-history!force", action="pages:deploy", does="network execute",
            tags="external sends", risk="medium"))),
    P("jupyter", subs=_JUPYTER, words=2, example="jupyter nbconvert --to html a.ipynb"),
    *(P(f"jupyter-{row.name}", special="opaque", does="spawn") for row in _JUPYTER if row.name in ("notebook", "lab",
        "console")),
    P("ipython", special="interpreter", stdin="code.py", does="execute", also="ipython3 ptpython bpython",
        options="-c:code -m:module -i --no-banner --quiet --simple-prompt --profile:load --ext:load "
            "--InteractiveShellApp.exec_lines:load"),
    P("flask", options="-A|--app:runs -e|--env-file:read --debug", words=2, example="flask run", subs=(
        project("run", does="spawn execute", options="-h:text -p:text --cert:read --key:read --extra-files:text"),
        project("routes"), P("shell", special="opaque", does="execute"), project("init-db"),
        P("db", subs=(*(project(name) for name in ("current", "history", "heads", "show", "check")),
            *each("flask", "upgrade migrate revision stamp init merge", "execute write", tags="unread"),
            *each("flask", "downgrade", "destructive execute", irreversible=True, tags="unread", risk="high"))),
    ), default=project("flask")),
    P("django-admin", also="manage.py django", options=_DJANGO, words=2, subs=(
        *each("django", "startproject startapp", "write", options=f"{_DJANGO} --template:runs -e:text -n:text"),
        *each("django", "makemessages compilemessages", "write"),
        project("check", also="test makemigrations showmigrations collectstatic sqlmigrate diffsettings",
            options=_DJANGO),
        *each("django", "migrate loaddata", "execute write", tags="unread", options=_DJANGO),
        project("runserver", does="spawn execute", options=_DJANGO),
        *each("django", "flush sqlflush", "destructive execute", irreversible=True, risk="high", tags="unread"),
        P("shell", special="django_shell", does="execute", options=f"{_DJANGO} -c|--command:code.py "
            "-v|--verbosity:number --no-imports --no-color --force-color --no-startup"),
        P("dbshell", special="opaque", does="execute"),
    ), default=project("django-admin", options=_DJANGO)),
    project("uvicorn", options=_SERVE, does="spawn execute", also="hypercorn daphne waitress-serve fastapi"),
    worded(project("streamlit", "runs? text*", does="spawn execute"), "run",
        *each("streamlit", "config cache= docs help version", "read"),
        project("hello", does="spawn execute")),
    project("gunicorn", options=f"{_SERVE} -c:runs -k:text -t:text --log-file:write --access-logfile:write "
        "--pid:write -e:text "
        "--pythonpath:starts --paste:runs -D|--daemon --check-config --print-config --version --help",
        does="spawn execute", dryrun="--version --help",
        flags=dict.fromkeys(("--check-config", "--print-config"), Adds(ends=True)),
        example="gunicorn app:app"),
    P("celery", options="-A|--app:text -b|--broker:text --workdir:runs", words=2, subs=(
        project("worker", does="spawn execute"), project("beat", does="spawn execute"), project("flower",
            does="spawn execute"),
        *each("celery", "inspect status report result events list", "network"), *each("celery", "call control multi",
            "network execute"),
        P("purge", action="celery:purge", does="destructive network", irreversible=True, risk="high"),
        P("shell", special="opaque", does="execute"),
    )),
    P("alembic", options=_MIGRATE, words=2, example="alembic upgrade head", subs=(
        *each("alembic", "current history heads branches show check", "execute", tags="unread"),
        *each("alembic", "revision merge init edit", "execute write", tags="unread", options="-m:text"),
        *each("alembic", "upgrade stamp", "execute write", tags="unread", options="--sql", dryrun="--sql"),
        *each("alembic", "downgrade", "destructive execute", tags="unread external", irreversible=True, risk="high",
            options="--sql", dryrun="--sql", compensator="alembic upgrade, and a restore of the data that was dropped"),
    )),
    P("cookiecutter", special="installs", action="pkg:run", does="network write execute", tags="install unread",
        also="copier"),
    project("pyproject-build", "runs*", options="-o|--outdir:write -C:text -w -s -n -x --installer:text",
        example="python -m build"),
    P("pdb", special="opaque", does="execute", also="ipdb pudb"),
    P("2to3", "checked*", options="-w!writes -n -f:text -x:text -o:write -j:number", does="read", action="py:2to3",
        flags={"writes": EDITS}),
    P("pygmentize", "read*", options="-l:text -f:text -O:text -P:text -o:write -S:text -a:text -F:text -x!loads -g -N "
        "-H:text",
        flags={"loads": Adds(opaque="loads a lexer or formatter from a file")}),
    P("cython", "read*", options="-o|--output-file:write -I:text -w:text", does="write execute", action="exec:cython",
        also="cythonize mypyc pyinstaller"),
)  # fmt: skip
