"""The actions that a capability is needed for, each with its named compensator: one table, two halves.

The capability layer stops such an action before it happens; the compensator undoes one that did. A row is an
action's name, so it counts for every program that the reading knows to do the same, and for the same done by hand
through an address (`curl` to a registry, `gh api`). A user names actions in `[capability] actions`: beside these with
`enforce`, or alone without it.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value
from .glob import matches, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.action import Action

__all__ = ["GATES", "Gate", "filled", "gate_of", "undo_of"]


class Gate(Value):
    """
    action  the action's name
    done_by the programs that do it, for a person
    words   how a person would name it to `interlock grant`
    undo    the compensator: how it is taken back, as far as it can be
    scope   the fields of the target that a grant may be limited to
    where   only if these fields of the target match: for actions that are gated towards some places alone
    """

    action: str
    done_by: str
    words: str
    undo: str
    scope: tuple[str, ...] = ()
    where: Mapping[str, str] = FrozenMap({})


def _gate(action: str, words: str, scope: str, undo: str, done_by: str = "", **where: str) -> Gate:
    return Gate(
        action=action,
        done_by=done_by or words,
        words=words,
        undo=undo,
        scope=("destination", *scope.split()),
        where=FrozenMap(where),
    )


_NPM = "npm unpublish <package>@<version> within 72 hours, after that npm deprecate; the version stays taken"
_PYPI = "yank the release of <package> on <destination>; the version stays taken"
_CARGO = "cargo yank <package>@<version>; the version stays taken"
_GEM = "gem yank <package> --version <version>; the version stays taken"
_PUSHED = "git push --force-with-lease <remote> <old commit>:<branch>; git reflog show <remote>/<branch> has the commit"
_SITE = "deploy the commit that was live before"

GATES = (
    # packages
    _gate("npm:publish", "npm publish", "package registry path tag folder workspace", _NPM,
          "npm, pnpm, yarn and bun publish; lerna, nx, rush, semantic-release"),
    _gate("net:send", "net:send", "host url method via", _NPM, "an upload to registry.npmjs.org by hand",
          host="registry.npmjs.org"),
    _gate("pypi:publish", "twine upload", "package registry path folder", _PYPI,
          "twine upload; uv, flit, poetry, hatch, pdm and maturin publish"),
    _gate("net:send", "net:send", "host url method via", _PYPI, "an upload to PyPI by hand", host="upload.pypi.org"),
    _gate("cargo:publish", "cargo publish", "package registry folder", _CARGO, "cargo publish, cargo release"),
    _gate("net:send", "net:send", "host url method via", _CARGO, "an upload to crates.io by hand", host="crates.io"),
    _gate("gem:push", "gem push", "path registry folder", _GEM, "gem push, rake release"),
    _gate("net:send", "net:send", "host url method via", _GEM, "an upload to rubygems.org by hand",
          host="rubygems.org"),
    _gate("docker:push", "docker push", "image registry", "delete <image> in the registry, or push the image before it",
          "docker, podman and buildah push; docker build --push; skopeo copy"),
    # GitHub
    _gate("gh:release-create", "gh release create", "repo tag", "gh release delete <tag> --cleanup-tag"),
    _gate("gh:release-upload", "gh release upload", "repo tag", "gh release delete-asset <tag> <name>"),
    _gate("gh:release-edit", "gh release edit", "repo tag", "gh release edit <tag> with the text before"),
    _gate("gh:release-delete", "gh release delete", "repo tag", "gh release create <tag> from the same commit"),
    _gate("gh:release-delete-asset", "gh release delete-asset", "repo tag name", "gh release upload <tag> <file>"),
    _gate("gh:pr-create", "gh pr create", "repo base branch", "gh pr close <number>"),
    _gate("gh:repo-edit", "gh repo edit", "repo visibility", "gh repo edit with the settings before"),
    _gate("gh:repo-delete", "gh repo delete", "repo", "restore it in the owner's settings within 90 days"),
    _gate("hub:release-create", "hub release create", "tag", "hub release delete <tag>"),
    _gate("gh:api", "gh:api", "endpoint method", "gh release delete <tag>", "gh api, on a release",
          endpoint="*repos/*/releases*"),
    _gate("gh:api", "gh:api", "endpoint method", "gh pr close <number>", "gh api, on pull requests",
          endpoint="*repos/*/pulls*"),
    _gate("gh:api", "gh:api", "endpoint method", _PUSHED, "gh api, on branches, tags and files",
          endpoint="*repos/*/git/*"),
    _gate("gh:api", "gh:api", "endpoint method", _PUSHED, "gh api, on files", endpoint="*repos/*/contents/*"),
    _gate("gh:api", "gh:api", "endpoint method", _PUSHED, "gh api, on merges", endpoint="*repos/*/merge*"),
    _gate("gh:api", "gh:api", "endpoint method", _SITE, "gh api, on Pages", endpoint="*repos/*/pages*"),
    _gate("gh:api", "gh:api", "endpoint method", "gh repo edit with the settings before, or a restore by the owner",
          "gh api with PATCH, on a repository", endpoint="*repos/*", method="PATCH"),
    _gate("gh:api", "gh:api", "endpoint method", "restore it in the owner's settings within 90 days",
          "gh api with DELETE, on a repository", endpoint="*repos/*", method="DELETE"),
    _gate("gh:api", "gh:api", "endpoint method", "the mutation that reverses it", "gh api graphql, a mutation",
          endpoint="*graphql*"),
    _gate("net:send", "net:send", "host url method via", "the request that reverses it", "a request to GitHub by hand",
          host="api.github.com"),
    _gate("net:send", "net:send", "host url method via", "delete the asset of the release",
          "an upload to a release by hand", host="uploads.github.com"),
    # pushes
    _gate("git:push", "git push", "remote branch folder force delete mirror prune all tags no-verify push-option "
          "submodules via", _PUSHED),
    _gate("git:send-pack", "git send-pack", "remote branch folder force delete mirror all", _PUSHED),
    _gate("git:http-push", "git http-push", "remote branch folder force", _PUSHED),
    _gate("git:subtree-push", "git subtree push", "remote ref path folder force", _PUSHED),
    _gate("git-lfs:push", "git lfs push", "remote ref", "the objects stay; delete them in the server's settings"),
    _gate("jj:git-push", "jj git push", "remote branch", "jj undo, then jj git push"),
    _gate("gh:repo-create", "gh repo create", "repo", "gh repo delete <repository>", "gh repo create --push",
          push="true"),
    # sites
    _gate("pages:deploy", "pages:deploy", "remote branch repo project path", _SITE,
          "gh-pages, mkdocs gh-deploy, mike deploy --push, ghp-import -p, docusaurus deploy, wrangler pages deploy"),
)  # fmt: skip

_BY_NAME: dict[str, list[Gate]] = {}
for _one in GATES:
    _BY_NAME.setdefault(_one.action, []).append(_one)


def gate_of(action: Action, named: tuple[str, ...] = (), *, all_built_in: bool = True) -> Gate | None:
    """The gate that this action has to pass; `named` are the globs that the policy adds, or all that is gated."""
    if "dryrun" in action.tags:  # it only shows what would happen
        return None
    is_named = any(matches(pattern, action.name) for pattern in named)
    if not is_named and not all_built_in:
        return None
    gate = _built_in(action.name, action.target)
    if gate is not None and (gate.action not in _LOOKS_TOO or "external" in action.tags):
        return gate
    if is_named:
        return Gate(
            action=action.name, done_by=action.name, words=action.name, undo=action.compensator or "none on record"
        )
    return None


def filled(text: str, target: Mapping[str, object]) -> str:
    """A compensator with the values of the call: `<branch>` becomes `main`.

    A person may paste it into a shell, and the values are the agent's. One that a shell could take for anything but a
    plain word is not filled in, nor one that may carry a password.
    """
    for field, value in target.items():
        if f"<{field}>" in text and type(value) is not bool and _is_plain_word(word := text_of(value)):
            text = text.replace(f"<{field}>", word)
    return text


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")


def _is_plain_word(word: str) -> bool:
    return bool(word) and _PLAIN.issuperset(word) and word[0] not in "-=" and not ("://" in word and "@" in word)


# Names under which a call may also only look.
_LOOKS_TOO = frozenset(("gh:api",))


def undo_of(name: str, target: Mapping[str, object]) -> str | None:
    """The compensator on record for an action; None where it is none of ours."""
    if name not in _BY_NAME:
        return None
    gate = _built_in(name, target)
    return None if gate is None else gate.undo


def _built_in(name: str, target: Mapping[str, object]) -> Gate | None:
    for gate in _BY_NAME.get(name, ()):
        if all(matches(pattern, text_of(target.get(field))) for field, pattern in gate.where.items()):
            return gate
    return None
