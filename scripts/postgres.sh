#!/usr/bin/env bash
# Installs a PostgreSQL server and a pooler from the distribution's packages, where the machine has none. The tests start
# them themselves.
set -euo pipefail
wanted=()
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || wanted+=(postgresql)
command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || wanted+=(pgbouncer)
[ ${#wanted[@]} -gt 0 ] || exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "no ${wanted[*]} here, and none can be installed without apt-get and root" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# The packages would start a server of their own; nobody needs it.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
