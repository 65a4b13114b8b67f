#!/usr/bin/env bash
# Fetches what tests/test_readme.py needs to install Interlock without network: pipx, uv, the build backend, and the
# packages that Interlock depends on. A second run needs no network.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
made_of=$(cat "$root/pyproject.toml" "$0" | sha256sum | cut -c1-16)
cache=${INTERLOCK_DEV_CACHE:-$HOME/.cache/interlock-dev}/wheels-$made_of
if [ -e "$cache/.ready" ]; then
    exit 0
fi
rm -rf "$cache"
"$python" -m venv "$cache/tools"
pip=("$cache/tools/bin/python" -m pip --quiet --disable-pip-version-check)
"${pip[@]}" install pipx==1.18.4 uv==0.13.7 hatchling==1.33.0
"${pip[@]}" wheel --wheel-dir "$cache/packages" "$root"
# What a fresh environment of pipx brings up to date in itself.
"${pip[@]}" wheel --wheel-dir "$cache/packages" pip setuptools
rm -f "$cache"/packages/interlock-*.whl
touch "$cache/.ready"
