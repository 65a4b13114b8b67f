"""Which known server an entry of a client's configuration starts, by what it starts and never by its name.

An entry is recognized only if every part of it is understood: the launcher, the package or image or address, each
argument and each variable. Whatever else stands in it (another registry, a settings file, a path, code that is loaded)
may make it another program, so then nothing is recognized and its tools are as nobody declared.

    npx, uvx   the package's name, with a version or none
    docker     the image's name, without mounts
    URL        the address, to the letter, but for a path below it where the row says so
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["KNOWN", "Known", "Started", "entries_for", "plain_name", "started_by"]


class Known(Value):
    """
    rows       the table of its tools
    npm, pypi  names of packages
    images     names of images
    urls       addresses; one that ends in `/*` stands for all below it
    options    arguments without a value that may stand behind it
    valued     options that take a value, which changes nothing of what its tools do
    operands   what may stand there besides: `none`, `folders` (absolute paths), `database` (an address)
    variables  names of variables that it may be given
    """

    rows: str
    npm: tuple[str, ...] = ()
    pypi: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: str = "none"
    variables: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KNOWN: tuple[Known, ...] = (
    Known(
        rows="playwright",
        npm=("@playwright/mcp",),
        images=("mcr.microsoft.com/playwright/mcp",),
        options=_words("--headless --isolated --mobile --block-service-workers"),
        valued=_words(
            "--browser --caps --viewport-size --device --image-responses --timeout-action --timeout-navigation "
            "--console-level --codegen --output-mode --snapshot-mode"
        ),
    ),
    Known(
        rows="chrome-devtools",
        npm=("chrome-devtools-mcp",),
        options=_words("--headless --isolated --no-usage-statistics --no-performance-crux --redactNetworkHeaders"),
        valued=_words("--channel --viewport --screenshotFormat --screenshot-format"),
    ),
    Known(rows="puppeteer", npm=("@modelcontextprotocol/server-puppeteer",)),
    Known(rows="filesystem", npm=("@modelcontextprotocol/server-filesystem",), operands="folders"),
    Known(
        rows="memory",
        npm=("@modelcontextprotocol/server-memory",),
        images=("mcp/memory",),
    ),
    Known(
        rows="sequential-thinking",
        npm=("@modelcontextprotocol/server-sequential-thinking",),
        images=("mcp/sequentialthinking",),
        variables=_words("DISABLE_THOUGHT_LOGGING"),
    ),
    Known(
        rows="github",
        npm=("@modelcontextprotocol/server-github",),
        images=("ghcr.io/github/github-mcp-server",),
        urls=("https://api.githubcopilot.com/mcp", "https://api.githubcopilot.com/mcp/*"),
        options=_words("stdio --read-only"),
        valued=_words("--toolsets"),
        variables=_words("GITHUB_PERSONAL_ACCESS_TOKEN GITHUB_TOOLSETS GITHUB_READ_ONLY"),
    ),
    Known(
        rows="gitlab",
        npm=("@modelcontextprotocol/server-gitlab",),
        variables=_words("GITLAB_PERSONAL_ACCESS_TOKEN"),
    ),
    Known(
        rows="postgres",
        npm=("@modelcontextprotocol/server-postgres",),
        images=("mcp/postgres",),
        operands="database",
    ),
    Known(rows="sqlite", pypi=("mcp-server-sqlite",), valued=_words("--db-path")),
    Known(
        rows="slack",
        npm=("@modelcontextprotocol/server-slack",),
        images=("mcp/slack",),
        variables=_words("SLACK_BOT_TOKEN SLACK_TEAM_ID SLACK_CHANNEL_IDS"),
    ),
    Known(
        rows="sentry",
        npm=("@sentry/mcp-server",),
        urls=("https://mcp.sentry.dev/mcp", "https://mcp.sentry.dev/mcp/*"),
        valued=_words("--access-token --organization-slug --project-slug --skills"),
        variables=_words("SENTRY_ACCESS_TOKEN"),
    ),
    Known(
        rows="context7",
        npm=("@upstash/context7-mcp",),
        images=("mcp/context7",),
        urls=("https://mcp.context7.com/mcp",),
        valued=_words("--api-key"),
        variables=_words("CONTEXT7_API_KEY"),
    ),
    Known(
        rows="brave-search",
        npm=("@modelcontextprotocol/server-brave-search",),
        images=("mcp/brave-search",),
        variables=_words("BRAVE_API_KEY"),
    ),
    Known(
        rows="fetch",
        pypi=("mcp-server-fetch",),
        images=("mcp/fetch",),
        options=_words("--ignore-robots-txt"),
        valued=_words("--user-agent"),
    ),
    Known(rows="git", pypi=("mcp-server-git",), valued=_words("--repository -r")),
    Known(rows="time", pypi=("mcp-server-time",), images=("mcp/time",), valued=_words("--local-timezone")),
)


class Started(Value):
    """
    rows     the table of the server's tools; empty: it is none that is known
    package  of npm, which a folder of the project could stand in for
    inside   paths that it works on whatever it is asked: they have to lie in the project
    """

    rows: str = ""
    package: str = ""
    inside: tuple[str, ...] = ()


_NONE = Started()
# Keys of an entry that say nothing of what is started. `cwd`, an own shell, a file of variables are none of them.
_KEYS = frozenset(
    "command args env environment type url httpUrl headers timeout trust description disabled enabled tools "
    "alwaysAllow autoApprove includeTools excludeTools startup_timeout_sec startup_timeout_ms tool_timeout_sec "
    "enabled_tools disabled_tools bearer_token_env_var http_headers env_http_headers".split()
)
_BINS = ("", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_RELAY = ("-m", "interlock.cli")


def started_by(entry: Mapping[str, object], python: str = "") -> Started:
    """`python`: the interpreter that our own relay is started with, so that the server behind it is the one meant."""
    if not _KEYS.issuperset(entry):
        return _NONE
    url = entry.get("url") or entry.get("httpUrl")
    if url is not None:
        return _at_address(url) if "command" not in entry else _NONE
    command, args = entry.get("command"), entry.get("args", ())
    words = list(command) if type(command) is tuple else [command, *args] if type(args) is tuple else []
    given = [entry[key] for key in ("env", "environment") if key in entry]
    if not words or any(type(word) is not str for word in words) or any(type(one) is not FrozenMap for one in given):
        return _NONE
    names = [str(name) for one in given for name in one]  # type: ignore[attr-defined]
    own = _behind_relay([str(word) for word in words], python)
    return _NONE if own is None else _of_command(own, names)


def _behind_relay(words: list[str], python: str) -> list[str] | None:
    """The server's own command, where ours stands in front of it; None where something else does so."""
    if not any(tuple(words[at : at + 2]) == _RELAY for at in range(len(words))):
        return words
    if not python or words[0] != python or words[1:4] != ["-I", *_RELAY] or "--" not in words:
        return None
    head = words[4 : words.index("--")]
    return words[words.index("--") + 1 :] if head[:3] == ["mcp", "run", "--name"] and len(head) == 4 else None


def _at_address(url: object) -> Started:
    if type(url) is not str or not url.isascii() or any(char in url for char in "$%?#\\@ {}") or ".." in url:
        return _NONE
    plain = url.rstrip("/")
    for known in KNOWN:
        for address in known.urls:
            below = address.endswith("/*") and plain.startswith(address[:-1])
            if plain == address or below:
                return Started(rows=known.rows)
    return _NONE


def _of_command(words: list[str], names: list[str]) -> Started:
    program, rest = words[0], words[1:]
    for folder in _BINS:
        name = program.removeprefix(folder) if program.startswith(folder) else ""
        if name == "npx":
            return _of_package(rest, names, "npm", ("-y", "--yes"))
        if name == "uvx":
            return _of_package(rest, names, "pypi", ())
        if name == "docker":
            return _of_image(rest, names)
    return _NONE


def _of_package(words: list[str], names: list[str], kind: str, yes: tuple[str, ...]) -> Started:
    while words and words[0] in yes:
        words = words[1:]
    if not words:
        return _NONE
    package = _without_version(words[0])
    for known in KNOWN:
        if package in (known.npm if kind == "npm" else known.pypi):
            if not known.variables.issuperset(names) or not _fit(known, words[1:]):
                return _NONE
            inside = _values_of("--db-path", words[1:])
            return Started(rows=known.rows, package=package if kind == "npm" else "", inside=inside)
    return _NONE


_OF_VERSIONS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")


def _without_version(word: str) -> str:
    """`name@1.2.3` and `name==1.2.3` are `name`; an alias, a path or an address is nothing that is known."""
    at = word.find("@", 1)
    name, version = (word, "") if at < 0 else (word[:at], word[at + 1 :])
    if at < 0 and "==" in word:
        name, _, version = word.partition("==")
    return name if _OF_VERSIONS.issuperset(version) and (at < 0 or version) else ""


def _of_image(words: list[str], names: list[str]) -> Started:
    if words[:1] != ["run"]:
        return _NONE
    left, given = words[1:], list(names)
    while left and left[0].startswith("-"):
        option = left.pop(0)
        if option in ("-e", "--env") and left:
            given.append(left.pop(0).partition("=")[0])
        elif option not in ("-i", "--interactive", "--rm", "--init", "-it"):
            return _NONE
    if not left:
        return _NONE
    image, _, digest = left[0].partition("@")
    name, colon, tag = image.rpartition(":")
    if colon and "/" not in tag:
        image = name
    for known in KNOWN:
        if image in known.images:
            fits = known.variables.issuperset(given) and _fit(known, left[1:])
            return Started(rows=known.rows) if fits and (not digest or digest.startswith("sha256:")) else _NONE
    return _NONE


def _fit(known: Known, words: list[str]) -> bool:
    """Whether all that stands behind the server's name is understood."""
    left = list(words)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if "$" in word and known.operands != "database":
            return False
        if word in known.options:
            continue
        if option in known.valued:
            if not equals and not left:
                return False
            value = value if equals else left.pop(0)
            if value.startswith("-") or "$" in value:
                return False
            continue
        if word.startswith("-") or not _is_operand(known.operands, word):
            return False
    return True


def _values_of(option: str, words: list[str]) -> tuple[str, ...]:
    behind = [words[at + 1] for at, word in enumerate(words[:-1]) if word == option]
    return (*behind, *[word.partition("=")[2] for word in words if word.startswith(option + "=")])


def _is_operand(kind: str, word: str) -> bool:
    if kind == "folders":
        return word in ("~", ".") or word.startswith(("/", "~/", "./"))
    return kind == "database" and (word.startswith(("postgres://", "postgresql://")) or _is_variable(word))


def _is_variable(word: str) -> bool:
    return word.startswith("${") and word.endswith("}") and word[2:-1].replace("_", "").isalnum()


def plain_name(text: str) -> str:
    """A server's name as clients write it into the names of tools: everything else is an underscore."""
    return "".join([char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in text])


def entries_for(
    data: object, server: str, root: str, form: str, real: Callable[[str], str] = str
) -> list[Mapping[str, object]]:
    """Every entry of that name in a client's file, at the top and for projects at, above or below `root`. `real`: where
    a path leads.
    """
    tables: list[object] = []
    if type(data) is not FrozenMap:
        return []
    if form == "toml":
        tables.append(data.get("mcp_servers"))
    elif form == "opencode":
        inside = data.get("mcp")
        tables += [inside, inside.get("servers") if type(inside) is FrozenMap else None]
    else:
        tables.append(data.get("mcpServers"))
        tables += _of_projects(data.get("projects"), root, real)
    return [
        entry if type(entry) is FrozenMap else FrozenMap({"": ""})  # none that is understood
        for table in tables
        if type(table) is FrozenMap
        for name, entry in table.items()
        if plain_name(str(name)) == server
    ]


def _of_projects(projects: object, root: str, real: Callable[[str], str]) -> Iterable[object]:
    if type(projects) is not FrozenMap:
        return []
    return [
        table.get("mcpServers")
        for path, table in projects.items()
        if type(table) is FrozenMap and table.get("mcpServers") and _are_related(root, real(str(path)))
    ]


def _are_related(root: str, path: str) -> bool:
    return f"{root}/".startswith(f"{path}/") or path.startswith(f"{root}/")
