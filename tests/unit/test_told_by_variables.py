"""Variables that name a file to write, a program to start, another machine or a folder to empty; and such options."""

from __future__ import annotations

import pytest

from verdicts import allowed

TOLD = """
TF_LOG_PATH=~/.bashrc terraform plan
CCACHE_LOGFILE=~/.bashrc make
SCCACHE_ERROR_LOG=~/.bashrc cargo build
FFREPORT=file=/home/someone/.bashrc ffmpeg -version
FFREPORT=level=32:file=/home/someone/.bashrc ffmpeg -version
LD_PROFILE_OUTPUT=/home/someone/.config make
CCACHE_PREFIX=/tmp/x make
CCACHE_COMPILER=/tmp/x make
YARN_YARN_PATH=/tmp/x yarn build
YARN_PLUGINS=/tmp/x.js yarn build
export COREPACK_NPM_REGISTRY=https://packages.example; yarn build
npm_config_registry=https://packages.example npm ci
BUN_CONFIG_REGISTRY=https://packages.example bun install
pnpm_config_registry=https://packages.example pnpm run build
SCCACHE_ENDPOINT=https://cache.example cargo build
DISTCC_HOSTS=build.example make
GIT_TRACE_REDACT=0 GIT_CURL_VERBOSE=1 git fetch
GIT_TRACE_REDACT=false GIT_TRACE_CURL=1 git fetch
GOMODCACHE=~/Documents go clean -modcache
GOCACHE=~/Documents go clean -cache
UV_CACHE_DIR=~/Documents uv cache clean
PIP_CACHE_DIR=~/Documents pip cache purge
uv cache clean --cache-dir ~/Documents
uv cache prune --cache-dir src
uv --cache-dir ~/Documents cache clean
pip cache purge --cache-dir ~/Documents
npm cache clean --force --cache ~/Documents
yarn cache clean --cache-folder ~/Documents
ruff clean --cache-dir ~/Documents
cargo clean --target-dir ~/Documents
"""

EVERYDAY = """
TF_LOG=DEBUG TF_LOG_PATH=tf.log terraform plan
TF_LOG_PATH=/tmp/tf.log terraform plan
CCACHE_LOGFILE=/tmp/c.log make
FFREPORT=file=ff.log:level=32 ffmpeg -version
CCACHE_COMPILER=/usr/bin/gcc make
CCACHE_DIR=~/.ccache make
YARN_YARN_PATH=.yarn/releases/yarn-4.cjs yarn build
COREPACK_NPM_REGISTRY=https://registry.npmjs.org yarn build
npm_config_registry=https://registry.npmjs.org/ npm ci
npm_config_registry=http://localhost:4873 npm ci
SCCACHE_REDIS=redis://localhost cargo build
DISTCC_HOSTS=localhost make
GIT_TRACE=1 git fetch
GIT_CURL_VERBOSE=1 git fetch
MPLBACKEND=Agg python -m pytest
MPLBACKEND=module://matplotlib_inline.backend_inline python -m pytest
GOCACHE=$PWD/.gocache go build ./...
GOCACHE=off go test ./...
GOMODCACHE=~/go/pkg/mod go mod download
UV_CACHE_DIR=~/.cache/uv uv sync
uv cache clean
uv sync --cache-dir .uv-cache
pip install --cache-dir /tmp/pip -r requirements.txt
npm ci --cache .npm
npm cache clean --force
yarn cache clean
go clean -modcache
ruff check --cache-dir /tmp/r .
"""


def test_they_are_asked_about() -> None:
    assert allowed(TOLD) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_ordinary_values_stay_free(line: str) -> None:
    assert allowed(line) == [line]
