"""Laws of grants: none covers more than it showed, and one that shadows another covers all that the other does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.approve.grant import WIDENING, Grant, covers
from interlock.approve.keys import remembered
from interlock.approve.pointed import Standing, pointed_out
from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.errors import InputError
from interlock.model.facts import Facts
from interlock.model.more_wants import Destination, Pushed
from interlock.model.verdict import Verdict
from interlock.model.wants import Real, Want
from interlock.policy.ahead import permitted_ahead
from interlock.reading.bash import follow_bash
from interlock.reading.reach.accounts import resolved
from interlock.reading.reach.pushed import sent
from interlock.reading.reach.registries import Look
from interlock.reading.read import read_in_rounds
from interlock.reading.resolve.refs import Refs
from interlock.value import FrozenMap

WORDS = ("git push", "npm publish", "docker push", "gh pr create", "cargo publish", "npm run build")
PARTS = (
    "--force",
    "--delete",
    "--mirror",
    "--all",
    "--tags",
    "-f",
    "+main",
    ":main",
    "origin",
    "main",
    "feature/x",
    "x",
)
SCOPES: tuple[dict[str, str], ...] = (
    {},
    {"branch": "feature/*"},
    {"branch": "*"},
    {"remote": "origin", "branch": "main", "force": "true"},
)
BEFORE = ("", "sudo ", "GIT_SSH_COMMAND=x ", "cd /tmp && ", "true; ")


@settings(max_examples=FEWER)
@given(
    st.sampled_from(WORDS),
    st.sampled_from(SCOPES),
    st.sampled_from(BEFORE),
    st.lists(st.sampled_from(PARTS), max_size=5),
)
def test_a_grant_covers_nothing_beyond_what_it_showed(
    words: str, scope: dict[str, str], before: str, parts: list[str]
) -> None:
    grant = permitted_ahead(words, {**(scope if words == "git push" else {}), "destination": "*"}, by="me")
    found = follow_bash(
        " ".join([before + words, *parts]), cwd="/project", facts=Facts(root="/project", home="/home/u")
    )
    for action in found.actions:
        if not covers(grant, action):
            continue
        assert action.name == grant.action
        assert set(action.effects) <= set(grant.effects)
        assert grant.tags is not None
        assert set(action.tags) <= set(grant.tags)
        assert action.risk <= grant.risk
        assert grant.irreversible or not (action.irreversible or Effect.DESTRUCTIVE in action.effects)
        for field in WIDENING:
            assert action.target.get(field) is not True or field in grant.scope


@settings(max_examples=FEWER)
@given(
    st.lists(st.tuples(st.sampled_from(WORDS[:2]), st.sampled_from(SCOPES)), min_size=2, max_size=2),
    st.lists(st.sampled_from(PARTS), max_size=4),
)
def test_what_shadows_a_grant_covers_all_that_it_covers(
    given_: list[tuple[str, dict[str, str]]], parts: list[str]
) -> None:
    grants = [
        permitted_ahead(words, {**(scope if words == "git push" else {}), "destination": "*"}, by="me").replace(
            id=f"g{at}"
        )
        for at, (words, scope) in enumerate(given_)
    ]
    points = pointed_out([Standing(grant=grant, place="session s") for grant in grants], (), 1)
    shadowed = {point.grant for point in points if point.kind == "shadowed"}
    assert len(shadowed) < len(grants)
    for at, (words, _) in enumerate(given_):
        if grants[at].id in shadowed:
            line = " ".join([words, *parts])
            for action in follow_bash(line, cwd="/p", facts=Facts(root="/p", home="/home/u")).actions:
                assert not covers(grants[at], action) or covers(grants[1 - at], action)


# --- destinations ---------------------------------------------------------------------------------------------------

# What may lie around a call: settings of git, of registries, of a cluster.
GIT = (
    ("remote origin.url", "https://git.example/team/app"),
    ("remote origin.url", "https://evil.example/x"),
    ("remote origin.pushurl", "https://evil.example/x"),
    ("url https://evil.example/.insteadof", "https://git.example/"),
    ("url https://evil.example/.pushinsteadof", "https://git.example/"),
    ("url git@git.example:.insteadof", "https://git.example/"),
    ("remote.pushdefault", "fork"),
    ("remote fork.url", "https://evil.example/fork"),
)
FILES = (
    ("/project/.npmrc", "registry=https://evil.example"),
    ("/home/u/.npmrc", "registry=https://evil.example"),
    ("/home/u/.npmrc", "@acme:registry=https://evil.example"),
    ("/project/package.json", '{"name": "@acme/app"}'),
    ("/project/package.json", '{"name": "a", "publishConfig": {"registry": "https://evil.example"}}'),
    ("/home/u/.pypirc", "[pypi]\nrepository = https://evil.example"),
    ("/project/uv.toml", 'publish-url = "https://evil.example"'),
    ("/project/.cargo/config.toml", '[registry]\ndefault = "x"\n[registries.x]\nindex = "https://evil.example"'),
    ("/project/Cargo.toml", '[package]\nname = "a"\npublish = ["x"]'),
    ("/home/u/.kube/config", "current-context: evil.example"),
)
ENV = (("npm_config_registry", "https://evil.example"), ("twine_repository_url", "https://evil.example"),
       ("gh_host", "evil.example"), ("gh_repo", "evil.example/a/b"), ("kubeconfig", "/x"))  # fmt: skip
OUTWARD = ("git push", "npm publish", "twine upload dist/a-1.0.tar.gz", "uv publish", "cargo publish",
           "gh release upload v1 out/a.zip", "kubectl apply -f x.yaml", "docker push acme/app")  # fmt: skip
WAYS = ("", "-R evil/app", "--registry https://evil.example", "--repository-url https://evil.example", "origin main",
        "https://evil.example/x main", "fork main", "--context other", "--@acme:registry=https://evil.example",
        "--userconfig x", "evil.example/app", "-r x", "--index https://evil.example")  # fmt: skip
FIRST = ("", "NPM_CONFIG_REGISTRY=https://evil.example ", "TWINE_REPOSITORY_URL=https://evil.example ", "sudo ",
         "git remote set-url origin https://evil.example/x; ", "npm config set registry https://evil.example; ",
         "HOME=/tmp ", "GH_HOST=evil.example ", "cd /tmp && ", "echo x > .npmrc; ", "true; ")  # fmt: skip


class Around:
    """A machine: settings of git, files and variables."""

    def __init__(self, git: list[tuple[str, str]], files: list[tuple[str, str]], env: list[tuple[str, str]]) -> None:
        self.refs = Refs(head="refs/heads/main", settings=tuple(git))
        known = dict(files)
        remotes = {name[len("remote ") : -len(".url")] for name, _ in git if name.endswith(".url")}
        from interlock.reading.reach.pushed import leads_of

        self.look = Look(
            read=known.get,
            env=FrozenMap(dict(env)),
            home="/home/u",
            remotes=lambda _: {name: (leads_of(name, self.refs), "") for name in remotes},
        )

    def gather(self, missing: tuple[Want[object], ...], facts: Facts) -> Facts | None:
        real: dict[str, str] = {}
        known: dict[Want[object], object] = {}
        for want in missing:
            if isinstance(want, Real):
                real[want.path] = want.path
            elif isinstance(want, Destination):
                known[want] = resolved(want.query, self.look)
            elif isinstance(want, Pushed):
                known[want] = sent(want.push, self.refs)
        more = facts.knowing(known).replace(real=FrozenMap({**facts.real, **real}))
        return None if more == facts else more

    def facts(self, wants: tuple[Want[object], ...]) -> Facts:
        bare = Facts(root="/project", home="/home/u")
        return self.gather(wants, bare) or bare

    def actions(self, line: str) -> tuple[Action, ...]:
        call = Call(tool="Bash", input=FrozenMap({"command": line}), cwd="/project")
        return read_in_rounds(call, Facts(root="/project", home="/home/u"), self.gather)[0].actions


def places(action: Action) -> set[str]:
    found = action.target.get("destination", ())
    return {found} if isinstance(found, str) else {str(place) for place in found} if isinstance(found, tuple) else set()


arounds = st.builds(
    Around,
    st.lists(st.sampled_from(GIT), max_size=3).map(lambda more: [GIT[0], *more]),
    st.lists(st.sampled_from(FILES), max_size=3),
    st.lists(st.sampled_from(ENV), max_size=1),
)


@settings(max_examples=FEWER)
@given(arounds, arounds, st.sampled_from(OUTWARD), st.sampled_from(FIRST), st.sampled_from(WAYS))
def test_no_destination_outside_what_was_shown_is_ever_covered(
    shown: Around, later: Around, words: str, before: str, way: str
) -> None:
    """Given on one machine as it is, tried on any other: what is covered goes only where the person was shown."""
    first = shown.actions(words)
    grants: list[Grant] = []
    try:
        prefix = " ".join(words.split()[:3] if words.startswith("gh") else words.split()[:2])
        grants.append(permitted_ahead(prefix, {}, by="me", folder="/project", ask=shown.facts))
    except InputError:
        pass  # where it goes cannot be told there
    for index in range(len(first)):
        asked = Finding(layer="l", rule="r", verdict=Verdict.ASK, text="", actions=(index,), lifted_by=("remembered",))
        grants += remembered(asked, first, by="me")
    for action in later.actions(f"{before}{words} {way}".strip()):
        for grant in grants:
            if "external" in action.tags and covers(grant, action):
                assert places(action), (grant, action)
                assert places(action) <= set(grant.scope["destination"].split("\n"))
