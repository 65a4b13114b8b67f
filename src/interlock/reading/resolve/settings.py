"""Which kinds lie in a namespace, and which workspace a folder of terraform has."""

from __future__ import annotations

__all__ = ["NONE", "is_namespaced", "workspace_in"]

NONE = "(none)"  # there are no such settings, so that the program goes by none


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
