"""Every environment variable that Interlock looks at: one list, for the hook and for a service alike.

A front takes them from its own process, or from what it was sent, and hands them on as a value. Nothing behind a front
reads the environment: in a service it would be somebody else's.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .obeyed import MOVED_BY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "CAMPAIGN",
    "GIT_SETTINGS",
    "PINNED",
    "PLAN_VARIABLES",
    "SIEVE",
    "loader_variables",
    "looked_at",
    "moved_by",
    "says_where",
]

CAMPAIGN = "INTERLOCK_CAMPAIGN"  # one more policy that only tightens, by its digest and its path

# Any of these switches a plan on, or makes it stricter (plan/settings.py).
PLAN_VARIABLES = (
    "INTERLOCK_PLAN",
    "INTERLOCK_PLAN_DIR",
    "INTERLOCK_PLAN_ENFORCEMENT",
    "NOUS_ITER_DIR",
    "NOUS_PLAN_ENFORCEMENT",
)
# What hosts tell the programs that they start.
_OF_HOSTS = (
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "AGENT_TOOL_NAME",
    "AMP_THREAD_ID",
    "CI",
    "GITHUB_ACTIONS",
    "COPILOT_PROJECT_DIR",
    # Where Claude Code takes plug-ins from besides.
    "CLAUDE_CODE_PLUGIN_CACHE_DIR",
    "CLAUDE_CODE_PLUGIN_DIRS",
    "CLAUDE_CODE_PLUGIN_SEED_DIR",
)
_VALUES = ("HOME", "PATH", "INTERLOCK_RUN", CAMPAIGN, *PLAN_VARIABLES, *_OF_HOSTS, *MOVED_BY)

# Variables by which a program loads code before its own first line. Python's own do nothing: the hook runs with -I.
# `BASH_FUNC_…` makes functions that a shell runs in place of programs, where /bin/sh is bash.
_LOADER = frozenset(
    ("GCONV_PATH", "LOCPATH", "NODE_OPTIONS", "BUN_OPTIONS", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES")
)
_LOADER_STARTS = ("LD_", "DYLD_", "BASH_FUNC_")

# With these the hook itself runs code of whoever sets them, before a line of ours. Settings in which a repository can
# set variables are outranked with an empty value, which loads nothing.
PINNED = (
    *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "GCONV_PATH", "LOCPATH"),
    *("DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"),
    *("DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH"),
)

# Variables that say where something arrives: a registry, a cluster, an account. Programs spell them in either case.
_WHERE = frozenset(
    "aws_config_file aws_default_profile aws_endpoint_url aws_profile azure_config_dir cargo_home "
    "cargo_registry_default cloudflare_account_id cloudsdk_active_config_name cloudsdk_config cloudsdk_core_project "
    "flit_index_url fly_app gh_host gh_repo gitlab_host helm_kubeapiserver helm_kubecontext heroku_app kubeconfig "
    "helm_namespace maturin_repository maturin_repository_url netlify_site_id npm_config_registry pdm_publish_repo "
    "rubygems_host tf_data_dir tf_workspace "
    "twine_repository twine_repository_url uv_publish_url vercel_org_id vercel_project_id xdg_config_home "
    "yarn_npm_publish_registry yarn_npm_registry_server".split()
)
_WHERE_STARTS = ("cargo_registries_", "poetry_repositories_")
# Of these it counts that they are set. They can hold passwords.
_WHERE_SET = frozenset(("aws_access_key_id",))
_WHERE_SET_STARTS = ("git_config_", "npm_config_")
GIT_SETTINGS = ("GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL")

# All that counts, for a client that sends no more than that: names and beginnings of those with a value, the same of
# those that are only set. A name in lower case stands for every spelling.
SIEVE = (
    (*_VALUES, *sorted(_WHERE)),
    _WHERE_STARTS,
    (*sorted(_LOADER), *sorted(_WHERE_SET)),
    (*_LOADER_STARTS, *_WHERE_SET_STARTS),
)

_NOWHERE: Mapping[str, str] = FrozenMap({})


def looked_at(environment: Mapping[str, str]) -> Mapping[str, str]:
    """What counts of an environment. Of variables that load code only that they are set: their values say nothing."""
    found = {name: environment[name] for name in _VALUES if name in environment}
    found.update(dict.fromkeys(loader_variables(environment), ""))
    return FrozenMap(found)


def says_where(environment: Mapping[str, str]) -> Mapping[str, str]:
    """What an environment says of where actions would arrive."""
    found = {}
    for name, value in environment.items():
        lower = name.lower()
        if lower in _WHERE or lower.startswith(_WHERE_STARTS):
            found[name] = value
        elif lower in _WHERE_SET or lower.startswith(_WHERE_SET_STARTS):
            found[name] = "set" if value else ""
    return FrozenMap(found)


def loader_variables(names: Iterable[str]) -> list[str]:
    return sorted([name for name in names if name.startswith(_LOADER_STARTS) or name in _LOADER])


def moved_by(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Folder -> the place at home that a variable puts it in place of. It can only add to what is guarded."""
    if not environment:
        return _NOWHERE
    given = {environment.get(name, "").rstrip("/"): place for name, place in MOVED_BY.items()}
    return FrozenMap({folder: place for folder, place in given.items() if folder.startswith("/") and folder != "/"})
