"""Kubernetes and what is deployed to it. Every change there is seen by others: `external`."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

    from .spec import Program

__all__ = ["PROGRAMS"]

_ALL = (
    "--context:context --cluster:cluster -n|--namespace:namespace --kubeconfig:runs -s|--server:server --user:user "
    "--token:text "
    "--as:as --as-group:text --as-uid:text --certificate-authority:read --client-certificate:read --client-key:read "
    "--insecure-skip-tls-verify --request-timeout:text --tls-server-name:text --cache-dir:text --profile:text "
    "--profile-output:write "
    "-v|--v:number --username:text --password:text --match-server-version --help -h "
)
_PICK = (
    "-f|--filename:manifest -k|--kustomize:list -R|--recursive -l|--selector:selector --field-selector:selector "
    "-A|--all-namespaces!all-namespaces -o|--output:text --template:text --sort-by:text --chunk-size:number "
    "--show-labels "
    "--no-headers -w|--watch --ignore-not-found --subresource:text -L:text -c|--container:text --for:text "
    "--raw:text --types:text "
    "--since:text --since-time:text --tail:number --timeout:text -p|--previous --all-containers?:text "
    "--max-log-requests:number "
    "--limit-bytes:number --pod-running-timeout:text --prefix --timestamps --follow --containers --api-version:text "
    "--recursive --show-managed-fields --verbs:text --api-group:text --namespaced?:text --client --short "
)
_CHANGE = (
    "--dry-run?:text --overwrite --all!all --force!force --prune!prune --grace-period:number --cascade?:text --now "
    "--wait?:text "
    "--field-manager:text --server-side --force-conflicts --record --save-config --validate?:text -p|--patch:text "
    "--patch-file:read "
    "--type:text --replicas:number --current-replicas:number --resource-version:text --port:text --target-port:text "
    "--name:text "
    "--image:image --limits:text --requests:text --env:text -e:text --from:text --keys:text --serviceaccount:text "
    "--labels:text "
    "--from-literal:text --from-file:read --from-env-file:read --cert:read --key:read --docker-server:text "
    "--docker-username:text --docker-password:text --docker-email:text --append-hash --clusterrole:text --role:text "
    "--verb:text "
    "--resource:text --group:text --rule:text --class:text --schedule:text --tcp:text --external-name:text "
    "--min:number "
    "--max:number --cpu-percent:number --to-revision:number --revision:number --ignore-daemonsets "
    "--delete-emptydir-data!emptydir "
    "--delete-local-data!emptydir --disable-eviction --pod-selector:selector --skip-wait-for-delete-timeout:number "
    "--protocol:text --external-ip:text --load-balancer-ip:text --session-affinity:text --prune-allowlist:text "
    "--hard:text "
)
_GET, _SET = _ALL + _PICK, _ALL + _PICK + _CHANGE
_FORCED = {"force": Adds(effects=effects("destructive"), tags=("force",), irreversible=True),
           "prune": Adds(effects=effects("destructive"), irreversible=True)}  # fmt: skip


def _rows(
    kind: str, names: str, does: str, tags: str = "", options: str = _GET, group: str = "", **more: Any
) -> tuple[Program, ...]:
    return tuple(
        [
            P(
                n,
                "resource*",
                action=f"{kind}:{group}{n}",
                does=does,
                tags=tags,
                options=options,
                dryrun="--dry-run",
                words=2,
                **more,
            )
            for n in names.split()
        ]
    )


_WRITES: dict[str, Any] = {"does": "network write", "tags": "external", "options": _SET}
_GONE: dict[str, Any] = {
    "does": "destructive network", "tags": "external", "irreversible": True, "risk": "high", "options": _SET,
}  # fmt: skip
_POD = _SET + (
    "-i|--stdin -t|--tty -q|--quiet --restart:text --rm --command --attach --expose --overrides:overrides "
    "--target:text "
    "--copy-to:text --share-processes --replace --set-image:text --same-node --image-pull-policy:text "
    "--custom:overrides "
    "--shell:text --no-tty -T --as-root --keep-annotations"
)
_KUSTOMIZE = (
    "-o|--output:write --enable-helm --enable-exec!exec --enable-alpha-plugins!exec --load-restrictor:text "
    "--helm-command:code.sh --as-current-user --network --network-name:text --mount:text -e|--env:text"
)
_PLUGINS = {"exec": Adds(opaque="plug-ins of the manifest are run")}

_KUBECTL = (
    P("logs", "resource*", action="kubectl:logs", does="read network", words=2,
        options=_ALL + _PICK.replace("-f|--filename:manifest", "-f")),
    *_rows("kubectl", "get describe top explain events api-resources api-versions cluster-info version wait diff",
        "read network"),
    *_rows("kubectl", "options completion", "read"),
    P("kustomize", "read*", action="kubectl:kustomize", does="read", options=_KUSTOMIZE, flags=_PLUGINS, words=2),
    *_rows("kubectl", "apply create patch edit scale autoscale label annotate expose set taint replace attach",
        **_WRITES,
           flags=_FORCED),
    *_rows("kubectl", "delete", compensator="apply the manifest again", **_GONE),
    P("drain", "node*", action="kubectl:drain", dryrun="--dry-run", words=2, compensator="kubectl uncordon", **_GONE),
    *(P(n, "node*", action=f"kubectl:{n}", dryrun="--dry-run", words=2, **_WRITES) for n in ("cordon", "uncordon")),
    P("rollout", words=3, options=_ALL, subs=(*_rows("kubectl", "status history", "read network", options=_SET,
        group="rollout-"),
                                             *_rows("kubectl", "restart undo pause resume", group="rollout-",
                                                 **_WRITES))),
    P("auth", words=3, options=_ALL, subs=(*_rows("kubectl", "can-i whoami", "read network"), *_rows("kubectl",
        "reconcile", **_WRITES))),
    P("config", words=3, options=_ALL, subs=(
        *_rows("kubectl", "get-contexts current-context get-clusters get-users", "read"),
        P("view", action="kubectl:config-view", does="read", options=_ALL + "--raw!raw --minify --flatten -o:text",
          flags={"raw": Adds(tags=("secret",))}),
        *(P(n, "context?", action=f"kubectl:{n}", does="write", options=_ALL + "--current "
            "--embed-certs?:text") for n in
          ("set-context", "set-cluster", "rename-context")),
        P("use-context", "context?", also="use", action="kubectl:use-context", does="write", options=_ALL),
        P("set-credentials", "context?", action="kubectl:set-credentials", does="write", options=_ALL
            + "--exec-command:starts --exec-api-version:text --exec-arg:text --exec-env:text --auth-provider!runs "
            "--auth-provider-arg:text --embed-certs?:text", flags={"runs": Adds(opaque="a plug-in that logs in")}),
        P("set", "setting value", action="kubectl:set", does="write", options=_ALL + "--set-raw-bytes?:text"),
        *(P(n, "name", action=f"kubectl:{n}", does="write", options=_ALL) for n in ("delete-context",
            "delete-cluster", "delete-user", "unset")),
    )),
    P("certificate", words=3, subs=_rows("kubectl", "approve deny", **_WRITES)),
    P("plugin", words=2, subs=(P("list", does="read", action="kubectl:plugin"),)),
    P("exec", options=_POD, words=2),
    P("rsh", options=_POD, words=2),
    P("run", options=_POD, words=2),
    P("debug", options=_POD, words=2),
    P("cp", words=2),
    P("port-forward", "name text*", action="kubectl:port-forward", does="spawn network",
        options=_ALL + "--address:text --pod-running-timeout:text", words=2),
    P("proxy", action="kubectl:proxy", does="spawn network", tags="external sends", risk="medium", words=2,
      options=_ALL + "--address:text --port:text -p:text -w|--www:send --www-prefix:text -P:text --api-prefix:text "
          "--accept-hosts:text "
      "--accept-paths:text --reject-paths:text --reject-methods:text -u|--unix-socket:write --disable-filter "
      "--append-server-path --keepalive:text"),
)  # fmt: skip
_OC = (
    *_rows("oc", "whoami status projects", "read network"),
    *_rows("oc", "project new-project new-app new-build start-build tag import-image process", **_WRITES),
    P("login", "server?", action="oc:login", does="network write", tags="secret external",
        options=_ALL + "-u:user -p:text", words=2),
    P("logout", action="oc:logout", does="write", words=2),
    P("adm", words=3, subs=(*_rows("oc", "top", "read network"), *_rows("oc", "policy drain cordon uncordon prune",
        **_GONE))),
)  # fmt: skip

_HELM_ALL = (
    "--kube-context:context -n|--namespace:namespace --kubeconfig:runs --kube-apiserver:server --kube-token:text "
    "--kube-as-user:text "
    "--registry-config:read --repository-config:read --repository-cache:text --debug --burst-limit:number "
    "--kube-ca-file:read -h|--help "
)
_HELM = _HELM_ALL + (
    "-f|--values:read --set:text --set-string:text --set-file:text --set-json:text --set-literal:text "
    "--version:version --repo:repo "
    "-i|--install --create-namespace --atomic --wait --wait-for-jobs --timeout:text --dry-run?:text --force!force "
    "--reuse-values "
    "--reset-values --reset-then-reuse-values --cleanup-on-fail --history-max:number --description:text "
    "-g|--generate-name "
    "--name-template:text --post-renderer:code.sh --post-renderer-args:text --devel --verify --keyring:read "
    "--ca-file:read "
    "--cert-file:read --key-file:read --username:text --password:text --pass-credentials --dependency-update "
    "--no-hooks --skip-crds "
    "-o|--output:text --output-dir:write -s|--show-only:text -a|--api-versions:text --kube-version:text "
    "--include-crds --validate "
    "-A|--all-namespaces -q|--short -l|--selector:text --filter:text -m|--max:number --revision:number "
    "-d|--destination:write --untar "
    "--untardir:write --keep-history --cascade:text --force-update --no-update --insecure-skip-tls-verify "
    "--app-version:text "
    "--sign --key:text --strict --with-subcharts --logs --plain-http --merge:read --url:text --starter:text"
)


def _helm(names: str, does: str, operands: str = "name*", **more: Any) -> tuple[Program, ...]:
    more = {"options": _HELM, "dryrun": "--dry-run", **more}
    return tuple([P(n, operands, action=f"helm:{n}", does=does, words=2, **more) for n in names.split()])


def _cli(name: str, rows: tuple[tuple[str, str, str], ...], options: str = "", **more: Any) -> Program:
    """A program of plain verbs: (names, effects, tags) for each kind of verb."""
    subs: list[Program] = []
    for names, does, tags in rows:
        gone = "destructive" in does
        subs.extend(
            P(
                n.removesuffix("="),
                "name*",
                action=f"{name}:{n.removesuffix('=')}",
                flags={"operand": Adds(effects=effects("write"))} if n[-1] == "=" else None,
                does=does,
                tags=tags,
                options=options,
                irreversible=gone,
                words=2,
                risk="high" if gone and "external" in tags else "low",
                dryrun="--dry-run",
            )
            for n in names.split()
        )
    return P(name, subs=tuple(subs), options=options, words=2, **more)


_READ, _OUT, _LOST = ("read network", ""), ("network write", "external"), ("destructive network", "external")

PROGRAMS = (
    P("kubectl", special="kube", options=_ALL, subs=_KUBECTL, words=2, also="kubecolor microk8s.kubectl",
        example="kubectl get pods -n web"),
    P("oc", special="kube", options=_ALL, subs=(*_KUBECTL, *_OC), words=2, example="oc get pods"),
    P("k9s", action="exec:k9s", options="--context:context -n|--namespace:namespace --kubeconfig:runs --readonly "
        "-c:text -l:text -r:text", does="execute network",
      tags="external", special="opaque",
          example="k9s --readonly"),
    P("k3s", words=2, subs=(
        P("kubectl", special="kube", options=_ALL, subs=_KUBECTL),
        P("server", action="k3s:server", does="spawn", tags="privileged"), P("agent", action="k3s:agent",
            does="spawn network", tags="privileged"),
        P("etcd-snapshot", action="k3s:etcd-snapshot", does="write", words=2), P("certificate",
            action="k3s:certificate", does="write", tags="privileged"),
        P("token", action="k3s:token", does="read write", tags="secret"), P("check-config", does="read"),
    ), example="k3s kubectl get nodes"),
    P("helm", words=2, options=_HELM_ALL, subs=(
        *_helm("list ls status history get show search version env verify", "read network"),
        *_helm("template lint", "read network", "name? chart*"),
        *_helm("dependency dep pull fetch", "network write", "text* chart?"),
        *_helm("create package", "write", "write"),
        *_helm("install upgrade rollback test", "network write", "name? chart*", tags="external",
               flags={"force": Adds(effects=effects("destructive"), tags=("force",), irreversible=True)}),
        *_helm("uninstall delete del un", "destructive network", tags="external", irreversible=True, risk="high",
            compensator="helm rollback, if the history was kept"),
        *_helm("push", "destructive network", "chart repo", tags="external sends", irreversible=True, risk="high"),
        P("repo", options=_HELM_ALL, words=3, subs=(*_helm("list ls", "read"), *_helm("update up index",
            "network write"),
          *_helm("add", "network write", tags="install"), *_helm("remove rm", "write"))),
        P("plugin", options=_HELM_ALL, words=3, subs=(*_helm("list ls", "read"), *_helm("install update",
            "network write execute", "package", tags="install"),
          *_helm("uninstall", "write"))),
        P("registry", options=_HELM_ALL, words=3, subs=_helm("login logout", "network write",
            tags="secret external")),
        *_helm("completion help", ""),
    ), example="helm upgrade -i web ./chart"),
    P("kustomize", words=2, subs=(P("build", "read*", action="kustomize:build", does="read", options=_KUSTOMIZE,
      flags=_PLUGINS), P("edit", action="kustomize:edit",
          does="write"), P("create", action="kustomize:create", does="write"),
      P("version", does=""), *(P(
          name, action=f"kustomize:{name}", does="write execute", tags="unread", words=2,
      ) for name in ("cfg", "fn")), P("localize", "read write?",
          does="network write")), example="kustomize build overlays/dev"),
    _cli("minikube", (("status ip version profile= addons= node= image= config= logs options service-list docker-env "
        "podman-env kubectl-path ssh-key ssh-host", "read", ""),
      ("start dashboard tunnel mount service", "spawn network", ""), ("stop pause unpause update-context cache cp",
          "write", ""), ("delete", "destructive", "")),
      options="-p|--profile:profile --memory:text --cpus:text --driver:text --kubernetes-version:text --addons:text "
          "--url --background --all!all --purge!purge --file:write", example="minikube start"),
    P("kind", words=2, options="-q -v:number", subs=(
        P("get", action="kind:get", does="read", options="--name:text --internal"), P("create", "kind name?",
            action="kind:create", does="spawn network",
          options="--name:name --config:read --image:image --kubeconfig:write --wait:text --retain"),
        P("delete", "kind name*", action="kind:delete", does="destructive", irreversible=True,
            options="--name:name -A|--all --kubeconfig:write"),
        P("load", "kind name*", action="kind:load", does="write", options="--name:name --nodes:text"),
        P("export", "kind write?", action="kind:export", does="write", options="--name:name --kubeconfig:write "
            "--internal"), P("version", does=""),
        P("build", action="exec:project", does="execute write", tags="unread"),
    ), example="kind create cluster"),
    _cli("skaffold", (("diagnose config= schema version inspect options credits", "read", ""), ("build test verify",
        "execute network", "unread"), ("render", "execute", "unread"),
      ("dev debug", "spawn execute network", "unread external"), ("run deploy apply", "execute network write",
          "unread external"), ("delete", *_LOST)),
      options="-f|--filename:read -p|--profile:text -n|--namespace:namespace --kube-context:context "
          "-d|--default-repo:text -t|--tag:text --tail --push?:text --port-forward?:text "
      "-o|--output:write --dry-run", example="skaffold dev"),
    P("argocd", words=3, options="--server:server --auth-token:text --grpc-web --insecure --config:read --core "
        "--plaintext --kube-context:context", subs=(
        *(P(group, words=3, subs=(
            *(P(n, "name*", action=f"argocd:{group}-{n}", does="read network",
                options="-o|--output:text -l|--selector:text -p|--project:project --refresh --hard-refresh "
                "--kind:text")
              for n in ("list", "get", "history", "logs", "resources", "manifests", "diff", "wait", "can-i",
                  "get-user-info", "rbac", "images")),
            *(P(n, "name*", action=f"argocd:{group}-{n}", does="network write", tags="external", dryrun="--dry-run",
                options="--repo:text --path:text --dest-server:text --dest-namespace:namespace --dest-name:text "
                    "--sync-policy:text --auto-prune --self-heal --prune!prune --force!force "
                "--revision:text -p:text --project:project --dry-run --upsert -f|--file:read --helm-set:text "
                "--values:read --resource:text --timeout:number --async --name:text",
                flags={"prune": Adds(effects=effects("destructive"), irreversible=True),
                    "force": Adds(effects=effects("destructive"), irreversible=True)})
              for n in ("create", "set", "unset", "edit", "sync", "rollback", "patch", "add", "terminate-op",
                  "actions", "update", "patch-resource", "update-password")),
            *(P(n, "name*", action=f"argocd:{group}-{n}", does="destructive network", tags="external",
                irreversible=True, risk="high", options="-y|--yes --cascade?:text -p:text")
              for n in ("delete", "rm", "remove", "delete-resource")),
        )) for group in ("app", "proj", "repo", "cluster", "account", "appset", "cert", "repocreds", "gpg")),
        P("login", "server", action="argocd:login", does="network write", tags="secret external",
            options="--username:user --password:text --insecure --sso --name:text"),
        P("logout", action="argocd:logout", does="write"), P("context", action="argocd:context", does="write"),
            P("version", does="read network"),
    ), example="argocd app sync web"),
    _cli("flux", (("check get logs events version tree trace stats export diff debug", *_READ),
        ("build envsubst completion", "read", ""),
      ("bootstrap create reconcile suspend resume install push tag pull", *_OUT), ("delete uninstall", *_LOST)),
      options="-n|--namespace:namespace --context:context --kubeconfig:runs --url:text --branch:text --path:list "
          "--owner:text --repository:text --source:text --chart:text --interval:text "
      "--username:text --password:text --token:text --private-key-file:read --kustomization-file:read --dry-run "
      "--prune?:text --pre --personal --with-source --export -s|--silent",
      example="flux get all"),
    _cli("istioctl", (("version analyze proxy-status ps proxy-config pc validate verify-install describe "
        "experimental x bug-report", *_READ), ("manifest profile kube-inject", "read", ""),
      ("install upgrade operator tag create-remote-secret waypoint", *_OUT), ("uninstall", *_LOST), ("dashboard d",
          "spawn network", "")),
      options="-n|--namespace:namespace --context:context --kubeconfig:runs -f|--filename:read --set:text "
          "-r|--revision:text -y --dry-run", example="istioctl analyze"),
    P(
        "etcdctl",
        options="--endpoints:host --cacert:read --cert:read --key:read --user:text --password:text "
        "-w|--write-out:text "
        "--command-timeout:text --dial-timeout:text --insecure-skip-tls-verify --insecure-transport --debug --hex",
        subs=(
            *(
                P(name, "key text*", action=f"etcd:{name}", does="read network", words=2)
                for name in ("get", "watch", "version", "check")
            ),
            P(
                "put",
                "key text*",
                action="etcd:put",
                does="write network",
                tags="external",
                words=2,
                options="--lease:text --prev-kv --ignore-value",
            ),
            P(
                "del",
                "key text*",
                action="etcd:del",
                does="destructive network",
                tags="external",
                irreversible=True,
                words=2,
                options="--prefix!prefix --from-key!from-key --prev-kv --range",
            ),
            P("endpoint", action="etcd:endpoint", does="read network", words=2),
            P("alarm", action="etcd:alarm", does="read network", words=2),
            P("defrag", action="etcd:defrag", does="write network", words=2, tags="external"),
            P(
                "compact",
                action="etcd:compact",
                does="destructive network",
                words=2,
                tags="external",
                irreversible=True,
            ),
            P("lock", "key command", action="etcd:lock", does="network", words=2, options="--ttl:number"),
            P("elect", action="etcd:elect", does="network write", tags="external", words=2),
            P("txn", action="etcd:txn", special="opaque", does="write network", tags="external", words=2),
            P(
                "snapshot",
                words=3,
                subs=(
                    P("save", "write", action="etcd:snapshot", does="read network"),
                    P("status", "read", does="read"),
                    P("restore", "read", action="etcd:restore", does="write", options="--data-dir:write --name:text"),
                ),
            ),
            P(
                "member",
                words=3,
                subs=(
                    P("list", action="etcd:member", does="read network"),
                    P("add", action="etcd:member-add", does="write network", tags="external privileged"),
                    P(
                        "remove",
                        action="etcd:member-remove",
                        does="destructive network",
                        tags="external privileged",
                        irreversible=True,
                        risk="high",
                    ),
                    P("update", action="etcd:member-update", does="write network", tags="external privileged"),
                ),
            ),
            *(
                P(name, "text name?", action=f"etcd:{name}", does="write network", tags="external privileged", words=2)
                for name in ("user", "role", "auth", "lease", "move-leader")
            ),
        ),
        example="etcdctl get /key",
    ),
)  # fmt: skip
