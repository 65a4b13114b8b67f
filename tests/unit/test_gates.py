"""The actions that a capability is needed for: which gate each passes, and how it is taken back."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.gated import GATES, Gate, gate_of, undo_of
from interlock.model.action import Action
from interlock.value import FrozenMap

PUSHED = "git push --force-with-lease <remote> <old commit>:<branch>; git reflog show <remote>/<branch> has the commit"
SEND, API = "host url method via", "endpoint method"


def act(name: str, *tags: str, **target: Any) -> Action:
    return Action(name=name, target=FrozenMap(target), tags=tags)


# an action, its name for `interlock grant`, the fields that a grant may be limited to, and who does it
GATED: list[tuple[Action, str, str, str]] = [
    (
        act("npm:publish"),
        "npm publish",
        "package registry path tag folder workspace",
        "npm, pnpm, yarn and bun publish; lerna, nx, rush, semantic-release",
    ),
    (act("net:send", host="registry.npmjs.org"), "net:send", SEND, "an upload to registry.npmjs.org by hand"),
    (
        act("pypi:publish"),
        "twine upload",
        "package registry path folder",
        "twine upload; uv, flit, poetry, hatch, pdm and maturin publish",
    ),
    (act("net:send", host="upload.pypi.org"), "net:send", SEND, "an upload to PyPI by hand"),
    (act("cargo:publish"), "cargo publish", "package registry folder", "cargo publish, cargo release"),
    (act("net:send", host="crates.io"), "net:send", SEND, "an upload to crates.io by hand"),
    (act("gem:push"), "gem push", "path registry folder", "gem push, rake release"),
    (act("net:send", host="rubygems.org"), "net:send", SEND, "an upload to rubygems.org by hand"),
    (
        act("docker:push"),
        "docker push",
        "image registry",
        "docker, podman and buildah push; docker build --push; skopeo copy",
    ),
    (act("gh:release-create"), "gh release create", "repo tag", "gh release create"),
    (act("gh:release-upload"), "gh release upload", "repo tag", "gh release upload"),
    (act("gh:release-edit"), "gh release edit", "repo tag", "gh release edit"),
    (act("gh:release-delete"), "gh release delete", "repo tag", "gh release delete"),
    (act("gh:release-delete-asset"), "gh release delete-asset", "repo tag name", "gh release delete-asset"),
    (act("gh:pr-create"), "gh pr create", "repo base branch", "gh pr create"),
    (act("gh:repo-edit"), "gh repo edit", "repo visibility", "gh repo edit"),
    (act("gh:repo-delete"), "gh repo delete", "repo", "gh repo delete"),
    (act("hub:release-create"), "hub release create", "tag", "hub release create"),
    (act("gh:api", "external", endpoint="repos/a/b/releases"), "gh:api", API, "gh api, on a release"),
    (act("gh:api", "external", endpoint="/repos/a/b/pulls"), "gh:api", API, "gh api, on pull requests"),
    (act("gh:api", "external", endpoint="repos/a/b/git/"), "gh:api", API, "gh api, on branches, tags and files"),
    (act("gh:api", "external", endpoint="repos/a/b/contents/"), "gh:api", API, "gh api, on files"),
    (act("gh:api", "external", endpoint="repos/a/b/merge"), "gh:api", API, "gh api, on merges"),
    (act("gh:api", "external", endpoint="repos/a/b/pages"), "gh:api", API, "gh api, on Pages"),
    (
        act("gh:api", "external", endpoint="repos/", method="PATCH"),
        "gh:api",
        API,
        "gh api with PATCH, on a repository",
    ),
    (
        act("gh:api", "external", endpoint="repos/", method="DELETE"),
        "gh:api",
        API,
        "gh api with DELETE, on a repository",
    ),
    (act("gh:api", "external", endpoint="graphql"), "gh:api", API, "gh api graphql, a mutation"),
    (act("net:send", host="api.github.com"), "net:send", SEND, "a request to GitHub by hand"),
    (act("net:send", host="uploads.github.com"), "net:send", SEND, "an upload to a release by hand"),
    (
        act("git:push"),
        "git push",
        "remote branch folder force delete mirror prune all tags no-verify push-option submodules via",
        "git push",
    ),
    (act("git:send-pack"), "git send-pack", "remote branch folder force delete mirror all", "git send-pack"),
    (act("git:http-push"), "git http-push", "remote branch folder force", "git http-push"),
    (act("git:subtree-push"), "git subtree push", "remote ref path folder force", "git subtree push"),
    (act("git-lfs:push"), "git lfs push", "remote ref", "git lfs push"),
    (act("jj:git-push"), "jj git push", "remote branch", "jj git push"),
    (act("gh:repo-create", push=True), "gh repo create", "repo", "gh repo create --push"),
    (
        act("pages:deploy"),
        "pages:deploy",
        "remote branch repo project path",
        "gh-pages, mkdocs gh-deploy, mike deploy --push, ghp-import -p, docusaurus deploy, wrangler pages deploy",
    ),
]


def gate(action: Action, *named: str, all_built_in: bool = True) -> Gate | None:
    return gate_of(action, named, all_built_in=all_built_in)


@pytest.mark.parametrize(("action", "words", "scope", "done_by"), GATED)
def test_an_action_that_publishes_has_to_pass_its_gate(action: Action, words: str, scope: str, done_by: str) -> None:
    found = gate_of(action)
    assert found is not None
    assert (found.action, found.words, found.scope, found.done_by) == (
        action.name,
        words,
        ("destination", *scope.split()),
        done_by,
    )
    assert undo_of(action.name, action.target) == found.undo
    assert gate_of(action.replace(tags=(*action.tags, "dryrun"))) is None, "a dry run only shows what would happen"


def test_every_gate_is_passed_by_some_action_of_these() -> None:
    assert [gate_of(action) for action, *_ in GATED] == list(GATES)


UNGATED = [
    act("git:pull"),
    act("net:send", host="a.test"),
    act("net:send"),
    act("gh:repo-create"),
    act("gh:repo-create", push=False),
    act("gh:api", "external", endpoint="repos/a/b", method="GET"),
    act("gh:api", "external", endpoint="user", method="PATCH"),
    act("gh:api", "external", endpoint="user", method="DELETE"),
]


@pytest.mark.parametrize("action", UNGATED)
def test_the_same_action_towards_another_place_is_free(action: Action) -> None:
    assert gate_of(action) is None
    assert undo_of(action.name, action.target) is None


def test_a_call_of_github_s_api_that_only_looks_is_free() -> None:
    looks = act("gh:api", endpoint="repos/a/b/releases")
    assert gate_of(looks) is None
    named = gate(looks, "gh:*")
    assert named is not None
    assert named.done_by == "gh:api"


# --- actions that the policy names --------------------------------------------------------------------------------


def test_an_action_that_the_policy_names_is_gated_by_its_own_name() -> None:
    deploy = act("helm:upgrade").replace(compensator="helm rollback")
    expected = Gate(action="helm:upgrade", done_by="helm:upgrade", words="helm:upgrade", undo="helm rollback")
    assert gate(deploy, "npm:*", "helm:*") == expected
    assert gate(deploy.replace(compensator=None), "helm:*") == expected.replace(undo="none on record")
    assert gate(deploy, "npm:*") is None
    assert gate(deploy.replace(tags=("dryrun",)), "helm:*") is None


def test_a_gate_of_the_table_stays_the_one_where_the_policy_names_its_action() -> None:
    found = gate(act("git:push"), "git:*", all_built_in=False)
    assert found is not None
    assert (found.words, found.undo) == ("git push", PUSHED)


def test_without_enforcing_only_what_the_policy_names_is_gated() -> None:
    assert gate(act("git:push"), "npm:*", all_built_in=False) is None
    assert gate(act("git:push"), all_built_in=False) is None
    assert gate(act("npm:publish"), "npm:*", all_built_in=False) == gate(act("npm:publish"))
