"""Servers that check their settings or say what they are, besides serving.

Serving leaves something running, by settings that are not read; a check ends at once, and changes nothing. A row of
`checked` is that check only where every word of the command is known.
"""

from __future__ import annotations

from .kinds import EDITS, each, project
from .spec import P

__all__ = ["PROGRAMS"]

_CADDY = (
    "-c|--config:read -a|--adapter:text -e|--envfile:read -w|--watch --resume --environ --pidfile:write --pretty|-p "
    "--validate --root|-r:read --listen|-l:text --browse|-b --from:text --to:text --domain|-d:text --address:text "
    "--force|-f --versions --packages -s|--skip-standard"
)
_PROMTOOL = "--config.file:read --lint:text --lint-fatal --syntax-only --agent --format:text --junit:write --run:text"

_BOARD = (
    "-p|--port:number --host:text --bind_all --logdir:read --logdir_spec:text --path_prefix:text --reload_interval:text"
)

PROGRAMS = (
    # boards and apps of data work, which serve what the project has
    project("tensorboard", options=_BOARD, does="spawn execute", example="tensorboard --logdir runs"),
    P("mlflow", words=2, options="--version -h|--help", subs=(
        project("ui", also="server", does="spawn execute", options="-p|--port:number -h|--host:text "
            "-w|--workers:number --backend-store-uri:text --default-artifact-root:text"),
        *each("mlflow", "doctor", "read"),
    ), example="mlflow ui --port 5001"),
    project("bokeh", "text runs*", does="spawn execute", options="--port:number --show --allow-websocket-origin:text",
        also="panel"),
    project("voila", "runs*", does="spawn execute", options="--port:number --no-browser"),
    P("postgres", "text*", also="postmaster", special="checked", action="sql:server", does="spawn",
      options="-C:text -D:list -V|--version --describe-config", dryrun="-C -V --describe-config",
      example="postgres -D data -C port"),
    P("mysqld", "text*", also="mariadbd", special="checked", action="sql:server", does="spawn",
      options="--validate-config --defaults-file:read --no-defaults -V|--version --help|-? --verbose|-v",
      dryrun="--validate-config -V --help", example="mysqld --validate-config"),
    P("mongod", "text*", also="mongos", special="checked", action="sql:server", does="spawn",
      options="--version --help|-h --sysinfo", dryrun="--version --help --sysinfo"),
    P("sshd", "text*", special="checked", action="service:run", does="spawn",
      options="-t -T -V -f:read -C:text -q -4 -6", dryrun="-t -T -V", example="sshd -t"),
    P("haproxy", "text*", special="checked", action="service:run", does="spawn",
      options="-c -f:read -v -vv -V -q -C:list", dryrun="-c -v -vv", example="haproxy -c -f haproxy.cfg"),
    P("prometheus", "text*", also="alertmanager node_exporter loki grafana-server etcd minio", special="checked",
      action="service:run", does="spawn", options="--version -h|--help -v", dryrun="--version -h -v"),
    P("promtool", words=2, options="--version --help|-h --enable-feature:text", subs=(
        P("check", "text read*", action="promtool:check", does="read", options=_PROMTOOL, words=2),
        P("test", "text read*", action="promtool:test", does="read", options=_PROMTOOL, words=2),
        *each("promtool", "query debug push", "network", tags="external"),
        *each("promtool", "help", ""),
    ), example="promtool check config prometheus.yml"),
    project("tflint", options="-c|--config:runs --chdir:runs -f|--format:text --recursive "
        "--minimum-failure-severity:text "
        "--var-file:read --fix"),
    P("amtool", words=2, options="--version --help|-h", subs=(
        P("check-config", "read*", action="amtool:check-config", does="read", words=2),
        *each("amtool", "help", ""),
    )),
    P("caddy", words=2, options="--help|-h", subs=(
        *each("caddy", "validate adapt", "read", options=_CADDY),
        *each("caddy", "version list-modules build-info help completion hash-password", "", options=_CADDY),
        P("fmt", "read?", action="caddy:fmt", does="read", words=2, options="-w|--overwrite!writes -d|--diff "
            "-c|--config:read", flags={"writes": EDITS}),
        *[P(name, "text*", action=f"caddy:{name}", does="spawn", options=_CADDY, words=2)
          for name in ("run", "start", "file-server", "reverse-proxy", "respond")],
        *each("caddy", "reload stop", "execute", options=_CADDY, tags="unread"),
    ), example="caddy validate --config Caddyfile"),
    P("ollama", words=2, options="-v|--version -h|--help", subs=(
        *each("ollama", "list ls ps show help", "read", options="--license --modelfile --parameters --system "
            "--template -v|--verbose"),
        *each("ollama", "stop", "execute"),
        P("serve", also="start", action="ollama:serve", does="spawn", words=2),
        P("pull", "model", action="ollama:pull", does="network write", tags="install", words=2,
            options="--insecure!force"),
        P("run", "model text*", action="ollama:run", does="network execute", tags="install", words=2,
            options="--format:text --keepalive:text --insecure!force --nowordwrap --verbose --think?:text "
            "--hidethinking"),
        P("create", "model", action="ollama:create", does="write", words=2,
            options="-f|--file:read -q|--quantize:text"),
        P("cp", "model model", action="ollama:cp", does="write", words=2),
        P("rm", "model*", action="ollama:rm", does="destructive", irreversible=True, words=2,
            compensator="ollama pull"),
        P("push", "model", action="ollama:push", does="destructive network", tags="external sends", risk="high",
            irreversible=True, words=2, options="--insecure!force"),
    ), example="ollama list"),
)  # fmt: skip
