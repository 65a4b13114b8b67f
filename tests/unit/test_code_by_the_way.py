"""Code that a program is made to load by a variable, an option or settings: only the project's own is free."""

from __future__ import annotations

import pytest

from interlock.testing import assert_allows, assert_asks, assert_denies

VARIABLES_ASK = [
    "FLASK_APP=/tmp/app.py flask shell-commands",
    "FLASK_APP=../other/app.py flask routes",
    "DOTNET_STARTUP_HOOKS=lib/hook.dll dotnet test",
    "CORECLR_PROFILER_PATH=/tmp/p.so dotnet build",
    "R_LIBS=/tmp/r Rscript fit.R",
    "R_LIBS_USER=/tmp/r Rscript fit.R",
    "GEM_PATH=/tmp/gems rspec",
    "GEM_HOME=/tmp/gems bundle exec rake",
    "ERL_FLAGS='-eval halt().' mix test",
    "ELIXIR_ERL_OPTIONS='-pa /tmp/x' mix test",
    "GUILE_LOAD_PATH=/tmp/g guile a.scm",
    "LUA_INIT_5_4=@/tmp/x.lua lua a.lua",
    "CLASSPATH=/tmp/classes javac A.java",
    "JDK_JAVAC_OPTIONS=-J-javaagent:a.jar javac A.java",
    "NODE_REPL_EXTERNAL_MODULE=/tmp/x.js node a.js",
    "PYTHONWARNINGS=error::pkg.mod.Loud pytest",
    "LESS='+!id' git log",
    "ANSIBLE_FILTER_PLUGINS=/tmp/x ansible-playbook --check site.yml",
    "CONFIG_SITE=site.sh ./configure",
    "TF_CLI_ARGS_plan=-chdir=/tmp/x terraform plan",
    "CMAKE_TOOLCHAIN_FILE=/tmp/t.cmake cmake -B build",
]
VARIABLES_FREE = [
    "FLASK_APP=app.py flask routes",
    "FLASK_APP=src/web.py flask routes",
    "FLASK_APP=web:create_app flask routes",
    "GEM_HOME=$HOME/.gem bundle install",
    "GOPATH=/tmp/go go build ./...",
    "MPLCONFIGDIR=/tmp/mpl pytest",
    "CLASSPATH=lib/a.jar:build javac A.java",
    "PYTHONWARNINGS=ignore pytest",
    "PYTHONWARNINGS=error::DeprecationWarning pytest",
    "LESS=FRX git log",
    "SHELL=/bin/bash make test",
    "CHROME_BIN=/usr/bin/chromium npm test",
    "PKG_CONFIG_PATH=/usr/local/lib/pkgconfig make",
    "STACK_YAML=stack-lts.yaml stack build",
]
OPTIONS_ASK = [
    """jest --config '{"setupFiles": ["/tmp/s.js"]}'""",
    """npx jest --transform '{"x": "/tmp/t.cjs"}'""",
    """jest --moduleNameMapper '{"fs": "/tmp/fs.js"}'""",
    """jest --moduleNameMapper='{"fs": "/tmp/fs.js"}'""",
    r"""jest --config '{"setupFiles": ["\u002ftmp/s.js"]}'""",
    "jest --reporters /tmp/r.js",
    "cypress run --config supportFile=/tmp/s.js",
    "postcss --use /tmp/plug.js a.css",
    "esbuild a.js --inject:/tmp/x.js",
    "markdownlint -r /tmp/rule.js docs",
    "javac -J-javaagent:a.jar A.java",
    "javap -J-agentpath:a.so A",
    "javac -processor P -cp /tmp/p.jar A.java",
    "tcc -run a.c",
    "dmd -run a.d",
    "docker compose -f /tmp/stack.yml run web",
    "cd /tmp && docker compose run web",
    "docker compose --project-directory /tmp/x run web",
    "terraform init -backend-config=bucket=other",
    "terraform init -backend-config=/tmp/b.hcl",
    "sh -c 'time -v rm -r src'",
]
OPTIONS_FREE = [
    """jest --config '{"testEnvironment": "node", "setupFiles": ["./test/setup.js"]}'""",
    """eslint --rule '{"quotes": "error"}' src""",
    "esbuild a.ts --bundle --outfile=/tmp/a.js",
    "jest --globals '{\"a\": 1}'",
    "javac -J-Xmx2g A.java",
    "javac -processor P -cp lib/p.jar A.java",
    "docker compose run web",
    "docker compose -f ops/test.yml run web",
    "docker compose -f /tmp/stack.yml config",
    "terraform init -backend-config=env/prod.hcl",
    "npm run build -- --base=/",
]
TAKEN_AWAY = ["brew uninstall jq", "apt remove jq", "npm uninstall -g x", "cargo uninstall x", "uv tool uninstall x"]
OF_THE_PROJECT = [
    "npm uninstall x",
    "cargo remove x",
    "uv remove x",
    "apt remove --dry-run jq",
    "cargo uninstall --help",
]
OPENED = ["chmod 644 .env", "chmod a+r .env", "chgrp staff .env", "setfacl -m u:bob:r .env", "setfacl --restore=a.acl"]
LEFT_CLOSED = ["chmod 600 .env", "chmod go-rwx .env", "chmod u+rw .env", "chmod +x run.sh", "chmod 644 README.md"]
SHUT = ["setfacl -m u::--- .claude", "setfacl -M acl.txt .claude", "chmod 644 .claude", "ln -s .claude/settings.json x"]


@pytest.mark.parametrize("command", [*VARIABLES_ASK, *OPTIONS_ASK, *TAKEN_AWAY, *OPENED])
def test_it_is_asked_about(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize("command", [*VARIABLES_FREE, *OPTIONS_FREE, *OF_THE_PROJECT, *LEFT_CLOSED])
def test_everyday_forms_are_free(command: str) -> None:
    assert_allows(command)


@pytest.mark.parametrize("command", SHUT)
def test_what_puts_guarded_files_out_of_reach_or_under_another_name_is_denied(command: str) -> None:
    assert_denies(command)
