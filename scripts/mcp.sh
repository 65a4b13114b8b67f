#!/usr/bin/env bash
# Fetches what tests/relay drives: the `mcp` Python package, pinned by tests/relay/requirements.txt, and the reference
# servers, pinned and hashed by tests/relay/servers/package-lock.json. Both go into one cache folder. A second run needs
# no network. tests/relay/peers.py knows where they lie.
set -euo pipefail
from=$(cd "$(dirname "$0")/../tests/relay" && pwd)
pins=$(cat "$from/requirements.txt" "$from/servers/package-lock.json" | sha256sum | cut -c1-16)
cache=${INTERLOCK_DEV_CACHE:-$HOME/.cache/interlock-dev}/mcp-$pins
python=${PYTHON:-python3}

if [ -e "$cache/.ready" ]; then
    exit 0
fi
rm -rf "$cache"
mkdir -p "$cache/servers"
"$python" -m venv "$cache/python"
"$cache/python/bin/python" -m pip install --quiet --disable-pip-version-check -r "$from/requirements.txt"
"$cache/python/bin/python" -m compileall -q "$cache/python/lib" >/dev/null || true
cp "$from/servers/package.json" "$from/servers/package-lock.json" "$cache/servers"
(
    cd "$cache/servers"
    npm install --no-save --ignore-scripts --no-fund --no-audit --loglevel=error
    cmp -s package-lock.json "$from/servers/package-lock.json" || { echo "npm did not keep to package-lock.json" >&2; exit 1; }
)
touch "$cache/.ready"
