#!/usr/bin/env bash
# Installs the agent clients that tests/live drives, pinned and hashed by tests/live/clients/package-lock.json, into one
# cache folder, and the programs that the live tests, tests/execution and tests/differential work with.
# A second run needs no network. tests/live/client.py knows where the clients lie.
set -euo pipefail
from=$(cd "$(dirname "$0")/../tests/live/clients" && pwd)
lock=$(sha256sum "$from/package-lock.json" | cut -c1-16)
cache=${INTERLOCK_DEV_CACHE:-$HOME/.cache/interlock-dev}/clients-$lock

# program:package
packages=
for needed in busybox:busybox ed:ed gawk:gawk gcc:gcc git:git jq:jq kubectl:kubernetes-client mawk:mawk \
    original-awk:original-awk patch:patch perl:perl script:bsdutils setsid:util-linux sqlite3:sqlite3 \
    ssh-keygen:openssh-client tmux:tmux unzip:unzip zip:zip; do
    command -v "${needed%%:*}" >/dev/null || packages="$packages ${needed##*:}"
done
if [ -n "$packages" ]; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "the live tests need these packages, which cannot be installed without apt-get and root:$packages" >&2
        exit 1
    fi
    apt-get update -qq
    # shellcheck disable=SC2086 - a list of names
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi

if [ -e "$cache/.ready" ]; then
    exit 0
fi
for program in node npm; do
    command -v "$program" >/dev/null || { echo "$program is needed to install the agent clients of tests/live" >&2; exit 1; }
done
rm -rf "$cache"
mkdir -p "$cache"
cp "$from/package.json" "$from/package-lock.json" "$cache"
(
    cd "$cache"
    # Not `npm ci`: it refuses a lock without the packages of other platforms, and not every registry has them all.
    npm install --no-save --ignore-scripts --no-fund --no-audit --loglevel=error
    cmp -s package-lock.json "$from/package-lock.json" || { echo "npm did not keep to package-lock.json" >&2; exit 1; }
    # The install scripts that are needed: they put the native program of this machine in its place.
    node node_modules/@anthropic-ai/claude-code/install.cjs
    node node_modules/opencode-ai/postinstall.mjs
    # Grok's own script writes into the home folder; all that is needed is its program, unpacked.
    node -e '
        const fs = require("fs"), packed = "node_modules/@xai-official/grok-linux-x64/bin/grok.br"
        fs.writeFileSync("grok", require("zlib").brotliDecompressSync(fs.readFileSync(packed)), { mode: 0o755 })'
)
touch "$cache/.ready"
