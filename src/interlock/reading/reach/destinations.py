"""Where an action that leaves this machine would arrive: one field of its target, `destination`.

Most say it in words (a host, a bucket, an image). Of the rest the table below says how: which fields and options count,
which variables and files the program looks at, and which resolver puts them together. Those files are facts: the
reading asks for a `Destination` and gets texts back. A destination is said only where it is sure. Without one, no grant
covers the action but one that says `destination = "*"`.
"""

from __future__ import annotations

from ...model.more_wants import Destination
from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

    Target = dict[str, str | bool | tuple[str, ...]]

__all__ = [
    "HOWS",
    "How",
    "Query",
    "asked_by",
    "destinations",
    "how_of",
    "is_push",
    "place_of",
    "query_for",
]

_NUL = "\0"
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]")
_ODD = frozenset("%\\?#*…\0 \n\t'\"`$<>|;&")  # of a path: what a server or a program may take for another one
_PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418", "oci": "443"}


class How(Value):
    """How a class of actions says where it goes.

    fields   of the target that count
    options  of the command that count and do not stand in the target, each with the field that it is
    leads    parts of names: another option with one of them leads elsewhere in a way that is not followed
    stops    fields of a target with which it cannot be told
    env      beginnings of variables that the program looks at, in lower case; one that the call sets unseen ends it
    reads    those of them that the resolver understands
    files    names of files that the program looks at; one that the call itself writes ends it
    plain    an address among its words names another place
    """

    fields: tuple[str, ...] = ()
    options: Mapping[str, str] = FrozenMap({})
    leads: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    plain: bool = False


class Query(Value):
    """What is asked: the resolver, the program, the folder, what the command says, and variables that it sets."""

    kind: str
    program: str = ""
    folder: str = ""
    fields: Mapping[str, tuple[str, ...]] = FrozenMap({})
    env: Mapping[str, str] = FrozenMap({})


def _how(fields: str, *, leads: str = "", stops: str = "", env: str = "", reads: str = "", files: str = "",
         options: Mapping[str, str] | None = None, plain: bool = False) -> How:  # fmt: skip
    return How(
        fields=tuple(fields.split()),
        options=FrozenMap(dict(options or {})),
        leads=tuple(leads.split()),
        stops=tuple(stops.split()),
        env=tuple(env.split()),
        reads=tuple(reads.split()),
        files=tuple(files.split()),
        plain=plain,
    )


_HOME = "home xdg_"
_REPO = {"-R": "repo", "--repo": "repo", "--hostname": "hostname"}
_CLUSTER = {
    "--context": "context", "--kube-context": "context", "--kubeconfig": "kubeconfig", "-s": "server",
    "--server": "server", "--kube-apiserver": "server", "--cluster": "cluster",
}  # fmt: skip

# resolver -> what it goes by; the resolvers are functions of registries.py and accounts.py
HOWS: Mapping[str, How] = FrozenMap({
    "npm": _how("registry package path", leads="registry config prefix proxy cwd", stops="workspace all elsewhere",
                env=f"npm_ yarn_ bun_ pnpm_ {_HOME}", reads="npm_config_registry yarn_npm_publish_registry "
                "yarn_npm_registry_server", files=".npmrc package.json .yarnrc .yarnrc.yml bunfig.toml "
                "pnpm-workspace.yaml", options={"--registry": ""}),
    "pypi": _how("registry", leads="config repo url index project directory proxy", stops="elsewhere all",
                 env=f"twine_ flit_ hatch_ poetry_ pdm_ uv_ maturin_ {_HOME}", reads="twine_repository "
                 "twine_repository_url flit_index_url uv_publish_url maturin_repository maturin_repository_url "
                 "pdm_publish_repo", files=".pypirc pyproject.toml poetry.toml pdm.toml uv.toml config.toml",
                 options=dict.fromkeys(("-r", "--repository", "--repository-url", "--publish-url", "--index", "--repo",
                                        "--check-url"), "")),
    "cargo": _how("registry package", leads="config manifest -C -Z", stops="all elsewhere",
                  env=f"cargo_ {_HOME}", files="Cargo.toml config.toml config",
                  options={"--registry": "", "--index": ""}),
    "gem": _how("registry", leads="config", env="rubygems_ gem_", reads="rubygems_host", options={"--host": ""}),
    "remote": _how("remote repo", leads="config repo", env="git_", files="config .gitconfig",
                   options={"-r": "remote", "--remote": "remote", "--remote-name": "remote", "-o": "remote",
                            "--repo": "repo"}),
    "gh": _how("repo hostname endpoint", plain=True, env="gh_ github_ git_", reads="gh_repo gh_host",
               files="config .gitconfig hosts.yml", options=_REPO),
    "glab": _how("repo hostname endpoint", plain=True, env="gitlab_ git_", reads="gitlab_host",
                 files="config .gitconfig", options=_REPO),
    "kube": _how("context server cluster kubeconfig", env=f"kube helm_kube {_HOME}",
                 reads="kubeconfig helm_kubecontext helm_kubeapiserver", files="config kubeconfig", options=_CLUSTER),
    "aws": _how("url bucket profile endpoint remote", leads="endpoint config", env=f"aws_ {_HOME}",
                reads="aws_profile aws_default_profile", files="config credentials",
                options={"--profile": "", "--endpoint-url": ""}),
    "gcloud": _how("url bucket project", leads="configuration flags-file endpoint", env=f"cloudsdk_ {_HOME}",
                   reads="cloudsdk_core_project", files="active_config", options={"--project": ""}),
    "az": _how("subscription", leads="config", env=f"azure_ arm_ {_HOME}", files="azureProfile.json",
               options={"--subscription": ""}),
    "fly": _how("app", leads="config", env="fly_", reads="fly_app", files="fly.toml", options={"-a": "app",
                "--app": "app"}),
    "vercel": _how("project", leads="cwd scope team project config token", env="vercel_", files="project.json"),
    "netlify": _how("site", leads="cwd filter auth", env="netlify_", reads="netlify_site_id", files="state.json",
                    options={"-s": "site", "--site": "site"}),
    "firebase": _how("project", leads="config", env=f"firebase_ gcloud_ google_ {_HOME}",
                     files=".firebaserc firebase-tools.json", options={"-P": "project", "--project": "project"}),
    "heroku": _how("app", leads="remote", env="heroku_", reads="heroku_app", options={"-a": "app", "--app": "app"}),
    "wrangler": _how("name project", leads="config env cwd", env="cloudflare_ cf_ wrangler_",
                     files="wrangler.toml wrangler.json wrangler.jsonc", options={"--name": "name",
                     "--project-name": "project"}),
})  # fmt: skip

# family of the action -> resolver; a name of its own comes first. A family that is not here goes by its fields.
_RESOLVED: Mapping[str, str] = FrozenMap({
    "npm": "npm", "pypi": "pypi", "cargo": "cargo", "gem": "gem", "git-flow": "remote", "git-lfs": "remote",
    "git:push": "", "git:send-pack": "", "git:http-push": "remote", "git:subtree-push": "remote", "gh": "gh",
    "glab": "glab", "hub": "gh",
    "kubectl": "kube", "oc": "kube", "helm": "kube", "helm:push": "", "helm:login": "", "istioctl": "kube",
    "aws": "aws", "s3cmd": "aws", "gsutil": "gcloud", "gcloud": "gcloud", "bq": "gcloud", "az": "az", "fly": "fly",
    "vercel": "vercel", "netlify": "netlify", "firebase": "firebase", "heroku": "heroku", "wrangler": "wrangler",
})  # fmt: skip
_PAGES = {"wrangler": "wrangler", "mkdocs": "remote", "mike": "remote", "ghp-import": "remote", "gh-pages": "remote"}
# Fields that name a place, and whether they hold addresses; the first that is there counts.
_SAID = (("server", True), ("registry", True), ("host", False), ("url", True), ("repo", True), ("to", False))
# What leaves everything as it was that says where things go.
_LEAVES = frozenset(
    "npm:publish pypi:publish cargo:publish gem:push docker:push git:push git:add git:commit git:tag npm:version "
    "exec:project pkg:restore docker:build".split()
)


def destinations(name: str, target: Target, shell: Shell, by_program: bool = True) -> tuple[str, ...]:
    """Where an action of this name arrives, each place once; nothing where that is not sure."""
    words = shell.found.commands[-1][0] if shell.found.commands else ()
    kind = how_of(name, tuple([word.text for word in words])) if by_program else ""
    if not kind:
        return () if _is_renamed(words) else _checked(_by_fields(name, target))
    given = _given(HOWS[kind], target, words, shell)
    if given is None or shell.found.facts.root in ("", "/\1") or shell.privileged or not shell.folders:
        return ()
    found: list[str] = []
    for folder in shell.folders:
        query = query_for(kind, _program(words), folder, {**given[0], "action": (name,)}, given[1])
        answer = shell.found.ask(Destination(query))
        if not answer:
            return ()
        found += answer
    return _checked(found)


def _is_renamed(words: tuple[Arg, ...]) -> bool:
    """`ssh -o HostName=…`, `-F FILE`: the name that is written stands for another machine."""
    if not words or _base(words[0].text) not in ("ssh", "scp", "sftp", "rsync", "autossh", "mosh"):
        return False
    return any(word.text == "-F" or "hostname" in word.text.lower().partition("=")[0] for word in words[1:])


def how_of(name: str, words: tuple[str, ...] = ()) -> str:
    """The resolver for an action; empty: its own fields say where it goes."""
    if name == "pages:deploy":
        return next((_PAGES[word] for word in map(_base, words) if word in _PAGES), "")
    found = _RESOLVED.get(name)
    return _RESOLVED.get(name.partition(":")[0], "") if found is None else found


def query_for(
    kind: str, program: str, folder: str, fields: Mapping[str, tuple[str, ...]], env: Mapping[str, str]
) -> Query:
    in_order = FrozenMap(dict(sorted(fields.items())))
    return Query(kind=kind, program=program, folder=folder, fields=in_order, env=FrozenMap(dict(sorted(env.items()))))


def is_push(name: str) -> bool:
    """Whether a fact of its own says where it goes (reading/reach/pushed.py)."""
    return name in ("git:push", "git:send-pack")


def asked_by(
    name: str, words: tuple[str, ...], scope: Mapping[str, str], folder: str
) -> tuple[Query | None, tuple[str, ...]]:
    """For a grant by these words and this scope: the question, or what the scope itself says."""
    kind = how_of(name, words)
    if not kind:
        if "host" in scope:
            return None, (scope["host"],)
        return None, _checked(_by_fields(name, dict(scope)))
    fields = {field: tuple(scope[field].split("\n")) for field in HOWS[kind].fields if field in scope}
    if any("*" in text or "?" in text for texts in fields.values() for text in texts):
        return None, ()
    program = next((_base(word) for word in words if _base(word) in _PROGRAMS), name.partition(":")[0])
    return query_for(kind, program, folder, {**fields, "action": (name,)}, {}), ()


def place_of(address: str) -> str:
    """`https://user@R.example:443/a/b/` as `r.example/a/b`; empty where it is none that is plain."""
    scheme, mark, rest = address.partition("://")
    host, slash, path = (rest if mark else address).partition("/")
    host = host.rpartition("@")[2].lower()
    head, colon, port = host.rpartition(":")
    if colon and port == _PORTS.get(scheme.rpartition("+")[2].lower()):
        host = head
    path = path.rstrip("/")
    parts = path.split("/")
    if (
        "\\" in address
        or not host
        or not _HOST.issuperset(host)
        or not _ODD.isdisjoint(path)
        or ".." in parts
        or "." in parts
    ):
        return ""
    return f"{host}/{path}" if slash and path else host


def _checked(found: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    sure = all(text and _ODD.isdisjoint(text) and text.isprintable() for text in found)
    return tuple(dict.fromkeys(found)) if sure else ()


def _by_fields(name: str, target: Target) -> list[str]:
    """What its own fields say: an image, an address, a host, somebody who gets a message."""
    if name == "docker:push":
        return [_image(text) for text in _texts(target.get("image"))]
    for field, is_address in _SAID:
        said = _texts(target.get(field))
        if not said or (field == "repo" and not all("://" in text for text in said)):
            continue
        if field == "host":
            return [place_of(text) if "://" in text else text.rpartition("@")[2] for text in said if text != "?"]
        return [place_of(text) for text in said] if is_address else list(said)
    return []


def _image(text: str) -> str:
    """`acme/app:1` as `docker.io/acme/app`, `r.example:5000/app@sha256:…` as `r.example:5000/app`."""
    text = text.removeprefix("docker://").partition("@")[0]
    head, slash, rest = text.partition("/")
    if not slash or not ("." in head or ":" in head or head == "localhost"):
        head, rest = "docker.io", text if slash else f"library/{text}"
    return place_of(f"{head}/{rest.partition(':')[0]}") if rest and "://" not in text else ""


def _given(
    how: How, target: Target, words: tuple[Arg, ...], shell: Shell
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]] | None:
    """Fields and variables for the resolver; None where the call holds something that it cannot follow."""
    if any(target.get(field) for field in how.stops) or _is_changed(how, shell):
        return None
    fields = {field: _texts(target[field]) for field in how.fields if field in target and target[field] is not True}
    texts = [word.text for word in words]
    if "--" in texts:
        texts = texts[: texts.index("--")]
    if any(word.unknown and word.text[:1] == _NUL and not word.quoted for word in words):
        return None
    for at, text in enumerate(texts):
        option, equals, value = text.partition("=")
        if option in how.options:
            value = value if equals else texts[at + 1] if at + 1 < len(texts) else ""
            field = how.options[option]
            if field and value not in fields.get(field, ()):
                fields[field] = (*fields.get(field, ()), value)
        elif option[:1] == "-" and (any(part in option for part in how.leads) or _is_cut_short(option, how)):
            return None
        elif how.plain and text.startswith(("http://", "https://")):
            return None  # `gh pr comment https://…`: the address names the repository
    env: dict[str, str] = {}
    for name, values in shell.variables.items():
        lower = name.lower()
        if lower.startswith(how.env) if how.env else False:
            if lower not in how.reads or len(values) != 1 or not values[0].known:
                return None
            env[lower] = values[0].text
    return (fields, env) if all(_NUL not in text for said in fields.values() for text in said) else None


def _is_cut_short(option: str, how: How) -> bool:
    """`--prof` is `--profile` for many programs."""
    return option[:2] == "--" and len(option) > len("--") and any(known.startswith(option) for known in how.options)


def _is_changed(how: How, shell: Shell) -> bool:
    """Whether this very call may have changed a file that says where it goes."""
    for action in shell.found.actions:
        if not any(effect.name in ("write", "destructive", "execute", "spawn") for effect in action.effects):
            continue
        path = action.target.get("path")
        if path is None:
            if action.name not in _LEAVES and action.name[:6] != "shell:":
                return True
        elif action.target.get("glob") is True or str(path).rpartition("/")[2] in how.files:
            return True
    return any(path.rpartition("/")[2] in how.files for path in shell.files)


def _program(words: tuple[Arg, ...]) -> str:
    """The program that is run, also where another one starts it: `python -m twine`, `npx npm`."""
    for word in words[:4]:
        if _base(word.text) in _PROGRAMS:
            return _base(word.text)
    return _base(words[0].text) if words else ""


_PROGRAMS = frozenset(
    "npm pnpm yarn bun lerna twine flit hatch poetry pdm uv maturin cargo gem gh glab hub kubectl oc helm aws s3cmd "
    "gsutil gcloud bq az fly flyctl vercel netlify firebase heroku wrangler mkdocs mike ghp-import gh-pages".split()
)


def _base(text: str) -> str:
    return text.rpartition("/")[2].partition("@")[0]


def _texts(value: str | bool | tuple[str, ...] | None) -> tuple[str, ...]:
    return value if type(value) is tuple else (value,) if type(value) is str else ()
