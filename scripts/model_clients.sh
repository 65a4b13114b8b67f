#!/usr/bin/env bash
# Makes the environment of the official model clients (Anthropic, OpenAI, Google) that tests/proxy drives, pinned by
# tests/proxy/requirements.txt, in the cache folder. A second run needs no network. tests/proxy/environment.py knows
# where it lies.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
at=$("$python" "$root/tests/proxy/environment.py")
if [ ! -e "$at/.ready" ]; then
    rm -rf "$at"
    "$python" -m venv "$at"
    "$at/bin/python" -m pip install --quiet --disable-pip-version-check -r "$root/tests/proxy/requirements.txt" || {
        echo "the environment of the model clients could not be made" >&2
        exit 1
    }
    "$at/bin/python" -m compileall -q "$at/lib" >/dev/null || true
    touch "$at/.ready"
fi
grep -E '^(anthropic|openai|google-genai)==' "$root/tests/proxy/requirements.txt"
