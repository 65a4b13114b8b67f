"""Variables that hand options, files, programs or addresses to a program, however their name is written."""

from __future__ import annotations

import pytest

from interlock.reading.evaluate.variables import spelt
from verdicts import allowed

HANDED_OVER = r"""
PIP_CONSTRAINT=constraints.txt pip install -r requirements.txt
MANROFFOPT=-U man -l x
export MANROFFOPT; read MANROFFOPT <<< -U; man -l x
GROFF_COMMAND_PREFIX=/tmp/x man ls
LESSKEY_CONTENT='#command\nq shell x\n' less f
LESSHISTFILE=/srv/x less f
SYSTEMD_LESS='+!sh' systemctl status
XZ_DEFAULTS=--files=/srv/x xz f
PYTHONINSPECT=1 python3 x.py < y
GIT_TRACE_ANYTHING=/srv/x git log
GIT_LFS_PROGRESS=/srv/x git lfs pull
MVNW_REPOURL=https://files.example ./mvnw test
MAVEN_BASEDIR=/tmp/x mvn test
LDFLAGS=-fuse-ld=/tmp/x make
LDFLAGS=-Wl,-plugin,/tmp/x.so make
KCFLAGS=-fplugin=/tmp/x.so make
CFLAGS=@/tmp/x make
RUSTDOCFLAGS=--test-runtool=/tmp/x cargo test
RUSTFLAGS='-C link-arg=-fuse-ld=/tmp/x' cargo build
CARGO_REGISTRIES_X_INDEX=https://files.example cargo build
CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS=/tmp/x cargo build
CARGO_BUILD_TARGET_DIR=/srv/x cargo build
GOWORK=/tmp/x/go.work go build ./...
GOAUTH='/tmp/x y' go build ./...
DYLD_ROOT_PATH=/tmp/x ls
SYSTEM_WGETRC=/tmp/x wget https://github.com
npm_config_node_gyp=/tmp/x.js npm ci
npm_config_init_module=/tmp/x.js npm init -y
npm_config_strict_ssl=false npm ci
npm_config_electron_mirror=https://files.example npm ci
Npm_Config_Script_Shell='rm -rf /srv/x' npm test
env 'npm_config_script-shell=rm -rf /srv/x' npm test
env npm_config_@x:registry=https://files.example npm ci
PIP_index_url=https://files.example pip install -r requirements.txt
PIP_TARGET=/srv/x pip install -r requirements.txt
PIP_PYTHON=/tmp/x pip install -r requirements.txt
Https_Proxy=http://files.example python -m pytest
UV_CONFIG_FILE=/tmp/x.toml uv sync
UV_PROJECT=/tmp/x uv sync
UV_PROJECT_ENVIRONMENT=/srv/x uv sync
TERMINFO_DIRS=/tmp/x ls
SQLITE_HISTORY=/srv/x sqlite3 x.db .tables
BUN_OPTIONS='--preload /tmp/x.ts' bun test
TOX_OVERRIDE=testenv.commands=x tox
JEST_JUNIT_OUTPUT_FILE=/srv/x npx jest
ASAN_OPTIONS=log_path=/srv/x make test
TSAN_OPTIONS=external_symbolizer_path=/tmp/x make test
CMAKE_C_LINKER_LAUNCHER=/tmp/x cmake .
CustomAfterMicrosoftCommonTargets=/tmp/x.targets dotnet build
DEPENDENCIES_OUTPUT=/srv/x make
DESTDIR=/srv/x make install
shell_escape=t pdflatex f
openout_any=a pdflatex f
DBUS_SESSION_BUS_ADDRESS=unixexec:path=sh,argv1=-c notify-send x
USE_BAZEL_VERSION=/tmp/x bazel build //...
M4=/tmp/x autoconf
make NODE_OPTIONS='--require /tmp/x.js' build
make MANROFFOPT=-U docs
"""

EVERYDAY = r"""
MANROFFOPT=-c man ls
LESSHISTFILE=- less f
XZ_OPT='-T0 -9e' tar cJf a.tar.xz b
GZIP=-9 tar czf a.tgz b
GIT_TRACE_CURL_NO_DATA=1 git fetch
CFLAGS='-O2 -g -march=native' make
LDFLAGS='-L/opt/homebrew/lib -Wl,-rpath,/usr/lib' make
RUSTFLAGS='-C link-arg=-fuse-ld=lld' cargo build
RUSTFLAGS='-D warnings' cargo build
CARGO_TERM_COLOR=always cargo build
GOWORK=off go build ./...
GOFLAGS=-mod=mod go test ./...
MVNW_REPOURL=https://repo.maven.apache.org/maven2 ./mvnw test
npm_config_loglevel=silent npm ci
NPM_CONFIG_FUND=false npm ci
CYPRESS_INSTALL_BINARY=0 npm ci
PIP_NO_CACHE_DIR=1 pip install -r requirements.txt
UV_PROJECT_ENVIRONMENT=.venv-x uv sync
UV_LINK_MODE=copy uv sync
YACC='bison -y' ./configure
MAKE=gmake ./configure
DESTDIR=/tmp/stage make install
DESTDIR=$PWD/pkg make install
ASAN_OPTIONS=detect_leaks=0:log_path=asan.log make test
DJANGO_SETTINGS_MODULE=config.settings.test pytest
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus notify-send x
NODE_ENV=test npm test
GIT_TERMINAL_PROMPT=0 git fetch
LC_ALL=C sort a
USE_PROXY=1 npm test
make V=1 PREFIX=/usr/local NODE_ENV=test build
make CC=clang GOFLAGS=-mod=mod
"""


def test_what_a_variable_hands_over_is_asked_about() -> None:
    assert allowed(HANDED_OVER) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_everyday_variables_stay_free(line: str) -> None:
    assert allowed(line) == [line]


def test_names_that_programs_take_in_any_form() -> None:
    names = ("NPM_CONFIG_Script-Shell", "PIP_no_index", "HTTP_proxy", "Path")
    assert [spelt(name) for name in names] == ["npm_config_script_shell", "PIP_NO_INDEX", "http_proxy", "Path"]
