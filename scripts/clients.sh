#!/usr/bin/env bash
# Installs the agent clients that tests/live drives, pinned and hashed by tests/live/clients/package-lock.json, into one
# cache folder. A second run needs no network. tests/live/clients.py knows where they lie.
set -euo pipefail
from=$(cd "$(dirname "$0")/../tests/live/clients" && pwd)
lock=$(sha256sum "$from/package-lock.json" | cut -c1-16)
cache=${INTERLOCK_DEV_CACHE:-$HOME/.cache/interlock-dev}/clients-$lock
if [ -e "$cache/.ready" ]; then
    exit 0
fi
for program in node npm; do
    command -v "$program" >/dev/null || { echo "$program is needed to install the agent clients of tests/live" >&2; exit 1; }
done
if ! command -v tmux >/dev/null; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tmux >/dev/null
    else
        echo "tmux is needed for the tests at a terminal" >&2
        exit 1
    fi
fi
rm -rf "$cache"
mkdir -p "$cache"
cp "$from/package.json" "$from/package-lock.json" "$cache"
(
    cd "$cache"
    npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
    # The one install script that is needed: it puts the native program of this machine in its place.
    node node_modules/@anthropic-ai/claude-code/install.cjs
)
touch "$cache/.ready"
