"""Where forges, clusters and clouds are reached: repository, context, account, project or bucket.

As in registries.py, the program's own options, variables and files say it, and nothing is said where they leave it
open.
"""

from __future__ import annotations

from ...bytes.strict import parse_object
from ...model.errors import InputError
from ...value import TYPE_CHECKING, FrozenMap
from ..resolve.kubeconfig import current_context, namespace_of
from ..resolve.settings import NONE, workspace_in
from .destinations import place_of
from .pushed import destination_of
from .registries import cargo, first, gem, npm, pypi, toml_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .destinations import Query
    from .registries import Look

    Answer = tuple[str, ...]

__all__ = ["RESOLVERS", "resolved"]


def resolved(query: Query, look: Look) -> Answer:
    """Each place once; none where it cannot be told."""
    found = RESOLVERS[query.kind](query, look)
    return tuple(dict.fromkeys(found)) if all(found) else ()


def _remote(query: Query, look: Look) -> Answer:
    """A remote of the repository, `origin` unless another one is named; or an address."""
    said = query.fields.get("repo", ()) or query.fields.get("remote", ()) or ("origin",)
    known = look.remotes(query.folder)
    found: list[str] = []
    for text in said:
        if text in known:
            found += known[text][0] or [""]
        else:
            found.append(destination_of(text) if "://" in text or ("@" in text and ":" in text) else "")
    return tuple(found)


def _gh(query: Query, look: Look) -> Answer:
    host = look.variable(query, "gh_host") or "github.com"
    return _forge(query, look, first(query.fields.get("hostname", ())) or host, look.variable(query, "gh_repo"))


def _glab(query: Query, look: Look) -> Answer:
    address = look.variable(query, "gitlab_host")
    host = place_of(address) if address else "gitlab.com"
    return _forge(query, look, first(query.fields.get("hostname", ())) or host, "")


def _forge(query: Query, look: Look, host: str, named: str) -> Answer:
    """`host/owner/name`: the repository that is named, else the one that the remotes lead to."""
    endpoints = query.fields.get("endpoint", ())
    if endpoints:
        return tuple([place for text in endpoints for place in _endpoint(text, query, look, host) or ("",)])
    said = query.fields.get("repo", ()) or ((named,) if named else ())
    if said:
        return tuple([_repository(text, host) for text in said])
    if first(query.fields.get("action", ())).partition(":")[2].startswith(_OF_A_PERSON):
        return (host,)
    known = look.remotes(query.folder)
    chosen = [places for places, mark in known.values() if mark == "base"]
    found = [place for places in chosen or [places for places, _ in known.values()] for place in places or ("",)]
    return tuple(found) if not any(mark not in ("", "base") for _, mark in known.values()) else ()


def _endpoint(text: str, query: Query, look: Look, host: str) -> Answer:
    """`repos/acme/app/releases`, with or without a host before it; of another endpoint the host."""
    before, mark, rest = text.partition("repos/")
    if not mark and "projects/" in text:
        return ()
    before = before.strip("/")
    host = before if before and "://" not in before else host
    if "://" in before or "%" in text or ".." in text.split("/"):
        return ()
    if not mark:
        return (host,)
    if rest.startswith(("{owner}", ":owner")):
        return _forge(query.replace(fields=FrozenMap({})), look, host, look.variable(query, "gh_repo"))
    parts = rest.split("/")
    return (place_of(f"{host}/{parts[0]}/{parts[1].partition('?')[0]}"),) if len(parts) > 1 else ()


# What belongs to the person who is logged in, and not to the repository of the folder.
_OF_A_PERSON = ("gist", "ssh-key", "gpg-key", "auth", "repo-create", "project", "codespace", "extension")


def _repository(text: str, host: str) -> str:
    if "://" in text or "@" in text:
        return destination_of(text)
    parts = text.split("/")
    return place_of(text if len(parts) == 3 else f"{host}/{text}") if 1 < len(parts) < 4 else ""


def _kube(query: Query, look: Look) -> Answer:
    """The context, as kubectl names it; behind another file than the person's own, that file too."""
    fields = query.fields
    server = first(fields.get("server", ())) or look.variable(query, "helm_kubeapiserver")
    if server:
        return (place_of(server),)
    if fields.get("cluster") or any(len(fields.get(name, ())) > 1 for name in ("context", "kubeconfig")):
        return ()
    given = first(fields.get("context", ())) or look.variable(query, "helm_kubecontext")
    if not given:
        given = current_context(_kubeconfigs(query, look)) or ""
    file = _said_file(query)
    path = ":".join([at if at[:1] == "/" else f"{query.folder}/{at}" for at in file.split(":") if at])
    return (f"{path}:{given}" if path else given,) if given else ()


def _said_file(query: Query) -> str:
    """The kubeconfigs that the command names, before those that are usual."""
    return first(query.fields.get("kubeconfig", ())) or query.env.get("kubeconfig", "")


def _kubeconfigs(query: Query, look: Look) -> list[str]:
    """The texts of the files that kubectl puts together."""
    said = (
        first(query.fields.get("kubeconfig", ())) or look.variable(query, "kubeconfig") or f"{look.home}/.kube/config"
    )
    # What an option names is one file, whatever its name.
    listed = [said] if first(query.fields.get("kubeconfig", ())) else said.split(":")
    paths = [path if path.startswith("/") else f"{query.folder}/{path}" for path in listed if path]
    return [look.read(path) or "" for path in paths]


def _context(query: Query, look: Look) -> Answer:
    if query.program == "helm" and look.variable(query, "helm_kubeapiserver"):
        return ()
    given = look.variable(query, "helm_kubecontext") if query.program == "helm" else ""
    texts = _kubeconfigs(query, look)
    found = given or current_context(texts)
    return (found,) if found else () if any(texts) else (NONE,)


def _namespace(query: Query, look: Look) -> Answer:
    given = look.variable(query, "helm_namespace") if query.program == "helm" else ""
    if given:
        return (given,)
    context, texts = first(query.fields.get("context", ())) or first(_context(query, look)), _kubeconfigs(query, look)
    found = namespace_of(context, texts) if context else None
    return (found,) if found else () if any(texts) else (NONE,)


def _workspace(query: Query, look: Look) -> Answer:
    given = look.variable(query, "tf_workspace")
    if given:
        return (given,)
    kept = look.variable(query, "tf_data_dir") or ".terraform"
    folder = kept if kept[0] == "/" else f"{query.folder}/{kept}"
    backend = (_json(look, f"{folder}/terraform.tfstate") or {}).get("backend")
    if type(backend) is FrozenMap and backend.get("type") in ("cloud", "remote"):
        return ()  # its settings may name the workspace
    return (workspace_in(look.read(f"{folder}/environment")),)


def _profile(query: Query, look: Look) -> Answer:
    """aws goes by the other variable first. Keys in variables come before the profile that a variable names."""
    named = look.variable(query, *_PROFILES)
    return () if look.env.get("aws_access_key_id") or query.env.get("aws_access_key_id") else (named or "default",)


_PROFILES = ("aws_default_profile", "aws_profile")


_STORES = ("s3", "gs", "gcs", "b2", "r2", "az", "oci")


def _buckets(query: Query) -> list[str] | None:
    """`s3://bucket` of each address; None where there is none, or one of another kind."""
    said = [*query.fields.get("url", ()), *query.fields.get("remote", ())]
    found = []
    for text in said:
        scheme, mark, rest = text.partition("://")
        if not mark or scheme not in _STORES:
            return []
        found.append(f"{scheme}://{rest.partition('/')[0]}")
    return found + [f"s3://{name}" for name in query.fields.get("bucket", ()) if query.program == "aws"] or None


def _aws(query: Query, look: Look) -> Answer:
    endpoint = [place_of(text) for text in query.fields.get("endpoint", ())]
    if look.env.get("aws_endpoint_url") or look.env.get("aws_config_file"):
        return ()
    buckets = _buckets(query)
    if buckets is not None:
        return tuple([f"{endpoint[0]}/{one.partition('://')[2]}" if endpoint else one for one in buckets]) or ("",)
    if endpoint:
        return tuple(endpoint)
    said = first(query.fields.get("profile", ()))
    if not said and look.env.get("aws_access_key_id"):
        return ()  # whose key that is stands nowhere
    profile = said or look.variable(query, *_PROFILES)
    return (f"aws:{profile or 'default'}",) if query.program == "aws" else ()


def _gcloud(query: Query, look: Look) -> Answer:
    buckets = _buckets(query)
    if buckets is not None:
        return tuple(buckets) or ("",)
    project = first(query.fields.get("project", ())) or look.variable(query, "cloudsdk_core_project")
    if not project and not look.env.get("cloudsdk_config"):
        chosen = look.env.get("cloudsdk_active_config_name") or look.read(f"{look.config}/gcloud/active_config") or ""
        text = look.read(f"{look.config}/gcloud/configurations/config_{chosen.strip() or 'default'}") or ""
        section = ""
        for line in text.splitlines():
            section = line.strip().strip("[]") if line.startswith("[") else section
            key, equals, value = line.partition("=")
            if equals and section == "core" and key.strip() == "project":
                project = value.strip()
    return (f"gcp:{project}",) if project else ()


def _az(query: Query, look: Look) -> Answer:
    said = first(query.fields.get("subscription", ()))
    if said or look.env.get("azure_config_dir"):
        return (f"azure:{said}",) if said else ()
    data = _json(look, f"{look.home}/.azure/azureProfile.json")
    listed = data.get("subscriptions") if data else ()
    chosen = [one.get("name") for one in listed if type(one) is FrozenMap and one.get("isDefault") is True] if type(
        listed) is tuple else []  # fmt: skip
    return (f"azure:{chosen[0]}",) if len(chosen) == 1 and type(chosen[0]) is str else ()


def _fly(query: Query, look: Look) -> Answer:
    table = toml_of(look, f"{query.folder}/fly.toml") or {}
    app = first(query.fields.get("app", ())) or look.variable(query, "fly_app") or table.get("app", "")
    return (f"fly:{app}",) if isinstance(app, str) and app else ()


def _vercel(query: Query, look: Look) -> Answer:
    data = _json(look, f"{query.folder}/.vercel/project.json") or {}
    org = look.env.get("vercel_org_id") or data.get("orgId")
    project = look.env.get("vercel_project_id") or data.get("projectId")
    return (f"vercel:{org}/{project}",) if type(org) is str and type(project) is str else ()


def _netlify(query: Query, look: Look) -> Answer:
    kept = (_json(look, f"{query.folder}/.netlify/state.json") or {}).get("siteId")
    site = first(query.fields.get("site", ())) or look.variable(query, "netlify_site_id") or kept
    return (f"netlify:{site}",) if type(site) is str and site else ()


def _firebase(query: Query, look: Look) -> Answer:
    aliases = (_json(look, f"{query.folder}/.firebaserc") or {}).get("projects")
    known: Mapping[str, object] = aliases if type(aliases) is FrozenMap else FrozenMap({})
    active = (_json(look, f"{look.config}/configstore/firebase-tools.json") or {}).get("activeProjects")
    chosen = active.get(query.folder) if type(active) is FrozenMap else None
    named = first(query.fields.get("project", ())) or (chosen if type(chosen) is str else "") or "default"
    project = known.get(named, named if named != "default" else "")
    return (f"gcp:{project}",) if type(project) is str and project else ()


def _heroku(query: Query, look: Look) -> Answer:
    app = first(query.fields.get("app", ())) or look.variable(query, "heroku_app")
    if app:
        return (f"heroku:{app}",)
    places = look.remotes(query.folder).get("heroku", ((), ""))[0]
    return tuple([f"heroku:{place.partition('/')[2]}" for place in places if place.startswith("git.heroku.com/")])


def _wrangler(query: Query, look: Look) -> Answer:
    if any(look.read(f"{query.folder}/wrangler.{kind}") is not None for kind in ("json", "jsonc")):
        return ()
    table = toml_of(look, f"{query.folder}/wrangler.toml")
    if table is None:
        return ()
    said = (*query.fields.get("project", ()), *query.fields.get("name", ()))
    name = first(said) or table.get("name", "")
    account = look.env.get("cloudflare_account_id") or table.get("account_id", "")
    return (f"cloudflare:{account}/{name}" if account else f"cloudflare:{name}",) if name else ()


def _json(look: Look, path: str) -> Mapping[str, object] | None:
    text = look.read(path)
    if text is None:
        return None
    try:
        return parse_object(text.removeprefix("\ufeff").encode())
    except InputError:
        return None


RESOLVERS: Mapping[str, Callable[[Query, Look], Answer]] = FrozenMap({
    "npm": npm, "pypi": pypi, "cargo": cargo, "gem": gem, "remote": _remote, "gh": _gh, "glab": _glab, "kube": _kube,
    "aws": _aws, "gcloud": _gcloud, "az": _az, "fly": _fly, "vercel": _vercel, "netlify": _netlify,
    "firebase": _firebase, "heroku": _heroku, "wrangler": _wrangler,
    "context": _context, "namespace": _namespace, "workspace": _workspace, "profile": _profile,
})  # fmt: skip
