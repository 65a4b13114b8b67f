"""Which context, namespace, workspace or profile a command goes by, from the texts of the files that its program reads.

As the programs document it: kubectl and helm by kubeconfig, terraform by TF_WORKSPACE and `.terraform/environment`.
None: the text does not tell.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NONE", "current_context", "is_namespaced", "namespace_of", "workspace_in"]


NONE = "(none)"  # there are no such settings, so that the program goes by none


def current_context(texts: Iterable[str]) -> str | None:
    """The context in force: of several files the first that names one. kubectl writes YAML, one key a line."""
    for text in texts:
        for line in text.splitlines():
            key, colon, value = line.partition(":")
            if colon and key.strip("\"'") == "current-context":
                name = _plain(value)
                if name:
                    return name
        if text.lstrip().startswith("{"):
            return None  # JSON is allowed as well
    return None


def namespace_of(context: str, texts: Iterable[str]) -> str | None:
    """The namespace that a context sets, `default` where it sets none: the first file that has the context counts."""
    for text in texts:
        entries = _contexts(text)
        if entries is None:
            return None
        for entry in entries:
            if entry.get("name") == context:
                return entry.get("namespace") or "default"
    return None


def _contexts(text: str) -> list[dict[str, str]] | None:
    """Name and namespace of each entry below `contexts:`, as kubectl writes them; None for another style of YAML."""
    found: list[dict[str, str]] = []
    inside, first = False, None
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] not in " -":
            inside = line.partition(":")[0].strip("\"'") == "contexts"
            if inside and _plain(line.partition(":")[2]) not in ("", "[]"):
                return None
            continue
        if not inside:
            continue
        if any(mark in line for mark in "{}&*|>"):
            return None
        body = line.lstrip(" ")
        depth = len(line) - len(body)
        if body.startswith("- ") and (first is None or depth == first):
            first = depth
            found.append({})
            body = body[2:].lstrip(" ")
            depth += 2
        if not found:
            return None
        key, colon, value = body.partition(":")
        known = found[-1]
        if key == "name" and colon and first is not None and depth == first + 2:
            known["name"] = _plain(value)
        elif key == "namespace" and colon:
            known["namespace"] = _plain(value)
    return found


def _plain(value: str) -> str:
    return value.partition(" #")[0].strip().strip("\"'")


# Kinds that lie in a namespace, as kubectl spells them. What is not here may be the whole cluster's.
_NAMESPACED = frozenset(
    "pod pods po deployment deployments deploy service services svc job jobs cronjob cronjobs cj configmap configmaps "
    "cm secret secrets statefulset statefulsets sts daemonset daemonsets ds replicaset replicasets rs ingress "
    "ingresses ing persistentvolumeclaim persistentvolumeclaims pvc serviceaccount serviceaccounts sa role roles "
    "rolebinding rolebindings horizontalpodautoscaler hpa endpoints ep event events ev".split()
)


def is_namespaced(resource: str) -> bool:
    """`pod`, `deploy/api`, `pods,svc`."""
    kinds = [part.partition("/")[0].partition(".")[0].lower() for part in resource.split(",")]
    return all(kind in _NAMESPACED for kind in kinds)


def workspace_in(text: str | None) -> str:
    """What `.terraform/environment` says; without it the workspace is `default`."""
    return (text or "").strip() or "default"
