#!/usr/bin/env bash
# Installs the distribution's Chromium, where the machine has none. The tests of the page start it themselves.
set -euo pipefail
if command -v chromium >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "no Chromium here, and none can be installed without apt-get and root" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
