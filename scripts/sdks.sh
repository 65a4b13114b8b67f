#!/usr/bin/env bash
# Makes the environment of each agent SDK that tests/sdks drives, one each, pinned by tests/sdks/requirements, in one cache
# folder. `scripts/sdks.sh` makes all, `scripts/sdks.sh NAME…` some, `scripts/sdks.sh rotate` those whose turn it is at
# this commit. A second run needs no network. tests/sdks/environments.py knows where they lie.
#
# Interlock is not installed there: the tests take it from their own working copy, and several may share the cache.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
environments=("$python" "$root/tests/sdks/environments.py")

mapfile -t names < <("${environments[@]}" names "$@")
for name in "${names[@]}"; do
    at=$("${environments[@]}" path "$name")
    if [ ! -e "$at/.ready" ]; then
        rm -rf "$at"
        "$python" -m venv "$at"
        "$at/bin/python" -m pip install --quiet --disable-pip-version-check \
            -r "$root/tests/sdks/requirements/all.txt" -r "$root/tests/sdks/requirements/$name.txt" || {
            echo "the environment of the SDK $name could not be made" >&2
            exit 1
        }
        "$at/bin/python" -m compileall -q "$at/lib" >/dev/null || true
        touch "$at/.ready"
    fi
    echo "$name: $(head -n 1 "$root/tests/sdks/requirements/$name.txt")"
done
