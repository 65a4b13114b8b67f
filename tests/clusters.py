"""Ways to name a cluster and a namespace for kubectl, ways to write a kubeconfig, and what kubectl itself asks for."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

_POD = {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list", "delete"]}
_TOLD = {
    "api": {"kind": "APIVersions", "versions": ["v1"]},
    "apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [_POD]},
}
_ASKED = re.compile(r"http://([a-z-]+)\.example/api/v1/(?:namespaces/([^/?]+)/)?pods")


class Clusters(ThreadingHTTPServer):
    """Every cluster at once, as a proxy. `asked` are the cluster and the namespace of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.asked: set[tuple[str, str]] = set()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = _ASKED.match(self.path)
        assert isinstance(self.server, Clusters)
        if found is not None:
            self.server.asked.add((found[1], found[2] or ""))
        place = self.path.partition("://")[2].partition("/")[2].partition("?")[0]
        body = json.dumps(_TOLD.get(place, {"kind": "Status", "apiVersion": "v1", "status": "Success"})).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


def config(current: str, contexts: str) -> str:
    """A kubeconfig in the style of kubectl: `dev/web prod` are two contexts, the first with a namespace."""
    text = "apiVersion: v1\nkind: Config\nclusters:\n"
    text += "".join(f"- cluster:\n    server: http://{name}.example\n  name: {name}\n" for name in ("dev", "prod"))
    text += "contexts:\n"
    for one in contexts.split():
        name, slash, namespace = one.partition("/")
        space = f"    namespace: {namespace}\n" if slash else ""
        text += f"- context:\n    cluster: {name}\n{space}    user: me\n  name: {name}\n"
    return text + f"current-context: {current}\nusers:\n- name: me\n  user: {{}}\n"


_USUAL = config("dev", "dev/web prod/live")
_TAIL = "users:\n- name: me\n  user: {}\n"
_CLUSTERS = _USUAL[_USUAL.index("clusters:") : _USUAL.index("contexts:")]
# How the person's own kubeconfig is written.
STATES = {
    "as kubectl writes it": _USUAL,
    "no namespaces": config("prod", "dev prod"),
    "no current context": _USUAL.replace("current-context: dev\n", ""),
    "an empty current context": config('""', "dev/web prod/live"),
    "quoted": _USUAL.replace("current-context: dev", "current-context: \"prod\" # not dev"),
    "a key in quotes": _USUAL.replace("current-context: dev", "'current-context': prod"),
    "escapes in quotes": _USUAL.replace("current-context: dev", 'current-context: "\\x70rod"'),
    "escapes in a key": _USUAL.replace("current-context: dev", '"current\\x2dcontext": prod'),
    "an anchor": _USUAL.replace("current-context: dev", "current-context: &c prod"),
    "an alias": _USUAL.replace("name: prod\n", "name: &p prod\n", 1).replace("context: dev", "context: *p"),
    "a tag": _USUAL.replace("current-context: dev", "current-context: !!str prod"),
    "a block": _USUAL.replace("current-context: dev", "current-context: >-\n  prod"),
    "on the next line": _USUAL.replace("current-context: dev", "current-context:\n  prod"),
    "a comment above": "# current-context: prod\n" + _USUAL,
    "a second document": _USUAL + "---\ncurrent-context: prod\n",
    "a mark at the start": "---\n" + config("prod", "dev/web prod/live"),
    "a document without it before": "---\nkind: Config\n---\n" + _USUAL,
    "behind the end": _USUAL.replace("current-context: dev\n", "") + "...\ncurrent-context: prod\n",
    "twice": _USUAL + "current-context: prod\n",
    "an explicit key": _USUAL.replace("current-context: dev", "? current-context\n: prod"),
    "a blank before the colon": _USUAL.replace("current-context: dev", "current-context : prod"),
    "a merge": "x: &x\n  current-context: prod\n<<: *x\n" + _USUAL.replace("current-context: dev\n", ""),
    "a text that looks like it": 'note: "\ncurrent-context: prod\n "\n' + _USUAL,
    "a text that looks like contexts": _USUAL.replace("kind: Config", "kind: Config\nx: |\n contexts:\n - name: dev"),
    "indented": "\n".join("  " + line for line in _USUAL.splitlines()) + "\n",
    "flow": "contexts: [{name: dev, context: {cluster: prod, user: me, namespace: web}}]\ncurrent-context: dev\n"
    + _CLUSTERS + _TAIL,
    "all in flow": "{current-context: prod, contexts: [{name: prod, context: {cluster: prod, user: me}}], "
    "clusters: [{name: prod, cluster: {server: 'http://prod.example'}}], users: [{name: me, user: {}}]}\n",
    "JSON": json.dumps({
        "current-context": "prod", "contexts": [{"name": "prod", "context": {"cluster": "prod", "user": "me"}}],
        "clusters": [{"name": "prod", "cluster": {"server": "http://prod.example"}}],
        "users": [{"name": "me", "user": {}}]}, indent=1),
    "items indented": "current-context: dev\ncontexts:\n  - name: dev\n    context:\n      namespace: web\n"
    "      cluster: dev\n      user: me\n" + _CLUSTERS + _TAIL,
    "a dash alone": "current-context: dev\ncontexts:\n-\n  name: dev\n  context:\n    cluster: dev\n    user: me\n"
    "    namespace: web\n" + _CLUSTERS + _TAIL,
    "the name first": "current-context: dev\ncontexts:\n- name: dev\n  context:\n    cluster: dev\n    user: me\n"
    "    namespace: web\n- name: prod\n  context:\n    cluster: prod\n    user: me\n" + _CLUSTERS + _TAIL,
    "a namespace beside": "current-context: dev\ncontexts:\n- name: dev\n  namespace: web\n  context:\n"
    "    cluster: dev\n    user: me\n" + _CLUSTERS + _TAIL,
    "a namespace in an extension": "current-context: dev\ncontexts:\n- name: dev\n  context:\n    cluster: dev\n"
    "    user: me\n    extensions:\n    - name: e\n      extension:\n        namespace: web\n" + _CLUSTERS + _TAIL,
    "a namespace behind an extension": "current-context: dev\ncontexts:\n- context:\n    cluster: dev\n"
    "    extensions:\n    - extension:\n        namespace: a\n      name: e\n    namespace: web\n    user: me\n"
    "  name: dev\n"
    + _CLUSTERS + _TAIL,
    "a quoted namespace": _USUAL.replace("namespace: web", 'namespace: "we\\x62"'),
    "a null namespace": _USUAL.replace("namespace: web", "namespace: null"),
    "a tilde": _USUAL.replace("namespace: web", "namespace: ~"),
    "a null context": _USUAL.replace("current-context: dev", "current-context: null"),
    "a namespace on the next line": _USUAL.replace("namespace: web", "namespace:\n      web"),
    "a quoted key": _USUAL.replace("namespace: web", '"namespace": web'),
    "contexts twice": _USUAL + "contexts:\n- context:\n    cluster: prod\n    user: me\n  name: dev\n",
    "a name twice": config("dev", "dev/web dev/api prod"),
    "capitals": _USUAL.replace("current-context: dev", "Current-Context: prod"),
    "a tab behind": _USUAL.replace("current-context: dev", "current-context: dev\t# x"),
    "a hash in the name": _USUAL.replace("current-context: dev", "current-context: dev#x"),
    "carriage returns": _USUAL.replace("\n", "\r\n"),
    "a mark of order": "\ufeff" + _USUAL,
    "another line end": _USUAL.replace("kind: Config\n", "kind: Config # a\u2028current-context: prod\n"),
    "a form feed": _USUAL.replace("kind: Config\n", "kind: Config # a\x85current-context: prod\n"),
    "empty": "",
    "none": None,
}  # fmt: skip

# Files of the project, by names that the spellings use.
_FILES = {
    "prod.yaml": config("prod", "prod/live"),
    "dev.yaml": config("dev", "dev/web"),
    "bare.yaml": config("prod", "prod"),
    "named.yaml": "current-context: prod\n",
    "spaces.yaml": config('""', "dev/other"),
}
PLAIN = "kubectl delete pod x --wait=false"
# Cluster and namespace that kubectl then asks, and what says so. `dev/` is all namespaces; with none it asks nobody.
MEANT = {
    "dev/web": (
        "kubectl delete pod x --wait=false",
        "kubectl get pods",
        "kubectl get pod x",
        "kubectl get pods -n ''",
        "kubectl get pods --all-namespaces=false",
        "kubectl --context '' get pods",
        "kubectl --context= get pods",
        "kubectl --kubeconfig= get pods",
        "KUBECONFIG=dev.yaml:prod.yaml kubectl get pods",
        "KUBECONFIG= kubectl get pods",
        "export KUBECONFIG=prod.yaml; (unset KUBECONFIG; kubectl get pods)",
        "env -u KUBECONFIG kubectl get pods",
        "KUBECTL_CONTEXT=prod kubectl get pods",
        "kubectl config use-context nowhere; kubectl get pods",
        "kubectl config use-context prod && kubectl config use-context dev && kubectl get pods",
        "kubectl config use-context prod --kubeconfig dev.yaml; kubectl get pods",
        "KUBECONFIG=named.yaml:prod.yaml:dev.yaml kubectl config use-context dev; kubectl get pods",
        "kubectl config rename-context dev prod2; kubectl get pods",
        'kubectl --context "$(kubectl config current-context)" get pods',
        "alias k='kubectl --context prod'; kubectl get pods",
        "kubectl get pods -- --context prod",
        "kubectl get pods -o name -l n=a",
        "kubectl get pods -ojson",
        "kubectl get pods --as prod",
    ),
    "prod/live": (
        "kubectl --context prod get pods",
        "kubectl --context=prod get pods",
        "kubectl get pods --context prod",
        "kubectl get --context=dev pods --context=prod",
        "kubectl --kubeconfig prod.yaml get pods",
        "kubectl --kubeconfig=./prod.yaml get pods",
        "KUBECONFIG=prod.yaml kubectl get pods",
        "KUBECONFIG=prod.yaml:dev.yaml kubectl get pods",
        "KUBECONFIG=missing.yaml:prod.yaml kubectl get pods",
        "KUBECONFIG=:prod.yaml kubectl get pods",
        "KUBECONFIG=named.yaml:dev.yaml:prod.yaml kubectl get pods",
        "KUBECONFIG=dev.yaml kubectl --kubeconfig prod.yaml get pods",
        "KUBECONFIG=$PWD/prod.yaml kubectl get pods",
        'KUBECONFIG="$PWD/dev.yaml:$PWD/prod.yaml" kubectl --context prod get pods',
        "export KUBECONFIG=prod.yaml; kubectl get pods",
        "env KUBECONFIG=prod.yaml kubectl get pods",
        "cd sub && KUBECONFIG=../prod.yaml kubectl get pods",
        "kubectl config use-context prod && kubectl get pods",
        "kubectl config use-context prod; kubectl get pods",
        "kubectl config use prod && kubectl get pods",
        "kubectl config set current-context prod && kubectl get pods",
        "cp prod.yaml ~/.kube/config; kubectl get pods",
        "C=prod; kubectl --context $C get pods",
        'kubectl() { command kubectl --context prod "$@"; }; kubectl get pods',
        "HOME=$PWD/other kubectl get pods",
        "env HOME=$PWD/other kubectl get pods",
        "echo x | xargs kubectl --context prod get pod",
    ),
    "dev/a": (
        "kubectl get pods -n a",
        "kubectl get pods -na",
        "kubectl get pods -n=a",
        "kubectl get pods --namespace=a",
        "kubectl get pods --namespace a",
        "kubectl -n a get pods",
        "kubectl get pods -wn a --request-timeout=1 --watch=false",
        "kubectl config set-context --current --namespace=a && kubectl get pods",
        "kubectl config set-context dev --namespace=a && kubectl get pods",
    ),
    "dev/=": ("kubectl get pods -n=",),
    "dev/b": ("kubectl get pods -n a --namespace b",),
    "prod/a": (
        "kubectl -na --context=prod get pods",
        "kubectl get pods --context prod -n a --output name",
    ),
    "dev/": (
        "kubectl get pods -A",
        "kubectl get pods -n a -A",
    ),
    "prod/web": (
        "kubectl --cluster prod get pods",
        "kubectl --context dev --cluster prod get pods",
        "kubectl -s http://prod.example get pods",
        "kubectl --server=http://prod.example get pods",
        "kubectl -shttp://prod.example get pods",
    ),
    "": (
        "kubectl --kubeconfig=prod.yaml --context dev get pods",
        "kubectl --kubeconfig=prod.yaml:dev.yaml get pods",
        "kubectl --kubeconfig missing.yaml get pods",
        "KUBECONFIG=missing.yaml kubectl get pods",
        "kubectl config unset current-context; kubectl get pods",
        "sed -i s/dev/prod/ ~/.kube/config; kubectl get pods",
    ),
    "prod/default": ("KUBECONFIG=bare.yaml:prod.yaml kubectl get pods",),
    "dev/other": ("KUBECONFIG=spaces.yaml:dev.yaml kubectl get pods",),
}
SPELLINGS = {command: meant for meant, commands in MEANT.items() for command in commands}
# The same of PLAIN in each state.
IN_STATES = {
    "as kubectl writes it": "dev/web",
    "no namespaces": "prod/default",
    "no current context": "",
    "an empty current context": "",
    "quoted": "prod/live",
    "a key in quotes": "prod/live",
    "escapes in quotes": "prod/live",
    "escapes in a key": "prod/live",
    "an anchor": "prod/live",
    "an alias": "prod/live",
    "a tag": "prod/live",
    "a block": "prod/live",
    "on the next line": "prod/live",
    "a comment above": "dev/web",
    "a second document": "dev/web",
    "a mark at the start": "prod/live",
    "a document without it before": "",
    "behind the end": "",
    "twice": "prod/live",
    "an explicit key": "prod/live",
    "a blank before the colon": "prod/live",
    "a merge": "prod/live",
    "a text that looks like it": "dev/web",
    "a text that looks like contexts": "dev/web",
    "indented": "dev/web",
    "flow": "prod/web",
    "all in flow": "prod/default",
    "JSON": "prod/default",
    "items indented": "dev/web",
    "a dash alone": "dev/web",
    "the name first": "dev/web",
    "a namespace beside": "dev/default",
    "a namespace in an extension": "dev/default",
    "a namespace behind an extension": "dev/web",
    "a quoted namespace": "dev/web",
    "a null namespace": "dev/default",
    "a tilde": "dev/default",
    "a null context": "",
    "a namespace on the next line": "dev/web",
    "a quoted key": "dev/web",
    "contexts twice": "prod/default",
    "a name twice": "",
    "capitals": "",
    "a tab behind": "dev/web",
    "a hash in the name": "",
    "carriage returns": "dev/web",
    "a mark of order": "dev/web",
    "another line end": "dev/web",
    "a form feed": "dev/web",
    "empty": "",
    "none": "",
}


def laid(at: Path, state: str) -> Path:
    """The person's folder and the project in it."""
    project = at / "project"
    for folder in (at / ".kube", project / "sub", project / "other/.kube"):
        folder.mkdir(parents=True, exist_ok=True)
    text = STATES[state]
    kept = at / ".kube/config"
    kept.unlink(missing_ok=True)
    if text is not None:
        kept.write_text(text, newline="")
    (project / "other/.kube/config").write_text(_FILES["prod.yaml"])
    for name, content in _FILES.items():
        (project / name).write_text(content)
    return project


def by_kubectl(project: Path, command: str, clusters: Clusters) -> str:
    """The cluster and the namespace that it asks for pods."""
    clusters.asked.clear()
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(project.parent), "http_proxy": clusters.address}
    subprocess.run(["bash", "-c", command], cwd=project, env=env, capture_output=True, timeout=30, check=False)
    return " ".join(f"{cluster}/{namespace}" for cluster, namespace in sorted(clusters.asked))


def by_us(project: Path, command: str) -> Action:
    """The last action at a cluster."""
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(project))
    facts = Facts(root=str(project), home=str(project.parent), variables=FrozenMap({}))
    reading = read_with_facts(call, facts)
    named = [action for action in reading.actions if action.name in ("kubectl:get", "kubectl:delete")]
    return named[-1] if named else reading.actions[-1]


__all__ = ["IN_STATES", "PLAIN", "SPELLINGS", "STATES", "Clusters", "by_kubectl", "by_us", "laid"]
