"""Containers. `special="container_cli"`: what runs inside is read as a command of its own, on the container's paths."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

    from .spec import Program

__all__ = ["PROGRAMS"]

_RUN = (
    "-a|--attach:text --add-host:text --annotation:text --arch:text --authfile:read --blkio-weight:text "
    "--cap-add:cap "
    "--cap-drop:text --cgroup-parent:text --cgroupns:cgroupns --cidfile:write -c|--cpu-shares:text --cpu-period:text "
    "--cpu-quota:text --cpus:text --cpuset-cpus:text --cpuset-mems:text -d|--detach --detach-keys:text "
    "--device:device "
    "--device-cgroup-rule:device --disable-content-trust --dns:text --dns-option:text --dns-search:text "
    "--domainname:text "
    "--entrypoint:entrypoint -e|--env:env --env-file:read --expose:text --gpus:text --group-add:text "
    "--health-cmd:text "
    "--health-interval:text --health-retries:text --health-start-period:text --health-timeout:text "
    "-h|--hostname:text "
    "--init -i|--interactive --ip:text --ip6:text --ipc:ipc --isolation:text -l|--label:text --label-file:read "
    "--link:text "
    "--link-local-ip:text --log-driver:text --log-opt:text --mac-address:text -m|--memory:text "
    "--memory-reservation:text "
    "--memory-swap:text --memory-swappiness:text --mount:mount --name:name --network|--net:network "
    "--network-alias|--net-alias:text --no-healthcheck --oom-kill-disable --oom-score-adj:text --pid:pid "
    "--pids-limit:text "
    "--platform:text --pod:text --privileged -p|--publish:text -P|--publish-all --pull:text -q|--quiet --read-only "
    "--replace --restart:text --rm --runtime:text --security-opt:security --secret:text --shm-size:text "
    "--sig-proxy?:text "
    "--stop-signal:text --stop-timeout:text --storage-opt:text --sysctl:sysctl --systemd:text --tls-verify?:text "
    "--tmpfs:text "
    "-t|--tty --tz:text --ulimit:text --umask:text -u|--user:text --userns:userns --uts:uts -v|--volume:volume "
    "--volume-driver:text --volumes-from:volumes-from -w|--workdir:workdir --help --blkio-weight-device:text "
    "--cgroup-conf:text --cgroups:text --chrootdirs:text --conmon-pidfile:write --cpu-rt-period:number "
    "--cpu-rt-runtime:number --device-read-bps:text --device-read-iops:text --device-write-bps:text "
    "--device-write-iops:text --env-host --env-merge:text --gidmap:security --health-on-failure:text --hostuser:text "
    "--http-proxy?:text --image-volume:text --init-path:read --no-hosts --os:text --passwd?:text --passwd-entry:text "
    "--personality:text --pidfile:write --pod-id-file:read --preserve-fds:number --read-only-tmpfs?:text "
    "--requires:text --init-ctr:text --rmi --sdnotify:text --seccomp-policy:security --subgidname:text "
    "--subuidname:text --timeout:number "
    "--uidmap:security --unsetenv:text --unsetenv-all --variant:text"
)
_EXEC = (
    "-d|--detach --detach-keys:text -e|--env:env --env-file:read -i|--interactive --privileged -t|--tty "
    "-u|--user:text "
    "-w|--workdir:workdir -l|--latest --index:number -T|--no-TTY|--no-tty --help"
)
_LOOK = (
    "-a|--all -q|--quiet --no-trunc -f|--filter:text --format:text -n|--last:number -l|--latest -s|--size "
    "--tail:number "
    "--since:text --until:text --follow --timestamps -t --details --type:text --no-stream --digests -H|--human "
    "--verbose"
)
_BUILD = (
    "-t|--tag:tag -f|--file:read --build-arg:baked --target:text --platform:text --no-cache --pull?:text "
    "--push!push --load -o|--output:output --progress:text -q|--quiet --rm --force-rm --network:network "
    "--label:text --secret:text "
    "--ssh:text "
    "--cache-from:text --cache-to:text --iidfile:write --metadata-file:write --build-context:text --builder:daemon "
    "--add-host:text -m|--memory:text --shm-size:text --ulimit:text --cpuset-cpus:text --squash --isolation:text "
    "--security-opt:text --allow:text --sbom?:text --provenance?:text --layers --format:text -v|--volume:volume "
    "--authfile:read --isolation:text --creds:text --tls-verify?:text --jobs:number --manifest:text --help"
)
_PUSHES = Adds(
    effects=effects("destructive network"),
    tags=("external", "sends"),
    risk=P("", risk="high").risk,
    irreversible=True,
    action="docker:push",
)
_GONE: dict[str, Any] = {"does": "destructive", "irreversible": True, "words": 2}


def _reads(names: str, tags: str = "") -> tuple[Program, ...]:
    return tuple(
        [P(n, "name*", action=f"docker:{n}", does="read", options=_LOOK, tags=tags, words=2) for n in names.split()]
    )


def _moves(names: str, does: str = "execute", options: str = "") -> tuple[Program, ...]:
    return tuple([P(n, "name*", action=f"docker:{n}", does=does, options=options, words=2) for n in names.split()])


_PUSH = P(
    "push",
    "image target?",
    action="docker:push",
    options="-a|--all-tags!all-tags -q|--quiet --disable-content-trust --authfile:read --creds:text "
    "--tls-verify?:text "
    "--platform:text --sign-by:text -f:text --format:text --remove-signatures --digestfile:write --cert-dir:read",
    does="destructive network",
    tags="external sends",
    irreversible=True,
    risk="high",
    words=2,
    example="docker push registry.example.com/app:1",
)
_PULL = P(
    "pull",
    "image*",
    action="docker:pull",
    options="-a|--all-tags -q|--quiet --platform:text --disable-content-trust --authfile:read --creds:text "
    "--tls-verify?:text --arch:text",
    does="network write",
    tags="install",
    words=2,
    example="docker pull alpine:3",
)
_BUILDS = P(
    "build",
    "runs?",
    action="exec:project",
    special="image_build",
    options=_BUILD,
    does="execute network write",
    tags="unread",
    flags={"push": _PUSHES, "--ssh": Adds(tags=("secret",)), "--secret": Adds(tags=("secret",))},
    words=2,
    example="docker build -t app .",
)
_CONTAINER = (
    P("run", "image command", special="container_cli", options=_RUN, words=2, example="docker run --rm alpine ls"),
    P("create", "image command", special="container_cli", options=_RUN, words=2),
    P("exec", "name command", special="container_cli", options=_EXEC, words=2, example="docker exec web ls"),
    *_reads("ps ls list logs inspect port top stats diff stat wait events exists"),
    *_moves("stop start restart pause unpause rename update kill attach healthcheck",
        options="-t|--time|--timeout:number -s|--signal:text "
            "-a|--attach|--all -i|--interactive --restart:text --cpus:text -m|--memory:text --memory-swap:text "
            "--pids-limit:text"),
    P("rm", "name*", action="docker:rm", options="-f|--force!force -v|--volumes!volumes -l|--link -a|--all!all "
        "-t|--time:number --ignore "
      "--cidfile:read -i", **_GONE),
    P("prune", action="docker:prune", options="-f|--force -a|--all!all --filter:text --volumes!volumes", **_GONE),
    P("cp", special="container_cli", words=2, example="docker cp web:/log ."),
    P("commit", "name image?", action="docker:commit", options="-a|--author:text -c|--change:baked -m|--message:text "
        "-p|--pause?:text -q "
      "-f|--format:text", does="write", words=2),
    P("export", "name", action="docker:export", options="-o|--output:write", does="read", words=2),
)  # fmt: skip
_IMAGE = (
    _BUILDS,
    _PULL,
    _PUSH,
    *_reads("ls list images history inspect search tree exists"),
    P("rm", "image*", also="remove", action="docker:rmi", options="-f|--force!force --no-prune -a|--all!all",
        **_GONE),
    P("prune", action="docker:prune", options="-f|--force -a|--all!all --filter:text", **_GONE),
    P("tag", "image target*", action="docker:tag", does="write", words=2),
    P("save", "image*", action="docker:save", options="-o|--output:write --platform:text -q --format:text -m",
        does="read", words=2),
    P("load", action="docker:load", options="-i|--input:read -q|--quiet --platform:text", does="write",
        tags="install", words=2),
    P("import", "fetch? image?", action="docker:import", options="-c|--change:text -m|--message:text "
        "--platform:text", does="write",
      tags="install", words=2),
)  # fmt: skip
_VOLUME = (
    *_reads("ls list inspect exists"),
    *_moves("create", "write", "-d|--driver:text --label:text -o|--opt:text --name:text"),
    P("rm", "name*", also="remove", action="docker:volume-rm", options="-f|--force!force -a|--all!all", risk="high",
      compensator="restore the volume from a backup", **_GONE),
    P("prune", action="docker:volume-prune", options="-f|--force -a|--all!all --filter:text", risk="high", **_GONE),
)  # fmt: skip
_NETWORK = (
    *_reads("ls list inspect exists"),
    *_moves("create connect disconnect", "write", "-d|--driver:text --subnet:text --gateway:text --ip-range:text "
        "--label:text "
            "-o|--opt:text --ip:text --alias:text --link:text --scope:text --attachable --internal --ipv6 "
            "-f|--force"),
    P("rm", "name*", also="remove", action="docker:network-rm", options="-f|--force", **_GONE),
    P("prune", action="docker:network-prune", options="-f|--force --filter:text", **_GONE),
)  # fmt: skip
_COMPOSE_ALL = (
    "-f|--file:read -p|--project-name:project --profile:text --project-directory:list --env-file:read --ansi:text "
    "--progress:text "
    "--parallel:number --compatibility --dry-run --verbose --all-resources "
)
_UP = (
    "-d|--detach!detach --build --no-build --force-recreate --no-recreate --no-deps --no-start --remove-orphans "
    "--scale:text "
    "-t|--timeout:number --wait --wait-timeout:number --pull:text --quiet-pull -V|--renew-anon-volumes "
    "--abort-on-container-exit "
    "--exit-code-from:text --attach:text --no-attach:text --timestamps --no-color --no-log-prefix --dry-run "
    "-w|--watch -y|--yes"
)
_COMPOSE = (
    P("up", "name*", action="compose:up", options=_UP, dryrun="--dry-run", does="spawn execute network",
        tags="unread", words=3),
    P("down", action="compose:down", options="-v|--volumes!volumes --rmi:rmi --remove-orphans -t|--timeout:number "
        "--dry-run",
      dryrun="--dry-run", flags={"volumes": Adds(effects=effects("destructive"), irreversible=True,
          risk=_PUSHES.risk),
                                 "--rmi": Adds(effects=effects("destructive"))}, does="execute write", words=3),
    P("run", "name command", special="container_cli", options=_RUN + " --build --no-deps --service-ports "
        "--use-aliases --remove-orphans "
      "-T|--no-TTY --no-tty --quiet-pull --dry-run", words=3),
    P("exec", "name command", special="container_cli", options=_EXEC + " --dry-run", words=3),
    *[P(n, "name*", action=f"compose:{n}", does="read", options=_LOOK + " --services --images --volumes --profiles "
        "-o|--output:write "
        "--resolve-image-digests --no-interpolate --no-color --no-log-prefix --json --short --status:text "
        "--hash:text --environment", flags={"--environment": Adds(tags=("environment", "secret"))}, words=3)
      for n in ("ps", "logs", "config", "images", "top", "port", "ls", "version", "events", "stats", "convert",
          "volumes")],
    P("attach", "name*", action="compose:attach", does="execute", options="--index:number --detach-keys:text "
        "--no-stdin --sig-proxy?:text", words=3),
    *[P(n, "name*", action=f"compose:{n}", does="execute", options="-t|--timeout:number -s|--signal:text --no-deps "
        "--dry-run",
        dryrun="--dry-run", words=3) for n in ("stop", "restart", "kill", "pause", "unpause", "wait")],
    *[P(n, "name*", action=f"compose:{n}", does="spawn execute", tags="unread", options=_UP, dryrun="--dry-run",
        words=3)
      for n in ("start", "create", "scale", "watch")],
    P("build", "name*", action="exec:project", options="--build-arg:baked --no-cache --pull --push!push -q "
        "--progress:text --ssh:text "
      "-m|--memory:text --builder:daemon --with-dependencies --dry-run", dryrun="--dry-run", flags={"push": _PUSHES},
      does="execute network write", tags="unread", words=3),
    P("pull", "name*", action="docker:pull", options="-q --ignore-pull-failures --include-deps --policy:text",
        does="network write",
      tags="install", words=3),
    P("push", "name*", action="docker:push", does="destructive network", tags="external sends", irreversible=True,
        risk="high", words=3),
    P("rm", "name*", action="compose:rm", options="-f|--force -s|--stop -v|--volumes!volumes", does="destructive",
        irreversible=True, words=3),
    P("cp", special="container_cli", words=3),
)  # fmt: skip
_SWARM: dict[str, Any] = {"does": "write network", "tags": "external privileged", "words": 3}
_REMOTE = {
    "-H": Adds(effects=effects("network"), tags=("external",)),
    "-c": Adds(effects=effects("network"), tags=("external",)),
}
PROGRAMS = (
    P(
        "docker",
        also="podman nerdctl podman-remote finch",
        special="container_cli",
        options="-H|--host|--url:host -c|--context|--connection:context --config:runs -D|--debug "
            "-l|--log-level:text --tls --tlscacert:read "
        "--tlscert:read --tlskey:read --tlsverify -v|--version --root:text --runroot:text --storage-driver:text "
        "--storage-opt:text "
        "--cgroup-manager:text -r|--remote -n|--namespace:text -a|--address:text --module:text --help",
        flags=_REMOTE,
        subs=(
            *_CONTAINER,
            *(row for row in _IMAGE if row.name not in ("rm", "prune", "ls", "list", "inspect")),
            P("rmi", "image*", action="docker:rmi", options="-f|--force!force --no-prune -a|--all!all", **_GONE),
            P("images", "image*", action="docker:images", does="read", options=_LOOK, words=2),
            P("container", subs=_CONTAINER, words=3),
            P("image", subs=_IMAGE, words=3),
            P("volume", subs=_VOLUME, words=3),
            P("network", subs=_NETWORK, words=3),
            P("compose", subs=_COMPOSE, options=_COMPOSE_ALL, special="container_cli", words=3),
            P("builder", words=3, subs=(_BUILDS, P("prune", action="docker:prune",
                options="-f|--force -a|--all!all --filter:text --keep-storage:text", **_GONE))),
            P("buildx", words=3, options="--builder:daemon", subs=(
                _BUILDS,
                P("bake", action="exec:project", options="-f|--file:read --push!push --load --set:text --print "
                    "--no-cache --pull --progress:text "
                  "--metadata-file:write", flags={"push": _PUSHES}, does="execute network write", tags="unread"),
                *_reads("ls du inspect version"),
                P("history", words=4, subs=(*_reads("ls logs inspect trace open"),
                    P("rm", "name*", action="docker:history-rm", options="--all", does="write"),
                    P("export", "name*", action="docker:history-export", options="-o|--output:write", does="write"),
                    P("import", action="docker:history-import", options="-f|--file:read", does="write"))),
                P("imagetools", words=4, subs=(P("create", "source*", action="docker:push", options="-t|--tag:tag "
                    "--append -f|--file:read --dry-run --annotation:text --progress:text --platform:text",
                    dryrun="--dry-run", does="destructive network", tags="external sends", irreversible=True,
                    risk="high"),
                    P("inspect", "image*", action="docker:inspect", does="read network"))),
                P("use", "daemon", action="docker:use", options="--default --global --builder:daemon", does="write"),
                P("create", "daemon*", action="docker:create", does="write", options="--name:text "
                    "--driver:daemon --driver-opt:text --platform:text --node:text --config:read "
                    "--buildkitd-flags:text --buildkitd-config:read --use --append --bootstrap --leave"),
                *_moves("stop", "write", "--builder:daemon"),
                P("rm", "name*", action="docker:builder-rm", options="-f --all-inactive --keep-state --keep-daemon "
                    "--builder:daemon", does="write"),
                P("prune", action="docker:prune", options="-f -a|--all --filter:text --max-used-space:text "
                    "--reserved-space:text "
                  "--min-free-space:text --keep-storage:text --builder:daemon --verbose", **_GONE),
            )),
            P("system", words=3, subs=(
                *_reads("df info events"),
                P("dial-stdio", action="docker:dial-stdio", does="execute", tags="unread"),
                P("prune", action="docker:prune", options="-f|--force -a|--all!all --filter:text --volumes!volumes",
                    risk="high", **_GONE),
                P("reset", action="docker:prune", options="-f|--force", risk="high", **_GONE),
            )),
            P("context", words=3, subs=(*_reads("ls list show inspect"),
                P("use", "daemon", action="docker:use", does="write", words=3),
                *_moves("create update rm import export", "write",
              "--docker:daemon --kubernetes:text --description:text -f|--force --from:daemon"))),
            P("manifest", words=3, subs=(P("inspect", "image*", action="docker:inspect", does="read network"),
                *_moves("create annotate rm add", "write"),
                                         _PUSH)),
            P("machine", words=3, subs=(*_reads("ls list inspect info"), *_moves("init set", "write",
                "--cpus:number --memory:number --disk-size:number --rootful"),
              *_moves("start", "spawn"), *_moves("stop", "execute"), P("rm", "name*", action="docker:machine-rm",
                  options="-f|--force", **_GONE),
              P("ssh", "name? command", words=3, does="execute", options="--username:text -q"))),
            P("pod", words=3, subs=(*_reads("ps ls list inspect logs stats top exists"), *_moves("create", "write",
                "--name:text -p|--publish:text --network:text"),
              *_moves("start restart stop kill pause unpause"), P("rm", "name*", action="docker:pod-rm",
                  options="-f|--force -a|--all", **_GONE),
              P("prune", action="docker:prune", options="-f", **_GONE))),
            P("login", "host?", action="docker:login", options="-u|--username:user -p|--password:text "
                "--password-stdin --authfile:write "
              "--tls-verify?:text --get-login --cert-dir:read", does="network write", tags="secret external",
              words=2),
            P("logout", "host?", action="docker:logout", options="-a|--all --authfile:write", does="write", words=2),
            P("secret", words=3, subs=(*_reads("ls list inspect", tags="secret"), P("create", "name read?",
                action="docker:secret-create",
              options="-d:text -l|--label:text --env", does="write", tags="secret"), P("rm", "name*",
                  action="docker:secret-rm", tags="secret", **_GONE))),
            P("config", words=3, subs=(*_reads("ls inspect"), P("create", "name read?",
                action="docker:config-create", does="write"),
              P("rm", "name*", action="docker:config-rm", **_GONE))),
            *(P(kind, words=3, subs=(
                *_reads("ls ps inspect logs services config"),
                *(P(n, "name*", action=f"docker:{kind}-{n}", options="--name:text --replicas:text --image:text "
                    "--token:text --availability:text "
                    "--advertise-addr:text --listen-addr:text -c|--compose-file:read --cert-expiry:text "
                    "-e|--env:text -p|--publish:text "
                    "--mount:text --network:text --constraint:text --rotate --force --with-registry-auth --prune",
                    **_SWARM)
                  for n in ("create", "update", "scale", "rollback", "promote", "demote", "deploy", "up", "init",
                      "join", "unlock", "ca", "unlock-key")),
                P("join-token", action=f"docker:{kind}-token", options="--rotate!rotate -q|--quiet", does="read",
                    tags="secret", flags={"rotate": Adds(effects=effects("write"))}),
                *(P(n, "name*", action=f"docker:{kind}-rm", options="-f|--force", risk="high",
                    **_GONE) for n in ("rm", "down", "leave")),
            )) for kind in ("service", "stack", "swarm", "node")),
            *_reads("version info"),
            P("generate", words=3, special="opaque", does="read"),
            P("scout", action="docker:scout", does="read network"),
            P("unshare", "command", does="execute", tags="privileged"),
        ),
        default=None,
        words=2,
        example="docker run --rm -v $PWD:/src -w /src golang:1 go test ./...",
    ),
    P("docker-compose", also="podman-compose", options=_COMPOSE_ALL + "-v|--version --help",
        special="container_cli", subs=_COMPOSE, words=2,
      example="docker-compose up -d"),
    P(
        "buildah",
        options="--root:text --runroot:text --storage-driver:text --log-level:text --registries-conf:read",
        subs=(
            P("bud", "runs?", also="build build-using-dockerfile", action="exec:project", special="image_build",
                options=_BUILD, does="execute network write", tags="unread"),
            P("from", "image", action="docker:pull", options="--name:text --pull -q --authfile:read",
                does="network write", tags="install"),
            P("run", "name command", special="container_cli", options=_RUN),
            *_reads("images containers inspect ps version info"),
            *_moves("copy add config commit tag mount umount unmount rename", "write",
                "--chown:text -q --cmd:text --entrypoint:text --env:text"),
            P("rm", "name*", action="docker:rm", options="-a|--all", **_GONE),
            P("rmi", "name*", action="docker:rmi", options="-a|--all -f|--force -p|--prune", **_GONE),
            _PULL,
            _PUSH,
            P("login", "host?", action="docker:login", options="-u|--username:user -p|--password:text "
                "--authfile:write", does="network write", tags="secret external"),
            P("unshare", "command", does="execute", tags="privileged"),
        ),
        words=2,
        example="buildah bud -t app .",
    ),
    P(
        "skopeo",
        options="--debug --policy:read --insecure-policy --registries.d:read --override-os:text "
            "--override-arch:text --command-timeout:text --tmpdir:text",
        subs=(
            *(P(n, "image*", action=f"skopeo:{n}", does="read network", options="--authfile:read --creds:text "
                "--tls-verify?:text --raw --config --format:text -n")
              for n in ("inspect", "list-tags", "manifest-digest", "standalone-verify")),
            P("copy", special="container_cli", options="--authfile:read --src-authfile:read --dest-authfile:read "
                "--src-creds:text --dest-creds:text "
              "--src-tls-verify?:text --dest-tls-verify?:text -a|--all -f|--format:text --sign-by:text "
              "--digestfile:write --additional-tag:text -q --multi-arch:text",
              example="skopeo copy docker://a/b docker://c/d"),
            P("sync", "source target", action="docker:push", options="-s|--src:text -d|--dest:text --scoped "
                "-a|--all --src-creds:text --dest-creds:text",
              does="destructive network", tags="external sends", irreversible=True, risk="high"),
            P("delete", "image", action="skopeo:delete", options="--authfile:read --creds:text --tls-verify?:text",
                does="destructive network",
              tags="external", irreversible=True, risk="high"),
            P("login", "host?", action="docker:login", options="-u|--username:user -p|--password:text "
                "--authfile:write --password-stdin", does="network write", tags="secret external"),
            P("logout", "host?", action="docker:logout", does="write"),
        ),
        words=2,
        example="skopeo inspect docker://alpine",
    ),
)  # fmt: skip
